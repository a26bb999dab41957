# SPDX-License-Identifier: GPL-2.0-or-later
# Every figure on file systems of every shape, each once as debugfs fills it
# and once with its directories indexed.
. "$srcdir/tests/lib.sh"
while read -r size options; do
	make_image a.img $size $options
	fill_some a.img
	sound a.img
	agrees a.img
	agrees a.img --readahead-blks 4
	e2fsck -fyD a.img >e2fsck.log 2>&1
	sound a.img
	agrees a.img
done <<END
64M -t ext4
64M -t ext4 -b 1024
64M -t ext4 -b 2048
64M -t ext4 -I 128
64M -t ext4 -I 512
64M -t ext4 -I 1024
64M -t ext4 -b 1024 -I 128
64M -t ext4 -b 1024 -I 1024
300M -t ext4 -O ^flex_bg -N 288
64M -t ext4 -b 1024 -g 1024 -N 640 -G 1
64M -t ext4 -b 1024 -g 1024 -N 1280 -G 4
64M -t ext4 -b 1024 -g 1024 -N 640 -G 64
64M -t ext4 -b 1024 -g 1024 -N 640 -G 256
20M -t ext4 -b 1024 -g 1024 -N 500 -G 16
1G -t ext4 -O bigalloc -C 65536
256M -t ext4 -b 1024 -O bigalloc -C 16384
64M -t ext4 -b 1024 -g 1024 -O meta_bg,^resize_inode -N 640
64M -t ext4 -O inline_data
64M -t ext4 -b 1024 -I 512 -O inline_data
64M -t ext4 -O ^64bit
64M -t ext4 -O ^64bit,^metadata_csum,uninit_bg -b 1024 -g 1024 -N 640
64M -t ext4 -O ^metadata_csum
64M -t ext4 -O sparse_super2,^resize_inode
64M -t ext4 -O ^dir_index
64M -t ext4 -O ^filetype
64M -t ext4 -O orphan_file
64M -t ext4 -O large_dir,ea_inode
64M -t ext2
64M -t ext2 -b 1024
64M -t ext2 -r 0 -O none
64M -t ext3
64M -t ext3 -b 1024 -I 128
1G -t ext4 -b 65536 -J size=64
END
