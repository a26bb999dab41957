# SPDX-License-Identifier: GPL-2.0-or-later
# Every figure against a slow model that is written apart, on file systems of
# several shapes, with old files in the way and without.
. "$srcdir/tests/lib.sh"
hands=$builddir/tests/unit/sim

agree() { # PATTERN TASKS FILES POLICY KEYS-LEFT-OUT OPTION...
	_p=$1 _t=$2 _f=$3 _policy=$4 _out=$5
	shift 5
	"$hands" map a.img $_policy $_p $_t $_f 3 >map || fail "hands: $(cat map)"
	"$E2SPREAD" simulate --json --policy $_policy --pattern $_p \
		--tasks $_t --files $_f --order-seed 3 "$@" a.img >got ||
		fail "simulate $*"
	# Only turns have an order that settles the reads.
	_turns=
	[ $_p != round-robin ] || _turns="--turns 0.139"
	case " $* " in
	*no-read-avoidance*) _turns="$_turns --always" ;;
	esac
	_ra=32
	case " $* " in
	*"blks 0"*) _ra=1 ;;
	*"blks 4"*) _ra=4 ;;
	esac
	python3 "$reference/simulate.py" a.img map $_turns \
		--readahead-blks $_ra >want || fail "simulate.py"
	python3 - $_out <<'END' || fail "$_p $_t $_f $_policy $*"
import json, sys
want = json.load(open("want"))
got, = json.load(open("got"))["simulation"]["policies"]
for key in set(want) - set(sys.argv[1:]):
    assert got[key] == want[key], (key, got[key], want[key])
END
}

while read -r before size options; do
	make_image a.img $size $options
	[ $before = empty ] || fill_some a.img
	for policy in packed spread balanced oldalloc noflex; do
		agree round-robin 6 70 $policy none --readahead-blks 0
		agree round-robin 6 70 $policy none --readahead-blks 0 \
			--no-read-avoidance
		agree round-robin 13 20 $policy creation_reads \
			--readahead-blks 4
		agree create 9 90 $policy creation_reads
		agree tree 3 200 $policy creation_reads
	done
done <<END
empty 1G -t ext4
full 1G -t ext4 -G 4
full 512M -t ext4 -b 1024 -G 8 -N 8192
full 256M -t ext4 -I 128 -O ^flex_bg
full 256M -t ext3
END
