# SPDX-License-Identifier: GPL-2.0-or-later
# The options of report, and what is no option.
. "$srcdir/tests/lib.sh"
make_image a.img 64M -t ext4 -b 1024 -g 1024 -N 1280 -G 4
fill_some a.img
agrees a.img
report() { "$E2SPREAD" report "$@" a.img || fail "report $*: exit status $?"; }

# --dirs N: the first N of all, 10 by default; their order is a fact.
report --json --dirs all >all.json
report --json --dirs 3 >three.json
report --json --dirs 0 >none.json
report --json --dirs 100000 >many.json
report --json >default.json
python3 - <<'END' || fail "--dirs"
import json
load = lambda name: json.load(open(name + ".json"))["directories"]
all_ = load("all")
assert len(all_) > 5
assert load("three") == all_[:3]
assert load("none") == []
assert load("many") == all_
assert load("default") == all_[:10]
END

# --flex N: the row of that flex group, the totals those of the whole.
report --json --flex 2 >flex.json
python3 - <<'END' || fail "--flex"
import json
whole, one = (json.load(open(n + ".json")) for n in ("default", "flex"))
assert one["flex_groups"] == [whole["flex_groups"][2]]
assert one["totals"] == whole["totals"]
END

"$E2SPREAD" report --flex 100000 a.img >out 2>err
[ $? != 0 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] ||
	fail "a flex group that there is not"

# --readahead-blks changes windows and nothing else of the totals.
for n in 1 2 64 65536; do
	agrees a.img --readahead-blks $n
done
report --json --readahead-blks 1 >one.json
report --json --readahead-blks 64 >wide.json
python3 - <<'END' || fail "--readahead-blks"
import json
one, wide = (json.load(open(n + ".json"))["totals"] for n in ("one", "wide"))
assert one["windows"] == one["directory_blocks"] > wide["windows"]
del one["windows"], wide["windows"]
assert one == wide
END

# Long options take "=" too; options may follow the device.
report --dirs=3 --json | cmp - three.json || fail "--dirs=3"
"$E2SPREAD" report a.img --json --dirs 3 | cmp - three.json ||
	fail "an option behind the device"

# Usage: exit 16, words on stderr, nothing on stdout.
while read -r arguments; do
	"$E2SPREAD" $arguments >out 2>err
	status=$?
	[ $status = 16 ] || fail "'$arguments': exit status $status"
	[ ! -s out ] && [ -s err ] || fail "'$arguments': wrong stream"
done <<END

frobnicate a.img
--frobnicate
report
report a.img a.img
report --frobnicate a.img
report --dirs a.img
report --dirs x a.img
report --dirs -1 a.img
report --dirs 3x a.img
report --flex x a.img
report --readahead-blks 3 a.img
report --readahead-blks x a.img
report --readahead-blks 99999999999 a.img
report --threads x a.img
report --threads -1 a.img
report --check
END
for arguments in --help "report --help"; do
	"$E2SPREAD" $arguments >out 2>err || fail "$arguments"
	[ -s out ] && [ ! -s err ] || fail "$arguments: wrong stream"
done
"$E2SPREAD" --version | grep -q '[0-9]' || fail "--version"

# A full disk is not success.
if [ -c /dev/full ]; then
	"$E2SPREAD" report --json a.img >/dev/full 2>err
	status=$?
	[ $status = 8 ] && [ -s err ] || fail "/dev/full: exit status $status"
fi
