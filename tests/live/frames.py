# SPDX-License-Identifier: BSD-3-Clause
"""Frames of raw sockets, tags and all: what one end sends is what the other end must see.

serve INTERFACE COUNT FILE  writes COUNT frames of EtherType 88b5 behind any tags to FILE, a line of
                            hexadecimal digits each; ends after some minutes at the latest
send INTERFACE FRAME...     sends frames: TAGS/BYTES[*COUNT], tags of "q" (802.1Q) and "a" (802.1ad)
                            or "-", bytes of the frame without its tags
frame FRAME...              prints the same frames in FILE's form
"""
import socket
import struct
import sys
import time

LIMIT = 300  # seconds
SO_RCVBUFFORCE = 33  # Linux; root may exceed net.core.rmem_max
ETH_P_ALL, PACKET_AUXDATA, SOL_PACKET, PACKET_OUTGOING = 3, 8, 263, 4
TPID = {"q": 0x8100, "a": 0x88A8}
DST, SRC = bytes([2, 0, 0, 0, 0, 2]), bytes([2, 0, 0, 0, 0, 1])
VLAN_VALID, TPID_VALID = 1 << 4, 1 << 6


def frames(words):
    for word in words:
        what, _, count = word.partition("*")
        tags, _, size = what.partition("/")
        tag = b"".join(struct.pack("!HH", TPID[t], 100 + i)
                       for i, t in enumerate(tags.replace("-", "")))
        body = struct.pack("!H", 0x88B5) + bytes(i & 255 for i in range(int(size) - 14))
        for _ in range(int(count or 1)):
            yield DST + SRC + tag + body


def raw(interface):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)  # time comes late
    s.bind((interface, ETH_P_ALL))
    return s


# The kernel takes the outer tag out of the frame; it stands in the auxiliary data.
def whole(data, ancillary):
    for level, kind, aux in ancillary:
        if level == SOL_PACKET and kind == PACKET_AUXDATA:
            status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", aux)
            if status & VLAN_VALID:
                tag = struct.pack("!HH", tpid if status & TPID_VALID else 0x8100, tci)
                return data[:12] + tag + data[12:]
    return data


def serve(interface, count, path):
    s, left, end = raw(interface), int(count), time.monotonic() + LIMIT
    s.settimeout(0.2)
    with open(path, "w", encoding="ascii") as f:
        while left and time.monotonic() < end:
            try:
                data, ancillary, _, address = s.recvmsg(65536, 256)
            except TimeoutError:
                continue
            if address[2] == PACKET_OUTGOING or data[:6] != DST:
                continue
            f.write(whole(data, ancillary).hex() + "\n")
            left -= 1
    return left != 0


def send(interface, *words):
    s = raw(interface)
    for frame in frames(words):
        s.send(frame)
    return 0


def frame(*words):
    for f in frames(words):
        print(f.hex())
    return 0


COMMANDS = {"serve": serve, "send": send, "frame": frame}
sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
