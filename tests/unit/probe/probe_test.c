// SPDX-License-Identifier: BSD-3-Clause
// The order of steps, what a step that cannot be done says, and devices that are not as expected.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"

#define STEPS ((1u << (PROBE_STEP_CELL + 1)) - 1)

// A probe of a device: its settings, its findings, and the steps that it announced.
struct run {
	struct probe_cfg cfg;
	struct probe_found found;
	struct err err;
	struct probe_listener listener;
	char told[512];
	int (*step)(struct lab *lab, const struct lab_step *step, struct lab_sight *sight,
		struct err *err);
	unsigned steps_left;
	int rc;
};

static void note(void *arg, enum probe_step step, unsigned cls, const char *text)
{
	struct run *r = arg;
	size_t n = strlen(r->told);

	assert_non_null(text);
	if (probe_step[step].by_class)
		snprintf(r->told + n, sizeof(r->told) - n, "%s.%u ", probe_step[step].name, cls);
	else
		snprintf(r->told + n, sizeof(r->told) - n, "%s ", probe_step[step].name);
}

static void run(struct run *r, const struct device_params *par, uint32_t steps, uint8_t classes)
{
	struct device *d = device_new(par);
	struct probe *p = device_probe(d, classes);

	*r = (struct run){.cfg = *p->cfg, .listener = {note, r}};
	r->cfg.steps = steps;
	r->cfg.most_buffer = 6400000;
	r->rc = probe_run(device_lab(d), &r->cfg, &r->listener, &r->found, &r->err);
	device_probe_free(p);
	device_free(d);
}

static void done(struct run *r)
{
	found_free(&r->found);
}

static void steps_are_done_in_order_for_each_class(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	run(&r, &par, STEPS, 0);
	assert_int_equal(r.rc, 0);
	assert_string_equal(r.told, "self map pause.3 pause.4 overfill.3 overfill.4 xoff.3 xoff.4 "
				    "cell.3 cell.4 ");
	for (unsigned c = 3; c < 5; c++) {
		assert_int_equal(r.found.f[c][PROBE_XOFF].value, 1563 * 64);
		assert_int_equal(r.found.f[c][PROBE_QUANTA].value, 65535);
		assert_string_equal(r.found.f[c][PROBE_XON].why, "not asked for");
	}
	assert_int_equal(r.found.f[2][PROBE_OBEYS].value, 0);
	assert_int_equal(r.found.f[PROBE_DEVICE][PROBE_CELL].value, 1);
	done(&r);
}

static void a_class_that_obeys_nothing_says_so(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	run(&r, &par, STEPS, 1 << 2);
	assert_int_equal(r.rc, 0);
	assert_string_equal(r.told, "self map ");
	assert_int_equal(r.found.f[2][PROBE_XOFF].state, FOUND_NOT);
	assert_string_equal(r.found.f[2][PROBE_XOFF].why, "it does not obey PFC");
	done(&r);
	par.obeys = 0;
	par.obeys_pause = true;
	run(&r, &par, STEPS, 1 << 2);
	assert_string_equal(r.found.f[2][PROBE_RESPONSE].why, "it obeys PAUSE, not PFC");
	done(&r);
}

static void a_queue_that_drops_before_xoff_is_named(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.queue = 59968;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.found.f[3][PROBE_DROPS_FIRST].state, FOUND_IS);
	assert_int_equal(r.found.f[3][PROBE_DROPS_FIRST].value, 59968);
	assert_string_equal(r.found.f[3][PROBE_XOFF].why, "it drops before any XOFF");
	assert_string_equal(r.told, "self map pause.3 overfill.3 ");
	done(&r);
}

static void pfc_that_our_mac_keeps_is_no_device_without_xoff(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.port_eats_pfc = true;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.found.f[3][PROBE_DROPS_FIRST].state, FOUND_IS);
	assert_string_equal(
		r.found.f[3][PROBE_DROPS_FIRST].why, "or our own MAC keeps PFC to itself");
	done(&r);
}

