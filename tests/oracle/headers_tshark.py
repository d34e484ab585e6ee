#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tshark finds the header fields that flows say (headers.yaml) in captures of each clock.

quench decode reads the same fields, and each ICRC is right by a second implementation.
usage: headers_tshark.py QUENCH SCENARIO CLOCK...
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

QUENCH, SCENARIO, CLOCKS = sys.argv[1], sys.argv[2], sys.argv[3:]
FIELDS = ["ip.src", "ipv6.src", "ip.ttl", "ipv6.hlim", "ip.dsfield.dscp", "ipv6.tclass.dscp",
          "ip.dsfield.ecn", "ipv6.tclass.ecn", "udp.srcport", "infiniband.bth.opcode",
          "infiniband.bth.destqp", "infiniband.bth.psn"]
ECN = ["Not-ECT", "ECT(1)", "ECT(0)", "CE"]
ACK, CNP = 17, 129

# By the sender of a frame and its kind: TTL, codepoints, UDP source ports, destination QPNs.
WANT = {
    ("10.0.0.1", "data"): (5, {1, 3}, {49200, 49201}, None),
    ("10.0.0.3", "ack", 5): (5, {2}, {49200, 49201}, {0x100, 0x101, 0x102}),
    ("10.0.0.3", "cnp", 5): (5, {0}, {49200, 49201}, {0x100, 0x101, 0x102}),
    ("fd00::1", "data"): (255, {2, 3}, {4791}, None),
    ("fd00::2", "ack", 255): (255, {1}, {4791}, {0xfffff0, 0xfffff1}),
    ("fd00::2", "cnp", 255): (255, {3}, {4791}, {0xfffff0, 0xfffff1}),
    ("10.0.0.2", "data"): (64, {0}, None, None),
    ("10.0.0.3", "ack", 64): (64, {0}, None, {17}),
    ("10.0.0.2", "open"): (7, {0}, {53}, None),
}
FIRST_PSN = {"10.0.0.1": 0xfffffe, "fd00::1": 9, "10.0.0.2": 0}
LEAST = {"10.0.0.1": 3, "fd00::1": 2, "10.0.0.2": 1}  # queue pairs


def fail(text):
    sys.exit("headers_tshark: " + text)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        fail("%s: %s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def told_by_tshark(capture):
    lines = run("tshark", "-r", capture, "-T", "fields",
                *[word for f in FIELDS for word in ("-e", f)]).splitlines()
    for line in lines:
        v = line.split("\t") + [""] * len(FIELDS)
        opcode = int(v[9]) if v[9] else None
        kind = {None: "open", ACK: "ack", CNP: "cnp"}.get(opcode, "data")
        yield (v[0] or v[1], kind, int(v[2] or v[3]), int(v[4] or v[5] or 0), int(v[6] or v[7]),
               int(v[8]), int(v[10], 16) if v[10] else None, int(v[11]) if v[11] else None)


def told_by_quench(capture):
    for line in run(QUENCH, "decode", capture, "--json").splitlines():
        f = json.loads(line)
        kind = "open" if f["kind"] == "open_loop" else f["kind"]
        if kind != "open" and f["icrc"] != "ok":
            fail("quench decode finds a wrong ICRC: " + line)
        yield (f["src"], kind, f.get("ttl", f.get("hop_limit")), f["dscp"], ECN.index(f["ecn"]),
               f["sport"], f.get("qpn"), f.get("psn"))


def frames(pcap):
    with open(pcap, "rb") as f:
        data = f.read()
    at = 24
    while at < len(data):
        n = struct.unpack_from("<I", data, at + 8)[0]
        yield bytearray(data[at + 16:at + 16 + n])
        at += 16 + n


def icrc_is_right(frame):
    """InfiniBand architecture vol. 1 cl. 7.8.1, annex A17: CRC-32 with changing fields as ones."""
    is_v4 = frame[12:14] == b"\x08\x00"
    ip = frame[14:]
    if is_v4:
        ip = ip[:struct.unpack_from(">H", ip, 2)[0]]
        for i in (1, 8, 10, 11):
            ip[i] = 0xff
        udp = 20
    else:
        ip = ip[:40 + struct.unpack_from(">H", ip, 4)[0]]
        ip[0] |= 0x0f
        for i in (1, 2, 3, 7):
            ip[i] = 0xff
        udp = 40
    ip[udp + 6] = ip[udp + 7] = ip[udp + 12] = 0xff
    return zlib.crc32(b"\xff" * 8 + bytes(ip[:-4])) == struct.unpack("<I", ip[-4:])[0]


def check(clock, folder):
    capture = os.path.join(folder, "capture.pcapng")
    run(QUENCH, "run", SCENARIO, "--clock", clock, "--out", folder, "--force",
        *(["--no-huge", "--instance", "headers-%d" % os.getpid()] if clock == "real" else []))
    ours, theirs = list(told_by_quench(capture)), list(told_by_tshark(capture))
    if ours != theirs:
        fail("%s: quench reads %s, tshark %s" % next(
            (clock, a, b) for a, b in zip(ours + [None], theirs + [None]) if a != b))
    first, found = {}, set()
    for src, kind, ttl, dscp, ecn, sport, qpn, psn in theirs:
        key = (src, kind) if (src, kind) in WANT else (src, kind, ttl)
        if key not in WANT:
            fail("%s: nobody sends %s" % (clock, key))
        found.add(key)
        want = WANT[key]
        if (ttl != want[0] or ecn not in want[1] or (want[2] and sport not in want[2]) or
                (want[3] and qpn not in want[3]) or
                (key == ("10.0.0.3", "ack", 5) and dscp != 46)):
            fail("%s: %s has %s" % (clock, key, (ttl, dscp, ecn, sport, qpn)))
        if kind == "data":
            first.setdefault((src, qpn), psn)
    if found != set(WANT):
        fail("%s: nothing of %s" % (clock, set(WANT) - found))
    for (src, qpn), psn in first.items():
        if psn != FIRST_PSN[src]:
            fail("%s: the first PSN of %s to %#x is %#x" % (clock, src, qpn, psn))
    for src, n in LEAST.items():
        if len([1 for s, _ in first if s == src]) != n:
            fail("%s: not all queue pairs of %s send" % (clock, src))
    run("tshark", "-r", capture, "-F", "pcap", "-w", capture + ".pcap", "udp.dstport == 4791")
    if not all(icrc_is_right(f) for f in frames(capture + ".pcap")):
        fail(clock + ": a wrong ICRC")


for one in CLOCKS:
    with tempfile.TemporaryDirectory() as where:
        check(one, where)
