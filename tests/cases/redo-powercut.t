# A seeded sample of power cuts on every kind of journal, and all of those of
# the redo file; see tests/powercut/redo-lab.
lab=$srcdir/tests/powercut/redo-lab
$lab --limit 14 cuts csum3 csum2-32 v1 none never jsb1 1k ext3 fc lazy-none \
	stale tiny escape redo-csum &&
$lab --limit 12 faults csum3 redo-csum
