#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# quench top in a terminal, against an instance whose looks are written here: screens are those of
# the files in DATA/top, whatever the machine's speed.
# usage: top_command.py QUENCH DATA [--write]    --write makes the files
import difflib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from screen import Screen

quench, data = map(os.path.realpath, sys.argv[1:3])
data = os.path.join(data, "top")
write = "--write" in sys.argv
running = []
WAIT = 60  # seconds until a screen that does not come is missed
HOSTS = [f"h{i}" for i in range(1, 5)]


def figures(k):
    """What the k-th look tells: 1 ms of the scene after the one before."""
    f = {"total.marks": 40 * k * k, "total.cnp_rx": 30 * k, "total.pauses": 2 * k,
         "total.data_frames_retransmitted": 0, "total.drops_total": 0,
         "total.lossless_drops_total": 0, "instrument.loop_gap_p99_us": "0.412",
         "instrument.loop_gap_max_us": "31.250", "drop.headroom": 0, "drop.same_port": 7}
    for port in [f"s1:{h}" for h in HOSTS] + ["s1:r"] + [f"{h}:s1" for h in HOSTS] + ["r:s1"]:
        f[f"link.{port}.rate_bps"] = 25000000000
    for i, h in enumerate(HOSTS):
        f[f"port.s1:{h}.tx_bytes"], f[f"port.s1:{h}.rx_bytes"] = 5000 * k, (700 + 20 * i) * 1000 * k
        f[f"nic.{h}.tx_bytes"], f[f"nic.{h}.rx_bytes"] = (700 + 20 * i) * 1000 * k, 5000 * k
        f[f"pfc.{h}:s1.3.pause_effective_us"] = f"{25 * i * k}.000"
        f[f"pfc_tx.s1:{h}.3.pause_effective_us"] = f"{25 * i * k}.000"
        f[f"pfc_tx.s1:{h}.3.pauses"] = i * k
        f[f"pg.s1:{h}.3.held_bytes"] = 9000 * i + 1000 * k
        f[f"pg.s1:{h}.3.xon_bytes"], f[f"pg.s1:{h}.3.xoff_bytes"] = 54000, 60000
    f["port.s1:r.tx_bytes"], f["port.s1:r.rx_bytes"] = 2900000 * k, 20000 * k
    f["nic.r.tx_bytes"], f["nic.r.rx_bytes"] = 20000 * k, 2900000 * k
    f["queue.s1:r.3.length_bytes"] = [0, 20000, 90000, 140000, 60000, 120000][k % 6]
    f["queue.s1:r.3.kmin_bytes"], f["queue.s1:r.3.kmax_bytes"] = 20000, 200000
    f["queue.s1:r.3.ecn_marked_frames"] = 40 * k * k
    f["queue.r:s1.6.length_bytes"] = 0
    for q in range(8):
        flow = f"flow.incast[{HOSTS[q % 4]}>r.{q // 4}]"
        f[flow + ".rx_bytes"] = (100 + 37 * q * q % 91) * 1000 * k
        f[flow + ".rc_gbps"], f[flow + ".alpha"] = f"{1.5 + 0.25 * q:.6f}", f"{0.05 * q:.6f}"
        f[flow + ".cnp_rx"], f[flow + ".data_frames_retransmitted"] = 3 * q * k, 0
    f["source.noise.rx_bytes"] = 50000 * k
    return f


