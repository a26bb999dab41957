#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Moves inodes in an ext4 image, shares nothing with lib/, and can be told to
forget a step.

verify-mover.py move IMAGE MAP [STEP...]   MAP has a line "OLD NEW" for each
                                           inode; forgets each STEP
verify-mover.py change IMAGE WHAT ARG...   changes one thing, checksums right
verify-mover.py find IMAGE PATH            the inode's number
verify-mover.py plan IMAGE                 a MAP that needs every step"""
import struct
import sys

TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ 0x82f63b78 if n & 1 else n >> 1
    TABLE.append(n)


def crc32c(crc, data):
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def crc16(crc, data):
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0xa001 if crc & 1 else crc >> 1
    return crc


STEPS = ("inode-csum", "extent-csum", "dir-csum", "dirent", "hard-link",
         "bit-set", "bit-clear", "free-count", "dirs-count", "itable-unused",
         "inode-uninit", "zero-vacated", "zero-gap", "bitmap-csum",
         "desc-csum", "dotdot", "lustre-mtime")
INDEX_FL, EXTENTS_FL, EA_INODE_FL, INLINE_FL = 0x1000, 0x80000, 0x200000, 0x10000000


class Image:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            self.b = bytearray(f.read())
        sb = self.sb = 1024
        (self.inodes,) = struct.unpack_from("<I", self.b, sb)
        self.bs = 1024 << self.u32(sb + 24)
        self.ipg, self.first_ino = self.u32(sb + 40), self.u32(sb + 84)
        self.isize = self.u16(sb + 88)
        self.compat, self.incompat, self.ro = struct.unpack_from(
            "<III", self.b, sb + 92)
        self.uuid = bytes(self.b[sb + 104:sb + 120])
        self.dsize = self.u16(sb + 254) if self.incompat & 0x80 else 32
        self.csum = bool(self.ro & 0x400)
        self.group_csum = bool(self.ro & 0x410)
        self.seed = (self.u32(sb + 0x270) if self.incompat & 0x2000
                     else crc32c(0xffffffff, self.uuid))
        self.gdt = (self.u32(sb + 20) + 1) * self.bs
        self.groups = self.inodes // self.ipg

    def save(self):
        with open(self.path, "r+b") as f:
            f.write(self.b)

    def u16(self, at): return struct.unpack_from("<H", self.b, at)[0]
    def u32(self, at): return struct.unpack_from("<I", self.b, at)[0]
    def p16(self, at, v): struct.pack_into("<H", self.b, at, v & 0xffff)
    def p32(self, at, v): struct.pack_into("<I", self.b, at, v & 0xffffffff)

    # --- descriptors ---
    def desc(self, g): return self.gdt + g * self.dsize

    def get(self, g, lo, hi):
        v = self.u16(self.desc(g) + lo)
        return v | self.u16(self.desc(g) + hi) << 16 if self.dsize >= 64 else v

    def put(self, g, lo, hi, v):
        self.p16(self.desc(g) + lo, v)
        if self.dsize >= 64:
            self.p16(self.desc(g) + hi, v >> 16)

    def bitmap(self, g):
        return self.u32(self.desc(g) + 4) * self.bs

    def itable(self, g):
        return self.u32(self.desc(g) + 8) * self.bs

    def flags(self, g): return self.u16(self.desc(g) + 0x12)

    def unused(self, g): return self.get(g, 0x1c, 0x32)

    def set_desc_csum(self, g):
        at = self.desc(g)
        raw = bytes(self.b[at:at + self.dsize])
        number = struct.pack("<I", g)
        if self.csum:
            v = crc32c(self.seed, number + raw[:0x1e] + b"\0\0" + raw[0x20:])
        elif self.group_csum:
            v = crc16(0xffff, self.uuid + number + raw[:0x1e] + raw[0x20:])
        else:
            return
        self.p16(at + 0x1e, v)

    def set_bitmap_csum(self, g):
        if self.csum:
            at = self.bitmap(g)
            self.put(g, 0x1a, 0x3a, crc32c(self.seed,
                                           self.b[at:at + self.ipg // 8]))

    # --- inodes ---
    def at(self, ino):
        return self.itable((ino - 1) // self.ipg) + (ino - 1) % self.ipg * self.isize

    def raw(self, ino):
        at = self.at(ino)
        return bytes(self.b[at:at + self.isize])

    def visible(self, ino):
        g, i = divmod(ino - 1, self.ipg)
        return not self.group_csum or not (self.flags(g) & 1 or
                                           i >= self.ipg - self.unused(g))

    def used(self):
        return [i for i in range(1, self.inodes + 1)
                if self.visible(i) and self.u16(self.at(i) + 26)]

    def is_dir(self, ino): return self.u16(self.at(ino)) >> 12 == 4
    def iflags(self, ino): return self.u32(self.at(ino) + 32)
    def gen(self, ino): return self.u32(self.at(ino) + 100)

    def iseed(self, ino, gen=None):
        return crc32c(self.seed, struct.pack(
            "<II", ino, self.gen(ino) if gen is None else gen))

    def set_inode_csum(self, ino):
        if not self.csum:
            return
        at = self.at(ino)
        self.p16(at + 0x7c, 0)
        hi = self.isize > 128 and self.u16(at + 0x80) >= 4
        if hi:
            self.p16(at + 0x82, 0)
        v = crc32c(self.iseed(ino), self.raw(ino))
        self.p16(at + 0x7c, v)
        if hi:
            self.p16(at + 0x82, v >> 16)

    def tree(self, ino):
        """Offsets of all extent blocks, and (lblk, offset) of data blocks."""
        nodes, data = [], []

        def walk(at):
            entries, _, depth = struct.unpack_from("<HHH", self.b, at + 2)
            for e in range(at + 12, at + 12 + 12 * entries, 12):
                if depth:
                    child = self.u32(e + 4) * self.bs
                    nodes.append(child)
                    walk(child)
                else:
                    data.extend((self.u32(e) + k, (self.u32(e + 8) + k) * self.bs)
                                for k in range(self.u16(e + 4) & 0x7fff))
        root = self.at(ino) + 40
        if self.iflags(ino) & INLINE_FL:
            return [], []
        if self.iflags(ino) & EXTENTS_FL:
            if self.u16(root) == 0xf30a:
                walk(root)
            return nodes, data
        return [], [(k, self.u32(root + 4 * k) * self.bs) for k in range(12)
                    if self.u32(root + 4 * k)]

    def set_extent_csums(self, ino):
        if self.csum:
            for at in self.tree(ino)[0]:
                tail = at + 12 + 12 * self.u16(at + 4)
                self.p32(tail, crc32c(self.iseed(ino), self.b[at:tail]))

    # --- directories ---
    def xattrs(self, ino):
        at = self.at(ino) + 128 + self.u16(self.at(ino) + 128)
        end = self.at(ino) + self.isize
        if self.isize > 128 and end - at >= 8 and self.u32(at) == 0xea020000:
            first = at = at + 4
            while end - at >= 16 and self.u32(at):
                yield at, first
                at += (16 + self.b[at] + 3) & ~3

    def parts(self, ino):
        """(offset, length, lblk) of what holds entries; lblk None: inline."""
        if not self.iflags(ino) & INLINE_FL:
            return [(at, self.bs, lblk) for lblk, at in self.tree(ino)[1]]
        parts = [(self.at(ino) + 44, 56, None)]
        for entry, first in self.xattrs(ino):
            if self.b[entry + 1] == 7 and self.b[entry + 16:entry + 20] == b"data":
                if self.u32(entry + 8):
                    parts.append((first + self.u16(entry + 2),
                                  self.u32(entry + 8), None))
        return parts

    def entries(self, at, length):
        end = at + length
        while at < end:
            rec = self.u16(at + 4)
            if self.u32(at):
                yield at, bytes(self.b[at + 8:at + 8 + self.b[at + 6]])
            at += rec

    def set_dir_csums(self, ino):
        if not self.csum or self.iflags(ino) & INLINE_FL:
            return
        seed, bs = self.iseed(ino), self.bs
        for at, _, lblk in self.parts(ino):
            dx = 0
            if self.iflags(ino) & INDEX_FL:
                if lblk == 0:
                    dx = 32
                elif not self.u32(at) and self.u16(at + 4) == bs:
                    dx = 8
            if dx:
                limit, count = struct.unpack_from("<HH", self.b, at + dx)
                tail = at + dx + 8 * limit
                self.p32(tail + 4, crc32c(seed, bytes(
                    self.b[at:at + dx + 8 * count]) +
                    bytes(self.b[tail:tail + 4]) + b"\0\0\0\0"))
            else:
                self.p32(at + bs - 4, crc32c(seed, self.b[at:at + bs - 12]))

    def dirs(self): return [i for i in self.used() if self.is_dir(i)]

    def lookup(self, path):
        ino = 2
        for part in path.strip("/").split("/"):
            if part:
                ino = next(self.u32(at) for p in self.parts(ino)
                           for at, name in self.entries(*p[:2])
                           if name == part.encode())
        return ino

    def entry(self, path):
        up, _, name = path.rpartition("/")
        ino = self.lookup(up)
        return ino, next(at for p in self.parts(ino)
                         for at, n in self.entries(*p[:2])
                         if n == name.encode())


def rewrite_names(im, move, dirs, forget):
    """Every entry that names a moved inode; DIRS maps the number that a
    directory has now to that it had before."""
    seen = set()
    for ino in dirs:
        changed = dirs[ino] != ino
        inline = im.iflags(ino) & INLINE_FL
        if inline and im.u32(im.at(ino) + 40) in move and "dotdot" not in forget:
            im.p32(im.at(ino) + 40, move[im.u32(im.at(ino) + 40)])
            changed = True
        for part in im.parts(ino):
            for at, name in im.entries(*part[:2]):
                old = im.u32(at)
                if (old not in move or "dirent" in forget or
                        (name == b".." and "dotdot" in forget)):
                    continue
                if "hard-link" in forget and old in seen and name[:1] != b".":
                    continue
                seen.add(old)
                im.p32(at, move[old])
                changed = True
        if changed and inline:
            im.set_inode_csum(ino)
        elif changed and "dir-csum" not in forget:
            im.set_dir_csums(ino)


def take_group(im, g, wanted, forget):
    """The high-water mark of group G rises to the highest index WANTED."""
    if not im.group_csum:
        return
    mark = 0 if im.flags(g) & 1 else im.ipg - im.unused(g)
    if im.flags(g) & 1 and "inode-uninit" not in forget:
        at = im.bitmap(g)
        im.b[at:at + im.bs] = b"\0" * (im.ipg // 8) + b"\xff" * (im.bs - im.ipg // 8)
        im.p16(im.desc(g) + 0x12, im.flags(g) & ~1)
    if wanted < mark:
        return
    if "itable-unused" not in forget:
        im.put(g, 0x1c, 0x32, im.ipg - wanted - 1)
    if "zero-gap" not in forget:
        ipb = im.bs // im.isize
        upto = (wanted // ipb + 1) * ipb
        start = im.itable(g) + mark * im.isize
        end = im.itable(g) + upto * im.isize
        im.b[start:end] = b"\0" * (end - start)


def move(im, moves, forget):
    raws = {old: im.raw(old) for old in moves}
    isdir = {old: im.is_dir(old) for old in moves}
    olds, news = set(moves), set(moves.values())
    dirs = {moves.get(d, d): d for d in im.dirs()}
    refs = [(owner, im.u32(e + 4)) for owner in im.used()
            for e, _ in im.xattrs(owner) if im.u32(e + 4)]
    for g in {(n - 1) // im.ipg for n in news}:
        take_group(im, g, max((n - 1) % im.ipg for n in news
                              if (n - 1) // im.ipg == g), forget)
    for old in olds - news:
        if "zero-vacated" not in forget:
            im.b[im.at(old):im.at(old) + im.isize] = b"\0" * im.isize
    for old, new in moves.items():
        im.b[im.at(new):im.at(new) + im.isize] = raws[old]
        if "inode-csum" not in forget:
            im.set_inode_csum(new)
        if "extent-csum" not in forget:
            im.set_extent_csums(new)
    for old, new in moves.items():
        for g, sign in (((old - 1) // im.ipg, 1), ((new - 1) // im.ipg, -1)):
            if "free-count" not in forget:
                im.put(g, 0xe, 0x2e, im.get(g, 0xe, 0x2e) + sign)
            if isdir[old] and "dirs-count" not in forget:
                im.put(g, 0x10, 0x30, im.get(g, 0x10, 0x30) - sign)
    rewrite_names(im, moves, dirs, forget)
    for owner, ea in refs:
        if (owner in moves and im.u32(im.at(ea) + 16) == owner and
                "lustre-mtime" not in forget):
            im.p32(im.at(ea) + 16, moves[owner])
            im.set_inode_csum(ea)
    for n in olds | news:
        g, i = divmod(n - 1, im.ipg)
        at = im.bitmap(g) + i // 8
        if n in news and "bit-set" not in forget:
            im.b[at] |= 1 << i % 8
        if n not in news and "bit-clear" not in forget:
            im.b[at] &= ~(1 << i % 8)
    for g in {(n - 1) // im.ipg for n in olds | news}:
        if "bitmap-csum" not in forget:
            im.set_bitmap_csum(g)
        if "desc-csum" not in forget:
            im.set_desc_csum(g)


def change(im, what, args):
    if what == "time":
        ino = im.lookup(args[0])
        im.p32(im.at(ino) + 16, im.u32(im.at(ino) + 16) + 1)
        im.set_inode_csum(ino)
    elif what == "generation":
        ino = im.lookup(args[0])
        im.p32(im.at(ino) + 100, im.gen(ino) + 1)
        im.set_inode_csum(ino)
        im.set_extent_csums(ino)
    elif what == "name":
        up, at = im.entry(args[0])
        im.b[at + 8] = ord("Z")
        im.set_dir_csums(up)
    elif what == "swap-names":
        (up, a), (other, b) = im.entry(args[0]), im.entry(args[1])
        x, y = im.u32(a), im.u32(b)
        im.p32(a, y)
        im.p32(b, x)
        im.set_dir_csums(up)
        im.set_dir_csums(other)
    elif what == "type":
        up, at = im.entry(args[0])
        im.b[at + 7] = 7
        im.set_dir_csums(up)
    elif what == "links":
        ino = im.lookup(args[0])
        im.p16(im.at(ino) + 26, im.u16(im.at(ino) + 26) + 1)
        im.set_inode_csum(ino)
    elif what == "padding":
        im.b[im.bitmap(0) + im.bs - 1] = 0x7f
    elif what == "extent":
        # One more block in an extent, where only the extent block tells.
        ino = im.lookup(args[0])
        node = im.tree(ino)[0][0]
        im.p16(node + 12 + 4, im.u16(node + 12 + 4) + 1)
        im.set_extent_csums(ino)
    elif what == "ea-ref":
        # Two files' values exchanged, the numbers of EA inodes in attributes.
        e, f = (next(e for e, _ in im.xattrs(im.lookup(p)) if im.u32(e + 4))
                for p in args)
        x, y = im.u32(e + 4), im.u32(f + 4)
        im.p32(e + 4, y)
        im.p32(f + 4, x)
        for path in args:
            im.set_inode_csum(im.lookup(path))
    elif what == "lustre":
        # The value's inode points back to its owner, as Lustre has it.
        ino = im.lookup(args[0])
        ea = next(im.u32(e + 4) for e, _ in im.xattrs(ino) if im.u32(e + 4))
        im.p32(im.at(ea) + 16, ino)
        im.p32(im.at(ea) + 100, im.gen(ino))
        im.set_inode_csum(ea)
    elif what == "super-free":
        im.p32(im.sb + 16, im.u32(im.sb + 16) - 1)
        im.p32(im.sb + 1020, crc32c(0xffffffff, im.b[im.sb:im.sb + 1020]))
    elif what == "super-csum":
        im.b[im.sb + 1020] ^= 1
    elif what in ("slot", "slot-csum"):
        # A deleted inode that never was deleted, or whose checksum is stale.
        ino = next(i for i in range(im.first_ino, im.inodes)
                   if im.visible(i) and im.u32(im.at(i) + 20))
        if what == "slot":
            im.p32(im.at(ino) + 20, 0)
            im.set_inode_csum(ino)
        else:
            im.b[im.at(ino) + 100] ^= 1
    else:
        sys.exit("what is " + what)


def plan(im):
    """Chains over the mark, into a group never used, a cycle, a swap."""
    free = [i for i in range(im.first_ino, im.inodes + 1) if not (
        im.visible(i) and im.b[im.bitmap((i - 1) // im.ipg) +
                               (i - 1) % im.ipg // 8] >> (i - 1) % im.ipg % 8 & 1)]
    mark = im.ipg - im.unused(0)
    beyond = mark + 6			# leaves a gap of six slots
    never = [g for g in range(im.groups) if im.flags(g) & 1][0]
    into = never * im.ipg + 1 + 37
    assert beyond in free and into in free
    f = {n: im.lookup("/" + n) for n in (
        "a/tree", "a/two", "a/f0", "a/f1", "b/f0", "b/f1", "b/f2", "b/f3")}
    moves = {f["a/tree"]: beyond, f["a/two"]: f["a/tree"],	# a chain
             f["a/f0"]: into,
             f["b/f0"]: f["b/f1"], f["b/f1"]: f["b/f2"], f["b/f2"]: f["b/f0"]}
    for old, new in moves.items():
        print(old, new)


def main():
    what, path, args = sys.argv[1], sys.argv[2], sys.argv[3:]
    im = Image(path)
    if what == "find":
        print(im.lookup(args[0]))
    elif what == "plan":
        plan(im)
    elif what == "move":
        with open(args[0]) as f:
            moves = dict(tuple(map(int, line.split())) for line in f)
        assert set(args[1:]) <= set(STEPS), args
        move(im, moves, args[1:])
        im.save()
    else:
        change(im, args[0], args[1:])
        im.save()


main()
