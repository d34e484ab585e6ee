// SPDX-License-Identifier: BSD-3-Clause
// Random records act on random frames. A plain model looks at every record for every frame and
// keeps all that it has seen. QUENCH_SEED=N is the first seed, QUENCH_ROUNDS=N their number.
#include "fault_lab.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/prng.h"
#include "rounds.h"

#define ROUNDS 300

#define PAIRS   5
#define NAMED   3 // pairs 0..2 are targets of their own, 3 has its address for a target, 4 has none
#define RECORDS 10
#define SETS    (NAMED + 2) // of targets, of an address, of all frames
#define WINDOW  64
#define HELD    4
#define OUT     (LAB_PKTS * 4)
#define COUNTED 4096 // different PSNs of a pair and kind

struct seen_psn {
	int64_t psn;
	uint32_t times;
};

struct model_pair {
	bool is_known;
	int64_t first[2]; // true PSNs of requests and answers that count as 0; INT64_MAX: none yet
	int64_t at[2];    // true PSN of the frame before
	uint32_t base;    // of true PSN 0
	struct {
		struct seen_psn psn[COUNTED];
		unsigned n;
		int64_t newest;
	} sent[6];
	struct {
		int64_t psn;
		uint32_t pass;
		bool any;
	} pass[2];
	uint64_t cnps;
};

struct model_held {
	uint64_t id, seq;
	bool ce;
	int pair; // whose frames count for it; -1: those of the port; -2: none do
	int of;   // its own pair, -1: none is known
	tstamp at, until;
	uint32_t behind;
};

struct out {
	uint64_t id;
	bool ce;
};

struct told {
	uint32_t record, psn, nth;
};

struct model {
	struct fault_record record[RECORDS];
	uint32_t n_records;
	uint32_t set[SETS][RECORDS], n_set[SETS]; // records by target, address, all
	struct model_pair pair[PAIRS];
	struct model_held held[HELD];
	unsigned n_held;
	struct out out[OUT];
	unsigned n_out;
	struct told told[LAB_EVENTS];
	unsigned n_told;
	uint64_t matched[RECORDS], missed[RECORDS];
	uint64_t seq;
};

// A frame that is put.
struct model_frame {
	uint64_t id;
	unsigned pair;
	uint8_t kind, cls, opcode;
	bool begins, ends;
	int64_t psn; // true one
	uint32_t raw;
	tstamp now;
	// what is found out about it
	bool has_psn;
	uint64_t rel;
	uint32_t nth, pass;
};

static bool in_set(const struct model *m, unsigned set, uint32_t record)
{
	for (uint32_t i = 0; i < m->n_set[set]; i++)
		if (m->set[set][i] == record)
			return true;
	return false;
}

static bool names_pair(const struct model *m, unsigned pair, uint32_t record)
{
	return (pair < NAMED && in_set(m, pair, record)) ||
	       (pair <= NAMED && pair >= 1 && in_set(m, NAMED, record)) ||
	       in_set(m, NAMED + 1, record);
}

static bool needs_pair(const struct fault_record *r)
{
	return r->psn == FAULT_PSN_RANGE || r->psn == FAULT_PSN_EVERY || r->nth_from ||
	       r->pass_from || r->action == FAULT_REORDER;
}

// Pairs 1, 2 and 3 have the address that is a target; so pair 1 and 2 have two lists of records.
static bool is_known(struct model *m, unsigned pair)
{
	bool needed = pair < NAMED;

	for (uint32_t i = 0; i < m->n_records; i++)
		needed |= needs_pair(&m->record[i]) && names_pair(m, pair, i);
	return needed;
}

static bool is_counted(const struct model *m, unsigned pair, uint8_t kind)
{
	bool counted = false;

	for (uint32_t i = 0; i < m->n_records; i++) {
		const struct fault_record *r = &m->record[i];

		// what is counted for a pair that is no target is counted for all such pairs
		if (names_pair(m, pair, i) || (pair >= NAMED && in_set(m, NAMED, i)))
			counted |= (r->nth_from || r->psn == FAULT_PSN_RANGE) && r->kinds & kind;
	}
	return counted;
}

static uint32_t count(struct model_pair *q, unsigned kind, int64_t psn)
{
	if (psn > q->sent[kind].newest)
		q->sent[kind].newest = psn;
	if (q->sent[kind].newest - psn >= WINDOW)
		return 0;
	for (unsigned i = 0; i < q->sent[kind].n; i++)
		if (q->sent[kind].psn[i].psn == psn)
			return ++q->sent[kind].psn[i].times;
	assert_true(q->sent[kind].n < COUNTED);
	q->sent[kind].psn[q->sent[kind].n++] = (struct seen_psn){psn, 1};
	return 1;
}

