// SPDX-License-Identifier: BSD-3-Clause
// Frames that stand in queues, linked or as trains, leave them in bursts of a class and in rounds
// of several as they do one by one; trains are not touched while they stand there; cars that do
// not fit; yards that are used up.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eport/eport.h"
#include "base/prng.h"
#include "rounds.h"

#define N_PKTS 512
#define MTU    1500
#define TRAINS 16
#define STEPS  2000
#define SEEDS  200

#define FIRST   2 // class; the last is strict
#define CLASSES 4

// The same frames twice: those of one port stand in it linked, one by one; those of the other in
// whatever way there is.
struct lab {
	struct prng rng;
	struct eport_cfg cfg;
	struct eport plain, port;
	struct eport_yard yard;
	struct pkt pkt[2][N_PKTS];
	bool queued[N_PKTS];
	tstamp now;
	// Rounds; those in which more than one class sent; those that ended at a turn of all.
	unsigned rounds, of_several, early, gated;
};

static unsigned below(struct lab *l, unsigned n)
{
	return (unsigned)prng_below(&l->rng, n);
}

static void lab_open(struct lab *l, uint64_t seed)
{
	struct eport_params p = {.rate = 100 * RATE_GBPS,
		.mtu = MTU,
		.framing = {PKT_FCS, PKT_WIRE, 0, 0},
		.strict = 1 << (FIRST + CLASSES - 1),
		.tolerance_ps = 2 * PS_PER_US};

	memset(l, 0, sizeof(*l));
	prng_init(&l->rng, seed, "trains");
	p.weight[2] = (uint16_t)(1 + below(l, 3));
	p.weight[3] =
		(uint16_t)(1 + below(l, below(l, 2)
						? 100
						: 3)); // small ones give less than a frame a round
	p.weight[4] = (uint16_t)(1 + below(l, 3));
	assert_int_equal(eport_cfg_init(&l->cfg, &p), 0);
	assert_int_equal(eport_init(&l->plain, &l->cfg), 0);
	assert_int_equal(eport_init(&l->port, &l->cfg), 0);
	assert_int_equal(eport_yard_init(&l->yard, TRAINS), 0);
	l->port.yard = &l->yard;
}

static void lab_close(struct lab *l)
{
	eport_fini(&l->plain);
	eport_fini(&l->port);
	eport_yard_fini(&l->yard);
}

static unsigned number(const struct lab *l, const struct pkt *p)
{
	unsigned of = p >= l->pkt[1] && p < l->pkt[1] + N_PKTS;

	return (unsigned)(p - l->pkt[of]);
}

// A length, of which now and then one, two or three frames are just what a class may send in a
// turn.
static unsigned length(struct lab *l, unsigned cls)
{
	unsigned turn = (unsigned)l->cfg.quantum[cls] / (1 + below(l, 3));

	if (turn >= 60 + PKT_FCS && turn <= MTU + PKT_FCS && !below(l, 3))
		return turn - PKT_FCS;
	return 60 + below(l, MTU - 60);
}

// Up to `most` frames that are in no queue, of one class, group and ingress port.
static unsigned draw(struct lab *l, unsigned cls, unsigned *which, unsigned most)
{
	unsigned n = 0, in = below(l, 2), len = length(l, cls), from = below(l, N_PKTS);
	unsigned varies = 1 + below(l, 60);

	for (unsigned k = 0; n < most && k < N_PKTS; k++) {
		unsigned i = (from + k) % N_PKTS;
		struct pkt *p = &l->pkt[0][i];

		if (l->queued[i])
			continue;
		l->queued[i] = true;
		*p = (struct pkt){
			.cls = (uint8_t)cls, .in_port = (uint16_t)in, .len = (uint16_t)len};
		p->tos = (uint8_t)below(l, varies > 20 ? 1 : 4);
		p->flags = below(l, 8) ? PKT_F_INTACT : PKT_F_INTACT | PKT_F_CE;
		l->pkt[1][i] = *p;
		which[n++] = i;
		if (!below(l, varies))
			len = length(l, cls);
	}
	return n;
}

static void put_linked(struct lab *l, unsigned cls, const unsigned *which, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		eport_put(&l->port, cls, &l->pkt[1][which[i]], l->now);
}

