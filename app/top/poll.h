// SPDX-License-Identifier: BSD-3-Clause
// A thread that asks the instance for looks, and gives it commands, so that keys never wait for an
// answer.
#pragma once

#include "model.h"

struct top_poll;

// News of the thread since the last call.
struct top_news {
	bool looked; // `look` is new; the caller frees it
	struct metrics look;
	bool ended;       // the instance's process is gone
	char notice[200]; // why there is no look; "": there is one
	bool done;        // the command was answered
	bool failed;
	char told[256]; // its answer
};

#pragma GCC visibility push(hidden)

// Begins to ask, each `every_ms`. The instance is the thread's until the end, which closes it.
// -errno and a line.
int top_poll_begin(
	struct top_poll **out, const struct instance *of, unsigned every_ms, struct err *err);
void top_poll_end(struct top_poll *p);

// A descriptor that can be read when there are news.
int top_poll_fd(const struct top_poll *p);
void top_poll_take(struct top_poll *p, struct top_news *news);

// Has a command run, "do" or "set" and its text; one at a time. False: one is on its way already.
bool top_poll_run(struct top_poll *p, const char *verb, const char *text);

#pragma GCC visibility pop
