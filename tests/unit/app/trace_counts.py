#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# A trace against the events.csv that it was made of: it decodes to the last byte, its slices
# balance, and each event is there once, at its instant rounded down to ns.
# usage: trace_counts.py TRACE EVENTS_CSV [MOST_BYTES_AN_EVENT]
import collections
import csv
import sys

import pftrace

ENDS = {"resume_rx": "pause_rx", "pfcwd_restore": "pfcwd_storm", "deadlock_end": "deadlock"}
OWN = {"run", "missing"}
FIRST = {"mark", "cnp_tx", "fast_cnp_tx", "iqcn_tx", "xoff_tx", "pause_rx"}
NEXT = {("mark", "cnp_tx"), ("cnp_tx", "cnp_rx"), ("fast_cnp_tx", "cnp_rx"),
	("iqcn_tx", "cnp_rx"), ("cnp_rx", "rp"), ("xoff_tx", "pause_rx"),
	("xoff_tx", "xoff_tx"), ("pause_rx", "xoff_tx")}


def ns(us):
    """Whole ns of an instant in us with up to six decimals."""
    whole, _, rest = us.partition(".")
    return int(whole) * 1000 + int(rest.ljust(6, "0")[:3])


def events_of(trace):
    """Instants and types of all events that have a category, and of the ends of slices."""
    seen = collections.Counter()
    by_hand = ("end of the run", "no event of it")
    starts = {begin: end for end, begin in ENDS.items()}
    for e in trace.all():
        if e.category in OWN:
            continue
        at = e.t
        if e.category == "msg_done" and e.end is not None:
            at = e.end
        seen[at, e.category] += 1
        assert e.end is None or e.end >= e.t
        if e.category in starts and e.end is not None and e.notes["ended_by"] not in by_hand:
            seen[e.end, starts[e.category]] += 1
    return seen


def check_counters(trace, rows):
    """Types that are shown as values of a flow's counter."""
    columns = {"rp_alpha": ("alpha", "alpha"), "rtt": ("RTT", "detail")}
    values = {}
    for t in trace.tracks.values():
        if t.counter is not None and t.path()[1] == "flows":
            values[t.path()[2], t.name] = collections.Counter(t.values)
    for row in rows:
        name, column = columns[row["event"]]
        seen = values[row["flow"], name]
        at = ns(row["time_us"]), float(row[column])
        assert seen[at] > 0, f"{row} is no value of {name}"
        seen[at] -= 1


def check_arrows(trace):
    for arrow, events in trace.flows.items():
        types = [e.category for e in events]
        assert len(events) > 1 and types[0] in FIRST, f"arrow {arrow}: {types}"
        for a, b in zip(types, types[1:], strict=False):
            assert (a, b) in NEXT, f"arrow {arrow}: {types}"


def main():
    with open(sys.argv[1], "rb") as f:
        trace = pftrace.Trace(f.read())
    with open(sys.argv[2], encoding="ascii") as f:
        rows = list(csv.DictReader(f))
    counters = [r for r in rows if r["event"] in ("rp_alpha", "rtt")]
    want = collections.Counter((ns(r["time_us"]), r["event"]) for r in rows)
    want -= collections.Counter((ns(r["time_us"]), r["event"]) for r in counters)
    seen = events_of(trace)
    assert seen == want, f"lacks {list((want - seen).items())[:5]}, " \
        f"has besides {list((seen - want).items())[:5]}"
    check_counters(trace, counters)
    check_arrows(trace)
    each = trace.bytes / max(len(rows), 1)
    if len(sys.argv) > 3:
        assert each <= float(sys.argv[3]), f"{each:.1f} bytes an event"
    print(len(rows), "events,", len(trace.flows), "arrows,", f"{each:.1f} bytes an event")


main()
