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

// The parts of the mean completion time, us, by enum rec_cause. NAN: no message was acknowledged,
// or the ideal time of some is not known.
struct host_split {
	double us[REC_CAUSES];
};

// `messages`: that were acknowledged in the window.
struct host_split host_split(const struct rec_split *s, uint64_t messages);

#define HOST_CAUSE(type, field, cause, name, meaning, ...) \
	ROW_VALUE(type, field.us[cause], name, "us", 3,    \
		"part of the mean completion time: " meaning __VA_OPT__(, ) __VA_ARGS__)
// Rows of a struct host_split. Behind it may stand how parts merge them.
#define HOST_SPLIT(type, field, ...)                                                              \
	HOST_CAUSE(type, field, REC_WIRE, "fct_wire_mean_us",                                     \
		"what the messages would have taken alone", __VA_ARGS__),                         \
		HOST_CAUSE(type, field, REC_PAUSE, "fct_pause_mean_us",                           \
			"their class was paused at their sender", __VA_ARGS__),                   \
		HOST_CAUSE(type, field, REC_CUT, "fct_cut_mean_us",                               \
			"their reaction point's rate was below the speed of the slowest link of " \
			"the way",                                                                \
			__VA_ARGS__),                                                             \
		HOST_CAUSE(type, field, REC_RESEND, "fct_resend_mean_us",                         \
			"frames were sent again, or the sender waited for a timeout",             \
			__VA_ARGS__),                                                             \
		HOST_CAUSE(type, field, REC_QUEUE, "fct_queue_mean_us",                           \
			"all else: behind other frames, and for ACKs that came late", __VA_ARGS__)

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
