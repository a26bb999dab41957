# SPDX-License-Identifier: GPL-2.0-or-later
# bench/run measures every part on every image, or says why not; notices a
# program that fails; makes an image anew when its recipe has changed, and only
# then.  How long anything takes is not looked at.
. "$srcdir/tests/lib.sh"
need python3 mke2fs dumpe2fs e2fsck tune2fs
mounts=no
if (need_mount) >/dev/null; then mounts=yes; fi
bench() { "$srcdir/bench/run" --size smoke --dir images --json "$@"; }

bench all.json >all.md 2>log || { cat log; fail "bench/run: status $?"; }

# The program fails in one of its commands: that alone is missing.
cat >failing <<'END'
#!/bin/sh
[ "$1" != simulate ] || { echo "out of luck" >&2; exit 8; }
exec "$E2SPREAD" "$@"
END
chmod +x failing
bench failed.json --e2spread "$PWD/failing" model empty16m rr1m >failed.md \
	2>log
[ $? = 1 ] || { cat log; fail "a program that failed went unnoticed"; }
! grep -q '^making' log || fail "made again what was there"

# Another version of the recipe.
sed 's/"version": [0-9]*/"version": 0/' images/rr1m-smoke.img.json >edited
mv edited images/rr1m-smoke.img.json
bench again.json --runs 1 model rr1m rr4m >again.md 2>log ||
	{ cat log; fail "bench/run model: status $?"; }
[ "$(grep '^making' log | cut -d: -f1)" = "making rr1m" ] ||
	{ cat log; fail "the recipe of rr1m has changed, and no other"; }
ls images | grep -v -- '-smoke\.img\(\.json\)\?$' &&
	fail "left in the folder of images"

cat >check.py <<'END'
import json
import os
import re
import statistics
import subprocess
import sys

MOUNTS = sys.argv[1] == "yes"
SCALE = ("rr1m", "rr4m", "rr16m")
REPORT = ("rr1m", "tree", "links", "1k", "empty", "rr16m")
bad = 0


def expect(holds, *words):
    global bad
    if not holds:
        print("FAILED:", *words)
        bad = 1


def load(name):
    with open(name) as f:
        return json.load(f)


def key(row):
    return tuple(row[k] for k in ("part", "image", "state", "command"))


def look_at(row, runs):
    name = "/".join(key(row))
    runs = min(2, runs) if row["command"] == "cp" else runs
    expect(row["runs"] == runs == len(row["walls"]), name, "runs", row)
    expect(row["wall"] == statistics.median(row["walls"]), name, "median", row)
    expect(min(row["walls"]) > 0, name, "walls", row["walls"])
    expect(row["user"] >= 0 and row["sys"] >= 0 and
           row["user"] + row["sys"] > 0, name, "CPU", row)
    expect(row["peak_kib"] > 256, name, "peak", row["peak_kib"])
    expect(row["inodes"] == used[row["image"]], name, "inodes", row["inodes"])


# What is to be there, and what is only where images can be mounted.
want = {("report", i, "hot", c) for i in REPORT
        for c in ("report", "report-1", "e2fsck", "read")}
want |= {("relayout", i, "hot", c) for i in ("rr1m", "tree")
         for c in ("relayout", "write")}
want |= {("model", i, "hot", "mballoc") for i in SCALE + ("groups1m",)}
want |= {("model", "groups1m", "hot", "mballoc-tasks"),
         ("model", "empty16m", "hot", "simulate")}
want |= {("scale", i, "hot", c)
         for i in SCALE + ("tree", "tree16m", "empty16m")
         for c in ("report", "relayout", "write")}
mounted = {("report", i, "cold", c) for i in REPORT
           for c in ("report", "e2fsck", "read")}
mounted |= {("relayout", i, "hot", "cp") for i in ("rr1m", "tree")}
mounted |= {("effect", "rr1m", s, c) for s in ("before", "after")
            for c in ("ls", "refill", "create")}

