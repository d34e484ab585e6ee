#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The switch between two ports on one lcore: processor time a frame by flows, hosts, lengths and
what is switched on, beside a bare macswap on the same rings and mbufs (rt_bench.c)."""
import argparse
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FLOWS = (1, 64, 4096, 65536)
HOSTS = ("two", "macs")
OCTETS = ("64", "imix", "1082")
# What is on: the scenario, and whether the queue stands between Kmin and Kmax.
LOADS = {"forward": ("rt_off", "calm"), "calm": ("rt_mark", "calm"), "mark": ("rt_mark", "stands"),
         "all": ("rt_all", "stands")}
# Of 64 octets with marking and PFC on, by (hosts, flows): Mframes/s, and of macswap's.
GOAL = {("two", 1): (60, 0.24), ("two", 64): (45, 0.18), ("two", 4096): (40, 0.26),
        ("two", 65536): (25, 0.64), ("macs", 1): (60, None), ("macs", 64): (30, None),
        ("macs", 4096): (20, None), ("macs", 65536): (12, None)}
GOAL_ALL_NS = 45
SECTIONS = ("ring", "parts", "null", "pages", "latency")
PARTS = ("receive", "parse", "fdb", "admission", "egress", "render", "send")
LIMIT = {True: 60, False: 900}  # seconds, by --quick


class Bench:
    """The build, how long and how often each row is measured, and until when rows are begun."""

    def __init__(self, opt):
        self.program = os.path.join(opt.build, "tests", "bench", "rt_bench")
        self.quick = opt.quick
        self.rounds = opt.rounds or (3 if opt.quick else 5)
        self.seconds = 0.05 if opt.quick else 0.1
        self.until = time.monotonic() + (opt.limit or LIMIT[opt.quick])
        self.failed = False

    def run(self, load, device, flows, hosts, octets, pages, *more):
        """{key: value} of a run of rt_bench, or a line that says why there is none."""
        if time.monotonic() > self.until:
            return "not measured: the time of this benchmark is up"
        scenario, queue = LOADS[load]
        run = subprocess.run(
            [self.program, os.path.join(HERE, scenario + ".yaml"), queue, device, str(flows), hosts,
             octets, str(self.seconds), str(self.rounds), pages, *more],
            capture_output=True, text=True, check=False, timeout=120)
        if run.returncode:
            self.failed = True
            return "failed: " + ((run.stderr or run.stdout).strip().splitlines() or ["?"])[-1]
        return {key: float(value) for key, value in map(str.split, run.stdout.splitlines())}


def goal(load, device, flows, hosts, octets, pages):
    if device != "ring" or pages != "huge":
        return "-"
    if octets == "64" and load in ("calm", "mark"):
        mfps, ratio = GOAL[hosts, flows]
        return f"{mfps} Mfps" + (f", {ratio} of macswap" if ratio else "")
    if load == "all" and flows > 1:
        return f"{GOAL_ALL_NS} ns"
    return "-"


def row(bench, load, device, flows, hosts, octets, pages="huge"):
    run = bench.run(load, device, flows, hosts, octets, pages)
    start = f"{load:<8} {device:<5} {pages:<9} {flows:>6} {hosts:<5} {octets:>6}"
    if isinstance(run, str):
        print(f"{start}  {run}", flush=True)
        return
    if pages == "huge" and not run["hugepages"]:
        start = start.replace(" huge     ", " ordinary ")
    notes = ""
    if run["queued"]:
        notes += f"; queue {run['queued']:.0f}"
    if run["flooded_permille"] > 0.05:
        notes += f"; {run['flooded_permille']:.1f} of 1000 flooded"
    print(f"{start} {run['switch_ns']:>8.1f} {run['switch_least_ns']:>8.1f} "
          f"{run['switch_most_ns']:>8.1f} {run['switch_mfps']:>7.1f} {run['macswap_ns']:>8.1f} "
          f"{run['macswap_mfps']:>7.1f} {run['ratio']:>6.3f}  "
          f"{goal(load, device, flows, hosts, octets, pages)}{notes}", flush=True)


def head(bench, what):
    print(f"{what}\n{'on':<8} {'net_':<5} {'pages':<9} {'flows':>6} {'hosts':<5} {'octets':>6} "
          f"{'ns':>8} {'least':>8} {'most':>8} {'Mfps':>7} {'macswap':>8} {'Mfps':>7} {'ratio':>6}"
          f"  goal; rounds: {bench.rounds}")


def section_ring(bench):
    head(bench, "One lcore, crossed rings: processor time of a frame, the median of the rounds, "
         "their least and most. flows:\neach way, of two hosts (queue pairs and UDP ports tell "
         "them apart) or with MAC addresses of their own.\nforward: nothing on; calm: marking and "
         "PFC on, queue below Kmin; mark: queue between Kmin and Kmax; all:\neverything on, in a "
         "queue that stands. macswap: bare, the same rings and mbufs, in turns.")
    for load in LOADS:
        for octets in OCTETS:
            for hosts in HOSTS:
                for flows in FLOWS:
                    if bench.quick and (octets != "64" or load in ("forward", "mark") or
                                        (load == "all" and flows != 4096)):
                        continue
                    row(bench, load, "ring", flows, hosts, octets)


def part_row(bench, load, flows, hosts):
    run = bench.run(load, "ring", flows, hosts, "64", "huge")
    start = f"{load:<8} {flows:>6} {hosts:<5}"
    if isinstance(run, str):
        print(f"{start}  {run}", flush=True)
        return
    ns = [run["part." + part] for part in PARTS]
    cells = "".join(f"{part:>10.1f}" for part in ns + [run["parts_ns"] - sum(ns)])
    print(f"{start} {cells}{run['parts_ns']:>10.1f}{run['switch_ns']:>10.1f}", flush=True)


def section_parts(bench):
    print("\nBy part, 64 octets over rings: ns a frame by the time stamp counter, read around the "
          "loop's calls for a burst,\nwithout what reading it took. rest: the loop itself, and "
          "what a part leaves to be waited for. timed: processor\ntime of that round; untimed: of "
          "the rounds without readings.")
    print(f"{'on':<8} {'flows':>6} {'hosts':<5} "
          + "".join(f"{part:>10}" for part in PARTS + ("rest", "timed", "untimed")))
    for load in ("calm", "mark", "all"):
        for hosts in HOSTS:
            for flows in FLOWS:
                if not bench.quick or (load != "mark" and flows == 4096):
                    part_row(bench, load, flows, hosts)


def section_null(bench):
    head(bench, "\nThe same over net_null, which takes each mbuf out of the pool and puts it back; "
         "with more than 64 flows\nthe pool has no cache, so that all of them come in turn")
    for octets in OCTETS[::2]:
        for flows in FLOWS:
            if not bench.quick or (octets == "64" and flows in (1, 4096)):
                row(bench, "calm", "null", flows, "two", octets)


def section_pages(bench):
    head(bench, "\nThe same over rings without hugepages")
    for hosts in HOSTS:
        for flows in FLOWS:
            if not bench.quick or (hosts == "two" and flows in (1, 4096)):
                row(bench, "calm", "ring", flows, hosts, "64", "ordinary")


def section_latency(bench):
    print("\nLatency over rings, 64 octets, ns: one frame every 5 to 10 us through a loop that is "
          "idle, from the ring before\nto the ring behind, where another lcore sends and takes; "
          "and from a PFC frame's arrival to the last frame of its\nclass that is offered, where "
          "192 of them came to the other port just before")
    run = bench.run("calm", "ring", 1, "two", "64", "huge", "latency")
    if isinstance(run, str):
        print(run)
        return
    print(f"{'':<20} {'p50':>10} {'p99':>10} {'p99.9':>10} {'most':>12}")
    for key, what in (("macswap", "macswap"), ("switch", "switch"), ("pfc", "PFC to its effect")):
        print(f"{what:<20} " + " ".join(
            f"{run[f'{key}_{q}_ns']:>{w}.0f}" for q, w in (("p50", 10), ("p99", 10), ("p999", 10),
                                                           ("most", 12))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", metavar="BUILD", help="folder of a release build")
    parser.add_argument("--quick", action="store_true", help="about a minute: few rows")
    parser.add_argument("--rounds", type=int, metavar="N", help="runs of which medians are taken")
    parser.add_argument("--limit", type=float, metavar="SECONDS",
                        help="after which no row is begun (900, quick: 60)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION",
                        help=f"of {', '.join(SECTIONS)}")
    opt = parser.parse_args()
    bench = Bench(opt)
    if not os.access(bench.program, os.X_OK):
        print(f"rt_bench: build {bench.program} first", file=sys.stderr)
        return 77
    for section in opt.only:
        globals()[f"section_{section}"](bench)
    return int(bench.failed)


if __name__ == "__main__":
    sys.exit(main())
