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

# shellcheck source=tests/driver/app/summary.sh
. "$here/summary.sh"
