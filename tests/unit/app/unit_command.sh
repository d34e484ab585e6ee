#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The systemd unit quench@.service: its command is one that quench takes, and systemd finds no fault
# in it. Where there is no systemd-analyze, it says so and is skipped (77) after the first.
# usage: unit_command.sh UNIT QUENCH CONFIG
# shellcheck disable=SC2015,SC2016 # a name stays as it is; C of `A && B || C` is meant for both
set -eu
unit=$(readlink -f "$1") quench=$(readlink -f "$2") config=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "unit_command: $*"
	exit 1
}

# The command as systemd makes it of an instance: the very words, but for folders and the clock.
command=$(sed -n 's/^ExecStart=//p' "$unit")
[ "$(echo "$command" | wc -l)" = 1 ] || fail "not one ExecStart"
case $command in
*'/bin/quench run /etc/quench/%i.yaml --clock real --instance %i $QUENCH_OPTIONS') ;;
*) fail "ExecStart is '$command'" ;;
esac
cp "$config/first-light.yaml" "$dir/leaf1.yaml"
words=$(echo "${command#*/quench }" |
	sed "s|/etc/quench|$dir|; s|%i|leaf1|g; s|real|virtual|; s|\$QUENCH_OPTIONS||")
cd "$dir"
# shellcheck disable=SC2086 # a list of words
"$quench" $words --duration 1ms --set warmup=0us --quiet 2>log || { cat log; fail "its command"; }
[ -s runs/latest/summary.json ] || fail "its results are not in runs/latest"
cd /

if ! command -v systemd-analyze >/dev/null; then
	echo "SKIPPED: no systemd-analyze (Debian: systemd): what systemd says of quench@.service" \
		"is NOT tested"
	exit 77
fi
# The program stands where an installation brings it, which need not be done yet. A path of a unit
# has no space.
ln -s "$quench" "$dir/quench"
sed "s|^ExecStart=[^ ]*|ExecStart=$dir/quench|" "$unit" >"$dir/quench@.service"
code=0
systemd-analyze verify --man=no "$dir/quench@.service" >"$dir/said" 2>&1 || code=$?
[ $code = 0 ] && [ ! -s "$dir/said" ] || { cat "$dir/said"; fail "systemd finds a fault"; }
# It would see one.
sed 's/^Restart=no/Restart=seldom/' "$dir/quench@.service" >"$dir/bad@.service"
systemd-analyze verify --man=no "$dir/bad@.service" 2>&1 | grep -q seldom ||
	fail "systemd sees no fault where there is one"
