# SPDX-License-Identifier: GPL-2.0-or-later
# No byte is read that was not written, none is lost, on one small relayout of
# each kind; and the memory of a large one is bounded.
. "$srcdir/tests/lib.sh"
need valgrind
make_image base.img 32M -t ext4 -g 2048 -N 2048 -O inline_data
fill_some base.img
sound base.img
for options in "--policy spread" "--policy spread --order hash --move-dirs"; do
	cp base.img a.img
	valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite,indirect \
		"$E2SPREAD" relayout -y -f -q $options --map map \
		a.img 2>err || { cat err; fail "$options"; }
	sound a.img
done
printf 'e2spread-plan 1\nuuid x\n' >plan
valgrind -q --error-exitcode=99 --leak-check=full \
	--errors-for-leak-kinds=definite,indirect \
	"$E2SPREAD" relayout -y --plan plan a.img 2>err
[ $? = 8 ] || { cat err; fail "a bad plan"; }

# 200000 inodes: 24 bytes each and 96 MiB, with room for the C library's own.
make_image a.img 1G -t ext4 -N 262144 -O ^metadata_csum,uninit_bg
mkdir source
python3 - <<'PY'
import os
for d in range(16):
    os.mkdir(f"source/d{d}")
for f in range(12500):
    for d in range(16):
        os.close(os.open(f"source/d{d}/f{f}", os.O_CREAT | os.O_WRONLY))
PY
mke2fs -q -F -t ext4 -N 262144 -d source a.img 1G >mke2fs.log 2>&1 ||
	{ cat mke2fs.log; fail "mke2fs -d"; }
rm -r source
(
	ulimit -v $(((24 * 200000 + 96 * 1048576) / 1024 + 65536))
	exec "$E2SPREAD" relayout -y -q -f --threads 2 a.img
) || fail "200000 inodes: status $?"
sound a.img
