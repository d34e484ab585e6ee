// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of Student's t distribution.
#pragma once

// The value below which t lies with probability `p`, 0 < p < 1, with df >= 1 degrees of freedom.
double student_quantile(double p, unsigned df);
