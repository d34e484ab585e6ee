#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Parts of a scenario: one process runs the sender, whose frames a capture keeps, and another runs
# the receiver, to which the capture brings them. Each has the counters of its own end.
# Two that run at once meet over net_memif, and start only where they run the same scenario.
# usage: part_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

# The run of a part, with its port's device; more options are in `more`.
more=
part()
{
	node=$1
	port=$2
	shift 2
	# shellcheck disable=SC2086
	"$quench" run "$here/part.yaml" --clock real --nodes "$node" --no-huge --workers 1 \
		--start now $more \
		--set "ports.$port.device=$*" >log 2>&1 || fail "the part $node fails"
}

# An empty capture: what the sender receives.
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000'
	printf '\000\000\000\000\377\377\000\000\001\000\000\000'
} >none.pcap

part h h:r "net_pcap0,rx_pcap=$dir/none.pcap,tx_pcap=$dir/sent.pcap"
grep -q 'received elsewhere' log || fail "the table does not say that r is elsewhere"
grep -q 'expect. is of the whole scenario' log || fail "nothing is said of expect"
sender=runs/part-real-1-h
is $sender flows data_frames_rx ""
is $sender flows goodput_gbps "null "
is $sender groups goodput_gbps "null "
is $sender flows flow_receive_time "null "
is $sender sources rx_frames ""
sed -n '/^ *"total": {/,/^ *}/p' $sender/summary.json | grep -q '"goodput_gbps": null' ||
	fail "the sender knows the goodput of all"
is $sender sources lost ""
grep -q '"part": "h"' $sender/manifest.json || fail "the manifest does not name the part"
grep -q '"part_nodes": \["h"\],' $sender/manifest.json &&
	grep -q '"nodes": \["h", "r"\],' $sender/manifest.json ||
	fail "the manifest does not name the nodes"

# Longer, for a busy machine may keep it from running for the time in which h sent.
more="--duration 500ms"
part r r:h "net_pcap1,rx_pcap=$dir/sent.pcap,tx_pcap=$dir/back.pcap"
receiver=runs/part-real-1-r
is $receiver flows data_frames_tx ""
is $receiver flows message_complete_rx "3 "
is $receiver flows frame_sequence_error "0 "
is $receiver flows avg_latency "null "
is $receiver flows flow_completion_time "null "
[ "$(values $receiver flows flow_receive_time)" != "null " ] ||
	fail "the receiver does not know how long the flow took to come"
is $receiver sources tx_frames ""
is $receiver sources lost "0 "
is $receiver sources latency_mean_us "null "
sent=$(values $sender sources tx_frames)
got=$(values $receiver sources rx_frames)
[ -n "$sent" ] && [ "$sent" = "$got" ] || fail "sent $sent, received $got"

# A link that is cut needs a device, and every node a name that there is.
refused()
{
	want=$1
	shift
	status=0
	"$quench" "$@" >log 2>&1 || status=$?
	[ $status = 2 ] && grep -qF -- "$want" log || fail "$*: exit status $status"
}
refused "port h:r: 'r' is not among --nodes" run "$here/part.yaml" --clock real --nodes h
refused "there is no node 'q'" check "$here/part.yaml" --nodes q
refused "the virtual clock runs a scenario whole" run "$here/part.yaml" --nodes h

# Digests of sections: what a part says is what the other says, whatever the devices are.
digests()
{
	"$quench" check "$here/part.yaml" --set ports.h:r.device=net_null0 \
		--set ports.r:h.device=net_null1 "$@" >log 2>&1 || fail "check $* fails"
	grep '^digest of ' log
}
digests --nodes h --set ports.h:r.lcore=1 >one
digests --nodes r --set sample=1ms >two
[ "$(wc -l <one)" = 10 ] && cmp -s one two || fail "digests of the parts differ"
digests --nodes r --set flows.noise.open_loop.rate=6% >two
[ "$(diff one two | grep -c '^> digest of flows: ')" = 1 ] &&
	[ "$(diff one two | grep -c '^>')" = 1 ] || fail "not the flows alone differ"

