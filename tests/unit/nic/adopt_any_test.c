// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs with any control take over other values at random, amid losses, marks, CNMs, pauses
// and stops: nothing is lost, every message comes, and no memory that was given back is read.
#include <inttypes.h>

#include "../rdma_ip_set.h"
#include "base/prng.h"
#include "defaults.h"
#include "nic_lab.h"
#include "qp/qp.h"
#include "rounds.h"

#define PAIRS 6u
#define STEPS 100u

enum control { NONE, DCQCN, QCN_TAGGED, QCN_SHARED, RDMA_IP, DCTCP, TIMELY, CONTROLS };

static struct any {
	enum control control;
	struct prng g, wire;
	struct rp_cfg rp;
	struct rc_params rc;
	struct nic_qp_params req[PAIRS];
	struct hdr data[PAIRS];
	unsigned loss, ce;
} any;
static struct lab l;

static bool carry(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)lab;
	(void)now;
	if (!from && p->cls == 3 && prng_below(&any.wire, 1000) < any.ce)
		p->tos |= ECN_CE;
	return prng_below(&any.wire, 1000) >= any.loss;
}

static void touch(void *memory, size_t bytes)
{
	memset(memory, 0, bytes);
}

static rate_t some_rate(void)
{
	return (1 + prng_below(&any.g, 1000)) * RATE_GBPS / 20;
}

static tstamp some_time(void)
{
	return (1 + prng_below(&any.g, 200)) * PS_PER_US;
}

static struct rp_cfg rp_at_random(void)
{
	struct rdma_ip_reg_params ip = RDMA_IP_SET;
	struct rp_cfg cfg = {0};
	struct dcqcn_rp_params d;
	struct qcn_rp_params q;
	struct dctcp_rp_params w;
	struct timely_rp_params t;

	switch (any.control) {
	case DCQCN:
		assert_int_equal(dcqcn_rp_profile(&d, "paper", 100 * RATE_GBPS), 0);
		d.min_rate = some_rate();
		d.ai_rate = some_rate() / 10;
		d.rate_timer_ps = some_time();
		d.alpha_timer_ps = some_time();
		d.byte_counter = prng_below(&any.g, 2) ? 0 : 1000 * some_time() / PS_PER_US;
		return rp_of_dcqcn(&d);
	case QCN_TAGGED:
	case QCN_SHARED:
		qcn_rp_defaults(&q, 100 * RATE_GBPS);
		q.min_rate = some_rate();
		q.ai_rate = some_rate() / 10;
		q.time_reset_ps = some_time();
		q.byte_reset = 64 + prng_below(&any.g, 100000);
		return rp_of_qcn(&q);
	case RDMA_IP:
		ip.init.qp.rp.rate_ai = 1 + (uint32_t)prng_below(&any.g, 4000);
		ip.init.qp.rp.nocnp_timer_th = 1 + (uint32_t)prng_below(&any.g, 100);
		ip.init.qp.rp.min_rate = 512 + (uint32_t)prng_below(&any.g, 20000);
		return rp_of_rdma_ip(&ip);
	case DCTCP:
		dctcp_rp_defaults(&w, 100 * RATE_GBPS, false);
		w.g = 1.0 / (double)(1 + prng_below(&any.g, 30));
		cfg.kind = RP_DCTCP;
		assert_int_equal(dctcp_rp_cfg_init(&cfg.u.dctcp, &w), 0);
		break;
	case TIMELY:
		timely_rp_defaults(&t, 100 * RATE_GBPS, false);
		t.min_rate = some_rate();
		t.t_low_ps = 2 * PS_PER_US;
		t.t_high_ps = 2 * PS_PER_US + some_time();
		cfg.kind = RP_TIMELY;
		assert_int_equal(timely_rp_cfg_init(&cfg.u.timely, &t), 0);
		break;
	default:
		break;
	}
	return cfg;
}

static struct rc_cfg rc_at_random(void)
{
	struct rc_params p = any.rc;
	struct rc_cfg rc;

	p.window = 1 + (uint32_t)prng_below(&any.g, 100);
	p.ack_every = 1 + (uint32_t)prng_below(&any.g, 40);
	p.rto_ps = 20 * PS_PER_US + some_time();
	assert_int_equal(rc_cfg_init(&rc, &p), 0);
	return rc;
}

// The side that receives: of a READ it asks.
static struct nic_qp_params other_side(const struct nic_qp_params *req)
{
	struct nic_qp_params p = *req;

	p.requester = false;
	p.ack_hdr = p.cnp_hdr = &l.back_hdr;
	p.ack_cls = any.rc.verb == RC_READ ? 3 : 6;
	p.echo_ce = rp_asks(req->rp) & RP_ASKS_CE;
	p.rp = NULL;
	return p;
}

static void add_pairs(void)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		struct nic_qp_params *p = &any.req[i];
		struct nic_qp_params rsp;

		any.data[i] = l.data_hdr;
		if (any.control == QCN_TAGGED) {
			any.data[i].flags |= HDR_CNTAG;
			any.data[i].cntag = (uint16_t)(i + 1);
		}
		*p = lab_req(&l, i + 1);
		p->data_hdr = &any.data[i];
		p->rp = any.control ? &any.rp : NULL;
		p->message_bytes = (uint32_t)prng_below(&any.g, 20000);
		p->outstanding = 1 + (unsigned)prng_below(&any.g, 8);
		rsp = other_side(p);
		assert_int_equal(nic_add_qp(l.nic[0], p), 0);
		assert_int_equal(nic_add_qp(l.nic[1], &rsp), 0);
	}
}

