# SPDX-License-Identifier: GPL-2.0-or-later
# Where nothing is gained nothing is written, not even a time.
. "$srcdir/tests/lib.sh"

# untouched ARGUMENT...: status 0, a.img as it was; what was said is in out.
untouched() {
	sum_and_time a.img >before
	"$E2SPREAD" relayout -y "$@" a.img >out 2>err || fail "$*: status $?"
	[ ! -s err ] || { cat err; fail "$*"; }
	sum_and_time a.img | cmp - before || fail "$* has written to a.img"
	[ -e undo ] && fail "$* has left an undo file"
	grep -q '^Nothing' out || { cat out; fail "$* says something else"; }
}

# Directories whose numbers are all the same modulo the flex size.
oracle stride
mv before.img a.img
untouched -z undo
grep -q -e '--policy balanced' out || { cat out; fail "names no help"; }
untouched --map map --save-plan plan
# It gains nothing, but whoever asks for it gets it.
"$E2SPREAD" relayout -y -q --policy balanced a.img || fail "balanced"
sound a.img
python3 - a.img <<'PY' || fail "not all groups are used"
import os, sys
sys.path.insert(0, os.environ["srcdir"] + "/tests/reference")
from image import Image
image = Image(sys.argv[1])
groups = {(i.ino - 1) // image.inodes_per_group for i in image.used_inodes()
          if not i.is_dir() and i.ino >= image.first_ino}
sys.exit(groups != set(range(16)))
PY

# One file in each of 1000 directories.
make_image a.img 256M -t ext4
round_robin "" 1000 1 | debug a.img || fail "debugfs"
sound a.img
untouched
cp a.img b.img
"$E2SPREAD" relayout -y -q -f b.img || fail "-f"
sound b.img
cmp -s a.img b.img && fail "-f has done nothing"

# No files at all; no flex groups.
make_image a.img 64M -t ext4
untouched
make_image a.img 64M -t ext4 -O ^flex_bg
round_robin "" 4 100 | debug a.img || fail "debugfs"
sound a.img
untouched

# The second time.
make_image a.img 512M -t ext4
round_robin "" 8 100 | debug a.img || fail "debugfs"
sound a.img
for order in creation dir hash; do
	cp a.img b.img
	"$E2SPREAD" relayout -y -q --policy spread --order $order b.img ||
		fail "--order $order"
	sound b.img
	cp b.img a2.img
	sum_and_time b.img >before
	"$E2SPREAD" relayout -y --policy spread --order $order b.img >out ||
		fail "--order $order again"
	grep -q '^Nothing to do' out || { cat out; fail "$order again"; }
	sum_and_time b.img | cmp - before || fail "$order again"
done

# -q says nothing.
[ -z "$("$E2SPREAD" relayout -y -q b.img 2>&1)" ] || fail "-q is not quiet"
