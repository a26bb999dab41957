# SPDX-License-Identifier: GPL-2.0-or-later
# The man page is well-formed, to whichever of mandoc and groff is here.
. "$srcdir/tests/lib.sh"
page=$builddir/man/e2spread.8
grep -n '@[A-Z_]*@' "$page" && fail "not all of the page is configured"
tried=
if command -v mandoc >/dev/null; then
	# Lines of output that must not be broken may be long.
	mandoc -Tlint -W style "$page" | grep -v 'longer than 80 bytes' |
		grep -v 'referenced manual not found' >lint
	[ ! -s lint ] || { cat lint; fail mandoc; }
	tried=mandoc
fi
if command -v groff >/dev/null; then
	groff -man -ww -z -Tutf8 "$page" >lint 2>&1 && [ ! -s lint ] ||
		{ cat lint; fail groff; }
	tried="$tried groff"
fi
[ -n "$tried" ] || skip "neither mandoc nor groff is here"
