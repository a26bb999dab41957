#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plans.py KIND SEED IMAGE

Prints a plan for `e2spread relayout --plan`:

    permute   every file to some number, used or free, picked at random
    high      up to 300 files to the highest numbers
    cycle     all files to the number of the next one, in one cycle
    dirs      as permute, directories too (--move-dirs)
    shift     every file to some number of the next group, if there is room
    mixed     every file to some number of its group, but for some pairs of files
              of different groups
    mixed-dirs  as mixed, directories too"""
import os
import random
import sys
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../reference"))
from image import EA_INODE_FL, Image	# noqa: E402


def movable(image, dirs):
    """(numbers that may move, numbers that may be moved to)"""
    used = {i.ino: i for i in image.used_inodes()}
    lost = {ino for ino, name in image.names(used[2]) if name == b"lost+found"}
    files = []
    for ino, inode in sorted(used.items()):
        if (ino < image.first_ino or ino in image.special or ino in lost or
                inode.has(EA_INODE_FL) or inode.is_dir() and not dirs):
            continue
        files.append(ino)
    stays = set(used) - set(files)
    targets = [ino for ino in range(image.first_ino, image.inodes + 1)
               if ino not in stays]
    return files, targets


def by_group(image, numbers):
    groups = {}
    for ino in numbers:
        groups.setdefault((ino - 1) // image.inodes_per_group, []).append(ino)
    return groups


def within_groups(image, rng, dirs, distance, pairs):
    """Every file to the group DISTANCE further, if there is room, and PAIRS that
    cross over."""
    files, targets = movable(image, dirs)
    plan, stay, targets = {}, set(), by_group(image, targets)
    for group, members in sorted(by_group(image, files).items(), reverse=True):
        free = [ino for ino in targets[group + distance] if ino not in stay]
        rng.shuffle(members)
        plan.update(zip(members, rng.sample(free, min(len(members), len(free)))))
        stay.update(members[len(free):])
    for _ in range(pairs):
        a, b = rng.sample(sorted(plan), 2)
        plan[a], plan[b] = plan[b], plan[a]
    return plan


def make_plan(kind, seed, image):
    rng = random.Random(seed)
    files, targets = movable(image, kind == "dirs")
    if kind == "high":
        files = rng.sample(files, min(300, len(files)))
        taken = {i.ino for i in image.used_inodes()} - set(files)
        targets = [ino for ino in targets if ino not in taken][-len(files):]
        return dict(zip(files, reversed(targets)))
    if kind == "shift":
        return within_groups(image, rng, False, 1, 0)
    if kind in ("mixed", "mixed-dirs"):
        return within_groups(image, rng, kind == "mixed-dirs", 0, 20)
    if kind == "cycle":
        rng.shuffle(files)
        return dict(zip(files, files[1:] + files[:1]))
    return dict(zip(files, rng.sample(targets, len(files))))


def text_of(plan, image):
    lines = ["e2spread-plan 1", f"uuid {uuid.UUID(bytes=image.sb[104:120])}"]
    lines += [f"{old}\t{new}" for old, new in sorted(plan.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    image = Image(sys.argv[3])
    sys.stdout.write(text_of(make_plan(sys.argv[1], int(sys.argv[2]), image),
                             image))
