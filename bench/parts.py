# SPDX-License-Identifier: GPL-2.0-or-later
"""What bench/run measures, a function a part, and the table of them.  Each
takes the Bench and the names of the images it may use, and adds rows."""
import contextlib
import os
import re

from measure import (LoadEvents, Skip, Unmeasured, alternate, cold,
                     copy_image, loop, mounted, need_space, run, summary)

SCALE = ("rr1m", "rr4m", "rr16m")
CP_RUNS = 2			# of cp -a, which takes minutes
LONG_RUNS = 3			# of relayouts that only tell how it scales


def interrupted(error):
    """Whether it has only come of a signal that ends bench/run."""
    while error and not isinstance(error, (SystemExit, KeyboardInterrupt)):
        error = error.__context__
    return error is not None


class Bench:
    """OPTIONS and programs, and what has been measured, left out, or failed."""

    def __init__(self, options, helpers, images, scratch, stopwatch, say):
        self.options, self.helpers, self.images = options, helpers, images
        self.scratch, self.time, self.say = scratch, stopwatch, say
        self.e2spread, self.runs = options.e2spread, options.runs
        # At smoke size others may be measuring something, too.
        self.alone = options.size == "full"
        self.rows, self.skipped, self.failed = [], [], []

    @contextlib.contextmanager
    def attempt(self, part, what):
        """What cannot be measured here, or fails, does not keep the rest."""
        try:
            yield
        except (Skip, Unmeasured) as reason:
            if interrupted(reason):
                raise
            skip = isinstance(reason, Skip)
            self.say(f"{part}: {what}: {'left out' if skip else 'FAILED'}: "
                     f"{reason}")
            (self.skipped if skip else self.failed).append(
                {"part": part, "what": what, "reason": str(reason)})

    def need_mount(self):
        if not self.images.can_mount:
            raise Skip("needs root and a mount")

    def add(self, part, image, state, samples, **more):
        for command, taken in samples.items():
            self.rows.append({"part": part, "image": image.name,
                              "state": state, "command": command,
                              "inodes": image.inodes_used, **more,
                              **summary(taken)})

    @contextlib.contextmanager
    def copy(self, path, name="copy.img"):
        target = os.path.join(self.scratch, name)
        try:
            yield copy_image(path, target)
        finally:
            if os.path.exists(target):
                os.unlink(target)

    def relayout(self, path):
        """Of a copy; PATH stays as it is."""
        with self.copy(path) as copy:
            return self.time(self.e2spread, "relayout", "-y", "-q", "-f", copy)


# report

def part_report(bench, names):
    for name in names:
        with bench.attempt("report", name):
            image = bench.images.get(name)
            bench.say(f"report: {name}")
            places = os.path.join(bench.scratch, "places")
            with open(places, "w", encoding="ascii") as file:
                run(bench.helpers["reader"], "find", image.path, stdout=file)

            def commands(device):
                return {
                    "report": (bench.e2spread, "report", device),
                    "report-1": (bench.e2spread, "report", "--threads", "1",
                                 device),
                    "e2fsck": ("e2fsck", "-fn", device),
                    "read": (bench.helpers["reader"], "read", device, places)}

            bench.add("report", image, "hot", alternate(bench.runs, {
                command: lambda words=words: bench.time(*words)
                for command, words in commands(image.path).items()},
                warm_up=True))
            with bench.attempt("report", f"{name}, cold"):
                bench.need_mount()
                with loop(image.path, "-r") as device:
                    bench.add("report", image, "cold", alternate(bench.runs, {
                        command: lambda words=words: cold(
                            device, image.path,
                            lambda: bench.time(*words), bench.alone)
                        for command, words in commands(device).items()
                        if command != "report-1"}))


# relayout

def changed_bytes(bench, image):
    """What its plan is to write in place, in bytes."""
    out = run(bench.e2spread, "relayout", "-n", "-f", image.path)
    blocks = re.search(r"^  to write: (\d+) blocks in place", out, re.M)
    size = re.search(r"^Block size: +(\d+)$",
                     run("dumpe2fs", "-h", image.path), re.M)
    if not blocks or not size or not int(blocks[1]):
        raise Unmeasured(f"relayout -n does not say what it will write: {out}")
    return int(blocks[1]) * int(size[1])


def write(bench, bytes_):
    target = os.path.join(bench.scratch, "written")
    need_space(bench.scratch, bytes_)
    try:
        return bench.time(bench.helpers["writer"], target, str(bytes_))
    finally:
        if os.path.exists(target):
            os.unlink(target)


def copy_files(bench, image):
    """cp -a into a new file system of the same kind, to the disk."""
    target = os.path.join(bench.scratch, "new.img")
    need_space(bench.scratch, os.stat(image.path).st_blocks * 512)
    try:
        bench.images.mke2fs(image.name, target)
        with loop(image.path) as old, mounted(old, "ro") as source, \
                loop(target) as new, mounted(new) as point:
            return bench.time("sh", "-c", 'cp -a "$0/." "$1" && sync -f "$1"',
                              source, point)
    finally:
        if os.path.exists(target):
            os.unlink(target)


def part_relayout(bench, names):
    for name in names:
        with bench.attempt("relayout", name):
            image = bench.images.get(name)
            bench.say(f"relayout: {name}")
            changed = changed_bytes(bench, image)
            samplers = {"relayout": lambda: bench.relayout(image.path),
                        "write": lambda: write(bench, 2 * changed)}
            with bench.attempt("relayout", f"{name}, cp -a"):
                bench.need_mount()
                samplers["cp"] = lambda: copy_files(bench, image)
            runs = dict.fromkeys(samplers, bench.runs)
            runs["cp"] = min(bench.runs, CP_RUNS)
            bench.add("relayout", image, "hot", alternate(runs, samplers),
                      changed_bytes=changed)


