# SPDX-License-Identifier: GPL-2.0-or-later
# Every step again, with checksums for groups only.
. "$srcdir/tests/cases/verify-forgotten.sh"

make base.img -t ext4 -O ^metadata_csum,uninit_bg
"$verify" read base.img || fail "base.img"
$mover plan base.img >map || fail plan
cp base.img now.img
$mover move now.img map
judged equal "moved" map
for step in dirent hard-link bit-set bit-clear free-count itable-unused \
	inode-uninit zero-vacated zero-gap desc-csum; do
	forgets fault $step
done
changes differs time /a/f3
changes differs swap-names /a/f3 /b/f3
echo "$($mover find base.img /c) 500
$($mover find base.img /c/d) 498" >map
cp base.img now.img
$mover move now.img map
judged equal "moved directories" map
forgets fault dotdot
forgets fault dirs-count

exit $status
