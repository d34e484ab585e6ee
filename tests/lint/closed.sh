#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The array of the nodes that a process runs cannot be indexed: a number of a node elsewhere would
# read behind it. No probe that indexes it compiles; the accessor does.
# usage: closed.sh CC...
set -eu

# usage: compiles EXPRESSION CC...
compiles()
{
	expression=$1
	shift
	printf '#include "world/net.h"\nvoid probe(struct net *net, unsigned n);\n%s\n' \
		"void probe(struct net *net, unsigned n) { (void)($expression); }" |
		"$@" -x c -fsyntax-only - 2>/dev/null
}

fail=0
for probe in 'net_node(net, n)->kind' 'net->here'; do
	compiles "$probe" "$@" || { echo "closed: '$probe' does not compile"; fail=1; }
done
for probe in 'net->here[n]' '&net->here[n]' '*(net->here + n)' 'net->here + n'; do
	! compiles "$probe" "$@" || { echo "closed: '$probe' compiles"; fail=1; }
done
exit $fail
