// SPDX-License-Identifier: BSD-3-Clause
// Random frames against a plain model, which looks through the list of all frames for each figure.
#include "outside_lab.h"

#include "base/prng.h"
#include "rounds.h"

#define FRAMES 400
#define ROUNDS 300
#define HOSTS  3

// One frame: it comes or leaves, of a host outside and a queue pair.
struct sight {
	bool came, ce;
	unsigned kind, host, qpn, quanta;
	uint32_t number;
	tstamp t; // last bit of one that comes, first bit of one that leaves
};

static struct sight sight[FRAMES];
static struct hdr to[HOSTS], from[HOSTS];

static bool is_class_3(const struct sight *s)
{
	return s->kind != PKT_PFC;
}

static tstamp last_bit(const struct sight *s)
{
	return s->came ? s->t : s->t + LAB_WIRE;
}

static void draw(struct prng *r)
{
	static const unsigned kinds[] = {
		PKT_DATA, PKT_DATA, PKT_DATA, PKT_GEN, PKT_CNP, PKT_ACK, PKT_PFC, PKT_PFC};
	tstamp t = PS_PER_MS;
	uint32_t seq = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		struct sight *s = &sight[i];

		t += LAB_WIRE + (prng_below(r, 3) ? 0 : prng_below(r, 30) * PS_PER_US);
		*s = (struct sight){.kind = kinds[prng_below(r, 8)], .t = t};
		s->came = prng_below(r, 2);
		s->host = (unsigned)prng_below(r, HOSTS);
		s->qpn = 1 + (unsigned)prng_below(r, 2);
		s->ce = (s->kind == PKT_DATA || s->kind == PKT_GEN) && !prng_below(r, 3);
		s->quanta = prng_below(r, 3) ? 1 + (unsigned)prng_below(r, 9000) : 0;
		s->number = s->kind == PKT_GEN ? (seq += (uint32_t)prng_below(r, 3)) : i;
		seq += s->kind == PKT_GEN && s->came;
	}
}

static void give(struct outside *o, const struct sight *s)
{
	const struct hdr *h = s->came ? &from[s->host] : &to[s->host];
	struct pkt p = s->kind == PKT_PFC   ? lab_pfc(3, s->quanta, h)
		       : s->kind == PKT_GEN ? lab_frame(PKT_GEN, h)
					    : lab_rc(s->kind, h, s->qpn, s->number);

	if (s->kind == PKT_GEN)
		p.u.gen = (struct pkt_gen){.seq = s->number, .source = s->qpn};
	if (s->kind == PKT_ACK || s->kind == PKT_CNP)
		p.u.rc.payload = 0;
	p.tos |= s->ce ? ECN_CE : 0;
	if (s->came)
		outside_came(o, &p, s->t);
	else
		outside_left(o, &p, s->t);
}

// The PFC frame that came last before frame i; NULL: none has.
static const struct sight *pfc_before(unsigned i)
{
	while (i--)
		if (sight[i].came && sight[i].kind == PKT_PFC)
			return &sight[i];
	return NULL;
}

static bool is_in_xoff(unsigned i)
{
	const struct sight *s = pfc_before(i);

	return s && s->quanta && sight[i].t < s->t + s->quanta * LAB_QUANTUM;
}

static void check_asked(const struct outside *o)
{
	const struct outside_asked *a = outside_asked(o, 3);
	uint64_t xoff = 0, refresh = 0, before = 0, paused = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		const struct sight *s = &sight[i];

		if (s->came && s->kind == PKT_PFC && s->quanta) {
			xoff++;
			refresh += is_in_xoff(i);
		}
		if (s->came || !is_class_3(s))
			continue;
		before += !xoff;
		paused += is_in_xoff(i);
	}
	assert_int_equal(a->xoff_frames, xoff);
	assert_int_equal(a->refresh_frames, refresh);
	assert_int_equal(a->refresh.n, refresh);
	if (xoff)
		assert_int_equal(a->before_frames, before);
	assert_int_equal(a->paused_frames, paused);
	assert_int_equal(a->paused_bytes, paused * (LAB_LEN - 20));
}

static bool is_of_stream(const struct sight *s, unsigned kind, unsigned host, unsigned qpn)
{
	return s->came && s->kind == kind && s->host == host && s->qpn == qpn;
}

