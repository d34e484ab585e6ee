#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The switch between two ports: processor time a frame by flows, hosts, lengths, what is switched
on and how many lcores run it, beside a bare macswap on the same rings and mbufs (rt_bench.c), and
beside Open vSwitch where both read one capture."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import ovs
import veth

HERE = os.path.dirname(os.path.abspath(__file__))
FLOWS = (1, 64, 4096, 65536)
MORE_FLOWS = (131072, 262144)  # whose frames few caches hold
HOSTS = ("two", "macs")
OCTETS = ("64", "imix", "1082")
# A load: its scenario, and whether the queue stands between Kmin and Kmax. Loads with goals come
# first, because the time may end before the others run.
LOADS = {"calm": ("rt_mark", "calm"), "mark": ("rt_mark", "stands"), "all": ("rt_all", "stands"),
         "forward": ("rt_off", "calm")}
MIXED_LOADS = {"mixed forward": ("rt_mixed_off", "calm"), "mixed mark": ("rt_mixed_mark", "stands"),
               "mixed all": ("rt_mixed_all", "stands")}
# Of 64 octets with marking and PFC on, by (hosts, flows): Mframes/s, and of macswap's.
GOAL = {("two", 1): (60, 0.24), ("two", 64): (45, 0.18), ("two", 4096): (40, 0.26),
        ("two", 65536): (25, 0.64), ("macs", 1): (60, None), ("macs", 64): (30, None),
        ("macs", 4096): (20, None), ("macs", 65536): (12, None)}
GOAL_ALL_NS = 45
MIXED = ("1x1", "1x2", "2x2", "4x3")  # egress ports x classes at each
# The headers before UDP, the load, and octets: RoCEv2 over IPv6 needs 78, a VLAN tag 4 more.
FORMS = [(form, "calm") for form in ("ip4", "ip6", "vlan-ip4", "vlan-ip6", "cntag-ip4", "qinq-ip4",
                                     "qinq-ip6", "mixed")] + [("mixed", "all")]
FORM_OCTETS = ("86", "128")
BETWEEN = 90  # percent of the loops that the standing queue is to be between Kmin and Kmax
WAITED = 5  # percent of the processor time that lcores may wait for each other without a remark
GOAL_LCORES = 1.2  # processor time a frame of two lcores, of one's
GOAL_OVS = "1.5, aim 2"  # times the frames of Open vSwitch
SLOW = ("more", "latency", "gap", "veth")  # no part of a quick benchmark
SECTIONS = (*LOADS, "parts", "mixed", "ovs", "lcores", "null", "pages", *SLOW, "forms")
QUICK = tuple(name for name in SECTIONS if name not in SLOW)
HOPS = 20000  # frames of one turn over veth
SINGLE = (4096, "macs")  # flows and hosts of single frames over rings
# Its PMD thread has room for 65,536 flows, and takes one for each pair of addresses each way.
OVS_FLOWS = {"two": (64, 4096, 65536), "macs": (64, 4096, 16384)}
SETTLE = 30  # seconds that Open vSwitch has to learn all flows, and quench all addresses
PARTS = ("receive", "parse", "fdb", "admission", "egress", "render", "send")
PROGRAMS = ("rt_bench", "rt_part_bench")  # the second one says where the time goes
LIMIT = {True: 120, False: 900}  # seconds, by --quick
SECONDS = 0.05  # of a measurement


class Bench:
    """The build, how long and how often each row is measured, and until when rows are begun."""

    def __init__(self, opt):
        self.build = opt.build
        self.folder = os.path.join(opt.build, "tests", "bench")
        self.quick = opt.quick
        self.rounds = opt.rounds or (3 if opt.quick else 5)
        self.seconds = opt.seconds
        self.until = time.monotonic() + (opt.limit or LIMIT[opt.quick])
        self.failed = False
        self.runs = {}  # by point

    def row(self, *point):
        """What run() has for a point of which several sections have a row: it is measured once."""
        if point not in self.runs:
            self.runs[point] = self.run(*point)
        return self.runs[point]

    def parts(self, load, flows, hosts, octets, form="ip4"):
        """What run() has of the program that says where the time goes, over rings."""
        return self.run(load, "ring", flows, hosts, octets, "huge", rounds=1, form=form,
                        program=PROGRAMS[1])

    def run(self, load, device, flows, hosts, octets, pages, what="1", rounds=None, form="ip4",
            program=PROGRAMS[0]):
        """{key: value} of a run of rt_bench, or a line that says why there is none."""
        if time.monotonic() > self.until:
            return "not measured: the time of this benchmark is up"
        scenario, queue = (LOADS | MIXED_LOADS)[load]
        run = subprocess.run(
            [os.path.join(self.folder, program), os.path.join(HERE, scenario + ".yaml"), queue,
             device, str(flows), hosts, octets, str(self.seconds), str(rounds or self.rounds),
             pages, what, form],
            capture_output=True, text=True, check=False, timeout=120)
        if run.returncode:
            self.failed = True
            return "failed: " + ((run.stderr or run.stdout).strip().splitlines() or ["?"])[-1]
        said = {key: float(value) for key, value in map(str.split, run.stdout.splitlines())}
        if not all(map(math.isfinite, said.values())):
            self.failed = True
            return "failed: a figure is no number"
        return said


