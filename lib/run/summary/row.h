// SPDX-License-Identifier: BSD-3-Clause
// How a kind writes the rows of its figures: a macro for each form, and for groups of rows that
// several kinds have.
#pragma once

#include "kind.h"

// Rows. `field` is a field of the object; its type is held against the form. Those with _IF are of
// objects only whose field `flag`, a bool, is true. Behind the meaning `.was` may stand.
#define FIGURE_TYPE_FIGURE_COUNT uint64_t
#define FIGURE_TYPE_FIGURE_VALUE double
#define FIGURE_TYPE_FIGURE_DIST  struct summary_dist
#define FIGURE_TYPE_FIGURE_ID    unsigned
#define FIGURE_TYPE_FIGURE_BOOL  bool
#define FIGURE_TYPE_FIGURE_TEXT  const char *
#define FIGURE_AT(type, field, form_, name_, unit_, decimals_, divisor_, ...) \
	.name = name_, .unit = unit_, .form = form_,                          \
	.offset = _Generic(((type *)0)->field, FIGURE_TYPE_##form_            \
			   : offsetof(type, field)),                          \
	.decimals = decimals_, .divisor = divisor_, .meaning = __VA_ARGS__
#define FIGURE_ONLY(type, flag) .only = _Generic(((type *)0)->flag, bool : offsetof(type, flag))
#define COUNT(type, field, name, unit, ...)                                         \
	{                                                                           \
		FIGURE_AT(type, field, FIGURE_COUNT, name, unit, 0, 1, __VA_ARGS__) \
	}
