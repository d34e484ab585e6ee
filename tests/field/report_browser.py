#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Reports of five scenarios, and one of two runs, in a browser: headless Chromium draws each page,
# and the drawing is compared with the data in the page.
# usage: report_browser.py QUENCH
import json
import os
import shutil
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

INCAST = ["incast-8to1-100g", "--duration", "20ms", "--set", "warmup=5ms"]
RUNS = {
    "incast": INCAST,
    "victim": ["victim", "--record", "events=[all,xoff_holder]"],
    "ring": ["deadlock-ring"],
    "wred": ["wred"],
    "unfairness": ["unfairness-dcqcn"],
    "lower": INCAST + ["--set", "switches.s1.classes.3.wred.min=5KB"],
}
PAGES = {name: [name] for name in ("incast", "victim", "ring", "wred", "unfairness")}
PAGES["two"] = ["incast", "lower"]
PAGES["bare"] = ["bare"]

failed = []
told = [0, 0]  # texts of levels and of links that were looked at


def check(page, holds, what):
    if not holds:
        failed.append(page)
        print("%s: %s" % (page, what))


def same(page, got, want, what):
    check(page, got == want, "%s: got %s, expected %s" % (what, got, want))


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for arg in ("--headless=new", "--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1"):
        options.add_argument(arg)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def sized(d, width):
    d.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    frames(d)


def media(d, kind, scheme="light"):
    d.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "media": kind, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    frames(d)


def frames(d):
    """Until what waits for the next frame has been drawn."""
    d.execute_async_script(
        "const f = requestAnimationFrame; f(() => f(() => f(arguments[0])));")


def press(d, element):
    d.execute_script("arguments[0].click()", element)


def show(d, element):
    d.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)


def figures(d, kind):
    """The figures of a kind: the series of each by its name."""
    return {f["name"]: f["series"] for f in d.execute_script(
        "return [...document.querySelectorAll(`figure[data-plot=${arguments[0]}]`)].map("
        "(f) => ({name: f.dataset.name, series: Number(f.dataset.series)}))", kind)}


def counted(pairs):
    n = {}
    for name, some in pairs:
        n[name] = n.get(name, 0) + some
    return n


def every(data, member):
    return [v for r in data["runs"] for v in r.get(member) or []]


def expected_rates(data):
    """The lines of each plot of rates: the first of the four that there is."""
    rates = [v for v in every(data, "rates") if v["t"]]
    many = len(data["runs"]) > 1
    if many and len(rates) > 8:
        lines = {(i, v["group"]) for i, r in enumerate(data["runs"]) for v in r["rates"] if v["t"]}
        return [len(lines)]
    names = {v["name"] for v in rates}
    if len(names) <= 8:
        plots = [rates] if rates else []
    else:
        groups = list(dict.fromkeys(v["group"] for v in rates))
        plots = [[v for v in rates if v["group"] == g] for g in groups]
    counts = []
    for plot in plots:
        has = [k for k in ("goodput", "rc", "rt", "alpha") if any(v[k] for v in plot)]
        if has:
            counts.append(sum(1 for v in plot if v[has[0]]))
    return counts


def plots_are_drawn(d, page, data):
    queues = counted((q["name"], 1) for q in every(data, "queues") if q["t"])
    same(page, figures(d, "queue"), queues, "lines in plots of queues")
    same(page, sorted(figures(d, "rate").values()), sorted(expected_rates(data)), "lines of rates")
    lanes = {"pauses": len(every(data, "pauses"))} if every(data, "pauses") else {}
    rows = d.execute_script(
        "return [...document.querySelectorAll('figure[data-plot=pauses]')].map("
        "(f) => Number(f.dataset.rows))")
    same(page, rows, list(lanes.values()), "lanes of pauses")
    kinds = {t["kind"] for t in every(data, "ticks")}
    same(page, set(figures(d, "ticks")), kinds, "kinds of ticks")
    marking = [m for m in every(data, "marking") if any(m["frames"])]
    ramps = {(m["name"], m["kmin"], m["kmax"], m["pmax"]) for m in marking
             if m["kmin"] is not None}
    same(page, figures(d, "marking"), counted([(m["name"], 1) for m in marking] +
         [(r[0], 1) for r in ramps]), "marking curves")
    same(page, figures(d, "cdf"), counted((c["title"], 1) for c in every(data, "cdfs") if c["x"]),
         "distributions")
    sizes = len(every(data, "sizes"))
    same(page, list(figures(d, "sizes").values()), [sizes] if sizes else [], "sizes of messages")
    same(page, list(figures(d, "topology").values()),
         [len(r["links"]) for r in data["runs"] if r["nodes"]][:1], "directions of links")
    lineages = [r for r in data["runs"] if (r.get("lineage") or {}).get("nodes")]
    same(page, len(figures(d, "lineage")), len(lineages[:1]), "diagrams of lineage")
    bad = d.execute_script("""
        const bad = [];
        for (const e of document.querySelectorAll('figure svg *')) {
            for (const a of e.attributes) {
                if (/NaN|undefined|Infinity/.test(a.value)) bad.push(e.outerHTML.slice(0, 200));
            }
        }
        for (const f of document.querySelectorAll('figure')) {
            if (f.closest('[hidden]')) continue;
            const graph = f.querySelector('.graph canvas');
            if (!graph && !f.querySelector('svg path')) bad.push('nothing in ' + f.dataset.name);
            if (!graph) continue;
            const px = graph.getContext('2d').getImageData(0, 0, graph.width, graph.height).data;
            let ink = 0;
            for (let i = 3; i < px.length; i += 4) ink += px[i] > 0;
            if (ink < 500) bad.push('an empty graph: ' + f.dataset.name);
        }
        return bad;""")
    same(page, bad, [], "drawings")


