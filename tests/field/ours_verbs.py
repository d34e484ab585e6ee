#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# quench and rdma_peer in a virtual machine, both ways: immediate data come with their values; a
# wrong R_Key is refused with a remote access error, and the next connection works; a peer that is
# killed in the middle fails the flow with its reason.
# usage: ours_verbs.py QUENCH SOURCE_ROOT CACHE
import sys

from guest import lines_of
from ours import CAPTURE, reach, run_ours, same

COUNT = 20
SIZE = 4096


def last(lines, event):
    return ([{}] + [line for line in lines if line["event"] == event])[-1]


def immediate_to(lab, verb):
    one = lab.one
    job = one.start(f"rdma_peer server {one.ip} 18600 size={SIZE} seconds=40")
    one.wait_for(job, "listening")
    q = lab.begin("to", f"flows.to.verb={verb}_imm", f"flows.to.count={COUNT}")
    lines = lines_of(one.finish(job))
    summary = lab.end(q)
    got = [(c["bytes"], c.get("imm")) for c in lines if c["event"] == verb]
    same(f"{verb} with immediate to the guest", got, [(SIZE, i) for i in range(COUNT)])
    same(f"{verb}: messages acknowledged", summary["total"]["messages"], COUNT)
    print(f"{verb}: {COUNT} immediate data to the guest")


def immediate_from(lab):
    q = lab.begin("back", CAPTURE)
    reach(lab, q)
    for verb in ("send", "write"):
        lines = lines_of(lab.one.run(f"rdma_peer {verb} 10.9.0.9 18601 count={COUNT} size={SIZE} "
                                     "imm=1 seconds=40"))
        same(f"{verb}: messages done", last(lines, "done").get("messages"), COUNT)
    flow = lab.end(q)["flows"][0]
    got = [r.imm for r in lab.roce() if r.opcode in (3, 5, 9, 11) and not r.from_us]
    same("immediate data that came", flow["immediate_rx"], 2 * COUNT)
    same("the last that came", flow["immediate_last"], COUNT - 1)
    same("their values", got, 2 * list(range(COUNT)))
    same("receives taken", flow["receives"], 2 * COUNT)
    print(f"{flow['immediate_rx']} immediate data from the guest")


def refused_by_us(lab, verb):
    q = lab.begin("back", f"flows.back.verb={verb}", "flows.back.message=4KiB",
                  "record.events=all")
    reach(lab, q)
    lines = lines_of(lab.one.run(f"rdma_peer {verb} 10.9.0.9 18601 count=1 size=1024 wrong_rkey=1 "
                                 "seconds=40; test $? = 1"))
    same(f"{verb} with a wrong R_Key", last(lines, "error").get("status"), "remote access error")
    lines = lines_of(lab.one.run(f"rdma_peer {verb} 10.9.0.9 18601 count=8 size=1024 seconds=40"))
    same(f"{verb} with the right one", last(lines, "done").get("messages"), 8)
    reads = 9 if verb == "read" else 0
    summary = lab.end(q, refused=1, served=reads)
    same("requests that we refused", summary["nic_counters"][0]["resp_remote_access_errors"], 1)
    with open(lab.folder + "/run/events.csv", encoding="utf-8") as f:
        events = [s for s in f if ",refused,h:g1,,back[" in s and ",rkey 0x" in s]
    same("events that say so", len(events), 1)
    print(f"{verb}: a wrong R_Key is refused")


def refused_by_guest(lab, verb):
    one = lab.one
    job = one.start(f"rdma_peer server {one.ip} 18600 size={SIZE} seconds=40; true")
    one.wait_for(job, "listening")
    q = lab.begin("to", f"flows.to.verb={verb}", "flows.to.count=1", "flows.to.message=1KiB",
                  "flows.to.peer.rkey=1", "flows.to.peer.va=4096")
    one.finish(job)
    flow = lab.end(q, asked=1 if verb == "read" else 0)["flows"][0]
    same(f"{verb} that the guest refuses", flow["failure"], "remote access error")
    print(f"{verb}: the guest refuses a wrong R_Key")


def killed(lab):
    """What was under way then is lost, so the packets of both ends differ."""
    one = lab.one
    job = one.start(f"rdma_peer server {one.ip} 18600 size={SIZE} seconds=40; true")
    one.wait_for(job, "listening")
    q = lab.begin("to", "flows.to.verb=send", "flows.to.count=none", "flows.to.rto=200ms")
    one.wait_for(job, '"send"')
    one.run("killall -9 rdma_peer")
    one.finish(job)
    one.run("sleep 3")
    summary = lab.stop_quench(q)
    flow = summary["flows"][0]
    same("a peer that is killed", flow["failure"] in ("connection ended by peer",
                                                      "retries exceeded"), True)
    same("conserved", summary["verdicts"]["conserved"], True)
    print(f"killed after {flow['message_tx']} messages: {flow['failure']}")


def traffic(lab):
    for verb in ("send", "write"):
        immediate_to(lab, verb)
    immediate_from(lab)
    for verb in ("write", "read"):
        refused_by_us(lab, verb)
        refused_by_guest(lab, verb)
    killed(lab)


if __name__ == "__main__":
    sys.exit(run_ours("field_ours_verbs", sys.argv[1:], traffic))
