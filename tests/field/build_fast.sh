#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The fast build (`scripts/build build-fast`) gives the same figures and events as the usual build.
# usage: build_fast.sh QUENCH SOURCE_ROOT
set -eu
quench=$1
cd "$2"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Runs a scenario; one whose verdict fails is as good.
# usage: run PROGRAM NAME FOLDER
run()
{
	"$1" run "config/$2.yaml" --quiet --out "$dir/$3" || [ $? = 1 ]
}

scripts/build "$dir/build-fast"
for name in first-light bench-incast oracle-s07 victim leaf-spine open-loop rdma-ip qcn-step; do
	run "$quench" $name usual
	run "$dir/build-fast/quench" $name fast
	diff -r -x manifest.json "$dir/usual" "$dir/fast"
	rm -r "$dir/usual" "$dir/fast"
done
