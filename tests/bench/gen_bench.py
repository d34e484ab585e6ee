#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The generator: processor time a frame by part and number of queue pairs, beside testpmd.

Each part is a difference of what one lcore takes for frames that go so far (descriptor, bytes,
bytes with ICRC, device); gen_bench.c measures that, in turns with testpmd's txonly and flowgen."""
import argparse
import json
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from icrc_check import check
from testpmd import Testpmd

KI = 1024
SETS = (1, 64, 1000, 16 * KI, 64 * KI, KI * KI)
OCTETS = (64, 1082, 4178)
LATER = 3000000
RETH = 16  # octets that the first frame of a message has more
# By (queue pairs, octets): Mframes/s that a frame out of net_null aims at.
GOAL = {(64, 1082): "11.3", (64 * KI, 1082): "8, aim 11.3"}
REFUSED, TIME_UP = 3, 4
SECTIONS = ("send", "payload", "alone", "receive", "responders", "gap", "lanes", "scene")
LIMIT = {True: 75, False: 1500}  # seconds, by --quick
SEND_SHARE = 0.7  # of it, where there are other sections


class Bench:
    """What all sections need: the build, how many rounds, and until when."""

    def __init__(self, opt, folder):
        self.quick, self.folder, self.build = opt.quick, folder, opt.build
        self.rounds = opt.rounds or (3 if opt.quick else 5)
        self.begun, self.limit = time.monotonic(), opt.limit or LIMIT[opt.quick]
        self.until = self.begun + self.limit
        self.failed = False

    def left(self):
        return self.until - time.monotonic()

    def gen(self, *args):
        """{key: value} of a run of gen_bench, and under `refused` or `note` what it says."""
        program = os.path.join(self.build, "tests", "bench", "gen_bench")
        try:
            run = subprocess.run([program, *map(str, args)], capture_output=True, text=True,
                                 check=False, timeout=max(1.0, self.left()))
        except subprocess.TimeoutExpired:
            return {"refused": "not measured: the time of this benchmark is up"}
        if run.returncode not in (0, REFUSED, TIME_UP):
            said = (run.stderr or run.stdout).strip().splitlines()[-1:] or ["it said nothing"]
            self.failed = True
            return {"refused": f"failed with status {run.returncode}: {said[0]}"}
        found = {}
        for line in run.stdout.splitlines():
            key, value = line.split(" ", 1)
            text = key in ("refused", "note")
            found[key] = ("refused: " * (key == "refused") + value) if text else float(value)
        return found

    def repeat(self, *args):
        """Medians of as many runs as there are rounds and time for: ({key: value}, runs)."""
        runs = []
        while len(runs) < self.rounds and (not runs or self.left() > 5):
            run = self.gen(*args)
            if "refused" in run:
                if runs and self.left() <= 0:
                    break
                return run, 1
            runs.append(run)
        return medians(runs), len(runs)


def medians(runs):
    keys = set.intersection(*(set(run) for run in runs))
    return {key: runs[0][key] if isinstance(runs[0][key], str) else
            statistics.median(run[key] for run in runs) for key in keys}


def number(qps):
    for unit, size in (("Mi", KI * KI), ("Ki", KI)):
        if qps % size == 0:
            return f"{qps // size} {unit}"
    return str(qps)


def parts(run, state, device):
    """ns of schedule, reaction point, frame, ICRC, driver and all of them, of one run."""
    if f"{state}.{device}" not in run:
        return None
    at = [0.0, run["limit.descriptor"]]
    at += [run[f"{state}.{step}"] for step in ("descriptor", "bytes", "icrc", device)]
    return [b - a for a, b in zip(at, at[1:])] + [at[-1]]


def sample(bench, file, octets):
    """One line about the ICRCs of a capture."""
    try:
        frames, lengths, wrong = check(file, (octets, octets + RETH))
    except (OSError, ValueError) as e:
        bench.failed = True
        return f"ICRC of the sample: {e}"
    bench.failed |= wrong > 0
    return (f"ICRC of a sample that net_pcap wrote, by a CRC of its own: {frames - wrong} of "
            f"{frames} are right, lengths {', '.join(map(str, sorted(lengths)))}")


