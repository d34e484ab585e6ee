// SPDX-License-Identifier: BSD-3-Clause
// The reports of a driver while it runs: added up in the tally, and written to the files of
// design.md 6.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "evf/evf.h"
#include "files/files.h"
#include "scene/scene.h"
#include "tally/tally.h"
#include "world/world.h"

// Makes the folder and opens the files. -EEXIST: the folder is not empty. The scene must outlive
// the record, which refers to its names.
int record_open(struct record **out, const struct scene *scene, struct net *net,
	const struct record_opts *opts, struct err *err);

// The run begins: scene time 0 is `ns` after 1970; 0: at no instant of the wall clock, as in
// virtual time. Call it before the first frame is seen. -ENOMEM.
int record_begin(struct record *r, uint64_t ns, struct err *err);

// Lends the nodes what they may add up by themselves instead of telling an event each time. For a
// driver that calls them and the record by turns, before it calls them first; they are not called
// any more when the record is freed.
void record_lend(struct record *r);

// Gives the record a driver's count of time (ps): for how long frames that had left a port waited
// because the device or ring behind it was full. The count must stay valid until report_close().
void record_lend_refused(struct record *r, unsigned node, unsigned port, const tstamp *ps);
// Gives the record a driver's counts of frames that came by a device: dated by a stamp of the
// device, and by the reading of the loop. They must stay valid until report_close().
void record_lend_dated(struct record *r, unsigned node, unsigned port, const uint64_t *stamped,
	const uint64_t *unstamped);

// Gives the text of a mark that comes while the run goes on a number, for ctl.id of CTL_USER_MARK;
// beyond REC_MARKS of them the event has no text. One thread calls it, before the mark is told.
uint32_t record_mark(struct record *r, const char *text);
// The text of a number of a mark, "" where it has none.
const char *record_mark_text(const struct record *r, uint32_t number);

// Drains the event ring of a node. Events of one node come in order of time; between nodes the
// recorder sorts: all events earlier than `safe` have been handed in when record_sort is called.
void record_drain(struct record *r, unsigned node);
void record_sort(struct record *r, tstamp safe);

// Adds a line to every time series, at the scene's sampling period; without a period still each ms.
void record_sample(struct record *r, tstamp now);

// The instant warm-up ends: counters are snapshotted so that the summary speaks of the window after
// it.
void record_warm(struct record *r, tstamp now);

// Ends the record at `end`: takes the last counters of the nodes and the events that were held
// back. From here on its figures are final, and the report reads them.
void record_finish(struct record *r, tstamp end);

void record_free(struct record *r);
