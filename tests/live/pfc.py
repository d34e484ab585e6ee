# SPDX-License-Identifier: BSD-3-Clause
"""Writes a line for each MAC control frame that comes in at an interface, as it comes.

pfc.py INTERFACE FILE [senders]
"PFC VECTOR QUANTA,..." with the class-enable vector in hex, or "PAUSE QUANTA"; "listens" comes
first. With "senders" the sender's address stands before each.
"""
import socket
import struct
import sys

MAC_CONTROL, PFC, PAUSE = 0x8808, 0x0101, 0x0001
SO_RCVBUFFORCE = 33  # Linux; root may exceed net.core.rmem_max


def line(frame):
    opcode, first = struct.unpack("!HH", frame[14:18])
    if opcode == PFC:
        return f"PFC {first:02x} " + ",".join(str(q) for q in struct.unpack("!8H", frame[18:34]))
    return f"PAUSE {first}" if opcode == PAUSE else f"opcode {opcode:04x}"


raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(MAC_CONTROL))
raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)  # time comes late
raw.bind((sys.argv[1], MAC_CONTROL))
senders = sys.argv[3:] == ["senders"]
with open(sys.argv[2], "w", buffering=1, encoding="ascii") as out:
    print("listens", file=out)
    while True:
        got = raw.recv(2048)
        print((got[6:12].hex(":") + " " if senders else "") + line(got), file=out)
