#!/usr/bin/python3
"""Fails when a file of src/ stands outside the namespace of its folder, or when a name is given to two types.

Two types of one name in one namespace break the one-definition rule: the linker keeps one of their destructors, and
nothing says so. Types in unnamed namespaces are looked at by layer, because files of a layer are compiled together.
"""
import collections
import pathlib
import re
import sys

NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{$")
CLOSED = re.compile(r"^\}  // namespace(?: ([\w:]+))?$")
TYPE = re.compile(r"^(?:class|struct|enum class|enum|union)(?: alignas\(\d+\))?(?: \[\[\w+\]\])? (\w+)(?: final)?"
                  r"(?: : [^;{]*)?(?: \{.*)?$|^using (\w+) =")
FORWARD = re.compile(r";\s*$")


def types(path, layer):
    """(namespace, name, line) of every type that the file defines, '' being an unnamed namespace."""
    open_, lines = [], path.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if found := NAMESPACE.match(line):
            open_.append(found[1] or "")
        elif CLOSED.match(line) and open_:
            open_.pop()
        elif found := TYPE.match(line):
            if found[1] and FORWARD.search(line) and "{" not in line:
                continue
            if found[2] and "" in open_:
                continue  # two files may shorten the same name
            yield "::".join(part or f"(unnamed in {layer})" for part in open_), found[1] or found[2], number


def problems(root):
    layers = re.findall(r"^([a-z]+):", (root / "tools/layers.txt").read_text(), re.M)
    header = root / "src/support/layers.hpp"
    if header.exists() and re.findall(r"^using namespace (\w+);", header.read_text(), re.M) != layers:
        yield "src/support/layers.hpp: its namespaces are not the layers of tools/layers.txt"
    definitions = collections.defaultdict(list)
    for path in sorted((root / "src").rglob("*.[ch]pp")):
        where = path.relative_to(root)
        layer = where.parts[1]
        if layer not in layers or where.name == "layers.hpp":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = NAMESPACE.match(line)
            if found and found[1] and (found[1] + "::").startswith("chop::"):
                if not (found[1] + "::").startswith(f"chop::{layer}::"):
                    yield f"{where}:{number}: a file of src/{layer} stands in chop::{layer}"
        if header.exists() and where.suffix == ".hpp" and not re.search(r'^#include "(?!hwy/)', path.read_text(), re.M):
            yield f"{where}:1: include \"support/layers.hpp\", so that other layers are seen"
        for namespace, name, number in types(path, layer):
            definitions[namespace, name].append(f"{where}:{number}")
    for (namespace, name), found in sorted(definitions.items()):
        if len({position.rpartition(":")[0] for position in found}) > 1:
            yield f"{found[0]}: {name} is defined again in {namespace}, at {', '.join(found[1:])}"


if __name__ == "__main__":
    home = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__ + "/../..").resolve()
    wrong = list(problems(home))
    print("\n".join(wrong) or "names: every type has one definition")
    sys.exit(3 if wrong else 0)
