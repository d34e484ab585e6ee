#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench import` as a user sees it: a scenario that checks and runs, exit statuses, messages for
# bad input.
# usage: import_command.sh QUENCH TEST_DATA
set -u
leaf=$(realpath "$2")/sonic/leaf_32x100g.json
. "$(dirname "$0")/says.sh"

judge 0 '' 'leaf.yaml: a scenario with 33 nodes, ' import "$leaf" --out leaf.yaml
has '^# - VLAN' leaf.yaml 'the scenario'
judge 2 '' 'leaf.yaml: is there already' import "$leaf" --out leaf.yaml
judge 0 '' 'not taken: VLAN, LOOPBACK_INTERFACE' import "$leaf" --out leaf.yaml --force --full
judge 0 '' 'lossless   class 3 .DSCP 3., class 4' import "$leaf" --out leaf.yaml --force
[ "$(wc -l <err)" -le 11 ] || complain "the end of an import is $(wc -l <err) lines"
judge 0 'lossless .*2\^-3 free' '' check leaf.yaml
judge 0 'every frame is accounted for' '' run leaf.yaml --set duration=300us \
	--set warmup=0us \
	--set hosts.h32.np.interval=4us --out run
has 'no frame of a lossless class was dropped' out 'the run'
judge 0 '  a: # at Ethernet0' '30 not in --port-map' import "$leaf" \
	--port-map Ethernet0=a,Ethernet4=b
# Ports that differ: each has its own values, and the check lists the sets of them.
judge 0 '' 'mixed.yaml: a scenario with 13 nodes' import "${leaf%/*}/leaf_mixed.json" \
	--out mixed.yaml
has 'groups     of equal ports 1: 6 ports .the switch' err 'the end of an import'
judge 0 '^set 4: s1:h10\.\.12' '' check mixed.yaml
judge 0 '' 'mixed.yaml: a scenario with 4 nodes' import "${leaf%/*}/leaf_mixed.json" --group 2 \
	--out mixed.yaml --force
judge 0 'examples:' '' import --help
judge 2 '' 'name the config_db.json of a switch' import
judge 2 '' "there is no option '--frobnicate'" import "$leaf" --frobnicate
judge 2 '' 'table PORT has no such port' import "$leaf" --port-map Ethernet1=a
judge 2 '' 'nosuch.json: No such file' import nosuch.json
judge 2 '' 'Is a directory' import .
printf '{"PORT": {\n "Ethernet0": {,\n' >torn.json
# refused WHERE-AND-WHAT FILE: one line, which says what is wanted, too.
refused() {
	judge 2 '' "^$1.*; a SONiC switch's config_db.json is wanted\$" import "$2"
	[ "$(wc -l <err)" = 1 ] || complain "$2: one line is wanted"
}
refused 'torn.json:2:1[0-9]: not JSON: ' torn.json
: >none.json
refused 'none.json:1:1: empty' none.json
printf ' \n' >blank.json
refused 'blank.json:2:1: the file ends within a value' blank.json
printf '{"PORT": {"Ethernet0": {"speed": "100' >half.json
refused 'half.json:1:37: the file ends within a value' half.json
printf '{"PORT": {"\377": {}}}' >latin.json
refused 'latin.json:1:11: not text in UTF-8: ' latin.json
head -c 300 "$quench" >binary.json
refused 'binary.json:1:1: not ' binary.json
printf '{"PORT": {}, "PORT": {}}' >twice.json
refused 'twice.json:1:[0-9]*: said twice: ' twice.json
printf '[]' >list.json
refused 'list.json:1:1: holds no object of tables' list.json
printf '{}' >no_port.json
refused 'no_port.json: has no table PORT' no_port.json
(ulimit -f 1 && "$quench" import "$leaf" --out cut.yaml >out 2>err)
[ $? -eq 2 ] || complain "a file that is cut off is exit status 2"
has 'cut.yaml: File too large' err 'to a small file'
[ ! -e cut.yaml ] || complain "a file that is cut off stays"
"$quench" import "$leaf" >/dev/full 2>err
[ $? -eq 2 ] || { echo "a full disk is exit status 2"; fail=1; }
has 'standard output: incomplete: No space left' err 'to a full disk'
exit $fail