static void put(struct lab *l)
{
	unsigned cls = FIRST + below(l, CLASSES), which[EPORT_CARS];
	unsigned n = draw(l, cls, which, 1 + below(l, below(l, 2) ? EPORT_CARS : 4));
	struct pkt *p[EPORT_CARS], like = {.cls = (uint8_t)cls};
	eport_car car[EPORT_CARS];
	uint32_t bytes = 0;
	bool alike = true;

	if (!n)
		return;
	for (unsigned i = 0; i < n; i++) {
		p[i] = &l->pkt[1][which[i]];
		bytes += p[i]->len + PKT_FCS;
		alike &= pkt_word(p[i]) == pkt_word(p[0]);
		eport_put(&l->plain, cls, &l->pkt[0][which[i]], l->now);
	}
	like.in_port = p[0]->in_port;
	if (!below(l, 4) || !eport_cars(car, p, n, alike) ||
		!eport_put_cars(&l->port, cls, &like, car, n, bytes, l->now))
		put_linked(l, cls, which, n);
}

static struct pkt *serve_plain(struct lab *l, int *cls)
{
	struct pkt *p;

	*cls = eport_free(&l->plain, l->now) ? eport_pick(&l->plain, 0) : -1;
	if (*cls < 0)
		return NULL;
	p = eport_get(&l->plain, *cls, l->now);
	eport_sent(&l->plain, *cls, p->len, l->now);
	return p;
}

// The gates that frames pass, about as fast as the wire or slower, or none.
static void draw_gates(struct lab *l, struct rate_gate gate[EPORT_GATES])
{
	for (unsigned i = 0; i < EPORT_GATES; i++)
		gate[i] = (struct rate_gate){
			.ps = below(l, 3) ? rate_byte_ps((1 + below(l, 200)) * RATE_GBPS) : 0,
			.at = l->now + below(l, 1000),
			.until = l->now + below(l, 2000000),
		};
}

// The plain port gives one frame after the other as long as a train's may leave together. Returns
// how many; where its turn ends, both ports have chosen the next class.
static unsigned serve_together(struct lab *l, int cls, unsigned most, uint32_t keep,
	struct rate_gate *gate, struct pkt **burst)
{
	struct eport *e = &l->plain;
	unsigned n = 0;
	bool open = true, turn; // and whether the turn of the class ends
	int next;

	burst[n++] = serve_plain(l, &next);
	assert_int_equal(next, cls);
	for (;;) {
		uint32_t len = burst[n - 1]->len;

		for (unsigned i = 0; gate && i < EPORT_GATES; i++) {
			gate[i].at += rate_time(gate[i].ps, len + PKT_WIRE);
			open &= gate[i].at <= gate[i].until;
		}
		if (n == most || !open || !eport_free(e, l->now) || !e->q[cls].head ||
			e->q[cls].bytes < keep + e->q[cls].head->len + PKT_FCS)
			return n;
		turn = e->nonempty != 1u << cls && !(l->cfg.strict >> cls & 1) &&
		       e->q[cls].deficit < eport_next_bytes(e, (unsigned)cls);
		next = eport_pick(e, 0);
		if (next != cls || turn) {
			assert_int_equal(eport_pick(&l->port, 0), next);
			return n;
		}
		burst[n] = eport_get(e, cls, l->now);
		eport_sent(e, cls, burst[n]->len, l->now);
		n++;
	}
}

// The sums of a burst, from frames that the plain port gave.
static struct eport_sum sum_of(struct pkt *const *p, unsigned n)
{
	struct eport_sum sum = {.as_came = true};

	for (unsigned i = 0; i < n; i++) {
		sum.len += p[i]->len;
		sum.by_ecn += 1u << 8 * pkt_ecn(p[i]);
		sum.as_came &= !(p[i]->flags & PKT_F_CE);
	}
	return sum;
}

// Frames before the first train of a queue, or of that train.
static unsigned may_be_got(const struct eport_q *q)
{
	const struct eport_train *t = (const struct eport_train *)q->head;
	unsigned n = 0;

	if (q->head->kind == EPORT_TRAIN)
		return t->n - t->at;
	for (const struct pkt *p = q->head; p && p->kind != EPORT_TRAIN; p = p->next)
		n++;
	return n;
}

// How many frames at the head agree in the fields that a switch sees.
static unsigned alike_of(struct pkt *const *p, unsigned n)
{
	unsigned same = 1;

	while (same < n && pkt_word(p[same]) == pkt_word(p[0]))
		same++;
	return same;
}

// The fields that a switch sees in which some frame differs from the first one.
static uint64_t differ_of(struct pkt *const *p, unsigned n)
{
	uint64_t differ = 0;

	for (unsigned i = 1; i < n; i++)
		differ |= pkt_word(p[i]) ^ pkt_word(p[0]);
	return differ;
}