static void find_pass(struct model_pair *q, struct model_frame *a)
{
	unsigned i = a->kind != FAULT_DATA;
	bool follows = !q->pass[i].any || a->psn == q->pass[i].psn + 1;

	if (!q->pass[i].any || (follows && a->begins))
		q->pass[i].pass = 1;
	else if (!follows)
		q->pass[i].pass++;
	q->pass[i].any = true;
	q->pass[i].psn = a->psn;
	a->pass = q->pass[i].pass;
}

static void look(struct model *m, struct model_frame *a)
{
	struct model_pair *q = &m->pair[a->pair];
	unsigned kind = (unsigned)__builtin_ctz(a->kind);
	unsigned way = a->kind & (FAULT_DATA | FAULT_READ_REQUEST) ? 0 : 1;

	q->is_known = q->is_known || is_known(m, a->pair);
	if (!q->is_known)
		return;
	if (a->kind == FAULT_CNP) {
		a->has_psn = true;
		a->rel = q->cnps++;
		a->nth = 1;
		return;
	}
	if (a->kind == FAULT_DATA || a->kind == FAULT_READ_RESPONSE)
		find_pass(q, a);
	if (q->first[way] == INT64_MAX)
		q->first[way] = a->psn;
	a->has_psn = a->psn >= q->first[way];
	if (!a->has_psn)
		return;
	a->rel = (uint64_t)(a->psn - q->first[way]);
	if (is_counted(m, a->pair, a->kind))
		a->nth = count(q, kind, (int64_t)a->rel);
}

static bool hits(const struct fault_record *r, const struct model_frame *a)
{
	if (a->now < r->begins || !(r->kinds & a->kind))
		return false;
	if (r->classes && !(r->classes >> a->cls & 1))
		return false;
	if (r->nth_from && (a->nth < r->nth_from || a->nth > r->nth_to))
		return false;
	if (r->pass_from && (a->pass < r->pass_from || a->pass > r->pass_to))
		return false;
	if (r->psn == FAULT_PSN_RANGE)
		return a->has_psn && a->rel >= r->from && a->rel <= r->to;
	if (r->psn == FAULT_PSN_EVERY)
		return a->has_psn && a->rel % r->from == 0;
	return r->psn != FAULT_PSN_LAST ||
	       (a->ends && a->kind & (FAULT_DATA | FAULT_READ_RESPONSE));
}

// Held frames stand in the order in which they were held.
static int first_due(const struct model *m)
{
	int first = -1;

	for (unsigned i = 0; i < m->n_held; i++)
		if (first < 0 || m->held[i].at < m->held[first].at)
			first = (int)i;
	return first;
}

static struct model_held let_go(struct model *m, int i)
{
	struct model_held h = m->held[i];

	m->n_held--;
	memmove(&m->held[i], &m->held[i + 1], (m->n_held - (unsigned)i) * sizeof(h));
	return h;
}

static void goes_on(struct model *m, struct model_held h, tstamp now)
{
	int due;

	assert_true(m->n_out < OUT);
	m->out[m->n_out++] = (struct out){h.id, h.ce};
	for (unsigned i = 0; i < m->n_held; i++) {
		struct model_held *w = &m->held[i];

		if (!w->behind || w->seq >= h.seq)
			continue;
		if (w->pair != -1 && (h.of < 0 || w->pair != h.of))
			continue;
		if (!--w->behind)
			w->at = w->until <= now ? 0 : w->until;
	}
	due = first_due(m);
	if (due >= 0 && !m->held[due].at)
		goes_on(m, let_go(m, due), now);
}

static void release(struct model *m, tstamp now)
{
	for (int due; (due = first_due(m)) >= 0 && m->held[due].at <= now;)
		goes_on(m, let_go(m, due), now);
}

static tstamp model_deadline(const struct model *m)
{
	int due = first_due(m);

	return due < 0 ? TSTAMP_NEVER : m->held[due].at;
}

static void ends(struct model *m, const struct model_held *h, tstamp now)
{
	if (h->behind || h->until > now) {
		assert_true(m->n_held < HELD);
		m->held[m->n_held++] = *h;
	} else {
		goes_on(m, *h, now);
	}
}

static bool stays(const struct model_held *h, tstamp now)
{
	return h->behind || h->until > now;
}

