# SPDX-License-Identifier: BSD-3-Clause
"""Sends datagrams to a UDP port, a millisecond apart.

usage: udp.py ADDRESS PORT COUNT BYTES
"""
import socket
import sys
import time

address, port, count, size = sys.argv[1], *map(int, sys.argv[2:])
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to.connect((address, port))
for i in range(count):
    to.send(i.to_bytes(4, "big") + bytes(size - 4))
    time.sleep(0.001)
