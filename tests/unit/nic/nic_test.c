// SPDX-License-Identifier: BSD-3-Clause
// Tests of the NIC as an object: parameters, one journey of a message, commands, the deadline.
#include "nic_lab.h"

static void bad_params(void **state)
{
	(void)state;

	struct nic *nic = NULL;
	struct nic_params p = lab_nic_params(0), q;

#define REFUSED(change)                                                    \
	do {                                                               \
		q = p;                                                     \
		q.change;                                                  \
		assert_int_equal(nic_init(&nic, &q, NULL, NULL), -EINVAL); \
		assert_null(nic);                                          \
	} while (0)
	REFUSED(rate = 0);
	REFUSED(mtu = 59);
	REFUSED(mtu = PKT_MAX_LEN + 1);
	REFUSED(cnp_class = 8);
	REFUSED(weight[2] = 1001);
	REFUSED(np.interval_ps = PS_PER_S);
	REFUSED(rxbuf.drain_rate = RATE_GBPS); // without a size
#undef REFUSED
	p.np.interval_ps = PS_PER_S;
	p.np_off = true; // nobody asks the notification point
	assert_int_equal(nic_init(&nic, &p, NULL, NULL), 0);
	assert_int_equal(nic_deadline(nic, 0), TSTAMP_NEVER);
	nic_fini(nic);
	nic_fini(NULL);
}

static void bad_qps(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params q, p = lab_req(&l, 1);
	struct nic_qp_params rsp = {.qpn = 1, .rc = &l.rc, .ack_hdr = &l.back_hdr};

#define REFUSED(params, change)                                      \
	do {                                                         \
		q = params;                                          \
		q.change;                                            \
		assert_int_equal(nic_add_qp(l.nic[0], &q), -EINVAL); \
	} while (0)
	REFUSED(p, qpn = 0);
	REFUSED(p, qpn = 2049);
	REFUSED(p, data_hdr = NULL);
	REFUSED(p, rc = NULL);
	REFUSED(p, cls = 8);
	REFUSED(p, outstanding = 0);
	REFUSED(p, outstanding = RC_MESSAGES + 1);
	REFUSED(p, rate_limit = 1);
	REFUSED(p, overhead = 4300 - 16 - 1024 + 1); // frames over the MTU
	REFUSED(rsp, ack_cls = 8);
	REFUSED(rsp, cnp_hdr = NULL);
#undef REFUSED
	assert_int_equal(nic_qps(l.nic[0]), 0);
	assert_int_equal(nic_add_qp(l.nic[0], &p), 0);
	assert_int_equal(nic_add_qp(l.nic[0], &p), -EEXIST);
	assert_int_equal(nic_qps(l.nic[0]), 1);
	assert_int_equal(nic_qp_params(l.nic[0], 0).qpn, 1);
	assert_null(nic_qp_rp(l.nic[0], 0));
	assert_null(nic_qp_rc_tx(l.nic[0], 0)); // it has no place
	p.qpn = 2;
	p.overhead = 4300 - 16 - 1024; // the longest frame just fits
	assert_int_equal(nic_add_qp(l.nic[0], &p), 0);
	lab_end(&l);
}

// Queue pair i has QPN qpn_base + i, and what lies below belongs to nobody.
static void qpns_begin_above_the_base(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	for (unsigned i = 0; i < 2; i++) {
		l.p[i].qpn_base = 16;
		l.p[i].max_qps = 3;
	}
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 16);

	assert_int_equal(nic_add_qp(l.nic[0], &p), -EINVAL);
	p.qpn = 20;
	assert_int_equal(nic_add_qp(l.nic[0], &p), -EINVAL);
	p.qpn = 1;
	assert_int_equal(nic_add_qp(l.nic[0], &p), -EINVAL);
	for (uint32_t qpn = 17; qpn <= 19; qpn++) {
		p = lab_req(&l, qpn);
		p.count = 1;
		lab_add(&l, &p);
	}
	lab_run(&l, PS_PER_MS);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(nic_qp_stats(l.nic[0], i)->message_tx, 1);
	for (uint32_t qpn = 0; qpn <= 20; qpn++) {
		uint64_t before = nic_stats(l.nic[1])->drop[NIC_DROP_NO_QP];

		lab_rx(&l, 1, &(struct pkt){.kind = PKT_DATA, .len = 1082, .u.rc.qpn = qpn});
		assert_int_equal(
			nic_stats(l.nic[1])->drop[NIC_DROP_NO_QP] - before, qpn < 17 || qpn > 19);
	}
	lab_run(&l, 2 * PS_PER_MS);
	lab_end(&l);
}