// A burst has all the frames that may leave together, linked ones or a train's.
static void get_burst(struct lab *l, int cls, unsigned most)
{
	const struct eport_q *q = &l->port.q[cls];
	unsigned there = may_be_got(q), n, all;
	uint64_t differ = 0;
	bool train = q->head->kind == EPORT_TRAIN, gated = !below(l, 3);
	uint32_t keep = below(l, 3) ? 0 : below(l, q->bytes + 1);
	struct eport_sum sum = {0}, ours;
	struct pkt *burst[EPORT_CARS], *plain[EPORT_CARS];
	struct rate_gate gate[2][EPORT_GATES];

	draw_gates(l, gate[0]);
	memcpy(gate[1], gate[0], sizeof(gate[1]));
	if (train)
		n = eport_get_cars(
			&l->port, cls, burst, most, keep, gated ? gate[0] : NULL, &sum, l->now);
	else
		n = eport_get_burst(
			&l->port, cls, burst, most, keep, gated ? gate[0] : NULL, &differ, l->now);
	all = serve_together(
		l, cls, there < most ? there : most, keep, gated ? gate[1] : NULL, plain);
	assert_int_equal(n, all);
	assert_memory_equal(gate[0], gate[1], sizeof(gate[1]));
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(number(l, plain[i]), number(l, burst[i]));
		l->queued[number(l, plain[i])] = false;
	}
	ours = sum_of(plain, n);
	assert_int_equal(differ, train ? 0 : differ_of(plain, n));
	assert_int_equal(sum.len, train ? ours.len : 0);
	assert_int_equal(sum.by_ecn, train ? ours.by_ecn : 0);
	assert_int_equal(sum.as_came, train && ours.as_came);
}

static bool several_take_turns(const struct eport *e, int cls)
{
	return e->nonempty & (e->nonempty - 1) && !(e->cfg->strict >> cls & 1);
}

// Checks a round's answer about the frames of each class.
static void each_class_is_known(
	const struct lab *l, const struct eport_round *r, struct pkt *const *burst)
{
	for (unsigned left = r->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left), n = 0, alike;
		const struct eport_turns *t = &r->q[c];
		struct pkt *p[EPORT_CARS];

		for (unsigned i = 0; i < r->n; i++)
			if (burst[i]->cls == c)
				p[n++] = burst[i];
		assert_int_equal(t->frames, n);
		assert_ptr_equal(t->head, l->port.q[c].head);
		if (!n)
			continue;
		alike = alike_of(p, n);
		assert_ptr_equal(t->first, p[0]);
		assert_int_equal(t->alike, alike);
		if (alike < n)
			assert_ptr_equal(t->other, p[alike]);
		for (unsigned i = 1; i < n; i++)
			assert_ptr_equal(p[i - 1]->next, p[i]);
	}
}

// All of them are open.
static void draw_round_gates(struct lab *l, struct eport_gates *g)
{
	struct rate_gate gate[EPORT_GATES];

	memset(g, 0, sizeof(*g));
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		draw_gates(l, gate);
		for (unsigned i = 0; i < EPORT_GATES; i++)
			gate[i].until += gate[i].at - l->now;
		memcpy(g->own[c], &gate[1], sizeof(g->own[c]));
	}
	g->all = gate[0];
}

// Whether the next frame may pass, too.
static bool pass_gates(struct eport_gates *g, const struct pkt *p)
{
	bool open;

	g->all.at += rate_time(g->all.ps, p->len + PKT_WIRE);
	open = g->all.at <= g->all.until;
	for (unsigned i = 0; i < EPORT_OWN_GATES; i++) {
		struct rate_gate *own = &g->own[p->cls][i];

		own->at += rate_time(own->ps, p->len + PKT_WIRE);
		open &= own->at <= own->until;
	}
	g->passed |= (uint8_t)(1u << p->cls);
	return open;
}

