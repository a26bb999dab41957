#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs-examples.py man|text FILE IMAGE...

Runs the examples of a page and compares what they print.  In a man page an
example lies between .EX and .EE; in a text it is indented by four columns.  A
line that begins with "# " (man) or "$ " (text) is a command for the shell, the
lines behind it what it prints, "..." standing for any lines or none.  Other
indented text has no command and is passed over.  Each example begins with
copies of the IMAGEs in an empty directory; its commands share one.  A command
that prints more or other than the page shows, or that the page shows without
its exit status though it is not 0, is a failure."""
import os
import re
import subprocess
import sys
import tempfile


def blocks_of_man(text):
    for block in re.findall(r"^\.EX\n(.*?)^\.EE$", text, re.S | re.M):
        block = block.replace("\\&", "").replace("\\-", "-")
        yield block.replace("\\e", "\\").splitlines()


def blocks_of_text(text):
    block = []
    for line in text.splitlines() + ["end"]:
        if line.startswith("    ") or not line and block:
            block.append(line[4:])
        elif block:
            while not block[-1]:
                block.pop()
            yield block
            block = []


def commands_of(lines, prompt):
    """(command, lines it prints) ..., nothing for a block without any."""
    for line in lines:
        if line.startswith(prompt):
            command, shown = line[len(prompt):], []
            yield command, shown
        elif line == lines[0]:
            return
        else:
            shown.append(line)


def agrees(shown, printed):
    pattern = "".join(r"(?:[^\n]*\n)*" if line.strip() == "..." else
                      re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, printed)


def run(lines, prompt, images):
    bad = count = 0
    with tempfile.TemporaryDirectory(dir=".") as place:
        for image in images:
            subprocess.run(["cp", "--sparse=always", image, place],
                           check=True)
        for command, shown in list(commands_of(lines, prompt)):
            result = subprocess.run(
                command, shell=True, cwd=place, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, errors="backslashreplace")
            count += 1
            if result.returncode or not agrees(shown, result.stdout):
                bad += 1
                print(f"{command}\nexit status {result.returncode}, prints:\n"
                      f"{result.stdout}where the page shows:")
                print("\n".join(shown))
    return count, bad


def main():
    kind, path, images = sys.argv[1], sys.argv[2], sys.argv[3:]
    blocks, prompt = {"man": (blocks_of_man, "# "),
                      "text": (blocks_of_text, "$ ")}[kind]
    with open(path) as f:
        text = f.read()
    tried = [run(lines, prompt, images) for lines in blocks(text)]
    count, bad = (sum(column) for column in zip(*tried))
    print(f"{count} commands of {os.path.basename(path)}, {bad} differ")
    if not count:
        print("no example found")
    return 1 if bad or not count else 0


sys.exit(main())
