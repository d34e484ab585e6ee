#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a user of `quench decode` sees: exit statuses, where text goes, and the message for each bad
# input.
# usage: decode_command.sh QUENCH TEST_DATA
set -u
quench=$1
data=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail=0

# expect STATUS STDOUT-PATTERN STDERR-PATTERN ARGUMENT...; an empty pattern: nothing is written
# there
expect() {
	local status=$1 out=$2 err=$3
	shift 3
	"$quench" decode "$@" >"$dir/out" 2>"$dir/err" <"${input:-/dev/null}"
	local got=$?
	if [ $got -ne "$status" ]; then
		echo "decode $*: exit status $got, $status is right"
		fail=1
	fi
	has "$out" "$dir/out" "$*"
	has "$err" "$dir/err" "$*"
}

has() {
	if [ -z "$1" ] && [ -s "$2" ]; then
		echo "decode $3: writes $(head -n 1 "$2")"
		fail=1
	elif [ -n "$1" ] && ! grep -qE -- "$1" "$2"; then
		echo "decode $3: lacks '$1'; it says: $(head -n 3 "$2")"
		fail=1
	fi
}

softroce=$data/linux_softroce_rocev2.pcap
expect 0 'RC_SEND_ONLY' '' "$softroce"
[ "$(wc -l <"$dir/out")" -eq 269 ] ||
	{ echo "two lines of heading and 267 frames are wanted"; fail=1; }
expect 0 'PFC XOFF +p3 65535 quanta = 335.539 us' '' "$data/pfc_xoff_p3.pcap" --rate 100Gbps
expect 0 'ok +267$' '' --summary "$softroce"
expect 0 '^\{"frame": 2,.*"kind": "ack"' '' --json --count 2 "$softroce"
[ "$(wc -l <"$dir/out")" -eq 2 ] || { echo "--count 2 gives two objects"; fail=1; }
expect 0 'ECT\(0\) +BAD +RC_WRITE_ONLY' '' "$data/neg_rc_write_bad_icrc.pcap"
input=$softroce expect 0 'RC_SEND_ONLY' '' -
expect 0 'examples:' '' --help

expect 2 '' 'one capture is wanted'
expect 2 '' 'one capture is wanted' a b
expect 2 '' 'not both' --json --summary "$softroce"
expect 2 '' "--count '0': a whole number from 1" --count 0 "$softroce"
expect 2 '' "--rate '5': a rate, as in 100Gbps" --rate 5 "$softroce"
expect 2 '' 'help. shows the options' --frobnicate "$softroce"
expect 2 '' "no option '--summray'; did you mean '--summary'\?" --summray "$softroce"
expect 2 '' '--count: a value is missing; wanted is a whole number from 1' "$softroce" --count
expect 2 '' "--json takes no value: '--json=yes'" --json=yes "$softroce"
expect 2 '' "one capture is wanted: 'b' is one word too many" a b
expect 0 'RC_SEND_ONLY' '' --cou 2 "$softroce"
expect 0 'RC_SEND_ONLY' '' "$softroce" -c2
expect 0 'usage: quench decode FILE' '' -h
expect 2 '' 'nosuch.pcap: No such file' "$dir/nosuch.pcap"
expect 2 '' 'not a capture' "$data/README.md"
mkfifo "$dir/fifo"
expect 2 '' 'fifo: Is a FIFO; a file is wanted' "$dir/fifo"
expect 2 '' 'Is a directory; a file is wanted' "$dir"
for command in 'replay' 'run' 'check' 'import'; do
	timeout 20 "$quench" $command "$dir/fifo" >"$dir/out" 2>"$dir/err" </dev/null
	[ $? -eq 2 ] || { echo "$command of a FIFO is exit status 2"; fail=1; }
	has 'fifo: Is a FIFO; a file is wanted' "$dir/err" "$command of a FIFO"
done
head -c 24 "$softroce" >"$dir/empty.pcap"
expect 2 '' 'holds no frame' "$dir/empty.pcap"
head -c 1000 "$softroce" >"$dir/torn.pcap"
expect 2 'RC_SEND_ONLY' 'frame [0-9]+ cannot be read: the file is cut short' "$dir/torn.pcap"
{ head -c 20 "$softroce"; printf '\161\0\0\0'; tail -c +25 "$softroce"; } >"$dir/cooked.pcap"
expect 2 '' 'link type LINUX_SLL, Ethernet is wanted' "$dir/cooked.pcap"
"$quench" decode "$softroce" >/dev/full 2>"$dir/err"
[ $? -eq 2 ] || { echo "a full disk is exit status 2"; fail=1; }
has 'standard output: incomplete: No space left' "$dir/err" 'to a full disk'
exit $fail
