# SPDX-License-Identifier: GPL-2.0-or-later
# Every figure on file systems of many shapes: block and inode sizes.
. "$srcdir/tests/lib.sh"
shapes_agree <<END
64M -t ext4
64M -t ext4 -b 1024
64M -t ext4 -b 2048
64M -t ext4 -I 128
64M -t ext4 -I 512
64M -t ext4 -I 1024
64M -t ext4 -b 1024 -I 128
64M -t ext4 -b 1024 -I 1024
64M -t ext2
64M -t ext2 -b 1024
64M -t ext2 -r 0 -O none
64M -t ext3
64M -t ext3 -b 1024 -I 128
1G -t ext4 -b 65536 -J size=64
END
