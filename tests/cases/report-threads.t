# SPDX-License-Identifier: GPL-2.0-or-later
# The number of threads changes no byte, of text or JSON.
. "$srcdir/tests/lib.sh"
for case in overflow tree; do
	oracle $case
	for format in "" --json; do
		for threads in 1 2 8; do
			"$E2SPREAD" report $format --dirs all \
				--threads $threads before.img >out.$threads ||
				fail "--threads $threads: exit status $?"
			[ -s out.$threads ] || fail "no output"
			cmp out.1 out.$threads || fail "$case $format"
		done
	done
done
