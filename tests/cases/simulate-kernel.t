# SPDX-License-Identifier: GPL-2.0-or-later
# The running kernel, which places as `packed` does, makes the files that
# simulate places: the same inode numbers, one by one, and the same figures.
. "$srcdir/tests/lib.sh"
need_mount
hands=$builddir/tests/unit/sim
mkdir mnt

# In turns, on file systems that are empty and that are not.
turns() { # IMAGE TASKS FILES: "TASK DIR INO d|f" as the hands print it
	mount -o loop "$1" mnt || fail "mount $1"
	python3 - "$2" "$3" <<'END' || fail "turns"
import os, sys
tasks, files = int(sys.argv[1]), int(sys.argv[2])
def ino(path):
    return os.stat(path).st_ino
def made(task, path, kind):
    print(task, ino(os.path.dirname(path)), ino(path), kind)
top = "mnt/simulated"
os.mkdir(top)
made(0, top, "d")
for t in range(tasks):
    os.mkdir(f"{top}/d{t}")
    made(t, f"{top}/d{t}", "d")
for f in range(files):
    for t in range(tasks):
        os.close(os.open(f"{top}/d{t}/f{f}", os.O_CREAT | os.O_EXCL))
        made(t, f"{top}/d{t}/f{f}", "f")
END
	umount mnt || fail "umount"
}
while read -r before tasks files size options; do
	make_image a.img $size $options
	[ $before = empty ] || fill_some a.img
	"$hands" map a.img packed round-robin $tasks $files >want ||
		fail "hands: $(cat want)"
	"$E2SPREAD" simulate --json --policy packed --pattern round-robin \
		--tasks $tasks --files $files a.img >simulate.json ||
		fail "simulate"
	turns a.img $tasks $files >got
	cmp -s want got || {
		diff want got | head -n 5
		fail "not what the kernel did: $before $size $options"
	}
	[ $before = empty ] || continue
	sound a.img
	python3 "$reference/reference.py" a.img >reference.json ||
		fail "reference"
	python3 - <<'END' || fail "figures: $size $options"
import json
want = json.load(open("reference.json"))["totals"]
row, = json.load(open("simulate.json"))["simulation"]["policies"]
for key in ("directories", "files", "itable_blocks", "shared_blocks",
            "sibling_shared_blocks", "homes_per_block_max", "shared_pct",
            "sibling_shared_pct", "homes_per_block_mean"):
    # The root and lost+found are not of the workload's making.
    less = 2 if key == "directories" else 0
    assert abs(row[key] - want[key] + less) < .01, (key, row[key], want[key])
assert abs(row["cold_blocks"] - want["directory_blocks"] / want["homes"]) <= .5
assert abs(row["cold_windows"] - want["windows"] / want["homes"]) <= .5
END
done <<END
empty 16 500 2G -t ext4
empty 5 300 1G -t ext4 -G 4
full 7 400 1G -t ext4
empty 24 700 1G -t ext4 -b 1024 -G 8 -N 20480
full 6 200 512M -t ext4 -O ^flex_bg
empty 9 250 512M -t ext3
END

# A trace of everything that a trace can say, after a remount; the kernel's
# numbers for what is made, in the order of making.
cat >make-trace.py <<'END'
import random, sys
rng = random.Random(int(sys.argv[1]))
# lost+found, d0 to d4 and what is in them, fill_some has made.
dirs, files, n = ["", "/d0", "/d1/inner/d2"], ["/d0/file1", "/d2/file7"], 0
for _ in range(int(sys.argv[2])):
    n += 1
    what = rng.random()
    top = rng.choice(dirs)
    if what < 0.05:
        print("mkdir", f"{top}/dir{n}")
        dirs.append(f"{top}/dir{n}")
    elif what < 0.7 or len(files) < 3:
        print("create", f"{top}/new{n}")
        files.append(f"{top}/new{n}")
    else:
        i = rng.randrange(len(files))
        old, new = files[i], f"{top}/other{n}"
        if what < 0.85:
            print("unlink", old)
            files.pop(i)
        elif what < 0.92:
            print("rename", old, new)
            files[i] = new
        elif what < 0.94:
            other = rng.randrange(len(files))
            if other != i:
                print("rename", old, files[other])
                files.pop(i)
        else:
            print("link", old, new)
            files.append(new)
END
cat >run-trace.py <<'END'
import os, sys
for line in open(sys.argv[1]):
    verb, *paths = line.split()
    paths = ["mnt" + p for p in paths]
    if verb == "mkdir":
        os.mkdir(*paths)
    elif verb == "create":
        os.close(os.open(paths[0], os.O_CREAT | os.O_EXCL))
    elif verb == "unlink":
        os.unlink(*paths)
    elif verb == "rename":
        os.rename(*paths)
    else:
        os.link(*paths)
    if verb in ("mkdir", "create"):
        print(0, os.stat(os.path.dirname(paths[0])).st_ino,
              os.stat(paths[0]).st_ino, "d" if verb == "mkdir" else "f")
END
for seed in 1 2 3; do
	make_image a.img 1G -t ext4 -b 1024 -G 4 -N 32768
	fill_some a.img
	python3 make-trace.py $seed 1500 >trace
	"$hands" trace a.img packed trace >want || fail "$(cat want)"
	mount -o loop a.img mnt || fail "mount"
	python3 run-trace.py trace >got || fail "run-trace"
	umount mnt || fail "umount"
	cmp -s want got || {
		diff want got | head -n 5
		fail "trace $seed: not what the kernel did"
	}
done
