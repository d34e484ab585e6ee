#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per unit of work against their budgets.

usage: budget.py [--renew] BUILD [NAME...]

BUILD is the folder of a release build by gcc; NAME a line of budget.txt, all of them without one.
What takes more than its budget and 2 % fails. --renew writes what was measured into budget.txt."""
import argparse
import functools
import glob
import json
import os
import re
import shutil
import sys
import tempfile

from callgrind import collected

HERE = os.path.dirname(os.path.abspath(__file__))
BUDGETS = os.path.join(HERE, "budget.txt")
SCENARIO = os.path.join(os.path.dirname(os.path.dirname(HERE)), "config", "bench-incast.yaml")
TOLERANCE = 2.0  # percent
HEAD = """\
# SPDX-License-Identifier: BSD-3-Clause
# Instructions per unit of work, which tests/bench/budget.py measures and compares;
# docs/speed.md says how. It writes this file, too: a budget is renewed by a commit that says
# why.
"""


def run_vt(build, ms, senders=8, pairs=1):
    """(instructions, packet-hops) of `ms` of the scenario, N:1, with so many queue pairs each."""
    with tempfile.TemporaryDirectory(prefix="quench-budget-") as folder:
        shutil.copy(SCENARIO, os.path.join(folder, "incast.yaml"))
        count, _ = collected(os.path.join(build, "quench"), [
            "run", "incast.yaml", "--quiet", "--duration", f"{ms}ms", "--out", "out", "--set",
            f"flows.incast.from=h1..{senders}", "--set", f"flows.incast.qps={pairs}", "--set",
            "warmup=5ms"], cwd=folder)
        with open(os.path.join(folder, "out", "summary.json"), encoding="utf-8") as f:
            return count, json.load(f)["instrument"]["packet_hops"]


def bench(name, *args, within):
    """A measurement by a program of tests/bench, whose last argument is the length. It prints how
    many units there were."""
    def run(build, length):
        count, out = collected(os.path.join(build, "tests", "bench", name), [*args, length], within)
        return count, int(out.split()[0])
    return run


def flows(feature, hosts, within):
    """The switch with one feature: bursts of 32 frames of 64 flows."""
    def run(build, length):
        count, _ = collected(os.path.join(build, "tests", "bench", "sw_bench"),
                             [feature, 32, length, 64, hosts, 1082], within)
        return count, ROUNDS * length
    return run


SWITCH = ("sw_rx", "sw_tx")
ROUNDS = 5  # of sw_bench with one feature: each takes all frames
SHARD = (*SWITCH, "sw_fabric_ahead", "sw_fabric_rx", "sw_fabric_push")
NIC = ("nic_rx", "nic_tx")
FAULT = ("fault_put", "fault_get")
# The measurements: a run, its short and its long length, the unit.
MEASURES = {
    "vt": (run_vt, 20, 40, "packet-hop"),
    "vt_16": (functools.partial(run_vt, senders=16), 10, 15, "packet-hop"),
    "vt_1000": (functools.partial(run_vt, pairs=125), 10, 15, "packet-hop"),
    "sw": (bench("sw_bench", "mix", 1, within=SWITCH), 20000, 120000, "frame"),
    "sw_burst": (bench("sw_bench", "mix", 32, within=SWITCH), 20000, 120000, "frame"),
    "sw_all": (flows("all", "hosts", SWITCH), 1600, 4800, "frame"),
    "sw_fdb": (flows("bench", "macs", ["sw_ways"]), 1600, 4800, "frame"),
    "sw_cut": (bench("sw_bench", "cut", 32, within=SHARD), 20000, 120000, "frame"),
    "nic": (bench("nic_bench", "mix", within=NIC), 20000, 120000, "frame"),
    "fault_one": (bench("fault_bench", "one", within=FAULT), 20000, 120000, "frame"),
    "fault_own": (bench("fault_bench", "own", within=FAULT), 20000, 120000, "frame"),
    "fault_each": (bench("fault_bench", "each", within=FAULT), 20000, 120000, "frame"),
    "fault_any": (bench("fault_bench", "any", within=FAULT), 20000, 120000, "frame"),
    "rt_parse": (bench("frame_bench", "parse", within=["mbuf_parse"]), 10, 210, "frame"),
    "rt_roce": (bench("frame_bench", "parse-roce", within=["mbuf_parse"]), 10, 210, "frame"),
    "rt_forms": (bench("frame_bench", "parse-forms", within=["mbuf_parse"]), 10, 210, "frame"),
    "rt_plain": (bench("frame_bench", "parse-plain", within=["mbuf_parse"]), 10, 210, "frame"),
    "rt_render": (bench("frame_bench", "render", within=["mbuf_render"]), 10, 210, "frame"),
}


def measure(build, name, **given):
    """Instructions per unit: a long run less a short one, so that the start drops out."""
    run, short, long, _ = MEASURES[name]
    (few, few_units), (many, many_units) = (run(build, length, **given) for length in (short, long))
    if many <= few or many_units <= few_units:
        sys.exit(f"budget: {name}: {few} instructions for {few_units} units, "
                 f"{many} for {many_units}: the long run must have more of both")
    return (many - few) / (many_units - few_units)


def compiler(build):
    """The compiler of a release build; ends with one line where it is another build."""
    try:
        [path] = glob.glob(os.path.join(build, "meson-info", "intro-buildoptions.json"))
        with open(path, encoding="utf-8") as f:
            option = {o["name"]: o["value"] for o in json.load(f)}
        with open(os.path.join(build, "quench"), "rb") as f:
            found = set(re.findall(rb"GCC: \([^)]*\) ([0-9.]+)|(clang version [0-9.]+)", f.read()))
    except (ValueError, OSError):
        sys.exit(f"budget: {build}: there is no build; "
                 "scripts/build build-bench -Dbuildtype=release makes one")
    clang = any(other for _, other in found)
    if option["buildtype"] != "release" or option["b_sanitize"] != "none" or clang:
        sys.exit(f"budget: {build}: budgets are of a release build by gcc, made by "
                 "scripts/build build-bench -Dbuildtype=release")
    return "gcc " + max(gcc for gcc, _ in found).decode()


def read_budgets():
    """The compiler that the budgets are of, and instructions by name."""
    with open(BUDGETS, encoding="utf-8") as f:
        rows = [line.split() for line in f if not line.startswith("#") and line.strip()]
    by = next((" ".join(row[1:]) for row in rows if row[0] == "compiler"), None)
    return by, {row[0]: float(row[1]) for row in rows if row[0] != "compiler"}


def write_budgets(by, budgets):
    with open(BUDGETS, "w", encoding="utf-8") as f:
        f.write(f"{HEAD}compiler {by}\n")
        for name in MEASURES:
            if name in budgets:
                f.write(f"{name:<10} {budgets[name]:>8.1f} {MEASURES[name][3]}\n")


def verdict(name, measured, budget):
    """(difference in percent or None, line to say or None, whether it fails)"""
    if budget is None:
        return None, f"{name} has no budget", True
    percent = 100 * (measured / budget - 1)
    if percent > TOLERANCE:
        return percent, (f"{name} takes {percent:.1f} % more than its budget, {TOLERANCE:g} % is "
                         "the most: find out why; if it is worth that, renew the budget in a "
                         "commit that says so"), True
    if percent < -TOLERANCE:
        return percent, (f"{name} takes {-percent:.1f} % less than its budget: renew it, so that "
                         "it stays so"), False
    return percent, None, False


def options():
    parser = argparse.ArgumentParser(
        description="instructions per unit of work against their budgets")
    parser.add_argument("build", metavar="BUILD", help="folder of a release build by gcc")
    parser.add_argument("name", metavar="NAME", nargs="*",
                        help=f"of {', '.join(MEASURES)}; none: all")
    parser.add_argument("--renew", action="store_true",
                        help="write what was measured into budget.txt")
    opt = parser.parse_args()
    for name in opt.name:
        if name not in MEASURES:
            parser.error(f"'{name}' is none of {', '.join(MEASURES)}")
    return opt


def main():
    opt = options()
    names = opt.name or list(MEASURES)
    is_by = compiler(opt.build)
    by, budgets = read_budgets()
    if by != is_by and not (opt.renew and not opt.name):
        sys.exit(f"budget: {BUDGETS}: budgets are of {by}, {opt.build} is of {is_by}; "
                 "build with that, or renew all")
    if set(budgets) != set(MEASURES) and not opt.renew:
        sys.exit(f"budget: {BUDGETS}: it has {', '.join(budgets)}, "
                 f"and should have {', '.join(MEASURES)}; renew all")
    said, failed = [], False
    print(f"{'':<10} {'measured':>9} {'budget':>9} {'difference':>11}  instructions per")
    for name in names:
        measured, budget = measure(opt.build, name), budgets.get(name)
        percent, line, bad = verdict(name, measured, budget)
        shown, off = ("-", "-") if budget is None else (f"{budget:.1f}", f"{percent:+.2f} %")
        print(f"{name:<10} {measured:>9.1f} {shown:>9} {off:>11}  {MEASURES[name][3]}", flush=True)
        failed |= bad
        said += [line] if line else []
        budgets[name] = round(measured, 1)
    if opt.renew:
        write_budgets(is_by, budgets)
        print(f"written: {BUDGETS}")
        return 0
    for line in said:
        print(line)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