static void a_device_that_never_sends_xoff_is_filled_up_to_the_bound(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.xoff = par.buffer = 200000000;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.found.f[3][PROBE_XOFF].state, FOUND_NONE);
	assert_int_equal(r.found.f[3][PROBE_XOFF].value, r.cfg.most_buffer);
	done(&r);
}

static void a_port_of_ours_that_obeys_pfc_ends_the_probe(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.port_obeys = UINT_MAX;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.rc, -EIO);
	assert_non_null(strstr(r.err.text, "p1 obeys PFC by itself"));
	assert_string_equal(r.found.f[3][PROBE_XOFF].why, "the probe ended before");
	done(&r);
}

// Where loops are long, a device that was away may have stopped it.
static void a_port_of_ours_that_stood_still_once_is_asked_again(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.gap = PS_PER_US;
	par.port_obeys = 1;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.found.f[3][PROBE_QUANTA].state, FOUND_IS);
	done(&r);
}

static void headroom_that_is_not_used_up_is_a_lower_bound(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.headroom = 500000000;
	for (unsigned k = 0; k < 2; k++) {
		run(&r, &par, STEPS, 1 << 3);
		assert_int_equal(r.rc, 0);
		assert_int_equal(r.found.f[3][PROBE_HEADROOM].state, FOUND_AT_LEAST);
		assert_int_equal(r.found.f[3][PROBE_HEADROOM].value, r.cfg.most_buffer - 1563 * 64);
		done(&r);
		par.resume = 15 * PS_PER_US; // frames come out late after a release
	}
}

// It acts in fills that are longer than its detection: later ones are shorter.
static void a_watchdog_makes_holds_shorter(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.xoff = 1000000;
	par.wd_poll = 20 * PS_PER_US;
	par.wd_detect = par.wd_restore = 200 * PS_PER_US;
	for (unsigned forwards = 0; forwards < 2; forwards++) {
		par.wd_forwards = forwards;
		run(&r, &par, STEPS, 1 << 3);
		assert_int_equal(r.rc, 0);
		assert_int_equal(r.found.f[3][PROBE_OBEYS].value, 1);
		assert_int_equal(r.found.f[3][PROBE_XOFF].value, 15625 * 64);
		assert_int_equal(r.found.f[3][PROBE_HEADROOM].value, 60000 / 64 * 64);
		done(&r);
	}
	par.xoff = 2000000;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.found.f[3][PROBE_XOFF].state, FOUND_AT_LEAST);
	assert_string_equal(r.found.f[3][PROBE_XOFF].why, "its watchdog acts before");
	done(&r);
}

static void thresholds_that_vary_are_named(void **state)
{
	struct device_params par = device_usual();
	const struct found *f;
	struct run r;

	(void)state;
	par.varies = 40;
	par.seed = 5;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.rc, 0);
	f = &r.found.f[3][PROBE_XOFF];
	assert_int_equal(f->state, FOUND_VARIES);
	assert_true(f->least < f->most && f->least <= f->value && f->value <= f->most);
	assert_true(f->least >= (1563 - 40) * 64 && f->most <= (1563 + 40) * 64);
	done(&r);
}

static void frames_that_we_lose_make_figures_invalid(void **state)
{
	struct device_params par = device_usual();
	struct run r;

	(void)state;
	par.bad = UINT32_MAX;
	run(&r, &par, STEPS, 1 << 3);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.found.f[3][PROBE_OBEYS].state, FOUND_INVALID);
	assert_string_equal(r.found.f[3][PROBE_OBEYS].why, "our own ports lost frames");
	assert_int_equal(r.found.f[3][PROBE_XOFF].state, FOUND_NOT);
	assert_string_equal(r.found.f[3][PROBE_XOFF].why, "it is not known whether it obeys PFC");
	done(&r);
}

static int ended;

static int (*real_step)(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err);

static int ends_at(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	return --ended ? real_step(lab, step, sight, err) : -EINTR;
}

