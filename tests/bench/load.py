#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether a scene loads in linear time: instructions of whole runs that last a microsecond.

usage: load.py BUILD [NAME...]

Each scene is made with N, 2 N and 4 N queue pairs or sources. What stands fixed drops out of the
differences, of which the second is twice the first where the time is linear, and four times where
it is quadratic. More than 2.2 fails."""
import os
import sys
import tempfile

from callgrind import collected

LEAST = 2048
LIMIT = 2.2
HEAD = """\
name: load
duration: {lasts}
topology:
  leaf_spine: {{leaves: {leaves}, spines: {spines}, hosts: {hosts}, rate: 100Gbps, delay: 1us}}
{more}flows:
"""
FLOW = "  f{i}: {{from: {ends}, class: 3, {what}}}\n"
PAIRS = "h1..4, to: h65..68, pairs: same_index"
LOSSLESS = "defaults: {switches: {classes: {3: {lossless: true}}}}\n"


def scene(n, ends, what, more="", leaves=4, spines=2, hosts=32, lasts="1us",
          flows=1):
    return (HEAD.format(more=more, leaves=leaves, spines=spines, hosts=hosts, lasts=lasts)
            + "".join(FLOW.format(i=i, ends=ends, what=what) for i in range(flows)))


def ring(n):
    """Each of n hosts sends to the host half-way round."""
    return f"h1..{n}, to: [h{n // 2 + 1}..{n}, h1..{n // 2}], pairs: same_index"


# What grows: hosts, and entries of the FDB with them; ports of switches; queues and ingress groups
# that are in use; named flows; queue pairs of few hosts; hosts that send to many, so that groups,
# ways and keys of notification points grow; reaction points of QCN, each with its flow ID;
# commands; sources.
SCENES = {
    "hosts": lambda n: scene(n, PAIRS, "qps: 1", leaves=32, hosts=n // 512),
    "ports": lambda n: scene(n, PAIRS, "qps: 1", spines=n // 128),
    "queues": lambda n: scene(n, ring(n // 8), "message: 1KB, count: 1", LOSSLESS, leaves=16,
                              hosts=n // 128, lasts="10us"),
    "flows": lambda n: scene(n, PAIRS, "qps: 1", flows=n // 8),
    "queue_pairs": lambda n: scene(n, PAIRS, f"qps: {n // 4}"),
    "keys": lambda n: scene(n, "h1..16, to: h65..128", f"qps: {n // 1024}",
                            "defaults: {hosts: {np: {key: ip_pair}}}\n"),
    "flow_ids": lambda n: scene(n, PAIRS, f"qps: {n // 4}, control: q",
                                "controls: {q: {qcn: {}}}\n"),
    "commands": lambda n: scene(n, PAIRS, f"qps: {n // 4}",
                                "events:\n  - {at: 700ns, flow_start: f}\n"
                                "  - {at: 500ns, flow_stop: f}\n"),
    "sources": lambda n: scene(n, f"h1..{n // 64}, to: h65..128",
                               "open_loop: {size: 64, rate: 0.001%}"),
}


def count(build, text):
    """Instructions of a run of the scenario."""
    with tempfile.TemporaryDirectory(prefix="quench-load-") as folder:
        with open(os.path.join(folder, "load.yaml"), "w", encoding="utf-8") as f:
            f.write(text)
        return collected(os.path.join(build, "quench"),
                         ["run", "load.yaml", "--quiet", "--out", "out"], cwd=folder)[0]


def main():
    if len(sys.argv) < 2 or any(n not in SCENES for n in sys.argv[2:]):
        sys.exit(f"usage: load.py BUILD [NAME...], a NAME is one of {', '.join(SCENES)}")
    bad = 0
    for name in sys.argv[2:] or SCENES:
        few, more, most = (count(sys.argv[1], SCENES[name](n * LEAST)) for n in (1, 2, 4))
        ratio = (most - more) / (more - few)
        each = (most - more) / (2 * LEAST)
        bad += ratio > LIMIT
        said = "  not linear" if ratio > LIMIT else ""
        print(f"{name:<12} {each:8.0f} instructions each, ratio {ratio:.2f}{said}")
    sys.exit(bad > 0)


main()
