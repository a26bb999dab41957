# SPDX-License-Identifier: GPL-2.0-or-later
# The options of simulate, and what is no option; what it prints; that it
# writes nothing.
. "$srcdir/tests/lib.sh"
make_image a.img 1G -t ext4 -b 1024 -G 4 -N 8192
fill_some a.img
sum_and_time a.img >before
simulate() {
	"$E2SPREAD" simulate "$@" a.img || fail "simulate $*: exit status $?"
}

# The keys, and what of the options shows in them.
simulate --json --tasks 3 --files 50 --order-seed 7 --readahead-blks 16 \
	--policy spread,noflex --pattern mixed --rho 0.25 \
	--no-read-avoidance >named.json
simulate --json >default.json
python3 - <<'END' || fail "JSON"
import json
named, default = (json.load(open(f)) for f in ("named.json", "default.json"))
assert named["e2spread"]["schema"] == 1
assert named["e2spread"]["command"] == "simulate"
assert named["filesystem"]["inodes"] == 8192
s = named["simulation"]
assert (s["tasks"], s["files"], s["pattern"]) == (3, 50, "mixed")
assert (s["order_seed"], s["readahead_blks"], s["rho"]) == (7, 16, .25)
assert s["read_avoidance"] is False
assert [p["policy"] for p in s["policies"]] == ["spread", "noflex"]
d = default["simulation"]
assert (d["tasks"], d["files"], d["pattern"]) == (16, 1000, "create")
assert (d["order_seed"], d["readahead_blks"], d["rho"]) == (0, 32, .131)
assert d["read_avoidance"] is True
assert [p["policy"] for p in d["policies"]] == [
    "packed", "spread", "balanced", "oldalloc"]
for p in s["policies"] + d["policies"]:
    assert set(p["chosen"]) == {"home", "last", "empty", "any", "retry",
                                "orlov"}
    assert sum(p["chosen"].values()) == p["files"]
    for key, value in p.items():
        kind = {"policy": str, "chosen": dict}.get(key, int)
        if key.endswith(("_pct", "_mean")):
            kind = float
        assert type(value) is kind, (key, value)
END

# Text and JSON agree; the same bytes again, and with other threads.
simulate --tasks 3 --files 50 >text
python3 - <<'END' || fail "text"
import json, subprocess, os
run = [os.environ["E2SPREAD"], "simulate", "--tasks", "3", "--files", "50"]
rows = json.loads(subprocess.check_output(run + ["--json", "a.img"]))[
    "simulation"]["policies"]
text = [line.split() for line in open("text")]
for p in rows:
    places, costs, whys = [l for l in text if l and l[-1] == p["policy"]]
    assert int(places[0]) == p["files"] and int(places[4]) == p["shared_blocks"]
    assert [int(n) for n in costs[:-1]] == [p[k] for k in (
        "creation_reads", "cold_blocks", "cold_windows", "walk_windows",
        "groups_lose_uninit", "itable_blocks_fsck")]
    assert [int(n) for n in whys[:-2]] == list(p["chosen"].values())
    assert int(whys[-2]) == p["out_of_inodes"]
END
for pattern in create round-robin refill tree mixed; do
	simulate --json --pattern $pattern >one
	simulate --json --pattern $pattern --threads 7 >two
	cmp -s one two || fail "$pattern: threads"
	simulate --json --pattern $pattern --order-seed 1 >two
	[ $pattern = round-robin ] || ! cmp -s one two || fail "$pattern: seed"
done

# Usage: exit 16, words on stderr, nothing on stdout.
while read -r arguments; do
	"$E2SPREAD" simulate $arguments >out 2>err
	status=$?
	[ $status = 16 ] || fail "'$arguments': exit status $status"
	[ ! -s out ] && [ -s err ] || fail "'$arguments': wrong stream"
done <<END

--frobnicate a.img
a.img a.img
--tasks 0 a.img
--tasks -1 a.img
--tasks x a.img
--tasks 65537 a.img
--files 0 a.img
--files 5000000000 a.img
--tasks 65536 --files 65536 a.img
--policy none a.img
--policy spread, a.img
--policy spread,spread a.img
--policy
--pattern none a.img
--order-seed x a.img
--order-seed 99999999999999999999 a.img
--readahead-blks 3 a.img
--readahead-blks x a.img
--rho 1 a.img
--rho -0.1 a.img
--rho nan a.img
--rho 0.1x a.img
--threads 0 a.img
--trace x --tasks 3 a.img
--trace x --files 3 a.img
--trace x --parent / a.img
--trace x --pattern create a.img
END
"$E2SPREAD" simulate --help >out 2>err || fail "--help"
[ -s out ] && [ ! -s err ] || fail "--help: wrong stream"

# What is no directory; what is no file system; a full disk.
refused 8 simulate --parent /none a.img
refused 8 simulate --parent /d0/file1 a.img
refused 8 simulate --trace none a.img
refused 8 simulate none.img
"$E2SPREAD" simulate a.img >/dev/full 2>err
[ $? = 8 ] && [ -s err ] || fail "/dev/full"
sum_and_time a.img | cmp -s - before || fail "the image has changed"
