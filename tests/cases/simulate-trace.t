# SPDX-License-Identifier: GPL-2.0-or-later
# Traces that do not fit the file system, or are none: exit 8, one line that
# names the line of the trace.
. "$srcdir/tests/lib.sh"
make_image a.img 1G -t ext4 -b 1024 -G 4 -N 8192
fill_some a.img
try() { # TRACE
	printf "$1" >trace
	refused 8 simulate --trace trace a.img
}
try 'chmod /a\n'
try 'mkdir /a\nmkdir b\n'
try 'mkdir /a\nrename /a\n'
try '@x mkdir /a\n'
try 'create /..\n'
try 'create /a\n\ncreate /a\n'
try 'create /d0/file1\n'
try 'create /none/a\n'
try 'create /d0/file1/a\n'
try 'unlink /d0/none\n'
try 'unlink /d0\n'
try 'unlink /\n'
try 'create /a\nunlink /a\nunlink /a\n'
try 'mkdir /a\nmkdir /a/b\nrename /a /a/b/c\n'
try 'mkdir /a\nlink /a /b\n'
try 'create /a\nmkdir /b\nrename /a /b\n'
try 'create /a\nmkdir /b\nrename /b /a\n'
try 'mkdir /a\ncreate /a/x\nmkdir /b\nrename /b /a\n'
try 'link /d0/file1 /d0/file2\n'
try 'unlink /lost+found/x\n'

# What is well: hard links, replaced names, an emptied directory.
cat >trace <<'END'
# three names of one file that is there
link /d0/file1 /d1/another
rename /d1/another /d1/another
rename /d1/another /d0/file1
unlink /d1/another
unlink /d0/file1
mkdir /new
@3 create /new/a
@4 create /new/b
@3 rename /new/a /new/b
unlink /new/b
rename /new /d0/new
unlink /d0/new
create /new
END
"$E2SPREAD" simulate --json --policy spread --trace trace a.img >out ||
	fail "a good trace"
python3 - <<'END' || fail "a good trace"
import json
s = json.load(open("out"))["simulation"]
assert (s["tasks"], s["pattern"]) == (5, "trace")
row, = s["policies"]
assert row["directories"] == 1 and row["files"] == 3
assert row["itable_blocks"] == 1 and row["out_of_inodes"] == 0
END

# No byte of a trace does harm.
cat >random-traces.py <<'END'
import os, random, subprocess, sys
rng = random.Random(5)
words = [b"mkdir", b"create", b"unlink", b"rename", b"link", b"@1", b"@", b"#",
         b"/", b"/a", b"/a/b", b"/d0", b"/d0/file1", b"/d1/inner", b"\n", b"\n",
         b"\n", b"\\", b"\\057", b"\0", b"\xff", b"/" + b"x" * 300, b"\t"]
for i in range(150):
    text = b" ".join(rng.choice(words) for _ in range(rng.randrange(40)))
    if i % 2:	# mostly well formed
        paths = [b"/a", b"/b", b"/a/c", b"/d0", b"/d0/file1", b"/d1/inner/z"]
        text = b""
        for _ in range(rng.randrange(25)):
            verb = rng.choice(words[:5])
            text += verb + b" " + rng.choice(paths)
            text += b" " + rng.choice(paths) if verb in words[3:5] else b""
            text += b"\n"
    open("trace", "wb").write(text)
    p = subprocess.run([os.environ["E2SPREAD"], "simulate", "--policy",
                        "packed", "--trace", "trace", "a.img"],
                       capture_output=True, timeout=60)
    assert p.returncode in (0, 8), (text, p)
    assert p.returncode == 0 or p.stderr.count(b"\n") == 1 and (
        b"line " in p.stderr), (text, p.stderr)
END
python3 random-traces.py || fail "random traces"
