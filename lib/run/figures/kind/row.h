// SPDX-License-Identifier: BSD-3-Clause
// How a kind writes the rows of its figures: a macro for each form, and for groups of rows that
// several kinds have.
#pragma once

#include <stddef.h>

#include "dist.h"

// Rows. `field` is a field of the object; the compiler checks its type against the form. Rows with
// _IF exist only in objects whose field `flag`, a bool, is true. Behind the meaning `.was` may
// stand.
#define FIGURE_TYPE_FIGURE_COUNT uint64_t
#define FIGURE_TYPE_FIGURE_VALUE double
#define FIGURE_TYPE_FIGURE_DIST  struct kind_dist
#define FIGURE_TYPE_FIGURE_ID    unsigned
#define FIGURE_TYPE_FIGURE_BOOL  bool
#define FIGURE_TYPE_FIGURE_TEXT  const char *
#define FIGURE_AT(type, field, form_, name_, unit_, decimals_, divisor_, ...) \
	.name = name_, .unit = unit_, .form = form_,                          \
	.offset = _Generic(((type *)0)->field, FIGURE_TYPE_##form_            \
			   : offsetof(type, field)),                          \
	.decimals = decimals_, .divisor = divisor_, .meaning = __VA_ARGS__
#define FIGURE_ONLY(type, flag) .only = _Generic(((type *)0)->flag, bool : offsetof(type, flag))
#define ROW_COUNT(type, field, name, unit, ...)                                     \
	{                                                                           \
		FIGURE_AT(type, field, FIGURE_COUNT, name, unit, 0, 1, __VA_ARGS__) \
	}
