// SPDX-License-Identifier: BSD-3-Clause
// Streams of messages: gaps, sizes and ends against their distributions, independence, the load,
// closed streams, limits.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "draws.h"

#include "load/load.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

// Sizes of 1 to 100,000 bytes: half of them small, and a step.
static const struct dist_point points[] = {{0, 0}, {1000, DIST_ONE / 2}, {20000, DIST_ONE / 10 * 7},
	{20000, DIST_ONE / 10 * 8}, {100000, DIST_ONE}};
static const struct dist_point one_size[] = {{1500, DIST_ONE}};
static const uint32_t peers[] = {2, 3, 5, 7, 11, 13, 17, 19};
static struct dist sizes, constant;

static struct arrivals_cfg config(uint64_t seed)
{
	return (struct arrivals_cfg){
		.kind = ARRIVALS_POISSON,
		.to = ARRIVALS_RANDOM,
		.sizes = &sizes,
		.gap_q16 = 5 * PS_PER_US << 16,
		.ps_per_byte = rate_byte_ps(100 * RATE_GBPS),
		.on = 20 * PS_PER_US,
		.off = 30 * PS_PER_US,
		.depth = 4,
		.stop = TSTAMP_NEVER,
		.seed = seed,
		.name = "web[h1]",
		.host = 1,
		.peers = peers,
		.n_peers = N(peers),
		.near = 3,
		.rack_q32 = 1ull << 31,
		.fan = 3,
	};
}

static struct arrivals begin(const struct arrivals_cfg *c)
{
	struct arrivals a;

	assert_int_equal(arrivals_init(&a, c), 0);
	return a;
}

static struct arrival take(struct arrivals *a)
{
	tstamp at = arrivals_at(a);
	struct arrival m;

	assert_true(arrivals_next(a, &m));
	assert_int_equal(m.at, at);
	return m;
}

static void wrong_fields_are_refused(void **state)
{
	static char long_name[ARRIVALS_NAME + 2];
	struct arrivals a = {.frac = 77};

	(void)state;
	memset(long_name, 'x', ARRIVALS_NAME + 1);
#define REFUSED(as, field, wrong, right)                          \
	do {                                                      \
		struct arrivals_cfg c = config(1);                \
		as;                                               \
		c.field = wrong;                                  \
		assert_int_equal(arrivals_init(&a, &c), -EINVAL); \
		c.field = right;                                  \
		struct arrivals fine;                             \
		assert_int_equal(arrivals_init(&fine, &c), 0);    \
	} while (0)
#define IS_KIND(k) c.kind = ARRIVALS_##k
#define IS_TO(t)   c.to = ARRIVALS_##t
	REFUSED(IS_KIND(POISSON), gap_q16, 0, 1);
	REFUSED(IS_KIND(EVERY), gap_q16, 0, 1);
	REFUSED(IS_KIND(ON_OFF), ps_per_byte, 0, 1);
	REFUSED(IS_KIND(ON_OFF), on, 0, 1 * PS_PER_NS);
	REFUSED(IS_KIND(ON_OFF), on, 122, 123); // 8 us, which 65,536 on times reach
	REFUSED(IS_KIND(ON_OFF), on, 1ull << 62, (1ull << 62) - 1);
	REFUSED(IS_KIND(ON_OFF), off, 1ull << 62, (1ull << 62) - 1);
	REFUSED(IS_KIND(ON_OFF), off, TSTAMP_NEVER, 0);
	REFUSED(IS_KIND(CLOSED), depth, 0, 1);
	REFUSED(IS_KIND(CLOSED), to, ARRIVALS_INCAST, ARRIVALS_RACK);
	REFUSED(IS_KIND(POISSON), kind, (enum arrivals_kind)4, ARRIVALS_EVERY);
	REFUSED(IS_TO(RANDOM), to, (enum arrivals_to)5, ARRIVALS_RANDOM);
	REFUSED(IS_TO(RANDOM), n_peers, 0, 1);
	REFUSED(IS_TO(ONE), n_peers, 2, 1);
	REFUSED(IS_TO(INCAST), fan, 0, 1);
	REFUSED(IS_TO(INCAST), fan, N(peers) + 1, N(peers));
	REFUSED(IS_TO(RACK), near, 0, 1);
	REFUSED(IS_TO(RACK), near, N(peers), N(peers) - 1);
	REFUSED(IS_TO(RACK), near, N(peers) + 1, 1);
	REFUSED(IS_TO(RACK), rack_q32, (1ull << 32) + 1, 1ull << 32);
	REFUSED(IS_TO(RACK), name, long_name, long_name + 1);
#undef REFUSED
	assert_int_equal(a.frac, 77);
}

