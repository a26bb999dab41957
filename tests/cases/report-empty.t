# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing in it: lost+found is no home, no figure divides by zero, and text
# and JSON are whole.
. "$srcdir/tests/lib.sh"
for options in "-t ext4" "-t ext2 -b 1024 -r 0 -O none" \
	"-t ext4 -b 1024 -g 256 -N 64"; do
	make_image a.img 16M $options
	agrees a.img
	for key in homes files itable_blocks directory_blocks least_blocks \
		windows shared_blocks homes_per_block_max; do
		[ "$(figure report.json $key)" = 0 ] || fail "$key is not 0"
	done
	python3 - <<-END || fail "arrays"
	import json
	r = json.load(open("report.json"))
	assert r["directories"] == [] and len(r["flex_groups"]) >= 1
	assert r["e2spread"]["schema"] == 1 and r["e2spread"]["command"] == "report"
	END
	"$E2SPREAD" report a.img >text || fail "text: exit status $?"
	[ -s text ] || fail "no text"
done
