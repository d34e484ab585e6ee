// SPDX-License-Identifier: BSD-3-Clause
// Fast CNP's flow table: pairing by addresses and UDP source port, the interval, doubt, age, a full
// table.
#include "defaults.h"
#include "algo/fast_cnp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/have.h"
#include "frame/frame.h"
#include "had.h"
#include "wire/eth.h"

#define US PS_PER_US

static struct hdr header;
static struct pkt packet;

// A frame from host `from` to host `to` with UDP source port `sport` for QPN `qpn`.
static const struct pkt *frame(uint8_t from, uint8_t to, uint16_t sport, uint32_t qpn)
{
	header = (struct hdr){.flags = HDR_IPV4,
		.saddr = {10, 0, 0, from},
		.daddr = {10, 0, 0, to},
		.src = {2, 0, 0, 0, 0, from},
		.dst = {2, 0, 0, 0, 0, to},
		.sport = sport,
		.dport = 4791};
	packet = (struct pkt){.hdr = &header, .u.rc.qpn = qpn};
	return &packet;
}

static struct fast_cnp_params defaults(void)
{
	struct fast_cnp_params p;

	fast_cnp_defaults(&p);
	p.entries = 64;
	return p;
}

static void setup(struct fast_cnp *q, struct fast_cnp_cfg *cfg, const struct fast_cnp_params *p)
{
	assert_int_equal(fast_cnp_cfg_init(cfg, p), 0);
	assert_int_equal(fast_cnp_init(q, cfg, 7), 0);
}

// Data of 1 to 9 with the QPN of 9; the ACK of 9 tells that of 1.
static void the_ack_tells_who_sends(void **state)
{
	struct fast_cnp_params p = defaults();
	struct fast_cnp_entry *e;
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	setup(&q, &cfg, &p);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 0xc132, 0x12), &e, 0), FAST_CNP_UNKNOWN);
	assert_null(e);
	fast_cnp_ack(&q, frame(9, 1, 0xc132, 0x11), US);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 0xc132, 0x12), &e, US), FAST_CNP_SEND);
	assert_int_equal(e->qpn, 0x11);
	assert_int_equal(e->hdr.daddr[3], 1);
	assert_int_equal(e->hdr.saddr[3], 9);
	assert_int_equal(e->hdr.dst[5], 1);
	assert_int_equal(e->hdr.src[5], 9);
	// another port, another pair, the other direction
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 0xc133, 0x12), &e, US), FAST_CNP_UNKNOWN);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 8, 0xc132, 0x12), &e, US), FAST_CNP_UNKNOWN);
	assert_int_equal(fast_cnp_marked(&q, frame(9, 1, 0xc132, 0x12), &e, US), FAST_CNP_UNKNOWN);
	assert_int_equal(q.stats.learned, 1);
	fast_cnp_fini(&q);
}

// A switch may forget the header of a frame: its bytes say the same, alone and in a burst, over
// IPv4 and IPv6, with tags and without.
static void bytes_say_whose_flow_a_frame_is_of(void **state)
{
	static const uint8_t forms[] = {HDR_IPV4, HDR_IPV6, HDR_IPV4 | HDR_VLAN | HDR_INNER,
		HDR_IPV6 | HDR_VLAN, HDR_IPV4 | HDR_CNTAG};
	struct {
		struct pkt p;
		uint8_t bytes[128];
	} box[8];
	struct fast_cnp_params p = defaults();
	struct fast_cnp_entry *e;
	struct pkt *burst[8];
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	p.entries = 4096; // no two of the flows fight for a slot
	setup(&q, &cfg, &p);
	for (unsigned form = 0; form < sizeof(forms); form++)
		for (unsigned i = 0; i < 8; i++) { // of every second flow there are ACKs
			unsigned from = form * 8 + i + 1;

			frame(99, (uint8_t)from, 7, 100 + from);
			header.flags = forms[form];
			if (i % 2)
				fast_cnp_ack(&q, &packet, US);
		}
	for (unsigned form = 0; form < sizeof(forms); form++) {
		for (unsigned i = 0; i < 8; i++) {
			unsigned from = form * 8 + i + 1;

			frame((uint8_t)from, 99, 7, 1);
			header.flags = forms[form];
			header.ethertype = forms[form] & HDR_IPV4 ? ETH_P_IPV4 : ETH_P_IPV6;
			packet.kind = PKT_DATA;
			packet.len = 100;
			frame_from_pkt(&packet, box[i].bytes);
			box[i].p = packet;
			box[i].p.hdr = NULL;
			box[i].p.flags = PKT_F_FOREIGN;
			box[i].p.data_off = sizeof(box[i].p);
			box[i].p.l3_off = (uint8_t)hdr_eth_len(forms[form]);
			burst[i] = &box[i].p;
			assert_int_equal(fast_cnp_marked(&q, burst[i], &e, US),
				i % 2 ? FAST_CNP_SEND : FAST_CNP_UNKNOWN);
			assert_int_equal(e ? e->qpn : 0, i % 2 * (100 + from));
		}
	}
	fast_cnp_fini(&q);
}

