# SPDX-License-Identifier: BSD-3-Clause
"""Two cables of veth, whose near ends hop_bench has and whose far ends something joins: quench,
testpmd or Open vSwitch, each by net_af_packet on one lcore."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

import ovs

FAR = ("sa", "sb")
DEVICES = [f"net_af_packet{i},iface={name}" for i, name in enumerate(FAR)]
UNSAMPLED = "quench, no samples"  # the others take none
JOINED_BY = ("nothing", "quench", UNSAMPLED, "testpmd", "OVS")
FLOWS = 256  # each way, with MAC addresses of their own
BUFFER = "16MB"  # of quench, whose packets then have room in the hugepages of most machines
TRIES = 3  # of Open vSwitch, until nothing misses


def lacks(kind):
    """What is not installed of this one, or None."""
    if kind == "testpmd" and not shutil.which("dpdk-testpmd"):
        return "dpdk-testpmd"
    return ovs.missing() if kind == "OVS" else None


class Cables:
    """Namespaces of their own names, which are gone afterwards, and so are their interfaces."""

    def __init__(self, build, scenario):
        self.build, self.scenario = build, scenario
        self.near, self.far = (f"quench-{end}-{os.getpid()}" for end in ("near", "far"))
        self.cpus = sorted(os.sched_getaffinity(0))
        self.child = self.switch = self.folder = None
        try:
            for name in (self.near, self.far):
                self.ip("netns", "add", name)
            self.ip("link", "add", "x0", "netns", self.near, "type", "veth",
                    "peer", "name", "x1", "netns", self.near)
            for name in FAR:
                self.ip("link", "add", name, "netns", self.far, "type", "veth",
                        "peer", "name", name, "netns", self.near)
            for space, name in [(self.near, "x0"), (self.near, "x1")] + [
                    (space, name) for space in (self.near, self.far) for name in FAR]:
                self.enter(space, "sysctl", "-qw", f"net.ipv6.conf.{name}.disable_ipv6=1")
                self.ip("-n", space, "link", "set", name, "up")
        except BaseException:
            self.close()
            raise

    @staticmethod
    def ip(*argv):
        subprocess.run(["ip", *argv], check=True, capture_output=True)

    @staticmethod
    def enter(space, *argv):
        return subprocess.run(["ip", "netns", "exec", space, *argv], check=True, text=True,
                              capture_output=True, timeout=120).stdout

    def join(self, kind):
        """Starts what joins the far ends."""
        into = ["ip", "netns", "exec", self.far]
        if kind in ("quench", UNSAMPLED):
            self.folder = tempfile.mkdtemp(prefix="quench-bench-")
            sets = [f"--set=ports.s1:{end}.device={device}"
                    for end, device in zip("ab", DEVICES)]
            sets += [f"--set=ports.s1:{end}.mtu=1518" for end in "ab"]
            sets.append(f"--set=switches.s1.buffer={BUFFER}")
            sets += ["--set=sample=none"] if kind == UNSAMPLED else []
            argv = [os.path.join(self.build, "quench"), "run", self.scenario, "--clock=real",
                    "--workers=1", "--quiet", "--force", f"--out={self.folder}", *sets]
        elif kind == "testpmd":
            argv = ["dpdk-testpmd", "--lcores", f"0@{self.cpus[0]},1@{self.cpus[-1]}", "--no-pci",
                    "--in-memory", "-m", "256", "--log-level=error",
                    *(f"--vdev={device}" for device in DEVICES), "--", "--nb-cores=1",
                    "--forward-mode=io", "--total-num-mbufs=16384"]
        elif kind == "OVS":
            self.switch = ovs.Ovs(DEVICES, 2 * FLOWS, into)
            return
        else:
            return
        self.child = subprocess.Popen(into + argv, stdin=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def part(self):
        """Ends it."""
        if self.switch:
            self.switch.close()
        if self.child:
            self.child.send_signal(signal.SIGINT)
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
            self.child.stdin.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.child = self.switch = self.folder = None

    def hop(self, kind, samples):
        """{quantile: ns} from one near end to the other, of frames of all flows in turn, which
        have gone through both ways before."""
        ends = ("x0", "x1") if kind == "nothing" else FAR
        text = self.enter(self.near, "taskset", "-c", str(self.cpus[0]),
                          os.path.join(self.build, "tests", "bench", "hop_bench"), *ends,
                          str(FLOWS), str(samples))
        return {key: float(value) for key, value in map(str.split, text.splitlines())}

    def hop_by_ovs(self, samples):
        """The same through Open vSwitch, while nothing misses its tables."""
        for _ in range(TRIES):
            self.hop("OVS", FLOWS)
            before = self.switch.stats()["misses"]
            found = self.hop("OVS", samples)
            if self.switch.stats()["misses"] == before:
                return found
        return "not counted: Open vSwitch still misses"

    def hop_by_quench(self, samples):
        """The same through quench, which knows each address when one frame to it was flooded."""
        found = self.hop("quench", samples)
        self.child.send_signal(signal.SIGINT)
        self.child.wait(10)
        with open(os.path.join(self.folder, "summary.json"), encoding="utf-8") as f:
            ports = json.load(f)["switch_port_counters"]
        flooded = sum(port["flooded_frames"] for port in ports)
        return found if flooded < 2 * FLOWS else f"failed: quench has flooded {flooded} frames"

    def measure(self, kind, samples):
        """{quantile: ns} from one near end to the other, or a line that says why there is none."""
        try:
            self.join(kind)
            if kind == "OVS":
                return self.hop_by_ovs(samples)
            if kind in ("quench", UNSAMPLED):
                return self.hop_by_quench(samples)
            return self.hop(kind, samples)
        except subprocess.CalledProcessError as e:
            return "failed: " + (e.stderr.strip() or str(e))
        except (OSError, RuntimeError, subprocess.TimeoutExpired) as e:
            return f"failed: {e}"
        finally:
            self.part()

    def close(self):
        self.part()
        for name in (self.near, self.far):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
