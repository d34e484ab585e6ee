// SPDX-License-Identifier: BSD-3-Clause
// The verbs of a plug-in: what they are given, what their results become, and how each of them
// fails; nothing of it allocates memory.
#include "guest/guest.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LINE (25 * RATE_GBPS)
#define US   PS_PER_US

enum { INIT, CNP, ACK, NAK, SENT, EXPIRE, DEADLINE, NEVER = 99 };
enum { VERB, HOW, FROM, RATE, WINDOW, GAIN, SHIFT, EVENT };

static struct {
	struct arena arena;
	struct guest *guest;
	struct guest_spec spec;
	struct rp_cfg cfg;
	struct rp rp;
	void *state;
} it;

static void begin_as(unsigned verb, unsigned how, tstamp from, unsigned event)
{
	const struct guest_control c = {.name = "mine", .line_rate = LINE, .base_rtt = 8 * US};
	struct err err;

	memset(&it, 0, sizeof(it));
	if (guest_load(&it.guest, &it.arena, MODULES "/plugin0.so", false, &err))
		fail_msg("%s", err.text);
	guest_defaults(it.guest, &it.spec);
	it.spec.value[VERB].real = verb;
	it.spec.value[HOW].real = how;
	it.spec.value[FROM].whole = from;
	it.spec.value[EVENT].real = event;
	if (guest_compile(it.guest, &it.arena, &it.cfg, &c, &it.spec, &err))
		fail_msg("%s", err.text);
	it.state = calloc(1, rp_state_size(&it.cfg));
	assert_non_null(it.state);
	rp_init(&it.rp, &it.cfg, it.state, NULL);
}

static void begin(unsigned verb, unsigned how)
{
	begin_as(verb, how, 1, 0);
}

static void end(void)
{
	free(it.state);
	guest_free(it.guest);
	arena_free(&it.arena);
}

static const struct rp_ack some_ack = {
	.bytes = 1024, .acked = 4096, .sent = 9216, .rtt = 7000, .ce = true};

// Every verb once, at 1 us and on; what has expired by then is over.
static void run_verbs(void)
{
	tstamp at;

	rp_expire(&it.rp, US, &at, true);
	rp_cnp(&it.rp, US + 1);
	rp_ack(&it.rp, &some_ack, US + 2);
	rp_nak(&it.rp, US + 3);
	rp_sent(&it.rp, 1102, US + 4);
}

static void results_become_rate_window_and_deadline(void **state)
{
	(void)state;
	begin(NEVER, 0);
	assert_int_equal(rp_rate(&it.rp), 10 * RATE_GBPS);
	assert_int_equal(rp_window(&it.rp), 64000);
	assert_int_equal(rp_deadline(&it.rp), US);
	run_verbs();
	assert_int_equal(rp_deadline(&it.rp), 2 * US);
	assert_int_equal(it.rp.u.plugin->clamped, 0);
	end();
}

static void an_ack_comes_with_all_that_is_known(void **state)
{
	(void)state;
	begin(NEVER, 30);
	rp_ack(&it.rp, &some_ack, US);
	assert_int_equal(rp_window(&it.rp), 1024 + 4096 + 9216 + 7000 + 1);
	end();
}

static void a_rate_out_of_range_is_clamped_and_counted(void **state)
{
	static const struct {
		unsigned how;
		rate_t rate;
	} want[] = {{9, RATE_MIN}, {10, LINE}, {12, RATE_MIN}};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		begin(CNP, want[i].how);
		rp_cnp(&it.rp, US);
		assert_int_equal(rp_rate(&it.rp), want[i].rate);
		assert_int_equal(it.rp.u.plugin->clamped, 1);
		rp_cnp(&it.rp, 2 * US);
		assert_int_equal(it.rp.u.plugin->clamped, 2);
		rp_nak(&it.rp, 3 * US);
		assert_int_equal(it.rp.u.plugin->clamped, 2);
		end();
	}
}

// The least window lets one frame go.
static void a_window_of_nothing_is_the_least(void **state)
{
	(void)state;
	begin(NAK, 11);
	rp_nak(&it.rp, US);
	assert_int_equal(rp_window(&it.rp), 1);
	end();
}

static void what_it_says_has_a_word_for_each_verb(void **state)
{
	static const enum rp_event want[][5] = {
		[QUENCH_DECREASE] = {RP_DECREASE, RP_DECREASE, RP_DECREASE, RP_DECREASE,
			RP_DECREASE},
		[QUENCH_FAST_RECOVERY] = {RP_WRITTEN, RP_WRITTEN, RP_WRITTEN, RP_BC_FAST_RECOVERY,
			RP_T_FAST_RECOVERY},
		[QUENCH_ADDITIVE_INCREASE] = {RP_WRITTEN, RP_ACK_ADDITIVE_INCREASE, RP_WRITTEN,
			RP_BC_ADDITIVE_INCREASE, RP_T_ADDITIVE_INCREASE},
		[QUENCH_HYPER_INCREASE] = {RP_WRITTEN, RP_ACK_HYPER_INCREASE, RP_WRITTEN,
			RP_BC_HYPER_INCREASE, RP_T_HYPER_INCREASE},
	};
	tstamp at;

	(void)state;
	for (unsigned e = 1; e < sizeof(want) / sizeof(want[0]); e++) {
		begin_as(NEVER, 0, 1, e);
		assert_int_equal(rp_cnp(&it.rp, 1), want[e][0]);
		assert_int_equal(rp_ack(&it.rp, &some_ack, 2), want[e][1]);
		assert_int_equal(rp_nak(&it.rp, 3), want[e][2]);
		assert_int_equal(rp_sent(&it.rp, 64, 4), want[e][3]);
		assert_int_equal(rp_expire(&it.rp, US, &at, true), want[e][4]);
		assert_int_equal(at, US);
		end();
	}
}

