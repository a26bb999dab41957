# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel afterwards: it creates and deletes 10000 files, and nothing is
# wrong then.
. "$srcdir/tests/lib.sh"
need_mount
unset E2FSPROGS_FAKE_TIME
mkdir mnt
while read -r kind options; do
	make_image a.img 256M -t ext4 $options
	mount -o loop a.img mnt || fail "mount"
	python3 "$srcdir/tests/relayout/populate.py" mnt || fail "populate"
	umount mnt
	sound a.img
	python3 "$srcdir/tests/relayout/plans.py" $kind 3 a.img >plan
	"$E2SPREAD" relayout -y -q --move-dirs --plan plan a.img ||
		fail "$kind $options"
	mount -o loop a.img mnt || fail "mount"
	python3 - mnt <<'PY' || fail "the kernel: $kind $options"
import os, sys
top = sys.argv[1]
for i in range(10000):
    with open(f"{top}/d{i % 10}/k{i}", "w") as f:
        f.write("x" * (i % 7))
for i in range(10000):
    os.unlink(f"{top}/d{i % 10}/k{i}")
for i in range(300):
    os.mkdir(f"{top}/kinds/new{i}")
PY
	umount mnt
	sound a.img
done <<SHAPES
permute -g 4096 -N 65536
dirs -N 32768 -O inline_data
high -b 1024 -N 32768 -E lazy_itable_init=1
SHAPES
