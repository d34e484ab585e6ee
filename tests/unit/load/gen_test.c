// SPDX-License-Identifier: BSD-3-Clause
// Tests of the open-loop source: rate, bursts, sizes, limits, what slips.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../rounds.h"
#include "load/load.h"
#include "wire/bth.h"

static const struct hdr hdr;

static struct gen_params params(void)
{
	return (struct gen_params){
		.source = 3,
		.hdr = &hdr,
		.tos = 0x6a,
		.cls = 2,
		.min_len = 1496,
		.max_len = 1496,
		.rate = 10 * RATE_GBPS,
		.burst = 1,
		.stop = TSTAMP_NEVER,
		.seed = 1,
		.name = "g",
	};
}

static void bad_params(void **state)
{
	(void)state;

	struct gen_params p = params(), q;
	struct gen g;

#define REFUSED(change)                                      \
	do {                                                 \
		q = p;                                       \
		q.change;                                    \
		assert_int_equal(gen_init(&g, &q), -EINVAL); \
	} while (0)
	REFUSED(hdr = NULL);
	REFUSED(min_len = 59);
	REFUSED(min_len = 1497);
	REFUSED(max_len = PKT_MAX_LEN + 1);
	REFUSED(rate = 0);
	REFUSED(burst = 0);
	REFUSED(burst = 65536);
	REFUSED(cls = 8);

	// The shortest frame has room for the number behind its headers.
	const struct hdr ip6 = {.flags = HDR_IPV6};

	p.hdr = &ip6;
	p.min_len = 74;
	assert_int_equal(gen_init(&g, &p), 0);
	REFUSED(min_len = 73);
#undef REFUSED
}

// Its NIC and the wire know when a frame leaves; the source says that they should tell.
static void stamps_are_asked_for(void **state)
{
	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.stamped = true;
	assert_int_equal(gen_init(&g, &p), 0);
	gen_next(&g, &k, 1);
	assert_int_equal(k.u.gen.stamped, 1);
}

// 1520 bytes on the wire at 10 Gb/s: 1216 ns.
static void frames(void **state)
{
	(void)state;

	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	p.start = 5000;
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(gen_deadline(&g), 5000 + i * 1216000);
		gen_next(&g, &k, gen_deadline(&g) + 7); // late: the schedule stays
		assert_int_equal(k.kind, PKT_GEN);
		assert_int_equal(k.len, 1496);
		assert_int_equal(k.tos, 0x6a);
		assert_int_equal(k.cls, 2);
		assert_int_equal(k.u.gen.seq, i);
		assert_int_equal(k.u.gen.source, 3);
		assert_int_equal(k.u.gen.stamped, 0);
		assert_int_equal(k.born, 5007 + i * 1216000);
		assert_int_equal(k.in_port, PKT_NO_PORT);
		assert_int_equal(k.flags, 0);
		assert_ptr_equal(k.hdr, &hdr);
	}
	assert_int_equal(g.tx_frames, 10);
	assert_int_equal(g.tx_bytes, 10 * 1500);
}

// Frames of a burst share an instant; the next burst follows at the mean rate.
static void bursts(void **state)
{
	(void)state;

	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	p.burst = 8;
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 80; i++) {
		assert_int_equal(gen_deadline(&g), i / 8 * 8 * 1216000);
		gen_next(&g, &k, gen_deadline(&g));
	}
}

// A rate whose byte time is not whole does not drift: 10^6 frames of 84 bytes at 33.333 Gb/s.
static void no_drift(void **state)
{
	(void)state;

	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	p.min_len = p.max_len = 60;
	p.rate = 33333 * RATE_MBPS;
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 1000000; i++)
		gen_next(&g, &k, 0);

	tstamp exact = 84ull * 1000000 * 8 * 1000000 / 33333; // ps: bits * 10^12 / 33333e6

	assert_in_range(gen_deadline(&g), exact - exact / 100000000, exact + exact / 100000000);
}

static void sizes(void **state)
{
	(void)state;

	struct gen_params p = params();
	unsigned seen[70] = {0};
	struct gen g, same;
	struct pkt k, j;

	p.min_len = 60;
	p.max_len = 69;
	assert_int_equal(gen_init(&g, &p), 0);
	assert_int_equal(gen_init(&same, &p), 0);
	for (unsigned i = 0; i < 10000; i++) {
		gen_next(&g, &k, 0);
		gen_next(&same, &j, 0);
		assert_int_equal(k.len, j.len); // the seed decides
		assert_in_range(k.len, 60, 69);
		seen[k.len]++;
	}
	for (unsigned i = 60; i < 70; i++)
		assert_in_range(seen[i], 1000 - 5 * 30, 1000 + 5 * 30); // 5 sigma
}

