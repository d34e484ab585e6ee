# SPDX-License-Identifier: BSD-3-Clause
"""Writes a capture of RoCEv2 frames for the queue pairs of stranger_a.yaml, with right ICRCs.

stranger.py FILE

For each host 3 CNPs of its peer, 5 from another address, 7 of the peer to another address, and 11
of the peer with another P_Key. Of a4 and a6 the responders, too, get 13 SENDs from another
address.
"""
import ipaddress
import struct
import sys
import zlib

CNP, SEND_ONLY = 0x81, 0x04


def frame(host, src, dst, opcode, qpn, pkey, rest):
    """From src to dst and to the host's hardware address, from one of the stranger's own."""
    becn, migrated = (0x40, 0) if opcode == CNP else (0, 0x40)
    bth = struct.pack("!BBHII", opcode, migrated, pkey, becn << 24 | qpn, 0)
    length = 8 + len(bth) + len(rest) + 4
    udp = struct.pack("!HHHH", 0xC000, 4791, length, 0)
    src, dst = (ipaddress.ip_address(a) for a in (src, dst))
    if src.version == 6:
        ip = bytearray(struct.pack("!IHBB", 0x60000000, length, 17, 64) + src.packed + dst.packed)
        varies = (1, 2, 3, 7, 46, 47)
    else:
        ip = bytearray(struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0x4000, 64, 17, 0) +
                       src.packed + dst.packed)
        words = sum(struct.unpack("!10H", ip))
        words = (words & 0xFFFF) + (words >> 16)
        ip[10:12] = struct.pack("!H", ~(words + (words >> 16)) & 0xFFFF)
        varies = (1, 8, 10, 11, 26, 27)
    masked = bytearray(b"\xff" * 8 + ip + udp + bth + rest)
    masked[8] |= 0x0F if src.version == 6 else 0
    for at in (*varies, len(ip) + 8 + 4):
        masked[8 + at] = 0xFF
    return bytes([2, 0, 0, 0, 1, host]) + bytes([2, 0, 0, 0, 9, 9]) + \
        (b"\x86\xdd" if src.version == 6 else b"\x08\x00") + bytes(ip) + udp + bth + rest + \
        struct.pack("<I", zlib.crc32(masked))


def frames():
    for host, base, ours, peer, other in (
            (1, 0x100, "10.1.0.1", "10.1.0.2", "10.1.0.9"),
            (2, 0x200, "fd01::1", "fd01::2", "fd01::9"),
            (3, 0x300, "10.1.1.1", "10.1.1.2", "10.1.1.9")):
        yield from [frame(host, peer, ours, CNP, base + 1, 0xFFFF, bytes(16))] * 3
        yield from [frame(host, other, ours, CNP, base + 1, 0xFFFF, bytes(16))] * 5
        yield from [frame(host, peer, other, CNP, base + 1, 0xFFFF, bytes(16))] * 7
        yield from [frame(host, peer, ours, CNP, base + 1, 0xFFFE, bytes(16))] * 11
        if host != 3:
            yield from [frame(host, other, ours, SEND_ONLY, base + 2, 0xFFFF, bytes(64))] * 13


with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for i, data in enumerate(frames()):
        f.write(struct.pack("<IIII", 0, 1000 * i, len(data), len(data)) + data)
