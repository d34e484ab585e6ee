// SPDX-License-Identifier: BSD-3-Clause
// iQCN against the oracles of standards.md 5, its bounds, its flow table at its default size, and a
// model that scans every flow.
#include "defaults.h"
#include "algo/iqcn.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/have.h"
#include "base/prng.h"
#include "had.h"
#include "iqcn_lab.h"

// One flow on port 0, heavy from 0: CNPs of the NP at `np` (us), ours until `until`, listed in us.
static unsigned ours(const struct iqcn_params *p, const uint64_t *np, unsigned n, uint64_t until,
	uint64_t *out, bool heavy)
{
	struct iqcn_cfg cfg;
	struct iqcn q;
	unsigned sent = 0, i = 0;

	setup(&q, &cfg, p);
	iqcn_heavy(&q, 0, heavy);
	for (;;) {
		tstamp next = i < n ? np[i] * US : NEVER, due = iqcn_deadline(&q, 0);

		if (tstamp_min(next, due) > until * US)
			break;
		if (next <= due) { // arrivals first
			iqcn_cnp(&q, 0, cnp(9, 1, 17), next);
			i++;
			continue;
		}
		if (iqcn_expire(&q, 0, due))
			out[sent++] = due / US;
		assert_null(iqcn_expire(&q, 0, due));
		assert_true(iqcn_deadline(&q, 0) > due);
	}
	assert_int_equal(q.stats.tx_cnps, sent);
	assert_int_equal(q.port[0].tx_cnps, sent);
	assert_int_equal(q.stats.rx_cnps, n);
	iqcn_fini(&q);
	return sent;
}

#define OURS(margin_, until, heavy, ...)                                     \
	({                                                                   \
		static const uint64_t np[] = {__VA_ARGS__};                  \
		struct iqcn_params p = defaults();                           \
                                                                             \
		p.margin = (margin_);                                        \
		ours(&p, np, sizeof(np) / sizeof(np[0]), until, got, heavy); \
	})

static void assert_list(const uint64_t *got, unsigned n, const char *want)
{
	char text[256] = "";
	int len = 0;

	for (unsigned i = 0; i < n; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%llu ",
			(unsigned long long)got[i]);
	assert_string_equal(text, want);
}

// standards.md 5, oracles (i), (ii), (iii) and the three beside them.
static void worked_examples_hold(void **state)
{
	uint64_t got[32];
	unsigned n;

	(void)state;
	n = OURS(1.0, 1200, true, 0, 120, 260);
	assert_list(got, n, "560 860 1160 ");
	n = OURS(1.0, 1200, true, 0, 120, 260, 900);
	assert_list(got, n, "560 860 1200 ");
	n = OURS(0.9, 1100, true, 0, 120, 260);
	assert_list(got, n, "530 800 1070 ");
	n = OURS(0.9, 1200, true, 0, 120, 260, 900);
	assert_list(got, n, "530 800 1170 ");
	n = OURS(1.0, 10000, false, 0, 120, 260);
	assert_list(got, n, "");
	n = OURS(1.0, 1500, true, 0, 250, 500, 750, 1000, 1250, 1500);
	assert_list(got, n, "");
	n = OURS(1.0, 1000, true, 0, 350, 700);
	assert_list(got, n, "300 650 1000 ");
}

static void a_cnp_of_ours_is_due_early_by_margin_and_path(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;

	(void)state;
	assert_int_equal(iqcn_cfg_init(&cfg, &p), 0);
	assert_true(cfg.due_ps == 270 * US);
	assert_true(cfg.age_ps == 3000 * US);
	assert_true(cfg.np_age_ps == PS_PER_S);
	p.path_delay_ps = 20 * US;
	assert_int_equal(iqcn_cfg_init(&cfg, &p), 0);
	assert_true(cfg.due_ps == 250 * US);
	p.path_delay_ps = 500 * US; // the cap per entry is the least that is left
	assert_int_equal(iqcn_cfg_init(&cfg, &p), 0);
	assert_true(cfg.due_ps == 4 * US);
}

