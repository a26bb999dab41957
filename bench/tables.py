# SPDX-License-Identifier: GPL-2.0-or-later
"""What bench/run prints of what it has measured: markdown, as
doc/performance.md holds it, and the goals."""
MIB = 1 << 20


class Rows:
    def __init__(self, rows):
        self.rows = rows

    def all(self, **wanted):
        return [row for row in self.rows
                if all(row.get(key) == value for key, value in wanted.items())]

    def get(self, key="wall", **wanted):
        """A figure of the row that is as WANTED; None where there is none."""
        found = self.all(**wanted)
        return found[0].get(key) if found else None

    def images(self, **wanted):
        return list(dict.fromkeys(row["image"] for row in self.all(**wanted)))


def ratio(a, b):
    return a / b if a is not None and b else None


def show(value, decimals=2):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    return str(value)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |",
             "|---" + "|---:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(show(cell) for cell in row) + " |"
                    for row in rows]


def seconds(value):
    """With as many decimals as a median of some runs is worth."""
    return None if value is None else show(value, 3 if value < 10 else 1)


# Goals

def memory_over(rows, command, per_inode):
    """The most that COMMAND takes beyond PER_INODE bytes for each inode in
    use, in MiB."""
    over = [(row["peak_kib"] * 1024 - per_inode * row["inodes"]) / MIB
            for row in rows.all(state="hot", command=command)]
    return max(over) if over else None


def flatness(rows, command, *names):
    """How far time an inode is from that of the first image, in percent."""
    first, *others = [
        ratio(rows.get(part="scale", image=name, command=command),
              rows.get("inodes", part="scale", image=name, command=command))
        for name in names]
    if first is None or None in others:
        return None
    return max(abs(value / first - 1) * 100 for value in others)


def goals(all_rows):
    """The goals, each with what was measured of it (None: nothing)."""
    rows = Rows(all_rows)

    def part(name, state, command, key="wall"):
        return rows.get(key, part=name, image="rr1m", state=state,
                        command=command)

    def one(key, words, bound, value, unit=""):
        return {"goal": key, "words": words, "at_most": bound, "unit": unit,
                "value": value,
                "met": None if value is None else value <= bound}

    empty = rows.all(part="scale", image="empty16m", command="report")
    return [
        one("report_e2fsck_hot", "`report` to `e2fsck -fn`, hot",
            1 / 6, ratio(part("report", "hot", "report"),
                                   part("report", "hot", "e2fsck"))),
        one("report_1_e2fsck_hot", "`report --threads 1` to `e2fsck -fn`, hot",
            1 / 4, ratio(part("report", "hot", "report-1"),
                                   part("report", "hot", "e2fsck"))),
        one("report_read_cold", "`report` to the plain read, cold", 1.25,
            ratio(part("report", "cold", "report"),
                  part("report", "cold", "read"))),
        one("relayout_cp", "`relayout` to `cp -a`", 1 / 25,
            ratio(part("relayout", "hot", "relayout"),
                  part("relayout", "hot", "cp"))),
        one("relayout_write", "`relayout` to the plain write", 2.5,
            ratio(part("relayout", "hot", "relayout"),
                  part("relayout", "hot", "write"))),
        one("ls_reads_after", "read I/Os of a cold `ls -l` after `relayout`",
            700, part("effect", "after", "ls", "read_ios")),
        one("report_memory", "`report`: peak memory beyond 12 bytes an inode "
            "in use, the worst image", 48, memory_over(rows, "report", 12),
            "MiB"),
        one("relayout_memory", "`relayout`: peak memory beyond 24 bytes an "
            "inode in use, the worst image", 96,
            memory_over(rows, "relayout", 24), "MiB"),
        one("report_memory_allocated", "`report`: peak memory, 16 million "
            "inodes allocated, none in use", 48,
            empty[0]["peak_kib"] / 1024 if empty else None, "MiB"),
        *(one(f"{command}_flat_{names[0]}", f"`{command}`: time an inode of "
              f"`{'` and `'.join(names[1:])}`, off that of `{names[0]}`", 20,
              flatness(rows, command, *names), "%")
          for command in ("report", "relayout")
          for names in (("rr1m", "rr4m", "rr16m"), ("tree", "tree16m"))),
    ]


def goal_lines(found):
    words = {True: "met", False: "**missed**", None: "not measured"}

    def cell(value, unit):
        if value is None:
            return "-"
        if not unit and 0 < value < 1:
            return f"1/{round(1 / value, 2):g}"
        return f"{round(value, 2):g} {unit}".strip()

    return table(("goal", "at most", "measured", ""), [
        (g["words"], cell(g["at_most"], g["unit"]), cell(g["value"], g["unit"]),
         words[g["met"]]) for g in found])


