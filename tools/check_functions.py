"""Functions of src/ that do not fit on a screen; tools/check calls this."""
import re

MOST_LINES = 50
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^#[^\n]*', re.S | re.M)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
TABLE = re.compile(r"\{\s*(using [^;]*;\s*)*return \{.*\};\s*\}", re.S)


def functions(text):
    """(first line, last line, body) of each; what stands within one, lambdas too, is part of it."""
    blank = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    scopes, begin, last = [], None, 0
    for brace in re.finditer(r"[{};]", blank):
        at = brace.start()
        if brace[0] == "{":
            before = blank[last:at]
            starts = begin is None and "(" in before and not SCOPE.search(before)
            if starts:
                begin = (len(scopes), last + len(before) - len(before.lstrip()), at)
            scopes.append(at)
        elif brace[0] == "}" and scopes:
            scopes.pop()
            if begin and len(scopes) == begin[0]:
                yield text.count("\n", 0, begin[1]) + 1, text.count("\n", 0, at) + 1, blank[begin[2]:at + 1]
                begin = None
        last = at + 1


def problems(files, read):
    for name in files:
        if name.parts[0] != "src" or name.suffix not in {".cpp", ".hpp"}:
            continue
        for first, end, body in functions(read(name)):
            if end - first >= MOST_LINES and not TABLE.fullmatch(body):
                yield f"{name}:{first}: a function of {end - first + 1} lines, the most is {MOST_LINES}"
