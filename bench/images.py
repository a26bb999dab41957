# SPDX-License-Identifier: GPL-2.0-or-later
"""The images that bench/run measures on: how each is made, and the cache that
keeps them between runs."""
import json
import os
import re
import shutil
import tempfile
import time

from measure import Skip, loop, mounted, need_space, run, sync_file

UUID = "11111111-2222-3333-4444-555555555555"
FAKE_TIME = "1790000000"


class Recipe:
    """mke2fs's OPTIONS for an image of SIZE, and bench/create's arguments, if
    files are wanted: for "full" and for "smoke".  DISK_MIB is what it takes of
    the disk when full.  A change of VERSION, or of anything else here, makes
    the image anew."""

    def __init__(self, words, full, smoke, options="", version=1, disk_mib=64,
                 journal_last=False):
        self.words, self.full, self.smoke = words, full, smoke
        self.options, self.version = options.split(), version
        self.disk_mib, self.journal_last = disk_mib, journal_last

    def size(self, size):
        return getattr(self, size)[0]

    def create(self, size):
        return getattr(self, size)[1].split()


RECIPES = {
    "rr1m": Recipe(
        "16 sibling directories, 60000 empty files each, made round-robin",
        full=("64G", "round-robin p 16 60000"),
        smoke=("256M", "round-robin p 16 100"), disk_mib=800),
    "rr4m": Recipe(
        "one with 64 directories",
        full=("64G", "round-robin p 64 60000"),
        smoke=("1G", "round-robin p 64 100"), disk_mib=2000),
    "rr16m": Recipe(
        "16 such trees, one made after another; the journal is added "
        "afterwards",
        full=("256G", "round-robin p 16 60000 16"),
        smoke=("4G", "round-robin p 16 100 16"), options="-O ^has_journal",
        disk_mib=5500, journal_last=True),
    "tree": Recipe(
        "a source tree: nested directories, some with many files, some with "
        "few, of a block or two each",
        full=("64G", "tree p 60000 47"), smoke=("256M", "tree p 100 47"),
        version=2, disk_mib=1500),
    "tree16m": Recipe(
        "one with 16 times as many directories",
        full=("256G", "tree p 1000000 47"), smoke=("4G", "tree p 200 47"),
        disk_mib=11000),
    "links": Recipe(
        "ten copies of a tree, nine of them hard links",
        full=("64G", "links p 100 1000 10"),
        smoke=("256M", "links p 10 40 10"), disk_mib=300),
    "1k": Recipe(
        "as rr1m, with blocks of 1 KiB",
        full=("64G", "round-robin p 16 60000"),
        smoke=("256M", "round-robin p 16 100"), options="-b 1024",
        disk_mib=1000),
    "empty": Recipe(
        "nearly empty, 4 million inodes allocated",
        full=("64G", "round-robin p 4 4"), smoke=("1G", "round-robin p 4 4")),
    "empty16m": Recipe(
        "nearly empty, 16 million inodes allocated",
        full=("256G", "round-robin p 4 4"), smoke=("4G", "round-robin p 4 4")),
    "groups1m": Recipe(
        "a million groups of 1024 blocks of 1 KiB, no files",
        full=("1T", ""), smoke=("1G", ""), disk_mib=900,
        options="-b 1024 -g 1024 -O meta_bg,^resize_inode,^has_journal "
        "-i 262144"),
}


class Image:
    """CREATE: what bench/create was told."""

    def __init__(self, name, path, inodes_used, create):
        self.name, self.path = name, path
        self.inodes_used, self.create = inodes_used, create


class Images:
    """Makes images when they are asked for, and finds those made before.
    CREATE is the program bench/create; CAN_MOUNT: whether the kernel fills
    them, or mke2fs -d does, from a folder: slowly, so small ones only."""

    def __init__(self, directory, size, create, can_mount, config, say):
        self.directory, self.size, self.create = directory, size, create
        self.can_mount, self.say = can_mount, say
        self.env = {"MKE2FS_CONFIG": config, "E2FSPROGS_FAKE_TIME": FAKE_TIME}
        self.described = {}

    def path(self, name):
        return os.path.join(self.directory, f"{name}-{self.size}.img")

    def key(self, name):
        recipe = RECIPES[name]
        return {"version": recipe.version, "size": recipe.size(self.size),
                "mke2fs": recipe.options, "create": recipe.create(self.size),
                "journal_last": recipe.journal_last,
                "filled_by": "kernel" if self.can_mount else "mke2fs -d"}

    def cached(self, name):
        """What is written beside an image that is as its recipe says."""
        try:
            with open(self.path(name) + ".json", encoding="utf-8") as file:
                described = json.load(file)
        except (OSError, ValueError):
            return None
        return described if os.path.exists(self.path(name)) and \
            described["recipe"] == self.key(name) else None

    def get(self, name):
        described = self.cached(name)
        if not described:
            described = self.make(name)
        self.described[name] = described
        return Image(name, self.path(name), described["inodes_used"],
                     self.recipe(name))

    def recipe(self, name):
        return RECIPES[name].create(self.size)

    def mke2fs(self, name, path, *more):
        """An empty file system as the recipe wants it."""
        recipe = RECIPES[name]
        run("truncate", "-s", recipe.size(self.size), path)
        run("mke2fs", "-q", "-F", "-t", "ext4", "-U", UUID,
            "-E", "hash_seed=" + UUID, *recipe.options, *more, path,
            env=self.env)

    def make(self, name):
        recipe, path = RECIPES[name], self.path(name)
        if self.size == "full":
            if recipe.create("full") and not self.can_mount:
                raise Skip("to make the image takes root and a mount")
            need_space(self.directory, recipe.disk_mib << 20)
        self.say(f"making {name}: {recipe.words}")
        new, start = path + ".new", time.monotonic()
        for old in (path, path + ".json", new):
            if os.path.exists(old):
                os.unlink(old)
        self.fill(name, new)
        if recipe.journal_last:
            run("tune2fs", "-j", new, env=self.env)
        sync_file(new)
        os.rename(new, path)
        described = {"recipe": self.key(name), "words": recipe.words,
                     "inodes_used": inodes_used(path),
                     "bytes": os.path.getsize(path),
                     "disk_bytes": os.stat(path).st_blocks * 512,
                     "seconds_to_make": round(time.monotonic() - start, 1)}
        with open(path + ".json", "w", encoding="utf-8") as file:
            json.dump(described, file, indent=1)
        return described

    def fill(self, name, path):
        what = RECIPES[name].create(self.size)
        if not what:
            self.mke2fs(name, path)
        elif self.can_mount:
            self.mke2fs(name, path)
            # Without the thread that zeroes inode tables it is the same image
            # however long it was mounted.
            with loop(path) as device, mounted(device,
                                               "noinit_itable") as point:
                self.run_create(what, point)
        else:
            source = tempfile.mkdtemp()
            try:
                self.run_create(what, source)
                self.mke2fs(name, path, "-d", source)
            finally:
                shutil.rmtree(source)

    def run_create(self, what, point):
        run(self.create, what[0], os.path.join(point, what[1]), *what[2:])


def inodes_used(path):
    found = dict(re.findall(r"^(Inode count|Free inodes): +(\d+)$",
                            run("dumpe2fs", "-h", path), re.M))
    return int(found["Inode count"]) - int(found["Free inodes"])
