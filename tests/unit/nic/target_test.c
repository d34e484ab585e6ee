// SPDX-License-Identifier: BSD-3-Clause
// Open-loop sources that ask for the receiver's hardware address: they wait for it, follow it, and
// end where nobody answers.
#include "peer_lab.h"

static const uint8_t elsewhere[6] = {2, 0, 0, 0, 0, 9};

struct target_lab {
	struct peer_lab p;
	struct hdr hdr;
	bool deaf;    // nic 1 hears nothing
	tstamp first; // frame of the source
};

static bool hook(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct target_lab *t = l->arg;

	if (!from && p->kind == PKT_GEN && t->first == TSTAMP_NEVER)
		t->first = now;
	return from || !t->deaf;
}

// A source of nic 0 that sends a frame each 10 us, from `start` on. With a prefix nic 1 is nic 0's
// gateway, and the receiver has another first byte in its address.
static void begin_by(struct target_lab *t, bool v6, tstamp start, uint8_t prefix)
{
	struct lab *l = &t->p.l;
	struct gen_params g = {.source = 3,
		.hdr = &t->hdr,
		.cls = 1,
		.min_len = 121,
		.max_len = 121,
		.rate = RATE_GBPS * 116 / 1000,
		.burst = 1,
		.start = start,
		.stop = TSTAMP_NEVER,
		.name = "s"};

	t->deaf = false;
	t->first = TSTAMP_NEVER;
	peer_begin(&t->p, v6, 1);
	l->hook = hook;
	l->arg = t;
	t->hdr = t->p.data.hdr;
	t->hdr.flags &= (uint8_t)~HDR_REGION;
	if (prefix) {
		l->nic[0]->p.gateway.prefix = prefix;
		memcpy(l->nic[0]->p.gateway.ip, t->hdr.daddr, 16);
		t->hdr.daddr[0] ^= 1;
	}
	assert_int_equal(nic_add_target(l->nic[0], 3, &t->hdr), -EINVAL);
	assert_int_equal(nic_add_gen(l->nic[0], &g), 0);
	assert_int_equal(nic_add_target(l->nic[0], 3, &t->hdr), 0);
}

static void begin(struct target_lab *t, bool v6, tstamp start)
{
	begin_by(t, v6, start, 0);
}

static uint64_t received(const struct target_lab *t)
{
	return nic_gen_stats(t->p.l.nic[1], 3)->rx_frames;
}

static void it_asks_and_then_sends(void **state)
{
	(void)state;
	for (unsigned v6 = 0; v6 < 2; v6++) {
		struct target_lab t;

		begin(&t, v6, 100 * PS_PER_US);
		assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_IDLE);
		assert_int_equal(nic_gen_target(t.p.l.nic[0], 4), NIC_PEER_NONE);
		lab_run(&t.p.l, 99 * PS_PER_US);
		assert_int_equal(nic_stats(t.p.l.nic[0])->tx_frames, 0);
		lab_run(&t.p.l, 1100 * PS_PER_US);
		assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_UP);
		assert_memory_equal(t.hdr.dst, t.p.l.p[1].mac, 6);
		assert_memory_equal(t.hdr.src, t.p.l.p[0].mac, 6);
		assert_int_equal(nic_stats(t.p.l.nic[0])->arp_request, !v6);
		assert_int_equal(nic_stats(t.p.l.nic[0])->nd_solicit, v6);
		// Question and answer come first: 2 us there and back, and the wire time of both.
		assert_in_range(t.first, 102 * PS_PER_US, 103 * PS_PER_US);
		assert_in_range(received(&t), 98, 100);
		// The time before is none that it could not send in.
		assert_int_equal(nic_gen(t.p.l.nic[0], 0)->lost_bytes, 0);
		lab_end(&t.p.l);
	}
}

// A network has all bits of its prefix: with 7 bits the receiver is in ours, and does not answer.
static void it_asks_the_gateway_to_other_networks(void **state)
{
	(void)state;
	for (unsigned v6 = 0; v6 < 2; v6++) {
		for (uint8_t prefix = 7; prefix < 33; prefix += prefix < 8 ? 1 : 24) {
			struct target_lab t;

			begin_by(&t, v6, 0, prefix);
			lab_run(&t.p.l, PS_PER_MS);
			if (prefix == 7) {
				assert_int_equal(
					nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_RESOLVES);
				assert_int_equal(received(&t), 0);
			} else {
				assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_UP);
				assert_memory_equal(t.hdr.dst, t.p.l.p[1].mac, 6);
				assert_in_range(received(&t), 98, 100);
			}
			lab_end(&t.p.l);
		}
	}
}

// The one source that looks for a host is found or failed.
static void reaches(const struct target_lab *t, unsigned found, unsigned failed)
{
	struct nic_reach r = nic_reach(t->p.l.nic[0]);

	assert_int_equal(r.sought, 1);
	assert_int_equal(r.found, found);
	assert_int_equal(r.failed, failed);
	assert_int_equal(nic_reach(t->p.l.nic[1]).sought, 0);
}

