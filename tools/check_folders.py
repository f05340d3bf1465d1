"""Folders of src/ that one cannot take in at a glance: too many files, no short README.md, or one that names what is gone.

Folders in which every file is a definition of its own (`ch_collect` of CMakeLists.txt) may be as large as they like.
"""
import collections
import fnmatch
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


#: what a README names in backticks that is a file or a folder; NAME and foo stand for any name
PATH = re.compile(r"`((?!NAME|foo\b)\w[\w.*-]*(?:/[\w.*-]*)*)`")


def missing_names(names, read):
    """Files and folders that a README of src/ names and that are neither in a folder above it nor below the root."""
    known = {str(parent) for name in names for parent in (name, *name.parents)}
    for readme in names:
        if readme.parts[0] != "src" or readme.name != "README.md":
            continue
        for number, line in enumerate(read(readme).split("\n"), 1):
            for named in PATH.findall(line):
                wanted = [str(folder / named) for folder in readme.parents]
                found = any(fnmatch.filter(known, path) if "*" in named else path in known for path in wanted)
                if not found and ("/" in named or named.endswith((".hpp", ".cpp"))):
                    yield f"{readme}:{number}: no such file or folder: {named}"


def missing_layers(names, read):
    """Layers of tools/layers.txt that src/README.md does not list in that order, or architecture.md has no row for."""
    known = {str(name) for name in names}
    if not {"src/README.md", "tools/layers.txt"} <= known:
        return
    by_name = {str(name): name for name in names}
    layers = re.findall(r"^([a-z]+):", read(by_name["tools/layers.txt"]), re.M)
    listed = re.search(r"^ {4}(.*)$", read(by_name["src/README.md"]), re.M)
    if not listed or listed[1].split() != layers:
        yield f"src/README.md: its layers are not those of tools/layers.txt: {' '.join(layers)}"
    if "docs/architecture.md" in known:
        rows = re.findall(r"^\| `([a-z]+)` \|", read(by_name["docs/architecture.md"]), re.M)
        for layer in layers:
            if layer not in rows:
                yield f"docs/architecture.md: no row for the layer {layer}"
