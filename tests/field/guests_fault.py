#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Faults between two virtual machines with soft-RoCE: each connection by RDMA-CM loses the packets
# that the scenario names, once each. soft-RoCE answers with NAKs and sends again, and each message
# comes with the bytes that were sent.
# usage: guests_fault.py QUENCH SOURCE_ROOT CACHE
import sys

from guest import Failure, Lab, lines_of, reach, run_lab

COUNT = 200  # messages of 4 packets
SIZE = 4096
VERBS = ("send", "write")


def last(lines, event):
    return ([{}] + [line for line in lines if line["event"] == event])[-1]


def transfer(client, server, verb):
    """One connection; returns what is wrong."""
    job = server.start(f"rdma_peer server {server.ip} 18600 size={SIZE}")
    server.wait_for(job, "listening")
    sent = lines_of(client.run(f"rdma_peer {verb} {server.ip} 18600 count={COUNT} size={SIZE}"))
    came = lines_of(server.finish(job))
    done, end = last(sent, "done"), last(came, "disconnected")
    crc = "crc" if verb == "send" else "region_crc"
    wrong = []
    if done.get("messages") != COUNT:
        wrong.append(f"{verb}: {done.get('messages')} messages are done, not {COUNT}")
    if not done.get(crc) or done.get(crc) != end.get(crc):
        wrong.append(f"{verb}: CRC-32 {done.get(crc)} was sent and {end.get(crc)} came")
    return wrong


def test(lab, quench, root, guests):
    one, two = guests
    switch = lab.run_quench(quench, root + "/tests/field/guests_fault.yaml")
    one.ready()
    two.ready()
    reach(switch, one, two)
    wrong = [line for verb in VERBS for line in transfer(one, two, verb)]
    summary = lab.stop_quench(switch)
    hits = [f["matched_total"] for f in summary["faults"]]
    for name, have, want in (("lost", hits[0], len(VERBS)), ("corrupted", hits[1], len(VERBS)),
                             ("begun by the REP's PSN", hits[2], len(VERBS))):
        if have != want:
            wrong.append(f"{name}: {have} packets, not {want}")
    if hits[3] < 2 * len(VERBS):
        wrong.append(f"{hits[3]} NAKs, where {2 * len(VERBS)} packets were lost")
    if not summary["verdicts"]["conserved"]:
        wrong.append("frames are not conserved")
    if wrong:
        raise Failure("\n".join(wrong))
    print(f"{len(VERBS)} connections: {hits[0]} packets lost, {hits[1]} corrupted, {hits[3]} NAKs, "
          "and all messages came")


if __name__ == "__main__":
    sys.exit(run_lab("field_guests_fault", sys.argv[1:], Lab, 2, test))
