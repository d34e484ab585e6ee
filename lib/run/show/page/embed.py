#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Makes C of the files that are part of a page: style, scripts, and the licences of scripts that are
# not our own. usage: embed.py OUT LIST=[NAME=]FILE...
import sys


def literal(text):
    """The text as lines of C strings, none of which is longer than a compiler likes."""
    lines = []
    for at in range(0, len(text), 400):
        part = "".join(
            "\\%03o" % b if b < 32 or b > 126 or b in b'"\\?' else chr(b)
            for b in text[at:at + 400])
        lines.append('\t\t"' + part + '"')
    return "\n".join(lines) or '\t\t""'


def main():
    lists = {"page_style": [], "page_script": [], "page_licence": []}
    for arg in sys.argv[2:]:
        where, name, path = arg.split("=", 2)
        with open(path, "rb") as f:
            lists["page_" + where].append((name, f.read()))
    with open(sys.argv[1], "w", encoding="ascii") as f:
        f.write('#include "run/show/page/int.h"\n')
        for where, files in lists.items():
            f.write("const struct page_asset %s[] = {\n" % where)
            for name, text in files:
                f.write('\t{"%s",\n%s,\n\t\t%d},\n' % (name, literal(text), len(text)))
            f.write("\t{0},\n};\n")


main()
