# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases of relayout share, behind tests/lib.sh.  a.img is the image.
UUID=5a373983-0000-4000-8000-000000000001
manifest() { python3 "$srcdir/tests/relayout/manifest.py" "$1" || fail "$1"; }
number() {
	debugfs -R "stat $2" "$1" 2>/dev/null |
		sed -n 's/^Inode: \([0-9]*\).*/\1/p'
}

# moved WORDS [OPTION...]: a.img is relaid by the file "moves" (OLD NEW lines),
# and nothing but numbers is changed.
moved() {
	_words=$1
	shift
	sound a.img
	manifest a.img >before
	printf 'e2spread-plan 1\nuuid %s\n' $UUID | cat - moves >plan
	"$E2SPREAD" relayout -y -q "$@" --plan plan --map map a.img ||
		fail "$_words"
	sort -n moves | tr ' ' '\t' | cmp -s - map || fail "$_words: the map"
	sound a.img
	manifest a.img >after
	python3 "$srcdir/tests/relayout/manifest.py" --compare before after ||
		fail "$_words"
}

# pinned WORDS PATH REASON: PATH of a.img stays, says why, and may not be moved.
pinned() {
	sound a.img
	_ino=$(number a.img $2)
	"$E2SPREAD" relayout -n -f --policy spread --move-dirs a.img >out ||
		fail "$1: -n"
	grep '^  stay:' out | grep -q "1 ($3)" || { cat out; fail "$1: $3"; }
	printf 'e2spread-plan 1\nuuid %s\n%s 900\n' $UUID $_ino >plan
	sha256sum a.img >before
	"$E2SPREAD" relayout -y --move-dirs --plan plan a.img >out 2>err
	[ $? = 8 ] || { cat err; fail "$1: moved"; }
	grep -q 'line 3' err || fail "$1: line"
	sha256sum a.img | cmp - before || fail "$1: written"
	manifest a.img >before
	"$E2SPREAD" relayout -y -q -f --move-dirs --policy spread a.img ||
		fail "$1: all others"
	[ "$(number a.img $2)" = "$_ino" ] || fail "$1: has moved"
	sound a.img
	manifest a.img >after
	python3 "$srcdir/tests/relayout/manifest.py" --compare before after ||
		fail "$1"
}
