// SPDX-License-Identifier: BSD-3-Clause
// DCTCP reaction point: a window that shrinks by the share of marked bytes, by the paper and RFC
// 8257; or the rate that the reference simulator makes of it (docs/algo/dctcp.md).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rp_step.h"
#include "base/rate.h"

#define DCTCP_RP_BDP_MAX (1ull << 30) // bytes; no window is larger

struct dctcp_rp_params {
	bool simulator;   // the reference simulator's rules, with doubles; else the paper's
	rate_t line_rate; // bit/s
	double g;         // weight of the newest share of marks in alpha, 2^-20..1
	uint32_t mtu;     // payload bytes of a full frame, 1..65535
	uint64_t bdp;     // payload bytes in flight that fill the empty path, 1..DCTCP_RP_BDP_MAX
	rate_t min_rate;  // simulator: RATE_MIN..line_rate
	rate_t ai_rate;   // simulator: additive increase of the rate at each window's end
};

// Compiled; const and shared. The implementation owns its content.
struct dctcp_rp_cfg {
	struct dctcp_rp_params p; // for reports
	uint64_t g;               // Q0.60
	uint64_t one_minus_g;     // Q0.60
	uint64_t initial_window;
	uint64_t min_window;
};

struct dctcp_rp {
	const struct dctcp_rp_cfg *cfg;
	rate_t rate;     // simulator: the rate that the window follows; else line_rate
	uint64_t window; // bytes of payload
	union {
		uint64_t q60; // Q0.60, 1.0 is 2^60
		double ieee;  // simulator
	} alpha;
	uint64_t window_end; // an ACK beyond it ends the window in which marks are counted
	uint64_t cut_end;    // cwr: an ACK beyond it allows the next cut
	uint32_t marked;     // of the window so far: bytes with CE; simulator: ACKs with CE
	uint32_t acked;      // bytes; simulator: packets that were in flight when it began
	uint32_t credit;     // bytes towards the next additive increase
	bool cwr;            // congestion window reduced: the window has been cut for this flight
	bool fell;           // the last cut lowered rate or window
};

// Defaults for a line rate; mtu is 1024, in the simulator 1000, and bdp is for 8 us. The owner, who
// knows the path, sets both.
void dctcp_rp_defaults(struct dctcp_rp_params *params, rate_t line_rate, bool simulator);

// Compiles; -EINVAL where a value is out of the range given above.
int dctcp_rp_cfg_init(struct dctcp_rp_cfg *cfg, const struct dctcp_rp_params *params);

// Functions for rp.c, and nobody outside this room.
#pragma GCC visibility push(hidden)

// The largest value of the window. The simulator's window follows the rate, whose maximum is the
// line's.
static inline uint64_t dctcp_rp_window_most(const struct dctcp_rp_cfg *cfg)
{
	return cfg->p.simulator ? cfg->initial_window : DCTCP_RP_BDP_MAX;
}

void dctcp_rp_init(struct dctcp_rp *rp, const struct dctcp_rp_cfg *cfg);

bool dctcp_rp_same(const struct dctcp_rp_cfg *one, const struct dctcp_rp_cfg *two); // all values
// Like dcqcn_rp_may_adopt() and dcqcn_rp_adopt(); there are no timers.
bool dctcp_rp_may_adopt(const struct dctcp_rp_cfg *was, const struct dctcp_rp_cfg *to);
void dctcp_rp_adopt(struct dctcp_rp *rp, const struct dctcp_rp_cfg *cfg);

// Takes an ACK. Returns at most one event: a cut, an increase, or a change of alpha alone. RP_NONE:
// nothing visible changed.
enum rp_event dctcp_rp_ack(struct dctcp_rp *rp, const struct rp_ack *ack);

// A frame was lost: half of the window, at most once a window (RFC 8257 3.5). The simulator knows
// no losses.
enum rp_event dctcp_rp_nak(struct dctcp_rp *rp);

// Pacing, bit/s. By the paper the ACKs alone are the clock: line_rate.
static inline rate_t dctcp_rp_rate(const struct dctcp_rp *rp)
{
	return rp->rate;
}

// Bytes of payload in flight, below which a frame may start.
static inline uint64_t dctcp_rp_window(const struct dctcp_rp *rp)
{
	return rp->window;
}

// The rate that the window gives on the empty path, at most line_rate; for reports.
rate_t dctcp_rp_mean_rate(const struct dctcp_rp *rp);

// Q0.60; for reports.
uint64_t dctcp_rp_alpha(const struct dctcp_rp *rp);

// Writes the variables of the reaction point, for rp_states(); returns how many there are.
unsigned dctcp_rp_states(const struct dctcp_rp *rp, struct rp_state *row);

#pragma GCC visibility pop
