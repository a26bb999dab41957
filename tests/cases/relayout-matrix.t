# SPDX-License-Identifier: GPL-2.0-or-later
# Some of the file systems of relayout-matrix-long, other ones each day; the
# seed printed in a failure gives the same again (SEED=).
. "$srcdir/tests/lib.sh"
need_mount
unset E2FSPROGS_FAKE_TIME
# The kernel waits for the disk at every mount and unmount.
mkdir work
mount -t tmpfs tmpfs work || skip "cannot mount"
cd work
seed=${SEED:-$(date +%j)}
timeout -s INT 240 python3 "$srcdir/tests/relayout/matrix.py" \
	--sample 4 --seed "$seed" || fail "seed $seed"