def send_rows(bench):
    """(queue pairs, octets, frames of each step, frames before the later state), shortest first:
    where time is up, the longest are not measured."""
    if bench.quick:
        return [(64, 1082, 30000, 0), (64 * KI, 1082, 30000, 0), (64, 64, 30000, 0)]
    rows = [(qps, octets, 60000, LATER) for octets in OCTETS for qps in SETS]
    return sorted(rows, key=lambda row: (row[0], row[1] != 1082, row[1]))


def send_row(bench, pmd, row):
    qps, octets, frames, later = row
    file = os.path.join(bench.folder, f"{qps}-{octets}.pcap")
    runs, beside = [], {}
    while len(runs) < bench.rounds and (not runs or bench.left() > 20):
        seconds = max(5, min(60, bench.left() / 3))
        run = bench.gen("send", qps, octets, frames, later, f"{seconds:.0f}",
                        *([] if runs else [file]))
        if "refused" in run:
            if runs and bench.left() <= 0:
                break
            print(f"{number(qps):>7} {octets:>6}  {run['refused']}", flush=True)
            return
        runs.append(run)
        for device in ("null", "ring"):
            for mode in ("txonly", "flowgen"):
                ns = pmd.measure(mode, device, octets, 0.1 if bench.quick else 0.2)
                beside.setdefault((mode, device), []).append(ns)
    for state in ("start", "later"):
        for device in ("null", "ring"):
            found = [p for p in (parts(run, state, device) for run in runs) if p]
            if found:
                pmd_ns = [statistics.median(beside[mode, device]) for mode in ("txonly", "flowgen")]
                print_parts(row, state, device, found, pmd_ns)
    for note in sorted({run["note"] for run in runs if "note" in run}):
        print(f"{'':16}{note}")
    print(f"{'':16}rounds: {len(runs)}; {sample(bench, file, octets)}", flush=True)


def print_parts(row, state, device, found, beside):
    qps, octets = row[:2]
    ns = [statistics.median(column) for column in zip(*found)]
    goal = GOAL.get((qps, octets), "-") if device == "null" else "-"
    print(f"{number(qps):>7} {octets:>6}  {device:<4} {state:<5} "
          + "".join(f"{part:>9.1f}" for part in ns)
          + f" {1000 / ns[-1]:>7.2f} {beside[0]:>7.1f} {beside[1]:>8.1f}"
          + f" {ns[-1] / beside[0]:>8.2f} {ns[-1] / beside[1]:>9.2f}  {goal}", flush=True)


def section_send(bench, pmd):
    print("Sending: ns of processor time a frame on one lcore, by differences: schedule (queue "
          "pair, limiter, RC\nstate, its ACKs; descriptors alone), reaction point (DCQCN on less "
          "a fixed limit), frame (bytes with an\nICRC of nothing), ICRC (the CRC over the bytes), "
          "driver (mbufs, net_null; net_ring, whose frames are\ntaken out and freed). start: after "
          "3 CNPs and two frames each; later: after 3 M frames of all. txonly, which\nnobody takes "
          "frames from, fills a ring and frees what does not fit. Parts are medians of each, and\n"
          "need not add up.")
    print(f"{'pairs':>7} {'octets':>6}  {'net_':<4} {'state':<5} {'schedule':>9}{'reaction':>9}"
          f"{'frame':>9}{'ICRC':>9}{'driver':>9}{'all':>9} {'Mfps':>7} {'txonly':>7} "
          f"{'flowgen':>8} {'/txonly':>8} {'/flowgen':>9}  goal, Mfps")
    for row in send_rows(bench):
        if bench.left() < 5:
            print(f"{number(row[0]):>7} {row[1]:>6}  not measured: the time of this benchmark is "
                  "up")
        else:
            send_row(bench, pmd, row)


def beside_txonly(pmd):
    return pmd.measure("txonly", "null", 1082, 0.2)


