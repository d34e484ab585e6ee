#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# riddles.py finds each riddle that a commit adds, in comments, messages and pages, and too many of
# them in the whole. It finds none in plain sentences, in code or in tables.
# usage: riddles_sees.sh
set -eu
lint=$(realpath "$(dirname "$0")")/riddles.py
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export GIT_CEILING_DIRECTORIES="$dir/.." GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

# usage: expect STATUS WORDS   the lint ends with STATUS and says WORDS
expect()
{
	got=0
	"$lint" . >said 2>&1 || got=$?
	[ "$got" = "$1" ] || { echo "riddles_sees: status $got, not $1:"; cat said; exit 1; }
	grep -qF -- "$2" said || { echo "riddles_sees: does not say '$2':"; cat said; exit 1; }
}

commit()
{
	git add .
	git -c user.name=x -c user.email=x@y commit -qm "$1"
}

mkdir -p lib docs
for i in $(seq 4000); do
	echo "// Queue $i holds at most 400 KB."
done >lib/whole.c
echo '// What is held of it goes back.' >lib/old.c
expect 0 'no commit to compare with'
git init -qb main .
commit 'a riddle in 4001 lines'
expect 0 'no commit to compare with'

# Each of these is a riddle; the table, the block and the plain sentences are none.
printf '%s\n' 'int a; // What has been read ahead is of a device.' \
	'// What is read, it tells.' \
	'// The sum of what comes.' \
	'// More frames than those that the port sends.' \
	'	tell("It holds more. Those of the other side wait.");' \
	'// Loops are counted. So are frames.' \
	'// Behind the port stands the queue.' \
	'// It waits so long, by the wall, at most.' \
	>lib/new.c
printf '%s\n' '# What is new' 'Frames wait here. That of the port is sent.' '' '```' \
	'Those of the port' '```' '| What is it? | a port |' >docs/new.md
printf '%s\n' '// The burst that was read ahead belongs to a device.' \
	'const char *what = "what is"; // says what it is' >lib/plain.c
commit 'riddles'
expect 1 'docs/new.md:2: '
sed -n 's/^riddles: \([^:]*:[0-9]*\): .*/\1/p' said | sort >told
for i in $(seq 8); do
	echo "lib/new.c:$i"
done | sort - >expected
echo 'docs/new.md:2' | sort - expected -o expected
diff expected told || { echo 'riddles_sees: told others (>) than were planted (<)'; exit 1; }

# Plain sentences pass beside the old riddle; a move adds none.
git rm -q lib/new.c docs/new.md
git mv lib/old.c lib/moved.c
git -c user.name=x -c user.email=x@y commit -q --amend -m 'a move'
"$lint" . >said || { cat said; exit 1; }
[ ! -s said ] || { cat said; exit 1; }

echo '// What is held of it goes back.' >>lib/whole.c
commit 'two riddles in 4002 lines'
expect 1 'lib/whole.c:4001: '
echo '// It goes back.' >lib/whole.c
commit 'fewer lines'
expect 1 'at most 0.3% may'
