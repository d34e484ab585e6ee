#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Virtual time: processor time per simulated ms, packet-hops, instructions per packet-hop,
memory."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from budget import measure

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
QUENCH = os.environ.get("QUENCH", os.path.join(TOP, "build", "quench"))
SCENARIO = os.path.join(TOP, "config", "bench-incast.yaml")
RUNS = int(os.environ.get("BENCH_RUNS", "5"))


def command(senders, ms, out):
    return [QUENCH, "run", SCENARIO, "--quiet", "--force", "--duration", f"{ms}ms",
            "--set", "warmup=0ms", "--out", out,
            "--set", f"flows.incast.from=h1..{senders}"]


def run(senders, ms, out):
    """(processor seconds, peak KB, packet-hops) of one run with its files written."""
    child = subprocess.Popen(command(senders, ms, out))
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"bench: {' '.join(command(senders, ms, out))} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, hops(out)


def hops(out):
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
        return json.load(f)["instrument"]["packet_hops"]


def main():
    out = tempfile.mkdtemp(prefix="quench-bench-")
    print(f"virtual time, N:1 at 100 Gb/s, MTU 1024, an ACK for every 16 packets, DCQCN paper, "
          f"sampling and default files on; median of {RUNS}")
    print(f"{'':6} {'CPU ms per sim ms':>18} {'M packet-hops/s':>16} {'instr/packet-hop':>17} "
          f"{'peak MB':>8}")
    try:
        for senders in (2, 8, 16):
            ms = 20
            runs = [run(senders, ms, out) for _ in range(RUNS)]
            cpu = statistics.median(r[0] for r in runs)
            peak = max(r[1] for r in runs) / 1000
            rate = runs[0][2] / cpu / 1e6
            per_hop = "-"
            if shutil.which("valgrind"):
                per_hop = f"{measure(os.path.dirname(QUENCH), 'vt', senders=senders):.0f}"
            print(f"{senders:>4}:1 {cpu * 1000 / ms:>18.2f} {rate:>16.2f} "
                  f"{per_hop:>17} {peak:>8.1f}", flush=True)
    finally:
        shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    main()
