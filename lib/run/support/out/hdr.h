// SPDX-License-Identifier: BSD-3-Clause
// A histogram as HdrHistogram prints one: the text of its percentile distribution, which its
// plotters read.
#pragma once

#include "base/hist.h"
#include "conf/conf.h"

#define HDR_TICKS 5 // lines from one half of the distance to 100 % to the next, HdrHistogram's own

// Writes the percentile distribution of `h` to `path`: values divided by `unit` (above 0), such as
// 1e6 for us where values are ps. -errno and a line that names the file.
int hdr_write(const char *path, const struct hist *h, double unit, struct err *err);
