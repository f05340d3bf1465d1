"""Spelling and links of Markdown files, words of all files; tools/check calls this."""
import re

# Docs are written in British spelling. Names in `backticks` keep theirs.
AMERICAN = {
    "analyze": "analyse", "artifact": "artefact", "behavior": "behaviour", "center": "centre",
    "color": "colour", "favor": "favour", "gray": "grey", "honor": "honour",
    "initialize": "initialise", "labeled": "labelled", "modeling": "modelling",
    "neighbor": "neighbour", "normalize": "normalise", "optimize": "optimise",
    "optimizer": "optimiser", "quantize": "quantise", "quantization": "quantisation",
    "serialize": "serialise", "standardize": "standardise", "summarize": "summarise",
}
STEMS = {re.sub("e$", "", word): right for word, right in AMERICAN.items()}
WORD = re.compile(r"(?<![\w.-])(" + "|".join(sorted(STEMS, key=len, reverse=True))
                  + r")(e|es|ed|er|ing|s|al)?(?![\w-])", re.I)

# Words we no longer use, and what docs/naming.md says instead.
RETIRED = {
    r"data base": "database", r"judg(?:e|es|ed|ing|ements?)": "evaluate, check",
    r"signs? of life|pulses?": "heartbeat", r"whoever": "the name of who it is", r"errands?": "task",
    r"dear(?:er|est)?": "slow, expensive", r"arrangements?": "layout, schedule", r"spots?": "position, tile",
    r"(?<!decimal )(?<!take )places(?!=)": "positions, indices, elements",
    r"one behind the other": "in a row, joined",
}
RETIRED_WORD = re.compile("|".join(rf"(?P<w{i}>\b(?:{word})\b)" for i, word in enumerate(RETIRED)), re.I)
#: where a name is cut into its words: SignsOfLife, signs_of_life
WITHIN_NAMES = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def retired(name, text):
    """Words of RETIRED, also within names; the files that list or test them may mention them."""
    if str(name) in {"docs/naming.md", "tools/check_prose.py", "tests/cli/check_test.py"}:
        return
    text = prose(text) if name.suffix == ".md" else text
    for number, line in enumerate(text.split("\n"), 1):
        for found in RETIRED_WORD.finditer(WITHIN_NAMES.sub(" ", line)):
            instead = list(RETIRED.values())[int(found.lastgroup[1:])]
            yield f"{name}:{number}: '{found[0]}', here called: {instead}"


def prose(text):
    """The text without code blocks, code spans and comments; line numbers are kept."""
    def blank(found):
        return "\n" * found[0].count("\n")
    text = re.sub(r"^(```|~~~).*?^\1", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    text = re.sub(r"^ {4,}.*$", "", text, flags=re.M)
    return re.sub(r"`[^`]*`", blank, text)


def misspelt(name, text):
    text = re.sub(r"\]\([^)]*\)", "]", prose(text))
    for number, line in enumerate(text.split("\n"), 1):
        if re.fullmatch(r"#+ [a-z0-9_]+", line):
            continue  # the name of an op or a pass
        for found in WORD.finditer(line):
            yield f"{name}:{number}: '{found[0]}', here written as in '{STEMS[found[1].lower()]}'"


def dead_links(name, text, root):
    for number, line in enumerate(prose(text).split("\n"), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            path = target.partition("#")[0]
            if not path or re.match(r"[a-z]+:", path):
                continue
            if not (root / name.parent / path).exists():
                yield f"{name}:{number}: no such file: {target}"
