# SPDX-License-Identifier: GPL-2.0-or-later
# No fault in the layouts that real kernels made, as e2fsck finds none.
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

for case in "$srcdir"/tests/oracle/*/; do
	tar -xSJf "$case/before.tar.xz" || exit 1
	sound before.img "$(basename "$case")"
done
exit $status
