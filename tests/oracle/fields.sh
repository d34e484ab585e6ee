# SPDX-License-Identifier: BSD-3-Clause
# The fields that tshark reads in the frames of a writer, compared with the wanted ones. Sourced,
# with the writer as $1.
if ! command -v tshark >/dev/null; then
	echo "${0##*/}: tshark is not installed; on Debian: apt-get install tshark" >&2
	exit 1
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" "$dir/a.pcap"

# fields FILTER FIELD...   one line a frame, compared with standard input
fields() {
	local filter=$1 field args=()
	shift
	for field; do
		args+=(-e "$field")
	done
	tshark -r "$dir/a.pcap" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -Y "$filter" \
		-T fields -E separator=, "${args[@]}" >"$dir/got" 2>"$dir/err" ||
		{ cat "$dir/err" >&2; exit 1; }
	cat >"$dir/want"
	diff -u "$dir/want" "$dir/got"
}
