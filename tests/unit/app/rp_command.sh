#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench rp` as a user sees it: states and registers after each event, the reference simulator's
# own values, exit statuses, and the message for each bad input.
# usage: rp_command.sh QUENCH TEST_DATA SOURCE_ROOT
set -u
quench=$(realpath "$1")
data=$(realpath "$2")
root=$(realpath "$3")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "rp_command: $*"
	fail=1
}

# expect STATUS STDOUT-PATTERN STDERR-PATTERN ARGUMENT...; an empty pattern: nothing is written
# there
expect() {
	local status=$1 out=$2 err=$3
	shift 3
	"$quench" rp "$@" >out 2>err <"${input:-/dev/null}"
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
	has "$out" out "$*"
	has "$err" err "$*"
	[ "$(wc -l <err)" -le 1 ] || complain "$*: more than one line: $(cat err)"
}

has() {
	if [ -z "$1" ] && [ -s "$2" ]; then
		complain "$3: writes $(head -n 1 "$2")"
	elif [ -n "$1" ] && ! grep -qE -- "$1" "$2"; then
		complain "$3: lacks '$1'; it says: $(head -n 3 "$2")"
	fi
}

# column FILE NAME: the values of a column, one a line
column() {
	awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) at = i; next}
		{print $at}' "$1"
}

# All events of a sender in the reference simulator, to the bit/s: only its CNPs are in the trace.
golden=$data/s01_2to1_25g_mlx.rp.txt
awk '$2 == "CNP" {print $1 "000,cnp"} {last = $1} END {print last "000,tick"}' "$golden" >cnps.csv
paper=(--profile paper --rate 25Gbps)
sim=(--profile hpcc_sim_dcqcn --rate 25Gbps)
expect 0 '^t_ps,line,event,result,rate,window,deadline,' '' "${sim[@]}" cnps.csv
paste -d ' ' <(column out t_ps) <(column out event) <(column out result) <(column out rate) \
	<(column out target_rate) <(column out alpha_decimal) <(column out t_stage) |
	awk 'BEGIN {name["alpha"] = "ALPHA"; name["decrease"] = "DEC"
		name["t_fast_recovery"] = "FR"; name["t_additive_increase"] = "AI"
		name["t_hyper_increase"] = "HAI"}
	$2 == "tick" {next}
	{what = $2 == "cnp" ? "CNP" : name[$3]
	 stage = $7 - ($3 ~ /^t_/)
	 print substr($1, 1, length($1) - 3), what, $4, $5, $6, stage}' >printed
sed 's/ DECC / DEC /' "$golden" >wanted
[ "$(wc -l <wanted)" -eq 3034 ] || complain "the reference has 3034 events"
cmp -s wanted printed ||
	complain "the reference (<) and the model (>) differ: $(diff wanted printed | head -n 4)"

# A queue pair of a run, fed again with its CNPs alone: without a byte counter the two agree, event
# by event.
short=(--duration 4ms --set warmup=1ms --set controls.dcqcn.byte_counter=none)
"$quench" run first-light "${short[@]}" --out run --quiet || complain "first-light does not run"
awk -F, 'function ps(us,  p) {split(us, p, "."); return p[1] substr(p[2] "000000", 1, 6)}
	BEGIN {print "0,start"} $2 == "cnp_rx" && $5 == "incast[h2>r.0]" {print ps($1) ",cnp"}
	END {print "4000000000,tick"}' run/events.csv >run.csv
[ "$(wc -l <run.csv)" -ge 10 ] || complain "the run has hardly any CNP"
expect 0 ',cnp,decrease,' '' first-light:dcqcn --set controls.dcqcn.byte_counter=none run.csv
awk -F, 'function gbps(r) {return sprintf("%d.%06d", int(r / 1e9), int(r % 1e9 / 1e3))}
	NR > 1 && $4 != "none" && $4 != "alpha" {
	printf "%d.%06d %s %s %s\n", int($1 / 1e6), $1 % 1e6, $4, gbps($5), gbps($8)}' out >model
awk -F, '$2 == "rp" && $5 == "incast[h2>r.0]" && $6 != "alpha" {
	printf "%d.%06d %s %s %s\n", int($1), $1 * 1e6 % 1e6 + 0.5, $6, $11, $12}' \
	run/events.csv >run.rp
[ "$(wc -l <run.rp)" -ge 50 ] || complain "the run has hardly any event"
cmp -s run.rp model || complain "run (<) and model (>) differ: $(diff run.rp model | head -n 4)"

# Every way to name a control; JSON has the same values.
cat >small.csv <<'END'
t_ps,event,values
0,start             # begins
 10000000 , cnp
