#!/usr/bin/python3
"""Fails when a file includes a header from a layer it may not see, or a standard header that it has already.

The allowed edges live in one place, tools/layers.txt, one line per layer:
    runtime: ops ir tensor support
Files directly in src/ (main.cpp) may see every layer. Quoted headers of a library (Highway's
"hwy/foreach_target.h") are no business of ours.

The standard headers of support/layers.hpp are not included again by files that reach it.
"""
import pathlib
import re
import sys

COMMON = "support/layers.hpp"


def read_layers(text):
    allowed = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            layer, below = line.split(":")
            allowed[layer] = set(below.split()) | {layer}
    return allowed


def includes(text):
    """The number and the header of every line that includes one, as it is written: <a> or "a"."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r'\s*#\s*include\s*(<[^>]*>|"[^"]*")', line):
            yield number, found[1]


def repeated(root):
    """Every include of a standard header that the file has through support/layers.hpp."""
    common = root / "src" / COMMON
    if not common.exists():
        return
    provided = {header for _, header in includes(common.read_text())}
    lines = {str(path.relative_to(root / "src")): list(includes(path.read_text()))
             for path in sorted((root / "src").rglob("*.[ch]pp"))}
    reaching, found = {COMMON}, {COMMON}
    while found:
        found = {name for name, used in lines.items()
                 if name not in reaching and any(header.strip('"') in reaching for _, header in used)}
        reaching |= found
    for name in sorted(reaching - {COMMON}):
        for number, header in lines[name]:
            if header in provided:
                yield f"src/{name}:{number}: {COMMON} provides {header}"


def forbidden(root):
    """Every include that tools/layers.txt does not allow, as 'file:line: reason'."""
    allowed = read_layers((root / "tools/layers.txt").read_text())
    for layer, below in allowed.items():
        for name in sorted(below - allowed.keys()):
            yield f"tools/layers.txt: {layer} names the unknown layer '{name}'"
    for path in sorted((root / "src").rglob("*.[ch]pp")):
        parts = path.relative_to(root / "src").parts
        if len(parts) == 1:
            continue
        where = path.relative_to(root)
        if parts[0] not in allowed:
            yield f"{where}:1: tools/layers.txt does not know the layer '{parts[0]}'"
            continue
        for number, header in includes(path.read_text()):
            if header.startswith("<"):
                continue
            header = header.strip('"')
            used = header.partition("/")[0] if "/" in header else None
            if used is None:
                if not header.endswith(".inc"):
                    yield f"{where}:{number}: write the whole path, \"{parts[0]}/{header}\""
            elif used not in allowed[parts[0]] and (root / "src" / used).is_dir():
                yield f"{where}:{number}: {parts[0]} may not include {used}"


if __name__ == "__main__":
    home = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    problems = [*forbidden(home), *repeated(home)]
    print("\n".join(problems) or "layers: no forbidden include")
    sys.exit(3 if problems else 0)
