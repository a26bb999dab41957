# SPDX-License-Identifier: GPL-2.0-or-later
# Where spreading costs, simulate says so: one file a directory, and a tree that
# is read as a whole (in the patch, 7 to 33 % more itable loads by du).
. "$srcdir/tests/lib.sh"
make_image a.img 64G -t ext4 -E lazy_itable_init=1,lazy_journal_init=1
simulate() { "$E2SPREAD" simulate --json "$@" a.img || fail "simulate $*"; }
simulate --tasks 1000 --files 1 >single.json
simulate --pattern tree --tasks 1 --files 60000 >tree1.json
simulate --pattern tree --tasks 16 --files 20000 >tree16.json
simulate --tasks 16 --files 20000 >many.json
python3 - <<'END' || fail "costs"
import json
def rows(name):
    got = json.load(open(name + ".json"))["simulation"]["policies"]
    return {row["policy"]: row for row in got}
packed, spread, balanced, old = (rows("single")[p] for p in (
    "packed", "spread", "balanced", "oldalloc"))
# A directory's one inode is one window whatever the policy; all of them
# together lie in one group or in each of the flex group.
for row in packed, spread, balanced, old:
    assert row["cold_windows"] == row["cold_blocks"] == 1
assert packed["groups"] == old["groups"] == 1
assert spread["groups"] == balanced["groups"] == 16
assert packed["walk_windows"] * 3 < spread["walk_windows"]
assert spread["groups_lose_uninit"] == 16
assert spread["creation_reads"] > packed["creation_reads"]
for name in "tree1", "tree16":
    tree = rows(name)
    ratio = tree["spread"]["walk_windows"] / tree["packed"]["walk_windows"]
    assert 1.07 <= ratio <= 1.33, (name, ratio)
# And what it is for.
many = rows("many")
assert many["spread"]["creation_reads"] * 50 < many["packed"]["creation_reads"]
assert many["spread"]["cold_windows"] * 10 < many["packed"]["cold_windows"]
END
