# SPDX-License-Identifier: GPL-2.0-or-later
# Stream goals of the round-robin case, from the maps that real kernels left:
# the n-th files of siblings, now and after a relayout.
. "$srcdir/tests/lib.sh"
need python3
tar -xSJf "$srcdir/tests/oracle/rr16/before.tar.xz"
"$E2SPREAD" report --json --cpus 6 before.img >report.json || fail report
python3 - <<'END' || fail "the goals differ from those of the maps"
import json
import lzma
import os

SLOTS = 6	# of 6 CPUs; a quarter of 32 groups would be 8


def load(name):
    path = os.path.join(os.environ["srcdir"], "tests/oracle/rr16", name)
    with lzma.open(path, "rt") as f:
        rows = (line.rstrip("\n").split("\t") for line in f)
        return {path: (int(ino), kind) for path, ino, kind in rows}


before, spread = load("before.map.xz"), load("spread.map.xz")
families = {}
for path, (ino, kind) in before.items():
    if kind == "f":
        families.setdefault(os.path.dirname(path), []).append((ino, path))
files = {d: [p for _, p in sorted(v)] for d, v in families.items()}
goals = json.load(open("report.json"))["stream_goals"]
worst = next(d for d in files if before[d][0] == goals["ino"])
assert goals["slots"] == SLOTS and goals["directories"] == len(files) == 16
assert goals["files"] == len(files[worst])


def expected(numbers):
    used = most = 0
    for n in range(len(files[worst])):
        hits = [0] * SLOTS
        for v in files.values():
            if n < len(v):
                hits[numbers[v[n]][0] % SLOTS] += 1
        used += sum(h > 0 for h in hits)
        most += max(hits)
    own = [0] * SLOTS
    for p in files[worst]:
        own[numbers[p][0] % SLOTS] += 1
    n = len(files[worst])
    return used / n, most / n, own


for when, numbers in ("now", before), ("after", spread):
    used, most, own = expected(numbers)
    got = goals[when]
    print(when, got["slots_used_mean"], got["largest_mean"])
    assert abs(got["slots_used_mean"] - used) < 0.006, (when, used)
    assert abs(got["largest_mean"] - most) < 0.006, (when, most)
    assert got["histogram"] == own, (when, own)
END
