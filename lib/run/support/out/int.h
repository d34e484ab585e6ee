// SPDX-License-Identifier: BSD-3-Clause
// A part of the drawing of charts, for its file and its test.
#pragma once

#pragma GCC visibility push(hidden)

// Distance of ticks for four to eight of them: 1, 2 or 5 times a power of ten; range > 0.
double chart_step(double range);

#pragma GCC visibility pop