// One in 50 us from the last that was sent, however many frames are marked; the table does not
// count time by asking.
static void a_flow_has_one_in_an_interval(void **state)
{
	static const struct {
		tstamp at;
		enum fast_cnp_verdict want;
	} step[] = {{0, FAST_CNP_SEND}, {1, FAST_CNP_SUPPRESSED},
		{50 * US - 1, FAST_CNP_SUPPRESSED}, {50 * US, FAST_CNP_SEND},
		{99 * US, FAST_CNP_SUPPRESSED}, {170 * US, FAST_CNP_SEND}};
	struct fast_cnp_params p = defaults();
	struct fast_cnp_entry *e;
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	setup(&q, &cfg, &p);
	fast_cnp_ack(&q, frame(9, 1, 1, 17), 0);
	fast_cnp_ack(&q, frame(9, 2, 1, 17), 0);
	for (unsigned i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		assert_int_equal(
			fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, step[i].at), step[i].want);
		fast_cnp_ack(&q, frame(9, 1, 1, 17), step[i].at); // ACKs go on
		if (step[i].want == FAST_CNP_SEND)
			fast_cnp_sent(&q, e, step[i].at);
	}
	assert_int_equal(fast_cnp_marked(&q, frame(2, 9, 1, 5), &e, 171 * US), FAST_CNP_SEND);
	assert_int_equal(e->tx_cnps, 0);
	fast_cnp_fini(&q);
	p.interval_ps = 0;
	setup(&q, &cfg, &p);
	fast_cnp_ack(&q, frame(9, 1, 1, 17), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, 1), FAST_CNP_SEND);
		fast_cnp_sent(&q, e, 1);
	}
	assert_int_equal(e->tx_cnps, 3);
	fast_cnp_fini(&q);
}

// Two queue pairs of one UDP source port: nobody is slowed for the other. A new one of that port is
// trusted an age after its first ACK.
static void a_qpn_in_doubt_is_not_used(void **state)
{
	struct fast_cnp_params p = defaults();
	struct fast_cnp_entry *e;
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	p.age_ps = 100 * US;
	setup(&q, &cfg, &p);
	fast_cnp_ack(&q, frame(9, 1, 1, 17), 0);
	fast_cnp_ack(&q, frame(9, 1, 1, 18), 10 * US);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, 10 * US), FAST_CNP_UNKNOWN);
	assert_int_equal(q.stats.ambiguous, 1);
	assert_int_equal(q.stats.learned, 1);
	for (unsigned t = 20; t <= 110; t += 10)
		fast_cnp_ack(&q, frame(9, 1, 1, 18), t * US);
	assert_int_equal(
		fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, 110 * US - 1), FAST_CNP_UNKNOWN);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, 110 * US), FAST_CNP_SEND);
	assert_int_equal(e->qpn, 18);
	fast_cnp_fini(&q);
}

static void flows_without_ack_are_forgotten(void **state)
{
	struct fast_cnp_params p = defaults();
	struct fast_cnp_entry *e;
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	p.age_ps = 100 * US;
	setup(&q, &cfg, &p);
	fast_cnp_ack(&q, frame(9, 1, 1, 17), 0);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, 100 * US - 1), FAST_CNP_SEND);
	fast_cnp_sent(&q, e, 100 * US - 1);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, 100 * US), FAST_CNP_UNKNOWN);
	fast_cnp_ack(&q, frame(9, 1, 1, 18), 100 * US); // new, so neither in doubt nor suppressed
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 1, 5), &e, 100 * US), FAST_CNP_SEND);
	assert_int_equal(q.stats.aged, 1);
	assert_int_equal(q.stats.learned, 2);
	assert_int_equal(q.stats.ambiguous, 0);
	assert_int_equal(q.table.n, 1);
	fast_cnp_fini(&q);
}

static void a_full_table_forgets_its_oldest_and_counts_it(void **state)
{
	struct fast_cnp_params p = defaults();
	struct fast_cnp_entry *e;
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	p.entries = TABLE_WAYS; // one set
	setup(&q, &cfg, &p);
	for (uint16_t i = 0; i < 7; i++)
		fast_cnp_ack(&q, frame(9, 1, i, i), i * US);
	assert_int_equal(q.table.n, TABLE_WAYS);
	assert_int_equal(q.stats.learned, 7);
	assert_int_equal(q.stats.table_full, 3);
	for (uint16_t i = 0; i < 7; i++)
		assert_int_equal(fast_cnp_marked(&q, frame(1, 9, i, 5), &e, 10 * US),
			i < 3 ? FAST_CNP_UNKNOWN : FAST_CNP_SEND);
	fast_cnp_ack(&q, frame(9, 1, 7, 7), 2 * PS_PER_S); // the others have aged: no loss
	assert_int_equal(q.stats.table_full, 3);
	assert_int_equal(q.stats.aged, 1);
	fast_cnp_fini(&q);
}

