# SPDX-License-Identifier: GPL-2.0-or-later
# Writes and flushes of relayout that fail, and signals: the exit status, two
# lines, and what they say to do does finish it.  And killed runs with -z.  A
# seeded sample; relayout-faults-long.t tries all of them.
. "$srcdir/tests/lib.sh"
need python3
lab=$srcdir/tests/powercut/relayout-lab
"$lab" --limit 3 faults csum3 garbage redo &&
"$lab" --limit 3 --fault int,term,eio faults tiny &&
"$lab" --limit 6 undo 1k garbage
