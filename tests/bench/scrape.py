#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a scrape of a switch with 32 ports in use takes: round trips over the telemetry socket,
figures and time, for all figures and for quench stats' own choice.
usage: scrape.py BUILD [ROUNDS]"""
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
here = os.path.dirname(os.path.abspath(__file__))
quench = os.path.join(build, "quench")


def sockets(pid):
    for base in (os.environ.get("XDG_RUNTIME_DIR"), "/var/run", "/tmp"):
        if base:
            yield os.path.join(base, "dpdk", "quench-%d" % pid, "dpdk_telemetry.v2")


def connected(pid):
    for path in sockets(pid):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            s.connect(path)
            s.recv(1024)
            return s
        except OSError:
            s.close()
    return None


def ask(s, command):
    s.send(command.encode())
    return json.loads(s.recv(65536))[command.split(",")[0]]


def scrape(s, pattern):
    """Pages, figures and milliseconds of one scrape; all of one moment."""
    begin, at, pages, figures, moments = time.monotonic(), 0, 0, 0, set()
    while pages == 0 or at:
        page = ask(s, "/quench/metrics,%d,%s" % (at, pattern))
        moments.add(page["at_ps"])
        at = page.get("next", 0)
        figures += len(page["metrics"])
        pages += 1
    assert len(moments) == 1, moments
    return pages, figures, (time.monotonic() - begin) * 1e3


with tempfile.TemporaryDirectory() as out:
    run = subprocess.Popen([quench, "run", os.path.join(here, "scrape.yaml"), "--clock", "real",
                            "--no-huge", "--quiet", "--out", os.path.join(out, "run")],
                           stderr=subprocess.DEVNULL)
    try:
        s = None
        while not s and run.poll() is None:
            s = connected(run.pid)
        while ask(s, "/quench/metrics,0,pg.s1:h31.3.held_bytes").get("metrics") in (None, []):
            pass
        for name, pattern in (("all figures", "*"), ("queues and groups", "queue.*,pg.*"),
                              ("one figure", "total.drops")):
            seen = [scrape(s, pattern) for _ in range(rounds)]
            print("%-18s %3d round trips, %5d figures, %7.2f ms (median of %d; %.2f to %.2f)" % (
                name, seen[-1][0], seen[-1][1], statistics.median(t for _, _, t in seen), rounds,
                min(t for _, _, t in seen), max(t for _, _, t in seen)))
        begin = time.monotonic()
        subprocess.run([quench, "stats", "--instance", str(run.pid), "--prometheus"], check=True,
                       stdout=subprocess.DEVNULL)
        print("quench stats --prometheus, with its start: %.1f ms" % (
            (time.monotonic() - begin) * 1e3))
    finally:
        run.send_signal(2)
        run.wait()
