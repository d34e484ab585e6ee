# SPDX-License-Identifier: BSD-3-Clause
"""Judges what quench probe found of rt_probe.yaml's switch: classes and counts, no times.

probe.py PROBE_JSON
A busy machine may leave a figure out (invalid, varies, not measured), but a value that is given
must be right. A line for each one that is not; the exit status is their number, at most 1.
"""
import json
import sys

CELL = 144
WORDS = {
    "obeys": "PFC",
    "dscps": 4,
    "quanta": 40000,
    "threshold": "static",
    "mark": "at dequeue",
    "mark_averaged": "no",
}
# Bytes, and the cells by which a count of frames may differ besides 1 %.
COUNTS = {
    "xoff_bytes": (100000, 3),
    "xon_bytes": (88000, 3),
    "hysteresis_bytes": (12000, 4),
    "kmin_bytes": (20000, 20),
    "kmax_bytes": (60000, 10),
}

with open(sys.argv[1], encoding="utf-8") as f:
    found = json.load(f)
wrong = 0


def complain(text):
    global wrong
    wrong = 1
    print(f"probe: {text}")


def value(figure):
    """What was found for sure, or None."""
    return figure["value"] if figure["state"] == "is" else None


if value(found["figures"]["forwards"]) not in ("yes", None):
    complain(f"forwards: {found['figures']['forwards']}")
for cls, figures in found["classes"].items():
    if cls != "3" and value(figures["obeys"]) not in ("nothing", None):
        complain(f"class {cls} obeys: {figures['obeys']}")
three = found["classes"]["3"]
for name, want in WORDS.items():
    if value(three[name]) not in (want, None):
        complain(f"{name}: {three[name]}, not {want}")
for name, (want, cells) in COUNTS.items():
    got = value(three[name])
    if got is not None and abs(got - want) > 0.01 * want + cells * CELL:
        complain(f"{name}: {three[name]}, not {want}")
print("judged:", *(n for n in (*WORDS, *COUNTS) if value(three[n]) is not None))
sys.exit(wrong)
