# SPDX-License-Identifier: GPL-2.0-or-later
# Memory is bounded by the number of inodes.
. "$srcdir/tests/lib.sh"

# 200000 inodes: 24 bytes each and 96 MiB, with room for the C library's own.
mkdir source
python3 - <<'PY'
import os
# Small directories: libext2fs looks for a name from their beginning.
for d in range(1000):
    os.mkdir(f"source/d{d}")
    for f in range(200):
        os.close(os.open(f"source/d{d}/f{f}", os.O_CREAT | os.O_WRONLY))
PY
mke2fs -q -F -t ext4 -N 262144 -d source a.img 1G >mke2fs.log 2>&1 ||
	{ cat mke2fs.log; fail "mke2fs -d"; }
rm -r source
(
	ulimit -v $(((24 * 200000 + 96 * 1048576) / 1024 + 65536))
	exec "$E2SPREAD" relayout -y -q -f --threads 2 a.img
) || fail "200000 inodes: status $?"
sound a.img

# Inodes that are merely allocated take none, where no checksum of a group says
# how many have ever been used, either.
peak() {	# COMMAND...: its peak memory in KiB
	"$builddir/bench/timed" peak "$@" >out 2>&1 || { cat out; return 1; }
	cut -d" " -f4 peak
}
for inodes in 65536 4194304; do
	make_image b.img 64G -t ext4 -O ^metadata_csum,^uninit_bg \
		-E lazy_itable_init=1,lazy_journal_init=1 -N $inodes
	round_robin "" 2 200 | debug b.img || fail "debugfs"
	peak "$E2SPREAD" report b.img >report.$inodes || fail "report: $inodes"
	peak "$E2SPREAD" relayout -y -q -f b.img >relayout.$inodes ||
		fail "relayout: $inodes"
done
for command in report relayout; do
	few=$(cat $command.65536) many=$(cat $command.4194304)
	[ "$few" -gt 1000 ] && [ "$many" -lt $((few + 4096)) ] ||
		fail "$command: $few KiB, with 4 million inodes $many KiB"
done
