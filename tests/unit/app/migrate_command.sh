#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `quench check --migrate` rewrites older names in a scenario file, and not one byte more; what
# cannot be rewritten is left alone, with one line. Paths with older names still work, with a
# warning.
# usage: migrate_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
	echo "migrate_command: $*"
	exit 1
}

# migrates STATUS FILE: its exit status; what it says is in `said`.
migrates() {
	status=0
	"$quench" check --migrate "$2" >said 2>&1 || status=$?
	[ "$status" -eq "$1" ] || fail "$2: status $status, not $1: $(cat said)"
}

# Comments, blanks, an odd layout, quotes, braces, two on a line, line ends of another house.
cat >plain.yaml <<'END'
# A scenario with cnps, cnms and rx_cnp in a comment, and a word of ours: Jäger €.
duration: 200us   # short
framing: hpcc
controls: {c: {profile: 'hpcc'}, cnps: {profile: "hpcc"}}
hosts: {h1: , h2: }
links: [{between: [h1, h2]}]


flows: {f: {from: h1, to: h2, mtu: 1000, ack_every: 1, control: c}}
expect: [{name: cnps, figure: cnps, max: 0}, {figure: "total.cnps", min: 0}, # cnps
  {name: "Jäger €", figure:   'total.cnms'  , min: 0}]
END
cat >flow.yaml <<'END'
duration: 200us
switches: {s1: {classes: {3: {wred: {min: 10KB, max: 20KB}, iqcn: {}, fast_cnp: {}}}}}
hosts: {h1..2: , r: }
links: [{between: [[h1..2, r], s1], rate: 25Gbps}]
flows: {f: {from: h1..2, to: r}}
expect:
  - figure:	iqcn.s1:r.tx_cnp
    min: 0
  - {min: 0, figure: iqcn.s1.rx_cnp_total}
  - min: 0
    figure: >-
      fast_cnp.s1:r.tx_cnp_per_s
  - {figure: port.s1:r.iqcn_tx_cnp, min: 0}
END
sed 's/$/\r/' plain.yaml >crlf.yaml
printf '\357\273\277' | cat - plain.yaml >mark.yaml
printf '%s' "$(cat plain.yaml)" >open.yaml
sed -e 's/^framing: hpcc/framing: hpcc_sim/' -e "s/'hpcc'/'hpcc_sim_dcqcn'/" \
	-e 's/"hpcc"/"hpcc_sim_dcqcn"/' -e 's/figure: cnps/figure: cnp_rx/' \
	-e 's/"total.cnps"/"total.cnp_rx"/' -e "s/'total.cnms'/'total.cnm_rx'/" \
	plain.yaml >want-plain
sed 's/$/\r/' want-plain >want-crlf
printf '\357\273\277' | cat - want-plain >want-mark
printf '%s' "$(cat want-plain)" >want-open
sed -e 's/r\.tx_cnp$/r.cnp_tx/' -e 's/rx_cnp_total/cnp_rx_total/' \
	-e 's/tx_cnp_per_s/cnp_tx_per_s/' flow.yaml >want-flow
cp plain.yaml old.yaml
cp flow.yaml old-flow.yaml
chmod 640 plain.yaml
for one in plain crlf mark open flow; do
	migrates 0 $one.yaml
	cmp $one.yaml want-$one
	if grep nothing said; then fail "$one.yaml: it says so too early"; fi
	mv said said-$one
	migrates 0 $one.yaml
	cmp $one.yaml want-$one
	echo "$one.yaml: nothing to migrate" | diff - said
done
diff - said-plain <<'END'
plain.yaml:3: hpcc is hpcc_sim now
plain.yaml:4: hpcc is hpcc_sim_dcqcn now
plain.yaml:4: hpcc is hpcc_sim_dcqcn now
plain.yaml:10: cnps is cnp_rx now
plain.yaml:10: total.cnps is total.cnp_rx now
plain.yaml:11: total.cnms is total.cnm_rx now
END
[ "$(stat -c %a plain.yaml)" = 640 ] || fail 'the mode changed'

