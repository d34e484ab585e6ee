#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Virtual time: instructions and ns a packet-hop, what a run of 1 us takes, and memory, of this
tree beside another commit.

usage: vt_bench.py BUILD [COMMIT [SCENE...]]

COMMIT is HEAD~1 if none is given, and `none` measures this tree alone. Both programs run in turns;
times are medians of BENCH_RUNS runs, 5 by default."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from callgrind import collected
from nic_compare import built, forget
from vt_scenes import GOAL, MILLION, SCENES

RUNS = int(os.environ.get("BENCH_RUNS", "5"))


def hops(out):
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
        return json.load(f)["instrument"]["packet_hops"]


def run(program, scene, more, out):
    """(processor seconds, peak KB) of one run with its files written."""
    command = [program, "run", scene, "--quiet", "--force", "--out", out, *more]
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"vt_bench: {' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def instructions(program, scene, short, long):
    """Instructions a packet-hop: a long run less a short one, so that load and close drop out."""
    counts = []
    for lasts in (short, long):
        with tempfile.TemporaryDirectory(prefix="quench-vt-") as folder:
            shutil.copy(scene, os.path.join(folder, "scene.yaml"))
            count, _ = collected(program, ["run", "scene.yaml", "--quiet", "--duration", lasts,
                                           "--out", "out"], cwd=folder)
            counts.append((count, hops(os.path.join(folder, "out"))))
    (few, few_hops), (many, many_hops) = counts
    return (many - few) / (many_hops - few_hops)


def measure(programs, scene, short, long, out):
    """A row for each program: instructions a hop, ns a hop, ms of a run of 1 us, peak MB."""
    times = [([], [], []) for _ in programs]
    for _ in range(RUNS):
        for program, (whole, fixed, peak) in zip(programs, times):
            fixed.append(run(program, scene, ["--duration", "1us"], out)[0])
            seconds, kb = run(program, scene, [], out)
            whole.append(seconds)
            peak.append(kb)
    n = hops(out)
    return [(instructions(program, scene, short, long) if shutil.which("valgrind") else 0,
             1e9 * (statistics.median(whole) - statistics.median(fixed)) / n,
             1e3 * statistics.median(fixed), max(peak) / 1e3)
            for program, (whole, fixed, peak) in zip(programs, times)]


def write_scene(program, text, folder):
    """Writes the scene, and the file of operations that it may name. Returns the scene's path."""
    scene, goal = os.path.join(folder, "scene.yaml"), os.path.join(folder, GOAL)
    if GOAL in text and not os.path.exists(goal):
        with open(goal, "w", encoding="utf-8") as f:
            subprocess.run([program, *MILLION], stdout=f, check=True)
    with open(scene, "w", encoding="utf-8") as f:
        f.write(text.replace(GOAL, goal))
    return scene


def main():
    if len(sys.argv) < 2 or any(name not in SCENES for name in sys.argv[3:]):
        sys.exit(f"{__doc__}\na SCENE is one of {', '.join(SCENES)}")
    commit = sys.argv[2] if len(sys.argv) > 2 else "HEAD~1"
    folder = tempfile.mkdtemp(prefix="quench-bench-")
    programs = [os.path.join(sys.argv[1], "quench")]
    try:
        if commit != "none":
            programs.insert(0, built(commit, folder, "quench"))
        heads = ["instructions", "ns a hop", "fixed ms", "peak MB"]
        print(f"{'':12}" + "".join(f"{head + end:>18}" for head in heads
                                   for end in (["", " now"] if len(programs) > 1 else [""])))
        for name in sys.argv[3:] or SCENES:
            text, short, long = SCENES[name]
            scene = write_scene(programs[-1], text, folder)
            rows = measure(programs, scene, short, long, os.path.join(folder, "out"))
            print(f"{name:12}" + "".join(f"{row[i]:18.1f}" for i in range(4) for row in rows),
                  flush=True)
    finally:
        forget(folder)


if __name__ == "__main__":
    main()
