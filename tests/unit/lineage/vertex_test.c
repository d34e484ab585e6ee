// SPDX-License-Identifier: BSD-3-Clause
// Tests of vertices: time is split to the ps along edges, however deep and whenever asked.
#include "lineage_lab.h"

#include "lineage/int.h"

#define THIRD (WHOLE / 3)

static tstamp total(const struct vertex *v)
{
	tstamp sum = 0;

	for (uint32_t i = 0; v->sum && i < v->sum->n; i++)
		sum += v->sum->time[i].ps;
	return sum;
}

static void shares_sum_to_the_time(void **state)
{
	struct edge room[2][3], one = {.share = WHOLE, .root = 5};
	struct vertex a = {.edge = room[0]}, b = {.edge = room[1]};
	const struct edge split[] = {{.share = THIRD, .root = 6}, {.share = THIRD, .to = &a},
		{.share = WHOLE - 2 * THIRD, .root = 7}};

	(void)state;
	vertex_set(lin, &a, &one, 1);
	vertex_set(lin, &b, split, 3);
	for (tstamp t = 1; t < 2000; t += t % 7 + 1) {
		lin->now = t;
		vertex_run(lin, &b);
		assert_int_equal(total(&a), t);
		assert_int_equal(total(&b), t);
	}
	assert_int_equal(b.sum->n, 3);
	vertex_fini(&a);
	vertex_fini(&b);
}

// The edges of the next vertex change while nobody looks at the vertex itself.
static void changes_further_on_are_not_missed(void **state)
{
	struct edge room[2][1], one = {.share = WHOLE, .root = 5};
	struct vertex a = {.edge = room[0]}, b = {.edge = room[1]};
	const struct edge on = {.share = WHOLE, .to = &a};

	(void)state;
	vertex_set(lin, &a, &one, 1);
	vertex_set(lin, &b, &on, 1);
	lin->now = 100;
	one.root = 6;
	vertex_set(lin, &a, &one, 1);
	lin->now = 130;
	vertex_run(lin, &b);
	assert_int_equal(b.sum->n, 2);
	assert_int_equal(b.sum->time[0].ps, 100);
	assert_int_equal(b.sum->time[1].ps, 30);
	vertex_fini(&a);
	vertex_fini(&b);
}

// A way of any length needs no stack of the machine's.
static void a_long_way(void **state)
{
	enum { N = 300000 };
	struct vertex *v = calloc(N, sizeof(*v));
	struct edge *room = calloc(N, sizeof(*room));

	(void)state;
	assert_true(v && room);
	for (uint32_t i = 0; i < N; i++) {
		const struct edge e = {.share = WHOLE, .to = i ? &v[i - 1] : NULL, .root = 5};

		v[i].edge = &room[i];
		vertex_set(lin, &v[i], &e, 1);
	}
	lin->now = 77;
	vertex_run(lin, &v[N - 1]);
	assert_int_equal(total(&v[N - 1]), 77);
	for (uint32_t i = 0; i < N; i++)
		vertex_fini(&v[i]);
	free(v);
	free(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(shares_sum_to_the_time),
		LIN_TEST(changes_further_on_are_not_missed),
		LIN_TEST(a_long_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
