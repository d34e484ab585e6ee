# SPDX-License-Identifier: BSD-3-Clause
"""A RoCEv2 host of raw frames that does at each of its ports what a good one does not.

peer.py INTERFACE   answers ARP and what comes to 10.1.1.2 until it is ended

Of RDMA-CM's ports 1 answers nothing; 2 rejects; 3, 4 and 5 take three messages, and then the queue
pair breaks (NAK 0x63), is gone without a word, or denies access (NAK 0x62); 6 moves to another
hardware address after five; 8 takes all and does not answer the end; 10 sends where it should take;
12 takes all.
It connects itself to port 7, and says nothing more then, to port 9, where it writes twice, with a
wrong R_Key at last, and to port 11, where it sends once, forgets the connection, comes back with
another queue pair and sends again. It says that it has the other host's address, too.
"""
import select
import socket
import struct
import sys
import zlib

H, X = bytes([10, 1, 1, 1]), bytes([10, 1, 1, 2])
H_MAC, X_MAC, MOVED, THIEF = (bytes.fromhex("02000000" + s) for s in ("aa01", "bb01", "bb02",
                                                                     "cc01"))
REQ, REJ, REP, RTU, DREQ, DREP = 0x10, 0x12, 0x13, 0x14, 0x15, 0x16
SEND_ONLY, WRITE_ONLY, ACK, UD_SEND = 0x04, 0x0A, 0x11, 0x64
SERVICE = 0x01060000  # of RDMA_PS_TCP; the port is added
TAKES = 3  # messages, before something happens
FIRST_PSN = 1000
NAKS = {3: 0x63, 5: 0x62}


def arp(op, mac, sender, target_mac, target, to):
    return to + mac + struct.pack("!HHHBBH", 0x806, 1, 0x800, 6, 4, op) + mac + sender + \
        target_mac + target


def roce(mac, opcode, qpn, psn, rest, ack_req=False):
    """A frame from X to H with its ICRC; `rest` is what follows the BTH."""
    bth = struct.pack("!BBHII", opcode, 0x40, 0xFFFF, qpn, int(ack_req) << 31 | psn)
    udp = struct.pack("!HHHH", 0xC000, 4791, 8 + len(bth) + len(rest) + 4, 0)
    ip = bytearray(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp) + len(bth) + len(rest) + 4, 0,
                               0x4000, 64, 17, 0) + X + H)
    words = sum(struct.unpack("!10H", ip))
    ip[10:12] = struct.pack("!H", ~(words + (words >> 16)) & 0xFFFF)
    masked = bytearray(b"\xff" * 8 + ip + udp + bth + rest)
    for at in (8 + 1, 8 + 8, 8 + 10, 8 + 11, 8 + 26, 8 + 27, 8 + 28 + 4):
        masked[at] = 0xFF
    return H_MAC + mac + b"\x08\x00" + bytes(ip) + udp + bth + rest + \
        struct.pack("<I", zlib.crc32(masked))


def number(data, at, size):
    return int.from_bytes(data[at:at + size], "big")


