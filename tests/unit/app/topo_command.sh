#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `quench check --dot`: tiers above each other, links written from above, one line for a flow
# between two hosts.
set -eu
quench=$1 config=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT

fail() {
	echo "topo_command: $1"
	cat "$out"
	exit 1
}

count() {
	[ "$(grep -c -- "$1" "$out")" -eq "$2" ] || fail "'$1' does not stand there $2 times"
}

"$quench" check --dot "$config/leaf-spine.yaml" --set flows.incast.qps=3 >"$out"
count 'rank=same' 3
count '^	{ rank=same; "spine1"; "spine2"; "spine3"; "spine4"; }$' 1
count '"spine[1-4]" -- "leaf[1-4]" ' 16
count '"leaf[1-4]" -- "h[0-9]*" ' 16
count 'style=dashed' 12

"$quench" check --dot "$config/leaf-spine.yaml" --set flows.incast.to=h1..16 >"$out"
count 'style=dashed' 64
count '// not drawn: 116 flows more' 1

"$quench" check --dot "$config/unfairness.yaml" >"$out"
count 'rank=same' 0
count '"s1" -- "s2" ' 1
