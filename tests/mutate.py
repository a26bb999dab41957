#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damages an image and holds e2spread report to surviving it.

mutate.py one IMAGE KIND      damages IMAGE in the way that KIND names
mutate.py fuzz IMAGE ROUNDS   each round: random bytes into a random metadata
                              block of a copy, and report on it"""
import json
import os
import random
import resource
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "reference"))
from image import EXTENTS_FL, INLINE_FL, Image, le32  # noqa: E402

SECONDS = 20			# longer is a hang
MEMORY = 1 << 30		# more is believing a lie


class Patient:
    """An image, and where its metadata lie."""

    def __init__(self, path):
        self.path, self.image = path, Image(path)
        self.used = {i.ino: i for i in self.image.used_inodes()}
        self.dirs = {n: i for n, i in self.used.items() if i.is_dir()}

    def inode_at(self, ino):
        index = (ino - 1) % self.image.inodes_per_group
        group = (ino - 1) // self.image.inodes_per_group
        return (self.image.groups[group].itable * self.image.block_size +
                index * self.image.inode_size)

    def find(self, path):
        ino = 2
        for name in path.encode().split(b"/"):
            ino = {n: i for i, n in self.image.names(self.dirs[ino])}[name]
        return ino

    def dir_blocks(self, ino):
        if self.dirs[ino].has(INLINE_FL):
            return []
        return [b for _, b in sorted(self.image.blocks_of(self.dirs[ino]))]

    def write(self, at, data):
        with open(self.path, "r+b") as f:
            f.seek(at)
            f.write(data)

    def metadata_blocks(self):
        """Superblock, descriptors, used itables, directories and the blocks
        that map them."""
        image, blocks = self.image, {0, 1, 2}
        for number, group in enumerate(image.groups):
            blocks.update(range(group.itable, group.itable +
                                image.itable_blocks_used(number)))
        for ino, inode in self.dirs.items():
            blocks.update(self.dir_blocks(ino))
            if not inode.has(INLINE_FL):
                blocks.update(self.mapping_blocks(inode))
        return sorted(blocks)

    def mapping_blocks(self, inode):
        area = inode.raw[40:100]
        if not inode.has(EXTENTS_FL):
            return [b for b in struct.unpack("<3I", area[48:60]) if b]
        if not area[6]:
            return []
        return [le32(area, 12 + 12 * i + 4) for i in range(area[2])]


# Each damages the image in one way; the keys are what "one" takes.

def inode_checksum(p):
    """A byte of the uid: the inode is sound but for its checksum."""
    p.write(p.inode_at(p.find("d1/file7")) + 2, b"\x55")


def inode_garbage(p):
    """No inode has the type 0xd."""
    p.write(p.inode_at(p.find("d1/file7")), b"\xd5" * p.image.inode_size)


def inode_named_ea(p):
    """A name for what says it holds an extended attribute."""
    at = p.inode_at(p.find("d1/file7")) + 32
    flags = p.used[p.find("d1/file7")].flags | 0x200000
    p.write(at, struct.pack("<I", flags))


def inode_cleared(p):
    """A name whose inode is not in use."""
    p.write(p.inode_at(p.find("d1/file7")), bytes(p.image.inode_size))


def directory_checksum(p):
    """The last byte of a directory block belongs to its checksum."""
    block = p.dir_blocks(p.find("d1"))[0]
    end = (block + 1) * p.image.block_size
    old = p.image.read(block)[-1]
    p.write(end - 1, bytes([old ^ 1]))


def directory_rec_len(p):
    """The entry behind '..' says that it is 0 bytes long."""
    block = p.dir_blocks(p.find("d1"))[0]
    p.write(block * p.image.block_size + 24 + 4, b"\0\0")


def directory_rec_len_far(p):
    block = p.dir_blocks(p.find("d1"))[0]
    p.write(block * p.image.block_size + 24 + 4, b"\xfc\xff")


def directory_inode_range(p):
    """An entry names an inode behind the last."""
    block = p.dir_blocks(p.find("d1"))[0]
    p.write(block * p.image.block_size + 24, b"\xff\xff\xff\x7f")


def directory_zeros(p):
    block = p.dir_blocks(p.find("d1"))[0]
    p.write(block * p.image.block_size, bytes(p.image.block_size))


def directory_loop(p):
    """A directory that is a name in itself and in its child."""
    at = p.dir_blocks(p.find("d1"))[0] * p.image.block_size + 24
    p.write(at, struct.pack("<I", p.find("d1")))
    at = p.dir_blocks(p.find("d1/inner"))[0] * p.image.block_size + 24
    p.write(at, struct.pack("<I", p.find("d1")))


def extent_loop(p):
    """An index block that leads to itself, at the depth that it says."""
    ino, block = p.find("d1"), p.dir_blocks(p.find("d1"))[0]
    node = struct.pack("<5H", 0xf30a, 1, 4, 1, 0) + bytes(2) + struct.pack(
        "<IIHH", 0, block, 0, 0)
    p.write(p.inode_at(ino) + 40, node)
    big = struct.pack("<5H", 0xf30a, 1, (p.image.block_size - 16) // 12, 1, 0)
    p.write(block * p.image.block_size, big + node[10:])


def extent_depth(p):
    p.write(p.inode_at(p.find("d1")) + 40 + 6, b"\xff\xff")


def extent_far(p):
    """An extent behind the end of the file system."""
    p.write(p.inode_at(p.find("d1")) + 40 + 20, b"\xff\xff\xff\x7f")


def map_loop(p):
    """An indirect block that is its own child, three levels deep."""
    at = p.inode_at(p.find("d1"))
    block = p.dir_blocks(p.find("d1"))[0]
    p.write(at + 40, struct.pack("<15I", *[block] * 15))
    p.write(at + 4, struct.pack("<I", 1 << 30))
    p.write(block * p.image.block_size,
            struct.pack("<I", block) * (p.image.block_size // 4))


def directory_size(p):
    """A directory that says it is 4 GiB long."""
    p.write(p.inode_at(p.find("d1")) + 4, b"\0\xf0\xff\xff")


KINDS = {f.__name__.replace("_", "-"): f for f in (
    inode_checksum, inode_garbage, inode_named_ea, inode_cleared,
    directory_checksum,
    directory_rec_len, directory_rec_len_far, directory_inode_range,
    directory_zeros, directory_loop, extent_loop, extent_depth, extent_far,
    map_loop, directory_size)}


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def report(path, threads):
    return subprocess.run(
        [os.environ["E2SPREAD"], "report", "--json", "--dirs", "all",
         "--threads", threads, path], capture_output=True,
        timeout=SECONDS, preexec_fn=limit)


def survives(path, must_warn):
    """None, or what report did that it must not."""
    try:
        r = report(path, "2")
    except subprocess.TimeoutExpired:
        return f"no end after {SECONDS} seconds"
    err = r.stderr.decode(errors="backslashreplace")
    if r.returncode not in (0, 8):
        return f"exit status {r.returncode}: {err}"
    if r.returncode:
        if r.stdout or err.count("\n") != 1:
            return f"not one line: {err}"
        return None
    try:
        json.loads(r.stdout)
    except ValueError as e:
        return f"JSON: {e}"
    if must_warn and "e2fsck" not in err:
        return f"no warning: {err}"
    if report(path, "1").stdout != r.stdout:
        return "another report with one thread"
    return None


def fuzz(path, rounds):
    patient = Patient(path)
    blocks = patient.metadata_blocks()
    size = patient.image.block_size
    csum = bool(patient.image.ro_compat & 0x400)
    # Any change here must be seen, where there are checksums.
    covered = {b for ino in patient.dirs for b in patient.dir_blocks(ino)
               if not patient.dirs[ino].has(0x1000)} if csum else set()
    failed = 0
    for seed in range(rounds):
        rng = random.Random(seed)
        shutil.copyfile(path, "fuzz.img")
        victim = Patient("fuzz.img")
        block = rng.choice(blocks)
        old = victim.image.read(block)
        for _ in range(rng.choice((1, 1, 4, 64))):
            length = rng.choice((1, 2, 4, 4, size // 8))
            at = rng.randrange(size - length + 1)
            data = rng.choice((bytes(length), b"\xff" * length,
                               rng.randbytes(length)))
            victim.write(block * size + at, data)
        changed = victim.image.read(block) != old
        why = survives("fuzz.img", changed and block in covered)
        os.close(victim.image.fd)
        if why:
            failed += 1
            print(f"seed {seed}, block {block}: {why.rstrip()}")
    return failed


def main():
    if sys.argv[1] == "one":
        KINDS[sys.argv[3]](Patient(sys.argv[2]))
        return 0
    return 1 if fuzz(sys.argv[2], int(sys.argv[3])) else 0


if __name__ == "__main__":
    sys.exit(main())
