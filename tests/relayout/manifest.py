#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manifest.py [--mount] IMAGE
       manifest.py --compare BEFORE AFTER

Prints a line of JSON for each name of the file system: all that a relayout
must leave as it is, and nothing that depends on inode numbers.  Times of
access are left out.  Inodes and names are read from the bytes of the image;
contents, targets and attributes through a read-only mount, or else with
debugfs.  --compare tells the lines that differ."""
import argparse
import hashlib
import json
import os
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../reference"))
from image import INLINE_FL, Image, le16, le32	# noqa: E402

XATTR_MAGIC = 0xea020000


def text(name):
    return name.decode(errors="surrogateescape")


def digest(data):
    return hashlib.sha256(data).hexdigest()


def read_names(image):
    """path -> inode, directories first."""
    used = {inode.ino: inode for inode in image.used_inodes()}
    names, todo = {b"/": used[2]}, [(b"", used[2])]
    while todo:
        path, directory = todo.pop()
        for ino, name in image.names(directory):
            inode = used[ino]
            names[path + b"/" + name] = inode
            if inode.is_dir():
                todo.append((path + b"/" + name, inode))
    return names


def is_inline_dir(inode):
    return inode.is_dir() and inode.has(INLINE_FL)


def raw_fields(image, inode):
    """What the inode says, but for its checksum and its time of access."""
    raw = inode.raw
    fields = {
        "mode": oct(inode.mode), "links": inode.links,
        "uid": le16(raw, 2) | le16(raw, 120) << 16,
        "gid": le16(raw, 24) | le16(raw, 122) << 16,
        "size": le32(raw, 4) | le32(raw, 108) << 32,
        "ctime": le32(raw, 12), "mtime": le32(raw, 16),
        "dtime": le32(raw, 20), "blocks": raw[28:32].hex() + raw[116:118].hex(),
        "flags": hex(inode.flags), "version": le32(raw, 36),
        "generation": le32(raw, 100),
        "file_acl": raw[104:108].hex() + raw[118:120].hex(),
        "faddr": le32(raw, 112),
    }
    if not is_inline_dir(inode):
        fields["block"] = raw[40:100].hex()
    if image.inode_size == 128:
        return fields
    extra = le16(raw, 128)
    # i_ctime_extra, i_mtime_extra; behind i_atime_extra the time of creation,
    # i_version_hi and i_projid.
    fields["extra"] = [extra, raw[132:min(140, 128 + extra)].hex(),
                       raw[144:max(144, 128 + extra)].hex()]
    if not is_inline_dir(inode):
        fields["in_inode"] = digest(raw[128 + extra:])
    return fields


def acl_block(image, inode):
    block = le32(inode.raw, 104)
    if image.incompat & 0x80:
        block |= le16(inode.raw, 118) << 32
    return digest(image.read(block)) if block else None


class Mounted:
    """Contents and attributes as the kernel sees them."""

    def __init__(self, path):
        self.top = tempfile.mkdtemp(prefix="manifest.", dir=".")
        subprocess.run(["mount", "-o", "loop,ro", path, self.top], check=True)

    def close(self):
        subprocess.run(["umount", self.top], check=True)
        os.rmdir(self.top)

    def read(self, path, inode):
        full = os.fsencode(self.top) + path
        st = os.lstat(full)
        assert st.st_ino == inode.ino, f"{path}: {st.st_ino}, {inode.ino}"
        fields = {"rdev": st.st_rdev, "ns": [st.st_mtime_ns, st.st_ctime_ns],
                  "xattrs": {}}
        for name in os.listxattr(full, follow_symlinks=False):
            value = os.getxattr(full, name, follow_symlinks=False)
            fields["xattrs"][name] = digest(value)
        if stat.S_ISLNK(st.st_mode):
            fields["target"] = text(os.readlink(full))
        if stat.S_ISREG(st.st_mode):
            with open(full, "rb") as f:
                fields["sha256"] = hashlib.file_digest(f, "sha256").hexdigest()
        return fields

    def listed(self):
        """All paths that readdir gives."""
        top = os.fsencode(self.top)
        for where, dirs, files in os.walk(top):
            for name in dirs + files:
                yield os.path.join(where, name)[len(top):]


class Debugged:
    """The same as far as debugfs can tell: contents."""

    def __init__(self, path, names):
        self.dir = tempfile.TemporaryDirectory(prefix="manifest.", dir=".")
        regular = {i.ino for i in names.values() if stat.S_ISREG(i.mode)}
        script = "".join(f"dump <{ino}> {self.dir.name}/{ino}\n"
                         for ino in sorted(regular))
        script += "".join(f"stat <{ino}>\n" for ino in sorted(
            {i.ino for i in names.values() if stat.S_ISLNK(i.mode)}))
        done = subprocess.run(["debugfs", "-f", "-", path], input=script,
                              capture_output=True, text=True,
                              errors="surrogateescape")
        self.targets = {}
        ino = None
        for line in done.stdout.splitlines():
            if line.startswith("Inode: "):
                ino = int(line.split()[1])
            if line.startswith("Fast link dest: "):
                self.targets[ino] = line[16:]

    def close(self):
        self.dir.cleanup()

    def read(self, path, inode):
        fields = {"target": self.targets.get(inode.ino)}
        if stat.S_ISREG(inode.mode):
            with open(f"{self.dir.name}/{inode.ino}", "rb") as f:
                fields["sha256"] = hashlib.file_digest(f, "sha256").hexdigest()
        return fields


def manifest(path, mounted):
    image = Image(path)
    names = read_names(image)
    source = Mounted(path) if mounted else Debugged(path, names)
    first = {}
    rows = []
    try:
        if mounted:
            listed = set(source.listed()) | {b"/"}
            assert listed == set(names), listed ^ set(names)
        for name in sorted(names):
            inode = names[name]
            # The name that stands for all names of an inode.
            first.setdefault(inode.ino, name)
            row = {"path": text(name), "same_as": text(first[inode.ino])}
            row.update(raw_fields(image, inode))
            row["acl_block"] = acl_block(image, inode)
            row.update(source.read(name, inode))
            rows.append(row)
    finally:
        source.close()
    return rows


def differences(before, after):
    """Words on how two manifests differ; none when they do not."""
    old = {row["path"]: row for row in before}
    new = {row["path"]: row for row in after}
    for path in sorted(set(old) | set(new)):
        if path not in new or path not in old:
            yield f"{path!r}: {'is lost' if path in old else 'is new'}"
            continue
        for key in sorted(set(old[path]) | set(new[path])):
            was, now = old[path].get(key), new[path].get(key)
            if was != now:
                yield f"{path!r}: {key} was {was}, is {now}"


def load(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--mount", action="store_true")
    ap.add_argument("--compare", metavar="BEFORE")
    ap.add_argument("image")
    a = ap.parse_args()
    if a.compare:
        words = list(differences(load(a.compare), load(a.image)))
        for line in words[:20]:
            print(line)
        return 1 if words else 0
    for row in manifest(a.image, a.mount):
        print(json.dumps(row, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
