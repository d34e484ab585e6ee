# SPDX-License-Identifier: BSD-3-Clause
"""One run of a scenario and its trace: each RoCEv2 frame at the ports of switch s1.

A port's capture has the frames that came in by it, as they came, and the frames that left by it.
Instants are ps: of a frame that came in its last bit, of one that left its first bit.
"""
import csv
import json
import os
import re
import struct
import subprocess
import zlib

PSNS = 1 << 24
DATA = range(0x00, 0x0c)  # SEND and WRITE
READ_REQUEST, RESPONSES, ACK, CNP = 0x0c, range(0x0d, 0x11), 0x11, 0x81
NAK_PSN = 0x60
NACK = 0xd1  # of selective repeat: an AETH, and the PSN that came
PS_PER_BYTE = 80  # at 100 Gb/s
DELAY = 1000000  # of each link
FRAMING = 24  # FCS, preamble and gap


class Frame:
    """A RoCEv2 frame over IPv4, untagged."""

    def __init__(self, t, port, inbound, octets):
        self.t, self.port, self.inbound, self.octets = t, port, inbound, octets
        self.src, self.dst = (".".join(map(str, octets[i:i + 4])) for i in (26, 30))
        self.ce = octets[15] & 3 == 3
        self.opcode = octets[42]
        self.migreq = octets[43] >> 6 & 1
        self.pkey = int.from_bytes(octets[44:46], "big")
        self.becn = octets[46] >> 6 & 1
        self.qpn = int.from_bytes(octets[47:50], "big")
        self.psn = int.from_bytes(octets[51:54], "big")
        answers = self.opcode in (ACK, NACK)
        self.syndrome = octets[54] if answers else 0
        self.msn = int.from_bytes(octets[55:58], "big") if answers else 0
        self.came = int.from_bytes(octets[59:62], "big") if self.opcode == NACK else None
        if self.opcode == READ_REQUEST:
            self.va, _, self.dma_len = struct.unpack_from(">QII", octets, 54)

    def wire(self):
        """The time that it takes of a link."""
        return (len(self.octets) + FRAMING) * PS_PER_BYTE

    def is_whole(self):
        """Whether its ICRC is right."""
        o = bytearray(self.octets[14:-4])
        o[1] = o[8] = o[10] = o[11] = o[26] = o[27] = o[32] = 0xff
        return zlib.crc32(b"\xff" * 8 + o) == int.from_bytes(self.octets[-4:], "little")


def read_capture(path):
    """The RoCEv2 frames of capture.pcapng, whose instants are ps, in their order."""
    with open(path, "rb") as f:
        data = f.read()
    ports, frames, at = [], [], 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 1:  # an interface; its name is its first option
            length, = struct.unpack_from("<H", data, at + 18)
            ports.append(data[at + 20:at + 20 + length].decode())
        elif kind == 6:
            port, high, low, length = struct.unpack_from("<IIII", data, at + 8)
            octets = data[at + 28:at + 28 + length]
            flags = direction(data, at + 28 + (length + 3) // 4 * 4, at + size - 4)
            if octets[12:14] == b"\x08\x00" and octets[23] == 17 and octets[36:38] == b"\x12\xb7":
                frames.append(Frame(high << 32 | low, ports[port], flags == 1, octets))
        at += size
    return frames


def direction(data, at, end):
    """1: the frame came in, 2: it left; by the option epb_flags."""
    while at + 4 <= end:
        code, length = struct.unpack_from("<HH", data, at)
        if code == 2:
            return struct.unpack_from("<I", data, at + 4)[0] & 3
        at += 4 + (length + 3) // 4 * 4
    return 0


class Flow:
    """A queue pair of a flow: the data go from src to dst, where the ports are s1's."""

    def __init__(self, row):
        self.name, self.row = row["flow_name"], row
        self.src, self.dst = row["src_ipv4"], row["dest_ipv4"]
        self.src_qpn, self.dst_qpn = row["src_qp"], row["dest_qp"]
        self.src_port = "s1:" + row["port_tx"].split(":")[0]
        self.dst_port = "s1:" + row["port_rx"].split(":")[0]

    def to_dst(self, f):
        return f.dst == self.dst and f.qpn == self.dst_qpn

    def to_src(self, f):
        return f.dst == self.src and f.qpn == self.src_qpn


class Trace:
    """A run's capture, events and figures. `captured`: it has a capture."""

    def __init__(self, quench, scenario, sets, out, captured=True):
        with open(scenario, encoding="ascii") as f:
            last = max(map(int, re.findall(r"\bh(?:1\.\.)?(\d+)", f.read())))
        args = [quench, "run", scenario, "--quiet", "--force", "--out", out]
        for host in range(1, last + 1) if captured else []:
            args += ["--set", f"ports.s1:h{host}={{capture: true, resolution: ps}}"]
        for s in sets:
            args += ["--set", s]
        ran = subprocess.run(args, capture_output=True, text=True, check=False)
        self.command = " ".join(f"'{a}'" if " " in a else a for a in args)
        self.status, self.said = ran.returncode, ran.stdout + ran.stderr
        if ran.returncode not in (0, 1):
            raise SystemExit(f"{self.command}\n{self.said}")
        self.frames = read_capture(os.path.join(out, "capture.pcapng")) if captured else []
        with open(os.path.join(out, "events.csv"), encoding="ascii", newline="") as f:
            self.events = list(csv.DictReader(f))
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
            self.summary = json.load(f)
        self.nic = {n["node"]: n for n in self.summary["nic_counters"]}
        self.flows = [Flow(row) for row in self.summary["flows"]]

    def at(self, port, inbound, wanted):
        """The frames that came in by a port, or left by it."""
        return [f for f in self.frames if f.port == port and f.inbound == inbound and wanted(f)]

    def instants(self, event):
        """The instants of a type of events, in ps."""
        return [instant(e) for e in self.events if e["event"] == event]

    def hits(self, action):
        """The events of faults with this action."""
        return [e for e in self.events
                if e["event"] == "fault" and e["detail"].split()[1] == action]


def instant(event):
    """An event's instant in ps."""
    whole, _, part = event["time_us"].partition(".")
    return int(whole) * 1000000 + int(part.ljust(6, "0"))
