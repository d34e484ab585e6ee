#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether a scene loads in linear time: instructions of whole runs that last a microsecond or two
milliseconds, and of commands that read the folder of a run.

usage: load.py BUILD [NAME...]

Each scene is made with N, 2 N and 4 N queue pairs or sources. What stands fixed drops out of the
differences, of which the second is twice the first where the time is linear, and four times where
it is quadratic. More than 2.2 fails."""
import json
import os
import subprocess
import sys
import tempfile
from math import isqrt

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


def star(n):
    """One switch, whose ports are in use: each host sends to the host half-way round."""
    return (f"name: load\nduration: 2100us\n{LOSSLESS}switches: {{s: {{buffer: 64MB}}}}\n"
            f"hosts: {{h1..{n}: {{}}}}\n"
            f"links: [{{between: [h1..{n}, s], rate: 100Gbps, delay: 1us}}]\nflows:\n"
            + FLOW.format(i=0, ends=ring(n), what="message: 1KB, count: 1"))


# What grows: hosts, and entries of the FDB with them; ports of switches; queues and ingress groups
# that are in use; ports of one switch, all of them in use; pairs of hosts, each with a queue pair;
# groups of flows, each of which ends; named flows; queue pairs of few hosts; hosts that send to
# many, so that groups, ways and keys of notification points grow; reaction points of QCN, each with
# its flow ID; commands; sources; the folder that `quench report` and `quench merge` read.
ENDS = "message: 1KB, count: 1"
SAMPLED = "2100us"  # figures are judged each millisecond


def queues(n):
    return scene(n, ring(n // 8), ENDS, LOSSLESS, leaves=16, hosts=n // 128, lasts="10us")


SCENES = {
    "hosts": lambda n: scene(n, PAIRS, "qps: 1", leaves=32, hosts=n // 512),
    "ports": lambda n: scene(n, PAIRS, "qps: 1", spines=n // 128),
    "queues": queues,
    "star": lambda n: star(n // 16),
    "pairs": lambda n: scene(n, f"h1..{isqrt(n)}, to: h1..{isqrt(n)}", ENDS, LOSSLESS,
                             lasts=SAMPLED),
    "groups": lambda n: scene(n, PAIRS, ENDS, LOSSLESS, lasts=SAMPLED, flows=n // 8),
    "flows": lambda n: scene(n, PAIRS, "qps: 1", flows=n // 8),
    "queue_pairs": lambda n: scene(n, PAIRS, f"qps: {n // 4}"),
    "keys": lambda n: scene(n, "h1..16, to: h65..128", f"qps: {n // 1024}",
                            "defaults: {hosts: {np: {key: ip_pair}}}\n"),
    "flow_ids": lambda n: scene(n, PAIRS, f"qps: {n // 4}, control: q",
                                "controls: {q: {qcn: {}}}\n"),
    "commands": lambda n: scene(n, PAIRS, f"qps: {n // 4}",
                                "events:\n  - {at: 700ns, flow_start: f0}\n"
                                "  - {at: 500ns, flow_stop: f0}\n"),
    "sources": lambda n: scene(n, f"h1..{n // 64}, to: h65..128",
                               "open_loop: {size: 64, rate: 0.001%}"),
    "report": lambda n: queues(n // 4),
    "merge": lambda n: queues(n // 4),
}


def cut(folder):
    """Makes two folders of the folder `out`, as parts that ran the hosts and the switches."""
    read = {}
    for name in ("manifest", "summary"):
        with open(os.path.join(folder, "out", name + ".json"), encoding="utf-8") as f:
            read[name] = json.load(f)
    nodes = list({node: 0 for link in read["summary"]["links"] for node in link["port"].split(":")})
    for part in ("hosts", "switches"):
        mine = [node for node in nodes if node.startswith("h") == (part == "hosts")]
        parts = {"manifest": {**read["manifest"], "part": part, "part_nodes": mine,
                              "nodes": nodes, "digests": {}},
                 "summary": {key: [o for o in value if "port" not in o
                                   or o["port"].split(":")[0] in mine]
                             if isinstance(value, list) else value
                             for key, value in read["summary"].items()}}
        os.mkdir(os.path.join(folder, part))
        for name, value in parts.items():
            with open(os.path.join(folder, part, name + ".json"), "w", encoding="utf-8") as f:
                json.dump(value, f)


def count(build, name, n):
    """Instructions of a run of the scene, or of the command of that name, which reads it."""
    program = os.path.join(build, "quench")
    run = ["run", "load.yaml", "--quiet", "--out", "out"]
    with tempfile.TemporaryDirectory(prefix="quench-load-") as folder:
        with open(os.path.join(folder, "load.yaml"), "w", encoding="utf-8") as f:
            f.write(SCENES[name](n))
        if name not in ("report", "merge"):
            return collected(program, run, cwd=folder)[0]
        subprocess.run([os.path.abspath(program), *run], cwd=folder, check=True)
        if name == "report":
            return collected(program, ["report", "out"], cwd=folder)[0]
        cut(folder)
        return collected(program, ["merge", "hosts", "switches", "--out", "whole"], cwd=folder)[0]


def main():
    if len(sys.argv) < 2 or any(n not in SCENES for n in sys.argv[2:]):
        sys.exit(f"usage: load.py BUILD [NAME...], a NAME is one of {', '.join(SCENES)}")
    bad = 0
    for name in sys.argv[2:] or SCENES:
        few, more, most = (count(sys.argv[1], name, n * LEAST) for n in (1, 2, 4))
        ratio = (most - more) / (more - few)
        each = (most - more) / (2 * LEAST)
        bad += ratio > LIMIT
        said = "  not linear" if ratio > LIMIT else ""
        print(f"{name:<12} {each:8.0f} instructions each, ratio {ratio:.2f}{said}")
    sys.exit(bad > 0)


main()
