#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Flow lists of the HPCC simulator: a run of one, and its scripts' way to read fct.txt.
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
judge 0 'flows_from: lists/flow.txt' '' check two.yaml
judge 0 'every frame is accounted for' '' run two.yaml --out run
# HPCC's fct_analysis.py selects a kind of traffic by its port, and flows by their start.
chosen=$(awk '{if ($4==100 && $6<3000000000) {slow=$7/$8;print $5, slow<1?1:slow}}' run/fct.txt |
	sort -n | awk '{print $1}' | tr '\n' ' ')
[ "$chosen" = '1 20000 ' ] || complain "port 100 has '$chosen' of '1 20000 '"
[ "$(awk '$4==200 {print $5, $6}' run/fct.txt)" = '5000 4000' ] || complain 'port 200'
[ "$(awk '$4==4791 {print $5}' run/fct.txt)" = 1000 ] || complain 'a row has the port of RoCEv2'
printf '%s\n' 2 '0 1 3 100 20000 0' >lists/flow.txt
judge 2 '' '^lists/flow.txt:3:1: the list ends after 1 of the 2 flows' check two.yaml
judge 2 '' 'flows_from: none.txt: No such file' check two.yaml --set flows_from=none.txt
exit $fail
