# Every refusal that needs no inode: the sentence, exit 4, and not one byte of
# the image changed.
driver=$builddir/tests/powercut/redo-driver
failed=0

# fresh MKE2FS-OPTIONS...: an image to spoil
fresh() {
	rm -f image
	truncate -s 8M image
	mke2fs -q -F "$@" image 2>/dev/null || exit 1
}

# spoil REQUEST...: with debugfs, which asks no questions
spoil() {
	debugfs -w -R "$*" image >/dev/null 2>&1
}

# jsb OFFSET HEX: writes bytes into the journal's superblock
jsb() {
	blk=$(debugfs -R 'blocks <8>' image 2>/dev/null | cut -d' ' -f1)
	bs=$(dumpe2fs -h image 2>/dev/null | sed -n 's/^Block size: *//p')
	printf "$2" | dd of=image bs=1 seek=$((blk * bs + $1)) conv=notrunc \
		2>/dev/null
}

# refused SENTENCE [DRIVER-OPTION...]
refused() {
	words=$1
	shift
	before=$(sha256sum <image)
	$driver "$@" image >out 2>&1
	code=$?
	if [ $code != 4 ] || ! grep -q "$words" out; then
		echo "'$words': exit $code: $(cat out)"
		failed=1
	elif [ "$before" != "$(sha256sum <image)" ]; then
		echo "'$words': the image changed"
		failed=1
	fi
}

fresh -t ext4; spoil feature FEATURE_C20
refused "compatible features that this program does not know"
fresh -t ext4; spoil feature FEATURE_R24
refused "read-only compatible features that this program does not know"
fresh -t ext4; spoil feature read-only
refused "has the read-only feature"
fresh -t ext4; spoil feature shared_blocks
refused "share blocks"
fresh -t ext4; spoil ssv snapshot_inum 12
refused "snapshot"
fresh -t ext4; spoil ssv snapshot_list 12
refused "snapshot"
fresh -t ext4; spoil ssv flags 0x11
refused "snapshot"
fresh -t ext4 -O stable_inodes
refused "stable_inodes"
fresh -t ext4; spoil feature needs_recovery
refused "journal to be replayed"
fresh -t ext4; spoil ssv state 3
refused "marked as having errors"
fresh -t ext4; spoil ssv error_count 1
refused "marked as having errors"
fresh -t ext4; spoil ssv state 0
refused "not unmounted cleanly"
fresh -t ext4; spoil ssv last_orphan 12
refused "orphans"
fresh -t ext4 -O orphan_file; spoil feature orphan_present
refused "orphans"
fresh -t ext4; spoil ssv free_inodes_count 999999
refused "counts more free"
fresh -t ext4; spoil ssv free_blocks_count 999999
refused "counts more free"
fresh -t ext4; spoil set_bg 0 checksum 0x1234
refused "checksum of a group descriptor"
fresh -t ext2
refused "no journal"
fresh -t ext4; spoil ssv journal_inum 0
refused "journal on another device"
fresh -t ext4; jsb 0 '\0\0\0\0'
refused "its journal is damaged"
fresh -t ext4; jsb 12 '\0\0\020\1'
refused "its journal is damaged"
fresh -t ext4; jsb 16 '\0\377\0\0'
refused "its journal is damaged"
fresh -t ext4; jsb 20 '\0\0\0\0'
refused "its journal is damaged"
fresh -t ext4; jsb 40 '\0\0\0\030'
refused "its journal is damaged"
fresh -t ext4; jsb 80 '\4'; jsb 40 '\0\0\0\020'
refused "its journal is damaged"
fresh -t ext4; spoil clri '<8>'
refused "its journal is damaged"
fresh -t ext4; jsb 40 '\0\0\1\0'
refused "its journal has features"
fresh -t ext4; jsb 44 '\0\0\0\1'
refused "its journal has features"
fresh -t ext4; jsb 32 '\0\0\0\5'
refused "gave up its journal"
fresh -t ext4; jsb 28 '\0\0\0\1'
refused "holds changes although"
fresh -t ext4; jsb 64 '\0\0\0\2'
refused "shared with other"
fresh -t ext4; jsb 16 '\0\0\2\0'
refused "its journal is too small"


# In use on another host: 0xe24d4d50 is e2fsck's sequence number.
fresh -t ext4 -O mmp
blk=$(dumpe2fs -h image 2>/dev/null | sed -n 's/^MMP block number: *//p')
bs=$(dumpe2fs -h image 2>/dev/null | sed -n 's/^Block size: *//p')
printf '\120\115\115\342' |
	dd of=image bs=1 seek=$((blk * bs + 4)) conv=notrunc 2>/dev/null
refused "in use on some host"
fresh -t ext4 -O mmp
(truncate -s 1M disk && cat image >>disk)
mv image saved; mv disk 'image'
before=$(sha256sum <image)
$driver 'image?offset=1048576' >out 2>&1
[ $? = 4 ] && grep -q "cannot use at an offset" out || { cat out; failed=1; }
[ "$before" = "$(sha256sum <image)" ] || { echo "changed"; failed=1; }

# What a redo file lifts, and what it does not.
printf 'begin\n' >script
for make in "-t ext2" "-t ext4 -O ^has_journal"; do
	fresh $make
	$driver -r redo image script >out 2>&1 || { cat out; failed=1; }
done
fresh -t ext2; spoil ssv state 0
refused "not unmounted cleanly" -r redo
fresh -t ext2
ln image link
refused2() {
	words=$1
	shift
	before=$(sha256sum <image)
	$driver "$@" image script >out 2>&1
	code=$?
	if [ $code != 4 ] || ! grep -q "$words" out ||
	   [ "$before" != "$(sha256sum <image)" ]; then
		echo "$*: exit $code: $(cat out)"
		failed=1
	fi
}
refused2 "redo file must not be on" -r image
refused2 "redo file must not be on" -r link
echo precious >taken
refused2 "redo file exists" -r taken
[ "$(cat taken)" = precious ] || { echo "the file was overwritten"; failed=1; }
mkdir dir
refused2 "must be a new regular file" -r dir
refused2 "must be a new regular file" -r /dev/null
rm link
fresh -t ext4
ln image link
refused2 "undo file must not be on" -u image
refused2 "undo file must not be on" -u link
refused2 "undo file exists and is something else" -u taken
[ "$(cat taken)" = precious ] || { echo "the file was overwritten"; failed=1; }
refused2 "undo file must be a regular file" -u /dev/null
# Where none can be made: an error, not a crash.
$driver -u /nonexistent/undo image script >out 2>&1
[ $? = 8 ] && grep -q "No such file" out || { cat out; failed=1; }
$driver -r /nonexistent/redo image script >out 2>&1
[ $? = 8 ] && grep -q "No such file" out || { cat out; failed=1; }

# A file that is shorter than its file system.
fresh -t ext4; truncate -s 4M image
before=$(sha256sum <image)
$driver image >out 2>&1 && failed=1
grep -q "shorter than its file system" out || { cat out; failed=1; }
[ "$before" = "$(sha256sum <image)" ] || { echo "changed"; failed=1; }

# Nothing to do: not a byte, and no undo file left.
fresh -t ext4
before=$(sha256sum <image)
$driver -u undo image >out 2>&1 || { cat out; failed=1; }
[ "$before" = "$(sha256sum <image)" ] || { echo "opening changed it"; failed=1; }
[ ! -e undo ] || { echo "an undo file for nothing"; failed=1; }
exit $failed