def texts_are_whole(d, page, width):
    """No text of a drawing leaves it, and the page does not scroll sideways."""
    cut = d.execute_script("""
        const cut = [];
        for (const svg of document.querySelectorAll('.host svg')) {
            const box = svg.getBoundingClientRect();
            if (!box.width) continue;
            for (const t of svg.querySelectorAll('text')) {
                const b = t.getBoundingClientRect();
                if (b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 2 ||
                    b.top < box.top - 2) cut.push(svg.closest('figure').dataset.plot + ': ' +
                    t.textContent);
            }
        }
        for (const p of document.querySelectorAll('.lanes path')) {
            const box = p.closest('svg').getBoundingClientRect(), b = p.getBoundingClientRect();
            if (b.right > box.right + 1 || b.left < box.left - 1) cut.push('a lane is too long');
        }
        return cut;""")
    same(page, cut, [], "texts cut at %d px" % width)
    wide = d.execute_script("return document.documentElement.scrollWidth")
    check(page, wide <= width, "the page is %d px wide in a window of %d" % (wide, width))


def texts_are_free(d, page, width):
    """A text beside a link lies on no link, node or text; a level's on no line of its plot."""
    struck = d.execute_script("""
        const struck = [];
        const corners = (e) => {
            const b = e.getBBox(), m = e.getScreenCTM();
            return [[b.x + 1, b.y + 2], [b.x + b.width - 1, b.y + 2],
                    [b.x + b.width - 1, b.y + b.height - 2], [b.x + 1, b.y + b.height - 2]]
                .map(([x, y]) => new DOMPoint(x, y).matrixTransform(m));
        };
        const holds = (box, p) => {
            const side = box.map((a, i) => {
                const b = box[(i + 1) % 4];
                return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
            });
            return side.every((s) => s >= 0);
        };
        const along = (a, b) => Array.from({length: 60},
            (_, i) => ({x: a.x + (b.x - a.x) * i / 59, y: a.y + (b.y - a.y) * i / 59}));
        const edges = (box) => box.flatMap((a, i) => along(a, box[(i + 1) % 4]));
        for (const svg of document.querySelectorAll('figure[data-plot=topology] svg')) {
            const texts = [...svg.querySelectorAll('text.halo')]
                .map((t) => ({t, box: corners(t)}));
            const things = [...svg.querySelectorAll('.node rect')].map((e) => edges(corners(e)));
            for (const e of svg.querySelectorAll('.link path')) {
                const m = e.getScreenCTM(), n = Math.ceil(e.getTotalLength());
                things.push(Array.from({length: n + 1},
                    (_, i) => e.getPointAtLength(i).matrixTransform(m)));
            }
            for (const {t, box} of texts) {
                if (things.some((points) => points.some((p) => holds(box, p))) ||
                    texts.some((o) => o.t !== t && edges(o.box).some((p) => holds(box, p))))
                    struck.push(t.textContent);
            }
        }
        const pen = document.createElement('canvas')
            .getContext('2d', {willReadFrequently: true});
        for (const text of document.querySelectorAll('.levels span')) {
            const canvas = [...text.closest('.host').querySelectorAll('canvas')][0];
            [pen.canvas.width, pen.canvas.height] = [canvas.width, canvas.height];
            pen.drawImage(canvas, 0, 0);
            const c = canvas.getBoundingClientRect(), b = text.getBoundingClientRect();
            const by = canvas.width / c.width;
            const px = pen.getImageData((b.left - c.left) * by,
                (b.top - c.top) * by, b.width * by, b.height * by).data;
            // Lines have a colour; levels, rules and what lies outside of the window are grey.
            let ink = 0;
            for (let i = 0; i < px.length; i += 4)
                ink += px[i + 3] > 40 && Math.max(px[i], px[i + 1], px[i + 2]) -
                    Math.min(px[i], px[i + 1], px[i + 2]) > 60;
            if (ink) struck.push(text.textContent);
        }
        return struck;""")
    same(page, struck, [], "texts that lie on something at %d px" % width)
    texts = d.execute_script("return [document.querySelectorAll('.levels span').length, "
                             "document.querySelectorAll('[data-plot=topology] .halo').length]")
    told[0] += texts[0]
    told[1] += texts[1]


