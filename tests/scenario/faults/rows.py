#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The scenarios of config/faults: their own expectations, the instants at which their messages end
to the ps, the rules of rules.py on each trace, and settings that the pages name.

usage: rows.py QUENCH SOURCE [SCENARIO ...]
"""
import collections
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import rules
from capture import ACK, CNP, DATA, Trace

GREEDY, WINDOW = {"mode": "next_marked"}, {"mode": "window"}
US = 1000000

# Per scenario the instants of msg_done in ns, or None; what the notification points are.
ENDS = {
    "corrupt-last": (67207672.00, {}),
    "corrupt-once": (99041.28, {}),
    "drop-ack": (94705.76, {}),
    "drop-adaptive": (32869671.52, {}),
    "drop-always": (None, {}),
    "drop-cnp": (94705.76, GREEDY),
    "drop-every-100": (544272.64, {}),
    "drop-five": (99395.20, {}),
    "drop-last": (67207672.00, {}),
    "drop-last-ack": (67206344.80, {}),
    "drop-nak": (67207672.00, {}),
    "drop-once": (99041.28, {}),
    "drop-then-mark": (99041.28, {}),
    "drop-twice": (67207905.28, {}),
    "drop-two": (99041.28, {}),
    "duplicate": (94794.24, {}),
    "mark-all": (None, {**GREEDY, "interval": 4 * US}),
    "mark-every-100": (None, {**GREEDY, "interval": 4 * US}),
    "mark-keys": (None, GREEDY),
    "mark-once": (94705.76, {}),
    "nak-makes-cnp": (None, {"with_nak": True}),
    "read-drop-last": (67207677.12, {}),
    "read-drop-once": (99044.48, {}),
    "read-innocent": (None, {}),
    "reorder": (99218.24, {}),
    "rewrite-migreq": (94705.76, {}),
    "rewrite-pkey": (99041.28, {}),
    "rewrite-psn": (99041.28, {}),
    "silent-responder": (None, {}),
}
FAIL = "drop-always", "silent-responder"
UNTRACED = (
    "ets", "random-loss",  # their flows have no end
    "read-selective",  # the test of this name judges it by its own rules
    "skip",  # its expectations are all that is known of it
    "selective-repeat",  # NACKs of 62 bytes are cut; the test of this name has them whole
)


class Tests:
    """Runs scenarios and collects what does not hold."""

    def __init__(self, quench, source):
        self.quench, self.source, self.failed = quench, source, 0
        self.out = tempfile.mkdtemp(prefix="quench-faults-")

    def file(self, name):
        return os.path.join(self.source, "config", "faults", name + ".yaml")

    def run(self, name, *sets, file=None, traced=None):
        file = file or self.file(name)
        traced = name not in UNTRACED if traced is None else traced
        return Trace(self.quench, file, sets, os.path.join(self.out, name), traced)

    def hold(self, trace, faults):
        """Prints the faults of a trace."""
        for fault in faults:
            print(f"  {fault}")
        if faults:
            self.failed += 1
            print(f"  to repeat: {trace.command}")

    def same(self, trace, what, have, want):
        self.hold(trace, [] if have == want else [f"{what} is {have}, not {want}"])

    def passes(self, trace):
        """All expectations of the file hold."""
        if trace.status:
            self.hold(trace, [line for line in trace.summary["verdicts"]["criteria"]
                              if line["verdict"] != "PASS"] or [trace.said.strip()])


def in_ns(ps):
    return [t / 1000 for t in ps]


def every_file(t, name):
    """A scenario as it is: its expectations, its end, the rules."""
    trace = t.run(name)
    print(f"{name}: {len(trace.frames)} frames")
    t.passes(trace)
    if name in UNTRACED:
        return
    end, np = ENDS[name]
    if end:
        t.same(trace, "the end in ns", in_ns(trace.instants("msg_done")), [end])
    t.hold(trace, rules.judge(trace, np, name in FAIL))


def cnp_counts(t):
    """CNPs by interval and mode: the greedy rule and the paper's windows tell themselves apart."""
    rows = [("mark-all", 4, 22, 24), ("mark-all", 50, 2, 3), ("mark-all", 0, 1000, 1000),
            ("mark-every-100", 4, 100, 100), ("mark-every-100", 50, 17, 19),
            ("mark-every-100", 300, 3, 4)]
    for name, interval, greedy, window in rows:
        for mode, n in ("next_marked", greedy), ("window", window):
            trace = t.run(name, f"hosts.h2.np={{mode: {mode}, interval: {interval}us}}",
                          f"expect.1.equals={n}")
            t.passes(trace)
            t.hold(trace, rules.judge(trace, {"mode": mode, "interval": interval * US}))
    for key, n in ("port", 1), ("dst_ip", 2), ("ip_pair", 2), ("qp", 4):
        trace = t.run("mark-keys", f"hosts.h3.np.key={key}", f"expect.1.equals={n}")
        t.passes(trace)
        t.hold(trace, rules.judge(trace, {**GREEDY, "key": key}))


