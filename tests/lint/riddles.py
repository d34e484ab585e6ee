#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of comments, pages and messages name what they speak of, in the order subject, verb,
object. docs/style.md says why.

usage: riddles.py SOURCE_ROOT

No line that the commit adds has a riddle, and at most 3 of 1000 lines of the whole have one. The
lines of a commit are the lines that differ from the branch's beginning, or from the commit before
where the branch is `main`. Without git, or in a clone of one commit, only the whole is judged. The
lint finds some forms of a riddle; it does not find them all.
"""
import os
import re
import subprocess
import sys

MOST = 0.003
VERB = r"(?:is|are|was|were|has|have|had|can|may|must|comes?|came|goes|stands?|waits?)"
START = r"(?:^|[.;:(] )"
PLACE = r"(?:At|Before|Behind|Beside|From|In|Of|To|Where|With|Without)"
FORMS = [
    ("the noun is missing", START + rf"What(?:ever)? (?:{VERB}|the|an?|it|they|its|that)\b"),
    ("the noun is missing", r"\b(?:of|with|by|for|in|than|as|to|from|and|but|on) "
     rf"what (?:{VERB}|the|an?|it|they|left)\b"),
    ("the noun is missing", r"\b(?:but for|than|as|of|and|with|by) (?:that|those) "
     r"(?:of|in|at|behind|that|which|who|whose)\b"),
    ("the noun is missing", START + r"(?:That|Those) (?:of|in|that|which|who|whose)\b"),
    ("the verb comes first", START + r"So (?:is|are|does|do|has|have|there)\b"),
    ("the verb comes first", START + rf"{PLACE} [^.;]{{2,50}}? {VERB} "
     r"(?:the|an?|all|its|no|none|nothing|one|what)\b"),
    ("say for how long, or how many",
     r"\bso (?:far|long|many|much)\b[^.;]{0,40}\b(?:at|by|in) the\b"),
]
FORMS = [(why, re.compile(form)) for why, form in FORMS]
# What begins a comment. A message is a string with a blank in it.
COMMENT = {"c": "//", "h": "//", "js": "//", "py": "#", "sh": "#", "yaml": "#", "build": "#"}
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
OTHERS = re.compile(r"tests/(data|fuzz/corpus)/")  # written by programs, or by others

os.chdir(sys.argv[1])


def git(*args):
    """What git prints, or None."""
    try:
        ran = subprocess.run(["git", *args], capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        return None
    return ran.stdout if ran.returncode == 0 else None


def all_files():
    listed = git("ls-files", "-co", "--exclude-standard")
    if listed is not None:
        return listed.splitlines()
    return [os.path.relpath(os.path.join(folder, name))
            for top in ("app", "config", "docs", "examples", "lib", "scripts", "share", "tests")
            for folder, _, names in os.walk(top) for name in names] + ["README.md"]


def kind_of(path):
    """How the file's name ends; a script's name has no end."""
    if OTHERS.match(path):
        return None
    name = os.path.basename(path)
    return name.rsplit(".", 1)[1] if "." in name else "sh" if path.startswith("scripts/") else None


def texts(kind, lines):
    """(number, text) of comments, of a page without headings and tables, of C's messages."""
    is_code = False  # a block of a page
    mark = COMMENT.get(kind)
    for number, line in enumerate(lines, 1):
        words = line.strip()
        if kind == "md" and words.startswith("```"):
            is_code = not is_code
        elif kind == "md" and not is_code and not line.startswith(("    ", "#", "|")):
            yield number, words
        elif mark:
            for found in STRING.finditer(words) if kind in ("c", "h") else ():
                if " " in found[1]:
                    yield number, found[1]
            comment = re.search(rf"(?:^|\s){mark}\s(.*)", STRING.sub("", words))
            if comment:
                yield number, comment[1]


def added_lines(base):
    """For each file the numbers of the lines that are not in the commit `base`."""
    added, path = {}, None
    diff = git("diff", "-U0", "-M", "-l0", "--no-color", "--no-ext-diff", base) or ""
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line[len("+++ b/"):]
        hunk = re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk:
            first, n = int(hunk[1]), int(hunk[2] or 1)
            added.setdefault(path, set()).update(range(first, first + n))
    return added


def base_commit():
    head = git("rev-parse", "-q", "--verify", "HEAD")
    for branch in ("origin/main", "main"):
        base = git("merge-base", "HEAD", branch)
        if base and base != head:
            return base.strip()
    before = git("rev-parse", "-q", "--verify", "HEAD~1")
    return before and before.strip()


def main():
    base = base_commit()
    added = added_lines(base) if base else {}
    seen, riddles = 0, []

    if not base:
        print("riddles: no commit to compare with: only the whole is judged")
    for path in all_files():
        kind = kind_of(path)
        if not os.path.isfile(path) or (kind != "md" and kind not in COMMENT):
            continue
        with open(path, encoding="utf-8", errors="replace") as f:
            for number, text in texts(kind, f):
                seen += 1
                why = next((why for why, form in FORMS if form.search(text)), None)
                if why:
                    riddles.append((path, number, why, text))
    new = [r for r in riddles if r[1] in added.get(r[0], ())]
    too_many = len(riddles) > MOST * seen
    if too_many:
        print(f"riddles: {len(riddles)} of {seen} lines have one, and at most {MOST:.1%} may:")
    for path, number, why, text in riddles if too_many else new:
        print(f"riddles: {path}:{number}: {why}: {text}")
    return bool(new) or too_many


sys.exit(main())
