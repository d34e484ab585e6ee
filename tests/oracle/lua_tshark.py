# SPDX-License-Identifier: BSD-3-Clause
"""What tshark shows with contrib/wireshark/quench.lua, compared with `quench decode --json`.

usage: lua_tshark.py QUENCH SOURCE_ROOT

The captures are those of tests/data, one each of a run with QCN and with DCQCN in virtual time,
that of QCN cut at 40 bytes, and frames with faults that are made here. The test is skipped (77)
where tshark is missing or has no Lua.
"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

quench = str(pathlib.Path(sys.argv[1]).resolve())
root = pathlib.Path(sys.argv[2]).resolve()
plugin = root / "contrib/wireshark/quench.lua"
failed = 0


def fail(*words):
    global failed
    failed = 1
    print("lua_tshark:", *words)


def skip(why):
    print("lua_tshark: skipped:", why, "(on Debian: apt-get install tshark)", file=sys.stderr)
    sys.exit(77)


def output(*command):
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode:
        print("lua_tshark:", *command, "\n" + done.stderr)
        sys.exit(1)
    return done.stdout


FIELDS = """frame.number frame.protocols cntag.flow_id cnm.qntzfb cnm.cpid cnm.qoffset cnm.qdelta
    cnm.priority cnm.encapsulated_dst cnm.encapsulated_length cnm.over pfc.sense pfc.xoff pfc.xon
    rocev2.cnp rocev2.fecn rocev2.becn cntag.type ip.src cnm.version cnm.reserved
    cntag.trailer _ws.lua.error _ws.expert.message _ws.col.Info""".split()


def dissect(capture, with_plugin=True, fields=FIELDS):
    """The fields of each frame, as texts; several values have commas between them."""
    load = ["-X", f"lua_script:{plugin}"] if with_plugin else []
    select = [word for field in fields for word in ("-e", field)]
    lines = output("tshark", *load, "-r", str(capture), "-T", "fields", *select)
    return [dict(zip(fields, line.split("\t"))) for line in lines.splitlines()]


def record(folder, scenario, *hosts):
    """Runs a scenario for 4 ms; returns the capture of the switch's ports to the hosts."""
    run = pathlib.Path(folder) / scenario
    ports = ", ".join(f'"s1:{host}": {{capture: true}}' for host in hosts)
    output(quench, "run", str(root / f"config/{scenario}.yaml"), "--quiet", "--out", str(run),
           "--set", "warmup=1ms", "--duration", "3ms", "--set", f"ports={{{ports}}}")
    return run / "capture.pcapng"


def decode(capture):
    lines = output(quench, "decode", "--json", str(capture))
    return [json.loads(line) for line in lines.splitlines()]


def wanted(frame):
    """The fields that tshark must show of a frame of `quench decode`."""
    kind = frame["kind"]
    want = {"frame.number": frame["frame"], "cntag.flow_id": frame.get("cn_tag", ""),
            "pfc.sense": frame.get("sense", ""), "_ws.lua.error": ""}
    for key in ("qntzfb", "cpid", "qoffset", "qdelta", "priority", "encapsulated_dst",
                "encapsulated_length"):
        want["cnm." + key] = frame.get(key, "")
    if kind == "cnm":
        want["cnm.over"] = -64 * frame["qoffset"]
    if kind == "pfc":
        quanta = [(n, time) for n, time in enumerate(frame["quanta"]) if frame["enable"] >> n & 1]
        want["pfc.xoff"] = ",".join(str(n) for n, time in quanta if time)
        want["pfc.xon"] = ",".join(str(n) for n, time in quanta if not time)
    if "becn" in frame and frame.get("dport") == 4791:
        want["rocev2.fecn"] = int(frame["fecn"])
        want["rocev2.becn"] = int(frame["becn"])
        want["rocev2.cnp"] = "1" if kind == "cnp" else ""
    return want


def compare(capture):
    """Returns the kinds of the capture's frames."""
    frames, shown = decode(capture), dissect(capture)
    if len(frames) != len(shown):
        fail(capture, len(frames), "frames decoded,", len(shown), "shown")
    for frame, got in zip(frames, shown):
        if frame["kind"] in ("malformed", "cut", "mac_control"):
            continue
        got["cntag.flow_id"] = got["cntag.flow_id"].split(",")[0]
        for field, value in wanted(frame).items():
            if got[field] != str(value):
                fail(f"{capture}, frame {frame['frame']} ({frame['kind']}): {field} is "
                     f"'{got[field]}', decode says '{value}'")
    return [frame["kind"] for frame in frames]


def opaque(shown):
    """The frames of which only Ethernet and VLAN tags are shown."""
    return sum(got["frame.protocols"].split(":")[-2:] == ["ethertype", "data"] for got in shown)


