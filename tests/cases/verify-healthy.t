# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing is wrong with what a kernel, mke2fs and e2fsck leave: no fault where
# e2fsck -fn finds none.  File systems of many shapes that the running kernel
# fills and deletes from.
set -u
verify=$builddir/tests/unit/verify
status=0

sound() {
	e2fsck -fn "$1" >fsck.log 2>&1 ||
		{ tail -n 5 fsck.log; echo "FAILED: $2: e2fsck"; status=1; }
	"$verify" read "$1" >verify.log ||
		{ cat verify.log; echo "FAILED: $2: verify"; status=1; }
	echo "$2: $(tr '\n' ' ' <verify.log)"
}

mkdir -p mnt
truncate -s 16M probe.img
mke2fs -q -F -t ext4 probe.img
mount -o loop,ro probe.img mnt 2>/dev/null ||
	{ echo "cannot mount"; exit 77; }
umount mnt

cat >fill.py <<'END'
import os, random, sys
os.chdir(sys.argv[1])
random.seed(1)
os.setxattr(".", "user.x", b"x")
paths = []
for d in range(8):
    os.mkdir(f"d{d}")
    os.mkdir(f"d{d}/sub")
    for f in range(150):
        path = f"d{d}/{'sub/' if f % 3 == 0 else ''}file{f}"
        with open(path, "w") as file:
            file.write("x" * random.choice((0, 10, 100, 3000, 9000)))
        paths.append(path)
for path in random.sample(paths, 60):
    for size in (20, 300, 900, 5000, 5000):
        try:
            os.setxattr(path, f"user.{size}", b"v" * size)
        except OSError:
            pass
for path in random.sample(paths, 100):
    os.link(path, path + ".link")
for n in range(4):
    with open(f"d0/sparse{n}", "w") as file:
        for i in range(120 * n):
            file.seek(i * 8192)
            file.write("y")
    os.symlink("s" * (30 + 60 * n), f"d1/symlink{n}")
    os.mknod(f"d2/fifo{n}", 0o10600)
    os.mknod(f"d2/null{n}", 0o20600, os.makedev(1, 3))
os.mkdir("big")
for f in range(3000):
    os.close(os.open(f"big/{'name' * 8}{f}", os.O_CREAT | os.O_WRONLY))
os.sync()
for f in range(0, 3000, 3):
    os.unlink(f"big/{'name' * 8}{f}")
for path in random.sample(paths, 200):
    os.unlink(path)
os.rename("d3/sub", "d4/moved")
for root, dirs, files in os.walk("d7", topdown=False):
    for name in files:
        os.unlink(os.path.join(root, name))
    for name in dirs:
        os.rmdir(os.path.join(root, name))
os.rmdir("d7")
os.sync()
for f in range(40):
    open(f"d5/late{f}", "w").close()
END

while read -r options; do
	rm -f a.img
	truncate -s 48M a.img
	mke2fs -q -F -N 12288 $options a.img >mke2fs.log 2>&1 ||
		{ cat mke2fs.log; echo "FAILED: mke2fs $options"; exit 1; }
	sound a.img "empty $options" >empty.log || status=1
	grep FAILED empty.log
	if ! mount -o loop a.img mnt 2>/dev/null; then
		echo "$options: cannot be mounted here"
		continue
	fi
	python3 fill.py mnt || { echo "FAILED: fill $options"; status=1; }
	umount mnt
	sound a.img "$options"
	e2fsck -fyD a.img >fsck.log 2>&1
	sound a.img "  after e2fsck -D"
done <<'END'
-t ext2 -b 4096
-t ext2 -b 1024 -I 128
-t ext3 -b 1024 -J size=4
-t ext4 -b 4096
-t ext4 -b 1024 -J size=4
-t ext4 -b 2048 -I 512
-t ext4 -b 4096 -O ^has_journal,^extent,^64bit
-t ext4 -b 1024 -I 128 -O ^metadata_csum,uninit_bg
-t ext4 -b 4096 -O ^metadata_csum,^uninit_bg
-t ext4 -b 4096 -O metadata_csum_seed,^64bit
-t ext4 -b 1024 -g 1024 -O meta_bg,^resize_inode
-t ext4 -b 4096 -g 2048 -O ^flex_bg
-t ext4 -b 4096 -O bigalloc -C 16384
-t ext4 -b 1024 -O bigalloc -C 4096
-t ext4 -b 1024 -g 4096 -O bigalloc,^flex_bg -C 4096 -I 512
-t ext4 -b 4096 -O inline_data
-t ext4 -b 1024 -I 512 -O inline_data,ea_inode,metadata_csum_seed,orphan_file,large_dir
-t ext4 -b 4096 -O inline_data,^metadata_csum
-t ext4 -b 4096 -O ea_inode
-t ext4 -b 1024 -O ea_inode,^metadata_csum
-t ext4 -b 1024 -O ^dir_index
-t ext4 -b 4096 -O ^filetype
-t ext4 -b 4096 -O orphan_file
-t ext4 -b 4096 -O quota,project
-t ext4 -b 1024 -g 2048 -E lazy_itable_init=1,lazy_journal_init=1
-t ext4 -b 1024 -O sparse_super2,^resize_inode
-t ext4 -b 4096 -I 2048 -N 8192
END
exit $status
