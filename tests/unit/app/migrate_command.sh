#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `quench check --migrate` rewrites older names in a scenario file, and not one byte more; what
# cannot be rewritten is left alone, with one line.
# usage: migrate_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
	echo "migrate_command: $*"
	exit 1
}

# migrates STATUS FILE: its exit status; what it says is in `said`.
migrates() {
	status=0
	"$quench" check --migrate "$2" >said 2>&1 || status=$?
	[ "$status" -eq "$1" ] || fail "$2: status $status, not $1: $(cat said)"
}

# Comments, blanks, an odd layout, quotes, braces, two on a line, line ends of another house.
cat >plain.yaml <<'END'
# A scenario with cnps, cnms and rx_cnp in a comment, and a word of ours: Jäger €.
duration: 200us   # short
framing: hpcc
controls: {c: {profile: 'hpcc'}, cnps: {profile: "hpcc"}}
hosts: {h1: , h2: }
links: [{between: [h1, h2]}]


flows: {f: {from: h1, to: h2, mtu: 1000, ack_every: 1, control: c}}
END
sed 's/$/\r/' plain.yaml >crlf.yaml
printf '\357\273\277' | cat - plain.yaml >mark.yaml
printf '%s' "$(cat plain.yaml)" >open.yaml
sed -e 's/^framing: hpcc/framing: hpcc_sim/' -e "s/'hpcc'/'hpcc_sim_dcqcn'/" \
	-e 's/"hpcc"/"hpcc_sim_dcqcn"/' plain.yaml >want-plain
sed 's/$/\r/' want-plain >want-crlf
printf '\357\273\277' | cat - want-plain >want-mark
printf '%s' "$(cat want-plain)" >want-open
cp plain.yaml old.yaml
chmod 640 plain.yaml
for one in plain crlf mark open; do
	migrates 0 $one.yaml
	cmp $one.yaml want-$one
	if grep nothing said; then fail "$one.yaml: it says so too early"; fi
	mv said said-$one
	migrates 0 $one.yaml
	cmp $one.yaml want-$one
	echo "$one.yaml: nothing to migrate" | diff - said
done
diff - said-plain <<'END'
plain.yaml:3: hpcc is hpcc_sim now
plain.yaml:4: hpcc is hpcc_sim_dcqcn now
plain.yaml:4: hpcc is hpcc_sim_dcqcn now
END
[ "$(stat -c %a plain.yaml)" = 640 ] || fail 'the mode changed'

# A link leads to the file, and stays.
cp old.yaml there.yaml
ln -s there.yaml link.yaml
migrates 0 link.yaml
cmp there.yaml want-plain
[ -L link.yaml ] || fail 'the link is gone'

# What is left alone: one line says why, and nothing is left beside it.
refused() {
	want=$1
	shift
	status=0
	"$quench" check "$@" >out 2>said </dev/null || status=$?
	[ "$status" -eq 2 ] || fail "$*: status $status"
	[ ! -s out ] || fail "$*: $(cat out)"
	grep -q -- "$want" said || fail "$*: $(cat said)"
	[ "$(wc -l <said)" -eq 1 ] || fail "$*: $(cat said)"
}
cp old.yaml shut.yaml
chmod a-w shut.yaml
refused '/shut.yaml: cannot be rewritten: it may not be written' --migrate shut.yaml
cmp old.yaml shut.yaml
sed 's/^hosts: .*/hosts: {h1: , h2: /' old.yaml >broken.yaml
cp broken.yaml keep
refused '^broken.yaml:[0-9]*:[0-9]*: not YAML' --migrate broken.yaml
cmp broken.yaml keep
sed 's/duration: 200us/duration: 200/' old.yaml >wrong.yaml
cp wrong.yaml keep
refused '^wrong.yaml:2:11: ' --migrate wrong.yaml
cmp wrong.yaml keep
sed 's/framing: hpcc/framing: "hp\\x63c"/' old.yaml >escape.yaml
cp escape.yaml keep
refused "^escape.yaml:3:10: 'hpcc' does not stand here letter by letter" --migrate escape.yaml
cmp escape.yaml keep
refused 'rewrites a file, not standard input' --migrate -
refused 'first-light comes with quench' --migrate first-light
refused 'goes without --set' --migrate old.yaml --set seed=2
refused '^nowhere.yaml: No such file' --migrate nowhere.yaml
if cmp -s old.yaml plain.yaml; then fail 'the test is empty'; fi
[ -z "$(find . -name '*.yaml.*')" ] || fail "$(find . -name '*.yaml.*')"
