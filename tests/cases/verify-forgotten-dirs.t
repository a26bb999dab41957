# SPDX-License-Identifier: GPL-2.0-or-later
# The same with directories that move, and with values in inodes of their own.
. "$srcdir/tests/cases/verify-forgotten.sh"

make base.img -t ext4
# Directories that move, one of them with a child that stays.
echo "$($mover find base.img /a) 500
$($mover find base.img /c) 498" >map
cp base.img now.img
$mover move now.img map
judged equal "moved directories" map
for step in inode-csum dirs-count dotdot dir-csum dirent bit-set bit-clear \
	zero-vacated; do
	forgets fault $step
done

# Values in inodes of their own.
echo "== ea_inode"
make base.img -t ext4 -O ea_inode
python3 -c 'print("v" * 5000)' >v
python3 -c 'print("w" * 5000)' >w
debugfs -w -f - base.img >debugfs.log 2>&1 <<'END'
ea_set -f v /a/f3 user.v
ea_set -f w /b/f3 user.v
ea_set -f w /b/f4 user.v
END
e2fsck -fy base.img >fsck.log 2>&1
e2fsck -fn base.img >fsck.log 2>&1 || { cat fsck.log; fail "e2fsck"; }
"$verify" read base.img || fail "base.img"
changes differs ea-ref /a/f3 /b/f3
$mover plan base.img >map || fail plan
echo "$($mover find base.img /a/f3) 450" >>map
cp base.img now.img
$mover move now.img map
judged equal "moved" map
$mover change base.img lustre /a/f3
"$verify" read base.img || fail "base.img"
cp base.img now.img
$mover move now.img map
judged equal "moved, Lustre's way" map
forgets differs lustre-mtime

exit $status
