#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges the sheet of quench verify in front of a device that is as it should be: no row fails, and
a row without a verdict says that the instrument was at fault, or what is missing. A row passes if
our loops were on time and our ports lost nothing; of the rows in which our ports lost nothing,
PASSES do, though loops were late.
usage: verify.py VERIFY.JSON ROWS PASSES"""

import json
import os
import sys

OWN = ("our own loops were late", "our own ports lost frames",
       "our senders did not reach the rate", "irregular", "mtu")


def faults(row):
    """What our instrument did wrong in a row: "late", "lost"; "" where nothing. None: no run."""
    path = os.path.join(os.path.dirname(sys.argv[1]), row["suite"], row["row"], "summary.json")
    if not os.path.exists(path):
        return None
    with open(path) as f:
        s = json.load(f)
    if s["verdicts"]["instrument_lost"] or s["instrument"]["events_lost"]:
        return "lost"
    return "late" if s["instrument"]["timing_broken"] else ""


with open(sys.argv[1]) as f:
    rows = json.load(f)["rows"]
wrong = []
whole = passed = 0
for r in rows:
    why = r.get("why") or "; ".join(
        sorted({c["why"] or "?" for c in r["criteria"] if c["verdict"] == "INVALID"}))
    print(f"{r['verdict']:<11} {r['row']} {why}")
    if r["verdict"] in ("FAIL", "NOT RUN"):
        wrong.append(r["row"])
    if r["verdict"] == "INVALID" and not all(
            any(word in part for word in OWN) for part in why.split("; ")):
        wrong.append(f"{r['row']}: {why}")
    fault = faults(r)
    if fault == "" and r["verdict"] not in ("PASS", "NOT JUDGED"):
        wrong.append(f"{r['row']}: {r['verdict']}, though our loops were on time")
    whole += fault in ("", "late")
    passed += r["verdict"] == "PASS"
if passed < min(whole, int(sys.argv[3])):
    wrong.append(f"{passed} rows of {whole} pass")
if len(rows) < int(sys.argv[2]):
    wrong.append(f"{len(rows)} rows")
if wrong:
    sys.exit("\n".join(wrong))
