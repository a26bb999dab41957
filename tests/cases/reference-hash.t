# SPDX-License-Identifier: GPL-2.0-or-later
# The hashes that the reference computes are those of e2fsprogs, for every
# version, seed and length of name.
. "$srcdir/tests/lib.sh"
PYTHONIOENCODING=utf-8 python3 - >names <<'END'
for n in (*range(1, 70), 127, 128, 200, 254, 255):
    print(("".join(chr(97 + (i * 7 + n) % 26) for i in range(n))))
for text in ("\u00e4\u00f6\u00fc", "\u65e5\u672c\u8a9e", "\u00ff" * 40, "~" * 33):
    print(text)
END
for seed in 5a373983-0000-4000-8000-000000000002 \
	00000000-0000-0000-0000-000000000000 \
	ffffffff-ffff-ffff-ffff-ffffffffffff; do
	# Legacy, half MD4 and TEA, of signed and of unsigned characters.
	for hash in 0 1 2 3 4 5; do
		sed "s/.*/dx_hash -h $hash -s $seed &/" names |
			debugfs -f - 2>&1 | sed -n \
			's/^Hash of .* is \(0x[0-9a-f]*\) (minor \(0x[0-9a-f]*\))$/\1 \2/p' \
			>debugfs.hash
		python3 "$reference/dirhash.py" $hash $seed <names >ours
		[ "$(wc -l <names)" = "$(wc -l <debugfs.hash)" ] ||
			fail "debugfs hashed $(wc -l <debugfs.hash) names"
		cmp debugfs.hash ours || fail "hash $hash, seed $seed"
	done
done
