# SPDX-License-Identifier: GPL-2.0-or-later
# The figures of rr16 and stride, worked out from the list of their names and
# inode numbers alone.
. "$srcdir/tests/lib.sh"
for case in rr16 stride; do
	oracle $case
	"$E2SPREAD" report --json before.img >report.json || fail "report"
	python3 - "$srcdir/tests/oracle/$case/before.map.xz" <<'END' || fail "$case"
import collections, json, lzma, sys
PER_BLOCK, PER_GROUP, PER_FLEX = 16, 8192, 16 * 8192
dirs, files = {"": 2}, {}
with lzma.open(sys.argv[1], "rt") as f:
    for line in f:
        path, ino, kind = line.rstrip("\n").split("\t")
        (dirs if kind == "d" else files)[path] = int(ino)
blocks = collections.defaultdict(set)
count = collections.Counter()
for path, ino in files.items():
    home = path.rpartition("/")[0]
    # Groups are whole numbers of blocks, so that this numbers the blocks.
    blocks[(ino - 1) // PER_BLOCK].add(home)
    count[home] += 1
shared = [b for b in blocks.values() if len(b) > 1]
sibling = [b for b in shared if len({h.rpartition("/")[0] for h in b if h})
           < len([h for h in b if h])]
least = sum(-(-n // PER_BLOCK) for n in count.values())
pairs = sum(len(b) for b in blocks.values())
want = {
    "directories": len(dirs), "homes": len(count), "files": len(files),
    "itable_blocks": len(blocks), "directory_blocks": pairs,
    "least_blocks": least, "excess": round(pairs / least, 2),
    "shared_blocks": len(shared),
    "shared_pct": round(100 * len(shared) / len(blocks), 2),
    "sibling_shared_blocks": len(sibling),
    "sibling_shared_pct": round(100 * len(sibling) / len(blocks), 2),
    "homes_per_block_mean": round(pairs / len(blocks), 2),
    "homes_per_block_max": max(len(b) for b in blocks.values()),
}
got = json.load(open("report.json"))["totals"]
bad = {k: (got.get(k), v) for k, v in want.items() if got.get(k) != v}
print(bad or "", end="")
sys.exit(bool(bad))
END
done
