# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the tests of pages: a folder of its own, in which the program is called quench. Sourced
# by a test that has set `quench`.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/work"
ln -s "$quench" "$dir/bin/quench"
PATH=$dir/bin:$PATH
cd "$dir/work" || exit
