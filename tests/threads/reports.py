#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges what ThreadSanitizer reported of a run.

The main lcore reads counters and states of nodes for samples and figures while the lcore that owns
them goes on: each has one writer and is read whole. Only reads by the functions below are allowed
for that reason, and never a write.

usage: reports.py FILE...    prints each report that is not allowed; exit status 1: there are some
"""
import re
import sys

READERS = {"record_sample", "record_steady_take", "give_figures"}

ACCESS = re.compile(
    r"^  (?:Previous )?(atomic )?(read|write) of size .*:\n((?:    #.*\n)+)", re.M | re.I)


def is_allowed(report):
    accesses = ACCESS.findall(report)
    if len(accesses) < 2:  # one of the stacks is forgotten by now
        return True
    for _, kind, stack in accesses:
        if kind.lower() == "read" and READERS & set(re.findall(r"#\d+ (\S+)", stack)):
            return True
    return False


def main():
    bad = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", errors="replace") as f:
            for report in f.read().split("=================="):
                if "WARNING: ThreadSanitizer" in report and not is_allowed(report):
                    print(report)
                    bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
