# SPDX-License-Identifier: GPL-2.0-or-later
# A read that fails, wherever it comes: status 8 and what state that is, never
# that the result is wrong; the same tree after e2fsck.
. "$srcdir/tests/lib.sh"
need python3 strace
manifest() { python3 "$srcdir/tests/relayout/manifest.py" "$1" || fail "$1"; }
make_image base.img 64M -t ext4 -b 1024
round_robin "" 4 60 | debug base.img || fail "debugfs"
sound base.img
manifest base.img >before
sum=$(cksum <base.img)
cp base.img a.img
# In all threads.
strace -f -o trace -e trace=pread64 "$E2SPREAD" relayout -y -q -f --threads 1 \
	a.img || fail "relayout"
reads=$(grep -c "pread64(" trace)
[ "$reads" -gt 40 ] || fail "$reads reads"

n=8	# those before are the dynamic linker's, and of the superblock
unread=0 early=0
while [ $n -le "$reads" ]; do
	cp base.img a.img
	strace -f -o trace -e trace=pread64 \
		-e inject=pread64:error=EIO:when=$n \
		"$E2SPREAD" relayout -y -q -f --threads 1 a.img >out 2>err
	status=$?
	grep -q INJECTED trace || break
	case $status in
	0) ;;
	4) [ "$(cksum <a.img)" = "$sum" ] || fail "read $n: refused too late" ;;
	8) [ -s err ] && [ "$(wc -l <err)" -le 2 ] ||
		{ cat err; fail "read $n: lines"; } ;;
	*) cat err; fail "read $n: status $status" ;;
	esac
	grep 'SHOULD BE' err && fail "read $n: called wrong"
	grep -q 'not verified: it cannot be read back' err &&
		unread=$((unread + 1))
	[ $status = 8 ] && [ "$(cksum <a.img)" = "$sum" ] &&
		early=$((early + 1))
	e2fsck -fy -E journal_only a.img >fsck.log 2>&1
	sound a.img
	manifest a.img >after
	python3 "$srcdir/tests/relayout/manifest.py" --compare before after ||
		fail "read $n: the tree"
	n=$((n + 3))
done
[ $unread -gt 2 ] && [ $early -gt 2 ] || fail "$unread unread, $early early"
