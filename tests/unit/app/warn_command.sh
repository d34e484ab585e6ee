#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Warnings of a scenario: `quench check` ends with them, `quench run` says them on stderr, quiet or
# not, and once for both clocks; summary.json lists them; `quench sweep` says how many runs warned,
# and of what.
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
warning: profile: 'hpcc' is called 'hpcc_sim_dcqcn' now
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
"$quench" run two.yaml --clock both --quiet --out both >out 2>err || true
[ "$(grep -c '^warning: ' err)" -eq 1 ]
grep -qx 'warning: two.yaml:2: s1 class 3 is lossless, but its tail_limit drops' err

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
sed 's/.*,\([^,]*\),[^,]*$/\1/' out | diff want -
