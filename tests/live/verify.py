#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges the sheet of quench verify in front of a device that is as it should be: no row fails, and
a row without a verdict says that the instrument was at fault, or what is missing.
usage: verify.py VERIFY.JSON ROWS"""

import json
import sys

OWN = ("our own loops were late", "our own ports lost frames", "irregular", "mtu")

with open(sys.argv[1]) as f:
    rows = json.load(f)["rows"]
wrong = []
for r in rows:
    why = r.get("why") or "; ".join(
        sorted({c["why"] or "?" for c in r["criteria"] if c["verdict"] == "INVALID"}))
    print(f"{r['verdict']:<11} {r['row']} {why}")
    if r["verdict"] in ("FAIL", "NOT RUN"):
        wrong.append(r["row"])
    if r["verdict"] == "INVALID" and not all(
            any(word in part for word in OWN) for part in why.split("; ")):
        wrong.append(f"{r['row']}: {why}")
if len(rows) < int(sys.argv[2]):
    wrong.append(f"{len(rows)} rows")
if wrong:
    sys.exit("\n".join(wrong))
