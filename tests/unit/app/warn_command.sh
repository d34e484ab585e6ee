#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Warnings of a scenario: `quench check` ends with them, `quench run` says one of each kind on
# stderr, quiet or not, and once for both clocks; summary.json lists them all with their kinds;
# `quench sweep` says how many runs warned, and of what, and a report has one of each kind.
# usage: warn_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >old.yaml <<'END'
duration: 100us
framing: hpcc
controls: {c: {profile: paper}}
hosts: {h1: , h2: }
links: [{between: [h1, h2]}]
flows: {f: {from: h1, to: h2, mtu: 1000, ack_every: 1, control: c}}
END
cat >want <<END
warning: old.yaml:2: framing: 'hpcc' is called 'hpcc_sim' now; \
\`quench check --migrate FILE\` rewrites it
warning: profile: 'hpcc' is called 'hpcc_sim_dcqcn' now, which is DCQCN as the HPCC \
simulator has it; the algorithm HPCC is not built
END

"$quench" check old.yaml --set controls.c.profile=hpcc >out
tail -n 2 out | diff want -
"$quench" run old.yaml --set controls.c.profile=hpcc --quiet --out run >out 2>err
diff want err
diff /dev/null out
grep -q '{"line": 2, "text": "framing: .hpcc. is called .hpcc_sim. now; `quench' run/summary.json
grep -q '{"line": null, "text": "profile: ' run/summary.json

cat >two.yaml <<'END'
duration: 20us
switches: {s1: {classes: {3: {lossless: true, tail_limit: 1MB}}}}
hosts: {h1..2: }
links: [{between: [h1..2, s1], rate: 1Gbps}]
flows: {f: {from: h1, to: h2}}
END
"$quench" run two.yaml --clock both --references 1000 --quiet --out both >out 2>err || true
[ "$(grep -c '^warning: ' err)" -eq 1 ]
grep -qx 'warning: two.yaml:2: s1 class 3 is lossless, but its tail_limit drops' err
grep -q '^the clocks were not compared: a window with ' out
"$quench" run two.yaml --references 5 --quiet --out one 2>err
grep -qx 'warning: --references counts for nothing on one clock; it is for --clock both' err

cat >many.yaml <<'END'
duration: 20us
controls: {c: {profile: paper}}
switches: {s1: {classes: {3: {lossless: true}}}}
hosts: {h1..4: , r: }
links: [{between: [[h1..4, r], s1], rate: 1Gbps}]
flows:
END
for i in 1 2 3 4; do
	echo "  f$i: {from: h$i, to: r, control: c}" >>many.yaml
done
deaf="flow 'f1': control 'c' goes by CNPs, but no switch on its way marks class 3: it hears nothing"
deaf="$deaf of congestion; give the class wred"
"$quench" check many.yaml >out
[ "$(grep -c '^warning: many.yaml:[0-9]*: flow ' out)" -eq 4 ]
"$quench" run many.yaml --quiet --report --out many >out 2>err
echo "warning: many.yaml:7: $deaf (and 3 more like it)" | diff - err
[ "$(grep -c "\"kind\": \"flow '\*': control '\*' goes by \*," many/summary.json)" -eq 4 ]
[ "$(grep -o 'Line [0-9]* of the scenario: flow' many/report.html | wc -l)" -eq 1 ]
grep -q "Line 7 of the scenario: $deaf (and 3 more like it)" many/report.html
"$quench" sweep many.yaml --vary seed=1,2 --quiet --out manifold 2>err
printf 'warnings in 2 of 2 runs\n  2 runs: %s (and 3 more like it)\n' "$deaf" | diff - err

cat >want <<'END'
warnings in 2 of 3 runs
  2 runs: s1 class 3 is lossless, but its tail_limit drops
  1 run: s1 class 3 is lossless without pfc: what headroom cannot hold is lost
END
one='{lossless: true, tail_limit: 1MB}'
two='{lossless: true, tail_limit: 1MB, pfc: {enable: false}}'
"$quench" sweep two.yaml --out sweep \
	--vary "switches.s1.classes.3=$one,{lossless: true},$two" --csv >out 2>err
diff want err
printf '%s\n' warnings 1 0 2 >want
sed 's/.*,\([^,]*\),[^,]*,[^,]*$/\1/' out | diff want -
