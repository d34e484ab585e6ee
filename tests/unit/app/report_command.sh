#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench report and run --report: the page of a run, of several, of both clocks, of folders that are
# cut short in every way, and of paths that are no folder of a run.
# usage: report_command.sh QUENCH
set -u
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "report_command: $1"
	fail=1
}

# Holds the data of a page against conditions in Python, where `d` is all of it and `r` the first
# run.
look() {
	local page=$1
	shift
	python3 - "$page" "$@" <<-'EOF' || complain "$page"
		import html.parser, json, sys

		class Page(html.parser.HTMLParser):
		    """The page as a browser takes it apart."""
		    def __init__(self):
		        super().__init__()
		        self.tags, self.data, self.inside = [], "", False
		    def handle_starttag(self, tag, attrs):
		        attrs = dict(attrs)
		        self.tags.append(tag)
		        self.inside = attrs.get("id") == "data"
		        assert not any(k in attrs for k in ("src", "href")), (tag, attrs)
		    def handle_endtag(self, tag):
		        self.inside = False
		    def handle_data(self, text):
		        if self.inside:
		            self.data += text

		page = Page()
		page.feed(open(sys.argv[1], encoding="utf-8").read())
		assert page.tags.count("style") >= 2 and page.tags.count("script") >= 4, page.tags
		d = json.loads(page.data)
		r = d["runs"][0]
		for what in sys.argv[2:]:
		    if not eval(what):
		        print("not true:", what)
		        sys.exit(1)
	EOF
}

one=(incast-8to1-100g --duration 3ms --set warmup=1ms --quiet)
"$quench" run "${one[@]}" --out one --report >log 2>&1
[ "$(tail -n 1 log)" = "report: one/report.html" ] || complain "run --report: $(cat log)"
look one/report.html 'r["name"] == "incast-8to1-100g"' 'r["missing"] == []' \
	'len(r["rates"]) == 8' 'len(r["queues"][0]["t"]) == len(r["queues"][0]["max"])' \
	'any(t["kind"] == "mark" for t in r["ticks"])' 'd["compare"] is None' \
	'all(len(row) == len(t["columns"]) for t in r["tables"] for row in t["rows"])' \
	'["record.events", "[\"all\", \"xoff_holder\"]", "--set"] in r["config"]' \
	'any(c["title"] == "Latency" and c["exact"] for c in r["cdfs"])' \
	'len(r["nodes"]) == 10 and len(r["links"]) == 18'
[ "$(stat -c %s one/report.html)" -lt 3000000 ] || complain "the page is larger than 3 MB"

# A series or record that the scenario switches off stays off.
"$quench" run "${one[@]}" --record events=none,series=false --out none --report >log 2>&1 ||
	complain "$(cat log)"
look none/report.html 'any("record.events is none" in m for m in r["missing"])' \
	'any("record.series is false" in m for m in r["missing"])' 'len(r["tables"]) > 10'

# The same bytes again, from the folder; and elsewhere.
cp one/report.html first.html
"$quench" report one >log 2>&1 || complain "report: $(cat log)"
cmp -s first.html one/report.html || complain "a report of the same folder has other bytes"
"$quench" report one -o two.html >log && [ "$(cat log)" = "report: two.html" ] ||
	complain "-o: $(cat log)"
cmp -s first.html two.html || complain "-o writes other bytes"

# Several: seeds are one set.
"$quench" run "${one[@]}" --seed 2 --out seed2 >log 2>&1
"$quench" run "${one[@]}" --set switches.s1.classes.3.wred.max=300KB --out other >log 2>&1
"$quench" report one seed2 other -o many.html >log 2>&1 || complain "several: $(cat log)"
look many.html 'len(d["runs"]) == 3' 'len(set(r["label"] for r in d["runs"])) == 3' \
	'any(c["path"] == "switches.s1.classes.3.wred.max" for c in d["compare"]["config"])' \
	'any(f["path"] == "total.goodput_gbps" for f in d["compare"]["figures"])'
"$quench" report one seed2 >log 2>&1
[ "$(cat log)" = "report: report.html" ] && [ -s report.html ] || complain "two: $(cat log)"

# Folders that are not whole: what is there is shown, the rest is named.
for lost in manifest.json summary.json timeseries.csv events.csv; do
	cp -r one cut
	rm "cut/$lost"
	"$quench" report cut >log 2>&1 || complain "without $lost: $(cat log)"
	look cut/report.html 'len(r["missing"]) == 1'
	cp "one/$lost" "cut/$lost"
	truncate -s -20 "cut/$lost"
	"$quench" report cut >log 2>&1 || complain "with half of $lost: $(cat log)"
	look cut/report.html 'len(r["missing"]) >= 1'
	rm -r cut
done
"$quench" run "${one[@]}" --record format=binary --out binary >log 2>&1
truncate -s -5000 binary/events.bin
"$quench" report binary >log 2>&1 || complain "a cut events.bin: $(cat log)"
look binary/report.html 'any("events.bin" in m for m in r["missing"])'

# Who paused whom, on a terminal.
"$quench" run victim --duration 3ms --set warmup=1ms --quiet --report --out victim >log 2>&1
"$quench" report victim --lineage >log 2>&1 || complain "--lineage: $(cat log)"
grep -q 'egress s2:r.3' log || complain "--lineage lacks the root: $(cat log)"
[ -s victim/lineage.csv ] && [ -s victim/lineage_bills.csv ] || complain "no lineage.csv"
look victim/report.html 'r["lineage"]["roots"][0]["name"] == "egress s2:r.3"'
"$quench" report one seed2 --lineage >log 2>&1
[ $? = 2 ] || complain "--lineage takes two runs"

# A path that is no folder of a run: one line.
mkdir empty
touch file
for none in empty file nowhere; do
	"$quench" report "$none" >log 2>&1
	[ $? = 2 ] && [ "$(wc -l <log)" = 1 ] && grep -q "$none" log || complain "$none: $(cat log)"
done
"$quench" report >log 2>&1
[ $? = 2 ] || complain "no folder is taken for one"
"$quench" report one -o nowhere/x.html >log 2>&1
[ $? = 2 ] && [ "$(wc -l <log)" = 1 ] || complain "a file that cannot be written: $(cat log)"

# Figures for a paper: numbers and scripts in any case, pictures by gnuplot, of which this one has
# the name only.
mkdir bin
cat >bin/gnuplot <<'END'
#!/bin/sh
echo "$3" >"${4%.gp}.svg"
END
chmod +x bin/gnuplot
PATH=$dir/bin:$PATH "$quench" report one --svg >log 2>&1 || complain "--svg: $(cat log)"
n=$(find one/figures -name '*.svg' | wc -l)
[ "$n" -gt 5 ] && [ "$(cat log)" = "figures: one/figures: $n
report: one/report.html" ] || complain "--svg: $(cat log)"
for stem in queue-s1_r.3 goodput rate marking-s1_r.3 cdf-Latency; do
	[ -s one/figures/$stem.dat ] && [ -s one/figures/$stem.gp ] || complain "$stem is missing"
done
[ "$(cat one/figures/rate.svg)" = "formats='svg '" ] || complain "--svg asks for other pictures"
PATH=/nonexistent "$quench" report one --png >log 2>&1
[ $? = 2 ] && grep -q '^quench report: gnuplot is not installed; install the package ' log &&
	grep -q "^figures: one/figures: $n$" log || complain "--png without gnuplot: $(cat log)"

exit $fail