// A round has all the frames that may leave before a train, before one class is left, or, with
// small weights, before a turn of all in which none can send. Where wire and gates are free behind
// it, both ports have the same class next.
static void get_round(struct lab *l, int cls, unsigned most)
{
	uint8_t classes = (uint8_t)l->port.nonempty;
	struct eport_gates gates[2], *gated = below(l, 3) ? NULL : &gates[0];
	struct pkt *burst[EPORT_CARS];
	struct eport_round r;
	bool open = true;
	int which, served = 0;

	draw_round_gates(l, &gates[0]);
	gates[1] = gates[0];
	eport_see_round(&l->port, cls, classes, burst, most, gated, &r, l->now);
	l->rounds += r.n > 0;
	if (!r.n) {
		assert_int_equal(l->port.q[cls].head->kind, EPORT_TRAIN);
		assert_int_equal(eport_pick(&l->plain, 0), cls);
		return;
	}
	eport_take_round(&l->port, &r, gated, l->now);
	each_class_is_known(l, &r, burst);
	for (unsigned i = 0; i < r.n; i++) {
		struct pkt *p = serve_plain(l, &which);

		assert_non_null(p);
		assert_int_equal(number(l, p), number(l, burst[i]));
		l->queued[number(l, p)] = false;
		served |= 1 << which;
		assert_true(open);
		open = !gated || pass_gates(&gates[1], burst[i]);
	}
	assert_memory_equal(&gates[0], &gates[1], sizeof(gates[0]));
	l->gated += !open;
	l->of_several += (served & (served - 1)) != 0;
	if (r.n == most || !open || !eport_free(&l->plain, l->now))
		return;
	which = eport_pick(&l->plain, 0);
	assert_int_equal(eport_pick(&l->port, 0), which);
	l->early +=
		several_take_turns(&l->port, which) && l->port.q[which].head->kind != EPORT_TRAIN;
}

// The frames that the other port gives are the ones that the plain port gives one by one.
static void get(struct lab *l)
{
	unsigned most = 1 + below(l, EPORT_CARS);
	int cls = eport_free(&l->port, l->now) ? eport_pick(&l->port, 0) : -1, same;
	struct pkt *p, *o;

	if (cls < 0) {
		assert_null(serve_plain(l, &same));
	} else if (several_take_turns(&l->port, cls) && below(l, 2)) {
		get_round(l, cls, most);
	} else if (below(l, 3)) {
		get_burst(l, cls, most);
	} else {
		p = eport_get(&l->port, cls, l->now);
		eport_sent(&l->port, cls, p->len, l->now);
		o = serve_plain(l, &same);
		assert_int_equal(same, cls);
		assert_int_equal(number(l, o), number(l, p));
		l->queued[number(l, p)] = false;
	}
}

static void count(void *arg, const struct pkt *p)
{
	uint32_t *n = arg;

	n[0]++;
	n[1] += p->len + PKT_FCS;
}

static void compare(struct lab *l)
{
	assert_int_equal(l->port.tat, l->plain.tat);
	assert_int_equal(l->port.lost_ps, l->plain.lost_ps);
	assert_int_equal(eport_tx_frames(&l->port), eport_tx_frames(&l->plain));
	assert_int_equal(eport_tx_bytes(&l->port), eport_tx_bytes(&l->plain));
	assert_int_equal(l->port.nonempty, l->plain.nonempty);
	assert_int_equal(l->port.turn, l->plain.turn);
	assert_int_equal(l->port.starved, l->plain.starved);
	for (unsigned c = FIRST; c < FIRST + CLASSES; c++) {
		const struct eport_q *q = &l->port.q[c], *o = &l->plain.q[c];
		uint32_t n[2] = {0};

		eport_q_each(q, count, n);
		assert_int_equal(q->frames, o->frames);
		assert_int_equal(q->bytes, o->bytes);
		assert_int_equal(q->max_bytes, o->max_bytes);
		assert_int_equal(q->deficit, o->deficit);
		assert_int_equal(n[0], q->frames);
		assert_int_equal(n[1], q->bytes);
	}
}

static void they_leave_as_linked_frames_do(void **state)
{
	struct lab *l = malloc(sizeof(*l));
	unsigned rounds = 0, of_several = 0, early = 0, gated = 0;

	(void)state;
	assert_non_null(l);
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		lab_open(l, seed);
		for (unsigned i = 0; i < STEPS; i++) {
			if (below(l, 2))
				put(l);
			else
				get(l);
			l->now += below(l, 3) ? 0 : below(l, 1000000);
			compare(l);
		}
		rounds += l->rounds;
		of_several += l->of_several;
		early += l->early;
		gated += l->gated;
		lab_close(l);
	}
	printf("%u rounds, %u of several classes, %u ended early, %u by a gate\n", rounds,
		of_several, early, gated);
	assert_true(early < rounds / 2);
	assert_true(!rounds_are_all() || (of_several > 1000 && gated > 1000));
	free(l);
}