def instants(t):
    """The latencies at the injector."""
    trace = t.run("mark-once")
    flow = trace.flows[0]
    marked = trace.at("s1:h1", True, lambda f: f.psn == 100 and f.opcode in DATA)[0]
    cnp = trace.at("s1:h2", True, lambda f: f.opcode == CNP)[0]
    t.same(trace, "from CE to CNP", cnp.t - marked.t, 2096320)
    t.same(trace, "the CNP's queue pair", (cnp.qpn, cnp.becn), (flow.src_qpn, 1))
    trace = t.run("drop-once")
    t.same(trace, "generation, reaction, retransmission",
           rules.latencies(trace, trace.flows[0], 100), (2095360, 2151680, 4335520))
    nak = trace.at("s1:h2", True, lambda f: f.opcode == ACK and f.syndrome == rules.NAK_PSN)
    t.same(trace, "PSN and MSN of NAKs", [(f.psn, f.msn) for f in nak], [(100, 0)])
    # After the last progress eight times the timeout pass.
    trace = t.run("drop-always")
    t.same(trace, "the end of the queue pair", in_ns(trace.instants("qp_failed")),
           [67206344.80 + 8 * 67108864])
    trace = t.run("silent-responder")
    t.same(trace, "timeouts", in_ns(trace.instants("timeout")),
           [1048576 * (i + 1) for i in range(8)])
    trace = t.run("drop-adaptive")
    t.same(trace, "adaptive timeouts", in_ns(trace.instants("timeout")),
           [2141290.08, 4193480.80, 8289480.80, 16481480.80, 32865480.80])
    for exponent in 14, 18, 20:
        ns = 4096 << exponent
        trace = t.run("silent-responder", f"flows.f.rto={ns}ns", f"duration={9 * ns}ns")
        t.passes(trace)
        t.same(trace, "the end of the queue pair", in_ns(trace.instants("qp_failed")), [8 * ns])


def losses_by_the_end(t):
    """41 losses of which the last is so late that its NAK finds an idle sender: 46 packets are left
    to be sent again, and they begin at once."""
    file = os.path.join(t.out, "by-the-end.yaml")
    with open(t.file("drop-every-100"), encoding="ascii") as f:
        text = f.read()
    record = "  - {flow: f, psn: every 100, do: drop}\n"
    with open(file, "w", encoding="ascii") as f:
        f.write(text.replace(record, "".join(
            record.replace("every 100", str(psn)) for psn in range(50, 4096, 100))))
    trace = t.run("by-the-end", "expect.0.equals=2006", "expect.1.equals=544.21632", file=file)
    t.passes(trace)
    t.hold(trace, rules.judge(trace))


def selective_repeat(t):
    """The rules of selective repeat on traces, whose NACKs have 66 bytes. A sender that waits for
    the first NACK gets it 2 * 4 bytes later; all other messages end as with NACKs of 62 bytes."""
    with open(t.file("selective-repeat"), encoding="ascii") as f:
        expect = [line for line in f if "{figure:" in line]
    waits = next(i for i, line in enumerate(expect) if "98.92864" in line)
    trace = t.run("selective-repeat", "defaults.flows.nack_bytes=66",
                  f"expect.{waits}.equals=98.92928", traced=True)
    t.passes(trace)
    caps = {"cap_48": 48, "cap_47": 47, "one": 96, "one_95": 95, "one_48": 48}
    t.hold(trace, rules.judge(trace, caps=collections.defaultdict(lambda: 111, caps)))


