# SPDX-License-Identifier: BSD-3-Clause
"""Devices to be measured: drawn by seed, as a switch of a scenario, with the figures that a probe
should find. The figures follow from the options by the formulas of docs/probe.md."""
import random

PORTS = 4
CABLE_NS = 100
RATES = [25, 40, 100]  # Gb/s
CELLS = [1, 144, 208, 256]
EXPONENTS = [0, 0, 0, 0, 0, 4, 7]  # of the marker's average: 2 of 7 are averaged


def unit(cell):
    """Bytes that a frame of 64 bytes takes in the buffer."""
    return -(-64 // cell) * cell


class Device:
    def __init__(self, seed):
        self.seed = seed
        r = random.Random(seed)
        self.rate = r.choice(RATES)
        self.cell = r.choice(CELLS)
        self.latency_ns = r.randrange(200, 2000)
        self.response = r.randrange(10, 700)
        self.cls = r.randrange(8)
        self.dynamic = r.random() < 0.6
        self.th = r.randrange(-4, 1)
        self.reserve = r.choice([0, r.randrange(2000, 20000)])
        self.quanta = r.choice([65535, r.randrange(3000, 65535)])
        self.refresh = r.randrange(100, 900) / 10
        self.headroom = r.randrange(30000, 250000)
        self.shared = r.randrange(1_500_000, 6_000_000)
        self.limit = r.randrange(60000, 400000)
        self.offset = r.randrange(2000, 20000)
        self.map(r)
        self.marker(r)
        self.scheduler(r)
        self.lossy(r)
        self.watchdog = r.random() < 0.45
        self.poll_us = int(self.longest_fill_us() / 8) + r.randrange(20, 60)
        self.detect_us = self.poll_us * r.randrange(10, 16)
        self.restore_us = self.poll_us * r.randrange(4, 8)
        self.action = r.choice(["drop", "forward"])

    def map(self, r):
        """Each class has a DSCP that the probe is given, and random others."""
        dscps = list(range(64))
        r.shuffle(dscps)
        self.told = {c: dscps[c] for c in range(8)}
        self.dscp_map = {d: r.randrange(8) for d in dscps}
        self.dscp_map.update({d: c for c, d in self.told.items()})

    def marker(self, r):
        top = min(self.xoff(), 400000)
        self.kmax = r.randrange(top * 3 // 10, top * 8 // 10)
        self.kmin = r.randrange(self.kmax // 6, self.kmax * 6 // 10)
        self.pmax = r.choice([100, r.randrange(200, 10000) / 100])
        self.place = r.choice(["enqueue", "dequeue"])
        self.averaged = r.choice(EXPONENTS)

    def scheduler(self, r):
        self.strict = {c for c in range(8) if r.random() < 0.15}
        if len(self.strict) > 6:
            self.strict = {7}
        self.weight = {c: r.randrange(1, 21) for c in range(8)}

    def lossy(self, r):
        self.lossy_dynamic = r.random() < 0.7
        self.lossy_th = r.randrange(-3, 2)
        self.lossy_limit = r.randrange(100000, 400000)

    def own(self):
        """Bytes that are reserved for groups: the measured class at each port."""
        return PORTS * (self.reserve + self.headroom)

    def limit_at(self, shared):
        if not self.dynamic:
            return self.limit
        return (self.shared - shared) * int(2**self.th * 256) // 256

    def longest_fill_us(self):
        """A watchdog's detection is longer than a fill of more frames than the device takes, as it
        is on every real switch."""
        takes = self.frames_to_xoff() + self.headroom // unit(self.cell)
        n = 8192
        while n <= takes:
            n *= 4
        return n * 84 * 8 / (self.rate * 1000) + 2 * 1000 * 512 / (self.rate * 1000)

    def frames_to_xoff(self):
        u, n = unit(self.cell), 1
        while n * u < self.reserve + self.limit_at(max(0, n * u - self.reserve)):
            n += 1
        return n

    def frames_at_xon(self):
        u, n = unit(self.cell), self.frames_to_xoff()
        while n:
            shared = max(0, n * u - self.reserve)
            if shared + self.offset <= self.limit_at(shared):
                return n
            n -= 1
        return 0

    def xoff(self):
        return self.frames_to_xoff() * unit(self.cell)

    def switch(self):
        pfc = {"reserved": self.reserve, "headroom": self.headroom, "quanta": self.quanta,
               "refresh": f"{self.refresh}%", "xon_offset": self.offset}
        pfc.update({"dynamic_th": self.th} if self.dynamic else {"xoff": self.limit})
        drop = {"dynamic_th": self.lossy_th} if self.lossy_dynamic else {
            "limit": self.lossy_limit}
        classes = {c: {"strict": c in self.strict, "weight": self.weight[c], "drop": drop}
                   for c in range(8)}
        del classes[self.cls]["drop"]
        classes[self.cls].update({"lossless": True, "pfc": pfc, "wred": {
            "min": self.kmin, "max": self.kmax, "probability": f"{self.pmax}%",
            "mark": self.place, "weight": self.averaged}})
        s = {"buffer": self.shared + self.own(), "cell": self.cell,
             "latency": f"{self.latency_ns}ns", "pfc_response": self.response,
             "dscp_map": self.dscp_map, "classes": classes}
        if self.watchdog:
            s["pfc_watchdog"] = {"poll": f"{self.poll_us}us", "detection": f"{self.detect_us}us",
                                 "restoration": f"{self.restore_us}us", "action": self.action}
        return s

    def scenario(self):
        hosts = [f"p{i + 1}" for i in range(PORTS)]
        return {"name": f"blind-{self.seed}", "switches": {"dut": self.switch()},
                "hosts": {h: {} for h in hosts},
                "links": [{"between": [hosts, "dut"], "rate": f"{self.rate}Gbps",
                           "delay": f"{CABLE_NS}ns"}],
                "probe": {"in": ["p1", "p2", "p4"], "out": ["p3", "p4"], "dscp": self.told,
                          "seed": self.seed}}

    def describe(self):
        kind = f"alpha 2^{self.th}" if self.dynamic else "static"
        mark = f"{self.place}, average 2^-{self.averaged}" if self.averaged else self.place
        return (f"{self.rate}G, cell {self.cell}, class {self.cls}, {kind}, reserve "
                f"{self.reserve}, XOFF {self.xoff()}, marks at {mark}, watchdog "
                f"{self.action if self.watchdog else 'none'}")
