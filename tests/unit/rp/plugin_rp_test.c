// SPDX-License-Identifier: BSD-3-Clause
// The reaction point of a plug-in as rp.h has it: which verb goes where, what a change is where
// nothing is said, expiries in order of time.
#include "rp/rp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LINE (25 * RATE_GBPS)
#define US   PS_PER_US

// The decisions of the next verb, and the last call.
static struct {
	rate_t rate;
	uint64_t window;
	tstamp deadline, period;
	enum rp_event says;
	const char *called;
	uint64_t value;
	tstamp now;
} next;

static enum rp_event decide(struct plugin_rp *rp, const char *verb, uint64_t value, tstamp now)
{
	next.called = verb;
	next.value = value;
	next.now = now;
	rp->rate = next.rate;
	rp->window = next.window;
	rp->deadline = next.period ? now + next.period : next.deadline;
	return next.says;
}

static void on_init(struct plugin_rp *rp)
{
	decide(rp, "init", rp->cfg->state_size, 0);
}

static enum rp_event on_cnp(struct plugin_rp *rp, tstamp now)
{
	return decide(rp, "cnp", 0, now);
}

static enum rp_event on_ack(struct plugin_rp *rp, const struct rp_ack *ack, tstamp now)
{
	return decide(rp, "ack", ack->bytes, now);
}

static enum rp_event on_nak(struct plugin_rp *rp, tstamp now)
{
	return decide(rp, "nak", 0, now);
}

static enum rp_event on_sent(struct plugin_rp *rp, uint32_t bytes, tstamp now)
{
	return decide(rp, "sent", bytes, now);
}

static enum rp_event on_expire(struct plugin_rp *rp, tstamp now)
{
	return decide(rp, "expire", 0, now);
}

static const struct plugin_rp_ops ops = {on_init, on_cnp, on_ack, on_nak, on_sent, on_expire};

static struct rp_cfg cfg = {.kind = RP_PLUGIN,
	.u.plugin = {.ops = &ops,
		.state_size = 40,
		.asks = RP_ASKS_CNP | RP_ASKS_ACK,
		.counts = true,
		.line_rate = LINE}};

static void *setup(struct rp *rp)
{
	void *state = calloc(1, rp_state_size(&cfg));

	assert_non_null(state);
	memset(&next, 0, sizeof(next));
	next.rate = LINE;
	next.deadline = TSTAMP_NEVER;
	rp_init(rp, &cfg, state, NULL);
	assert_string_equal(next.called, "init");
	return state;
}

static void each_verb_goes_to_its_function(void **state)
{
	const struct rp_ack ack = {.bytes = 1024};
	struct rp rp;
	void *mine = setup(&rp);

	(void)state;
	assert_true(rp_state_size(&cfg) >= sizeof(struct plugin_rp) + 40);
	assert_int_equal(rp_asks(&cfg), RP_ASKS_CNP | RP_ASKS_ACK);
	assert_int_equal(rp.asks, RP_ASKS_CNP | RP_ASKS_ACK);
	rp_cnp(&rp, 1 * US);
	assert_string_equal(next.called, "cnp");
	assert_int_equal(next.now, 1 * US);
	rp_ack(&rp, &ack, 2 * US);
	assert_string_equal(next.called, "ack");
	assert_int_equal(next.value, 1024);
	rp_nak(&rp, 3 * US);
	assert_string_equal(next.called, "nak");
	rp_sent(&rp, 1102, 4 * US);
	assert_string_equal(next.called, "sent");
	assert_int_equal(next.value, 1102);
	assert_int_equal(rp_cnm(&rp, 5, 5 * US), RP_NONE);
	assert_string_equal(next.called, "sent");
	free(mine);
}

static void what_is_sent_goes_only_to_one_that_counts(void **state)
{
	struct rp rp;
	void *mine = setup(&rp);

	(void)state;
	cfg.u.plugin.counts = false;
	assert_int_equal(rp_sent(&rp, 1102, US), RP_NONE);
	assert_string_equal(next.called, "init");
	cfg.u.plugin.counts = true;
	free(mine);
}

