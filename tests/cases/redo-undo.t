# e2undo takes a run back to the byte, whatever the log.
$srcdir/tests/powercut/redo-lab undo csum3 csum2-32 v1 never 1k ext3 fc tiny \
	bigalloc redo redo-csum
