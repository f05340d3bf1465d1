#!/usr/bin/python3
"""Fails when a file includes a header from a layer it may not see.

The allowed edges live in one place, tools/layers.txt, one line per layer:
    runtime: ops ir tensor support
Files directly in src/ (main.cpp) may see every layer. Quoted headers of a library (Highway's
"hwy/foreach_target.h") are no business of ours.
"""
import pathlib
import re
import sys


def read_layers(text):
    allowed = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            layer, below = line.split(":")
            allowed[layer] = set(below.split()) | {layer}
    return allowed


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
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*"([^"]*)"', line)
            if not found:
                continue
            used = found[1].partition("/")[0] if "/" in found[1] else None
            if used is None:
                if not found[1].endswith(".inc"):
                    yield f"{where}:{number}: write the whole path, \"{parts[0]}/{found[1]}\""
            elif used not in allowed[parts[0]] and (root / "src" / used).is_dir():
                yield f"{where}:{number}: {parts[0]} may not include {used}"


if __name__ == "__main__":
    home = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    problems = list(forbidden(home))
    print("\n".join(problems) or "layers: no forbidden include")
    sys.exit(3 if problems else 0)