// 7 of 64 bytes with FCS, 4 of 594 and 1 of 1518 in each dozen, whatever the seed.
static void imix_has_its_sizes_in_each_dozen(void **state)
{
	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.imix = true;
	assert_int_equal(gen_init(&g, &p), -EINVAL);
	p.min_len = GEN_IMIX_MIN;
	p.max_len = GEN_IMIX_MAX;
	assert_int_equal(gen_init(&g, &p), 0);
	assert_int_equal(gen_dozen(&p), 7 * 84 + 4 * 614 + 1538);
	for (unsigned dozen = 1; dozen <= 100; dozen++) {
		unsigned small = 0, middle = 0, large = 0;

		for (unsigned i = 0; i < 12; i++) {
			gen_next(&g, &k, 0);
			small += k.len == 60;
			middle += k.len == 590;
			large += k.len == 1514;
		}
		assert_int_equal(small, 7);
		assert_int_equal(middle, 4);
		assert_int_equal(large, 1);
		// 10 Gb/s: 0.8 ns for a byte
		assert_int_equal(gen_deadline(&g), dozen * (7 * 84 + 4 * 614 + 1538) * 800);
	}
}

// Frames per second do not depend on the frames' sizes, and do not drift.
static void a_rate_in_frames_counts_frames(void **state)
{
	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.min_len = 60;
	p.frames_per_s = 3000000;
	p.rate = gen_rate_of(&p, p.frames_per_s);
	assert_int_equal(p.rate, 3000000ull * (84 + 1520) / 2 * 8);
	assert_int_equal(gen_period(&p), 333333);
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 3000000; i++)
		gen_next(&g, &k, 0);
	assert_in_range(gen_deadline(&g), PS_PER_S - 3, PS_PER_S + 3);

	p.frames_per_s = 1;
	p.burst = 5;
	p.rate = gen_rate_of(&p, 1);
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(gen_deadline(&g), i / 5 * 5 * PS_PER_S);
		gen_next(&g, &k, 0);
	}
	p.frames_per_s = GEN_PPS_MAX + 1;
	assert_int_equal(gen_init(&g, &p), -EINVAL);
}

// A change between rates in bytes and in frames within a burst keeps the mean gap of the frames
// that have left.
static void a_rate_may_change_its_kind(void **state)
{
	struct gen_params p = params(), q = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.burst = q.burst = 4;
	q.frames_per_s = 1000;
	q.rate = gen_rate_of(&q, q.frames_per_s);
	assert_int_equal(gen_init(&g, &p), 0);
	gen_next(&g, &k, 0);
	gen_adopt(&g, &q, 10);
	for (unsigned i = 0; i < 3; i++)
		gen_next(&g, &k, 10);
	assert_int_equal(gen_deadline(&g), 4 * PS_PER_MS);
	gen_next(&g, &k, 4 * PS_PER_MS);
	gen_adopt(&g, &p, 4 * PS_PER_MS);
	for (unsigned i = 0; i < 3; i++)
		gen_next(&g, &k, 4 * PS_PER_MS);
	assert_int_equal(gen_deadline(&g), 4 * PS_PER_MS + 4 * 1216000);
}

// Whole requests whose PSN counts up modulo 2^24; a payload is padded to words, so that frames are
// up to 3 bytes shorter than asked for, but never below the least of Ethernet.
static void roce_frames_have_bth_fields(void **state)
{
	static const uint16_t size[][3] = {
		{60, 60, 0}, {61, 60, 0}, {62, 62, 4}, {1020, 1018, 960}};
	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.roce = (struct gen_roce){
		.opcode = BTH_RC_SEND_ONLY, .head = 58, .qpn = 0x123456, .psn = 0xffffff};
	for (unsigned i = 0; i < 4; i++) {
		p.min_len = p.max_len = size[i][0];
		assert_int_equal(gen_init(&g, &p), 0);
		gen_next(&g, &k, 0);
		assert_int_equal(k.kind, PKT_DATA);
		assert_int_equal(k.len, size[i][1]);
		assert_int_equal(k.u.rc.payload, size[i][2]);
		assert_int_equal(k.u.rc.opcode, BTH_RC_SEND_ONLY);
		assert_int_equal(k.u.rc.qpn, 0x123456);
		assert_int_equal(k.u.rc.psn, 0xffffff);
		gen_next(&g, &k, 0);
		assert_int_equal(k.u.rc.psn, 0);
	}
	p.roce.head = 74;
	p.min_len = 73;
	assert_int_equal(gen_init(&g, &p), -EINVAL);
}