def medians(runs):
    """Of each value of several runs; of runs that failed the first's line."""
    failed = [run for run in runs if isinstance(run, str)]
    return failed[0] if failed else {
        key: statistics.median(run[key] for run in runs) for key in runs[0]}


def goal(load, device, flows, hosts, octets, pages):
    if device != "ring" or pages != "huge":
        return "-"
    if octets == "64" and load in ("calm", "mark"):
        mfps, ratio = GOAL[hosts, min(flows, FLOWS[-1])]
        return f"{mfps} Mfps" + (f", {ratio} of macswap" if ratio else "")
    if load == "all" and flows > 1:
        return f"{GOAL_ALL_NS} ns"
    return "-"


def notes(load, run):
    """How long the queue was where it was to stand, and what was flooded, where that is much."""
    said = ""
    if LOADS[load][1] == "stands":
        said += f"; queue {run['queued']:.0f}"
        if run["between_percent"] < BETWEEN:
            said += f", between Kmin and Kmax in {run['between_percent']:.0f} % of the loops"
        said += f", {run['marked_percent']:.1f} % marked"
        if run["waited_percent"] > WAITED:
            said += f", an lcore waited {run['waited_percent']:.0f} % of the time"
    if run["flooded_permille"] > 0.05:
        said += f"; {run['flooded_permille']:.1f} of 1000 flooded"
    return said


def row(bench, load, device, flows, hosts, octets, pages="huge"):
    run = bench.row(load, device, flows, hosts, octets, pages)
    start = f"{load:<8} {device:<5} {pages:<9} {flows:>6} {hosts:<5} {octets:>6}"
    if isinstance(run, str):
        print(f"{start}  {run}", flush=True)
        return
    if pages == "huge" and not run["hugepages"]:
        start = start.replace(" huge     ", " ordinary ")
    print(f"{start} {run['switch_ns']:>8.1f} {run['switch_least_ns']:>8.1f} "
          f"{run['switch_most_ns']:>8.1f} {run['switch_mfps']:>7.1f} {run['macswap_ns']:>8.1f} "
          f"{run['macswap_mfps']:>7.1f} {run['ratio']:>6.3f} {run['fetching_ns']:>8.1f}  "
          f"{goal(load, device, flows, hosts, octets, pages)}{notes(load, run)}", flush=True)


def head(bench, what):
    print(f"{what}\n{'on':<8} {'net_':<5} {'pages':<9} {'flows':>6} {'hosts':<5} {'octets':>6} "
          f"{'ns':>8} {'least':>8} {'most':>8} {'Mfps':>7} {'macswap':>8} {'Mfps':>7} {'ratio':>6}"
          f" {'fetching':>8}  goal; rounds: {bench.rounds}")


def head_ring(bench):
    head(bench, "One lcore, crossed rings: processor time of a frame, the median of the rounds, "
         "their least and most. flows:\neach way, of two hosts (queue pairs and UDP ports tell "
         "them apart) or with MAC addresses of their own.\nforward: nothing on; calm: marking and "
         "PFC on, queue below Kmin; mark: queue between Kmin and Kmax; all:\neverything on, in a "
         "queue that stands. macswap: bare, the same rings and mbufs, in turns. fetching: ns of a "
         "macswap that fetches\nmbufs and bytes ahead, as the switch does.")


def rows_ring(bench, loads, octets):
    """All points with these on; quick ones are of 4096 flows but for `calm`."""
    for load in loads:
        for hosts in HOSTS:
            for flows in FLOWS:
                if not bench.quick or load == "calm" or flows == 4096:
                    row(bench, load, "ring", flows, hosts, octets)


