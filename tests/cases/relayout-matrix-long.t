# SPDX-License-Identifier: GPL-2.0-or-later
# Every file system of tests/relayout/shapes under every kind of relayout.
. "$srcdir/tests/lib.sh"
need_mount
unset E2FSPROGS_FAKE_TIME
mkdir work
mount -t tmpfs tmpfs work || skip "cannot mount"
cd work
exec python3 "$srcdir/tests/relayout/matrix.py"
