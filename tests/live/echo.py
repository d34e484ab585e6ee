# SPDX-License-Identifier: BSD-3-Clause
"""The two ends of a live test: UDP echoes of given sizes and a TCP stream, each bounded in time.

serve ADDRESS FILE        answers datagrams; writes what one TCP connection brings to FILE; ends
echo ADDRESS COUNT BYTES [SECONDS]
                          sends COUNT datagrams of BYTES bytes, fails if an answer is missing after
                          so many seconds
blast ADDRESS COUNT BYTES sends COUNT datagrams of BYTES bytes to nobody's port, as fast as it goes
stream ADDRESS FILE       sends FILE over TCP
pace ADDRESS COUNT BYTES [TOS]
                          sends COUNT datagrams of BYTES bytes, 10 every 5 ms, each with its number
count ADDRESS COUNT       waits for datagrams of `pace` until the last has come or none comes any
                          more; prints how many came
mirror ADDRESS PORT       answers datagrams at a port of its own
groups FROM COUNT BYTES   sends COUNT datagrams of BYTES bytes to a multicast group
"""
import selectors
import socket
import sys
import time

PORT = 4000
LIMIT = 300  # seconds before a test gives up: a busy machine takes its time
SO_RCVBUFFORCE = 33  # Linux; root may exceed net.core.rmem_max
IP_MTU_DISCOVER, IP_PMTUDISC_DO = 10, 2  # Linux: DF is set, nothing is cut in pieces


def serve(address, path):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((address, PORT))
    tcp = socket.create_server((address, PORT))
    sel = selectors.DefaultSelector()
    sel.register(udp, selectors.EVENT_READ)
    sel.register(tcp, selectors.EVENT_READ)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        for key, _ in sel.select(0.2):
            if key.fileobj is udp:
                data, peer = udp.recvfrom(65536)
                udp.sendto(data, peer)
            else:
                take(tcp.accept()[0], path)
                return 0
    return 1


def take(connection, path):
    connection.settimeout(LIMIT)
    with open(path, "wb") as f:
        while data := connection.recv(65536):
            f.write(data)


def echo(address, count, size, limit=LIMIT):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
    udp.settimeout(float(limit))
    udp.connect((address, PORT))
    for i in range(int(count)):
        data = i.to_bytes(4, "big") + bytes(k & 255 for k in range(int(size) - 4))
        try:
            udp.send(data)
            if udp.recv(65536) != data:
                print(f"datagram {i} of {size} bytes came back changed")
                return 1
        except OSError as e:
            print(f"datagram {i} of {size} bytes: {e}")
            return 1
    return 0


def blast(address, count, size):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(int(count)):
        try:
            udp.sendto(bytes(int(size)), (address, PORT + 1))
        except OSError:  # the queue is full, or the run has ended
            pass
    return 0


def stream(address, path):
    with open(path, "rb") as f, socket.create_connection((address, PORT), LIMIT) as tcp:
        tcp.sendall(f.read())
    return 0


def pace(address, count, size, tos=0):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, int(tos))
    for i in range(int(count)):
        udp.sendto(i.to_bytes(4, "big") + bytes(int(size) - 4), (address, PORT + 2))
        if i % 10 == 9:
            time.sleep(0.005)
    return 0


def count(address, most):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)  # time comes late
    udp.bind((address, PORT + 2))
    udp.settimeout(LIMIT)
    seen = set()
    try:
        while int(most) - 1 not in seen:
            seen.add(int.from_bytes(udp.recv(65536)[:4], "big"))
            udp.settimeout(5)
    except TimeoutError:
        pass
    print(len(seen))
    return 0


def mirror(address, port):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((address, int(port)))
    udp.settimeout(LIMIT)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        data, peer = udp.recvfrom(65536)
        udp.sendto(data, peer)
    return 0


def groups(source, number, size):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(source))
    for _ in range(int(number)):
        udp.sendto(bytes(int(size)), ("224.1.1.1", PORT + 1))
    return 0


COMMANDS = {"pace": pace, "count": count, "groups": groups, "mirror": mirror,
            "serve": serve, "echo": echo, "blast": blast, "stream": stream}
sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
