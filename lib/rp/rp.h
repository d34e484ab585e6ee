// SPDX-License-Identifier: BSD-3-Clause
// A reaction point of any algorithm: its inputs from the NIC, and the rate and window that follow.
#pragma once

#include "dcqcn_rp.h"
#include "dctcp_rp.h"
#include "plugin_rp.h"
#include "qcn_rp.h"
#include "rdma_ip_reg.h"
#include "rp_book.h"
#include "timely_rp.h"

enum rp_kind {
	RP_NO_KIND, // no reaction point: the queue pair sends at its limit
	RP_DCQCN,
	RP_QCN,
	RP_RDMA_IP,
	RP_DCTCP,
	RP_TIMELY,
	RP_PLUGIN,
	RP_KINDS,
};

// The inputs that a reaction point needs. RP_ASKS_CE: the responder echoes CE in its ACKs (BECN),
// and sends no CNPs. RP_ASKS_RTT: ACKs are timed.
enum rp_asks {
	RP_ASKS_CNP = 1 << 0,
	RP_ASKS_CNM = 1 << 1,
	RP_ASKS_ACK = 1 << 2,
	RP_ASKS_CE = 1 << 3,
	RP_ASKS_RTT = 1 << 4,
};

// Compiled for the line rate of a sender; const and shared by all reaction points like it. Of the
// arm that `kind` names the algorithm's own header says how it is made.
struct rp_cfg {
	enum rp_kind kind;
	union {
		struct dcqcn_rp_cfg dcqcn;
		struct qcn_rp_cfg qcn;
		struct rdma_ip_reg_params rdma_ip;
		struct dctcp_rp_cfg dctcp;
		struct timely_rp_cfg timely;
		struct plugin_rp_cfg plugin;
	} u;
};

// The state of one reaction point, of at most 64 bytes. State that is larger, or that is shared
// with others, is stored elsewhere.
struct rp {
	uint8_t kind; // enum rp_kind
	uint8_t asks; // bitmap of enum rp_asks
	union {
		struct dcqcn_rp dcqcn;
		struct qcn_rp *qcn;
		struct rdma_ip_qp *rdma_ip;
		struct dctcp_rp dctcp;
		struct timely_rp timely;
		struct plugin_rp *plugin;
	} u;
};

// How a reaction point stands, for reports.
struct rp_look {
	rate_t rc, rt;
	rate_t line; // at which there is no limit
	bool has_alpha;
	uint64_t alpha;  // Q0.60; 0 where there is none
	uint64_t window; // bytes; 0: none
};

// A bitmap of enum rp_asks; 0 where cfg is NULL.
unsigned rp_asks(const struct rp_cfg *cfg);

// Whether the queue pairs of a flow ID, or of a destination and class, have one together
// (802.1Qau).
static inline bool rp_is_joined(const struct rp_cfg *cfg)
{
	return cfg && cfg->kind == RP_QCN;
}

// Returns whether rp_catch_up() can do the work of many rp_expire() calls at once. Then the effect
// of the timers is known in closed form, the whole state is in `rp`, and its owner may leave timers
// that are due for later.
static inline bool rp_catches_up(const struct rp *rp)
{
	return rp->kind == RP_DCQCN;
}

// Returns whether nothing has reached a reaction point that could change what it does: a new one
// that is started would do the same. Kinds whose state is elsewhere are never taken for new.
static inline bool rp_is_new(const struct rp *rp)
{
	return !rp->kind || (rp->kind == RP_DCQCN && !rp->u.dcqcn.active && !rp->u.dcqcn.counts);
}

// The registers of the RDMA IP as it is built and brought up; NULL: it is no RDMA IP.
static inline const struct rdma_ip_reg_params *rp_registers(const struct rp_cfg *cfg)
{
	return cfg && cfg->kind == RP_RDMA_IP ? &cfg->u.rdma_ip : NULL;
}

// The shortest of its timers, ps; TSTAMP_NEVER: it has none.
tstamp rp_shortest_timer(const struct rp_cfg *cfg);

// The largest value of its window, bytes of payload; 0: it has none.
uint64_t rp_window_most(const struct rp_cfg *cfg);

// Bytes that it needs elsewhere, which the owner gives to rp_init, zeroed, and frees; 0: none.
size_t rp_state_size(const struct rp_cfg *cfg);

// Initialises a reaction point. `cfg` NULL: there is none. `state`: zeroed memory of the size asked
// for; for the RDMA IP the queue pair of the register file. `rng` belongs to this reaction point
// alone (QCN), and must outlive it.
void rp_init(struct rp *rp, const struct rp_cfg *cfg, void *state, struct prng *rng);

// Returns whether reaction points of one configuration may take over another one: the algorithm is
// the same, and the parameters that differ may change while it runs. NULL: none. A plug-in's never
// may.
bool rp_may_adopt(const struct rp_cfg *was, const struct rp_cfg *to);

