# SPDX-License-Identifier: BSD-3-Clause
# Functions that read summary.json for a test; the test brings fail().

# The values of a key of a list in summary.json, one behind the other, without zeros at the end of
# decimals: quench merge writes none.
values()
{
	sed -n "/^ *\"$2\": \[/,/^ *\]/p" "$1/summary.json" | grep -o "\"$3\": *[^,}]*" |
		sed 's/.*: *//; s/\(\.[0-9]*[1-9]\)0*$/\1/; s/\.0*$//' | tr '\n' ' '
}

is()
{
	got=$(values "$1" "$2" "$3")
	[ "$got" = "$4" ] || fail "$1: $3 of $2 is '$got', '$4' is right"
}