def line(bench, pmd, what, args, key, goal, more=lambda run: ""):
    """One figure, its ratio to txonly of the same run, and what it aims at."""
    if bench.left() < 2:
        print(f"{what:<52} not measured: the time of this benchmark is up")
        return
    run, rounds = bench.repeat(*args)
    if "refused" in run:
        print(f"{what:<52} {run['refused']}", flush=True)
        return
    txonly = statistics.median(beside_txonly(pmd) for _ in range(3))
    for name, ask, aim in zip(what.split("|"), key.split("|"), goal.split("|")):
        print(f"{name:<52} {run[ask]:>8.1f} ns {1000 / run[ask]:>7.2f} Mfps"
              f" {run[ask] / txonly:>7.2f} of txonly  goal {aim}{more(run)}; rounds: {rounds}",
              flush=True)
    if "note" in run:
        print(f"{'':4}{run['note']}")


def section_payload(bench, pmd):
    del pmd
    print("\nMaking the bytes of a frame, by what its payload is (tmpl_bench, medians of 15 "
          "rounds): as a whole\nwith zeros, the same from a template, with the payload kept; "
          "from a template with a counter, a PRBS,\na file")
    for qps in (64, 64 * KI):
        if bench.left() < 5:
            print("not measured: the time of this benchmark is up")
            return
        program = os.path.join(bench.build, "tests", "bench", "tmpl_bench")
        run = subprocess.run([program, str(qps), "1024", "15"], capture_output=True, text=True,
                             check=False)
        bench.failed |= run.returncode != 0
        print(run.stdout.strip() or f"failed with status {run.returncode}", flush=True)


def section_alone(bench, pmd):
    print("\nQueue pair and limiter alone: descriptors, RC state and ACK inside, limits of the "
          "same rate that add up\nto 95 % of the link. They take turns in the order of their "
          "numbers, which is that of memory, or in a drawn\norder, as in a scene")
    frames = 200000 if bench.quick else 500000
    for qps, goal in ((64 * KI, "60 ns, aim 40"), (KI * KI, "90 ns, aim 60")):
        if bench.quick and qps > 64 * KI:
            continue
        for drawn, what in (((), "queue pairs"), (("drawn",), "queue pairs, drawn")):
            line(bench, pmd, f"{number(qps)} {what}", ("alone", qps, frames, *drawn), "alone", goal,
                 lambda run: f"; {run['peak_mb']:.0f} MB")


def section_receive(bench, pmd):
    print("\nReceiving 1082 octets by a ring and a real port's parser, 16 queue pairs; cold: every "
          "line of frame and\nmbuf was taken out of the caches before")
    line(bench, pmd, "ICRC unread, in cache|ICRC unread, cold|ICRC checked, in cache|"
         "ICRC checked, cold|and zeros compared, in cache|and a counter compared, in cache|"
         "and a PRBS compared, in cache|and a file compared, in cache", ("receive", 60000),
         "unread.cached|unread.cold|checked.cached|checked.cold|"
         "zeros.cached|counter.cached|prbs.cached|file.cached", "-|-|10 Mfps|6 Mfps|-|-|-|-")


def section_responders(bench, pmd):
    print("\nReceive side without ICRC: descriptors in bursts of 32 into 64 Ki responders; their "
          "ACKs apart; in\nthe order of memory, or in a drawn one; once all have received two")
    for drawn, what in (((), "queue pairs"), (("drawn",), "queue pairs, drawn")):
        line(bench, pmd, f"64 Ki {what}", ("responders", 64 * KI, 300000, *drawn), "rx", "60 ns",
             lambda run: f"; its ACKs {run['ack']:.1f} ns")


