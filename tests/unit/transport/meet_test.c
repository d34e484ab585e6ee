// SPDX-License-Identifier: BSD-3-Clause
// A part that meets its peers: each arrow of its state, why it refuses, and the peers' clocks.
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
#include "meet_terms.h"
#include "rounds.h"

#define TOP 3

// A part with one link, h1:s1.
struct lab {
	struct meet m;
	struct meet_link link;
};

static void lab_init(struct lab *lab)
{
	const struct meet_params p = params(100, TOP);

	lab->link = (struct meet_link){.mac = {2, 1}, .peer_mac = {2, 2}};
	strcpy(lab->link.port, "h1:s1");
	strcpy(lab->link.peer_port, "s1:h1");
	meet_init(&lab->m, &p, &lab->link, 1, 0);
}

// The peer's next hello.
static struct hello peer_says(uint32_t seen, uint16_t level)
{
	static uint32_t number;
	struct hello h = {.sections = SECTIONS,
		.number = number++,
		.level = level,
		.nonce = 200,
		.seen = seen,
		.dilate = 1,
		.port = "s1:h1"};

	memcpy(h.digest, digests, sizeof(digests));
	return h;
}

// The peer says so for as long as it takes to be believed, from `from` on.
static void insists(struct meet *m, unsigned link, struct hello *h, tstamp from)
{
	for (tstamp now = from; now < from + MEET_LASTS; now += RETRY) {
		assert_int_equal(meet_state(m, now), MEET_ASKS);
		meet_heard(m, link, h, now);
		h->number++;
	}
	assert_int_equal(meet_state(m, from + MEET_LASTS), MEET_REFUSES);
}

static void a_part_asks_at_once_and_again_after_its_time(void **state)
{
	struct lab lab;
	struct hello h;

	(void)state;
	lab_init(&lab);
	assert_true(meet_say(&lab.m, 0, &h, 0));
	assert_string_equal(h.port, "h1:s1");
	assert_memory_equal(h.dst, lab.link.peer_mac, 6);
	assert_memory_equal(h.src, lab.link.mac, 6);
	assert_int_equal(h.nonce, 100);
	assert_int_equal(h.seen, 0);
	assert_int_equal(h.level, 0);
	assert_int_equal(h.number, 0);
	assert_memory_equal(h.digest, digests, sizeof(digests));
	assert_false(meet_say(&lab.m, 0, &h, RETRY - 1));
	assert_true(meet_say(&lab.m, 0, &h, RETRY));
	assert_int_equal(h.number, 1);
	assert_int_equal(meet_state(&lab.m, RETRY), MEET_ASKS);
}

static void one_that_was_not_heard_answers_at_once(void **state)
{
	struct lab lab;
	struct hello h = peer_says(0, 0), out;

	(void)state;
	lab_init(&lab);
	assert_true(meet_say(&lab.m, 0, &out, 0));
	meet_heard(&lab.m, 0, &h, 5);
	assert_true(meet_say(&lab.m, 0, &out, 5));
	assert_int_equal(out.seen, 200);
	assert_int_equal(out.level, 0);
	assert_int_equal(meet_state(&lab.m, 5), MEET_ASKS);
}

static void levels_climb_to_the_start(void **state)
{
	struct lab lab;
	struct hello h = peer_says(100, 0), out;

	(void)state;
	lab_init(&lab);
	meet_heard(&lab.m, 0, &h, 1);
	assert_int_equal(lab.m.level, 1);
	assert_true(meet_say(&lab.m, 0, &out, 1)); // at once: the level is new
	assert_int_equal(out.level, 1);
	meet_heard(&lab.m, 0, &h, 2);
	assert_false(meet_say(&lab.m, 0, &out, 2)); // nothing new
	h = peer_says(100, 1);
	meet_heard(&lab.m, 0, &h, 3);
	assert_int_equal(lab.m.level, 2);
	assert_int_equal(meet_state(&lab.m, 3), MEET_ASKS);
	h = peer_says(100, 2);
	meet_heard(&lab.m, 0, &h, 4);
	assert_int_equal(meet_state(&lab.m, 4), MEET_STARTS);
	assert_int_equal(lab.m.start_at, 4 + LEAD);
	assert_true(meet_say(&lab.m, 0, &out, 4));
	assert_int_equal(out.level, TOP);
	assert_int_equal(out.start_us, LEAD / PS_PER_US);
	assert_true(meet_say(&lab.m, 0, &out, 4 + LEAD));
	assert_int_equal(out.start_us, 1);
	// A part that has started stays so, whatever it hears.
	h = peer_says(0, 0);
	meet_heard(&lab.m, 0, &h, 5);
	assert_int_equal(meet_state(&lab.m, DEADLINE), MEET_STARTS);
}

