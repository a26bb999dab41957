# SPDX-License-Identifier: GPL-2.0-or-later
# Damage of every kind, with and without checksums: report ends, says so with
# the command to run, and counts what is sound.
. "$srcdir/tests/lib.sh"
mutate="python3 $srcdir/tests/mutate.py one"
survives() { # WORDS: of a.img, which is damaged
	timeout 30 "$E2SPREAD" report --json --dirs all --threads 2 a.img \
		>report.json 2>err
	status=$?
	[ $status = 0 ] || { cat err; fail "$1: exit status $status"; }
	grep -q e2fsck err || { cat err; fail "$1: no warning"; }
	python3 -m json.tool report.json >/dev/null || fail "$1: JSON"
	"$E2SPREAD" report -v a.img >text 2>err.v || fail "$1: -v"
	[ "$(wc -l <err.v)" -gt "$(wc -l <err)" ] ||
		{ cat err.v; fail "$1: -v names nothing more"; }
	"$E2SPREAD" report --json --dirs all --threads 1 a.img 2>/dev/null |
		cmp - report.json || fail "$1: threads"
}

make_image sums.img 16M -t ext4 -b 1024
fill_some sums.img
sound sums.img
make_image plain.img 16M -t ext4 -b 1024 -O ^metadata_csum
fill_some plain.img
make_image mapped.img 16M -t ext2 -b 1024
fill_some mapped.img
"$E2SPREAD" report --json sums.img >report.json 2>err || fail "report"
[ ! -s err ] || { cat err; fail "a warning on a sound image"; }
files=$(figure report.json files)

for image in sums plain; do
	for kind in inode-garbage inode-named-ea inode-cleared \
		directory-rec-len directory-rec-len-far \
		directory-inode-range directory-zeros directory-loop \
		extent-loop extent-depth extent-far directory-size; do
		cp $image.img a.img
		$mutate a.img $kind || fail "$kind"
		survives "$kind on $image"
	done
done
for kind in map-loop inode-cleared directory-rec-len directory-size; do
	cp mapped.img a.img
	$mutate a.img $kind || fail "$kind"
	survives "$kind on mapped"
done
for kind in inode-checksum directory-checksum; do
	cp sums.img a.img
	$mutate a.img $kind || fail "$kind"
	survives "$kind on sums"
done

# The name of an inode that is not in use makes no file of it.
cp plain.img a.img
$mutate a.img inode-cleared
survives "inode-cleared"
[ "$(figure report.json files)" = $((files - 1)) ] ||
	fail "a name without an inode was counted"
