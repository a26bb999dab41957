# SPDX-License-Identifier: GPL-2.0-or-later
# Inodes that are no files of anybody (quota, orphan file, EA inodes), and
# directories whose names hash otherwise.
. "$srcdir/tests/lib.sh"

# Project quota has an inode behind the reserved ones, 12.
make_image a.img 64M -t ext4 -O quota,project,orphan_file \
	-E quotatype=usrquota:grpquota:prjquota
fill_some a.img
e2fsck -fy a.img >e2fsck.log 2>&1
sound a.img
agrees a.img

# An extended attribute so long that it lies in an inode of its own.
make_image a.img 64M -t ext4 -O ea_inode
fill_some a.img
head -c 40000 /dev/zero | tr '\0' x >value
debug a.img <<END || fail "debugfs"
ea_set -f value /d0/file7 user.long
ea_set -f value /d1 user.long
END
e2fsck -fy a.img >e2fsck.log 2>&1	# debugfs leaves i_blocks behind
sound a.img
agrees a.img
with=$(figure report.json files)
make_image a.img 64M -t ext4
fill_some a.img
agrees a.img
[ "$(figure report.json files)" = "$with" ] || fail "EA inodes were counted"

# A directory with +F hashes what its names fold to.
make_image a.img 64M -t ext4 -O casefold -E encoding=utf8
{
	echo "mkdir folded"
	# EXT4_CASEFOLD_FL and EXT4_EXTENTS_FL
	echo "sif folded flags 0x40080000"
	echo "mkdir plain"
	for i in 0 1 2 3 4 5 6 7 8 9; do
		for name in File ANOTHER Zz "ÄÖ" "ß"; do
			echo "cd /folded"
			echo "write empty $name$i"
			echo "cd /plain"
			echo "write empty $name$i"
		done
	done
} >commands
: >empty
debug a.img <commands || fail "debugfs"
sound a.img
agrees a.img
e2fsck -fyD a.img >e2fsck.log 2>&1
agrees a.img
