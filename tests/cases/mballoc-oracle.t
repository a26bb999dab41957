# SPDX-License-Identifier: GPL-2.0-or-later
# mb_groups and mb_structs_summary of every oracle case, byte for byte as a
# 6.18 kernel printed them; and the same JSON whatever the number of threads.
. "$srcdir/tests/lib.sh"
for dir in "$srcdir"/tests/oracle/*/; do
	case=$(basename "$dir")
	oracle "$case"
	for file in mb_groups mb_structs_summary; do
		"$E2SPREAD" mballoc --proc $file before.img >got ||
			fail "$case: exit status $?"
		cmp got "$dir$file" || fail "$case $file"
	done
	cat "$dir/mb_groups" "$dir/mb_structs_summary" >both
	"$E2SPREAD" mballoc before.img | cmp - both || fail "$case"
	for threads in 1 2 7; do
		"$E2SPREAD" mballoc --json --threads $threads before.img \
			>json.$threads || fail "$case: exit status $?"
		cmp json.1 json.$threads || fail "$case: $threads threads"
	done
	python3 "$reference/mballoc.py" groups before.img json.1 >diff ||
		fail "the witness"
	[ ! -s diff ] || { cat diff; fail "$case against dumpe2fs"; }
done
