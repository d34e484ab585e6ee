#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A plug-in that fails, on either clock: the line on stderr, the results so far, the exit status;
# and one that is refused before a run begins.
# usage: plugin_command.sh QUENCH PLUGIN
set -eu
quench=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp "$2" "$dir/mine.so"

fail()
{
	echo "plugin_command: $*"
	cat "$dir/err"
	exit 1
}

cat >"$dir/plugin.yaml" <<'END'
name: plugin
duration: 2ms
controls: {mine: {plugin: mine.so, how: 1, from: 700us, rate: 20Gbps}}
switches:
  s1:
    buffer: 4MB
    classes: {3: {lossless: true, wred: {min: 5KB, max: 50KB, probability: 10%}}}
hosts: {h1..2: {}, r: {}}
links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]
flows: {incast: {from: h1..2, to: r, control: mine}}
END

# ends VERB HOW PATTERN
ends()
{
	for clock in virtual real; do
		status=0
		"$quench" run "$dir/plugin.yaml" --clock $clock --out "$dir/$clock" --force \
			--quiet --set "controls.mine.verb=$1" --set "controls.mine.how=$2" -- \
			--no-huge >"$dir/out" 2>"$dir/err" || status=$?
		[ $status = 1 ] || fail "clock $clock: exit status $status, not 1"
		grep -q "^control 'mine' $3\$" "$dir/err" ||
			fail "clock $clock: what failed is not named"
		grep -q "\"crash\": \"control 'mine' " "$dir/$clock/summary.json" ||
			fail "clock $clock: the summary does not name it"
		grep -q '"sha256": "[0-9a-f]\{64\}"' "$dir/$clock/manifest.json" ||
			fail "clock $clock: the manifest has no digest"
		[ "$(wc -l <"$dir/$clock/events.csv")" -gt 10 ] ||
			fail "clock $clock: the events before it are missing"
	done
}

ends 5 1 'crashed in expire() at [0-9.]* us (SIGSEGV)'
ends 2 3 'crashed in ack() at [0-9.]* us (SIGILL)'
ends 4 6 'gave a rate that is no number in sent() at [0-9.]* us'

"$quench" check "$dir/plugin.yaml" --full >"$dir/out" 2>"$dir/err"
grep -q "^loads code: control mine: $dir/mine.so\$" "$dir/out" ||
	fail "check does not name the code"
grep -q '^    gain: 6.25%  *# default$' "$dir/out" || fail "check does not list its parameters"
status=0
"$quench" run "$dir/plugin.yaml" --set controls.mine.gian=1 >"$dir/out" 2>"$dir/err" || status=$?
[ $status = 2 ] || fail "a mistyped key: exit status $status, not 2"
grep -q "did you mean 'gain'?" "$dir/err" || fail "the mistyped key is not told"
"$quench" sweep "$dir/plugin.yaml" --set controls.mine.how=0 --out "$dir/sweep" \
	--vary controls.mine.rate=1Gbps,5Gbps >"$dir/out" 2>"$dir/err" || fail "a sweep fails"
[ "$(grep -c '^plugin rate=[15]Gbps ' "$dir/out")" = 2 ] || fail "the sweep has not two rows"
