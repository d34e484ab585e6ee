#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# names.py tells each name of a planted page, scenario and help text that does not exist, and no
# other name.
# usage: names_sees.sh QUENCH SOURCE_ROOT
set -eu
here=$(realpath "$(dirname "$0")")
quench=$(realpath "$1") root=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir docs config scripts
ln -s "$root/lib" "$root/app" .

cat >docs/planted.md <<'PAGE'
Right: `quench run FILE --clock real -- --lcores 0,1`, `check --full`, `quench figures`, `--hdr`.

Wrong: `quench run FILE --option-a`, `check --option-b`, `--option-c`, and --option-d.

Right: `scripts/tune --iface eth1` and its `--iface`, `tcpdump --any-option`.

Wrong: `scripts/tune --option-e`, `MY_OPTIONS=--option-i --quiet`.

    switch$ quench run FILE --workers 2 \
        --option-f | grep --only-matching XOFF

Wrong: `quench none_such`, `quench resume`, `quench figures none_such`.

Right: `--set 'switches.s1.classes.3.wred={min: 1KB, max: 2KB}'`, `wred.max`, `classes.N.wred`,
`{from: h1, to: h2}`, `lossless: true`, `wait_link`, `controls: {x: {plugin: x.so, key_x: 1}}`,
`--vary hosts.h1..4.np.key=qp`, `--record flows=summary`, `defaults.flows.control`.

Wrong: `--set switches.s1.key_a=1`, `--set 'switches.s1.pools={ingress: 1MB, key_b: 1}'`,
`wred.key_c`, `{from: h1, key_d: h2}`, `key_e: true`, `key_f`, `--record key_g=1`,
`--vary key_h=1,2`.

```yaml
switches:
  s1: {classes: {3: {lossless: true,
                     key_i: 1}}}
flows:
  incast:
    from: h1
    key_j: r
events:
  - {at: 1ms, link_down: "s1:r", key_k: 1}
```

Right: `queue.s1:r.3.p99_bytes`, `total.drops`, `quench sweep FILE --column main.jain`,
`quench stats 'pfc.s1:r.3.*'`, `--plot queue.s1:r.3.p99_bytes,jain`.

Wrong: `queue.s1:r.3.figure_a`, `total.figure_b`, `quench sweep FILE --column main.figure_c`,
`quench stats pfc.s1:r.3.figure_d`, `--plot figure_e,jain`.

The list has `key_n` and `key_o`.
PAGE
cat >names.txt <<'LIST'
docs/planted.md key_n	# for a reason
docs/planted.md key_o
docs/planted.md key_p	# which no page has
LIST
cat >config/planted.yaml <<'SCENARIO'
# Right: --set flows.f.control=none. Wrong: --set flows.f.key_l=none, which
# `quench check
# --option-g` would show.
switches: {s1: } # key_m would stand here
SCENARIO
echo 'tune --iface NAME' >scripts/tune
touch README.md CONTRIBUTING.md
cat >quench <<PROGRAM
#!/bin/sh
'$quench' "\$@" | case \$* in
merge\ --help) sed 's/^examples:/\`quench check --full\`, \`--nodes\`, \`--option-h\`\n\n&/' ;;
*) cat ;;
esac
PROGRAM
chmod +x quench

cp "$here/names.py" .

sort >expected <<'FAULTS'
config/planted.yaml:1 names the key `flows.f.key_l`
config/planted.yaml:2 names the option --option-g of `quench check`
docs/planted.md:3 names the option --option-a of `quench run`
docs/planted.md:3 names the option --option-b of `quench check`
docs/planted.md:3 names the option --option-c
docs/planted.md:3 names the option --option-d
docs/planted.md:7 names the option --option-e of scripts/tune
docs/planted.md:7 names the option --option-i
docs/planted.md:9 names the option --option-f of `quench run`
docs/planted.md:12 names the command `quench none_such`
docs/planted.md:12 names the command `quench resume`
docs/planted.md:12 names the kind of figures `none_such`
docs/planted.md:18 names the key `switches.s1.key_a`
docs/planted.md:18 names the key `switches.s1.pools.key_b`
docs/planted.md:19 names `wred.key_c`
docs/planted.md:19 names the key `key_d`
docs/planted.md:19 names the key `key_e`
docs/planted.md:19 names `key_f`
docs/planted.md:19 names the key `record.key_g`
docs/planted.md:20 names the key `key_h`
docs/planted.md:23 names the key `switches.s1.classes.3.key_i`
docs/planted.md:23 names the key `flows.incast.key_j`
docs/planted.md:23 names the key `events.*.key_k`
docs/planted.md:37 names `queue.s1:r.3.figure_a`
docs/planted.md:37 names `total.figure_b`
docs/planted.md:37 names the figure `main.figure_c`
docs/planted.md:38 names the figure `pfc.s1:r.3.figure_d`
docs/planted.md:38 names the figure `figure_e`
names.txt: 'docs/planted.md key_p' is not needed
names.txt: docs/planted.md key_o has no reason
quench help merge names the option --nodes
quench help merge names the option --option-h
FAULTS
if ./names.py ./quench . >said; then
	echo "names_sees: names.py finds nothing"
	exit 1
fi
sed -e 's/^names: //' -e 's/, which does not exist$//' -e 's/^\(quench help merge\):[0-9]*/\1/' \
	said | sort >told
diff expected told || { echo "names_sees: names.py tells other faults (>) than were planted (<)"
	exit 1; }
