// SPDX-License-Identifier: BSD-3-Clause
// The answers of a NIC besides RoCE: who gets which answer, which frames are dropped and why, how
// many answers may wait, and that nothing else changes.
#include "nic_lab.h"

#include <stdbool.h>

#include "../../floods.h"
#include "base/prng.h"
#include "bytes.h"
#include "frame/icmp.h"
#include "qp/int.h"
#include "wire/arp.h"

static const uint8_t peer[6] = {2, 0, 0, 0, 0, 9};
static const uint8_t own4[16] = {10, 0, 0, 1}, peer4[16] = {10, 0, 0, 9};
static const uint8_t own6[16] = {0xfd, [15] = 1}, peer6[16] = {0xfd, [15] = 9};

// The last frame that nic 0 sent, and how many it has sent.
struct seen {
	uint8_t bytes[256];
	unsigned len, n;
	uint8_t cls;
};

static bool see(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct seen *s = l->arg;

	(void)now;
	if (from)
		return true;
	s->len = p->len;
	s->cls = p->cls;
	s->n++;
	if (p->data_off)
		memcpy(s->bytes, pkt_bytes(p), p->len);
	return false; // nobody is there to take it
}

static void begin(struct lab *l, struct seen *s, bool v6)
{
	lab_init(l);
	l->p[0].answers = true;
	l->p[0].ipv6 = v6;
	memcpy(l->p[0].ip, v6 ? own6 : own4, 16);
	memset(s, 0, sizeof(*s));
	l->hook = see;
	l->arg = s;
	lab_start(l);
}

// A frame that comes as bytes, as by a device.
static void came(struct lab *l, const uint8_t *bytes, unsigned len)
{
	struct pkt *p = pkt_get_ctl(&l->stack);

	*p = (struct pkt){.len = (uint16_t)len, .data_off = 128};
	memcpy(pkt_bytes(p), bytes, len);
	frame_to_pkt(p, 4300);
	nic_rx(l->nic[0], 0, &p, 1, l->now);
	lab_drain_events(l, 0);
}

static void came_arp(struct lab *l, const struct arp *a)
{
	uint8_t bytes[ARP_FRAME_MAX];

	came(l, bytes, arp_to_frame(a, bytes));
}

static void came_icmp(struct lab *l, const struct icmp *m)
{
	uint8_t bytes[128], data[64] = {1, 2, 3};

	came(l, bytes, icmp_to_frame(m, data, bytes));
}

static struct icmp ping(bool v6)
{
	struct icmp m = {.kind = ICMP_ECHO_REQUEST,
		.ip = {.version = v6 ? 6 : 4, .ttl = 9, .tos = 0xb8},
		.id = 7,
		.seq = 8,
		.data_len = 20};

	memcpy(m.eth.src, peer, 6);
	m.eth.dst[0] = 2; // nic 0 is 02:00:00:00:00:01
	m.eth.dst[5] = 1;
	memcpy(m.ip.saddr, v6 ? peer6 : peer4, 16);
	memcpy(m.ip.daddr, v6 ? own6 : own4, 16);
	return m;
}

static const struct nic_stats *stats(const struct lab *l)
{
	return nic_stats(l->nic[0]);
}

static void a_request_for_us_is_answered(void **state)
{
	struct seen s;
	struct lab l;
	struct arp a;

	(void)state;
	begin(&l, &s, false);
	arp_ask(&a, peer, peer4, own4, NULL, 5 << 13 | 100);
	came_arp(&l, &a);
	lab_run(&l, PS_PER_US);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.len, 60);
	assert_int_equal(s.cls, 6); // where CNPs are
	assert_true(arp_from_frame(s.bytes, s.len, &a));
	assert_int_equal(a.op, ARP_REPLY);
	assert_memory_equal(a.eth.dst, peer, 6);
	assert_memory_equal(a.sha, l.p[0].mac, 6);
	assert_memory_equal(a.spa, own4, 4);
	assert_memory_equal(a.tpa, peer4, 4);
	assert_int_equal(a.eth.vlan_tci, 5 << 13 | 100);
	arp_ask(&a, peer, peer4, own4, l.p[0].mac, -1); // to us alone, as a probe is
	came_arp(&l, &a);
	lab_run(&l, 2 * PS_PER_US);
	assert_int_equal(s.n, 2);
	assert_int_equal(stats(&l)->arp_rx, 2);
	assert_int_equal(stats(&l)->arp_reply, 2);
	assert_int_equal(stats(&l)->consumed_frames, 2);
	assert_int_equal(stats(&l)->originated_frames, 2);
	lab_end(&l);
}

