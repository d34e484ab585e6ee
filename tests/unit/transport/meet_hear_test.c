// SPDX-License-Identifier: BSD-3-Clause
// Tests of transport/meet_hear: whose hello counts. Strangers repeat hellos, send them back, and
// change them.
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

#define RETRY    (20 * PS_PER_MS)
#define DEADLINE (30 * PS_PER_S)
#define SECTIONS 3
#define TOP      3
#define SAY      (100 * PS_PER_MS)
#define ROUNDS   200
#define SEEN     16 // hellos that the stranger remembers

static const uint8_t digests[SECTIONS][HELLO_DIGEST] = {{1}, {2}, {3}};
static const uint8_t other_digests[SECTIONS][HELLO_DIGEST] = {{1}, {9}, {9}};

// Two parts, h1 and s1, and a stranger who hears both and speaks to both.
struct pair {
	struct meet m[2];
	struct meet_link link[2];
	struct hello way[2]; // to part i
	bool on_way[2];
	tstamp begins[2];
	struct hello seen[SEEN]; // by the stranger
	unsigned n_seen;
	uint32_t made_up; // nonces
};

static void pair_init(struct pair *p, bool differ)
{
	static const char *const port[2] = {"h1:s1", "s1:h1"};

	memset(p, 0, sizeof(*p));
	for (unsigned i = 0; i < 2; i++) {
		const struct meet_params params = {.nonce = 100 * (i + 1),
			.dilate = 1,
			.sections = SECTIONS,
			.digest = differ && i ? other_digests : digests,
			.top = TOP,
			.retry = RETRY,
			.deadline = DEADLINE,
			.lead = 100 * PS_PER_MS};

		strcpy(p->link[i].port, port[i]);
		strcpy(p->link[i].peer_port, port[!i]);
		meet_init(&p->m[i], &params, &p->link[i], 1, 0);
	}
}

static void stranger_hears(struct pair *p, const struct hello *h)
{
	p->seen[p->n_seen++ % SEEN] = *h;
}

// Hellos that are due come to the other side at its next look.
static void pair_says(struct pair *p, unsigned i, tstamp now)
{
	if (now < p->begins[i] || !meet_say(&p->m[i], 0, &p->way[!i], now))
		return;
	p->on_way[!i] = true;
	stranger_hears(p, &p->way[!i]);
}

static void pair_hears(struct pair *p, unsigned i, tstamp now)
{
	if (p->on_way[i] && now >= p->begins[i])
		meet_heard(&p->m[i], 0, &p->way[i], now);
	p->on_way[i] = false;
}

// The parts alone, until both start.
static tstamp pair_meets(struct pair *p)
{
	for (tstamp now = 0; now < PS_PER_S; now += PS_PER_MS) {
		for (unsigned i = 0; i < 2; i++)
			pair_hears(p, i, now);
		for (unsigned i = 0; i < 2; i++)
			pair_says(p, i, now);
		if (meet_state(&p->m[0], now) == MEET_STARTS &&
			meet_state(&p->m[1], now) == MEET_STARTS) {
			meet_runs(&p->m[0], now, now);
			meet_runs(&p->m[1], now, now);
			return now;
		}
	}
	fail_msg("two parts do not start");
	return 0;
}

enum change {
	NOTHING, // an old hello
	DIGEST,
	SECTION,
	DILATE,
	START,
	AT,
	PORT,
	TWICE,
	LEVEL,
	GIVEN_UP,
	NONCE,
	CHANGES
};

static void change(struct hello *h, enum change what, struct prng *g)
{
	switch (what) {
	case DIGEST:
		h->digest[prng_below(g, SECTIONS)][0] ^= 1;
		break;
	case SECTION:
		h->sections--;
		break;
	case DILATE:
		h->dilate++;
		break;
	case START:
		h->start = !h->start;
		break;
	case AT:
		h->at_ns++;
		break;
	case PORT:
		strcpy(h->port, "s1:h2");
		break;
	case TWICE:
		strcpy(h->port, strcmp(h->port, "h1:s1") ? "h1:s1" : "s1:h1");
		break;
	case LEVEL:
		h->level = (uint16_t)prng_below(g, TOP);
		break;
	case GIVEN_UP:
		h->level = MEET_GIVEN_UP;
		h->why = (struct hello_why){.what = MEET_UNHEARD, .port = "s1:h3"};
		break;
	default:
		break;
	}
}

