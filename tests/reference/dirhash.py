#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The hashes of directory names (k: fs/ext4/hash.c), written apart from
e2spread and libext2fs.

dirhash.py VERSION SEED: reads names from stdin, one a line, and prints major
and minor hash of each."""
import struct
import sys
import unicodedata
import uuid

MASK = 0xffffffff
LEGACY, HALF_MD4, TEA = 0, 1, 2		# of signed characters; + 3 unsigned


def chars(name, signed):
    return [c - 256 if signed and c > 127 else c for c in name]


def words(piece, length, count, signed):
    """The next COUNT words of the name; PIECE starts where they start and
    LENGTH bytes of the name are left."""
    pad = length | length << 8
    pad = (pad | pad << 16) & MASK
    out, val = [], pad
    piece = chars(piece[:count * 4], signed)
    for i, c in enumerate(piece):
        val = (c + (val << 8)) & MASK
        if i % 4 == 3:
            out.append(val)
            val = pad
    if len(out) < count:
        out.append(val)
    while len(out) < count:
        out.append(pad)
    return out


def rotate(x, n):
    return (x << n | x >> (32 - n)) & MASK


def half_md4(buf, block):
    """Three rounds of eight steps: function, constant, which word, shift."""
    rounds = (
        (lambda x, y, z: z ^ (x & (y ^ z)), 0,
         (0, 1, 2, 3, 4, 5, 6, 7), (3, 7, 11, 19)),
        (lambda x, y, z: (x & y) + ((x ^ y) & z), 0o13240474631,
         (1, 3, 5, 7, 0, 2, 4, 6), (3, 5, 9, 13)),
        (lambda x, y, z: x ^ y ^ z, 0o15666365641,
         (3, 7, 2, 6, 1, 5, 0, 4), (3, 9, 11, 15)))
    state = list(buf)			# a b c d, and who is next to change
    for function, constant, order, shifts in rounds:
        for step, which in enumerate(order):
            a, b, c, d = ((4 - step + i) % 4 for i in range(4))
            sum_ = (state[a] + function(state[b], state[c], state[d]) +
                    block[which] + constant) & MASK
            state[a] = rotate(sum_, shifts[step % 4])
    return [(x + y) & MASK for x, y in zip(buf, state)]


def tea(buf, key):
    total, (x, y) = 0, buf[:2]
    for _ in range(16):
        total = (total + 0x9E3779B9) & MASK
        x = (x + (((y << 4) + key[0]) ^ (y + total) ^ ((y >> 5) + key[1]))
             ) & MASK
        y = (y + (((x << 4) + key[2]) ^ (x + total) ^ ((x >> 5) + key[3]))
             ) & MASK
    return [(buf[0] + x) & MASK, (buf[1] + y) & MASK, *buf[2:]]


def legacy(name, signed):
    last, before = 0x12a3fe2d, 0x37abe8f9
    for c in chars(name, signed):
        new = (before + (last ^ (c * 7152373 & MASK))) & MASK
        if new & 0x80000000:
            new = (new - 0x7fffffff) & MASK
        last, before = new, last
    return last << 1 & MASK


def dirhash(name, version, seed):
    """(major, minor) of NAME (bytes); SEED is four words, all 0 for none."""
    signed = version < 3
    buf = list(seed) if any(seed) else [
        0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
    if version % 3 == LEGACY:
        major, minor = legacy(name, signed), 0
    elif version % 3 == HALF_MD4:
        for at in range(0, len(name), 32):
            buf = half_md4(buf, words(name[at:], len(name) - at, 8, signed))
        major, minor = buf[1], buf[2]
    else:
        for at in range(0, len(name), 16):
            buf = tea(buf, words(name[at:], len(name) - at, 4, signed))
        major, minor = buf[0], buf[1]
    major &= ~1
    if major == 0xfffffffe:		# would be the end of the directory
        major = 0xfffffffc
    return major, minor


def casefold(name):
    """What a +F directory hashes; names that are no UTF-8 stay."""
    try:
        text = unicodedata.normalize("NFD", name.decode())
    except UnicodeDecodeError:
        return name
    return unicodedata.normalize("NFD", text.casefold()).encode()


def seed_words(text):
    return struct.unpack("<4I", uuid.UUID(text).bytes)


if __name__ == "__main__":
    for line in sys.stdin.buffer.read().splitlines():
        print("0x%x 0x%x" % dirhash(line, int(sys.argv[1]),
                                      seed_words(sys.argv[2])))
