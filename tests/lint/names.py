#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Options, commands, scenario keys and figures that pages, comments of scenarios and help texts
name exist. The program's own tables say which there are.

usage: names.py QUENCH SOURCE_ROOT

The lint reads text between backquotes, indented lines and fenced blocks. It looks for options,
words that begin with two dashes, everywhere. An option behind another program's name belongs to
that program. names.txt beside this file lists names that no rule tells apart, each with its page.
"""
import os
import re
import subprocess
import sys

quench = os.path.realpath(sys.argv[1])
root = sys.argv[2]
LIST = os.path.join(os.path.dirname(os.path.realpath(__file__)), "names.txt")
# Figures that need no kind: docs/measuring.md, "By path".
SHORT_FIGURES = {"jain", "utilization", "warnings"}
# These files try words that are wrong.
TRIES = re.compile(r"tests/(lint|unit|fuzz|data|scenario/mistakes)(/|$)")
# Tests of others, figures as Prometheus has them, a noun of any room, a commit.
OTHER_NAME = re.compile(r"test_|quench_\w+_(seconds?|ratio|run|total)$|x_|[0-9a-f]{8}$")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
OPEN = "**"  # in `keys`: below it the user chooses the keys
failures = set()
page_words = set()  # words of the page's own sources and diffs


def complain(where, name, what):
    entry = f"{where.split(':')[0]} {name}"
    if entry in allowed:
        allowed[entry] = True
    elif name not in page_words:
        failures.add(f"{where} names {what}, which does not exist")


def said_by(*args):
    return subprocess.run([quench, *args], capture_output=True, text=True, check=True).stdout


def text_of(path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def files_below(folder):
    for path, folders, names in os.walk(os.path.join(root, folder), followlinks=True):
        folders.sort()
        for name in sorted(names):
            yield os.path.relpath(os.path.join(path, name), root)


# The names that exist.

def allowed_names():
    """Each entry of the list, "PAGE NAME", and whether the page needs it."""
    entries = {}
    for line in text_of(LIST).splitlines():
        entry, _, reason = line.partition("#")
        if entry.strip():
            entries[entry.strip()] = False
            if not reason.strip():
                failures.add(f"names.txt: {entry.strip()} has no reason")
    return entries


def help_texts():
    """The help of each command; that of quench itself is called ""."""
    texts = {"": said_by("--help")}
    for name in re.findall(r"^  ([a-z]+)  +\S", texts[""].split("\noptions:")[0], re.M):
        texts[name] = said_by(name, "--help")
    return texts


def scenario_keys(page):
    """Keys by their places, {"switches": {"NAME": {"buffer": {}}}}. N stands for a number."""
    keys, maps = {}, []
    for path, meaning in re.findall(r"^\.TP\n\\fB([\w.]+)\\fP\n(.*)", page, re.M):
        at = keys
        for part in path.split("."):
            at = at.setdefault(part, {})
        if "(a map of" in meaning or ", as in {" in meaning or not meaning.endswith(")"):
            maps.append(at)
    for name, of in keys["defaults"].items():
        of.update(next(iter(keys[name].values())))
    for at in maps:
        if not at:
            at[OPEN] = {}
    return keys


def figures_by_kind(page):
    figures = {}
    for part in page.split("By path: `")[1:]:
        figures.setdefault(part.split(".")[0], set()).update(
            re.findall(r"^\| `(\w+)`", part, re.M))
    return figures


def words_of_sources():
    """Words of sources, names of files and names of tests."""
    words = set()
    for folder in ("lib", "app", "tests", "examples", "scripts", "config", "share"):
        words.add(folder)
        for path in files_below(folder):
            words.update([os.path.basename(path), os.path.basename(path).split(".")[0]])
            text = text_of(path)
            if TRIES.match(path) and not path.endswith("meson.build"):
                words.update(re.findall(r"^static void (\w+)\(void \*\*", text, re.M))
            else:
                words.update(re.findall(r"\w+", text), re.findall(r"\w+(?:\.\w+)+", text))
    return words


def below(at, part):
    """Where a key leads from a place, or None."""
    if part in at:
        return at[part]
    if part.isupper() and at:  # stands for any key
        return next(iter(at.values()))
    if "N" in at and re.fullmatch(r"[\d.*]+", part):  # * is an entry of a list
        return at["N"]
    return at.get("NAME", at.get(OPEN))


def places(at, part):
    """All places in a scenario to which a key of this name leads."""
    found = [at[part]] if part in at else []
    for of in at.values():
        found += places(of, part)
    return found


def is_key(parts, from_top=False):
    """Whether there is such a path of keys, from the top of a scenario or from anywhere."""
    at = [below(keys, parts[0])] if from_top else places(keys, parts[0])
    for part in parts[1:]:
        at = [below(of, part) for of in at if of is not None]
    return any(of is not None for of in at)


def split_path(path):
    """Parts between dots. A port `s1:s2.2` and a range `h1..8` are one part each."""
    return re.findall(r'"[^"]*"|\w+:\w+\.\d+(?=\.\w)|\[[^]]*\]|(?:[^.]|\.\.)+', path)


def is_figure(path):
    kind, *rest = path.split(".")
    if not rest:
        return kind in figures["total"] | SHORT_FIGURES
    known = figures.get({"main": "group", "bottleneck": "queue"}.get(kind, kind), set())
    last = rest[-1].replace("*", r"\w*")
    return any(last.isupper() or re.fullmatch(last, name) for name in known)


# YAML, as far as pages have it.

def split_at(text, comma):
    """Parts of a text between commas that stand in no bracket and no quotes."""
    parts, depth, quote = [""], 0, ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "[{]}":
            depth += 1 if c in "[{" else -1
        elif c == comma and not depth:
            parts.append("")
            continue
        parts[-1] += c
    return parts


def flow_paths(text, path=()):
    """Paths of keys in {a: b} and [a, b]."""
    text = text.strip()
    if text[:1] not in ("{", "["):
        return
    for item in split_at(text[1:-1], ","):
        key, colon, value = f"{item.strip()} ".partition(": ")
        if text[0] == "[":
            yield from flow_paths(item, [*path, "*"])
        elif colon:
            yield [*path, key.strip("\"'")]
            yield from flow_paths(value, [*path, key.strip("\"'")])


def joined_lines(text):
    """Lines of YAML without comments; brackets that are open join lines."""
    line = ""
    for more in re.sub(r"(^|\s)#.*", "", text, flags=re.M).splitlines():
        line = f"{line} {more.strip()}" if line else more
        if line.count("{") + line.count("[") <= line.count("}") + line.count("]"):
            yield line
            line = ""


def block_paths(text):
    """Paths of keys in lines of YAML."""
    above = []  # (column, key)
    for line in joined_lines(text):
        column = len(line) - len(line.lstrip())
        item = line.strip()
        if item.startswith("- "):
            above = [of for of in above if of[0] <= column] + [(column + 0.5, "*")]
            item = item[1:].lstrip()
            column = line.index(item)
        if item[:1] in ("{", "["):
            yield from flow_paths(item, [key for _, key in above])
            continue
        found = re.match(r"""("[^"]*"|'[^']*'|[^:]*(?::\S[^:]*)*):(?: +(.*))?$""", item)
        if found:
            above = [of for of in above if of[0] < column]
            above += [(column, key) for key in split_path(found[1].strip("\"'"))]
            path = [key for _, key in above]
            yield path
            yield from flow_paths(found[2] or "", path)


