#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench gen: the scenarios that it writes are right, and wrong options get one
# line each.
# usage: gen_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
gen='--device net_null0 --speed 10G --to 10.0.0.2'

fail()
{
	echo "gen_command: $1"
	cat out log
	exit 1
}

# shown COMMAND ARGUMENT...: what it shows is a scenario without warnings
shown()
{
	"$quench" "$@" --show >out 2>log || fail "$*"
	"$quench" check out >log 2>&1 || fail "$*: the scenario is wrong"
	! grep -q 'warning' log || fail "$*: the scenario has warnings"
}

says()
{
	grep -qF -- "$1" out || fail "no line has: $1"
}

# refused WORDS COMMAND ARGUMENT...: exit status 2, and one line with the words
refused()
{
	words=$1
	shift
	status=0
	"$quench" "$@" >out 2>log || status=$?
	[ $status -eq 2 ] && [ "$(wc -l <log)" -eq 1 ] && grep -qF -- "$words" log ||
		fail "$*: status $status, not: $words"
}

# shellcheck disable=SC2086 # several words
{
	shown gen $gen
	says '# quench gen --device net_null0 --speed 10G --to 10.0.0.2'
	says 'open_loop: {size: 1024, rate: 10%}'
	says 'gen: {ip: 10.0.0.1}'
	says 'peer: {ip: 10.0.0.2, external: true}'
	shown gen $gen --roce --rate 2mpps --size imix --qps 64 --for 1s
	says 'open_loop: {size: imix, rate: 31.25Kpps, sources: 64, roce: {}}'
	says 'dscp: 26'
	says 'duration: 1s'
	shown gen $gen --rate 50% --qps 4 --dscp 46 --to-mac 02:00:00:00:00:02
	says 'rate: 1.25Gbps, sources: 4'
	says 'peer: {ip: 10.0.0.2, mac: "02:00:00:00:00:02", external: true}'
	shown gen --device net_null0 --speed 25g --to 02:00:00:00:00:02 --raw --size 64..1518
	says 'open_loop: {size: 64..1518, rate: 10%, raw: true}'
	shown gen --device net_null0 --speed 25G --to fd00::2 --udp
	says 'gen: {ip: "fd00::1"}'
	shown gen $gen --control paper --qps 8 --rate 8G --port 4420
	says 'control: {profile: paper}'
	says 'qps: 8'
	says 'rate: 1Gbps'
	says 'peer: {port: 4420}'
	shown gen $gen --control none

	refused '--device and --to say where' gen --to 10.0.0.2
	refused 'there is no such interface' gen --device nosuch0 --to 10.0.0.2
	refused 'give it, as in --speed 25G' gen --device net_null0 --to 10.0.0.2
	refused '--rate 11G: net_null0 carries 10Gbps' gen $gen --rate 11G
	refused "gen: --rate 20mpps: flow 'load' sends 13.44Gbps" gen $gen --rate 20mpps --size 64
	refused "--control papr: 'papr' is not right; write one of paper" gen $gen --control papr
	refused "--control papr: 'papr'" gen $gen --control papr --show
	refused '--size 10: 10 is out of range' gen $gen --size 10
	refused '--to 224.0.0.5: 224.0.0.5 is no host' gen --device net_null0 --speed 10G \
		--to 224.0.0.5
	refused '--speed 1T: 1000Gbps is out of range' gen --device net_null0 --speed 1T \
		--to 10.0.0.2
	refused '--rate 1kpps: each of 2000 would have less than 1pps' gen $gen --rate 1kpps \
		--qps 2000
	refused "gen: 'more' is one word too many" gen $gen more
	refused '--to 127.0.0.1: it is the address of lo itself' gen --device lo --speed 10G \
		--to 127.0.0.1
	refused '--rate fast: write a bit rate, as in 10G' gen $gen --rate fast
	refused '--rate 1M: each of 64 would have less than 100Kbps' gen $gen --rate 1M --qps 64
	refused '--size 2000..1000: ' gen $gen --size 2000..1000
	refused 'choose one of --roce, --udp and --raw' gen $gen --roce --raw
	refused '--to 10.0.0.2: --raw has no IP' gen $gen --raw
	refused '--to there: write an IP address' gen --device net_null0 --speed 10G --to there
	refused '--from fd00::1: ' gen $gen --from fd00::1
	refused '--control is for queue pairs' gen $gen --control paper --udp
	refused 'it goes with --control' gen $gen --port 7
}
