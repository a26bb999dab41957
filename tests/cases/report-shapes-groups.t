# SPDX-License-Identifier: GPL-2.0-or-later
# Every figure on file systems of many shapes: flex groups of any size, short ones, clusters.
. "$srcdir/tests/lib.sh"
shapes_agree <<END
300M -t ext4 -O ^flex_bg -N 288
64M -t ext4 -b 1024 -g 1024 -N 640 -G 1
64M -t ext4 -b 1024 -g 1024 -N 1280 -G 4
64M -t ext4 -b 1024 -g 1024 -N 640 -G 64
64M -t ext4 -b 1024 -g 1024 -N 640 -G 256
20M -t ext4 -b 1024 -g 1024 -N 500 -G 16
1G -t ext4 -O bigalloc -C 65536
256M -t ext4 -b 1024 -O bigalloc -C 16384
64M -t ext4 -b 1024 -g 1024 -O meta_bg,^resize_inode -N 640
64M -t ext4 -O ^64bit,^metadata_csum,uninit_bg -b 1024 -g 1024 -N 640
END
