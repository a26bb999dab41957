# SPDX-License-Identifier: GPL-2.0-or-later
# What verify says when a mover forgets a step, beside what e2fsck says.  The
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

make base.img -t ext4
$mover plan base.img >map || fail plan
"$verify" read base.img || fail "base.img"
cp base.img now.img
judged places "moved nothing" map
cp base.img now.img
$mover move now.img map || fail mover
judged equal "moved" map
judged places "moved, no plan"

forgets fault inode-csum
forgets fault extent-csum
forgets fault dir-csum
forgets fault dirent
forgets fault hard-link
forgets fault bit-set
forgets fault bit-clear
forgets fault free-count
forgets fault itable-unused
forgets fault inode-uninit
forgets fault zero-vacated
forgets fault zero-gap
forgets fault bitmap-csum
forgets fault desc-csum

changes differs time /a/f3
changes differs generation /a/tree
changes differs name /a/f3
changes differs swap-names /a/f3 /b/f3
changes differs swap-names /a/f3 /a/f4
changes differs extent /a/tree
changes fault type /a/f3
changes fault links /a/f3
changes fault links /a
changes fault padding
changes fault super-free
changes "" super-csum

# The wrong number and all else right: two files exchanged beyond the plan.
cp base.img now.img
{ cat map; echo "$($mover find base.img /a/f5) $($mover find base.img /b/f5)"
echo "$($mover find base.img /b/f5) $($mover find base.img /a/f5)"; } >more
$mover move now.img more
judged places "moved two too many" map
judged equal "moved two more" more

# Directories that move, one of them with a child that stays.
echo "$($mover find base.img /a) 500
$($mover find base.img /c) 498" >map
cp base.img now.img
$mover move now.img map
judged equal "moved directories" map
for step in inode-csum dirs-count dotdot dir-csum dirent bit-set bit-clear \
	zero-vacated; do
	forgets fault $step
done

# Group checksums alone, none at all, inline directories.
for options in "-t ext4 -O ^metadata_csum,uninit_bg" \
	"-t ext4 -I 256 -O inline_data"; do
	make base.img $options
	echo "== $options"
	"$verify" read base.img || fail "base.img"
	$mover plan base.img >map || fail plan
	cp base.img now.img
	$mover move now.img map
	judged equal "moved" map
	for step in dirent hard-link bit-set bit-clear free-count itable-unused \
		inode-uninit zero-vacated zero-gap desc-csum; do
		forgets fault $step
	done
	changes differs time /a/f3
	changes differs swap-names /a/f3 /b/f3
	echo "$($mover find base.img /c) 500
$($mover find base.img /c/d) 498" >map
	cp base.img now.img
	$mover move now.img map
	judged equal "moved directories" map
	forgets fault dotdot
	forgets fault dirs-count
done

# Values in inodes of their own.
echo "== ea_inode"
make base.img -t ext4 -O ea_inode
python3 -c 'print("v" * 5000)' >v
python3 -c 'print("w" * 5000)' >w
debugfs -w -f - base.img >debugfs.log 2>&1 <<'END'
ea_set -f v /a/f3 user.v
ea_set -f w /b/f3 user.v
ea_set -f w /b/f4 user.v
END
e2fsck -fy base.img >fsck.log 2>&1
e2fsck -fn base.img >fsck.log 2>&1 || { cat fsck.log; fail "e2fsck"; }
"$verify" read base.img || fail "base.img"
changes differs ea-ref /a/f3 /b/f3
$mover plan base.img >map || fail plan
echo "$($mover find base.img /a/f3) 450" >>map
cp base.img now.img
$mover move now.img map
judged equal "moved" map
$mover change base.img lustre /a/f3
"$verify" read base.img || fail "base.img"
cp base.img now.img
$mover move now.img map
judged equal "moved, Lustre's way" map
forgets differs lustre-mtime
exit $status
