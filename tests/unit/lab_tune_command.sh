#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/lab-tune on a machine made of files: what it would do, what it does, and that undo leaves
# the machine as it was; values that something else changes, refusals, and bad input.
# usage: lab_tune_command.sh SOURCE_ROOT
# shellcheck disable=SC2015,SC2013 # in `A && B || C` C is meant for both; options are words
set -euo pipefail
tune=$1/scripts/lab-tune
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
top=$dir/machine
state=$dir/state
cpu=sys/devices/system/cpu

fail()
{
	echo "lab_tune_command: $*"
	[ ! -f "$dir/out" ] || cat "$dir/out"
	[ ! -f "$dir/err" ] || cat "$dir/err"
	exit 1
}

# usage: holds PATH TEXT    makes a file of the machine
holds()
{
	mkdir -p "$top/${1%/*}"
	echo "$2" >"$top/$1"
}

# Eight processors, of which 2 to 7 have cpufreq; two nodes; three interrupts; an interface.
machine()
{
	local n
	rm -rf "$top" "$state" "$state.lock"
	holds $cpu/online 0-7
	holds $cpu/isolated ''
	for n in 2 3 4 5 6 7; do
		holds $cpu/cpu$n/cpufreq/scaling_governor schedutil
		holds $cpu/cpu$n/cpufreq/scaling_available_governors 'performance schedutil'
	done
	for n in 0 1; do
		holds sys/devices/system/node/node$n/hugepages/hugepages-2048kB/nr_hugepages $n
		holds sys/devices/system/node/node$n/hugepages/hugepages-2048kB/free_hugepages $n
		holds sys/devices/system/node/node$n/hugepages/hugepages-1048576kB/nr_hugepages 0
	done
	mkdir -p "$top/sys/kernel/mm/hugepages/hugepages-2048kB" \
		"$top/sys/kernel/mm/hugepages/hugepages-1048576kB"
	holds proc/irq/default_smp_affinity ff
	holds proc/irq/24/smp_affinity_list 0-7
	holds proc/irq/25/smp_affinity_list 4
	holds proc/irq/26/smp_affinity_list 0
	holds proc/700/comm irqbalance
	holds sys/class/net/eth1/mtu 1500
	holds offload/rx on
	holds offload/gro on
	holds offload/gso on
	holds offload/lro off
	holds offload/rxvlan off
	holds offload/txvlan on
	holds offload/tx-tcp-segmentation on
	holds offload/tx-checksum-ip-generic on
	holds pause/rx on
	holds pause/tx off
	mkdir -p "$top/usr/sbin"
	cat >"$top/usr/sbin/ethtool" <<-'END'
		#!/bin/sh
		# An ethtool with one interface, whose settings are files; txvlan is fixed.
		cd "$(dirname "$0")/../.."
		case $1 in
		--version) ;;
		-k)
			echo "Features for $2:"
			echo "rx-checksumming: $(cat offload/rx)"
			echo "tx-checksumming: on"
			echo "	tx-checksum-ip-generic: $(cat offload/tx-checksum-ip-generic)"
			echo "	tx-checksum-sctp: off [fixed]"
			echo "tcp-segmentation-offload: on"
			echo "	tx-tcp-segmentation: $(cat offload/tx-tcp-segmentation)"
			echo "generic-segmentation-offload: $(cat offload/gso)"
			echo "generic-receive-offload: $(cat offload/gro)"
			echo "large-receive-offload: $(cat offload/lro)"
			echo "rx-vlan-offload: $(cat offload/rxvlan)"
			echo "tx-vlan-offload: $(cat offload/txvlan) [fixed]"
			;;
		-K) echo "$4" >"offload/$3" ;;
		-a)
			[ -d pause ] || exit 1
			echo "Pause parameters for $2:"
			echo "Autonegotiate:	off"
			echo "RX:		$(cat pause/rx)"
			echo "TX:		$(cat pause/tx)"
			;;
		-A)
			[ -e lie ] || echo "$4" >pause/rx
			[ -e lie ] || echo "$6" >pause/tx
			;;
		esac
	END
	chmod +x "$top/usr/sbin/ethtool"
}