def part_row(bench, load, flows, hosts):
    run = bench.row(load, "ring", flows, hosts, "64", "huge")
    parts = bench.parts(load, flows, hosts, "64")
    start = f"{load:<8} {flows:>6} {hosts:<5}"
    if isinstance(run, str) or isinstance(parts, str):
        print(f"{start}  {run if isinstance(run, str) else parts}", flush=True)
        return
    ns = [parts["part." + part] for part in PARTS]
    cells = "".join(f"{part:>10.1f}" for part in ns + [parts["parts_ns"] - sum(ns)])
    print(f"{start} {cells}{parts['parts_ns']:>10.1f}{run['switch_ns']:>10.1f}", flush=True)


def section_parts(bench):
    print("\nBy part, 64 octets over rings: ns a frame by the time stamp counter, read around the "
          "loop's calls for a burst,\nwithout what reading it took. rest: the loop itself, and "
          "what a part leaves to be waited for. timed: processor\ntime of that round; untimed: of "
          "a program without readings.")
    print(f"{'on':<8} {'flows':>6} {'hosts':<5} "
          + "".join(f"{part:>10}" for part in PARTS + ("rest", "timed", "untimed")))
    for load in ("calm", "mark", "all"):
        for hosts in HOSTS:
            for flows in FLOWS:
                if not bench.quick or (load != "mark" and flows == 4096):
                    part_row(bench, load, flows, hosts)


def section_mixed(bench):
    print("\nBursts of one port for several egress ports x classes at each, 64 octets over rings, "
          "4096 flows: ns of a frame, the\nleast of the rounds. in turns: each next frame goes to "
          "the next port, or has the next class; drawn: the order of\na burst is drawn.")
    print(f"{'on':<8} {'order':<8} " + "".join(f"{mix:>10}" for mix in MIXED))
    for load in ("mark",) if bench.quick else ("forward", "mark", "all"):
        for order in ("in turns", "drawn"):
            runs = [bench.run("mixed " + load, "ring", 4096, "two", "64", "huge",
                              mix if order == "in turns" else "drawn" + mix) for mix in MIXED]
            print(f"{load:<8} {order:<8} " + "".join(
                f"  {run}" if isinstance(run, str) else f"{run['switch_least_ns']:>10.1f}"
                for run in runs), flush=True)


def section_more(bench):
    head(bench, "\nThe same with more flows, whose frames are more than most last caches hold, so "
         "that macswap waits for memory\nnearly everywhere; the goals are those of 65,536 flows")
    for load in ("calm", "mark"):
        for hosts in HOSTS:
            for flows in MORE_FLOWS:
                row(bench, load, "ring", flows, hosts, "64")


def section_null(bench):
    head(bench, "\nThe same over net_null, which takes each mbuf out of the pool and puts it back; "
         "with more than 64 flows\nthe pool has no cache, so that all of them come in turn")
    for octets, counts in (("64", FLOWS), ("1082", FLOWS[2:3])):
        for load in LOADS:
            for hosts in HOSTS:
                for flows in FLOWS[2:3] if bench.quick else counts:
                    if not bench.quick or (octets, load) in (("64", "calm"), ("64", "all")):
                        row(bench, load, "null", flows, hosts, octets)


def section_pages(bench):
    head(bench, "\nThe same without hugepages")
    for load in LOADS:
        for device in ("ring", "null"):
            for hosts in HOSTS:
                for flows in FLOWS[2:3] if bench.quick else FLOWS[2:]:
                    if not bench.quick or (load, hosts) == ("calm", "two"):
                        row(bench, load, device, flows, hosts, "64", "ordinary")


def form_row(bench, form, load, hosts, octets):
    run = bench.run(load, "ring", 4096, hosts, octets, "huge", form=form)
    parts = bench.parts(load, 4096, hosts, octets, form)
    start = f"{form:<9} {load:<5} {hosts:<5} {octets:>6}"
    if isinstance(run, str) or isinstance(parts, str):
        print(f"{start}  {run if isinstance(run, str) else parts}", flush=True)
        return
    print(f"{start} {run['switch_ns']:>8.1f} {run['switch_least_ns']:>8.1f} "
          f"{run['switch_most_ns']:>8.1f} {run['switch_mfps']:>7.1f} {parts['part.parse']:>7.1f} "
          f"{parts['part.fdb']:>7.1f} {run['macswap_ns']:>8.1f} {run['macswap_mfps']:>7.1f} "
          f"{run['ratio']:>6.3f}", flush=True)