// Whole shares of a rack need one kind of peers only.
static void racks_without_others(void **state)
{
	struct arrivals_cfg c = config(1);
	struct arrivals a;

	(void)state;
	c.to = ARRIVALS_RACK;
	c.near = 0;
	c.rack_q32 = 0;
	a = begin(&c);
	take(&a);
	c.near = N(peers);
	c.rack_q32 = 1ull << 32;
	a = begin(&c);
	take(&a);
}

static double exponential_share(tstamp gap, double mean)
{
	return 1 - exp(-(double)gap / mean);
}

#define DRAWS 50000

static void gaps_are_exponential(void **state)
{
	static double u[DRAWS];

	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS_SEEDS; seed++) {
		struct arrivals_cfg c = config(seed);
		struct arrivals a = begin(&c);
		tstamp before = 0;

		for (unsigned i = 0; i < DRAWS; i++) {
			struct arrival m = take(&a);

			u[i] = exponential_share(m.at - before, 5e6);
			before = m.at;
		}
		draws_are_uniform(u, DRAWS, seed, "gaps");
	}
}

// A mean gap that is no whole number of ps: instants are the sum of the gaps to 2^-16 ps.
static void poisson_does_not_drift(void **state)
{
	struct arrivals_cfg c = config(9);
	unsigned __int128 sum = (unsigned __int128)17 << 16;
	struct arrivals a;
	struct prng g;

	(void)state;
	c.gap_q16 = 3 * (1 << 16) + 0x5555;
	c.start = 17;
	a = begin(&c);
	prng_init(&g, 9, "web[h1].gaps");
	for (unsigned i = 0; i < 1000000; i++) {
		sum += (dist_exponential(&g) * (unsigned __int128)c.gap_q16 + (1u << 31)) >> 32;
		assert_int_equal(take(&a).at, (tstamp)(sum >> 16));
	}
}

#define BINS 16

static unsigned bin_of(uint32_t bytes)
{
	unsigned bin = 0;

	while (bytes > dist_quantile(&sizes, DIST_ONE / BINS * (bin + 1)) && bin < BINS - 1)
		bin++;
	return bin;
}

// Shares of the bins of sizes: quantiles are whole bytes, and one is a step.
static void size_shares(double share[BINS])
{
	double before = 0;

	for (unsigned i = 0; i < BINS; i++) {
		double x = dist_quantile(&sizes, DIST_ONE / BINS * (i + 1)) + 0.5, up_to;

		if (x < 1000)
			up_to = x / 2000;
		else if (x < 20000)
			up_to = 0.5 + (x - 1000) / 19000 * 0.2;
		else
			up_to = fmin(1, 0.8 + (x - 20000) / 80000 * 0.2);
		share[i] = up_to - before;
		before = up_to;
	}
}

static unsigned peer_of(uint32_t host)
{
	for (unsigned i = 0; i < N(peers); i++)
		if (peers[i] == host)
			return i;
	fail_msg("host %u is no peer", host);
	return 0;
}

// Sizes and receivers, by themselves and together.
static void sizes_and_receivers_have_their_shares(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS_SEEDS; seed++) {
		unsigned size[BINS] = {0}, peer[N(peers)] = {0}, both[BINS * N(peers)] = {0};
		double share[BINS], even[N(peers)], each[BINS * N(peers)];
		struct arrivals_cfg c = config(seed);
		struct arrivals a = begin(&c);

		size_shares(share);
		for (unsigned i = 0; i < N(each); i++) {
			even[i % N(peers)] = 1. / N(peers);
			each[i] = share[i / N(peers)] / N(peers);
		}
		for (unsigned i = 0; i < DRAWS; i++) {
			struct arrival m = take(&a);
			unsigned s = bin_of(m.bytes), p = peer_of(m.to);

			assert_int_equal(m.from, 1);
			size[s]++;
			peer[p]++;
			both[s * N(peers) + p]++;
		}
		draws_fit(size, share, BINS, DRAWS, seed, "sizes");
		draws_fit(peer, even, N(peers), DRAWS, seed, "receivers");
		draws_fit(both, each, N(each), DRAWS, seed, "sizes by receiver");
	}
}

