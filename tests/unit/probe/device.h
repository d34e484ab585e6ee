// SPDX-License-Identifier: BSD-3-Clause
// A switch in plain C, frame by frame, as the lab of unit tests: one buffer, ingress groups with
// XOFF and XON, queues by class that obey PFC, markers, and four testers around it. It shares no
// code with quench's own switch.
#pragma once

#include "base/prng.h"
#include "probe/int.h"

enum device_marks { DEVICE_NO_MARKS, DEVICE_AT_ENQUEUE, DEVICE_AT_DEQUEUE };

struct device_params {
	rate_t rate;
	unsigned ports;  // testers, 4 at first
	tstamp cable;    // one way, of each link
	tstamp forward;  // from the last bit of a frame to its first bit at the egress, at least
	tstamp response; // from the last bit of an XOFF until its egress begins no frame
	tstamp resume;   // the same of an XON
	unsigned longer; // it holds for so many times the quanta; 0: once
	uint8_t obeys;   // bitmap of classes
	uint8_t away;    // bit k: in the k-th step from now on it obeys nothing
	bool obeys_pause;
	bool floods;       // each frame goes to all other ports
	bool silent;       // it forwards nothing
	uint8_t lossless;  // bitmap of classes with XOFF
	uint8_t cls[64];   // class of each DSCP
	bool trusts_pcp;   // the class of a frame is that of its PCP, without a tag class 0
	uint8_t of_pcp[8]; // class of each PCP
	unsigned cell;     // bytes; 1: it counts bytes
	uint64_t buffer;   // bytes of frames, shared by all groups, without headroom
	uint64_t reserve;  // of each group
	double alpha;      // of lossless groups; 0: static
	uint64_t xoff;     // of a group, with a static threshold
	uint64_t hyst;     // XON is at so much less than XOFF
	uint64_t headroom; // of each group, behind XOFF
	uint64_t pool;     // 0: each group has its own headroom; else all share so much
	uint16_t quanta;   // of its XOFF
	uint8_t reserved;  // upper byte of the enable vector of its PFC
	double refresh;    // share of that pause after which XOFF is sent again; 0: never
	double tail_alpha; // of lossy groups; 0: static
	uint64_t tail;     // of a lossy group, static
	uint64_t queue;    // a queue drops above so many bytes; 0: it does not
	enum device_marks marks;
	uint8_t marked;     // bitmap of classes whose frames may be marked
	bool marks_count;   // lengths for marks are frames' bytes although the buffer has cells
	bool drops_not_ect; // a frame that would be marked, but is Not-ECT, is dropped
	unsigned average;   // the marker's queue length is averaged by 2^-n at each arrival; 0: not
	uint64_t kmin, kmax;                   // bytes
	double pmax;                           // 0..1
	unsigned weight[PKT_CLASSES];          // of 1000 bytes each turn; 0: strict
	tstamp wd_detect, wd_poll, wd_restore; // wd_poll 0: no watchdog
	bool wd_forwards;                      // its action, else it drops
	double others;                         // of the first egress' rate that somebody else has
	unsigned varies; // XOFF comes up to so many frames later or sooner, by chance
	// It takes and sends nothing for `hang`, and goes on after about `between` again.
	tstamp hang, between;

	// Our own instrument.
	tstamp gap;          // about the time of a loop, after which a port sees frames; 0: at once
	bool port_eats_pfc;  // our MAC keeps PFC frames to itself
	unsigned port_obeys; // PFC frames from now on that our own port obeys
	unsigned bad;        // steps from now on in which frames of ours are lost
	uint64_t seed;
};

struct device;

// 100 Gb/s, four ports, 100 ns of cable, classes 0 to 7 by DSCP 8 c, 3 and 4 lossless with static
// XOFF at 100 000 bytes, no cells, no marks, weights 1.
struct device_params device_usual(void);
struct device *device_new(const struct device_params *params);
void device_free(struct device *d);
struct lab *device_lab(struct device *d);
// Its parameters may change between steps.
struct device_params *device_params(struct device *d);

// Faults of the next step, `in` from its start. The device starts again: for this time it takes no
// frame, and then it has forgotten all that it had. A link is lost for this time.
void device_restarts(struct device *d, tstamp in, tstamp lasts);
void device_link_is_lost(struct device *d, unsigned port, tstamp in, tstamp lasts);

// A probe with this lab as probe_run() makes it: in 0, 1, 3 and out 2, 3, all DSCPs told.
struct probe *device_probe(struct device *d, uint8_t classes);
void device_probe_free(struct probe *p);
