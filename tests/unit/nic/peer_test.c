// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs whose other end is no NIC of ours, played by one: who is found, who connects, who is
// refused, and that a frame that is lost on the way changes none of that.
#include "peer_lab.h"

#include "qp/int.h"

static const uint8_t nobody[6] = {0};

// Numbers are given, and the hardware address is asked for; PSNs wrap in the first message.
static void the_address_is_found(void **state)
{
	(void)state;
	for (unsigned v6 = 0; v6 < 2; v6++) {
		struct peer_lab t;

		peer_begin(&t, v6, 1);
		t.rsp.port = 0;
		memcpy(t.ack.dst, t.l.p[0].mac, 6);
		peer_add(&t, 3, 0xfffff0);
		lab_run(&t.l, 100 * PS_PER_MS);
		assert_int_equal(peer_failed(&t), 0);
		assert_memory_equal(t.data.hdr.dst, t.l.p[1].mac, 6);
		assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx, 3);
		assert_int_equal(nic_stats(t.l.nic[0])->arp_request, !v6);
		assert_int_equal(nic_stats(t.l.nic[0])->nd_solicit, v6);
		assert_int_equal(peer_state(&t, 0), NIC_PEER_UP);
		lab_end(&t.l);
	}
}

static void nobody_answers(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.deaf = true;
	peer_add(&t, 3, 0);
	lab_run(&t.l, 2 * PS_PER_S);
	assert_int_equal(peer_failed(&t), 0);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_RESOLVES);
	lab_run(&t.l, 4 * PS_PER_S);
	assert_int_equal(peer_failed(&t), RC_PEER_UNKNOWN);
	assert_int_equal(nic_stats(t.l.nic[0])->arp_request, 3);
	assert_int_equal(lab_evs(&t.l, 0, EV_QP_FAILED), 1);
	assert_memory_equal(t.data.hdr.dst, nobody, 6);
	lab_end(&t.l);
}

// QPN, PSN and memory in the REP are obeyed, and after the last message both sides disconnect.
static void both_connect_and_part(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_add(&t, 3, 0x123456);
	lab_run(&t.l, 50 * PS_PER_MS);
	assert_int_equal(peer_failed(&t), 0);
	assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx, 3);
	assert_true(t.va == VA);
	assert_int_equal(t.rkey, RKEY);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_PARTED);
	// REQ, REP, RTU, DREQ, DREP
	assert_int_equal(nic_stats(t.l.nic[0])->cm_tx, 3);
	assert_int_equal(nic_stats(t.l.nic[1])->cm_tx, 2);
	lab_run(&t.l, 2 * PS_PER_S); // TimeWait is over
	assert_int_equal(peer_state(&t, 1), NIC_PEER_LISTENS);
	lab_end(&t.l);
}

// The Starting PSN of a message is where the one who gets it begins to send, not its sender
// (standards.md 3.5): the data begin with the PSN of the REP, whatever the REQ has. Each connection
// has another PSN, so that frames of the connection before are not taken for its own.
static void data_begin_at_the_psn_of_the_rep(void **state)
{
	uint32_t before = 0;

	(void)state;
	for (uint64_t seed = 1; seed < 4; seed++) {
		struct peer_lab t;

		peer_begin(&t, false, seed);
		t.req.port = PORT;
		peer_add(&t, 3, 0x123456);
		lab_run(&t.l, 50 * PS_PER_MS);
		assert_int_equal(t.said[1].kind, CM_REP);
		assert_int_equal(t.first_psn, t.said[1].u.rep.psn);
		assert_int_not_equal(t.first_psn, t.said[0].u.req.psn);
		assert_int_not_equal(t.first_psn, before);
		assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx, 3);
		assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->data_frames_retransmitted, 0);
		before = t.said[1].u.rep.psn;
		lab_end(&t.l);
	}
}

// The region that the scenario gives counts more than the peer's.
static void a_given_region_stays(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	t.req.has_region = true;
	t.data.va = 4096;
	t.data.rkey = 77;
	peer_add(&t, 1, 0);
	lab_run(&t.l, 50 * PS_PER_MS);
	assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx, 1);
	assert_int_equal(t.va, 4096);
	assert_int_equal(t.rkey, 77);
	lab_end(&t.l);
}