def section_gap(bench, pmd):
    del pmd
    print("\nGap error on the real clock: 64 Ki queue pairs, 0.8 Mframes/s of 1082 octets in all, "
          "one loop without a\ndevice; p99 over all gaps of |gap - ideal|")
    run, rounds = bench.repeat("gap", 64 * KI, 1 if bench.quick else 3)
    if "refused" in run:
        print(run["refused"])
        return
    goal = 256 + run["loop_p99"]
    print(f"error p50 {run['error_p50']:.0f} ns, p99 {run['error_p99']:.0f} ns; goal {goal:.0f} "
          "ns, which is 256 ns and the p99 of the loop's gap\n"
          f"(p50 {run['loop_p50']:.0f} ns, p99 {run['loop_p99']:.0f} ns; over time p99 "
          f"{run['loop_time_p99']:.0f} ns); the machine took {run['slipped_ms']:.0f} ms in gaps "
          f"above 20 us, for\nwhich the clock stood still; rounds: {rounds}", flush=True)


SCENE = """\
name: gen-scene
duration: 1us
controls: {{dcqcn: {{profile: paper}}}}
switches: {{s1: {{buffer: 16MB}}}}
hosts: {{h1..9: {{}}}}
links: [{{between: [h1..9, s1], rate: 100Gbps, delay: 1us}}]
flows:
  f: {{from: {hosts}, to: h9, class: 3, message: 1MB, control: dcqcn, qps: {qps}}}
"""


# 16,384 frames of each queue pair need no ACK, so that none stops while the run lasts.
LANES = """\
name: gen-lanes
hosts: {a: {}, b: {}}
links: [{between: [a, b], rate: 800Gbps}]
ports:
  "a:b": {device: "net_null0,no-rx=1", mtu: 1518, selftest: none}
  "b:a": {device: "net_null1,no-rx=1", mtu: 1518, selftest: none}
flows:
  f: {from: a, to: b, qps: 4096, rate: 1Gbps, message: 64MB, outstanding: 4, ack_every: 65536,
    rto: none}
"""


