#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the folder of include paths by which other rooms see a room: links to its public headers, or
# to all of the room where none is named.
# usage: link_headers.sh WALLS ROOM FOLDER [HEADER...]
set -eu
walls=$1 room=$2 folder=$3
shift 3
rm -rf "$walls"
mkdir -p "$walls"
if [ $# = 0 ]; then
	ln -s "$folder" "$walls/$room"
	exit
fi
mkdir "$walls/$room"
for header; do
	ln -s "$folder/$header" "$walls/$room/"
done