# Tables of the parts

def report_lines(rows):
    lines = []
    for image in rows.images(part="report"):
        for state in "hot", "cold":
            def of(command, key="wall"):
                return rows.get(key, part="report", image=image, state=state,
                                command=command)
            if not rows.all(part="report", image=image, state=state):
                continue
            lines.append((
                image, state, seconds(of("report")), seconds(of("report-1")),
                seconds(of("e2fsck")), seconds(of("read")),
                ratio(of("e2fsck"), of("report")),
                ratio(of("e2fsck"), of("report-1")),
                ratio(of("report"), of("read")),
                show(of("report", "read_ios"), 0),
                show(of("read", "read_ios"), 0)))
    return table(("image", "cache", "report, s", "1 thread, s", "e2fsck -fn, s",
                  "plain read, s", "e2fsck / report", "e2fsck / 1 thread",
                  "report / read", "I/Os of report", "of the read"), lines)


def relayout_lines(rows):
    lines = []
    for image in rows.images(part="relayout"):
        def of(command, key="wall"):
            return rows.get(key, part="relayout", image=image,
                            command=command)
        lines.append((
            image, of("relayout", "changed_bytes") // MIB,
            seconds(of("relayout")), seconds(of("write")), seconds(of("cp")),
            of("cp", "runs"), ratio(of("relayout"), of("write")),
            ratio(of("cp"), of("relayout"))))
    return table(("image", "changed, MiB", "relayout, s", "plain write, s",
                  "cp -a, s", "runs of cp", "relayout / write",
                  "cp / relayout"), lines)


EFFECTS = (("ls", "cold `ls -l` of one directory"),
           ("refill", "refill: every second file deleted, then as many made, a "
            "task for each directory"),
           ("create", "half as many files more, a task for each directory"))


def effect_lines(rows):
    return table(("", "relayout", "read I/Os", "sectors", "inode loads",
                  "seconds"), [
        (words, row["state"], *(show(row[key], 0) for key in
                                ("read_ios", "read_sectors", "inode_loads")),
         seconds(row["wall"]))
        for command, words in EFFECTS
        for row in rows.all(part="effect", command=command)])


def cost_lines(rows, part):
    """Time and memory an inode: of those created, or of those in use."""
    lines = []
    for row in rows.all(part=part):
        inodes = row.get("created", row["inodes"])
        # Of a file system without files it says nothing.
        many = inodes > 100
        lines.append((
            row["command"], row["image"], inodes, seconds(row["wall"]),
            seconds(row["user"] + row["sys"]),
            row["wall"] / inodes * 1e6 if many else None,
            row["peak_kib"] / 1024,
            row["peak_kib"] * 1024 / inodes if many else None))
    return table(("command", "image", "inodes", "seconds", "CPU, s",
                  "µs an inode", "peak, MiB", "bytes an inode"), lines)


def left_out(title, notes):
    return [title, ""] + [f"- {n['part']}, {n['what']}: {n['reason']}"
                          for n in notes] + [""] if notes else []


def markdown(result):
    """All of RESULT, which is what --json writes."""
    rows, bench = Rows(result["rows"]), result["bench"]
    lines = [f"e2spread {bench['version']}, {bench['e2fsck']}; images of size "
             f"{bench['size']}; medians of {bench['runs']} runs.", ""]
    lines += [f"- {key}: {value}" for key, value in result["machine"].items()]
    lines += ["", "### Goals", "", *goal_lines(result["goals"]), ""]
    for part, title, made in (
            ("report", "report", report_lines),
            ("relayout", "relayout", relayout_lines),
            ("effect", "What relayout is for", effect_lines),
            ("model", "simulate and mballoc",
             lambda rows: cost_lines(rows, "model")),
            ("scale", "Time and memory an inode",
             lambda rows: cost_lines(rows, "scale"))):
        if rows.all(part=part):
            lines += [f"### {title}", "", *made(rows), ""]
    lines += left_out("Left out:", result["skipped"])
    lines += left_out("FAILED:", result["failed"])
    lines += ["### Images", ""]
    lines += table(("image", "inodes in use", "on disk, MiB", "made in, s", ""),
                   [(name, image["inodes_used"], image["disk_bytes"] // MIB,
                     image["seconds_to_make"], image["words"])
                    for name, image in result["images"].items()])
    return "\n".join(lines)
