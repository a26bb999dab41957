# SPDX-License-Identifier: GPL-2.0-or-later
# Inodes that must not move, and some that move with something to be rewritten
# besides.
. "$srcdir/tests/lib.sh"
. "$srcdir/tests/relayout/lib.sh"
round_robin "" 4 60 >files
filled() { # OPTION...
	make_image a.img 64M -t ext4 -g 2048 -N 2048 "$@"
	debug a.img <files || fail "debugfs"
}

filled
printf '\002xxxxxxxxxxxxxxxxxxxxx' >value
echo "ea_set -f value /d1/file7 security.evm" | debug a.img
pinned "EVM" /d1/file7 "signed with its inode number (EVM)"

# EVM's portable signature leaves the number out.
filled
printf '\005xxxxxxxxxxxxxxxxxxxxx' >value
echo "ea_set -f value /d1/file7 security.evm" | debug a.img
echo "$(number a.img /d1/file7) 1234" >moves
moved "a portable signature"

# An overlay's upper file names the lower one: fb, length, flags, type, UUID.
filled
handle() { # PATH OUTPUT
	_hex=$(printf '%08x' "$(number a.img $1)")
	printf '\000\373\035\000\001' >$2
	printf '\132\067\071\203\000\000\100\000\200\000\000\000\000\000\000\001' >>$2
	for _byte in 7-8 5-6 3-4 1-2; do
		printf "\\$(printf '%o' 0x$(echo $_hex | cut -c $_byte))" >>$2
	done
	printf '\000\000\000\000' >>$2
}
handle /d2/file9 value
echo "ea_set -f value /d3/file9 trusted.overlay.origin" | debug a.img
pinned "overlay origin" /d2/file9 "named by an overlayfs file handle"
filled
handle /d2 value
echo "ea_set -f value /d3 trusted.overlay.origin" | debug a.img
pinned "overlay origin of a directory" /d2 "named by an overlayfs file handle"

# fscrypt contexts by hand: version 2, modes, flags.  debugfs cannot write the
# attribute, so one of user's becomes one of encryption's (1 -> 9).
encrypted() { # FLAGS PATH: an inode that says it is encrypted
	filled -O encrypt,^metadata_csum
	{ printf "\\002\\001\\004\\$1"; head -c 36 /dev/zero; } >value
	echo "ea_set -f value $2 user.c" | debug a.img || fail "ea_set"
	echo "sif $2 flags 0x80800" | debug a.img || fail "sif"
	python3 - a.img "$(number a.img $2)" <<'PY' || fail "no attribute"
import os, sys
sys.path.insert(0, os.environ["srcdir"] + "/tests/reference")
from image import Image
image, ino = Image(sys.argv[1]), int(sys.argv[2])
at = image.block_of(ino) * image.block_size + \
    (ino - 1) % image.inodes_per_block * image.inode_size + 128 + 32 + 4
with open(sys.argv[1], "r+b") as f:
    f.seek(at)
    assert f.read(2) == b"\1\1"
    f.seek(at + 1)
    f.write(b"\11")
PY
}
for flags in 010 020; do
	encrypted $flags /d1/file8
	pinned "fscrypt IV_INO $flags" /d1/file8 \
		"encrypted with its inode number"
done
encrypted 200 /d1/file8
pinned "fscrypt with unknown flags" /d1/file8 "encrypted in an unknown way"
encrypted 007 /d1/file8
echo "$(number a.img /d1/file8) 1234" >moves
moved "fscrypt with a key for each file"
filled -O encrypt
echo "sif /d1/file8 flags 0x80800" | debug a.img
"$E2SPREAD" relayout -n -f a.img >out || fail "encrypted without a context"
grep -q '1 (encrypted in an unknown way)' out ||
	fail "encrypted without a context"

# A Lustre-style EA inode names its owner in i_mtime.
filled -O ea_inode
head -c 30000 /dev/zero | tr '\0' e >value
debug a.img <<END2 || fail "debugfs"
ea_set -f value /d1/file5 user.long
ea_set -f value /d2/file5 user.long
ea_set -f value /d3/file5 user.long
END2
e2fsck -fy a.img >e2fsck.log 2>&1
for d in 1 2 3; do
	echo "$(number a.img /d$d/file5) 150$d"
done >moves
moved "an EA inode shared by three"
printf '%s %s\n' 1501 1511 1502 1501 1503 "$(number a.img /d0/file1)" \
	"$(number a.img /d0/file1)" 1502 >moves
moved "an EA inode shared by three, again"

# A slot in a bad block is no target, and what is in one stays.
filled
table=$(dumpe2fs a.img 2>/dev/null | sed -n \
	'/^Group 1:/,$s/.*Inode table at \([0-9]*\)-.*/\1/p' | head -n 1)
# Inodes 273 to 288 are in the second block of group 1's table.
printf '%s %s\n' "$(number a.img /d0/file1)" 273 \
	"$(number a.img /d0/file2)" 289 >moves
moved "before the block is bad"
echo $((table + 1)) >bad
e2fsck -fy -L bad a.img >e2fsck.log 2>&1
# --- inodes with nothing to tell them apart ---

# Generation 0, as mke2fs -d leaves them.
mkdir -p source/x source/y
for i in 1 2 3 4 5 6 7 8 9; do
	echo $i >source/x/$i
	ln source/x/$i source/y/$i
done
make_image a.img 64M -t ext4 -N 2048 -d source
printf '%s %s\n' "$(number a.img /x/1)" "$(number a.img /x/2)" \
	"$(number a.img /x/2)" "$(number a.img /x/3)" \
	"$(number a.img /x/3)" "$(number a.img /x/1)" >moves
moved "generation 0"

# Inline directories, which move, hold what moves, and are in one that moves.
make_image a.img 64M -t ext4 -N 2048 -O inline_data
{
	round_robin "" 3 20
	echo "mkdir /d0/in"
	echo "mkdir /d0/in/in"
	echo "cd /d0/in/in"
	for i in 1 2 3; do echo "write empty a$i"; done
	echo "cd /d0/in"
	for i in 1 2 3; do echo "write empty b$i"; done
} | debug a.img || fail "debugfs"
n=1000
for path in /d0 /d0/in /d0/in/in /d0/in/in/a2 /d0/in/b1 /d0/file3 /d1; do
	n=$((n + 7))
	echo "$(number a.img $path) $n"
done >moves
moved "inline directories" --move-dirs
printf '%s %s\n' 1007 1014 1014 1021 1021 1007 >moves
moved "inline directories in a cycle" --move-dirs
