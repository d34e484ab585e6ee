#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""misfits.py QUENCH: devices that are not as a probe expects are named so: no marker, PAUSE in
place of PFC, nothing obeyed, drops before XOFF, an XOFF that is never refreshed, and a second
talker that takes 5 % of the egress."""
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from blind import run  # noqa: E402
from draw import Device, unit  # noqa: E402

SEED = 3
P3_MAC = "02:00:00:00:00:33"


def figure(found, name, cls=None):
    of = found["figures"] if cls is None else found["classes"].get(str(cls), {})
    return of.get(name, {"state": "missing", "value": None})


def base():
    d = Device(SEED)
    d.watchdog = False
    return d, d.scenario()


def no_marker(quench):
    d, s = base()
    del s["switches"]["dut"]["classes"][d.cls]["wred"]
    found, said = run(quench, s, "marks")
    mark = figure(found, "mark", d.cls) if found else said
    kmax = figure(found, "kmax_bytes", d.cls) if found else said
    return mark == {"state": "none"} or (found and "none" in (mark["state"], mark["value"],
                                                              kmax["state"])), (mark, kmax)


def pause_only(quench):
    d, s = base()
    s["switches"]["dut"]["flow_control"] = "pause"
    s["switches"]["dut"]["classes"] = {d.cls: {"lossless": True, "pfc": {"xoff": d.limit}}}
    s["switches"]["dut"]["pg_map"] = {"0..7": d.cls}
    found, said = run(quench, s, "map")
    got = [figure(found, "obeys", c)["value"] for c in range(8)] if found else said
    return bool(found) and "PAUSE" in got and "PFC" not in got, got


def nothing_obeyed(quench):
    d, s = base()
    s["switches"]["dut"]["classes"] = {}
    found, said = run(quench, s, "map")
    got = [figure(found, "obeys", c)["value"] for c in range(8)] if found else said
    return bool(found) and "PFC" not in got and "PAUSE" not in got, got


def drops_first(quench):
    d, s = base()
    limit = d.frames_to_xoff() * 32  # a queue counts bytes, and no cells
    s["switches"]["dut"]["classes"][d.cls]["tail_limit"] = limit
    del s["switches"]["dut"]["classes"][d.cls]["wred"]
    found, said = run(quench, s, "xoff")
    if not found:
        return False, said
    drops, xoff = figure(found, "drops_first_bytes", d.cls), figure(found, "xoff_bytes", d.cls)
    near = drops["state"] == "is" and abs(drops["value"] - limit) < 0.02 * limit + 128
    return near and xoff["state"] != "is", (limit, drops, xoff)


def never_refreshed(quench):
    d, s = base()
    s["switches"]["dut"]["classes"][d.cls]["pfc"].update({"refresh": "0%", "quanta": 3000})
    found, said = run(quench, s, "refresh")
    got = figure(found, "refresh_us", d.cls) if found else said
    return bool(found) and got["state"] == "none", got


def capture(path, rate_gbps):
    """UDP frames of 500 bytes to p3, a Class Selector 0 DSCP, 5 % of the line."""
    dst = bytes.fromhex(P3_MAC.replace(":", ""))
    body = (dst + bytes.fromhex("0200000000ee") + b"\x08\x00" + bytes.fromhex("4500")
            + struct.pack(">H", 482) + bytes(4) + bytes.fromhex("4011") + bytes(2)
            + bytes([10, 0, 0, 99]) + bytes([10, 0, 0, 3]))
    body += bytes(496 - len(body))
    gap_ns = 520 * 8 / (rate_gbps * 0.05)
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for i in range(20000):
            at = int(i * gap_ns)
            f.write(struct.pack("<IIII", at // 10**9, at % 10**9, len(body), len(body)) + body)


def second_talker(quench):
    d, s = base()
    with tempfile.TemporaryDirectory(prefix="quench-talker-") as tmp:
        path = os.path.join(tmp, "talker.pcap")
        capture(path, d.rate)
        s["hosts"]["p3"] = {"mac": P3_MAC}
        s["hosts"]["x"] = {"replay": {"file": path, "loops": 1000}}
        s["links"][0]["between"][0].append("x")
        found, said = run(quench, s, "xoff,weights")
    if not found:
        return False, said
    u = unit(d.cell)
    others, xoff = figure(found, "others_per_s"), figure(found, "xoff_bytes", d.cls)
    states = {figure(found, "weight", c)["state"] for c in range(8)}
    told = others["state"] in ("is", "others") and others["value"] > 0
    right = xoff["state"] in ("is", "others", "varies") and abs(xoff["value"] - d.xoff()) <= max(
        u, 0.003 * d.xoff())
    return told and right and "is" not in states, (others, xoff, d.xoff(), states)


def main():
    failed = 0
    for misfit in (no_marker, pause_only, nothing_obeyed, drops_first, never_refreshed,
                   second_talker):
        good, got = misfit(sys.argv[1])
        if not good:
            print(f"{misfit.__name__}: {got}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