class Instance:
    """Answers as DPDK's telemetry does. There are `last` looks; the last one is told again."""

    def __init__(self, folder, last):
        os.makedirs(folder)
        self.path = os.path.join(folder, "dpdk_telemetry.v2")
        self.last, self.asked, self.silent, self.figures = last, 0, False, figures
        self.timing = ""
        self.changed = threading.Condition()
        self.listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listening.bind(self.path)
        self.listening.listen(8)
        self.clients = []
        threading.Thread(target=self.accept, daemon=True).start()
        self.requests, self.reply = [], {}
        self.control = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.control.bind(os.path.join(folder, "quench_control"))
        self.control.listen(8)
        threading.Thread(target=self.steer, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listening.accept()[0]
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            client.send(b'{"version": "DPDK", "pid": 71, "max_output_len": 16384}')
            while True:
                command = client.recv(1024).decode()
                if not command:
                    return
                answer = self.answer(command)
                while self.silent:
                    time.sleep(0.01)
                client.send(json.dumps(answer).encode())
        except OSError:
            return

    def answer(self, command):
        name, _, rest = command.partition(",")
        if name == "/quench/info":
            return {name: {"instance": "canned", "scenario": "leaf", "pid": 71, "now_ps": 0,
                           "duration_ps": 150 * 10**9, "dilate": 100}}
        begin = int(rest.partition(",")[0])
        with self.changed:
            if not begin:
                self.asked += 1
                self.changed.notify_all()
            k = min(self.asked, self.last)
        lines = [f"{path} {value}" for path, value in self.figures(k).items()]
        page = {"metrics": lines[begin:begin + 60], "at_ps": k * 10**9, "timing": self.timing}
        if begin + 60 < len(lines):
            page["next"] = begin + 60
        return {name: page}

    def steer(self):
        """The other socket, which takes commands."""
        try:
            client = self.control.accept()[0]
            self.clients.append(client)
            while True:
                size = client.recv(4, socket.MSG_WAITALL)
                if not size:
                    return
                text = client.recv(struct.unpack("I", size)[0], socket.MSG_WAITALL)
                self.requests.append(json.loads(text))
                text = json.dumps(self.reply).encode()
                client.send(struct.pack("I", len(text)) + text)
        except OSError:
            return

    def more(self, n):
        """Waits until it was asked n more times."""
        with self.changed:
            until = self.asked + n
            self.changed.wait_for(lambda: self.asked >= until, WAIT)

    def end(self):
        for s in [self.listening, self.control, *self.clients]:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()
        self.clients = []
        shutil.rmtree(os.path.dirname(self.path), ignore_errors=True)


def begin():
    """The terminal is the program's own, and a hangup ends it, also where the test ignores one."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Top:
    """The program in a terminal of its own."""

    def __init__(self, instance, rows=24, columns=80, **env):
        instance.asked = 0
        self.ours, self.theirs = pty.openpty()
        self.screen = Screen(rows, columns)
        self.raw = ""
        self.size(rows, columns)
        gone = ("COLUMNS", "LINES", "NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG")
        known = {k: v for k, v in os.environ.items() if k not in gone}
        self.was = termios.tcgetattr(self.theirs)
        self.p = subprocess.Popen(
            [quench, "top", "--instance", "canned", "--every", "100ms"],
            stdin=self.theirs, stdout=self.theirs, stderr=self.theirs, start_new_session=True,
            preexec_fn=begin,
            env=known | {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | env)

        running.append(self.p)

    def size(self, rows, columns):
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.size(rows, columns)
        self.screen.resize(rows, columns)
        self.p.send_signal(signal.SIGWINCH)

    def read(self, seconds):
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        text = os.read(self.ours, 65536).decode(errors="replace")
        self.raw += text
        self.screen.feed(text)
        return True

    def keys(self, text):
        os.write(self.ours, text.encode())

    def wait(self, good):
        """Reads until good() or for too long; returns whether it is."""
        end = time.monotonic() + WAIT
        while not good():
            if time.monotonic() > end:
                return False
            self.read(0.2)
        return True

    def has(self, text, what):
        if not self.wait(lambda: text in self.screen.text()):
            complain(what, f"'{text}' is not on the screen", self.screen.text())

    def shows(self, name):
        """The screen becomes the one in a file."""
        path = os.path.join(data, name + ".txt")
        if write:
            while self.read(1):
                pass
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.screen.text())
            return
        with open(path, encoding="utf-8") as f:
            want = f.read()
        if not self.wait(lambda: self.screen.text() == want):
            diff = difflib.unified_diff(want.split("\n"), self.screen.text().split("\n"), "wanted",
                                        "shown", lineterm="", n=0)
            complain(name, "the screen differs", "\n".join(diff))

    def ends(self, status, what):
        try:
            got = self.p.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.p.kill()
            got = self.p.wait()
        while self.read(0.1):
            pass
        if got != status:
            complain(what, f"exit status {got}, {status} is right", self.raw[-500:])
        if termios.tcgetattr(self.theirs) != self.was:
            complain(what, "the terminal's modes are not restored")
        if self.raw.count("\033[?1049h") != self.raw.count("\033[?1049l"):
            complain(what, "the terminal's screen is not given back")
        os.close(self.theirs)
        os.close(self.ours)

    def quit(self, what):
        self.keys("q")
        self.ends(0, what)


def complain(what, why, text=""):
    print(f"top_command: {what}: {why}\n{text}", flush=True)
    for p in running:
        if p.poll() is None:
            p.kill()
    os._exit(1)


def sizes(instance):
    for rows, columns in ((24, 80), (40, 132), (60, 200)):
        top = Top(instance, rows, columns)
        top.shows(f"{columns}x{rows}")
        top.quit("size")


def keys(instance):
    top = Top(instance)
    top.shows("80x24")
    top.keys("?")
    top.shows("help")
    top.keys("x/h3\r")
    top.shows("filter")
    top.keys("\033")
    top.shows("80x24")
    top.keys("\t\ts\033OB\r")  # by Rc
    top.shows("sort")
    top.keys("\033OB\033OB\r")
    top.shows("past")
    top.keys("\r\033[Z\r")
    top.shows("past_queue")
    top.keys("q")
    top.quit("keys")


def resizes(instance):
    top = Top(instance)
    top.shows("80x24")
    top.resize(40, 132)
    top.shows("132x40")
    top.resize(20, 60)
    top.has("quench top wants 80 columns and 24 lines.", "small screen")
    top.resize(24, 80)
    top.shows("80x24")
    top.quit("resize")


def freezes(instance):
    top = Top(instance)
    top.shows("80x24")
    top.keys(" ")
    top.has("FROZEN", "freeze")
    before = top.screen.text()
    instance.last = 6
    instance.more(3)
    top.keys("??")  # a key's answer comes after what was frozen
    top.has("FROZEN", "freeze")
    if top.screen.text() != before:
        complain("freeze", "the frozen screen changes", top.screen.text())
    top.keys(" ")
    top.has("6.000 of 150 ms", "freeze")
    top.quit("freeze")


def colourless(instance):
    for env in ({"NO_COLOR": "1"}, {"TERM": "vt100"}):
        top = Top(instance, **env)
        top.shows("80x24")
        if re.search(r"\033\[([0-9]+;)*[34][0-7](;[0-9]+)*m", top.raw):
            complain(str(env), "there are colours")
        if not re.search(r"\033\[([0-9]+;)*7(;[0-9]+)*m", top.raw):
            complain(str(env), "nothing is reversed")
        top.quit("colourless")
    top = Top(instance, LC_ALL="C")
    top.shows("ascii")
    top.quit("ASCII")


def commands(instance):
    top = Top(instance)
    top.shows("80x24")
    top.keys("a\r")
    top.has("quench do 'link_down: s1:h1'", "command")
    top.keys("\r")
    top.has("quench do 'link_down: s1:h1'\nRun this command?", "command")
    top.keys("n")
    top.has("Not run.", "command")
    if instance.requests:
        complain("command", "it is run without a y", str(instance.requests))
    instance.reply = {"at_ps": 5 * 10**9 + 250, "nodes": [], "warnings": ["it is cold"]}
    top.keys("a\033OB\r\ry")
    top.has("Done at 5.000000 ms. Warning: it is cold", "command")
    instance.reply = {"error": "there is no such port"}
    top.keys("a\r\177 9\ry")
    top.has("there is no such port", "command")
    if instance.requests != [{"verb": "do", "text": "link_up: s1:h1"},
                             {"verb": "do", "text": "link_down: s1:h 9"}]:
        complain("command", "others are run", str(instance.requests))
    instance.reply = {"at_ps": 6 * 10**9}
    top.keys("\ta\r\177\177B\ry")
    top.has("Done at 6.000000 ms.", "command")
    if json.loads(instance.requests[-1]["text"]) != {"switches.s1.classes.3.pfc.xoff": "6000B"}:
        complain("command", "another value is set", str(instance.requests))
    top.quit("command")


def losses(instance):
    instance.figures = lambda k: figures(k) | {
        "total.drops_total": 9, "total.lossless_drops_total": 4, "drop.headroom": 4, "drop.tail": 5}
    instance.timing = "one loop in a hundred takes 9 us or more"
    top = Top(instance)
    top.has("NOT LOSSLESS: 4 lost (headroom 4, tail 5)  TIMING BROKEN", "losses")
    top.has("one loop in a hundred takes 9 us or more", "losses")
    top.quit("losses")


def ends(instance):
    top = Top(instance)
    top.shows("80x24")
    instance.end()
    top.shows("ended")
    top.keys("?")
    top.has("Any key closes it.", "end")
    top.keys("x")
    top.shows("ended")
    top.quit("end")


def answers_late(instance):
    top = Top(instance)
    top.shows("80x24")
    instance.silent = True
    top.keys("?")  # at once, while it waits
    top.has("Any key closes it.", "silent instance")
    top.keys("x")
    top.has("The instance does not answer.", "silent instance")
    instance.silent = False
    if not top.wait(lambda: "does not answer" not in top.screen.text()):
        complain("silent instance", "it answers, and is not heard", top.screen.text())
    top.shows("80x24")
    instance.silent = True
    instance.more(1)
    begin = time.monotonic()
    top.quit("silent instance")
    instance.silent = False
    if time.monotonic() - begin > WAIT / 2:
        complain("silent instance", "it keeps the user waiting")


def signals(instance):
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        top = Top(instance)
        top.shows("80x24")
        top.p.send_signal(sig)
        top.ends(128 + sig, str(sig))
    top = Top(instance)
    top.shows("80x24")
    top.keys("\003")  # ^C
    top.ends(130, "^C")
    top = Top(instance)
    top.shows("80x24")
    for _ in range(2):
        top.p.send_signal(signal.SIGTSTP)
        os.waitpid(top.p.pid, os.WUNTRACED)
        while top.read(0.1):
            pass
        if termios.tcgetattr(top.theirs) != top.was:
            complain("SIGTSTP", "the terminal's modes are not restored")
        if top.raw.count("\033[?1049h") != top.raw.count("\033[?1049l"):
            complain("SIGTSTP", "the terminal's screen is not given back")
        top.p.send_signal(signal.SIGCONT)
        top.shows("80x24")
    top.quit("SIGCONT")


def says(pattern, words=("top", "--instance", "canned"), **env):
    """One line on a terminal that cannot show it, or in a pipe."""
    p = subprocess.run([quench, *words], env=os.environ | env, stdin=subprocess.DEVNULL,
                       capture_output=True, text=True)
    if p.returncode != 2 or p.stderr.count("\n") != 1 or not re.search(pattern, p.stderr):
        complain(pattern, f"status {p.returncode}", p.stderr)


def refusals(instance):
    says("^quench top: it wants a terminal; `quench stats --watch 1s` writes into a pipe$")
    says("^quench top: --every is between 100ms and 60s$", ("top", "--every", "99ms"))
    says("^quench top: no instance 'nobody' is running", ("top", "--instance", "nobody"))
    top = Top(instance, TERM="dumb")
    top.has("the terminal 'dumb' cannot do this", "TERM=dumb")
    top.ends(2, "TERM=dumb")


for test in (sizes, keys, resizes, freezes, colourless, commands, losses, answers_late, signals,
             refusals, ends):
    if len(sys.argv) > 3 and not write and test.__name__ not in sys.argv[3:]:
        continue
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        canned = Instance(os.path.join(folder, "dpdk", "canned"), 5)
        test(canned)
        canned.end()