// One that has begun anew, behind the start of the others, has drawn a lower number than they have.
static void those_who_start_know_the_number(void **state)
{
	struct meet_params p = params(100, TOP);
	struct hello h = peer_says(100, 1), out;
	struct lab lab;

	(void)state;
	lab_init(&lab);
	p.numbers = 5;
	meet_init(&lab.m, &p, &lab.link, 1, 0);
	h.numbers = 9;
	meet_heard(&lab.m, 0, &h, 1);
	assert_int_equal(lab.m.numbers, 5);
	h.level = TOP;
	h.start_us = 1000;
	meet_heard(&lab.m, 0, &h, 2);
	assert_int_equal(lab.m.numbers, 9);
	assert_true(meet_say(&lab.m, 0, &out, 2));
	assert_int_equal(out.numbers, 9);
	h.numbers = 7;
	meet_heard(&lab.m, 0, &h, 3); // too late
	assert_int_equal(lab.m.numbers, 9);
	lab_init(&lab);
	meet_init(&lab.m, &p, &lab.link, 1, 0);
	h.seen = 0; // it has not heard us
	h.numbers = 3;
	meet_heard(&lab.m, 0, &h, 3);
	assert_int_equal(lab.m.numbers, 5);
}

static void the_earlier_start_is_taken(void **state)
{
	struct lab lab;
	struct hello h = peer_says(100, TOP);

	(void)state;
	lab_init(&lab);
	assert_int_equal(lab.m.start_at, TSTAMP_NEVER);
	h.start_us = 70000;
	meet_heard(&lab.m, 0, &h, PS_PER_MS);
	assert_int_equal(meet_state(&lab.m, PS_PER_MS), MEET_STARTS);
	assert_int_equal(lab.m.start_at, 71 * PS_PER_MS);
	h.start_us = 80000; // later: ours stays
	meet_heard(&lab.m, 0, &h, PS_PER_MS);
	assert_int_equal(lab.m.start_at, 71 * PS_PER_MS);
	h.start_us = 60000;
	meet_heard(&lab.m, 0, &h, 2 * PS_PER_MS);
	assert_int_equal(lab.m.start_at, 62 * PS_PER_MS);
}

static void a_start_of_one_that_differs_is_not_taken(void **state)
{
	struct lab lab;
	struct hello h = peer_says(100, TOP);

	(void)state;
	lab_init(&lab);
	h.start_us = 1000;
	h.digest[0][0] = 9;
	insists(&lab.m, 0, &h, 1);
	assert_int_equal(lab.m.start_at, TSTAMP_NEVER);
	lab_init(&lab);
	h = peer_says(0, TOP); // it has not heard us
	h.start_us = 1000;
	meet_heard(&lab.m, 0, &h, 1);
	assert_int_equal(meet_state(&lab.m, 1), MEET_ASKS);
}

static void an_instant_that_is_given_is_the_start(void **state)
{
	struct meet_params p = params(100, 1);
	struct lab lab;
	struct hello h = peer_says(100, 1);

	(void)state;
	lab_init(&lab);
	p.start = HELLO_START_AT;
	p.at_ns = 12345;
	p.at = 5 * PS_PER_S;
	meet_init(&lab.m, &p, &lab.link, 1, 0);
	h.start = HELLO_START_AT;
	h.at_ns = 12345;
	h.start_us = 7;
	meet_heard(&lab.m, 0, &h, 1);
	assert_int_equal(meet_state(&lab.m, 1), MEET_STARTS);
	assert_int_equal(lab.m.start_at, 5 * PS_PER_S);
}

static void one_that_has_not_heard_us_holds_us_back(void **state)
{
	struct lab lab;
	struct hello h = peer_says(99, 2); // another process, which had our place

	(void)state;
	lab_init(&lab);
	meet_heard(&lab.m, 0, &h, 1);
	assert_int_equal(lab.m.level, 0);
	assert_int_equal(meet_state(&lab.m, 1), MEET_ASKS);
}