// Carries a record out. *gone: the frame is.
static bool acts(struct model *m, const struct fault_record *r, bool of_all, struct model_held *h,
	tstamp *within, bool *gone, tstamp now)
{
	switch (r->action) {
	case FAULT_DROP:
		*gone = true;
		return true;
	case FAULT_ECN:
		h->ce = true;
		return true;
	case FAULT_DELAY:
		if (!stays(h, now) && m->n_held == HELD)
			return false;
		h->until += r->delay;
		break;
	case FAULT_REORDER:
		if ((!stays(h, now) && m->n_held == HELD) || (!of_all && h->of < 0))
			return false;
		h->behind = r->reorder.behind;
		h->pair = of_all ? -1 : h->of;
		*within = now + r->reorder.within;
		break;
	default:
		for (uint32_t i = 0; i < r->copies; i++) {
			if (stays(h, now) && m->n_held + 1 >= HELD)
				return false;
			ends(m, h, now);
		}
	}
	h->at = h->behind && *within > h->until ? *within : h->until;
	return true;
}

static void model_put(struct model *m, struct model_frame *a)
{
	struct model_held h = {.id = a->id, .pair = -2, .at = a->now, .until = a->now};
	tstamp within = 0;
	bool gone = false;

	release(m, a->now);
	h.seq = ++m->seq;
	look(m, a);
	h.of = m->pair[a->pair].is_known ? (int)a->pair : -1;
	for (uint32_t i = 0; i < m->n_records && !gone; i++) {
		if (!names_pair(m, a->pair, i) || !hits(&m->record[i], a))
			continue;
		if (!acts(m, &m->record[i], in_set(m, NAMED + 1, i), &h, &within, &gone, a->now)) {
			m->missed[i]++;
			continue;
		}
		m->matched[i]++;
		assert_true(m->n_told < LAB_EVENTS);
		m->told[m->n_told++] = (struct told){i + 1, a->raw, a->nth};
	}
	if (!gone)
		ends(m, &h, a->now);
}

static uint32_t draw(struct prng *g, uint32_t n)
{
	return (uint32_t)prng_below(g, n);
}

static void draw_record(struct prng *g, struct fault_record *r, uint32_t number)
{
	*r = (struct fault_record){.number = number, .kinds = FAULT_ALL};
	if (draw(g, 2))
		r->kinds = (uint8_t)(1 + draw(g, 63));
	r->classes = draw(g, 8) ? 0 : (uint8_t)(1 + draw(g, 255));
	r->begins = draw(g, 4) ? 0 : draw(g, 2000);
	r->psn = draw(g, 4);
	r->from = r->psn == FAULT_PSN_EVERY ? 1 + draw(g, 20) : draw(g, 200);
	r->to = r->from + (draw(g, 2) ? draw(g, 100) : 0);
	if (!draw(g, 2)) {
		r->nth_from = 1 + draw(g, 3);
		r->nth_to = draw(g, 3) ? r->nth_from + draw(g, 2) : UINT32_MAX;
	}
	if (!draw(g, 4)) {
		r->pass_from = 1 + draw(g, 3);
		r->pass_to = r->pass_from + draw(g, 2);
	}
	switch (draw(g, 5)) {
	case 0:
		r->action = FAULT_DROP;
		break;
	case 1:
		r->action = FAULT_ECN;
		break;
	case 2:
		r->action = FAULT_DELAY;
		r->delay = draw(g, 120);
		break;
	case 3:
		r->action = FAULT_REORDER;
		r->reorder.behind = 1 + draw(g, 4);
		r->reorder.within = draw(g, 100);
		break;
	default:
		r->action = FAULT_DUPLICATE;
		r->copies = 1 + draw(g, 2);
	}
}

// A record stands in the lists of some targets, or of the address, or of all frames.
static void add_record(struct prng *g, struct model *m)
{
	uint32_t i = m->n_records++, where = draw(g, 8);

	draw_record(g, &m->record[i], i + 1);
	if (where >= 6) {
		m->set[where - 6 + NAMED][m->n_set[where - 6 + NAMED]++] = i;
		return;
	}
	for (unsigned t = 0; t < NAMED; t++)
		if (where % NAMED == t || !draw(g, 3))
			m->set[t][m->n_set[t]++] = i;
}

// Pair 0 has an address of its own, 1 to 3 share one, 4 has none that a target names.
static unsigned address_of(unsigned pair)
{
	return pair == 0 ? 0 : pair <= NAMED ? 1 : 2;
}

