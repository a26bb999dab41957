# SPDX-License-Identifier: GPL-2.0-or-later
# Plan files that must not be believed: status 8, one line that names the line
# of the file, not a byte changed.
. "$srcdir/tests/lib.sh"
UUID=5a373983-0000-4000-8000-000000000001

make_image a.img 32M -t ext4 -g 4096 -N 1024
round_robin "" 4 40 | debug a.img || fail "debugfs"
debug a.img <<END2 || fail "debugfs"
ea_set /d0/file9 security.evm \002abc
END2
sound a.img
sha256sum a.img >before

number() { debugfs -R "stat $1" a.img 2>/dev/null | sed -n 's/^Inode: \([0-9]*\).*/\1/p'; }
ino=$(number /d0/file0)
other=$(number /d1/file0)
third=$(number /d2/file0)
dir=$(number /d0)
evm=$(number /d0/file9)
free=1000

try() { # WORDS [OPTION...] <PLAN, without its head where it begins with a digit
	echo "== $1"
	shift
	cat >body
	{
		case $(head -c 1 body) in
		[0-9]) printf 'e2spread-plan 1\nuuid %s\n' $UUID ;;
		esac
		cat body
	} >plan
	refused 8 relayout -y "$@" --plan plan a.img
	sha256sum a.img | cmp - before || fail "a.img has changed"
}

: | try "empty"
printf 'e2spread-plan 1\n\n' | try "nothing but the first line"
echo "e2spread-plan 2" | try "another version"
echo "not a plan" | try "wrong magic"
printf 'e2spread-plan 1\n%s %s\n' $ino $free | try "no UUID"
printf 'e2spread-plan 1\nuuid 5a373983-0000-4000-8000-000000000002\n' |
	try "another UUID"
printf 'e2spread-plan 1\nuuid\n' | try "half a UUID"
printf '\n# comment\n\ne2spread-plan 1\nuuid %s\n\n%s\n' $UUID $ino |
	try "one number"
printf '%s %s 3\n' $ino $free | try "three numbers"
printf '%s -1\n' $ino | try "negative"
printf '%s 0x200\n' $ino | try "hexadecimal"
printf '%s 99999999999999999999\n' $ino | try "more than 64 bits"
printf '%s 4294967296\n' $ino | try "more than 32 bits"
printf '0 %s\n' $free | try "number 0 moves"
printf '%s 0\n' $ino | try "to number 0"
printf '%s %s\n%s 1025\n' $other $free $ino | try "out of range"
printf '1025 %s\n' $free | try "old number out of range"
printf '%s 8\n' $ino | try "to a reserved number"
printf '8 %s\n' $free | try "the journal moves"
printf '%s 10\n' $ino | try "to the last reserved number"
printf '2 %s\n' $free | try "the root moves" --move-dirs
printf '11 %s\n' $free | try "lost+found moves" --move-dirs
printf '%s %s\n' $dir $free | try "a directory moves"
printf '%s %s\n%s %s\n' $other $((free + 1)) $evm $free | try "a pin moves"
printf '%s %s\n' $ino $evm | try "to a pin"
printf '%s %s\n' $ino $dir | try "to a directory"
printf '%s %s\n' $ino $other | try "to a number in use"
printf '%s %s\n%s %s\n' $ino $free $other $free | try "twice to a number"
printf '%s %s\n%s %s\n%s %s\n' $ino $free $third 1001 $ino 1002 |
	try "twice from a number"
printf '%s %s\n%s %s\n' $free 1001 $ino $other | try "a free number moves"
printf '%s %s\n%s %s\n' $ino $other $other $third | try "an open chain"
printf 'e2spread-plan 1\nuuid %s\n%s %s\0\n' $UUID $ino $free | try "a zero byte"
head -c 100000 /dev/urandom >garbage
printf 'e2spread-plan 1\nuuid %s\n' $UUID | cat - garbage >body2
try "garbage" <body2 | sed 's/(line [0-9]*)/(line N)/'
{ printf 'e2spread-plan 1\nuuid %s\n' $UUID; head -c 70000 /dev/zero | tr '\0' 7; } |
	try "a huge line"
{ printf 'e2spread-plan 1\nuuid %s\n#' $UUID; head -c 70000 /dev/zero | tr '\0' x; } |
	try "a huge comment"
rm plan
refused 8 relayout -y --plan plan a.img
mkdir plan
refused 8 relayout -y --plan plan a.img

# Nothing on standard input to ask: usage.
echo "== nobody to ask"
refused 16 relayout a.img </dev/null
sha256sum a.img | cmp - before || fail "a.img has changed"

# A good one in a free form does move what it says, and only that.
printf '\n# all of it\n  e2spread-plan\t1 \nuuid %s # us\n\n\t%s  %s\r\n%s %s\n' \
	$UUID $ino $other $other $ino >good
"$E2SPREAD" relayout -q -y --plan good --save-plan saved --map map a.img ||
	fail "a good plan"
sound a.img
[ "$(number /d0/file0) $(number /d1/file0)" = "$other $ino" ] || fail "numbers"
printf '%s\t%s\n%s\t%s\n' $ino $other $other $ino | sort -n | cmp - map
tail -n 2 saved | cmp - map
# There and back: all bytes of the inode tables are as before.
"$E2SPREAD" relayout -q -y --plan saved a.img || fail "back"
[ "$(number /d0/file0) $(number /d1/file0)" = "$ino $other" ] || fail "back"
# A plan without moves is nothing to do.
head -n 2 saved >empty
sum_and_time a.img >before
"$E2SPREAD" relayout -y --plan empty a.img || fail "an empty plan"
sum_and_time a.img | cmp - before || fail "written for nothing"
