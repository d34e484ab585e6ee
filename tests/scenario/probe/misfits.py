#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""misfits.py QUENCH [NAME...]: devices, and benches, that are not as a probe expects are named so,
as docs/probe.md says: no marker, PAUSE in place of PFC, nothing obeyed, drops before XOFF, an XOFF
that is never refreshed, a second talker that takes 5 % of the egress, strict classes around the
reference of the weights, floods, an own port that never sees PFC, a pair of ports that is not
forwarded, and a port whose link goes down."""
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


def strict_reference(quench):
    """The classes that the weights are first held against are strict themselves."""
    d, s = base()
    strict = {5, 6, 7}
    for c in range(8):
        s["switches"]["dut"]["classes"][c].update({"strict": c in strict, "weight": c + 1})
    found, said = run(quench, s, "weights")
    if not found:
        return False, said
    got = {c: (figure(found, "strict", c)["value"], figure(found, "weight", c)["value"])
           for c in range(8)}
    right = all(got[c][0] == ("yes" if c in strict else "no") for c in got) and all(
        isinstance(got[c][1], (int, float)) and abs(got[c][1] - (c + 1)) <= 0.01 * (c + 1)
        for c in got if c not in strict)
    return right, got


def floods(quench):
    """The device sends each frame of p1 to all ports, as if it knew no address."""
    d, s = base()
    s["faults"] = [{"at": "dut:p1", "do": {"rewrite": {"dst_mac": "ff:ff:ff:ff:ff:ff"}}}]
    found, said = run(quench, s, "map")
    if not found:
        return False, said
    got = figure(found, "forwards")["value"], figure(found, "obeys", d.cls)["value"]
    return got == ("floods", "PFC"), got


def eats_pfc(quench):
    """No PFC frame gets through to the port of the measured group: XOFF is not seen."""
    d, s = base()
    s["faults"] = [{"at": "p1:dut", "do": "drop"}]
    found, said = run(quench, s, "xoff")
    if not found:
        return False, said
    drops, xoff = figure(found, "drops_first_bytes", d.cls), figure(found, "xoff_bytes", d.cls)
    return (drops["state"] == "is" and "our own MAC" in drops.get("why", "")
            and xoff["state"] != "is"), (drops, xoff)


def not_forwarded(quench):
    """Frames for p3 leave by another port."""
    d, s = base()
    s["hosts"]["p3"] = {"mac": P3_MAC}
    s["switches"]["dut"]["fdb"] = [{"mac": P3_MAC, "port": "dut:p4"}]
    found, said = run(quench, s, "map")
    forwards = figure(found, "forwards") if found else None
    return "does not forward frames from p1 to p3" in said, (forwards, said)


def link_goes_down(quench):
    """The link to p3 is lost in the middle and stays so: what was found until then is kept."""
    d, s = base()
    s["events"] = [{"at": "11ms", "link_down": "p3:dut"}]
    found, said = run(quench, s, "xoff,marks")
    if not found:
        return False, said
    states = {name: f["state"] for name, f in found["classes"][str(d.cls)].items()
              if isinstance(f, dict)}
    return "is" not in {states.get("kmin_bytes"), states.get("kmax_bytes")}, (states, said)


MISFITS = (no_marker, pause_only, nothing_obeyed, drops_first, never_refreshed, second_talker,
           strict_reference, floods, eats_pfc, not_forwarded, link_goes_down)


def main():
    failed = 0
    names = sys.argv[2:]
    for misfit in MISFITS:
        if names and misfit.__name__ not in names:
            continue
        good, got = misfit(sys.argv[1])
        if not good:
            print(f"{misfit.__name__}: {got}")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
