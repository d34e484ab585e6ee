#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# As root quench loads no plug-in and no firmware that another user could have written, nor any that
# a scenario names which another user could have written: one line says whose it is, and --trust
# lifts it. Whoever is not root is asked nothing. Without root only that is tested.
# usage: trust_command.sh QUENCH PLUGIN FIRMWARE
set -u
quench=$(realpath "$1")
plugin=$(realpath "$2")
firmware=$(realpath "$3")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
chmod 755 .
umask 022
fail=0
hint='; as root quench loads no code that another user could have written \(--trust\)$'

complain() {
	echo "trust_command: $1"
	cat err
	fail=1
}

# takes STATUS PATTERN COMMAND...: the exit status, and the one line on stderr; none where PATTERN
# is empty
takes() {
	local status=$1 pattern=$2
	shift 2
	rm -rf runs
	"$@" >out 2>err
	local code=$?
	[ $code -eq "$status" ] || complain "$*: exit status $code, $status is right"
	[ "$(wc -l <err)" -eq $((${#pattern} > 0)) ] || complain "$*: one line at most"
	[ -z "$pattern" ] || grep -qE -- "$pattern" err || complain "$*: no line '$pattern'"
}

short=(--duration 100us --set warmup=0us --quiet --out runs)
mkdir code scenarios
cp "$plugin" code/mine.so
cp "$firmware" code/firmware.so
body='duration: 1ms
switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, wred: {min: 5KB, max: 50KB}}}}}
links: [{between: [[h1, r], s1], rate: 25Gbps, delay: 1us}]'
cat >scenarios/plugin.yaml <<END
$body
controls: {mine: {plugin: ../code/mine.so}}
hosts: {h1: {}, r: {}}
flows: {f: {from: h1, to: r, control: mine}}
END
cat >scenarios/firmware.yaml <<END
$body
controls: {ip: {profile: rdma_ip, scheme: 2}}
hosts: {h1: {firmware: {file: ../code/firmware.so}}, r: {}}
flows: {f: {from: h1, to: r, control: ip}}
END
run() { # STATUS PATTERN SCENARIO OPTION...
	takes "$1" "$2" "$quench" run "scenarios/$3.yaml" "${short[@]}" "${@:4}"
}

# Files of one's own are loaded.
for each in plugin firmware; do
	run 0 '' $each
done
if [ "$(id -u)" != 0 ]; then
	echo "SKIPPED: not root: what root refuses is NOT tested"
	exit $fail
fi

other=65534
name=$(id -nu $other)
# each PATTERN COMMAND...: what COMMAND makes of the files is refused, and with --trust is not
each() {
	local pattern=$1
	shift
	for scenario in plugin firmware; do
		rm -rf code scenarios
		cp -a was/code was/scenarios .
		"$@"
		run 2 "$pattern$hint" $scenario
		run 0 '' $scenario --trust
	done
}
mkdir was
cp -a code scenarios was
each "user $name owns $dir/code/[a-z]*.so" chown $other code/mine.so code/firmware.so
each "user $name owns $dir/code" chown $other code
each "all users may write to $dir/code/[a-z]*.so" chmod o+w code/mine.so code/firmware.so
each "all users may write to $dir/code" chmod 777 code
open_to_a_group() {
	chgrp 65533 code
	chmod g+w code
}
each "others may write to $dir/code" open_to_a_group
each "scenarios/[a-z]*.yaml:[0-9:]* user $name owns $dir/scenarios/[a-z]*.yaml" \
	chown $other scenarios/plugin.yaml scenarios/firmware.yaml
each "scenarios/[a-z]*.yaml:[0-9:]* all users may write to $dir/scenarios" chmod 777 scenarios

# A symbolic link is followed to the file that it names, for objects and scenarios.
point_elsewhere() {
	mkdir -p else
	for so in mine firmware; do
		cp was/code/$so.so else
		chown $other else/$so.so
		ln -sf ../else/$so.so code/$so.so
	done
}
each "user $name owns $dir/else/[a-z]*.so" point_elsewhere
rm -rf code scenarios
cp -a was/code was/scenarios .
chown $other scenarios/plugin.yaml
ln -s scenarios/plugin.yaml link.yaml
takes 2 "user $name owns $dir/scenarios/plugin.yaml$hint" "$quench" run link.yaml "${short[@]}"

# Every command that loads code has the rule, and takes --trust.
for command in "check scenarios/plugin.yaml" \
	"rp scenarios/plugin.yaml:mine trace.csv --rate 25Gbps" \
	"sweep scenarios/plugin.yaml --vary seed=1,2 --set warmup=0us --duration 100us --out runs" \
	"ports scenarios/plugin.yaml"; do
	# shellcheck disable=SC2086 # words of a command
	"$quench" $command >out 2>err && complain "$command: not refused"
	grep -qE "user $name owns $dir/scenarios/plugin.yaml$hint" err out ||
		complain "$command: the line is missing"
	# shellcheck disable=SC2086
	"$quench" $command --trust >out 2>err
	grep -q 'as root' err out && complain "$command --trust: refused"
done

# A path on the command line, and a scenario on standard input, are the user's own words.
takes 0 '' "$quench" run scenarios/plugin.yaml "${short[@]}" \
	--set "controls.mine.plugin=$dir/code/mine.so"
takes 0 '' sh -c 'cd scenarios && "$@" <plugin.yaml' sh "$quench" run - "${short[@]}"

# A sticky folder in which all may write, as /tmp, keeps others from its files.
chown 0 scenarios/plugin.yaml
chmod 1777 code scenarios
run 0 '' plugin

# Root by sudo: what belongs to the user who called it is loaded, and not that of a third.
chmod 755 code scenarios
chown -R $other code scenarios
SUDO_UID=$other run 0 '' plugin
SUDO_UID=65533 run 2 "$hint" plugin

# Others than root are asked nothing.
chmod 777 .
chown -R 0 code scenarios
chown 65533 scenarios/plugin.yaml code/mine.so
takes 0 '' setpriv --reuid $other --regid $other --clear-groups "$quench" run \
	scenarios/plugin.yaml "${short[@]}"
exit $fail
