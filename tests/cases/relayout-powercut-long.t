# SPDX-License-Identifier: GPL-2.0-or-later
# Every power cut during relayout, on every kind of journal; every fault; and an
# undo file after every kill.
. "$srcdir/tests/lib.sh"
need python3
lab=$srcdir/tests/powercut/relayout-lab
status=0
"$lab" --reorder 12 --mount 5 cuts all || status=1
"$lab" faults csum3 v1 ext3 garbage dirs tiny redo redo-csum || status=1
"$lab" undo csum3 1k ext3 fc garbage tiny || status=1
exit $status
