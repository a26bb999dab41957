#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""simulate.py IMAGE MAP [--readahead-blks N] [--turns RHO] [--always]

What a workload leaves behind and reads, worked out slowly from the image's
bytes and from MAP: a line "TASK DIR INO d|f" for each inode in the order of
creation, none of which is deleted later.  Prints the figures of
`e2spread simulate` as JSON.  With --turns also the reads of tasks whose order
is that of MAP.  Calls neither e2spread nor libext2fs."""
import argparse
import collections
import json
import math

from image import EA_INODE_FL, Image


class Workload:
    def __init__(self, image, rows, readahead):
        self.image, self.readahead = image, readahead
        self.rows = rows
        self.home, self.parent = {}, {}
        self.read_names()
        self.new = {ino for _, _, ino, _ in rows}
        for _, parent, ino, kind in rows:
            if kind == "d":
                self.parent[ino] = parent
            else:
                self.home[ino] = parent

    def read_names(self):
        used = {i.ino: i for i in self.image.used_inodes()}
        for ino in sorted(used):
            if not used[ino].is_dir():
                continue
            for child, _ in self.image.names(used[ino]):
                if used[child].is_dir():
                    self.parent.setdefault(child, ino)
                elif child >= self.image.first_ino and (
                        child not in self.image.special and
                        not used[child].has(EA_INODE_FL)):
                    self.home.setdefault(child, ino)

    def block(self, ino):
        return self.image.block_of(ino)

    def window(self, ino):
        group = (ino - 1) // self.image.inodes_per_group
        return group, self.block(ino) // self.readahead

    def figures(self):
        files = [ino for _, _, ino, kind in self.rows if kind == "f"]
        ours = {self.block(ino) for ino in files}
        homes = collections.defaultdict(set)
        for ino, home in self.home.items():
            if self.block(ino) in ours:
                homes[self.block(ino)].add(home)
        shared = [b for b in ours if len(homes[b]) > 1]
        blocks, windows = [collections.defaultdict(set) for _ in range(2)]
        for _, parent, ino, kind in self.rows:
            if kind == "f":
                blocks[parent].add(self.block(ino))
                windows[parent].add(self.window(ino))
        groups = {(ino - 1) // self.image.inodes_per_group for ino in files}

        def mean(of):
            n = len(of)
            return (sum(map(len, of.values())) * 2 + n) // (2 * n)
        return {
            "directories": len(self.rows) - len(files),
            "files": len(files),
            "groups": len(groups),
            "flex_groups": len({g // self.image.flex_size for g in groups}),
            "itable_blocks": len(ours),
            "shared_blocks": len(shared),
            "sibling_shared_blocks": sum(map(self.siblings, map(
                homes.get, shared))),
            "homes_per_block_max": max(map(len, homes.values())),
            "cold_blocks": mean(blocks),
            "cold_windows": mean(windows),
            "walk_windows": len({self.window(ino) for ino in self.new}),
            **self.fsck()}

    def siblings(self, homes):
        parents = [self.parent[h] for h in homes if h in self.parent]
        return len(set(parents)) < len(parents)

    def fsck(self):
        """Groups that lose INODE_UNINIT, and itable blocks more."""
        high = collections.defaultdict(int)
        for ino in self.new:
            group = (ino - 1) // self.image.inodes_per_group
            high[group] = max(high[group],
                              (ino - 1) % self.image.inodes_per_group + 1)
        lose = more = 0
        ipb = self.image.inodes_per_block
        for group, used in high.items():
            before = self.image.itable_used(group)
            lose += self.image.groups[group].inode_uninit
            more += max(0, -(-used // ipb) - -(-before // ipb))
        return {"groups_lose_uninit": lose, "itable_blocks_fsck": more}

    def turn_reads(self, rho, always):
        """In turns, one file each; without readahead."""
        used = {i.ino for i in self.image.used_inodes()}
        used |= set(range(1, self.image.first_ino))
        in_use = collections.Counter(map(self.block, used))
        memory, starter, met, reads = set(), {}, {}, 0.0
        for task, _, ino, kind in self.rows:
            block = self.block(ino)
            in_use[block] += 1
            if kind == "d":		# made before the tasks begin
                if ino != self.rows[0][2]:
                    memory.add(block)
                continue
            if task in met:
                reads += 1 - math.exp(-rho * met.pop(task))
                starter = {b: t for b, t in starter.items() if t != task}
            if block in memory:
                if starter.get(block, task) != task:
                    met[starter[block]] += 1
            elif always or in_use[block] > 1:
                reads += 1
                memory.add(block)
            else:
                memory.add(block)
                starter[block], met[task] = task, 0
        return reads + sum(1 - math.exp(-rho * n) for n in met.values())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("image")
    ap.add_argument("map")
    ap.add_argument("--readahead-blks", type=int, default=32)
    ap.add_argument("--turns", type=float, metavar="RHO")
    ap.add_argument("--always", action="store_true")
    a = ap.parse_args()
    image = Image(a.image)
    rows = [(int(t), int(d), int(i), k)
            for t, d, i, k in map(str.split, open(a.map))]
    load = Workload(image, rows, a.readahead_blks)
    figures = load.figures()
    if a.turns is not None:
        figures["creation_reads"] = int(
            load.turn_reads(a.turns, a.always) + .5)
    print(json.dumps(figures))


main()
