# SPDX-License-Identifier: GPL-2.0-or-later
# What cannot be analysed: one line, and the status that says whether the
# device was refused (4) or something is wrong with it (8).
. "$srcdir/tests/lib.sh"
need mkfs.xfs mkfs.btrfs mkswap

# Libblkid and the tools call some things by changing names and numbers.
try() { # STATUS WORDS ARGUMENT...
	_status=$1
	echo "== $2"
	shift 2
	refused $_status report "$@"
}

try 8 "no such file" missing.img
mkdir directory.img
try 8 "a directory" directory.img
try 8 "a character device" /dev/null
: >empty.img
try 8 "an empty file" empty.img
truncate -s 1M zeros.img
try 8 "zeros" zeros.img
printf 'QFI\373' | dd of=zeros.img conv=notrunc status=none
try 8 "QCOW2" zeros.img

truncate -s 300M xfs.img
mkfs.xfs -q -L data xfs.img >/dev/null 2>&1 || fail "mkfs.xfs"
try 8 "xfs" xfs.img
truncate -s 128M btrfs.img
mkfs.btrfs -q btrfs.img >/dev/null 2>&1 || fail "mkfs.btrfs"
try 8 "btrfs" btrfs.img
truncate -s 1M swap.img
mkswap swap.img >/dev/null 2>&1 || fail "mkswap"
try 8 "swap" swap.img
truncate -s 8M parts.img
# One entry: not bootable, type 0x83, from sector 2048, 8192 sectors.
printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\040\0\0' |
	dd of=parts.img bs=1 seek=446 conv=notrunc status=none
printf '\125\252' | dd of=parts.img bs=1 seek=510 conv=notrunc status=none
try 8 "a partition table" parts.img

make_image a.img 64M -t ext4
truncate -s 60M a.img
try 8 "truncated" a.img
make_image a.img 64M -t ext4
printf '\377' | dd of=a.img bs=1 seek=1124 conv=notrunc status=none
try 8 "superblock checksum" a.img
make_image a.img 64M -t ext4 -O ^metadata_csum
printf '\377\377' | dd of=a.img bs=1 seek=1112 conv=notrunc status=none
try 8 "superblock" a.img
make_image a.img 64M -t ext4
debug a.img <<END || fail "debugfs"
feature FEATURE_I20
END
try 8 "an unknown feature" a.img
make_image a.img 16M -O journal_dev
try 8 "an external journal" a.img
make_image a.img 64M -t ext4 -O ^metadata_csum
debug a.img <<END || fail "debugfs"
set_bg 0 inode_table 4000000000
END
try 8 "a group descriptor" a.img

make_image a.img 16M -t ext4
try 8 "an offset behind the end" "a.img?offset=99999999999"
try 8 "an offset that is none" "a.img?offset=12k"
try 8 "nothing at the offset" "a.img?offset=65536"
BLKID_FILE=$PWD/blkid.tab
export BLKID_FILE
try 8 "no such label" LABEL=e2spread-no-such-label
try 8 "no such UUID" UUID=5a373983-ffff-ffff-ffff-ffffffffffff
