"""Numbers and tables for people."""

UNITS = {
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "bytes/s": ((1e9, "GB/s"),),
    "flop/s": ((1e12, "Tflop/s"), (1e9, "Gflop/s")),
    "op/s": ((1e12, "Top/s"), (1e9, "Gop/s")),
    "bytes": ((1e6, "MB"),),
}


def digits(value):
    """Three of them, without an exponent."""
    size = abs(value)
    return f"{value:.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def scale_of(value, unit):
    choices = UNITS[unit]
    return next((choice for choice in choices if abs(value) >= choice[0]), choices[-1])


def amount(value, unit):
    factor, name = scale_of(value, unit)
    return f"{digits(value / factor)} {name}"


def figure(summary, unit):
    """Median with spread: 14.4 us (14.2 to 16.2)."""
    if summary is None:
        return ""
    factor, name = scale_of(summary.median, unit)
    return (f"{digits(summary.median / factor)} {name} "
            f"({digits(summary.least / factor)} to {digits(summary.most / factor)})")


def ratio(row):
    if row.ratio is None:
        return ""
    return f"{100 * row.ratio:.1f} %" if row.kind == "share" else f"{digits(row.ratio)}x"


def target(row):
    if row.target is None:
        return ""
    if row.kind == "under":
        return f"under {amount(row.target, row.unit)}"
    if row.kind == "share":
        return f"at least {100 * row.target:.0f} %"
    return f"{'at most' if row.kind == 'costs' else 'at least'} {row.target:g}x"


def who(facts):
    """A line about a program: PyTorch 1.13.1, OpenBLAS 0.3.21 (Haswell), AVX2 kernels."""
    parts = [facts["version"], facts.get("blas", "")]
    if facts.get("onednn"):
        parts.append(f"oneDNN {facts['onednn']}")
    if facts.get("level"):
        parts.append(f"{facts['level']} kernels")
    if facts.get("held_back"):
        parts.append(f"held back: {facts['held_back']}")
    return ", ".join(part for part in parts if part)


def peers(works):
    """A line for every program that took part, and how the best way to do each work was found."""
    lines, ways = {}, []
    for work, raw in works.items():
        for name, facts in raw["facts"].items():
            if "version" in facts:
                lines[who(facts)] = None
            if "way" in facts:
                tried = [f"{way} {amount(seconds, 's') if isinstance(seconds, float) else 'failed'}"
                         for way, seconds in facts["tried"].items()]
                threads = f", {facts['threads']} threads" if "threads" in facts else ""
                if "blas_threads" in facts:
                    threads += f" and {facts['blas_threads']} of its BLAS"
                ways.append(f"{work}, {name}: {facts['way']}{threads} (tried: {'; '.join(tried)})")
    return list(lines), ways


HEADERS = ("work", "ours", "beside", "theirs", "ratio", "target", "")


def cells(row):
    theirs = row.note if row.note else figure(row.other, row.unit)
    return (row.title, figure(row.ours, row.unit), row.against, theirs, ratio(row), target(row),
            row.verdict)


def draw_table(headers, lines, left):
    """In Markdown, which reads well as text too. `left` are the columns of words."""
    lines = [headers, *lines]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]

    def draw(line):
        return "| " + " | ".join(text.ljust(width) if i in left else text.rjust(width)
                                 for i, (text, width) in enumerate(zip(line, widths))) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if i not in left else "-")
                          for i, width in enumerate(widths)) + "|"
    return "\n".join([draw(headers), rule, *(draw(line) for line in lines[1:])])


def table(rows):
    return draw_table(HEADERS, [cells(row) for row in rows], {0, 2, 6})


def marked(row):
    """Its ratio, with a star where the peer was not held to the level of the run."""
    return ratio(row) + ("*" if row.not_held and row.ratio else "")


def side_by_side(runs, names):
    """Rows of two or more runs in one table: what was measured, beside whom, and each run's figures."""
    found = {}
    for number, rows in enumerate(runs):
        for row in rows:
            if not row.detail:
                key = (row.title, row.against, row.kind)
                found.setdefault(key, [None] * len(runs))[number] = row
    headers = ["work", "beside"]
    for name in names:
        headers += [f"{name}: ours", "theirs", "ratio"]
    lines = []
    for (title, against, _), rows in found.items():
        line = [title, against]
        for row in rows:
            theirs = "" if row is None else row.note or (amount(row.other.median, row.unit) if row.other else "")
            share = "" if row is None else f"({ratio(row)})" if row.held_back else marked(row)
            line += ["" if row is None or not row.ours else amount(row.ours.median, row.unit), theirs, share]
        lines.append(line)
    return draw_table(headers, lines, {0, 1})


def report(rows):
    """Both tables and a line that counts."""
    main = [row for row in rows if not row.detail]
    detail = [row for row in rows if row.detail]
    parts = [table(main)] if main else []
    if detail:
        parts.append(table(detail))
    counts = {word: sum(row.verdict.startswith(word) for row in rows)
              for word in ("met", "missed", "not measured")}
    held = sum(bool(row.held_back) for row in rows)
    if held:
        counts["beside a peer that is held back"] = held
    parts.append(", ".join(f"{count} {word}" for word, count in counts.items()))
    return "\n\n".join(parts)
