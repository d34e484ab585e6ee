#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Virtual machines with Linux soft-RoCE (rdma_rxe), as peers that quench has not made: QEMU emulates
# them in software, so they need no KVM. The kernel is Debian's; apt fetches it, it is unpacked into
# a cache and not installed. The rest of a guest is an initramfs of programs of this machine:
# busybox, rdma, ibv_devinfo, ibv_rc_pingpong, ib_write_bw, and our rdma_peer.
#
# For tests, which need root and fail where something is missing:
#
#   run_pair(NAME, ARGS, TRAFFIC)   a whole test: two guests behind the switch of guests.yaml
#   run_lab(NAME, ARGS, LAB, COUNT, TEST)   any whole test: LAB makes the lab, here it is Lab
#   image = make_image(CACHE, FOLDER)   the kernel, which CACHE keeps, and a new initramfs
#   with Lab(FOLDER) as lab:    a network namespace of its own; when the block ends, however that
#                               may be, nothing is left of it nor of the programs started in it
#       guest = lab.guest(image, N)     boots one at the interface tapN: guest.ip is 10.9.0.N,
#                                       guest.ip6 fd09::N, and its MAC address 02:00:00:09:00:0N
#       guest.ready()                   waits until it has booted and has its device rxe0
#       text = guest.run(COMMAND)       what a command of its shell prints; status 0, or Failure
#       job = guest.start(COMMAND)      one in the background, as a listener
#       guest.wait_for(job, TEXT)       until the job has printed it
#       text = guest.finish(job)        all that it has printed; status 0, or Failure
#       lines_of(text)                  what rdma_peer has printed, as a list of events
#       counters(guest)                 RoCE packets that rxe0 has sent and taken, two numbers
#       q = lab.run_quench(QUENCH, SCENARIO, OPTION...)     on the real clock, at these interfaces
#       summary = lab.stop_quench(q)
#       p = lab.start(ARG...)           any other program; its output is in p.log
#
# By hand: guest.py CACHE TAP N   a guest's console at an interface that exists; Ctrl-A X ends it.
import ctypes
import glob
import json
import lzma
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ["rdma", "ibv_devinfo", "ibv_rc_pingpong", "ib_write_bw"]
NEEDS = {"qemu-system-x86_64": "qemu-system-x86", "gcc": "gcc", "cpio": "cpio", "ip": "iproute2",
         "busybox": "busybox-static", "rdma": "iproute2", "ibv_devinfo": "ibverbs-utils",
         "ibv_rc_pingpong": "ibverbs-utils", "ib_write_bw": "perftest", "apt-get": "apt",
         "dpkg-deb": "dpkg", "ldd": "libc-bin"}
# crc32_generic computes ICRCs for rdma_rxe, which asks the kernel for it by the name crc32.
MODULES = ["virtio_pci", "virtio_net", "crc32_generic", "ib_uverbs", "rdma_ucm", "rdma_rxe"]
PROVIDERS = "/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav*.so"
BOOT_SECONDS = 60

# The console carries commands, and for each what it prints and a line with its status.
INIT = r"""#!/bin/busybox sh
export PATH=/bin
busybox mount -t proc proc /proc
busybox --install -s /bin
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
while read -r m; do insmod "/modules/$m" || echo "insmod $m fails"; done </modules/order
n=$(sed 's/.*guest=\([0-9]*\).*/\1/' /proc/cmdline)
ip link set lo up
ip addr add "10.9.0.$n/24" dev eth0
echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad
ip addr add "fd09::$n/64" dev eth0
ip link set eth0 up
rdma link add rxe0 type rxe netdev eth0
cd /sys/class/infiniband/rxe0/ports/1/gids
until grep -qs ffff:0a09 * && grep -qs ^fd09 *; do usleep 20000; done
stty raw -echo
cd /tmp
echo "guest-ready"
# Background jobs become children of this shell. One that ends would interrupt its read, and lose
# what that has read of a line, so another shell reads.
(while read -r line; do
	(eval "$line")
	echo "guest-status $?"
done)
"""


class Failure(Exception):
    """Something fails or is not there; the text is one clear line."""