struct sizes {
	unsigned n;
	uint16_t len[8];
	uint8_t opcode[8];
	uint8_t kind[8];
};

static bool note_size(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct sizes *s = l->arg;

	(void)from;
	(void)now;
	s->len[s->n] = p->len;
	s->kind[s->n] = p->kind;
	s->opcode[s->n++] = p->u.rc.opcode;
	assert_int_equal(p->born, now);
	assert_int_equal(p->data_off, 0);
	return true;
}

// A lab that notes the sizes of the frames that it sends.
static void init_noting(struct lab *l, struct sizes *s)
{
	*s = (struct sizes){0};
	lab_init(l);
	l->hook = note_size;
	l->arg = s;
}

// standards.md 3.1: WRITE middle with 1024 bytes 1082, first 1098, ACK 62. The message's end at
// the requester is its frames' wire time, two link delays and the ACK's wire time: closed form.
static void message_journey(void **state)
{
	(void)state;

	struct lab l;
	struct sizes s;

	init_noting(&l, &s);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 7);

	p.message_bytes = 2 * 1024 + 5;
	p.count = 1;
	p.start = 3 * PS_PER_US;
	lab_add(&l, &p);
	assert_int_equal(nic_deadline(l.nic[0], 0), p.start);
	lab_run(&l, PS_PER_MS);

	// 58 + 1024 + 16; 58 + 1024; 58 + 5 + 3; ACK.
	const uint16_t len[] = {1098, 1082, 66, 62};
	const uint8_t opcode[] = {0x06, 0x07, 0x08, 0x11};
	tstamp wire = (1098 + 1082 + 66 + 62 + 4 * 24) * 80;

	assert_int_equal(s.n, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(s.len[i], len[i]);
		assert_int_equal(s.opcode[i], opcode[i]);
		assert_int_equal(s.kind[i], i < 3 ? PKT_DATA : PKT_ACK);
	}
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 1);

	const struct ev *e = lab_ev(&l, 0, EV_MSG_DONE, 0);

	assert_int_equal(e->t, p.start + wire + 2 * l.delay);
	assert_int_equal(e->message.flow, 7);
	assert_int_equal(e->message.begun, p.start);
	assert_int_equal(e->message.posted, p.start);
	assert_int_equal(e->message.bytes, p.message_bytes);

	const struct nic_qp_stats *tx = nic_qp_stats(l.nic[0], 0), *rx = nic_qp_stats(l.nic[1], 0);

	assert_int_equal(tx->message_tx, 1);
	assert_int_equal(tx->tx_bytes, p.message_bytes);
	assert_int_equal(tx->wire_bytes_tx, 1098 + 1082 + 66 + 12);
	assert_int_equal(tx->first_timestamp, p.start);
	assert_int_equal(rx->message_complete_rx, 1);
	assert_int_equal(rx->rx_bytes, p.message_bytes);
	assert_int_equal(rx->ack_tx, 1);
	assert_int_equal(tx->ack_rx, 1);
	// first bit out to last bit in: wire time and link delay, no queue between
	assert_int_equal(rx->latency_max, (1098 + 24) * 80 + l.delay);
	assert_int_equal(rx->latency_min, (66 + 24) * 80 + l.delay);
	lab_end(&l);
}

// IPv6 and a VLAN tag: 20 and 4 bytes more in every frame (standards.md 3.1, 3.2).
static void sizes_ipv6_vlan(void **state)
{
	(void)state;

	struct lab l;
	struct sizes s;

	init_noting(&l, &s);
	l.data_hdr.flags = l.back_hdr.flags = HDR_IPV6 | HDR_VLAN;
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 1024;
	p.count = 1;
	p.tos |= ECN_CE;
	lab_add(&l, &p);
	lab_run(&l, 40 * PS_PER_US);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.len[0], 1098 + 24);
	for (unsigned i = 1; i < 3; i++) // both are ready at once; order is the scheduler's
		assert_int_equal(s.len[i], s.kind[i] == PKT_CNP ? 74 + 24 : 62 + 24);
	assert_int_not_equal(s.kind[1], s.kind[2]);
	lab_end(&l);
}