static void refused(void **state)
{
	static const struct {
		uint16_t port;
		bool other_host;
		unsigned reason;
	} rows[] = {{PORT + 1, false, CM_REJ_BAD_SERVICE_ID}, {PORT, true, CM_REJ_NO_QP}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct peer_lab t;
		unsigned reason;

		peer_begin(&t, false, 1);
		t.req.port = rows[i].port;
		if (rows[i].other_host) // another may connect, not this one
			t.ack.daddr[3] = 99;
		peer_add(&t, 3, 0);
		lab_run(&t.l, 50 * PS_PER_MS);
		assert_int_equal(peer_failed(&t), RC_PEER_REJECTED);
		assert_int_equal(nic_qp_peer(t.l.nic[0], 0, &reason), NIC_PEER_FAILED);
		assert_int_equal(reason, rows[i].reason);
		assert_int_equal(t.said[1].kind, CM_REJ); // to whom has asked
		assert_memory_equal(t.said_to[1], t.data.hdr.saddr, 16);
		assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->data_frames_tx, 0);
		lab_end(&t.l);
	}
}

static void another_mtu_is_refused(void **state)
{
	struct rc_params p = lab_rc_params();
	struct nic_qp_params req;
	struct peer_lab t;
	struct rc_cfg other;
	unsigned reason;

	(void)state;
	peer_begin(&t, false, 1);
	p.mtu = 2048;
	assert_int_equal(rc_cfg_init(&other, &p), 0);
	t.req.port = PORT;
	peer_add(&t, 3, 0);
	req = lab_req(&t.l, 6);
	req.data_hdr = &t.data.hdr;
	req.rc = &other;
	req.peer = &t.req;
	req.start = 100 * PS_PER_MS; // the other one has gone
	assert_int_equal(nic_add_qp(t.l.nic[0], &req), 0);
	lab_run(&t.l, 400 * PS_PER_MS);
	assert_int_equal(peer_failed(&t), 0);
	assert_int_equal(nic_qp_rc_tx(t.l.nic[0], 1)->failed, RC_PEER_REJECTED);
	assert_int_equal(nic_qp_peer(t.l.nic[0], 1, &reason), NIC_PEER_FAILED);
	assert_int_equal(reason, CM_REJ_BAD_MTU);
	lab_end(&t.l);
}

// Who has asked for a connection hears nothing of the REP: it goes again, then a REJ, and the queue
// pair waits for the next one.
static void no_answer_to_the_rep(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_found(&t);
	peer_add(&t, 1, 0);
	lab_run(&t.l, 2 * PS_PER_US);
	assert_int_equal(peer_state(&t, 1), NIC_PEER_ASKED);
	t.deaf = true;
	assert_int_equal(nic_qp_peer_unanswered(t.l.nic[1], 0), 0);
	lab_run(&t.l, 20 * PS_PER_S);
	assert_int_equal(nic_qp_peer_unanswered(t.l.nic[1], 0), 1);
	assert_int_equal(nic_qp_peer_unanswered(t.l.nic[0], 0), 0);
	assert_int_equal(peer_state(&t, 1), NIC_PEER_LISTENS);
	lab_end(&t.l);
}

// Nic 0 asks twice for the one queue pair that listens: a second time, from another queue pair, at
// 100 ms. The first one's connection stands then, and no message is under way. Seconds pass in
// these tests: the second one sends but little.
static void peer_asks_twice(struct peer_lab *t)
{
	struct nic_qp_params req;

	peer_begin(t, false, 1);
	t->req.port = PORT;
	peer_found(t);
	peer_add(t, 0, 0);
	req = lab_req(&t->l, 6);
	req.data_hdr = &t->data.hdr;
	req.rc = &t->l.rc;
	req.peer = &t->req;
	req.start = 100 * PS_PER_MS;
	req.rate_limit = 10 * RATE_MBPS;
	assert_int_equal(nic_add_qp(t->l.nic[0], &req), 0);
	lab_run(&t->l, 50 * PS_PER_US);
	assert_int_equal(
		nic_ctl(t->l.nic[0], &(struct ctl){.type = CTL_FLOW_STOP, .id = 5}, t->l.now), 0);
	lab_run(&t->l, 50 * PS_PER_MS);
	assert_int_equal(peer_state(t, 1), NIC_PEER_UP);
}

static void who_has_its_connection_keeps_it(void **state)
{
	struct peer_lab t;
	unsigned reason;

	(void)state;
	peer_asks_twice(&t);
	lab_run(&t.l, 5 * PS_PER_S);
	assert_int_equal(peer_failed(&t), 0);
	assert_int_equal(nic_qp_peer_lost(t.l.nic[1], 0), 0);
	assert_int_equal(nic_qp_peer(t.l.nic[0], 1, &reason), NIC_PEER_FAILED);
	assert_int_equal(reason, CM_REJ_NO_QP);
	lab_end(&t.l);
}

