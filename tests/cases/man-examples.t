# SPDX-License-Identifier: GPL-2.0-or-later
# What the man page shows is what happens: its examples run, on images made
# here, and print what it says.
. "$srcdir/tests/lib.sh"
need python3 e2undo
PATH=${E2SPREAD%/*}:$PATH

fill() {
	{
		echo "mkdir /objects"
		round_robin /objects 16 96
	} | debug "$1" || fail "debugfs $1"
	sound "$1"
}

make_image disk.img 2G -t ext4
fill disk.img
make_image old.img 2G -t ext4 -O ^has_journal
fill old.img
# The same file system 1 MiB into a larger file.
truncate -s 1M whole.img
dd if=disk.img of=whole.img bs=1M seek=1 conv=sparse,notrunc 2>/dev/null
truncate -s 2049M whole.img
python3 "$srcdir/tests/cases/docs-examples.py" man \
	"$builddir/man/e2spread.8" disk.img old.img whole.img
