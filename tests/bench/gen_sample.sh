#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The frames that the generator's benchmark prices are right: the ICRC of each one of a sample.
# Usage: gen_sample.sh GEN_BENCH ICRC_CHECK
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

for octets in 64 1082 4178; do
	"$1" send 300 $octets 3000 0 5 "$dir/$octets.pcap" >"$dir/out"
	"$2" "$dir/$octets.pcap"
done
