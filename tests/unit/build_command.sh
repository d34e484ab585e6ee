#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scripts/build and scripts/run, beside a meson and a ninja that build nothing: the user is told how
# far it is, sees the output of what failed, and `run` builds the program only.
# usage: build_command.sh SOURCE_ROOT
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/scripts" "$dir/config"
cp "$1/scripts/build" "$1/scripts/run" "$dir/scripts"
for program in meson ninja scripts/install-deps; do
	at=$dir/bin/$program
	[ "$program" = "${program#*/}" ] || at=$dir/$program
	cat >"$at" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$DIR/ran"
case "${0##*/} $*" in
'meson setup '*)
	mkdir -p "$2/meson-info"
	: >"$2/build.ninja"
	echo '[{"name": "tests", "value": "disabled", "section": "user"}]' \
		>"$2/meson-info/intro-buildoptions.json"
	;;
ninja*build.ninja) ;;
ninja*)
	for n in 1 2 3 4 5 6 7; do
		echo "[$n/7] Compiling C object $n"
	done
	[ ! -e "$DIR/broken" ] || { echo "the compiler says why"; exit 1; }
	printf '#!/bin/sh\necho "quench $*"\n' >"$2/quench"
	chmod +x "$2/quench"
	;;
esac
END
	chmod +x "$at"
done
PATH=$dir/bin:$PATH DIR=$dir
export DIR

fail()
{
	echo "build_command: $*"
	cat "$dir/out" "$dir/err" "$dir/ran"
	exit 1
}

"$dir/scripts/run" some.yaml >"$dir/out" 2>"$dir/err" || fail "run ends with $?"
[ "$(cat "$dir/out")" = 'quench run --report some.yaml' ] || fail "run prints more than quench does"
printf '%s\n' configuring 'building 2 of 7' 'building 3 of 7' 'building 5 of 7' 'building 6 of 7' \
	'building 7 of 7' | cmp -s - "$dir/err" || fail "run does not say how far it is"
grep -qx 'ninja -C build program' "$dir/ran" || fail "run builds more than the program"
[ "$(cd "$dir" && echo build*)" = build ] || fail "a file is left beside the build"

: >"$dir/broken"
if "$dir/scripts/run" some.yaml >"$dir/out" 2>"$dir/err"; then
	fail "a build that fails ends well"
fi
grep -qx 'the compiler says why' "$dir/out" || fail "nothing is said of what failed"
[ "$(cd "$dir" && echo build*)" = 'build build.log' ] || fail "another file than the log is left"
! grep -q 'meson configure' "$dir/ran" || fail "run wants tests"
! grep -q configuring "$dir/err" || fail "a build that is there is configured once more"
rm "$dir/broken"
"$dir/scripts/build" >"$dir/out" 2>"$dir/err" || fail "build ends with $?"
grep -qx 'meson configure build -Dtests=auto' "$dir/ran" || fail "a build has no tests"