def lanes_start(bench, path, lcores, ms, number=0, pin=()):
    """(child, folder) of a run."""
    out = os.path.join(bench.folder, f"out{number}")
    return subprocess.Popen(
        [*pin, os.path.join(bench.build, "quench"), "run", path, "--quiet", "--force",
         "--clock", "real", "--workers", str(lcores), "--out", out, "--instance",
         f"gen-lanes-{number}", "--set", f"hosts.a.lcores={lcores}",
         "--set", f"duration={ms}ms"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), out


def lanes_end(bench, started):
    """(processor time in s, frames) of runs that were started together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    frames = 0
    for child, out in started:
        child.wait(timeout=max(5, bench.left()))
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
            frames += sum(nic["tx_frames"] for nic in json.load(f)["nic_counters"])
        shutil.rmtree(out)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime, frames


def lanes_price(bench, path, what):
    """ns of processor time a frame, of all lcores together: a long run less a short one."""
    def run(ms):
        if what == "apart":
            cpus = sorted(os.sched_getaffinity(0))[:2]
            return lanes_end(bench, [lanes_start(bench, path, 1, ms, i, ("taskset", "-c", str(cpu)))
                                     for i, cpu in enumerate(cpus)])
        return lanes_end(bench, [lanes_start(bench, path, what, ms)])

    short, long = run(400), run(1200)
    return (long[0] - short[0]) * 1e9 / (long[1] - short[1])


def section_lanes(bench, pmd):
    del pmd
    print("\nOne host on one lcore and on two: processor time of both together a frame, 4096 queue "
          "pairs, 1082\noctets, `quench run --clock real` over net_null; beside two runs of one "
          "lcore each at the same time,\nwhich share nothing but the machine")
    path = os.path.join(bench.folder, "lanes.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(LANES)
    price = {1: [], 2: [], "apart": []}
    try:
        while len(price["apart"]) < bench.rounds and (not price["apart"] or bench.left() > 15):
            for what, found in price.items():
                found.append(lanes_price(bench, path, what))
    except (OSError, subprocess.TimeoutExpired, ZeroDivisionError) as e:
        print(f"not measured: {e}")
        return
    one, two, apart = (statistics.median(found) for found in price.values())
    rounds = list(zip(*price.values()))
    print(f"one {one:.1f} ns, two {two:.1f} ns, two runs {apart:.1f} ns; medians of the rounds' "
          f"ratios: two to one {statistics.median(b / a for a, b, _ in rounds):.3f}, goal 1.05; "
          f"two runs to\none {statistics.median(c / a for a, _, c in rounds):.3f}; two to two runs "
          f"{statistics.median(b / c for _, b, c in rounds):.3f}; rounds: {len(rounds)}",
          flush=True)


def memory_mb():
    with open("/proc/meminfo", encoding="utf-8") as f:
        return int(re.search(r"MemAvailable:\s+(\d+)", f.read())[1]) / 1024


def scene(bench, qps, hosts, text=None):
    """One line about a scene of so many queue pairs: what it takes, or why it is refused."""
    path = os.path.join(bench.folder, "scene.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text or SCENE.format(hosts=f"h1..{hosts}" if hosts > 1 else "h1",
                                     qps=qps // hosts))
    out = os.path.join(bench.folder, "out")
    command = [os.path.join(bench.build, "quench"), "run", path, "--quiet", "--force", "--out", out]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as child:
        try:
            said = child.communicate(timeout=max(5, bench.left()))[1].strip().splitlines()
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return "not measured: the time of this benchmark is up"
    shutil.rmtree(out, ignore_errors=True)
    if child.returncode not in (0, 1):
        why = re.sub(r"^.*?scene\.yaml:", "", (said or ["it said nothing"])[0])
        return f"refused: {why}"
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    return f"{cpu:.2f} s of processor time"


def section_scene(bench, pmd):
    del pmd
    print("\nA scene of many queue pairs: `quench run` of 1 us, its files written")
    rows = [(32768, 8, "-"), (64 * KI, 1, "1 s to load"), (64 * KI, 8, "1 s to load")]
    if not bench.quick:
        rows += [(KI * KI, 1, "10 s to load")]
    for qps, hosts, goal in rows:
        what = f"{number(qps)} queue pairs of {hosts} host{'s' * (hosts > 1)}, in one row"
        if qps > 64 * KI and memory_mb() < 5000:
            print(f"{what:<52} not measured: it may take 5 GB, and {memory_mb():.0f} MB are free")
        elif bench.left() < 5:
            print(f"{what:<52} not measured: the time of this benchmark is up")
        else:
            print(f"{what:<52} {scene(bench, qps, hosts)}; goal {goal}", flush=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", metavar="BUILD", help="folder of a release build")
    parser.add_argument("--quick", action="store_true", help="about a minute: few rows")
    parser.add_argument("--rounds", type=int, metavar="N", help="runs of which medians are taken")
    parser.add_argument("--limit", type=float, metavar="SECONDS",
                        help="after which no row is begun (1500, quick: 75)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS,
                        metavar="SECTION", help=f"of {', '.join(SECTIONS)}")
    return parser.parse_args()


def main():
    opt = options()
    if not shutil.which("dpdk-testpmd"):
        print("gen_bench: dpdk-testpmd is missing (Debian: dpdk-dev); "
              "scripts/install-deps --bench brings it", file=sys.stderr)
        return 77
    if not os.access(os.path.join(opt.build, "tests", "bench", "gen_bench"), os.X_OK):
        print(f"gen_bench: build {opt.build}/tests/bench/gen_bench first", file=sys.stderr)
        return 77
    for ending in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(ending, lambda by, frame: sys.exit(128 + by))  # testpmd ends, too
    folder = tempfile.mkdtemp(prefix="quench-bench-")
    try:
        bench, pmd = Bench(opt, folder), Testpmd()
        try:
            for section in opt.only:
                share = SEND_SHARE if section == "send" and len(opt.only) > 1 else 1
                bench.until = bench.begun + share * bench.limit
                globals()[f"section_{section}"](bench, pmd)
        finally:
            pmd.close()
    except RuntimeError as e:
        print(f"gen_bench: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(folder)
    return int(bench.failed)


if __name__ == "__main__":
    sys.exit(main())
