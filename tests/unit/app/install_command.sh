#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The files of `meson install`, in a folder of its own: scenarios, captures, pages, the headers of
# what users bring along and examples of it.
# usage: install_command.sh MESON BUILD PREFIX CC
set -eu
meson=$1
build=$2
cc=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset QUENCH_DATA

fail()
{
	echo "install_command: $*"
	cat "$dir/log"
	exit 1
}

"$meson" install -C "$build" --no-rebuild --destdir "$dir/dest" >"$dir/log" 2>&1 ||
	fail "meson install"
top=$dir/dest$3
quench=$top/bin/quench
"$(dirname "$0")/scenario_command.sh" "$quench" >"$dir/log" 2>&1 ||
	fail "scenarios of the installation"

# Moved as a whole, it still has them.
mv "$top" "$dir/moved"
top=$dir/moved
quench=$top/bin/quench
cd "$dir"
"$quench" run --list >list 2>log || fail "run --list"
grep -q '^compare/3-dcqcn-paper ' list || fail "the list is short"
"$quench" run first-light --duration 2ms --set warmup=0us --quiet 2>log || fail "run first-light"
"$quench" replay "$top/share/quench/tests/data/rc_write_only_ipv4.pcap" --out replayed >out 2>log ||
	fail "replay"
"$quench" decode "$top/share/quench/tests/data/linux_softroce_rocev2.pcap" --summary >out 2>log ||
	fail "decode"
"$quench" run rdma-ip --duration 2ms --set warmup=0us --quiet 2>log ||
	fail "run rdma-ip: its firmware"
for name in rate window; do
	"$quench" run plugin/$name --duration 2ms --set warmup=0us --quiet 2>log ||
		fail "run plugin/$name: its plug-in"
done
# config: a link
for file in LICENSE README.md docs/design.md docs/algo/dcqcn.md config/first-light.yaml; do
	[ -s "$top/share/doc/quench/$file" ] || fail "$file is missing"
done
for page in man1/quench.1 man1/quench-run.1 man5/quench-scenario.5; do
	[ -s "$top/share/man/$page" ] || fail "the manual page $page is missing"
done
for file in systemd/system/quench@.service systemd/system/quench-nic@.service \
	sysusers.d/quench.conf udev/rules.d/60-quench.rules; do
	[ -s "$top/lib/$file" ] || fail "$file is missing"
done
[ -s "$top/share/quench/wireshark/quench.lua" ] || fail "the plug-in for Wireshark is missing"
"$top/sbin/quench-lab-tune" --help >out 2>log || fail "quench-lab-tune"
bash -n "$top/share/bash-completion/completions/quench" 2>log ||
	fail "the completion for bash is no script"
[ -z "$(find "$top" -name meson.build)" ] || fail "a file of the build is installed"

# The examples are built against the headers, and run.
for name in aimd rate window; do
	$cc -Wall -Wextra -Werror -O2 -shared -fPIC -I "$top/include" \
		"$top/share/doc/quench/examples/$name.c" -o $name.so 2>log ||
		fail "the example $name does not compile"
done
mv "$top/share/quench/build" .
"$quench" run rdma-ip --duration 2ms --set warmup=0us \
	--set "hosts.b1..4.firmware.file=$dir/aimd.so" \
	--set "hosts.c1..4.firmware.file=$dir/aimd.so" --quiet --out firmware 2>log ||
	fail "the example does not run"
for name in rate window; do
	"$quench" run plugin/$name --duration 2ms --set warmup=0us \
		--set "controls.mine.plugin=$dir/$name.so" --quiet --out $name 2>log ||
		fail "the example $name does not run"
done

# C++ sees the names as the program looks for them.
if command -v c++ >/dev/null; then
	cat >names.cc <<-'END'
		#include <quench/fw.h>
		static void on_cnp(struct quench_rp *rp, uint64_t) { rp->rate /= 2; }
		const struct quench_plugin quench_plugin = {QUENCH_PLUGIN, .name = "cc",
			.cnp = on_cnp};
		void *fw_init(const struct fw_host *, uint64_t) { return nullptr; }
		void fw_event(void *, uint32_t, uint64_t) {}
		uint64_t fw_deadline(void *) { return FW_NEVER; }
		void fw_expire(void *, uint64_t) {}
		void fw_fini(void *) {}
	END
	c++ -std=c++20 -Wall -Werror -shared -fPIC -I "$top/include" names.cc -o names.so \
		2>log || fail "the headers are no C++"
	for name in quench_plugin fw_init fw_event fw_deadline fw_expire fw_fini; do
		nm -D names.so | grep -q " $name\$" || fail "C++ gives $name another name"
	done
fi
