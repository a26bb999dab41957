# SPDX-License-Identifier: GPL-2.0-or-later
# Every figure on the layouts that real kernels made.
. "$srcdir/tests/lib.sh"
for dir in "$srcdir"/tests/oracle/*/; do
	oracle "$(basename "$dir")"
	agrees before.img
	rm before.img
done