# Both ends of a cable in memory, at once: a node and its port, and r; the words behind are r's.
more=
cable=socket=$dir/cable,socket-abstract=no
both()
{
	node=$1
	port=$2
	shift 2
	rm -rf runs cable
	# shellcheck disable=SC2086
	"$quench" run "$here/part.yaml" --clock real --nodes "$node" --no-huge --workers 1 $more \
		--set "ports.$port.device=net_memif0,role=server,$cable" \
		--quiet >log-h 2>&1 &
	pid=$!
	tries=0
	until [ -S cable ]; do
		tries=$((tries + 1))
		[ $tries -lt 1000000 ] && kill -0 $pid || fail "no cable: $(cat log-h)"
	done
	r=0
	h=0
	# shellcheck disable=SC2086
	"$quench" run "$here/part.yaml" --clock real --nodes r --no-huge --workers 1 $more \
		--set "ports.r:h.device=net_memif1,role=client,$cable" \
		--quiet "$@" >log-r 2>&1 || r=$?
	wait $pid || h=$?
}

# Whether both parts have ended so, with a line that has these words.
ended()
{
	[ $h = 2 ] && [ $r = 2 ] || fail "exit status $h and $r: $(cat log-h log-r)"
	grep -qF -- "$1" log-h || fail "h says nothing of '$1': $(cat log-h)"
	grep -qF -- "$2" log-r || fail "r says nothing of '$2': $(cat log-r)"
}
both h h:r --seed 2
ended "the part at r:h runs another scenario, and these differ: times, seed and framing; give" \
	"the part at h:r runs another scenario, and these differ: times, seed and framing; give"
both h h:r --set hosts.r.latency=1us --set flows.messages.verb=send
ended "these differ: hosts; flows; give" "these differ: hosts; flows; give"
both h h:r --start "at=$(($(date +%s) + 1000))"
ended "port h:r: --start is another at r:h" "port r:h: --start is another at h:r"

# Nobody is there.
refused "port h:r: nobody has answered for r:h within 0.2 s (--wait-parts); is the part that runs" \
	run "$here/part.yaml" --clock real --nodes h --no-huge --workers 1 --wait-parts 200ms \
	--set "ports.h:r.device=net_pcap0,rx_pcap=$dir/none.pcap,tx_pcap=$dir/sent.pcap"

# A part of another program: hellos of the layout before this one, in frames of 60 bytes.
{
	cat none.pcap
	for _ in 1 2 3; do
		printf '\0\0\0\0\0\0\0\0\074\0\0\0\074\0\0\0'
		printf '\002\0\0\0\0\001\002\0\0\0\0\002\210\265quenchHi\002'
		head -c 37 /dev/zero
	done
} >old.pcap
refused "port h:r: the part at r:h says hello in version 2, and this one in 5; run the same" \
	run "$here/part.yaml" --clock real --nodes h --no-huge --workers 1 --wait-parts 10s \
	--set "ports.h:r.device=net_pcap0,rx_pcap=$dir/old.pcap,tx_pcap=$dir/sent.pcap"
refused "--start 'soon': link, now, or at=" run "$here/part.yaml" --nodes h --start soon
refused "--start at=1: this instant has passed" run "$here/part.yaml" --clock real --nodes h \
	--no-huge --workers 1 --start at=1 \
	--set "ports.h:r.device=net_pcap0,rx_pcap=$dir/none.pcap,tx_pcap=$dir/sent.pcap"

both h h:r --dilate 20
ended "port h:r: --dilate is 1 here, and 20 at r:h" "port r:h: --dilate is 20 here, and 1 at h:r"

# A node in two parts.
both r r:h
ended "port r:h: the other end is r:h, too: two parts run 'r'; each node is in the --nodes of one" \
	"port r:h: the other end is r:h, too: two parts run 'r'; each node is in the --nodes of one"

# Both agree, and run fifty times slower, so that a busy machine can keep up.
more="--dilate 50 --set poll=yield --set drain=8ms"
both h h:r
[ $h = 0 ] && [ $r = 0 ] || fail "exit status $h and $r: $(cat log-h log-r)"
is $receiver flows message_complete_rx "3 "
is $receiver sources lost "0 "
is $sender sources lost ""
sent=$(values $sender sources tx_frames)
got=$(values $receiver sources rx_frames)
[ -n "$sent" ] && [ "$sent" = "$got" ] || fail "sent $sent, received $got"
[ "$(values $sender flows ack_rx)" = "$(values $receiver flows ack_tx)" ] || fail "ACKs are lost"

