#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Manual pages against the program: each command has one, with every option of its help; troff has
# nothing to warn of.
# usage: pages_command.sh QUENCH PAGES
set -u
quench=$(realpath "$1")
pages=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "pages_command: $1"
	fail=1
}

# The text of a page as it stands in its source.
plain() {
	sed -e 's/\\-/-/g' -e 's/\\f[BPR]//g' -e 's/\\(aq/'"'"'/g' "$1"
}

# judge PAGE: the formatter that is there, if any, finds nothing wrong
judge() {
	if command -v mandoc >/dev/null; then
		mandoc -T lint -W error "$1" >said 2>&1
	elif command -v groff >/dev/null; then
		groff -man -ww -z -Tutf8 "$1" >said 2>&1
	elif command -v man >/dev/null; then
		man -l --warnings "$1" 2>said >/dev/null
	else
		: >said
	fi
	[ ! -s said ] || { complain "${1##*/}: $(head -n 3 said)"; }
}

"$quench" --help >help
commands=$(awk '/^options:/ {exit} /^  [a-z]+ / {print $1}' help)
for command in $commands; do
	page=$pages/quench-$command.1
	[ -s "$page" ] || { complain "quench-$command.1 is missing"; continue; }
	plain "$page" >text
	"$quench" "$command" --help >help
	options=$(sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}--\([a-z-]*\).*/\2/p' help)
	[ -n "$options" ] || complain "$command --help has no options"
	for option in $options; do
		grep -qE -- "^(-[a-zA-Z], )?--$option( |\$)" text ||
			complain "quench-$command.1 lacks --$option"
	done
	grep -qxF '.SH EXAMPLES' text || complain "quench-$command.1 has no examples"
	plain "$pages/quench.1" | grep -qx "$command" || complain "quench.1 does not name $command"
done
for page in "$pages"/quench*.[15]; do
	judge "$page"
done

# Every option of the scenario: as many as its reference has, and nested options by their paths.
plain "$pages/quench-scenario.5" >text
for option in duration switches.NAME.classes.N.wred.max hosts.NAME.np.interval links.N.rate \
	flows.NAME.open_loop.size events.N.pfc_storm.quanta controls.NAME.rpg_time_reset \
	controls.NAME.registers ports.NAME.classes.N.pfc.xoff expect.N.max topology.star.hosts; do
	grep -qxF "$option" text || complain "quench-scenario.5 lacks $option"
done
"$quench" check --reference | sed -n 's/^ *\(- \)\{0,1\}\([a-z_]*\):.*/\2/p' | sort -u >keys
[ "$(wc -l <keys)" -gt 100 ] || complain "the reference has too few keys"
while read -r key; do
	case $key in
	# Names that the reference gives to things.
	dcqcn | dctcp | incast | ip | mlx | timely) continue ;;
	esac
	grep -qE "^([A-Za-z_.]*\.)?$key\$" text || complain "quench-scenario.5 lacks $key"
done <keys
exit $fail
