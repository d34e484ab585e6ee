#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The output of a command on a terminal of 100 columns, without colours and the line of progress.
# usage: terminal.sh COMMAND
set -eu
COLUMNS=100 NO_COLOR=1 script -qec "$1" /dev/null </dev/null |
	sed -e 's/\r//g' -e 's/^.*\x1b\[K//' -e 's/ *$//'
