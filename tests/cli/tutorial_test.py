"""docs/tutorial.md and docs/hardware.md, executed: every `$` line of a page's console blocks is run in
an empty folder, and what it prints is compared with what the page shows.

A line `...` of the page stands for any lines; whole numbers must agree, numbers with a point
within 1 %. Without fused multiply-add (before AVX2) products are rounded once more, and training
carries that on: there only the lines with accuracies are compared, within three points.

  CH_BIN=build/release/ch tests/cli/tutorial_test.py --write

puts what is printed into the pages (or those behind --write); blocks with `...` stay as they are.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CH = os.environ["CH_BIN"]
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES = {"tutorial.md": (), "hardware.md": ("verilator", "iverilog", "yosys")}  # and the tools they need
BLOCK = re.compile(r"```(console|toml)([^\n]*)\n(.*?)```", re.S)
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
ANY_NUMBER = re.compile(r"-?\b[\d,]+(?:\.\d+)?(?:e-?\d+)?\b|-{3,}|-?\binf\b")


def same_line(expected, got, strict=True):
    """Equal words; numbers with a point may differ a little, or all numbers by much."""
    pattern = NUMBER if strict else ANY_NUMBER
    if pattern.sub("#", expected).split() != pattern.sub("#", got).split():
        return False
    pairs = zip(map(float, NUMBER.findall(expected)), map(float, NUMBER.findall(got)))
    if strict:
        return all(abs(a - b) <= max(0.001, 0.01 * abs(a)) for a, b in pairs)
    within = 3 if "points of accuracy" in expected else 0.03
    return "accuracy" not in expected or all(abs(a - b) <= within for a, b in pairs)


def match(expected, got, strict=True):
    """None when the lines agree, else the expected line that was not found."""
    if not strict:  # other numbers have other widths, and tables are laid out by them
        expected = ["...", *(word for line in expected if "accuracy" in line for word in (line, "..."))]
    at, anywhere = 0, False
    for line in expected:
        if line == "...":
            anywhere = True
            continue
        while anywhere and at < len(got) and not same_line(line, got[at], strict):
            at += 1
        if at == len(got) or not same_line(line, got[at], strict):
            return line + (f"\n  found: {got[at]}" if at < len(got) else "\n  found: the end")
        at, anywhere = at + 1, False
    return None if anywhere or at == len(got) else f"nothing more\n  found: {got[at]}"


class Walk:
    """The page's files and commands, one after another, in a folder of their own."""

    def __init__(self, ch, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "ch").symlink_to(pathlib.Path(ch).resolve())
        self.environment = dict(os.environ, CH_CACHE_DIR=os.environ.get(
            "CH_TEST_CACHE", str(self.folder / "cache")), NO_COLOR="1")

    def write(self, title, text):
        name = re.fullmatch(r"\s*title=\"(.+)\"", title).group(1)
        (self.folder / name).write_text(text)

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        text = done.stdout if done.returncode == 0 else done.stdout + done.stderr
        return done.returncode, [line.rstrip() for line in text.splitlines()]


def steps(text):
    """(command, expected lines) of a console block; a command may go on behind a backslash."""
    found = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines).strip()
            found.append((command, []))
        else:
            found[-1][1].append(line.rstrip())
    return found


def has_fused_arithmetic():
    told = subprocess.run([CH, "version", "--json", "-"], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)["simd"] != "baseline"


class Tutorial(unittest.TestCase):
    def test_the_commands_of_the_tutorial_print_what_it_shows(self):
        self.assertGreater(self.walk("tutorial.md"), 10)

    def test_the_way_to_a_certified_circuit_is_as_described(self):
        self.assertGreater(self.walk("hardware.md"), 5)

    def walk(self, name):
        """How many commands were run."""
        missing = [tool for tool in PAGES[name] if shutil.which(tool) is None]
        if missing:
            self.skipTest(f"{', '.join(missing)} not installed")
        page = (DOCS / name).read_text()
        commands, strict = 0, has_fused_arithmetic()
        with tempfile.TemporaryDirectory() as folder:
            walk = Walk(CH, folder)
            for kind, title, text in BLOCK.findall(page):
                if kind == "toml":
                    walk.write(title, text)
                    continue
                for command, expected in steps(text):
                    commands += 1
                    code, got = walk.run(command)
                    self.assertEqual(code, 1 if any(line.startswith("error:") for line in expected)
                                     else 0, f"{command}\n" + "\n".join(got))
                    self.assertIsNone(match(expected, got, strict), f"{command}\n" + "\n".join(got))
        return commands

    def test_a_wrong_number_would_be_noticed(self):
        self.assertIsNone(match(["| accuracy | 0.7358 |"], ["| accuracy |   0.7301 |"]))
        self.assertIsNone(match(["| accuracy | 0.7358 |"], ["| accuracy |   0.7201 |"], False))
        self.assertIsNotNone(match(["| accuracy | 0.7358 |"], ["| accuracy |   0.6901 |"], False))
        self.assertIsNone(match(["a 1.5", "accuracy 0.73"], ["b", "accuracy 0.74", "c"], False))
        self.assertIsNotNone(match(["a 1.5", "accuracy 0.73"], ["a 1.5"], False))
        self.assertIsNotNone(match(["| accuracy | 0.7358 |"], ["| accuracy |   0.6301 |"]))
        self.assertIsNotNone(match(["| Linear | 3 |"], ["| Linear | 2 |"]))
        self.assertIsNotNone(match(["a"], ["a", "b"]))
        self.assertIsNone(match(["a", "..."], ["a", "b"]))
        self.assertIsNone(match(["...", "b"], ["a", "b"]))


def renew(path):
    """Every block again with what its commands print now; where a block had `...`, it keeps its
    lines and only their numbers are renewed by hand."""
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(CH, folder)

        def block(found):
            kind, title, text = found.groups()
            if kind == "toml":
                walk.write(title, text)
                return found.group(0)
            out = []
            shown = re.findall(r"^\$ (?:[^\n]*\\\n)*[^\n]*\n", text, re.M)
            for words, (command, expected) in zip(shown, steps(text)):
                _, got = walk.run(command)
                out.append(words + "".join(line + "\n" for line in
                                           (expected if "..." in expected else got)))
            return f"```{kind}{title}\n" + "".join(out) + "```"

        path.write_text(BLOCK.sub(block, path.read_text()))


if __name__ == "__main__":
    if "--write" in sys.argv:
        for name in [word for word in sys.argv[1:] if word in PAGES] or PAGES:
            renew(DOCS / name)
    else:
        unittest.main()