static int make(struct lab *l, const struct model *m, const uint32_t *first)
{
	struct fault_params p = lab_params(l, m->record, m->n_records);
	struct fault_target t[NAMED + 1];

	for (unsigned i = 0; i <= NAMED; i++) {
		t[i] = lab_target(address_of(i), first[i], m->set[i], m->n_set[i]);
		t[i].qpn = i < NAMED ? LAB_QPN + i : 0;
	}
	p.target = t;
	p.n_targets = NAMED + 1;
	p.all = m->set[NAMED + 1];
	p.n_all = m->n_set[NAMED + 1];
	p.held = HELD;
	return fault_new(&l->f, &p);
}

static const struct {
	uint8_t kind, pkt, opcode, syndrome;
	bool begins, ends;
} shapes[] = {
	{FAULT_DATA, PKT_DATA, BTH_RC_SEND_FIRST, 0, true, false},
	{FAULT_DATA, PKT_DATA, BTH_RC_WRITE_MIDDLE, 0, false, false},
	{FAULT_DATA, PKT_DATA, BTH_RC_SEND_MIDDLE, 0, false, false},
	{FAULT_DATA, PKT_DATA, BTH_RC_SEND_LAST_IMM, 0, false, true},
	{FAULT_DATA, PKT_DATA, BTH_RC_WRITE_ONLY, 0, true, true},
	{FAULT_ACK, PKT_ACK, BTH_RC_ACK, AETH_ACK, true, true},
	{FAULT_ACK, PKT_ACK, BTH_RC_ACK, AETH_RNR_NAK, true, true},
	{FAULT_NAK, PKT_ACK, BTH_RC_ACK, AETH_NAK_PSN, true, true},
	{FAULT_CNP, PKT_CNP, BTH_CNP, 0, true, true},
	{FAULT_READ_REQUEST, PKT_ROCE, BTH_RC_READ_REQUEST, 0, true, true},
	{FAULT_READ_RESPONSE, PKT_ROCE, BTH_RC_READ_FIRST, 0, true, false},
	{FAULT_READ_RESPONSE, PKT_ROCE, BTH_RC_READ_MIDDLE, 0, false, false},
	{FAULT_READ_RESPONSE, PKT_ROCE, BTH_RC_READ_ONLY, 0, true, true},
};

// Mostly the next PSN; at times back within the window, to its edge or behind it, or ahead, also by
// so much that 24 bits wrap soon.
static int64_t step(struct prng *g)
{
	switch (draw(g, 24)) {
	case 0:
		return -(int64_t)draw(g, 30);
	case 1:
		return 1 - WINDOW + (int64_t)draw(g, 3) - 1;
	case 2:
		return -(int64_t)draw(g, 200);
	case 3:
		return draw(g, 100);
	case 4:
		return draw(g, 40) ? 0 : 1 << 22;
	default:
		return 1;
	}
}

static struct pkt *draw_frame(struct prng *g, struct lab *l, struct model *m, struct model_frame *a)
{
	unsigned shape = draw(g, sizeof(shapes) / sizeof(*shapes));
	unsigned way = shapes[shape].kind & (FAULT_DATA | FAULT_READ_REQUEST) ? 0 : 1;
	struct model_pair *q;
	struct pkt *p;

	a->pair = draw(g, PAIRS);
	q = &m->pair[a->pair];
	a->kind = shapes[shape].kind;
	a->begins = shapes[shape].begins;
	a->ends = shapes[shape].ends;
	a->cls = (uint8_t)draw(g, 8);
	if (a->kind != FAULT_CNP)
		q->at[way] += step(g);
	a->psn = q->at[way];
	a->raw = a->kind == FAULT_CNP ? 0 : (uint32_t)(q->base + (uint64_t)a->psn) & BTH_PSN_MASK;
	p = lab_frame(l, address_of(a->pair), shapes[shape].pkt, shapes[shape].opcode, a->raw);
	p->u.rc.qpn = LAB_QPN + a->pair;
	p->u.rc.syndrome = shapes[shape].syndrome;
	p->tos = (uint8_t)(a->cls << 5 | ECN_ECT0);
	p->born = a->id;
	return p;
}