def read_selective(t):
    """The rules of READs by selective repeat."""
    trace = t.run("read-selective", traced=True)
    t.passes(trace)
    t.hold(trace, rules.judge(trace, caps=True))


def naks_and_cuts(t):
    """Without with_nak a NAK brings no CNP and no cut."""
    trace = t.run("nak-makes-cnp", "hosts.h2.np.with_nak=false",
                  *(f"expect.{i}.equals=0" for i in range(3)))
    t.passes(trace)
    t.hold(trace, rules.judge(trace))


def shares(t):
    """ETS: two hungry classes get what their weights say."""
    for weights, one, two in ((1, 1), 50, 50), ((12, 13), 48, 52):
        marked, other = (gbps * 1024 / 1106 for gbps in (one, two))
        trace = t.run("ets", f"hosts.h1.weights={{3: {weights[0]}, 4: {weights[1]}}}",
                      "flows.marked.control=none",
                      f"expect.0.min={marked * .999}", f"expect.0.max={marked * 1.001}",
                      f"expect.1.min={other * .999}", f"expect.1.max={other * 1.001}")
        t.passes(trace)


def innocents(t):
    """Queue pairs that lose nothing end at most the time of the repeated responses later."""
    def run(k, nth):
        trace = t.run("read-innocent", f"flows.loses.qps={k}", f"flows.innocent.qps={36 - k}",
                      f"faults.0.nth={nth}", "faults.0.optional=true",
                      f"expect.0.equals={k if nth == 1 else 0}")
        t.passes(trace)
        t.hold(trace, rules.judge(trace))
        ends = {flow.name: flow.row["flow_completion_time"] for flow in trace.flows}
        return trace, ends
    for k in 1, 8, 12, 16:
        _, whole = run(k, 9)
        trace, ends = run(k, 1)
        resent = sum(flow.row["data_frames_retransmitted"] for flow in trace.flows)
        worst = max(ends[name] - whole[name] for name in ends if name.startswith("innocent"))
        t.hold(trace, [] if worst <= resent * 0.0888 + 0.002 else
               [f"{k} lose: an innocent queue pair ends {worst} us later"])


def closed_form(p, timeout_ns=100000, frame_ns=88.48):
    """Goodput of go-back-N in Gb/s under a loss p of data.

    1 / p frames arrive from one loss to the next. A loss costs 49 frames, and each copy that is
    lost, too, the timeout.
    """
    return 1024 * 8 / frame_ns / (1 + 49 * p + p * p / (1 - p) * timeout_ns / frame_ns)


def random_losses(t):
    """Goodput under random loss is within 4 % of the closed form."""
    for p in 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2:
        want = closed_form(p)
        trace = t.run("random-loss", f"faults.0.share={p * 100:g}%",
                      f"expect.0.min={want * .96}", f"expect.0.max={want * 1.04}")
        have = trace.flows[0].row["goodput_gbps"]
        print(f"  loss {p:g}: {have:.3f} Gb/s, {100 * have / want - 100:+.2f} %")
        t.passes(trace)


def main():
    quench, source, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    t = Tests(os.path.realpath(quench), source)
    folder = os.path.join(source, "config", "faults")
    names = sorted(n[:-5] for n in os.listdir(folder) if n.endswith(".yaml"))
    if sorted([*ENDS, *UNTRACED]) != names:
        raise SystemExit(f"rows.py knows {sorted([*ENDS, *UNTRACED])}, and {folder} has {names}")
    for name in wanted or names:
        every_file(t, name)
    if not wanted:
        for group in (cnp_counts, instants, losses_by_the_end,
                      selective_repeat, read_selective, naks_and_cuts, shares, innocents,
                      random_losses):
            print(group.__name__)
            group(t)
    shutil.rmtree(t.out)
    sys.exit(t.failed > 0)


main()