// The reference simulator's framing: 1048 for a payload of 1000, ACK 60, nothing on the link
// besides.
static void sizes_hpcc_sim(void **state)
{
	(void)state;

	struct lab l;
	struct sizes s;

	init_noting(&l, &s);
	for (unsigned i = 0; i < 2; i++) {
		l.p[i].framing = (struct eport_framing){.whole_ns = 1};
		l.p[i].rate = 25 * RATE_GBPS;
	}

	struct rc_params rp = {.mtu = 1000,
		.window = 1000,
		.ack_every = 1,
		.rto_ps = TSTAMP_NEVER,
		.recovery = RC_ANY_ORDER};

	assert_int_equal(rc_cfg_init(&l.rc, &rp), 0);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);
	struct nic_qp_params rsp = {.qpn = 1,
		.peer_qpn = 1,
		.ack_hdr = &l.back_hdr,
		.cnp_hdr = &l.back_hdr,
		.rc = &l.rc,
		.ack_len = 60};

	p.message_bytes = 2000;
	p.count = 1;
	p.overhead = 48;
	p.bare = true;
	assert_int_equal(nic_add_qp(l.nic[0], &p), 0);
	assert_int_equal(nic_add_qp(l.nic[1], &rsp), 0);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.len[0], 1048);
	assert_int_equal(s.len[1], s.kind[1] == PKT_DATA ? 1048 : 60);
	// 1048 * 8 / 25 = 335.36, 60 * 8 / 25 = 19.2: whole ns on the wire and in the gap
	assert_int_equal(lab_ev(&l, 0, EV_MSG_DONE, 0)->t, (335 + 335 + 19) * 1000 + 2 * l.delay);
	lab_end(&l);
}

static void flow_start_stop(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 5);

	p.message_bytes = 1000;
	p.outstanding = 1;
	p.start = TSTAMP_NEVER;
	lab_add(&l, &p);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, 0);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = 6}), -ENOENT);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = 5}), 0);
	assert_int_equal(nic_deadline(l.nic[0], 0), 0);
	lab_run(&l, 2 * PS_PER_MS);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 5}), 0);

	uint64_t sent = nic_qp_stats(l.nic[0], 0)->message_tx;
	// one at a time: a message, its ACK and two delays each
	tstamp round = ((58 + 1000 + 16 + 24) + (62 + 24)) * 80 + 2 * l.delay;

	assert_in_range(sent, PS_PER_MS / round, PS_PER_MS / round + 1);
	lab_run(&l, 3 * PS_PER_MS);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, sent);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx, sent);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = 5}), 0);
	lab_run(&l, 4 * PS_PER_MS);
	assert_true(nic_qp_stats(l.nic[0], 0)->message_tx > sent);
	lab_end(&l);
}

// `stop`: no message is posted at or after it; what was posted is finished.
static void stop_ends_posting(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 100000;
	p.outstanding = 4;
	p.stop = 20 * PS_PER_US;
	lab_add(&l, &p);
	p.qpn = p.peer_qpn = 2;
	p.start = p.stop;
	lab_add(&l, &p); // posts nothing
	lab_run(&l, PS_PER_MS);
	assert_int_equal(rc_tx_posted(nic_qp_rc_tx(l.nic[0], 1)), 0);

	const struct rc_tx *tx = nic_qp_rc_tx(l.nic[0], 0);

	assert_int_equal(rc_tx_posted(tx), tx->past->done);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), tx->past->done);
	// 98 frames of 1024 or less a message, 8.5 us: two are done by 20 us, each was followed by
	// one
	assert_int_equal(tx->past->done, 6);
	lab_end(&l);
}

static void link_down_and_up(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	p.message_bytes = 1000000;
	p.count = 2;
	lab_add(&l, &p);
	lab_run(&l, 30 * PS_PER_US);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_DOWN}), 0);

	uint64_t sent = nic_stats(l.nic[0])->tx_frames;

	lab_run(&l, 60 * PS_PER_US);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, sent);
	assert_true(nic_stats(l.nic[0])->drop[NIC_DROP_LINK_DOWN] > 0); // ACKs that came
	assert_true(nic_deadline(l.nic[0], 0) > l.now);
	assert_int_equal(lab_evs(&l, 0, EV_LINK_DOWN), 1);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_UP}), 0);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_UP}), 0);
	assert_int_equal(lab_evs(&l, 0, EV_LINK_UP), 1); // it was up already, the second time
	lab_run(&l, 20 * PS_PER_MS);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx, 2);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 2);
	lab_end(&l);
}

static unsigned pfc_seen[3]; // XOFF, XON, other

static bool note_pfc(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	(void)l;
	(void)now;
	if (p->kind != PKT_PFC || from != 1)
		return true;
	assert_int_equal(p->len, 60);
	assert_int_equal(p->hdr->id, HDR_ID_NODE);
	assert_int_equal(p->hdr->ethertype, 0x8808);
	assert_int_equal(p->hdr->dst[0], 1);
	assert_int_equal(p->hdr->src[5], 2);
	pfc_seen[p->u.pfc.enable != 1 << 3 ? 2 : p->u.pfc.quanta[3] ? 0 : 1]++;
	return true;
}

