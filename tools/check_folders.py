"""Folders of src/ that one cannot take in at a glance: too many files, or no short README.md.

Folders in which every file is a definition of its own (`ch_collect` of CMakeLists.txt) may be as large as they like.
"""
import collections
import re

MOST_FILES = 27  # "about 25", with the README
MOST_README_LINES = 20


def problems(names, read):
    """`names` are files below the root, read(name) is the text of one."""
    folders = collections.defaultdict(list)
    for name in names:
        if name.parts[0] == "src" and len(name.parts) > 2:
            folders[name.parent].append(name)
    cmake = "".join(read(name) for name in names if str(name) == "CMakeLists.txt")
    definitions = set(re.findall(r"^ch_collect\(\w+ (\S+)", cmake, re.M))
    for folder, inside in sorted(folders.items()):
        if len(inside) > MOST_FILES and str(folder) not in definitions:
            yield f"{folder}: {len(inside)} files, the most is {MOST_FILES}; cut it by subject"
        readme = folder / "README.md"
        if readme not in inside:
            yield f"{folder}: no README.md that says what belongs here"
        elif (lines := read(readme).count("\n")) > MOST_README_LINES:
            yield f"{readme}: {lines} lines, the most is {MOST_README_LINES}"