# A link leads to the file, and stays.
cp old.yaml there.yaml
ln -s there.yaml link.yaml
migrates 0 link.yaml
cmp there.yaml want-plain
[ -L link.yaml ] || fail 'the link is gone'

# Files that are left alone: one line says why, and nothing is left beside them.
refused() {
	want=$1
	shift
	status=0
	"$quench" check "$@" >out 2>said </dev/null || status=$?
	[ "$status" -eq 2 ] || fail "$*: status $status"
	[ ! -s out ] || fail "$*: $(cat out)"
	grep -q -- "$want" said || fail "$*: $(cat said)"
	[ "$(wc -l <said)" -eq 1 ] || fail "$*: $(cat said)"
}
cp old.yaml shut.yaml
chmod a-w shut.yaml
refused '/shut.yaml: cannot be rewritten: it may not be written' --migrate shut.yaml
cmp old.yaml shut.yaml
sed 's/^hosts: .*/hosts: {h1: , h2: /' old.yaml >broken.yaml
cp broken.yaml keep
refused '^broken.yaml:[0-9]*:[0-9]*: not YAML' --migrate broken.yaml
cmp broken.yaml keep
sed 's/figure: cnps/figure: cnpss/' old.yaml >wrong.yaml
cp wrong.yaml keep
refused "^wrong.yaml:10:31: there is no figure 'cnpss'" --migrate wrong.yaml
cmp wrong.yaml keep
sed 's/figure: cnps/figure: "\\x63nps"/' old.yaml >escape.yaml
cp escape.yaml keep
refused "^escape.yaml:10:31: 'cnps' does not stand here letter by letter" --migrate escape.yaml
cmp escape.yaml keep
refused 'rewrites a file, not standard input' --migrate -
refused 'first-light comes with quench' --migrate first-light
refused 'goes without --set' --migrate old.yaml --set seed=2
refused '^nowhere.yaml: No such file' --migrate nowhere.yaml
if cmp -s old.yaml plain.yaml; then fail 'the test is empty'; fi
[ -z "$(find . -name '*.yaml.*')" ] || fail "$(find . -name '*.yaml.*')"

# Before it is rewritten: the same verdicts, with warnings; summary.json has the new names.
"$quench" run old-flow.yaml --quiet --out was 2>said || fail "$(cat said)"
"$quench" run flow.yaml --quiet --out now
was='iqcn\.s1:r\.tx_cnp' now='iqcn\.s1:r\.cnp_tx'
hint='; .quench check --migrate FILE. rewrites it'
head -n 1 said | grep -qx \
	"warning: old-flow.yaml:7: expect: the figure '$was' is called '$now' now$hint" ||
	fail "$(cat said)"
[ "$(grep -c 'is called' said)" -eq 3 ] || fail "$(cat said)"
for run in was now; do
	grep -v -e '^ *"name": ".*flow"' -e 'is called' -e '"warnings"' -e '^ *\],$' \
		"$run/summary.json" >"$run.json"
done
diff was.json now.json
grep -q '"figure": "iqcn.s1:r.cnp_tx"' was.json
if grep -E '"(rx_cnp|tx_cnp|foreign_cnp|cnms|tx_cnp_per_s)":' was.json; then fail 'old names'; fi

# A sweep's columns, axes and criteria.
mkdir bin
printf '#!/bin/sh\necho drawn >sweep.svg\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH "$quench" sweep flow.yaml \
	--vary 'expect=[{figure: total.cnps, min: 0}],[]' --column cnms \
	--plot cnps,drops --csv --out sweep >out 2>said
diff - said <<'END'
warning: --column: the figure 'cnms' is called 'cnm_rx' now
warning: --plot: the figure 'cnps' is called 'cnp_rx' now
warnings in 1 of 2 runs
  1 run: expect: the figure 'total.cnps' is called 'total.cnp_rx' now
END
head -n 1 out | grep -q ',cnp_rx,cnm_rx,.*,cnms,steady,verdict$' || fail "$(head -n 1 out)"
