# SPDX-License-Identifier: GPL-2.0-or-later
# Every shape of a group, against the free blocks that dumpe2fs lists: groups
# without a bitmap yet, clusters, a short last group, 1 KiB blocks, bitmaps in
# the group itself, metadata of other features.
. "$srcdir/tests/lib.sh"
head -c 300000 /dev/urandom >long
head -c 5000 long >short
for i in 0 1 2 3 4 5 6 7 8 9; do
	echo "write long long$i"
	echo "write short short$i"
done >pieces
printf 'rm %s\n' long2 long3 short3 short7 long9 >>pieces
try() { # SIZE OPTION...
	make_image i.img "$@"
	# Some blocks here and there, so that not all is in one piece.
	debug i.img <pieces
	"$E2SPREAD" mballoc --json i.img >json || fail "$*: exit status $?"
	python3 "$reference/mballoc.py" groups i.img json >diff ||
		fail "the witness"
	[ ! -s diff ] || { cat diff; fail "$*"; }
}
try 4G -t ext4
try 3000M -t ext4 -G 4
try 2000001K -t ext4
try 500M -t ext4 -b 1024
try 500M -t ext4 -b 1024 -O ^metadata_csum,uninit_bg
try 200M -t ext3 -b 1024
try 1G -t ext2 -b 2048
try 1G -t ext4 -O ^flex_bg
try 1G -t ext4 -O ^flex_bg,^metadata_csum
try 4G -t ext4 -O ^metadata_csum,uninit_bg
try 4G -t ext4 -O meta_bg,^resize_inode
try 700M -t ext4 -b 1024 -O meta_bg,^resize_inode
try 4G -t ext4 -O sparse_super2
try 1G -t ext4 -g 8192
try 16G -t ext4 -O bigalloc -C 65536
try 1G -t ext4 -b 1024 -O bigalloc -C 8192
try 3G -t ext4 -O bigalloc -C 16384 -g 16384
try 8G -t ext4 -b 65536
