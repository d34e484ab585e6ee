# SPDX-License-Identifier: BSD-3-Clause
# What tests of parts and peers begin with, QUENCH and HERE being their arguments: a folder of its
# own, which goes with the test, the program, and how it fails.
quench=$(realpath "$1")
here=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# Shows the program's output, which is in files log*, and ends the test.
fail()
{
	echo "$(basename "$0" .sh): $*"
	cat log* 2>/dev/null || true
	exit 1
}

# Runs FILE as two parts over a cable of net_memif: host h in folder h, host r in folder r.
over_memif() # FILE
{
	cable=socket=$dir/cable,socket-abstract=no
	slow="--no-huge --workers 1 --dilate 50 --quiet"
	# shellcheck disable=SC2086
	"$quench" run "$1" --clock real --nodes h $slow --out h \
		--set "ports.h:r.device=net_memif0,role=server,$cable" >log-h 2>&1 &
	pid=$!
	tries=0
	until [ -S cable ]; do
		tries=$((tries + 1))
		[ $tries -lt 1000000 ] && kill -0 $pid || fail "no cable"
	done
	r=0
	h=0
	# shellcheck disable=SC2086
	"$quench" run "$1" --clock real --nodes r $slow --out r \
		--set "ports.r:h.device=net_memif1,role=client,$cable" >log-r 2>&1 || r=$?
	wait $pid || h=$?
	[ $h = 0 ] && [ $r = 0 ] || fail "exit status $h and $r"
}

# shellcheck source=tests/driver/app/summary.sh
. "$here/summary.sh"
