# SPDX-License-Identifier: GPL-2.0-or-later
# Names of any bytes: JSON is UTF-8 and loses none of them, text cannot be
# broken into other lines or command the terminal; deep paths are whole.
. "$srcdir/tests/lib.sh"
python3 - <<'END'
import os
os.mkdir("tree")
names = [b"\xff\xfe", b"\xe4\xf6\xfc", b"a\xc3", b"\xed\xa0\x80", b"\xc0\xaf",
         b"\xf4\x90\x80\x80", b"quote\"back\\slash", b"line\nbreak", b"tab\t",
         b"esc\x1b[31mred", b"del\x7f", b"\x01", "\u65e5\u672c".encode(),
         "\U0001f600".encode(), "\u2028\u0085".encode(), b" ", b"x" * 255]
for name in names:
    os.mkdir(b"tree/" + name)
    for i in range(3):
        open(b"tree/" + name + b"/%d" % i, "w").close()
os.chdir("tree")
for i in range(60):
    os.mkdir("deep" * 30)
    os.chdir("deep" * 30)
open("bottom", "w").close()
END
make_image a.img 64M -t ext4 -b 1024 -d tree
sound a.img
agrees a.img
python3 - <<'END' || fail "JSON"
import json
raw = open("report.json", "rb").read()
raw.decode()			# UTF-8 as it stands
assert not any(c < 32 and c != 10 for c in raw)
paths = {d["path"].encode(errors="surrogateescape")
         for d in json.loads(raw)["directories"]}
assert b"/\xff\xfe" in paths and b"/\xed\xa0\x80" in paths
assert b"/line\nbreak" in paths and b"/esc\x1b[31mred" in paths
assert any(len(p) == 60 * 121 for p in paths)
END
"$E2SPREAD" report --dirs all a.img >text || fail "text"
python3 - <<'END' || fail "text"
raw = open("text", "rb").read()
assert not any((c < 32 and c != 10) or c == 127 for c in raw), "control bytes"
assert b"\nbreak" not in raw
END
