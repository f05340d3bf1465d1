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


HEADERS = ("work", "ours", "beside", "theirs", "ratio", "target", "")


def cells(row):
    theirs = row.note if row.note else figure(row.other, row.unit)
    return (row.title, figure(row.ours, row.unit), row.against, theirs, ratio(row), target(row),
            row.verdict)


def table(rows):
    """In Markdown, which reads well as text too."""
    lines = [HEADERS, *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADERS))]
    left = {0, 2, 6}

    def draw(line):
        return "| " + " | ".join(text.ljust(width) if i in left else text.rjust(width)
                                 for i, (text, width) in enumerate(zip(line, widths))) + " |"

    rule = "|" + "|".join("-" * (width + 1) + (":" if i not in left else "-")
                          for i, width in enumerate(widths)) + "|"
    return "\n".join([draw(HEADERS), rule, *(draw(line) for line in lines[1:])])


def report(rows):
    """Both tables and a line that counts."""
    main = [row for row in rows if not row.detail]
    detail = [row for row in rows if row.detail]
    parts = [table(main)] if main else []
    if detail:
        parts.append(table(detail))
    counts = {word: sum(row.verdict == word for row in rows)
              for word in ("met", "missed", "not measured")}
    parts.append(", ".join(f"{count} {word}" for word, count in counts.items()))
    return "\n\n".join(parts)