static void a_peer_that_begins_anew_takes_us_back(void **state)
{
	struct lab lab;
	struct hello h = peer_says(100, 1), out;

	(void)state;
	lab_init(&lab);
	meet_heard(&lab.m, 0, &h, 1);
	assert_int_equal(lab.m.level, 2);
	h = peer_says(0, 0);
	h.nonce = 201;
	meet_heard(&lab.m, 0, &h, 2); // the one before may still be there
	assert_int_equal(lab.m.level, 2);
	assert_int_equal(lab.link.nonce, 200);
	assert_true(meet_say(&lab.m, 0, &out, 2));
	assert_int_equal(out.seen, 201); // it hears of it all the same
	h.seen = 100;
	h.number++;
	meet_heard(&lab.m, 0, &h, 3 * RETRY);
	assert_int_equal(lab.link.nonce, 200);
	meet_heard(&lab.m, 0, &h, 3 * RETRY + 1);
	assert_int_equal(lab.m.level, 1);
	assert_int_equal(lab.link.nonce, 201);
}

static void our_own_hello_counts_for_nothing(void **state)
{
	struct lab lab;
	struct hello h;

	(void)state;
	lab_init(&lab);
	assert_true(meet_say(&lab.m, 0, &h, 0));
	meet_heard(&lab.m, 0, &h, 1);
	assert_int_equal(lab.link.nonce, 0);
	assert_int_equal(lab.link.differs, 0);
	assert_int_equal(meet_state(&lab.m, 1), MEET_ASKS);
}

static void a_silent_peer_is_late(void **state)
{
	struct lab lab;

	(void)state;
	lab_init(&lab);
	assert_int_equal(meet_state(&lab.m, DEADLINE - 1), MEET_ASKS);
	assert_int_equal(meet_state(&lab.m, DEADLINE), MEET_LATE);
}

static void refuses(struct hello *h, uint32_t differs)
{
	struct lab lab;

	lab_init(&lab);
	insists(&lab.m, 0, h, 1);
	assert_int_equal(lab.link.differs, differs);
	assert_int_equal(lab.m.level, 0);
}

static void what_differs_is_named(void **state)
{
	struct hello h = peer_says(100, 1);
	struct lab lab;

	(void)state;
	h.digest[1][0] = 9;
	refuses(&h, 1 << 1);
	h.digest[0][15] = 9;
	refuses(&h, 1 << 1 | 1 << 0);
	h = peer_says(100, 1);
	h.sections = 2;
	refuses(&h, MEET_DIFFERS_SECTIONS);
	h = peer_says(100, 1);
	h.dilate = 20;
	refuses(&h, MEET_DIFFERS_DILATE);
	h = peer_says(100, 1);
	h.start = HELLO_START_AT;
	refuses(&h, MEET_DIFFERS_START);
	h = peer_says(100, 1);
	h.at_ns = 1;
	refuses(&h, MEET_DIFFERS_START);
	h = peer_says(100, 1);
	strcpy(h.port, "s1:h2");
	refuses(&h, MEET_DIFFERS_PORT);
	strcpy(h.port, "h1:s1");
	refuses(&h, MEET_DIFFERS_TWICE);

	// One that is mended is taken.
	lab_init(&lab);
	meet_heard(&lab.m, 0, &h, 1);
	h = peer_says(100, 0);
	h.nonce = 300;
	meet_heard(&lab.m, 0, &h, 2);
	assert_int_equal(lab.link.differs, 0);
	assert_int_equal(meet_state(&lab.m, 2), MEET_ASKS);
	assert_int_equal(lab.m.level, 1);
}

// A part that runs one node of a line h1 - s1 - h3; its links are ports.
struct line {
	struct meet m;
	struct meet_link link[2];
};

static void line_init(struct line *l, uint32_t nonce, const char *const port[][2], unsigned n)
{
	const struct meet_params p = params(nonce, TOP);

	memset(l, 0, sizeof(*l));
	for (unsigned i = 0; i < n; i++) {
		strcpy(l->link[i].port, port[i][0]);
		strcpy(l->link[i].peer_port, port[i][1]);
	}
	meet_init(&l->m, &p, l->link, n, 0);
}

// The hello that `from` has to send on its link reaches `to`.
static void tells(struct line *from, unsigned link, struct line *to, unsigned at, tstamp now)
{
	struct hello h;

	from->link[link].say_at = 0;
	assert_true(meet_say(&from->m, link, &h, now));
	meet_heard(&to->m, at, &h, now);
}

static void reason(const struct line *l, uint32_t what, const char *port, unsigned links)
{
	struct hello_why why;

	assert_int_equal(meet_why(&l->m, &why), what != 0);
	assert_int_equal(why.what, what);
	assert_string_equal(why.port, port);
	assert_int_equal(why.links, links);
}