# What relayout is for

def list_cold(bench, path, top):
    with loop(path) as device, mounted(device, "ro") as point, \
            contextlib.closing(LoadEvents(device)) as events:
        return cold(device, path, lambda: bench.time(
            "ls", "-l", os.path.join(point, top, "d0")), bench.alone, events)


def fill_cold(bench, path, create):
    """A task for each directory, all at once; on a copy of PATH."""
    with bench.copy(path) as copy, loop(copy) as device, \
            mounted(device, "noinit_itable") as point, \
            contextlib.closing(LoadEvents(device)) as events:
        return cold(device, copy, lambda: bench.time(
            bench.helpers["create"], "fill", os.path.join(point, create[1]),
            create[2], str(int(create[3]) // 2)), bench.alone, events)


def thin(bench, path, create):
    with loop(path) as device, mounted(device, "noinit_itable") as point:
        run(bench.helpers["create"], "thin", os.path.join(point, create[1]),
            *create[2:4])


def part_effect(bench, names):
    for name in names:
        with bench.attempt("effect", name), contextlib.ExitStack() as stack:
            bench.need_mount()
            image = bench.images.get(name)
            bench.say(f"effect: {name}")
            create = image.create
            before, after, thin_before, thin_after = (
                stack.enter_context(bench.copy(image.path, file))
                for file in ("before", "after", "thin-before", "thin-after"))
            for path in after, thin_after:
                run(bench.e2spread, "relayout", "-y", "-q", "-f", path)
            for path in thin_before, thin_after:
                thin(bench, path, create)
            for command, do, paths in (
                    ("ls", lambda path: list_cold(bench, path, create[1]),
                     (before, after)),
                    ("refill", lambda path: fill_cold(bench, path, create),
                     (thin_before, thin_after)),
                    ("create", lambda path: fill_cold(bench, path, create),
                     (before, after))):
                samples = alternate(bench.runs, {
                    state: lambda path=path: do(path)
                    for state, path in zip(("before", "after"), paths)})
                for state, taken in samples.items():
                    bench.add("effect", image, state, {command: taken})


# simulate and mballoc

def part_model(bench, names):
    with bench.attempt("model", "simulate"):
        image = bench.images.get("empty16m")
        samplers = {}
        for name in SCALE:
            # As many as in the image of that name.
            dirs, files, *copies = map(int, bench.images.recipe(name)[2:])
            tasks = dirs * (copies[0] if copies else 1)
            samplers[tasks * files] = \
                lambda tasks=tasks, files=files: bench.time(
                    bench.e2spread, "simulate", "--tasks", str(tasks),
                    "--files", str(files), image.path)
        bench.say("model: simulate")
        for inodes, taken in alternate(bench.runs, samplers).items():
            bench.add("model", image, "hot", {"simulate": taken},
                      created=inodes)
    for name in names:
        if name == "empty16m":
            continue
        with bench.attempt("model", f"mballoc, {name}"):
            image = bench.images.get(name)
            bench.say(f"model: mballoc: {name}")
            samplers = {"mballoc": lambda: bench.time(
                bench.e2spread, "mballoc", image.path)}
            if name == "groups1m":
                samplers["mballoc-tasks"] = lambda: bench.time(
                    bench.e2spread, "mballoc", "--request", "512", "--tasks",
                    "16", image.path)
            bench.add("model", image, "hot",
                      alternate(bench.runs, samplers, warm_up=True))


# Time and memory an inode

def part_scale(bench, names):
    images = {}
    for name in names:
        with bench.attempt("scale", name):
            images[name] = bench.images.get(name)
    bench.say(f"scale: report: {', '.join(images)}")
    with bench.attempt("scale", "report"):
        samples = alternate(bench.runs, {
            name: lambda image=image: bench.time(bench.e2spread, "report",
                                                 image.path)
            for name, image in images.items()}, warm_up=True)
        for name, taken in samples.items():
            bench.add("scale", images[name], "hot", {"report": taken})
    samplers = {}
    for name, image in images.items():
        with bench.attempt("scale", f"relayout, {name}"):
            changed = changed_bytes(bench, image)
            # The copy, its journal, and the tables it grows into.
            need_space(bench.scratch,
                       max(os.stat(image.path).st_blocks * 1024 + (2 << 30),
                           2 * changed))
            samplers[name, "relayout"] = \
                lambda image=image: bench.relayout(image.path)
            samplers[name, "write"] = \
                lambda changed=changed: write(bench, 2 * changed)
    bench.say("scale: relayout, and a plain write of as much: "
              f"{', '.join(dict.fromkeys(name for name, _ in samplers))}")
    with bench.attempt("scale", "relayout"):
        samples = alternate(min(bench.runs, LONG_RUNS), samplers)
        for (name, command), taken in samples.items():
            bench.add("scale", images[name], "hot", {command: taken})


# name: (what it measures, on which images, how).
PARTS = {
    "report": ("report, e2fsck -fn and the plain read of the same bytes",
               ("rr1m", "tree", "links", "1k", "empty", "rr16m"), part_report),
    "relayout": ("relayout, a plain write of as much, and cp -a",
                 ("rr1m", "tree"), part_relayout),
    "effect": ("what listing and filling directories reads before and after "
               "relayout", ("rr1m",), part_effect),
    "model": ("simulate and mballoc", ("empty16m",) + SCALE + ("groups1m",),
              part_model),
    "scale": ("report, relayout and a plain write of as much: time and memory "
              "an inode",
              SCALE + ("tree", "tree16m", "empty16m"), part_scale),
}
