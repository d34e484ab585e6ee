# SPDX-License-Identifier: BSD-3-Clause
"""Judges what quench probe found of rt_probe.yaml's switch: classes, counts, and its refresh.

probe.py FOLDER [DILATE|faults]
A value that is given must be right. A figure may be missing only if the run says that its loops
came too late, and for a reason of our own. It prints a line of each wrong figure, and one with the
valid ones: those that are as near as the tolerance says. The exit status is 1 if a figure is wrong
or missing. DILATE: how many times slower the device's clock is. `faults`: the bench had some, so
that figures may be missing because of them.
"""
import json
import sys

CELL = 144
QUANTA = 40000
RATE = 1e8
PERCENT = 0.01
# Value, and by how much a count may be off: a share, or cells where that is more.
CLASS = {
    "obeys": ("PFC", 0, 0),
    "dscps": (4, 0, 0),
    "quanta": (QUANTA, 0, 0),
    "threshold": ("static", 0, 0),
    "mark": ("at dequeue", 0, 0),
    "mark_averaged": ("no", 0, 0),
    "xoff_bytes": (100080, PERCENT, 1),
    "xon_bytes": (87984, PERCENT, 1),
    "hysteresis_bytes": (12096, PERCENT, 2),
    "headroom_bytes": (59760, PERCENT, 2),
    "kmin_bytes": (20000, PERCENT, 0),
    "kmax_bytes": (60000, PERCENT, 0),
    "pmax_percent": (100, PERCENT, 0),
    "refresh_us": (QUANTA * 512e6 / RATE / 2, PERCENT, 0),
}
LOSSY = {
    "tail_limit_bytes": (586656, PERCENT, 0),
    "tail_alpha": (1, 0, 0),
    "tail_shared_bytes": (1760000, PERCENT, 0),
}
DEVICE = {"cell_bytes": (CELL, 0, 0)}
# Classes that must not be wrong. All other figures are of the table of the real clock.
WORDS = ("obeys", "threshold", "mark_averaged")
OURS = ("our ", "maps differ", "ramps differ", "frames came out of a class", "loops are too long",
        "frames of ours stayed", "frames of the fill were lost", "no XOFF came", "XOFF was not",
        "no DSCP of the class", "it does not obey PFC")
FAULTS = ("a link was lost", "the device ", "step ")

folder = sys.argv[1]
faults = sys.argv[2:] == ["faults"]
dilate = int(sys.argv[2]) if len(sys.argv) > 2 and not faults else 1
with open(f"{folder}/probe.json", encoding="utf-8") as f:
    found = json.load(f)
with open(f"{folder}/summary.json", encoding="utf-8") as f:
    instrument = json.load(f)["instrument"]
late = instrument["timing_broken"]
bad = valid = asked = 0


def complain(text):
    global bad
    bad = 1
    print(f"probe: {text}")


def judge(name, figure, truth, share, cells):
    """1 if the figure is within its tolerance."""
    if figure["state"] in ("not_measured", "invalid", "varies"):
        why = figure.get("why", "")
        if not (late or faults) or (why and not why.startswith(OURS + FAULTS * faults)):
            complain(f"{name} is missing: {figure}")
        return 0
    value = figure["value"]
    if isinstance(truth, str):
        good = near = value == truth
    else:
        if name.endswith("_us"):
            truth /= dilate
        off = abs(value - truth)
        good = off <= max(share * truth, cells * CELL)
        near = good or off <= figure.get("half_width", 0)
    if not near or figure["state"] != "is":
        complain(f"{name}: {figure}, not {truth}")
    return good


def judge_all(table, figures):
    global valid, asked
    for name, row in table.items():
        if name not in figures:  # no step looked for it
            continue
        counts = name not in WORDS
        asked += counts
        valid += judge(name, figures[name], *row) and counts


if found["figures"]["forwards"] != {"state": "is", "value": "yes"}:
    complain(f"forwards: {found['figures']['forwards']}")
if found["rate_bps"] != RATE * dilate:
    complain(f"rate_bps: {found['rate_bps']}")
for cls, figures in found["classes"].items():
    obeys = figures.get("obeys", {"state": "invalid"})
    if cls != "3" and obeys["state"] == "is" and obeys["value"] != "nothing":
        complain(f"class {cls} obeys: {obeys}")
judge_all(DEVICE, found["figures"])
judge_all(CLASS, found["classes"]["3"])
judge_all(LOSSY, found["classes"].get("0", {}))
print(f"valid: {valid} of {asked}, loop gap {found['gap_p99_us']:.0f} us, at most "
      f"{found['gap_max_us'] / 1000:.1f} ms, timing {'broken' if late else 'held'}")
sys.exit(bad)
