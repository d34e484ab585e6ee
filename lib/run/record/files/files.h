// SPDX-License-Identifier: BSD-3-Clause
// The files of a run's folder during the run: what the driver reports about the run, which of it
// goes into a file, and whether the files are complete.
#pragma once

#include "finding.h"
#include "tally/tally.h"

struct record_findings;

// Pause frames that the MAC of a real port counted itself, of each class and of PAUSE (802.3x).
struct record_mac {
	bool known;      // else its driver counts none, or no interface of the kernel tells
	bool own;        // it counts classes or PAUSE by themselves, not only the whole port
	bool time_known; // rx_paused_us is counted
	uint64_t rx_pfc[PKT_CLASSES], tx_pfc[PKT_CLASSES]; // a frame counts for each of its classes
	uint64_t rx_pause, tx_pause;
	uint64_t rx_link, tx_link;          // of the whole port, without distinction
	uint64_t rx_paused_us[PKT_CLASSES]; // time for which received frames stopped the MAC
};

// The losses of a real port in the whole run. No frame is counted for two reasons, so the counters
// add up.
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
	uint32_t peer_process; // of a part: number of the process behind the device; 0: not known
	// of a part: the clock of the part behind the device, scene time
	bool clock_known;
	bool clock_broken; // exchanges contradict each other, so that it is not known
	double clock_ahead_us, clock_bound_us, round_trip_us;
	uint64_t exchanges;       // of hellos, by which it is known
	uint64_t stranger_hellos; // that came by it and were not the peer's
	bool clock_rate_known;
	double clock_ppm, clock_bound_ppm; // by how much it is faster than ours
	// stamps that the device gave to received frames; `stamps` false: it gave none
	bool stamps, stamps_known;
	uint64_t rx_stamped;             // frames whose instant of arrival is that of their stamp
	uint64_t stamp_resets;           // times that the device's clock was set
	double stamp_tick_ns, stamp_ppm; // of the device's clock, by scene time; ppm NAN: no unit
	tstamp stamp_bound;              // how far an instant may be off
	struct record_mac mac;
	char mac_interface[16]; // of the kernel, whose driver tells of `mac`; "": none
	// counters of the driver's own that tell of losses, by its names: they repeat the reasons
	unsigned n_stats;
	struct {
		char name[64];
		uint64_t n;
	} stat[RECORD_DEVICE_STATS];
};

// What somebody did to a run on the real clock while it went on: an event that another run may
// have.
struct record_done {
	tstamp at;
	char *action; // YAML: {flow_stop: incast}
	char by[48];  // "pid 12 of user 1000"
};

// How the run went, known only to its driver; drivers fill it before report_close.
struct record_run {
	const char *clock; // "virtual", "real"
	tstamp end;        // scene time reached
	bool interrupted;  // ended by a signal before its time
	bool alone;        // no external host that it was to send to has answered (until_alone)
	char crash[256];   // the line about what crashed or hung and ended it; "": none
	// the line about a port whose lost link ended it (on_link_loss: fail); "": none did
	char link_loss[256];
	char device_gone[256]; // the port whose device was the first to go for good; "": none did
	// the port that has no link at the end, or else lacked it for longest in the window; "":
	// all ports had theirs
	char no_link[256];
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
	uint64_t imissed, rx_nombuf, ring_drops, lost_tx_ps, events_lost, captures_lost;
	uint64_t taps_lost;
	uint32_t process;   // of a part: the number by which others know this process; 0: by none
	bool hellos_signed; // with a key that all parts were given
	const struct record_device *device; // read by report_close only
	unsigned n_devices;
	const struct record_findings *self_test; // of ports and machine; NULL: there was none
	const struct record_done *done;          // in order
	unsigned n_done;
};

struct record_opts {
	const char *dir;     // "runs/NAME-CLOCK-SEED"
	bool force;          // a folder that is not empty is taken
	bool next;           // where it is there, DIR.2 is taken, DIR.3 ...; not with `force`
	bool latest;         // runs/latest points to it, where it is in runs/
	bool no_files;       // summary only in memory (tests, bench)
	bool hdr;            // distributions as files of HdrHistogram's text form
	bool first_pass;     // only its course is wanted; summary_steady_pass() may look at it
	const char *command; // command line for the manifest
	// A line for the user while the run goes on; NULL: none.
	void (*say)(void *arg, const char *line);
	void *say_arg;
};

// files.c
// Makes the folder and opens the files. -EEXIST: the folder is not empty.
int record_files_open(struct record *r, const struct record_opts *opts, struct err *err);
// Whether a file has failed by now: then recording stops, and a line says so.
void record_files_look(struct record *r, tstamp now);
void record_files_free(struct record *r);
// Closes the files that grew during the run, and frees the disk space that was reserved for the
// files of its end. -errno: the message names the first incomplete file.
int record_files_close(struct record *r, struct err *err);
// Writes the record's own files of the end, except the manifest. Errors as in record_files_close().
int record_files_end(struct record *r, const struct record_run *run, struct err *err);
// Opens a file of the folder. -errno and a line.
int record_file(const struct record *r, struct out *o, const char *name, struct err *err);
// Notes that a file of the folder is not whole, if `next` is no 0, by the line that says why; the
// manifest names it. The first of several failures is told: *code and *err.
void record_keep_error(
	struct record *r, int *code, struct err *err, int next, const struct err *why);

// manifest.c
// Writes the manifest, after all other files. -errno and a line.
int record_manifest(struct record *r, const struct record_run *run, struct err *err);

// capture.c
// The ports of the capture, once it is known when the run began.
int record_capture_begin(struct record *r, struct err *err);
// A frame seen at a captured port. dir 0: received by the port, 1: sent by it. `t`: last bit in,
// first bit out.
void record_frame(
	struct record *r, unsigned node, unsigned port, int dir, const struct pkt *p, tstamp t);

// timeseries.c
void record_ts_write(struct record *r, tstamp now);

// event.c
// The lines of one event; they come in order of time.
void record_event_put(struct record *r, const struct ev *e);

// want.c: what goes into the files
// Bitmap of the enum ev_type that nodes are to tell: what figures and files are made from.
uint64_t record_events_wanted(const struct scene *scene, const struct record_opts *opts);

// Writes a line that says from which instant on nothing was recorded, because the files had no more
// room; false: everything was recorded.
bool record_stopped(const struct record *r, char *line, size_t size);

// Writes "events_limited": how many lines of each type record.rate left out, for types of which it
// did.
void record_limited_put(struct jw *w, const struct record *r);

// The events that a flow causes as long as it runs; their lines belong to the flow. Messages and
// faults are not among them.
#define REC_OF_FLOWS                                                                      \
	(1ull << EV_CNP_TX | 1ull << EV_CNP_RX | 1ull << EV_CNP_INT | 1ull << EV_CNM_RX | \
		1ull << EV_RP | 1ull << EV_RP_ALPHA | 1ull << EV_RTT)

// Whether the event, of a type of r->held, may have a line, by its flow.
bool record_want_flow(const struct record *r, const struct ev *e);
static inline bool record_want_held(const struct record *r, const struct ev *e)
{
	return !(REC_OF_FLOWS >> e->type & 1) || record_want_flow(r, e);
}
