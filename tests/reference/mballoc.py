#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mballoc.py groups IMAGE JSON | stats JSON SEARCH MB_STATS FILEFRAG

What e2spread mballoc says, held against other witnesses; prints what differs.

groups: buddy counts and lists made from the free blocks that dumpe2fs lists.
stats: search number SEARCH of a request against what the kernel's mb_stats and
filefrag -v say of a file that it has given these blocks."""
import json
import re
import subprocess
import sys


def free_clusters(image):
    """Yields (group, clusters a group, [free cluster, ...]) by dumpe2fs."""
    text = subprocess.run(["dumpe2fs", image], check=True, text=True,
                          capture_output=True).stdout

    def field(name, default=None):
        m = re.search(rf"^{name}: *(\d+)", text, re.M)
        return int(m[1]) if m else default
    ratio = field("Cluster size", field("Block size")) // field("Block size")
    per_group = field("Clusters per group", field("Blocks per group"))
    for part in re.split(r"^Group (?=\d+:)", text, flags=re.M)[1:]:
        group, start = map(int, re.match(r"(\d+): \(Blocks (\d+)", part)
                           .groups())
        free = []
        for piece in re.search(r"Free blocks: *(.*)", part)[1].split(", "):
            if piece:
                first, *last = map(int, piece.split("-"))
                free += range((first - start) // ratio,
                              ((last or [first])[0] - start) // ratio + 1)
        yield group, per_group, free


def chunks(free, orders, size):
    """How many free chunks of each order, by halving the group."""
    counters = [0] * orders
    before = [0]
    taken = [True] * size
    for c in free:
        taken[c] = False
    for t in taken:
        before.append(before[-1] + (not t))

    def halve(start, order):
        end = start + (1 << order)
        n = before[end] - before[start]
        if n == 1 << order:
            counters[order] += 1
        elif n:
            halve(start, order - 1)
            halve(start + (1 << order - 1), order - 1)
    for start in range(0, size, 1 << orders - 1):
        halve(start, orders - 1)
    return counters


def check_groups(image, answer):
    size = answer["filesystem"]["block_size"] * 8
    orders = size.bit_length() - 2
    largest, fragment = [0] * orders, [0] * orders
    want = []
    for group, per_group, free in free_clusters(image):
        counters = chunks(free, orders, size)
        fragments = len(set(free) - {c + 1 for c in free})
        want.append({"group": group, "free": len(free), "frags": fragments,
                     "first": free[0] if free else per_group, "state": "ok",
                     "counters": counters})
        if free:
            largest[max(i for i in range(orders) if counters[i])] += 1
            log2 = (len(free) // fragments).bit_length() - 1
            fragment[min(max(log2 - 1, 0), orders - 1)] += 1
    if not answer["filesystem"]["optimize_scan"]:
        largest, fragment = [0] * orders, [0] * orders
    for got, good in zip(answer["groups"], want):
        if got != good:
            print(f"{image}: {got}\n for {good}")
    if len(answer["groups"]) != len(want):
        print(f"{image}: {len(answer['groups'])} groups for {len(want)}")
    for key, good in ("largest_free_order", largest), (
            "avg_fragment_size", fragment):
        if answer[key] != good:
            print(f"{image}: {key} {answer[key]} for {good}")


KEYS = "hits", "groups_considered", "extents_scanned", "useless_loops"


def read_stats(path):
    stats, part = {}, None
    with open(path) as f:
        for line in f:
            key, _, value = line.strip().partition(":")
            if m := re.fullmatch(r"cr_(\w+)_stats", key):
                part = stats.setdefault(m[1], {})
            elif part is not None and key in KEYS and key not in part:
                part[key] = int(value)
            elif key in ("groups_scanned", "reqs"):
                stats[key] = int(value)
    return stats


def read_extents(path):
    """(first block, blocks) of each extent, neighbours joined."""
    extents = []
    with open(path) as f:
        for m in re.finditer(r"^ *\d+: *\d+\.\. *\d+: *(\d+)\.\. *(\d+):",
                             f.read(), re.M):
            add(extents, int(m[1]), int(m[2]) - int(m[1]) + 1)
    return extents


def add(extents, start, length):
    if extents and sum(extents[-1]) == start:
        start, length = extents[-1][0], extents[-1][1] + length
        extents.pop()
    extents.append((start, length))


def check_stats(answer, search, stats, frag):
    fs, one = answer["filesystem"], answer["request"]["searches"][search]
    want = read_stats(stats)
    got = {c["criterion"]: {k: c[k] for k in KEYS} for c in one["criteria"]}
    got["groups_scanned"] = one["groups_scanned"]
    got["reqs"] = len(one["extents"])
    # The kernel counts these hits behind the end of its array.
    got["p2_aligned"]["useless_loops"] += one["late_hits"]
    for key in want:
        if got[key] != want[key]:
            print(f"  {key}: {got[key]}\n    kernel: {want[key]}")
    ratio, extents = fs["cluster_blocks"], []
    first = 1 if fs["block_size"] == 1024 and ratio == 1 else 0
    left = answer["request"]["blocks"]
    for e in one["extents"]:
        # The last cluster may be more than the file has blocks.
        length = min(ratio * e["length"], left)
        left -= length
        add(extents, first + ratio * (e["group"] * fs["clusters_per_group"] +
                                      e["start"]), length)
    if extents != read_extents(frag):
        print(f"  extents {extents}\n    kernel: {read_extents(frag)}")


def main():
    what, *args = sys.argv[1:]
    if what == "groups":
        image, path = args
        with open(path) as f:
            check_groups(image, json.load(f))
    else:
        path, search, stats, frag = args
        with open(path) as f:
            check_stats(json.load(f), int(search), stats, frag)


main()
