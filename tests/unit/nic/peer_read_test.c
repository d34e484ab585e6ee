// SPDX-License-Identifier: BSD-3-Clause
// READs of a peer that is no NIC of ours: who connects, how many are outstanding, and what fails
// them.
#include "peer_lab.h"

// Who READs connects, and who has the data is asked. No more READs are outstanding than the less of
// both sides allow, the PSN that the REP names is the first, and both part.
static void a_read_connects(void **state)
{
	static const struct {
		unsigned wants, serves, most;
	} rows[] = {{16, 4, 4}, {2, 16, 2}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct peer_lab t;

		peer_begin(&t, i, 7);
		t.req.port = PORT;
		peer_add_reads(&t, 100, rows[i].wants, rows[i].serves);
		lab_run(&t.l, 50 * PS_PER_MS);
		assert_int_equal(peer_reader(&t)->failed, 0);
		assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->message_complete_rx, 100);
		assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->rx_bytes, 100 * 10000);
		assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->nak_tx, 0);
		assert_int_equal(nic_qp_stats(t.l.nic[1], 0)->data_frames_retransmitted, 0);
		assert_int_equal(t.most_asked, rows[i].most);
		assert_int_equal(t.first_psn, t.said[1].u.rep.psn);
		assert_int_equal(t.said[0].u.req.initiator_depth, rows[i].wants);
		assert_int_equal(t.said[0].u.req.responder_resources, 0);
		assert_int_equal(t.said[1].u.rep.responder_resources, rows[i].most);
		assert_true(t.va == VA);
		assert_int_equal(t.rkey, RKEY);
		assert_int_equal(peer_state(&t, 0), NIC_PEER_PARTED);
		lab_run(&t.l, 2 * PS_PER_S); // TimeWait is over
		assert_int_equal(peer_state(&t, 1), NIC_PEER_LISTENS);
		lab_end(&t.l);
	}
}

// Numbers are given: both ask for the other's hardware address, and PSNs wrap.
static void a_read_by_numbers(void **state)
{
	struct peer_lab t;

	(void)state;
	peer_begin(&t, false, 1);
	t.rsp.port = 0;
	t.rsp.resolve = true;
	peer_add_reads(&t, 20, 16, 16);
	lab_run(&t.l, 100 * PS_PER_MS);
	assert_int_equal(peer_reader(&t)->failed, 0);
	assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->message_complete_rx, 20);
	assert_int_equal(t.first_psn, 0xffffff);
	assert_memory_equal(t.ack.dst, t.l.p[0].mac, 6);
	assert_memory_equal(t.data.hdr.dst, t.l.p[1].mac, 6);
	lab_end(&t.l);
}

// A peer whose responder resources are 0 serves nobody.
static void a_peer_that_serves_no_reads(void **state)
{
	struct peer_lab t;
	struct cm_msg rep = {.kind = CM_REP, .local_id = 77};

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_found(&t);
	t.deaf = true;
	peer_add_reads(&t, 20, 16, 16);
	lab_run(&t.l, 0);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_ASKED);
	rep.tid = t.said[0].tid;
	rep.remote_id = t.said[0].local_id;
	rep.u.rep.qpn = 0x11;
	peer_inject(&t, &rep, 2);
	assert_int_equal(peer_reader(&t)->failed, RC_PEER_NO_READS);
	assert_int_equal(lab_evs(&t.l, 0, EV_QP_FAILED), 1);
	assert_int_equal(nic_stats(t.l.nic[0])->cm_tx, 2); // REQ, and the REJ
	lab_run(&t.l, PS_PER_S);
	lab_end(&t.l);
}

// The peer ends the connection of READs without end: who asks fails, and asks for nothing more.
static void the_peer_of_a_read_parts(void **state)
{
	struct peer_lab t;
	uint64_t came;

	(void)state;
	peer_begin(&t, false, 1);
	t.req.port = PORT;
	peer_add_reads(&t, 0, 16, 16);
	lab_run(&t.l, 10 * PS_PER_MS);
	assert_int_equal(peer_state(&t, 0), NIC_PEER_UP);
	peer_parts(&t);
	assert_int_equal(peer_reader(&t)->failed, RC_PEER_PARTED);
	came = nic_qp_stats(t.l.nic[0], 0)->rx_bytes;
	assert_true(came > 1000000);
	lab_run(&t.l, PS_PER_S);
	assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->rx_bytes, came);
	lab_end(&t.l);
}

// Frames of data and requests are lost as well: each message comes once.
static void reads_of_a_peer_survive_losses(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct peer_lab t;

		peer_begin(&t, false, seed);
		t.req.port = PORT;
		t.lose_data_permille = 50;
		peer_add_reads(&t, 50, 4, 4);
		lab_run(&t.l, 10 * PS_PER_S);
		assert_int_equal(peer_reader(&t)->failed, 0);
		assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->message_complete_rx, 50);
		assert_int_equal(nic_qp_stats(t.l.nic[0], 0)->rx_bytes, 50 * 10000);
		lab_end(&t.l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_connects),
		cmocka_unit_test(a_read_by_numbers),
		cmocka_unit_test(a_peer_that_serves_no_reads),
		cmocka_unit_test(the_peer_of_a_read_parts),
		cmocka_unit_test(reads_of_a_peer_survive_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
