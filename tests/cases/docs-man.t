# SPDX-License-Identifier: GPL-2.0-or-later
# The man page holds what the program has, and nothing else: commands, options,
# the keys of JSON, exit statuses.
. "$srcdir/tests/lib.sh"
need python3
make_image a.img 64M -t ext4
{
	round_robin "" 3 20
	# A name that leads nowhere, so that there is a problem to name.
	echo "clri /d1/file3"
} | debug a.img || fail debugfs
"$E2SPREAD" report --json a.img >report.json 2>err || fail "report: $(cat err)"

cat >docs.py <<'END'
import glob
import json
import os
import re
import subprocess
import sys

srcdir = os.environ["srcdir"]
with open(os.path.join(srcdir, "man/e2spread.8.in")) as f:
    page = f.read()
bad = 0


def section(name):
    m = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", page, re.S | re.M)
    return m[1] if m else ""


def same(what, page_has, program_has):
    global bad
    for missing in sorted(set(program_has) - set(page_has)):
        print(f"{what}: the page lacks {missing}")
        bad = 1
    for extra in sorted(set(page_has) - set(program_has)):
        print(f"{what}: there is no {extra}, though the page has it")
        bad = 1
    if not program_has:
        print(f"{what}: none found")
        bad = 1


def help_of(*command):
    return subprocess.run([os.environ["E2SPREAD"], *command, "--help"],
                          check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def plain(line):
    """A line of roff without macro, quotes and escapes."""
    line = re.sub(r"^\.\S+ ", "", line).replace("\\-", "-")
    return re.sub(r"\\f.", "", line).replace('"', "")


def options_in(text):
    return re.findall(r"(?<![\w-])--?[A-Za-z][a-z-]*", text)


# Commands, and the options of each: page, help, and what getopt is told.
commands = re.findall(r"^  ([a-z]+)  ", help_of(), re.M)
parts = dict(re.findall(r"^\.SS (.*)\n((?:(?!\.SS ).*\n)*)",
                        section("COMMANDS"), re.M))
same("commands", parts, commands)
for name in commands:
    heads = re.findall(r"^\.TP\n(.*)\n", parts.get(name, ""), re.M)
    in_page = [o for head in heads for o in options_in(plain(head))]
    in_help = [o for line in help_of(name).splitlines()
                 if line.lstrip().startswith("-")
                 for o in options_in(re.split("   ?", line.strip())[0])]
    same(f"options of {name}", in_page, in_help)
    told = set()
    for path in glob.glob(os.path.join(srcdir, f"e2spread/{name}*.c")):
        with open(path) as f:
            told |= set(re.findall(
                r'\{ "([a-z0-9-]+)", (?:no|required|optional)_argument',
                f.read()))
    same(f"options of {name} (help against source)",
         [o[2:] for o in in_help if o.startswith("--")], told)
    synopsis = " ".join(
        plain(line) for use in section("SYNOPSIS").split(".PP\n")
        if re.match(rf"\.B e2spread {name}\b", use)
        for line in use.splitlines())
    for option in in_help:
        # A long form beside a short one need not be there, nor help.
        if option in ("-h", "--help") or re.search(rf"-\w, {option}\b",
                                                   help_of(name)):
            continue
        letters = option[1] if len(option) == 2 else "none"
        if not re.search(rf"{option}(?![\w-])|\[ -[a-z]*{letters}", synopsis):
            print(f"synopsis of {name}: no {option}")
            bad = 1


# Keys of JSON, as paths; an array is what its elements are.
def paths(value, at=""):
    if isinstance(value, list):
        return {p for v in value for p in paths(v, at)}
    if not isinstance(value, dict):
        return set()
    return {p for k, v in value.items()
            for p in {at + k} | paths(v, at + k + ".")}


with open("report.json") as f:
    report = json.load(f)
with open("healthy.json") as f:
    healthy = json.load(f)
if set(healthy["after_relayout"]) != set(healthy["totals"]):
    print("after_relayout has other keys than totals")
    bad = 1
for one in (report, healthy):
    one["after_relayout"] = 0
in_page, stack, keys, lines = set(), [], [], iter(
    section("JSON OUTPUT").splitlines())
for line in lines:
    if line == ".RS":
        stack.append(keys[-1])
    elif line == ".RE":
        stack.pop()
    elif line == ".TP":
        keys = re.findall(r"[a-z0-9_]+", plain(next(lines)))
        in_page |= {".".join([*stack, k]) for k in keys}
same("keys of report --json", in_page, paths(report) | paths(healthy))

# Exit statuses.
with open(os.path.join(srcdir, "e2spread/cmd.h")) as f:
    statuses = re.findall(r"^\tEXIT_[A-Z]+ = (\d+),", f.read(), re.M)
same("exit statuses", re.findall(r"^\.TP\n\.B (\d+)$", section("EXIT STATUS"),
                                 re.M), statuses)

# Environment: what the source asks for.
asked = set()
for path in glob.glob(os.path.join(srcdir, "*/*.c")) + glob.glob(
        os.path.join(srcdir, "lib/*/*.c")):
    if "/tests/" not in path:
        with open(path) as f:
            asked |= set(re.findall(r'getenv\("(\w+)"\)', f.read()))
same("environment", re.findall(r"^\.TP\n\.B (\w+)$", section("ENVIRONMENT"),
                               re.M), asked)

# Policies and orders.
with open(os.path.join(srcdir, "lib/ialloc/policy.c")) as f:
    policies = re.findall(r'^\t\{ "([a-z]+)", "[^"]*",\n\t  0,', f.read(), re.M)
with open(os.path.join(srcdir, "e2spread/relayout_options.c")) as f:
    orders = re.findall(r'\[E2S_PLAN_[A-Z]+\] = "([a-z]+)"', f.read())
lists = re.findall(r"^\.RS\n(.*?)^\.RE", parts.get("relayout", ""), re.S | re.M)
for what, has in (("policies", policies), ("orders", orders)):
    text = lists.pop(0) if lists else ""
    same(what, re.findall(r"^\.TP\n\.B (\w+)$", text, re.M), has)
sys.exit(bad)
END
make_image b.img 64M -t ext4
round_robin "" 3 20 | debug b.img || fail debugfs
"$E2SPREAD" report --json b.img >healthy.json || fail report
python3 docs.py || fail "the page and the program differ"