def call(*args, **more):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)
    if done.returncode:
        said = done.stdout.strip().splitlines() or [f"status {done.returncode}"]
        raise Failure(f"{' '.join(args[:4])} fails: {said[-1]}")
    return done.stdout


def check_needs():
    if os.getuid():
        raise Failure("the field tests with guests need root")
    for program, package in NEEDS.items():
        if not shutil.which(program):
            raise Failure(f"{program} is missing (Debian: {package}): scripts/install-deps --field")
    if not glob.glob(PROVIDERS):
        raise Failure(f"{PROVIDERS} is missing (Debian: ibverbs-providers)")
    if not os.path.exists("/dev/net/tun"):
        raise Failure("/dev/net/tun is missing: modprobe tun")


def kernel_package():
    """The package that Debian's linux-image-amd64 stands for."""
    found = re.search(r"Depends: (linux-image-\S+)",
                      call("apt-cache", "depends", "linux-image-amd64"))
    if not found:
        raise Failure("apt knows no linux-image-amd64: run apt-get update, on Debian for amd64")
    return found[1]


def unpack_vmlinux(bzimage, path):
    """QEMU starts the kernel itself sooner than its compressed form, which unpacks itself slowly
    in emulation. Linux, Documentation/x86/boot.rst: setup_sects, payload_offset, payload_length."""
    with open(bzimage, "rb") as f:
        image = f.read()
    at = (image[0x1f1] + 1) * 512 + int.from_bytes(image[0x248:0x24c], "little")
    payload = image[at:at + int.from_bytes(image[0x24c:0x250], "little")]
    if payload[:6] == b"\xfd7zXZ\0":
        image = lzma.LZMADecompressor().decompress(payload)
    with open(path, "wb") as f:
        f.write(image)


def with_depends(modules, wanted, order):
    """Modules in the order in which they can be loaded, by what each says it depends on."""
    for name in wanted:
        if name in order:
            continue
        if name not in modules:
            raise Failure(f"the kernel has no module {name}")
        with open(modules[name], "rb") as f:
            depends = re.search(rb"\0depends=([^\0]*)\0", f.read())[1].decode()
        with_depends(modules, [d.replace("-", "_") for d in depends.split(",") if d], order)
        order.append(name)
    return order


def unpack(deb, root, folder):
    """Of a kernel's package, vmlinux, the modules that we need, and the order to load them in."""
    call("dpkg-deb", "-x", deb, root)
    unpack_vmlinux(glob.glob(root + "/boot/vmlinuz-*")[0], folder + "/vmlinux")
    os.mkdir(folder + "/modules")
    modules = {os.path.basename(m)[:-3].replace("-", "_"): m
               for m in glob.glob(root + "/lib/modules/**/*.ko", recursive=True)}
    order = with_depends(modules, MODULES, [])
    for name in order:
        os.rename(modules[name], f"{folder}/modules/{name}.ko")
    with open(folder + "/modules/order", "w", encoding="ascii") as f:
        f.write("".join(f"{name}.ko\n" for name in order))


def kernel(cache):
    """The folder with what we need of Debian's kernel, which is fetched if it is not there yet."""
    package = kernel_package()
    folder = os.path.join(os.path.abspath(cache), package)
    if all(os.path.exists(f"{folder}/modules/{m}.ko") for m in MODULES):
        return folder
    for old in (folder, folder + ".part"):
        shutil.rmtree(old, ignore_errors=True)
    os.makedirs(folder + ".part/deb")
    try:
        call("apt-get", "-o", "APT::Sandbox::User=root", "download", package,
             cwd=folder + ".part/deb")
    except Failure as e:
        raise Failure(f"the kernel {package} cannot be fetched (apt-get update may help): "
                      f"{e}") from e
    unpack(glob.glob(folder + ".part/deb/*.deb")[0], folder + ".part/root", folder + ".part")
    shutil.rmtree(folder + ".part/root")
    shutil.rmtree(folder + ".part/deb")
    os.rename(folder + ".part", folder)
    return folder


def compile_peer(path):
    call("gcc", "-std=gnu2x", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path,
         HERE + "/rdma_peer.c", "-lrdmacm", "-libverbs", "-lz")