def view(d):
    return d.execute_script("return window.quench.view.state()")


def all_show(d, page, what):
    v = view(d)
    check(page, all(abs(g[0] - v["from"]) < 1e-6 and abs(g[1] - v["to"]) < 1e-6
                    for g in v["graphs"]), "%s: the plots show different times: %s" % (what, v))
    return v


def zoom_is_shared(d, page):
    full = view(d)
    hosts = [h for h in d.find_elements(By.CSS_SELECTOR, ".timed") if h.is_displayed()]
    graphs = [h for h in hosts if h.find_elements(By.CSS_SELECTOR, ".graph")]
    lanes = [h for h in hosts if h not in graphs]
    if not hosts:
        return
    for host in (graphs[-1:] + lanes[-1:]):
        before = [h.get_attribute("innerHTML") for h in lanes]
        show(d, host)
        half = host.size["width"] // 2
        ActionChains(d).move_to_element_with_offset(host, -half // 3, 0).click_and_hold() \
            .move_by_offset(40, 0).move_by_offset(half // 3, 2).release().perform()
        frames(d)
        v = all_show(d, page, "zoomed")
        check(page, full["from"] < v["from"] < v["to"] < full["to"], "a drag did not zoom: %s" % v)
        after = [h.get_attribute("innerHTML") for h in lanes]
        check(page, all(a != b for a, b in zip(before, after)), "a lane did not follow the zoom")
        ActionChains(d).move_to_element(host).double_click().perform()
        frames(d)
        v = all_show(d, page, "double click")
        same(page, [v["from"], v["to"]], [full["from"], full["to"]], "double click")
    keys = ActionChains(d).move_to_element(hosts[0])
    d.execute_script("arguments[0].focus()", hosts[0])
    keys.send_keys("+").perform()
    v = all_show(d, page, "the key +")
    check(page, v["to"] - v["from"] < 0.6 * (full["to"] - full["from"]), "the key + did not zoom")
    ActionChains(d).send_keys("0").perform()
    same(page, all_show(d, page, "the key 0"), full, "the key 0")


def cursor_is_shared(d, page, data):
    hosts = [h for h in d.find_elements(By.CSS_SELECTOR, ".timed") if h.is_displayed()]
    timed = [v for m in ("queues", "rates", "pauses", "ticks") for v in every(data, m)]
    check(page, bool(hosts) == bool(timed), "plots over time")
    if not hosts:
        return
    host = hosts[0]
    show(d, host)
    ActionChains(d).move_to_element(host).perform()
    frames(d)
    hidden = d.execute_script("return [...document.querySelectorAll('.hair')].filter("
                              "(h) => h.hidden).length")
    same(page, hidden, 0, "plots without a line at the cursor")
    told = d.find_element(By.CSS_SELECTOR, ".readout")
    check(page, told.is_displayed() and told.find_elements(By.CSS_SELECTOR, ".value"),
          "the values at the cursor are not told")


def column(d, box, at):
    return [c.text for c in box.find_elements(By.CSS_SELECTOR, "tbody td:nth-child(%d)" % (at + 1))]


def tables_work(d, page, data):
    table = [t for t in data["runs"][0]["tables"] if t["key"] == "links"][0]
    box = d.find_element(By.CSS_SELECTOR, "[data-table=links]")
    if not box.get_attribute("open"):
        press(d, box.find_element(By.CSS_SELECTOR, "summary"))
        frames(d)
    names = [c["name"] for c in table["columns"]]
    at = names.index("tx_gbps")
    heads = box.find_elements(By.CSS_SELECTOR, "th")
    for up, order in ((True, "ascending"), (False, "descending")):
        press(d, heads[at].find_element(By.CSS_SELECTOR, "button"))
        known = sorted((r[at] for r in table["rows"] if r[at] is not None), reverse=not up)
        want = known + [None] * (len(table["rows"]) - len(known))
        got = [None if v == "–" else float(v) for v in column(d, box, at)]
        same(page, got, want, "sorted by tx_gbps, " + order)
        same(page, heads[at].get_attribute("aria-sort"), order, "aria-sort")
    some = table["rows"][0][names.index("port")]
    words = box.find_elements(By.CSS_SELECTOR, "input[type=search]")
    if words:
        words[0].send_keys(some)
        want = sum(1 for r in table["rows"] if some in " ".join(map(str, r)))
        same(page, len(column(d, box, at)), want, "rows that hold " + some)
        check(page, want < len(table["rows"]), "the filter leaves nothing out")


def prints(d, page):
    media(d, "print", "dark")
    sized(d, 700)
    found = d.execute_script("""
        const seen = (e) => e.getClientRects().length > 0 && !e.closest('[hidden]');
        const all = (s) => [...document.querySelectorAll(s)];
        return {
            theme: document.documentElement.dataset.theme,
            controls: all('.controls, .choice, .viewbar, input, .side').filter(seen).length,
            cut: all('main .scroll').filter((e) => seen(e) &&
                getComputedStyle(e).overflowX !== 'visible').length,
            unseen: all('figure').filter((f) => !seen(f) && !f.closest('[hidden]') &&
                !f.closest('details:not([open])')).length,
            sideways: document.documentElement.scrollWidth -
                document.documentElement.clientWidth,
            wide: all('.host svg, .host canvas').filter((e) => seen(e) &&
                e.getBoundingClientRect().right > 702).length,
        };""")
    same(page, found, {"theme": "light", "controls": 0, "cut": 0, "unseen": 0, "wide": 0,
                       "sideways": 0},
         "on paper")
    media(d, "screen")


def differences_are_told(d, page, data):
    figures_ = data["compare"]["figures"]
    box = d.find_element(By.CSS_SELECTOR, "[data-table=differences]")
    for b in box.find_elements(By.CSS_SELECTOR, ".choice [data-value=false]"):
        press(d, b)
    same(page, int(box.get_attribute("data-rows")), len(figures_), "figures that are compared")
    differ = sum(1 for f in figures_[:200] if f["differs"])
    same(page, column(d, box, len(data["compare"]["sets"]) + 4).count("differs"), differ,
         "figures that differ")
    different = d.find_element(By.CSS_SELECTOR, "[data-table=different]")
    same(page, int(different.get_attribute("data-rows")), len(data["compare"]["config"]),
         "options that differ")


def doubts_are_told(d, page, data):
    for kind in ("doubt", "missing"):
        told = d.find_elements(By.CSS_SELECTOR, "[data-notes=%s] li" % kind)
        same(page, len(told), len(set(every(data, kind))), "sentences of " + kind)
    bad = sum(1 for v in every(data, "verdicts") if v["verdict"] != "PASS")
    shown = d.find_element(By.CSS_SELECTOR, ".verdict").get_attribute("data-verdict")
    same(page, shown, "FAIL" if bad else "PASS", "verdict")


def one_page(d, page, path):
    media(d, "screen")
    sized(d, 1280)
    d.get("file://" + path)
    data = json.loads(d.execute_script("return document.getElementById('data').textContent"))
    same(page, d.execute_script("return document.documentElement.dataset.ready"), "yes", "ready")
    doubts_are_told(d, page, data)
    plots_are_drawn(d, page, data)
    texts_are_whole(d, page, 1280)
    texts_are_free(d, page, 1280)
    zoom_is_shared(d, page)
    cursor_is_shared(d, page, data)
    tables_work(d, page, data)
    if data["compare"]:
        differences_are_told(d, page, data)
    light = d.execute_script("return getComputedStyle(document.body).backgroundColor")
    press(d, d.find_element(By.CSS_SELECTOR, ".theme [data-value=dark]"))
    dark = d.execute_script("return getComputedStyle(document.body).backgroundColor")
    check(page, light != dark, "the switch does not change the colours")
    prints(d, page)
    for width in (768, 400, 360):
        sized(d, width)
        texts_are_whole(d, page, width)
        texts_are_free(d, page, width)
    loaded = d.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    same(page, loaded, [], "what was fetched")
    for line in d.get_log("browser"):
        check(page, False, "console: " + line["message"])


def main():
    quench = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, args in RUNS.items():
            subprocess.run([quench, "run", *args, "--out", name], check=True,
                           stdout=subprocess.DEVNULL)
        # A folder of which only the figures are left.
        os.mkdir("bare")
        for name in ("summary.json", "manifest.json"):
            shutil.copy(os.path.join("victim", name), "bare")
        d = browser()
        try:
            for page, runs in PAGES.items():
                path = os.path.join(folder, page + ".html")
                subprocess.run([quench, "report", *runs, "-o", path], check=True,
                               stdout=subprocess.DEVNULL)
                one_page(d, page, path)
        finally:
            d.quit()
    check("all", min(told) > 20, "few texts were looked at: %s" % told)
    print("%d of %d pages are right" % (len(PAGES) - len(set(failed)), len(PAGES)))
    sys.exit(1 if failed else 0)


main()
