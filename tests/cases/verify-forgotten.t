# SPDX-License-Identifier: GPL-2.0-or-later
# Every step that a mover can forget is noticed, and so is a number not planned.
. "$srcdir/tests/cases/verify-forgotten.sh"

make base.img -t ext4
$mover plan base.img >map || fail plan
"$verify" read base.img || fail "base.img"
cp base.img now.img
judged places "moved nothing" map
cp base.img now.img
$mover move now.img map || fail mover
judged equal "moved" map
judged places "moved, no plan"

forgets fault inode-csum
forgets fault extent-csum
forgets fault dir-csum
forgets fault dirent
forgets fault hard-link
forgets fault bit-set
forgets fault bit-clear
forgets fault free-count
forgets fault itable-unused
forgets fault inode-uninit
forgets fault zero-vacated
forgets fault zero-gap
forgets fault bitmap-csum
forgets fault desc-csum

# The wrong number and all else right: two files exchanged beyond the plan.
cp base.img now.img
{ cat map; echo "$($mover find base.img /a/f5) $($mover find base.img /b/f5)"
echo "$($mover find base.img /b/f5) $($mover find base.img /a/f5)"; } >more
$mover move now.img more
judged places "moved two too many" map
judged equal "moved two more" more

exit $status
