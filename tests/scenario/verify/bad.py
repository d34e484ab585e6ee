#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""bad.py QUENCH_BAD ROOT rows|all|table|matrix: known-bad devices, each a switch with one planted
fault, against the suites of config/verify. In virtual time, by frames at our ports alone; only the
suite pfc-counters reads the device's own counters.

rows: each fault is found by the first row that stands beside it below; the good device passes
these rows.
all: each fault is found by all rows that stand beside it; the good device passes all rows of all
suites with 20 seeds.
table: prints the table of docs/verify.md. matrix: runs all rows against each fault, and prints
those that find it."""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SEEDS = 20
AT_ONCE = 2
COMMAND_TIME_S = 600
COUNTERS = "pfc-counters"  # judged by the device's counters
BEGIN, END = "<!-- known-bad devices -->", "<!-- end -->"

# Name, what the device does, and the rows that must find it, the quickest first.
FAULTS = [
    ("obeys-nothing", "it obeys no PFC",
     ["pfc/test_pfc_pause_single_lossless_prio", "qos/dscp-map",
      "pfc/test_pfc_single_lossless_headroom", "bmwg/pfc-storm-recovery"]),
    ("obeys-twice", "it stands still for twice the quanta",
     ["pfc/pause-response", "pfc/test_lossless_response_to_throttling_pause_storms"]),
    ("obeys-slowly", "its response takes three times as long", ["pfc/pause-response"]),
    ("obeys-no-xon", "it does not obey XON", ["pfc/xon-resumes"]),
    ("obeys-without-end", "its pauses last until XON",
     ["qos/dscp-map", "pfc-counters/test_pfc_pause_counter_check"]),
    ("obeys-next-priority", "it stops the priority above the one that PFC names",
     ["pfc/test_pfc_pause_single_lossless_prio", "qos/dscp-map"]),
    ("obeys-lossy", "it obeys PFC for lossy priorities",
     ["pfc/test_pfc_pause_single_lossy_prio", "pfc/test_pfc_pause_multi_lossy_prio"]),
    ("obeys-global-pause", "it obeys 802.3x PAUSE, too", ["pfc/test_global_pause"]),
    ("obeys-empty-vector", "it obeys the times of classes that a PFC frame does not enable",
     ["pfc/test_pfc_unset_cev_single_prio", "pfc/test_pfc_unset_cev_multi_prio"]),
    ("obeys-odd-frames", "it obeys MAC control frames of other opcodes and destinations",
     ["pfc/odd-pfc-frames"]),
    ("ignores-zero-mac", "it ignores PFC from 00:00:00:00:00:00",
     ["pfc/test_pfc_single_lossless_prio_zero_mac",
      "pfc/test_pfc_multi_lossless_prio_zero_mac"]),
    ("forwards-pfc", "it obeys PFC and forwards it",
     ["pfc/test_pfc_pause_single_lossy_prio", "pfc/test_pfc_unset_cev_single_prio",
      "pfc/pfc-frames"]),
    ("forwards-pause", "it forwards 802.3x PAUSE", ["pfc/test_global_pause"]),
    ("xoff-missing", "it sends no PFC",
     ["pfc/test_pfc_pause_single_lossless_prio", "bmwg/pfc-incast", "buffer/headroom",
      "bmwg/pfc-storm-recovery"]),
    ("xon-missing", "it never sends XON", ["bmwg/pfc-storm-recovery", "rfc8239/head-of-line"]),
    ("xoff-at-next-port", "it sends PFC by the port beside the sender's",
     ["pfc/test_pfc_pause_single_lossless_prio", "bmwg/pfc-incast"]),
    ("xoff-of-next-priority", "its PFC names the priority above the one that is full",
     ["pfc/test_pfc_pause_single_lossless_prio", "bmwg/pfc-incast"]),
    ("xoff-of-all-priorities", "its PFC stops all priorities",
     ["pfc/pfc-frames", "pfc/test_pfc_pause_tc3_victims"]),
    ("pause-for-lossy", "it sends PFC for a lossy class",
     ["bmwg/oversubscribe-lossy", "rfc2889/congestion-control",
      "pfc/test_pfc_pause_single_lossy_prio"]),
    ("quanta-half", "its XOFF has half of the configured quanta", ["pfc/pfc-frames"]),
    ("refresh-late", "its refresh comes after 130 % of the pause",
     ["pfc/pfc-frames", "bmwg/pfc-storm-recovery"]),
    ("refresh-missing", "it never refreshes", ["pfc/pfc-frames", "bmwg/pfc-storm-recovery"]),
    ("pfc-reserved-bits", "its PFC sets reserved bits of the vector", ["pfc/pfc-frames"]),
    ("pfc-no-source", "its PFC comes from 00:00:00:00:00:00", ["pfc/pfc-frames"]),
    ("headroom-short", "its headroom is 20 % short",
     ["buffer/headroom", "pfc/test_pfc_port_congestion", "rfc2544/back-to-back",
      "rfc8239/head-of-line"]),
    ("headroom-pool-half", "its headroom pool has half of its size",
     ["buffer/headroom-pool", "rfc2544/back-to-back"]),
    ("reserve-missing", "its groups have no reserve", ["buffer/alpha"]),
    ("alpha-half", "its alpha is half of the configured one",
     ["buffer/alpha", "buffer/xoff", "buffer/xon"]),
    ("buffer-small", "its buffer has 3/4 of its size",
     ["buffer/alpha", "buffer/xoff", "buffer/xon"]),
    ("hysteresis-missing", "XON is where XOFF is", ["buffer/xon", "pfc/pfc-frames"]),
    ("cell-larger", "its cells have 256 bytes, and not 208", ["buffer/cell"]),
    ("tail-before-xoff", "its queues are full before XOFF",
     ["buffer/headroom", "bmwg/pfc-incast", "rfc8239/microburst"]),
    ("lossy-limit-half", "lossy queues have half of their limit", ["qos/lossy-limit"]),
    ("weights-swapped", "the weights of classes 0 and 3 are swapped", ["qos/weights"]),
    ("strict-missing", "its strict class is not strict", ["qos/weights"]),
    ("one-queue", "all classes share a queue",
     ["qos/dscp-map", "pfc/test_pfc_pause_single_lossless_prio", "qos/weights"]),
    ("dscp-off-by-one", "each DSCP has the class of the one below", ["qos/dscp-map"]),
    ("kmin-high", "Kmin is 25 % high", ["ecn/marks"]),
    ("kmax-low", "Kmax is 10 % low", ["ecn/marks"]),
    ("pmax-half", "Pmax is half of the configured one", ["ecn/marks"]),
    ("mark-at-enqueue", "it marks at enqueue, and not at dequeue", ["ecn/marks"]),
    ("never-marks", "it marks nothing", ["ecn/marks"]),
    ("marks-after-xoff", "Kmin is beyond XOFF", ["ecn/marks-before-pause", "ecn/marks"]),
    ("not-ect-marked", "it marks frames that are Not-ECT", ["ecn/marks"]),
    ("clears-ce", "frames that came with CE leave without it", ["ecn/codepoints-kept"]),
    ("marks-all", "all ECT frames leave with CE",
     ["ecn/codepoints-kept", "bmwg/test_rocev2_basic_dp_no_congestion", "ecn/marks"]),
    ("watchdog-late", "its watchdog detects two polls late", ["watchdog/times"]),
    ("watchdog-restores-late", "its watchdog restores two polls late", ["watchdog/times"]),
    ("watchdog-forwards", "its watchdog forwards, and does not drop", ["watchdog/times"]),
    ("watchdog-missing", "its watchdog is off", ["watchdog/times"]),
    ("watchdog-sees-storms", "its watchdog takes a slow queue for one that stands still",
     ["pfc/test_lossless_response_to_throttling_pause_storms", "watchdog/times"]),
    ("counts-next-priority", "it counts PFC for the priority above",
     ["pfc-counters/test_pfc_pause", "pfc-counters/test_pfc_unpause"]),
    ("counts-no-xon", "it does not count XON", ["pfc-counters/test_pfc_unpause"]),
    ("counts-pause-as-pfc", "it counts PAUSE as PFC of all priorities",
     ["pfc-counters/test_fc_pause", "pfc-counters/test_fc_unpause"]),
    ("counts-pfc-as-data", "it counts PFC as data",
     ["pfc-counters/test_pfc_frames_not_counted_as_rx_ok"]),
    ("loses-frames", "it loses one of 501 frames",
     ["rfc2544/throughput", "rfc2889/fully-meshed", "rfc8239/microburst"]),
    ("out-of-order", "it swaps two of 502 frames",
     ["rfc2544/throughput", "rfc2889/fully-meshed", "rfc2544/imix"]),
    ("port-slow", "its ports reach 99 % of the line rate",
     ["pfc/test_pfc_no_congestion_throughput", "rfc2544/test_packet_drop_threshold"]),
]


class Bench:
    def __init__(self, quench, root):
        self.quench = quench
        self.suites = os.path.join(root, "config", "verify")
        self.page = os.path.join(root, "docs", "verify.md")
        self.bench = os.path.join(root, "tests", "scenario", "verify", "bench.yaml")

    def verify(self, fault, suites, more, folder):
        """The verdict of each row of some suites by "suite/row"."""
        own = suites == [COUNTERS]
        command = [self.quench, "verify", *(os.path.join(self.suites, s) for s in suites),
                   "--bench", self.bench, "--json", "--quiet", "--jobs", "1", "--force", "--out",
                   os.path.join(folder, "own" if own else "dut"), *more,
                   *([] if own else ["--dut", "s1"])]
        done = subprocess.run(command, env=dict(os.environ, QUENCH_BAD=fault), text=True,
                              capture_output=True, timeout=COMMAND_TIME_S)
        if not done.stdout.strip():
            sys.exit(f"{fault}: {' '.join(command)}: exit {done.returncode}: {done.stderr}")
        return {f"{r['suite']}/{r['row']}": r["verdict"]
                for r in json.loads(done.stdout)["rows"]}

    def all_rows(self, fault, more=()):
        others = sorted(s for s in os.listdir(self.suites) if s != COUNTERS)
        with tempfile.TemporaryDirectory(prefix="quench-bad-") as folder:
            found = self.verify(fault, others, more, folder)
            found.update(self.verify(fault, [COUNTERS], more, folder))
        return found

    def some_rows(self, fault, rows):
        found = {}
        with tempfile.TemporaryDirectory(prefix="quench-bad-") as folder:
            for row in rows:
                suite, name = row.split("/")
                found.update(self.verify(fault, [suite], ["--only", name], folder))
        return {row: found.get(row, "missing") for row in rows}

    def known(self):
        """The faults that the program has."""
        done = subprocess.run([self.quench], env=dict(os.environ, QUENCH_BAD="list"), text=True,
                              capture_output=True, check=True, timeout=COMMAND_TIME_S)
        return sorted(done.stdout.split())


def for_each(work, items):
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, items))


def check_rows(bench, most):
    """Complaints where one of the first rows of a fault does not find it."""
    wrong = []
    for fault, verdicts in for_each(lambda f: (f[0], bench.some_rows(f[0], f[2][:most])), FAULTS):
        wrong += [f"{fault}: {row} says {v}, and not FAIL" for row, v in verdicts.items()
                  if v != "FAIL"]
    return wrong


def check_good_rows(bench):
    """Complaints where a row that finds a fault does not pass on the good device."""
    wrong = []
    for row in for_each(lambda row: bench.some_rows("", [row]), sorted({f[2][0] for f in FAULTS})):
        wrong += [f"the good device: {name} says {v}" for name, v in row.items() if v != "PASS"]
    return wrong


def check_good(bench):
    """Complaints where a row does not pass on the good device."""
    wrong = []
    for seed, verdicts in for_each(lambda s: (s, bench.all_rows("", ["--seed", str(s)])),
                                   range(1, SEEDS + 1)):
        wrong += [f"the good device, seed {seed}: {row} says {v}"
                  for row, v in verdicts.items() if v != "PASS"]
    return wrong


def table():
    return ["| fault | the device | rows that find it |", "|---|---|---|",
            *(f"| `{name}` | {text} | {', '.join(f'`{row}`' for row in rows)} |"
              for name, text, rows in FAULTS)]


def check_page(bench):
    with open(bench.page) as f:
        page = f.read().split(BEGIN)[1].split(END)[0].strip().splitlines()
    return [] if page == table() else ["docs/verify.md has another table than `bad.py table`"]


def print_matrix(bench):
    for name, verdicts in for_each(lambda f: (f[0], bench.all_rows(f[0])), FAULTS):
        print(f"{name}:", " ".join(sorted(r for r, v in verdicts.items() if v == "FAIL")))


def main():
    bench = Bench(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
    if sys.argv[3] == "table":
        print("\n".join(table()))
        return 0
    if sys.argv[3] == "matrix":
        print_matrix(bench)
        return 0
    wrong = check_page(bench)
    if bench.known() != sorted(f[0] for f in FAULTS):
        wrong.append(f"the faults of {sys.argv[1]} are {bench.known()}")
    if sys.argv[3] == "all":
        wrong += check_rows(bench, None) + check_good(bench)
    else:
        wrong += check_rows(bench, 1) + check_good_rows(bench)
    print("\n".join(wrong) or f"{len(FAULTS)} faults are found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
