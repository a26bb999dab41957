# SPDX-License-Identifier: GPL-2.0-or-later
# The readdir order of the reference is that of the running kernel: no index
# and several blocks, one block, a deep htree, inline, hash collisions.
. "$srcdir/tests/lib.sh"
need_mount
mkdir mnt
compare() { # IMAGE
	mount -o loop,ro "$1" mnt || fail "mount $1"
	python3 - "$1" mnt <<'END' || fail "readdir order of $1"
import os, sys
sys.path.insert(0, os.environ["srcdir"] + "/tests/reference")
from image import Image
image, seen, bad = Image(sys.argv[1]), 0, 0
for inode in image.used_inodes():
    if not inode.is_dir() or inode.ino < 2:
        continue
    # The path of each directory, by its number.
    globals().setdefault("dirs", {})[inode.ino] = inode
top = os.fsencode(sys.argv[2])
for path, _, _ in os.walk(top):
    want = [n for n in os.listdir(path)]
    got = [n for _, n in image.readdir(dirs[os.stat(path).st_ino])]
    seen += 1
    if got != want:
        bad += 1
        at = next(i for i, (a, b) in enumerate(zip(got, want)) if a != b)
        print(path, len(want), "names, first difference at", at, got[at], want[at])
print(seen, "directories compared", file=sys.stderr)
sys.exit(bad or seen < 2)
END
	umount mnt
}
fill() { # IMAGE: by the kernel
	mount -o loop "$1" mnt || fail "mount $1"
	python3 - <<'END'
import os
for name, count in (("few", 5), ("block", 60), ("some", 300), ("many", 9000)):
    os.mkdir(f"mnt/{name}")
    for i in range(count):
        open(f"mnt/{name}/{name}-{i:05}", "w").close()
for i in range(0, 300, 3):
    os.unlink(f"mnt/some/some-{i:05}")
for n in (b"\xe4\xf6", b"\xff" * 33, "\u65e5".encode(), b"A", b"a"):
    open(b"mnt/few/" + n, "w").close()
END
	umount mnt
}
for options in "-t ext4" "-t ext4 -b 1024" "-t ext4 -O ^dir_index" \
	"-t ext4 -O inline_data" "-t ext4 -O inline_data,^dir_index" \
	"-t ext3" "-t ext2 -b 2048" "-t ext4 -I 512 -O inline_data -b 1024"; do
	make_image a.img 256M $options
	fill a.img
	compare a.img
done

# The other hashes, signed and not, in the superblock before the first use.
for hash in legacy tea; do
	for flag in 1 2; do
		make_image a.img 256M -t ext4 -b 1024
		debug a.img <<-END || fail "debugfs"
		ssv def_hash_version $hash
		ssv flags $flag
		END
		fill a.img
		compare a.img
	done
done

# mke2fs -d and debugfs make directories without an index.
mkdir -p tree/a tree/b
(cd tree/a && seq -f file%g 400 | xargs touch)
make_image a.img 64M -t ext4 -b 1024 -d tree
compare a.img
