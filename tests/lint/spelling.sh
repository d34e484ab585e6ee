#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Spelling of code, scenarios and docs.
# usage: spelling.sh SOURCE_ROOT
set -eu
cd "$1"
codespell --ignore-words tests/lint/words.txt \
	--skip '*.pcap,*.pcapng,./tests/data/*,./tests/fuzz/corpus/*' \
	README.md CONTRIBUTING.md app lib tests config scripts share docs .ci
