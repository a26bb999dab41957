# SPDX-License-Identifier: GPL-2.0-or-later
# As relayout-faults.t: every write and flush, or where there are hundreds and
# all alike a larger sample.
. "$srcdir/tests/lib.sh"
need python3
lab=$srcdir/tests/powercut/relayout-lab
status=0
"$lab" faults csum3 v1 ext3 redo || status=1
"$lab" --limit 40 faults garbage dirs tiny redo-csum || status=1
"$lab" undo csum3 || status=1
"$lab" --limit 100 undo 1k ext3 fc garbage tiny || status=1
exit $status
