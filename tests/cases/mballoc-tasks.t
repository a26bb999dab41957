# SPDX-License-Identifier: GPL-2.0-or-later
# Tasks that meet, and the goals of streams: the same answer each time, nothing
# lost between tasks, and what the image and the numbers themselves say.
. "$srcdir/tests/lib.sh"
oracle frag1
sum_and_time before.img >before
run() { "$E2SPREAD" mballoc --json "$@" before.img || fail "$*: status $?"; }
run --request 64 --tasks 12 --count 20 --cpus 1 >one
run --request 64 --tasks 12 --count 20 --cpus 1 --threads 1 | cmp - one
run --request 64 --tasks 12 --count 20 --cpus 12 >twelve
run --request 32767 --tasks 40 --count 1 >full
run --cpus 64 --inodes 12,13,17,18,4294967295 >slots
sum_and_time before.img | cmp - before || fail "the image has changed"
python3 - <<'END'
import json

def load(name):
    with open(name) as f:
        return json.load(f)

one, twelve, full, slots = map(load, ("one", "twelve", "full", "slots"))
free = sum(g["free"] for g in one["groups"])
groups = one["filesystem"]["groups"]

def expect(holds, *words):
    if not holds:
        print("FAILED:", *words)

for name, answer, slots_n in (("one", one, 1), ("twelve", twelve, 4)):
    tasks = answer["tasks"]
    expect(tasks["stream_goals"] == slots_n, name, tasks["stream_goals"])
    for s in tasks["searches"]:
        # There is room for all, in pieces of that size.
        expect(s["requests"] == 240 and s["failed"] == 0, name, s)
        expect(s["clusters"] == 240 * 64, name, s)
        expect(bool(s["skips"]) == bool(s["skip_busy"]), name, s)
        # A lock for each search that ends a request, one to mark the blocks.
        expect(s["tries"] >= 480 + s["skips"], name, s)
    linear, lists, skipping = tasks["searches"]
    expect(skipping["wait_steps"] < lists["wait_steps"], name)
# More than there is: whoever comes late gets less, or nothing; no block twice.
for s in full["tasks"]["searches"]:
    expect(s["requests"] + s["failed"] == 40, s)
    expect(s["clusters"] <= free, s, free)
goals = min(64, -(-groups // 4))
want = [0] * goals
for ino in 12, 13, 17, 18, 4294967295:
    want[ino % goals] += 1
got = [(r["slot"], r["inodes"]) for r in slots["stream_goals"]]
expect(got == list(enumerate(want)), got, want)
END
