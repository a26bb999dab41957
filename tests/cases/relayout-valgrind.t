# SPDX-License-Identifier: GPL-2.0-or-later
# No byte is read that was not written, none is lost, on one small relayout of
# each kind.  (libext2fs's undo files have such bytes of their own.)
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