def check_yaml(where, text):
    paths = list(block_paths(text))
    for path in paths:
        is_plugins = path[:-1] + ["plugin"] in paths  # a plug-in has keys of its own
        if "set" in path[:-1]:  # of an event: its keys are paths of the scenario
            path = split_path(path[-1])
        # The first key of a piece may be a name of the user's.
        if not is_plugins and not is_key(path) and not (path[1:] and is_key(path[1:])):
            complain(where, path[-1], f"the key `{'.'.join(path)}`")


# Command lines.

def words_of(line):
    """Words as a shell has them, and the signs that end a command."""
    found = re.findall(r"""(?:'[^']*'|"[^"]*"|[^\s|;&<>()'"])+|[|;&<>()]+""", line)
    return [re.sub(r"""['"]""", "", word) for word in found]


def check_value(where, option, value):
    """The path or the figure behind an option."""
    path, equals, of = value.partition("=")
    if option in ("--set", "--vary", "--record"):
        if not (path and equals) or path.lower() in ("path", "key") or "..." in value:
            return
        parts = split_path(f"record.{path}" if option == "--record" else path)
        for key in [parts, *flow_paths(of, parts)]:
            if not is_key(key, from_top=True):
                complain(where, key[-1], f"the key `{'.'.join(key)}`")
    elif option in ("--column", "--plot") and value:
        for name in split_at(value, ","):
            is_column = option == "--plot" and (name in known or is_key(split_path(name), True))
            if not (is_column or is_figure(name) or name.isupper()):
                complain(where, name.split(".")[-1], f"the figure `{name}`")


