// SPDX-License-Identifier: BSD-3-Clause
// Open-loop sources that ask for the receiver's hardware address: they wait for it, follow it, and
// end where nobody answers.
#include "nic_lab.h"

#include "bytes.h"
#include "nic/int.h"
#include "wire/arp.h"
#include "wire/icmp.h"

#define ROOM   768
#define OFFSET 192

static const uint8_t ip_of[2][2][16] = {
	{{10, 0, 0, 1}, {10, 0, 0, 2}},
	{{0xfd, [15] = 1}, {0xfd, [15] = 2}},
};
static const uint8_t elsewhere[6] = {2, 0, 0, 0, 0, 9};

struct target_lab {
	struct lab l;
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

// A source of nic 0 that sends a frame each 10 us, from `start` on.
static void begin(struct target_lab *t, bool v6, tstamp start)
{
	struct lab *l = &t->l;
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

	memset(t, 0, sizeof(*t));
	t->first = TSTAMP_NEVER;
	lab_init(l);
	for (unsigned i = 0; i < 2; i++) {
		l->p[i].answers = true;
		l->p[i].ipv6 = v6;
		memcpy(l->p[i].ip, ip_of[v6][i], 16);
	}
	l->hook = hook;
	l->arg = t;
	lab_start(l);
	l->room = realloc(l->room, (size_t)LAB_PKTS * ROOM);
	for (unsigned i = 0; i < LAB_PKTS; i++)
		l->slot[i] = (struct pkt *)(l->room + ROOM * (size_t)i);
	l->stack.data_off = OFFSET;
	l->stack.room = ROOM - OFFSET;
	t->hdr = (struct hdr){.flags = v6 ? HDR_IPV6 : HDR_IPV4,
		.ethertype = v6 ? 0x86dd : 0x0800,
		.proto = 17,
		.ttl = 64,
		.id = 7};
	memcpy(t->hdr.src, l->p[0].mac, 6);
	memcpy(t->hdr.saddr, ip_of[v6][0], 16);
	memcpy(t->hdr.daddr, ip_of[v6][1], 16);
	assert_int_equal(nic_add_target(l->nic[0], 3, &t->hdr), -EINVAL);
	assert_int_equal(nic_add_gen(l->nic[0], &g), 0);
	assert_int_equal(nic_add_target(l->nic[0], 3, &t->hdr), 0);
}

// A frame that nic 0 gets.
static void came(struct target_lab *t, const uint8_t *bytes, unsigned len)
{
	struct pkt *p = pkt_get_ctl(&t->l.stack);

	*p = (struct pkt){.len = (uint16_t)len, .data_off = OFFSET};
	memcpy(pkt_bytes(p), bytes, len);
	frame_to_pkt(p, 4300);
	nic_rx(t->l.nic[0], 0, &p, 1, t->l.now);
	lab_drain_events(&t->l, 0);
}

static void announces(struct target_lab *t, const uint8_t mac[6])
{
	uint8_t bytes[ARP_FRAME_MAX];
	struct arp a;

	arp_announce(&a, mac, ip_of[0][1], -1);
	came(t, bytes, arp_to_frame(&a, bytes));
}

static uint64_t received(const struct target_lab *t)
{
	return nic_gen_stats(t->l.nic[1], 3)->rx_frames;
}

static void it_asks_and_then_sends(void **state)
{
	(void)state;
	for (unsigned v6 = 0; v6 < 2; v6++) {
		struct target_lab t;

		begin(&t, v6, 100 * PS_PER_US);
		assert_int_equal(nic_gen_target(t.l.nic[0], 3), NIC_PEER_IDLE);
		assert_int_equal(nic_gen_target(t.l.nic[0], 4), NIC_PEER_NONE);
		lab_run(&t.l, 99 * PS_PER_US);
		assert_int_equal(nic_stats(t.l.nic[0])->tx_frames, 0);
		lab_run(&t.l, 1100 * PS_PER_US);
		assert_int_equal(nic_gen_target(t.l.nic[0], 3), NIC_PEER_UP);
		assert_memory_equal(t.hdr.dst, t.l.p[1].mac, 6);
		assert_memory_equal(t.hdr.src, t.l.p[0].mac, 6);
		assert_int_equal(nic_stats(t.l.nic[0])->arp_request, !v6);
		assert_int_equal(nic_stats(t.l.nic[0])->nd_solicit, v6);
		// There and back it takes 2 us, and what it has to say.
		assert_in_range(t.first, 102 * PS_PER_US, 103 * PS_PER_US);
		assert_in_range(received(&t), 98, 100);
		// The time before is none that it could not send in.
		assert_int_equal(nic_gen(t.l.nic[0], 0)->lost_bytes, 0);
		lab_end(&t.l);
	}
}

static void nobody_answers(void **state)
{
	struct target_lab t;

	(void)state;
	begin(&t, false, 0);
	t.deaf = true;
	lab_run(&t.l, 2 * PS_PER_S);
	assert_int_equal(nic_gen_target(t.l.nic[0], 3), NIC_PEER_RESOLVES);
	lab_run(&t.l, 4 * PS_PER_S);
	assert_int_equal(nic_gen_target(t.l.nic[0], 3), NIC_PEER_FAILED);
	assert_int_equal(nic_stats(t.l.nic[0])->arp_request, 3);
	assert_int_equal(nic_stats(t.l.nic[0])->gen_tx_frames, 0);
	// One that comes up after all is sent to.
	t.deaf = false;
	announces(&t, t.l.p[1].mac);
	lab_run(&t.l, 4 * PS_PER_S + PS_PER_MS);
	assert_int_equal(nic_gen_target(t.l.nic[0], 3), NIC_PEER_UP);
	assert_true(received(&t) > 90);
	lab_end(&t.l);
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
	assert_int_equal(nic_ctl(t.l.nic[0], &start, 0), 0);
	lab_run(&t.l, PS_PER_US);
	assert_int_equal(nic_gen_target(t.l.nic[0], 3), NIC_PEER_RESOLVES);
	assert_int_equal(nic_ctl(t.l.nic[0], &stop, t.l.now), 0);
	t.deaf = false;
	lab_run(&t.l, 2 * PS_PER_S);
	assert_int_equal(nic_gen_target(t.l.nic[0], 3), NIC_PEER_UP);
	assert_int_equal(received(&t), 0);
	assert_int_equal(nic_ctl(t.l.nic[0], &start, t.l.now), 0);
	lab_run(&t.l, 2 * PS_PER_S + PS_PER_MS);
	assert_in_range(received(&t), 99, 101);
	lab_end(&t.l);
}

// Frames follow a host that moves, and it is asked where it is now.
static void it_follows(void **state)
{
	const struct nic_neigh_notes *notes;
	struct target_lab t;
	uint64_t before;

	(void)state;
	begin(&t, false, 0);
	lab_run(&t.l, PS_PER_MS);
	before = received(&t);
	assert_true(before > 90);
	announces(&t, elsewhere);
	assert_memory_equal(t.hdr.dst, elsewhere, 6);
	assert_memory_equal(t.hdr.src, t.l.p[0].mac, 6);
	lab_run(&t.l, 2 * PS_PER_MS);
	assert_in_range(received(&t), before, before + 1);
	notes = nic_neigh_notes(t.l.nic[0]);
	assert_int_equal(nic_stats(t.l.nic[0])->neigh_moved, 1);
	assert_int_equal(nic_stats(t.l.nic[0])->arp_request, 2);
	assert_memory_equal(notes->moved.ip, ip_of[0][1], 4);
	assert_memory_equal(notes->moved.was, t.l.p[1].mac, 6);
	assert_memory_equal(notes->moved.other, elsewhere, 6);
	assert_int_equal(notes->moved.at, PS_PER_MS);
	announces(&t, t.l.p[1].mac);
	lab_run(&t.l, 3 * PS_PER_MS);
	assert_true(received(&t) > before + 90);
	lab_end(&t.l);
}

// Of two that answer the first counts, and the other is told.
static void two_answer(void **state)
{
	uint8_t bytes[ARP_FRAME_MAX];
	struct target_lab t;
	struct arp a;

	(void)state;
	begin(&t, false, 0);
	lab_run(&t.l, PS_PER_MS);
	arp_ask(&a, t.l.p[0].mac, ip_of[0][0], ip_of[0][1], NULL, -1);
	arp_reply(&a, elsewhere, &a);
	came(&t, bytes, arp_to_frame(&a, bytes));
	assert_memory_equal(t.hdr.dst, t.l.p[1].mac, 6);
	assert_int_equal(nic_stats(t.l.nic[0])->neigh_moved, 0);
	assert_int_equal(nic_stats(t.l.nic[0])->neigh_disputed, 1);
	assert_memory_equal(nic_neigh_notes(t.l.nic[0])->disputed.was, t.l.p[1].mac, 6);
	assert_memory_equal(nic_neigh_notes(t.l.nic[0])->disputed.other, elsewhere, 6);
	lab_end(&t.l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_asks_and_then_sends),
		cmocka_unit_test(nobody_answers),
		cmocka_unit_test(it_is_told_to_stop_meanwhile),
		cmocka_unit_test(it_follows),
		cmocka_unit_test(two_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