static void uncorrelated(
	const double *x, const double *y, unsigned n, uint64_t seed, const char *what)
{
	double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0, r;

	for (unsigned i = 0; i < n; i++) {
		sx += x[i];
		sy += y[i];
		xx += x[i] * x[i];
		yy += y[i] * y[i];
		xy += x[i] * y[i];
	}
	r = (xy - sx * sy / n) / sqrt((xx - sx * sx / n) * (yy - sy * sy / n));
	if (fabs(r) * sqrt(n) > 3.29) // 0.1 %
		fail_msg("%s, seed %llu: correlation %g", what, (unsigned long long)seed, r);
}

static void draws_are_independent(void **state)
{
	static double gap[2][DRAWS], size[2][DRAWS], peer[2][DRAWS];
	static const char *const name[] = {"web[h1]", "web[h2]"};

	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS_SEEDS; seed++) {
		for (unsigned s = 0; s < 2; s++) {
			struct arrivals_cfg c = config(seed);
			struct arrivals a;
			tstamp before = 0;

			c.name = name[s];
			a = begin(&c);
			for (unsigned i = 0; i < DRAWS; i++) {
				struct arrival m = take(&a);

				gap[s][i] = (double)(m.at - before);
				size[s][i] = m.bytes;
				peer[s][i] = peer_of(m.to);
				before = m.at;
			}
			uncorrelated(gap[s], size[s], DRAWS, seed, "gaps and sizes");
			uncorrelated(gap[s], peer[s], DRAWS, seed, "gaps and receivers");
			uncorrelated(gap[s], gap[s] + 1, DRAWS - 1, seed, "a gap and the next");
			uncorrelated(size[s], size[s] + 1, DRAWS - 1, seed, "a size and the next");
			uncorrelated(peer[s], peer[s] + 1, DRAWS - 1, seed, "peers in a row");
		}
		uncorrelated(gap[0], gap[1], DRAWS, seed, "gaps of two streams");
		uncorrelated(size[0], size[1], DRAWS, seed, "sizes of two streams");
		uncorrelated(peer[0], peer[1], DRAWS, seed, "receivers of two streams");
	}
}

// Another distribution, pattern or mean gap moves nothing else.
static void one_generator_does_not_shift_another(void **state)
{
	struct arrivals_cfg c = config(5), other_sizes = c, other_to = c, other_gap = c;
	struct arrivals a, s, t, g;

	(void)state;
	other_sizes.sizes = &constant;
	other_to.to = ARRIVALS_IN_TURN;
	other_gap.kind = ARRIVALS_EVERY;
	a = begin(&c);
	s = begin(&other_sizes);
	t = begin(&other_to);
	g = begin(&other_gap);
	for (unsigned i = 0; i < 1000; i++) {
		struct arrival m = take(&a), by_size = take(&s), by_to = take(&t),
			       by_gap = take(&g);

		assert_int_equal(m.at, by_size.at);
		assert_int_equal(m.to, by_size.to);
		assert_int_equal(by_size.bytes, 1500);
		assert_int_equal(m.at, by_to.at);
		assert_int_equal(m.bytes, by_to.bytes);
		assert_int_equal(by_to.to, peers[i % N(peers)]);
		assert_int_equal(m.bytes, by_gap.bytes);
		assert_int_equal(m.to, by_gap.to);
	}
}

static void a_copy_goes_on_alike(void **state)
{
	(void)state;
	for (unsigned to = ARRIVALS_RANDOM; to <= ARRIVALS_RACK; to++)
		for (unsigned kind = ARRIVALS_POISSON; kind < ARRIVALS_CLOSED; kind++) {
			struct arrivals_cfg c = config(6);
			struct arrivals a, copy;

			c.to = to;
			c.kind = kind;
			c.n_peers = to == ARRIVALS_ONE ? 1 : c.n_peers;
			a = begin(&c);
			for (unsigned i = 0; i < 100; i++)
				take(&a);
			copy = a;
			for (unsigned i = 0; i < 100; i++) {
				struct arrival m = take(&a), same = take(&copy);

				assert_int_equal(m.at, same.at);
				assert_int_equal(m.bytes, same.bytes);
				assert_int_equal(m.from, same.from);
				assert_int_equal(m.to, same.to);
			}
		}
}