def copy_programs(root):
    """Programs in /bin, and libraries where their programs look for them."""
    paths = [shutil.which(p) for p in PROGRAMS] + [root + "/bin/rdma_peer"]
    for p in paths[:-1]:
        shutil.copy(p, root + "/bin")
    shutil.copy(shutil.which("busybox"), root + "/bin")
    providers = glob.glob(PROVIDERS)
    for lib in set(re.findall(r"(/\S+) \(0x", call("ldd", *paths, *providers))) | set(providers):
        os.makedirs(root + os.path.dirname(lib), exist_ok=True)
        shutil.copy(lib, root + lib)
    os.makedirs(root + "/etc/libibverbs.d")
    with open(root + "/etc/libibverbs.d/rxe.driver", "w", encoding="ascii") as f:
        f.write("driver rxe\n")


def make_image(cache, folder):
    """The kernel's path, and that of an initramfs that is made anew in the folder."""
    check_needs()
    linux = kernel(cache)
    root = os.path.join(folder, "root")
    for d in ("bin", "proc", "sys", "dev", "tmp", "etc"):
        os.makedirs(f"{root}/{d}")
    compile_peer(root + "/bin/rdma_peer")
    copy_programs(root)
    shutil.copytree(linux + "/modules", root + "/modules")
    with open(root + "/init", "w", encoding="ascii") as f:
        f.write(INIT)
    os.chmod(root + "/init", 0o755)
    initramfs = os.path.join(folder, "initramfs")
    with open(initramfs, "wb") as f:
        names = subprocess.run(["find", "."], cwd=root, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet", "--owner=0:0"], cwd=root, check=True,
                       input=names, stdout=f)
    shutil.rmtree(root)
    return linux + "/vmlinux", initramfs


def qemu(image, tap, n):
    """The command of a guest. Its NIC leaves nothing to this machine: frames are whole and have
    their checksums, as on a wire."""
    off = ("csum", "gso", "guest_csum", "guest_tso4", "guest_tso6", "guest_ecn", "guest_ufo",
           "host_tso4", "host_tso6", "host_ecn", "host_ufo")
    return ["qemu-system-x86_64", "-machine", "pc,accel=tcg", "-cpu", "Nehalem", "-m", "256",
            "-smp", "1", "-nodefaults", "-no-user-config", "-display", "none", "-serial",
            "mon:stdio", "-no-reboot", "-kernel", image[0], "-initrd", image[1], "-append",
            "no_timer_check "  # a busy machine emulates the timer too late for the kernel's check
            f"console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off tsc=reliable guest={n}",
            "-netdev", f"tap,id=n,ifname={tap},script=no,downscript=no", "-device",
            f"virtio-net-pci,netdev=n,romfile=,mac=02:00:00:09:00:{n:02x}," +
            ",".join(o + "=off" for o in off)]


