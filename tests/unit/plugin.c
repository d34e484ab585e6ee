// SPDX-License-Identifier: BSD-3-Clause
// A plug-in for tests. FLAW says what is wrong with its table; where nothing is, its parameters say
// which verb goes wrong, how and from when on.
#include <stdlib.h>
#include <string.h>

#include "guest/guest.h"

#ifndef FLAW
#define FLAW 0
#endif

enum { VERB, HOW, FROM, RATE, WINDOW, GAIN, SHIFT, EVENT };

static const struct quench_param params[] = {
	[VERB] = {"verb", QUENCH_NUMBER, 99, 0, 99, "0: init, 1: cnp, 2: ack ... 6: deadline"},
	[HOW] = {"how", QUENCH_NUMBER, 0, 0, 99, "how it goes wrong"},
	[FROM] = {"from", QUENCH_TIME, 0, 0, 1e15, "not before"},
	[RATE] = {"rate", QUENCH_RATE, 10e9, 0, 1e12, "what it allows"},
	[WINDOW] = {"window", QUENCH_BYTES, 64000, 0, 0, "what it allows"},
	[GAIN] = {"gain", QUENCH_SHARE, 0.0625, 0.01, 1, "a share"},
	[SHIFT] = {"shift", QUENCH_NUMBER, 0.5, -2, 2, "a number"},
	[EVENT] = {"event", QUENCH_NUMBER, 0, 0, 9, "what it says"},
#if FLAW == 1
	{"Bad-Name", QUENCH_NUMBER, 0, 0, 0, ""},
#elif FLAW == 2
	{"gain", QUENCH_NUMBER, 0, 0, 0, ""},
#elif FLAW == 3
	{"late", QUENCH_NUMBER, 3, 0, 2, ""},
#elif FLAW == 4
	{"wide", QUENCH_SHARE, 1, 0, 2, ""},
#elif FLAW == 5
	{"half", QUENCH_TIME, 0.5, 0, 0, ""},
#elif FLAW == 6
	{"odd", (enum quench_unit)17, 0, 0, 0, ""},
#endif
};

struct state {
	uint64_t calls, due;
	unsigned char rest[40];
};

static int *volatile nowhere;
static volatile int zero, seven = 7;

// Until there is no stack left.
static unsigned deeper(unsigned n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return zero ? n : deeper(n + 1) + (unsigned char)room[0];
}

// A signal is to end it, and not UBSan.
__attribute__((no_sanitize("undefined"))) static void go_wrong(struct quench_rp *rp, unsigned how)
{
	if (how == 1)
		*nowhere = 1;
	else if (how == 2)
		zero = seven / zero;
	else if (how == 3)
		__builtin_trap();
	else if (how == 4)
		abort();
	else if (how == 5)
		zero = (int)(deeper(0) & 0);
	else if (how == 6)
		rp->rate = __builtin_nan("");
	else if (how == 7)
		rp->window = __builtin_nan("");
	else if (how == 8)
		rp->window = -1;
	else if (how == 9)
		rp->rate = 50e3;
	else if (how == 10)
		rp->rate = 1e15;
	else if (how == 11)
		rp->window = 0;
	else if (how == 12)
		rp->rate = -__builtin_inf();
}

#if FLAW == 10
void is_nowhere(void);
#endif

static void reached(const struct quench_rp *rp, unsigned verb, uint64_t now_ps)
{
	struct state *s = rp->state;

	s->calls++;
#if FLAW == 10
	is_nowhere();
#endif
	if ((unsigned)rp->param[VERB] == verb && (double)now_ps >= rp->param[FROM])
		go_wrong((struct quench_rp *)rp, (unsigned)rp->param[HOW]);
}

static int init(struct quench_rp *rp)
{
	struct state *s = rp->state;

	s->due = QUENCH_US;
	rp->rate = rp->param[RATE];
	rp->window = rp->param[WINDOW] > 0 ? rp->param[WINDOW] : QUENCH_NO_WINDOW;
	reached(rp, 0, 0);
	return rp->param[HOW] == 20;
}

static void decide(struct quench_rp *rp)
{
	rp->rate = rp->param[RATE];
	rp->event = (uint32_t)rp->param[EVENT];
}

#if FLAW != 9
static void on_cnp(struct quench_rp *rp, uint64_t now_ps)
{
	decide(rp);
	reached(rp, 1, now_ps);
}
#endif

#if FLAW != 8
static void on_ack(struct quench_rp *rp, const struct quench_ack *ack, uint64_t now_ps)
{
	decide(rp);
	if (rp->param[HOW] == 30) // shows what it was given
		rp->window = (double)(ack->bytes + ack->acked + ack->sent + ack->rtt_ps + ack->ce);
	reached(rp, 2, now_ps);
}
#endif

static void on_nak(struct quench_rp *rp, uint64_t now_ps)
{
	decide(rp);
	reached(rp, 3, now_ps);
}

static void on_sent(struct quench_rp *rp, uint32_t bytes, uint64_t now_ps)
{
	(void)bytes;
	decide(rp);
	reached(rp, 4, now_ps);
}

static void on_expire(struct quench_rp *rp, uint64_t now_ps)
{
	struct state *s = rp->state;

	decide(rp);
	if (rp->param[HOW] == 22)
		s->due = now_ps / 2;
	else if (rp->param[HOW] == 23)
		s->due = now_ps + 999;
	else if (rp->param[HOW] != 21)
		s->due = now_ps + QUENCH_US;
	reached(rp, 5, now_ps);
}

#if FLAW != 7
static uint64_t deadline(const struct quench_rp *rp)
{
	const struct state *s = rp->state;

	reached(rp, 6, s->due);
	return s->due;
}
#endif

#if FLAW == 11
#undef QUENCH_PLUGIN
#define QUENCH_PLUGIN .size = sizeof(struct quench_plugin), .abi = QUENCH_PLUGIN_ABI + 1
#elif FLAW == 12
#undef QUENCH_PLUGIN
#define QUENCH_PLUGIN .size = sizeof(struct quench_plugin) - 8, .abi = QUENCH_PLUGIN_ABI
#elif FLAW == 13
#undef QUENCH_PLUGIN
#define QUENCH_PLUGIN                                                   \
	.size = sizeof(struct quench_plugin), .abi = QUENCH_PLUGIN_ABI, \
	.rp_size = sizeof(struct quench_rp) + 8
#endif

const struct quench_plugin quench_plugin = {
	QUENCH_PLUGIN,
	.name = "test",
	.state_size = sizeof(struct state),
	.params = params,
	.n_params = sizeof(params) / sizeof(params[0]),
	.init = init,
#if FLAW != 9
	.cnp = on_cnp,
#endif
#if FLAW != 8
	.ack = on_ack,
#endif
	.nak = on_nak,
	.sent = on_sent,
	.expire = on_expire,
#if FLAW != 7
	.deadline = deadline,
#endif
#if FLAW == 8 || FLAW == 9 || FLAW == 14
	.wants = QUENCH_WANTS_CE | QUENCH_WANTS_RTT,
#endif
};