#define COUNT_IF(type, flag, field, name, unit, ...)                                 \
	{                                                                            \
		FIGURE_AT(type, field, FIGURE_COUNT, name, unit, 0, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                      \
	}
#define VALUE(type, field, name, unit, decimals, ...)                                      \
	{                                                                                  \
		FIGURE_AT(type, field, FIGURE_VALUE, name, unit, decimals, 1, __VA_ARGS__) \
	}
#define VALUE_IF(type, flag, field, name, unit, decimals, ...)                              \
	{                                                                                   \
		FIGURE_AT(type, field, FIGURE_VALUE, name, unit, decimals, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                             \
	}
// A time in ps, told in us.
#define TIME_US(type, field, name, decimals, ...)                                            \
	{                                                                                    \
		FIGURE_AT(type, field, FIGURE_COUNT, name, "us", decimals, 1e6, __VA_ARGS__) \
	}
// Of a distribution: one of its quantiles, its mean, an extreme.
#define DIST(type, field, which_, name_, unit_, ...)                                  \
	{                                                                             \
		FIGURE_AT(type, field, FIGURE_DIST, name_, unit_, 3, 1, __VA_ARGS__), \
			.which = offsetof(struct summary_dist, which_)                \
	}
#define DIST_IF(type, flag, field, which_, name_, unit_, ...)                                   \
	{                                                                                       \
		FIGURE_AT(type, field, FIGURE_DIST, name_, unit_, 3, 1, __VA_ARGS__),           \
			.which = offsetof(struct summary_dist, which_), FIGURE_ONLY(type, flag) \
	}
#define ID(type, field, name, ...)                                             \
	{                                                                      \
		FIGURE_AT(type, field, FIGURE_ID, name, "", 0, 1, __VA_ARGS__) \
	}
#define BOOL(type, field, name, ...)                                             \
	{                                                                        \
		FIGURE_AT(type, field, FIGURE_BOOL, name, "", 0, 1, __VA_ARGS__) \
	}
#define TEXT(type, field, name, ...)                                             \
	{                                                                        \
		FIGURE_AT(type, field, FIGURE_TEXT, name, "", 0, 1, __VA_ARGS__) \
	}
#define TEXT_IF(type, flag, field, name, ...)                                     \
	{                                                                         \
		FIGURE_AT(type, field, FIGURE_TEXT, name, "", 0, 1, __VA_ARGS__), \
			FIGURE_ONLY(type, flag)                                   \
	}
#define LIST(list_, name_, ...)                                                \
	{                                                                      \
		.name = name_, .unit = "", .form = FIGURE_LIST, .list = list_, \
		.meaning = __VA_ARGS__                                         \
	}
// The five that each has: p50 to maximum of `of`, which `def` defines behind the first.
#define SPREAD(type, field, before, after, unit, of, def)                            \
	DIST(type, field, p50, before "_p50" after, unit, "p50 of " of def),         \
		DIST(type, field, p90, before "_p90" after, unit, "p90 of " of),     \
		DIST(type, field, p99, before "_p99" after, unit, "p99 of " of),     \
		DIST(type, field, p999, before "_p999" after, unit, "p99.9 of " of), \
		DIST(type, field, max, before "_max" after, unit, "maximum of " of)

#define KIND_FIGURES(rows) .figure = rows, .n_figures = sizeof(rows) / sizeof((rows)[0])
// Of latencies in us of the frames that `frames` names.
#define SUMMARY_LATENCY(type, field, frames)                                            \
	DIST(type, field, mean, "latency_mean_us", "us",                                \
		"mean one-way latency of " frames " that came in the window, from the " \
		"first bit out to the last bit in"),                                    \
		DIST(type, field, min, "latency_min_us", "us",                          \
			"minimum of the one-way latency of " frames),                   \
		SPREAD(type, field, "latency", "_us", "us", "the one-way latency of " frames, "")
// Of struct summary_among: p1, p50 and p99 of what the flows have.
#define AMONG(type, field, before, after, unit, decimals, of)                                   \
	VALUE(type, field.p1, before "_p1" after, unit, decimals, "p1 among the flows of " of), \
		VALUE(type, field.p50, before "_p50" after, unit, decimals,                     \
			"p50 among the flows of " of),                                          \
		VALUE(type, field.p99, before "_p99" after, unit, decimals,                     \
			"p99 among the flows of " of)
#define SUMMARY_AMONG_FLOWS(type, goodput, rc, alpha)                       \
	AMONG(type, goodput, "goodput", "_gbps", "Gb/s", 6, "the goodput"), \
		AMONG(type, rc, "rc", "_gbps", "Gb/s", 6,                   \
			"the reaction point's current rate at the end"),    \
		AMONG(type, alpha, "alpha", "", "", 6, "the reaction point's alpha at the end")

// Of struct summary_messages.
#define FCT        "the messages' completion time"
#define FCT_POSTED "the messages' completion time from posting"
#define SLOWDOWN   "the messages' slowdown"
#define SUMMARY_MESSAGES(type, field)                                                           \
	COUNT(type, field.fct_us.n, "messages", "messages",                                     \
		"messages that were acknowledged in the window"),                               \
		DIST(type, field.fct_us, mean, "fct_mean_us", "us",                             \
			"mean of " FCT ", from the instant at which a message can be sent (it " \
			"is posted, and the last frame of its queue pair's message before has " \
			"left) to its last acknowledgement"),                                   \
		DIST(type, field.fct_us, p1, "fct_p1_us", "us", "p1 of " FCT),                  \
		SPREAD(type, field.fct_us, "fct", "_us", "us", FCT, ""),                        \
		DIST(type, field.fct_us, p95, "fct_p95_us", "us", "p95 of " FCT),               \
		DIST(type, field.fct_posted_us, mean, "fct_posted_mean_us", "us",               \
			"mean of " FCT_POSTED ", which has the time that a message waited "     \
			"behind those of its own queue pair (`outstanding`)"),                  \
		SPREAD(type, field.fct_posted_us, "fct_posted", "_us", "us", FCT_POSTED, ""),   \
		DIST(type, field.fct_posted_us, p95, "fct_posted_p95_us", "us",                 \
			"p95 of " FCT_POSTED),                                                  \
		SPREAD(type, field.slowdown, "slowdown", "", "", SLOWDOWN,                      \
			": the completion time over the time that the message would have "      \
			"taken alone"),                                                         \
		DIST(type, field.slowdown, p95, "slowdown_p95", "", "p95 of " SLOWDOWN)