70000000,sent,1086
70000000,tick
END
expect 0 '^10000000,3,cnp,decrease,12500000000,,65000000,25000000000,' '' "${paper[@]}" small.csv
[ "$(wc -l <out)" -eq 7 ] || complain "a header, four events and two timers are wanted: $(cat out)"
mv out file
input=small.csv expect 0 '^70000000,4,sent,none,' '' "${paper[@]}" -
cmp -s file out || complain "a file and standard input give different rows"
expect 0 '^\{"t_ps": 65000000, "line": null, "event": "timer", "result": "alpha", "rate"' '' \
	--json "${paper[@]}" small.csv
grep -q '"target_rate": 25000000000, "alpha": 1148417904979476480, "alpha_decimal": 0.996093750' \
	out || complain "JSON: $(tail -n 1 out)"
expect 0 '^10000000,3,cnp,decrease,20000000000,' '' --profile paper --rate 40Gbps small.csv
expect 0 '^10000000,3,cnp,decrease,30000000000,' '' --profile paper --rate 40Gbps \
	--set controls.paper.initial_alpha=1/2 small.csv
printf '5,cnm,32\n20000000000,tick\n' >cnm.csv
expect 0 '^5,1,cnm,decrease,7500000000,,15000000005,10000000000,1,0,0,150000,' '' --profile qcn \
	--rate 10Gbps --set controls.qcn.qcn.randomise=0% cnm.csv
expect 0 ',timer,t_fast_recovery,8750000000,' '' --profile qcn --rate 10Gbps \
	--set controls.qcn.qcn.randomise=0% cnm.csv
expect 0 '^10000000,3,cnp,decrease,12500000000,' '' first-light:dcqcn small.csv
expect 0 '^10000000,3,cnp,start,100000000000,' '' connectx:mlx5 small.csv
cat >own.yaml <<'END'
duration: 1ms
controls: {one: {}, spare: {}}
hosts: {a: {}, b: {}, c: {}, d: {}}
links: [{between: [a, b], rate: 40Gbps}, {between: [c, d], rate: 25Gbps}]
flows:
  x: {from: a, to: b, control: one}
  y: {from: c, to: d, control: one}
END
expect 2 '' "own.yaml: flows use control 'one' at 40Gbps and 25Gbps; choose by --rate" \
	own.yaml:one small.csv
expect 0 ',cnp,decrease,12500000000,' '' own.yaml:one small.csv --rate 25Gbps
expect 0 ',cnp,decrease,200000000000,' '' own.yaml:one small.csv --rate 400Gbps
expect 2 '' "own.yaml: no flow uses control 'spare', so say the line rate" own.yaml:spare small.csv
expect 0 ',cnp,decrease,12500000000,' '' own.yaml:spare small.csv --rate 25Gbps

# Registers of the RDMA IP.
ip=(--profile rdma_ip --rate 100Gbps)
cat >reg.csv <<'END'
1000000,write,DCQCN_DFX_CTRL,0x100000001
10000000,cnp
20000000,read,DCQCN_DFX_INFO
20000000,read,DCQCN_DFX_INFO
30000000,write,CC_RATE_MEM.cc_rate,512
END
expect 0 ',RATE_MEM.current_rate,RATE_MEM.target_rate,' '' "${ip[@]}" reg.csv
[ "$(column out RATE_MEM.current_rate | tr '\n' ' ')" = '39719 19879 19879 19879 19879 ' ] ||
	complain "RATE_MEM.current_rate: $(column out RATE_MEM.current_rate)"
# The window's entry is taken by the first of the two readings, and by no row that is printed.
[ "$(column out DCQCN_DFX_INFO.dcqcn_dfx_event | tr '\n' ' ')" = '4 0 4 4 4 ' ] ||
	complain "dcqcn_dfx_event: $(column out DCQCN_DFX_INFO.dcqcn_dfx_event)"
[ "$(column out value | tr '\n' ' ')" = "4294967297  $((10 << 32 | 19879 << 16)) 4 512 " ] ||
	complain "value: $(column out value)"
[ "$(column out result | tr '\n' ' ')" = 'none decrease none none written ' ] ||
	complain "result: $(column out result)"
expect 0 '"registers": \{"CNP_TIMER_THRD.cnp_timer_thrd": 16113, ' '' --json "${ip[@]}" reg.csv