# The files of the machine with their contents, a line each.
content()
{
	(cd "$top" && find . -type f ! -path './usr/*' -exec grep -H '' {} + | sort)
}

# usage: tune STATUS ARGUMENT...
tune()
{
	local want=$1 code=0
	shift
	"$tune" "$@" --root "$top" --state "$state" >"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" = "$want" ] || fail "$*: exit status $code, $want is right"
}

# usage: is PATH TEXT
is()
{
	[ "$(cat "$top/$1")" = "$2" ] || fail "$1 is '$(cat "$top/$1")', '$2' is right"
}

# usage: says LINE    as a whole, on stdout or stderr
says()
{
	grep -qxF -- "$1" "$dir/out" "$dir/err" || fail "'$1' is not said"
}

pages=sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
all=(--hugepages 512x2M --hugepages 1x1G@1 --cpus 1-5 --iface eth1 --mtu 9000
	--no-offloads --no-pause)

# A dry run names the commands, and leaves everything.
machine
content >"$dir/as_it_was"
tune 0 apply --dry-run "${all[@]}"
says "echo 512 >/$pages  # now 1"
says "echo performance >/$cpu/cpu3/cpufreq/scaling_governor  # now schedutil"
says 'echo c1 >/proc/irq/default_smp_affinity  # now ff'
says 'echo 0,6-7 >/proc/irq/24/smp_affinity_list  # now 0-7'
says 'ethtool -K eth1 tx-checksum-ip-generic off  # now on'
says 'ethtool -A eth1 rx off tx off  # now rx on tx off'
says '17 to change, 4 are as asked for already; nothing was changed'
content | cmp -s - "$dir/as_it_was" || fail "a dry run changes something"
[ ! -e "$state" ] && [ ! -e "$state.lock" ] || fail "a dry run notes something"

# It does what it has said, and says what it cannot do.
tune 0 apply "${all[@]}"
says "/$pages: 1 -> 512"
says '17 changed, 4 were as asked for already, 0 refused'
says 'skipped: processor 1 has no cpufreq, so there is no governor to set'\
' (in a virtual machine the host decides)'
says 'skipped: offload txvlan of eth1 is on, and its driver cannot switch it'
says 'note: irqbalance runs and may move interrupts back: stop it, or give it'\
' IRQBALANCE_BANNED_CPULIST=1-5'
is "$pages" 512
is "${pages/node1/node0}" 512
is "${pages/2048/1048576}" 1
is $cpu/cpu5/cpufreq/scaling_governor performance
is $cpu/cpu6/cpufreq/scaling_governor schedutil
is proc/irq/24/smp_affinity_list 0,6-7
is proc/irq/25/smp_affinity_list 0,6-7
is proc/irq/26/smp_affinity_list 0
is sys/class/net/eth1/mtu 9000
is offload/tx-tcp-segmentation off
is offload/txvlan on
is pause/rx off

# Again: nothing changes. Another number: undo still knows the first one.
tune 0 apply "${all[@]}"
says '0 changed, 21 were as asked for already, 0 refused'
tune 0 apply --hugepages 768x2M@1
tune 0 status
says 'hugepages   node 1, 2048kB: 768, of them 1 free'
says 'governor    performance: 2-5'
says "            1 before, 768 set, 768 now"
tune 0 undo --dry-run
says '17 to put back; nothing was changed'
tune 0 undo
content | cmp -s - "$dir/as_it_was" || fail "undo does not put everything back"
[ ! -e "$state" ] || fail "undo leaves its notes"
tune 0 undo
says 'nothing to undo'

# A setting that somebody else has changed is left, unless it is forced.
tune 0 apply --hugepages 512x2M@1 --iface eth1 --mtu 9000
holds "$pages" 600
tune 1 undo
says "refused: /$pages is 600 now, lab-tune had set 512 for 1: something else"\
' has changed it, so it is left (--force puts 1 back)'
says '1 put back, 0 were as before already, 1 left'
is "$pages" 600
is sys/class/net/eth1/mtu 1500
tune 0 undo --force
is "$pages" 1
# A setting that is as before, or is gone, is no fault.
tune 0 apply --hugepages 512x2M@1 --iface eth1 --mtu 9000
holds "$pages" 1
rm -r "$top/sys/class/net/eth1"
tune 0 undo
says 'skipped: /sys/class/net/eth1/mtu is there no more'
says '0 put back, 1 were as before already, 0 left'