static void limits(void **state)
{
	(void)state;

	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	p.count = 3;
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 3; i++)
		gen_next(&g, &k, gen_deadline(&g));
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);
	gen_start(&g, 9);
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);

	p.count = 0;
	p.stop = 2 * 1216000; // the frame at stop is not sent
	assert_int_equal(gen_init(&g, &p), 0);
	gen_next(&g, &k, 0);
	assert_int_equal(gen_deadline(&g), 1216000);
	gen_next(&g, &k, 1216000);
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);

	p.start = p.stop;
	assert_int_equal(gen_init(&g, &p), 0);
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);
}

static void slips(void **state)
{
	(void)state;

	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	p.burst = 2;
	p.stop = 100 * PS_PER_US;
	assert_int_equal(gen_init(&g, &p), 0);
	gen_slip(&g, 0);
	assert_int_equal(g.slipped_ps, 0);
	gen_next(&g, &k, 0);
	gen_slip(&g, 5000); // within a burst
	assert_int_equal(gen_deadline(&g), 0);
	gen_next(&g, &k, 5000);
	assert_int_equal(gen_deadline(&g), 2 * 1216000);
	gen_slip(&g, 1000); // not yet due
	assert_int_equal(gen_deadline(&g), 2 * 1216000);
	gen_slip(&g, 2 * 1216000 + 77);
	assert_int_equal(gen_deadline(&g), 2 * 1216000 + 77);
	assert_int_equal(g.slipped_ps, 77);
	gen_slip(&g, 100 * PS_PER_US); // beyond its end
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);
}

static void start_and_stop(void **state)
{
	(void)state;

	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	p.start = TSTAMP_NEVER;
	assert_int_equal(gen_init(&g, &p), 0);
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);
	gen_start(&g, 40);
	assert_int_equal(gen_deadline(&g), 40);
	gen_next(&g, &k, 40);
	gen_start(&g, 50); // runs already
	assert_int_equal(gen_deadline(&g), 40 + 1216000);
	gen_stop(&g);
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);
	gen_start(&g, 9000);
	assert_int_equal(gen_deadline(&g), 9000);
	gen_next(&g, &k, 9000);
	assert_int_equal(k.u.gen.seq, 1);
}

// 10 Gb/s: 0.8 ns for a byte. 3 frames of 1520 bytes on the wire at once, then 2 of 536 that begin
// 2 us apart, then, 10 us behind the end of the last of them, the list again.
static void a_list_has_its_instants(void **state)
{
	const struct gen_item list[] = {{.count = 3},
		{.count = 2, .gap = 2 * PS_PER_US, .min_len = 512, .max_len = 512},
		{.count = 1, .after = 10 * PS_PER_US, .gap = PS_PER_S}};
	const tstamp at[] = {0, 1216000, 2432000, 3648000, 5648000, 5648000 + 428800 + 10000000};
	const tstamp again = 5648000 + 428800 + 10000000 + 1216000;
	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.item = list;
	p.n_items = 3;
	p.count = 12;
	p.start = 7;
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 12; i++) {
		assert_int_equal(gen_deadline(&g), 7 + at[i % 6] + i / 6 * again);
		gen_next(&g, &k, gen_deadline(&g));
		assert_int_equal(k.len, i % 6 == 3 || i % 6 == 4 ? 512 : 1496);
		assert_int_equal(k.u.gen.seq, i);
	}
	assert_int_equal(gen_deadline(&g), TSTAMP_NEVER);
	assert_int_equal(gen_end(&p, p.rate), 7 + 2 * again);
	p.count = 0;
	assert_int_equal(gen_end(&p, p.rate), TSTAMP_NEVER);
}

static void wrong_lists_are_refused(void **state)
{
	struct gen_item it = {.count = 1, .gap = 1216000};
	struct gen_params p = params();
	struct gen g;

	(void)state;
	p.item = &it;
	assert_int_equal(gen_init(&g, &p), -EINVAL);
	p.n_items = 1;
	assert_int_equal(gen_init(&g, &p), 0);
	it.gap--; // of frames that take longer
	assert_int_equal(gen_init(&g, &p), -EINVAL);
	it = (struct gen_item){.count = 1, .min_len = 59, .max_len = 60};
	assert_int_equal(gen_init(&g, &p), -EINVAL);
	it = (struct gen_item){0};
	assert_int_equal(gen_init(&g, &p), -EINVAL);
	it.count = 1;
	p.burst = 2;
	assert_int_equal(gen_init(&g, &p), -EINVAL);
}

