# SPDX-License-Identifier: GPL-2.0-or-later
# Every power cut during relayouts of many batches.
. "$srcdir/tests/lib.sh"
need python3
exec "$srcdir/tests/powercut/relayout-lab" --reorder 12 --mount 5 cuts batches
