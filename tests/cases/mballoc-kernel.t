# SPDX-License-Identifier: GPL-2.0-or-later
# The running kernel's mb_groups and mb_structs_summary, where images can be
# mounted; damaged bitmaps too.
. "$srcdir/tests/lib.sh"
need_mount
mkdir mnt

# same WORDS: the kernel says of i.img what e2spread says.
same() {
	for file in mb_groups mb_structs_summary; do
		"$E2SPREAD" mballoc --proc $file i.img >mine.$file ||
			fail "$*: exit status $?"
	done
	# The kernel looks at a damaged bitmap once only: let it be now.
	mount -o loop,ro,noload,errors=continue,no_prefetch_block_bitmaps \
		i.img mnt || fail "mount: $*"
	proc=/proc/fs/ext4/$(basename "$(findmnt -no SOURCE mnt)")
	cat "$proc/mb_groups" >mb_groups
	cat "$proc/mb_structs_summary" >mb_structs_summary
	umount mnt
	for file in mb_groups mb_structs_summary; do
		diff mine.$file $file >diff || { cat diff; fail "$* $file"; }
	done
}

# fill: extents of many lengths, every third of them free again.
fill() {
	mount -o loop i.img mnt || fail "mount"
	i=0
	while [ $i -lt 150 ]; do
		fallocate -l $((i * i % 97 * 65536 + 4096)) mnt/f$i || break
		i=$((i + 1))
	done
	rm mnt/f*[147]
	umount mnt
}

while read -r size options; do
	# shellcheck disable=SC2086
	make_image i.img "$size" -t ext4 $options
	same "$size $options, empty"
	fill
	same "$size $options"
done <<END
3G
1000M
3G -O ^flex_bg
500M -b 1024
1999999K -G 4
8G -O bigalloc -C 65536
1G -g 8192
2G -O ^metadata_csum,uninit_bg
2G -O meta_bg,^resize_inode
END

make_image i.img 3G -t ext4
mount -o loop i.img mnt || fail "mount"
fallocate -l 2G mnt/a && fallocate -l 100M mnt/b && rm mnt/a
umount mnt
debug i.img <<END | grep -v '^Checksum set'
set_bg 5 free_blocks_count 77
set_bg 5 checksum calc
END
bitmap=$(dumpe2fs i.img 2>/dev/null |
	sed -n '/^Group 3:/,/^Group 4/s/.*Block bitmap at \([0-9]*\).*/\1/p')
printf '\377' | dd of=i.img bs=1 seek=$((bitmap * 4096 + 300)) conv=notrunc \
	2>/dev/null
same "damaged"
grep -q '^#3    : Filesystem failed CRC$' mine.mb_groups || fail "group 3"
grep -q '^#5 .* Block bitmap corrupted!$' mine.mb_groups || fail "group 5"
