# SPDX-License-Identifier: GPL-2.0-or-later
# Every power cut during relayout, on every kind of journal.
. "$srcdir/tests/lib.sh"
need python3
exec "$srcdir/tests/powercut/relayout-lab" --reorder 12 --mount 5 cuts one-batch
