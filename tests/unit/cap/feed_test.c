// SPDX-License-Identifier: BSD-3-Clause
// Tests of reading ahead: the same frames with a thread and without, by a ring far smaller than
// what is sent, and a file that changes meanwhile.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cap/cap.h"

#define RING  (256u << 10)
#define LOOPS 40

static const char *const softroce[] = {TEST_DATA "/linux_softroce_rocev2.pcap"};
static const struct cap_play_params params = {
	.path = softroce, .n_paths = 1, .speed = CAP_SPEED_ONE, .loops = LOOPS};

// Takes every frame and folds it into one number.
static uint64_t take_all(struct replay_ring *r, unsigned *n)
{
	uint64_t hash = 14695981039346656037u;

	while (!replay_ring_ended(r)) {
		const struct replay_rec *rec = replay_ring_look(r);

		if (!rec) {
			sched_yield();
			continue;
		}
		hash = (hash ^ rec->at ^ rec->len) * 1099511628211u;
		for (unsigned i = 0; i < rec->len; i++)
			hash = (hash ^ rec->bytes[i]) * 1099511628211u;
		replay_ring_drop(r, rec);
		replay_ring_give(r);
		++*n;
	}
	return hash;
}

static uint64_t feed(bool threaded, size_t ring)
{
	struct cap_feed *f;
	struct err err;
	unsigned n = 0;
	uint64_t hash;

	assert_int_equal(cap_feed_open(&f, &params, 2048, ring, NULL, &err), 0);
	if (threaded)
		assert_int_equal(cap_feed_start(f, NULL), 0);
	hash = take_all(cap_feed_ring(f), &n);
	cap_feed_stop(f);
	assert_null(cap_feed_error(f));
	cap_feed_close(f);
	assert_int_equal(n, 267 * LOOPS);
	return hash;
}

static void with_a_thread_and_without(void **state)
{
	uint64_t want = feed(false, 64u << 20); // holds all of it

	(void)state;
	assert_int_equal(feed(false, RING), want);
	assert_int_equal(feed(true, RING), want);
}

// A capture of 200 MB, by a process that may have 48 MB more than it has: what is read ahead is
// bounded.
static void memory_is_bounded(void **state)
{
	struct cap_play_params p = params;
	struct rlimit was, is;
	struct cap_scan scan;
	struct cap_feed *f;
	struct err err;
	unsigned n = 0;
	unsigned long pages;
	FILE *m = fopen("/proc/self/statm", "r");

	(void)state;
	assert_non_null(m);
	assert_int_equal(fscanf(m, "%lu", &pages), 1);
	fclose(m);
	assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
	is = was;
	is.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (48u << 20);
	assert_int_equal(setrlimit(RLIMIT_AS, &is), 0);
	assert_int_equal(cap_scan(&scan, &p, &err), 0);
	p.loops = 1400;
	assert_int_equal(cap_feed_open(&f, &p, scan.longest, CAP_FEED_RING, NULL, &err), 0);
	take_all(cap_feed_ring(f), &n);
	cap_feed_close(f);
	cap_scan_free(&scan);
	assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
	assert_int_equal(n, 267 * 1400);
}

// Whether another thread of this process has these processors.
static bool other_runs_on(const cpu_set_t *cpus)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	bool found = false;
	cpu_set_t set;

	assert_non_null(d);
	while ((e = readdir(d))) {
		int tid = atoi(e->d_name);

		if (!tid || tid == getpid())
			continue;
		assert_int_equal(sched_getaffinity(tid, sizeof(set), &set), 0);
		found |= CPU_EQUAL(&set, cpus);
	}
	closedir(d);
	return found;
}

// Who starts the thread is bound to one processor, as DPDK binds it; the thread runs where it is
// told to, and nowhere else, and without a word where who starts it may.
static void the_thread_runs_where_it_may(void **state)
{
	cpu_set_t was, one;
	int last = -1;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(was), &was), 0);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &was))
			last = i;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct cap_feed *f;
		struct err err;

		assert_int_equal(cap_feed_open(&f, &params, 2048, RING, NULL, &err), 0);
		assert_int_equal(cap_feed_start(f, i ? &was : NULL), 0);
		assert_true(other_runs_on(i ? &was : &one)); // it waits, its ring is full
		cap_feed_close(f);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(was), &was), 0);
}

// Before the run the longest frame had 100 bytes.
static void a_file_that_has_changed(void **state)
{
	atomic_bool failed = false;
	struct cap_feed *f;
	struct err err;
	unsigned n = 0;

	(void)state;
	assert_int_equal(cap_feed_open(&f, &params, 100, RING, &failed, &err), 0);
	take_all(cap_feed_ring(f), &n);
	assert_true(n < 267);
	assert_true(failed);
	assert_non_null(cap_feed_error(f));
	assert_non_null(strstr(cap_feed_error(f), "and had none over 100 before the run"));
	cap_feed_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_a_thread_and_without),
		cmocka_unit_test(the_thread_runs_where_it_may),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(a_file_that_has_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