// What holds a list up moves all that is left of it, and no frame is lost.
static void a_list_slips_whole(void **state)
{
	const struct gen_item list[] = {
		{.count = 2, .after = 50}, {.count = 1, .after = PS_PER_US}};
	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.item = list;
	p.n_items = 2;
	p.start = TSTAMP_NEVER;
	assert_int_equal(gen_init(&g, &p), 0);
	gen_start(&g, 100);
	assert_int_equal(gen_deadline(&g), 150);
	gen_slip(&g, 1000);
	assert_int_equal(g.slipped_ps, 0);
	gen_next(&g, &k, 1000);
	assert_int_equal(gen_deadline(&g), 1000 + 1216000);
	gen_next(&g, &k, 0);
	assert_int_equal(gen_deadline(&g), 1000 + 2 * 1216000 + PS_PER_US);
}

static void dscps_come_in_turn(void **state)
{
	const uint8_t tos[] = {4, 0xb8, 9};
	struct gen_params p = params();
	struct gen g;
	struct pkt k;

	(void)state;
	p.tos_turn = tos;
	p.n_tos = 3;
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(gen_deadline(&g), i * 1216000);
		gen_next(&g, &k, gen_deadline(&g));
		assert_int_equal(k.tos, tos[i % 3]);
	}
}

// A list is written out frame by frame: the model.
static void compare_with_model(uint64_t seed)
{
	struct gen_item list[4];
	struct gen_params p = params();
	struct prng r;
	struct gen g;
	struct pkt k;
	tstamp at;

	prng_init(&r, seed, "list");
	p.item = list;
	p.n_items = 1 + (uint32_t)prng_below(&r, 4);
	p.rate = (25ull << prng_below(&r, 4)) * RATE_GBPS;
	p.start = prng_below(&r, PS_PER_US);
	at = p.start;
	for (unsigned i = 0; i < p.n_items; i++)
		list[i] = (struct gen_item){.count = 1 + prng_below(&r, 5),
			.gap = prng_below(&r, 2) ? PS_PER_US + prng_below(&r, PS_PER_US) : 0,
			.after = prng_below(&r, 2) ? prng_below(&r, PS_PER_US) : 0,
			.min_len = (uint16_t)(60 + prng_below(&r, 1400))};
	for (unsigned i = 0; i < p.n_items; i++)
		list[i].max_len = list[i].min_len;
	assert_int_equal(gen_init(&g, &p), 0);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < p.n_items; i++)
			for (uint64_t f = 0; f < list[i].count; f++) {
				tstamp wire =
					rate_time(rate_byte_ps(p.rate), list[i].min_len + PKT_WIRE);
				bool last = f + 1 == list[i].count;

				at += f ? 0 : list[i].after;
				if (gen_deadline(&g) != at)
					fail_msg("seed %llu", (unsigned long long)seed);
				gen_next(&g, &k, at);
				assert_int_equal(k.len, list[i].min_len);
				at += list[i].gap && !last ? list[i].gap : wire;
			}
}

static void a_list_is_its_frames_one_by_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= rounds_of(1000); seed++)
		compare_with_model(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_params),
		cmocka_unit_test(frames),
		cmocka_unit_test(stamps_are_asked_for),
		cmocka_unit_test(bursts),
		cmocka_unit_test(no_drift),
		cmocka_unit_test(sizes),
		cmocka_unit_test(imix_has_its_sizes_in_each_dozen),
		cmocka_unit_test(a_rate_in_frames_counts_frames),
		cmocka_unit_test(a_rate_may_change_its_kind),
		cmocka_unit_test(roce_frames_have_bth_fields),
		cmocka_unit_test(limits),
		cmocka_unit_test(slips),
		cmocka_unit_test(start_and_stop),
		cmocka_unit_test(a_list_has_its_instants),
		cmocka_unit_test(wrong_lists_are_refused),
		cmocka_unit_test(a_list_slips_whole),
		cmocka_unit_test(dscps_come_in_turn),
		cmocka_unit_test(a_list_is_its_frames_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