// Congestion that comes late finds flows overdue: they are served at once, longest wait first.
static void late_congestion_serves_the_oldest_first(void **state)
{
	struct iqcn_params p = defaults();
	const struct iqcn_entry *e;
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	setup(&q, &cfg, &p);
	for (uint8_t i = 1; i <= 3; i++)
		iqcn_cnp(&q, 2, cnp(9, i, i), i * 100 * US);
	iqcn_cnp(&q, 2, cnp(9, 1, 1), 350 * US);
	iqcn_cnp(&q, 1, cnp(8, 4, 4), 0); // another port's
	assert_true(iqcn_deadline(&q, 2) == NEVER);
	iqcn_heavy(&q, 2, true);
	assert_true(iqcn_deadline(&q, 2) == 470 * US);
	e = iqcn_expire(&q, 2, 600 * US);
	assert_int_equal(e->qpn, 2);
	assert_int_equal(e->hdr.daddr[3], 2);
	assert_int_equal(e->hdr.saddr[3], 9);
	assert_int_equal(e->hdr.dst[5], 2);
	assert_int_equal(e->len, 74);
	assert_int_equal(e->tos, 0xc2);
	assert_true(e->waited_ps == 400 * US);
	assert_int_equal(iqcn_expire(&q, 2, 600 * US)->qpn, 3);
	assert_null(iqcn_expire(&q, 2, 600 * US));
	assert_true(iqcn_deadline(&q, 2) == 620 * US);
	assert_int_equal(iqcn_expire(&q, 2, 620 * US)->qpn, 1);
	iqcn_heavy(&q, 2, false);
	assert_null(iqcn_expire(&q, 2, 2000 * US));
	assert_int_equal(q.port[1].tx_cnps, 0);
	assert_int_equal(q.port[2].tx_cnps, 3);
	assert_int_equal(q.port[2].rx_cnps, 4);
	iqcn_fini(&q);
}

// A flow is its two addresses and the QPN; the CNP's UDP port and ToS may change.
static void flows_are_told_apart_by_addresses_and_qpn(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct hdr six = {.flags = HDR_IPV6, .saddr = {[15] = 1}, .daddr = {[15] = 2}};
	struct pkt v6 = {.hdr = &six, .kind = PKT_CNP};
	struct iqcn q;

	(void)state;
	setup(&q, &cfg, &p);
	iqcn_cnp(&q, 0, cnp(9, 1, 17), 0);
	iqcn_cnp(&q, 0, cnp(9, 1, 17), 1);
	assert_int_equal(q.flows, 1);
	iqcn_cnp(&q, 0, cnp(9, 1, 18), 2);
	iqcn_cnp(&q, 0, cnp(9, 2, 17), 3);
	iqcn_cnp(&q, 0, cnp(8, 1, 17), 4);
	assert_int_equal(q.flows, 4);
	v6.u.rc.qpn = 17;
	iqcn_cnp(&q, 0, &v6, 5);
	six.saddr[8] = 1;
	iqcn_cnp(&q, 0, &v6, 6);
	assert_int_equal(q.flows, 6);
	assert_int_equal(q.stats.learned, 6);
	six = (struct hdr){.flags = HDR_IPV6, .saddr = {10, 0, 0, 9}, .daddr = {10, 0, 0, 1}};
	iqcn_cnp(&q, 0, &v6, 6); // looks like an IPv4 flow
	assert_int_equal(q.flows, 7);
	assert_int_equal(q.stats.table_full, 0);
	six.sport = 1234;
	v6.tos = 0x10;
	iqcn_cnp(&q, 3, &v6, 7); // known, on its new port
	assert_int_equal(q.flows, 7);
	assert_int_equal(q.port[0].flows, 6);
	assert_int_equal(q.port[3].flows, 1);
	assert_int_equal(q.entry[q.port[3].oldest - 1].tos, 0x10);
	iqcn_fini(&q);
}

// Two flows of one 64-bit key: the entry says whose it is, and the later one has it.
static void a_shared_hash_is_noticed(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	setup(&q, &cfg, &p);
	iqcn_cnp(&q, 0, cnp(9, 1, 17), 0);
	for (unsigned i = 0; i < 4; i++) { // as if another flow had come to the same key
		struct iqcn_entry *e = &q.entry[q.port[0].oldest - 1];

		e->qpn ^= i == 0;
		e->hdr.saddr[3] ^= i == 1;
		e->hdr.daddr[3] ^= i == 2;
		e->hdr.flags ^= i == 3 ? HDR_IP : 0;
		iqcn_cnp(&q, 0, cnp(9, 1, 17), i + 1);
		assert_int_equal(q.flows, 1);
		assert_int_equal(q.stats.learned, 2 + i);
		assert_int_equal(q.stats.table_full, 1 + i);
		assert_int_equal(e->qpn, 17);
		assert_memory_equal(&e->hdr, cnp(9, 1, 17)->hdr, sizeof(e->hdr));
	}
	iqcn_fini(&q);
}