// Requests for others, announcements and answers are read, and end here.
static void what_asks_for_nothing_of_us_is_read(void **state)
{
	const uint8_t other[4] = {10, 0, 0, 3}, moved[6] = {2, 0, 0, 0, 0, 8};
	struct seen s;
	struct lab l;
	struct arp a;

	(void)state;
	begin(&l, &s, false);
	arp_ask(&a, peer, peer4, other, NULL, -1);
	came_arp(&l, &a);
	arp_announce(&a, peer, peer4, -1);
	came_arp(&l, &a);
	arp_ask(&a, peer, peer4, own4, NULL, -1);
	arp_reply(&a, peer, &a); // somebody else answers for our address, to all
	memset(a.eth.dst, 0xff, 6);
	came_arp(&l, &a);
	lab_run(&l, PS_PER_US);
	assert_int_equal(s.n, 0);
	assert_int_equal(stats(&l)->arp_rx, 3);
	assert_int_equal(stats(&l)->arp_reply, 0);
	assert_int_equal(stats(&l)->address_conflicts, 1);
	assert_int_equal(stats(&l)->consumed_frames, 3);
	// who has asked us and speaks from elsewhere has moved
	arp_ask(&a, peer, peer4, own4, NULL, -1);
	came_arp(&l, &a);
	arp_announce(&a, moved, peer4, -1);
	came_arp(&l, &a);
	assert_int_equal(stats(&l)->neigh_moved, 1);
	// a duplicate that announces itself with our address is not answered
	arp_announce(&a, peer, own4, -1);
	came_arp(&l, &a);
	lab_run(&l, 2 * PS_PER_US);
	assert_int_equal(s.n, 1);
	assert_int_equal(stats(&l)->address_conflicts, 2);
	lab_end(&l);
}

// An address that is only being tried is answered like any other (RFC 5227 cl. 2.1.1).
static void who_tries_our_address_is_told(void **state)
{
	const uint8_t none[4] = {0};
	struct seen s;
	struct lab l;
	struct arp a;

	(void)state;
	begin(&l, &s, false);
	arp_ask(&a, peer, none, own4, NULL, -1);
	came_arp(&l, &a);
	lab_run(&l, PS_PER_US);
	assert_int_equal(s.n, 1);
	assert_int_equal(stats(&l)->address_conflicts, 0);
	lab_end(&l);
}

static void a_ping_is_answered(void **state)
{
	struct seen s;
	struct lab l;

	(void)state;
	for (unsigned v6 = 0; v6 < 2; v6++) {
		struct icmp m = ping(v6), back;

		begin(&l, &s, v6);
		came_icmp(&l, &m);
		lab_run(&l, PS_PER_US);
		assert_int_equal(s.n, 1);
		assert_int_equal(icmp_from_frame(s.bytes, s.len, &back), ICMP_OK);
		assert_int_equal(back.kind, ICMP_ECHO_REPLY);
		assert_int_equal(back.id, 7);
		assert_int_equal(back.seq, 8);
		assert_int_equal(back.ip.tos, 0xb8);
		assert_memory_equal(back.ip.saddr, m.ip.daddr, 16);
		assert_memory_equal(back.ip.daddr, m.ip.saddr, 16);
		assert_memory_equal(back.eth.dst, peer, 6);
		assert_memory_equal(s.bytes + back.data_off, "\1\2\3\0", 4);
		assert_int_equal(stats(&l)->ping_rx, 1);
		assert_int_equal(stats(&l)->ping_reply, 1);
		// to our hardware address, but for another
		m.ip.daddr[15] ^= 2;
		m.ip.daddr[3] ^= 2;
		came_icmp(&l, &m);
		assert_int_equal(stats(&l)->drop[NIC_DROP_NOT_FOR_US], 1);
		// to all, and an answer that nobody asked for
		m = ping(v6);
		m.eth.dst[0] = 0x33;
		came_icmp(&l, &m);
		m = ping(v6);
		m.kind = ICMP_ECHO_REPLY;
		came_icmp(&l, &m);
		assert_int_equal(stats(&l)->drop[NIC_DROP_UNKNOWN], 2);
		lab_run(&l, 2 * PS_PER_US);
		assert_int_equal(s.n, 1);
		lab_end(&l);
	}
}

