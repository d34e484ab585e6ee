// SPDX-License-Identifier: BSD-3-Clause
// The release of peers: an XON that the device has refused has not left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_mbuf.h>

#include "../eal_lab.h"
#include "rt/release.h"

static int start(void **state)
{
	(void)state;
	return eallab_start("net_ring0", 10 * RATE_GBPS);
}

// A run of one device on one lcore, whose loop has ended.
struct ended {
	struct rt rt;
	struct rt_opts opts;
	struct dev d;
	struct rt_end end;
	void *stash[RT_STASH];
	uint16_t slot;
	struct rt_lcore lc, *lcore;
};

static void opened(struct ended *r)
{
	struct err err = {0};

	memset(r, 0, sizeof(*r));
	if (dev_open(&r->d, &port, pool, &err) || dev_start(&r->d, &err))
		fail_msg("%s", err.text);
	r->end.dev = &r->d;
	r->end.stash = r->stash;
	r->lc.end = &r->end;
	r->lc.n_ends = r->lc.n_dev = 1;
	r->lc.dev = &r->slot;
	r->lc.done = true;
	r->lcore = &r->lc;
	r->rt = (struct rt){.opts = &r->opts,
		.dev = &r->d,
		.n_dev = 1,
		.world = {.n_lcores = 1, .lcore = &r->lcore}};
}

static void closed(struct ended *r)
{
	rte_pktmbuf_free_bulk((struct rte_mbuf **)r->end.stash, r->end.n_stash);
	dev_stop(&r->d);
	dev_close(&r->d);
}

// A frame about class 3, or PAUSE, ready to leave.
static struct rte_mbuf *rendered(struct ended *r, enum pkt_kind kind, uint16_t quanta)
{
	static const struct hdr hdr = {
		.dst = {1, 0x80, 0xc2, 0, 0, 1}, .ethertype = 0x8808, .id = HDR_ID_NODE};
	struct rte_mbuf *m;
	struct pkt *p;

	assert_int_equal(rte_mempool_get(pool, (void **)&m), 0);
	p = eal_pkt(m);
	*p = (struct pkt){.hdr = &hdr, .kind = (uint8_t)kind, .len = 60};
	if (kind == PKT_PFC)
		p->u.pfc.enable = 1 << 3;
	p->u.pfc.quanta[kind == PKT_PFC ? 3 : 0] = quanta;
	mbuf_render(&r->d.told, r->d.tmpl, &p, &m, 1, 0);
	return m;
}

// The device has taken XOFF, and what lets go again waits.
static void stopped(struct ended *r, enum pkt_kind kind)
{
	struct rte_mbuf *m = rendered(r, kind, 0xffff);

	assert_int_equal(dev_tx(&r->d, 0, &m, 1), 1);
	r->end.stash[r->end.n_stash++] = rendered(r, kind, 0);
}

// The last of n frames that have left lets the peer go.
static void left(struct ended *r, unsigned n, enum pkt_kind kind)
{
	struct pkt *burst[EAL_BURST], *last;

	assert_int_equal(dev_rx(&r->d, burst, NULL, 0), n);
	last = burst[n - 1];
	assert_int_equal(last->kind, kind);
	assert_int_equal(last->u.pfc.quanta[kind == PKT_PFC ? 3 : 0], 0);
	if (kind == PKT_PFC)
		assert_true(last->u.pfc.enable & 1 << 3);
	for (unsigned i = 0; i < n; i++)
		rte_pktmbuf_free(eal_mbuf(burst[i]));
}

// An XON that waits in the stash has not left: `release` sends one, of PFC and of PAUSE. It counts
// `counted` of them.
static void sends_one(void (*release)(struct rt *rt), uint64_t counted)
{
	static const enum pkt_kind kinds[] = {PKT_PFC, PKT_PAUSE};
	struct ended r;

	for (unsigned i = 0; i < 2; i++) {
		opened(&r);
		stopped(&r, kinds[i]);
		release(&r.rt);
		assert_int_equal(r.rt.run.xon_at_end, counted);
		left(&r, 2, kinds[i]);
		closed(&r);
	}
}

static void an_xon_that_waits_has_not_left(void **state)
{
	(void)state;
	sends_one(rt_release, 1);
}

static void by_a_handler(struct rt *rt)
{
	rt_release_now(rt);
}

static void nor_has_it_for_a_handler(void **state)
{
	(void)state;
	sends_one(by_a_handler, 0);
}

static void an_xon_that_has_left_is_not_sent_again(void **state)
{
	struct rte_mbuf *m;
	struct ended r;

	(void)state;
	opened(&r);
	stopped(&r, PKT_PFC);
	m = r.end.stash[--r.end.n_stash];
	assert_int_equal(dev_tx(&r.d, 0, &m, 1), 1);
	rt_release(&r.rt);
	assert_int_equal(r.rt.run.xon_at_end, 0);
	left(&r, 2, PKT_PFC);
	closed(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_xon_that_waits_has_not_left),
		cmocka_unit_test(nor_has_it_for_a_handler),
		cmocka_unit_test(an_xon_that_has_left_is_not_sent_again),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
