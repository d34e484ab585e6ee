# SPDX-License-Identifier: BSD-3-Clause
"""Two writers set values in a running instance, 1000 times a second at most, beside clients that
break off, send too much or never read. Then the run is stopped, while the writers go on.

set_flood.py SOCKET PID SETS OUT

A writer waits for each answer before its next request. Every tenth of its requests is wrong and
has to be refused with a line. OUT gets the accepted sets of each writer, [instant, path, value],
and the values that each client that never reads has sent.

The memory of the run may grow by GROWTH_KB and SET_BYTES for each set: it keeps 64 bytes and the
text of about 60 for the manifest. A client that sends 8 MB ahead may raise the peak by PEAK_KB.
"""
import json
import socket
import struct
import sys
import threading
import time

RATE = 500
MAX = "switches.s1.classes.3.wred.max"
MIN = "switches.s1.classes.3.wred.min"
WRONG = [({MAX: "1B"}, "min|max"), ({"switches.s1.classes.3.wred.mx": "1KB"}, "unknown key"),
         ({"switches.s1.buffer": "3MB"}, "cannot change")]
OVER, HUNG_UP = "the run is over", "the socket is closed"

GROWTH_KB, SET_BYTES, PEAK_KB = 4096, 192, 2048

where, pid, sets, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
wrong = []


def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(30)
    s.connect(where)
    return s


def message(verb, text):
    body = json.dumps({"verb": verb, "text": text}).encode()
    return struct.pack("=I", len(body)) + body


def setting(values):
    return message("set", json.dumps(values))


def take(s, n):
    got = b""
    while len(got) < n:
        part = s.recv(n - len(got))
        if not part:
            raise ConnectionError("hung up")
        got += part
    return got


def answer(s):
    return json.loads(take(s, struct.unpack("=I", take(s, 4))[0]))


def ask(s, request):
    s.sendall(request)
    return answer(s)


def memory_kb(row):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(row))


class Writer(threading.Thread):
    """Sets values of its own, each another, until the run is over."""

    def __init__(self, number):
        super().__init__()
        self.number, self.accepted, self.refused, self.sent = number, [], 0, 0
        self.ends_with = None
        self.passed = threading.Event()

    def run(self):
        try:
            self.write(connect())
        except ConnectionError:
            self.ends_with = HUNG_UP
        except Exception as e:  # a thread's own would not end the test
            wrong.append(f"writer {self.number}: {e!r}")
        self.passed.set()

    def write(self, s):
        begin = time.monotonic()
        while True:
            self.sent += 1
            i = self.sent
            if i >= sets / 2:
                self.passed.set()
            time.sleep(max(0, begin + i / RATE - time.monotonic()))
            if i % 10 == 0:
                self.refuse(s, *WRONG[i // 10 % len(WRONG)])
                continue
            value = f"{100000 + 2 * i + self.number}B"
            got = ask(s, setting({MAX: value}))
            if "error" in got:
                self.ends_with = got["error"]
                return
            self.accepted.append([got["at_ps"], MAX, value])

    def refuse(self, s, values, why):
        error = ask(s, setting(values)).get("error", "it was done")
        if error == OVER:
            return
        if not any(w in error for w in why.split("|")) or "\n" in error:
            wrong.append(f"{values}: {error}")
        self.refused += 1


def breaks_off():
    s = connect()
    request = setting({MAX: "1MB"})
    s.sendall(request[:len(request) // 2])
    s.close()


def sends_too_much():
    s = connect()
    try:
        s.sendall(message("set", " " * (2 << 20)))
    except OSError:
        pass  # it is hung up on before it has sent all
    try:
        got = answer(s)
        if "1 MB" not in got.get("error", ""):
            wrong.append(f"2 MB: {got}")
    except OSError as e:
        wrong.append(f"2 MB: no line: {e}")


def never_reads(first):
    """Returns the values that it has sent, until the run hangs up."""
    s = connect()
    sent = []
    try:
        for i in range(2000):
            sent.append(f"{first + i}B")
            s.sendall(setting({MIN: sent[-1]}))
    except ConnectionError:
        return sent
    wrong.append("one that never reads is not hung up on")
    return sent


def never_waits():
    """Sends 8 MB of requests at once, and reads the answers beside. Returns by how much the peak of
    the run's memory grows."""
    s = connect()
    request = message("none", "x" * 2000)
    count = (8 << 20) // len(request)
    sender = threading.Thread(target=s.sendall, args=(request * count,))
    before = memory_kb("VmHWM")
    sender.start()
    for _ in range(count):
        if "there is no verb" not in answer(s).get("error", ""):
            wrong.append("a wrong verb is taken")
    sender.join()
    return memory_kb("VmHWM") - before


def until(writers, share):
    while any(w.sent < sets / 2 * share and w.is_alive() for w in writers):
        time.sleep(0.01)


peak = never_waits()
if peak > PEAK_KB:
    wrong.append(f"requests that wait take {peak} KB")
writers = [Writer(0), Writer(1)]
for w in writers:
    w.start()
until(writers, 0.1)
first = memory_kb("VmRSS")
unread = []
rounds = 1 + sets // 10000
for i in range(rounds):
    until(writers, 0.1 + 0.8 * (i + 1) / (rounds + 1))
    breaks_off()
    sends_too_much()
    unread.append(never_reads(20000 + 2000 * i))
for w in writers:
    w.passed.wait()
last = memory_kb("VmRSS")
stopped = ask(connect(), message("do", "stop"))
if "error" in stopped:
    wrong.append(f"stop: {stopped}")
for w in writers:
    w.join()
    if w.sent < sets / 2 or w.ends_with not in (OVER, HUNG_UP):
        wrong.append(f"writer {w.number} ends after {w.sent} with {w.ends_with}")
accepted = [w.accepted for w in writers]
count = sum(map(len, accepted))
print(f"set_flood: {count} sets, {sum(w.refused for w in writers)} refused, "
      f"memory {first} -> {last} KB, peak +{peak} KB, {[w.ends_with for w in writers]}")
if last - first > GROWTH_KB + count * SET_BYTES // 1024:
    wrong.append(f"memory has grown from {first} to {last} KB")
with open(out, "w") as f:
    json.dump({"accepted": accepted, "unread": unread}, f)
for line in wrong[:20]:
    print(f"set_flood: {line}")
sys.exit(bool(wrong))