// Another value of each pair, or of some. All pairs have one control.
static void adopt(void)
{
	bool all = prng_below(&any.g, 2);
	struct rp_cfg rp = all ? rp_at_random() : any.rp;
	struct nic_adopt *a[2];

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(nic_adopt_new(&a[i], l.nic[i]), 0);
	any.rp = rp;
	for (unsigned i = 0; i < PAIRS; i++) {
		struct nic_qp_params p = any.req[i];
		struct rc_cfg rc = rc_at_random();

		p.rc = &rc;
		p.rp = any.control ? &rp : NULL;
		p.message_bytes = (uint32_t)prng_below(&any.g, 20000);
		p.outstanding = 1 + (unsigned)prng_below(&any.g, nic_ring_room(p.outstanding));
		p.rate_limit = prng_below(&any.g, 2) ? some_rate() : 0;
		if (!all && prng_below(&any.g, 2))
			continue;
		assert_int_equal(nic_adopt_qp(a[0], &p), 0);
		p = other_side(&p);
		assert_int_equal(nic_adopt_qp(a[1], &p), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(lab_ctl(&l, i, (struct ctl){.type = CTL_ADOPT, .with = a[i]}), 0);
		nic_adopt_free(a[i]);
	}
}

static void cnm(void)
{
	struct hdr h = {.ethertype = 0x22e7};

	memcpy(h.dst, l.p[0].mac, 6);
	memcpy(h.daddr, l.p[1].mac, 6);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_CNM,
			.len = 60,
			.hdr = &h,
			.u.cnm = {.flow_id = any.control == QCN_TAGGED
						     ? (uint16_t)(1 + prng_below(&any.g, PAIRS))
						     : 0,
				.qntzfb = (uint8_t)prng_below(&any.g, 64),
				.priority = 3}});
}

static void command(void)
{
	unsigned to = any.rc.verb == RC_READ; // which asks
	struct pkt pfc = {.kind = PKT_PFC, .len = PKT_MIN_LEN, .u.pfc = {.enable = 1 << 3}};

	switch (prng_below(&any.g, 8)) {
	case 0:
		pfc.u.pfc.quanta[3] = (uint16_t)prng_below(&any.g, 3000);
		lab_rx(&l, 0, &pfc);
		break;
	case 1:
		lab_ctl(&l, to,
			(struct ctl){.type = prng_below(&any.g, 3) ? CTL_FLOW_START : CTL_FLOW_STOP,
				.id = 1 + (uint32_t)prng_below(&any.g, PAIRS)});
		break;
	case 2:
	case 3:
		cnm();
		break;
	default:
		adopt();
		break;
	}
	lab_run(&l, l.now);
}

static void run(uint64_t seed)
{
	unsigned to;

	memset(&any, 0, sizeof(any));
	prng_init(&any.g, seed, "any");
	prng_init(&any.wire, seed, "wire");
	any.control = (enum control)(seed % CONTROLS);
	any.loss = prng_below(&any.g, 2) ? (unsigned)prng_below(&any.g, 20) : 0;
	any.ce = (unsigned)prng_below(&any.g, 100);
	any.rc = lab_rc_params();
	any.rc.retries = RC_NO_LIMIT;
	any.rc.rd_atomic = 4;
	if (any.control < DCTCP && !prng_below(&any.g, 4))
		any.rc.verb = RC_READ;
	any.rp = rp_at_random();
	lab_init(&l);
	l.rc = rc_at_random();
	l.hook = carry;
	l.p[0].rp_by_class = !prng_below(&any.g, 3);
	l.p[0].large = l.p[1].large = prng_below(&any.g, 2) ? touch : NULL;
	lab_start(&l);
	add_pairs();
	for (unsigned i = 0; i < STEPS; i++) {
		lab_run(&l, l.now + prng_below(&any.g, 40) * PS_PER_US);
		command();
	}
	any.loss = 0;
	to = any.rc.verb == RC_READ;
	for (uint32_t i = 1; i <= PAIRS; i++)
		lab_ctl(&l, to, (struct ctl){.type = CTL_FLOW_STOP, .id = i});
	lab_run(&l, l.now + 20 * PS_PER_MS);
	for (unsigned i = 0; i < PAIRS; i++) {
		const struct rc_tx *tx = nic_qp_rc_tx(l.nic[to], i);

		assert_false(tx && rc_tx_waits(tx));
		if (tx)
			assert_int_equal(
				nic_qp_stats(l.nic[1], i)->message_complete_rx, rc_tx_posted(tx));
		assert_int_equal(nic_qp_stats(l.nic[0], i)->message_tx,
			nic_qp_stats(l.nic[1], i)->message_complete_rx);
		assert_int_equal(nic_qp_stats(l.nic[0], i)->message_fail, 0);
	}
	lab_end(&l);
}

static void every_message_comes(void **state)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	(void)state;
	for (unsigned i = 0; i < rounds_of(140); i++, seed++) {
		print_message("seed %" PRIu64 "\n", seed);
		run(seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