static void fails(unsigned verb, unsigned how, const char *line)
{
	atomic_bool failed = false;
	char text[256];
	rate_t rate;
	tstamp at;

	begin(verb, how);
	guest_watch(&it.rp, &failed);
	assert_false(guest_failed(&it.rp, text, sizeof(text), &at));
	rate = rp_rate(&it.rp);
	run_verbs();
	assert_true(failed);
	assert_true(guest_failed(&it.rp, text, sizeof(text), &at));
	assert_string_equal(text, line);
	// The reaction point is called no more, and its last rate and window hold.
	assert_int_equal(rp_deadline(&it.rp), TSTAMP_NEVER);
	run_verbs();
	assert_true(guest_failed(&it.rp, text, sizeof(text), &at));
	assert_string_equal(text, line);
	assert_int_equal(rp_rate(&it.rp), rate);
	failed = false;
	guest_watch(&it.rp, &failed);
	assert_true(failed);
	end();
}

static void a_crash_is_named_in_each_verb(void **state)
{
	(void)state;
	fails(EXPIRE, 1, "control 'mine' crashed in expire() at 1.000 us (SIGSEGV)");
	fails(CNP, 2, "control 'mine' crashed in cnp() at 1.000 us (SIGFPE)");
	fails(ACK, 3, "control 'mine' crashed in ack() at 1.000 us (SIGILL)");
	fails(NAK, 4, "control 'mine' crashed in nak() at 1.000 us (SIGABRT)");
	fails(SENT, 5, "control 'mine' crashed in sent() at 1.000 us (SIGSEGV)");
}

static void a_crash_in_deadline_is_its_own(void **state)
{
	atomic_bool failed = false;
	char text[256];
	tstamp at;

	(void)state;
	begin_as(DEADLINE, 1, 2 * US, 0);
	guest_watch(&it.rp, &failed);
	run_verbs();
	assert_true(guest_failed(&it.rp, text, sizeof(text), &at));
	assert_string_equal(text, "control 'mine' crashed in deadline() at 1.000 us (SIGSEGV)");
	assert_int_equal(at, US);
	end();
}

static void a_rate_that_is_no_number_ends_it(void **state)
{
	(void)state;
	fails(CNP, 6, "control 'mine' gave a rate that is no number in cnp() at 1.000 us");
	fails(ACK, 6, "control 'mine' gave a rate that is no number in ack() at 1.000 us");
}

static void a_window_that_cannot_be_ends_it(void **state)
{
	(void)state;
	fails(SENT, 7, "control 'mine' gave a window of nan bytes in sent() at 1.000 us");
	fails(NAK, 8, "control 'mine' gave a window of -1 bytes in nak() at 1.000 us");
}

// It would expire for ever.
static void a_deadline_that_is_no_later_ends_it(void **state)
{
	(void)state;
	fails(NEVER, 21,
		"control 'mine' gave 1.000 us, which is no later, in deadline() after expire() at "
		"1.000 us");
	fails(NEVER, 22,
		"control 'mine' gave 0.500 us, which is no later, in deadline() after expire() at "
		"1.000 us");
	fails(NEVER, 23,
		"control 'mine' gave 1.000999 us, which is less than 1 ns later, in deadline() "
		"after expire() at 1.000 us");
}

static void nothing_is_allocated_while_it_runs(void **state)
{
	(void)state;
	begin(NEVER, 0);
	run_verbs();

	size_t before = mallinfo2().uordblks;

	for (unsigned i = 0; i < 1000; i++)
		run_verbs();
	assert_int_equal(mallinfo2().uordblks, before);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_become_rate_window_and_deadline),
		cmocka_unit_test(an_ack_comes_with_all_that_is_known),
		cmocka_unit_test(a_rate_out_of_range_is_clamped_and_counted),
		cmocka_unit_test(a_window_of_nothing_is_the_least),
		cmocka_unit_test(what_it_says_has_a_word_for_each_verb),
		cmocka_unit_test(a_crash_is_named_in_each_verb),
		cmocka_unit_test(a_crash_in_deadline_is_its_own),
		cmocka_unit_test(a_rate_that_is_no_number_ends_it),
		cmocka_unit_test(a_window_that_cannot_be_ends_it),
		cmocka_unit_test(a_deadline_that_is_no_later_ends_it),
		cmocka_unit_test(nothing_is_allocated_while_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
