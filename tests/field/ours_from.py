#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# rdma_peer in a virtual machine connects to quench by RDMA-CM, and its 1000 messages of SEND, and
# then of WRITE, come to it: packet for packet, in one connection behind the other.
# usage: ours_from.py QUENCH SOURCE_ROOT CACHE
import sys

from guest import lines_of
from ours import reach, run_ours, same

COUNT = 1000
SIZE = 4096
VERBS = ("send", "write")


def traffic(lab):
    q = lab.begin("back")
    reach(lab, q)
    for verb in VERBS:
        lines = lines_of(lab.one.run(f"rdma_peer {verb} 10.9.0.9 18601 count={COUNT} "
                                     f"size={SIZE} seconds=40"))
        done = [c for c in lines if c["event"] == "done"][-1]
        same(f"{verb}: messages done", done["messages"], COUNT)
        same(f"{verb}: bytes done", done["bytes"], COUNT * SIZE)
        same(f"{verb}: connections that ended", lines[-2]["event"], "disconnected")
        print(f"{verb}: {done['messages']} messages of {SIZE} bytes")
    flow = lab.end(q)["flows"][0]
    same("messages that came", flow["message_complete_rx"], COUNT * len(VERBS))
    same("bytes that came", flow["rx_bytes"], COUNT * SIZE * len(VERBS))


if __name__ == "__main__":
    sys.exit(run_ours("field_ours_from", sys.argv[1:], traffic))