static void nobody_answers(void **state)
{
	struct target_lab t;

	(void)state;
	begin(&t, false, 0);
	t.deaf = true;
	lab_run(&t.p.l, 2 * PS_PER_S);
	assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_RESOLVES);
	reaches(&t, 0, 0);
	lab_run(&t.p.l, 4 * PS_PER_S);
	reaches(&t, 0, 1);
	assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_FAILED);
	assert_int_equal(nic_stats(t.p.l.nic[0])->arp_request, 3);
	assert_int_equal(nic_stats(t.p.l.nic[0])->gen_tx_frames, 0);
	// One that comes up after all is sent to.
	t.deaf = false;
	peer_announces(&t.p, t.p.l.p[1].mac);
	lab_run(&t.p.l, 4 * PS_PER_S + PS_PER_MS);
	assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_UP);
	assert_true(received(&t) > 90);
	reaches(&t, 1, 0);
	lab_end(&t.p.l);
}

// Told to start and to stop: what holds when the address is there counts.
static void it_is_told_to_stop_meanwhile(void **state)
{
	const struct ctl stop = {.type = CTL_FLOW_STOP, .id = CTL_SOURCE | 3};
	const struct ctl start = {.type = CTL_FLOW_START, .id = CTL_SOURCE | 3};
	struct target_lab t;

	(void)state;
	begin(&t, false, PS_PER_S);
	t.deaf = true;
	assert_int_equal(nic_ctl(t.p.l.nic[0], &start, 0), 0);
	lab_run(&t.p.l, PS_PER_US);
	assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_RESOLVES);
	assert_int_equal(nic_ctl(t.p.l.nic[0], &stop, t.p.l.now), 0);
	t.deaf = false;
	lab_run(&t.p.l, 2 * PS_PER_S);
	assert_int_equal(nic_gen_target(t.p.l.nic[0], 3), NIC_PEER_UP);
	assert_int_equal(received(&t), 0);
	assert_int_equal(nic_ctl(t.p.l.nic[0], &start, t.p.l.now), 0);
	lab_run(&t.p.l, 2 * PS_PER_S + PS_PER_MS);
	assert_in_range(received(&t), 99, 101);
	lab_end(&t.p.l);
}

// Frames follow a host that moves, and it is asked where it is now.
static void it_follows(void **state)
{
	const struct nic_neigh_notes *notes;
	struct target_lab t;
	uint64_t before;

	(void)state;
	begin(&t, false, 0);
	lab_run(&t.p.l, PS_PER_MS);
	before = received(&t);
	assert_true(before > 90);
	peer_announces(&t.p, elsewhere);
	assert_memory_equal(t.hdr.dst, elsewhere, 6);
	assert_memory_equal(t.hdr.src, t.p.l.p[0].mac, 6);
	lab_run(&t.p.l, 2 * PS_PER_MS);
	assert_in_range(received(&t), before, before + 1);
	notes = nic_neigh_notes(t.p.l.nic[0]);
	assert_int_equal(nic_stats(t.p.l.nic[0])->neigh_moved, 1);
	assert_int_equal(nic_stats(t.p.l.nic[0])->arp_request, 2);
	assert_memory_equal(notes->moved.ip, t.p.l.p[1].ip, 4);
	assert_memory_equal(notes->moved.was, t.p.l.p[1].mac, 6);
	assert_memory_equal(notes->moved.other, elsewhere, 6);
	assert_int_equal(notes->moved.at, PS_PER_MS);
	peer_announces(&t.p, t.p.l.p[1].mac);
	lab_run(&t.p.l, 3 * PS_PER_MS);
	assert_true(received(&t) > before + 90);
	lab_end(&t.p.l);
}

// Of two that answer the first counts, and the other is told.
static void two_answer(void **state)
{
	uint8_t bytes[ARP_FRAME_MAX];
	struct target_lab t;
	struct arp a;

	(void)state;
	begin(&t, false, 0);
	lab_run(&t.p.l, PS_PER_MS);
	arp_ask(&a, t.p.l.p[0].mac, t.p.l.p[0].ip, t.p.l.p[1].ip, NULL, -1);
	arp_reply(&a, elsewhere, &a);
	peer_came(&t.p, bytes, arp_to_frame(&a, bytes));
	assert_memory_equal(t.hdr.dst, t.p.l.p[1].mac, 6);
	assert_int_equal(nic_stats(t.p.l.nic[0])->neigh_moved, 0);
	assert_int_equal(nic_stats(t.p.l.nic[0])->neigh_disputed, 1);
	assert_memory_equal(nic_neigh_notes(t.p.l.nic[0])->disputed.was, t.p.l.p[1].mac, 6);
	assert_memory_equal(nic_neigh_notes(t.p.l.nic[0])->disputed.other, elsewhere, 6);
	lab_end(&t.p.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_asks_and_then_sends),
		cmocka_unit_test(it_asks_the_gateway_to_other_networks),
		cmocka_unit_test(nobody_answers),
		cmocka_unit_test(it_is_told_to_stop_meanwhile),
		cmocka_unit_test(it_follows),
		cmocka_unit_test(two_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
