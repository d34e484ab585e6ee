#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Completion: what the program offers, against its help, and what bash makes of it.
# usage: complete_command.sh QUENCH
set -u
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset QUENCH_DATA
fail=0

complain() {
	echo "complete_command: $1"
	fail=1
}

# offers WORD... : CANDIDATE... — each of them among what the last word can become
offers() {
	local words=()
	while [ "$1" != : ]; do
		words+=("$1")
		shift
	done
	shift
	"$quench" help --complete "${words[@]}" >found || complain "${words[*]}: fails"
	for candidate; do
		grep -qxF -- "$candidate" found ||
			complain "${words[*]}: lacks $candidate: $(head -n 3 found | tr '\n' ' ')"
	done
}

# Every command and option of the help is offered, and nothing besides.
"$quench" --help | awk '/^options:/ {exit} /^  [a-z]+ / {print $1}' >commands
"$quench" help --complete '' | sed 1d >found
cmp -s commands found || complain "the commands are not those of the help"
while read -r command; do
	"$quench" "$command" --help |
		sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort >options
	"$quench" help --complete "$command" - | sed 1d | sort >found
	cmp -s options found ||
		complain "$command: not the options of its help: $(diff options found | tail -n 3)"
done <commands

offers ru : none run
offers run fir : files first-light
offers check compare/3 : files compare/3-dcqcn-paper
offers run first-light --clock '' : virtual real both
offers run --clock=r : --clock=real
offers run --out x : folders
offers decode '' : files
offers decode --count 3 '' : files
offers events --type mark,cnp_ : none mark,cnp_tx mark,cnp_rx
offers events '' : files
offers replay x.pcap --scenario repl : replay replay-ce replay-rewrite
offers reg re : read
offers reg read CC_RATE : CC_RATE_MEM
offers reg read CC_RATE_MEM. : CC_RATE_MEM.cc_rate
offers rp rdma : files rdma-ip:
offers rp rdma-ip: : none rdma-ip:hard rdma-ip:mask
offers rp rdma-ip:hard --set controls.hard.alpha_b : controls.hard.alpha_bits=
offers rp rdma-ip:hard '' : files
offers stats que : none queue.
offers stats drops queue. : 'queue.*.'
offers stats 'queue.*.len' : 'queue.*.length_bytes'
offers stats instrument.loop : instrument.loop_gap_p99_us
offers stats good : goodput_gbps
offers rp --profile '' : paper rdma_ip
offers help de : decode
offers figures '' : none total queue source
offers figures p : pfc pfc_tx pg pool port plugin

# Options of a scenario: keys, names of the file, numbers, values.
offers run first-light --set s : seed= switches.
offers run first-light --set flows. : flows.incast.
offers run first-light --set switches.s1.classes. : switches.s1.classes.0. switches.s1.classes.7.
offers run first-light --set switches.s1.classes.3.wred.ma : switches.s1.classes.3.wred.max=
offers run first-light --set=hosts.h3.np. : --set=hosts.h3.np.interval=
offers run --set hosts.h1..4.np.m : hosts.h1..4.np.mode=
offers run first-light --set hosts.h3.np.mode=w : hosts.h3.np.mode=window
offers check rdma-ip --set links.0.d : links.0.delay=
offers sweep first-light --vary framing=ethernet,h : framing=ethernet,hpcc_sim
offers run first-light --set flows.incast.control= : flows.incast.control=dcqcn \
	flows.incast.control=none
offers sweep first-light --vary flows.incast.control=none,d : flows.incast.control=none,dcqcn
offers run first-light --set flows.incast.to= : flows.incast.to=h1..4 flows.incast.to=r
offers run first-light --set controls.dcqcn.profile=r : controls.dcqcn.profile=rdma_ip
offers run first-light --set switches.s1.classes.3.lossless= : \
	switches.s1.classes.3.lossless=true switches.s1.classes.3.lossless=false
offers run --set flows.f.control=n : flows.f.control=none
# Of a running instance only values that may change while it runs.
offers set switches.s1.classes.3.wred.m : switches.s1.classes.3.wred.min= \
	switches.s1.classes.3.wred.max=
"$quench" help --complete set switches.s1. >found
grep -q 'switches.s1.buffer' found && complain "set: offers a buffer, which cannot change"
cat >own.yaml <<'END'
duration: 1ms
controls: {mine: {profile: connectx}}
hosts: {left: {}, right: {}}
links: [{between: [left, right]}, {between: [left, right]}]
END
offers check own.yaml --set hosts. : hosts.left. hosts.right.
offers check own.yaml --set links. : links.0. links.1.
offers check own.yaml --set controls.mine.rpg_t : controls.mine.rpg_time_reset=

# Figures and columns.
offers sweep first-light --column '' : jain drops queue. total.
offers sweep first-light --column total.dr : total.drops
offers sweep first-light --column queue.s1:r.3.p9 : queue.s1:r.3.p99_bytes
offers sweep first-light --column flow. : 'flow.incast[h1>r.0].'
offers sweep first-light --plot ut : utilization_percent,
offers sweep first-light --plot jain,queue_p9 : jain,queue_p99_bytes

"$quench" help --completion bash >script
if command -v shellcheck >/dev/null; then
	shellcheck script || complain "shellcheck finds something in the script"
fi

# What bash makes of a line, with quench found by its name. It puts a candidate behind the last ":"
# or "=" of the word.
# bash_offers LINE CANDIDATE...
bash_offers() {
	local line=$1
	shift
	PATH=${quench%/*}:$PATH bash -c 'set -u
		source <(quench help --completion bash)
		complete -p quench >/dev/null || exit 1
		COMP_LINE=$1 COMP_POINT=${#1}
		_quench quench
		printf "%s\n" "${COMPREPLY[@]}"' bash "$line" >found 2>err ||
		complain "bash: $line: $(head -n 2 err)"
	[ ! -s err ] || complain "bash: $line: $(head -n 2 err)"
	for candidate; do
		grep -qxF -- "$candidate" found ||
			complain "bash: $line: lacks $candidate: $(head -n 3 found | tr '\n' ' ')"
	done
}
mkdir folder
bash_offers 'quench ' run check sweep
bash_offers 'quench run --see' --seed
bash_offers 'quench run first-light --clock ' virtual
bash_offers 'quench rp rdma-ip:ha' hard
bash_offers 'quench run --clock=v' virtual
bash_offers 'quench run ow' own.yaml
bash_offers 'quench run fi' first-light
bash_offers 'quench run --out fo' folder
bash_offers 'quench run first-light --set hosts.h1.np.mode=w' window
bash_offers 'quench sweep first-light --column queue.s1:r.3.p9' r.3.p99_bytes
bash_offers "quench sweep first-light --column 'queue.s1:r.3.p9" queue.s1:r.3.p99_bytes
bash_offers "quench sweep first-light --column 'flow.i" 'flow.incast[h1>r.0].'
bash_offers 'quench sweep first-light --column flow.i' 'flow.incast\[h1\>r.0\].'
bash_offers 'quench sweep first-light --column flow.incast\[h1\>r.0\].goodput' \
	'flow.incast\[h1\>r.0\].goodput_gbps'
bash_offers 'quench xyzzy '
exit $fail
