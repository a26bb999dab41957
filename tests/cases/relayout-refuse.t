# SPDX-License-Identifier: GPL-2.0-or-later
# Every reason to refuse: status 4, one line, not a byte changed.
. "$srcdir/tests/lib.sh"

# try WORDS [ARGUMENT...]: relayout a.img is refused, with -n as well.
try() {
	echo "== $1"
	shift
	sha256sum a.img >before
	refused 4 relayout -y -f "$@" a.img
	cp err first
	"$E2SPREAD" relayout -n "$@" a.img >out 2>err
	_status=$?
	[ $_status = 4 ] || { echo "-n ends with $_status"; cat err; }
	cmp -s err first || { echo "-n says otherwise"; cat err; }
	sha256sum a.img | cmp - before || fail "a.img has changed"
}

# fresh [OPTION...]: a.img as new; made once for the same options.
fresh() {
	_base=base$(echo "$*" | tr -c 'a-z_\n' _).img
	if [ ! -f "$_base" ]; then
		make_image "$_base" 32M -t ext4 "$@"
		debug "$_base" <commands || fail "debugfs"
		sound "$_base"
	fi
	cp "$_base" a.img
}

poke() { # BYTE-OFFSET PRINTF-STRING
	printf "$2" | dd of=a.img bs=1 seek="$1" conv=notrunc status=none
}

# A journal superblock lies in the first block of the journal; without
# checksums, so that each field can be poked.
poke_journal() { # BYTE-OFFSET PRINTF-STRING
	_blk=$(debugfs -R "bmap <8> 0" a.img 2>/dev/null)
	poke $((_blk * 4096 + $1)) "$2"
}

set_super() { # FIELD VALUE
	echo "ssv $1 $2" | debug a.img || fail "ssv $1"
}

feature() {
	echo "feature $1" | debug a.img || fail "feature $1"
}

round_robin "" 4 20 >commands

fresh; feature FEATURE_C20
try "unknown compat"
fresh; feature FEATURE_R20
try "unknown ro_compat"
fresh; feature read-only
try "read-only"
fresh; feature shared_blocks
try "shared blocks"
fresh; set_super snapshot_inum 12
try "a snapshot's inode"
fresh; set_super snapshot_list 12
try "a list of snapshots"
fresh; set_super flags 0x11
try "a snapshot itself"
fresh -O stable_inodes
try "stable inodes"
fresh; feature needs_recovery
try "journal to be replayed"
fresh; set_super state 3
try "errors"
fresh; set_super error_count 1
try "an error once"
fresh; set_super state 0
try "not unmounted"
fresh; set_super last_orphan 15
try "orphans"
fresh -O orphan_file; feature orphan_present
try "orphans in the orphan file"
fresh; set_super free_inodes_count 99999999
try "free inodes"
fresh; set_super free_blocks_count 99999999
try "free blocks"
fresh
echo "set_bg 0 checksum 0x1234" | debugfs -w -f - a.img >/dev/null 2>&1
python3 - a.img <<'PY'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(4096 + 0x1e)
    was = f.read(1)[0]
    f.seek(4096 + 0x1e)
    f.write(bytes([was ^ 1]))
PY
try "a group descriptor's checksum"
fresh -O ^has_journal
try "no journal"
fresh -O ^has_journal; feature has_journal
set_super journal_dev 0x1234
set_super journal_uuid 5a373983-0000-4000-8000-000000000009
try "an external journal"
fresh; poke_journal 0 '\0'
try "no journal superblock"
fresh; poke_journal 12 '\0\0\010'
try "a journal of other blocks"
fresh; poke_journal 16 '\0\0\0\0'
try "a journal of no length"
fresh; poke_journal 16 '\0\377\377\377'
try "a journal longer than its file"
fresh; poke_journal 43 '\020'; poke_journal 80 '\004'
try "a journal with a wrong checksum"
fresh; poke_journal 43 '\0200'
try "a journal checksum of another kind"
fresh; poke_journal 42 '\377'
try "unknown features of the journal"
fresh; poke_journal 35 '\001'
try "an error in the journal"
fresh; poke_journal 31 '\001'
try "changes in a clean journal"
fresh; poke_journal 67 '\002'
try "a shared journal"
fresh; poke_journal 16 '\0\0\001\0'
try "a small journal"

fresh; echo "sif /d0/file3 flags 0x82000" | debug a.img
try "IMAGIC"
for name in lma lov link; do
	fresh; echo "ea_set /d0/file3 trusted.$name x" | debug a.img
	try "Lustre: $name"
done
for name in oi.16.0 CONFIGS; do
	fresh; echo "mkdir /$name" | debug a.img
	try "Lustre: $name"
done

# Damage that only the scan can see.
fresh; echo "sif /d1/file3 links_count 2" | debug a.img
try "a link too many"
fresh; echo "unlink /d1/file3" | debug a.img
try "a file without a name"
fresh; echo "clri /d1/file4" | debug a.img
try "a name without a file"
fresh; echo "seti <50>" | debugfs -w -f - a.img >/dev/null 2>&1
echo "freei /d0/file5" | debugfs -w -f - a.img >/dev/null 2>&1
try "a bitmap that is wrong"
for block in $(debugfs -R "bmap /d2 0" a.img 2>/dev/null); do
	fresh
	poke $((block * 4096 + 40)) 'x'
done
try "a directory block's checksum"