class Peer:
    def __init__(self, interface):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind((interface, 0))
        self.mac = X_MAC
        self.flows = {}  # by port: what we know of the connection
        self.begun = False
        self.lives = 0  # that have ended without a word

    def send(self, frame):
        self.socket.send(frame.ljust(60, b"\0"))

    def mad(self, attribute, body, tid):
        mad = struct.pack("!BBBBHHQHHI", 1, 7, 2, 3, 0, 0, tid, attribute, 0, 0) + body
        self.send(roce(self.mac, UD_SEND, 1, 0,
                       struct.pack("!II", 0x80010000, 1) + mad.ljust(256, b"\0")))

    def connect(self, port, life=0):
        """A REQ, which goes until it is answered."""
        body = bytearray(232)
        struct.pack_into("!I", body, 0, life << 8 | port)
        struct.pack_into("!Q", body, 8, SERVICE + port)
        struct.pack_into("!Q", body, 16, 0x1234)
        struct.pack_into("!I", body, 32, 0x100 + port + 0x20 * life << 8)
        struct.pack_into("!I", body, 43, 16 << 27)  # remote response timeout; RC; PSN 0
        body[47] = 16 << 3 | 7  # local response timeout; retry count
        struct.pack_into("!H", body, 48, 0xFFFF)
        body[50] = 3 << 4 | 7  # path MTU 1024; RNR retry count
        body[51] = 3 << 4  # CM retries
        body[52 + 43] = 14 << 3
        self.mad(REQ, bytes(body), life << 8 | port)

    def asked(self, tid, body):
        port = number(body, 8, 8) - SERVICE
        ids = struct.pack("!II", port, number(body, 0, 4))
        if port == 1:
            return
        if port == 2:
            self.mad(REJ, ids + struct.pack("!BBH", 0, 0, 28), tid)
            return
        self.flows.setdefault(port, {"qpn": number(body, 32, 3), "psn": FIRST_PSN, "taken": 0,
                                     "first": number(body, 44, 3)})
        rep = bytearray(68)
        rep[:8] = ids
        struct.pack_into("!I", rep, 12, 0x100 + port << 8)
        struct.pack_into("!I", rep, 20, FIRST_PSN << 8)
        struct.pack_into("!QQII", rep, 28, 0x1234 << 32, 0x7F0000001000, 0x55, 65536)
        self.mad(REP, bytes(rep[:36]) + bytes(rep[36:]), tid)

    def answered(self, tid, body):
        port = number(body, 4, 4)
        if port == 11 and self.lives:
            return
        flow = self.flows.setdefault(port, {
            "qpn": number(body, 12, 3), "psn": number(body, 20, 3), "sent": 0,
            "va": number(body, 36, 8), "rkey": number(body, 44, 4)})
        if port & 0xff == 11 and not flow["sent"]:
            flow["sent"] = 1
            self.mad(RTU, struct.pack("!II", port, number(body, 0, 4)), tid)
            self.send(roce(self.mac, SEND_ONLY, flow["qpn"], flow["psn"], bytes(256), True))
        if port == 9 and not flow["sent"]:
            self.mad(RTU, struct.pack("!II", port, number(body, 0, 4)), tid)
            self.write(flow, 0)

    def write(self, flow, wrong):
        flow["sent"] += 1
        self.send(roce(self.mac, WRITE_ONLY, flow["qpn"], flow["psn"],
                       struct.pack("!QII", flow["va"], flow["rkey"] + wrong, 64) + bytes(64),
                       True))

    def managed(self, mad):
        tid, attribute, body = number(mad, 8, 8), number(mad, 16, 2), mad[24:]
        if attribute == REQ:
            self.asked(tid, body)
        elif attribute == REP:
            self.answered(tid, body)
        elif attribute == DREQ and number(body, 4, 4) != 8:
            self.mad(DREP, struct.pack("!II", number(body, 4, 4), number(body, 0, 4)), tid)

    def acknowledge(self, flow, syndrome, psn):
        self.send(roce(self.mac, ACK, flow["qpn"], psn,
                       struct.pack("!I", syndrome << 24 | flow["taken"])))

    def request(self, port, psn):
        """A message of one packet."""
        flow = self.flows[port]
        ahead = (psn - flow["psn"]) & 0xFFFFFF
        if ahead >= 1 << 23:
            self.acknowledge(flow, 0x1F, (flow["psn"] - 1) & 0xFFFFFF)
            return
        if ahead or (port in (3, 4, 5) and flow["taken"] == TAKES):
            if not ahead and port in NAKS:
                self.acknowledge(flow, NAKS[port], psn)
            return
        flow["psn"] = (psn + 1) & 0xFFFFFF
        flow["taken"] += 1
        self.acknowledge(flow, 0x1F, psn)
        if port == 10 and flow["taken"] == 2:
            self.send(roce(self.mac, SEND_ONLY, flow["qpn"], flow["first"], bytes(32), True))
        if port == 6 and flow["taken"] == 5:
            self.mac = MOVED
            self.send(arp(1, MOVED, X, bytes(6), X, b"\xff" * 6))

    def roce_came(self, frame):
        opcode, qpn, psn = frame[42], number(frame, 47, 3), number(frame, 51, 3)
        if opcode == UD_SEND and qpn == 1:
            self.managed(frame[62:62 + 256])
        elif opcode == ACK and qpn == 0x10B and not self.lives:
            self.lives = 1
        elif opcode == ACK and qpn == 0x109 and self.flows[9]["sent"] == 1:
            self.flows[9]["psn"] = (psn + 1) & 0xFFFFFF
            self.write(self.flows[9], 1)
        elif opcode != ACK and qpn - 0x100 in self.flows:
            self.request(qpn - 0x100, psn)

    def came(self, frame):
        if frame[6:12] != H_MAC:
            return
        if not self.begun:
            self.begun = True
            self.send(arp(1, THIEF, H, bytes(6), H, b"\xff" * 6))
        if frame[12:14] == b"\x08\x06" and frame[20:22] == b"\0\1" and frame[38:42] == X:
            self.send(arp(2, self.mac, X, H_MAC, H, H_MAC))
        elif frame[:6] == self.mac and frame[12:14] == b"\x08\0" and frame[23] == 17 and \
                frame[36:38] == b"\x12\xb7":
            self.roce_came(frame)

    def run(self):
        while True:
            if select.select([self.socket], [], [], 0.3)[0]:
                self.came(self.socket.recv(65536))
            elif self.begun:
                for port in (7, 9, 11):
                    if port not in self.flows:
                        self.connect(port)
                if self.lives and 0x10B not in self.flows:
                    self.connect(11, self.lives)


Peer(sys.argv[1]).run()