static void a_full_table_forgets_its_oldest_and_counts_it(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	p.entries = TABLE_WAYS; // one set
	setup(&q, &cfg, &p);
	for (uint8_t i = 0; i < 7; i++)
		iqcn_cnp(&q, i % 2, cnp(9, 1, i), i * US);
	assert_int_equal(q.flows, 4);
	assert_int_equal(q.stats.learned, 7);
	assert_int_equal(q.stats.table_full, 3);
	assert_int_equal(q.port[0].flows + q.port[1].flows, 4);
	assert_int_equal(q.entry[q.port[1].oldest - 1].qpn, 3);
	assert_int_equal(q.entry[q.port[0].oldest - 1].qpn, 4);
	// CNPs of ours count like others
	iqcn_heavy(&q, 1, true);
	assert_int_equal(iqcn_expire(&q, 1, 300 * US)->qpn, 3);
	iqcn_cnp(&q, 2, cnp(9, 1, 7), 300 * US); // takes the place of QPN 4
	assert_int_equal(q.entry[q.port[0].oldest - 1].qpn, 6);
	assert_int_equal(q.stats.table_full, 4);
	iqcn_cnp(&q, 0, cnp(9, 1, 8), 4000 * US); // the others have aged: no loss
	assert_int_equal(q.stats.table_full, 4);
	assert_int_equal(q.stats.aged, 1);
	iqcn_fini(&q);
}

static void flows_without_cnp_are_forgotten(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q;
	unsigned sent = 0;

	(void)state;
	p.np_age_ps = 1890 * US;
	setup(&q, &cfg, &p);
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 0);
	iqcn_cnp(&q, 0, cnp(9, 1, 2), 100 * US);
	iqcn_heavy(&q, 0, true); // T_age of the first, not of the second
	assert_null(iqcn_expire(&q, 0, 3000 * US));
	assert_int_equal(q.flows, 0); // for the second is past the NP's own age
	assert_int_equal(q.stats.aged, 2);
	assert_true(iqcn_deadline(&q, 0) == NEVER);
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 4000 * US);
	for (tstamp at; (at = iqcn_deadline(&q, 0)) != NEVER;)
		sent += iqcn_expire(&q, 0, at) != NULL;
	assert_int_equal(sent, 6); // in steps of 270 us; the seventh would be at 1890
	assert_int_equal(q.table.n, 0);
	assert_int_equal(q.stats.aged, 3);
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 9000 * US);
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 12000 * US); // met when aged: new
	assert_int_equal(q.stats.learned, 5);
	assert_int_equal(q.stats.aged, 4);
	iqcn_fini(&q);
}

// How many CNPs of ours one flow of port 0 gets from now on, at its deadlines.
static unsigned fed(struct iqcn *q, tstamp until)
{
	unsigned n = 0;

	for (tstamp at; (at = iqcn_deadline(q, 0)) <= until;)
		n += iqcn_expire(q, 0, at) != NULL;
	return n;
}

// T_age is 3 ms: one CNP of the NP, no data, and after 11 of ours the flow is forgotten.
static void cnps_of_ours_do_not_keep_a_flow(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	setup(&q, &cfg, &p);
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 0);
	iqcn_heavy(&q, 0, true);
	assert_int_equal(fed(&q, PS_PER_S), 11);
	assert_int_equal(q.flows, 0);
	assert_int_equal(q.stats.aged, 1);
	iqcn_fini(&q);
}

