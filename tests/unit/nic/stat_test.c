// SPDX-License-Identifier: BSD-3-Clause
// Tests of a NIC's counters: the tables, and that all adds up under random loss and pauses.
#include <stdio.h>

#include "base/prng.h"
#include "nic_lab.h"
#include "stat_row.h"

static void tables(void **state)
{
	(void)state;

	static const struct {
		const struct stat_table *t;
		unsigned size; // uint64_t fields of the struct
	} tabs[] = {
		{&nic_stat_table, offsetof(struct nic_stats, malformed) / 8},
		{&nic_qp_stat_table, sizeof(struct nic_qp_stats) / 8},
		{&nic_gen_stat_table, offsetof(struct nic_gen_stats, next_seq) / 8},
		{&trip_stat_table, sizeof(struct trip_stats) / 8},
	};

	for (unsigned k = 0; k < 4; k++) {
		const struct stat_table *t = tabs[k].t;

		assert_int_equal(t->n, tabs[k].size); // a field without a name would not be seen
		for (unsigned i = 0; i < t->n; i++) {
			const char *name = t->row[i].name;

			// Of the whole run: instants and extremes.
			assert_int_equal(t->row[i].whole, strstr(name, "_timestamp") ||
								  strstr(name, "_min") ||
								  strstr(name, "_max"));
			for (unsigned j = 0; j < i; j++) {
				assert_string_not_equal(t->row[i].name, t->row[j].name);
				assert_int_not_equal(t->row[i].offset, t->row[j].offset);
			}
		}
	}
	for (unsigned d = 0; d < NIC_DROPS; d++) {
		char name[40] = "drop_";

		strcat(name, nic_drop_name(d));
		assert_int_equal(nic_stat_table.row[stat_find(&nic_stat_table, name)].offset,
			offsetof(struct nic_stats, drop) + 8 * d);
	}
	assert_string_equal(nic_drop_name(NIC_DROPS), "?");
	for (unsigned e = FRAME_OK + 1; e < FRAME_TOO_LONG; e++) {
		char name[64];
		int row;

		snprintf(name, sizeof(name), "malformed_%s", frame_error_name((enum frame_error)e));
		row = stat_find(&nic_malformed_stat_table, name);
		assert_true(row >= 0);
		assert_int_equal(nic_malformed_stat_table.row[row].offset,
			offsetof(struct nic_stats, malformed) + 8 * e);
	}
	assert_int_equal(nic_malformed_stat_table.n, FRAME_TOO_LONG - 1);
}

static void conserve_notices(void **state)
{
	(void)state;

	struct lab l;
	char why[200] = "";

	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p);
	lab_run(&l, 10 * PS_PER_US);
	assert_int_equal(nic_conserve(l.nic[0], why, sizeof(why)), 0);

	struct nic_stats *s = (struct nic_stats *)(uintptr_t)nic_stats(l.nic[0]);

	s->consumed_frames++;
	assert_int_equal(nic_conserve(l.nic[0], why, sizeof(why)), -EPROTO);
	assert_memory_equal(why, "a: ", 3);
	s->consumed_frames--;
	lab_end(&l);
}

struct chaos {
	struct prng rng;
	unsigned loss_permille, ce_permille;
};

static bool shake(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct chaos *c = l->arg;

	(void)from;
	(void)now;
	if (p->kind == PKT_DATA && prng_below(&c->rng, 1000) < c->ce_permille)
		pkt_mark_ce(p);
	return p->kind == PKT_PFC || prng_below(&c->rng, 1000) >= c->loss_permille;
}

