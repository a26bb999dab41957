# SPDX-License-Identifier: GPL-2.0-or-later
# No byte is read that was not written, none is lost: on a sound image, on
# damaged ones, and on the ways out that are errors.
. "$srcdir/tests/lib.sh"
need valgrind
clean() { # STATUS ARGUMENT...
	want=$1
	shift
	valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite,indirect,possible \
		--log-file=valgrind.log "$E2SPREAD" report "$@" >out 2>err
	status=$?
	[ $status = "$want" ] || {
		cat valgrind.log err
		fail "report $*: exit status $status, not $want"
	}
}
for options in "-b 1024" "-b 1024 -O inline_data,^metadata_csum -I 512"; do
	make_image sound.img 16M -t ext4 $options
	fill_some sound.img
	e2fsck -fyD sound.img >e2fsck.log 2>&1
	clean 0 --threads 2 sound.img
	clean 0 --json --dirs all -v sound.img
	clean 1 --check 'files<1' --check 'homes>=1' sound.img
done
make_image sound.img 16M -t ext4 -b 1024
fill_some sound.img
for kind in inode-garbage directory-rec-len directory-zeros directory-loop \
	extent-loop extent-far; do
	cp sound.img a.img
	python3 "$srcdir/tests/mutate.py" one a.img $kind || fail "$kind"
	clean 0 -v a.img
done
clean 8 missing.img
truncate -s 8M sound.img
clean 8 sound.img
clean 16 --check 'nonsense<1' a.img
