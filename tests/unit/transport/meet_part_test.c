// SPDX-License-Identifier: BSD-3-Clause
// Tests of algo/meet_part: what a part knows of the clocks of all others, over random graphs of
// parts whose clocks drift and whose links take any time: the truth is never outside.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/meet.h"
#include "base/prng.h"
#include "meet_lab.h"

#define PARTS  12
#define FLIGHT 64
#define ROUNDS 60
#define TIME   (3 * PS_PER_S)
#define STEP   (PS_PER_MS / 2)
#define SAY    (100 * PS_PER_MS)

static const uint8_t digests[1][HELLO_DIGEST] = {{1}};

// Parts with clocks of their own. Part i runs the nodes i and 1000 - i. End e of link k is link
// place[k][e] of part end[k][e].
struct net {
	unsigned n_parts, n_links, links[PARTS];
	unsigned end[2 * PARTS][2], place[2 * PARTS][2];
	struct meet part[PARTS];
	struct meet_link link[PARTS][2 * PARTS];
	double zero[PARTS], ppm[PARTS]; // of its clock, in ps and parts per million
	struct {
		struct hello h;
		tstamp at;
	} flight[2 * PARTS][2][FLIGHT];
	unsigned flying[2 * PARTS][2];
	tstamp say_at;
	unsigned most; // a hello takes at most 2^most ps
};

static tstamp clock_of(const struct net *net, unsigned part, tstamp real)
{
	return (tstamp)(net->zero[part] + (double)real * (1 + net->ppm[part] * 1e-6));
}

static void join(struct net *net, unsigned a, unsigned b)
{
	unsigned k = net->n_links++;

	for (unsigned e = 0; e < 2; e++) {
		unsigned here = e ? b : a, there = e ? a : b;

		net->end[k][e] = here;
		net->place[k][e] = net->links[here];
		lab_name_link(&net->link[here][net->links[here]++], here, there, k);
	}
}

static void begin(struct net *net, unsigned i)
{
	struct meet_params p = {.nonce = 1000 + i,
		.dilate = 1,
		.sections = 1,
		.digest = digests,
		.top = (uint16_t)net->n_parts,
		.retry = 20 * PS_PER_MS,
		.deadline = TSTAMP_NEVER,
		.lead = 100 * PS_PER_MS};

	p.nodes[i / 8] |= (uint8_t)(1u << i % 8);
	p.nodes[(1000 - i) / 8] |= (uint8_t)(1u << (1000 - i) % 8);
	meet_init(&net->part[i], &p, net->link[i], net->links[i], clock_of(net, i, 0));
}

static void net_draw(struct net *net, struct prng *g, unsigned n)
{
	memset(net, 0, sizeof(*net));
	net->n_parts = n;
	net->most = 20 + (unsigned)prng_below(g, 12);
	for (unsigned i = 0; i < n; i++) {
		net->zero[i] = 1e12 + (double)prng_below(g, 1u << 30) * 1e6;
		net->ppm[i] = (double)prng_below(g, 99000) / 1000 - 49.5;
	}
	for (unsigned i = 1; i < n; i++)
		join(net, i, (unsigned)prng_below(g, i));
	for (unsigned i = 0, more = (unsigned)prng_below(g, 3); i < more && n > 2; i++) {
		unsigned a = (unsigned)prng_below(g, n);

		join(net, a, (a + 1 + (unsigned)prng_below(g, n - 1)) % n);
	}
	for (unsigned i = 0; i < n; i++)
		begin(net, i);
}

static void net_step(struct net *net, struct prng *g, unsigned k, unsigned e, tstamp now)
{
	unsigned here = net->end[k][e];
	struct meet *m = &net->part[here];
	struct meet_link *l = &m->link[net->place[k][e]];
	struct hello h;

	for (unsigned i = 0; i < net->flying[k][e];) {
		tstamp at = net->flight[k][e][i].at;

		if (at > now) {
			i++;
			continue;
		}
		h = net->flight[k][e][i].h;
		net->flight[k][e][i] = net->flight[k][e][--net->flying[k][e]];
		meet_heard(m, net->place[k][e], &h, clock_of(net, here, now));
	}
	if (m->runs && now >= net->say_at)
		l->say_at = 0;
	while (meet_say(m, net->place[k][e], &h, clock_of(net, here, now))) {
		unsigned *n = &net->flying[k][!e];

		if (prng_below(g, 10) == 0 || *n == FLIGHT)
			continue;
		net->flight[k][!e][*n].h = h;
		net->flight[k][!e][(*n)++].at =
			now + prng_below(g, 1ull << prng_below(g, net->most));
	}
}

