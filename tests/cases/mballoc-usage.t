# SPDX-License-Identifier: GPL-2.0-or-later
# Every way to call mballoc wrongly, and what it says then.
. "$srcdir/tests/lib.sh"
make_image i.img 64M -t ext4
refused 16 mballoc
refused 16 mballoc i.img i.img
refused 16 mballoc --proc mb_stats i.img
refused 16 mballoc --group -1 i.img
refused 16 mballoc --group 4294967296 i.img
refused 16 mballoc --optimize-scan 2 i.img
refused 16 mballoc --request 0 i.img
refused 16 mballoc --request 1M i.img
refused 16 mballoc --goal x i.img
refused 16 mballoc --linear-limit '' i.img
refused 16 mballoc --tasks 0 --request 1 i.img
refused 16 mballoc --tasks 2 i.img
refused 16 mballoc --count 0 i.img
refused 16 mballoc --cpus 0 i.img
refused 16 mballoc --threads 0 i.img
refused 16 mballoc --inodes '' i.img
refused 16 mballoc --inodes 12, i.img
refused 16 mballoc --inodes 12,x i.img
refused 16 mballoc --inodes 0 i.img
refused 16 mballoc --group 1 i.img
refused 16 mballoc --request 8 --goal 1 i.img
refused 8 mballoc missing.img