// The wire is free for a frame at the very end of the tolerance, within a turn and between two.
static void a_round_uses_the_whole_tolerance(void **state)
{
	static struct lab l;
	struct pkt *burst[8];
	struct eport_round r;
	int cls;

	(void)state;
	lab_open(&l, 1);
	for (unsigned c = FIRST; c < FIRST + CLASSES - 1; c++)
		assert_int_equal(eport_cfg_weight(&l.cfg, c, 1), 0);
	for (unsigned i = 0; i < 8; i++) {
		l.pkt[1][i].len = MTU / 2 - PKT_FCS; // two of them take a turn
		eport_put(&l.port, FIRST + i % 2, &l.pkt[1][i], 0);
	}
	cls = eport_pick(&l.port, 0);
	for (unsigned n = 1; n < 6; n++) {
		l.cfg.tolerance_ps = n * eport_wire_time(&l.cfg, MTU / 2 - PKT_FCS);
		eport_see_round(&l.port, cls, 3 << FIRST, burst, 8, NULL, &r, 0);
		assert_int_equal(r.n, n + 1);
		assert_int_equal(r.turn, FIRST + (cls - FIRST + n / 2) % 2);
		l.cfg.tolerance_ps--;
		eport_see_round(&l.port, cls, 3 << FIRST, burst, 8, NULL, &r, 0);
		assert_int_equal(r.n, n);
	}
	lab_close(&l);
}

static void a_frame_is_not_touched(void **state)
{
	static struct lab l;
	struct pkt *p = l.pkt[1], *at[EPORT_CARS], *burst[EPORT_CARS], like = {.cls = 3};
	eport_car car[EPORT_CARS];
	struct eport_sum sum;

	(void)state;
	lab_open(&l, 1);
	for (unsigned i = 0; i < EPORT_CARS; i++) {
		p[i].len = 60;
		at[i] = &p[i];
	}
	assert_true(eport_cars(car, at, EPORT_CARS, true));
	for (unsigned i = 0; i < EPORT_CARS; i++)
		memset(&p[i], 0xa5, sizeof(*p));
	assert_true(eport_put_cars(&l.port, 3, &like, car, EPORT_CARS, EPORT_CARS * 64, 0));
	assert_int_equal(eport_pick(&l.port, 0), 3);
	assert_int_equal(
		eport_get_cars(&l.port, 3, burst, EPORT_CARS, 0, NULL, &sum, 0), EPORT_CARS);
	assert_int_equal(sum.len, EPORT_CARS * 60);
	for (unsigned i = 0; i < EPORT_CARS; i++) {
		assert_ptr_equal(burst[i], &p[i]);
		for (unsigned k = 0; k < sizeof(*p); k++)
			assert_int_equal(((uint8_t *)&p[i])[k], 0xa5);
	}
	lab_close(&l);
}

static void an_address_of_more_than_48_bits_does_not_fit(void **state)
{
	struct pkt p = {.len = 60}, *at = &p;
	eport_car car;

	(void)state;
	assert_true(eport_cars(&car, &at, 1, false));
	assert_ptr_equal(eport_car_pkt(car), &p);
	assert_int_equal(eport_car_len(car), 60);
	assert_false(eport_car_fits((uintptr_t)1 << 48));
	assert_false(eport_car_fits((uintptr_t)&p + 1));
	assert_true(eport_car_fits((uintptr_t)&p));
}

static void a_yard_has_an_end(void **state)
{
	static struct lab l;
	struct pkt *p = &l.pkt[1][0], like = {.cls = 3};
	eport_car car;

	(void)state;
	lab_open(&l, 1);
	p->len = 60;
	assert_true(eport_cars(&car, &p, 1, true));
	for (unsigned i = 0; i < TRAINS; i++) { // no two of them are of one port
		like.in_port = (uint16_t)i;
		assert_true(eport_put_cars(&l.port, 3, &like, &car, 1, 64, 0));
	}
	like.in_port = TRAINS;
	assert_false(eport_put_cars(&l.port, 3, &like, &car, 1, 64, 0));
	assert_int_equal(l.port.q[3].frames, TRAINS);
	assert_ptr_equal(eport_get(&l.port, 3, 0), p);
	assert_true(eport_put_cars(&l.port, 3, &like, &car, 1, 64, 0));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_leave_as_linked_frames_do),
		cmocka_unit_test(a_round_uses_the_whole_tolerance),
		cmocka_unit_test(a_frame_is_not_touched),
		cmocka_unit_test(an_address_of_more_than_48_bits_does_not_fit),
		cmocka_unit_test(a_yard_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
