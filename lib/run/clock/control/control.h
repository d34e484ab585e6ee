// SPDX-License-Identifier: BSD-3-Clause
// Room control lets other processes change a run on the real clock: actions that an event of the
// scenario may have, and values that may change. They speak over a socket in DPDK's runtime folder
// of this process, beside the one of telemetry, which only reads. It needs rooms compile, record,
// lcores and plan.
//
// A message is a length of 4 bytes in the machine's byte order and so many bytes of JSON. A request
// is {"verb": VERB, "text": TEXT}. Its answer is an object, which has "error" if nothing was done.
// Requests are carried out one at a time, in the order in which they came whole.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "lcores/lcores.h"
#include "record/record.h"

struct json_t; // jansson's

#define CONTROL_SOCKET "quench_control"
#define CONTROL_MOST   (1u << 20) // bytes of a request

// Who asks.
struct control_peer {
	pid_t pid;
	uid_t uid;
};

// A verb of somebody else's. It may keep the connection, which is then its own to close; the answer
// has been sent when `begin` is called with it. 0, or -errno and a line, and no `begin` follows.
struct control_stream {
	const char *verb;
	int (*ask)(void *arg, const char *text, struct err *err);
	void (*begin)(void *arg, int fd);
	void *arg;
};

struct control_run {
	struct rt_world *world;
	const struct scene *scene;
	struct record *record;               // gets the texts of marks
	tstamp allow_storm;                  // longest storm that may leave by a device
	const struct control_stream *stream; // NULL: none
};

struct control;

// Makes the socket and the thread that serves it. -errno and a line: there is no socket, and the
// run goes on without. control_close() waits for a request that is being carried out.
int control_open(struct control **c, const struct control_run *run, struct err *err);
void control_close(struct control *c);

// All that was done so far, in order. For after control_close() only.
const struct record_done *control_done(const struct control *c, unsigned *n);
void control_free(struct control *c);
