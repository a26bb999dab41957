# SPDX-License-Identifier: GPL-2.0-or-later
# Ways to name a device: an offset in a file, a name with odd signs in it.
. "$srcdir/tests/lib.sh"
make_image a.img 64M -t ext4 -b 1024
fill_some a.img
json_of plain.json a.img
same() { # ARGUMENT...
	json_of got.json "$@"
	cmp plain.json got.json || fail "$*"
}

dd if=a.img of=b.img bs=512 seek=3333 conv=sparse status=none
same 'b.img?offset=1706496'
for name in 'c=1.img' 'LABEL=x.img' 'd?offset=512' 'e%s %n.img' ' .img'; do
	ln a.img "$name"
	same "./$name"
done
same 'c=1.img'
ln a.img ./-v
same -- -v