// A storm from NIC 1: XOFF of 1000 quanta (5.12 us at 100 Gb/s) at 0 and every 2.56 us until 20 us,
// then one XON. The peer's class stands still meanwhile.
static void pfc_storm(void **state)
{
	(void)state;

	struct lab l;

	memset(pfc_seen, 0, sizeof(pfc_seen));
	lab_init(&l);
	l.hook = note_pfc;
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	p.start = 5 * PS_PER_US;
	lab_add(&l, &p);

	struct ctl storm = {.type = CTL_PFC_STORM, .cls = 3, .quanta = 1000, .a = 20 * PS_PER_US};

	assert_int_equal(lab_ctl(&l, 1, (struct ctl){.type = CTL_PFC_STORM, .cls = 3}), -EINVAL);
	assert_int_equal(lab_ctl(&l, 1, storm), 0);
	lab_run(&l, 20 * PS_PER_US - 1);
	assert_int_equal(pfc_seen[0], 8); // 0, 2.56 .. 17.92
	assert_int_equal(pfc_seen[1], 0);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->data_frames_tx, 0);
	lab_run(&l, 40 * PS_PER_US);
	assert_int_equal(pfc_seen[0], 8);
	assert_int_equal(pfc_seen[1], 1);
	assert_int_equal(pfc_seen[2], 0);
	assert_int_equal(
		nic_qp_stats(l.nic[0], 0)->first_timestamp, 20 * PS_PER_US + 84 * 80 + l.delay);
	assert_int_equal(lab_evs(&l, 1, EV_XOFF_TX), 8);
	assert_int_equal(lab_ev(&l, 1, EV_XOFF_TX, 3)->pfc_tx.quanta, 1000);
	assert_int_equal(lab_evs(&l, 1, EV_XON_TX), 1);
	assert_int_equal(lab_evs(&l, 0, EV_PAUSE_RX), 1);
	assert_int_equal(lab_evs(&l, 0, EV_RESUME_RX), 1);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FDB_FLUSH}), -EINVAL);
	lab_end(&l);
}

// A lane knows the queue pairs of its own, by their numbers in the host.
static void a_lane_has_places_for_its_own(void **state)
{
	struct nic_qp_params p;
	struct lab l;

	(void)state;
	for (unsigned lane = 0; lane < 3; lane++) {
		lab_init(&l);
		l.p[0].max_qps = 2;
		l.p[0].qpn_base = 16;
		l.p[0].lanes = 3;
		l.p[0].lane = lane;
		lab_start(&l);
		for (uint32_t number = 1, n = 0; number < 9; number++) {
			p = lab_req(&l, 16 + number);
			p.flow = number;
			assert_int_equal(nic_add_qp(l.nic[0], &p),
				number % 3 != lane || n == 2 ? -EINVAL : 0);
			n += number % 3 == lane;
		}
		for (uint32_t number = 0; number < 12; number++) {
			int i = nic_find_number(l.nic[0], number);
			bool is_here = number && number % 3 == lane && number < (lane ? 6 : 9);

			assert_int_equal(i, is_here ? (int)(number - 1) / 3 : -1);
		}
		lab_end(&l);
	}
}

// The frames of one queue pair name these: QPNs by the sender, and the first and the last PSN.
struct named {
	uint32_t qpn[2], first, last;
	unsigned n;
};

static bool note_numbers(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct named *s = l->arg;

	(void)now;
	s->qpn[from] = p->u.rc.qpn;
	s->first = s->n++ ? s->first : p->u.rc.psn;
	s->last = p->u.rc.psn;
	return true;
}