static double bytes_until(const struct arrivals_cfg *c)
{
	struct arrivals a = begin(c);
	struct arrival m;
	double sum = 0;

	while (arrivals_next(&a, &m)) {
		assert_in_range(m.at, c->start, c->stop - 1);
		sum += m.bytes;
	}
	return sum;
}

// The bytes of a Poisson stream are a compound Poisson process.
static void the_load_comes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS_SEEDS; seed++) {
		struct arrivals_cfg c = config(seed);
		double n = 20000;

		c.start = 1000 * PS_PER_US;
		c.stop = c.start + (tstamp)(n * 5e6);
		draws_near(bytes_until(&c), n * (double)dist_mean_q20(&sizes) / (1 << 20),
			n * dist_mean_square(&sizes), seed, "bytes of a Poisson stream");
		c.to = ARRIVALS_INCAST;
		draws_near(bytes_until(&c), 3 * n * (double)dist_mean_q20(&sizes) / (1 << 20),
			n * (3 * dist_mean_square(&sizes) +
				    6 * pow((double)dist_mean_q20(&sizes) / (1 << 20), 2)),
			seed, "bytes of incasts");
	}
}

static void every_gap_is_the_same(void **state)
{
	static double phase[2000];
	struct arrivals_cfg c = config(1);
	char name[32];

	(void)state;
	c.kind = ARRIVALS_EVERY;
	c.gap_q16 = 1000 * (1 << 16) + 1; // a ps more after 65,536 gaps
	c.start = 12345;
	c.name = name;
	for (unsigned i = 0; i < N(phase); i++) {
		struct arrivals a;

		snprintf(name, sizeof(name), "web[h%u]", i);
		a = begin(&c);
		phase[i] = ((double)(arrivals_at(&a) - c.start) + 0.5) / 1001;
		if (i)
			continue;

		tstamp first = take(&a).at, last = 0;

		for (unsigned k = 0; k < 3 * 65536; k++) {
			tstamp at = take(&a).at;

			assert_in_range(at - (last ? last : first), 1000, 1001);
			last = at;
		}
		assert_int_equal(last, first + 3 * 65536 * 1000ull + 3);
	}
	draws_are_uniform(phase, N(phase), 1, "phases");
}

// Without off times messages follow as line rate has it.
static void always_on(void **state)
{
	struct arrivals_cfg c = config(4);
	struct arrivals a;
	struct arrival m;

	(void)state;
	c.kind = ARRIVALS_ON_OFF;
	c.off = 0;
	a = begin(&c);
	m = take(&a);
	for (unsigned i = 0; i < 10000; i++) {
		struct arrival next = take(&a);

		assert_int_equal(next.at, m.at + m.bytes * 80ull);
		m = next;
	}
}

// Gaps are the time of the bytes, and off times. The mean load over many streams is the share of
// on times, whatever the window, also one that is shorter than a message.
static void on_off_has_its_load(void **state)
{
	static const tstamp window[] = {100 * PS_PER_NS, 10 * PS_PER_US, 70 * PS_PER_US, PS_PER_MS};
	static const struct dist *const of[] = {&sizes, &constant};
	const unsigned streams = 4000;

	(void)state;
	for (unsigned w = 0; w < 4 * N(window); w++) {
		struct arrivals_cfg c = config(7);
		double sum = 0, square = 0, mean;
		char name[32];

		c.kind = ARRIVALS_ON_OFF;
		c.sizes = of[w / 4 % 2];
		c.to = w / 8 ? ARRIVALS_INCAST : ARRIVALS_RANDOM;
		c.start = 5 * PS_PER_US;
		c.stop = c.start + window[w % 4];
		c.name = name;
		for (unsigned i = 0; i < streams; i++) {
			double bytes;

			snprintf(name, sizeof(name), "web[h%u].%u", i, w);
			bytes = bytes_until(&c);
			sum += bytes;
			square += bytes * bytes;
		}
		mean = (double)window[w % 4] / 80 * 0.4;
		draws_near(sum, streams * mean, square - sum * sum / streams, w,
			"bytes of on-off streams (seed: row)");
	}
}

