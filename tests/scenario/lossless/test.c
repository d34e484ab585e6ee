// SPDX-License-Identifier: BSD-3-Clause
// Lossless means lossless: random networks with computed headroom lose nothing, and a failing one
// is made small.
//
// QUENCH_SEED=N is the seed of the first case, QUENCH_ROUNDS=N how many follow each other,
// QUENCH_FILE=scenario.yaml judges a file instead, QUENCH_HEADROOM=N counts the cases that lose a
// frame with N percent of the headroom.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lossless.h"
#include "rounds.h"

#define ROUNDS 300

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : otherwise;
}

// Writes the case to a file of the working directory, whose whole path it gives, and shows it.
static void show(const struct ll_case *c, const struct ll_verdict *v, char *path, size_t size)
{
	char why[1000], folder[256];
	FILE *f;

	snprintf(path, size, "%s/lossless-%lu.yaml", getcwd(folder, sizeof(folder)) ? folder : ".",
		(unsigned long)c->seed);
	snprintf(why, sizeof(why),
		"%s: %s\nQUENCH_FILE=%s build/tests/scenario/lossless/lossless judges it again.",
		ll_fault_name(v->fault), v->why, path);
	f = fopen(path, "w");
	if (f) {
		ll_print(f, c, why);
		fclose(f);
	}
	ll_print(stdout, c, why);
}

// So many cases, the first one of `seed`; sums up what happened. A case that fails is made small
// and shown.
static struct ll_verdict judge_all(void (*draw)(struct ll_case *, uint64_t), ll_judge_fn *judge,
	uint64_t seed, uint64_t rounds)
{
	struct ll_verdict sum = {0};

	printf("  seed %lu, %lu cases\n", (unsigned long)seed, (unsigned long)rounds);
	for (uint64_t i = 0; i < rounds; i++) {
		struct ll_case c;
		struct ll_verdict v;
		char path[400];

		draw(&c, seed + i);
		v = judge(&c);
		sum.pauses += v.pauses;
		sum.frames += v.frames;
		sum.resent += v.resent;
		sum.iqcn += v.iqcn;
		sum.fast_cnp += v.fast_cnp;
		if (v.fault == LL_HELD)
			continue;
		printf("seed %lu: %s: %s\nmade small:\n", (unsigned long)c.seed,
			ll_fault_name(v.fault), v.why);
		ll_shrink(&c, &v, judge, 2000);
		show(&c, &v, path, sizeof(path));
		fail_msg("%s: %s; the smallest case is in %s", ll_fault_name(v.fault), v.why, path);
	}
	printf("  %lu frames on links, %lu pauses, %lu sent again, %lu CNPs of iQCN, %lu of Fast "
	       "CNP\n",
		(unsigned long)sum.frames, (unsigned long)sum.pauses, (unsigned long)sum.resent,
		(unsigned long)sum.iqcn, (unsigned long)sum.fast_cnp);
	return sum;
}

static void computed_headroom_loses_nothing(void **state)
{
	uint64_t rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS));

	(void)state;
	assert_true(
		judge_all(ll_draw, ll_judge, number("QUENCH_SEED", 1), rounds).pauses >= rounds);
}

// 802.3x: the port's one buffer, all classes together.
static void nor_does_it_where_pause_stops_whole_links(void **state)
{
	uint64_t rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS)) / 3;

	(void)state;
	assert_true(
		judge_all(ll_draw_pause, ll_judge_order, number("QUENCH_SEED", 1) + 9000, rounds)
			.pauses >= rounds);
}

// Cut by port: admission here, the queue there, and credits of the buffer on their way back. In
// networks with loops, CNPs and ACKs come back to another shard than the data's.
static void nor_do_switches_that_are_cut_into_shards(void **state)
{
	uint64_t rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS));
	struct ll_verdict v;

	(void)state;
	v = judge_all(ll_draw_cut, ll_judge_order, number("QUENCH_SEED", 1) + 11000, rounds);
	assert_true(v.pauses >= rounds);
	assert_true(v.iqcn + v.fast_cnp >= rounds / 4);
}

static void nor_do_they_where_pause_stops_whole_links(void **state)
{
	uint64_t rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS)) / 3;

	(void)state;
	assert_true(judge_all(ll_draw_pause_cut, ll_judge_order, number("QUENCH_SEED", 1) + 15000,
			    rounds)
			    .pauses >= rounds);
}

// The horizon of virtual time: each node runs as far as no neighbour can reach it.
static void lockstep_is_the_same_run(void **state)
{
	uint64_t rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS)) / 10;

	(void)state;
	judge_all(ll_draw, ll_judge_order, number("QUENCH_SEED", 1) + 5000, rounds);
}