// The time since its start that a part counts, at an instant of the real time, in ns.
static double counts(const struct net *net, unsigned part, tstamp real)
{
	return ((double)clock_of(net, part, real) - (double)net->part[part].start_at) / 1e3;
}

// How many clocks are known, of the nodes of all parts by all others. Doubles are good to some ns.
static unsigned net_holds(const struct net *net, tstamp now, uint64_t *widest)
{
	unsigned known = 0;

	for (unsigned a = 0; a < net->n_parts; a++)
		for (unsigned b = 0; b < net->n_parts; b++) {
			const struct meet *m = &net->part[a];
			double real = counts(net, b, now) - counts(net, a, now);
			struct meet_range r, other;

			if (a == b || !meet_node_ahead(m, b, clock_of(net, a, now), &r))
				continue;
			assert_true(meet_node_ahead(m, 1000 - b, clock_of(net, a, now), &other));
			assert_memory_equal(&r, &other, sizeof(r));
			assert_true((double)r.low_ns - 4 <= real);
			assert_true(real <= (double)r.high_ns + 4);
			*widest = meet_range_bound(r) > *widest ? meet_range_bound(r) : *widest;
			known++;
		}
	return known;
}

static bool all_start(const struct net *net, tstamp now)
{
	for (unsigned i = 0; i < net->n_parts; i++)
		if (meet_state(&net->part[i], now) != MEET_STARTS)
			return false;
	return true;
}

static void net_begins(struct net *net, struct prng *g)
{
	for (unsigned i = 0; i < net->n_parts; i++) { // some are late, and say so
		struct meet *m = &net->part[i];
		tstamp late = prng_below(g, 4) ? 0 : prng_below(g, PS_PER_MS);

		meet_runs(m, m->start_at + late, m->start_at);
	}
}

static uint64_t seed_of(void)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	print_message("QUENCH_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static void every_clock_becomes_known_and_holds(void **state)
{
	static struct net net;
	uint64_t seed = seed_of();

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t widest = 0;
		bool runs = false;
		unsigned known = 0;
		struct prng g;

		prng_init(&g, seed + i, "parts");
		net_draw(&net, &g, 2 + (unsigned)prng_below(&g, PARTS - 1));
		for (tstamp now = PS_PER_MS; now < TIME; now += STEP) {
			for (unsigned k = 0; k < net.n_links; k++)
				for (unsigned e = 0; e < 2; e++)
					net_step(&net, &g, k, e, now);
			if (!runs && all_start(&net, now)) {
				net_begins(&net, &g);
				runs = true;
			}
			if (runs && now >= net.say_at)
				net.say_at = now + SAY;
			if (runs && now > TIME / 2) {
				widest = 0;
				known = net_holds(&net, now, &widest);
			}
		}
		if (known != net.n_parts * (net.n_parts - 1))
			fail_msg("QUENCH_SEED=%llu: %u clocks of %u parts are known",
				(unsigned long long)(seed + i), known, net.n_parts);
		// Each link adds half a round trip, which steps of time make a millisecond at most
		// longer, and what clocks drift apart in some tenths of a second.
		assert_true(widest < net.n_parts * ((1ull << net.most) / 1000 + 1100000));
	}
}