# They have drawn QPNs and first PSNs together.
drawn()
{
	grep -e '"qpn_base": [0-9]*, "first_psn"' -e '^ *"qp_numbers": [0-9]' "$1/manifest.json"
}
drawn $sender >one && drawn $receiver >two && [ "$(wc -l <one)" = 3 ] && cmp -s one two ||
	fail "the parts have drawn $(cat one two)"
is $receiver flows dest_qp "$(values $sender flows dest_qp)"
[ "$(values $sender flows dest_qp)" != "17 " ] || fail "QPNs are ordinal"

# One-way latency is known to within what both know of each other's clock, and is shorter than the
# slowest message, which took a round trip at least. Both say the same of their clocks.
number()
{
	values "$1" "$2" "$3" | tr -d ' '
}
least=$(number $receiver sources latency_min_us)
bound=$(number $receiver sources latency_bound_us)
longest=$(number $sender groups fct_max_us)
echo "one-way latency: $least us at least, to within $bound us; slowest message: $longest us"
awk -v l="$least" -v b="$bound" -v r="$longest" 'BEGIN { exit !(b > 0 && l >= 0 && l - b < r) }' ||
	fail "one-way latency of $least us, to within $bound us, slowest message $longest us"
is $sender sources latency_bound_us "null "
[ "$(number $receiver sources undated)" -lt "$sent" ] || fail "no frame is dated"
ahead=$(number $sender devices peer_clock_us)
behind=$(number $receiver devices peer_clock_us)
apart=$(number $sender devices peer_clock_bound_us),$(number $receiver devices peer_clock_bound_us)
echo "clocks: $ahead and $behind us ahead, to within $apart us"
awk -v a="$ahead" -v b="$behind" -v c="${apart%,*}" -v d="${apart#*,}" \
	'BEGIN { exit !(a + b <= c + d && -a - b <= c + d) }' ||
	fail "clocks are $ahead and $behind us apart, to within $apart us"
[ "$(number $receiver devices peer_clock_exchanges)" -gt 2 ] || fail "hellos do not go on"
grep -q '"dilate": 50' $receiver/manifest.json || fail "the manifest does not say dilate"

# The two folders as one run: the figures of each end, and nothing lost between them. The criterion
# counts messages, so that it holds though a part broke its timing on a busy machine.
"$quench" merge $sender $receiver >log 2>&1 || fail "merge: exit status $?"
whole=runs/part-real-1
grep -q "^link     h:r to r: PASS, " log && grep -q "^link     r:h to h: PASS, " log ||
	fail "merge says nothing of a link"
grep -qF "verdict  flow.messages[h>r.0].message_complete_rx: PASS, 3" log ||
	fail "merge does not judge what the scenario expects: $(cat log)"
is $whole flows message_complete_rx "3 "
is $whole flows frame_delta "0 "
is $whole flows flow_completion_time "$(values $sender flows flow_completion_time)"
is $whole flows flow_receive_time "$(values $receiver flows flow_receive_time)"
for figure in flow_completion_time flow_receive_time; do
	[ "$(values $whole flows $figure)" != "null " ] || fail "the whole does not know $figure"
done
is $whole flows ack_rx "$(values $receiver flows ack_tx)"
is $whole sources tx_frames "$sent"
is $whole sources rx_frames "$sent"
for figure in latency_min_us=$least latency_bound_us=$bound; do
	awk -v a="$(number $whole sources "${figure%=*}")" -v b="${figure#*=}" \
		'BEGIN { exit !(a == b) }' || fail "the whole has another $figure"
done
[ "$(values $whole devices peer_clock_us | wc -w)" = 2 ] || fail "the whole has no clocks"
is $whole nic_counters node '"h" "r" '
[ "$(wc -l <$whole/events.csv)" = \
	$(($(cat $sender/events.csv $receiver/events.csv | wc -l) - 1)) ] ||
	fail "events are missing"
tail -n +2 $whole/events.csv | cut -d, -f1 | sort -c -n || fail "events are out of order"
[ "$(readlink runs/latest)" = part-real-1 ] || fail "runs/latest is not the whole"
"$quench" report runs/latest >log 2>&1 || fail "the whole has no page"
"$quench" trace runs/latest >log 2>&1 || fail "the whole has no timeline"
refused "nobody has run 'r'; give the folder of the part that did, too" merge $sender
refused "$sender: node 'h' was run by the part in $sender, too" merge $sender $sender $receiver
refused "$whole: this folder is merged already" merge $whole $receiver
refused "$whole: not empty; --force replaces" merge $sender $receiver --out $whole
"$quench" merge $receiver $sender --out $whole --force >log 2>&1 || fail "merge --force"
sed 's/"flows": "/&0/' $receiver/manifest.json >other && cp -r $receiver strange &&
	cp other strange/manifest.json
