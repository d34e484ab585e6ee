#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# 1000 READs between quench and rdma_peer in a virtual machine, connected by RDMA-CM: quench reads
# the peer's region, and then the peer reads what quench has. Each packet and each byte comes.
# usage: ours_read.py QUENCH SOURCE_ROOT CACHE
import sys
import zlib

from guest import Failure, lines_of
from ours import CAPTURE, READ_REQUEST, READ_RESPONSES, reach, run_ours, same

COUNT = 1000
SIZE = 4096
MTU = 1024
REGION = 65536


def first_message():
    """What the peer's region begins with (rdma_peer.c)."""
    return bytes((i * 131 + i // 256 * 17 + 1) & 255 for i in range(SIZE))


def reads_requested(packets, from_us):
    """The PSNs of READ requests, which must be as many as there are messages."""
    psns = [r.psn for r in packets if r.opcode == READ_REQUEST and r.from_us == from_us]
    same("READ requests", len(psns), COUNT)
    same("PSNs between requests", {(b - a) & 0xffffff for a, b in zip(psns, psns[1:])},
         {SIZE // MTU})
    return psns


def we_read(lab):
    one = lab.one
    job = one.start(f"rdma_peer server {one.ip} 18600 size={SIZE} region={REGION} seconds=40")
    one.wait_for(job, "listening")
    q = lab.begin("to", "flows.to.verb=read", "flows.to.outstanding=8", f"flows.to.count={COUNT}",
                  CAPTURE)
    try:
        lines = lines_of(one.finish(job))
    except Failure as e:
        q.log.seek(0)
        raise Failure(f"{str(e)[-2000:]}\n{q.log.read()[-2000:]}") from e
    summary = lab.end(q, asked=COUNT)
    packets = lab.roce()
    reads_requested(packets, True)
    data = b"".join(r.payload for r in packets if r.opcode in READ_RESPONSES)
    flow = summary["flows"][0]
    same("responder resources that the REQ asks for", lines[1]["responder_resources"], 16)
    same("messages read", flow["message_complete_rx"], COUNT)
    same("bytes read", flow["rx_bytes"], COUNT * SIZE)
    same("frames of data", flow["data_frames_rx"], COUNT * SIZE // MTU)
    same("CRC-32 of what was read", zlib.crc32(data), zlib.crc32(first_message() * COUNT))
    print(f"we read: {flow['message_complete_rx']} messages of {SIZE} bytes")


def peer_reads(lab):
    q = lab.begin("back", "flows.back.verb=read", "flows.back.message=4KiB",
                  "flows.back.payload=counter", CAPTURE)
    reach(lab, q)
    lines = lines_of(lab.one.run(f"rdma_peer read 10.9.0.9 18601 count={COUNT} size={SIZE} "
                                 f"region={REGION} seconds=40"))
    done = [c for c in lines if c["event"] == "done"][-1]
    summary = lab.end(q, served=COUNT)
    first = reads_requested(lab.roce(), False)[0]
    # Each frame counts up from its PSN, and message i fills slice i modulo 16 of the region.
    last = [COUNT - 16 + (i - COUNT) % 16 for i in range(16)]
    region = b"".join(bytes((first + m * SIZE // MTU + k + i) & 255 for i in range(MTU))
                      for m in last for k in range(SIZE // MTU))
    flow = summary["flows"][0]
    same("READs that are served at a time", lines[0]["initiator_depth"], 4)
    same("messages done by the peer", done["messages"], COUNT)
    same("messages that were read of us", flow["message_tx"], COUNT)
    same("bytes that were read of us", flow["tx_bytes"], COUNT * SIZE)
    same("frames sent again", flow["data_frames_retransmitted"], 0)
    same("CRC-32 of the region", done["region_crc"], zlib.crc32(region))
    print(f"the peer reads: {done['messages']} messages of {SIZE} bytes")


def traffic(lab):
    we_read(lab)
    peer_reads(lab)


if __name__ == "__main__":
    sys.exit(run_ours("field_ours_read", sys.argv[1:], traffic))