def section_forms(bench):
    print("\nFrames of other forms, 4096 flows over rings: IPv4, IPv6, either with one VLAN tag or "
          "with two (qinq), and IPv4 with a\nCN-TAG. mixed: flow by flow all of these in turn. "
          "RoCEv2 over IPv6 with two VLAN tags needs 86 octets, so frames\nhave 86 or 128. parse, "
          "FDB: what these parts take, by a program that reads the counter. macswap: bare, the "
          f"same rings\nand mbufs. Rounds: {bench.rounds}.")
    print(f"{'form':<9} {'on':<5} {'hosts':<5} {'octets':>6} {'ns':>8} {'least':>8} {'most':>8} "
          f"{'Mfps':>7} {'parse':>7} {'FDB':>7} {'macswap':>8} {'Mfps':>7} {'ratio':>6}")
    for octets in FORM_OCTETS[:1] if bench.quick else FORM_OCTETS:
        for hosts in HOSTS[:1] if bench.quick else HOSTS:
            for form, load in FORMS:
                form_row(bench, form, load, hosts, octets)


def lcores_row(bench, load, device, flows, hosts, pages):
    turns = [[bench.run(load, device, flows, hosts, "64", pages, n, 1) for n in "12"]
             for _ in range(bench.rounds)]
    one, two = (medians([turn[n] for turn in turns]) for n in (0, 1))
    start = f"{load:<8} {device:<5} {pages:<9} {flows:>6} {hosts:<5}"
    if isinstance(one, str) or isinstance(two, str):
        print(f"{start}  {one if isinstance(one, str) else two}", flush=True)
        return
    print(f"{start} {one['switch_ns']:>8.1f} {two['switch_ns']:>8.1f} "
          f"{two['switch_ns'] / one['switch_ns']:>6.2f} {2e3 / two['switch_ns']:>7.1f} "
          f"{two['macswap_ns'] / one['macswap_ns']:>8.2f}  {GOAL_LCORES}{notes(load, two)}",
          flush=True)


def lcores_points(quick):
    """(load, device, flows, hosts, pages). With fewer frames in flight than two lcores hold, they
    wait for each other."""
    many, most = FLOWS[2:]
    if quick:
        return [(load, "ring", many, hosts, "huge") for load in ("calm", "all") for hosts in HOSTS]
    return ([(load, "ring", flows, hosts, "huge") for flows in (many, most) for load in LOADS
             for hosts in HOSTS]
            + [(load, "null", many, hosts, "huge") for load in LOADS for hosts in HOSTS]
            + [("calm", device, many, hosts, "ordinary") for device in ("ring", "null")
               for hosts in HOSTS])


def section_lcores(bench):
    print("\nOne lcore and two, each of which has a port; every frame crosses. 64 octets: processor"
          " time of a frame, that of\nboth lcores added up, and its ratio. Mfps: of both. macswap: "
          "its ratio, where each frame crosses by a ring, too.\nOne and two take turns, and "
          f"figures are medians of {bench.rounds} rounds.")
    print(f"{'on':<8} {'net_':<5} {'pages':<9} {'flows':>6} {'hosts':<5} {'one, ns':>8} "
          f"{'two, ns':>8} {'ratio':>6} {'Mfps':>7} {'macswap':>8}  goal")
    for point in lcores_points(bench.quick):
        lcores_row(bench, *point)


def no_misses(switch, seconds):
    """What Open vSwitch does while nothing misses for so long, or None. After a pause it may take
    some flows for too many, and forget them."""
    end = time.monotonic() + SETTLE
    while time.monotonic() < end:
        turn = switch.measure(seconds)
        if not turn["misses"]:
            return turn
    return None


def no_floods(bench, folder, flows, hosts):
    """A turn of quench in which it flooded nothing, or why there is none."""
    end = time.monotonic() + SETTLE
    while time.monotonic() < end:
        turn = bench.run("calm", folder, flows, hosts, "64", "huge", "1", 1)
        if isinstance(turn, str) or not turn["flooded"]:
            return turn
    return f"not counted: quench still floods after {SETTLE} s"