// The stranger says to part i what it has heard, with one thing changed, and makes it look newer
// than all that the peer can say.
static void stranger_says(struct pair *p, unsigned i, enum change what, struct prng *g, tstamp now)
{
	struct hello h = p->seen[prng_below(g, p->n_seen < SEEN ? p->n_seen : SEEN)];

	change(&h, what, g);
	if (what != NOTHING) {
		static const uint32_t further[] = {0, 1, 2, 1000, 1u << 30, (1u << 31) - 1};

		h.seen = p->m[i].p.nonce;
		h.number = p->link[!i].number + further[prng_below(g, 6)];
		h.echo_ns = prng_below(g, 2) ? now / PS_PER_NS : h.echo_ns;
	}
	if (what == NONCE || prng_below(g, 4) == 0)
		h.nonce = prng_below(g, 2) ? 7 : 1000 + p->made_up++;
	meet_heard(&p->m[i], 0, &h, now);
}

// Both start, whatever the stranger says `often` times in each ms to each of them, before and
// behind what the peer says.
static void starts(struct pair *p, enum change what, unsigned often, struct prng *g)
{
	for (tstamp now = 0; now < DEADLINE; now += PS_PER_MS) {
		unsigned start = 0;

		for (unsigned i = 0; i < 2; i++) {
			enum change w = what == CHANGES ? prng_below(g, CHANGES) : what;

			for (unsigned k = 0; p->n_seen && k < often; k++)
				stranger_says(p, i, w, g, now);
			pair_hears(p, i, now);
			for (unsigned k = 0; p->n_seen && k < often; k++)
				stranger_says(p, i, w, g, now);
			pair_says(p, i, now);
			if (meet_state(&p->m[i], now) == MEET_REFUSES)
				fail_msg("change %u, %u in a ms: part %u refuses with 0x%x", what,
					often, i, p->link[i].differs);
			start += meet_state(&p->m[i], now) == MEET_STARTS;
		}
		if (start == 2)
			return;
	}
	fail_msg("change %u, %u in a ms: the parts do not start", what, often);
}

