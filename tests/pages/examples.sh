#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every example of --help and of the README that needs neither root nor another machine runs as
# written.
# usage: examples.sh QUENCH SOURCE_ROOT
set -u
quench=$(realpath "$1")
root=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ran=0 fail=0

# The lines after "examples:" up to an empty one, continued lines joined.
examples() {
	sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' |
		awk '/^examples:/ {on = 1; next} /^$/ {on = 0} on && /^ +quench / {
		sub(/^ +/, ""); print}'
}

# The real clock, other people's files, and what wants a terminal or another program.
elsewhere='--clock (real|both)|--device|^quench (reg|iqcn|merge|stats|capture|top|do|set)( |$)'
elsewhere="$elsewhere|/etc/|config_db|topology.txt|trace.goal"
elsewhere="$elsewhere|0000:3b|eth1|(three|mine|lab|bench).yaml|capture.pcapng|[|>&]"

list=$dir/list
"$quench" --help | examples >"$list"
for command in $("$quench" --help | awk '/^examples:/ {exit} /^  [a-z]+ / {print $1}'); do
	"$quench" "$command" --help | examples >>"$list"
done
sed -n 's|^    build/\(quench [^#]*[^# ]\) *\(#.*\)\{0,1\}$|\1|p' "$root/README.md" >>"$list"

# Commands that read the folder of a run find one, by the names in the examples.
reads='^quench (report|compare|trace|rerun)( |$)'
(cd "$dir" && "$quench" run first-light --duration 5ms --quiet >out 2>&1) ||
	{ echo "examples: first-light does not run"; cat "$dir/out"; exit 1; }
cp -r "$dir/runs/first-light-virtual-1" "$dir/runs/first-light-real-1"
(cd "$dir" && "$quench" sweep first-light --duration 5ms --vary flows.incast.control=none,dcqcn \
	--files --hdr --quiet >out 2>&1) || { echo "examples: no sweep"; cat "$dir/out"; exit 1; }
ln -sfn first-light-virtual-1 "$dir/runs/latest"

while read -r line; do
	[[ $line =~ $elsewhere ]] && continue
	here=$dir/$ran
	mkdir "$here"
	ln -s "$root/config" "$root/examples" "$root/tests" "$here"
	[[ $line =~ $reads ]] && cp -r "$dir/runs" "$here"
	if ! (cd "$here" && eval "'$quench' ${line#quench }" >"$dir/out" 2>&1 </dev/null); then
		echo "examples: fails as written: $line"
		tail -n 5 "$dir/out"
		fail=1
	fi
	ran=$((ran + 1))
	rm -rf "$here"
done < <(sort -u "$list")
echo "$ran examples"
[ $ran -ge 15 ] || { echo "examples: too few were found"; fail=1; }
exit $fail
