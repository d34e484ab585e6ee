# SPDX-License-Identifier: BSD-3-Clause
"""Holds a run of flows_bridge.yaml against captures of the kernel: losses and latencies.

probe_bridge.py FOLDER bridge|ovs DROPPED
FOLDER has the run in `run`, and captures of the frames that came to the device by d1 and d2, and
out of it by g3; frames of `few` are the first. DROPPED is tbf's count; Open vSwitch also drops the
rest of a burst of which tbf has dropped a frame. quench dates a frame that came when its loop takes
it, and a frame that leaves by its serializer, so both may differ from the kernel's stamps by the
longest loop.
"""
import json
import struct
import sys

folder, kind, dropped = sys.argv[1], sys.argv[2], int(sys.argv[3])


def stamps(path):
    """Instants of the frames of a capture, us."""
    with open(path, "rb") as f:
        data = f.read()
    at, times = 24, []
    while at + 16 <= len(data):
        s, us, kept, _ = struct.unpack_from("<IIII", data, at)
        times.append(s * 1000000 + us)
        at += 16 + kept
    return times


with open(f"{folder}/run/summary.json", encoding="utf-8") as f:
    run = json.load(f)
sources = {s["source"].split("[")[0]: s for s in run["sources"]}
few, many = sources["few"], sources["many"]
lost = many["tx_frames"] - many["rx_frames"]
few_in, many_in, out = (stamps(f"{folder}/{name}.pcap") for name in ("d1", "d2", "g3"))
print(f"lost {lost} of {many['tx_frames']}; by the kernel's captures "
      f"{len(few_in) + len(many_in) - len(out)}, of which tbf dropped {dropped}")
assert few["lost"] == 0 and few["rx_frames"] == few["tx_frames"] == len(few_in) == 16, few
assert many["tx_frames"] == len(many_in) and many["rx_frames"] == len(out) - 16, many
assert 0 < dropped <= lost < many["tx_frames"] and (kind == "ovs" or lost == dropped)

took = [c - s for s, c in zip(few_in, out[:16])]
late = run["instrument"]["loop_gap_max_us"] + 100
print(f"latency {few['latency_mean_us']:.0f} us in the mean, {few['latency_max_us']:.0f} at most; "
      f"by the kernel's stamps {sum(took) / 16:.0f} and {max(took):.0f}; "
      f"longest loop {late - 100:.0f} us")
assert abs(few["latency_mean_us"] - sum(took) / 16) <= late
assert abs(few["latency_max_us"] - max(took)) <= late
