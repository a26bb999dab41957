# SPDX-License-Identifier: GPL-2.0-or-later
# Refused because somebody uses it: mounted, behind a loop device, with MMP in
# use, copied while it was mounted, read-only.
. "$srcdir/tests/lib.sh"
need_mount
unset E2FSPROGS_FAKE_TIME
try() { # WORDS ARGUMENT...: names of loop devices differ from run to run
	echo "== $1"
	shift
	sync
	sha256sum a.img >before
	refused 4 relayout -y -f "$@" | sed "s#$PWD#.#g; s#/dev/loop[0-9]*#/dev/loopN#g"
	sha256sum a.img | cmp - before || fail "a.img has changed"
}
mkdir mnt
make_image a.img 64M -t ext4
round_robin "" 8 100 | debug a.img || fail "debugfs"
sound a.img
mount -o loop,ro a.img mnt || fail "mount"
try "mounted read-only" a.img
loop=$(losetup -n -O NAME -j a.img)
try "its loop device" "$loop"
ln a.img hard.img
ln -s a.img soft.img
try "a hard link to it" hard.img
try "a symbolic link to it" soft.img
umount mnt
rm hard.img soft.img
loop=$(losetup --show -f a.img)
try "behind a loop device" a.img
losetup -d "$loop"
loop=$(losetup -r --show -f a.img)
try "a read-only loop device" "$loop"
losetup -d "$loop"

mount -o loop a.img mnt || fail "mount"
for i in 1 2 3 4 5 6 7 8 9; do echo $i >mnt/d1/new$i; done
sync
cp --sparse=always a.img copy.img
umount mnt
mv copy.img a.img
try "copied while it was mounted" a.img
e2fsck -fy a.img >e2fsck.log 2>&1
sound a.img
"$E2SPREAD" relayout -y -q -f a.img || fail "after e2fsck"
sound a.img

make_image a.img 64M -t ext4 -O mmp -E mmp_update_interval=1
round_robin "" 2 10 | debug a.img || fail "debugfs"
sound a.img
mmp=$(dumpe2fs -h a.img 2>/dev/null | sed -n 's/^MMP block number: *//p')
# EXT4_MMP_SEQ_FSCK, e4d4d50 little-endian, with the checksum to be redone.
printf '\120\115\115\342' |
	dd of=a.img bs=1 seek=$((mmp * 4096 + 4)) conv=notrunc status=none
try "MMP says fsck is running" a.img
