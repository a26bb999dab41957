# SPDX-License-Identifier: GPL-2.0-or-later
# What the cases share: ". $srcdir/tests/lib.sh".  A case runs in a directory
# of its own, which the runner removes; here are the images, the mounts and the
# ways to end.
set -u

# The clock of mke2fs and debugfs, so that the same image is made every time.
E2FSPROGS_FAKE_TIME=1500000000
export E2FSPROGS_FAKE_TIME
reference=$srcdir/tests/reference

skip() { echo "$*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }

# need COMMAND...: skips the case where one is not installed.
need() {
	for _command in "$@"; do
		command -v "$_command" >/dev/null || skip "no $_command here"
	done
}

need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }

# need_mount: skips where ext4 images cannot be mounted.
need_mount() {
	need_root
	make_image probe.img 16M -t ext4 -O ^has_journal
	mkdir -p probe
	mount -o loop,ro probe.img probe 2>/dev/null || skip "cannot mount"
	umount probe
	rm -r probe probe.img
}

# make_image FILE SIZE OPTION...: mke2fs with a fixed UUID and hash seed.
make_image() {
	_file=$1 _size=$2
	shift 2
	rm -f "$_file"
	mke2fs -q -F -U 5a373983-0000-4000-8000-000000000001 \
		-E hash_seed=5a373983-0000-4000-8000-000000000002 \
		"$@" "$_file" "$_size" >mke2fs.log 2>&1 ||
		{ cat mke2fs.log; fail "mke2fs $*"; }
}

# debug IMAGE <COMMANDS: debugfs reads its commands from stdin and may write.
debug() {
	debugfs -w -f - "$1" >debugfs.log 2>&1
	! grep -v '^debugfs\|^Allocated inode\|^Filesystem features:\|^$' \
		debugfs.log
}

# round_robin TOP DIRS FILES: debugfs commands that make DIRS directories in
# TOP (a directory that is there, "" for the root) and fill them in turn.
round_robin() {
	: >empty
	chmod 644 empty
	_d=0
	while [ $_d -lt "$2" ]; do
		echo "mkdir $1/d$_d"
		_d=$((_d + 1))
	done
	_f=0
	while [ $_f -lt "$3" ]; do
		_d=0
		while [ $_d -lt "$2" ]; do
			echo "cd $1/d$_d"
			echo "write empty file$_f"
			_d=$((_d + 1))
		done
		_f=$((_f + 1))
	done
}

# oracle NAME: unpacks before.img of a layout that a real kernel made.
oracle() { tar -xSJf "$srcdir/tests/oracle/$1/before.tar.xz"; }

# sound IMAGE: e2fsck finds nothing; a case that fills an image says so first.
sound() {
	e2fsck -fn "$1" >e2fsck.log 2>&1 || { cat e2fsck.log; fail "e2fsck $1"; }
}

# agrees IMAGE [OPTION...]: every figure of report is that of the reference.
agrees() {
	_image=$1
	shift
	"$E2SPREAD" report --json --dirs all "$@" "$_image" >report.json ||
		fail "report $* $_image: exit status $?"
	python3 "$reference/reference.py" "$@" "$_image" >reference.json ||
		fail "reference $* $_image"
	python3 "$reference/compare.py" report.json reference.json ||
		fail "report $* $_image"
}

# figure FILE KEY: one figure of the totals in a report's JSON.
figure() {
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["totals"][sys.argv[2]])' "$1" "$2"
}

# sum_and_time FILE: changes when a byte or the time of the file does.
sum_and_time() {
	sha256sum "$1"
	stat -c '%Y %y %s' "$1"
}

# refused STATUS ARGUMENT...: e2spread ends with STATUS, prints nothing on
# stdout and exactly one line on stderr, which is shown.
refused() {
	_want=$1
	shift
	"$E2SPREAD" "$@" >out 2>err
	_status=$?
	[ ! -s out ] || { echo "stdout of $*:"; head -n 5 out; }
	[ "$(wc -l <err)" = 1 ] || echo "$(wc -l <err) lines on stderr:"
	cat err
	[ $_status = "$_want" ] || echo "exit status $_status, not $_want"
}

# fill_some IMAGE: a few hundred files of every kind by debugfs, with hard
# links, holes left by deleted files, and directories at several depths.
fill_some() {
	{
		round_robin "" 5 40
		echo "mkdir /d1/inner"
		round_robin /d1/inner 3 10
		for _name in a b c d e f; do
			echo "cd /d2"
			echo "symlink link$_name /d0/file$_name"
			echo "cd /d3"
			echo "mknod pipe$_name p"
		done
		# The count of names is debugfs's user's business.
		echo "ln /d0/file1 /d4/elsewhere"
		echo "sif /d0/file1 links_count 2"
		echo "ln /d4/file2 /d0/elsewhere"
		echo "ln /d4/file2 /d1/inner/d2/elsewhere"
		echo "sif /d4/file2 links_count 3"
		echo "ln /d3/file3 /d3/again"
		echo "sif /d3/file3 links_count 2"
		for _name in 4 5 6 30 31; do
			echo "rm /d3/file$_name"
			echo "rm /d0/file$_name"
		done
		echo "cd /"
		echo "write empty top"
	} | debug "$1" || fail "debugfs $1"
}

# shapes_agree <<SHAPES: report agrees with the reference on an image of each
# line, "SIZE OPTION...": once as debugfs fills it, once with its directories
# indexed.
shapes_agree() {
	while read -r _size _options; do
		make_image a.img $_size $_options
		fill_some a.img
		sound a.img
		agrees a.img
		agrees a.img --readahead-blks 4
		e2fsck -fyD a.img >e2fsck.log 2>&1
		sound a.img
		agrees a.img
	done
}

# json_of FILE ARGUMENT...: the report as JSON in FILE, without the name of the
# device.
json_of() {
	_json=$1
	shift
	"$E2SPREAD" report --json --dirs all "$@" >raw.json ||
		fail "report $*: exit status $?"
	python3 - raw.json "$_json" <<-END || fail "JSON of report $*"
	import json, sys
	report = json.load(open(sys.argv[1]))
	del report["filesystem"]["device"]
	json.dump(report, open(sys.argv[2], "w"), indent=1)
	END
}