static void on_off_sends_at_line_rate(void **state)
{
	struct arrivals_cfg c = config(8);
	double off = 0;
	unsigned on = 0;
	struct arrivals a;
	struct arrival m;

	(void)state;
	c.kind = ARRIVALS_ON_OFF;
	c.sizes = &constant; // 120 ns: 1 message of 167 sees the end of an on time
	a = begin(&c);
	m = take(&a);
	for (unsigned i = 0; i < 200000; i++) {
		struct arrival next = take(&a);
		tstamp more = next.at - m.at - 120000;

		assert_true(next.at >= m.at + 120000);
		on += !more;
		off += (double)more;
		m = next;
	}
	// 200,000 messages last 1200 mean on times.
	assert_in_range(on, 200000 - 1200 - 110, 200000 - 1200 + 150);
	draws_near(off, 1200 * 30e6, 2 * 1200 * 30e6 * 30e6, 8, "off times");
}

static void senders_of_a_request_differ(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS_SEEDS; seed++) {
		unsigned set[32] = {0}, one[5] = {0};
		double share[32] = {0}, even[5] = {.2, .2, .2, .2, .2};
		struct arrivals_cfg c = config(seed);
		struct arrivals a;
		tstamp before = 0;

		c.to = ARRIVALS_INCAST;
		c.n_peers = 5;
		for (unsigned s = 0; s < 32; s++)
			share[s] = __builtin_popcount(s) == 3 ? 0.1 : 0;
		a = begin(&c);
		for (unsigned i = 0; i < 20000; i++) {
			struct arrival m = {0};
			unsigned senders = 0;
			tstamp at = arrivals_at(&a);

			assert_true(at > before);
			for (unsigned k = 0; k < 3; k++) {
				m = take(&a);
				assert_int_equal(m.at, at);
				assert_int_equal(m.to, 1);
				assert_false(senders >> peer_of(m.from) & 1);
				senders |= 1u << peer_of(m.from);
			}
			before = at;
			set[senders]++;
			one[peer_of(m.from)]++;
		}
		draws_fit(set, share, 32, 20000, seed, "sets of senders");
		even[0] = even[1] = 0; // the last sender stands behind two others: 1, 3, 6 of 10
		even[2] = .1;
		even[3] = .3;
		even[4] = .6;
		draws_fit(one, even, 5, 20000, seed, "last sender");
	}
}

static void all_senders_at_once(void **state)
{
	struct arrivals_cfg c = config(3);
	struct arrivals a;

	(void)state;
	c.to = ARRIVALS_INCAST;
	c.fan = N(peers);
	c.stop = 1;
	c.gap_q16 = 1; // 2^-16 ps: requests come at 0 until stop
	a = begin(&c);
	for (unsigned i = 0; i < 1000; i++) {
		struct arrival m = take(&a);

		assert_int_equal(m.at, 0);
		assert_int_equal(m.from, peers[i % N(peers)]);
	}
}

static void a_request_before_stop_is_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct arrivals_cfg c = config(seed);
		struct arrivals a;
		struct arrival m;
		unsigned n = 0;

		c.to = ARRIVALS_INCAST;
		c.stop = 20 * PS_PER_US;
		a = begin(&c);
		while (arrivals_next(&a, &m))
			n++;
		assert_int_equal(n % 3, 0);
		assert_int_equal(arrivals_at(&a), TSTAMP_NEVER);
		assert_false(arrivals_next(&a, &m));
	}
}

static void a_share_stays_in_the_rack(void **state)
{
	static const double share[] = {.75 / 3, .75 / 3, .75 / 3, .05, .05, .05, .05, .05};

	(void)state;
	for (uint64_t seed = 1; seed <= DRAWS_SEEDS; seed++) {
		unsigned seen[N(peers)] = {0};
		struct arrivals_cfg c = config(seed);
		struct arrivals a;

		c.to = ARRIVALS_RACK;
		c.rack_q32 = 3ull << 30;
		a = begin(&c);
		for (unsigned i = 0; i < DRAWS; i++)
			seen[peer_of(take(&a).to)]++;
		draws_fit(seen, share, N(peers), DRAWS, seed, "receivers by rack");
	}
}

