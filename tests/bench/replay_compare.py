#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Replay beside tcpreplay: the same file on the same veth pair, in turns, medians of 5.

Rate reached at top speed, and how far the gaps between frames are from those of the file when it is
sent as it was recorded. The other end of the pair, in a network namespace of its own, captures with
the kernel's timestamps, and neither sender is asked. Then a file of 60-octet frames onto net_null
at top speed, beside testpmd's txonly, which sends one frame again and again. Needs root, ip,
tcpdump, tcpreplay, chrt and dpdk-testpmd.
usage: replay_compare.py QUENCH [ROUNDS [null]]
With `null` only the part onto net_null.
"""
import json
import os
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile

QUENCH = os.path.realpath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
SEND, SEE = "qreplay-s", "qreplay-r"
TIMED = 20000
SO_TIMESTAMPNS = 35
FIRST = ["nice", "-n", "-20"]  # before all else that the machine does
GAPS_US = [20, 35, 50, 75, 100]
FAST = 300000
NULL = 4000000
ALONE = ["chrt", "-f", "5"]  # what else runs leaves both threads their processors


def run(*words, check=True):
    p = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       check=False)
    if check and p.returncode:
        sys.exit(f"{' '.join(words)} ends with {p.returncode}:\n{p.stdout}")
    return p.stdout


def frame(octets):
    ip = bytes.fromhex("0a0000010a000002")
    return (bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xB5]) + ip).ljust(octets, b"\0")


def capture(path, gaps_ns, octets):
    """A nanosecond pcap of frames that come after these gaps."""
    data, at, batch = frame(octets), 10**18, []
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for gap in gaps_ns:
            at += gap
            batch.append(struct.pack("<IIII", at // 10**9, at % 10**9, octets, octets) + data)
            if len(batch) == 4096:
                f.write(b"".join(batch))
                batch = []
        f.write(b"".join(batch))


def instants(path):
    """ns of each frame of what tcpdump wrote."""
    with open(path, "rb") as f:
        data = f.read()
    at, seen = 24, []
    while at + 16 <= len(data):
        s, ns, cap, length = struct.unpack_from("<IIII", data, at)
        if at + 16 + cap > len(data):
            break
        if data[at + 16 + 12:at + 16 + 14] == b"\x88\xb5":
            seen.append(s * 10**9 + ns)
        at += 16 + cap
    return seen


def counted():
    return int(run("ip", "netns", "exec", SEE, "cat", "/sys/class/net/r0/statistics/rx_packets"))


def received(words, sent, folder):
    """Runs a sender of so many frames. How many came, and when the kernel saw them, ns."""
    seen = os.path.join(folder, "seen.pcap")
    dump = subprocess.Popen(
        ["ip", "netns", "exec", SEE, "tcpdump", "-i", "r0", "-s", "34", "-B", "65536", "-n",
         "--time-stamp-precision=nano", "-c", str(sent), "-w", seen, "ether proto 0x88b5"],
        stderr=subprocess.PIPE, text=True)
    dump.stderr.readline()  # it listens
    before = counted()
    run("ip", "netns", "exec", SEND, *FIRST, *words)
    n = counted() - before
    try:
        dump.wait(2)  # it ends by itself once it has seen all
    except subprocess.TimeoutExpired:
        dump.terminate()
        dump.wait()
    return n, instants(seen)


def sender(tool, path, top, folder):
    if tool == "tcpreplay":
        return ["tcpreplay", "-q", "-i", "s0"] + (["--topspeed"] if top else []) + [path]
    return [QUENCH, "replay", path, "--device", "net_af_packet0,iface=s0", "--rate", "100Gbps",
            "--speed", "top" if top else "1x", "--no-huge", "--force", "--quiet", "--out",
            os.path.join(folder, "run")]


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def pair(folder):
    timed, fast = os.path.join(folder, "timed.pcap"), os.path.join(folder, "fast.pcap")
    gaps = [GAPS_US[i % len(GAPS_US)] * 1000 for i in range(TIMED)]
    figures = {}
    capture(timed, gaps, 60)
    capture(fast, [100] * FAST, 60)
    for _ in range(ROUNDS):
        for tool in "quench", "tcpreplay":
            f = figures.setdefault(tool, {"rate": [], "p50": [], "p99": [], "came": []})
            n, seen = received(sender(tool, fast, True, folder), FAST, folder)
            f["rate"].append((n - 1) / (seen[-1] - seen[0]) * 1e9)
            n, seen = received(sender(tool, timed, False, folder), TIMED,
                               folder)
            f["came"].append(n)
            if len(seen) != TIMED:
                print(f"{tool}: tcpdump has {len(seen)} of {TIMED} frames", file=sys.stderr)
                continue
            off = [abs(seen[i] - seen[i - 1] - gaps[i]) / 1000 for i in range(1, TIMED)]
            f["p50"].append(quantile(off, 0.5))
            f["p99"].append(quantile(off, 0.99))
    print(f"veth pair, {ROUNDS} rounds in turns, medians (least to most)")
    print("| sender | top speed, Mframes/s | gap error p50, us | gap error p99, us |")
    print("|---|---|---|---|")
    for tool, f in figures.items():
        cells = [[v / 1e6 for v in f["rate"]], f["p50"], f["p99"]]
        print(f"| {tool} | " + " | ".join(
            f"{statistics.median(c):.2f} ({min(c):.2f} to {max(c):.2f})" if c else "-"
            for c in cells) + " |")


def txonly():
    """Mframes/s of testpmd, by its own clock, of the last whole second of six."""
    words = [*ALONE, "dpdk-testpmd", "--no-huge", "-m", "512", "--no-pci", "--no-telemetry",
             "-l", "0,1", "--file-prefix", "replay-compare", "--vdev", "net_null0,no-rx=1", "--",
             "--forward-mode=txonly", "--txpkts=60", "--burst=64", "--auto-start",
             "--stats-period=1", "--no-mlockall", "--total-num-mbufs=8192"]
    p = subprocess.Popen(words, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        p.wait(6)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGINT)
    text = p.communicate()[0]
    seen = [int(line.split()[1]) for line in text.splitlines() if "Tx-pps:" in line]
    if not seen or not seen[-1]:
        sys.exit(f"{' '.join(words)} ends with {p.returncode}:\n{text}")
    return seen[-1] / 1e6


def shown(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def null(folder):
    path = os.path.join(folder, "null.pcap")
    rates, beside = [], []
    capture(path, [100] * NULL, 60)
    for _ in range(ROUNDS):
        out = os.path.join(folder, "run")
        beside.append(txonly())
        run(*ALONE, QUENCH, "replay", path, "--device", "net_null0,no-rx=1", "--rate",
            "100Gbps", "--speed", "top", "--no-huge", "--force", "--quiet", "--out", out)
        with open(os.path.join(out, "summary.json")) as f:
            r = json.load(f)["replays"][0]
        rates.append(r["tx_frames_total"] / (r["last_tx_us_total"] - r["first_tx_us_total"]))
    print(f"\nnet_null, frames of 60 octets, Mframes/s: quench {shown(rates)}, testpmd txonly "
          f"{shown(beside)}, ratio {statistics.median(rates) / statistics.median(beside):.2f}")


def veth(folder):
    # If any socket asks for timestamps of received frames, the kernel stamps a frame when the
    # sender's end of the pair hands it over, before the frame waits for the receiver's processor.
    stamped = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stamped.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    try:
        for ns in SEND, SEE:
            run("ip", "netns", "add", ns)
        run("ip", "-n", SEND, "link", "add", "s0", "type", "veth", "peer", "name", "r0",
            "netns", SEE)
        for ns, end in (SEND, "s0"), (SEE, "r0"):
            run("ip", "netns", "exec", ns, "sysctl", "-qw",
                "net.ipv6.conf.all.disable_ipv6=1", check=False)
            run("ip", "-n", ns, "link", "set", end, "up")
        pair(folder)
    finally:
        for ns in SEND, SEE:
            run("ip", "netns", "del", ns, check=False)
    stamped.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[3:] != ["null"]:
            veth(folder)
        null(folder)


main()
