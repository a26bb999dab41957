# SPDX-License-Identifier: GPL-2.0-or-later
# The raw metadata image that e2image -r makes reports as the device does.
. "$srcdir/tests/lib.sh"
mkdir device image
make_image device/a.img 256M -t ext4 -b 1024
fill_some device/a.img
e2fsck -fyD device/a.img >e2fsck.log 2>&1
e2image -r device/a.img image/a.img >e2image.log 2>&1 || fail "e2image"
for format in "" --json; do
	for side in device image; do
		(cd $side && "$E2SPREAD" report $format --dirs all a.img) \
			>$side.out || fail "report of $side"
	done
	cmp device.out image.out || fail "the reports differ"
done
