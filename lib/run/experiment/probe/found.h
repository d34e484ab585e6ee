// SPDX-License-Identifier: BSD-3-Clause
// The findings of a probe about a device: figures of a class or of the device, each with its state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "wire/pkt.h"

#define PROBE_DEVICE  PKT_CLASSES       // the "class" of figures of the whole device
#define PROBE_COLUMNS (PKT_CLASSES + 1) // classes, then the device

enum found_state {
	FOUND_NOT,      // not measured: `why`
	FOUND_IS,       // value +- half width
	FOUND_AT_LEAST, // value is a lower bound
	FOUND_AT_MOST,
	FOUND_NONE,    // there is none; value: the bound of the search, 0: no bound
	FOUND_VARIES,  // repeats differ: least, median (value), most
	FOUND_OTHERS,  // value, but somebody else sent meanwhile
	FOUND_INVALID, // our instrument was at fault: `why`
};

// Figures, in the order in which they are shown. Bytes count as the device's buffer does: cells
// where it has cells, else frames with FCS.
enum probe_figure {
	// the device
	PROBE_FORWARDS, // word: no, yes, floods
	PROBE_TRANSIT,  // us, first bit to last bit of a frame alone, less its wire time and cables
	PROBE_CELL,     // bytes; 1: it counts bytes (or cells of 64 at most)
	PROBE_OTHERS,   // frames of others in a second of silence
	// a class
	PROBE_OBEYS,         // word: nothing, PFC, PAUSE
	PROBE_DSCPS,         // how many DSCPs are of the class; which: probe_found.dscps
	PROBE_PCPS,          // how many PCPs; which: probe_found.pcps
	PROBE_DROPS_FIRST,   // bytes at which it drops before any XOFF
	PROBE_XOFF,          // bytes of an ingress group at which XOFF comes, the egress blocked
	PROBE_XON,           // bytes
	PROBE_HYSTERESIS,    // bytes
	PROBE_QUANTA,        // of its XOFF
	PROBE_REFRESH,       // us; none: the pause runs out
	PROBE_REFRESH_SHARE, // of the time of its quanta, %
	PROBE_FLAPS,         // word: no, yes: an XON came although the group stayed above XOFF
	PROBE_PFC_FRAME,     // word: what differs in its PFC frames from 802.1Qbb
	PROBE_THRESHOLD,     // word: static, dynamic
	PROBE_ALPHA,         // the power of two, where one is within 10 %; else as measured
	PROBE_ALPHA_RAW,
	PROBE_RESERVE,  // bytes of a group
	PROBE_SHARED,   // bytes
	PROBE_HEADROOM, // bytes after XOFF without loss, of shortest frames
	PROBE_RESPONSE, // us, of its egress to our XOFF
	PROBE_RESPONSE_QUANTA,
	PROBE_HOLD_ERROR,    // us, beyond the quanta asked
	PROBE_QUANTUM,       // ps, slope of hold over quanta
	PROBE_RESUME,        // us after XON
	PROBE_MARK,          // word: none, at enqueue, at dequeue
	PROBE_MARK_AVERAGED, // word: no, yes
	PROBE_MARK_LINEAR,   // word: no, yes
	PROBE_MARK_COUNTS,   // word: bytes, cells: the unit of the length
	PROBE_KMIN,          // bytes
	PROBE_KMAX,
	PROBE_PMAX,       // %
	PROBE_NOT_ECT,    // word: passed, dropped above Kmin, marked
	PROBE_STRICT,     // word: no, yes
	PROBE_WEIGHT,     // relative to the least of all
	PROBE_TAIL,       // word: where a lossy class drops: static, dynamic, of all senders
	PROBE_TAIL_LIMIT, // bytes, of two senders
	PROBE_TAIL_ALPHA,
	PROBE_TAIL_SHARED, // bytes
	PROBE_POOL,        // bytes of headroom that groups share
	PROBE_WATCHDOG,    // word: none, drop, forward
	PROBE_DETECT,      // us: value the middle of the interval, pm half of it
	PROBE_RESTORE,     // us, the same
	PROBE_POLL,        // us
	PROBE_FIGURES
};

#define FOUND_NOT_ASKED "not asked for" // struct found.why of a step that nobody asked for

struct found {
	enum found_state state;
	double value, pm;   // pm: half width of 95 %, in the figure's unit; 0: exact
	double least, most; // FOUND_VARIES
	const char *why;    // constant text; NULL: nothing to say
};

// Names and units of figures.
struct probe_figure_row {
	const char *name;        // in probe.json and dut.yaml's comments: "xoff_bytes"
	const char *unit;        // "": a number; NULL: a word
	const char *const *word; // by value; NULL: it is no word
	bool device;
	const char *text; // "XOFF", as the table calls it
};

extern const struct probe_figure_row probe_figure[PROBE_FIGURES];

// A curve for the report: a ramp of marks, XOFF against what others hold, holds against quanta.
struct probe_curve {
	const char *name; // constant: "marks", "alpha", "hold"
	unsigned cls;
	const char *x, *y; // what stands on the axes, with units
	unsigned n, room;
	struct probe_point {
		double x, y, n; // n: frames or repeats behind it
	} * point;
};

struct probe_found {
	struct found f[PROBE_COLUMNS][PROBE_FIGURES];
	uint64_t dscps[PKT_CLASSES]; // bitmap: DSCPs that were found to be of a class
	uint8_t pcps[PKT_CLASSES];   // bitmap: PCPs
	struct probe_curve *curve;
	unsigned n_curves;
};

// The value of a figure that was found (FOUND_IS, FOUND_VARIES, FOUND_OTHERS), else NaN.
double found_value(const struct probe_found *f, unsigned cls, enum probe_figure fig);

// Puts all times into the own time of a device whose clock is `dilate` times slower than ours.
void found_in_device_time(struct probe_found *f, uint64_t dilate);

void found_free(struct probe_found *f);

#pragma GCC visibility push(hidden)

// For the steps of a probe.

// Writes a figure.
void found_is(struct probe_found *f, unsigned cls, enum probe_figure fig, double value, double pm);
void found_state(struct probe_found *f, unsigned cls, enum probe_figure fig, enum found_state state,
	double value, const char *why);

// Adds a curve; the caller gives it points. NULL: no memory.
struct probe_curve *found_curve(
	struct probe_found *f, const char *name, unsigned cls, const char *x, const char *y);
// Frees all but the first `n` curves.
void found_curves_drop(struct probe_found *f, unsigned n);
int found_point(struct probe_curve *c, double x, double y, double n); // -ENOMEM

#pragma GCC visibility pop
