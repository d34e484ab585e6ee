// SPDX-License-Identifier: BSD-3-Clause
// A reaction point with a window: an ACK without CE adds a share of a frame, one with CE takes what
// it acknowledges off by half, as the scalable TCP of many lectures does.
//
//	cc -O2 -shared -fPIC window.c -o window.so
#include <quench/plugin.h>

enum { START, LEAST, STEP, SHARE };

static const struct quench_param params[] = {
	[START] = {"start", QUENCH_BYTES, 64000, 1000, 1e9, "window at the start"},
	[LEAST] = {"least", QUENCH_BYTES, 1000, 1, 1e6, "no window is smaller"},
	[STEP] = {"step", QUENCH_BYTES, 1000, 1, 1e6, "added in the time of a window"},
	[SHARE] = {"share", QUENCH_SHARE, 0.5, 0, 1, "of the bytes that came with CE, taken off"},
};

static int init(struct quench_rp *rp)
{
	rp->window = rp->param[START];
	return rp->param[START] < rp->param[LEAST];
}

static void on_ack(struct quench_rp *rp, const struct quench_ack *ack, uint64_t now_ps)
{
	double bytes = (double)ack->bytes;

	(void)now_ps;
	if (ack->ce)
		rp->window -= rp->param[SHARE] * bytes;
	else
		rp->window += rp->param[STEP] * bytes / rp->window;
	if (rp->window < rp->param[LEAST])
		rp->window = rp->param[LEAST];
	if (ack->ce)
		rp->event = QUENCH_DECREASE;
}

static void on_nak(struct quench_rp *rp, uint64_t now_ps)
{
	(void)now_ps;
	rp->window = rp->param[LEAST];
}

const struct quench_plugin quench_plugin = {
	QUENCH_PLUGIN,
	.name = "window",
	.params = params,
	.n_params = sizeof(params) / sizeof(params[0]),
	.wants = QUENCH_WANTS_CE,
	.init = init,
	.ack = on_ack,
	.nak = on_nak,
};
