// SPDX-License-Identifier: BSD-3-Clause
// Tests of rings: cycles and their names, what leaks out of one, and random runs beside a model
// that asks at each instant anew.
#include "lineage_lab.h"

#include <math.h>

#include "base/prng.h"

static const char *const trunk[] = {"s1:s2.3", "s2:s3.3", "s3:s4.3", "s4:s1.3"};
static const char *const back[] = {"s2:s1.3", "s3:s2.3", "s4:s3.3", "s1:s4.3"};

// Stops trunk i at t: what came by it stands in the next trunk's queue.
static void stop_trunk(unsigned i, tstamp t)
{
	stop(back[i], trunk[(i + 1) % 4], trunk[i], t);
}

// The last one closes the ring at 400.
static void a_ring_of_four_is_a_cycle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		stop_trunk(i, 100 * (i + 1));
	stop("s1:h1.3", "s1:s2.3", "h1:s1.3", 500);
	finish(1000);
	assert_int_equal(owes("s4:s1.3", "cycle s1:s2.3>s2:s3.3>s3:s4.3>s4:s1.3"), 600);
	// Before, each waited for the next one that could send yet.
	assert_int_equal(owes("s1:s2.3", "egress s2:s3.3"), 100);
	assert_int_equal(owes("s1:s2.3", "egress s3:s4.3"), 100);
	assert_int_equal(owes("s1:s2.3", "egress s4:s1.3"), 100);
	assert_int_equal(owes("s1:s2.3", "cycle s1:s2.3>s2:s3.3>s3:s4.3>s4:s1.3"), 600);
	// Who is not of the ring, but waits for it.
	assert_int_equal(owes("h1:s1.3", "cycle s1:s2.3>s2:s3.3>s3:s4.3>s4:s1.3"), 500);
	assert_int_equal(lineage_root(lin, 0)->kind, LINEAGE_CYCLE);
	assert_int_equal(lineage_root(lin, 0)->ps, 4 * 600 + 500);
	assert_int_equal(part(0, "s2:s3.3"), 800);
}

// Refreshes tell the same again; the cycle keeps its name and its time.
static void a_ring_is_refreshed(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		stop_trunk(i, 100);
	for (tstamp t = 200; t < 1000; t += 50) {
		unsigned i = (unsigned)(t / 50 % 4);

		xoff(back[i], t);
		held(back[i], trunk[(i + 1) % 4], 77, 77);
	}
	finish(1100);
	assert_int_equal(lineage_counts(lin).roots, 1);
	assert_int_equal(lineage_root(lin, 0)->ps, 4000);
}

// The watchdog lifts one pause: the others wait for an egress again.
static void a_ring_opens(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		stop_trunk(i, 100);
	resumed("s2:s3.3", LINEAGE_WATCHDOG, 600);
	finish(1000);
	assert_int_equal(owes("s1:s2.3", "cycle s1:s2.3>s2:s3.3>s3:s4.3>s4:s1.3"), 500);
	assert_int_equal(owes("s1:s2.3", "egress s2:s3.3"), 400);
	assert_int_equal(owes("s3:s4.3", "egress s2:s3.3"), 400);
	assert_int_equal(owes("s2:s3.3", "egress s2:s3.3"), 0);
}

// A quarter of what one switch holds is for a receiver that is slow: the ring as a whole owes it a
// sixteenth.
static void what_leaks_out_has_its_root(void **state)
{
	(void)state;
	stop("r:s3.3", NULL, "s3:r.3", 0);
	xoff("s3:s2.3", 100);
	held("s3:s2.3", "s3:s4.3", 3000, 4000);
	held("s3:s2.3", "s3:r.3", 1000, 4000);
	paused("s2:s3.3", 100);
	stop_trunk(0, 100);
	stop_trunk(2, 100);
	stop_trunk(3, 100);
	finish(1700);
	assert_in_range(owes("s1:s2.3", "host r"), 99, 101);
	assert_in_range(owes("s2:s3.3", "host r"), 99, 101);
	assert_in_range(owes("s4:s1.3", "cycle s1:s2.3>s2:s3.3>s3:s4.3>s4:s1.3"), 1499, 1501);
	assert_in_range(part(1, "s3:r.3"), 399, 401);
}

// s1:s2 is in both: the larger share gives the name, and the two are one.
static void two_rings_share_a_port(void **state)
{
	(void)state;
	stop("s2:s1.3", "s2:s3.3", "s1:s2.3", 0);
	stop("s3:s2.3", "s3:s1.3", "s2:s3.3", 0);
	stop("s1:s3.3", "s1:s2.3", "s3:s1.3", 0);
	stop("s4:s2.3", "s4:s1.3", "s2:s4.3", 50);
	stop("s1:s4.3", "s1:s2.3", "s4:s1.3", 50);
	xoff("s2:s1.3", 100);
	held("s2:s1.3", "s2:s4.3", 6000, 10000);
	held("s2:s1.3", "s2:s3.3", 4000, 10000);
	finish(1000);
	assert_int_equal(owes("s1:s2.3", "cycle s1:s2.3>s2:s3.3>s3:s1.3"), 100);
	assert_int_equal(owes("s1:s2.3", "cycle s1:s2.3>s2:s4.3>s4:s1.3"), 900);
	assert_int_equal(owes("s3:s1.3", "cycle s1:s2.3>s2:s4.3>s4:s1.3"), 900);
	assert_int_equal(lineage_counts(lin).roots, 2);
}

