# SPDX-License-Identifier: BSD-3-Clause
"""Writes the first COUNT IPv4 frames that come to an interface into a classic pcap.

usage: sniff.py INTERFACE FILE COUNT
Ends after some minutes at the latest.
"""
import socket
import struct
import sys
import time

LIMIT = 300  # seconds
ETH_P_IP = 0x0800

name, file, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_IP))
s.bind((name, ETH_P_IP))
end = time.monotonic() + LIMIT
with open(file, "wb") as f:
    f.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    while count and time.monotonic() < end:
        s.settimeout(max(0.01, end - time.monotonic()))
        try:
            frame = s.recv(65535)
        except TimeoutError:
            break
        now = time.time()
        f.write(struct.pack("<IIII", int(now), int(now % 1 * 1e6), len(frame), len(frame)))
        f.write(frame)
        count -= 1