# bad LINE PATTERN [ARGUMENT...]: behind a good line; what came before it is printed.
bad() {
	local line=$1 pattern=$2
	shift 2
	printf '1,tick\n%b\n3,tick\n' "$line" >bad.csv
	expect 2 '^1,1,tick,none,' "^bad.csv:2:$pattern" "${@:-${paper[@]}}" bad.csv
	[ "$(wc -l <out)" -eq 2 ] || complain "$line: what stands behind it is shown"
}
bad '0,cnp' '1: 0 ps is before 1 ps of line 1; time does not go back'
bad '55us,cnp' "1: '55us' is no instant; write whole picoseconds up to [0-9]*, as in 55000000"
bad '99999999999999999999,cnp' "1: '9*' is no instant"
bad '2' '1: an event is missing behind the instant: t_ps,cnp'
bad '2,cpn' "3: there is no event 'cpn'; did you mean 'cnp'\?"
bad '2,frobnicate' "3: there is no event 'frobnicate'; the events are start, cnp, .*, tick"
bad '2,cnp,5' "7: '5' is one value too many; write t_ps,cnp$"
bad '2,sent' '3: sent wants a value: t_ps,sent,BYTES\[,PAYLOAD\]'
bad '2, sent,0' "9: bytes '0': a whole number, 1..65535"
bad '2,sent,1,2,3' "12: '3' is one value too many; write t_ps,sent,BYTES"
bad '2,ack,1000,12,2' "15: ce '2': a whole number, 0..1"
bad '2,cnm,64' "7: qntzfb '64': a whole number, 0..63"
bad '2,cnm,-1' "7: qntzfb '-1': a whole number, 0..63"
bad '2,read,RATE_MEM' '8: this control has no registers; those of profile rdma_ip have'
bad '2,read,RATE_MEN' "8: the RDMA IP has no register 'RATE_MEN'; did you mean 'RATE_MEM'" \
	"${ip[@]}"
bad '2,write,RATE_MEM' '3: write wants a value: t_ps,write,REGISTER,VALUE' "${ip[@]}"
bad '2,write,CC_RATE_MEM.cc_rate,70000' "29: '70000' is more than the 16 bits" "${ip[@]}"
bad '2,write,DCQCN_DFX_CNT,1' '9: only the hardware writes that register' "${ip[@]}"
bad '2,read,0x600108' '8: there is no queue pair but number 1' "${ip[@]}"
bad '2,\033[31mcnp' "3: there is no event '.x1b\[31mcnp'"
bad '2,cnp\0000' '6: a byte 0; a trace is text'
bad "$(printf '%01001d' 0)" '1: the line is too long; 1000 bytes are the most'

expect 2 '' 'name SCENARIO:CONTROL and a trace, or --profile, --rate and a trace'
expect 2 '' 'name SCENARIO:CONTROL and a trace' small.csv
expect 2 '' 'SCENARIO:CONTROL or --profile, not both' "${paper[@]}" own.yaml:one small.csv
expect 2 '' '--profile wants the line rate too, as in --rate 100Gbps' --profile paper small.csv
expect 2 '' "there is no profile 'papr'; did you mean 'paper'\?" --profile papr \
	--rate 1Gbps small.csv
expect 2 '' "'own.yaml' names no control; write SCENARIO:CONTROL" own.yaml small.csv
expect 2 '' "there is no control 'on'; did you mean 'one'\?" own.yaml:on small.csv
expect 2 '' 'nosuch.yaml: No such file' nosuch.yaml:one small.csv
expect 2 '' 'nosuch.csv: No such file' "${paper[@]}" nosuch.csv
expect 2 '' 'Is a directory; a file is wanted' "${paper[@]}" "$dir"
mkfifo fifo
expect 2 '' 'fifo: Is a FIFO; a file is wanted, or - for standard input$' "${paper[@]}" fifo
expect 2 '' "unknown key 'ai_rat' in a control; did you mean 'ai_rate'" "${paper[@]}" \
	--set controls.paper.ai_rat=1Gbps small.csv
expect 2 '' 'min_rate 40Gbps is above the line rate 25Gbps' "${paper[@]}" \
	--set controls.paper.min_rate=40Gbps small.csv
"$quench" rp "${paper[@]}" small.csv >/dev/full 2>err
[ $? -eq 2 ] || complain "a full disk is exit status 2"
has 'standard output: incomplete: No space left' err 'to a full disk'

# The page's command gives the page's output.
page=$root/docs/howto/rtl.md
ln -s "$root/examples" examples
read -ra command < <(sed -n 's/^    quench rp \(rdma-ip:[^|]*\) |.*/\1/p' "$page")
[ "${#command[@]}" -ge 2 ] || complain "docs/howto/rtl.md has no command"
columns=$(sed -n 's/^    quench rp rdma-ip:.*| cut -d, -f \([0-9,-]*\)$/\1/p' "$page")
"$quench" rp "${command[@]}" 2>err | cut -d, -f "$columns" >printed
awk '/^```/ {if (inside && wanted) exit; inside = !inside; wanted = $0 == "```"; next}
	inside && wanted' "$page" >written
[ -s written ] || complain "docs/howto/rtl.md has no output"
diff written printed || complain "docs/howto/rtl.md (<) and its command (>) differ"
exit $fail