# A refusal is told, and the rest is done: a file that nobody may write, and a driver that lies.
# The interrupt is one that the kernel keeps.
machine
ln -sf /sys/devices/system/cpu/online "$top/$pages"
ln -sf /sys/devices/system/cpu/online "$top/proc/irq/25/smp_affinity_list"
touch "$top/lie"
tune 1 apply --hugepages 512x2M --cpus 0-3 --iface eth1 --no-pause
grep -q "^refused: /$pages: Permission denied" "$dir/err" || fail "a refusal is not told"
says 'skipped: the kernel itself places these interrupts, and they stay: 25'
says 'refused: PAUSE of eth1: it is rx on tx off now, rx off tx off was asked for'
is "${pages/node1/node0}" 512
is proc/irq/24/smp_affinity_list 4-7
tune 0 undo
is "${pages/node1/node0}" 0
machine
rm -r "$top/pause"
tune 0 apply --iface eth1 --no-pause
says 'skipped: the driver of eth1 has no PAUSE to switch'

# Masks and lists of many processors.
machine
holds $cpu/online 0-71
holds proc/irq/default_smp_affinity ff,ffffffff,ffffffff
holds proc/irq/24/smp_affinity_list 0-71
tune 0 apply --cpus 33,35,64-71
is proc/irq/default_smp_affinity 00,fffffff5,ffffffff
is proc/irq/24/smp_affinity_list 0-32,34,36-63

# Bad input: one line, and nothing is done.
machine
content >"$dir/as_it_was"
# usage: wrong WORDS ARGUMENT...
wrong()
{
	local words=$1
	shift
	tune 2 "$@"
	[ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] || fail "$*: not one line"
	grep -qF -- "$words" "$dir/err" || fail "$*: '$words' is not said"
	content | cmp -s - "$dir/as_it_was" || fail "$*: changes something"
}
wrong 'apply, undo or status is missing'
wrong "'tune' is none of" tune
wrong "'undo' after 'apply'" apply undo
wrong 'apply wants --hugepages, --cpus or --iface' apply
wrong '512x2M or' apply --hugepages 512
wrong 'this kernel has pages of 1G 2M' apply --hugepages 4x16M
wrong 'no NUMA node 2' apply --hugepages 4x2M@2
wrong 'a list as 2-5,8 is right' apply --cpus 5-2
wrong 'processor 8 is not among 0-7' apply --cpus 7-8
wrong 'none is left for interrupts' apply --cpus 0-7
wrong 'processor 2 has performance schedutil' apply --cpus 2 --governor fast
wrong 'want --cpus' apply --hugepages 1x2M --governor performance
wrong 'there is no such interface' apply --iface eth2 --mtu 9000
wrong 'is no name of an interface' apply --iface ../eth1 --mtu 9000
wrong 'a number of bytes is right' apply --iface eth1 --mtu 9k
wrong 'want an --iface' apply --mtu 9000
wrong '--iface wants' apply --iface eth1
wrong '--mtu wants a value' apply --iface eth1 --mtu ''
wrong 'status takes' status --cpus 2
printf 'file\t/etc/passwd\t1\t2\n' >"$state"
wrong 'line 1 of' undo
printf 'file\t/sys/../etc/passwd\t1\t2\n' >"$state"
wrong 'line 1 of' undo

# Every option that may be typed is in --help.
"$tune" --help >"$dir/out"
for option in $(grep -oE -- '--[a-z-]+' "$tune" | sort -u); do
	case $option in
	--help | --version) continue ;;
	esac
	grep -q -- "$option" "$dir/out" || fail "$option is not in --help"
done
if command -v shellcheck >/dev/null; then
	shellcheck "$tune" >"$dir/out" || fail "shellcheck finds something"
fi