static void random_nic(struct lab *l, struct chaos *c, unsigned i)
{
	static const rate_t rates[] = {10 * RATE_GBPS, 25 * RATE_GBPS, 100 * RATE_GBPS};
	struct nic_params *p = &l->p[i];

	p->rate = rates[prng_below(&c->rng, 3)];
	p->np.mode = (enum np_mode)prng_below(&c->rng, 3);
	p->monitor = prng_below(&c->rng, 2);
	if (prng_below(&c->rng, 2))
		p->rxbuf = (struct nic_rxbuf_params){5 * RATE_GBPS, 60000, 30000, 20000};
	if (prng_below(&c->rng, 2))
		p->tolerance_ps = prng_below(&c->rng, PS_PER_US);
	for (unsigned k = 0; k < PKT_CLASSES; k++)
		p->weight[k] = (uint16_t)(1 + prng_below(&c->rng, 4));
}

static struct nic_qp_params random_qp(struct lab *l, struct chaos *c, uint32_t qpn)
{
	struct nic_qp_params p = lab_req(l, qpn);

	p.cls = prng_below(&c->rng, 2) ? 3 : 1;
	p.message_bytes = 1 + (uint32_t)prng_below(&c->rng, 30000);
	p.count = 1 + prng_below(&c->rng, 12);
	p.outstanding = 1 + (unsigned)prng_below(&c->rng, 8);
	p.start = prng_below(&c->rng, 200 * PS_PER_US);
	if (prng_below(&c->rng, 2))
		p.rate_limit = RATE_GBPS + prng_below(&c->rng, 10 * RATE_GBPS);
	return p;
}

static void random_pauses(struct lab *l, struct chaos *c)
{
	struct pkt f = {.kind = PKT_PFC, .len = 60, .u.pfc.enable = 1 << 3};

	f.u.pfc.quanta[3] = (uint16_t)prng_below(&c->rng, 3000);
	lab_rx(l, (unsigned)prng_below(&c->rng, 2), &f);
	if (!prng_below(&c->rng, 8))
		lab_ctl(l, (unsigned)prng_below(&c->rng, 2),
			(struct ctl){.type = CTL_PFC_STORM,
				.cls = 3,
				.quanta = 500,
				.a = l->now + 30 * PS_PER_US});
	if (!prng_below(&c->rng, 16)) {
		unsigned i = (unsigned)prng_below(&c->rng, 2);

		lab_ctl(l, i, (struct ctl){.type = CTL_LINK_DOWN});
		lab_run(l, l->now + prng_below(&c->rng, 20 * PS_PER_US));
		lab_ctl(l, i, (struct ctl){.type = CTL_LINK_UP});
	}
}

// Each message of each queue pair is completed exactly once and in order, at both ends.
static void check_done(const struct lab *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct nic_qp_params p = nic_qp_params(l->nic[0], i);
		const struct nic_qp_stats *rx = nic_qp_stats(l->nic[1], i);
		uint32_t next = 0;
		tstamp begun = 0;

		for (unsigned k = 0; k < l->n_ev; k++) {
			const struct ev *e = &l->ev[k];

			if (e->type != EV_MSG_DONE || e->message.flow != p.flow)
				continue;
			assert_int_equal(l->ev_nic[k], 0);
			assert_true(!next || e->message.begun > begun);
			assert_true(
				e->message.begun >= e->message.posted && e->message.begun < e->t);
			assert_int_equal(e->message.bytes, p.message_bytes);
			begun = e->message.begun;
			next++;
		}
		assert_int_equal(next, p.count);
		assert_int_equal(rx->message_complete_rx, p.count);
		assert_int_equal(rx->rx_bytes, p.count * p.message_bytes);
	}
}

static void random_rc(struct lab *l, struct chaos *c)
{
	struct rc_params rc = lab_rc_params();

	rc.verb = prng_below(&c->rng, 2) ? RC_SEND : RC_WRITE;
	rc.mtu = 256u << prng_below(&c->rng, 5);
	rc.window = 1 + (uint32_t)prng_below(&c->rng, 200);
	rc.ack_every = 1 + (uint32_t)prng_below(&c->rng, 32);
	rc.rto_ps = 300 * PS_PER_US;
	rc.retries = RC_NO_LIMIT;
	assert_int_equal(rc_cfg_init(&l->rc, &rc), 0);
}

