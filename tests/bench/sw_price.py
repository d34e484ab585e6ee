#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The switch's price list: a frame through rx and tx with everything off, each feature alone,
everything on."""
import os
import shutil
import subprocess

from callgrind import collected

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUENCH = os.environ.get("QUENCH", os.path.join(TOP, "build", "quench"))
BENCH = os.path.join(os.path.dirname(QUENCH), "tests", "bench", "sw_bench")
FRAMES = int(os.environ.get("BENCH_FRAMES", "320000"))
ROUNDS = 5  # of the program: each takes all frames
COUNTED = (1600, 4800)  # frames of two runs under callgrind; the difference is theirs alone


def nanoseconds(feature, burst):
    """Least of the rounds: what others took of the processor is in the rest."""
    out = subprocess.run([BENCH, feature, str(burst), str(FRAMES)], capture_output=True, text=True,
                         check=True)
    return float(out.stdout.split()[1])


def instructions(feature, burst):
    few, many = (collected(BENCH, [feature, burst, n], ["sw_rx", "sw_tx"])[0] for n in COUNTED)
    return (many - few) / (ROUNDS * (COUNTED[1] - COUNTED[0]))


def row(feature):
    cells = []
    for burst in (1, 32):
        cells.append(instructions(feature, burst) if shutil.which("valgrind") else float("nan"))
        cells.append(nanoseconds(feature, burst))
    return cells


def main():
    listed = subprocess.run([BENCH, "--list"], capture_output=True, text=True, check=True)
    features = dict(line.split("\t") for line in listed)
    order = ["off"] + [f for f in features if f not in ("off", "all")] + ["all"]
    print("a frame through rx and tx of the switch, 8 flows into one port, 200 frames in its "
          f"queue; best of {ROUNDS} times {FRAMES} frames")
    print(f"{'':13} {'one by one':^28} {'in bursts of 32':^28}")
    print(f"{'':13} {'instr':>8} {'more':>7} {'ns':>7}      {'instr':>8} {'more':>7} {'ns':>7}")
    base = None
    for feature in order:
        one, one_ns, many, many_ns = row(feature)
        base = base or (one, many)
        print(f"{feature:13} {one:8.1f} {one - base[0]:+7.1f} {one_ns:7.1f}      "
              f"{many:8.1f} {many - base[1]:+7.1f} {many_ns:7.1f}   {features[feature]}",
              flush=True)


if __name__ == "__main__":
    main()
