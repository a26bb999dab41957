# SPDX-License-Identifier: GPL-2.0-or-later
# doc/relayout.md and doc/plan-file.md hold what the source says: every refusal
# with its words, everything that keeps its number, every fault of a plan file;
# and the cases that relayout.md names are there.
. "$srcdir/tests/lib.sh"
need python3
python3 - <<'END' || fail "the documents and the program differ"
import os
import re
import sys

srcdir = os.environ["srcdir"]
bad = 0


def read(path):
    with open(os.path.join(srcdir, path)) as f:
        return f.read()


def rows(text):
    """The cells of each row of the tables in TEXT."""
    return [[cell.strip() for cell in line.strip("|\n").split("|")]
            for line in text.splitlines() if line.startswith("| ")]


def section(text, number):
    m = re.search(rf"^## {number}\..*?\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    return m[1]


def same(what, documented, real):
    global bad
    for missing in sorted(set(real) - set(documented)):
        print(f"{what}: the document lacks {missing!r}")
        bad = 1
    for extra in sorted(set(documented) - set(real)):
        print(f"{what}: the source has no {extra!r}")
        bad = 1
    if not real:
        print(f"{what}: none found in the source")
        bad = 1


doc = read("doc/relayout.md")
codes = re.findall(r'^ec\tE2S_ET_(\w+),\n\t"(.*)"$', read("lib/util/err.et"),
                   re.M)
names = [name for name, words in codes]
refusals = dict(codes[names.index("REFUSED") + 1:names.index("FAILED")])
table = {row[0].strip("`")[len("E2S_ET_"):]: row[1]
         for row in rows(section(doc, 3)) if row[0].startswith("`")}
same("refusals", table, refusals)
for name in set(table) & set(refusals):
    if not refusals[name].startswith(table[name]):
        print(f"{name}: says {refusals[name]!r}, not {table[name]!r}")
        bad = 1
for name in re.findall(r"E2S_ET_(\w+)", doc):
    if name not in names:
        print(f"E2S_ET_{name} is no code")
        bad = 1

pins = re.findall(r'^\t\[E2S_PIN_\w+\] = \{ "(.*?)", 0 \}', read(
    "lib/scan/pins.c"), re.M)
stays = re.findall(r'^\t\[E2S_STAY_\w+\] = "(.*?)"', read("lib/plan/plan.c"),
                   re.M)
said = " | ".join(row[0] for row in rows(section(doc, 2))[1:])
listed = {words for words in pins + stays if words in said}
same("what keeps its number", listed, pins + stays)

faults = [words for name, words in codes if name.startswith("PLAN_")]
same("faults of a plan file",
     [row[0] for row in rows(read("doc/plan-file.md"))[1:]], faults)

# The last column of a table that says who shows it.
cases = set()
shows = False
for line in doc.splitlines():
    if not line.startswith("|"):
        shows = False
    elif line.rstrip().endswith("| shown by |"):
        shows = True
    elif shows:
        cases |= set(re.findall(r"[a-z][a-z/-]+", line.split("|")[-2]))
cases |= set(re.findall(r"\b(?:redo|verify|relayout)-[a-z-]+(?=[ ,)])", doc))
for case in sorted(cases):
    path = f"tests/{case}.c" if "/" in case else f"tests/cases/{case}.t"
    if not os.path.exists(os.path.join(srcdir, path)):
        print(f"there is no case {case}")
        bad = 1
if len(cases) < 3:
    print("no cases found in relayout.md")
    bad = 1
sys.exit(bad)
END
