// SPDX-License-Identifier: BSD-3-Clause
// Tests of equal ways: spread, constancy, the same choice for shared and own headers, links that go
// down.
#include "sw_box.h"

#include <errno.h>

#include "wire/eth.h"

#define FLOWS 1000

static const struct sw_ecmp_group four = {.port = {0x3c}}; // ports 2 to 5

// A flow as the scenario makes them: only the source port differs between the queue pairs of two
// hosts.
static struct hdr flow(unsigned i)
{
	struct hdr h = {.ethertype = ETH_P_IPV4,
		.flags = HDR_IPV4,
		.proto = 17,
		.saddr = {10, 0, 0, 1},
		.daddr = {10, 0, 0, 251},
		.sport = (uint16_t)(0xc000 + i),
		.dport = 4791};

	box_mac(h.src, 0);
	box_mac(h.dst, 250);
	return h;
}

static unsigned port_of(uint64_t salt, unsigned i)
{
	const struct hdr h = flow(i);

	return sw_ecmp_port(&four, NULL, sw_ecmp_hash(salt, &h));
}

// Of 1000 flows a way gets 250, with a deviation of sqrt(1000 * 1/4 * 3/4) = 13.7; four of them are
// allowed.
static void spread_is_even(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 16; seed++) {
		uint64_t salt = sw_ecmp_salt(seed, "leaf1");
		unsigned n[NODE_PORTS] = {0};

		for (unsigned i = 0; i < FLOWS; i++)
			n[port_of(salt, i)]++;
		assert_int_equal(n[2] + n[3] + n[4] + n[5], FLOWS);
		for (unsigned p = 2; p <= 5; p++)
			if (n[p] < 195 || n[p] > 305)
				fail_msg("seed %lu: port %u has %u", (unsigned long)seed, p, n[p]);
	}
}

// One switch behind another chooses anew: 16 pairs of ways with 62.5 each, deviation 7.65.
static void switches_choose_independently(void **state)
{
	uint64_t one = sw_ecmp_salt(1, "leaf1"), two = sw_ecmp_salt(1, "leaf2");
	unsigned n[NODE_PORTS][NODE_PORTS] = {0};

	(void)state;
	for (unsigned i = 0; i < FLOWS; i++)
		n[port_of(one, i)][port_of(two, i)]++;
	for (unsigned p = 2; p <= 5; p++)
		for (unsigned q = 2; q <= 5; q++)
			assert_in_range(n[p][q], 32, 93);
	assert_int_not_equal(one, sw_ecmp_salt(2, "leaf1"));
	assert_int_equal(one, sw_ecmp_salt(1, "leaf1"));
}

// Hosts, VLANs and IPv6 addresses tell flows apart, too; what a hop or a frame changes does not.
static void what_makes_a_flow(void **state)
{
	const struct hdr h = flow(0);
	uint64_t same = sw_ecmp_hash(1, &h);
	struct hdr o = h;

	(void)state;
	o.ttl = 3;
	o.ip_id = 77;
	o.id = 9;
	o.cntag = 1;
	assert_int_equal(sw_ecmp_hash(1, &o), same);
	o.vlan_tci = 5;
	assert_int_equal(sw_ecmp_hash(1, &o), same); // there is no tag
	o.flags |= HDR_VLAN;
	assert_int_not_equal(sw_ecmp_hash(1, &o), same);
	o.vlan_tci = 5 | 3 << 13;
	same = sw_ecmp_hash(1, &o);
	o.vlan_tci = 5 | 6 << 13;
	assert_int_equal(sw_ecmp_hash(1, &o), same); // priority
	for (unsigned i = 0; i < 16; i++) {
		o = h;
		o.daddr[i] ^= 1;
		assert_int_not_equal(sw_ecmp_hash(1, &o), sw_ecmp_hash(1, &h));
	}
	o = h;
	o.src[5] ^= 1;
	assert_int_not_equal(sw_ecmp_hash(1, &o), sw_ecmp_hash(1, &h));
}

static void down_ports_leave_the_set(void **state)
{
	const uint64_t up[NODE_PORT_WORDS] = {0x37}, none[NODE_PORT_WORDS] = {0};
	const struct sw_ecmp_group high = {.port = {[NODE_PORT_WORDS - 1] = 1ull << 63}};
	uint64_t salt = sw_ecmp_salt(1, "s");
	unsigned n[NODE_PORTS] = {0};

	(void)state;
	for (unsigned i = 0; i < FLOWS; i++) {
		const struct hdr h = flow(i);
		uint64_t hash = sw_ecmp_hash(salt, &h);
		unsigned before = port_of(salt, i), port = sw_ecmp_port(&four, up, hash);

		assert_int_not_equal(port, 3);
		if (before != 3)
			assert_int_equal(port, before);
		else
			n[port]++;
		assert_int_equal(sw_ecmp_port(&four, none, hash), before);
		assert_int_equal(sw_ecmp_port(&high, NULL, hash), NODE_PORTS - 1);
	}
	for (unsigned p = 2; p <= 5; p++) // 250 / 3, deviation 7.5
		if (p != 3)
			assert_in_range(n[p], 53, 114);
}

