#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The units of systemd: quench takes their command, systemd finds no fault in them, and a run's
# rights stay as small as they are. Without systemd-analyze it says so and is skipped (77) after the
# first check.
# usage: unit_command.sh QUENCH CONFIG UNIT...
# shellcheck disable=SC2015,SC2016 # a name stays as it is; C of `A && B || C` is meant for both
set -eu
quench=$(readlink -f "$1") config=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "unit_command: $*"
	exit 1
}

cp "$config/first-light.yaml" "$dir/leaf1.yaml"
for unit; do
	# The command as systemd makes it of an instance: the very words, but for folders and the
	# clock.
	command=$(sed -n 's/^ExecStart=//p' "$unit")
	[ "$(echo "$command" | wc -l)" = 1 ] || fail "$unit: not one ExecStart"
	case $command in
	*'/bin/quench run /etc/quench/%i.yaml --clock real --instance %i $QUENCH_OPTIONS') ;;
	*) fail "$unit: ExecStart is '$command'" ;;
	esac
	words=$(echo "${command#*/quench }" |
		sed "s|/etc/quench|$dir|; s|%i|leaf1|g; s|real|virtual|; s|\$QUENCH_OPTIONS||")
	rm -rf "$dir/state"
	mkdir "$dir/state"
	# shellcheck disable=SC2086 # a list of words
	(cd "$dir/state" && "$quench" $words --duration 1ms --set warmup=0us --quiet 2>../log) ||
		{ cat "$dir/log"; fail "$unit: its command"; }
	[ -s "$dir/state/runs/latest/summary.json" ] ||
		fail "$unit: its results are not in runs/latest"
done

if ! command -v systemd-analyze >/dev/null; then
	echo "SKIPPED: no systemd-analyze (Debian: systemd): what systemd says of the units" \
		"is NOT tested"
	exit 77
fi

# verify UNIT: what systemd says. The program stands where an installation brings it, which need not
# be done yet. A path of a unit has no space.
ln -s "$quench" "$dir/quench"
verify()
{
	systemd-analyze verify --man=no "$1" 2>&1 || echo "exit status $?"
}
for unit; do
	name=${unit##*/}
	sed "s|^ExecStart=[^ ]*|ExecStart=$dir/quench|" "$unit" >"$dir/$name"
	said=$(verify "$dir/$name")
	[ -z "$said" ] || fail "systemd finds a fault in $name: $said"
	# It would see one.
	sed 's/^Restart=no/Restart=seldom/' "$dir/$name" >"$dir/bad-$name"
	verify "$dir/bad-$name" | grep -q seldom || fail "systemd sees no fault where there is one"
	# In tenths, as systemd rates the rights of a service: 96 is all, 20 little.
	said=$(systemd-analyze security --offline=true --threshold=30 "$dir/$name" 2>&1) ||
		fail "$name may do more than it needs: $(echo "$said" | tail -n 1)"
done
