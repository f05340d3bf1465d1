"""Commits that are not in origin/main yet: subjects that fit a line, and a body where much changed."""
import re
import subprocess

BASE = "origin/main"
MOST_SUBJECT = 72
MOST_WITHOUT_BODY = 30  # lines added and deleted


def git(root, *words):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, errors="replace",
                          check=False)


def has_base(root):
    return git(root, "rev-parse", "-q", "--verify", BASE).returncode == 0


def problems(root):
    log = git(root, "log", "--no-merges", "--shortstat", "--format=%x00%h%x01%s%x01%b%x01", f"{BASE}..HEAD").stdout
    for entry in log.split("\0")[1:]:
        commit, subject, body, stat = entry.split("\1")
        lines = sum(int(count) for count in re.findall(r"(\d+) (?:insertion|deletion)", stat))
        if len(subject) > MOST_SUBJECT:
            yield f"{commit}: a subject of {len(subject)} characters, the most is {MOST_SUBJECT}"
        if not re.match(r"\S.*: \S", subject):
            yield f"{commit}: the subject is not `area: summary`"
        if lines > MOST_WITHOUT_BODY and not body.strip():
            yield f"{commit}: {lines} lines changed and no body says why"
