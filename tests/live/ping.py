# SPDX-License-Identifier: BSD-3-Clause
"""Echo requests by the kernel's own IP, which resolves the address first.

usage: ping.py ADDRESS COUNT BYTES [SECONDS]
Status 1 if one of COUNT answers is missing after so many seconds, or has other bytes than were
sent.
"""
import os
import socket
import struct
import sys
import time

LIMIT = 100  # seconds for an answer: a busy machine takes its time
IP_MTU_DISCOVER, IP_PMTUDISC_DONT = 10, 0  # Linux: what is too long is cut in pieces


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def request(v6, ident, seq, data):
    head = struct.pack("!BBHHH", 128 if v6 else 8, 0, 0, ident, seq)
    # The kernel computes the checksum of ICMPv6, whose pseudo-header it makes.
    sum_ = 0 if v6 else checksum(head + data)
    return head[:2] + struct.pack("!H", sum_) + head[4:] + data


def answer(sock, v6, ident, seq, data, deadline):
    while time.monotonic() < deadline:
        sock.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            came = sock.recv(65536)
        except OSError:
            return False
        if not v6:
            if checksum(came[(came[0] & 15) * 4 :]):
                continue
            came = came[(came[0] & 15) * 4 :]
        kind, code, _, i, s = struct.unpack("!BBHHH", came[:8])
        if (kind, code, i, s) == (129 if v6 else 0, 0, ident, seq):
            return came[8:] == data
    return False


def main():
    address, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else LIMIT
    v6 = ":" in address
    sock = socket.socket(
        socket.AF_INET6 if v6 else socket.AF_INET,
        socket.SOCK_RAW,
        socket.getprotobyname("ipv6-icmp" if v6 else "icmp"),
    )
    if not v6:
        sock.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT)
    ident = os.getpid() & 0xFFFF
    for seq in range(count):
        data = bytes((seq + i) & 255 for i in range(size))
        try:
            sock.sendto(request(v6, ident, seq, data), (address, 0))
        except OSError as e:
            print(f"{address}: {e.strerror}", file=sys.stderr)
            return 1
        if not answer(sock, v6, ident, seq, data, time.monotonic() + limit):
            print(f"{address}: no answer to request {seq}", file=sys.stderr)
            return 1
    return 0


sys.exit(main())