static bool no_rej_of_nic_0(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	const uint8_t *mad;
	struct cm_msg m;

	if (!from && p->kind == PKT_ROCE && !mad_of_pkt(p, &mad) && !cm_msg_parse(mad, &m) &&
		m.kind == CM_REJ)
		return false;
	return peer_hook(l, from, p, now);
}

// The peer has forgotten its first connection, and says so when it is asked, or says nothing: its
// second one gets the queue pair.
static void who_comes_back_is_taken(void **state)
{
	(void)state;
	for (unsigned silent = 0; silent < 2; silent++) {
		struct nic_peer *killed;
		struct peer_lab t;
		unsigned reason;

		peer_asks_twice(&t);
		if (silent)
			t.l.hook = no_rej_of_nic_0;
		killed = t.l.nic[0]->peers->peer[0];
		killed->cm->state = CM_IDLE;
		killed->cm = NULL;
		lab_run(&t.l, 101 * PS_PER_MS + (silent ? PS_PER_S : 0));
		assert_int_equal(nic_qp_peer_lost(t.l.nic[1], 0), !silent);
		lab_run(&t.l, 5 * PS_PER_S);
		assert_int_equal(nic_qp_peer_lost(t.l.nic[1], 0), 1);
		assert_int_equal(nic_qp_peer(t.l.nic[0], 1, &reason), NIC_PEER_UP);
		assert_int_equal(peer_state(&t, 1), NIC_PEER_UP);
		lab_end(&t.l);
	}
}

// An RTU is lost, and the first request stands for it.
static void a_request_stands_for_the_rtu(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	t.rsp.guards = true;
	t.rsp.length = 100000;
	peer_found(&t);
	peer_add(&t, 0, 0);
	lab_run(&t.l, 2 * PS_PER_US);
	assert_int_equal(peer_state(&t, 1), NIC_PEER_ASKED);
	t.deaf = true;
	assert_int_equal(lab_ctl(&t.l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 5}), 0);
	lab_run(&t.l, PS_PER_MS);
	assert_int_equal(peer_state(&t, 1), NIC_PEER_ASKED);
	peer_offer(&t, BTH_RC_SEND_ONLY, t.said[1].u.rep.psn, 64, &(struct rc_reth){0});
	assert_int_equal(peer_state(&t, 1), NIC_PEER_UP);
	assert_int_equal(nic_stats(t.l.nic[1])->cm_tx, 1); // the REP
	lab_end(&t.l);
}

// The address is known, and then the host is silent.
static void no_answer_to_connect(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_found(&t);
	t.deaf = true;
	peer_add(&t, 3, 0);
	lab_run(&t.l, 20 * PS_PER_S);
	assert_int_equal(peer_failed(&t), RC_PEER_SILENT);
	assert_int_equal(nic_stats(t.l.nic[0])->cm_tx, 7); // six REQs, and the REJ
	lab_end(&t.l);
}

// One that moves while messages are under way is sent to where it is.
static void the_peer_moves(void **state)
{
	const uint8_t elsewhere[6] = {2, 0, 0, 0, 0, 9};
	struct peer_lab t;
	uint32_t changes = 0;
	uint64_t before;

	(void)state;
	peer_begin(&t, false, 1);
	t.rsp.port = 0;
	memcpy(t.ack.dst, t.l.p[0].mac, 6);
	t.l.nic[0]->p.readdressed = &changes;
	peer_add(&t, 1000, 0);
	lab_run(&t.l, PS_PER_MS);
	assert_int_equal(changes, 0); // before the first frame nobody keeps anything
	for (unsigned i = 0; i < 2; i++) {
		const uint8_t *mac = i ? t.l.p[1].mac : elsewhere;

		before = nic_stats(t.l.nic[1])->drop[NIC_DROP_NOT_FOR_US];
		peer_announces(&t, mac);
		assert_memory_equal(t.data.hdr.dst, mac, 6);
		assert_int_equal(changes, i + 1);
		lab_run(&t.l, (2 + i) * PS_PER_MS);
		if (!i)
			assert_true(nic_stats(t.l.nic[1])->drop[NIC_DROP_NOT_FOR_US] > before);
	}
	lab_run(&t.l, PS_PER_S);
	assert_int_equal(peer_failed(&t), 0);
	assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx, 1000);
	lab_end(&t.l);
}

