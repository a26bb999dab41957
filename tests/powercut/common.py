# SPDX-License-Identifier: GPL-2.0-or-later
"""What redo-lab and relayout-lab share: programs to run, journals to edit, ways
to recover."""
import importlib.machinery
import importlib.util
import os
import re
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(os.environ.get("builddir",
                                    os.path.join(HERE, "../../build")),
                     "tests/powercut")
RECORD = os.path.join(BUILD, "record.so")
MAGIC = 0xc03b3998
REVOKE, BITS64, ASYNC, CSUM2, CSUM3, FC = 1, 2, 4, 8, 16, 32


class Unsound(Exception):
    """What a cut left is not what it may leave."""


def run(*command, ok=(0,), env=None):
    result = subprocess.run(command, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace",
                            env=dict(os.environ, **(env or {})))
    if result.returncode not in ok:
        raise SystemExit(f"{' '.join(command)}: exit {result.returncode}\n"
                         f"{result.stdout}")
    return result


def must(*command, ok=(0,)):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode not in ok:
        raise Unsound(f"{' '.join(command)}: exit {result.returncode}\n"
                      f"{result.stdout}")
    return result


def mount(image, options="ro"):
    """A mount replays the journal, even one that is for reading only."""
    point = image + ".mnt"
    os.makedirs(point, exist_ok=True)
    loop = must("losetup", "-f", "--show", image).stdout.strip()
    try:
        must("mount", "-o", options, loop, point)
        must("umount", point)
    finally:
        must("losetup", "-d", loop)
        os.rmdir(point)
    # The kernel lets go of the file a little later.
    for _ in range(500):
        if not must("losetup", "-j", image).stdout.strip():
            return
        time.sleep(0.02)
    raise Unsound(f"{loop} does not let go of {image}")


def debugfs(image, request):
    return subprocess.run(["debugfs", "-R", request, image], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout


def blocks_of(image, name):
    """Its data blocks in order, not those of its own metadata."""
    blocks = []
    for first, last in re.findall(r"\(\d+(?:-\d+)?\): ?(\d+)(?:-(\d+))?",
                                  debugfs(image, f"stat {name}")):
        blocks += range(int(first), int(last or first) + 1)
    return blocks


def load_replay():
    loader = importlib.machinery.SourceFileLoader(
        "replay", os.path.join(HERE, "replay"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("replay", loader))
    sys.modules["replay"] = module
    loader.exec_module(module)
    return module


def crc32c(data, crc=0xffffffff):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc


class Journal:
    """The internal journal of an image, to be made what a kernel leaves."""

    FIELDS = {"type": 4, "sequence": 0x18, "start": 0x1c, "errno": 0x20,
              "compat": 0x24, "incompat": 0x28, "users": 0x40, "num_fc": 0x54}

    def __init__(self, image, block_size):
        self.image, self.block_size = image, block_size
        self.blocks = blocks_of(image, "<8>")

    def super_at(self):
        return self.blocks[0] * self.block_size

    def edit(self, **fields):
        with open(self.image, "r+b") as file:
            file.seek(self.super_at())
            jsb = bytearray(file.read(1024))
            for name, value in fields.items():
                struct.pack_into(">I", jsb, self.FIELDS[name], value)
            incompat, = struct.unpack_from(">I", jsb, 0x28)
            if incompat & (CSUM2 | CSUM3):
                jsb[0x50] = 4
                struct.pack_into(">I", jsb, 0xfc, 0)
                struct.pack_into(">I", jsb, 0xfc, crc32c(jsb))
            file.seek(self.super_at())
            file.write(jsb)

    def write_log(self, pos, data):
        with open(self.image, "r+b") as file:
            file.seek(self.blocks[pos] * self.block_size)
            file.write(data)

    def add_stale_fc(self):
        """A fast commit that would follow our transaction if it were read."""
        with open(self.image, "rb") as file:
            file.seek(self.super_at() + 0x54)
            blocks, = struct.unpack(">I", file.read(4))
        first = len(self.blocks) - (blocks or 256) + 1
        tag = struct.pack("<HHII", 9, 8, 0, 1 + 1)	# HEAD, tid
        self.write_log(first, tag + bytes(self.block_size - len(tag)))
        self.edit(incompat=REVOKE | BITS64 | CSUM3 | FC)


def fill_with_garbage(file, size, rng):
    """What another file system left: random, and now and then a block of an
    old journal."""
    for _ in range(size >> 12):
        block = bytearray(rng.randbytes(4096))
        if rng.randrange(2):
            struct.pack_into(">IIIII", block, 0, MAGIC, rng.randrange(1, 6),
                             rng.randrange(20), 5, 8)
        file.write(block)
