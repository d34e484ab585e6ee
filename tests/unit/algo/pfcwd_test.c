// SPDX-License-Identifier: BSD-3-Clause
// The oracles of standards.md 2.6 by both rules, restoration, alert, bad parameters.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "algo/pfcwd.h"

#define POLL (100 * PS_PER_MS)

static struct pfcwd_cfg cfg;
static struct pfcwd w;
static struct pfcwd_sample s;

static void start(enum pfcwd_rule rule, enum pfcwd_action action, unsigned detection_ms,
	unsigned restoration_ms)
{
	struct pfcwd_params p = {.poll = POLL,
		.detection = detection_ms * PS_PER_MS,
		.restoration = restoration_ms * PS_PER_MS,
		.rule = rule,
		.action = action};

	assert_int_equal(pfcwd_cfg_init(&cfg, &p), 0);
	memset(&w, 0, sizeof(w));
	memset(&s, 0, sizeof(s));
	s.queue_bytes = 1000;
	s.paused = true;
	assert_int_equal(pfcwd_poll(&w, &cfg, &s), PFCWD_NONE); // reads only
}

// One poll, of a queue that stands still by both rules, or of one that goes on.
static enum pfcwd_event poll(bool still)
{
	s.pfc_rx++;
	if (still)
		s.pause_duration += POLL;
	else
		s.on2off++;
	s.tx_frames += !still;
	return pfcwd_poll(&w, &cfg, &s);
}

// Polls as in "t", "f": the number of the first that gives `want`; 0: none does.
static unsigned first(const char *polls, enum pfcwd_event want)
{
	for (unsigned i = 0; polls[i]; i++) {
		enum pfcwd_event e = poll(polls[i] == 't');

		if (e == want)
			return i + 1;
		assert_int_equal(e, PFCWD_NONE);
	}
	return 0;
}

static void two_polls_make_a_storm_of_200_ms(void **state)
{
	(void)state;
	for (enum pfcwd_rule r = PFCWD_MELLANOX; r <= PFCWD_BROADCOM; r++) {
		start(r, PFCWD_DROP, 200, 300);
		assert_int_equal(first("tt", PFCWD_STORM), 2);
		start(r, PFCWD_DROP, 200, 300);
		assert_int_equal(first("tftt", PFCWD_STORM), 4);
		start(r, PFCWD_DROP, 200, 300);
		assert_int_equal(first("tftftftftf", PFCWD_STORM), 0);
	}
}

// 99 % of the detection time is enough for one rule; the other wants all of it.
static void the_rules_differ_in_the_last_percent(void **state)
{
	(void)state;
	start(PFCWD_MELLANOX, PFCWD_DROP, 202, 300);
	assert_int_equal(first("tttt", PFCWD_STORM), 2); // 200 > 199.98
	start(PFCWD_MELLANOX, PFCWD_DROP, 203, 300);
	assert_int_equal(first("tttt", PFCWD_STORM), 3); // 200 < 200.97
	start(PFCWD_BROADCOM, PFCWD_DROP, 201, 300);
	assert_int_equal(first("tttt", PFCWD_STORM), 3);
}

// Mellanox: something queued, nothing sent, paused for more than 99 % of the poll.
static void mellanox_wants_all_three_signs(void **state)
{
	(void)state;
	start(PFCWD_MELLANOX, PFCWD_DROP, 100, 300);
	s.queue_bytes = 0;
	assert_int_equal(poll(true), PFCWD_NONE);
	s.queue_bytes = 1;
	s.tx_frames++;
	assert_int_equal(poll(true), PFCWD_NONE);
	s.pause_duration -= POLL / 100;
	assert_int_equal(poll(true), PFCWD_NONE); // 99 % are not more than 99 %
	s.pause_duration -= POLL / 100 - 1;
	assert_int_equal(poll(true), PFCWD_STORM);
}

// Broadcom: PFC came, none of it ended a pause, paused at both polls; queued bytes are not looked
// at.
static void broadcom_wants_pfc_without_an_end(void **state)
{
	(void)state;
	start(PFCWD_BROADCOM, PFCWD_DROP, 100, 300);
	s.queue_bytes = 0;
	assert_int_equal(pfcwd_poll(&w, &cfg, &s), PFCWD_NONE); // no PFC
	s.on2off++;
	assert_int_equal(poll(true), PFCWD_NONE);
	s.paused = false;
	assert_int_equal(poll(true), PFCWD_NONE);
	s.paused = true;
	assert_int_equal(poll(true), PFCWD_NONE); // not paused at the poll before
	assert_int_equal(poll(true), PFCWD_STORM);
}

// Restoration 300: quiet, quiet, rx, quiet, quiet, quiet: at the sixth.
static void a_quiet_time_restores(void **state)
{
	static const enum pfcwd_event want[] = {
		PFCWD_NONE, PFCWD_NONE, PFCWD_NONE, PFCWD_NONE, PFCWD_NONE, PFCWD_RESTORE};

	(void)state;
	for (enum pfcwd_action a = PFCWD_DROP; a <= PFCWD_FORWARD; a++) {
		start(PFCWD_MELLANOX, a, 200, 300);
		assert_int_equal(first("tt", PFCWD_STORM), 2);
		assert_true(w.storm);
		for (unsigned i = 0; i < 6; i++) {
			s.pfc_rx += i == 2;
			assert_int_equal(pfcwd_poll(&w, &cfg, &s), want[i]);
		}
		assert_false(w.storm);
		assert_int_equal(first("tt", PFCWD_STORM), 2); // and again
	}
}

// Nothing was done to the queue, so the alert ends as soon as it goes on.
static void an_alert_ends_with_its_sign(void **state)
{
	(void)state;
	start(PFCWD_MELLANOX, PFCWD_ALERT, 200, 300);
	assert_int_equal(first("tt", PFCWD_STORM), 2);
	assert_int_equal(first("ttf", PFCWD_RESTORE), 3);
	assert_int_equal(first("tt", PFCWD_STORM), 2);
}

static void periods_fit_each_other(void **state)
{
	struct pfcwd_params p = {.poll = POLL, .detection = POLL, .restoration = POLL};
	struct pfcwd_cfg c = {.poll = 42};

	(void)state;
	p.poll = 0;
	assert_int_equal(pfcwd_cfg_init(&c, &p), -EINVAL);
	p.poll = POLL;
	p.detection = POLL - 1;
	assert_int_equal(pfcwd_cfg_init(&c, &p), -EINVAL);
	p.detection = POLL;
	p.restoration = POLL - 1;
	assert_int_equal(pfcwd_cfg_init(&c, &p), -EINVAL);
	assert_int_equal(c.poll, 42);
	p.restoration = POLL;
	assert_int_equal(pfcwd_cfg_init(&c, &p), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_polls_make_a_storm_of_200_ms),
		cmocka_unit_test(the_rules_differ_in_the_last_percent),
		cmocka_unit_test(mellanox_wants_all_three_signs),
		cmocka_unit_test(broadcom_wants_pfc_without_an_end),
		cmocka_unit_test(a_quiet_time_restores),
		cmocka_unit_test(an_alert_ends_with_its_sign),
		cmocka_unit_test(periods_fit_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
