// SPDX-License-Identifier: BSD-3-Clause
// iQCN against a model that scans every flow.
#include "algo/iqcn.h"

#include <stdio.h>

#include "base/prng.h"
#include "iqcn_lab.h"

// The model: every flow in a plain list, looked through at every step.
struct flow {
	uint32_t qpn;
	uint8_t port;
	tstamp last, np_last;
	uint64_t order; // of equal instants: which was touched first
	bool used, put_off;
};

#define FLOWS 40
#define PAIRS 5 // of hosts: a flow's is its QPN modulo their number

struct model {
	const struct iqcn_cfg *cfg;
	struct flow flow[FLOWS];
	tstamp tat[4], data[PAIRS];
	bool heavy[4];
	uint64_t touches, capped;
};

static struct flow *model_oldest(struct model *m, unsigned port)
{
	struct flow *oldest = NULL;

	for (struct flow *f = m->flow; f < m->flow + FLOWS; f++)
		if (f->used && f->port == port && (!oldest || f->order < oldest->order))
			oldest = f;
	return oldest;
}

static void model_cnp(struct model *m, uint32_t qpn, unsigned port, tstamp now)
{
	m->flow[qpn] = (struct flow){qpn, (uint8_t)port, now, now, ++m->touches, true, false};
}

// The QPN to send for, or -1.
static int model_expire(struct model *m, unsigned port, tstamp now)
{
	const struct iqcn_cfg *c = m->cfg;
	uint64_t limit = c->p.port_cnps_per_s ? c->p.port_cnps_per_s[port] : 0;
	tstamp token = limit ? PS_PER_S / limit : 0;

	for (struct flow *f; (f = model_oldest(m, port));) {
		bool due = m->heavy[port] && now - f->last >= c->due_ps;

		tstamp seen = tstamp_max(f->np_last, m->data[f->qpn % PAIRS]);

		if (now - seen >= c->age_ps || (due && now - f->np_last >= c->np_age_ps)) {
			f->used = false;
			continue;
		}
		if (!due)
			return -1;
		if (token && now + (c->p.port_burst - 1) * token < m->tat[port]) {
			m->capped += !f->put_off;
			f->put_off = true;
			return -1;
		}
		m->tat[port] = (m->tat[port] > now ? m->tat[port] : now) + token;
		f->last = now;
		f->put_off = false;
		f->order = ++m->touches;
		return (int)f->qpn;
	}
	return -1;
}

static void one_run(uint64_t seed)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct model m;
	struct iqcn q;
	struct prng g;
	tstamp now = 0;
	uint64_t limit[4];

	prng_init(&g, seed, "iqcn");
	p.entries = 4096; // no two of the flows fight for a slot
	p.rpg_time_reset_ps = (50 + prng_below(&g, 300)) * US;
	p.margin = prng_below(&g, 2) ? 1 : 0.9;
	p.age_ps = prng_below(&g, 2) ? 0 : 2 * p.rpg_time_reset_ps;
	p.np_age_ps = prng_below(&g, 2) ? 0 : 5 * p.rpg_time_reset_ps;
	for (unsigned i = 0; i < 4; i++)
		limit[i] = prng_below(&g, 2) ? 0 : 20000 * (i + 1);
	p.port_cnps_per_s = prng_below(&g, 4) ? limit : NULL;
	p.port_burst = 1 + (unsigned)prng_below(&g, 4);
	setup(&q, &cfg, &p);
	m = (struct model){.cfg = &cfg};
	for (unsigned step = 0; step < 1500; step++) {
		unsigned port = (unsigned)prng_below(&g, 4);
		tstamp due = iqcn_deadline(&q, port);
		const struct iqcn_entry *e;

		if (due != NEVER && prng_below(&g, 2))
			now = tstamp_max(now, due);
		else
			now += prng_below(&g, 30 * US);
		switch (prng_below(&g, 7)) {
		case 0:
			m.heavy[port] = !m.heavy[port];
			iqcn_heavy(&q, port, m.heavy[port]);
			break;
		case 1:
		case 2: {
			uint32_t qpn = (uint32_t)prng_below(&g, FLOWS);

			model_cnp(&m, qpn, port, now);
			iqcn_cnp(&q, port, cnp(9, qpn % PAIRS, qpn), now);
			break;
		}
		case 3: {
			uint8_t pair = (uint8_t)prng_below(&g, PAIRS);

			m.data[pair] = now;
			data(&q, pair, 9, now);
			break;
		}
		default:
			do {
				e = iqcn_expire(&q, port, now);
				assert_int_equal(e ? (int)e->qpn : -1, model_expire(&m, port, now));
			} while (e);
			assert_true(iqcn_deadline(&q, port) > now);
		}
	}
	assert_int_equal(q.stats.table_full, 0);
	assert_int_equal(q.stats.capped, m.capped);
	assert_true(p.port_cnps_per_s || !m.capped);
	iqcn_fini(&q);
}

static void the_order_is_that_of_a_full_scan(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		one_run(seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_that_of_a_full_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
