// SPDX-License-Identifier: BSD-3-Clause
// The shaper of a host's port: all classes together keep its rate, and control frames pass.
#include "base/prng.h"
#include "nic_lab.h"
#include "rounds.h"

#define US    PS_PER_US
#define BURST 8192 // bytes of the bucket
#define FEW   8192

struct sent {
	unsigned n;
	tstamp t[FEW];
	uint32_t wire[FEW]; // bytes on the wire
	uint32_t qp[FEW];
};

static struct lab l;
static struct sent g;

static bool note(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)lab;
	if (from || p->kind == PKT_PFC || g.n == FEW)
		return true;
	g.t[g.n] = now;
	g.wire[g.n] = p->len + 24u;
	g.qp[g.n++] = p->kind == PKT_DATA ? p->u.rc.qpn : 0;
	return true;
}

static void begin(rate_t max_rate)
{
	memset(&g, 0, sizeof(g));
	lab_init(&l);
	l.hook = note;
	l.p[0].max_rate = max_rate;
	lab_start(&l);
}

static void add(uint32_t qpn, uint8_t cls, rate_t limit)
{
	struct nic_qp_params p = lab_req(&l, qpn);

	p.cls = cls;
	p.rate_limit = limit;
	p.catch_up_ps = PACER_AUTO;
	lab_add(&l, &p);
}

static void adopt(rate_t max_rate)
{
	struct nic_adopt *a;

	assert_int_equal(nic_adopt_new(&a, l.nic[0]), 0);
	assert_int_equal(nic_adopt_max_rate(a, max_rate), 0);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_ADOPT, .with = a}), 0);
	nic_adopt_free(a);
}

static tstamp at_rate(rate_t rate, uint32_t bytes)
{
	return rate_time(rate_byte_ps(rate), bytes);
}

// A bucket as it should be: `full` is the instant at which it is full again.
struct bucket {
	rate_t rate;
	tstamp full, wire_free;
};

// The frames from number i to before n leave when wire and bucket let them, and not later.
static void follow(struct bucket *b, unsigned i, unsigned n)
{
	for (; i < n; i++) {
		tstamp t = b->wire_free;

		if (b->rate)
			t = tstamp_max(t, tstamp_since(b->full, at_rate(b->rate, BURST)));
		if (g.t[i] != t)
			fail_msg("frame %u leaves at %llu, not at %llu", i,
				(unsigned long long)g.t[i], (unsigned long long)t);
		b->wire_free = t + at_rate(100 * RATE_GBPS, g.wire[i]);
		if (b->rate)
			b->full = tstamp_max(b->full, t) + at_rate(b->rate, g.wire[i]);
	}
}

static void frames_leave_as_the_bucket_says(void **state)
{
	static const rate_t rates[] = {40 * RATE_GBPS, RATE_GBPS, 99 * RATE_GBPS, 400 * RATE_GBPS};

	(void)state;
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct bucket b = {.rate = rates[i]};

		begin(rates[i]);
		add(1, 3, 0);
		lab_run(&l, 100 * US);
		assert_true(g.n > 15);
		follow(&b, 0, g.n);
		assert_int_equal(nic_shaper_lost(l.nic[0]), 0);
		assert_int_equal(nic_eport(l.nic[0])->lost_ps, 0);
		lab_end(&l);
	}
}

static uint64_t bytes_of(uint32_t qpn, tstamp from, tstamp to)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < g.n; i++)
		if (g.qp[i] == qpn && g.t[i] >= from && g.t[i] < to)
			bytes += g.wire[i];
	return bytes;
}

// A queue pair below its share keeps its own rate; the others share the rest.
static void queue_pairs_share_the_rate(void **state)
{
	const double second = 1e12 / (200.0 * US);

	(void)state;
	begin(40 * RATE_GBPS);
	add(1, 3, 5 * RATE_GBPS);
	add(2, 3, 0);
	add(3, 3, 0);
	lab_run(&l, 300 * US);
	assert_in_range(bytes_of(1, 100 * US, 300 * US) * 8 * second, 4.9e9, 5.1e9);
	assert_in_range(bytes_of(2, 100 * US, 300 * US) * 8 * second, 17.3e9, 17.7e9);
	assert_in_range(bytes_of(3, 100 * US, 300 * US) * 8 * second, 17.3e9, 17.7e9);
	lab_end(&l);
}