#define ROW_COUNT_IF(type, flag, field, name, unit, ...)                             \
	{                                                                            \
		FIGURE_AT(type, field, FIGURE_COUNT, name, unit, 0, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                      \
	}
#define ROW_VALUE(type, field, name, unit, decimals, ...)                                  \
	{                                                                                  \
		FIGURE_AT(type, field, FIGURE_VALUE, name, unit, decimals, 1, __VA_ARGS__) \
	}
#define ROW_VALUE_IF(type, flag, field, name, unit, decimals, ...)                          \
	{                                                                                   \
		FIGURE_AT(type, field, FIGURE_VALUE, name, unit, decimals, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                             \
	}
// A time in ps, told in us.
#define ROW_TIME_US(type, field, name, decimals, ...)                                        \
	{                                                                                    \
		FIGURE_AT(type, field, FIGURE_COUNT, name, "us", decimals, 1e6, __VA_ARGS__) \
	}
#define ROW_TIME_US_IF(type, flag, field, name, decimals, ...)                                \
	{                                                                                     \
		FIGURE_AT(type, field, FIGURE_COUNT, name, "us", decimals, 1e6, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                               \
	}
// A number or time of something that may never have happened, which 0 says.
#define ROW_COUNT_EVER(type, field, name, unit, ...)                                               \
	{                                                                                          \
		FIGURE_AT(type, field, FIGURE_COUNT, name, unit, 0, 1, __VA_ARGS__), .never = true \
	}
#define ROW_TIME_US_EVER(type, field, name, decimals, ...)                                    \
	{                                                                                     \
		FIGURE_AT(type, field, FIGURE_COUNT, name, "us", decimals, 1e6, __VA_ARGS__), \
			.never = true                                                         \
	}
// How what parts know of a distribution becomes one.
#define FIGURE_MERGE_min  FIGURE_LEAST
#define FIGURE_MERGE_max  FIGURE_MOST
#define FIGURE_MERGE_mean FIGURE_NEVER
#define FIGURE_MERGE_p1   FIGURE_NEVER
#define FIGURE_MERGE_p50  FIGURE_NEVER
#define FIGURE_MERGE_p90  FIGURE_NEVER
#define FIGURE_MERGE_p95  FIGURE_NEVER
#define FIGURE_MERGE_p99  FIGURE_NEVER
#define FIGURE_MERGE_p999 FIGURE_NEVER
// One figure of a distribution: a quantile, the mean, an extreme.
#define ROW_DIST(type, field, which_, name_, unit_, ...)                              \
	{                                                                             \
		FIGURE_AT(type, field, FIGURE_DIST, name_, unit_, 3, 1, __VA_ARGS__), \
			.which = offsetof(struct kind_dist, which_),                  \
			.merge = FIGURE_MERGE_##which_                                \
	}
// The mean of a distribution; figure `weight` of the object is the number of its values.
#define ROW_MEAN(type, field, weight_, name_, unit_, ...)                                \
	{                                                                                \
		FIGURE_AT(type, field, FIGURE_DIST, name_, unit_, 3, 1, __VA_ARGS__),    \
			.which = offsetof(struct kind_dist, mean), .merge = FIGURE_MEAN, \
			.weight = weight_                                                \
	}
#define ROW_DIST_IF(type, flag, field, which_, name_, unit_, ...)                     \
	{                                                                             \
		FIGURE_AT(type, field, FIGURE_DIST, name_, unit_, 3, 1, __VA_ARGS__), \
			.which = offsetof(struct kind_dist, which_),                  \
			.merge = FIGURE_MERGE_##which_, FIGURE_ONLY(type, flag)       \
	}
#define ROW_ID(type, field, name, ...)                                         \
	{                                                                      \
		FIGURE_AT(type, field, FIGURE_ID, name, "", 0, 1, __VA_ARGS__) \
	}
#define ROW_BOOL(type, field, name, ...)                                         \
	{                                                                        \
		FIGURE_AT(type, field, FIGURE_BOOL, name, "", 0, 1, __VA_ARGS__) \
	}
#define ROW_TEXT(type, field, name, ...)                                         \
	{                                                                        \
		FIGURE_AT(type, field, FIGURE_TEXT, name, "", 0, 1, __VA_ARGS__) \
	}
#define ROW_TEXT_IF(type, flag, field, name, ...)                                 \
	{                                                                         \
		FIGURE_AT(type, field, FIGURE_TEXT, name, "", 0, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                   \
	}
#define ROW_LIST(list_, name_, ...)                                            \
	{                                                                      \
		.name = name_, .unit = "", .form = FIGURE_LIST, .list = list_, \
		.meaning = __VA_ARGS__                                         \
	}
// The five that each has: p50 to maximum of `of`, which `def` defines behind the first.
#define ROW_SPREAD(type, field, before, after, unit, of, def)                            \
	ROW_DIST(type, field, p50, before "_p50" after, unit, "p50 of " of def),         \
		ROW_DIST(type, field, p90, before "_p90" after, unit, "p90 of " of),     \
		ROW_DIST(type, field, p99, before "_p99" after, unit, "p99 of " of),     \
		ROW_DIST(type, field, p999, before "_p999" after, unit, "p99.9 of " of), \
		ROW_DIST(type, field, max, before "_max" after, unit, "maximum of " of)

#define KIND_FIGURES(rows) .figure = rows, .n_figures = sizeof(rows) / sizeof((rows)[0])
// Latencies in us of the frames that `frames` names.
#define ROW_LATENCY(type, field, frames)                                                \
	ROW_DIST(type, field, mean, "latency_mean_us", "us",                            \
		"mean one-way latency of " frames " that came in the window, from the " \
		"first bit out to the last bit in"),                                    \
		ROW_DIST(type, field, min, "latency_min_us", "us",                      \
			"minimum of the one-way latency of " frames),                   \
		ROW_SPREAD(                                                             \
			type, field, "latency", "_us", "us", "the one-way latency of " frames, "")
// p1, p50 and p99 among the flows, from a struct kind_among. Room merge computes them again, among
// the flows of all parts.
#define ROW_AMONG(type, field, before, after, unit, decimals, of)                                  \
	ROW_VALUE(type, field.p1, before "_p1" after, unit, decimals, "p1 among the flows of " of, \
		.merge = FIGURE_NEVER),                                                            \
		ROW_VALUE(type, field.p50, before "_p50" after, unit, decimals,                    \
			"p50 among the flows of " of, .merge = FIGURE_NEVER),                      \
		ROW_VALUE(type, field.p99, before "_p99" after, unit, decimals,                    \
			"p99 among the flows of " of, .merge = FIGURE_NEVER)
