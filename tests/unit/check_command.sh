#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `quench check`: what each host does with CE, and how many of those that send to it react.
set -eu
quench=$1 config=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT

says() {
	want=$1
	shift
	"$quench" check "$@" >"$out"
	grep -qx -- "$want" "$out" || {
		echo "check_command: '$want' does not stand there"
		cat "$out"
		exit 1
	}
}

says 'r  *8  *0  CNP: mode window, interval 50us, key qp' "$config/compare/1-pfc-only.yaml"
says 'r  *8  *0  CNP: mode window, interval 50us, key qp' "$config/compare/2-qcn.yaml"
says 'r  *8  *8  CNP: mode window, interval 50us, key qp' "$config/compare/3-dcqcn-paper.yaml"
says 'r  *8  *0  no CNP: np: {mode: off}' "$config/compare/1-pfc-only.yaml" --set 'hosts.r.np={mode: off}'
says 'r  *8  *8  CNP for every CE frame' "$config/compare/3-dcqcn-paper.yaml" --set 'hosts.r.np.interval=0us'
says 'n3  *2  *2  no CNP: in the framing of the simulator the ACK echoes CE' "$config/oracle-s01.yaml"