// At a change the bucket still lacks the bytes that it lacked; without a rate the wire decides.
static void a_new_rate_holds_at_once(void **state)
{
	static const rate_t to[] = {
		10 * RATE_GBPS, 0, 80 * RATE_GBPS, RATE_GBPS, 0, 40 * RATE_GBPS};
	struct bucket b = {.rate = 40 * RATE_GBPS};
	unsigned done = 0;

	(void)state;
	begin(b.rate);
	add(1, 3, 0);
	for (unsigned i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		lab_run(&l, l.now + 20 * US);
		follow(&b, done, g.n);
		done = g.n;
		adopt(to[i]);
		if (b.rate && to[i] && b.full > l.now)
			b.full = l.now +
				 (b.full - l.now) * rate_byte_ps(to[i]) / rate_byte_ps(b.rate);
		else
			b.full = 0;
		b.rate = to[i];
		b.wire_free = tstamp_max(b.wire_free, l.now);
	}
	lab_run(&l, l.now + 20 * US);
	follow(&b, done, g.n);
	lab_end(&l);
}

static unsigned pfcs;

static bool count_pfc(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)lab;
	(void)now;
	pfcs += !from && p->kind == PKT_PFC;
	return true;
}

// A frame of 1 MB at 1 Mb/s keeps the bucket empty for the whole run.
static void control_frames_are_not_held(void **state)
{
	(void)state;
	pfcs = 0;
	begin(1000000);
	l.hook = count_pfc;
	add(1, 3, 0);
	lab_run(&l, 50 * US);
	assert_int_equal(
		lab_ctl(&l, 0,
			(struct ctl){.type = CTL_PFC_STORM, .cls = 3, .quanta = 100, .a = 90 * US}),
		0);
	lab_run(&l, 50 * US + 100000);
	assert_int_equal(pfcs, 1);
	lab_run(&l, 100 * US);
	assert_true(pfcs > 50);
	lab_end(&l);
}

// All that leaves between two frames fits into the bucket and the rate.
static void check_windows(rate_t rate)
{
	for (unsigned i = 0; i < g.n; i++) {
		uint64_t bytes = 0;

		for (unsigned k = i; k < g.n && k < i + 200; k++) {
			uint64_t may = BURST + (g.t[k] - g.t[i]) * (rate / 1000) / 8 / 1000000000;

			if (bytes > may + 4)
				fail_msg("%llu bytes in %llu ps", (unsigned long long)bytes,
					(unsigned long long)(g.t[k] - g.t[i]));
			bytes += g.wire[k];
		}
	}
}

static void one_round(struct prng *r)
{
	rate_t rate = (1 + prng_below(r, 100)) * RATE_GBPS;
	unsigned n = 1 + prng_below(r, 6);
	struct gen_params p = {.hdr = &l.data_hdr,
		.min_len = 60,
		.max_len = 1500,
		.burst = 4,
		.rate = 20 * RATE_GBPS,
		.cls = 1,
		.stop = TSTAMP_NEVER,
		.name = "s"};

	begin(rate);
	for (uint32_t q = 1; q <= n; q++)
		add(q, (uint8_t)prng_below(r, 8), (1 + prng_below(r, 100)) * RATE_GBPS);
	assert_int_equal(nic_add_gen(l.nic[0], &p), 0);
	for (unsigned i = 0; i < 10; i++) {
		struct pkt f = {
			.kind = PKT_PFC, .len = 60, .u.pfc.enable = (uint8_t)prng_below(r, 256)};

		for (unsigned c = 0; c < 8; c++)
			f.u.pfc.quanta[c] = (uint16_t)prng_below(r, 1000);
		lab_run(&l, l.now + 1 + prng_below(r, 10 * US));
		lab_rx(&l, 0, &f);
	}
	lab_run(&l, l.now + 20 * US);
	check_windows(rate);
	assert_int_equal(nic_shaper_lost(l.nic[0]), 0);
	lab_end(&l);
}

static void any_mix_keeps_the_rate(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= rounds_of(60); seed++) {
		struct prng r;

		print_message("seed %u\n", seed);
		prng_init(&r, seed, "shape");
		one_round(&r);
	}
}

static void a_rate_below_the_least_is_refused(void **state)
{
	struct nic_params p = lab_nic_params(0);
	struct ev_ring events = {0};
	struct pkt_stack stack = {0};
	struct nic *nic;

	(void)state;
	p.max_rate = RATE_MIN - 1;
	assert_int_equal(nic_init(&nic, &p, &stack, &events), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_leave_as_the_bucket_says),
		cmocka_unit_test(queue_pairs_share_the_rate),
		cmocka_unit_test(a_new_rate_holds_at_once),
		cmocka_unit_test(control_frames_are_not_held),
		cmocka_unit_test(any_mix_keeps_the_rate),
		cmocka_unit_test(a_rate_below_the_least_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
