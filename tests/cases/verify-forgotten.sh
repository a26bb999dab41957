# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases verify-forgotten*.t and verify-changed.t share: an image, a mover that can be told
# to forget a step, and the verdicts of verify and of e2fsck side by side.  The
# mover (verify-mover.py) shares nothing with lib/.
set -u
export E2FSPROGS_FAKE_TIME=1500000000
verify=$builddir/tests/unit/verify
mover="python3 $srcdir/tests/cases/verify-mover.py"
status=0

fail() { echo "FAILED: $*"; exit 1; }

# make FILE OPTION...: a file system on a disk full of garbage, so that slots
# above the high-water marks hold some; a group or two never used.
make() {
	_img=$1
	shift
	python3 -c 'import random, sys
random.seed(4)
sys.stdout.buffer.write(random.randbytes(4 << 20))' >"$_img"
	mke2fs -q -F -b 1024 -g 1024 -N 512 -O ^resize_inode,^has_journal "$@" \
		-E lazy_itable_init=1,nodiscard,hash_seed=5a373983-0000-4000-8000-000000000002 \
		-U 5a373983-0000-4000-8000-000000000001 -d tree \
		"$_img" >mke2fs.log 2>&1 || { cat mke2fs.log; fail mke2fs; }
	e2fsck -fn "$_img" >fsck.log 2>&1 || { cat fsck.log; fail "e2fsck $_img"; }
}

# judged WANT NOTE [MAP]: verify must find now.img to be WANT against base.img;
# prints the line and e2fsck's exit status.
judged() {
	_said=$("$verify" compare base.img now.img ${3-})
	e2fsck -fn now.img >fsck.log 2>&1
	_fsck=$?
	printf '%-28s verify: %s\n%-28s e2fsck: %s\n' "$2" "$_said" "" $_fsck
	case $_said in
	"$1"*) ;;
	*) echo "FAILED: $2: not '$1'"; status=1 ;;
	esac
	[ "$1" != equal ] || [ $_fsck = 0 ] || { cat fsck.log; status=1; }
}

forgets() {
	cp base.img now.img
	$mover move now.img map "$2" || fail "mover $2"
	judged "$1" "forgot $2" map
}

changes() {
	_want=$1
	shift
	cp base.img now.img
	$mover change now.img "$@" || fail "mover $*"
	judged "$_want" "changed $*"
}

mkdir -p tree/a tree/b tree/c/d
python3 - <<'END'
with open("tree/a/tree", "wb") as f:	# every other block: an extent block
    for i in range(60):
        f.seek(i * 2048)
        f.write(b"x" * 1024)
for d in "ab":
    for i in range(40):
        open(f"tree/{d}/f{i}", "w").write(f"{d}{i}\n")
END
echo two >tree/a/two
ln tree/a/two tree/b/again
ln tree/a/f0 tree/c/d/again
ln tree/a/f0 tree/c/d/third
ln -s ../a/f1 tree/b/symlink
