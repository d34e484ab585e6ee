// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of room files.
#pragma once

#include "files.h"

#pragma GCC visibility push(hidden)

// capture.c
int record_capture_open(struct record *r, struct err *err);

// timeseries.c
int record_ts_open(struct record *r, struct err *err);
int record_qlen_write(const struct record *r, tstamp end, struct err *err);

// resolved.c
// The text of a resolved scene as a document. Members of a section share a value if the later one
// repeats the text of the one before it. Its nodes have the lines of that text.
struct record_resolved {
	struct yamldoc_node *doc;
	const char **line; // of the text, from line 1
};
// -ENOMEM. Memory comes from the arena; the text stays.
int record_resolved_read(
	struct arena *a, struct record_resolved *to, const char *text, struct err *err);

// origin.c
// Writes `sources`: by path where each value of the configuration comes from that is no default.
void record_origins(struct jw *w, const struct record_resolved *r);

// event.c
int record_ev_open(struct record *r, struct err *err);

// want.c
void record_want_open(struct record *r);
// Returns whether an event that may have a line gets one: its type has a limit of lines per second.
// Events beyond the limit are counted.
bool record_want_one_more(struct record *r, const struct ev *e); // of a type that has a limit
static inline bool record_want_line(struct record *r, const struct ev *e)
{
	return !r->scene->record.rate[e->type] || record_want_one_more(r, e);
}
// Stops recording. A line says why: record.limit, or with `why` a file that failed.
void record_want_stop(struct record *r, const char *why, tstamp now);
void record_want_put(struct jw *w, const struct record *r);
// Takes room for n bytes. False: there is not enough, and recording stops.
static inline bool record_want_take(struct record *r, size_t n, tstamp now)
{
	if (n > r->room) {
		record_want_stop(r, NULL, now);
		return false;
	}
	r->room -= n;
	return true;
}

// Commits a line that was written to the buffer and ends at `end`. If there is no room for the
// whole line, none of it is written and recording stops.
static inline void record_want_commit(struct record *r, struct out *o, const char *end, tstamp now)
{
	if (record_want_take(r, (size_t)(end - (o->buf + o->n)), now))
		out_upto(o, end);
}

// dfx.c: where the RDMA IP's debugging windows have recorded something
int record_dfx_write(struct record *r, struct err *err);

// iqcn.c: where switches run iQCN, the flows that they know at `end`
int record_iqcn_write(struct record *r, tstamp end, struct err *err);

// manifest.c: its room on the disk is taken when the run begins
int manifest_open(struct record *r, struct err *err);

// room.c: room on the disk for the files that the end of a run writes
// Reserves `bytes` for a file. -ENOSPC or -EDQUOT if the disk does not have them; 0 if nobody can
// say.
int record_room_take(int fd, off_t bytes);
int record_room_open(struct record *r, struct err *err);
// Frees the reserved room.
void record_room_close(struct record *r);

#pragma GCC visibility pop