static void two_switches_wait_for_each_other(void **state)
{
	(void)state;
	stop("s2:s1.3", "s2:s1.3", "s1:s2.3", 0);
	stop("s1:s2.3", "s1:s2.3", "s2:s1.3", 100);
	finish(300);
	assert_int_equal(owes("s1:s2.3", "egress s2:s1.3"), 100);
	assert_int_equal(owes("s1:s2.3", "cycle s1:s2.3>s2:s1.3"), 200);
	assert_int_equal(owes("s2:s1.3", "cycle s1:s2.3>s2:s1.3"), 200);
}

// A model: queue i is stopped by what holders it has; `root` beyond them is its node's.
enum { QUEUES = 12, ROOTS = 2 * QUEUES + 2, CYCLE = 2 * QUEUES, OTHER };

struct model {
	bool on[QUEUES];
	unsigned n[QUEUES];
	int to[QUEUES][5]; // a queue, or QUEUES for "other", or -1 for a switch's own
	double share[QUEUES][5];
	double bill[QUEUES][ROOTS];
};

// Queues that lead to each other.
static void closure(const struct model *m, bool way[QUEUES][QUEUES])
{
	memset(way, 0, sizeof(bool) * QUEUES * QUEUES);
	for (unsigned i = 0; i < QUEUES; i++)
		for (unsigned k = 0; m->on[i] && k < m->n[i]; k++)
			if (m->to[i][k] >= 0 && m->to[i][k] < QUEUES && m->on[m->to[i][k]])
				way[i][m->to[i][k]] = true;
	for (unsigned k = 0; k < QUEUES; k++)
		for (unsigned i = 0; i < QUEUES; i++)
			for (unsigned j = 0; j < QUEUES; j++)
				way[i][j] |= way[i][k] && way[k][j];
}

// Adds a share of `weight` of the roots of queue i.
static void add_roots(
	const struct model *m, bool way[QUEUES][QUEUES], unsigned i, double weight, double *root)
{
	unsigned members = 0;

	if (!m->on[i]) {
		root[i] += weight;
		return;
	}
	for (unsigned j = 0; j < QUEUES; j++)
		members += way[i][j] && way[j][i];
	for (unsigned j = 0; j < QUEUES; j++) {
		double of = weight / (members ? members : 1);

		if (members ? !(way[i][j] && way[j][i]) : j != i)
			continue;
		for (unsigned k = 0; k < m->n[j]; k++) {
			int to = m->to[j][k];
			double part = of * m->share[j][k];

			if (to < 0)
				root[QUEUES + j] += part;
			else if (to == QUEUES)
				root[OTHER] += part;
			else if (members && way[i][to] && way[to][i])
				root[CYCLE] += part;
			else
				add_roots(m, way, (unsigned)to, part, root);
		}
	}
}

static void pass_time(struct model *m, tstamp took)
{
	bool way[QUEUES][QUEUES];

	closure(m, way);
	for (unsigned i = 0; i < QUEUES; i++)
		if (m->on[i])
			add_roots(m, way, i, (double)took, m->bill[i]);
}

// Queue i is on node i % 4 towards node i / 4 + 1 away.
static const char *name_of(unsigned i, bool peer, char text[32])
{
	unsigned a = i % 4 + 1, b = (i % 4 + 1 + i / 4) % 4 + 1;

	snprintf(text, 32, "s%u:s%u.3", peer ? b : a, peer ? a : b);
	return text;
}

// XOFF from queue i's peer, with holders of that node.
static void random_xoff(struct model *m, struct prng *g, unsigned i, tstamp t)
{
	unsigned n = (unsigned)prng_below(g, 4), node = (i % 4 + 1 + i / 4) % 4;
	uint64_t bytes[5] = {0}, sum = 0;
	char from[32], by[32];

	name_of(i, true, from);
	for (unsigned k = 0; k < n; k++)
		sum += bytes[k] = 1 + prng_below(g, 1000);
	bytes[n] = n && !prng_below(g, 3) ? 1 + prng_below(g, 500) : 0;
	xoff(from, t);
	for (unsigned k = 0; k < n; k++) {
		unsigned to = node + 4 * k;

		held(from, name_of(to, false, by), bytes[k], sum + bytes[n]);
		m->to[i][k] = (int)to;
		m->share[i][k] = (double)bytes[k] / (double)(sum + bytes[n]);
	}
	m->n[i] = n + (!n || bytes[n]);
	m->to[i][n] = n ? QUEUES : -1;
	m->share[i][n] = n ? (double)bytes[n] / (double)(sum + bytes[n]) : 1;
}