// Data from the sender to the receiver keeps it, for np_age; that of others, or the other way, does
// not.
static void data_keeps_a_flow(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	p.np_age_ps = 20 * PS_PER_MS;
	setup(&q, &cfg, &p);
	iqcn_heavy(&q, 0, true);
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 0);
	for (unsigned ms = 0; ms < 10; ms += 2) {
		data(&q, 1, 9, ms * PS_PER_MS);
		fed(&q, (ms + 2) * PS_PER_MS);
		assert_int_equal(q.flows, 1);
	}
	assert_int_equal(fed(&q, 20 * PS_PER_MS), (11000 - 10000) / 270); // data last at 8 ms
	assert_int_equal(q.flows, 0);
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 30 * PS_PER_MS);
	for (unsigned ms = 30; ms < 60; ms += 2) {
		data(&q, 1, 9, ms * PS_PER_MS);
		fed(&q, (ms + 2) * PS_PER_MS);
		assert_int_equal(q.flows, ms < 50);
	}
	iqcn_cnp(&q, 0, cnp(9, 1, 1), 60 * PS_PER_MS);
	data(&q, 9, 1, 62 * PS_PER_MS);
	data(&q, 2, 9, 62 * PS_PER_MS);
	data(&q, 1, 8, 62 * PS_PER_MS);
	fed(&q, 64 * PS_PER_MS);
	assert_int_equal(q.flows, 0);
	iqcn_fini(&q);
}

static void data_over_ipv6_keeps_a_flow(void **state)
{
	struct iqcn_params p = defaults();
	struct hdr to = {.flags = HDR_IPV6, .saddr = {[0] = 0x20, [15] = 1}, .daddr = {[15] = 2}};
	struct hdr from = {.flags = HDR_IPV6, .saddr = {[15] = 2}, .daddr = {[0] = 0x20, [15] = 1}};
	struct pkt c = {.hdr = &to, .kind = PKT_CNP};
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	setup(&q, &cfg, &p);
	iqcn_cnp(&q, 0, &c, 0);
	iqcn_data(&q, &from, 2 * PS_PER_MS);
	iqcn_tidy(&q, 4 * PS_PER_MS);
	assert_int_equal(q.flows, 1);
	iqcn_tidy(&q, 5 * PS_PER_MS);
	assert_int_equal(q.flows, 0);
	iqcn_fini(&q);
}

// As for one packet after the other, over IPv4 and IPv6, more than are fetched at once.
static void a_burst_leaves_the_marks_of_its_frames(void **state)
{
	struct iqcn_params p = defaults();
	struct hdr h[300] = {0};
	struct pkt x[300] = {0}, *burst[300];
	struct iqcn_cfg cfg;
	struct iqcn a, b;
	struct prng g;

	(void)state;
	prng_init(&g, 1, "frames");
	setup(&a, &cfg, &p);
	setup(&b, &cfg, &p);
	for (unsigned i = 0; i < 300; i++) {
		h[i].flags = prng_below(&g, 2) ? HDR_IPV4 : HDR_IPV6;
		h[i].dst[prng_below(&g, 6)] = (uint8_t)prng_below(&g, 4);
		h[i].saddr[prng_below(&g, 16)] = (uint8_t)prng_below(&g, 4);
		h[i].daddr[prng_below(&g, 16)] = (uint8_t)prng_below(&g, 4);
		h[i].vlan_tci = (uint16_t)prng_below(&g, 4096); // behind the addresses
		x[i].hdr = &h[i];
		burst[i] = &x[i];
		iqcn_data(&b, &h[i], i < 200 ? PS_PER_US : 2 * PS_PER_US);
	}
	iqcn_data_burst(&a, burst, 200, PS_PER_US);
	iqcn_data_burst(&a, burst + 200, 100, 2 * PS_PER_US);
	assert_memory_equal(a.data, b.data, sizeof(*a.data) << (64 - a.data_shift));
	iqcn_fini(&a);
	iqcn_fini(&b);
}

