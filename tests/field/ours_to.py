#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# quench connects to rdma_peer in a virtual machine by RDMA-CM, and 1000 messages of SEND, and then
# of WRITE, come as they were sent: to the region that the REP names, packet for packet.
# usage: ours_to.py QUENCH SOURCE_ROOT CACHE
import sys
import zlib

from guest import Failure, lines_of
from ours import run_ours, same

COUNT = 1000
SIZE = 4096
REGION = 65536


def written():
    """The CRC-32 of the peer's region before and after WRITEs of zeros to its beginning."""
    was = bytes((i * 131 + i // 256 * 17 + 1) & 255 for i in range(REGION))
    return zlib.crc32(was), zlib.crc32(bytes(SIZE) + was[SIZE:])


def transfer(lab, verb):
    one = lab.one
    job = one.start(f"rdma_peer server {one.ip} 18600 receives={COUNT} size={SIZE} "
                    f"region={REGION} seconds=40")
    one.wait_for(job, "listening")
    q = lab.begin("to", f"flows.to.verb={verb}", f"flows.to.count={COUNT}")
    try:
        lines = lines_of(one.finish(job))
    except Failure as e:
        q.log.seek(0)
        raise Failure(f"{verb}: {str(e)[-2000:]}\n{q.log.read()[-2000:]}") from e
    came = [c for c in lines if c["event"] == "disconnected"][-1]
    summary = lab.end(q)
    flow = summary["flows"][0]
    before, after = written()
    sends = verb == "send"
    same(f"{verb}: messages sent", flow["message_tx"], COUNT)
    same(f"{verb}: messages acknowledged", summary["total"]["messages"], COUNT)
    same(f"{verb}: messages that failed", flow["message_fail"] or 0, 0)
    same(f"{verb}: messages that came", came["messages"], COUNT if sends else 0)
    same(f"{verb}: bytes that came", came["bytes"], COUNT * SIZE if sends else 0)
    same(f"{verb}: CRC-32 of what came", came["crc"], zlib.crc32(bytes(COUNT * SIZE)) if sends
         else 0)
    same(f"{verb}: CRC-32 of the region", came["region_crc"], before if sends else after)
    same(f"{verb}: neighbours asked for", summary["nic_counters"][0]["arp_request"] > 0, True)
    print(f"{verb}: {flow['message_tx']} messages of {SIZE} bytes")


def traffic(lab):
    transfer(lab, "send")
    transfer(lab, "write")


if __name__ == "__main__":
    sys.exit(run_ours("field_ours_to", sys.argv[1:], traffic))
