#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""reference.py [--readahead-blks N] [--offset BYTES] IMAGE

Prints as JSON what `e2spread report --json --dirs all IMAGE` is to say, worked
out from the bytes of the image in the plainest way.  Percentages, means and
excess are not rounded; a path has a lone surrogate (\\udc80 to \\udcff) for
each byte that is not UTF-8."""
import argparse
import collections
import json
import re
import subprocess
import uuid

from image import EA_INODE_FL, Image


def ratio(part, whole):
    return part / whole if whole else 0.0


def percent(part, whole):
    return 100.0 * ratio(part, whole)


class Home:
    """A directory and the files that are charged to it."""

    def __init__(self, inode):
        self.ino, self.inode, self.files = inode.ino, inode, []


class Layout:
    def __init__(self, image, readahead):
        self.image, self.readahead = image, readahead
        used = {i.ino: i for i in image.used_inodes()}
        self.dirs = {n: i for n, i in used.items() if i.is_dir()}
        candidates = {n for n, i in used.items()
                      if not i.is_dir() and n >= image.first_ino and
                      n not in image.special and not i.has(EA_INODE_FL)}
        self.parents = {}		# directory -> the one that names it
        self.names = {}
        home_of = {}
        for ino in sorted(self.dirs):
            for child, name in image.names(self.dirs[ino]):
                if child in self.dirs and child not in self.parents:
                    self.parents[child], self.names[child] = ino, name
                elif child in candidates:
                    home_of.setdefault(child, ino)
        self.homes = {}
        for file in sorted(home_of):
            ino = home_of[file]
            self.homes.setdefault(ino, Home(self.dirs[ino])).files.append(file)
        # itable block -> home -> number of files
        self.blocks = collections.defaultdict(collections.Counter)
        for file, ino in home_of.items():
            self.blocks[image.block_of(file)][ino] += 1

    def group_of(self, ino):
        return (ino - 1) // self.image.inodes_per_group

    def flex_of(self, ino):
        return self.group_of(ino) // self.image.flex_size

    def siblings_among(self, homes):
        """True when two of the homes have the same parent."""
        parents = [self.parents[h] for h in homes if h in self.parents]
        return len(parents) != len(set(parents))

    def windows(self, files):
        return {(self.group_of(f), self.image.block_of(f) // self.readahead)
                for f in files}

    def counters(self, files_of, groups):
        """The counters that the whole and a flex group have in common;
        FILES_OF: home -> its files that count here."""
        image = self.image
        blocks = {image.block_of(f) for files in files_of.values()
                  for f in files}
        homes = {b: self.blocks[b] for b in blocks}
        directory_blocks = sum(len({image.block_of(f) for f in files})
                               for files in files_of.values())
        shared = [b for b in blocks if len(homes[b]) > 1]
        sibling = [b for b in shared if self.siblings_among(homes[b])]
        return {
            "files": sum(len(files) for files in files_of.values()),
            "itable_blocks": len(blocks),
            "directory_blocks": directory_blocks,
            "shared_blocks": len(shared),
            "shared_pct": percent(len(shared), len(blocks)),
            "sibling_shared_blocks": len(sibling),
            "sibling_shared_pct": percent(len(sibling), len(blocks)),
            "homes_per_block_mean": ratio(directory_blocks, len(blocks)),
            "homes_per_block_max": max(map(len, homes.values()), default=0),
            "windows": sum(len(self.windows(files))
                           for files in files_of.values()),
            "groups_inode_uninit": sum(
                image.group_csum and image.groups[g].inode_uninit
                for g in groups),
            "itable_blocks_fsck": sum(image.itable_blocks_used(g)
                                      for g in groups),
        }

    def totals(self):
        least = sum(-(-len(h.files) // self.image.inodes_per_block)
                    for h in self.homes.values())
        totals = self.counters({n: h.files for n, h in self.homes.items()},
                               range(len(self.image.groups)))
        totals.update(directories=len(self.dirs), homes=len(self.homes),
                      least_blocks=least,
                      excess=ratio(totals["directory_blocks"], least))
        return totals

    def flex_groups(self):
        image = self.image
        for first in range(0, len(image.groups), image.flex_size):
            groups = range(first, min(first + image.flex_size,
                                      len(image.groups)))
            flex = first // image.flex_size
            files_of = {n: [f for f in h.files if self.flex_of(f) == flex]
                        for n, h in self.homes.items()}
            inodes = len(groups) * image.inodes_per_group
            free = sum(image.groups[g].inodes_free for g in groups)
            row = self.counters(files_of, groups)
            row.update(
                flex_group=flex, first_group=first, groups=len(groups),
                inodes=inodes, inodes_used=inodes - free, inodes_free=free,
                blocks_free=image.cluster_blocks * sum(
                    image.groups[g].blocks_free for g in groups),
                directories=sum(self.flex_of(d) == flex for d in self.dirs))
            yield row

    def path(self, ino):
        names = []
        while ino in self.parents and len(names) < 4096:
            names.append(self.names[ino])
            ino = self.parents[ino]
        return (b"/" + b"/".join(reversed(names))).decode(
            errors="surrogateescape")

    def switches(self, home):
        """Changes of itable block while its files are visited in the order of
        readdir."""
        mine = set(home.files)
        visited = [self.image.block_of(ino)
                   for ino, _ in self.image.readdir(home.inode) if ino in mine]
        return sum(a != b for a, b in zip(visited, visited[1:]))

    def directory(self, home):
        block_of = self.image.block_of
        blocks = {block_of(f) for f in home.files}
        least = -(-len(home.files) // self.image.inodes_per_block)
        own = self.flex_of(home.ino)
        return {
            "ino": home.ino,
            "path": self.path(home.ino),
            "parent_ino": self.parents.get(home.ino, home.ino),
            "files": len(home.files),
            "blocks": len(blocks),
            "least_blocks": least,
            "excess": ratio(len(blocks), least),
            "exclusive_blocks": sum(len(self.blocks[b]) == 1 for b in blocks),
            "groups": len({self.group_of(f) for f in home.files}),
            "flex_groups": len({self.flex_of(f) for f in home.files}),
            "windows": len(self.windows(home.files)),
            "home_flex_pct": percent(
                sum(self.flex_of(f) == own for f in home.files),
                len(home.files)),
            "readdir_switches": self.switches(home),
            "inode_order_switches": len(blocks) - 1,
        }


def file_system(image, path, offset):
    groups = len(image.groups)
    free = sum(g.inodes_free for g in image.groups)
    facts = {
        "uuid": str(uuid.UUID(bytes=image.sb[0x68:0x78])),
        "label": image.sb[0x78:0x88].split(b"\0")[0].decode(
            errors="surrogateescape"),
        "block_size": image.block_size,
        "inode_size": image.inode_size,
        "inodes": image.inodes,
        "inodes_used": image.inodes - free,
        "inodes_per_group": image.inodes_per_group,
        "inodes_per_block": image.inodes_per_block,
        "groups": groups,
        "flex_bg_size": image.flex_size,
        "flex_groups": -(-groups // image.flex_size),
    }
    if not offset:
        out = subprocess.run(["dumpe2fs", "-h", path], capture_output=True,
                             text=True, errors="replace", check=True).stdout
        facts["features"] = re.search("^Filesystem features: *(.*)$", out,
                                      re.M)[1].replace("(none)", "").split()
    return facts


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("image")
    ap.add_argument("--readahead-blks", type=int, default=32)
    ap.add_argument("--offset", type=int, default=0)
    a = ap.parse_args()
    image = Image(a.image, a.offset)
    layout = Layout(image, a.readahead_blks)
    print(json.dumps({
        "filesystem": file_system(image, a.image, a.offset),
        "totals": layout.totals(),
        "flex_groups": list(layout.flex_groups()),
        "directories": [layout.directory(h)
                        for _, h in sorted(layout.homes.items())],
    }, indent=1))


main()