// Returns whether two configurations have the same values. NULL: none. Two configurations of
// plug-ins have not.
bool rp_same(const struct rp_cfg *a, const struct rp_cfg *b);

// Takes another configuration over at `now` (dcqcn_rp_adopt, ...), which must outlive it. Timers
// that are due by `now` must have been expired; afterwards some may be due again. The state
// survives. The RDMA IP's configuration is its registers: they are taken over for all queue pairs
// at once, by rdma_ip_reg_adopt().
void rp_adopt(struct rp *rp, const struct rp_cfg *cfg, tstamp now);

// A queue pair starts, or goes on after a stop. If it is below the line's rate, its rate begins to
// rise.
void rp_start(struct rp *rp, tstamp now);

// One due timer event with its nominal instant in *at, in order of time; RP_NONE when none is due
// by `now`. Call until RP_NONE. RP_ALPHA comes only `with_alpha`; nothing else depends on that.
enum rp_event rp_expire(struct rp *rp, tstamp now, tstamp *at, bool with_alpha);

// Brings the state to where calls of rp_expire() until RP_NONE would bring it, without an event for
// each increase of the rate: it returns cuts, and perhaps fewer other events. Call it until
// RP_NONE.
enum rp_event rp_catch_up(struct rp *rp, tstamp now, tstamp *at);

// Returns how often alpha's timer has changed alpha since the last call, up to `now`, but not
// beyond a cut that is due. Only for a reaction point that catches up and therefore reports no
// RP_ALPHA; 0 for others. Call it before and after rp_expire() or rp_catch_up(): the sum has all
// changes.
uint64_t rp_alpha_moves(struct rp *rp, tstamp now);

// Next instant at which a timer can change rate or window; TSTAMP_NEVER: none.
tstamp rp_deadline(const struct rp *rp);

// Inputs from the network. Timers due by `now` must have been expired. RP_NONE: nothing changed
// that anybody sees.
enum rp_event rp_cnp(struct rp *rp, tstamp now);
enum rp_event rp_cnm(struct rp *rp, unsigned qntzfb, tstamp now);
enum rp_event rp_ack(struct rp *rp, const struct rp_ack *ack, tstamp now);
enum rp_event rp_nak(struct rp *rp, tstamp now); // a gap in the sequence, or a timeout

// The rest of rp_sent.
enum rp_event rp_sent_other(struct rp *rp, uint32_t bytes, tstamp now);

// A frame of `bytes` (len + FCS) was sent; at most one event a call.
static inline enum rp_event rp_sent(struct rp *rp, uint32_t bytes, tstamp now)
{
	if (rp->kind == RP_DCQCN)
		return rp->u.dcqcn.counts ? dcqcn_rp_sent(&rp->u.dcqcn, bytes) : RP_NONE;
	return rp->kind ? rp_sent_other(rp, bytes, now) : RP_NONE;
}

// The rate that it allows, bit/s, UINT64_MAX: no limit; and its window, bytes of payload in flight,
// 0: none. A frame may start while fewer bytes than the window are in flight, so that the last may
// overrun it.
rate_t rp_rate(const struct rp *rp);
uint64_t rp_window(const struct rp *rp);

// Whether the RP_DECREASE that a call has just returned lowered the rate or the window. At the
// least rate, or with an alpha of 0, a decrease leaves both as they were.
bool rp_fell(const struct rp *rp);

// The RDMA IP's debugging window; NULL: it has none.
const struct rdma_ip_dfx *rp_dfx(const struct rp *rp);

// Reads the reaction point at `now`. Timers that are due must have been expired, except for
// alpha's.
void rp_look(const struct rp *rp, tstamp now, struct rp_look *look);

// Rc and Rt alone, of an algorithm whose every reaction may be looked at.
static inline void rp_rates(const struct rp *rp, tstamp now, rate_t *rc, rate_t *rt)
{
	struct rp_look look;

	if (rp->kind == RP_DCQCN) {
		*rc = rp->u.dcqcn.rc;
		*rt = rp->u.dcqcn.rt;
		return;
	}
	rp_look(rp, now, &look);
	*rc = look.rc;
	*rt = look.rt;
}

// Instant of the next event that rp_expire() returns if nothing else comes before, including events
// that rp_deadline() leaves out because they change neither rate nor window; TSTAMP_NEVER: none.
tstamp rp_next(const struct rp *rp);

// Writes every variable of the state at `now`: rate, window and deadline, then the variables of the
// algorithm, which alone decides what rows there are. Timers must have been expired up to `now`.
// Writes at most RP_STATES_MOST rows; returns the number.
unsigned rp_states(const struct rp *rp, struct rp_state *row, tstamp now);