static void check_stream(const struct outside_stream *is)
{
	unsigned kind = is->open_loop ? PKT_GEN : PKT_DATA, host = is->saddr[3] - 10u;
	uint64_t frames = 0, bursts = 0, ce = 0, ce_bursts = 0, index = 0, last_most = 0;
	const struct sight *last = NULL;
	bool marked = false;

	for (unsigned i = 0; i < FRAMES; i++) {
		const struct sight *s = &sight[i];

		if (!is_of_stream(s, kind, host, is->number))
			continue;
		if (last && s->t - LAB_WIRE < last->t + 84 * LAB_BYTE) {
			index++;
		} else {
			bursts++;
			index = 0;
			marked = false;
		}
		last = s;
		frames++;
		ce += s->ce;
		ce_bursts += s->ce && !marked;
		marked |= s->ce;
		last_most = s->ce && index > last_most ? index : last_most;
	}
	assert_int_equal(is->frames, frames);
	assert_int_equal(is->bursts, bursts);
	assert_int_equal(is->ce_frames, ce);
	assert_int_equal(is->ce_bursts, ce_bursts);
	assert_int_equal(is->last_ce_most, last_most);
}

// Numbers of an open-loop source rise in this test.
static void check_missing(const struct outside_stream *is)
{
	uint64_t missing = 0, first = OUTSIDE_NONE;
	uint32_t next = 0;

	for (unsigned i = 0; i < FRAMES && is->open_loop; i++) {
		const struct sight *s = &sight[i];

		if (!is_of_stream(s, PKT_GEN, is->saddr[3] - 10u, is->number))
			continue;
		if (s->number > next && first == OUTSIDE_NONE)
			first = next;
		missing += s->number - next;
		next = s->number + 1;
	}
	assert_true(is->first_missing == first);
	assert_int_equal(is->missing, missing);
}

// CNPs that Lumina's rule expects of one pair of addresses.
static uint64_t greedy_of(unsigned host)
{
	uint64_t n = 0;
	tstamp due = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		const struct sight *s = &sight[i];

		if (s->came || s->kind != PKT_DATA || !s->ce || s->host != host)
			continue;
		if (n && last_bit(s) < due + LAB_T)
			continue;
		due = last_bit(s);
		n++;
	}
	return n;
}

static void check_cnps(const struct outside *o)
{
	struct outside_cnp got = outside_cnp(o, NP_KEY_IP_PAIR, PS_PER_S);
	uint64_t ce = 0, cnps = 0, greedy = 0, off = 0;

	for (unsigned h = 0; h < HOSTS; h++) {
		uint64_t want = greedy_of(h), came = 0;

		for (unsigned i = 0; i < FRAMES; i++) {
			const struct sight *s = &sight[i];

			came += s->host == h && s->came && s->kind == PKT_CNP;
			ce += s->host == h && !s->came && s->kind == PKT_DATA && s->ce;
		}
		cnps += came;
		greedy += want;
		off += want > came ? want - came : came - want;
	}
	assert_int_equal(got.ce, ce);
	assert_int_equal(got.cnps, cnps);
	assert_int_equal(got.greedy, greedy);
	assert_int_equal(got.greedy_off, off);
	assert_int_equal(outside_cnp(o, NP_KEY_PORT, PS_PER_S).ce, ce);
	assert_int_equal(outside_cnp(o, NP_KEY_QP, PS_PER_S).cnps, cnps);
}

static void figures_are_those_of_a_plain_model(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HOSTS; i++) {
		to[i] = lab_hdr(1, 10 + i);
		from[i] = lab_hdr(10 + i, 1);
	}
	for (unsigned seed = 0; seed < rounds_of(ROUNDS); seed++) {
		struct outside *o = lab_new(0);
		struct prng r;

		prng_init(&r, seed, "outside");
		print_message("seed %u\n", seed);
		draw(&r);
		for (unsigned i = 0; i < FRAMES; i++)
			give(o, &sight[i]);
		check_asked(o);
		check_cnps(o);
		for (unsigned i = 0; outside_stream(o, i); i++) {
			check_stream(outside_stream(o, i));
			check_missing(outside_stream(o, i));
		}
		outside_free(o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_a_plain_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