def write(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            file.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


ETH = "0200000000aa 020000000001"
VLAN = "8100 c064"
# The fixed part of standards.md 1.3's example; the length follows.
CNM = "002e 0200000000010001 fe0c 01f4 6000 020000000099"
IP = "4500 001e 0000 4000 40 11 0000 0a000001 0a000002 c000 0009 000a 0000 6161"
TIMES = "0001 0000 0003 0000 0000 0000 0000 0000"
MACCTL = "0180c2000001 020000000001 8808 0101"

# A frame, and the fields that tshark must show of it.
FAULTS = [
    (f"{ETH} {VLAN} 22e9 1234 22e7 {CNM} 0040" + "0800" + "45" * 62,
     {"cntag.flow_id": "4660", "cnm.qntzfb": "46", "cnm.cpid": "0200000000010001",
      "cnm.qoffset": "-500", "cnm.over": "32000", "cnm.qdelta": "500", "cnm.priority": "3",
      "cnm.encapsulated_dst": "02:00:00:00:00:99", "cnm.encapsulated_length": "64",
      "_ws.expert.message": "", "_ws.col.Info": "QntzFb 46, queue +32000 bytes from set point, "
      "priority 3, to 02:00:00:00:00:99, flow ID 4660"}),
    (f"{ETH} 22e7 {CNM} 0000" + "00" * 22, {"cntag.flow_id": "", "cnm.qntzfb": "46"}),
    (f"{ETH} 22e7 0fee{CNM[4:]} 0000" + "00" * 22,
     {"cnm.version": "0", "cnm.reserved": "63", "cnm.qntzfb": "46"}),
    (f"{ETH} 22e9 1234", {"_ws.expert.message": "CN-TAG is too short: it has 4 bytes"}),
    (f"{ETH} 22e9 1234 22e7", {"cntag.flow_id": "4660", "cntag.type": "0x22e7"}),
    (f"{ETH} 22e9 1234 22e7 {CNM}", {"_ws.expert.message": "CNM is too short: it has 24 bytes"}),
    (f"{ETH} 22e9 1234 22e7 1{CNM[1:]} 0000" + "00" * 18,
     {"cnm.version": "1", "cnm.qntzfb": "",
      "_ws.expert.message": "Version is not 0: a reaction point ignores this CNM"}),
    (f"{ETH} 22e9 1234 22e7 {CNM} 0041" + "45" * 65, {"cnm.qntzfb": "46", "_ws.expert.message":
     "Encapsulated MSDU is longer than 64 bytes or than the frame"}),
    (f"{ETH} 22e9 1234 22e7 {CNM} 0040" + "45" * 63, {"_ws.expert.message":
     "Encapsulated MSDU is longer than 64 bytes or than the frame"}),
    (f"{ETH} 22e9 0001 22e9 0002 88b5" + "00" * 42,
     {"cntag.flow_id": "1", "_ws.expert.message": "A frame has one CN-TAG only"}),
    (f"{ETH} " + "22e9 0001 8100 0001" * 1000 + "88b5" + "00" * 42,
     {"_ws.expert.message": "Too many nested VLAN tags"}),
    (f"{ETH} 22e9 0007 0800 {IP}" + "77" * 12,
     {"cntag.flow_id": "7", "ip.src": "10.0.0.1", "cntag.trailer": "77" * 12}),
    (f"{MACCTL} 0007 {TIMES}" + "00" * 26, {"pfc.sense": "mixed", "_ws.col.Info":
     "XOFF of priority 0 (1 quanta), 2 (3 quanta); XON of priority 1"}),
    (f"{MACCTL} 0000 {TIMES}" + "00" * 26, {"pfc.sense": "none"}),
    (f"{MACCTL} 0007 0001", {"pfc.sense": "", "_ws.expert.message":
     "Malformed Packet (Exception occurred)"}),
]

if not shutil.which("tshark"):
    skip("tshark is not installed")
if "with Lua" not in " ".join(output("tshark", "--version").split()):
    skip("tshark was built without Lua")

with tempfile.TemporaryDirectory() as folder:
    qcn = record(folder, "qcn-step", "h1", "r")
    if opaque(dissect(qcn, False, ["frame.protocols"])) == 0:
        fail("without the plug-in frames of QCN are wanted that tshark leaves opaque")
    left = opaque(dissect(qcn))
    if left:
        fail(left, "frames of QCN are opaque with the plug-in")
    kinds = compare(qcn) + compare(record(folder, "first-light", "h1", "r"))

    cut = pathlib.Path(folder) / "cut.pcap"
    output("editcap", "-F", "pcap", "-s", "40", str(qcn), str(cut))
    for got in dissect(cut):
        if got["_ws.lua.error"] or "Lua" in got["_ws.expert.message"]:
            fail("frame", got["frame.number"], "cut at 40 bytes:", got["_ws.expert.message"])
        if "cnm" in got["frame.protocols"] and got["_ws.expert.message"]:
            fail("a CNM that the capture cut:", got["_ws.expert.message"])

    for capture in sorted(root.glob("tests/data/*.pcap*")):
        kinds += compare(capture)
    for kind in ("cnm", "cnp", "pfc", "data", "ack"):
        if kind not in kinds:
            fail("no capture holds a frame of kind", kind)

    faults = pathlib.Path(folder) / "faults.pcap"
    write(faults, [bytes.fromhex(frame) for frame, _ in FAULTS])
    compare(faults)
    for number, (got, (_, want)) in enumerate(zip(dissect(faults), FAULTS), 1):
        for field, value in want.items():
            if got[field] != value:
                fail(f"fault {number}: {field} is '{got[field]}', wanted is '{value}'")
sys.exit(failed)
