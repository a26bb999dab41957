# SPDX-License-Identifier: GPL-2.0-or-later
# The patch's own measurements: 64 GiB, mke2fs defaults, 60000 files a task.
# Held in each row: not further from them than the lock-step model of
# doc/simulate.md is, and within what its table says.
. "$srcdir/tests/lib.sh"
for g in 4 16 64 256; do
	make_image g$g.img 64G -t ext4 -G $g \
		-E lazy_itable_init=1,lazy_journal_init=1
	[ "$(du -m g$g.img | cut -f 1)" -lt 40 ] || fail "g$g.img is not sparse"
done
simulate() { # IMAGE TASKS POLICIES [OPTION...]
	_image=$1 _tasks=$2 _policies=$3
	shift 3
	"$E2SPREAD" simulate --json --tasks $_tasks --files 60000 \
		--policy $_policies "$@" $_image.img || fail "simulate $*"
}
for row in "g16 8" "g16 16" "g16 32" "g4 16" "g64 16" "g256 16"; do
	set -- $row
	simulate $1 $2 packed,spread >$1-$2.json
	simulate $1 $2 packed,spread --pattern round-robin >$1-$2-turns.json
done
simulate g16 16 packed,spread --order-seed 1 >g16-16-seed.json
python3 - <<'END' || fail "not as measured"
import json
truth = {	# measured, from and to; and the lock-step model
    ("g16-8", "packed"): (17500, 18300, 18700),
    ("g16-16", "packed"): (49600, 50600, 52500),
    ("g16-32", "packed"): (102000, 102000, 105000),
    ("g16-8", "spread"): (1200, 1800, 631),
    ("g16-16", "spread"): (300, 500, 4),
    ("g16-32", "spread"): (15500, 16300, 15600),
    ("g4-16", "packed"): (49840, 49840, 52500),
    ("g4-16", "spread"): (23506, 23506, 20500),
    ("g64-16", "packed"): (49926, 49926, 52500),
    ("g64-16", "spread"): (1164, 1164, 1084),
    ("g256-16", "packed"): (49300, 49900, 52500),
    ("g256-16", "spread"): (0, 101, 0),
}
def read(name):
    rows = json.load(open(name + ".json"))["simulation"]["policies"]
    return {row["policy"]: row for row in rows}
def off(value, low, high):
    return max(low - value, value - high, 0) / max(low, 1)
bad = False
for (name, policy), (low, high, model) in truth.items():
    row = read(name)[policy]
    ours = row["creation_reads"]
    turns = read(name + "-turns")[policy]["creation_reads"]
    print(f"{name} {policy}: {low}-{high}, ours {ours}, turns {turns}")
    assert row["files"] == 60000 * int(name.split("-")[1])
    assert sum(row["chosen"].values()) == row["files"]
    bad |= off(ours, low, high) > off(model, low, high)
    # In turns it is the lock-step model, whose figures are rounded here.
    bad |= abs(turns - model) > max(.003 * model, 8)
assert not bad
# Another order of the tasks: the same but for what chance can do.
a, b = read("g16-16"), read("g16-16-seed")
assert 0 < abs(a["packed"]["creation_reads"] -
               b["packed"]["creation_reads"]) < 1500
# The kernel's own cold read: 1937 loads packed, 132 spread, a few of which are
# blocks of directories.
turns = read("g16-16-turns")
assert 0.95 < turns["packed"]["cold_windows"] / 1937 < 1
assert 0.9 < turns["spread"]["cold_windows"] / 132 < 1
END
