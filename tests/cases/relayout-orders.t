# SPDX-License-Identifier: GPL-2.0-or-later
# --order dir: no itable block of two homes, where free inodes allow it.
# --order hash: besides, readdir goes through the blocks in order.  By report
# and by the reference, which must agree.
. "$srcdir/tests/lib.sh"

check() { # WHAT IMAGE: in report.json and reference.json, made by agrees
	python3 - "$1" "$2" <<'PY' || fail "$1"
import collections, json, os, sys
sys.path.insert(0, os.environ["srcdir"] + "/tests/reference")
from image import Image
image = Image(sys.argv[2])
used = {i.ino: i for i in image.used_inodes()}
names = {d: [n for n, _ in image.names(i)] for d, i in used.items()
         if i.is_dir()}
count = collections.Counter(n for of in names.values() for n in of)
report = json.load(open("report.json"))
# Free inodes allow it when each home can begin a block of its own even without
# the blocks in which something stays.
per_group, ipb = image.inodes_per_group, image.inodes_per_block
homes, stays = collections.defaultdict(collections.Counter), set()
owners = collections.defaultdict(set)
home_of = {}
for d in sorted(names):
    for n in names[d]:
        home_of.setdefault(n, d)
for n, inode in used.items():
    if inode.is_dir() or n not in home_of:
        stays.add((n - 1) // ipb)
    else:
        homes[(n - 1) // per_group][home_of[n]] += 1
        owners[(n - 1) // ipb].add(home_of[n])
roomy = 0
for group, files in homes.items():
    blocks = range(group * per_group // ipb, (group + 1) * per_group // ipb)
    need = sum(-(-n // ipb) for n in files.values())
    if need + len(stays.intersection(blocks)) > len(blocks):
        continue
    roomy += 1
    assert all(len(owners[b]) < 2 for b in blocks), f"group {group}"
assert roomy, "no group has room"
full = len(homes) - roomy
assert full or report["totals"]["shared_blocks"] == 0, report["totals"]
if sys.argv[1] == "hash":
    for file in ("report.json", "reference.json"):
        seen = 0
        for d in json.load(open(file))["directories"]:
            # A file with several names is met several times.
            if d["groups"] == 1 and all(count[n] == 1 for n in names[d["ino"]]):
                seen += 1
                assert d["readdir_switches"] == d["blocks"] - 1, (file, d)
        assert seen or full, "no directory lies in one group"
PY
}

while read -r size options; do
	make_image base.img $size $options
	fill_some base.img
	sound base.img
	e2fsck -fyD base.img >e2fsck.log 2>&1	# indexes what is large
	for order in dir hash; do
		cp base.img a.img
		"$E2SPREAD" relayout -y -q -f --order $order a.img ||
			fail "$options: --order $order"
		sound a.img
		agrees a.img
		check $order a.img
	done
done <<SHAPES
64M -t ext4
512M -t ext4
64M -t ext4 -b 1024 -O ^metadata_csum
64M -t ext4 -I 128 -O ^flex_bg
64M -t ext4 -O inline_data
SHAPES

# The layouts of real kernels, with thousands of files in each directory.
for case in rr16 lastflex tree; do
	oracle $case
	"$E2SPREAD" relayout -y -q -f --order hash before.img || fail "$case"
	sound before.img
	agrees before.img
	check hash before.img
done
