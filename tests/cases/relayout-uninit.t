# SPDX-License-Identifier: GPL-2.0-or-later
# Inode tables that were never written, moved into: what lies there is garbage.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/relayout/lib.sh"
round_robin "" 4 60 >files

for features in metadata_csum ^metadata_csum,uninit_bg; do
	python3 -c 'import random, sys
sys.stdout.buffer.write(random.Random(1).randbytes(32 << 20))' >a.img
	mke2fs -q -F -t ext4 -g 2048 -N 8192 -U $UUID -O $features,^resize_inode \
		-E lazy_itable_init=1,lazy_journal_init=1,nodiscard a.img 16M \
		>mke2fs.log 2>&1 || { cat mke2fs.log; fail "mke2fs"; }
	truncate -s 16M a.img
	debug a.img <files || fail "debugfs"
	a=$(number a.img /d0/file0)
	b=$(number a.img /d1/file1)
	c=$(number a.img /d2/file2)
	d=$(number a.img /d3/file3)
	inodes=$(dumpe2fs -h a.img 2>/dev/null |
		sed -n 's/^Inode count: *//p')
	# The middle of a block, the last one, the first of a group.
	printf '%s %s\n' $a $((inodes - 7)) $b $inodes $c $((inodes - 900)) \
		$d $((inodes / 4 * 2 + 1)) >moves
	moved "garbage, $features"
	# A second time, into what the first has made visible.
	printf '%s %s\n' $((inodes - 7)) $((inodes - 8)) $inodes $a \
		$((inodes - 900)) $inodes >moves
	moved "garbage again, $features"
done

# 0xFF in the tables of uninitialised groups that have no block bitmap either.
make_image a.img 128M -t ext4 -O ^flex_bg,^resize_inode -g 8192 -N 4096 \
	-E lazy_itable_init=1
debug a.img <files || fail "debugfs"
dumpe2fs a.img 2>/dev/null >dump
grep -q '^Group 1:.*INODE_UNINIT, BLOCK_UNINIT' dump || fail "group 1 is in use"
for at in $(sed -n 's/.*Inode table at \([0-9]*\)-\([0-9]*\).*/\1-\2/p' dump |
	sed 1d); do
	from=${at%-*}
	head -c $(((${at#*-} - from + 1) * 4096)) /dev/zero | tr '\0' '\377' |
		dd of=a.img bs=4096 seek=$from conv=notrunc status=none
done
printf '%s %s\n' "$(number a.img /d0/file0)" 1100 \
	"$(number a.img /d0/file1)" 3333 "$(number a.img /d0/file2)" 4096 >moves
moved "0xFF in uninitialised groups"
for group in 1 3; do
	if dumpe2fs a.img 2>/dev/null | grep "^Group $group:" |
		grep -q INODE_UNINIT; then
		fail "group $group still INODE_UNINIT"
	fi
done
