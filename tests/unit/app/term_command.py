#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Output on a terminal: no line is wider than it, nothing is lost, verdicts have colours. In a pipe
# every byte stays the same.
# usage: term_command.py QUENCH DATA
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

quench, data = map(os.path.realpath, sys.argv[1:])
softroce = os.path.join(data, "linux_softroce_rocev2.pcap")
short = ["--duration", "2ms", "--set", "warmup=0us", "--force"]
failed = []


def complain(words, what, text=""):
    failed.append(" ".join(words))
    print(f"term_command: {' '.join(words)}: {what}\n{text}")


def environment(**more):
    gone = ("COLUMNS", "NO_COLOR", "TERM")
    return {k: v for k, v in os.environ.items() if k not in gone} | {"TERM": "xterm"} | more


def colourless(text):
    return re.sub(r"\033\[[0-9;]*m", "", text)


def start(words, columns, **options):
    """The command with a terminal for stdout and stderr, and the terminal's other side."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    p = subprocess.Popen([quench, *words], stdout=theirs, stderr=theirs, **options)
    os.close(theirs)
    return p, ours


def read_all(fd):
    text = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:  # the last writer has gone
            more = b""
        if not more:
            os.close(fd)
            return text.decode().replace("\r\n", "\n")
        text += more


def on_terminal(words, columns=80, **env):
    p, fd = start(words, columns, env=environment(**env), stdin=subprocess.DEVNULL)
    text = read_all(fd)
    return p.wait(), text


def in_pipe(words, **env):
    p = subprocess.run([quench, *words], env=environment(**env), stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.returncode, p.stdout


def plain(text):
    """Without progress and without what the machine's speed decides."""
    text = re.sub(r"[^\n]*\r(\033\[K)?", "", colourless(text))
    return re.sub(r"simulated\s+in\s+[0-9.]+\s+s\s+\([0-9.]+x\s+real\s+time\)", "simulated", text)


def widest(text):
    return max(map(len, text.split("\n")))


def fits(words, columns=80, wide=True):
    status, text = on_terminal(words, columns)
    again, piped = in_pipe(words)
    text, piped = plain(text), plain(piped)
    if status != again or widest(text) > columns:
        complain(words, f"status {status}, {widest(text)} columns, {columns} is the most", text)
    if wide and widest(piped) <= columns:
        complain(words, "is not wide in a pipe, and tells nothing", piped)
    lost = set(piped.split()) - set(text.split())
    if lost:
        complain(words, f"lost {sorted(lost)}", text)
    return text


def same(words):
    """A program's input: on a terminal as in a pipe."""
    if on_terminal(words)[1] != in_pipe(words)[1]:
        complain(words, "differs on a terminal")


def tables():
    run = fits(["run", "first-light", *short, "--out", "a"])
    head = r"^  flow +goodput +Rc mean +Rc end +alpha +CE +CNPs +cuts +resent$"
    if not re.search(head, run, re.M):
        complain(["run"], "the table of flows is not narrow but broken", run)
    fits(["run", "first-light", *short, "--out", "b"], 60)
    fits(["run", "--list"])
    fits(["run", "--list"], 132, False)
    fits(["check", "first-light"])
    fits(["check", "iqcn-long-path", "--full"])
    fits(["check", "leaf-spine"])
    fits(["check", "deadlock-ring"])
    sweep = fits(["sweep", "first-light", *short, "--vary", "seed=1,2", "--out", "c"])
    if len(re.findall(r"^first-light seed=2 ", sweep, re.M)) < 2:
        complain(["sweep"], "does not name the run in each part of its table", sweep)
    fits(["sweep", "first-light", *short, "--vary", "seed=1,2", "--out", "c"], 120)
    fits(["decode", softroce])
    fits(["decode", softroce, "--summary"])
    fits(["decode", os.path.join(data, "pfc_xoff_all.pcap"), "--rate", "100Gbps"])
    fits(["check", "victim"])
    fits(["run", "--help"], 60)