result = load("all.json")
used = {}
for name, image in result["images"].items():
    out = subprocess.run(["dumpe2fs", "-h", f"images/{name}-smoke.img"],
                         check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout
    counts = dict(re.findall(r"^(.*?): +(\d+)$", out, re.M))
    used[name] = int(counts["Inode count"]) - int(counts["Free inodes"])
    expect(image["inodes_used"] == used[name] > 0, name, image)
    expect(image["disk_bytes"] > 0 and image["bytes"] > 1 << 20, name, image)
    expect("has_journal" in out or name == "groups1m", name, "no journal")
    expect(image["recipe"]["filled_by"] == ("kernel" if MOUNTS else
                                            "mke2fs -d"), name, image)
expect(set(used) == {i for _, i, _, _ in want}, "images", sorted(used))
expect(used["rr1m"] < used["rr4m"] < used["rr16m"], used)

expect(set(map(key, result["rows"])) == want | (mounted if MOUNTS else set()),
       "rows", set(map(key, result["rows"])) ^ want)
for row in result["rows"]:
    look_at(row, 2)
    if row["state"] == "cold":
        # The reads are the device's, so nothing was in memory.
        expect(row["read_sectors"] * 512 >= row["inodes"] * 128, key(row), row)
    if row["part"] == "effect" or row["state"] == "cold":
        expect(row["read_ios"] > 0 and row["read_sectors"] > 0, key(row), row)
    if row["part"] == "effect":
        loads = row["inode_loads"]
        expect(loads > 0 if loads is not None else not os.path.exists(
            "/sys/kernel/tracing/events/ext4/ext4_load_inode"), key(row), row)
    if row["part"] == "relayout":
        expect(row["changed_bytes"] >= 4096, key(row), row)
created = [row["created"] for row in result["rows"]
           if row["command"] == "simulate"]
expect(len(created) == 3 and created == sorted(set(created)), created)

left = {(s["part"], s["what"]) for s in result["skipped"]}
expect(left == (set() if MOUNTS else
                {("report", i + ", cold") for i in REPORT} |
                {("relayout", i + ", cp -a") for i in ("rr1m", "tree")} |
                {("effect", "rr1m")}), "left out", left)
expect(all(s["reason"] for s in result["skipped"]), result["skipped"])
expect(result["failed"] == [], result["failed"])
expect(result["bench"]["runs"] == 2 and result["bench"]["size"] == "smoke" and
       result["bench"]["parts"] == ["report", "relayout", "effect", "model",
                                    "scale"], result["bench"])
expect(all(result["machine"].get(k) for k in (
    "kernel", "processor", "processors", "memory", "disk")), result["machine"])

goals = {g["goal"]: g for g in result["goals"]}
needs_mounts = {"report_read_cold", "relayout_cp", "ls_reads_after"}
expect(set(goals) == needs_mounts | {
    "report_e2fsck_hot", "report_1_e2fsck_hot", "relayout_write",
    "report_memory", "relayout_memory", "report_memory_allocated",
    "report_flat_rr1m", "relayout_flat_rr1m", "report_flat_tree",
    "relayout_flat_tree"}, "goals", sorted(goals))
for name, goal in goals.items():
    if not MOUNTS and name in needs_mounts:
        expect(goal["value"] is None and goal["met"] is None, goal)
    else:
        expect(goal["met"] == (goal["value"] <= goal["at_most"]), goal)


# One of the ratios, worked out here.
def wall(command):
    return next(row["wall"] for row in result["rows"]
                if key(row) == ("report", "rr1m", "hot", command))


expect(abs(goals["report_e2fsck_hot"]["value"] - wall("report") /
           wall("e2fsck")) < 1e-9, goals["report_e2fsck_hot"])

# The tables: as many lines as there are images, goals and rows for them.
with open("all.md") as f:
    text = f.read()
parts = dict(re.findall(r"^### (.*)\n\n((?:\|.*\n)+)", text + "\n", re.M))
lines = {"Goals": len(goals), "report": len(REPORT) * (1 + MOUNTS),
         "relayout": 2, "simulate and mballoc": 8,
         "Time and memory an inode": 18, "Images": len(used)}
if MOUNTS:
    lines["What relayout is for"] = 6
expect({name: len(rows.splitlines()) - 2 for name, rows in parts.items()} ==
       lines, "tables", lines, text)
expect(all(g["words"] in parts["Goals"] for g in goals.values()), "goals", text)

result = load("failed.json")
expect([(f["part"], f["what"]) for f in result["failed"]] ==
       [("model", "simulate")] and "out of luck" in
       result["failed"][0]["reason"], result["failed"])
expect([key(row) for row in result["rows"]] ==
       [("model", "rr1m", "hot", "mballoc")], result["rows"])
with open("failed.md") as f:
    expect("\nFAILED:\n\n- model, simulate: " in f.read(), "failed.md")
for row in load("again.json")["rows"]:
    look_at(row, 1)

# The page says what every part and image is.
with open(os.path.join(os.environ["srcdir"], "doc/performance.md")) as f:
    page = f.read()
for name in (*load("all.json")["bench"]["parts"], *used):
    expect(f"`{name}`" in page, "doc/performance.md lacks", name)
sys.exit(bad)
END
python3 check.py $mounts || fail "what bench/run says"