// Queue pairs that have been added get other QPNs and another first PSN, before the run. Frames
// have these, and messages get done, also where PSNs go round.
static void numbers_change_before_the_run(void **state)
{
	(void)state;
	for (unsigned verb = RC_WRITE; verb <= RC_READ; verb++) {
		struct rc_params rc = lab_rc_params();
		struct nic_qp_params req, rsp;
		struct named s = {0};
		struct lab l;

		lab_init(&l);
		l.hook = note_numbers;
		l.arg = &s;
		rc.verb = (enum rc_verb)verb;
		rc.rd_atomic = RC_READS;
		assert_int_equal(rc_cfg_init(&l.rc, &rc), 0);
		lab_start(&l);
		req = lab_req(&l, l.p[0].qpn_base + 1);
		req.count = 1;
		req.message_bytes = 8 * rc.mtu;
		rsp = req;
		rsp.requester = false;
		rsp.ack_hdr = rsp.cnp_hdr = &l.back_hdr;
		assert_int_equal(nic_add_qp(l.nic[0], &req), 0);
		assert_int_equal(nic_add_qp(l.nic[1], &rsp), 0);
		req.qpn = rsp.peer_qpn = 0xabc001;
		rsp.qpn = req.peer_qpn = 0x123001;
		req.psn = rsp.psn = 0xfffffd;
		nic_rebase(l.nic[0], 0xabc000);
		nic_rebase(l.nic[1], 0x123000);
		assert_int_equal(nic_renumber(l.nic[0], &req), 0);
		assert_int_equal(nic_renumber(l.nic[1], &rsp), 0);
		lab_run(&l, PS_PER_MS);
		assert_int_equal(s.qpn[0], 0x123001);
		assert_int_equal(s.qpn[1], 0xabc001);
		assert_int_equal(s.first, 0xfffffd);
		assert_int_equal(s.last, 0x000004);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, 1);
		assert_int_equal(nic_find_number(l.nic[0], 1), 0);
		req.qpn++;
		assert_int_equal(nic_renumber(l.nic[0], &req), -EINVAL); // it was not added
		req.number = 1;
		assert_int_equal(nic_renumber(l.nic[0], &req), 0); // its number says which it is
		lab_end(&l);
	}
}

// Sends a data frame to a QPN and returns whether exactly queue pair `want` has taken it; -1: it is
// dropped.
static bool goes_to(struct lab *l, uint32_t qpn, int want)
{
	uint64_t before = want < 0 ? 0 : nic_qp_stats(l->nic[1], (unsigned)want)->data_frames_rx;
	uint64_t dropped = nic_stats(l->nic[1])->drop[NIC_DROP_NO_QP];

	lab_rx(l, 1,
		&(struct pkt){.kind = PKT_DATA, .len = 1082, .u.rc = {.opcode = 1, .qpn = qpn}});
	if (want < 0)
		return nic_stats(l->nic[1])->drop[NIC_DROP_NO_QP] == dropped + 1;
	return nic_qp_stats(l->nic[1], (unsigned)want)->data_frames_rx == before + 1 &&
	       nic_stats(l->nic[1])->drop[NIC_DROP_NO_QP] == dropped;
}

// Some queue pairs have QPNs that do not follow from their numbers. Each gets the frames to its
// QPN, and nobody those to the QPN that would follow from such a number.
static void a_queue_pair_may_have_any_qpn(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint32_t qpn[64], base;
		struct prng g;
		struct lab l;

		prng_init(&g, seed, "any_qpn");
		lab_init(&l);
		lab_start(&l);
		base = l.p[1].qpn_base;
		for (uint32_t i = 0; i < 64; i++) {
			bool given = prng_below(&g, 3) == 0;
			struct nic_qp_params rsp = lab_req(&l, base + i + 1);

			rsp.flow = i;
			rsp.requester = false;
			rsp.ack_hdr = rsp.cnp_hdr = &l.back_hdr;
			rsp.qpn = qpn[i] = given ? base + 1000 + i * 77 : base + i + 1;
			rsp.number = given ? i + 1 : 0;
			assert_int_equal(nic_add_qp(l.nic[1], &rsp), 0);
			rsp.number = i + 2;
			assert_int_equal(nic_add_qp(l.nic[1], &rsp), -EEXIST); // the QPN
			rsp.number = i + 1;
			rsp.qpn++;
			assert_int_equal(nic_add_qp(l.nic[1], &rsp), -EEXIST); // the number
		}
		for (uint32_t i = 0; i < 64; i++) {
			assert_int_equal(nic_find_number(l.nic[1], i + 1), i);
			assert_true(goes_to(&l, qpn[i], (int)i));
			if (qpn[i] != base + i + 1)
				assert_true(goes_to(&l, base + i + 1, -1));
		}
		assert_true(goes_to(&l, base + 65, -1));
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_pair_may_have_any_qpn),
		cmocka_unit_test(numbers_change_before_the_run),
		cmocka_unit_test(a_lane_has_places_for_its_own),
		cmocka_unit_test(qpns_begin_above_the_base),
		cmocka_unit_test(bad_params),
		cmocka_unit_test(bad_qps),
		cmocka_unit_test(message_journey),
		cmocka_unit_test(sizes_ipv6_vlan),
		cmocka_unit_test(sizes_hpcc_sim),
		cmocka_unit_test(flow_start_stop),
		cmocka_unit_test(stop_ends_posting),
		cmocka_unit_test(link_down_and_up),
		cmocka_unit_test(pfc_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