static void compare(struct lab *l, struct model *m, tstamp now)
{
	unsigned told = 0, out = 0;
	const struct ev *e;

	release(m, now);
	for (struct pkt *p; (p = fault_get(l->f, now)); out++) {
		assert_true(out < m->n_out);
		assert_int_equal(p->born, m->out[out].id);
		assert_int_equal(pkt_ecn(p) == ECN_CE, m->out[out].ce);
		pkt_put(&l->stack, p);
	}
	assert_int_equal(out, m->n_out);
	for (; (e = ev_get(&l->ring)); told++) {
		assert_true(told < m->n_told);
		assert_int_equal(e->fault.record, m->told[told].record);
		assert_int_equal(e->fault.psn, m->told[told].psn);
		assert_int_equal(e->fault.nth, m->told[told].nth);
	}
	assert_int_equal(told, m->n_told);
	m->n_out = m->n_told = 0;
	assert_int_equal(fault_deadline(l->f), model_deadline(m));
	assert_int_equal(fault_held(l->f), m->n_held);
	for (uint32_t i = 0; i < m->n_records; i++) {
		assert_int_equal(lab_matched(l, i), m->matched[i]);
		assert_int_equal(lab_missed(l, i), m->missed[i]);
	}
	assert_int_equal(l->stack.n + m->n_held, LAB_PKTS);
	assert_int_equal(fault_stats(l->f)->unknown_pairs, 0);
	lab_conserve(l);
}

// Another injector, with one more record, goes on where this one is.
static void replace(struct prng *g, struct lab *l, struct model *m, const uint32_t *first)
{
	struct fault *was = l->f;

	if (m->n_records == RECORDS)
		return;
	add_record(g, m);
	assert_int_equal(make(l, m, first), 0);
	fault_adopt(l->f, was);
	assert_int_equal(fault_held(was), 0);
	fault_free(was);
}

static void draw_pairs(struct prng *g, struct model *m, uint32_t *first)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		struct model_pair *q = &m->pair[i];

		q->base = draw(g, 2) ? (0u - draw(g, 100)) & BTH_PSN_MASK : draw(g, 1 << 24);
		first[i] = i < NAMED ? q->base : FAULT_PSN_SEEN;
		for (unsigned way = 0; way < 2; way++) {
			q->first[way] = i < NAMED ? 0 : INT64_MAX;
			q->at[way] = (int64_t)draw(g, 3) - 1;
		}
	}
}

static void run(struct prng *g, struct lab *l, struct model *m)
{
	uint32_t first[PAIRS];
	unsigned n = 1 + draw(g, RECORDS);
	tstamp now = 0;

	memset(m, 0, sizeof(*m));
	draw_pairs(g, m, first);
	while (n--)
		add_record(g, m);
	assert_int_equal(make(l, m, first), 0);
	for (uint64_t id = 1; id <= 600; id++) {
		struct model_frame a = {.id = id, .now = now};

		fault_put(l->f, draw_frame(g, l, m, &a), now);
		model_put(m, &a);
		if (draw(g, 3))
			compare(l, m, now);
		if (!draw(g, 100))
			replace(g, l, m, first);
		// often the same instant, or just that at which a held frame is due
		if (!draw(g, 3) && model_deadline(m) != TSTAMP_NEVER && model_deadline(m) > now)
			now = model_deadline(m);
		else if (draw(g, 2))
			now += draw(g, 20);
		if (!draw(g, 4))
			compare(l, m, now);
	}
	compare(l, m, TSTAMP_NEVER - 1);
	assert_int_equal(fault_held(l->f), 0);
	fault_free(l->f);
	l->f = NULL;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 10) : otherwise;
}

// Adds up what has come of a round, by action.
static void count_acts(const struct model *m, uint64_t *done, uint64_t *missed)
{
	for (uint32_t i = 0; i < m->n_records; i++) {
		done[m->record[i].action] += m->matched[i];
		missed[m->record[i].action] += m->missed[i];
	}
}

static void random_records_do_what_a_plain_model_does(void **state)
{
	unsigned rounds = (unsigned)number_of("QUENCH_ROUNDS", rounds_of(ROUNDS));
	uint64_t first = number_of("QUENCH_SEED", 1);
	uint64_t done[FAULT_ACTIONS] = {0}, missed[FAULT_ACTIONS] = {0};
	static struct model m;
	static struct lab l;

	(void)state;
	lab_init(&l);
	for (uint64_t seed = first; seed < first + rounds; seed++) {
		struct prng g;

		printf("seed %" PRIu64 "\n", seed);
		prng_init(&g, seed, "fault model");
		run(&g, &l, &m);
		count_acts(&m, done, missed);
	}
	lab_fini(&l);
	if (rounds < ROUNDS)
		return;
	for (unsigned i = 0; i <= FAULT_DUPLICATE; i++)
		assert_true(i == FAULT_CORRUPT || done[i] > 10 * rounds);
	assert_true(missed[FAULT_DELAY] > rounds && missed[FAULT_REORDER] > rounds);
	assert_true(missed[FAULT_DUPLICATE] > rounds / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_records_do_what_a_plain_model_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
