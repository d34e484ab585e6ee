#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench decode` as a user sees it: exit statuses, where text goes, and the message for each bad
# input.
# usage: decode_command.sh QUENCH TEST_DATA
set -u
data=$(realpath "$2")
. "$(dirname "$0")/says.sh"

# says STATUS STDOUT-PATTERN STDERR-PATTERN ARGUMENT...
says() {
	judge "$1" "$2" "$3" decode "${@:4}"
}

softroce=$data/linux_softroce_rocev2.pcap
says 0 'RC_SEND_ONLY' '' "$softroce"
[ "$(wc -l <out)" -eq 269 ] ||
	{ echo "two lines of heading and 267 frames are wanted"; fail=1; }
says 0 'PFC XOFF +p3 65535 quanta = 335.539 us' '' "$data/pfc_xoff_p3.pcap" --rate 100Gbps
says 0 'ok +267$' '' --summary "$softroce"
says 0 '^\{"frame": 2,.*"kind": "ack"' '' --json --count 2 "$softroce"
[ "$(wc -l <out)" -eq 2 ] || { echo "--count 2 gives two objects"; fail=1; }
says 0 'ECT\(0\) +BAD +RC_WRITE_ONLY' '' "$data/neg_rc_write_bad_icrc.pcap"
input=$softroce says 0 'RC_SEND_ONLY' '' -
says 0 'examples:' '' --help

says 2 '' 'one capture is wanted'
says 2 '' 'one capture is wanted' a b
says 2 '' 'not both' --json --summary "$softroce"
says 2 '' "--count '0': a whole number from 1" --count 0 "$softroce"
says 2 '' "--rate '5': a rate, as in 100Gbps" --rate 5 "$softroce"
says 2 '' 'help. shows the options' --frobnicate "$softroce"
says 2 '' "no option '--summray'; did you mean '--summary'\?" --summray "$softroce"
says 2 '' '--count: a value is missing; wanted is a whole number from 1' "$softroce" --count
says 2 '' "--json takes no value: '--json=yes'" --json=yes "$softroce"
says 2 '' "one capture is wanted: 'b' is one word too many" a b
says 0 'RC_SEND_ONLY' '' --cou 2 "$softroce"
says 0 'RC_SEND_ONLY' '' "$softroce" -c2
says 0 'usage: quench decode FILE' '' -h
says 2 '' 'nosuch.pcap: No such file' nosuch.pcap
says 2 '' 'not a capture: .*; pcap or pcapng is wanted$' "$data/README.md"
: >none.pcap
says 2 '' 'none.pcap: empty; a capture, pcap or pcapng, is wanted$' none.pcap
mkfifo fifo
says 2 '' 'fifo: Is a FIFO; a file is wanted, or - for standard input$' fifo
says 2 '' 'Is a directory; a file is wanted' .
for command in 'replay' 'run' 'check' 'import'; do
	timeout 20 "$quench" $command fifo >out 2>err </dev/null
	[ $? -eq 2 ] || { echo "$command of a FIFO is exit status 2"; fail=1; }
	has 'fifo: Is a FIFO; a file is wanted' err "$command of a FIFO"
	[ $command != replay ] || has 'wanted, for a replay reads its capture more than once$' \
		err "$command of a FIFO"
done
head -c 24 "$softroce" >empty.pcap
says 2 '' 'holds no frame' empty.pcap
head -c 1000 "$softroce" >torn.pcap
says 2 'RC_SEND_ONLY' 'frame [0-9]+ cannot be read: the file is cut short' torn.pcap
{ head -c 20 "$softroce"; printf '\161\0\0\0'; tail -c +25 "$softroce"; } >cooked.pcap
says 2 '' 'link type LINUX_SLL, Ethernet is wanted' cooked.pcap
"$quench" decode "$softroce" >/dev/full 2>err
[ $? -eq 2 ] || { echo "a full disk is exit status 2"; fail=1; }
has 'standard output: incomplete: No space left' err 'to a full disk'
exit $fail
