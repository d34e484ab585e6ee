#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a user of `quench import` sees: a scenario that checks and runs, exit statuses, messages for
# bad input.
# usage: import_command.sh QUENCH TEST_DATA
set -u
quench=$1
leaf=$2/sonic/leaf_32x100g.json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail=0

# expect STATUS STDOUT-PATTERN STDERR-PATTERN COMMAND ARGUMENT...; an empty pattern: nothing is
# written there
expect() {
	local status=$1 out=$2 err=$3
	shift 3
	"$quench" "$@" >"$dir/out" 2>"$dir/err"
	local got=$?
	if [ $got -ne "$status" ]; then
		echo "$*: exit status $got, $status is right; $(head -n 1 "$dir/err")"
		fail=1
	fi
	has "$out" "$dir/out" "$*"
	has "$err" "$dir/err" "$*"
}

has() {
	if [ -z "$1" ] && [ -s "$2" ]; then
		echo "$3: writes $(head -n 1 "$2")"
		fail=1
	elif [ -n "$1" ] && ! grep -qE -- "$1" "$2"; then
		echo "$3: lacks '$1'; it says: $(head -n 3 "$2")"
		fail=1
	fi
}

expect 0 '' 'leaf.yaml: a scenario with 32 ports' import "$leaf" --out "$dir/leaf.yaml"
has '^# - VLAN' "$dir/leaf.yaml" 'the scenario'
expect 2 '' 'leaf.yaml: is there already' import "$leaf" --out "$dir/leaf.yaml"
expect 0 '' 'not taken: VLAN, LOOPBACK_INTERFACE' import "$leaf" --out "$dir/leaf.yaml" --force
expect 0 'lossless .*2\^-3 free' '' check "$dir/leaf.yaml"
expect 0 'every frame is accounted for' '' run "$dir/leaf.yaml" --set duration=300us \
	--set warmup=0us \
	--set hosts.h32.np.interval=4us --out "$dir/run"
has 'no frame of a lossless class was dropped' "$dir/out" 'the run'
expect 0 '  a: # at Ethernet0' 'not in --port-map' import "$leaf" --port-map Ethernet0=a,Ethernet4=b
expect 0 'examples:' '' import --help
expect 2 '' 'name one config_db.json' import
expect 2 '' "there is no option '--frobnicate'" import "$leaf" --frobnicate
expect 2 '' 'table PORT has no such port' import "$leaf" --port-map Ethernet1=a
expect 2 '' 'nosuch.json: No such file' import "$dir/nosuch.json"
expect 2 '' 'Is a directory' import "$dir"
printf '{"PORT": {\n "Ethernet0": {,\n' >"$dir/torn.json"
expect 2 '' 'torn.json:2:1[0-9]: ' import "$dir/torn.json"
"$quench" import "$leaf" >/dev/full 2>"$dir/err"
[ $? -eq 2 ] || { echo "a full disk is exit status 2"; fail=1; }
has 'standard output: incomplete: No space left' "$dir/err" 'to a full disk'
exit $fail
