// SPDX-License-Identifier: BSD-3-Clause
// The run folder: what a driver reports while it runs, written as the files of design.md 6.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "evf/evf.h"
#include "world/world.h"
#include "out/out.h"
#include "scene/scene.h"

struct record;
struct record_findings;

// What a real port lost in the whole run. No frame is in two of the reasons, so that they add up.
#define RECORD_DEVICE_STATS 16
struct record_device {
	unsigned node, port; // in the scene
	char driver[32];
	char interface[16]; // of the kernel; "": none
	bool came_known;
	uint64_t came; // frames that the interface or the driver counted for us, lost ones included
	bool forgot;   // the driver's counters have gone back: what counts is the highest seen
	uint64_t unread;   // of `came`, those that stood there when the run ended
	uint64_t taken;    // frames that the driver took to be sent
	uint64_t unsent;   // frames that it refused to the end
	tstamp refused_ps; // time for which frames waited, because it took no more
	uint64_t no_mbuf;  // times that it found no mbuf
	// lost before the node, by the instrument: its loop did not come in time
	uint64_t ring_full, no_descriptor, no_buffer, unfit;
	uint64_t no_room; // of that, a host's other lcore had none
	// lost before the node, by others
	uint64_t rx_errors, if_rx_dropped, if_rx_errors, if_rx_missed;
	// lost behind the node
	uint64_t tx_errors, if_tx_dropped, if_tx_errors;
	// of a part: the clock of the part behind the device, scene time
	bool clock_known;
	bool clock_broken; // exchanges contradict each other, so that it is not known
	double clock_ahead_us, clock_bound_us, round_trip_us;
	uint64_t exchanges; // of hellos, by which it is known
	bool clock_rate_known;
	double clock_ppm, clock_bound_ppm; // by how much it is faster than ours
	// counters of the driver's own that tell of losses, by its names: they repeat the reasons
	unsigned n_stats;
	struct {
		char name[64];
		uint64_t n;
	} stat[RECORD_DEVICE_STATS];
};

// How the run went, known only to its driver; drivers fill it before report_close.
struct record_run {
	const char *clock; // "virtual", "real"
	tstamp end;        // scene time reached
	bool interrupted;  // ended by a signal before its time
	char crash[256];   // the line about what crashed or hung and ended it; "": none
	// the line about a port whose lost link ended it (on_link_loss: fail); "": none did
	char link_loss[256];
	double wall_s, cpu_s;
	unsigned dilate;
	uint64_t packet_hops; // frames given to a node
	int conserved;        // 0, or -EPROTO
	char conserve_text[ERR_TEXT];
	uint64_t pool_size, pool_missing; // descriptors
	uint64_t link_frames;             // on links at the end
	// real time only
	bool timing_broken;
	char timing_text[256]; // the first line of the report where the instrument broke its timing
	uint64_t loop_gap_p50_ps, loop_gap_p99_ps, loop_gap_p9999_ps, loop_gap_max_ps;
	uint64_t xon_at_end; // frames that let go what real ports had stopped
	uint64_t imissed, rx_nombuf, ring_drops, lost_tx_ps, events_lost;
	const struct record_device *device; // read by report_close only
	unsigned n_devices;
	const struct record_findings *self_test; // of ports and machine; NULL: there was none
};

struct record_opts {
	const char *dir;     // "runs/NAME-CLOCK-SEED"
	bool force;          // a folder that is not empty is taken
	bool next;           // where it is there, DIR.2 is taken, DIR.3 ...; not with `force`
	bool latest;         // runs/latest points to it, where it is in runs/
	bool no_files;       // summary only in memory (tests, bench)
	bool hdr;            // distributions as files of HdrHistogram's text form
	const char *command; // command line for the manifest
	// A line for the user while the run goes on; NULL: none.
	void (*say)(void *arg, const char *line);
	void *say_arg;
};

// Makes the folder and opens the files. The scene outlives the record, which refers to its names.
// -EEXIST where it is not empty.
int record_open(struct record **out, const struct scene *scene, struct net *net,
	const struct record_opts *opts, struct err *err);

// Lends the nodes what they may add up by themselves instead of telling an event each time. For a
// driver that calls them and the record by turns, before it calls them first; they are not called
// any more when the record is freed.
void record_lend(struct record *r);

// Lends the record a driver's count of the time, ps, for which frames that had left a port waited,
// because what is behind the port took no more. It stays until report_close.
void record_lend_refused(struct record *r, unsigned node, unsigned port, const tstamp *ps);

// How far the latencies of source i may be off, whose sender has another clock; 0: not known.
void record_source_bound(struct record *r, unsigned i, tstamp bound);

// Bitmap of the enum ev_type that nodes are to tell: what figures and files are made from.
uint64_t record_events_wanted(const struct scene *scene, const struct record_opts *opts);

// Drains the event ring of a node. Events of one node come in order of time; between nodes the
// recorder sorts: all events earlier than `safe` have been handed in when record_sort is called.
void record_drain(struct record *r, unsigned node);
void record_sort(struct record *r, tstamp safe);
// Whether a file has lines of events of this type.
bool record_has_lines(const struct record *r, enum ev_type type);

// One line of every time series, at the scene's sampling period; where it has none, still each ms.
void record_sample(struct record *r, tstamp now);

// The instant warm-up ends: counters are snapshotted so that the summary speaks of the window after
// it.
void record_warm(struct record *r, tstamp now);

// A frame seen at a captured port. dir 0: received by the port, 1: sent by it. `t`: last bit in,
// first bit out.
void record_frame(
	struct record *r, unsigned node, unsigned port, int dir, const struct pkt *p, tstamp t);

// Before record_warm and record_finish, by a driver that can make the world stand still: what is on
// its way and so not lost. First the beginning, which looks into the nodes' queues; then each frame
// on a link.
void record_in_flight_begin(struct record *r);
void record_in_flight(struct record *r, const struct pkt *p);

// The run has ended: takes what the nodes and the events held back say, up to `end`. Its figures
// are final from here on, and the report reads them.
void record_finish(struct record *r, tstamp end);

// Writes what is left of the record's own files and closes them, but for the manifest. -errno and
// the line of the first that is not whole.
int record_files_close(struct record *r, const struct record_run *run, struct err *err);
// Notes that a file of the folder is not whole, by the line that says why; the manifest names it.
void record_lose(struct record *r, const struct err *why);
// The manifest, behind all other files. -errno and a line.
int record_manifest(struct record *r, const struct record_run *run, struct err *err);

void record_free(struct record *r);

#include "data.h"
#include "finding.h"
