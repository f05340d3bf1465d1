"""The picture of the ratios: a bar per row beside a peer, on a logarithmic scale, with a mark
where the target is. Rows of one title stand together."""
import math
from xml.sax.saxutils import escape

from .show import digits

LEFT, WIDTH, RIGHT = 225, 530, 75
TOP, STEP, GAP, BAR = 66, 18, 9, 14
COLOURS = ("#2a78b5", "#c9622b", "#3d8f5f", "#8a5fa8", "#a08025")


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


def grid(scale, bottom):
    for tick in ticks(scale.low, scale.high):
        x, strong = scale.x(tick), tick == 1
        yield (f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" '
               f'stroke="{"#444" if strong else "#ddd"}"/>')
        yield text(x, bottom + 15, f"{tick:g}x", "middle", ' fill="#555"')


def bar(row, y, scale, colour):
    one, end = scale.x(1), scale.x(row.ratio)
    middle = y + BAR - 3
    yield (f'<rect x="{min(one, end):.1f}" y="{y}" width="{abs(end - one):.1f}" '
           f'height="{BAR}" fill="{colour}"/>')
    if row.target:
        x = scale.x(row.target)
        yield (f'<line x1="{x:.1f}" y1="{y - 2}" x2="{x:.1f}" y2="{y + BAR + 2}" stroke="#111" '
               f'stroke-width="2.5"/>')
    beside = max(end, one, scale.x(row.target) if row.target else 0)
    yield text(beside + 7, middle, f"{digits(row.ratio)}x", extra=' font-weight="bold"')


def legend(peers):
    x = 12
    for peer, colour in peers.items():
        yield f'<rect x="{x:.1f}" y="{TOP - 30}" width="11" height="11" fill="{colour}"/>'
        yield text(x + 16, TOP - 20, peer)
        x += 36 + 6.7 * len(peer)
    yield (f'<line x1="{x:.1f}" y1="{TOP - 32}" x2="{x:.1f}" y2="{TOP - 17}" stroke="#111" '
           f'stroke-width="2.5"/>')
    yield text(x + 8, TOP - 20, "target")


def bars(shown, scale, peers):
    """And y where they end."""
    parts, y, title = [], TOP, None
    for row in shown:
        if row.title != title:
            y += GAP if title else 0
            title = row.title
            parts.append(text(LEFT - 10, y + BAR - 3, title, "end"))
        parts += bar(row, y, scale, peers[row.against])
        y += STEP
    return parts, y


def svg(rows, title="Times as fast as others at the same work, in one run"):
    """Of the rows that compare with a peer and were measured."""
    shown = [row for row in rows
             if row.kind == "faster" and row.ratio and not row.detail]
    names = list(dict.fromkeys(row.against for row in shown))
    peers = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    scale = Scale([value for row in shown for value in (row.ratio, row.target or 1)])
    drawn, bottom = bars(shown, scale, peers)
    parts = [text(12, 22, title, extra=' font-size="16" font-weight="bold"'),
             *legend(peers), *grid(scale, bottom), *drawn]
    width, height = LEFT + WIDTH + RIGHT, bottom + 28
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="DejaVu Sans, Helvetica, sans-serif" '
            f'font-size="12">\n<rect width="{width}" height="{height}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")