// Told to stop while it waits, it does not start when its peer is ready.
static void told_to_stop_meanwhile(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_add(&t, 3, 0);
	lab_run(&t.l, 0);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_RESOLVES);
	assert_int_equal(lab_ctl(&t.l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 5}), 0);
	lab_run(&t.l, PS_PER_S);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_UP);
	assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->data_frames_tx, 0);
	assert_int_equal(lab_ctl(&t.l, 0, (struct ctl){.type = CTL_FLOW_START, .id = 5}), 0);
	lab_run(&t.l, 2 * PS_PER_S);
	assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx, 3);
	lab_end(&t.l);
}

// Another host's messages about a connection count for nothing.
static void others_say_nothing(void **state)
{
	struct peer_lab t;
	struct cm_msg rej = {.kind = CM_REJ, .local_id = 7};

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_found(&t);
	peer_add(&t, 3, 0);
	lab_run(&t.l, 0);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_ASKED);
	rej.tid = t.said[0].tid;
	rej.remote_id = t.said[0].local_id;
	rej.u.rej.reason = CM_REJ_CONSUMER;
	peer_inject(&t, &rej, 77);
	assert_int_equal(peer_failed(&t), 0);
	assert_int_equal(nic_stats(t.l.nic[0])->drop[NIC_DROP_BAD_REQUEST], 1);
	peer_inject(&t, &rej, 2);
	assert_int_equal(peer_failed(&t), RC_PEER_REJECTED);
	lab_run(&t.l, PS_PER_S);
	lab_end(&t.l);
}

// REQs of strangers for a service that nobody has: each would get a REJ. NIC_ANSWERS of them wait
// and no more, the pool keeps its packets, and it is known who asked most. The flow's own
// connection stands all the same.
static void a_flood_of_requests_gets_few_answers(void **state)
{
	const struct nic_neigh_notes *notes;
	struct peer_lab t;
	struct cm_msg req = {.kind = CM_REQ, .u.req = {.service_id = CM_SERVICE_TCP | 7}};
	const struct nic_stats *s;
	uint64_t most = 0;
	unsigned free_before, of_77 = 0;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_found(&t);
	peer_add(&t, 3, 0);
	lab_run(&t.l, 0);
	s = nic_stats(t.l.nic[0]);
	free_before = t.l.stack.n;
	for (unsigned i = 0; i < 5000; i++) {
		req.local_id = req.tid = 1000 + i;
		req.u.req.qpn = 100 + i;
		peer_inject(&t, &req, i % 3 ? 77 : (uint8_t)(100 + i % 50));
	}
	assert_int_equal(nic_eport(t.l.nic[0])->q[6].frames, NIC_ANSWERS);
	assert_int_equal(s->drop[NIC_DROP_NO_ANSWER], 5000 - NIC_ANSWERS);
	assert_int_equal(free_before - t.l.stack.n, NIC_ANSWERS);
	notes = nic_neigh_notes(t.l.nic[0]);
	for (unsigned i = 0; i < NIC_ASKERS; i++)
		if (notes->asker[i].times > most) {
			most = notes->asker[i].times;
			of_77 = notes->asker[i].ip[3];
		}
	assert_int_equal(of_77, 77);
	lab_run(&t.l, 2 * PS_PER_S);
	assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->message_complete_rx, 3);
	lab_end(&t.l);
}

// The peer ends the connection of an endless flow: it fails, and sends nothing more.
static void the_peer_parts(void **state)
{
	struct peer_lab t;
	uint64_t sent;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_add(&t, 0, 0);
	lab_run(&t.l, 10 * PS_PER_MS);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_UP);
	assert_int_equal(t.said[1].kind, CM_REP);
	peer_parts(&t);
	assert_int_equal(peer_failed(&t), RC_PEER_PARTED);
	sent = nic_qp_stats(t.l.nic[0], 0)->data_frames_tx;
	assert_true(sent > 1000);
	lab_run(&t.l, PS_PER_S);
	assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->data_frames_tx, sent);
	lab_end(&t.l);
}

#define MANY 300

// So many connect to one port at one instant, each to a responder of its own.
static void many_connect(void **state)
{
	struct peer_lab t;
	struct nic_qp_params req, rsp;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_add(&t, 3, 0);
	req = lab_req(&t.l, 0);
	req.data_hdr = &t.data.hdr;
	req.message_bytes = 1000;
	req.count = 2;
	req.outstanding = 1;
	req.peer = &t.req;
	rsp = (struct nic_qp_params){.ack_hdr = &t.ack,
		.cnp_hdr = &t.cnp,
		.cls = 3,
		.ack_cls = 6,
		.rc = &t.l.rc,
		.peer = &t.rsp};
	for (unsigned i = 0; i < MANY; i++) {
		req.flow = rsp.flow = req.qpn = rsp.qpn = 10 + i;
		assert_int_equal(nic_add_qp(t.l.nic[0], &req), 0);
		assert_int_equal(nic_add_qp(t.l.nic[1], &rsp), 0);
	}
	lab_run(&t.l, 20 * PS_PER_S);
	for (unsigned i = 1; i <= MANY; i++) {
		assert_int_equal(nic_qp_rc_tx(t.l.nic[0], i)->failed, 0);
		assert_int_equal(nic_qp_stats(t.l.nic[1], i)->message_complete_rx, 2);
	}
	lab_end(&t.l);
}