// A star whose middle knows both others: its report is joined with the knowledge of its own clock.
// Clocks run at one rate, and each direction takes 1 us.
static void a_neighbour_tells_of_those_behind_it(void **state)
{
	static struct net net;
	struct meet_range r;
	struct hello h;
	tstamp now = 0;

	(void)state;
	memset(&net, 0, sizeof(net));
	net.n_parts = 3;
	net.zero[0] = 5e12;
	net.zero[1] = 7e12;
	net.zero[2] = 1e12;
	join(&net, 0, 1);
	join(&net, 1, 2);
	for (unsigned i = 0; i < 3; i++)
		begin(&net, i);
	for (unsigned round = 0; round < 12; round++)
		for (unsigned k = 0; k < 2; k++)
			for (unsigned e = 0; e < 2; e++) {
				unsigned from = net.end[k][e], to = net.end[k][!e];
				struct meet *m = &net.part[from];

				m->link[net.place[k][e]].say_at = 0;
				assert_true(meet_say(
					m, net.place[k][e], &h, clock_of(&net, from, now)));
				now += PS_PER_US;
				meet_heard(&net.part[to], net.place[k][!e], &h,
					clock_of(&net, to, now));
			}
	assert_true(all_start(&net, now));
	assert_true(meet_node_ahead(&net.part[0], 2, clock_of(&net, 0, now), &r));

	double real = counts(&net, 2, now) - counts(&net, 0, now);

	assert_true((double)r.low_ns <= real && real <= (double)r.high_ns);
	assert_in_range(meet_range_bound(r), 2000, 2020); // two links, each 1 us either way
	assert_false(meet_node_ahead(&net.part[0], 3, clock_of(&net, 0, now), &r));
	assert_false(meet_node_ahead(&net.part[0], HELLO_NODES, clock_of(&net, 0, now), &r));

	// A clock that contradicts itself is not known any more, behind that link either.
	net.zero[1] += 1e9;
	for (unsigned e = 0; e < 4; e++) {
		unsigned from = net.end[0][e % 2], to = net.end[0][!(e % 2)];

		net.part[from].link[net.place[0][e % 2]].say_at = 0;
		assert_true(meet_say(
			&net.part[from], net.place[0][e % 2], &h, clock_of(&net, from, now)));
		now += PS_PER_US;
		meet_heard(&net.part[to], net.place[0][!(e % 2)], &h, clock_of(&net, to, now));
	}
	assert_false(meet_node_ahead(&net.part[0], 1, clock_of(&net, 0, now), &r));
	assert_false(meet_link_ahead(&net.part[0], 0, clock_of(&net, 0, now), &r));
}

// More parts than there is room for, and nonsense, do no harm.
static void what_cannot_be_is_passed_by(void **state)
{
	static struct net net;
	struct meet_range r;
	struct prng g;
	struct hello h;

	(void)state;
	prng_init(&g, 1, "nonsense");
	net_draw(&net, &g, 2);
	for (unsigned i = 0; i < 1000; i++) {
		tstamp now = clock_of(&net, 0, PS_PER_MS * (i + 1));

		net.link[0][0].say_at = 0;
		assert_true(meet_say(&net.part[0], 0, &h, now - 2000));
		h.seen = 1000;
		h.nonce = 1001;
		h.echo_ns = now / PS_PER_NS - 2;
		h.heard_ns = h.sent_ns = now / PS_PER_NS;
		h.told_ns = prng_u64(&g);
		h.parts = HELLO_PARTS;
		for (unsigned k = 0; k < HELLO_PARTS; k++) {
			h.part[k] = (struct hello_part){.nonce = prng_u32(&g) % 100,
				.number = prng_u32(&g),
				.starts_ns = prng_u64(&g),
				.low_ns = (int64_t)prng_u64(&g),
				.high_ns = (int64_t)prng_u64(&g)};
			h.part[k].nodes[prng_below(&g, sizeof(h.part[k].nodes))] = 0xff;
		}
		strcpy(h.port, net.link[0][0].peer_port);
		meet_heard(&net.part[0], 0, &h, now);
		for (unsigned k = 0; k < HELLO_NODES; k++)
			meet_node_ahead(&net.part[0], k, now, &r);
	}
	assert_in_range(net.part[0].n_parts, 2, MEET_PARTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_neighbour_tells_of_those_behind_it),
		cmocka_unit_test(every_clock_becomes_known_and_holds),
		cmocka_unit_test(what_cannot_be_is_passed_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
