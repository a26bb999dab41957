# Every power cut, on every kind of journal, and every fault.
lab=$srcdir/tests/powercut/redo-lab
$lab --reorder 12 --fsck 3 --mount 5 cuts all &&
$lab faults csum3 v1 ext3 tiny redo redo-csum
