#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the folders of include paths by which other rooms see a room: links to its public headers,
or to all of the room where none is named.

usage: link_headers.py [WALLS ROOM FOLDER [HEADER...] --]...
"""
import os
import shutil
import sys


def link(walls, room, folder, *headers):
    shutil.rmtree(walls, ignore_errors=True)
    os.makedirs(walls)
    if not headers:
        os.symlink(folder, os.path.join(walls, room))
        return
    os.mkdir(os.path.join(walls, room))
    for header in headers:
        os.symlink(os.path.join(folder, header), os.path.join(walls, room, header))


words = sys.argv[1:]
while words:
    end = words.index("--")
    link(*words[:end])
    del words[:end + 1]
