// SPDX-License-Identifier: BSD-3-Clause
// Tests of learning and look-up: ageing, moves, VLANs, static entries, flush, bursts, the cache of
// shared headers before the FDB.
#include "sw_box.h"

#include "sw/int.h"

// The port that a frame from host 0 to host `to` leaves by; 99: it was flooded.
static unsigned way(struct box *b, unsigned to, tstamp now)
{
	uint64_t flooded = sw_port_stats(b->sw, 0).flooded_frames;
	unsigned out = 0;

	box_send(b, 0, to, 1, 100, now);
	for (unsigned i = 0; i < b->params.n_ports; i++) {
		unsigned n = box_drain(b, i, now + 100 * PS_PER_NS);

		out = n ? i : out;
	}
	return sw_port_stats(b->sw, 0).flooded_frames == flooded ? out : 99;
}

static void known_after_it_spoke(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	box_start(b);
	assert_int_equal(way(b, 2, 0), 99);
	box_send(b, 2, 0, 1, 100, PS_PER_US);
	assert_int_equal(way(b, 2, 2 * PS_PER_US), 2);
	assert_int_equal(sw_port_stats(b->sw, 2).fdb_learned, 1);
	e = box_event(b, EV_FDB);
	assert_int_equal(e->port, 0);
	e = box_event(b, EV_FDB);
	assert_int_equal(e->port, 2);
	assert_int_equal(e->fdb.key, eth_key(b->hdr[1 + 2 * BOX_PORTS].src, 0));
	box_free(b);
}

static void moves_to_where_it_speaks(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	assert_int_equal(way(b, 2, PS_PER_MS), 2);
	box_rx(b, 3, box_pkt(b, 2, 0, 1, 100), 2 * PS_PER_MS);
	assert_int_equal(way(b, 2, 3 * PS_PER_MS), 3);
	assert_int_equal(sw_port_stats(b->sw, 3).fdb_moved, 1);
	box_rx(b, 2, box_pkt(b, 2, 0, 1, 100), 4 * PS_PER_MS); // and back, by a cached header
	assert_int_equal(way(b, 2, 5 * PS_PER_MS), 2);
	box_free(b);
}

// Host 2 is silent after 0; a talking host 0 keeps its own entry alive, within a sixteenth.
static void silent_address_ages(void **state)
{
	struct box *b = box_new();
	tstamp t;

	(void)state;
	b->params.fdb_age_ps = PS_PER_S;
	box_start(b);
	box_send(b, 2, 0, 1, 100, 0);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, 0);
	for (t = PS_PER_MS; t < PS_PER_S; t += 10 * PS_PER_MS)
		assert_int_equal(way(b, 2, t), 2);
	assert_int_equal(way(b, 2, PS_PER_S), 99);
	box_send(b, 1, 0, 1, 100, t);
	assert_int_equal(sw_port_stats(b->sw, 1).flooded_frames, 0);
	assert_int_equal(box_drain(b, 0, 2 * PS_PER_S), 1);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 1);
	box_free(b);
}

static void foreign(
	struct box *b, unsigned port, unsigned src, unsigned dst, uint16_t tci, tstamp now)
{
	uint8_t s[6], d[6];
	struct pkt *p;

	box_mac(s, src);
	box_mac(d, dst);
	p = box_foreign(b, s, d, 100);
	if (tci) {
		pkt_own_hdr(p)->flags |= HDR_VLAN;
		pkt_own_hdr(p)->vlan_tci = tci;
	}
	box_rx(b, port, p, now);
}

// Learning is independent per VLAN; a priority tag is none.
static void vlan_is_part_of_the_address(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	foreign(b, 1, 11, 10, 5 << 13 | 100, 0);
	foreign(b, 2, 11, 10, 5 << 13 | 200, 0);
	foreign(b, 3, 11, 10, 5 << 13, 0);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, PS_PER_US);
	assert_int_equal(sw_port_stats(b->sw, 3).fdb_moved, 0);
	foreign(b, 0, 10, 11, 100, PS_PER_MS);
	assert_int_equal(box_drain(b, 1, PS_PER_MS), 1);
	foreign(b, 0, 10, 11, 2 << 13 | 200, PS_PER_MS);
	assert_int_equal(box_drain(b, 2, PS_PER_MS), 1);
	foreign(b, 0, 10, 11, 0, PS_PER_MS);
	assert_int_equal(box_drain(b, 3, PS_PER_MS), 1);
	assert_int_equal(sw_port_stats(b->sw, 0).flooded_frames, 0);
	box_free(b);
}

static void some_sources_are_never_learned(void **state)
{
	static const uint8_t group[6] = {3, 0, 0, 0, 0, 1}, zero[6] = {0},
			     stp[6] = {0x01, 0x80, 0xc2, 0, 0, 0};
	struct box *b = box_new();
	uint8_t mac[6];

	(void)state;
	box_start(b);
	box_mac(mac, 7);
	box_rx(b, 0, box_foreign(b, group, mac, 60), 0);
	box_rx(b, 0, box_foreign(b, zero, mac, 60), 0);
	box_rx(b, 0, box_foreign(b, mac, stp, 60), 0);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 0);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, PS_PER_US);
	box_free(b);
}

