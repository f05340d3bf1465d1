"""What two runs of ./bench say in docs/speed.md, in README.md and in docs/images/bench.svg."""
import datetime
import re
import textwrap

from . import picture, show

BEGIN = "<!-- ./bench --from A --beside B --page writes what follows -->\n"
END = "<!-- up to here -->\n"
PICTURE = "docs/images/bench.svg"
WIDTH = 130
STEPS = ("training step, jsc-tiny", "training step, 16-64-32-32-5")
SENTENCE = re.compile(r"A training step of a jet-sized model takes.*?\(\[measured\]\(docs/speed\.md\)\)\.", re.S)


def date(iso):
    """19 November 2026."""
    day = datetime.date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"


def about(name, done, lines):
    """A paragraph on who was measured: the run's own heading, whose first line is about the machine."""
    machine = done["machine"]
    first = (f"{name}: {date(machine['date'])}, {machine['processor']} ({', '.join(machine['features'])}), "
             f"{machine['cores']} cores, {machine['system']}, {done['rounds']} rounds at most, load "
             f"{machine['load']:.1f} at the start")
    return textwrap.fill(". ".join([first, *(line[0].upper() + line[1:] for line in lines)]) + ".", WIDTH,
                         break_long_words=False, break_on_hyphens=False)


def remarks(runs):
    """What brackets and stars of the tables mean."""
    reasons = {row.held_back: None for rows in runs for row in rows if row.held_back}
    starred = {row.against: None for rows in runs for row in rows if row.not_held}
    said = [f"In brackets: {'; '.join(reasons)}."] if reasons else []
    if starred:
        said.append(f"With a star: {', '.join(starred)} could not be held to the level of that column and used all there is.")
    return "".join(f"{words}\n\n" for words in said)


def tables(runs, names):
    """One of what others do too, one of the rest."""
    def some(peers):
        return [[row for row in rows if (row.kind == "faster") == peers] for rows in runs]

    return "\n\n".join(show.side_by_side(some(peers), names) for peers in (True, False)
                       if any(not row.detail for rows in some(peers) for row in rows))


def section(runs, names, headings):
    """`headings`: a paragraph for each run."""
    return (f"{BEGIN}{chr(10).join(f'{words}{chr(10)}' for words in headings)}\n"
            f"![How many times faster ch is than others, by work and level](images/bench.svg)\n\n"
            f"{remarks(runs)}{tables(runs, names)}\n{END}")


def part(ratio):
    """a 12th, an 8th, a 21st: of somebody's time."""
    number = round(ratio)
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{'an' if str(number)[0] == '8' or number in (11, 18) else 'a'} {number}{ending}"


def claim(rows, name):
    """From the least to the most that PyTorch takes for the two training steps, or nothing."""
    ratios = sorted(row.ratio for row in rows if row.title in STEPS and row.against == "PyTorch" and not row.detail
                    and row.ratio and not row.held_back)
    parts = " to ".join(dict.fromkeys(map(part, ratios[:1] + ratios[-1:])))
    return f"{parts} of PyTorch's time with {name}" if ratios else ""


def sentence(runs, names):
    claims = [words for words in map(claim, runs, names) if words]
    words = " and ".join(claims)
    return f"A training step of a jet-sized model takes {words} ([measured](docs/speed.md))." if claims else ""


def replace_once(text, pattern, by, path):
    changed, count = re.subn(pattern, lambda _: by, text, count=1, flags=re.S)
    if count != 1:
        raise SystemExit(f"{path}: the place for the figures is not there: {pattern}")
    return changed


def wrapped(text):
    """The README with the paragraph of the sentence filled again."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(textwrap.fill(" ".join(words.split()), WIDTH, break_long_words=False, break_on_hyphens=False)
                       if SENTENCE.search(words) else words for words in paragraphs)


def write(root, runs, names, headings):
    """Changes the three files; returns their names."""
    page, readme, drawing = root / "docs/speed.md", root / "README.md", root / PICTURE
    page.write_text(replace_once(page.read_text(), f"{re.escape(BEGIN)}.*?{re.escape(END)}",
                                 section(runs, names, headings), page))
    if words := sentence(runs, names):
        readme.write_text(wrapped(replace_once(readme.read_text(), SENTENCE.pattern, words, readme)))
    drawing.write_text(picture.svg(runs, names))
    return [page, readme, drawing]