// h3 is missing: h1, which began first, gives up first, and each of the two knows why.
static void who_gives_up_knows_why(void **state)
{
	static const char *const h1[][2] = {{"h1:s1", "s1:h1"}}, *const s1[][2] = {
									 {"s1:h1", "h1:s1"},
									 {"s1:h3", "h3:s1"}};
	struct line a, s;

	(void)state;
	line_init(&a, 100, h1, 1);
	line_init(&s, 200, s1, 2);
	reason(&a, MEET_UNHEARD, "h1:s1", 0);
	for (unsigned i = 0; i < 3; i++) {
		tells(&a, 0, &s, 0, RETRY * (i + 1));
		tells(&s, 0, &a, 0, RETRY * (i + 1));
	}
	reason(&s, MEET_UNHEARD, "s1:h3", 0);
	reason(&a, MEET_UNHEARD, "s1:h3", 1);
	assert_int_equal(meet_state(&a.m, DEADLINE), MEET_LATE);
	for (unsigned i = 0; i < MEET_SAID; i++)
		tells(&a, 0, &s, 0, DEADLINE);
	assert_int_equal(s.link[0].differs, MEET_DIFFERS_BEYOND);
	assert_int_equal(meet_state(&s.m, DEADLINE + MEET_LASTS), MEET_REFUSES);
	reason(&s, MEET_UNHEARD, "s1:h3", 0);
	tells(&s, 0, &a, 0, DEADLINE);
	reason(&a, MEET_UNHEARD, "s1:h3", 1);
}

// h3 runs another scenario, as s1 sees, and h1 hears of it. Once that is mended nobody says so.
static void what_differs_behind_a_neighbour_is_told(void **state)
{
	static const char *const h1[][2] = {{"h1:s1", "s1:h1"}}, *const s1[][2] = {
									 {"s1:h1", "h1:s1"},
									 {"s1:h3", "h3:s1"}};
	struct hello h = peer_says(200, 0);
	struct line a, s;

	(void)state;
	line_init(&a, 100, h1, 1);
	line_init(&s, 200, s1, 2);
	tells(&a, 0, &s, 0, 1);
	tells(&s, 0, &a, 0, 2);
	reason(&a, MEET_UNHEARD, "s1:h3", 1);
	strcpy(h.port, "h3:s1");
	h.nonce = 300;
	h.digest[1][0] = 9;
	meet_heard(&s.m, 1, &h, 3);
	tells(&s, 0, &a, 0, 4);
	reason(&a, 1 << 1, "s1:h3", 1);
	h.number++;
	insists(&s.m, 1, &h, 5);
	for (unsigned i = 0; i < MEET_SAID; i++)
		tells(&s, 0, &a, 0, 5 + MEET_LASTS);
	assert_int_equal(meet_state(&a.m, 5 + 2 * MEET_LASTS), MEET_REFUSES);
	reason(&a, 1 << 1, "s1:h3", 1);
	h.digest[1][0] = digests[1][0];
	meet_heard(&s.m, 1, &h, 5);
	tells(&a, 0, &s, 0, 6);
	assert_int_equal(s.link[0].why.what, 0); // its own port: it knows better
}

// Two parts run other scenarios, and each says so, whoever is heard first.
static void parts_that_refuse_each_other_both_know_why(void **state)
{
	static const char *const h1[][2] = {{"h1:s1", "s1:h1"}}, *const s1[][2] = {
									 {"s1:h1", "h1:s1"}};
	struct meet_params p = params(200, TOP);
	struct line a, s;

	(void)state;
	line_init(&a, 100, h1, 1);
	line_init(&s, 200, s1, 1);
	p.digest = other_digests;
	meet_init(&s.m, &p, s.link, 1, 0);
	for (tstamp now = 0; now <= MEET_LASTS + 2 * RETRY; now += RETRY) {
		tells(&a, 0, &s, 0, now);
		tells(&s, 0, &a, 0, now);
		if (now)
			reason(&s, 6, "s1:h1", 0);
	}
	assert_int_equal(meet_state(&s.m, MEET_LASTS + 2 * RETRY), MEET_REFUSES);
	assert_int_equal(meet_state(&a.m, MEET_LASTS + 2 * RETRY), MEET_REFUSES);
	assert_int_equal(a.link[0].differs, 6 | MEET_DIFFERS_BEYOND);
	reason(&a, 6, "h1:s1", 0);
	tells(&a, 0, &s, 0, MEET_LASTS + 2 * RETRY);
	reason(&s, 6, "s1:h1", 0);
}

