// SPDX-License-Identifier: BSD-3-Clause
// Shared by the steps of a probe: its state, its waits, its lists.
#pragma once

#include "base/prng.h"
#include "probe.h"

#pragma GCC visibility push(hidden)

#define PROBE_SHORT 60 // bytes of a shortest frame without FCS

// What one step leaves to those behind it, of a class; frames are of PROBE_SHORT until the cell is
// known.
struct probe_group {
	uint32_t n_xoff; // frames of 64 bytes up to and with the one that brings XOFF; 0: unknown
	uint32_t n_xoff_near; // coarse: frames sent when XOFF came in `overfill`
	uint32_t out;         // frames that came out after the release in `overfill`
	uint32_t left_at_xon; // coarse: frames that were left when XON came; 0: unknown
	uint16_t quanta;      // of its XOFF
	tstamp d;             // from the last bit of the frame that brings XOFF to XOFF's arrival
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
};

// Wire time of a frame of `len` bytes without FCS.
static inline tstamp probe_wire(const struct probe *p, unsigned len)
{
	return rate_time(p->ps, len + PKT_WIRE);
}

// PROBE.md's waits: every wait of ours is at least w = 5 us + 25 g; behind tb = 1000 quanta + w a
// device has surely stopped.
static inline tstamp probe_w(const struct probe *p)
{
	return 5 * PS_PER_US + 25 * p->lab->gap;
}

static inline tstamp probe_tb(const struct probe *p)
{
	return 1000 * p->quantum + probe_w(p);
}

// Does a step of the lab; where loops were too late, frames were lost or the rate was missed it
// does it again, three times in all. 0; -EAGAIN: three times in vain, *sight is the last one, and *why
// says what was wrong; other -errno: the probe ends.
int probe_do(
	struct probe *p, const struct lab_step *step, struct lab_sight *sight, const char **why);

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

// xoff.c: frames of `len` bytes up to and with the one that brings XOFF, with `preload[i]` frames
// of the same class from port in[i] before; `near` is where to look. 0 and *n; 1: no XOFF came, *n is
// 0; -errno.
int probe_find_xoff(struct probe *p, unsigned cls, unsigned len, const uint32_t *preload,
	uint32_t near, uint32_t *n);

#pragma GCC visibility pop
