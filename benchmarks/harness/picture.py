"""The picture of the ratios: for every row beside a peer one bar per run, on a logarithmic scale. A colour is
a peer; of two runs (two machines, or two levels of instructions) the second is drawn lighter."""
import math
from xml.sax.saxutils import escape

from .show import marked

LEFT, WIDTH, RIGHT = 250, 530, 75
TOP, STEP, GAP, BAR = 84, 17, 9, 13
COLOURS = {"PyTorch": "#c9622b", "libtorch": "#e0a83c", "ONNX Runtime": "#3d8f5f",
           "Optuna and PyTorch": "#8a5fa8", "PyTorch and numpy": "#b5476c"}
OTHERS = ("#2a78b5", "#6b6b6b", "#4aa3a3")
LIGHTER = 0.5
OURS = ("our float32",)  # no peer


def ticks(low, high):
    steps = [base * 10 ** power for power in range(-3, 6) for base in (1, 2, 5)]
    return [step for step in steps if low <= step <= high]


class Scale:
    """Ratios to x; 1 is always in view."""

    def __init__(self, values):
        self.low = min(0.5, 0.8 * min(values, default=1))
        self.high = max(2, 1.25 * max(values, default=1))

    def x(self, value):
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return LEFT + WIDTH * min(1, max(0, part))


def text(x, y, words, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(words)}</text>'


def rectangle(x, y, width, height, colour, opacity=1.0):
    return (f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" fill="{colour}" '
            f'fill-opacity="{opacity:g}"/>')


def grid(scale, bottom):
    for tick in ticks(scale.low, scale.high):
        x, strong = scale.x(tick), tick == 1
        yield (f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" '
               f'stroke="{"#444" if strong else "#ddd"}"/>')
        yield text(x, bottom + 15, f"{tick:g}x", "middle", ' fill="#555"')
    yield text(scale.x(1), bottom + 31, "as fast as the peer", "middle", ' fill="#555"')


def bar(row, y, scale, colour, opacity):
    one, end = scale.x(1), scale.x(row.ratio)
    yield rectangle(min(one, end), y, abs(end - one), BAR, colour, opacity)
    yield text(max(end, one) + 7, y + BAR - 2, marked(row), extra=' font-weight="bold"')


def legend(peers, names, starred):
    x = 12
    for peer, colour in peers.items():
        yield rectangle(x, TOP - 48, 11, 11, colour)
        yield text(x + 16, TOP - 38, peer)
        x += 36 + 6.7 * len(peer)
    x = 12
    for number, name in enumerate(names if len(names) > 1 else []):
        yield rectangle(x, TOP - 27, 11, 11, "#333333", LIGHTER ** number)
        yield text(x + 16, TOP - 17, name)
        x += 36 + 6.7 * len(name)
    if starred:
        yield text(x, TOP - 17, f"* {', '.join(starred)} has no switch for that and uses all there is")


def compared(runs):
    """{(title, peer): [the row of each run, or None]}, in the order of the rows."""
    found = {}
    for number, rows in enumerate(runs):
        for row in rows:
            if row.kind == "faster" and row.ratio and not row.detail and not row.held_back and row.against not in OURS:
                found.setdefault((row.title, row.against), [None] * len(runs))[number] = row
    return found


def bars(shown, scale, peers):
    """And y where they end."""
    parts, y, title = [], TOP, None
    for (name, peer), rows in shown.items():
        if name != title:
            y += GAP if title else 0
            title = name
            parts.append(text(LEFT - 10, y + BAR - 2, title, "end"))
        for number, row in enumerate(rows):
            if row:
                parts += bar(row, y, scale, peers[peer], LIGHTER ** number)
                y += STEP
    return parts, y


def colours(names):
    others = iter(OTHERS * 9)
    return {name: COLOURS.get(name) or next(others) for name in names}


def svg(runs, names=("",), title="How many times faster ch is than others at the same work"):
    """Of the rows that compare with a peer at its best. `runs` is one list of rows per name."""
    shown = compared(runs)
    peers = colours(dict.fromkeys(peer for _, peer in shown))
    bars_of = [(peer, row) for (_, peer), rows in shown.items() for row in rows if row]
    scale = Scale([row.ratio for _, row in bars_of])
    starred = dict.fromkeys(peer for peer, row in bars_of if row.not_held)
    drawn, bottom = bars(shown, scale, peers)
    parts = [text(12, 22, title, extra=' font-size="16" font-weight="bold"'),
             *legend(peers, names, starred), *grid(scale, bottom), *drawn]
    width, height = LEFT + WIDTH + RIGHT, bottom + 42
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="DejaVu Sans, Helvetica, sans-serif" '
            f'font-size="12">\n<rect width="{width}" height="{height}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")
