#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The switch's price list: a frame through rx and tx with everything off, each feature alone,
everything on; frames of eight flows one by one, as virtual time has them, and bursts of many
flows, as real time has them. Then bursts for several egress ports and classes."""
import os
import shutil
import subprocess

from callgrind import collected

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUENCH = os.environ.get("QUENCH", os.path.join(TOP, "build", "quench"))
BENCH = os.path.join(os.path.dirname(QUENCH), "tests", "bench", "sw_bench")
FRAMES = int(os.environ.get("BENCH_FRAMES", "64000"))
ROUNDS = 5  # of the program: each takes all frames
PASSES = 5  # over all that is timed, so that no row has a bad minute of the machine to itself
COUNTED = (1600, 4800)  # frames of two runs under callgrind; the difference is theirs alone
MIXED = (64, "hosts", 1082)  # flows, between what, bytes: see sw_bench.c
WAYS = ((1, ()), (32, MIXED))  # burst and its frames; (): eight flows that are drawn

QUEUES = ((1, 1), (1, 2), (2, 2), (4, 3))  # egress ports, classes at each
IN_QUEUES = [(feature, order) for feature in ("off", "mark_dequeue", "all")
             for order in ("in turns", "drawn")]


def nanoseconds(feature, burst, flows):
    """Of a frame, processor time: the median of the program's rounds."""
    out = subprocess.run([BENCH, feature, str(burst), str(FRAMES), *map(str, flows)],
                         capture_output=True, text=True, check=True)
    return float(out.stdout.split()[0])


def timed(points):
    """Of each (feature, burst, flows) the least of all passes, in ns of a frame."""
    least = {}
    for _ in range(PASSES):
        for point in points:
            least[point] = min(nanoseconds(*point), least.get(point, float("inf")))
    return least


def instructions(feature, burst, flows):
    few, many = (collected(BENCH, [feature, burst, n, *flows], ["sw_rx", "sw_tx"])[0]
                 for n in COUNTED)
    return (many - few) / (ROUNDS * (COUNTED[1] - COUNTED[0]))


def cost(ns, point):
    """[instructions, ns] of a frame."""
    return [instructions(*point) if shutil.which("valgrind") else float("nan"), ns[point]]


def alone(feature):
    """The points of a row of the first table."""
    return [(feature, burst, flows) for burst, flows in WAYS]


def in_queues(feature, order):
    """The points of a row of the second table."""
    drawn = ("drawn",) if order == "drawn" else ()
    return [(feature, WAYS[1][0], (*MIXED, *queues, *drawn)) for queues in QUEUES]


def mixed(ns):
    """Bursts of several egress queues beside those of one."""
    print("\n" + " " * 21 + "".join(f" {f'{ports}x{classes}':^16}" for ports, classes in QUEUES))
    print(" " * 21 + f" {'instr':>8} {'ns':>7}" * len(QUEUES))
    for feature, order in IN_QUEUES:
        cells = [cost(ns, point) for point in in_queues(feature, order)]
        print(f"{feature:12} {order:8}" + "".join(
            f" {instr:8.1f} {took:7.1f}" for instr, took in cells), flush=True)


def main():
    listed = subprocess.run([BENCH, "--list"], capture_output=True, text=True, check=True)
    features = dict(line.split("\t") for line in listed.stdout.splitlines())
    order = ["off"] + [f for f in features if f not in ("off", "all")] + ["all"]
    print("a frame through rx and tx of the switch, from 8 ports into one, 200 frames in its "
          f"queue; ns: the least of {PASSES} passes\nover all rows, in each of which a row is the "
          f"median of {ROUNDS} times {FRAMES} frames", flush=True)
    ns = timed([point for feature in order for point in alone(feature)] +
               [point for row in IN_QUEUES for point in in_queues(*row)])
    print(f"{'':13} {'one by one, 8 flows':^23} {f'bursts, {MIXED[0]} flows':^23}")
    print(f"{'':13}" + f" {'instr':>7} {'more':>7} {'ns':>7}" * len(WAYS))
    base = None
    for feature in order:
        cells = [cell for point in alone(feature) for cell in cost(ns, point)]
        base = base or cells
        print(f"{feature:13}" + "".join(
            f" {cells[i]:7.1f} {cells[i] - base[i]:+7.1f} {cells[i + 1]:7.1f}"
            for i in range(0, len(cells), 2)) + f"   {features[feature]}", flush=True)
    print(f"\nbursts of {MIXED[0]} flows that come in at 4 ports, for several egress ports x "
          "classes at each: each next frame\ngoes to the next egress port, and has the next class "
          "of that port (in turns), or the order of the\nsame frames is drawn for each burst; 200 "
          "frames in each queue")
    mixed(ns)


if __name__ == "__main__":
    main()