def ovs_turns(bench, folder, flows, hosts):
    """Turns of quench and Open vSwitch, lists of what each measured; or why there are none."""
    ours = [no_floods(bench, folder, flows, hosts)]  # writes the captures
    if isinstance(ours[0], str):
        return ours[0]
    theirs = []
    if not ours[0]["hugepages"]:
        return "not measured: 2 GB of hugepages are missing"
    switch = ovs.Ovs([f"net_pcap{i},rx_pcap={folder}/{name}.pcap,infinite_rx=1"
                      for i, name in enumerate("ab")], 2 * flows)
    try:
        for _ in range(bench.rounds):
            theirs.append(no_misses(switch, 0.4 if theirs else 1))
            if not theirs[-1]:
                return f"not counted: Open vSwitch still misses after {SETTLE} s"
            switch.pause(True)
            ours.append(no_floods(bench, folder, flows, hosts))
            switch.pause(False)
            time.sleep(0.2)
    finally:
        switch.close()
    if not all(turn["hugepages"] for turn in ours if not isinstance(turn, str)):
        return "not counted: no hugepages are left for quench"
    return ours[1:], theirs


def section_ovs(bench):
    lacks = ovs.missing()
    print("\nOpen vSwitch with DPDK, action NORMAL and EMC on, and quench with marking and PFC on: "
          "one PMD thread or lcore,\nhugepages; both read captures of 64 octets with each flow in "
          "them by net_pcap, which drops what it is to send.\nmacswap says what net_pcap takes. "
          "A turn counts only if nothing misses, nor is flooded; in turns, medians of "
          f"{bench.rounds} rounds.")
    if lacks:
        print(f"not measured: {lacks} is missing (scripts/install-deps --bench)")
        return
    print(f"{'flows':>6} {'hosts':<5} {'OVS, ns':>8} {'Mfps':>6} {'EMC %':>6} {'quench':>8} "
          f"{'Mfps':>6} {'macswap':>8} {'ratio':>6}  goal")
    for hosts in HOSTS:
        for flows in OVS_FLOWS[hosts][1:2] if bench.quick else OVS_FLOWS[hosts]:
            with tempfile.TemporaryDirectory(prefix="quench-bench-") as folder:
                try:
                    turns = ovs_turns(bench, folder, flows, hosts)
                except RuntimeError as e:
                    bench.failed = True
                    turns = f"failed: {e}"
            start = f"{flows:>6} {hosts:<5}"
            if isinstance(turns, str):
                print(f"{start}  {turns}", flush=True)
                continue
            ours, theirs = map(medians, turns)
            if isinstance(ours, str):
                print(f"{start}  {ours}", flush=True)
                continue
            emc = 100 * theirs["emc hits"] / theirs["packets received"]
            print(f"{start} {theirs['ns']:>8.1f} {1e3 / theirs['ns']:>6.1f} {emc:>6.1f} "
                  f"{ours['switch_ns']:>8.1f} {ours['switch_mfps']:>6.1f} "
                  f"{ours['macswap_ns']:>8.1f} {theirs['ns'] / ours['switch_ns']:>6.2f}  "
                  f"{GOAL_OVS}", flush=True)


def quantiles(what, run, keys, unit=1, digits=0):
    if isinstance(run, str):
        print(f"{what:<20}  {run}", flush=True)
        return
    print(f"{what:<20} " + " ".join(f"{run[key] / unit:>10.{digits}f}" for key in keys),
          flush=True)


def section_latency(bench):
    print("\nLatency over rings, 64 octets, ns: one frame every 5 to 10 us through a loop that is "
          f"idle, of {SINGLE[0]} flows in turn with\nMAC addresses of their own, which are known, "
          "from the ring before to the ring behind, where another lcore\nsends and takes; and from "
          "a PFC frame's arrival to the last frame of its class that is offered, where 192 of\n"
          "them have begun to come by the other port. In turns, medians of "
          f"{bench.rounds} rounds.")
    run = medians([bench.run("calm", "ring", *SINGLE, "64", "huge", "latency")
                   for _ in range(bench.rounds)])
    print(f"{'':<20} {'p50':>10} {'p99':>10} {'p99.9':>10} {'most':>10}")
    for key, what in (("macswap", "macswap"), ("switch", "switch"), ("pfc", "PFC to its effect")):
        quantiles(what, run, [f"{key}_{q}_ns" for q in ("p50", "p99", "p999", "most")])


