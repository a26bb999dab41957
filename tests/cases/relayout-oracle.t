# SPDX-License-Identifier: GPL-2.0-or-later
# The numbers that real kernels gave, foretold and carried out, for all names of
# all cases; and a second relayout.
. "$srcdir/tests/lib.sh"
exec python3 "$srcdir/tests/relayout/oracle.py" \
	b1k g4 kinds lastflex overflow refill rr16 stride tree
