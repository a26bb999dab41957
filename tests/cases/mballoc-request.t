# SPDX-License-Identifier: GPL-2.0-or-later
# What a request costs, and where its blocks are, against a file that the
# running kernel gives the same number of blocks: mb_stats and filefrag.
. "$srcdir/tests/lib.sh"
need_mount
need filefrag
mkdir mnt

# try IMAGE OPTIMIZE LIMIT BLOCKS GOAL
try() {
	cp --sparse=always "$1" i.img
	mount -o loop,mb_optimize_scan="$2" i.img mnt || fail "mount $*"
	name=$(basename "$(findmnt -no SOURCE mnt)")
	size=$(stat -fc %s mnt)
	# All bitmaps are in memory, as those of a system that runs.
	cat "/proc/fs/ext4/$name/mb_groups" >/dev/null
	echo "$3" >"/sys/fs/ext4/$name/mb_max_linear_groups"
	echo 1 >"/sys/fs/ext4/$name/mb_stats"
	fallocate -l $(($4 * size)) mnt/new || fail "fallocate $*"
	cat "/proc/fs/ext4/$name/mb_stats" >stats
	filefrag -b"$size" -v mnt/new >frag
	umount mnt
	"$E2SPREAD" mballoc --json --request "$4" --goal "$5" \
		--linear-limit "$3" "$1" >json || fail "$*: exit status $?"
	python3 "$reference/mballoc.py" stats json "$2" stats frag >diff ||
		fail "the witness"
	[ ! -s diff ] || { cat diff; fail "$*"; }
}

# try_all IMAGE GOAL BLOCKS...: GOAL is where files of up to 16 blocks start.
try_all() {
	_image=$1 _goal=$2
	shift 2
	for blocks in "$@"; do
		goal=0
		[ "$blocks" -gt 16 ] || goal=$_goal
		try "$_image" 0 0 "$blocks" $goal
		try "$_image" 1 0 "$blocks" $goal
		try "$_image" 1 4 "$blocks" $goal
	done
}

oracle frag1
try_all before.img 1 1 16 17 512 700 8192 32767
oracle overflow
try_all before.img 1 256 32767
make_image small.img 1G -t ext4 -b 1024 -g 2048 -O ^flex_bg
try_all small.img 0 2 1000 1024 3000
make_image stripe.img 4G -t ext4 -E stride=16,stripe_width=64
try_all stripe.img 1 64 192 1000
make_image big.img 8G -t ext4 -O bigalloc -C 65536
try_all big.img 1 5 512 10000