static uint64_t seed_of(void)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	print_message("QUENCH_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

static void a_stranger_stops_nobody_from_starting(void **state)
{
	static const unsigned often[] = {1, 3, 20};
	static struct pair p;
	struct prng g;

	(void)state;
	prng_init(&g, seed_of(), "stranger");
	for (enum change what = NOTHING; what <= CHANGES; what++)
		for (unsigned k = 0; k < 3 * 5; k++) {
			pair_init(&p, false);
			p.begins[k % 2] = prng_below(&g, 400) * PS_PER_MS;
			starts(&p, what, often[k % 3], &g);
		}
}

// A hello of each process that was there before comes again and again, too.
static tstamp refuses_at(struct pair *p, struct prng *g, unsigned old)
{
	struct hello h = {.sections = SECTIONS, .nonce = 77, .seen = 78, .dilate = 1};

	memcpy(h.digest, digests, sizeof(digests));
	for (tstamp now = 0; now < DEADLINE; now += PS_PER_MS) {
		for (unsigned i = 0; i < 2; i++) {
			strcpy(h.port, p->link[i].peer_port);
			for (unsigned k = 0; k < old && prng_below(g, 2); k++)
				meet_heard(&p->m[i], 0, &h, now);
			pair_hears(p, i, now);
		}
		for (unsigned i = 0; i < 2; i++)
			pair_says(p, i, now);
		if (meet_state(&p->m[0], now) == MEET_REFUSES &&
			meet_state(&p->m[1], now) == MEET_REFUSES)
			return now;
	}
	return DEADLINE;
}

static void parts_that_differ_refuse_within_a_second(void **state)
{
	struct pair p;
	struct prng g;

	(void)state;
	prng_init(&g, seed_of(), "differ");
	for (unsigned k = 0; k < ROUNDS; k++) {
		tstamp from = prng_below(&g, 2000) * PS_PER_MS, at;

		pair_init(&p, true);
		p.begins[1] = from;
		at = refuses_at(&p, &g, k % 4);
		assert_in_range(at, from + MEET_LASTS, from + PS_PER_S);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(p.link[i].differs & ~MEET_DIFFERS_BEYOND, 6);
	}
}

// A process that agreed was started anew with another --dilate. Its old hello, which a stranger
// repeats, does not hide that.
static void old_hellos_hide_no_contradiction(void **state)
{
	struct pair p;
	struct hello old, h;
	tstamp now;

	(void)state;
	pair_init(&p, false);
	assert_true(meet_say(&p.m[1], 0, &old, 0));
	old.seen = 100;
	meet_heard(&p.m[0], 0, &old, 1);
	assert_int_equal(p.m[0].level, 1);
	h = old;
	h.nonce = 300;
	h.dilate++;
	for (now = RETRY; now < 3 * MEET_LASTS; now += RETRY) {
		h.number++;
		meet_heard(&p.m[0], 0, &h, now);
		for (unsigned i = 0; i < 20; i++)
			meet_heard(&p.m[0], 0, &old, now + i * PS_PER_MS);
	}
	assert_int_equal(meet_state(&p.m[0], now), MEET_REFUSES);
	assert_int_equal(p.link[0].differs, MEET_DIFFERS_DILATE);
}

// A hello of another version need not hear us: it has no words that we know. Our own, of which
// somebody has changed the version, is none.
static void another_version_is_refused(void **state)
{
	struct pair p;
	struct hello h;
	tstamp now;

	(void)state;
	pair_init(&p, false);
	for (unsigned i = 0; i < MEET_SAID; i++)
		meet_heard_version(&p.m[0], 0, 9, 200, 1);
	assert_int_equal(p.link[0].differs, MEET_DIFFERS_VERSION);
	assert_int_equal(p.link[0].version, 9);
	assert_int_equal(meet_state(&p.m[0], MEET_LASTS), MEET_ASKS);
	assert_int_equal(meet_state(&p.m[0], 1 + MEET_LASTS), MEET_REFUSES);
	pair_init(&p, false);
	for (now = 1; now < 3 * PS_PER_S; now += RETRY)
		meet_heard_version(&p.m[0], 0, 9, 100, now);
	assert_int_equal(meet_state(&p.m[0], now), MEET_ASKS);
	assert_true(p.link[0].stranger > 100);
	// Who is understood is not driven away.
	assert_true(meet_say(&p.m[1], 0, &h, 0));
	for (; now < 6 * PS_PER_S; now += RETRY) {
		h.seen = 100;
		meet_heard_version(&p.m[0], 0, 9, 200, now);
		meet_heard(&p.m[0], 0, &h, now);
		h.number++;
		assert_int_equal(meet_state(&p.m[0], now), MEET_ASKS);
	}
	assert_int_equal(p.m[0].level, 1);
}

static void only_who_hears_us_contradicts(void **state)
{
	struct pair p;
	struct hello h;

	(void)state;
	pair_init(&p, true);
	assert_true(meet_say(&p.m[1], 0, &h, 0));
	for (tstamp now = 0; now < 3 * PS_PER_S; now += RETRY) {
		meet_heard(&p.m[0], 0, &h, now);
		h.number++;
		assert_int_equal(meet_state(&p.m[0], now), MEET_ASKS);
	}
	assert_int_equal(p.link[0].differs, 0);
	assert_true(meet_say(&p.m[0], 0, &h, 3 * PS_PER_S));
	assert_int_equal(h.seen, 200); // it is answered, so that it can say that it hears us
}

static void a_hello_that_comes_again_is_no_life(void **state)
{
	struct pair p;
	struct hello old[2], h;
	tstamp met, alive, now;
	uint64_t stranger;

	(void)state;
	pair_init(&p, false);
	met = pair_meets(&p);
	p.link[0].say_at = p.link[1].say_at = 0;
	now = met + SAY;
	assert_true(meet_say(&p.m[0], 0, &h, now));
	meet_heard(&p.m[1], 0, &h, now);
	assert_true(meet_say(&p.m[1], 0, &old[1], now));
	meet_heard(&p.m[0], 0, &old[1], now);
	assert_true(meet_say(&p.m[0], 0, &old[0], now));
	assert_int_equal(p.link[0].alive_at, now);
	alive = now;
	stranger = p.link[0].stranger;
	for (unsigned i = 0; i < 50; i++) { // the peer's, and our own
		now += SAY;
		meet_heard(&p.m[0], 0, &old[1], now);
		meet_heard(&p.m[0], 0, &old[0], now);
		h = old[1];
		h.nonce = 300 + i; // a stranger's
		meet_heard(&p.m[0], 0, &h, alive + SAY);
	}
	assert_int_equal(p.link[0].alive_at, alive);
	assert_int_equal(p.link[0].nonce, 200);
	assert_int_equal(p.link[0].stranger, stranger + 150);
	// A new one is, though it was on its way while the number wrapped.
	h = old[1];
	h.number++;
	meet_heard(&p.m[0], 0, &h, now);
	assert_int_equal(p.link[0].alive_at, now);
}

// A number that a stranger has made up does not make the peer look old for longer than until the
// next answer.
static void a_number_far_ahead_makes_nobody_old(void **state)
{
	struct pair p;
	struct hello h, made_up;
	tstamp now;

	(void)state;
	pair_init(&p, false);
	now = pair_meets(&p);
	for (unsigned i = 0; i < 50; i++) {
		now += SAY;
		p.link[0].say_at = p.link[1].say_at = 0;
		assert_true(meet_say(&p.m[0], 0, &h, now));
		meet_heard(&p.m[1], 0, &h, now + PS_PER_MS);
		assert_true(meet_say(&p.m[1], 0, &h, now + PS_PER_MS));
		made_up = h;
		made_up.number += (1u << 31) - 1;
		made_up.echo_ns = i % 2 ? 0 : UINT64_MAX; // in the future: it answers nothing
		meet_heard(&p.m[0], 0, &made_up, now + PS_PER_MS);
		meet_heard(&p.m[0], 0, &h, now + 2 * PS_PER_MS);
		assert_int_equal(p.link[0].alive_at, now + 2 * PS_PER_MS);
		assert_int_equal(p.link[0].newest, h.number);
	}
}

// While parts run a process that was started anew gets the peer's place when that is silent.
static void another_process_comes_when_the_peer_is_silent(void **state)
{
	struct pair p;
	struct hello h, out;
	tstamp met;

	(void)state;
	pair_init(&p, false);
	met = pair_meets(&p);
	assert_true(meet_say(&p.m[1], 0, &h, met + RETRY));
	h.nonce = 300;
	h.seen = 100;
	h.echo_ns = p.link[0].echo_ns;
	meet_heard(&p.m[0], 0, &h, met + MEET_SILENCE - 1);
	assert_int_equal(p.link[0].nonce, 200);
	p.link[0].say_at = 0;
	assert_true(meet_say(&p.m[0], 0, &out, met + MEET_SILENCE - 1));
	assert_int_equal(out.seen, 300);
	h.seen = 99;
	meet_heard(&p.m[0], 0, &h, met + MEET_SILENCE);
	assert_int_equal(p.link[0].nonce, 200);
	h.seen = 100;
	meet_heard(&p.m[0], 0, &h, met + MEET_SILENCE); // it came before: it answers an old one
	assert_int_equal(p.link[0].nonce, 200);
	h.echo_ns = out.sent_ns;
	meet_heard(&p.m[0], 0, &h, met + MEET_SILENCE);
	assert_int_equal(p.link[0].nonce, 300);
	assert_int_equal(p.link[0].alive_at, met + MEET_SILENCE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stranger_stops_nobody_from_starting),
		cmocka_unit_test(parts_that_differ_refuse_within_a_second),
		cmocka_unit_test(old_hellos_hide_no_contradiction),
		cmocka_unit_test(another_version_is_refused),
		cmocka_unit_test(only_who_hears_us_contradicts),
		cmocka_unit_test(a_hello_that_comes_again_is_no_life),
		cmocka_unit_test(a_number_far_ahead_makes_nobody_old),
		cmocka_unit_test(another_process_comes_when_the_peer_is_silent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
