# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads an ext2, ext3 or ext4 image from its bytes, slowly and plainly.  A
witness of its own: it calls neither e2spread nor libext2fs, and believes that
the image is sound (e2fsck -fn)."""
import os
import struct

from dirhash import casefold, dirhash

COMPAT_JOURNAL, COMPAT_DIR_INDEX, COMPAT_ORPHAN_FILE = 4, 0x20, 0x1000
INCOMPAT_META_BG, INCOMPAT_64BIT, INCOMPAT_FLEX_BG = 0x10, 0x80, 0x200
INCOMPAT_LARGEDIR = 0x4000
RO_GDT_CSUM, RO_QUOTA, RO_BIGALLOC, RO_METADATA_CSUM = 16, 0x100, 0x200, 0x400
RO_PROJECT = 0x2000
INDEX_FL, EXTENTS_FL, EA_INODE_FL = 0x1000, 0x80000, 0x200000
INLINE_FL, CASEFOLD_FL = 0x10000000, 0x40000000
INODE_UNINIT = 1


def le16(data, at):
    return struct.unpack_from("<H", data, at)[0]


def le32(data, at):
    return struct.unpack_from("<I", data, at)[0]


class Group:
    def __init__(self, desc, wide):
        def both(low, high, size):
            read = le32 if size == 4 else le16
            value = read(desc, low)
            return value | read(desc, high) << 8 * size if wide else value
        self.itable = both(8, 0x28, 4)
        self.blocks_free = both(0xc, 0x2c, 2)
        self.inodes_free = both(0xe, 0x2e, 2)
        self.unused = both(0x1c, 0x32, 2)
        self.inode_uninit = bool(le16(desc, 0x12) & INODE_UNINIT)


class Inode:
    def __init__(self, ino, raw):
        self.ino, self.raw = ino, raw
        self.mode, self.links = le16(raw, 0), le16(raw, 26)
        self.flags = le32(raw, 32)

    def is_dir(self):
        return self.mode >> 12 == 4

    def has(self, flag):
        return bool(self.flags & flag)


class Image:
    def __init__(self, path, offset=0):
        self.fd, self.offset = os.open(path, os.O_RDONLY), offset
        sb = self.sb = os.pread(self.fd, 1024, offset + 1024)
        assert le16(sb, 56) == 0xef53, "no ext superblock"
        self.block_size = 1024 << le32(sb, 24)
        self.compat, self.incompat = le32(sb, 92), le32(sb, 96)
        self.ro_compat = le32(sb, 100)
        self.inodes, self.inodes_per_group = le32(sb, 0), le32(sb, 40)
        self.blocks = le32(sb, 4)
        if self.incompat & INCOMPAT_64BIT:
            self.blocks |= le32(sb, 0x150) << 32
        old = le32(sb, 76) == 0
        self.first_ino = 11 if old else le32(sb, 84)
        self.inode_size = 128 if old else le16(sb, 88)
        self.inodes_per_block = self.block_size // self.inode_size
        self.first_data_block = le32(sb, 20)
        self.blocks_per_group = le32(sb, 32)
        self.cluster_blocks = 1
        if self.ro_compat & RO_BIGALLOC:
            self.cluster_blocks = 1 << le32(sb, 28) - le32(sb, 24)
        self.group_csum = bool(self.ro_compat & (RO_GDT_CSUM |
                                                 RO_METADATA_CSUM))
        self.flex_size = 1
        if self.incompat & INCOMPAT_FLEX_BG:
            self.flex_size = 1 << sb[0x174]
        self.hash_seed = struct.unpack_from("<4I", sb, 0xec)
        self.hash_version = sb[0xfc]
        self.hash_unsigned = 3 if le32(sb, 0x160) & 2 else 0
        self.special = self.special_inodes()
        self.groups = self.read_groups()

    def special_inodes(self):
        numbers = {le32(self.sb, 0xe0) if self.compat & COMPAT_JOURNAL else 0}
        if self.ro_compat & (RO_QUOTA | RO_PROJECT):
            numbers |= {le32(self.sb, 0x240), le32(self.sb, 0x244),
                        le32(self.sb, 0x26c)}
        if self.compat & COMPAT_ORPHAN_FILE:
            numbers.add(le32(self.sb, 0x280))
        return numbers - {0}

    def read(self, block, count=1):
        size = count * self.block_size
        data = os.pread(self.fd, size,
                        self.offset + block * self.block_size)
        return data + bytes(size - len(data))

    def read_groups(self):
        count = -(-(self.blocks - self.first_data_block) //
                  self.blocks_per_group)
        wide = bool(self.incompat & INCOMPAT_64BIT)
        size = le16(self.sb, 0xfe) if wide else 32
        per_block = self.block_size // size
        groups = []
        for number in range(-(-count // per_block)):
            data = self.read(self.descriptor_block(number, per_block))
            for i in range(min(per_block, count - number * per_block)):
                groups.append(Group(data[i * size:(i + 1) * size],
                                    wide and size >= 64))
        return groups

    def descriptor_block(self, number, per_block):
        """Where the descriptor block NUMBER lies."""
        first_meta = le32(self.sb, 0x104)
        if not self.incompat & INCOMPAT_META_BG or number < first_meta:
            return self.first_data_block + 1 + number + (
                1 if self.block_size == 1024 and not self.first_data_block
                else 0)
        group = number * per_block
        block = self.first_data_block + group * self.blocks_per_group
        if group == 0 and self.block_size == 1024 and not block:
            block = 1
        return block + self.has_super(group)

    def has_super(self, group):
        if self.compat & 0x200:		# sparse_super2
            return group in (0, le32(self.sb, 0x24c), le32(self.sb, 0x250))
        if group <= 1 or not self.ro_compat & 1:
            return True
        if group % 2 == 0:
            return False
        for base in (3, 5, 7):
            power = base
            while power < group:
                power *= base
            if power == group:
                return True
        return False

    def itable_used(self, group):
        """Inodes of the group up to the high-water mark."""
        if not self.group_csum:
            return self.inodes_per_group
        if self.groups[group].inode_uninit:
            return 0
        return self.inodes_per_group - self.groups[group].unused

    def itable_blocks_used(self, group):
        return -(-self.itable_used(group) // self.inodes_per_block)

    def block_of(self, ino):
        """The absolute number of the itable block that holds INO."""
        group, index = divmod(ino - 1, self.inodes_per_group)
        return self.groups[group].itable + index // self.inodes_per_block

    def used_inodes(self):
        for number, group in enumerate(self.groups):
            count = self.itable_used(number)
            data = self.read(group.itable, self.itable_blocks_used(number))
            for i in range(count):
                raw = data[i * self.inode_size:(i + 1) * self.inode_size]
                if le16(raw, 26):
                    yield Inode(number * self.inodes_per_group + i + 1, raw)

    # Directories

    def extents(self, node, depth=0):
        """logical -> physical blocks under an extent node."""
        assert le16(node, 0) == 0xf30a and depth < 6
        for i in range(le16(node, 2)):
            at = 12 + 12 * i
            if le16(node, 6):
                child = le32(node, at + 4) | le16(node, at + 8) << 32
                yield from self.extents(self.read(child), depth + 1)
                continue
            length = le16(node, at + 4)
            length -= 32768 if length > 32768 else 0
            start = le32(node, at + 8) | le16(node, at + 6) << 32
            for j in range(length):
                yield le32(node, at) + j, start + j

    def indirect(self, block, depth, logical):
        span = (self.block_size // 4) ** depth
        if not block:
            return
        if depth == 0:
            yield logical, block
            return
        data = self.read(block)
        for i in range(self.block_size // 4):
            yield from self.indirect(le32(data, 4 * i), depth - 1,
                                     logical + i * (span //
                                                    (self.block_size // 4)))

    def blocks_of(self, inode):
        area = inode.raw[40:100]
        if inode.has(EXTENTS_FL):
            yield from self.extents(area)
            return
        for i in range(12):
            yield from self.indirect(le32(area, 4 * i), 0, i)
        logical = 12
        for depth in (1, 2, 3):
            yield from self.indirect(le32(area, 44 + 4 * depth), depth,
                                     logical)
            logical += (self.block_size // 4) ** depth

    def size_of(self, inode):
        size = le32(inode.raw, 4)
        if self.incompat & INCOMPAT_LARGEDIR:
            size |= le32(inode.raw, 108) << 32
        return size

    def rec_len(self, data, at, size):
        length = le16(data, at + 4)
        if self.block_size < 65536:
            return length
        if length in (0, 65535):
            return size
        return length & 65532 | (length & 3) << 16

    def entries(self, data):
        """(ino, name) of a block or of a piece of inline data."""
        at = 0
        while at + 8 <= len(data):
            ino, length = le32(data, at), self.rec_len(data, at, len(data))
            assert length >= 8 and at + length <= len(data), "bad rec_len"
            name = data[at + 8:at + 8 + data[at + 6]]
            if ino and name not in (b".", b".."):
                yield ino, name
            at += length

    def inline_pieces(self, inode):
        raw = inode.raw
        yield raw[44:100]
        start = 128 + le16(raw, 128)
        if self.inode_size <= 128 or le32(raw, start) != 0xea020000:
            return
        first = at = start + 4
        while le32(raw, at):
            length, index, offset = raw[at], raw[at + 1], le16(raw, at + 2)
            if index == 7 and raw[at + 16:at + 16 + length] == b"data":
                value = first + offset
                yield raw[value:value + le32(raw, at + 8)]
            at += -(-(16 + length) // 4) * 4

    def names(self, inode):
        """(ino, name) in the order in which they lie in the directory."""
        if inode.has(INLINE_FL):
            for piece in self.inline_pieces(inode):
                yield from self.entries(piece)
            return
        end = self.size_of(inode) // self.block_size
        for logical, block in sorted(self.blocks_of(inode)):
            if logical < end:
                yield from self.entries(self.read(block))

    def is_dx_dir(self, inode):
        """k: fs/ext4/dir.c is_dx_dir()"""
        return bool(self.compat & COMPAT_DIR_INDEX) and (
            inode.has(INDEX_FL) or inode.has(INLINE_FL) or
            self.size_of(inode) // self.block_size == 1)

    def readdir(self, inode):
        """(ino, name) in the order of getdents(2)."""
        names = list(self.names(inode))
        if not self.is_dx_dir(inode):
            return names
        version = self.hash_version
        if inode.has(INDEX_FL) and not inode.has(INLINE_FL):
            root = self.read(dict(self.blocks_of(inode))[0])
            version = root[28]
        version += self.hash_unsigned
        buckets = {}
        for ino, name in names:
            folded = casefold(name) if inode.has(CASEFOLD_FL) else name
            bucket = buckets.setdefault(
                dirhash(folded, version, self.hash_seed), [])
            # k: ext4_htree_store_dirent() puts a further name of the same
            # hash right behind the first.
            bucket.insert(1, (ino, name))
        return [entry for key in sorted(buckets) for entry in buckets[key]]