// Two parts whose clocks are apart and whose ways take any time: the true offset is never outside
// what is known.
static void a_clock_is_known_to_its_bound(void **state)
{
	struct prng g;

	(void)state;
	prng_init(&g, 1, "clock");
	for (unsigned round = 0; round < rounds_of(2000); round++) {
		tstamp apart = prng_below(&g, 1000000) * PS_PER_US + 500; // b's clock less a's
		tstamp now = 7 * PS_PER_S + prng_below(&g, PS_PER_S);
		struct lab a, b;
		const struct meet_params p = params(300, TOP);
		struct meet_range r;
		struct hello h;

		lab_init(&a);
		lab_init(&b);
		meet_init(&b.m, &p, &b.link, 1, 0);
		strcpy(b.link.port, "s1:h1");
		strcpy(b.link.peer_port, "h1:s1");
		for (unsigned i = 0; i < 12; i++) {
			// One way may be a thousand times as long as the other.
			tstamp out = prng_below(&g, 1ull << prng_below(&g, 34));
			tstamp held = prng_below(&g, 100 * PS_PER_MS);
			tstamp in = prng_below(&g, 1ull << prng_below(&g, 34));
			tstamp all = out + held + in;

			now += RETRY;
			assert_true(meet_say(&a.m, 0, &h, now));
			meet_heard(&b.m, 0, &h, now + out + apart);
			b.link.say_at = 0;
			assert_true(meet_say(&b.m, 0, &h, now + out + held + apart));
			now += all;
			meet_heard(&a.m, 0, &h, now);
			a.link.say_at = 0;
			// They may not have agreed by now.
			if (i < 2 || !meet_link_ahead(&a.m, 0, now, &r))
				continue;

			// Each counts from its own start.
			int64_t real = (int64_t)apart / (int64_t)PS_PER_NS -
				       ((int64_t)b.m.start_at - (int64_t)a.m.start_at) /
					       (int64_t)PS_PER_NS;

			assert_true(r.low_ns - 1 <= real && real <= r.high_ns + 1);
			assert_true(meet_range_bound(r) <=
				    (out + in) / 2 / PS_PER_NS + all / PS_PER_NS / 10000 + 4);
		}
		assert_true(meet_link_ahead(&a.m, 0, now, &r));
	}
}

static void a_clock_is_not_known_of_what_cannot_be(void **state)
{
	struct hello h = peer_says(100, TOP);
	struct meet_range r;
	struct lab lab;
	int64_t start;

	(void)state;
	lab_init(&lab);
	h.starts_ns = 1000000;
	h.sent_ns = 500000;
	meet_heard(&lab.m, 0, &h, PS_PER_MS); // it answers nothing
	assert_false(meet_link_ahead(&lab.m, 0, PS_PER_MS, &r));
	h.echo_ns = 2000000; // what we have not sent yet
	h.number++;
	meet_heard(&lab.m, 0, &h, PS_PER_MS);
	assert_false(meet_link_ahead(&lab.m, 0, PS_PER_MS, &r));
	h.echo_ns = 900000;
	h.heard_ns = 399000; // held for longer than since then
	h.number++;
	meet_heard(&lab.m, 0, &h, PS_PER_MS);
	assert_false(meet_link_ahead(&lab.m, 0, PS_PER_MS, &r));
	h.heard_ns = 460000;
	h.seen = 99; // it answers another
	h.number++;
	meet_heard(&lab.m, 0, &h, PS_PER_MS);
	assert_false(meet_link_ahead(&lab.m, 0, PS_PER_MS, &r));
	h.seen = 100;
	h.number++;
	meet_heard(&lab.m, 0, &h, PS_PER_MS);
	assert_true(meet_link_ahead(&lab.m, 0, PS_PER_MS, &r));
	assert_int_equal(lab.link.clock.round_trip_ns, 60000);
	// ((460000 - 900000) + (500000 - 1000000)) / 2, and we start earlier or later than it. In
	// 100 us clocks may drift apart by 10 ns.
	start = (int64_t)(lab.m.start_at / PS_PER_NS);
	assert_int_equal(r.low_ns, -500000 - (1000000 - start) - 1);
	assert_int_equal(r.high_ns, -440000 + 10 - (1000000 - start) + 1);
	h.nonce = 201; // another process: what was known is of no worth
	h.echo_ns = 0;
	meet_heard(&lab.m, 0, &h, PS_PER_MS + 3 * RETRY);
	assert_int_equal(lab.link.nonce, 201);
	assert_false(meet_link_ahead(&lab.m, 0, PS_PER_MS + 3 * RETRY, &r));
	// Fields of any value do no harm.
	h.seen = 100;
	h.echo_ns = 1;
	h.sent_ns = h.starts_ns = UINT64_MAX;
	h.number++;
	meet_heard(&lab.m, 0, &h, 10 * PS_PER_S);
	meet_link_ahead(&lab.m, 0, 10 * PS_PER_S, &r);
}