refused "strange: the scenario is not the one of $sender, and these differ: flows" \
	merge $sender strange
grep -q '"peers": {"h:r": [1-9]' $sender/manifest.json || fail "nobody was met"
sed 's/"process": /&1/' $receiver/manifest.json >strange/manifest.json
refused "the process that h met at port h:r is not that of r; give the folders of one run" \
	merge $sender strange
sed 's/"rx_frames": \([0-9]*\)/"rx_frames": 1\1/' $receiver/summary.json >strange/summary.json
cp $receiver/manifest.json strange
status=0
"$quench" merge $sender strange >log 2>&1 || status=$?
[ $status = 1 ] && grep -q "^link     h:r to r: FAIL, .* too many" log ||
	fail "frames that nobody sent: exit status $status"

# Slow time is for those who agree on it.
refused "--dilate 2: with --start now no part hears of it from the others" run \
	"$here/part.yaml" --clock real --nodes h --start now --dilate 2 \
	--set ports.h:r.device=net_null0
refused "--dilate 2: what is behind the device of port h:r runs at its own pace" run \
	"$here/part.yaml" --clock real --dilate 2 --set ports.h:r.device=net_null0 \
	--set ports.r:h.device=net_null1

# A part that dies is missed; the other writes what it has.
dies()
{
	more="--duration 1000s --set poll=yield --set flows.messages.count=none"
	rm -rf runs cable
	# shellcheck disable=SC2086
	"$quench" run "$here/part.yaml" --clock real --nodes h --no-huge --workers 1 $more \
		--set "ports.h:r.device=net_memif0,role=server,$cable" --quiet "$@" \
		3<&- >"$said" 2>&1 &
	pid=$!
	until [ -S cable ]; do
		kill -0 $pid || fail "no cable: $(cat log-h)"
	done
	# shellcheck disable=SC2086
	"$quench" run "$here/part.yaml" --clock real --nodes r --no-huge --workers 1 $more \
		--set "ports.r:h.device=net_memif1,role=client,$cable" --quiet >log-r 2>&1 &
	other=$!
	until "$quench" stats --instance part-r nic.r.rx_frames 2>/dev/null | grep -q '[1-9]'; do
		kill -0 $other || fail "r ends: $(cat log-r)"
	done
	until "$quench" stats --instance part-h device.h:r.tx_frames 2>/dev/null |
		grep -q '[1-9]'; do
		kill -0 $pid || fail "h ends: $(cat log-h)"
	done
	kill -KILL $other
	wait $other || true
}
said=log-h
dies
h=0
wait $pid || h=$?
[ $h = 1 ] || fail "exit status $h of one whose peer has died: $(cat log-h)"
grep -q "port h:r: the part at r:h has fallen silent (on_peer_silent: fail)" log-h ||
	fail "nothing is said of a peer that has died: $(cat log-h)"
[ -s $sender/summary.json ] || fail "what is known is not written"
# The driver forgets what it has counted when its peer leaves, and we do not.
! grep '"counter": "device_' $sender/summary.json | grep -q FAIL ||
	fail "a device is not reconciled: $(grep '"counter": "device_' $sender/summary.json)"
[ "$(values $sender devices tx_frames | tr -d ' ')" -gt 0 ] ||
	fail "what was sent before the peer left is forgotten"

# With go_on it is said, and the run goes on until somebody ends it.
mkfifo said
said=said
exec 3<>said
dies --set on_peer_silent=go_on
exec 4<said 3<&-
while read -r line <&4; do
	printf '%s\n' "$line" >>log-on
	case $line in
	*"port h:r: the part at r:h has fallen silent; the run goes on") break ;;
	esac
done
kill -0 $pid || fail "it has ended: $(cat log-on)"
kill -TERM $pid
h=0
wait $pid || h=$?
exec 4<&-
[ $h = 143 ] || fail "exit status $h of one that went on: $(cat log-on)"
grep -q '"interrupted": true' $sender/summary.json || fail "what is known is not written"
! grep -q '"link_loss"' $sender/summary.json || fail "a silent peer has ended the run"
