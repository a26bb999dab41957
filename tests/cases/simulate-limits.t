# SPDX-License-Identifier: GPL-2.0-or-later
# The supply of inodes: under every policy exactly as many are made as are free.
. "$srcdir/tests/lib.sh"
while read -r size options; do
	make_image a.img $size $options
	fill_some a.img
	free=$(dumpe2fs -h a.img 2>/dev/null | sed -n 's/^Free inodes: *//p')
	for pattern in create round-robin; do
		"$E2SPREAD" simulate --json --tasks 10 --files 1000 --policy \
			packed,spread,balanced,noflex,oldalloc \
			--pattern $pattern a.img >$pattern.json ||
			fail "simulate"
	done
	# A tree has more directories than one a task; a hundred is plenty.
	"$E2SPREAD" simulate --json --tasks 3 --files 100000 --pattern tree \
		a.img >tree.json || fail "simulate tree"
	# More directories than inodes.
	"$E2SPREAD" simulate --json --tasks 9000 --files 2 a.img >dirs.json ||
		fail "simulate directories"
	python3 - "$free" <<'END' || fail "supply: $size $options"
import json, sys
free = int(sys.argv[1])
def rows(name):
    return json.load(open(name + ".json"))["simulation"]["policies"]
for p in rows("create") + rows("round-robin"):
    assert p["directories"] == 11 and p["files"] == free - 11, p
    assert p["out_of_inodes"] == 10000 - p["files"], p
for p in rows("tree"):
    assert p["directories"] + p["files"] == free
for p in rows("dirs"):
    assert p["directories"] == free and p["files"] == 0
    assert p["out_of_inodes"] == 9000 * 3 + 1 - free, p
END
done <<END
256M -t ext4 -N 4096 -b 1024 -G 4
256M -t ext4 -N 3000 -O ^flex_bg
END

# Half is deleted, half made anew: as many as before; nothing is refused.
make_image a.img 1G -t ext4
"$E2SPREAD" simulate --json --pattern refill --tasks 8 --files 500 a.img \
	>refill.json || fail "refill"
"$E2SPREAD" simulate --json --pattern mixed --tasks 8 --files 500 a.img \
	>mixed.json || fail "mixed"
python3 - <<'END' || fail "refill or mixed"
import json
rows = json.load(open("refill.json"))["simulation"]["policies"]
for p in rows:
    assert p["files"] == 8 * 250 and p["out_of_inodes"] == 0
    # As many inodes as 8 x 500 files have, in at least so many blocks.
    assert 250 <= p["itable_blocks"] <= 263, p
    # Every block had files left in it: a window is one read.
    assert p["creation_reads"] <= p["walk_windows"]
packed, spread = json.load(open("mixed.json"))["simulation"]["policies"][:2]
for p in packed, spread:
    assert p["files"] == 8 * 500
    # A third of the files is deleted again, and its inodes are used again.
    assert 160 < p["itable_blocks"] < 230, p
assert packed["shared_blocks"] > 150 and spread["shared_blocks"] == 0
END

# A huge and empty file system: what is not touched costs nothing.
make_image a.img 2T -t ext4 -O ^has_journal -N 536870912 \
	-E lazy_itable_init=1
(ulimit -v 200000 && "$E2SPREAD" simulate --tasks 4 --files 10 \
	--policy spread a.img >out) || fail "a huge file system"
