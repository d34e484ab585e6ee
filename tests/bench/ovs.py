# SPDX-License-Identifier: BSD-3-Clause
"""Open vSwitch with DPDK beside quench: a database, a bridge and one PMD thread of its own, in a
folder that is gone afterwards; nothing of the system's Open vSwitch is touched."""
import glob
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

VSWITCHD = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
MEMORY_MB = 1024  # hugepages of its own
NEEDED = (VSWITCHD, SCHEMA)


def missing():
    """What of it is not installed, or None."""
    return next((path for path in NEEDED if not os.path.exists(path)), None) or next(
        (name for name in ("ovsdb-tool", "ovsdb-server", "ovs-vsctl", "ovs-appctl")
         if not shutil.which(name)), None)


class Ovs:
    """A bridge with the action NORMAL between ports of DPDK, served by a PMD thread on one
    processor; all else of it runs on the others."""

    def __init__(self, devices, addresses, namespace=("unshare", "--net")):
        """devices: arguments of virtual devices, one for each port; addresses: that are learned;
        namespace: the command that puts it into a network namespace."""
        self.dir = tempfile.mkdtemp(prefix="quench-ovs-")
        self.env = dict(os.environ, OVS_RUNDIR=self.dir, OVS_LOGDIR=self.dir, OVS_DBDIR=self.dir,
                        OVS_SYSCONFDIR=self.dir)
        self.children = []
        try:
            self.start(devices, addresses, namespace)
        except BaseException:
            self.close()
            raise

    def start(self, devices, addresses, namespace):
        cpus = sorted(os.sched_getaffinity(0))
        db, socket = os.path.join(self.dir, "db"), os.path.join(self.dir, "db.sock")
        self.say("ovsdb-tool", "create", db, SCHEMA)
        self.child("ovsdb-server", db, f"--remote=punix:{socket}", "--no-chdir")
        self.wait(lambda: os.path.exists(socket), "ovsdb-server does not answer")
        self.set("Open_vSwitch", ".", "other_config:dpdk-init=true",
                 f"other_config:dpdk-socket-mem={MEMORY_MB}",
                 f"other_config:pmd-cpu-mask={1 << cpus[-1]:#x}",
                 f"other_config:dpdk-lcore-mask={1 << cpus[0]:#x}",
                 # While quench has its turn nothing comes: no flow ends by that.
                 "other_config:max-idle=3600000",
                 "other_config:flow-limit=400000",
                 "other_config:dpdk-extra=--no-pci --in-memory")
        # It makes interfaces of the kernel for a bridge: in a network namespace nobody sees them.
        self.vswitchd = self.child(VSWITCHD, f"unix:{socket}", "--no-chdir",
                                   f"--unixctl={self.dir}/ctl", namespace=namespace)
        self.vsctl("add-br", "br", "--", "set", "Bridge", "br", "datapath_type=netdev",
                   f"other_config:mac-table-size={2 * addresses + 64}",
                   "other_config:mac-aging-time=3600")
        for i, device in enumerate(devices):
            self.vsctl("add-port", "br", f"p{i}", "--", "set", "Interface", f"p{i}", "type=dpdk",
                       f"options:dpdk-devargs={device}")
        error = self.vsctl("--columns=error", "--format=csv", "--no-heading", "list", "Interface")
        if re.search(r"\w\w", error):
            raise RuntimeError("Open vSwitch: " + " ".join(error.split()))

    def child(self, *argv, namespace=()):
        with open(os.path.join(self.dir, os.path.basename(argv[0]) + ".log"), "wb") as log:
            child = subprocess.Popen([*namespace, *argv], env=self.env, stdout=log, stderr=log,
                                     stdin=subprocess.DEVNULL)
        self.children.append(child)
        return child

    def say(self, *argv):
        done = subprocess.run(argv, env=self.env, capture_output=True, text=True, check=False,
                              timeout=60)
        if done.returncode:
            raise RuntimeError(f"{argv[0]}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def vsctl(self, *argv):
        return self.say("ovs-vsctl", f"--db=unix:{self.dir}/db.sock", "--timeout=50", *argv)

    def set(self, *argv):
        self.vsctl("--no-wait", "init", "--", "set", *argv)

    def appctl(self, *argv):
        return self.say("ovs-appctl", f"--target={self.dir}/ctl", *argv)

    @staticmethod
    def wait(condition, why, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(why)
            time.sleep(0.05)

    def stats(self):
        """Counters of the PMD thread: packets received, hits by cache, misses."""
        text = self.appctl("dpif-netdev/pmd-stats-show").split("main thread:")[0]
        found = {key: int(n) for key, n in re.findall(r"^ +([\w -]+): (\d+)", text, re.M)}
        found["misses"] = sum(n for key, n in found.items() if key.startswith("miss with"))
        return found

    def worker_ns(self):
        """Processor time of its only PMD thread so far."""
        for path in glob.glob(f"/proc/{self.vswitchd.pid}/task/*/comm"):
            with open(path, encoding="utf-8") as f:
                if not f.read().startswith("pmd-c"):
                    continue
            with open(os.path.join(os.path.dirname(path), "schedstat"), encoding="utf-8") as f:
                return int(f.read().split()[0])
        raise RuntimeError("Open vSwitch has no PMD thread")

    def measure(self, seconds):
        """Of a while: ns of processor time a frame, and what the PMD thread counted."""
        before, from_ns = self.stats(), self.worker_ns()
        time.sleep(seconds)
        after, to_ns = self.stats(), self.worker_ns()
        more = {key: n - before.get(key, 0) for key, n in after.items()}
        if not more.get("packets received"):
            raise RuntimeError("Open vSwitch has received nothing")
        more["ns"] = (to_ns - from_ns) / more["packets received"]
        return more

    def pause(self, stop):
        os.kill(self.vswitchd.pid, signal.SIGSTOP if stop else signal.SIGCONT)

    def close(self):
        for child in reversed(self.children):
            child.send_signal(signal.SIGCONT)
            child.terminate()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self.dir, ignore_errors=True)
