#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Two virtual machines with soft-RoCE behind the switch on the real clock: ibv_rc_pingpong over IPv4
# and IPv6 and ib_write_bw finish all their iterations, every frame that left one guest came to the
# other, and nothing was dropped. Marking is on, and soft-RoCE does not act on marks, so nothing is
# asserted of them, nor of rates.
# usage: guests.py QUENCH SOURCE_ROOT CACHE
import re
import sys

from guest import Failure, run_pair

ITERATIONS = 500
# "500 iters in 0.5 seconds", and the row of ib_write_bw: bytes, iterations, rates.
PINGPONG = rf"^{ITERATIONS} iters in "
WRITE_BW = rf"^\s*4096\s+{ITERATIONS}\s"


def both(one, two, name, command, pattern):
    """A program of client and server, which both say that they have done all."""
    job = two.start(command)
    two.run("until netstat -ltn | grep -q :18515; do "
            f"test ! -e {job}.status || {{ cat {job}; exit 1; }}; usleep 20000; done")
    for text in (one.run(f"{command} {two.ip}"), two.finish(job)):
        if not re.search(pattern, text, re.M):
            raise Failure(f"{name} did not finish {ITERATIONS} iterations:\n{text}")
    print(f"{name}: {ITERATIONS} iterations at both ends")


def traffic(one, two):
    for version in ("ip", "ip6"):
        gid = one.gid(version)
        if two.gid(version) != gid:
            raise Failure(f"the guests have their {version} at different GID indices")
        both(one, two, f"ibv_rc_pingpong, {version}",
             f"ibv_rc_pingpong -d rxe0 -g {gid} -n {ITERATIONS} -s 4096", PINGPONG)
    both(one, two, "ib_write_bw",
         f"ib_write_bw -d rxe0 -x {one.gid('ip')} -n {ITERATIONS} -s 4096 --tclass=106", WRITE_BW)


if __name__ == "__main__":
    sys.exit(run_pair("field_guests", sys.argv[1:], traffic))