static void a_probe_that_is_ended_keeps_what_it_found(void **state)
{
	struct device_params par = device_usual();

	(void)state;
	for (unsigned at = 1; at < 40; at += 6) {
		struct device *d = device_new(&par);
		struct probe *p = device_probe(d, 8);
		struct probe_found found = {0};
		struct probe_cfg cfg = *p->cfg;
		int rc;

		cfg.steps = STEPS;
		ended = (int)at;
		real_step = device_lab(d)->step;
		device_lab(d)->step = ends_at;
		rc = probe_run(device_lab(d), &cfg, NULL, &found, p->err);
		assert_int_equal(rc, ended ? 0 : -EINTR);
		if (!ended && at > 10) {
			assert_int_equal(found.f[3][PROBE_OBEYS].state, FOUND_IS);
			assert_string_equal(
				found.f[PROBE_DEVICE][PROBE_CELL].why, "it was ended before");
		}
		found_free(&found);
		device_probe_free(p);
		device_free(d);
	}
}

static void ports_and_time_that_are_missing_are_said(void **state)
{
	struct device_params par = device_usual();
	struct device *d = device_new(&par);
	struct probe *p = device_probe(d, 8);
	struct probe_found found = {0};
	struct probe_cfg cfg = *p->cfg;

	(void)state;
	cfg.n_in = cfg.n_out = 1;
	assert_int_equal(probe_run(device_lab(d), &cfg, NULL, &found, p->err), 0);
	assert_string_equal(found.f[3][PROBE_REFRESH].why, "wants two senders");
	found_free(&found);
	cfg.most_time = 1;
	assert_int_equal(probe_run(device_lab(d), &cfg, NULL, &found, p->err), 0);
	assert_string_equal(found.f[3][PROBE_XOFF].why, "the time is over");
	found_free(&found);
	device_probe_free(p);
	device_free(d);
}

static void the_longest_hold_is_of_the_steps_that_are_asked_for(void **state)
{
	struct probe_cfg cfg = {.most_hold = 50 * PS_PER_MS, .most_buffer = 128000000};
	const rate_t rate = 100 * RATE_GBPS;

	(void)state;
	cfg.steps = 1u << PROBE_STEP_WEIGHTS;
	assert_int_equal(probe_longest_hold(&cfg, rate), 0);
	cfg.steps = 1u << PROBE_STEP_PAUSE;
	assert_int_equal(probe_longest_hold(&cfg, rate), 4000 * 5120);
	cfg.steps |= 1u << PROBE_STEP_OVERFILL;
	assert_int_equal(probe_longest_hold(&cfg, rate), 2000 * 5120 + 2000000 * 6720ull);
	assert_int_equal(probe_longest_hold(&cfg, RATE_GBPS), cfg.most_hold);
	cfg.steps |= 1u << PROBE_STEP_WATCHDOG;
	assert_int_equal(probe_longest_hold(&cfg, rate), cfg.most_hold);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_done_in_order_for_each_class),
		cmocka_unit_test(a_class_that_obeys_nothing_says_so),
		cmocka_unit_test(a_queue_that_drops_before_xoff_is_named),
		cmocka_unit_test(pfc_that_our_mac_keeps_is_no_device_without_xoff),
		cmocka_unit_test(a_device_that_never_sends_xoff_is_filled_up_to_the_bound),
		cmocka_unit_test(a_port_of_ours_that_obeys_pfc_ends_the_probe),
		cmocka_unit_test(a_port_of_ours_that_stood_still_once_is_asked_again),
		cmocka_unit_test(headroom_that_is_not_used_up_is_a_lower_bound),
		cmocka_unit_test(a_watchdog_makes_holds_shorter),
		cmocka_unit_test(thresholds_that_vary_are_named),
		cmocka_unit_test(frames_that_we_lose_make_figures_invalid),
		cmocka_unit_test(a_probe_that_is_ended_keeps_what_it_found),
		cmocka_unit_test(ports_and_time_that_are_missing_are_said),
		cmocka_unit_test(the_longest_hold_is_of_the_steps_that_are_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