def check_options(where, words, options_of, whose=""):
    for i, word in enumerate(words):
        if word == "--":  # EAL's come then
            break
        name, equals, value = word.strip("[]").partition("=")
        if OPTION.fullmatch(name):
            if name not in options_of:
                complain(where, name, f"the option {name}{whose}")
            if not equals and i + 1 < len(words):
                value = words[i + 1]
            check_value(where, name, value.rstrip(".,]"))


def is_script(word):
    return bool(re.match("(scripts|tests)/", word)) and os.path.isfile(os.path.join(root, word))


def options_of_script(path):
    return OPTION.findall(text_of(path))


def check_quench(where, words):
    """The words behind `quench`."""
    command = words[0] if words and re.fullmatch(r"[a-z][\w-]*", words[0]) else ""
    if command not in help_of:
        complain(where, f"quench {command}", f"the command `quench {command}`")
        return
    check_options(where, words, options[command], f" of `quench {command}`" if command else "")
    name = words[1] if len(words) > 1 else ""
    if command == "figures" and re.fullmatch(r"[a-z_]+", name) and name not in figures:
        complain(where, name, f"the kind of figures `{name}`")
    if command == "stats" and re.match(r"\w+\.", name) and not is_figure(name):
        complain(where, name, f"the figure `{name}`")


def check_line(where, line, options_here):
    """A line for the shell, or a part of one."""
    command = []
    # Without a prompt, the name of a variable that holds options, and a comment.
    line = re.sub(r"^(\w+[$#] +|\w+=(?=--))|(^| )# .*", "", line.strip())
    for word in words_of(line) + [";"]:
        if word[0] not in "|;&<>()":
            command.append(word)
            continue
        at = [i for i, of in enumerate(command) if of.split("/")[-1] == "quench"]
        first = command[0] if command else ""
        if is_script(first):
            check_options(where, command, options_of_script(first), f" of {first}")
        elif at:
            check_quench(where, command[at[0] + 1:])
        elif first in help_of and OPTION.match(" ".join(command[1:2])):
            check_quench(where, command)
        elif first[:1] in ("-", ".", "["):
            check_options(where, command, options_here)
        command = []


# Pages.

def is_test(word):
    """A test program has the names of its kind, its room and the file that it is made of."""
    parts = word.split("_")
    return any("_".join(parts[n:]) + "_test" in known for n in range(len(parts)))


def check_name(where, span):
    """A word, or words with dots between them."""
    path = span.partition("=")[0]
    if OTHER_NAME.match(span):
        return
    if re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", span):
        if not (span in known or is_test(span)):
            complain(where, span, f"`{span}`")
    elif re.fullmatch(r"[a-z_]+(\.[^\s./()]+)+", span) and path not in known:
        is_ours = path.split(".")[0] in figures or places(keys, path.split(".")[0])
        if not is_figure(path) and not is_key(split_path(path)) and \
                (is_ours or not set(re.findall(r"[a-z_]\w+", path)) <= known):
            complain(where, path.split(".")[-1] if is_ours else path, f"`{path}`")


def check_span(where, span, options_here):
    """Text between backquotes."""
    if OPTION.search(span) or re.search(r"(^|[ /])quench [a-z]", span):
        check_line(where, span, options_here)
    elif re.fullmatch(r"""\{[^"].*\}|[\w.]+:( ("[^"]*"|\{.*\}|[^\s:]*))?""", span):
        check_yaml(where, span)
    else:
        check_name(where, span)


