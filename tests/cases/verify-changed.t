# SPDX-License-Identifier: GPL-2.0-or-later
# What a mover must not change is noticed, whether or not e2fsck minds.
. "$srcdir/tests/cases/verify-forgotten.sh"

make base.img -t ext4
debugfs -w -R "rm /b/f9" base.img >debugfs.log 2>&1
"$verify" read base.img || fail "base.img"
changes differs time /a/f3
changes differs generation /a/tree
changes differs name /a/f3
changes differs swap-names /a/f3 /b/f3
changes differs swap-names /a/f3 /a/f4
changes differs extent /a/tree
changes fault type /a/f3
changes fault links /a/f3
changes fault links /a
changes fault padding
changes fault slot
changes fault slot-csum
changes fault super-free
changes "has a damaged superblock" super-csum

exit $status
