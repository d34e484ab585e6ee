#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a frame costs in the NIC, this tree beside another commit: both are built and run in turns,
and each row's medians and their ratio are printed. usage: nic_compare.py BUILD [COMMIT [FRAMES]]"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROUNDS = 5
ROW = re.compile(r"^(.*?)\s+tx\s+([\d.]+) ns\s+rx\s+([\d.]+) ns")


def built(commit, folder, target):
    """A target of a release build of a commit, made in a folder; its path."""
    tree, build = os.path.join(folder, "tree"), os.path.join(folder, "build")
    subprocess.run(["git", "-C", TOP, "worktree", "add", "--detach", tree, commit], check=True,
                   capture_output=True)
    for command in (["meson", "setup", build, tree, "-Dbuildtype=release"],
                    ["ninja", "-C", build, target]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"bench: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr}")
    return os.path.join(build, target)


def forget(folder):
    """Removes such a folder."""
    subprocess.run(["git", "-C", TOP, "worktree", "remove", "--force",
                    os.path.join(folder, "tree")], capture_output=True, check=False)
    shutil.rmtree(folder)


def rows(program, frames):
    """{row: ns a frame in tx}; a row that continues another has its name before it."""
    out = subprocess.run([program, frames], capture_output=True, text=True, check=True).stdout
    found, head = {}, ""
    for match in filter(None, map(ROW.match, out.splitlines())):
        name = match[1]
        head = head if name.startswith(" ") else name
        found[name if name == head else head + "," + name[1:]] = float(match[2])
    return found


def compare(ours, theirs, frames):
    here, there = [], []
    for _ in range(ROUNDS):
        here.append(rows(ours, frames))
        there.append(rows(theirs, frames))
    print(f"{'ns a frame in tx':40}{'before':>9}{'now':>9}{'ratio':>8}")
    for name in here[0]:
        now = statistics.median(r[name] for r in here)
        if name in there[0]:
            before = statistics.median(r[name] for r in there)
            print(f"{name:40}{before:9.1f}{now:9.1f}{now / before:8.2f}")
        else:
            print(f"{name:40}{'-':>9}{now:9.1f}{'-':>8}")


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    build, commit, frames = (sys.argv[1:] + ["HEAD~1", "300000"][len(sys.argv) - 2:])[:3]
    folder = tempfile.mkdtemp(prefix="quench-compare-")
    try:
        program = os.path.join("tests", "bench", "nic_bench")
        compare(os.path.join(build, program), built(commit, folder, program), frames)
    finally:
        forget(folder)


if __name__ == "__main__":
    main()