def check_prose(name, line, text, options_of, options_here):
    def where(found):
        return f"{name}:{line + text.count(chr(10), 0, found.start())}"

    for found in re.finditer(r"`([^`]+)`", text):
        check_span(where(found), " ".join(found[1].split()), options_here)
    # The same length without code, so that lines stay.
    text = re.sub(r"`[^`]*`", lambda of: re.sub(r"\S", " ", of[0]), text)
    for found in re.finditer(f"({OPTION.pattern})" + r"(?:[=\s]('[^']*'|[^\s,;)]+))?", text):
        if found[1] not in options_of:
            complain(where(found), found[1], f"the option {found[1]}")
        check_value(where(found), found[1],
                    " ".join((found[2] or "").split()).strip("'."))


def parts_of(text):
    """(line, kind, text) of the parts of a page."""
    kind, start, lines, fence, before = "prose", 1, [], None, ""
    for n, line in enumerate(text.splitlines() + [""], 1):
        is_fence = line.lstrip().startswith("```")
        if is_fence:
            fence = line.strip()[3:] if fence is None else None
            now = {None: "prose", "yaml": "yaml", "sh": "shell", "": "shell"}.get(fence, "source")
        elif fence is not None:
            now = kind
        elif line.startswith("    ") and (kind == "indented" or not before.strip()):
            now = "indented"
        else:
            now = "prose"
        ends = is_fence or fence is None and not line
        if ends or now != kind or fence is None and line.startswith(("|", "- ")):
            yield start, kind, "\n".join(lines)
            kind, start, lines = now, n + ends, []
        if not ends:
            lines.append(line)
        before = line
    yield start, kind, "\n".join(lines)


def check_page(name, text, options_of):
    """`options_of`: the options that prose may name."""
    page_words.clear()
    options_here = set(options_of)  # with the options of scripts that the page names
    for word in set(re.findall(r"(?:scripts|tests)/[\w./-]*\w", text)):
        options_here.update(options_of_script(word) if is_script(word) else [])
    for _, kind, part in parts_of(text):
        page_words.update(re.findall(r"\w+", part) if kind == "source" else [])
    for n, kind, part in parts_of(text):
        if kind == "indented":
            kind = "yaml" if re.match(r"\s*(- )?[\w.]+:( |\n|$)", part) else "shell"
        if kind == "prose":
            check_prose(name, n, part, options_of, options_here)
        elif kind == "yaml":
            check_yaml(f"{name}:{n}", part)
        elif kind == "shell":
            for line in re.sub(r"\\\n *", "", part).splitlines():
                if re.search(r"(^|[ /])quench [a-z]+ | --[a-z]|^ *\[?--[a-z]", line):
                    check_line(f"{name}:{n}", line, options_here)
                else:
                    check_prose(name, n, line, options_of, options_here)


def comments_of(text):
    """Comments of a scenario as a page: commands that are indented in them are code."""
    lines = [re.search(r"(?:^|\s)# ?(.*)", line) for line in text.splitlines()]
    return "\n".join(re.sub(r"^  +(?=quench )", "    ", of[1]) if of else "" for of in lines)


allowed = allowed_names()
help_of = help_texts()
options = {name: set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.M))
           for name, text in help_of.items()}
keys = scenario_keys(said_by("help", "--man", "scenario"))
figure_page = said_by("figures", "--markdown")
figures = figures_by_kind(figure_page)
known = set().union(words_of_sources(), *figures.values(), SHORT_FIGURES, re.findall(
    r"\w+", said_by("figures", "--schema") + said_by("check", "--registers").lower()))

every_option = set().union(*options.values())
for file in ["README.md", "CONTRIBUTING.md", *files_below("docs"), *files_below("config")]:
    if file.endswith(".md"):
        check_page(file, text_of(file), every_option)
    elif file.endswith(".yaml"):
        check_page(file, comments_of(text_of(file)), every_option)
check_page("quench figures --markdown", figure_page, every_option)
for command, text in help_of.items():
    check_page(f"quench help {command}".strip(), re.sub(r"\n  (?=quench )", "\n\n    ", text),
               options[command] if command else every_option)
failures.update(f"names.txt: '{entry}' is not needed" for entry in allowed if not allowed[entry])
for failure in sorted(failures):
    print(f"names: {failure}")
sys.exit(bool(failures))