// Of tables that have been joined each looks at the marks of the others: data that one has seen
// makes a CNP believed at another one, and keeps a flow known there. A table alone sees none of it.
static void joined_tables_know_data_that_others_have_seen(void **state)
{
	const struct iqcn *all[3];
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		setup(&q[i], &cfg, &p);
	for (unsigned i = 0; i < 3; i++) {
		all[i] = &q[i];
		iqcn_join(&q[i], all, 3);
	}
	data(&q[2], 1, 9, PS_PER_MS);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(iqcn_saw_data(&q[i], cnp(9, 1, 7)->hdr, 2 * PS_PER_MS), i < 3);
		assert_false(iqcn_saw_data(&q[i], cnp(9, 1, 7)->hdr, 4 * PS_PER_MS));
		assert_false(iqcn_saw_data(&q[i], cnp(8, 1, 7)->hdr, 2 * PS_PER_MS));
		iqcn_cnp(&q[i], 0, cnp(9, 1, 7), 0);
		iqcn_tidy(&q[i], 4 * PS_PER_MS - 1);
		assert_int_equal(q[i].flows, i < 3);
		iqcn_tidy(&q[i], 4 * PS_PER_MS);
		assert_int_equal(q[i].flows, 0);
	}
	for (unsigned i = 0; i < 4; i++)
		iqcn_fini(&q[i]);
}

