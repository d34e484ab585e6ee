#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Which tests a change is about, and why: those whose program has code of a file that changed, those
# that name it, and the lints. Prints two lines, the programs to build and the tests; says the rest
# on stderr. All libraries have been built.
# usage: changed.py BUILD [COMMIT]    what differs from COMMIT; by default from HEAD, or from the
# commit before it if nothing has changed since
import collections
import json
import os
import re
import subprocess
import sys

LINTS = {"files", "pages", "names", "riddles", "words", "spelling"}
LINTS_OF_C = {"format", "closed", "purity", "rooms"}
ALWAYS = {"run_command", "scenario-digest", "scenario-values"}  # after a change of the program


def output(*command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        sys.exit((ran.stderr or ran.stdout or " ".join(command)).split("\n")[0])
    return ran.stdout


def changed_files(commit):
    new = output("git", "ls-files", "--others", "--exclude-standard").split("\n")
    if not commit:
        commit = "HEAD" if output("git", "diff", "--name-only", "HEAD") or new != [""] else "HEAD~1"
    files = output("git", "diff", "--name-only", commit).split("\n") + new
    return commit, sorted({f for f in files if f})


class Graph:
    """What build.ninja makes of what."""

    def __init__(self, build):
        self.build = build
        self.inputs = {}
        self.users = collections.defaultdict(set)
        text = open(os.path.join(build, "build.ninja"), encoding="utf-8").read()
        for outs, ins in re.findall(r"^build (.*?): \S+ ?(.*)$", text.replace("$\n", ""), re.M):
            self.add(outs.split(" | ")[0].split(), ins.split(" || ")[0].replace("|", " ").split())
        at = None
        for line in output("ninja", "-C", build, "-t", "deps").split("\n"):
            if line.startswith("    "):
                self.add([at], [line.strip()])
            elif ": #deps" in line:
                at = line.split(":")[0]

    def add(self, outs, ins):
        for out in outs:
            self.inputs.setdefault(out, set()).update(ins)
            for i in ins:
                self.users[i].add(out)

    def symbols(self, obj):
        path = os.path.join(self.build, obj)
        if not obj.endswith(".o") or not os.path.exists(path):
            return []
        return [line.split()[-1] for line in output("nm", "-g", "--defined-only", path).split("\n")
                if line]

    def has(self, program, symbols):
        """Whether the linker has taken one of these from an archive."""
        path = os.path.join(self.build, program)
        if not os.path.exists(path):
            return True
        data = open(path, "rb").read()
        return any(b"\0" + s.encode() + b"\0" in data for s in symbols)

    def made_of(self, source):
        """The programs and files that have something of a source."""
        found, waiting, members = set(), [source], set()
        while waiting:
            node = waiting.pop()
            for user in self.users[node] - found:
                if user.endswith(".a"):
                    members.add((user, node))
                else:
                    found.add(user)
                    waiting.append(user)
        for archive, obj in members:
            symbols = self.symbols(obj)
            for program in self.users[archive] - found:
                if self.has(program, symbols):
                    found.add(program)
        return found


def words_of(path):
    """Room and noun of a file, as they stand in names of tests."""
    parts = re.sub(r"(_test|_command)?\.\w+$", "", path).split("/")
    return {p for p in parts[-2:] if len(p) > 1}


def reasons(graph, root, files, tests):
    """For each test why it is chosen."""
    why = {}
    of_program = [f for f in files if re.match(r"(lib|app|meson)\b", f)]
    is_c = any(f.endswith((".c", ".h")) for f in files)
    headers = any(f.endswith((".h", "meson.build")) for f in files)
    made = {f: graph.made_of(os.path.relpath(os.path.join(root, f), graph.build)) for f in files}
    for test in tests:
        name, suites = test["name"], {s.split(":")[-1] for s in test["suite"]}
        words = [os.path.relpath(w, graph.build) if w.startswith("/") else w for w in test["cmd"]]
        paths = [os.path.relpath(w, root) for w in test["cmd"] if w.startswith(root + "/")]
        key = (name, tuple(sorted(suites)))
        if "lint" in suites:
            if name in LINTS or is_c and name in LINTS_OF_C or headers and name == "walls":
                why[key] = "looks at all files"
            continue
        if of_program and name in ALWAYS:
            why[key] = "runs whatever changes"
        for f in files:
            if any(w in made[f] for w in words if os.path.basename(w) != "quench"):
                why[key] = "has " + f
            elif any(f == p or f.startswith(p + "/") for p in paths):
                why[key] = "reads " + f
            elif "unit" in suites or "scenario" in suites:
                if name.endswith("_command") and words_of(f) & set(name.split("_")):
                    why[key] = "is called as " + f
    return why


def main():
    build, commit = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
    os.chdir(root)
    commit, files = changed_files(commit)
    known = json.loads(output("meson", "introspect", build, "--tests", "--targets",
                              "--force-object-output"))
    build = os.path.realpath(build)
    why = reasons(Graph(build), root, files, known["tests"])
    print(f"{len(files)} files differ from {commit}; {len(why)} of {len(known['tests'])} tests "
          "are about them:", file=sys.stderr)
    needed = set()
    for test in known["tests"]:
        suites = {s.split(":")[-1] for s in test["suite"]}
        key = (test["name"], tuple(sorted(suites)))
        if key in why:
            needed.update(test["depends"])
            print(f"  {test['name']:36} {why[key]}", file=sys.stderr)
    print(*[os.path.relpath(f, build) for t in known["targets"] if t["id"] in needed
            for f in t["filename"]])
    print(*sorted({name for name, _ in why}))


main()
