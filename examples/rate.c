// SPDX-License-Identifier: BSD-3-Clause
// A reaction point with a rate: a CNP takes a share of it, at most once in a period, and each
// period without one adds a step.
//
//	cc -O2 -shared -fPIC rate.c -o rate.so
#include <quench/plugin.h>

enum { STEP, CUT, PERIOD, LEAST };

static const struct quench_param params[] = {
	[STEP] = {"step", QUENCH_RATE, 100e6, 1e6, 100e9, "added each period"},
	[CUT] = {"cut", QUENCH_SHARE, 0.5, 0.01, 1, "of the rate, taken by a CNP"},
	[PERIOD] = {"period", QUENCH_TIME, 55 * QUENCH_US, QUENCH_US, QUENCH_MS,
		"between two steps, and between two cuts"},
	[LEAST] = {"least", QUENCH_RATE, 100e6, 1e6, 100e9, "no cut goes below it"},
};

struct state {
	uint64_t due, cut_at; // ps
};

static int init(struct quench_rp *rp)
{
	struct state *s = rp->state;

	s->due = (uint64_t)rp->param[PERIOD];
	return rp->param[LEAST] > rp->line_rate;
}

static void on_cnp(struct quench_rp *rp, uint64_t now_ps)
{
	struct state *s = rp->state;
	uint64_t period = (uint64_t)rp->param[PERIOD];

	if (s->cut_at && now_ps - s->cut_at < period)
		return;
	rp->rate *= 1 - rp->param[CUT];
	if (rp->rate < rp->param[LEAST])
		rp->rate = rp->param[LEAST];
	s->cut_at = now_ps;
	s->due = now_ps + period;
}

static void on_expire(struct quench_rp *rp, uint64_t now_ps)
{
	struct state *s = rp->state;

	s->due = now_ps + (uint64_t)rp->param[PERIOD];
	rp->rate += rp->param[STEP];
	if (rp->rate > rp->line_rate)
		rp->rate = rp->line_rate;
	rp->event = QUENCH_ADDITIVE_INCREASE;
}

static uint64_t deadline(const struct quench_rp *rp)
{
	const struct state *s = rp->state;

	return rp->rate < rp->line_rate ? s->due : QUENCH_NEVER;
}

const struct quench_plugin quench_plugin = {
	QUENCH_PLUGIN,
	.name = "rate",
	.state_size = sizeof(struct state),
	.params = params,
	.n_params = sizeof(params) / sizeof(params[0]),
	.init = init,
	.cnp = on_cnp,
	.expire = on_expire,
	.deadline = deadline,
};