// I8: without PFC and with cables that come out, RC repairs what is lost.
static void every_message_comes_once_whatever_is_lost(void **state)
{
	uint64_t seed = number("QUENCH_SEED", 1) + 7000,
		 rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS)) / 5;

	(void)state;
	assert_true(judge_all(ll_draw_lossy, ll_judge, seed, rounds).resent >= rounds);
}

static void so_it_does_through_switches_that_are_cut(void **state)
{
	uint64_t seed = number("QUENCH_SEED", 1) + 13000,
		 rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS)) / 5;

	(void)state;
	assert_true(judge_all(ll_draw_lossy_cut, ll_judge, seed, rounds).resent >= rounds);
}

// The first case from `seed` on that loses a frame with so much of its headroom.
static struct ll_verdict draw_loss(struct ll_case *c, uint64_t seed, unsigned percent)
{
	struct ll_verdict v;

	do {
		ll_draw(c, seed++);
		c->headroom_percent = (uint8_t)percent;
		v = ll_judge(c);
	} while (v.fault != LL_LOST);
	return v;
}

// The shrunk case still fails in the same way, by its file alone, and holds with the computed
// headroom.
static void judge_small(const struct ll_case *c)
{
	char path[] = "/tmp/quench-lossless-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct ll_case mended = *c;
	struct ll_verdict v;

	assert_non_null(f);
	ll_print(f, c, "headroom is too small\nby hand");
	fclose(f);
	v = ll_judge_file(path, false);
	unlink(path);
	assert_int_equal(v.fault, LL_LOST);
	mended.headroom_percent = 100;
	v = ll_judge(&mended);
	assert_int_equal(v.fault, LL_HELD);
	assert_true(v.pauses > 0);
}

static void too_little_headroom_fails_and_is_made_small(void **state)
{
	(void)state;
	for (unsigned percent = 30; percent <= 60; percent += 30) {
		struct ll_case c;
		struct ll_verdict v = draw_loss(&c, 1000 * percent, percent);
		unsigned hosts = c.n_hosts, flows = c.n_flows;

		ll_shrink(&c, &v, ll_judge, 300);
		printf("  %u %% of the headroom, seed %lu: %u hosts and %u flows, made small %u "
		       "and %u\n",
			percent, (unsigned long)c.seed, hosts, flows, c.n_hosts, c.n_flows);
		assert_true(c.n_switches <= 2 && c.n_hosts <= 4 && c.n_flows <= 3);
		assert_true(c.n_classes <= 2 && c.n_storms <= 1);
		judge_small(&c);
	}
}

static void losses_are_counted(void **state)
{
	uint64_t seed = number("QUENCH_SEED", 1),
		 rounds = number("QUENCH_ROUNDS", rounds_of(ROUNDS));
	unsigned lost = 0;

	(void)state;
	for (uint64_t i = 0; i < rounds; i++) {
		struct ll_case c;

		ll_draw(&c, seed + i);
		c.headroom_percent = (uint8_t)number("QUENCH_HEADROOM", 100);
		lost += ll_judge(&c).fault == LL_LOST;
	}
	printf("  %u of %lu cases lose a frame\n", lost, (unsigned long)rounds);
}

static void a_file_is_judged(void **state)
{
	const char *path = getenv("QUENCH_FILE");
	struct ll_verdict v;

	(void)state;
	if (!path)
		skip();
	v = ll_judge_file(path, false);
	printf("  %lu frames on links, %lu pauses\n", (unsigned long)v.frames,
		(unsigned long)v.pauses);
	if (v.fault)
		fail_msg("%s: %s", ll_fault_name(v.fault), v.why);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(computed_headroom_loses_nothing),
		cmocka_unit_test(nor_do_switches_that_are_cut_into_shards),
		cmocka_unit_test(nor_does_it_where_pause_stops_whole_links),
		cmocka_unit_test(nor_do_they_where_pause_stops_whole_links),
		cmocka_unit_test(lockstep_is_the_same_run),
		cmocka_unit_test(every_message_comes_once_whatever_is_lost),
		cmocka_unit_test(so_it_does_through_switches_that_are_cut),
		cmocka_unit_test(too_little_headroom_fails_and_is_made_small),
	};
	const struct CMUnitTest file[] = {cmocka_unit_test(a_file_is_judged)};
	const struct CMUnitTest losses[] = {cmocka_unit_test(losses_are_counted)};

	if (getenv("QUENCH_FILE"))
		return cmocka_run_group_tests_name("lossless", file, NULL, NULL);
	if (getenv("QUENCH_HEADROOM"))
		return cmocka_run_group_tests_name("lossless", losses, NULL, NULL);
	return cmocka_run_group_tests_name("lossless", all, NULL, NULL);
}