def what_stays():
    same(["check", "first-light", "--dot"])
    same(["check", "--reference"])
    same(["check", "--registers"])
    same(["decode", softroce, "--json"])
    same(["help", "--man", "run"])
    same(["help", "--man", "scenario"])
    same(["help", "--completion", "bash"])
    same(["import", os.path.join(data, "sonic", "leaf_32x100g.json")])
    status, text = on_terminal(["decode", softroce, "--summary"], 80, COLUMNS="60")
    if widest(text) > 60:
        complain(["COLUMNS=60"], "does not count", text)
    if on_terminal(["run", "--list"], 0)[1] != on_terminal(["run", "--list"], 80)[1]:
        complain(["run", "--list"], "a terminal of unknown width has not 80 columns")
    if in_pipe(["check", "first-light"], COLUMNS="60") != in_pipe(["check", "first-light"]):
        complain(["check"], "COLUMNS counts in a pipe")


GREEN, YELLOW, RED, END = "\033[32m", "\033[33m", "\033[1;31m", "\033[0m"


def coloured(words, pieces, **env):
    """Just these pieces of what the command prints have colours. None has in a pipe, or where the
    user wants none."""
    text = on_terminal(words, **env)[1]
    got = re.findall(r"\033\[[0-9;]+m[^\033]*\033\[0m", text)
    if got != pieces:
        complain(words, f"{got} have colours, {pieces} should", text)
    for none in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        if re.search(r"\033\[[0-9;]*m", on_terminal(words, **none)[1]):
            complain(words, f"has colours with {none}")
    if "\033" in in_pipe(words)[1]:
        complain(words, "has colours in a pipe")


def verdicts_warnings_and_errors_have_colours():
    passed = [GREEN + "conserved  " + END, GREEN + "lossless  " + END,
              YELLOW + "UNSETTLED" + END]
    run = ["run", "first-light", *short, "--out", "d"]
    coloured(run, passed)
    coloured(run, passed, NO_COLOR="")
    coloured([*run, "--set", "expect=[{figure: jain, min: 2}]"],
             [*passed, RED + "NOT AS EXPECTED" + END])
    coloured([*run, "--set", "switches.s1.classes.3.pfc.enable=false", "--set", "warmup=1ms",
              "--set", "flows.incast.control=none"],
             [YELLOW + "warning:" + END, YELLOW + "QP stands" + END, GREEN + "conserved  " + END,
              RED + "NOT LOSSLESS" + END, YELLOW + "UNSETTLED" + END])
    coloured(["run", "nothing.yaml"], [RED + "nothing.yaml" + END])
    coloured(["run", "first-light", "--bad"], [RED + "quench run" + END])
    coloured(["check", "first-light", "--set", "switches.s2.buffer=5MB"],
             [RED + "--set switches.s2.buffer=5MB" + END])
    coloured(["check", "deadlock-ring"], [YELLOW + "warning:" + END])
    coloured(["run", "deadlock-ring", *short, "--quiet", "--out", "d"], [YELLOW + "warning:" + END])
    sweep = ["sweep", "first-light", *short, "--vary", "seed=1", "--out", "e"]
    coloured(sweep, [])
    coloured([*sweep, "--set", "expect=[{figure: jain, min: 2}]"],
             [RED + "quench sweep" + END, RED + "FAILED" + END])
    coloured(["decode", os.path.join(data, "neg_rc_write_bad_icrc.pcap")], [RED + "BAD" + END])
    coloured(["check", "first-light"], [])
    coloured(["run", "--list"], [])


def frames_show_as_they_come():
    p, fd = start(["decode", "-"], 80, stdin=subprocess.PIPE, env=environment())
    with open(softroce, "rb") as f:
        p.stdin.write(f.read(16384))
    p.stdin.flush()
    text = b""
    while b"RC_SEND_ONLY" not in text:
        text += os.read(fd, 65536)
    p.stdin.close()
    read_all(fd)
    p.wait()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    # Messages name the scenario's file: by a way that is short wherever the checkout is.
    os.symlink(os.path.join(os.path.dirname(quench), "share", "quench"), "q")
    os.environ["QUENCH_DATA"] = "q"
    tables()
    what_stays()
    verdicts_warnings_and_errors_have_colours()
    frames_show_as_they_come()
sys.exit(1 if failed else 0)
