# SPDX-License-Identifier: GPL-2.0-or-later
# A file whose names are in more blocks than the journal holds: found out before
# anything is written, though other inodes could be moved; a redo file has room.
. "$srcdir/tests/lib.sh"
need python3

mkdir source source/a
python3 - <<'PY'
import os
open("source/a/f", "w").close()
for d in range(1500):
    os.mkdir(f"source/d{d}")
    os.link("source/a/f", f"source/d{d}/l")
for f in range(40):
    open(f"source/a/g{f}", "w").close()
PY
make_image before.img 24M -t ext4 -b 1024 -J size=1 -N 3000 -d source
rm -r source
python3 "$srcdir/tests/relayout/plans.py" permute 1 before.img >plan ||
	fail "no plan"

cp before.img a.img
"$E2SPREAD" relayout -y -q -f --plan plan a.img >out 2>&1
status=$?
[ $status = 8 ] && grep -q "needs more blocks than the journal" out ||
	{ cat out; fail "status $status"; }
cmp before.img a.img || fail "something has been written"

"$E2SPREAD" relayout -y -q -f --plan plan --redo redo a.img >out 2>&1 ||
	{ cat out; fail "with a redo file: status $?"; }
sound a.img
cmp -s before.img a.img && fail "nothing has been moved"
exit 0
