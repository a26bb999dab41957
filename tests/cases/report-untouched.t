# SPDX-License-Identifier: GPL-2.0-or-later
# report writes nothing, whatever it finds; nor does what it refuses.
. "$srcdir/tests/lib.sh"
unchanged() { # STATUS ARGUMENT...: the last is the image
	want=$1
	shift
	for image; do :; done
	sum_and_time "$image" >before
	"$E2SPREAD" report "$@" >out 2>err
	[ $? = "$want" ] || { cat err; fail "report $*: not $want"; }
	sum_and_time "$image" >after
	cmp before after || fail "report $* has written to $image"
}
make_image a.img 64M -t ext4 -b 1024
fill_some a.img
touch -d '2001-02-03 04:05:06.789' a.img
unchanged 0 a.img
unchanged 0 --json --dirs all --threads 4 a.img
chmod 444 a.img
unchanged 0 -v a.img
chmod 644 a.img

cp a.img sound.img
# Journal to be replayed, errors found by the kernel, orphans to be cleaned.
debug a.img <<END || fail "debugfs"
feature needs_recovery
ssv state 2
ssv last_orphan 20
END
unchanged 0 a.img
grep -q e2fsck err || fail "no warning with the command to run"
debug a.img <<END || fail "debugfs"
feature FEATURE_I20
END
unchanged 8 a.img

# It does not even ask for the right to.
command -v strace >/dev/null && strace -o trace true 2>/dev/null || exit 0
strace -f -o trace -e trace=open,openat,openat2,creat \
	"$E2SPREAD" report --threads 4 sound.img >/dev/null || fail "strace"
grep -q 'sound\.img.*O_RDONLY' trace || fail "strace saw nothing"
! grep 'O_RDWR\|O_WRONLY\|O_CREAT' trace || fail "opened for writing"
