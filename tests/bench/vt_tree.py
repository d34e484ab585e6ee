#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Virtual time of a fat tree beside that of a star: what a packet-hop takes.

usage: vt_tree.py BUILD [ROUNDS]

Both are at full rate, each host with a flow to another one. The tree has 80 switches of 8 ports and
128 hosts, whose state does not fit into a processor's own cache; the star has one switch and 8
hosts. Processor time is the least of ROUNDS runs (default 3), a long one less a short one. Then
instructions, and lines that a cache of 32 KiB and one of 1 MiB missed, as callgrind counts them on
every machine alike."""
import json
import os
import re
import subprocess
import sys
import tempfile

HEAD = """\
name: {}
duration: 1ms
controls:
  dcqcn: {{profile: paper, ai_rate: 40Mbps, hai_rate: 200Mbps}}
defaults:
  switches:
    buffer: 16MB
    classes:
      3:
        lossless: true
        pfc: {{dynamic_th: -3, xon_offset: 3KB, headroom: auto}}
        wred: {{min: 100KB, max: 400KB, probability: 20%, mark: dequeue}}
  links: {{rate: 100Gbps, delay: 1us}}
  flows: {{class: 3, message: 1MB, mtu: 1024, ack_every: 16, control: dcqcn}}
"""
# A short and a long run of each, for its time and for callgrind.
LENGTHS = {"star": ((2, 30), (1, 4)), "tree": ((0.1, 2.5), (0.1, 0.4))}


def flows(hosts):
    """Each host sends to the one half the number of hosts further on."""
    return "flows:\n" + "".join(
        f"  f{i + 1}: {{from: h{i + 1}, to: h{(i + hosts // 2) % hosts + 1}}}\n"
        for i in range(hosts))


def star(hosts=8):
    return (HEAD.format("star") + f"switches: {{s1: {{}}}}\nhosts: {{h1..{hosts}: {{}}}}\n"
            f"links:\n  - {{between: [h1..{hosts}, s1]}}\n" + flows(hosts))


def tree(k=8):
    """A fat tree of switches with k ports."""
    h = k // 2
    text = HEAD.format("tree") + (
        f"switches: {{core1..{h * h}: {{}}, agg1..{k * h}: {{}}, edge1..{k * h}: {{}}}}\n"
        f"hosts: {{h1..{k * h * h}: {{}}}}\nlinks:\n")
    for edge in range(k * h):
        text += f"  - {{between: [h{edge * h + 1}..{edge * h + h}, edge{edge + 1}]}}\n"
    for pod in range(0, k * h, h):
        text += f"  - {{between: [edge{pod + 1}..{pod + h}, agg{pod + 1}..{pod + h}]}}\n"
        for agg in range(h):
            text += (f"  - {{between: [agg{pod + agg + 1}, "
                     f"core{agg * h + 1}..{agg * h + h}]}}\n")
    return text + flows(k * h * h)


def run(command, folder, name, ms):
    """(processor seconds, packet-hops, what it said) of one run."""
    child = subprocess.Popen(
        [*command, "run", f"{name}.yaml", "--quiet", "--force", "--duration", f"{ms}ms", "--out",
         name], cwd=folder, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"bench: {name} failed:\n{said}")
    with open(os.path.join(folder, name, "summary.json"), encoding="utf-8") as f:
        return (usage.ru_utime + usage.ru_stime, json.load(f)["instrument"]["packet_hops"], said)


def timed(quench, folder, name, rounds):
    """Nanoseconds a packet-hop."""
    least, hops = [], []
    for ms in LENGTHS[name][0]:
        runs = [run([quench], folder, name, ms) for _ in range(rounds)]
        least.append(min(r[0] for r in runs))
        hops.append(runs[0][1])
    return (least[1] - least[0]) / (hops[1] - hops[0]) * 1e9


def counted(quench, folder, name):
    """Instructions, and misses of the small and of the large cache, a packet-hop."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--cache-sim=yes",
               "--D1=32768,8,64", "--LL=1048576,8,64", quench]
    counts, hops = [], []
    for ms in LENGTHS[name][1]:
        _, n, said = run(command, folder, name, ms)
        counts.append([int(re.search(what + r" +([0-9,]+)", said).group(1).replace(",", ""))
                       for what in ("I +refs:", "D1 +misses:", "LLd +misses:")])
        hops.append(n)
    return [(b - a) / (hops[1] - hops[0]) for a, b in zip(*counts)]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    quench = os.path.join(os.path.abspath(sys.argv[1]), "quench")
    rounds = int(sys.argv[2]) if len(sys.argv) == 3 else 3
    print(f"{'':6} {'ns':>7} {'instructions':>13} {'missed 32 KiB':>14} {'missed 1 MiB':>13}")
    with tempfile.TemporaryDirectory(prefix="quench-bench-") as folder:
        for name, text in (("star", star()), ("tree", tree())):
            with open(os.path.join(folder, f"{name}.yaml"), "w", encoding="utf-8") as f:
                f.write(text)
            ns = timed(quench, folder, name, rounds)
            instructions, small, large = counted(quench, folder, name)
            print(f"{name:6} {ns:>7.1f} {instructions:>13.0f} {small:>14.2f} {large:>13.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
