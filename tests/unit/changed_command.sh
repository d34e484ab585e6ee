#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `scripts/test --changed` finds the tests whose program has something of a changed file: the linker
# takes from an archive only what a program uses. It says why.
# usage: changed_command.sh SOURCE_ROOT
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/lib" "$dir/tests"
cp "$1/tests/changed.py" "$dir/tests"
cd "$dir"
cat >meson.build <<'END'
project('changed', 'c')
lib = static_library('both', 'lib/left.c', 'lib/right.c')
foreach name : ['left', 'right']
	exe = executable(name + '_test', 'tests' / name + '_test.c', link_with: lib)
	test(name, exe, suite: 'unit')
endforeach
test('script', find_program('tests/script.sh'), suite: 'unit')
test('files', find_program('tests/script.sh'), suite: 'lint')
END
printf '#!/bin/sh\n' >tests/script.sh
chmod +x tests/script.sh
echo 'int one(void);' >lib/one.h
for name in left right; do
	printf 'int %s(void);\nint %s(void) { return 0; }\n' $name $name >lib/$name.c
	printf 'int %s(void);\nint main(void) { return %s(); }\n' $name $name >tests/${name}_test.c
done
echo '#include "one.h"' >>lib/left.c
git init -q .
git add lib tests meson.build
git -c user.name=a -c user.email=a commit -q -m first
{ meson setup build && ninja -C build; } >log 2>&1 || { cat log; exit 1; }
printf '/build/\n/log\n' >.git/info/exclude
fail=0

# usage: finds FILE TEST...    the tests of a change of the file
finds()
{
	file=$1
	shift
	echo '// changed' >>"$file"
	python3 tests/changed.py build >out 2>err || { cat err; fail=1; }
	if [ "$(tail -n 1 out)" != "$*" ]; then
		echo "changed_command: $file: '$(tail -n 1 out)' are found, '$*' is right"
		cat err
		fail=1
	fi
	rm out err
	git checkout -q .
}

finds lib/left.c files left
finds lib/one.h files left
finds tests/right_test.c files right
finds tests/script.sh files script
if python3 tests/changed.py build nowhere >out 2>err || [ "$(wc -l <err)" != 1 ]; then
	echo "changed_command: a commit that is not there"
	cat err
	fail=1
fi
exit $fail
