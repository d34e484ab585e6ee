#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Waits at an interface for the first SEND of a reliable connection to a hardware address, and sends
# it again: COUNT times with a wrong ICRC, and then COUNT times as it was.
# usage: wrong_icrc.py INTERFACE MAC COUNT
import socket
import sys

ETH_P_ALL = 3
SECONDS = 40


def is_send(frame, mac):
    """RoCEv2 over IPv4 without options; opcodes 0 to 5 of a reliable connection."""
    return (frame[:6] == mac and frame[12:15] == b"\x08\x00\x45" and frame[23] == 17
            and frame[36:38] == (4791).to_bytes(2, "big") and frame[42] <= 5)


def main():
    name, mac, count = sys.argv[1], bytes.fromhex(sys.argv[2].replace(":", "")), int(sys.argv[3])
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    s.bind((name, 0))
    s.settimeout(SECONDS)
    print("waits", flush=True)
    frame = b""
    while not is_send(frame, mac):
        frame = s.recv(65536)
    for wrong in (1, 0):
        for _ in range(count):
            s.send(frame[:-1] + bytes([frame[-1] ^ wrong]))
    print("sent", flush=True)


if __name__ == "__main__":
    main()
