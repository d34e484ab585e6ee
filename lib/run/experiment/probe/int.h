// SPDX-License-Identifier: BSD-3-Clause
// Shared by the steps of a probe: its state, its waits, its lists.
#pragma once

#include <errno.h>

#include "base/prng.h"
#include "probe.h"

#pragma GCC visibility push(hidden)

#define PROBE_SHORT 60 // bytes of a shortest frame without FCS

// The results of earlier steps about a class, for later steps. Frames are of PROBE_SHORT until the
// cell is known.
struct probe_group {
	uint32_t n_xoff; // frames of 64 bytes up to and with the one that brings XOFF; 0: unknown
	uint32_t n_xoff_near; // coarse: frames sent when XOFF came in `overfill`
	uint32_t out;         // frames that came out after the release in `overfill`
	uint32_t left_at_xon; // coarse: frames that were left when XON came; 0: unknown
	uint16_t quanta;      // of its XOFF
	tstamp d;             // from the last bit of the frame that brings XOFF to XOFF's arrival
	bool lost;        // `overfill` lost frames after XOFF: `out` is all that the buffer takes
	bool drops_first; // frames are dropped before any XOFF
};

// The lists of the next step of the lab. Each step fills them anew.
struct probe_list {
	struct lab_step step;
	struct tester_item *item[TESTER_PORTS];
	unsigned space[TESTER_PORTS];
	bool no_memory;  // an item is missing: probe_do() says so
	bool whole_rate; // its figures need the rate that is asked for: 98 % of the due frames
};

struct probe {
	struct lab *lab;
	const struct probe_cfg *cfg;
	const struct probe_listener *listener;
	struct probe_found *found;
	struct err *err;
	struct prng rng;
	rate_t rate;      // of the measured ports
	byte_ps ps;       // of a byte at that rate
	tstamp quantum;   // 512 bit times
	tstamp transit;   // of the device
	tstamp response;  // of its egress to our XOFF
	uint16_t unit;    // bytes without FCS of the frames that fill exactly one cell: PROBE_SHORT
	bool obeys_pause; // it obeys PAUSE, not PFC
	bool others;      // somebody else sends
	uint8_t obeys;    // bitmap of classes
	struct probe_group group[PKT_CLASSES];
	struct probe_list list;
	uint64_t inside;      // wire time of our frames that may be in the device still, ps
	tstamp most_hold;     // cfg's, or less, so that no watchdog of the device acts
	const char *hindered; // why no further step is done; NULL: they are
	uint8_t held;         // bitmap of classes that a hold of ours may still stop
	// What befell the bench in this step, so that it is done again; NULL: nothing did. And the
	// fault of our own ports that stayed in three tries of a list; NULL: none did.
	const char *fault, *spoilt;
};

void probe_init(struct probe *p, struct lab *lab, const struct probe_cfg *cfg,
	struct probe_found *found, struct err *err);

// Wire time of a frame of `len` bytes without FCS.
static inline tstamp probe_wire(const struct probe *p, unsigned len)
{
	return rate_time(p->ps, len + PKT_WIRE);
}

// Waits, by the loop gap g: each of our waits is at least w = 5 us + 25 g. At tb = 1000 quanta + w
// after XOFF a device has surely stopped.
static inline tstamp probe_w(const struct probe *p)
{
	return 5 * PS_PER_US + 25 * p->lab->gap;
}

// Whether loops are longer than a frame: then the device, too, may have been away for a moment, and
// frames that come out of a class in XOFF do not say that it does not obey.
static inline bool probe_is_rough(const struct probe *p)
{
	return p->lab->gap > probe_wire(p, PROBE_SHORT);
}

// A wait beyond probe_w() where loops are long: for our longest one, and for one of the device that
// is as long.
static inline tstamp probe_more(const struct probe *p)
{
	return probe_is_rough(p) ? 2 * tstamp_min(p->lab->gap_longest, probe_w(p)) : 0;
}

static inline tstamp probe_tb(const struct probe *p)
{
	return 1000 * p->quantum + probe_w(p);
}

// From a release until the first frame that it lets go has passed the device: as long as the device
// may take to obey, its transit, and our loops.
static inline tstamp probe_release_time(const struct probe *p)
{
	return probe_tb(p) + p->transit + probe_w(p);
}

// Lists (list.c). A step is put together by probe_list_new(), items, and probe_add(); `step` in
// p->list has more settings. Its tail is probe_w() unless the caller writes another one.

// Number of the k-th source of a port. Frames of different ports have different sources.
#define PROBE_SOURCE(port, k) ((uint16_t)((k) << 6 | (port)))

void probe_list_new(struct probe *p, const char *name);
void probe_list_free(struct probe *p);
// Adds an item to a port's list. Returns its number, which later items may have as `after`.
int32_t probe_add(struct probe *p, unsigned port, struct tester_item item);
// A DSCP of a class, from the settings or from step `map`; PROBE_NO_DSCP: none is known.
uint8_t probe_dscp(const struct probe *p, unsigned cls);
// Whether frames of a class can be sent: its DSCP is known, or its PCP where frames have tags.
bool probe_reaches(const struct probe *p, unsigned cls);
// Items, from the step's start on; the caller changes what differs. Data: `count` frames of p->unit
// bytes, ECT(0), at the line rate, of the port's source 0. A class that is not known has DSCP 0, or
// where frames have tags none.
struct tester_item probe_data(
	const struct probe *p, unsigned from, unsigned to, unsigned cls, uint32_t count);