// A switch with host 250 behind ports 2 to 5.
static struct box *box_with_ways(struct sw_fdb_params *fdb)
{
	struct box *b = box_new();

	*fdb = (struct sw_fdb_params){.port = 2, .ecmp = 1};
	box_mac(fdb->mac, 250);
	b->params.n_ports = BOX_PORTS;
	b->params.fdb = fdb;
	b->params.n_fdb = 1;
	b->params.ecmp = &four;
	b->params.n_ecmp = 1;
	box_start(b);
	return b;
}

static struct pkt *frame(struct box *b, unsigned i, bool own)
{
	struct pkt *p = box_pkt(b, 0, 1, 0, 100);

	b->hdr[1 + i] = flow(i);
	b->hdr[1 + i].id = 1 + i;
	p->hdr = &b->hdr[1 + i];
	if (own) {
		*pkt_own_hdr(p) = flow(i);
		p->hdr = pkt_own_hdr(p);
	}
	return p;
}

// The port by which what was taken leaves; every frame by the same.
static unsigned leaves_by(struct box *b, unsigned n, tstamp now)
{
	unsigned out = PKT_NO_PORT;

	for (unsigned i = 0; i < BOX_PORTS; i++) {
		unsigned got = box_drain(b, i, now + PS_PER_US);

		assert_true(!got || got == n);
		out = got ? i : out;
	}
	return out;
}

static unsigned sent(struct box *b, unsigned i, bool own, tstamp now)
{
	box_rx(b, 0, frame(b, i, own), now);
	return leaves_by(b, 1, now);
}

// Virtual time has shared headers, a wire headers of the frame's own: both go the same way, and the
// way that the reports think.
static void shared_and_own_headers_go_alike(void **state)
{
	struct sw_fdb_params fdb;
	struct box *b = box_with_ways(&fdb);
	uint64_t salt = sw_ecmp_salt(b->params.seed, b->params.name);

	(void)state;
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 48; i++) {
			tstamp now = (round * 48 + i) * 4 * PS_PER_US;

			assert_int_equal(sent(b, i, false, now), port_of(salt, i));
			assert_int_equal(sent(b, i, true, now + 2 * PS_PER_US), port_of(salt, i));
		}
	box_free(b);
}

// A burst is taken in runs of one flow: frames of several flows between the same hosts do not
// follow the first.
static void bursts_are_parted_by_flow(void **state)
{
	struct sw_fdb_params fdb;
	struct box *b = box_with_ways(&fdb);
	uint64_t salt = sw_ecmp_salt(b->params.seed, b->params.name);
	struct pkt *burst[32];
	unsigned want[BOX_PORTS] = {0};

	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		burst[i] = frame(b, i / 2, true);
		want[port_of(salt, i / 2)]++;
	}
	sw_rx(b->sw, 0, burst, 32, 0);
	for (unsigned i = 0; i < BOX_PORTS; i++)
		assert_int_equal(box_drain(b, i, PS_PER_MS), want[i]);
	for (unsigned i = 0; i < 32; i++)
		burst[i] = frame(b, 7, true);
	sw_rx(b->sw, 0, burst, 32, PS_PER_MS);
	assert_int_equal(leaves_by(b, 32, PS_PER_MS), port_of(salt, 7));
	box_free(b);
}

static void flows_leave_a_dead_link_and_return(void **state)
{
	struct sw_fdb_params fdb;
	struct box *b = box_with_ways(&fdb);
	uint64_t salt = sw_ecmp_salt(b->params.seed, b->params.name);
	unsigned home = port_of(salt, 0);
	struct ctl ctl = {.type = CTL_LINK_DOWN, .port = (uint16_t)home};

	(void)state;
	assert_int_equal(sent(b, 0, false, 0), home);
	sw_ctl(b->sw, &ctl, PS_PER_MS);
	assert_int_not_equal(sent(b, 0, false, 2 * PS_PER_MS), home);
	ctl.type = CTL_LINK_UP;
	sw_ctl(b->sw, &ctl, 3 * PS_PER_MS);
	assert_int_equal(sent(b, 0, false, 4 * PS_PER_MS), home);
	box_free(b);
}

static void sets_are_checked(void **state)
{
	static const struct sw_ecmp_group bad[] = {{.port = {0}}, {.port = {1ull << BOX_PORTS}}};
	struct sw_fdb_params fdb = {.ecmp = 2};
	struct box *b = box_new();

	(void)state;
	b->params.n_ports = BOX_PORTS;
	b->params.n_ecmp = 1;
	for (unsigned i = 0; i < 2; i++) {
		b->params.ecmp = &bad[i];
		assert_int_equal(box_try(b), -EINVAL);
	}
	b->params.ecmp = &four;
	b->params.fdb = &fdb;
	b->params.n_fdb = 1;
	assert_int_equal(box_try(b), -EINVAL);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread_is_even),
		cmocka_unit_test(switches_choose_independently),
		cmocka_unit_test(what_makes_a_flow),
		cmocka_unit_test(down_ports_leave_the_set),
		cmocka_unit_test(shared_and_own_headers_go_alike),
		cmocka_unit_test(bursts_are_parted_by_flow),
		cmocka_unit_test(flows_leave_a_dead_link_and_return),
		cmocka_unit_test(sets_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
