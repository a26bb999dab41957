# SPDX-License-Identifier: GPL-2.0-or-later
# SIGINT and SIGTERM stop it between two batches: status 32, a sound file
# system, the same tree; and the next run finishes.
. "$srcdir/tests/lib.sh"
need python3 strace
manifest() { python3 "$srcdir/tests/relayout/manifest.py" "$1" || fail "$1"; }
# The smallest journal, so that there are many batches.
make_image base.img 128M -t ext4 -b 1024 -g 2048 -N 32768 -J size=1
round_robin "" 16 250 | debug base.img || fail "debugfs"
sound base.img
manifest base.img >before
python3 "$srcdir/tests/relayout/plans.py" permute 5 base.img >plan ||
	fail "plans"
tail -n +3 plan | sort -n >moves

for signal in INT TERM; do
	cp base.img a.img
	# Each fsync takes a little, so that the signal comes in the middle.
	strace -f -q -o trace -e trace=fsync,fdatasync \
		-e inject=fsync,fdatasync:delay_exit=150000 \
		"$E2SPREAD" relayout -y --plan plan -C 3 a.img \
		3>progress >out 2>err &
	tracer=$!
	tries=0
	until grep -q '^2 [1-9]' progress 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "no progress"
		sleep 0.1
	done
	pid=$(sed -n '1s/^\([0-9]*\) .*/\1/p' trace)
	kill -$signal "$pid"
	wait $tracer
	status=$?
	[ $status = 32 ] || { cat out err; fail "SIG$signal: status $status"; }
	[ "$(wc -l <err)" = 1 ] || { cat err; fail "SIG$signal: lines"; }
	grep -q 'stopped after' err || { cat err; fail "SIG$signal: words"; }
	sound a.img
	manifest a.img >after
	python3 "$srcdir/tests/relayout/manifest.py" --compare before after ||
		fail "SIG$signal"
	# What is left of the plan, from where each inode is now.
	"$E2SPREAD" relayout -y -q -f a.img || fail "SIG$signal: again"
	sound a.img
	manifest a.img >after
	python3 "$srcdir/tests/relayout/manifest.py" --compare before after ||
		fail "SIG$signal: again"
done

# One cycle of all files: larger than the journal, it goes through a free one.
cp base.img a.img
python3 "$srcdir/tests/relayout/plans.py" cycle 5 base.img >plan || fail "plans"
"$E2SPREAD" relayout -y --plan plan --map map a.img >out 2>err ||
	{ cat err; fail "cycle"; }
grep ' in [0-9]* batches' out >said || { cat out; fail "one batch only"; }
log=$(dumpe2fs -h base.img 2>/dev/null |
	awk '$3 == "blocks:" { n = $4 } END { print n - 1 }')
grep -q "more than a batch holds ($log blocks): several batches" out ||
	{ cat out; fail "the plan does not say so"; }
tail -n +3 plan | sort -n | cmp - map || fail "cycle: the map"
# Its words count inodes, not the steps that they took.
grep -q "^$(wc -l <map | tr -d ' ') inodes moved" said ||
	{ cat said; fail "cycle: $(wc -l <map) inodes"; }
sound a.img
manifest a.img >after
python3 "$srcdir/tests/relayout/manifest.py" --compare before after ||
	fail "cycle"
