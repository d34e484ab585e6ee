# SPDX-License-Identifier: BSD-3-Clause
"""A stranger between two parts of a scenario, who hears their hellos and says some to both.

strangers.py WAY EVERY INTERFACE INTERFACE   by two ends of a bridge, until it is killed; the first
hello that it has heard of each side is a line of its output

WAY is what it says each EVERY ms to each side: `old` is the second hello that it has heard from the
other side while parts run, and nothing before; `changed` is the last one of either side, with one
thing changed; `ahead` is the last one of the other side while parts run, with a number that rises,
also when that side is gone.
"""
import random
import select
import socket
import struct
import sys
import time

ETH_P_ALL = 3
MAGIC = b"\x88\xb5quenchHi"
VERSION, LEVEL, NONCE, SEEN, NUMBER, DILATE, ECHO, DIGEST = 22, 26, 30, 34, 38, 42, 122, -170
RUNS = 2  # seconds after the first hello

random.seed(1)


def raw(interface):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    s.bind((interface, ETH_P_ALL))  # the bridge takes all that is not for everybody
    return s


def u32(frame, at):
    return struct.unpack_from("!I", frame, at)[0]


def change(frame):
    h = bytearray(frame)
    what = random.randrange(6)
    if what == 0:
        h[VERSION] += 1
    elif what == 1:
        h[LEVEL:LEVEL + 2] = b"\xff\xff"
    elif what == 2:
        h[DILATE + 3] ^= 64
    elif what == 3:
        h[DIGEST] ^= 1
    elif what == 4:
        h[NONCE + 3] ^= 1
    struct.pack_into("!I", h, NUMBER, u32(h, NUMBER) + random.choice((0, 1, 1000, 1 << 30)))
    return bytes(h)


def main(way, every, *interfaces):
    sockets = [raw(i) for i in interfaces]
    heard = [[], []]  # by side
    began, said, ahead = None, 0, 1000
    while True:
        ready, _, _ = select.select(sockets, [], [], float(every) / 1e3)
        for s in ready:
            frame, address = s.recvfrom(4096)
            side = sockets.index(s)
            if address[2] == socket.PACKET_OUTGOING or frame[12:22] != MAGIC:
                continue
            if not heard[side]:
                print("heard", interfaces[side], flush=True)
            began = began or time.monotonic()
            if way != "old" or time.monotonic() > began + RUNS and len(heard[side]) < 3:
                heard[side].append(frame)
        if not all(heard) or time.monotonic() < said + float(every) / 1e3:
            continue
        said = time.monotonic()
        ahead += 1
        for side in 0, 1:
            h = heard[not side][-1]
            if way == "changed":
                h = change(random.choice(heard)[-1])
            elif way == "ahead":
                h = bytearray(h)
                struct.pack_into("!I", h, NUMBER, (u32(h, NUMBER) + ahead) & 0xffffffff)
            try:
                sockets[side].send(h)
            except OSError:
                pass


main(*sys.argv[1:])