def die_with_parent():
    """A program that we start ends when we are killed (prctl(2), PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Guest:
    """A virtual machine whose console is driven by commands."""

    def __init__(self, process, n):
        self.process = process
        self.name = f"guest {n}"
        self.ip = f"10.9.0.{n}"
        self.ip6 = f"fd09::{n}"
        self.got = b""
        self.jobs = 0
        self.selector = selectors.DefaultSelector()
        self.selector.register(process.stdout, selectors.EVENT_READ)

    def until(self, pattern, seconds, what):
        """What the console shows before a line that matches, and the match."""
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.got, re.M)
            if found:
                text = self.got[:found.start()].decode(errors="replace")
                self.got = self.got[found.end():]
                return text.replace("\r", ""), found
            ready = self.selector.select(max(0, end - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not more:
                why = "QEMU has ended" if ready else f"it takes longer than {seconds} s"
                raise Failure(f"{self.name}: {what}: {why}; the console's end is\n" +
                              self.got[-2000:].decode(errors="replace"))
            self.got += more

    def gid(self, version):
        """The index of the GID with the address of ip or ip6."""
        text = {"ip": "^0000.*ffff:0a09", "ip6": "^fd09"}[version]
        return int(self.run("cd /sys/class/infiniband/rxe0/ports/1/gids; "
                            f"grep -ls '{text}' * | head -n 1"))

    def ready(self):
        text, _ = self.until(rb"^guest-ready\r*\n", BOOT_SECONDS, "booting")
        if "rxe0" not in self.run("rdma link"):
            raise Failure(f"{self.name} has no device rxe0:\n{text}")

    def run(self, command, seconds=60):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        text, found = self.until(rb"^guest-status (\d+)\r*\n", seconds, command)
        if found[1] != b"0":
            raise Failure(f"{self.name}: {command} ends with {found[1].decode()}:\n{text[-2000:]}")
        return text

    def start(self, command):
        self.jobs += 1
        job = f"/tmp/job{self.jobs}"
        self.run(f"({command}; echo $? >{job}.status) >{job} 2>&1 &")
        return job

    def wait_for(self, job, text):
        self.run(f"until grep -q '{text}' {job}; do test ! -e {job}.status || "
                 f"{{ cat {job}; exit 1; }}; usleep 20000; done")

    def finish(self, job, seconds=60):
        self.run(f"until test -s {job}.status; do usleep 20000; done", seconds)
        return self.run(f"cat {job}; exit $(cat {job}.status)")


class Lab:
    """A network namespace with guests and other programs."""

    def __init__(self, folder):
        self.folder = folder
        self.space = f"quench-field-{os.getpid()}"
        self.programs = []

    def __enter__(self):
        # A test that was killed may have left a namespace: nobody runs in it.
        for space in re.findall(r"^quench-field-\d+", call("ip", "netns", "list"), re.M):
            if not os.path.exists("/proc/" + space.rsplit("-", 1)[1]):
                call("ip", "netns", "del", space)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
        call("ip", "netns", "add", self.space)
        return self

    def __exit__(self, *_):
        for p in self.programs:
            p.kill()
            p.wait()
        call("ip", "netns", "del", self.space)

    def start(self, *args, **more):
        if "stdout" not in more:
            more["stdout"] = open(f"{self.folder}/log{len(self.programs)}", "w+",
                                  encoding="utf-8")
        p = subprocess.Popen(["ip", "netns", "exec", self.space, *args],
                             stderr=subprocess.STDOUT, preexec_fn=die_with_parent, **more)
        p.log = more["stdout"]
        self.programs.append(p)
        return p

    def tap(self, name):
        """An interface that only frames of ours and of a guest pass: the kernel has no address."""
        call("ip", "-n", self.space, "tuntap", "add", "dev", name, "mode", "tap")
        call("ip", "netns", "exec", self.space, "sysctl", "-qw",
             f"net.ipv6.conf.{name}.disable_ipv6=1")
        call("ip", "-n", self.space, "link", "set", name, "txqueuelen", "4000", "up")

    def run_quench(self, quench, scenario, *options):
        """quench on the scenario; it runs until stop_quench."""
        return self.start(quench, "run", scenario, "--clock", "real", "--quiet", "--workers", "1",
                          "--out", self.folder + "/run", *options)

    def stop_quench(self, process):
        """The summary of the run, which must be whole."""
        process.send_signal(signal.SIGINT)
        try:
            status = process.wait(30)
        except subprocess.TimeoutExpired as e:
            raise Failure("quench does not end within 30 s of SIGINT") from e
        if status != 130:
            process.log.seek(0)
            raise Failure(f"quench ended with {status}:\n{process.log.read()[-2000:]}")
        with open(self.folder + "/run/summary.json", encoding="utf-8") as f:
            return json.load(f)

    def guest(self, image, n):
        self.tap(f"tap{n}")
        return Guest(self.start(*qemu(image, f"tap{n}", n), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE), n)


def lines_of(text):
    """What rdma_peer has printed: a list of events."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def counters(guest):
    """The packets that soft-RoCE has sent and taken; those whose ICRC is wrong are not taken."""
    path = "/sys/class/infiniband/rxe0/ports/1/hw_counters"
    sent, taken = guest.run(f"cat {path}/sent_pkts {path}/rcvd_pkts").split()
    return int(sent), int(taken)


