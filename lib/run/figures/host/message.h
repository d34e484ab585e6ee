// SPDX-License-Identifier: BSD-3-Clause
// Figures of messages and of several flows together: by size, of a group, of the whole run.
#pragma once

#include "kind/kind.h"

// Messages acknowledged in the window. `fct` counts from when a message could be sent: posted, and
// its flow's last one gone, or, of a load, when it came; `fct_posted` from posting; `slowdown` is
// fct over the time that it would have taken alone.
struct host_messages {
	struct kind_dist fct_us, fct_posted_us, slowdown;
};

// Computes the figures of completion times and slowdowns from the record's distributions.
struct host_messages host_messages(
	const struct hist *fct, const struct hist *posted, const struct hist *slowdown);

// Rows of three struct kind_among: goodput, current rate and alpha.
#define HOST_AMONG_FLOWS(type, goodput, rc, alpha)                              \
	ROW_AMONG(type, goodput, "goodput", "_gbps", "Gb/s", 6, "the goodput"), \
		ROW_AMONG(type, rc, "rc", "_gbps", "Gb/s", 6,                   \
			"the reaction point's current rate at the end"),        \
		ROW_AMONG(                                                      \
			type, alpha, "alpha", "", "", 6, "the reaction point's alpha at the end")

// Of struct host_messages.
#define HOST_FCT        "the messages' completion time"
#define HOST_FCT_POSTED "the messages' completion time from posting"
#define HOST_SLOWDOWN   "the messages' slowdown"
#define HOST_MESSAGES(type, field)                                                                \
	ROW_COUNT(type, field.fct_us.n, "messages", "messages",                                   \
		"messages that were acknowledged in the window", .merge = FIGURE_SUM),            \
		ROW_MEAN(type, field.fct_us, "messages", "fct_mean_us", "us",                     \
			"mean of " HOST_FCT                                                       \
			", from the instant at which a message can be sent (it "                  \
			"is posted, and the last frame of its queue pair's message before has "   \
			"left) to its last acknowledgement"),                                     \
		ROW_DIST(type, field.fct_us, p1, "fct_p1_us", "us", "p1 of " HOST_FCT),           \
		ROW_SPREAD(type, field.fct_us, "fct", "_us", "us", HOST_FCT, ""),                 \
		ROW_DIST(type, field.fct_us, p95, "fct_p95_us", "us", "p95 of " HOST_FCT),        \
		ROW_MEAN(type, field.fct_posted_us, "messages", "fct_posted_mean_us", "us",       \
			"mean of " HOST_FCT_POSTED ", which has the time that a message waited "  \
			"behind those of its own queue pair (`outstanding`)"),                    \
		ROW_SPREAD(type, field.fct_posted_us, "fct_posted", "_us", "us", HOST_FCT_POSTED, \
			""),                                                                      \
		ROW_DIST(type, field.fct_posted_us, p95, "fct_posted_p95_us", "us",               \
			"p95 of " HOST_FCT_POSTED),                                               \
		ROW_SPREAD(type, field.slowdown, "slowdown", "", "", HOST_SLOWDOWN,               \
			": the completion time over the time that the message would have "        \
			"taken alone"),                                                           \
		ROW_DIST(type, field.slowdown, p95, "slowdown_p95", "", "p95 of " HOST_SLOWDOWN)
