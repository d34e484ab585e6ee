#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Figures as gnuplot draws them: those of sweeps and of a run have every series, and their key
# within the picture, names are shown as they are, and each script stands alone in its folder.
# usage: paper.py QUENCH SOURCE_ROOT
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

quench, root = map(os.path.abspath, sys.argv[1:3])
SVG = "{http://www.w3.org/2000/svg}"
LETTER = 6.5  # pixels of a letter at least, on average
failed = 0


def complain(text):
    global failed
    failed = 1
    print("paper:", text)


def sweep(folder, *args):
    subprocess.run([quench, "sweep", *args, "--png", "--svg", "--quiet", "--out", folder],
                   check=True)


def series_of(svg):
    """By the number that gnuplot gives: title, and whether something is drawn."""
    out = []
    for g in svg.iter(SVG + "g"):
        if re.fullmatch(r"gnuplot_plot_\d+[a-z]?", g.get("id", "")):
            drawn = any(len(e.get("d", "")) > 4 or e.tag in (SVG + "use", SVG + "polygon")
                        for e in g.iter())
            out.append((g.find(SVG + "title").text, drawn))
    return out


def texts_of(svg):
    """Each text with its place: x, y, how it is anchored."""
    for g in svg.iter(SVG + "g"):
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\)( rotate)?", g.get("transform", ""))
        for text in g.findall(SVG + "text"):
            yield ("".join(text.itertext()), float(place[1]), float(place[2]),
                   g.get("text-anchor"), bool(place[3]))


def check_places(name, svg):
    width, height = map(float, svg.get("viewBox").split()[2:])
    for text, x, y, anchor, turned in texts_of(svg):
        room = len(text) * LETTER
        left = x - room * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        if not 0 < y < height:
            complain(f"{name}: '{text}' is above or below the picture")
        elif not turned and (left < 0 or left + room > width):
            complain(f"{name}: '{text}' is cut off at a side")


def check_png(path):
    with open(path, "rb") as f:
        head = f.read(8)
    if head != b"\x89PNG\r\n\x1a\n" or os.path.getsize(path) < 10000:
        complain(f"{path} is no picture")


def check_figure(stem):
    """Pictures beside a script that has been run: returns titles of the svg."""
    with open(stem + ".gp") as f:
        script = f.read()
    svg = tree.parse(stem + ".svg").getroot()
    series = series_of(svg)
    want = script.count("data index ") + script.count("keyentry ")
    drawn = sum(s[1] for s in series)
    if len(series) < want:
        complain(f"{stem}.svg: {len(series)} series, {want} are in the script")
    if drawn < want - script.count("keyentry title ' '"):
        complain(f"{stem}.svg: {drawn} of {want} series are drawn")
    check_places(stem + ".svg", svg)
    check_png(stem + ".png")
    return [s[0] for s in series], [t[0] for t in texts_of(svg)]


def check_sweeps():
    scenario = os.path.join(root, "config", "incast-8to1-100g.yaml")
    short = [scenario, "--duration", "2ms", "--set", "warmup=1ms", "--set", "expect=[]"]
    maxima = "switches.s1.classes.3.wred.max=100KB,200KB,400KB,800KB"
    sweep("two", *short, "--vary", maxima, "--vary", "flows.incast.qps=1,2,4")
    titles, texts = check_figure("two/sweep")
    for one in ("max=100KB", "max=800KB", "qps=1", "qps=4", "Pareto front"):
        if one not in titles or texts.count(one) != 1:
            complain(f"two: the key lacks '{one}'")
    if "queue p99 (KB)" not in texts or "utilization (%)" not in texts:
        complain("two: an axis has no title")
    sweep("three", *short, "--vary", maxima, "--vary", "flows.incast.qps=1,2",
          "--vary", "seed=1,2,3,4")
    titles, texts = check_figure("three/sweep")
    if [texts.count(f"seed={i}") for i in (1, 2, 3, 4)] != [1, 1, 1, 1]:
        complain("three: a plot has no title")
    seeds = ",".join(str(i) for i in range(24))
    sweep("many", *short, "--vary", "seed=" + seeds)
    titles, texts = check_figure("many/sweep")
    if any(f"seed={i}" not in texts for i in range(24)):
        complain("many: the key lacks an entry")


def check_run():
    """The figures of a run, which quench report draws."""
    scenario = os.path.join(root, "config", "first-light.yaml")
    subprocess.run([quench, "run", scenario, "--duration", "5ms", "--quiet", "--report",
                    "--out", "run"], check=True)
    subprocess.run([quench, "report", "run", "--svg", "--png"], check=True,
                   stdout=subprocess.DEVNULL)
    stems = sorted(name[:-3] for name in os.listdir("run/figures") if name.endswith(".gp"))
    for one in ("queue-s1_r.3", "goodput", "rate", "pauses", "marking-s1_r.3", "cdf-Latency",
                "cdf-Flow_completion_time"):
        if one not in stems:
            complain(f"run: there is no figure {one}")
    for stem in stems:
        check_figure("run/figures/" + stem)
    texts = check_figure("run/figures/queue-s1_r.3")[1]
    if not any("Kmin 20 KB" in text for text in texts):
        complain("run: Kmin is not named")


def check_goldens():
    """What unit tests compare to the byte is drawn, too."""
    folder = os.path.join(root, "tests", "data", "paper")
    shutil.copytree(folder, "golden")
    os.chdir("golden")
    for name in sorted(os.listdir(".")):
        if name.endswith(".gp"):
            subprocess.run(["gnuplot", name], check=True, stderr=subprocess.DEVNULL)
            if name != "none.gp":
                check_figure(name[:-3])
    titles = [s[0] for s in series_of(tree.parse("hostile.svg").getroot())]
    for one in ("a_b^{c}@d", "it's \"quoted\" \\", "' ; system('id') ; '", "`date`", "}", "{",
                "line\\x0aset output 'x'", "# no comment \\"):
        if one not in titles:
            complain(f"'{one}' is not shown as it is")
    subprocess.run(["gnuplot", "-e", "formats='pdf'", "styles.gp"], check=True)
    with open("styles.pdf", "rb") as f:
        if f.read(5) != b"%PDF-":
            complain("styles.pdf is none")


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    check_sweeps()
    check_run()
    check_goldens()
    os.chdir("/")
sys.exit(failed)