struct tester_item probe_pfc(uint8_t classes, unsigned quanta); // one frame; quanta 0: XON
// Holds until a release: XOFF of the longest pause, repeated at half of it; and repeated each
// `gap`.
struct tester_item probe_hold(const struct probe *p, uint8_t classes);
struct tester_item probe_storm(uint8_t classes, tstamp gap);
struct tester_item probe_release(uint8_t classes, tstamp at);
// A fill: out[0] holds the class. From tb on the ports of `in` send one after the other, the last
// port first: port in[k] sends frames[k] frames of `len` bytes (0: p->unit). `frames` has an entry
// for each port of `in`. Returns the instant at which the last frame has left. The hold stays until
// probe_clear() or a release.
tstamp probe_fill(struct probe *p, unsigned cls, const uint32_t *frames, unsigned len);
// A ramp: from `at` on out[0] holds the class, and the first `inputs` ports of `in` send `frames`
// frames with this ECN codepoint at the same time. Each port sends a frame in `slow` times the time
// of a frame. Then out[0] releases. Returns the instant at which all frames are out.
tstamp probe_ramp(struct probe *p, unsigned cls, uint32_t frames, unsigned inputs, unsigned ecn,
	unsigned slow, tstamp at);

// Steps (do.c).

// Does the step in p->list once. 0, and *why is NULL or a reason not to trust it: loops that were
// too late, a late sender, frames that we lost, too little rate; -errno: the probe ends.
// *why of loops that were too late: counts may be too high by the frames of the longest gap.
extern const char probe_late[], probe_sender_late[];
int probe_once(struct probe *p, struct lab_sight *sight, const char **why);
// probe_do(), up to three times while *why is not NULL, with probe_clear() in between. 0; -EAGAIN:
// three times in vain, *sight and *why are those of the last time; other -errno: the probe ends.
int probe_do(struct probe *p, struct lab_sight *sight, const char **why);
// Releases all that is held, and waits until nothing of ours is in the device: a single frame comes
// through. The device learns all addresses again. Single frames that are lost are p->fault: nothing
// stopped them. 0; -EAGAIN: frames do not come; other -errno: the probe ends. It changes p->list.
int probe_clear(struct probe *p);

// probe_do() for counts, which late loops make less certain but not wrong: they return 0 and *why
// is probe_late.
static inline int probe_count(struct probe *p, struct lab_sight *sight, const char **why)
{
	int rc = probe_do(p, sight, why);

	return rc == -EAGAIN && *why == probe_late ? 0 : rc;
}

// probe_clear(), and in *why that frames do not come through.
static inline int probe_emptied(struct probe *p, const char **why)
{
	int rc = probe_clear(p);

	if (rc == -EAGAIN)
		*why = "frames of ours stayed in the device";
	return rc;
}

// Frames of `source` that came, of a step before this one: out of a device that was held.
static inline uint32_t probe_left(const struct lab_seen *s, unsigned source)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += !s->entry[i].sent && s->entry[i].source == source &&
		     (s->entry[i].frame == TESTER_EARLIER || s->entry[i].frame == TESTER_OURS);
	return n;
}

// Tells the listener.
void probe_tell(const struct probe *p, enum probe_step step, unsigned cls, const char *text);

// One file each. 0: done, or not possible, which the figures say; -errno: the probe ends.
int probe_self(struct probe *p);
int probe_map(struct probe *p);
int probe_pause(struct probe *p, unsigned cls);
int probe_overfill(struct probe *p, unsigned cls);
int probe_xoff(struct probe *p, unsigned cls);
int probe_cell(struct probe *p, unsigned cls);
int probe_refresh(struct probe *p, unsigned cls);
int probe_xon(struct probe *p, unsigned cls);
int probe_alpha(struct probe *p, unsigned cls);
int probe_lossy(struct probe *p, unsigned cls);
int probe_marks(struct probe *p, unsigned cls);
int probe_weights(struct probe *p);
int probe_pool(struct probe *p, unsigned cls);
int probe_watchdog(struct probe *p, unsigned cls);

// order.c: finds the DSCPs that share the queue of a lossy class, by the DSCP that the settings
// give for it.
int probe_order(struct probe *p, unsigned cls);

// xoff.c: frames of `len` bytes up to and with the one that brings XOFF. Before them port in[i]
// sends preload[i] frames of 64 bytes of the same class, in[0], too (NULL: none). `near` is how
// many have been sent at the line rate when XOFF comes. 0 and *n; 1: no XOFF came, *n is 0; other
// -errno: the probe ends.
int probe_find_xoff(struct probe *p, unsigned cls, unsigned len, const uint32_t *preload,
	uint32_t near, uint32_t *n);
// Frames of `len` bytes that have been sent at the line rate when XOFF comes, of at most `most`; 0:
// none comes. 0, or -errno.
int probe_near_xoff(struct probe *p, unsigned cls, unsigned len, const uint32_t *preload,
	uint32_t most, uint32_t *near);
// The instant of a fill at which a watchdog of the device ended its hold: frames came out, or an
// XON said that the frames are gone; 0: no watchdog acted. A class that does not obey has frames
// out at once.
tstamp probe_acted(const struct probe *p, const struct lab_sight *sight, unsigned cls);
// Waits until the action of a watchdog is over; further holds are shorter. 0, or -errno.
int probe_rest(struct probe *p, unsigned cls, tstamp acted);
extern const char probe_dog[]; // why of a figure that a watchdog hinders
// Frames of `len` bytes that a fill may have so that the hold lasts most.hold at most.
uint32_t probe_most_frames(const struct probe *p, unsigned len);
// Bytes that a frame of 64 bytes takes in the device: 64, or a cell.
static inline unsigned probe_unit(const struct probe *p)
{
	return p->unit + PKT_FCS;
}
// Writes XOFF and headroom: counts of frames, times the bytes that each takes.
void probe_write_xoff(struct probe *p, unsigned cls);

#pragma GCC visibility pop
