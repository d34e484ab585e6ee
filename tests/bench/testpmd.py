# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's testpmd as a generator beside ours: one process, which waits between its measurements."""
import glob
import os
import pty
import re
import select
import shutil
import subprocess
import time

TOTAL = re.compile(rb"Accumulated forward statistics.*?TX-packets: (\d+)\s+TX-dropped: (\d+)",
                   re.DOTALL)
PORT = {"null": 0, "ring": 1}


class Testpmd:
    """Frames that nobody paces, over net_null and net_ring; ns of processor time of each."""

    def __init__(self):
        cpus = sorted(os.sched_getaffinity(0))
        self.prefix = f"quench-bench-{os.getpid()}"
        master, terminal = pty.openpty()
        self.out = master
        self.child = subprocess.Popen(
            ["dpdk-testpmd", "--lcores", f"0@{cpus[0]},1@{cpus[-1]}", "--no-pci", "--no-huge",
             "-m", "256", "--no-shconf", "--file-prefix", self.prefix, "--log-level=error",
             "--vdev", "net_null0,size=64", "--vdev", "net_ring0", "--", "-i", "--nb-cores=1",
             "--port-topology=loop", "--total-num-mbufs=8192", "--mbuf-size=4736", "--txd=1024",
             "--rxd=1024"],
            stdin=subprocess.PIPE, stdout=terminal, stderr=subprocess.DEVNULL)
        os.close(terminal)
        self.read(rb"testpmd> ", 30)

    def read(self, pattern, seconds):
        """What it prints until the pattern comes; ends the benchmark where it does not."""
        text, end = b"", time.monotonic() + seconds
        while not re.search(pattern, text, re.DOTALL):
            ready, _, _ = select.select([self.out], [], [], max(0, end - time.monotonic()))
            try:
                more = os.read(self.out, 65536) if ready else b""
            except OSError:
                more = b""
            if not more:
                raise RuntimeError("dpdk-testpmd has ended or does not answer: "
                                   + text[-300:].decode(errors="replace").strip())
            text += more
        return text

    def say(self, *lines):
        self.child.stdin.write("".join(line + "\n" for line in lines).encode())
        self.child.stdin.flush()

    def worker_ns(self):
        """Processor time of its only worker so far."""
        for path in glob.glob(f"/proc/{self.child.pid}/task/*/comm"):
            with open(path, encoding="utf-8") as f:
                if not re.search(r"worker-1$", f.read().strip()):
                    continue
            with open(os.path.join(os.path.dirname(path), "schedstat"), encoding="utf-8") as f:
                return int(f.read().split()[0])
        raise RuntimeError("dpdk-testpmd has no worker")

    def measure(self, mode, device, octets, seconds):
        """ns of processor time a frame; of those, too, that a full ring did not take."""
        self.say(f"set portlist {PORT[device]}", f"set fwd {mode}", f"set txpkts {octets}")
        before = self.worker_ns()
        self.say("start")
        time.sleep(seconds)
        self.say("stop")
        found = TOTAL.search(self.read(TOTAL.pattern, 30))
        frames = int(found[1]) + int(found[2])
        if not frames:
            raise RuntimeError(f"dpdk-testpmd {mode} has sent nothing over net_{device}")
        return (self.worker_ns() - before) / frames

    def close(self):
        self.say("quit")
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        os.close(self.out)
        shutil.rmtree(f"/var/run/dpdk/{self.prefix}", ignore_errors=True)