static struct rp_cfg slow_paper(rate_t line)
{
	struct dcqcn_rp_params p;

	assert_int_equal(dcqcn_rp_profile(&p, "paper", line), 0);
	p.min_rate = 500 * RATE_MBPS;
	return rp_of_dcqcn(&p);
}

// Queue pairs 1 to n, some with a reaction point, and an open-loop source.
static unsigned random_load(struct lab *l, struct chaos *c, const struct rp_cfg *rp)
{
	unsigned n = 1 + (unsigned)prng_below(&c->rng, 12);
	struct gen_params g = {.source = 1,
		.hdr = &l->data_hdr,
		.cls = 1,
		.min_len = 60,
		.max_len = 1500,
		.rate = 2 * RATE_GBPS,
		.stop = 2 * PS_PER_MS,
		.name = "g"};

	for (uint32_t q = 1; q <= n; q++) {
		struct nic_qp_params p = random_qp(l, c, q);

		p.rp = prng_below(&c->rng, 2) ? rp : NULL;
		lab_add(l, &p);
	}
	g.burst = 1 + (uint32_t)prng_below(&c->rng, 5);
	assert_int_equal(nic_add_gen(l->nic[0], &g), 0);
	return n;
}

// All that left and did not arrive is lost, save what was lost at the very end.
static void check_source(const struct lab *l)
{
	const struct nic_gen_stats *s = nic_gen_stats(l->nic[1], 1);
	uint64_t sent = nic_gen(l->nic[0], 0)->tx_frames;

	assert_in_range(s->rx_frames + s->lost, sent - 20, sent);
}

static void one_chaos(uint64_t seed, struct nic_stats *all)
{
	struct lab l;
	struct chaos c;
	struct rp_cfg rp;
	unsigned n;

	prng_init(&c.rng, seed, "chaos");
	c.loss_permille = prng_below(&c.rng, 4) ? (unsigned)prng_below(&c.rng, 40) : 0;
	c.ce_permille = (unsigned)prng_below(&c.rng, 300);
	lab_init(&l);
	for (unsigned i = 0; i < 2; i++)
		random_nic(&l, &c, i);
	random_rc(&l, &c);
	rp = slow_paper(l.p[0].rate);
	l.hook = shake;
	l.arg = &c;
	lab_start(&l);
	for (unsigned i = 0; i < 2; i++)
		l.events[i].want = 1u << EV_MSG_DONE;
	n = random_load(&l, &c, &rp);
	for (unsigned i = 0; i < 60; i++) {
		lab_run(&l, l.now + prng_below(&c.rng, 40 * PS_PER_US));
		random_pauses(&l, &c);
		if (prng_below(&c.rng, 2))
			nic_account(l.nic[i % 2], l.now);
	}
	c.loss_permille = c.loss_permille < 10 ? c.loss_permille : 10;
	lab_run(&l, l.now + 200 * PS_PER_MS);
	check_done(&l, n);
	check_source(&l);
	assert_int_equal(l.stack.n, LAB_PKTS);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < nic_stat_table.n; k++)
			((uint64_t *)&all[i])[k] += ((const uint64_t *)nic_stats(l.nic[i]))[k];
	lab_end(&l);
}

static void chaos(void **state)
{
	(void)state;

	struct nic_stats all[2] = {0};

	for (uint64_t seed = 1; seed <= 300; seed++) {
		print_message("seed %lu\n", (unsigned long)seed);
		one_chaos(seed, all);
	}
	// It did happen.
	assert_true(all[0].local_ack_timeout_err > 100);
	assert_true(all[0].packet_seq_err > 100);
	assert_true(all[0].rp_cnp_handled > 100);
	assert_true(all[0].drop[NIC_DROP_LINK_DOWN] > 10);
	assert_true(all[1].drop[NIC_DROP_RXBUF] > 10);
	assert_true(all[1].duplicate_request > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(conserve_notices),
		cmocka_unit_test(chaos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
