# SPDX-License-Identifier: GPL-2.0-or-later
"""How bench/run measures: programs, loop devices, mounts, caches, counters."""
import contextlib
import fcntl
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

TRACEFS = "/sys/kernel/tracing"
BLKFLSBUF = 0x1261
SPARE_BYTES = 3 << 30		# what is left on the disk whatever happens


class Unmeasured(Exception):
    """Something that should have worked has not."""


class Skip(Exception):
    """Something cannot be measured here; the reason."""


def run(*command, env=None, stdout=subprocess.PIPE):
    """Runs what is not timed; returns what it printed."""
    try:
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=stdout, text=True,
            stderr=subprocess.PIPE, errors="replace",
            env=dict(os.environ, **(env or {})))
    except OSError as error:
        raise Unmeasured(f"{command[0]}: {error}") from error
    if result.returncode:
        words = ((result.stdout or "") + result.stderr).strip()
        raise Unmeasured(f"'{' '.join(command)}': exit status "
                         f"{result.returncode}: {words[-300:]}")
    return result.stdout


def sync_file(path):
    """A file with changes in memory would not leave the page cache."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def drop_caches(device, image, everything):
    with open(device, "rb") as file:
        fcntl.ioctl(file, BLKFLSBUF)
    with open(image, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if everything:
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3\n")


def copy_image(source, target):
    """A copy with the same holes, on disk when this returns."""
    need_space(os.path.dirname(target), os.stat(source).st_blocks * 512)
    run("cp", "--sparse=always", "--reflink=auto", source, target)
    sync_file(target)
    return target


def need_space(directory, bytes_):
    free = shutil.disk_usage(directory).free
    if free < bytes_ + SPARE_BYTES:
        raise Skip(f"needs {bytes_ >> 20} MiB of disk and {SPARE_BYTES >> 20} "
                   f"to spare; {free >> 20} MiB are free")


def detach(device, image):
    run("losetup", "-d", device)
    # The kernel lets go of the file a little later.
    for _ in range(500):
        if not run("losetup", "-j", image).strip():
            return
        time.sleep(0.01)
    raise Unmeasured(f"{device} does not let go of {image}")


@contextlib.contextmanager
def loop(image, *options):
    device = run("losetup", *options, "-f", "--show", image).strip()
    try:
        yield device
    finally:
        detach(device, image)


def unmount(point):
    """A program that was killed takes its time to be gone."""
    for _ in range(100):
        if not subprocess.call(["umount", point], stderr=subprocess.DEVNULL):
            return
        time.sleep(0.1)
    raise Unmeasured(f"cannot unmount {point}")


@contextlib.contextmanager
def mounted(device, options="rw"):
    point = tempfile.mkdtemp(prefix="e2spread-bench.")
    try:
        run("mount", "-t", "ext4", "-o", options, device, point)
        try:
            yield point
        finally:
            unmount(point)
    finally:
        os.rmdir(point)


class LoadEvents:
    """Counts the inodes that ext4 loads from a device, where tracefs can be had
    (total() is None where not), in an instance of its own: whoever else uses
    tracefs is left alone."""

    EVENT = "events/ext4/ext4_load_inode"

    def __init__(self, device):
        self.instance = None
        directory = os.path.join(TRACEFS, "instances")
        if not os.path.isdir(directory):
            subprocess.run(["mount", "-t", "tracefs", "none", TRACEFS],
                           check=False, stderr=subprocess.DEVNULL)
        try:
            self.instance = tempfile.mkdtemp(prefix="e2spread.", dir=directory)
            number = os.stat(device).st_rdev
            self.put("buffer_size_kb", 20480)
            # As the kernel has device numbers inside.
            self.put(self.EVENT + "/filter", "dev == "
                     f"{os.major(number) << 20 | os.minor(number)}")
            self.put(self.EVENT + "/enable", 1)
        except OSError:
            self.close()

    def put(self, file, value):
        with open(os.path.join(self.instance, file), "w",
                  encoding="ascii") as f:
            f.write(f"{value}\n")

    def clear(self):
        if self.instance:
            self.put("trace", "")

    def total(self):
        """Those in the buffers, and those that found no room there."""
        if not self.instance:
            return None
        total = 0
        for cpu in os.listdir(os.path.join(self.instance, "per_cpu")):
            with open(os.path.join(self.instance, "per_cpu", cpu, "stats"),
                      encoding="ascii") as f:
                stats = dict(line.split(":", 1) for line in f)
            total += int(stats["entries"]) + int(stats["overrun"])
        return total

    def close(self):
        if self.instance:
            with contextlib.suppress(OSError):
                self.put(self.EVENT + "/enable", 0)
            os.rmdir(self.instance)
            self.instance = None


def disk_reads(device):
    """Read I/Os and sectors since the device is there."""
    with open(f"/sys/block/{os.path.basename(device)}/stat",
              encoding="ascii") as file:
        fields = file.read().split()
    return int(fields[0]), int(fields[2])


def cached_bytes(image):
    """What the page cache has of it, where fincore can tell."""
    if not shutil.which("fincore"):
        return 0
    return int(run("fincore", "-nb", "-o", "RES", image))


def make_cold(device, image, everything):
    """What is still being read ahead for a command that has ended stays, and
    whoever looks at new devices may read a little again."""
    for _ in range(50):
        drop_caches(device, image, everything)
        cached = cached_bytes(image)
        if cached <= 1 << 20:
            return
        time.sleep(0.1)
    raise Unmeasured(f"{cached} bytes of {image} stay in memory")


def cold(device, image, sampler, everything, events=None):
    """The sample of SAMPLER with nothing of IMAGE and its loop device DEVICE in
    memory, or EVERYTHING out of memory; and what it reads."""
    make_cold(device, image, everything)
    if events:
        events.clear()
    before = disk_reads(device)
    sample = sampler()
    after = disk_reads(device)
    sample["read_ios"] = after[0] - before[0]
    sample["read_sectors"] = after[1] - before[1]
    if events:
        sample["inode_loads"] = events.total()
    return sample


class Stopwatch:
    """Times programs by way of bench/timed (see there)."""

    def __init__(self, timed, scratch):
        self.timed = timed
        self.result = os.path.join(scratch, "timed")
        self.output = os.path.join(scratch, "output")

    def __call__(self, *command):
        # The program and its libraries are in memory in any case.
        subprocess.call([command[0], "--version"], stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.output, "wb") as out, subprocess.Popen(
                [self.timed, self.result, *command], stdout=out,
                stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                start_new_session=True) as child:
            try:
                status = child.wait()
            except BaseException:
                os.killpg(child.pid, signal.SIGKILL)
                raise
        if status:
            with open(self.output, "rb") as file:
                file.seek(max(0, os.path.getsize(self.output) - 300))
                words = file.read().decode(errors="replace").strip()
            raise Unmeasured(f"'{' '.join(command)}': exit status {status}: "
                             f"{words}")
        with open(self.result, encoding="ascii") as file:
            wall, user, sys_, peak = file.read().split()
        return {"wall": float(wall), "user": float(user), "sys": float(sys_),
                "peak_kib": int(peak)}


def alternate(runs, samplers, warm_up=False):
    """Calls the functions of {command: function} in turns, A B A B ..., each
    RUNS times (or as {command: runs} says), and once before for nothing when
    WARM_UP.  Returns {command: [sample, ...]}."""
    wanted = runs if isinstance(runs, dict) else dict.fromkeys(samplers, runs)
    if warm_up:
        for sampler in samplers.values():
            sampler()
    samples = {command: [] for command in samplers}
    for turn in range(max(wanted.values())):
        for command, sampler in samplers.items():
            if turn < wanted[command]:
                samples[command].append(sampler())
    return samples


def summary(samples):
    """Medians of all; the peak is the highest."""
    row = {"runs": len(samples),
           "walls": [sample["wall"] for sample in samples]}
    for key in samples[0]:
        values = [sample[key] for sample in samples]
        row[key] = None if None in values else max(values) \
            if key == "peak_kib" else statistics.median(values)
    return row
