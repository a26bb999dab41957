# SPDX-License-Identifier: GPL-2.0-or-later
# report --check: what holds, what does not, and what is no question at all.
. "$srcdir/tests/lib.sh"
make_image a.img 64M -t ext4
round_robin "" 4 32 | debug a.img || fail "debugfs"
agrees a.img

check() { # STATUS EXPRESSION...
	want=$1
	shift
	for e; do
		set -- "$@" --check "$e"
		shift
	done
	"$E2SPREAD" report "$@" a.img >out 2>err
	got=$?
	[ $got = "$want" ] || {
		cat out err
		fail "$*: exit status $got, not $want"
	}
}

# Each operator, with and without blanks, on integers and on ratios.
check 0 'files == 128' 'files<=128' 'files>=128' 'files != 127' \
	'files>127' 'files  <  129' 'shared_pct<=100' 'shared_pct > 88.5'
for expression in 'files==127' 'files != 128' 'files<128' 'files>128' \
	'files<=127.5' 'files>=128.5' 'sibling_shared_pct<=5'; do
	check 1 "$expression"
	grep -q "${expression%%[ !<>=]*}" err ||
		fail "'$expression' does not hold, but is not named"
done

# One that does not hold is enough, and only that one is named.
check 1 'homes==4' 'excess<=1' 'files>1'
grep -q excess err || fail "excess is not named"
[ "$(wc -l <err)" = 1 ] || { cat err; fail "what holds is named"; }

# Every key of the totals can be asked for.
for key in $(python3 -c 'import json
print(*json.load(open("report.json"))["totals"])'); do
	check 0 "$key>=0"
	check 1 "$key<0"
done

# No question: usage, with the keys there are.
for expression in 'nonsense<=5' 'files' 'files<=' 'files=<5' '<=5' '' \
	'files<=5x' 'files<=nan' 'files~5' 'files <= 5 6' 'Files<=5' 'file<=5'; do
	check 16 "$expression"
done
check 16 'nonsense<=5'
for key in directories homes files sibling_shared_pct itable_blocks_fsck; do
	grep -qw $key err || fail "the keys are not listed: no $key"
done
# It is found out before the device is opened.
"$E2SPREAD" report --check 'nonsense<=5' missing.img 2>/dev/null
[ $? = 16 ] || fail "the expression was not looked at first"
