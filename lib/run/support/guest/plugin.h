// SPDX-License-Identifier: BSD-3-Clause
// A reaction point of yours: a shared object that defines
//
//	const struct quench_plugin quench_plugin = {QUENCH_PLUGIN, .name = "mine", ...};
//
// docs/howto/algorithm.md goes through an example. All that the object needs is in this header.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Raised where a plug-in would have to change its source.
#define QUENCH_PLUGIN_ABI 1

#define QUENCH_NEVER     UINT64_MAX // an instant that does not come
#define QUENCH_NO_WINDOW __builtin_inf()

// Times are picoseconds since the start of the run, on either clock; there is no other clock.
#define QUENCH_NS 1000ull
#define QUENCH_US 1000000ull
#define QUENCH_MS 1000000000ull

// The unit of a parameter, which says how a scenario writes it.
enum quench_unit {
	QUENCH_RATE,   // bit/s: 40Mbps
	QUENCH_TIME,   // ps: 55us
	QUENCH_BYTES,  // 64KB
	QUENCH_SHARE,  // 0 to 1: 20% or 0.2
	QUENCH_NUMBER, // 0.5, 1/256
};

struct quench_param {
	const char *name; // small letters, digits and _; begins with a letter
	enum quench_unit unit;
	double def;      // where the scenario says nothing
	double min, max; // both ends included; both 0: whatever the unit can be
	const char *help;
};

// The event that a verb reports; it stands in events.csv. If a verb reports nothing, a rate or
// window that fell counts as a decrease, and one that rose as written.
enum quench_event {
	QUENCH_SAYS_NOTHING,
	QUENCH_DECREASE,
	QUENCH_FAST_RECOVERY,
	QUENCH_ADDITIVE_INCREASE,
	QUENCH_HYPER_INCREASE,
};

// The reaction point of one queue pair, as every verb gets it. A member that a verb does not change
// keeps its value.
struct quench_rp {
	uint32_t size;        // of this struct, as the program knows it
	uint32_t event;       // out: enum quench_event; nothing before each call
	void *state;          // state_size bytes of yours, zeroed, aligned for any type
	const double *param;  // as the scenario has them, in the order of your table
	double line_rate;     // bit/s, of the sender's link
	uint64_t base_rtt_ps; // the longest of the scenario without queues; 0: not known
	double rate;          // out: bit/s; the line's before init
	double window;        // out: bytes of payload in flight; none before init
	const char *control;  // its name in the scenario
};

// The report of one switch on the path. No frame carries it yet.
struct quench_hop {
	uint64_t queue_bytes; // waiting behind the frame
	uint64_t sent_bytes;  // by the port, since its start
	uint64_t at_ps;       // when the frame left
	uint64_t rate;        // of the port, bit/s
};

// An ACK that acknowledges something new. Bytes are of payload.
struct quench_ack {
	uint32_t size;   // of this struct, as the program knows it
	uint32_t ce;     // 1: what it acknowledges came with CE; only with QUENCH_WANTS_CE
	uint64_t bytes;  // newly acknowledged
	uint64_t acked;  // since the queue pair began
	uint64_t sent;   // likewise: the next byte to send; sent - acked are in flight
	uint64_t rtt_ps; // QUENCH_NEVER: not known, or sent again; only with QUENCH_WANTS_RTT
	const struct quench_hop *hop; // NULL: none
	uint32_t n_hops;
};

// quench_plugin.wants
#define QUENCH_WANTS_CE  1u // ACKs tell of CE, and the receiver makes no CNPs for the flow
#define QUENCH_WANTS_RTT 2u // ACKs are timed

// The first members say what the object was compiled for: QUENCH_PLUGIN fills them.
//
// A verb that is NULL is not called: without `ack` and `nak` no ACK is looked at, and without `cnp`
// a CNP is ignored. No verb may block, allocate memory or keep anything outside of its state: one
// object serves many queue pairs, possibly of several senders at the same time. Four faults end the
// run: a crash in a verb, a rate that is no number, a window that is no number or negative, and a
// deadline that is not 1 ns later after `expire`. Then the program names control and verb, and
// writes all results so far.
//
// A rate below 100 kb/s or above the line rate is brought to the nearer limit in rp->rate, and
// counted. A queue pair may begin a frame while fewer bytes than the window are in flight, and
// while none is.
struct quench_plugin {
	uint32_t size, abi;
	uint32_t rp_size, ack_size, hop_size, param_size;
	const char *name;
	size_t state_size; // bytes for each queue pair
	const struct quench_param *params;
	uint32_t n_params; // 31 at most
	uint32_t wants;    // bitmap of QUENCH_WANTS_*
	// Called before the run, and once for each line rate while the scenario is read. Not 0:
	// these parameters do not go together, and nothing runs.
	int (*init)(struct quench_rp *rp);
	void (*cnp)(struct quench_rp *rp, uint64_t now_ps);
	void (*ack)(struct quench_rp *rp, const struct quench_ack *ack, uint64_t now_ps);
	void (*nak)(struct quench_rp *rp, uint64_t now_ps); // a gap in the sequence, or a timeout
	// A frame of `bytes` bytes, with FCS, has been sent.
	void (*sent)(struct quench_rp *rp, uint32_t bytes, uint64_t now_ps);
	// The deadline has come. now_ps is the deadline, even if the call is late.
	void (*expire)(struct quench_rp *rp, uint64_t now_ps);
	// When to call expire; QUENCH_NEVER: not at all. It is asked after every other verb, and
	// after expire for an instant at least 1 ns later. A plug-in that has it must have expire.
	uint64_t (*deadline)(const struct quench_rp *rp);
};

#define QUENCH_PLUGIN                                                               \
	.size = sizeof(struct quench_plugin), .abi = QUENCH_PLUGIN_ABI,             \
	.rp_size = sizeof(struct quench_rp), .ack_size = sizeof(struct quench_ack), \
	.hop_size = sizeof(struct quench_hop), .param_size = sizeof(struct quench_param)

extern const struct quench_plugin quench_plugin;

#ifdef __cplusplus
}
#endif