static void a_solicitation_is_answered(void **state)
{
	const uint8_t other[16] = {0xfd, [15] = 3}, none[16] = {0};
	struct seen s;
	struct icmp m;
	struct lab l;

	(void)state;
	begin(&l, &s, true);
	icmp_solicit(&m, peer, peer6, own6, NULL, -1);
	came_icmp(&l, &m);
	lab_run(&l, PS_PER_US);
	assert_int_equal(s.n, 1);
	assert_int_equal(icmp_from_frame(s.bytes, s.len, &m), ICMP_OK);
	assert_int_equal(m.kind, ICMP_ND_ADVERT);
	assert_int_equal(m.flags, ND_SOLICITED | ND_OVERRIDE);
	assert_memory_equal(m.mac, l.p[0].mac, 6);
	assert_memory_equal(m.eth.dst, peer, 6);
	icmp_solicit(&m, peer, none, own6, NULL, -1); // it looks for duplicates
	m.has_mac = false;
	came_icmp(&l, &m);
	lab_run(&l, 2 * PS_PER_US);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.bytes[0], 0x33);
	icmp_solicit(&m, peer, peer6, other, NULL, -1);
	came_icmp(&l, &m);
	icmp_announce(&m, peer, peer6, -1);
	came_icmp(&l, &m);
	icmp_announce(&m, peer, own6, -1);
	came_icmp(&l, &m);
	lab_run(&l, 3 * PS_PER_US);
	assert_int_equal(s.n, 2);
	assert_int_equal(stats(&l)->nd_rx, 5);
	assert_int_equal(stats(&l)->nd_reply, 2);
	assert_int_equal(stats(&l)->address_conflicts, 1);
	m.mac[5] = 77;
	memcpy(m.target, peer6, 16);
	came_icmp(&l, &m);
	assert_int_equal(stats(&l)->neigh_moved, 1);
	lab_end(&l);
}

static void what_is_malformed_has_its_reason(void **state)
{
	struct icmp m = ping(false);
	uint8_t bytes[128];
	struct seen s;
	struct lab l;
	struct arp a;
	unsigned len;

	(void)state;
	begin(&l, &s, false);
	arp_ask(&a, peer, peer4, own4, NULL, -1);
	a.sha[5]++; // in the name of another
	came_arp(&l, &a);
	assert_int_equal(stats(&l)->drop[NIC_DROP_BAD_REQUEST], 1);
	m.data_len = 0;
	len = icmp_to_frame(&m, NULL, bytes);
	bytes[36] ^= 1; // the checksum
	came(&l, bytes, len);
	assert_int_equal(stats(&l)->drop[NIC_DROP_BAD_REQUEST], 2);
	assert_int_equal(stats(&l)->arp_rx + stats(&l)->ping_rx, 0);
	lab_end(&l);
	begin(&l, &s, true);
	icmp_solicit(&m, peer, peer6, own6, NULL, -1);
	m.ip.ttl = 254; // a router has forwarded it
	came_icmp(&l, &m);
	assert_int_equal(stats(&l)->drop[NIC_DROP_BAD_REQUEST], 1);
	assert_int_equal(stats(&l)->nd_rx, 0);
	lab_end(&l);
}

// A NIC has one IP address: the other version's frames are of a protocol that it does not speak.
// One that does not answer takes all of them so, which is what virtual time has.
static void what_is_not_spoken_is_dropped_as_before(void **state)
{
	struct seen s;
	struct lab l;

	(void)state;
	for (unsigned how = 0; how < 3; how++) { // IPv4, IPv6, silent
		struct icmp m = ping(how == 0);
		struct arp a;
		unsigned drops = 1;

		begin(&l, &s, how == 1);
		if (how == 2) {
			lab_end(&l);
			lab_init(&l);
			l.hook = see;
			l.arg = &s;
			lab_start(&l);
		}
		came_icmp(&l, &m);
		arp_ask(&a, peer, peer4, own4, NULL, -1);
		if (how) {
			came_arp(&l, &a);
			drops++;
		}
		lab_run(&l, PS_PER_US);
		assert_int_equal(s.n, 0);
		assert_int_equal(stats(&l)->drop[NIC_DROP_UNKNOWN], drops);
		assert_int_equal(stats(&l)->arp_rx + stats(&l)->ping_rx, 0);
		lab_end(&l);
	}
}

// While its class is paused, so many answers wait, and what asks beyond is dropped by name. With
// the link they go, and others may wait.
static void few_answers_wait(void **state)
{
	struct icmp m = ping(false);
	struct seen s;
	struct lab l;

	(void)state;
	lab_init(&l);
	l.p[0].answers = true;
	l.p[0].pfc_classes = 1 << 6;
	memcpy(l.p[0].ip, own4, 16);
	memset(&s, 0, sizeof(s));
	l.hook = see;
	l.arg = &s;
	lab_start(&l);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_PFC,
			.len = 60,
			.u.pfc = {.enable = 1 << 6, .quanta = {[6] = 65535}}});
	for (unsigned i = 0; i < NIC_ANSWERS + 5; i++)
		came_icmp(&l, &m);
	assert_int_equal(stats(&l)->ping_rx, NIC_ANSWERS + 5);
	assert_int_equal(stats(&l)->ping_reply, NIC_ANSWERS);
	assert_int_equal(stats(&l)->drop[NIC_DROP_NO_ANSWER], 5);
	assert_int_equal(nic_eport(l.nic[0])->q[6].frames, NIC_ANSWERS);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, NIC_ANSWERS);
	for (unsigned i = 0; i < 3; i++)
		came_icmp(&l, &m);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_DOWN}), 0);
	assert_int_equal(stats(&l)->drop[NIC_DROP_LINK_DOWN], 3);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_UP}), 0);
	lab_run(&l, 2 * PS_PER_MS);
	for (unsigned i = 0; i < NIC_ANSWERS; i++)
		came_icmp(&l, &m);
	assert_int_equal(stats(&l)->drop[NIC_DROP_NO_ANSWER], 5);
	lab_run(&l, 3 * PS_PER_MS);
	lab_end(&l);
}