static void a_change_that_is_not_named_is_a_decrease_or_written(void **state)
{
	struct rp_look look;
	struct rp rp;
	void *mine = setup(&rp);

	(void)state;
	assert_int_equal(rp_cnp(&rp, US), RP_NONE);
	next.rate = LINE / 2;
	assert_int_equal(rp_cnp(&rp, US), RP_DECREASE);
	assert_true(rp_fell(&rp));
	next.rate = LINE;
	assert_int_equal(rp_nak(&rp, US), RP_WRITTEN);
	next.window = 5000; // from none
	assert_int_equal(rp_cnp(&rp, US), RP_DECREASE);
	assert_true(rp_fell(&rp));
	next.window = 6000;
	assert_int_equal(rp_cnp(&rp, US), RP_WRITTEN);
	next.window = 0;
	assert_int_equal(rp_nak(&rp, US), RP_WRITTEN);
	next.says = RP_ALPHA;
	assert_int_equal(rp_cnp(&rp, US), RP_ALPHA);
	next.rate = LINE / 4;
	next.window = 7000;
	assert_int_equal(rp_cnp(&rp, US), RP_DECREASE); // the rate is more than alpha
	assert_int_equal(rp_rate(&rp), LINE / 4);
	assert_int_equal(rp_window(&rp), 7000);
	rp_look(&rp, 0, &look);
	assert_int_equal(look.rc, LINE / 4);
	assert_int_equal(look.rt, LINE / 4);
	assert_int_equal(look.line, LINE);
	assert_int_equal(look.window, 7000);
	assert_false(look.has_alpha);
	free(mine);
}

// A window that slides with every ACK would fill events.csv.
static void a_window_that_moves_with_an_ack_is_no_event(void **state)
{
	const struct rp_ack ack = {.bytes = 1024};
	struct rp rp;
	void *mine = setup(&rp);

	(void)state;
	next.window = 9000;
	assert_int_equal(rp_ack(&rp, &ack, US), RP_NONE);
	assert_int_equal(rp_window(&rp), 9000);
	next.rate = LINE / 2;
	assert_int_equal(rp_ack(&rp, &ack, US), RP_DECREASE);
	assert_true(rp_fell(&rp));
	next.says = RP_ACK_ADDITIVE_INCREASE;
	assert_int_equal(rp_ack(&rp, &ack, US), RP_ACK_ADDITIVE_INCREASE);
	next.says = RP_DECREASE; // it says so, and leaves both as they were
	assert_int_equal(rp_ack(&rp, &ack, US), RP_DECREASE);
	assert_false(rp_fell(&rp));
	free(mine);
}

static void expiries_come_one_by_one_at_their_instants(void **state)
{
	struct rp rp;
	void *mine = setup(&rp);
	tstamp at = 0;

	(void)state;
	assert_int_equal(rp_deadline(&rp), TSTAMP_NEVER);
	next.deadline = 10 * US;
	rp_cnp(&rp, US);
	assert_int_equal(rp_deadline(&rp), 10 * US);
	assert_int_equal(rp_expire(&rp, 10 * US - 1, &at, true), RP_NONE);
	assert_string_equal(next.called, "cnp");
	next.period = 5 * US;
	next.says = RP_T_ADDITIVE_INCREASE;
	assert_int_equal(rp_expire(&rp, 17 * US, &at, true), RP_T_ADDITIVE_INCREASE);
	assert_int_equal(at, 10 * US);
	assert_int_equal(rp_expire(&rp, 17 * US, &at, true), RP_T_ADDITIVE_INCREASE);
	assert_int_equal(at, 15 * US);
	assert_int_equal(next.now, 15 * US);
	assert_int_equal(rp_expire(&rp, 17 * US, &at, true), RP_NONE);
	// Deadlines that change nothing are passed over.
	next.says = RP_NONE;
	assert_int_equal(rp_expire(&rp, 41 * US, &at, true), RP_NONE);
	assert_int_equal(next.now, 40 * US);
	assert_int_equal(rp_deadline(&rp), 45 * US);
	free(mine);
}

static void an_earlier_deadline_after_a_frame_is_heard_of(void **state)
{
	struct rp rp;
	void *mine = setup(&rp);

	(void)state;
	next.deadline = 50 * US;
	assert_int_equal(rp_sent(&rp, 1102, US), RP_WRITTEN);
	assert_int_equal(rp_sent(&rp, 1102, US), RP_NONE);
	next.deadline = 60 * US;
	assert_int_equal(rp_sent(&rp, 1102, US), RP_NONE);
	assert_int_equal(rp_deadline(&rp), 60 * US);
	free(mine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verb_goes_to_its_function),
		cmocka_unit_test(what_is_sent_goes_only_to_one_that_counts),
		cmocka_unit_test(a_change_that_is_not_named_is_a_decrease_or_written),
		cmocka_unit_test(a_window_that_moves_with_an_ack_is_no_event),
		cmocka_unit_test(expiries_come_one_by_one_at_their_instants),
		cmocka_unit_test(an_earlier_deadline_after_a_frame_is_heard_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
