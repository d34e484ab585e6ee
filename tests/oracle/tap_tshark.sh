#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tshark reads a live capture from a pipe: its frames, comments, directions and counts; with
# contrib/wireshark/quench.lua also CNMs and PFC frames of a run with QCN and with PFC.
# usage: tap_tshark.sh QUENCH SOURCE_ROOT
set -eu
quench=$1
root=$2
if ! command -v tshark >/dev/null; then
	echo "tap_tshark: tshark is not installed; on Debian: apt-get install tshark" >&2
	exit 1
fi
dir=$(mktemp -d)
name=tap-tshark-$$
pid=

gone()
{
	[ -z "$pid" ] || { kill $pid 2>/dev/null && wait $pid 2>/dev/null; } || true
	rm -rf "$dir"
}
trap gone EXIT

fail()
{
	echo "tap_tshark: $*"
	cat "$dir/log" "$dir/err" 2>/dev/null || true
	exit 1
}

start()
{
	[ -z "$pid" ] || { kill $pid; wait $pid || true; }
	"$quench" run "$@" --clock real --no-huge --quiet --instance $name --out "$dir/run" \
		--force --dilate 50 --duration 10s >"$dir/log" 2>&1 &
	pid=$!
	tries=0
	until "$quench" capture --instance $name s1:r --for 1us >/dev/null 2>"$dir/err"; do
		tries=$((tries + 1))
		[ $tries -lt 2000 ] && kill -0 $pid || fail "no capture begins"
	done
}

# Fields of the frames of a capture, which goes through a pipe.
fields()
{
	wanted=$1
	shift
	# shellcheck disable=SC2086 # words
	"$quench" capture --instance $name "$@" -w - 2>"$dir/err" |
		tshark -X "lua_script:$root/contrib/wireshark/quench.lua" -r - -T fields \
			$(printf -- '-e %s ' $wanted) >"$dir/got" 2>"$dir/tshark"
	# What tshark says besides that it runs as root is a complaint about the file.
	! grep -v 'Running as user "root"' "$dir/tshark" || fail "tshark complains of $*"
}

tab=$(printf '\t')
start "$root/config/qcn-step.yaml" --set warmup=0us
fields 'frame.interface_name frame.packet_flags_direction cnm.qntzfb' s1:h1 \
	'ether[16:2] = 0x22e7 or ether[20:2] = 0x22e7' --count 3
[ "$(grep -c "^s1:h1${tab}0x00000002${tab}[0-9]" "$dir/got")" -eq 3 ] || fail "no CNMs"

start "$root/tests/driver/app/capture.yaml" --set 'ports={}'
fields 'frame.interface_name pfc.sense' s1:h1 'ether proto 0x8808' --count 3
[ "$(grep -c "^s1:h1${tab}xo" "$dir/got")" -eq 3 ] || fail "no PFC frames"
fields 'frame.packet_flags_direction ip.dsfield.ecn frame.comment' s1:r 'ip[1] & 3 = 3' --count 20
[ "$(grep -c "^0x00000002${tab}3${tab}queue 3: .*marked here at" "$dir/got")" -eq 20 ] ||
	fail "no comments of marks"

"$quench" capture --instance $name s1 --for 1ms -w "$dir/a.pcapng" 2>"$dir/err"
want=$(sed -n 's/ frames* captured$//p' "$dir/err")
[ "$(tshark -r "$dir/a.pcapng" 2>/dev/null | wc -l)" -eq "$want" ] || fail "frames are missing"