def section_veth(bench):
    print("\nLatency over veth, 64 octets, us: a frame every 20 to 40 us from a raw socket at one "
          f"cable to one at\nanother, of {veth.FLOWS} flows in turn whose MAC addresses are known. "
          "What joins the cables polls them by\nnet_af_packet on one lcore: quench with marking "
          "and PFC on, testpmd with --forward-mode=io, Open vSwitch with\nNORMAL. nothing: both "
          "sockets at one cable, what the kernel and the sockets take. In turns, medians of\n"
          f"{bench.rounds} rounds.")
    print(f"{'joined by':<20} {'p50':>10} {'p99':>10} {'p99.9':>10} {'most':>10}")
    if os.geteuid() != 0:
        print("not measured: only root makes network namespaces")
        return
    cables = veth.Cables(bench.build, os.path.join(HERE, "rt_mark.yaml"))
    try:
        kinds = [kind for kind in veth.JOINED_BY if not veth.lacks(kind)]
        turns = [{kind: cables.measure(kind, HOPS) for kind in kinds}
                 for _ in range(bench.rounds)]
    finally:
        cables.close()
    for kind in veth.JOINED_BY:
        run = (medians([turn[kind] for turn in turns]) if kind in kinds else
               f"not measured: {veth.lacks(kind)} is missing (scripts/install-deps --bench)")
        quantiles(kind, run, ("p50", "p99", "p999", "most"), 1000, 2)


def loop_gap(bench, folder, devices):
    """The figures of a run of one second of a switch with these devices, in us."""
    out = os.path.join(folder, "run")
    run = subprocess.run(
        [os.path.join(bench.build, "quench"), "run", os.path.join(HERE, "rt_mark.yaml"),
         "--clock=real", "--workers=1", "--duration=1s", "--quiet", "--force", f"--out={out}",
         "--set=switches.s1.fdb_entries=131072", f"--set=switches.s1.buffer={veth.BUFFER}"]
        + [f"--set=ports.s1:{end}.device={device}" for end, device in zip("ab", devices)],
        capture_output=True, text=True, check=False, timeout=60)
    try:
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
            return json.load(f)["instrument"]
    except (OSError, ValueError, KeyError):
        bench.failed = True
        return "failed: " + ((run.stderr or run.stdout).strip().splitlines() or ["?"])[-1]


def section_gap(bench):
    print("\nThe loop of a run's only worker, us between two turns of it, by the run's own "
          "histogram (instrument.loop_gap_*):\nidle, and loaded with 4096 flows each way of 64 "
          "octets, MAC addresses of their own, as fast as it takes\nthem by net_pcap; marking and "
          f"PFC on. In turns, medians of {bench.rounds} runs of a second.")
    print(f"{'':<20} {'p50':>10} {'p99':>10} {'p99.99':>10} {'most':>10}")
    with tempfile.TemporaryDirectory(prefix="quench-bench-") as folder:
        written = bench.run("calm", folder, 4096, "macs", "64", "huge", "1", 1)
        if isinstance(written, str):
            print(written)
            return
        idle = [f"net_ring{i}" for i in (0, 1)]
        loaded = [f"net_pcap{i},rx_pcap={folder}/{name}.pcap,infinite_rx=1"
                  for i, name in enumerate("ab")]
        turns = [(loop_gap(bench, folder, idle), loop_gap(bench, folder, loaded))
                 for _ in range(bench.rounds)]
    keys = [f"loop_gap_{q}_us" for q in ("p50", "p99", "p9999", "max")]
    for n, what in enumerate(("idle", "loaded")):
        runs = [turn[n] if isinstance(turn[n], str) else {key: turn[n][key] for key in keys}
                for turn in turns]
        quantiles(what, medians(runs), keys, 1, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", metavar="BUILD", help="folder of a release build")
    parser.add_argument("--quick", action="store_true", help="one or two minutes: few rows")
    parser.add_argument("--rounds", type=int, metavar="N", help="runs of which medians are taken")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S",
                        help=f"of each measurement ({SECONDS})")
    parser.add_argument("--limit", type=float, metavar="SECONDS",
                        help="after which no row is begun (900, quick: 120)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION",
                        help=f"of {', '.join(SECTIONS)}; quick: of {', '.join(QUICK)}")
    opt = parser.parse_args()
    bench = Bench(opt)
    for program in PROGRAMS:
        if not os.access(os.path.join(bench.folder, program), os.X_OK):
            print(f"rt_bench: build {program} in {bench.folder} first", file=sys.stderr)
            return 77
    sections = opt.only or (QUICK if opt.quick else SECTIONS)
    loads = [load for load in LOADS if load in sections]
    if loads:
        head_ring(bench)
        rows_ring(bench, loads, OCTETS[0])
    for section in SECTIONS:
        if section in sections and section not in LOADS:
            globals()[f"section_{section}"](bench)
    if loads and not bench.quick:
        head(bench, "\nLonger frames, one lcore over rings")
        for octets in OCTETS[1:]:
            rows_ring(bench, loads, octets)
    return int(bench.failed)


if __name__ == "__main__":
    sys.exit(main())
