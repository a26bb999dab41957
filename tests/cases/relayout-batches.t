# SPDX-License-Identifier: GPL-2.0-or-later
# A plan of several batches is cut so that few blocks are in more than one.
. "$srcdir/tests/lib.sh"
need python3

mkdir source
python3 - <<'PY'
import os
for d in range(120):
    os.mkdir(f"source/d{d}")
    for f in range(160):
        name = f"source/d{d}/f{f}"
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        os.utime(name, (0, d * 1000 + f))
PY
# 32 groups of 64 itable blocks, 19 of them full; 1000 blocks fit into a batch.
make_image before.img 256M -t ext4 -b 4096 -g 2048 -G 1 -J size=4 -N 32768 \
	-O ^resize_inode -d source
rm -r source

for plan in shift mixed; do
	cp before.img $plan.img
	python3 "$srcdir/tests/relayout/plans.py" $plan 1 before.img >$plan ||
		fail "$plan: no plan"
	"$E2SPREAD" relayout -y -f --plan $plan $plan.img >out 2>&1 ||
		{ cat out; fail "$plan: status $?"; }
	sound $plan.img
	python3 - $plan <<'PY' || { cat out; fail "$plan"; }
import re
import subprocess
import sys

name, block = sys.argv[1], 4096
batches, written = map(int, re.search(
    r"moved in (\d+) batches, (\d+) blocks written", open("out").read()).groups())
journal = set(map(int, subprocess.run(
    ["debugfs", "-R", "blocks <8>", "before.img"], text=True, check=True,
    stdout=subprocess.PIPE).stdout.split()))
changed = 0
with open("before.img", "rb") as before, open(f"{name}.img", "rb") as after:
    for blk in range(256 << 20 >> 12):
        # Not the superblock's, which is no part of a batch.
        same = before.read(block) == after.read(block)
        changed += not same and blk > 0 and blk not in journal
print(f"{name}: {batches} batches, {changed} blocks changed, {written} written")
sys.exit(batches < 2 or changed < 1200 or
         not changed <= written <= 1.15 * changed)
PY
done