// Bytes that a flow brings in 2 ms at 10 Gb/s, while its host gets so many requests each
// microsecond.
static uint64_t bytes_beside(enum flood kind, bool v6, unsigned each_us)
{
	struct flood_target t = {.ipv6 = v6, .qpn = 17};
	struct nic_qp_params req;
	uint8_t bytes[FLOOD_MAX];
	uint64_t came_bytes;
	struct prng g;
	struct lab l;

	prng_init(&g, 1, flood_name[kind]);
	lab_init(&l);
	l.p[0].answers = true;
	l.p[0].ipv6 = v6;
	memcpy(l.p[0].ip, v6 ? own6 : own4, 16);
	memcpy(t.ip, l.p[0].ip, 16);
	memcpy(t.mac, l.p[0].mac, 6);
	l.p[0].rate = l.p[1].rate = 10 * RATE_GBPS;
	lab_start(&l);
	req = lab_req(&l, 1);
	lab_add(&l, &req);
	for (unsigned us = 1; us <= 2000; us++) {
		lab_run(&l, us * PS_PER_US);
		for (unsigned i = 0; i < each_us; i++)
			came(&l, bytes, flood_frame(kind, &t, &g, bytes));
	}
	came_bytes = nic_qp_stats(l.nic[1], 0)->rx_bytes;
	if (each_us)
		assert_true(stats(&l)->drop[NIC_DROP_NO_ANSWER] > 2000);
	lab_run(&l, 3 * PS_PER_MS);
	lab_end(&l);
	return came_bytes;
}

// Answers may go before data: asked at line rate, they stop no flow of the host.
static void who_asks_at_line_rate_stops_no_flow(void **state)
{
	static const struct {
		enum flood kind;
		bool v6;
	} rows[] = {{FLOOD_ARP, false}, {FLOOD_PING, false}, {FLOOD_ND, true}, {FLOOD_PING, true}};
	uint64_t alone = bytes_beside(FLOOD_ARP, false, 0);

	(void)state;
	assert_true(alone > 2000 * 1000);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t beside = bytes_beside(rows[i].kind, rows[i].v6, 10);

		if (beside < alone - alone / 50)
			fail_msg("%s: %llu bytes of %llu", flood_name[rows[i].kind],
				(unsigned long long)beside, (unsigned long long)alone);
	}
}

// Any frame of these kinds, with some bytes changed, between others: it adds up, and each is
// consumed or dropped once.
static void random_frames_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct prng g;
		struct seen s;
		struct lab l;

		printf("seed %llu\n", (unsigned long long)seed);
		prng_init(&g, seed, "nic_neigh");
		begin(&l, &s, seed % 2);
		for (unsigned i = 0; i < 5000; i++) {
			struct icmp m = ping(prng_below(&g, 2));
			uint8_t bytes[128], data[64] = {0};
			struct arp a;
			unsigned len;

			arp_ask(&a, peer, peer4, own4, NULL, prng_below(&g, 2) ? 6 : -1);
			if (prng_below(&g, 3) == 0)
				icmp_solicit(&m, peer, peer6, own6, NULL, -1);
			len = prng_below(&g, 2) ? arp_to_frame(&a, bytes)
						: icmp_to_frame(&m, data, bytes);
			for (uint64_t n = prng_below(&g, 3); n; n--)
				bytes[prng_below(&g, len)] ^= (uint8_t)(1 << prng_below(&g, 8));
			came(&l, bytes, len - (unsigned)(prng_below(&g, 4) ? 0 : len / 3));
			if (prng_below(&g, 2))
				lab_run(&l, l.now + prng_below(&g, 2 * PS_PER_US));
		}
		assert_true(s.n > 300);
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_for_us_is_answered),
		cmocka_unit_test(what_asks_for_nothing_of_us_is_read),
		cmocka_unit_test(who_tries_our_address_is_told),
		cmocka_unit_test(a_ping_is_answered),
		cmocka_unit_test(a_solicitation_is_answered),
		cmocka_unit_test(what_is_malformed_has_its_reason),
		cmocka_unit_test(what_is_not_spoken_is_dropped_as_before),
		cmocka_unit_test(few_answers_wait),
		cmocka_unit_test(who_asks_at_line_rate_stops_no_flow),
		cmocka_unit_test(random_frames_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