static void a_closed_stream_waits(void **state)
{
	struct arrivals_cfg c = config(2);
	struct arrivals a;
	struct arrival m;

	(void)state;
	c.kind = ARRIVALS_CLOSED;
	c.start = 100;
	c.stop = 1000;
	a = begin(&c);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(take(&a).at, 100);
	assert_int_equal(arrivals_at(&a), TSTAMP_NEVER);
	assert_false(arrivals_next(&a, &m));
	arrivals_done(&a, 250);
	assert_int_equal(take(&a).at, 250);
	assert_int_equal(arrivals_at(&a), TSTAMP_NEVER);
	arrivals_done(&a, 300);
	arrivals_done(&a, 301);
	assert_int_equal(take(&a).at, 301);
	assert_int_equal(take(&a).at, 301);
	assert_false(arrivals_next(&a, &m));
	arrivals_done(&a, 999);
	assert_int_equal(take(&a).at, 999);
	arrivals_done(&a, 1000);
	assert_false(arrivals_next(&a, &m));

	// Another kind of stream takes no notice.
	c.kind = ARRIVALS_EVERY;
	a = begin(&c);
	c.gap_q16 = 1;
	arrivals_done(&a, 100);
	assert_int_not_equal(arrivals_at(&a), 100);
}

static void nothing_before_start_or_after_stop(void **state)
{
	(void)state;
	for (unsigned kind = ARRIVALS_POISSON; kind <= ARRIVALS_CLOSED; kind++) {
		struct arrivals_cfg c = config(kind);
		struct arrivals a;

		c.kind = kind;
		c.start = c.stop = 777;
		a = begin(&c);
		assert_int_equal(arrivals_at(&a), TSTAMP_NEVER);
		c.start = c.stop = TSTAMP_NEVER;
		a = begin(&c);
		assert_int_equal(arrivals_at(&a), TSTAMP_NEVER);
		c.start = TSTAMP_NEVER - 10; // time ends before the stream does
		c.gap_q16 = UINT64_MAX;
		c.on = c.off = (1ull << 62) - 1;
		a = begin(&c);
		for (unsigned i = 0; i < 100; i++)
			arrivals_next(&a, &(struct arrival){0});
		assert_true(arrivals_at(&a) >= c.start);
	}
}

// A stream is the same on every processor and by every compiler.
static void known_streams(void **state)
{
	static const struct arrival want[3][3] = {
		{{11093304, 824, 1, 17}, {13005144, 938, 1, 2}, {15208493, 932, 1, 19}},
		{{543773, 824, 5, 1}, {543773, 938, 7, 1}, {543773, 932, 19, 1}},
		{{4686178, 824, 1, 17}, {4752098, 938, 1, 2}, {4827138, 932, 1, 19}},
	};

	(void)state;
	for (unsigned kind = ARRIVALS_POISSON; kind <= ARRIVALS_ON_OFF; kind++) {
		struct arrivals_cfg c = config(1);
		struct arrivals a;

		c.kind = kind;
		c.to = kind == ARRIVALS_EVERY ? ARRIVALS_INCAST : ARRIVALS_RACK;
		a = begin(&c);
		for (unsigned i = 0; i < 3; i++) {
			struct arrival m = take(&a);

			assert_int_equal(m.at, want[kind][i].at);
			assert_int_equal(m.bytes, want[kind][i].bytes);
			assert_int_equal(m.from, want[kind][i].from);
			assert_int_equal(m.to, want[kind][i].to);
		}
	}
}

static int make_sizes(void **state)
{
	(void)state;
	return dist_init(&sizes, points, N(points)) || dist_init(&constant, one_size, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_fields_are_refused),
		cmocka_unit_test(racks_without_others),
		cmocka_unit_test(gaps_are_exponential),
		cmocka_unit_test(poisson_does_not_drift),
		cmocka_unit_test(sizes_and_receivers_have_their_shares),
		cmocka_unit_test(draws_are_independent),
		cmocka_unit_test(one_generator_does_not_shift_another),
		cmocka_unit_test(a_copy_goes_on_alike),
		cmocka_unit_test(the_load_comes),
		cmocka_unit_test(every_gap_is_the_same),
		cmocka_unit_test(always_on),
		cmocka_unit_test(on_off_has_its_load),
		cmocka_unit_test(on_off_sends_at_line_rate),
		cmocka_unit_test(senders_of_a_request_differ),
		cmocka_unit_test(all_senders_at_once),
		cmocka_unit_test(a_request_before_stop_is_whole),
		cmocka_unit_test(a_share_stays_in_the_rack),
		cmocka_unit_test(a_closed_stream_waits),
		cmocka_unit_test(nothing_before_start_or_after_stop),
		cmocka_unit_test(known_streams),
	};

	return cmocka_run_group_tests(tests, make_sizes, NULL);
}
