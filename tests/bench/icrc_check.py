#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the ICRCs of RoCEv2 frames in a capture are right, by a CRC of its own: nothing of what
quench is made of is used. usage: icrc_check.py FILE.pcap"""
import struct
import sys

POLYNOMIAL = 0xEDB88320  # CRC-32 of 802.3, reflected


def make_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


TABLE = make_table()


def crc32(data):
    crc = 0xFFFFFFFF
    for octet in data:
        crc = crc >> 8 ^ TABLE[(crc ^ octet) & 255]
    return crc ^ 0xFFFFFFFF


def ones(packet, *places):
    for place in places:
        packet[place] = 0xFF


def icrc(frame):
    """(ICRC as computed, as read) of an Ethernet frame; None where it is not RoCEv2.
    InfiniBand vol. 1, annex A17.3.3: what may change on the way counts as ones."""
    if len(frame) < 58:  # Ethernet, IPv4, UDP, BTH and ICRC
        return None
    at = 12
    while frame[at:at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    kind, at = struct.unpack_from(">H", frame, at)[0], at + 2
    if kind == 0x0800:
        head, total = (frame[at] & 15) * 4, struct.unpack_from(">H", frame, at + 2)[0]
        protocol = frame[at + 9]
    elif kind == 0x86DD:
        head, total = 40, 40 + struct.unpack_from(">H", frame, at + 4)[0]
        protocol = frame[at + 6]
    else:
        return None
    packet = bytearray(frame[at:at + total])
    if protocol != 17 or len(packet) < total or total < head + 24:
        return None
    if struct.unpack_from(">H", packet, head + 2)[0] != 4791:
        return None
    if kind == 0x0800:
        ones(packet, 1, 8, 10, 11)  # ToS, TTL, header checksum
    else:
        packet[0] |= 0x0F  # traffic class, flow label
        ones(packet, 1, 2, 3, 7)  # and hop limit
    ones(packet, head + 6, head + 7, head + 12)  # UDP checksum; the BTH's fifth octet
    return crc32(b"\xff" * 8 + packet[:-4]), struct.unpack_from("<I", packet, total - 4)[0]


def frames(path):
    with open(path, "rb") as f:
        data = f.read()
    if len(data) < 24 or data[:4] not in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"):
        raise ValueError(f"{path}: this is no pcap file of a little-endian machine")
    at = 24
    while at + 16 <= len(data):
        _, _, kept, length = struct.unpack_from("<IIII", data, at)
        if kept != length or at + 16 + kept > len(data):
            raise ValueError(f"{path}: a frame is cut at octet {at}")
        yield data[at + 16:at + 16 + kept]
        at += 16 + kept


def check(path, expected=()):
    """(frames, lengths, those whose ICRC is wrong) of a capture. Of the first frame one bit is also
    turned, which must be seen. `expected`: the only lengths that there may be; none: any."""
    lengths, wrong, number = {}, 0, 0
    for number, frame in enumerate(frames(path), 1):
        pair = icrc(frame)
        if pair is None:
            raise ValueError(f"{path}: frame {number} is not RoCEv2")
        wrong += pair[0] != pair[1]
        lengths[len(frame)] = lengths.get(len(frame), 0) + 1
        if number == 1:
            other = bytearray(frame)
            other[48] ^= 4  # of an address or a QPN
            turned = icrc(other)
            if turned[0] == turned[1]:
                raise ValueError(f"{path}: a bit was turned, and this program has not seen it")
    if not number:
        raise ValueError(f"{path}: no frame is in it")
    if expected and not set(lengths) <= set(expected):
        raise ValueError(f"{path}: frames have {sorted(lengths)} octets, not {list(expected)}")
    return number, lengths, wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        number, lengths, wrong = check(sys.argv[1])
    except (OSError, ValueError) as e:
        sys.exit(f"icrc_check: {e}")
    sizes = ", ".join(f"{n} of {length} octets" for length, n in sorted(lengths.items()))
    print(f"{number} frames ({sizes}): {number - wrong} ICRCs are right, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