// While parts run, one asks, the other answers at once, and the first once more.
static void a_hello_is_answered_at_once_while_parts_run(void **state)
{
	struct hello h = peer_says(100, TOP), out;
	struct lab lab;

	(void)state;
	lab_init(&lab);
	meet_heard(&lab.m, 0, &h, 1);
	assert_true(meet_say(&lab.m, 0, &out, 1));
	assert_int_equal(out.turn, HELLO_ASKS);
	h.number++;
	meet_heard(&lab.m, 0, &h, 2);
	assert_false(meet_say(&lab.m, 0, &out, 2));
	meet_runs(&lab.m, lab.m.start_at + 5, 2);
	h.number++;
	h.start_us = 1; // which changes nothing any more
	meet_heard(&lab.m, 0, &h, 3);
	assert_int_equal(lab.m.start_at, 1 + LEAD + 5);
	assert_true(meet_say(&lab.m, 0, &out, 4));
	assert_int_equal(out.turn, HELLO_ANSWERS);
	assert_int_equal(out.starts_ns, (1 + LEAD + 5) / PS_PER_NS);
	h.number++;
	h.turn = HELLO_ANSWERS;
	meet_heard(&lab.m, 0, &h, 5);
	assert_true(meet_say(&lab.m, 0, &out, 6));
	assert_int_equal(out.turn, HELLO_ENDS);
	h.number++;
	h.turn = HELLO_ENDS;
	meet_heard(&lab.m, 0, &h, 7);
	assert_false(meet_say(&lab.m, 0, &out, 8));
	assert_true(meet_say(&lab.m, 0, &out, 6 + RETRY));
	assert_int_equal(out.turn, HELLO_ASKS);
}

static void one_that_gives_up_says_so(void **state)
{
	struct lab lab;
	struct hello h = peer_says(100, MEET_GIVEN_UP), out;

	(void)state;
	refuses(&h, MEET_DIFFERS_BEYOND);
	lab_init(&lab);
	insists(&lab.m, 0, &h, 1);
	assert_true(meet_say(&lab.m, 0, &out, 1 + MEET_LASTS));
	assert_int_equal(out.level, MEET_GIVEN_UP);
	lab_init(&lab);
	assert_true(meet_say(&lab.m, 0, &out, DEADLINE - 1));
	assert_int_equal(out.level, 0);
	assert_true(meet_say(&lab.m, 0, &out, DEADLINE + RETRY));
	assert_int_equal(out.level, MEET_GIVEN_UP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_asks_at_once_and_again_after_its_time),
		cmocka_unit_test(one_that_was_not_heard_answers_at_once),
		cmocka_unit_test(levels_climb_to_the_start),
		cmocka_unit_test(those_who_start_know_the_number),
		cmocka_unit_test(the_earlier_start_is_taken),
		cmocka_unit_test(a_start_of_one_that_differs_is_not_taken),
		cmocka_unit_test(an_instant_that_is_given_is_the_start),
		cmocka_unit_test(one_that_has_not_heard_us_holds_us_back),
		cmocka_unit_test(a_peer_that_begins_anew_takes_us_back),
		cmocka_unit_test(our_own_hello_counts_for_nothing),
		cmocka_unit_test(a_silent_peer_is_late),
		cmocka_unit_test(what_differs_is_named),
		cmocka_unit_test(who_gives_up_knows_why),
		cmocka_unit_test(what_differs_behind_a_neighbour_is_told),
		cmocka_unit_test(parts_that_refuse_each_other_both_know_why),
		cmocka_unit_test(a_clock_is_known_to_its_bound),
		cmocka_unit_test(a_clock_is_not_known_of_what_cannot_be),
		cmocka_unit_test(a_hello_is_answered_at_once_while_parts_run),
		cmocka_unit_test(one_that_gives_up_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
