# SPDX-License-Identifier: GPL-2.0-or-later
# Tasks that run at once, against a slow model written apart: who makes the next
# file, and how many blocks are read.
. "$srcdir/tests/lib.sh"
hands=$builddir/tests/unit/sim
make_image a.img 4G -t ext4
while read -r tasks files seed rho; do
	"$hands" map a.img packed create $tasks $files $seed >map ||
		fail "hands: $(cat map)"
	python3 - "$reference" <<'END' || fail "not the layout"
import sys
rows = [line.split() for line in open("map")]
inos = [int(row[2]) for row in rows]
# An empty group, all in it, one after the other.
assert inos[0] % 8192 == 1 and inos == list(range(inos[0], inos[0] + len(inos)))
assert len(inos) <= 8192
sys.path.insert(0, sys.argv[1])
from image import Image
print(Image("a.img").groups[inos[0] // 8192].itable, file=open("table", "w"))
END
	awk '$4 == "f" { print $1 }' map >order
	"$E2SPREAD" simulate --json --policy packed --tasks $tasks \
		--files $files --order-seed $seed --rho $rho a.img >got ||
		fail "simulate"
	python3 "$reference/clock.py" $tasks $files $seed $rho 16 $(cat table) >want ||
		fail "clock.py"
	# The hands' order is that of the usual rho.
	[ $rho != 0.131 ] || tail -n +2 want | cmp - order || fail "order: $tasks"
	python3 - $(head -n 1 want) <<'END' || fail "$tasks $files $seed $rho"
import json, sys
row, = json.load(open("got"))["simulation"]["policies"]
assert row["creation_reads"] == int(sys.argv[1]), (
    row["creation_reads"], sys.argv[1])
END
done <<END
1 300 0 0.131
2 300 0 0.131
3 200 1 0.131
8 500 2 0.131
16 400 3 0.131
16 400 3 0.3
33 200 4 0.131
33 200 18446744073709551615 0.02
100 50 5 0.9
END
