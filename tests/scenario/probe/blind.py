#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""blind.py QUENCH FIRST COUNT [JOBS]: draws COUNT devices by the seeds from FIRST on, lets `quench
probe` measure each, and holds probe.json against the device. The estimators see frames alone:
room probe includes no scene. Exits with 1, and names seed, figure, truth and finding, where one is
beyond its tolerance; with 20 devices or more also where few have an averaged marker, or the median
of the scene time is long."""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from draw import Device, unit  # noqa: E402

DEVICE_TIME_S = 300
# What many devices together must reach.
MANY = 20
AVERAGED_LEAST = 3
SCENE_MS_MEDIAN = 60


def run(quench, scenario, steps=None, more=()):
    """The parsed probe.json of a scenario, or the text of what went wrong."""
    with tempfile.TemporaryDirectory(prefix="quench-probe-") as tmp:
        path = os.path.join(tmp, "bench.yaml")
        with open(path, "w") as f:
            json.dump(scenario, f)
        command = [quench, "probe", path, "--clock", "virtual", "--json", "--quiet", "--out",
                   os.path.join(tmp, "out"), *more]
        if steps:
            command += ["--steps", steps]
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEVICE_TIME_S)
        if not done.stdout.strip():
            return None, f"exit {done.returncode}: {done.stderr.strip()}"
        return json.loads(done.stdout), done.stderr.strip()


class Judge:
    def __init__(self, device, found):
        self.device = device
        self.found = found
        self.wrong = []
        self.without = {}  # figures that were not found, by the reason

    def figure(self, name, cls=None):
        of = self.found["figures"] if cls is None else self.found["classes"].get(str(cls), {})
        return of.get(name, {"state": "missing", "value": None})

    def complain(self, name, truth, figure):
        if isinstance(figure, dict) and figure["state"] in ("missing", "not_measured", "invalid"):
            why = figure.get("why", figure["state"])
            self.without.setdefault(why, []).append(name)
            return
        if isinstance(figure, dict):
            figure = {k: v for k, v in figure.items() if k != "verdict"}
        self.wrong.append(f"{name}: truth {truth}, found {figure}")

    def lines(self):
        return self.wrong + [f"not found ({why}): {', '.join(sorted(set(names)))}"
                             for why, names in self.without.items()]

    def exact(self, name, truth, cls=None):
        figure = self.figure(name, cls)
        if figure["state"] != "is" or figure["value"] != truth:
            self.complain(name, truth, figure)

    def near(self, name, truth, tolerance, cls=None):
        figure = self.figure(name, cls)
        value = figure["value"]
        if figure["state"] != "is" or not isinstance(value, (int, float)):
            self.complain(name, truth, figure)
            return
        if abs(value - truth) > tolerance:
            self.complain(name, truth, figure)

    def interval(self, name, truth, widest, cls):
        """The interval holds the truth within 1 %, and is no wider than a poll."""
        figure = self.figure(name, cls)
        if figure["state"] != "is":
            self.complain(name, truth, figure)
            return
        half = figure.get("half_width") or 0
        if abs(figure["value"] - truth) > half + 0.01 * truth or 2 * half > widest:
            self.complain(name, truth, figure)


def judge_thresholds(j, d):
    c, u = d.cls, unit(d.cell)
    xoff, xon = d.xoff(), d.frames_at_xon() * u
    j.exact("obeys", "PFC", c)
    j.exact("threshold", "dynamic" if d.dynamic else "static", c)
    j.exact("quanta", d.quanta, c)
    j.exact("cell_bytes", d.cell if d.cell > 64 else 1)
    j.near("xoff_bytes", xoff, max(u, 0.003 * xoff), c)
    j.near("xon_bytes", xon, max(u, 0.003 * xon), c)
    j.near("hysteresis_bytes", xoff - xon, 2 * u, c)
    j.near("headroom_bytes", d.headroom, max(2 * u, 0.006 * d.headroom), c)
    if not d.dynamic:
        return
    alpha = 2**d.th
    share = alpha / (1 + alpha)
    told = (j.figure("reserve_bytes", c)["value"] or 0) > 0
    j.exact("alpha", alpha, c)
    j.near("alpha_raw", alpha, 0.02 * alpha, c)
    j.near("reserve_bytes", d.reserve, 1.5 * u / share, c)
    j.near("shared_bytes", d.shared, (0.005 if told else 0.02) * d.shared, c)


def judge_pauses(j, d):
    c, quantum_us = d.cls, 512 / (d.rate * 1000)
    frame_us = 8 * 84 / (d.rate * 1000)
    refresh = d.refresh / 100 * d.quanta * quantum_us
    # The response counts the egress pipeline, which a frame passes after the queue has stopped.
    response = d.response * quantum_us + d.latency_ns / 1000
    j.near("response_us", response, 0.003 * response, c)
    j.near("hold_error_us", 0, frame_us / 2, c)
    j.near("refresh_us", refresh, 0.001 * refresh, c)
    dscps = sorted(x for x, cls in d.dscp_map.items() if cls == c)
    if j.found["classes"].get(str(c), {}).get("dscp") != dscps:
        j.complain("dscp", dscps, j.found["classes"].get(str(c), {}).get("dscp"))


def judge_marks(j, d):
    c = d.cls
    j.exact("mark", "at " + d.place, c)
    j.exact("mark_averaged", "yes" if d.averaged else "no", c)
    j.near("kmin_bytes", d.kmin, 0.03 * d.kmin, c)
    j.near("kmax_bytes", d.kmax, 0.01 * d.kmax, c)
    j.near("pmax_percent", d.pmax, 0.03 * d.pmax, c)


def judge_scheduler(j, d):
    shared = [c for c in range(8) if c not in d.strict]
    least = min(d.weight[c] for c in shared)
    for c in range(8):
        j.exact("strict", "yes" if c in d.strict else "no", c)
    for c in shared:
        w = d.weight[c] / least
        j.near("weight", w, 0.01 * w, c)


def judge_lossy(j, d):
    """One of the lossy classes is measured."""
    measured = [c for c in range(8) if j.figure("tail", c)["state"] == "is"]
    if not measured or d.cls in measured:
        j.complain("tail", "of a lossy class", measured)
        return
    for c in measured:
        j.exact("tail", "dynamic" if d.lossy_dynamic else "static", c)
        if d.lossy_dynamic:
            j.exact("tail_alpha", 2**d.lossy_th, c)
            j.near("tail_shared_bytes", d.shared, 0.02 * d.shared, c)
        else:
            j.near("tail_limit_bytes", d.lossy_limit, 0.01 * d.lossy_limit, c)


def judge_watchdog(j, d):
    if not d.watchdog:
        return
    j.exact("watchdog", d.action, d.cls)
    j.near("watchdog_poll_us", d.poll_us, 0.5, d.cls)
    j.interval("watchdog_detect_us", d.detect_us, d.poll_us, d.cls)
    # With the action `forward` frames leave throughout, so they do not show the restoration.
    if d.action == "drop":
        j.interval("watchdog_restore_us", d.restore_us, d.poll_us, d.cls)


def judge(device, found):
    j = Judge(device, found)
    for part in (judge_thresholds, judge_pauses, judge_marks, judge_scheduler, judge_lossy,
                 judge_watchdog):
        part(j, device)
    return j


def one(quench, seed):
    device = Device(seed)
    try:
        found, said = run(quench, device.scenario(), "all" if device.watchdog else None)
    except subprocess.TimeoutExpired:
        found, said = None, f"longer than {DEVICE_TIME_S} s"
    return device, found, said


def main():
    quench, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    jobs = int(sys.argv[4]) if len(sys.argv) > 4 else os.cpu_count()
    failed, averaged, times = 0, 0, []
    with ThreadPoolExecutor(jobs) as pool:
        for device, found, said in pool.map(lambda s: one(quench, s), range(first, first + count)):
            averaged += device.averaged > 0
            wrong = judge(device, found).lines() if found else [said]
            if found and not device.watchdog:
                times.append(found["scene_time_us"] / 1000)
            failed += bool(wrong)
            if wrong:
                print(f"seed {device.seed}: {device.describe()}")
                for line in wrong:
                    print(f"  {line}")
    times.sort()
    median = times[len(times) // 2] if times else 0
    print(f"{count - failed} of {count} devices found, {averaged} with an averaged marker; scene "
          f"time without watchdog {median:.1f} ms in the median, "
          f"{times[-1] if times else 0:.1f} ms at most")
    if count >= MANY and averaged < AVERAGED_LEAST:
        print(f"{AVERAGED_LEAST} devices with an averaged marker are wanted")
        failed += 1
    if count >= MANY and not 0 < median <= SCENE_MS_MEDIAN:
        print(f"a median of at most {SCENE_MS_MEDIAN} ms is wanted")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
