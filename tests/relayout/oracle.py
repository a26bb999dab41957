#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""oracle.py CASE...

Holds relayout to the numbers that real kernels gave.  For each case: what
`relayout -n --map` foretells under packed, spread and --move-dirs; what spread
makes when carried out; and that doing it again does nothing."""
import glob
import json
import lzma
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from manifest import Image, read_names	# noqa: E402

E2SPREAD = os.environ["E2SPREAD"]
CASES = os.path.join(here, "../oracle")
# Under --move-dirs the order of creation within a clock tick matters, and
# what was deleted is not known: there the share that agrees is told.
HISTORY_LOST = {"g4", "overflow", "refill"}
bad = []


def e2spread(*arguments):
    return subprocess.run([E2SPREAD, *arguments], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)


def complain(case, words):
    print(f"{case}: {words}", flush=True)
    bad.append(case)


def wanted(case, which):
    with lzma.open(f"{CASES}/{case}/{which}.map.xz", "rt",
                   errors="surrogateescape") as f:
        rows = (line.rstrip("\n").split("\t") for line in f)
        return {os.fsencode(path): int(ino) for path, ino, kind in rows}


def places(path):
    return {name: inode.ino for name, inode in read_names(Image(path)).items()}


def foretell(case, which, arguments, old):
    done = e2spread("relayout", "-n", "-q", "--map", "map", *arguments,
                    "before.img")
    if done.returncode:
        return complain(case, f"-n {which}: {done.stderr}")
    with open("map") as f:
        moves = dict(map(int, line.split("\t")) for line in f)
    want = wanted(case, which)
    right = sum(moves.get(old[path], old[path]) == ino
                for path, ino in want.items())
    if which == "replay" and case in HISTORY_LOST:
        print(f"{case}: {which}: {100 * right // len(want)} % of "
              f"{len(want)} names agree", file=sys.stderr)
    elif right != len(want):
        complain(case, f"{which}: {right} of {len(want)} names agree")


def totals(path):
    done = e2spread("report", "--json", path)
    return json.loads(done.stdout)["totals"]


def carry_out(case):
    done = e2spread("relayout", "-y", "-f", "before.img")
    if done.returncode:
        return complain(case, f"exit status {done.returncode}: {done.stderr}")
    fsck = subprocess.run(["e2fsck", "-fn", "before.img"], capture_output=True)
    if fsck.returncode:
        complain(case, f"e2fsck: {fsck.stdout}")
    now = places("before.img")
    want = wanted(case, "spread")
    right = sum(now.get(path) == ino for path, ino in want.items())
    if right != len(want):
        complain(case, f"carried out: {right} of {len(want)} names agree")
    do_again(case)


def do_again(case):
    """Once more: without -f or a policy nothing is written; and a policy that
    moves files, as it may within a clock tick, makes nothing worse."""
    before = os.stat("before.img").st_mtime_ns
    done = e2spread("relayout", "-y", "before.img")
    if done.returncode or os.stat("before.img").st_mtime_ns != before:
        complain(case, f"again: {done.returncode}: {done.stdout}{done.stderr}")
    if "Nothing" not in done.stdout:
        complain(case, f"again: {done.stdout}")
    was = totals("before.img")
    done = e2spread("relayout", "-y", "-q", "--map", "again", "--policy",
                    "spread", "before.img")
    if done.returncode:
        complain(case, f"again: {done.stderr}")
    with open("again") as f:
        moves = len(f.readlines())
    worse = {key: (was[key], value)
             for key, value in totals("before.img").items()
             if key in ("shared_blocks", "sibling_shared_blocks", "excess",
                        "directory_blocks") and value > was[key]}
    if worse:
        complain(case, f"again: {moves} moves make worse {worse}")
    if moves and case not in HISTORY_LOST:
        complain(case, f"again: {moves} moves")


def try_case(case):
    for file in glob.glob("*"):
        os.unlink(file)
    subprocess.run(["tar", "-xSJf", f"{CASES}/{case}/before.tar.xz"],
                   check=True)
    old = places("before.img")
    foretell(case, "packed", ["--policy", "packed"], old)
    foretell(case, "spread", ["--policy", "spread"], old)
    foretell(case, "replay", ["--policy", "spread", "--move-dirs"], old)
    carry_out(case)


for name in sys.argv[1:]:
    try_case(name)
sys.exit(bool(bad))
