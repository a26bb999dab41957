#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plans.py KIND SEED IMAGE

Prints a plan for `e2spread relayout --plan`:

    permute   every file to some number, used or free, picked at random
    high      up to 300 files to the highest numbers
    cycle     all files to the number of the next one, in one cycle
    dirs      as permute, directories too (--move-dirs)"""
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


def make_plan(kind, seed, image):
    rng = random.Random(seed)
    files, targets = movable(image, kind == "dirs")
    if kind == "high":
        files = rng.sample(files, min(300, len(files)))
        taken = {i.ino for i in image.used_inodes()} - set(files)
        targets = [ino for ino in targets if ino not in taken][-len(files):]
        return dict(zip(files, reversed(targets)))
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