// Questions that find the link down hold no place of answers.
static void the_link_is_down(void **state)
{
	struct hdr_region region[25];
	struct nic_peer_params peer[25];
	uint8_t bytes[ARP_FRAME_MAX];
	struct peer_lab t;
	struct arp a;

	(void)state;
	peer_begin(&t, false, 1);
	peer_add(&t, 3, 0);
	for (unsigned i = 0; i < 25; i++) {
		struct nic_qp_params req = lab_req(&t.l, 10 + i);

		region[i] = t.data;
		region[i].hdr.daddr[3] = (uint8_t)(100 + i);
		peer[i] = t.req;
		peer[i].data = &region[i];
		req.data_hdr = &region[i].hdr;
		req.peer = &peer[i];
		assert_int_equal(nic_add_qp(t.l.nic[0], &req), 0);
	}
	assert_int_equal(lab_ctl(&t.l, 0, (struct ctl){.type = CTL_LINK_DOWN}), 0);
	lab_run(&t.l, 10 * PS_PER_S);
	assert_true(nic_stats(t.l.nic[0])->arp_request > NIC_ANSWERS);
	assert_int_equal(peer_failed(&t), RC_PEER_UNKNOWN);
	assert_int_equal(lab_ctl(&t.l, 0, (struct ctl){.type = CTL_LINK_UP}), 0);
	arp_ask(&a, t.l.p[1].mac, t.l.p[1].ip, t.l.p[0].ip, NULL, -1);
	peer_came(&t, bytes, arp_to_frame(&a, bytes));
	assert_int_equal(nic_stats(t.l.nic[0])->arp_reply, 1);
	lab_run(&t.l, 11 * PS_PER_S);
	lab_end(&t.l);
}

// A third of all that has bytes is lost: nearly all connect, every message of those arrives, the
// others say why they failed, and every descriptor comes back.
static void frames_are_lost(void **state)
{
	unsigned done = 0, lost = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct peer_lab t;

		peer_begin(&t, seed % 2, seed);
		t.req.port = PORT;
		t.lose_permille = 330;
		peer_add(&t, 3, (uint32_t)(seed * 77777));
		lab_run(&t.l, 60 * PS_PER_S);
		lost += t.lost;
		if (peer_failed(&t) == 0) {
			if (nic_qp_stats(t.l.nic[1], 0)->message_complete_rx != 3)
				fail_msg("seed %llu: not all has come", (unsigned long long)seed);
			done++;
		} else if (peer_failed(&t) != RC_PEER_UNKNOWN &&
			   peer_failed(&t) != RC_PEER_SILENT &&
			   peer_failed(&t) != RC_PEER_REJECTED) {
			fail_msg("seed %llu: failed for %u", (unsigned long long)seed,
				peer_failed(&t));
		}
		lab_end(&t.l);
	}
	assert_true(lost > 200);
	assert_in_range(done, 150, 199); // 8 of 27 find no address
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_address_is_found),
		cmocka_unit_test(nobody_answers),
		cmocka_unit_test(both_connect_and_part),
		cmocka_unit_test(data_begin_at_the_psn_of_the_rep),
		cmocka_unit_test(a_given_region_stays),
		cmocka_unit_test(refused),
		cmocka_unit_test(another_mtu_is_refused),
		cmocka_unit_test(no_answer_to_connect),
		cmocka_unit_test(no_answer_to_the_rep),
		cmocka_unit_test(who_has_its_connection_keeps_it),
		cmocka_unit_test(who_comes_back_is_taken),
		cmocka_unit_test(a_request_stands_for_the_rtu),
		cmocka_unit_test(the_peer_moves),
		cmocka_unit_test(told_to_stop_meanwhile),
		cmocka_unit_test(others_say_nothing),
		cmocka_unit_test(a_flood_of_requests_gets_few_answers),
		cmocka_unit_test(the_peer_parts),
		cmocka_unit_test(many_connect),
		cmocka_unit_test(the_link_is_down),
		cmocka_unit_test(frames_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
