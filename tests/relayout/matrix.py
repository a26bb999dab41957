#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""matrix.py [--sample N --seed S] [--only TEXT] [--variants V,...]

Every file system of the table `shapes`, filled with some of everything, under
every variant of relayout.  After each: exit status 0, e2fsck -fn finds nothing,
the manifest is as before, each inode has the number that the plan or the map
gives it.  Works in the current directory; --sample: N shapes only, of which
every variant but three is left out."""
import argparse
import os
import random
import shlex
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from manifest import Image, differences, manifest, read_names	# noqa: E402
from plans import make_plan, text_of	# noqa: E402

E2SPREAD = os.environ["E2SPREAD"]
UUID = "5a373983-0000-4000-8000-000000000001"

VARIANTS = {
    "permute": ("permute", []),
    "high": ("high", []),
    "cycle": ("cycle", []),
    "creation": (None, ["--policy", "spread", "--order", "creation"]),
    "dir": (None, ["--policy", "spread", "--order", "dir"]),
    "hash": (None, ["--policy", "spread", "--order", "hash"]),
    "move-dirs": (None, ["--policy", "spread", "--move-dirs"]),
    "permute-dirs": ("dirs", ["--move-dirs"]),
}


class Failed(Exception):
    pass


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def must(*command):
    status, words = run(*command)
    if status:
        raise Failed(f"{shlex.join(command)}: exit status {status}\n{words}")
    return words


class Shape:
    def __init__(self, line):
        self.line = line
        self.how, self.size, *self.options = line.split()

    def option(self, name, default):
        return (int(self.options[self.options.index(name) + 1])
                if name in self.options else default)

    def populate(self, top):
        """Fills TOP; the distance between extents is a cluster at least."""
        block = max(self.option("-b", 4096), self.option("-C", 0))
        ea = 0
        if "ea_inode" in self.line:
            ea = 20000 if self.option("-b", 4096) == 4096 else 9000
        must("python3", f"{here}/populate.py", "--block", str(block),
             "--ea", str(ea), top)

    def make(self, path):
        command = ["mke2fs", "-q", "-F", "-U", UUID, *self.options]
        extended = "hash_seed=5a373983-0000-4000-8000-000000000002"
        if "-E" in command:
            command[command.index("-E") + 1] += "," + extended
        else:
            command += ["-E", extended]
        if self.how in ("dir", "quota"):
            os.mkdir("source")
            self.populate("source")
            must(*command, "-d", "source", path, self.size)
            must("rm", "-r", "source")
        else:
            must(*command, path, self.size)
            os.makedirs("mnt", exist_ok=True)
            must("mount", "-o", "loop", path, "mnt")
            try:
                self.populate("mnt")
            finally:
                must("umount", "mnt")
        if self.how == "quota":
            run("e2fsck", "-fy", path)
        status, words = run("e2fsck", "-fn", path)
        if status:
            raise Failed(f"e2fsck of the new image: {words}")


def places(path):
    return {name: inode.ino for name, inode in read_names(Image(path)).items()}


def expected_moves(kind, seed, image, arguments):
    """Writes the plan file, if there is to be one; returns what must move."""
    if not kind:
        return None
    plan = make_plan(kind, seed, image)
    with open("plan", "w") as f:
        f.write(text_of(plan, image))
    arguments += ["--plan", "plan"]
    return plan


def try_variant(shape, name, seed, base, before, mounted):
    kind, arguments = VARIANTS[name]
    arguments = list(arguments)
    image = Image(base)
    plan = expected_moves(kind, seed, image, arguments)
    if not image.compat & 4:
        arguments += ["--redo", "redo"]
    must("cp", "--sparse=always", base, "work.img")
    old = places("work.img")
    must(E2SPREAD, "relayout", "-y", "-q", "--map", "map", *arguments,
         "work.img")
    with open("map") as f:
        mapped = dict(map(int, line.split("\t")) for line in f)
    if plan is not None and mapped != {o: n for o, n in plan.items()
                                       if o != n}:
        raise Failed("the map is not the plan")
    if kind and not mapped:
        raise Failed("nothing has moved")
    must("e2fsck", "-fn", "work.img")
    new = places("work.img")
    wrong = [path for path in old
             if new.get(path) != mapped.get(old[path], old[path])]
    if wrong:
        raise Failed(f"{len(wrong)} of {len(old)} numbers not as mapped, "
                     f"first {wrong[0]}")
    words = list(differences(before, manifest("work.img", mounted)))
    if words:
        raise Failed("manifest:\n" + "\n".join(words[:5]))
    for file in ("work.img", "map", "plan", "redo"):
        if os.path.exists(file):
            os.unlink(file)
    return len(mapped)


def try_refused(base):
    before = must("sha256sum", base)
    status, words = run(E2SPREAD, "relayout", "-y", "-f", base)
    if status != 4 or must("sha256sum", base) != before:
        raise Failed(f"exit status {status}: {words}")


def try_shape(shape, variants, seed):
    if os.path.exists("base.img"):
        os.unlink("base.img")
    shape.make("base.img")
    if shape.how == "refused":
        try_refused("base.img")
        print(f"ok {shape.line}", flush=True)
        return 0
    mounted = shape.how == "mount"
    before = manifest("base.img", mounted)
    failed = 0
    moved = []
    for name in variants:
        try:
            moved.append(f"{name} " + str(
                try_variant(shape, name, seed, "base.img", before, mounted)))
        except Failed as e:
            print(f"FAILED {shape.line}: {name}: {e}", flush=True)
            failed += 1
    print(f"ok {shape.line}: {', '.join(moved)}", flush=True)
    return failed


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--sample", type=int)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--only", default="")
    ap.add_argument("--variants", default=",".join(VARIANTS))
    a = ap.parse_args()
    with open(f"{here}/shapes") as f:
        shapes = [Shape(line.strip()) for line in f if line[0] != "#"]
    shapes = [shape for shape in shapes if a.only in shape.line]
    variants = a.variants.split(",")
    rng = random.Random(a.seed)
    if a.sample:
        shapes = rng.sample([s for s in shapes if "mmp" not in s.line],
                            a.sample)
    failed = 0
    for shape in shapes:
        chosen = rng.sample(variants, 3) if a.sample else variants
        try:
            failed += try_shape(shape, chosen, a.seed)
        except Failed as e:
            print(f"FAILED {shape.line}: {e}", flush=True)
            failed += 1
    print(f"{len(shapes)} file systems, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
