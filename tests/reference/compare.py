#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py REPORT.json REFERENCE.json

Names every key of the reference in which the report differs, one a line; exit
status 1 when there is one.  The report may round ratios to two decimals; it
may say more than the reference, but not of a directory or flex group that the
reference does not know."""
import json
import sys

ROWS = {"flex_groups": "flex_group", "directories": "ino"}


def same(got, want):
    if isinstance(want, float):
        return isinstance(got, (int, float)) and abs(got - want) < 0.005001
    if isinstance(want, list):
        return isinstance(got, list) and sorted(got) == sorted(want)
    return type(got) is type(want) and got == want


def differences(path, got, want):
    if not isinstance(got, dict):
        yield f"{path}: missing"
        return
    for key, value in want.items():
        if key in ROWS and isinstance(value, list):
            yield from rows(f"{path}{key}", got.get(key), value, ROWS[key])
        elif isinstance(value, dict):
            yield from differences(f"{path}{key}.", got.get(key), value)
        elif key not in got:
            yield f"{path}{key}: missing"
        elif not same(got[key], value):
            yield (f"{path}{key}: {json.dumps(got[key])}, reference "
                   f"{json.dumps(value)}")


def rows(path, got, want, name):
    if not isinstance(got, list):
        yield f"{path}: missing"
        return
    index = {row[name]: row for row in got}
    if len(index) != len(got):
        yield f"{path}: a row stands there twice"
    for row in want:
        yield from differences(f"{path}[{row[name]}].", index.get(row[name]),
                               row)
    for extra in sorted(index.keys() - {row[name] for row in want}):
        yield f"{path}[{extra}]: not in the reference"


def main():
    with open(sys.argv[1]) as f:
        got = json.load(f)
    with open(sys.argv[2]) as f:
        want = json.load(f)
    found = list(differences("", got, want))
    for line in found[:100]:
        print(line)
    if len(found) > 100:
        print(f"... and {len(found) - 100} more")
    return 1 if found else 0


sys.exit(main())
