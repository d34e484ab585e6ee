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

# Runs FILE as two parts over a cable of net_memif, the port SERVER and the port CLIENT, with these
# options: the nodes of either port in the folder that has the name of the first of them. If a part
# says that its loops came too late, both run once more, four times as slowly: frames and messages
# would have had too little time.
# usage: two_parts FILE SERVER NODES CLIENT NODES OPTION...
two_parts()
{
	file=$1 server=$2 there=$3 client=$4 here_too=$5
	shift 5
	one=${there%%[.,]*} two=${here_too%%[.,]*}
	cable=socket=$dir/cable,socket-abstract=no
	for dilate in 50 200; do
		rm -rf "$one" "$two" cable
		slow="--no-huge --workers 1 --dilate $dilate --set wait_link=600s"
		# shellcheck disable=SC2086
		"$quench" run "$file" --clock real --nodes "$there" $slow --out "$one" "$@" \
			--set "ports.$server.device=net_memif0,role=server,$cable" \
			>"log-$one" 2>&1 &
		pid=$!
		until [ -S cable ]; do
			kill -0 $pid || fail "no cable"
			sleep 0.01
		done
		first=0
		second=0
		# shellcheck disable=SC2086
		"$quench" run "$file" --clock real --nodes "$here_too" $slow --out "$two" "$@" \
			--set "ports.$client.device=net_memif1,role=client,$cable" \
			>"log-$two" 2>&1 || second=$?
		wait $pid || first=$?
		[ $first = 0 ] && [ $second = 0 ] || fail "exit status $first and $second"
		grep -q '"timing_broken": true' "$one/summary.json" "$two/summary.json" || break
	done
}

# Runs FILE so: host h in folder h, host r in folder r.
over_memif() # FILE
{
	two_parts "$1" h:r h r:h r
}

# shellcheck source=tests/driver/app/summary.sh
. "$here/summary.sh"
