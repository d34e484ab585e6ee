#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# While quench and soft-RoCE send to each other, a frame of the sender comes to the receiver 100
# times more with a wrong ICRC, which add nothing at either, and 100 times with the right one, which
# are duplicates there: so it is the ICRC that they were dropped for.
# usage: ours_icrc.py QUENCH SOURCE_ROOT CACHE
import os
import sys
import zlib

from guest import Failure, lines_of
from ours import run_ours, same
from ours_from import reach

COUNT = 1000
SIZE = 4096
COPIES = 100
HERE = os.path.dirname(os.path.abspath(__file__))


def inject(lab, mac):
    p = lab.start("python3", HERE + "/wrong_icrc.py", "tap1", mac, str(COPIES))
    while p.poll() is None and os.path.getsize(p.log.name) == 0:
        lab.one.run("usleep 20000")
    return p


def injected(p):
    if p.wait(60):
        p.log.seek(0)
        raise Failure(f"the frames were not sent: {p.log.read()[-2000:]}")


def duplicates(one):
    return int(one.run("cat /sys/class/infiniband/rxe0/ports/1/hw_counters/duplicate_request"))


def to_guest(lab):
    one = lab.one
    job = one.start(f"rdma_peer server {one.ip} 18600 receives={COUNT} size={SIZE} seconds=40")
    one.wait_for(job, "listening")
    p = inject(lab, "02:00:00:09:00:01")
    q = lab.begin("to", f"flows.to.count={COUNT}")
    came = [c for c in lines_of(one.finish(job)) if c["event"] == "disconnected"][-1]
    injected(p)
    summary = lab.end(q, COPIES)
    same("the guest: messages", came["messages"], COUNT)
    same("the guest: bytes", came["bytes"], COUNT * SIZE)
    same("the guest: CRC-32", came["crc"], zlib.crc32(bytes(COUNT * SIZE)))
    same("the guest: duplicates", duplicates(one), COPIES)
    same("messages acknowledged", summary["total"]["messages"], COUNT)


def from_guest(lab):
    q = lab.begin("back")
    reach(lab, q)
    p = inject(lab, "02:00:00:09:00:09")
    lab.one.run(f"rdma_peer send 10.9.0.9 18601 count={COUNT} size={SIZE} seconds=40")
    injected(p)
    summary = lab.end(q, more=COPIES)
    flow, nic = summary["flows"][0], summary["nic_counters"][0]
    same("we: messages", flow["message_complete_rx"], COUNT)
    same("we: bytes", flow["rx_bytes"], COUNT * SIZE)
    same("we: duplicates", nic.get("duplicate_request"), COPIES)
    same("we: ICRC errors", nic.get("rx_icrc_errors"), COPIES)
    same("we: frames dropped for their ICRC", nic.get("drop_icrc"), COPIES)


def traffic(lab):
    to_guest(lab)
    from_guest(lab)


if __name__ == "__main__":
    sys.exit(run_ours("field_ours_icrc", sys.argv[1:], traffic))
