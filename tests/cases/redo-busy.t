# Whoever else uses the device: refused, nothing written.  Needs root and loop
# devices.
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
driver=$builddir/tests/powercut/redo-driver
truncate -s 8M image
mke2fs -q -F -t ext4 image || exit 1
loop=$(losetup -f --show image 2>&1) || { echo "no loop devices: $loop"; exit 77; }
mkdir mnt
failed=0
trap 'umount mnt 2>/dev/null; losetup -d $loop 2>/dev/null' EXIT INT TERM

refused() {
	words=$1
	before=$(sha256sum <image)
	$driver $2 >out 2>&1
	code=$?
	if [ $code != 4 ] || ! grep -q "$words" out; then
		echo "$2: '$words': exit $code: $(cat out)"
		failed=1
	elif [ "$before" != "$(sha256sum <image)" ]; then
		echo "$2: '$words': the image changed"
		failed=1
	fi
}

ln image hard
ln -s image soft
refused "behind a loop device" image
refused "behind a loop device" hard
refused "behind a loop device" soft
mount -o ro $loop mnt || exit 77
refused "is mounted" $loop
refused "is mounted" image
umount mnt
# Open exclusively by somebody else.
python3 - $loop <<'END' &
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("held", "w").close()
time.sleep(600)
END
holder=$!
while [ ! -e held ]; do kill -0 $holder || exit 1; sleep 0.1; done
refused "in use by the system" $loop
kill $holder
wait $holder 2>/dev/null
blockdev --setro $loop
refused "cannot be written to" $loop
blockdev --setrw $loop
$driver $loop >out 2>&1 || { cat out; failed=1; }
exit $failed