static void static_entry_stays(void **state)
{
	struct sw_fdb_params fdb = {.port = 3};
	struct box *b = box_new();

	(void)state;
	box_mac(fdb.mac, 2);
	b->params.fdb = &fdb;
	b->params.n_fdb = 1;
	b->params.fdb_age_ps = PS_PER_MS;
	box_start(b);
	box_send(b, 2, 0, 1, 100, 0); // speaks at port 2
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, 0);
	assert_int_equal(way(b, 2, PS_PER_US), 3);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = PKT_NO_PORT}, PS_PER_US);
	assert_int_equal(way(b, 2, PS_PER_S), 3);
	assert_int_equal(sw_port_stats(b->sw, 2).fdb_moved, 0);
	box_free(b);
}

static void flush_forgets_one_port_or_all(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	assert_int_equal(way(b, 1, PS_PER_MS), 1);
	assert_int_equal(way(b, 2, PS_PER_MS), 2);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = 1}, 2 * PS_PER_MS);
	assert_int_equal(way(b, 1, 3 * PS_PER_MS), 99);
	assert_int_equal(way(b, 2, 3 * PS_PER_MS), 2);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = PKT_NO_PORT}, 4 * PS_PER_MS);
	assert_int_equal(way(b, 2, 5 * PS_PER_MS), 99);
	box_free(b);
}

// Each of many addresses is found, in bursts as frame by frame.
static void many_addresses_are_found(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	for (unsigned h = 0; h < 240; h++) {
		foreign(b, h % 3, h, 250, 0, h * PS_PER_US);
		for (unsigned i = 0; i < 4; i++)
			box_drain(b, i, h * PS_PER_US);
	}
	for (unsigned round = 0; round < 3; round++)
		for (unsigned h = 0; h < 240; h++) {
			tstamp t = PS_PER_MS * (1 + round) + h * PS_PER_US;

			foreign(b, 3, 245 + h % 5, h, 0, t);
			assert_int_equal(box_drain(b, h % 3, t), 1);
		}
	for (unsigned h = 0; h < 240; h += 3) {
		struct pkt *burst[3];
		uint8_t s[6], d[6];

		for (unsigned i = 0; i < 3; i++) {
			box_mac(s, 245 + i % 2);
			box_mac(d, h + i);
			burst[i] = box_foreign(b, s, d, 100);
		}
		sw_rx(b->sw, 3, burst, 3, PS_PER_S);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(box_drain(b, i, PS_PER_S + PS_PER_US * h), 1);
	}
	assert_int_equal(sw_port_stats(b->sw, 3).flooded_frames, 0);
	box_free(b);
}

// Host 1 moves to port 0 by a frame in the middle of a burst: those before it still go to port 1.
static void ways_of_a_burst_are_found_in_the_order_of_arrival(void **state)
{
	static const uint8_t from[] = {0, 1, 0}, to[] = {1, 2, 1};
	struct box *b = box_new();
	struct pkt *burst[3];
	uint8_t s[6], d[6];

	(void)state;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 3; i++) {
		box_mac(s, from[i]);
		box_mac(d, to[i]);
		burst[i] = box_foreign(b, s, d, 100);
	}
	sw_rx(b->sw, 0, burst, 3, PS_PER_MS);
	assert_int_equal(box_drain(b, 1, 2 * PS_PER_MS), 1);
	assert_int_equal(box_drain(b, 2, 2 * PS_PER_MS), 1);
	assert_int_equal(box_dropped(b, 0, SW_DROP_SAME_PORT), 1);
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_moved, 1);
	box_free(b);
}

// A source that goes on speaking is written to the FDB once in a sixteenth of the ageing time.
static void a_known_source_is_written_seldom(void **state)
{
	struct box *b = box_new();
	uint32_t slot;
	uint8_t mac[6];

	(void)state;
	b->params.fdb_age_ps = 16 * PS_PER_MS;
	box_start(b);
	box_mac(mac, 7);
	for (unsigned us = 0; us < 40000; us += 300) {
		foreign(b, 0, 7, 8, 0, us * PS_PER_US);
		for (unsigned i = 1; i < 4; i++)
			box_drain(b, i, us * PS_PER_US + PS_PER_US);
		slot = table_get(&b->sw->fdb, eth_key(mac, 0), us * PS_PER_US);
		assert_int_not_equal(slot, TABLE_NONE);
		// It was written at the first frame after each full ms: 0, 1.2, 2.4 ms and on.
		assert_int_equal(b->sw->fdb.times[slot].seen, us / 1200 * 1200 * PS_PER_US);
	}
	assert_int_equal(sw_port_stats(b->sw, 0).fdb_learned, 1);
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_after_it_spoke),
		cmocka_unit_test(moves_to_where_it_speaks),
		cmocka_unit_test(silent_address_ages),
		cmocka_unit_test(vlan_is_part_of_the_address),
		cmocka_unit_test(some_sources_are_never_learned),
		cmocka_unit_test(static_entry_stays),
		cmocka_unit_test(flush_forgets_one_port_or_all),
		cmocka_unit_test(many_addresses_are_found),
		cmocka_unit_test(ways_of_a_burst_are_found_in_the_order_of_arrival),
		cmocka_unit_test(a_known_source_is_written_seldom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
