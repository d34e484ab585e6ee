#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scripts/count: the last line counts what meson ran, failed and skipped, and the exit status says
# whether it is good.
# usage: count_command.sh SOURCE_ROOT
set -eu
count=$1/scripts/count
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail=0
cat >"$dir/meson.build" <<'END'
project('counted')
sh = find_program('sh')
test('good', sh, args: ['-c', 'true'], suite: ['good', 'mixed', 'worse'])
test('better', sh, args: ['-c', 'true'], suite: ['good', 'mixed', 'worse'])
test('left', sh, args: ['-c', 'exit 77'], suite: ['mixed', 'worse', 'left'])
test('bad', sh, args: ['-c', 'false'], suite: 'worse')
test('slow', sh, args: ['-c', 'exec tail -f /dev/null'], suite: 'worse', timeout: 1)
test('known', sh, args: ['-c', 'false'], suite: 'known', should_fail: true)
test('mended', sh, args: ['-c', 'true'], suite: 'worse', should_fail: true)
END
meson setup "$dir/build" "$dir" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }

# usage: expect STATUS LINE SUITE   the exit status and the last line of a suite's run
expect()
{
	status=0
	"$count" meson test -C "$dir/build" --no-rebuild --suite "$3" >"$dir/out" 2>&1 || status=$?
	said=$(tail -n 1 "$dir/out")
	if [ "$said" != "$2" ] || { [ "$1" = 0 ] && [ $status != 0 ]; } ||
		{ [ "$1" != 0 ] && [ $status = 0 ]; }; then
		echo "suite $3: '$said' with status $status; expected '$2' with status $1"
		fail=1
	fi
}

expect 0 '2 passed, 0 failed' good
expect 0 '2 passed, 0 failed, 1 skipped' mixed
expect 1 '2 passed, 3 failed, 1 skipped' worse
expect 0 '1 passed, 0 failed' known
expect 0 '0 passed, 0 failed, 1 skipped' left
expect 1 '0 passed, 0 failed' none
exit $fail
