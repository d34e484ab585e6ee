# SPDX-License-Identifier: BSD-3-Clause
"""The scenes by which the speed of virtual time is judged, as text of scenarios."""

HEAD = """\
name: {name}
duration: {lasts}
{more}controls:
  c: {{profile: {profile}}}
defaults:
  switches:
    buffer: 32MB
    classes:
      3:
        lossless: true
        pfc: {{dynamic_th: -3, xon_offset: 3KB, reserved: 4KB, headroom: {room}}}
        wred: {{min: 400KB, max: 1600KB, probability: 20%, mark: dequeue}}
  flows:
    {{class: 3, ack_class: 3, {message}mtu: {mtu}, ack_every: {acks}, {each}control: c}}
"""
SIMULATOR = {"more": "framing: hpcc_sim\n", "profile": "hpcc_sim_dcqcn", "acks": 1, "mtu": 1000,
             "room": "38KB", "each": "count: 1, window: 200000, rto: none, "}
PAPER = {"more": "", "profile": "paper", "acks": 16, "mtu": 1024, "room": "38KB", "each": ""}


def head(name, lasts, message, kind):
    """`message` is the size of each message, or None."""
    size = f"message: {message}, " if message else ""
    return HEAD.format(name=name, lasts=lasts, message=size, **kind)


def star(name, lasts, message, hosts, flows, kind=SIMULATOR):
    """One switch with hosts at 100 Gb/s; `flows` are lines."""
    return (head(name, lasts, message, kind)
            + f"switches: {{s1: }}\nhosts: {{h1..{hosts}: }}\n"
            + f"links: [{{between: [h1..{hosts}, s1], rate: 100Gbps, delay: 1us}}]\nflows:\n"
            + "".join(f"  {line}\n" for line in flows))


def fat_tree(k, lasts, message):
    """A fat-tree (Al-Fares 2008) of switches with k ports; each host sends to the host half-way
    round."""
    half, hosts, edges = k // 2, k ** 3 // 4, k * k // 2
    links = [f"[h{e * half + 1}..{(e + 1) * half}, e{e + 1}]" for e in range(edges)]
    for pod in range(k):
        first, last = pod * half + 1, (pod + 1) * half
        links.append(f"[e{first}..{last}, a{first}..{last}]")
        links += [f"[a{pod * half + a + 1}, c{a * half + 1}..{(a + 1) * half}]"
                  for a in range(half)]
    return (head(f"fat{k}", lasts, message, SIMULATOR)
            + f"switches: {{e1..{edges}: , a1..{edges}: , c1..{half * half}: }}\n"
            + f"hosts: {{h1..{hosts}: }}\nlinks:\n"
            + "".join(f"  - {{between: {l}, rate: 100Gbps, delay: 1us}}\n" for l in links)
            + f"flows:\n  f: {{from: h1..{hosts}, to: [h{hosts // 2 + 1}..{hosts}, "
            + f"h1..{hosts // 2}], pairs: same_index}}\n")


def all_to_all(hosts, lasts, message):
    leaves = ("topology:\n  leaf_spine: {leaves: 8, spines: 8, "
              f"hosts: {hosts // 8}, rate: 100Gbps, trunk_rate: 200Gbps, trunk_delay: 1us}}\n")
    kind = {**PAPER, "more": leaves}
    return (head("all-to-all", lasts, message, kind)
            + f"flows:\n  a: {{from: h1..{hosts}, to: h1..{hosts}, count: 1}}\n")


def leaf_spine(leaves, hosts, lasts, flows, message=None):
    """Leaves with `hosts` each at 400 Gb/s, and as much again to the spines; `flows` are lines."""
    fabric = (f"topology:\n  leaf_spine: {{leaves: {leaves}, spines: {hosts // 2}, "
              f"hosts: {hosts}, rate: 400Gbps, trunk_rate: 800Gbps, trunk_delay: 1us}}\n")
    kind = {**PAPER, "mtu": 4096, "room": "auto", "more": fabric}
    return (head("leaf-spine", lasts, message, kind)
            + "flows:\n" + "".join(f"  {line}\n" for line in flows))


def job(name, lasts, leaves, hosts, what):
    """A job on all hosts of leaves at 100 Gb/s; `what` says its schedule."""
    fabric = (f"topology:\n  leaf_spine: {{leaves: {leaves}, spines: {leaves}, hosts: {hosts}, "
              "rate: 100Gbps, trunk_rate: 200Gbps, trunk_delay: 1us}\n")
    return (head(name, lasts, None, {**PAPER, "room": "auto", "more": fabric})
            + f"jobs:\n  j: {{ranks: h1..{leaves * hosts}, {what}}}\n")


def load(leaves, hosts, lasts):
    """Messages of WebSearch at half the links' rate, between random hosts."""
    ends = f"from: h1..{leaves * hosts}, to: h1..{leaves * hosts}"
    return leaf_spine(leaves, hosts, lasts, [f"web: {{{ends}, sizes: websearch, load: 50%}}"])


# A file of a million operations, and how quench job writes it: messages have 8 KB, so that they are
# many beside the frames.
GOAL = "million.goal"
MILLION = ["job", "--collective", "all_reduce", "--ranks", "64", "--bytes", "32MB",
           "--chunks", "63", "--goal"]

# Name: the scenario, and the durations whose difference gives the instructions of a packet-hop.
SCENES = {
    "s05": (star("s05", "25ms", "30MB", 9, ["f: {from: h1..8, to: h9}"]), "1ms", "2ms"),
    "idle-star": (star("idle-star", "3ms", "15MB", 16,
                       ["f: {from: h1..8, to: h9..16, pairs: same_index}",
                        "g: {from: h9..16, to: h1..8, pairs: same_index}"]), "200us", "400us"),
    "8:1": (star("incast8", "20ms", "1MB", 9, ["f: {from: h1..8, to: h9}"], PAPER), "1ms", "2ms"),
    "16:1": (star("incast16", "20ms", "1MB", 17, ["f: {from: h1..16, to: h17}"], PAPER),
             "1ms", "2ms"),
    "1000-flows": (star("flows", "20ms", "1MB", 9, ["f: {from: h1..8, to: h9, qps: 125}"], PAPER),
                   "1ms", "2ms"),
    "fat8": (fat_tree(8, "3ms", "1MB"), "50us", "70us"),
    "fat16": (fat_tree(16, "2ms", "250KB"), "20us", "25us"),
    "all-to-all": (all_to_all(128, "1ms", "1MB"), "50us", "70us"),
    "load-1024": (load(32, 32, "1ms"), "100us", "150us"),
    "load-128": (load(8, 16, "10ms"), "400us", "600us"),
    "job-all-to-all": (job("job-all-to-all", "1ms", 8, 16,
                           "collective: all_to_all, algorithm: at_once, bytes: 1MB"),
                       "50us", "70us"),
    "job-ring": (job("job-ring", "2ms", 8, 8, "collective: all_reduce, bytes: 1GB"),
                 "200us", "300us"),
    "job-1m-ops": (job("job-1m-ops", "4ms", 8, 8, f"goal: {GOAL}"), "200us", "300us"),
}