def settled(one, two):
    """The counters of both guests, when the last answers have come, or have not for long."""
    for _ in range(20):
        counted = counters(one), counters(two)
        if counted[0] == counted[1][::-1]:
            break
        one.run("usleep 100000")
    return counted


def judge(summary, one, two):
    """What the switch and the guests have counted, while nobody else sent anything."""
    wrong = []
    verdicts, total = summary["verdicts"], summary["total"]
    device = {d["port"]: d for d in summary["devices"]}
    for name, is_, want in (
            ("conserved", verdicts["conserved"], True),
            ("descriptors missing", verdicts["pool_missing"], 0),
            ("drops", total["drops_total"], 0),
            ("frames from guest 1 and to guest 2", device["s1:g1"]["rx_frames"],
             device["s1:g2"]["tx_frames"]),
            ("frames from guest 2 and to guest 1", device["s1:g2"]["rx_frames"],
             device["s1:g1"]["tx_frames"]),
            ("RoCE packets sent by guest 1 and taken by guest 2", one[0], two[1]),
            ("RoCE packets sent by guest 2 and taken by guest 1", two[0], one[1])):
        if is_ != want:
            wrong.append(f"{name}: {is_}, not {want}")
    for d in device.values():
        lost = {k: v for k, v in d.items() if k in ("lost_rx", "lost_tx", "lost_own") and v}
        if lost or not d["rx_frames"]:
            wrong.append(f"{d['device']}: {d['rx_frames']} frames came, lost: {lost}")
    if wrong:
        raise Failure("\n".join(wrong))
    print(f"{device['s1:g1']['rx_frames']} and {device['s1:g2']['rx_frames']} frames passed, "
          f"{one[0]} and {two[0]} of them RoCE packets; {total['marks']} marks, no drops")


def reach(switch, guest, other):
    """Waits until the switch carries frames; a ping is tried again, as its first one may be lost
    where the switch has not begun."""
    for _ in range(20):
        if "bytes from" in guest.run(f"ping -c 1 -W 1 {other.ip}; true"):
            guest.run(f"ping -c 3 -W 5 {other.ip6}")
            return
        if switch.poll() is not None:
            break
    switch.log.seek(0)
    raise Failure(f"no ping from {guest.name} to {other.name}: {switch.log.read()[-2000:]}")


def run_lab(name, args, make_lab, count, test):
    """A whole test: test(lab, quench, source_root, guests) with so many guests, which boot. Returns
    an exit status. QUENCH_CAPTURE=PREFIX keeps all frames of the first guest as
    PREFIX-NAME.pcap."""
    if len(args) != 3:
        print(f"usage: {os.path.basename(sys.argv[0])} QUENCH SOURCE_ROOT CACHE", file=sys.stderr)
        return 2
    quench, root, cache = map(os.path.abspath, args)
    capture = os.environ.get("QUENCH_CAPTURE")
    sys.stdout.reconfigure(line_buffering=True)
    with tempfile.TemporaryDirectory() as folder:
        try:
            image = make_image(cache, folder)
            with make_lab(folder) as lab:
                guests = [lab.guest(image, n + 1) for n in range(count)]
                if capture:
                    lab.start("tcpdump", "-i", "tap1", "-U", "-w", f"{capture}-{name}.pcap")
                test(lab, quench, root, guests)
        except Failure as e:
            print(f"{name}: FAILED: {e}")
            return 1
    return 0


def run_pair(name, args, traffic):
    """A whole test: traffic(guest, guest) behind the switch of guests.yaml, as run_lab."""
    def test(lab, quench, root, guests):
        one, two = guests
        switch = lab.run_quench(quench, root + "/tests/field/guests.yaml")
        one.ready()
        two.ready()
        reach(switch, one, two)
        traffic(one, two)
        counted = settled(one, two)
        judge(lab.stop_quench(switch), *counted)

    return run_lab(name, args, Lab, 2, test)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: guest.py CACHE TAP N")
    cache, tap, n = sys.argv[1:]
    os.makedirs(cache, exist_ok=True)
    folder = os.path.join(cache, f"guest{n}")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    try:
        image = make_image(cache, folder)
    except Failure as e:
        sys.exit(f"guest: {e}")
    command = qemu(image, tap, int(n))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
