# SPDX-License-Identifier: GPL-2.0-or-later
# The options: each does what it says, and a file that cannot be written stops
# it before the device is touched.
. "$srcdir/tests/lib.sh"
make_image base.img 128M -t ext4 -g 2048 -N 8192 -J size=4
round_robin "" 8 150 | debug base.img || fail "debugfs"
sound base.img
fresh() { cp base.img a.img; }
relay() { "$E2SPREAD" relayout -y "$@" a.img >out 2>err; }

# same: a.img is b.img but for the journal, in which there are times.
same() {
	debugfs -R "blocks <8>" a.img 2>/dev/null >journal
	python3 - <<'PY'
skip = set(map(int, open("journal").read().split()))
with open("a.img", "rb") as a, open("b.img", "rb") as b:
    block = 0
    while x := a.read(4096):
        y = b.read(4096)
        assert x == y or block in skip, block
        block += 1
    assert not b.read(1) and len(skip) > 1000
PY
}

# --map and --save-plan; the plan again gives the same, to the byte.
fresh
sum_and_time a.img >before
"$E2SPREAD" relayout -n --map map-n --save-plan plan-n a.img >out ||
	fail "-n: status $?"
sum_and_time a.img | cmp - before || fail "-n has written"
grep -q '^Plan: policy spread' out || fail "-n does not show the plan"
relay --map map --save-plan plan || fail "status $?"
cmp map map-n && cmp plan plan-n || fail "-n foretells something else"
sound a.img
cp a.img b.img
fresh
relay --plan plan || fail "--plan: status $?"
same || fail "--plan gives something else"
"$E2SPREAD" relayout -n --plan plan base.img >/dev/null || fail "--plan -n"
# What is where it is to be is not moved again.
sum_and_time a.img >before
relay --policy spread && grep -q 'Nothing to do' out || fail "again"
sum_and_time a.img | cmp - before || fail "again: written"

# An undo file gives every byte back.
for option in "" --move-dirs; do
	fresh
	rm -f undo
	relay -f -z undo $option || fail "-z: status $?"
	sound a.img
	grep -q 'e2undo' out || fail "-z does not say how to undo"
	e2undo undo a.img >/dev/null 2>&1 || fail "e2undo"
	cmp a.img base.img || fail "undone, but not what it was"
done

# -q says nothing, -v says no less, one thread or many make the same.
fresh
relay -q -f --threads 1 || fail "-q"
[ ! -s out ] && [ ! -s err ] || fail "-q is not quiet"
same || fail "one thread makes something else"
fresh
relay -v -f --threads 7 || fail "-v"
same || fail "seven threads make something else"
[ -s out ] && [ ! -s err ] || { cat err; fail "-v"; }

# -C: pass, done, total, device; passes ascend, and each ends at its total.
fresh
"$E2SPREAD" relayout -y -q -f -C 3 a.img 3>progress || fail "-C"
python3 - progress <<'PY' || { cat progress; fail "-C"; }
import sys
rows = [line.rstrip("\n").split(" ", 3) for line in open(sys.argv[1])]
last = {}
for number, done, total, device in rows:
    assert device == "a.img" and int(done) <= int(total)
    key = int(number), int(done)
    assert key >= max(last.values(), default=(0, 0)), key
    last[number] = key
    final = done == total
assert list(last) == ["1", "2", "3"] and final
for number in last:
    done, total = [row[1:3] for row in rows if row[0] == number][-1]
    assert done == total, number
PY

# Files that cannot be written.
[ "$(id -u)" = 0 ] || skip "a full disk needs root"
mkdir full
mount -t tmpfs -o size=8k tmpfs full || skip "cannot mount"
for option in --map --save-plan -z; do
	fresh
	sha256sum a.img >before
	rm -f full/*
	relay -f $option full/file
	_status=$?
	[ $_status = 8 ] || { cat out err; fail "$option on a full disk: $_status"; }
	[ "$(wc -l <err)" = 1 ] ||
		[ $option = -z ] || { cat err; fail "$option: lines"; }
	grep -q 'No space' err || { cat err; fail "$option: why"; }
	[ $option = -z ] || sha256sum a.img | cmp - before ||
		fail "$option on a full disk: written"
	sound a.img
done
make_image a.img 128M -t ext4 -g 2048 -N 8192 -O ^has_journal
round_robin "" 8 150 | debug a.img || fail "debugfs"
sound a.img
sha256sum a.img >before
rm -f full/*
relay -f --redo full/file
[ $? = 8 ] || { cat out err; fail "--redo on a full disk"; }
sha256sum a.img | cmp - before || fail "--redo on a full disk: written"
relay -f --redo redo || { cat err; fail "--redo"; }
sound a.img
for option in --map --save-plan; do
	fresh
	sha256sum a.img >before
	relay -f $option missing/file
	[ $? = 8 ] || fail "$option in no directory"
	sha256sum a.img | cmp - before || fail "$option: written"
	cat err
done
