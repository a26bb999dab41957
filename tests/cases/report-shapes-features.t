# SPDX-License-Identifier: GPL-2.0-or-later
# Every figure on file systems of many shapes: features.
. "$srcdir/tests/lib.sh"
shapes_agree <<END
64M -t ext4 -O inline_data
64M -t ext4 -b 1024 -I 512 -O inline_data
64M -t ext4 -O ^64bit
64M -t ext4 -O ^metadata_csum
64M -t ext4 -O sparse_super2,^resize_inode
64M -t ext4 -O ^dir_index
64M -t ext4 -O ^filetype
64M -t ext4 -O orphan_file
64M -t ext4 -O large_dir,ea_inode
END
