# A seeded sample of power cuts and of faults; redo-powercut-long.t tries all of
# them, on every kind of journal.  See tests/powercut/redo-lab.
lab=$srcdir/tests/powercut/redo-lab
$lab --limit 10 cuts csum3 v1 none 1k fc tiny redo-csum &&
$lab --limit 6 faults csum3 redo-csum