// Nothing is heavy, so nobody meets them: tidying finds those that have aged, and leaves the
// others.
static void flows_that_aged_unnoticed_are_tidied_away(void **state)
{
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	p.entries = 4096; // no two of the flows fight for a slot
	setup(&q, &cfg, &p);
	for (uint32_t i = 0; i < 20; i++)
		iqcn_cnp(&q, i % 4, cnp(9, (uint8_t)i, i), i * 100 * US);
	data(&q, 0, 9, 3000 * US);
	iqcn_tidy(&q, 4000 * US); // 1 to 10 are 3 ms old
	assert_int_equal(q.flows, 10);
	assert_int_equal(q.table.n, 10);
	assert_int_equal(q.stats.aged, 10);
	assert_int_equal(q.entry[q.port[0].oldest - 1].qpn, 0);
	assert_int_equal(q.port[0].flows, 3);
	iqcn_tidy(&q, 6000 * US);
	assert_int_equal(q.flows, 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(q.port[i].oldest + q.port[i].newest, 0);
	iqcn_fini(&q);
}

// 10,000 CNPs a second with bursts of two: two at once, then one each 100 us; five were put off.
static void ports_have_a_token_bucket(void **state)
{
	static const uint64_t want[] = {0, 0, 100, 200, 300, 400, 500};
	struct iqcn_params p = defaults();
	struct iqcn_cfg cfg;
	struct iqcn q;
	unsigned n = 0;

	(void)state;
	p.port_cnps_per_s = (const uint64_t[]){10000, 0, 0, 0};
	p.port_burst = 2;
	setup(&q, &cfg, &p);
	for (uint32_t i = 0; i < 7; i++)
		iqcn_cnp(&q, 0, cnp(9, 1, i), i);
	iqcn_heavy(&q, 0, true);
	while (n < 7) {
		tstamp at = tstamp_max(iqcn_deadline(&q, 0), 2000 * US);
		const struct iqcn_entry *e;

		iqcn_heavy(&q, 0, true); // goes on
		e = iqcn_expire(&q, 0, at);
		assert_non_null(e);
		assert_true(at == (2000 + want[n]) * US);
		assert_int_equal(e->qpn, n);
		assert_int_equal(e->tx_cnps, 1);
		n++;
		if (n == 7)
			break;
		assert_true(n < 2 || !iqcn_expire(&q, 0, at));
		assert_true(n < 2 || iqcn_deadline(&q, 0) > at);
	}
	assert_int_equal(q.stats.capped, 5);
	iqcn_fini(&q);
}

// 1 % of the rate, in CNPs of 98 bytes on the wire.
static void the_usual_limit_is_a_share_of_the_rate(void **state)
{
	(void)state;
	assert_int_equal(iqcn_port_share(25 * RATE_GBPS), 318877);
	assert_int_equal(iqcn_port_share(100 * RATE_GBPS), 1275510);
	assert_int_equal(iqcn_port_share(400 * RATE_GBPS), 5102040);
	assert_int_equal(iqcn_port_share(1), 1);
}

// `capped` counts what the limit put off and nothing else: not CNPs that are late because
// congestion is, or the poll, and none at all without a limit.
static void only_a_limit_caps(void **state)
{
	for (uint64_t cnps_per_s = 0; cnps_per_s <= 20000000; cnps_per_s += 10000000) {
		struct iqcn_params p = defaults();
		struct iqcn_cfg cfg;
		struct iqcn q;

		(void)state;
		p.entries = 4096; // no two of the flows fight for a slot
		p.port_cnps_per_s = (const uint64_t[]){cnps_per_s, 0, 0, 0};
		setup(&q, &cfg, &p);
		for (uint32_t i = 0; i < 40; i++)
			iqcn_cnp(&q, 0, cnp(9, 1, i), i * 50);
		iqcn_heavy(&q, 0, true);
		for (uint32_t i = 0; i < 40; i++) // all are due for 30 us and have tokens
			assert_non_null(iqcn_expire(&q, 0, 300 * US));
		assert_null(iqcn_expire(&q, 0, 300 * US));
		assert_int_equal(q.stats.tx_cnps, 40);
		assert_int_equal(q.stats.capped, 0);
		iqcn_fini(&q);
	}
}

static void values_out_of_range_are_refused(void **state)
{
	struct iqcn_cfg cfg;

	(void)state;
#define REFUSED(field, value)                                       \
	do {                                                        \
		struct iqcn_params p = defaults();                  \
                                                                    \
		p.field = (value);                                  \
		assert_int_equal(iqcn_cfg_init(&cfg, &p), -EINVAL); \
	} while (0)
	REFUSED(n_ports, 0);
	REFUSED(entries, 0);
	REFUSED(entries, (1u << 20) + 1);
	REFUSED(rpg_time_reset_ps, PS_PER_US - 1);
	REFUSED(rpg_time_reset_ps, PS_PER_S + 1);
	REFUSED(margin, 0);
	REFUSED(margin, 1.01);
	REFUSED(margin, 0.0 / 0.0);
	REFUSED(path_delay_ps, PS_PER_S + 1);
	REFUSED(entry_gap_ps, PS_PER_S); // over T_age
	REFUSED(age_ps, 270 * US);
	REFUSED(np_age_ps, 270 * US);
	REFUSED(port_cnps_per_s, ((const uint64_t[]){0, 0, 0, PS_PER_S + 1}));
	REFUSED(port_burst, 0);
	REFUSED(port_burst, 65537);
#undef REFUSED
}

// 64 Ki flows are known by default; of twice as many the rest gave way, and is counted.
static void as_many_flows_as_the_table_has_entries(void **state)
{
	struct hdr h = {.flags = HDR_IPV4, .saddr = {10, 0, 0, 9}, .daddr = {10, 0, 0, 1}};
	struct pkt cnp = {.hdr = &h, .kind = PKT_CNP, .len = 74};
	struct iqcn_params p;
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	iqcn_defaults(&p);
	assert_int_equal(iqcn_cfg_init(&cfg, &p), 0);
	assert_int_equal(iqcn_init(&q, &cfg, 7), 0);
	assert_int_equal((q.table.set_mask + 1) * TABLE_WAYS, 65536);
	for (uint32_t i = 0; i < 131072; i++) {
		cnp.u.rc.qpn = i;
		iqcn_cnp(&q, 0, &cnp, i);
	}
	assert_int_equal(q.stats.learned, 131072);
	assert_int_equal(q.stats.aged, 0);
	assert_int_equal(q.stats.table_full, 131072 - q.flows);
	assert_in_range(q.flows, 64000, 65536); // a set of four that few fell into has room left
	assert_int_equal(q.port[0].flows, q.flows);
	iqcn_fini(&q);
}

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

// Parameters by chance; limits of the ports go to `limit`.
static struct iqcn_params random_params(struct prng *g, uint64_t *limit)
{
	struct iqcn_params p = defaults();

	p.entries = 4096; // no two of the flows fight for a slot
	p.rpg_time_reset_ps = (50 + prng_below(g, 300)) * US;
	p.margin = prng_below(g, 2) ? 1 : 0.9;
	p.age_ps = prng_below(g, 2) ? 0 : 2 * p.rpg_time_reset_ps;
	p.np_age_ps = prng_below(g, 2) ? 0 : 5 * p.rpg_time_reset_ps;
	for (unsigned i = 0; i < 4; i++)
		limit[i] = prng_below(g, 2) ? 0 : 20000 * (i + 1);
	p.port_cnps_per_s = prng_below(g, 4) ? limit : NULL;
	p.port_burst = 1 + (unsigned)prng_below(g, 4);
	return p;
}

// Congestion that comes or goes, a CNP, data, or what is due: the same for the model.
static void random_step(struct iqcn *q, struct model *m, struct prng *g, unsigned port, tstamp now)
{
	const struct iqcn_entry *e;

	switch (prng_below(g, 7)) {
	case 0:
		m->heavy[port] = !m->heavy[port];
		iqcn_heavy(q, port, m->heavy[port]);
		break;
	case 1:
	case 2: {
		uint32_t qpn = (uint32_t)prng_below(g, FLOWS);

		model_cnp(m, qpn, port, now);
		iqcn_cnp(q, port, cnp(9, qpn % PAIRS, qpn), now);
		break;
	}
	case 3: {
		uint8_t pair = (uint8_t)prng_below(g, PAIRS);

		m->data[pair] = now;
		data(q, pair, 9, now);
		break;
	}
	default:
		do {
			e = iqcn_expire(q, port, now);
			assert_int_equal(e ? (int)e->qpn : -1, model_expire(m, port, now));
		} while (e);
		assert_true(iqcn_deadline(q, port) > now);
	}
}

static void one_run(uint64_t seed)
{
	struct iqcn_params p;
	struct iqcn_cfg cfg;
	struct model m;
	struct iqcn q;
	struct prng g;
	tstamp now = 0;
	uint64_t limit[4];

	prng_init(&g, seed, "iqcn");
	p = random_params(&g, limit);
	setup(&q, &cfg, &p);
	m = (struct model){.cfg = &cfg};
	for (unsigned step = 0; step < 1500; step++) {
		unsigned port = (unsigned)prng_below(&g, 4);
		tstamp due = iqcn_deadline(&q, port);

		if (due != NEVER && prng_below(&g, 2))
			now = tstamp_max(now, due);
		else
			now += prng_below(&g, 30 * US);
		random_step(&q, &m, &g, port, now);
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

static void flows_and_marks_have_their_memory(void **state)
{
	struct iqcn_params p;
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	had_begin();
	iqcn_defaults(&p);
	p.n_ports = 1;
	p.entries = 65536;
	setup(&q, &cfg, &p);
	iqcn_have(&q, had_tell);
	assert_int_equal(had.n, 3);
	assert_ptr_equal(had.area[0].from, q.table.set);
	assert_ptr_equal(had.area[1].from, q.entry);
	assert_int_equal(had.area[1].bytes, 65536 * sizeof(*q.entry));
	assert_ptr_equal(had.area[2].from, q.data);
	assert_int_equal(had.area[2].bytes, 4 * 65536 * sizeof(*q.data)); // four marks an entry
	assert_int_equal(had_missing(), 0);
	assert_int_equal((uintptr_t)q.entry % HAVE_LARGE, 0);
	assert_int_equal((uintptr_t)q.data % HAVE_LARGE, 0);
	iqcn_fini(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_examples_hold),
		cmocka_unit_test(flows_and_marks_have_their_memory),
		cmocka_unit_test(a_cnp_of_ours_is_due_early_by_margin_and_path),
		cmocka_unit_test(late_congestion_serves_the_oldest_first),
		cmocka_unit_test(flows_are_told_apart_by_addresses_and_qpn),
		cmocka_unit_test(a_shared_hash_is_noticed),
		cmocka_unit_test(a_full_table_forgets_its_oldest_and_counts_it),
		cmocka_unit_test(flows_without_cnp_are_forgotten),
		cmocka_unit_test(cnps_of_ours_do_not_keep_a_flow),
		cmocka_unit_test(data_keeps_a_flow),
		cmocka_unit_test(data_over_ipv6_keeps_a_flow),
		cmocka_unit_test(a_burst_leaves_the_marks_of_its_frames),
		cmocka_unit_test(joined_tables_know_data_that_others_have_seen),
		cmocka_unit_test(flows_that_aged_unnoticed_are_tidied_away),
		cmocka_unit_test(ports_have_a_token_bucket),
		cmocka_unit_test(the_usual_limit_is_a_share_of_the_rate),
		cmocka_unit_test(only_a_limit_caps),
		cmocka_unit_test(values_out_of_range_are_refused),
		cmocka_unit_test(as_many_flows_as_the_table_has_entries),
		cmocka_unit_test(the_order_is_that_of_a_full_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