static void model_agrees(const struct model *m, unsigned steps)
{
	struct lineage_counts n = lineage_counts(lin);
	double bill[QUEUES][ROOTS] = {{0}};
	char name[32], text[64];

	for (uint32_t k = 0; k < n.bills; k++) {
		const struct lineage_bill *b = lineage_bill(lin, k);
		const struct lineage_root *r = lineage_root(lin, b->root);
		unsigned q = 0, to = 0;

		while (queue(name_of(q, false, name)) != b->queue)
			q++;
		if (r->kind == LINEAGE_EGRESS)
			while (queue(name_of(to, false, name)) != r->queue)
				to++;
		else if (r->kind == LINEAGE_CYCLE)
			to = CYCLE;
		else if (r->kind == LINEAGE_OTHER)
			to = OTHER;
		else
			to = 2 * QUEUES + 9;
		assert_true(b->ps > 0);
		if (to < ROOTS)
			bill[q][to] += (double)b->ps;
	}
	for (unsigned i = 0; i < QUEUES; i++)
		for (unsigned r = 0; r < ROOTS; r++) {
			double want = m->bill[i][r];

			// Switches by node, below.
			if (r >= QUEUES && r < CYCLE)
				continue;
			if (fabs(bill[i][r] - want) > 8 * steps + want * 1e-9)
				fail_msg(
					"queue %u root %u: %.0f, not %.0f", i, r, bill[i][r], want);
		}
	for (uint32_t k = 0; k < n.roots; k++) {
		const struct lineage_root *r = lineage_root(lin, k);
		double want = 0;

		if (r->kind != LINEAGE_SWITCH)
			continue;
		// A queue's own is its peer node's.
		for (unsigned j = 0; j < QUEUES; j++) {
			snprintf(text, sizeof(text), "switch s%u", (j % 4 + 1 + j / 4) % 4 + 1);
			for (unsigned i = 0; !strcmp(text, r->name) && i < QUEUES; i++)
				want += m->bill[i][QUEUES + j];
		}
		if (fabs((double)r->ps - want) > 8 * steps * QUEUES + want * 1e-9)
			fail_msg("%s: %.0f, not %.0f", r->name, (double)r->ps, want);
	}
}

static void names_are_whole(void)
{
	for (uint32_t i = 0; i < lineage_counts(lin).roots; i++) {
		const struct lineage_root *r = lineage_root(lin, i);

		assert_true(r->kind != LINEAGE_CYCLE || strncmp(r->name, "cycle s", 7) == 0);
		assert_true(r->kind != LINEAGE_CYCLE || strchr(r->name, '>'));
	}
}

// Pauses, refreshes, pauses that run out and come back, at random in four switches that all know
// each other.
static unsigned random_run(uint64_t seed)
{
	enum { STEPS = 400 };
	struct model m = {0};
	struct prng g;
	unsigned cycles = 0;
	tstamp t = 0;
	char name[32];

	prng_init(&g, seed, "lineage");
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned q = (unsigned)prng_below(&g, QUEUES);
		tstamp took = prng_below(&g, 1000000);

		pass_time(&m, took);
		t += took;
		if (m.on[q] && !prng_below(&g, 3)) {
			bool expires = !prng_below(&g, 4);

			if (!expires)
				xon(name_of(q, true, name));
			resumed(name_of(q, false, name), expires ? LINEAGE_EXPIRED : LINEAGE_XON,
				t);
			m.on[q] = false;
		} else if (!m.on[q] || !prng_below(&g, 3)) {
			random_xoff(&m, &g, q, t);
			if (!m.on[q])
				paused(name_of(q, false, name), t);
			m.on[q] = true;
		}
	}
	pass_time(&m, 12345);
	finish(t + 12345);
	model_agrees(&m, STEPS);
	names_are_whole();
	for (uint32_t i = 0; i < lineage_counts(lin).roots; i++)
		cycles += lineage_root(lin, i)->kind == LINEAGE_CYCLE;
	return cycles;
}

static void random_runs_agree_with_the_model(void **state)
{
	unsigned cycles = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		lineage_free(lin);
		lin_new("");
		cycles += random_run(seed);
	}
	assert_true(cycles > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(a_ring_of_four_is_a_cycle),
		LIN_TEST(a_ring_is_refreshed),
		LIN_TEST(a_ring_opens),
		LIN_TEST(what_leaks_out_has_its_root),
		LIN_TEST(two_rings_share_a_port),
		LIN_TEST(two_switches_wait_for_each_other),
		LIN_TEST(random_runs_agree_with_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
