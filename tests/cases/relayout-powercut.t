# SPDX-License-Identifier: GPL-2.0-or-later
# A seeded sample of power cuts during relayout; relayout-powercut-long.t tries
# all of them, on every kind of journal.  See tests/powercut/relayout-lab.
. "$srcdir/tests/lib.sh"
need python3
exec "$srcdir/tests/powercut/relayout-lab" --limit 12 cuts \
	csum3 v1 1k fc lazy garbage inline tiny areas redo-csum
