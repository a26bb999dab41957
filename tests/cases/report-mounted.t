# SPDX-License-Identifier: GPL-2.0-or-later
# Devices: LABEL= and UUID=; a mounted file system is refused when it can
# change, read when it cannot, and read under -f with a warning; and what one
# is not allowed to read.
. "$srcdir/tests/lib.sh"
need setpriv losetup
need_mount
BLKID_FILE=$PWD/blkid.tab
export BLKID_FILE
label=e2s-$$
make_image a.img 64M -t ext4 -L $label -U random
uuid=$(dumpe2fs -h a.img 2>/dev/null | sed -n 's/^Filesystem UUID: *//p')
fill_some a.img
json_of plain.json a.img
same() { # DEVICE
	json_of got.json "$1"
	cmp plain.json got.json || fail "$1"
}

loop=$(losetup -f --show a.img) || skip "no loop device"
trap 'umount mnt 2>/dev/null; losetup -d $loop 2>/dev/null' EXIT
for name in $loop LABEL=$label UUID=$uuid; do
	same $name
done

hide() { sed "s,$loop,LOOP,; s,$PWD/,,"; }
mkdir mnt
echo "== mounted read-only"
mount -o ro $loop mnt || fail "mount"
same $loop
umount mnt
echo "== mounted read-write"
mount $loop mnt || fail "mount"
for name in $loop a.img; do
	"$E2SPREAD" report $name >out 2>err
	echo "exit $?"
	hide <err
	[ ! -s out ] || fail "a report of what was refused"
done
echo "== forced"
"$E2SPREAD" report -f $loop >out 2>err
echo "exit $?"
grep -qi warning err || { cat err; fail "no warning"; }
[ -s out ] || fail "no report"
umount mnt

echo "== not allowed"
# The program has to be where anybody may run it.
cp "$E2SPREAD" program
chmod 755 program
chmod 600 a.img
setpriv --reuid 65534 --regid 65534 --clear-groups \
	./program report a.img >out 2>err
echo "exit $?"
cat err
