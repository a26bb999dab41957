#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""populate.py [--block N] [--ea BYTES] [--flags] DIR

Fills DIR with some of everything: 1000 files, hard links inside and across
directories, all file types, attributes that files share and ones they do not,
ACLs, files of 1000 and 3000 extents, a large directory, tiny ones, deleted
files in between.  The same on every run but for the times.  --block: distance
between the extents; --ea: a value that long on three files."""
import argparse
import os
import random
import socket
import struct


def acl(*entries):
    """system.posix_acl_*: version 2, then (tag, permissions, id)."""
    return struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", *entry) for entry in entries)


NOBODY = 0xffffffff
ACCESS = acl((1, 6, NOBODY), (2, 7, 1234), (4, 4, NOBODY), (16, 7, NOBODY),
             (32, 4, NOBODY))


def setxattr(path, name, value):
    try:
        os.setxattr(path, name, value)
        return True
    except OSError:
        return False


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def holes(path, extents, block):
    """A file of so many extents: every other block is a hole."""
    with open(path, "wb") as f:
        for i in range(extents):
            f.seek(2 * i * block)
            f.write(b"%d" % i)
        f.truncate(2 * extents * block)


def fill_directories(top, rng):
    paths = []
    for d in range(10):
        os.mkdir(f"{top}/d{d}")
        os.mkdir(f"{top}/d{d}/sub")
        os.mkdir(f"{top}/d{d}/empty")
    # In turn, so that siblings share itable blocks.
    for f in range(100):
        for d in range(10):
            where = f"{top}/d{d}" if f % 3 else f"{top}/d{d}/sub"
            path = f"{where}/file{f}-{'x' * rng.randrange(40)}"
            write(path, rng.randbytes(rng.choice(
                (0, 0, 10, 59, 60, 61, 100, 159, 160, 500, 5000))))
            paths.append(path)
    for path in rng.sample(paths, 120):
        os.unlink(path)
        paths.remove(path)
    return paths


def fill_kinds(top):
    os.mkdir(f"{top}/kinds")
    os.symlink("short", f"{top}/kinds/short")
    os.symlink("m" * 100, f"{top}/kinds/middle")
    os.symlink("l" * 900, f"{top}/kinds/long")
    os.mkfifo(f"{top}/kinds/fifo")
    os.mknod(f"{top}/kinds/char", 0o20600, os.makedev(5, 1))
    os.mknod(f"{top}/kinds/block", 0o60600, os.makedev(300, 70000))
    with socket.socket(socket.AF_UNIX) as s:
        here = os.open(".", os.O_RDONLY)
        os.chdir(f"{top}/kinds")
        s.bind("socket")
        os.fchdir(here)
        os.close(here)
    write(f"{top}/kinds/owned", b"x")
    os.chown(f"{top}/kinds/owned", 70000, 80000)
    os.chmod(f"{top}/kinds/owned", 0o6751)
    os.utime(f"{top}/kinds/owned", ns=(1, 1234567890123456789))
    for i in range(20):
        os.mkdir(f"{top}/kinds/tiny{i}")
        if i % 2:
            write(f"{top}/kinds/tiny{i}/a", b"tiny")


def fill_links(top, paths, rng):
    for i, path in enumerate(rng.sample(paths, 40)):
        os.link(path, f"{os.path.dirname(path)}/again{i}")
        os.link(path, f"{top}/d{rng.randrange(10)}/elsewhere{i}")
    os.link(f"{top}/kinds/fifo", f"{top}/d3/fifo")
    os.link(f"{top}/kinds/long", f"{top}/d4/long", follow_symlinks=False)


def fill_xattrs(paths, rng, ea_bytes):
    chosen = rng.sample(paths, 60)
    for path in chosen[:30]:		# a block that they share
        setxattr(path, "user.shared", b"s" * 500)
    for i, path in enumerate(chosen[30:40]):
        setxattr(path, "user.private", b"%d" % i * 400)
    for i, path in enumerate(chosen[40:50]):
        setxattr(path, "user.small", b"%d" % i)
        setxattr(path, "security.selinux", b"system_u:object_r:t:s0\0")
    for path in chosen[50:]:
        setxattr(path, "system.posix_acl_access", ACCESS)
    setxattr(os.path.dirname(chosen[0]), "system.posix_acl_default", ACCESS)
    if ea_bytes:
        for path in chosen[:3]:
            setxattr(path, "user.large", b"L" * ea_bytes)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--block", type=int, default=4096)
    ap.add_argument("--ea", type=int, default=0)
    ap.add_argument("dir")
    a = ap.parse_args()
    rng = random.Random(7)
    os.umask(0o22)
    paths = fill_directories(a.dir, rng)
    fill_kinds(a.dir)
    fill_links(a.dir, paths, rng)
    fill_xattrs(paths, rng, a.ea)
    limit = 24 << 20
    for extents in (6, 1000, 3000):
        holes(f"{a.dir}/extents{extents}",
              min(extents, max(400, limit // a.block)), a.block)
    os.mkdir(f"{a.dir}/large")
    for i in range(400):
        write(f"{a.dir}/large/{'n' * 40}{i}", b"")


main()