// IPv6 over all 16 bytes; an IPv4 flow whose bytes are the same is another.
static void addresses_are_compared_whole(void **state)
{
	struct fast_cnp_params p = defaults();
	struct hdr six = {.flags = HDR_IPV6, .saddr = {[15] = 9}, .daddr = {[15] = 1}};
	struct hdr back = {.flags = HDR_IPV6, .saddr = {[15] = 1}, .daddr = {[15] = 9}};
	struct pkt v6 = {.hdr = &six, .u.rc.qpn = 3}, data = {.hdr = &back};
	struct fast_cnp_entry *e;
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	setup(&q, &cfg, &p);
	fast_cnp_ack(&q, &v6, 0);
	assert_int_equal(fast_cnp_marked(&q, &data, &e, 0), FAST_CNP_SEND);
	back.saddr[0] = 1;
	assert_int_equal(fast_cnp_marked(&q, &data, &e, 0), FAST_CNP_UNKNOWN);
	back = (struct hdr){.flags = HDR_IPV6, .saddr = {10, 0, 0, 1}, .daddr = {10, 0, 0, 9}};
	fast_cnp_ack(&q, frame(9, 1, 0, 17), 0);
	assert_int_equal(fast_cnp_marked(&q, &data, &e, 0), FAST_CNP_UNKNOWN);
	fast_cnp_fini(&q);
}

// Two flows of one 64-bit key: the entry says whose it is.
static void a_shared_hash_is_noticed(void **state)
{
	struct fast_cnp_params p = defaults();
	struct fast_cnp_entry *e;
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	setup(&q, &cfg, &p);
	fast_cnp_ack(&q, frame(9, 1, 7, 17), 0);
	assert_int_equal(fast_cnp_marked(&q, frame(1, 9, 7, 5), &e, 0), FAST_CNP_SEND);
	for (unsigned i = 0; i < 4; i++) { // as if another flow had come to the same key
		struct hdr h = e->hdr, *of = &e->hdr;
		struct fast_cnp_entry *none;

		of->saddr[3] ^= i == 0;
		of->daddr[3] ^= i == 1;
		of->sport ^= i == 2;
		of->flags ^= i == 3 ? HDR_IP : 0;
		assert_int_equal(fast_cnp_marked(&q, &packet, &none, 0), FAST_CNP_UNKNOWN);
		assert_null(none);
		*of = h;
	}
	assert_int_equal(fast_cnp_marked(&q, &packet, &e, 0), FAST_CNP_SEND);
	fast_cnp_fini(&q);
}

static void values_out_of_range_are_refused(void **state)
{
	struct fast_cnp_cfg cfg;

	(void)state;
#define REFUSED(field, value)                                           \
	do {                                                            \
		struct fast_cnp_params p = defaults();                  \
                                                                        \
		p.field = (value);                                      \
		assert_int_equal(fast_cnp_cfg_init(&cfg, &p), -EINVAL); \
	} while (0)
	REFUSED(entries, 0);
	REFUSED(entries, (1u << 20) + 1);
	REFUSED(interval_ps, PS_PER_S + 1);
	REFUSED(age_ps, PS_PER_US - 1);
	REFUSED(age_ps, 1000 * PS_PER_S + 1);
#undef REFUSED
}

static void flows_have_their_memory(void **state)
{
	struct fast_cnp_params p = defaults();
	struct fast_cnp_cfg cfg;
	struct fast_cnp q;

	(void)state;
	had_begin();
	p.entries = 65536;
	setup(&q, &cfg, &p);
	fast_cnp_have(&q, had_tell);
	assert_int_equal(had.n, 2);
	assert_ptr_equal(had.area[0].from, q.table.set);
	assert_ptr_equal(had.area[1].from, q.entry);
	assert_int_equal(had.area[1].bytes, 65536 * sizeof(*q.entry));
	assert_int_equal(had_missing(), 0);
	assert_int_equal((uintptr_t)q.entry % HAVE_LARGE, 0);
	fast_cnp_fini(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ack_tells_who_sends),
		cmocka_unit_test(flows_have_their_memory),
		cmocka_unit_test(bytes_say_whose_flow_a_frame_is_of),
		cmocka_unit_test(a_flow_has_one_in_an_interval),
		cmocka_unit_test(a_qpn_in_doubt_is_not_used),
		cmocka_unit_test(flows_without_ack_are_forgotten),
		cmocka_unit_test(a_full_table_forgets_its_oldest_and_counts_it),
		cmocka_unit_test(addresses_are_compared_whole),
		cmocka_unit_test(a_shared_hash_is_noticed),
		cmocka_unit_test(values_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
