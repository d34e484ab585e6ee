// SPDX-License-Identifier: BSD-3-Clause
// What the files that write summary.json share.
#pragma once

#include "figure.h"
#include "out/out.h"

// json_cn.c: congestion points, CNPs of switches.
void summary_json_cn(struct jw *w, const struct summary *s);
