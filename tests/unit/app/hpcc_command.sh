#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Files of the HPCC simulator: a run of a flow list, its scripts' way to read fct.txt, the import.
# usage: hpcc_command.sh QUENCH
set -u
. "$(dirname "$0")/says.sh"

cat >two.yaml <<-'EOF'
	framing: hpcc_sim
	duration: 1ms
	defaults: {flows: {count: 1, mtu: 1000, ack_every: 1}}
	hosts: {h1..3: }
	switches: {s1: }
	links: [{between: [h1..3, s1]}]
	flows: {row: {from: h3, to: h1, message: 1000}}
	flows_from: lists/flow.txt
EOF
mkdir lists
printf '%s\n' 3 '0 1 3 100 20000 0.000003' '2 1 3 200 5000 0.000004' '1 0 3 100 1 0.0001' \
	>lists/flow.txt
judge 0 'flows_from: lists/flow.txt' '' check --full two.yaml
judge 0 'every frame is accounted for' '' run two.yaml --out run
# HPCC's fct_analysis.py selects a kind of traffic by its port, and flows by their start.
chosen=$(awk '{if ($4==100 && $6<3000000000) {slow=$7/$8;print $5, slow<1?1:slow}}' run/fct.txt |
	sort -n | awk '{print $1}' | tr '\n' ' ')
[ "$chosen" = '1 20000 ' ] || complain "port 100 has '$chosen' of '1 20000 '"
[ "$(awk '$4==200 {print $5, $6}' run/fct.txt)" = '5000 4000' ] || complain 'port 200'
[ "$(awk '$4==4791 {print $5}' run/fct.txt)" = 1000 ] || complain 'a row has the port of RoCEv2'
printf '1\n0 1 3 100 9 0\0x\n' >lists/flow.txt
judge 2 '' "^lists/flow.txt:2:13: '0\?x' is no start" check two.yaml
printf '%s\n' 2 '0 1 3 100 20000 0' >lists/flow.txt
judge 2 '' '^lists/flow.txt:3:1: the list ends after 1 of the 2 flows' check two.yaml
judge 2 '' 'flows_from: none.txt: No such file' check two.yaml --set flows_from=none.txt

printf '%s\n' '3 1 2' 2 '0 2 25Gbps 1000ns 0' '1 2 25Gbps 1000ns 0.0' >topology.txt
printf '%s\n' 2 '0 1 3 100 20000 0.000003' '1 0 3 200 5000 0.000004' >lists/flow.txt
printf '%s\n' 'CC_MODE 1' 'FOO 3' 'SIMULATOR_STOP_TIME 0.001' >config.txt
files='--hpcc topology.txt --flow lists/flow.txt'
# shellcheck disable=SC2086
imported() {
	judge "$1" "$2" "$3" import $files "${@:4}"
}
imported 0 'flows_from: .lists/flow.txt' 'not taken: control and marking'
imported 0 '' 'not taken: FOO: quench knows no such key' --config config.txt --out one.yaml
has '^one.yaml: a scenario with 3 nodes, 2 queue pairs and [0-9]+ warnings?; next: quench check' \
	err import
judge 0 'cc:$' '' check --full one.yaml
judge 0 'every frame is accounted for' "flow 'f0': control 'cc' goes by CNPs" \
	run one.yaml --out one
line=$(grep -n ^flows_from one.yaml | cut -d: -f1)
has "^warning: one.yaml:$line: " err 'a warning of a line of the list'
[ "$(awk '$4==100 {print $5}' one/fct.txt)" = 20000 ] || complain 'port 100 of what was imported'
imported 2 '' 'one.yaml: is there already' --config config.txt --out one.yaml
mv one.yaml first.yaml
imported 0 '' 'one.yaml: a scenario' --config config.txt --out one.yaml
cmp one.yaml first.yaml || complain 'imported twice'
imported 0 '' 'lists/two.yaml: a scenario' --out lists/two.yaml
has "^flows_from: 'flow.txt'" lists/two.yaml 'beside its list'
mkdir other
imported 0 '' 'other/two.yaml: a scenario' --out other/two.yaml
judge 0 'flows_from: /.*/lists/flow.txt' '' check --full other/two.yaml
# Nothing is half imported.
printf '%s\n' 2 '0 1 3 100 0 0' '1 0 3 100 9 0' >lists/flow.txt
imported 2 '' '^lists/flow.txt:2:11: .0. is no size' --out half.yaml
printf '%s\n' 2 '0 1 3 100 9 0' '1 3 3 100 9 0' >lists/flow.txt
imported 2 '' '^lists/flow.txt:3:3: there is no node 3' --out half.yaml
printf '%s\n' src,dst,size,start 0,1,9,0 >lists/flow.txt
imported 2 '' '^lists/flow.txt: CSV, and --flow takes a list of the simulator' --out half.yaml
judge 0 'flows_from: lists/flow.txt' '' check --full two.yaml
printf '%s\n' 2 '0 1 3 100 9 0' >lists/flow.txt
imported 2 '' '^lists/flow.txt:3:1: the list ends after 1 of the 2 flows' --out half.yaml
[ ! -e half.yaml ] || complain 'a scenario that does not load was written'
judge 2 '' 'stand together' import --hpcc topology.txt
judge 2 '' 'stand together' import --flow lists/flow.txt
judge 2 '' 'stands without config_db.json' import --hpcc topology.txt --flow lists/flow.txt a.json
judge 2 '' 'nosuch: No such file' import --hpcc nosuch --flow lists/flow.txt
judge 2 '' 'nosuch: No such file' import --hpcc topology.txt --flow nosuch
exit $fail
