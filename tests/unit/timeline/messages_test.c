// SPDX-License-Identifier: BSD-3-Clause
// Messages begin where fct.txt says it, and messages that overlap have tracks of their own.
#include "timeline/messages.h"

#include "saved_lab.h"

static void is(struct messages *m, tstamp t_ns, uint64_t bytes, int64_t begin_ns, double slowdown)
{
	struct saved_ev ev = {.t = t_ns * PS_PER_NS + 999, .type = EV_MSG_DONE, .bytes = bytes};
	struct message got;

	assert_int_equal(messages_next(m, &ev, &got), begin_ns >= 0);
	if (begin_ns < 0)
		return;
	assert_int_equal(got.begin, begin_ns * (int64_t)PS_PER_NS);
	assert_true(got.slowdown == slowdown || (isnan(got.slowdown) && isnan(slowdown)));
}

// Rows that have no event are passed over, and an event that has no row has no beginning.
static void rows_go_with_events(void **state)
{
	static struct lab l;
	struct messages *m;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	s = read_back(&l);
	m = messages_new(s);
	is(m, 1000, 100, -1, NAN);
	messages_free(m);
	saved_close(s);
	put(&l, "fct.txt",
		"0a000001 0a000002 1 4791 100 500 500 250\n"
		"0a000001 0a000002 1 4791 100 600 500 500\n"
		"0a000001 0a000002 2 4791 200 700 400 0\n"
		"0a000001 0a000002 2 4791 100 2500 500 500\n");
	s = read_back(&l);
	m = messages_new(s);
	is(m, 1000, 100, 500, 2);
	is(m, 1100, 200, 700, NAN);
	is(m, 1500, 100, -1, NAN);
	is(m, 3001, 100, 2500, 1);
	is(m, 4000, 100, -1, NAN);
	messages_free(m);
	saved_close(s);
	lab_close(&l);
	messages_free(NULL);
}

static void overlapping_messages_have_lanes(void **state)
{
	static struct lab l;
	struct message a = {.begin = 0}, b = {.begin = 50 * PS_PER_NS},
		       c = {.begin = 100 * PS_PER_NS};
	struct tracks *t = tracks_new();
	struct messages *m;
	struct pftrace *p;
	struct saved *s;
	uint32_t first;
	char path[160];

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	s = read_back(&l);
	m = messages_new(s);
	snprintf(path, sizeof(path), "%s/t.pftrace", l.out);
	assert_int_equal(pftrace_open(&p, path, &l.err), 0);
	tracks_flow(t, "f");
	tracks_flow(t, "g");
	tracks_begin(t, p, "run", "");
	first = messages_sequence(m, t, 0, &a, 100 * PS_PER_NS + 999);
	assert_int_equal(first, tracks_alone(t, 0, FLOW_MESSAGES));
	assert_int_not_equal(messages_sequence(m, t, 0, &b, 150 * PS_PER_NS), first);
	assert_int_equal(messages_sequence(m, t, 0, &c, 200 * PS_PER_NS), first);
	assert_int_equal(
		messages_sequence(m, t, 1, &c, 200 * PS_PER_NS), tracks_alone(t, 1, FLOW_MESSAGES));
	assert_int_equal(pftrace_close(p, &l.err), 0);
	tracks_free(t);
	messages_free(m);
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_go_with_events),
		cmocka_unit_test(overlapping_messages_have_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
