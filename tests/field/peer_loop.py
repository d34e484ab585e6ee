#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# rdma_peer against itself, in two virtual machines with soft-RoCE behind the switch: connections by
# RDMA-CM, and 1000 messages each of SEND, WRITE and READ, whose bytes are those that were sent;
# immediate data, several connections at once, an R_Key that is wrong, a connection that is rejected
# and one that does not come are told as such.
# usage: peer_loop.py QUENCH SOURCE_ROOT CACHE
import sys

from guest import Failure, lines_of, run_pair

COUNT = 1000
SIZE = 4096
failed = []


def same(what, one, two):
    if one != two:
        failed.append(f"{what}: {one} and {two}")


def last(lines, event):
    """The last line of an event; no field where there is none."""
    return ([{}] + [line for line in lines if line["event"] == event])[-1]


def talk(client, server, verb, keys="", listener="", status=0):
    """Lines of the client and of the server, of one connection."""
    job = server.start(f"rdma_peer server {server.ip} 18600 {listener}")
    server.wait_for(job, "listening")
    to = client.run(f"rdma_peer {verb} {server.ip} 18600 {keys}; test $? = {status}")
    return lines_of(to), lines_of(server.finish(job))


def transfer(client, server, verb):
    sent, came = talk(client, server, verb, f"count={COUNT} size={SIZE}", f"size={SIZE}")
    done, end = last(sent, "done"), last(came, "disconnected")
    same(f"{verb}: messages done", done.get("messages"), COUNT)
    same(f"{verb}: bytes done", done.get("bytes"), COUNT * SIZE)
    if verb == "send":
        same("send: messages that came", end.get("messages"), COUNT)
        same("send: bytes that came", end.get("bytes"), COUNT * SIZE)
        same("send: CRC-32 of what was sent and came", done.get("crc"), end.get("crc"))
    else:
        same(f"{verb}: CRC-32 of the regions", done.get("region_crc"), end.get("region_crc"))
    before, after = last(came, "listening").get("region_crc"), end.get("region_crc")
    same(f"{verb}: the server's region has changed", before != after, verb == "write")
    print(f"{verb}: {done.get('messages')} messages of {SIZE} bytes")


def immediate(client, server, verb):
    _, came = talk(client, server, verb, f"count=20 imm=1 size={SIZE}", f"size={SIZE}")
    got = [(c["bytes"], c.get("imm")) for c in came if c["event"] == verb]
    same(f"{verb} with immediate", got, [(SIZE, i) for i in range(20)])


def faults(client, server):
    # One packet: further ones would come to a queue pair that is in error, which does not count
    # them.
    sent, came = talk(client, server, "write", "count=1 size=1024 wrong_rkey=1", status=1)
    same("a wrong R_Key", last(sent, "error").get("status"), "remote access error")
    same("messages behind a wrong R_Key", last(sent, "done").get("messages"), 0)
    same("the region behind a wrong R_Key", last(came, "listening").get("region_crc"),
         last(came, "disconnected").get("region_crc"))
    sent, came = talk(client, server, "send", listener="reject=1", status=1)
    same("a connection that is rejected", last(sent, "failed").get("what"),
         "RDMA_CM_EVENT_REJECTED")
    server.run(f"rdma_peer server {server.ip} 18600 seconds=1; test $? = 1")


def together(client, server):
    """Three clients at once, whose REQs have values of their own."""
    job = server.start(f"rdma_peer server {server.ip} 18600 connections=3 region=131072 receives=8 "
                       "rnr_retry=6")
    server.wait_for(job, "listening")
    jobs = [client.start(f"rdma_peer {verb} {server.ip} 18600 region=131072 count=100 window=4 "
                         f"reads=2 retry_count={i + 1} rnr_retry={i + 5} tos=2")
            for i, verb in enumerate(("send", "write", "read"))]
    for i, text in enumerate(map(client.finish, jobs)):
        same(f"client {i}: messages", last(lines_of(text), "done").get("messages"), 100)
    came = lines_of(server.finish(job))
    asked = [(c["responder_resources"], c["initiator_depth"], c["retry_count"], c["rnr_retry"])
             for c in came if c["event"] == "request"]
    same("what the REQs ask for", sorted(asked), [(2, 2, i + 1, i + 5) for i in range(3)])
    same("connections that ended", len([c for c in came if c["event"] == "disconnected"]), 3)


def traffic(one, two):
    for verb in ("send", "write", "read"):
        transfer(one, two, verb)
    for verb in ("send", "write"):
        immediate(two, one, verb)
    together(two, one)
    faults(one, two)
    if failed:
        raise Failure("\n".join(failed))


if __name__ == "__main__":
    sys.exit(run_pair("field_peer_loop", sys.argv[1:], traffic))
