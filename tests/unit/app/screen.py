# SPDX-License-Identifier: BSD-3-Clause
"""A terminal as xterm and vt100 are: it keeps the characters that a program puts on its screen."""
import re

SEQUENCE = re.compile(
    r"\033\[([?>=]?)([0-9;]*)([@-~])|\033[()][A-Z0-9]|\033\][^\007]*\007|\033([A-Z78=>c])")


class Screen:
    def __init__(self, rows, columns):
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.y = self.x = 0
        self.top, self.bottom = 0, rows - 1
        self.wraps = False
        self.saved = (0, 0)
        self.last = " "
        self.cell = [[" "] * columns for _ in range(rows)]
        self.rest = ""

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cell) + "\n"

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            c = text[at]
            if c == "\033":
                m = SEQUENCE.match(text, at)
                if not m:
                    self.rest = text[at:]  # the end of it comes later
                    return
                self.sequence(m)
                at = m.end()
                continue
            self.character(c)
            at += 1

    def character(self, c):
        if c == "\r":
            self.x, self.wraps = 0, False
        elif c == "\n":
            self.down()
        elif c == "\b":
            self.x, self.wraps = max(self.x - 1, 0), False
        elif c == "\t":
            self.x = min((self.x // 8 + 1) * 8, self.columns - 1)
        elif c >= " ":
            self.put(c)

    def put(self, c):
        if self.wraps:
            self.x, self.wraps = 0, False
            self.down()
        self.cell[self.y][self.x] = self.last = c
        if self.x + 1 == self.columns:
            self.wraps = True
        else:
            self.x += 1

    def down(self):
        self.wraps = False
        if self.y == self.bottom:
            self.scroll(self.top, 1)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def scroll(self, top, n):
        """Lines from `top` to the end of the scrolling region move up by n; below 0: down."""
        blank = [[" "] * self.columns for _ in range(abs(n))]
        part = self.cell[top:self.bottom + 1]
        part = part[n:] + blank if n > 0 else blank + part[:n]
        self.cell[top:self.bottom + 1] = part[:self.bottom + 1 - top]

    def blank(self, y, begin, end):
        self.cell[y][begin:end] = [" "] * (end - begin)

    def sequence(self, m):
        private, numbers, kind, single = m.groups()
        if single == "M":
            if self.y == self.top:
                self.scroll(self.top, -1)
            else:
                self.y -= 1
        elif single == "7":
            self.saved = (self.y, self.x)
        elif single == "8":
            self.y, self.x = self.saved
        if not kind:
            return
        n = [int(k) if k else 0 for k in numbers.split(";")] if numbers else []
        if private:
            if 1049 in n:  # the other screen
                self.cell = [[" "] * self.columns for _ in range(self.rows)]
            return
        self.wraps = False
        self.control(kind, n, (n[0] if n else 0) or 1)

    def control(self, kind, n, one):
        row, first = self.cell[self.y], n[0] if n else 0
        if kind in "Hf":
            self.y = min(one, self.rows) - 1
            self.x = min((n[1] if len(n) > 1 else 1) or 1, self.columns) - 1
        elif kind == "d":
            self.y = min(one, self.rows) - 1
        elif kind == "G":
            self.x = min(one, self.columns) - 1
        elif kind == "A":
            self.y = max(self.y - one, 0)
        elif kind == "B":
            self.y = min(self.y + one, self.rows - 1)
        elif kind == "C":
            self.x = min(self.x + one, self.columns - 1)
        elif kind == "D":
            self.x = max(self.x - one, 0)
        elif kind == "K":
            self.blank(self.y, 0 if first else self.x, self.x + 1 if first == 1 else self.columns)
        elif kind == "J":
            if first == 0:
                self.blank(self.y, self.x, self.columns)
            for y in range(self.y + 1 if first == 0 else 0, self.y if first == 1 else self.rows):
                self.blank(y, 0, self.columns)
            if first == 1:
                self.blank(self.y, 0, self.x + 1)
        elif kind == "X":
            self.blank(self.y, self.x, min(self.x + one, self.columns))
        elif kind == "P":
            del row[self.x:self.x + one]
            row.extend([" "] * (self.columns - len(row)))
        elif kind == "@":
            row[self.x:self.x] = [" "] * one
            del row[self.columns:]
        elif kind == "b":
            for _ in range(one):
                self.put(self.last)
        elif kind == "r":
            self.top, self.bottom = one - 1, (n[1] if len(n) > 1 else self.rows) - 1
            self.y = self.x = 0
        elif kind in "LM":
            self.scroll(self.y, -one if kind == "L" else one)
        elif kind in "ST":
            self.scroll(self.top, one if kind == "S" else -one)
