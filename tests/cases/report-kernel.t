# SPDX-License-Identifier: GPL-2.0-or-later
# File systems that the running kernel has filled: 16 tasks at once, and one
# task that goes round; then half deleted and filled again.
. "$srcdir/tests/lib.sh"
need_mount
mkdir mnt
fill() { # IMAGE MODE
	mount -o loop "$1" mnt || fail "mount $1"
	python3 - "$2" <<'END' || fail "fill"
import os, random, sys
dirs = [f"mnt/p/d{i}" for i in range(16)]
os.mkdir("mnt/p")
for d in dirs:
    os.mkdir(d)
def create(d, numbers):
    for i in numbers:
        open(f"{d}/file{i}", "x").close()
if sys.argv[1] == "tasks":
    for d in dirs:
        if not os.fork():
            create(d, range(500))
            os._exit(0)
    for d in dirs:
        assert os.wait()[1] == 0
else:
    for i in range(500):
        for d in dirs:
            create(d, [i])
    rng = random.Random(1)
    gone = {d: rng.sample(range(500), 250) for d in dirs}
    for d in dirs:
        for i in gone[d]:
            os.unlink(f"{d}/file{i}")
    for d in reversed(dirs):
        create(d, range(500, 700))
        os.link(f"{d}/file600", f"mnt/p/d3/link-{os.path.basename(d)}")
END
	umount mnt || fail "umount"
}
while read -r size mode options; do
	make_image a.img $size $options
	fill a.img $mode
	sound a.img
	agrees a.img
done <<END
2G tasks -t ext4
2G turns -t ext4
1G tasks -t ext4 -b 1024 -G 64
1G turns -t ext4 -O inline_data
1G turns -t ext4 -O ^flex_bg
512M turns -t ext3 -b 1024
512M tasks -t ext2
END
