// SPDX-License-Identifier: BSD-3-Clause
// Plug-ins in a network: the example with a rate shares a link, the one with a window keeps what is
// in flight below it, and a parameter does what it is for.
#include <stdlib.h>
#include <string.h>

#include "scn.h"

#define RATE   "controls.mine.plugin=" EXAMPLES "/rate.so"
#define WINDOW "controls.mine.plugin=" EXAMPLES "/window.so"

#define LINE (25 * 1024.0 / 1106) // Gb/s of payload in 25 Gb/s on the wire

static double queue(const struct scn *s, const char *figure)
{
	char path[64];

	snprintf(path, sizeof(path), "queue.s1:r.3.%s", figure);
	return scn_value(s, path);
}

static void a_rate_is_shared(void **state)
{
	struct scn s = scn_run("plugin/rate.yaml", RATE, NULL);

	(void)state;
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_in(&s, "share of the line", scn_gbps(&s, "incast") / LINE, 0.9, 1);
	scn_in(&s, "Jain", scn_value(&s, "group.incast.jain"), 0.97, 1);
	scn_in(&s, "cuts", scn_value(&s, "flow.incast[h1>r.0].rp_decrease"), 10, 1000);
	scn_in(&s, "increases", scn_value(&s, "flow.incast[h1>r.0].rp_t_additive_increase"), 500,
		1500);
	scn_in(&s, "pauses", scn_value(&s, "total.pauses"), 0, 0);
	scn_free(&s);
}

// A cut by nine tenths leaves the link empty for longer than one by a quarter.
static void a_parameter_does_what_it_is_for(void **state)
{
	struct scn s = scn_run("plugin/rate.yaml", RATE, NULL);
	struct scn deep = scn_run("plugin/rate.yaml", RATE, "controls.mine.cut=90%", NULL);

	(void)state;
	scn_in(&deep, "goodput against a cut of a quarter",
		scn_gbps(&deep, "incast") / scn_gbps(&s, "incast"), 0.5, 0.95);
	scn_free(&deep);
	scn_free(&s);
}

static void marks_hold_a_window(void **state)
{
	struct scn s = scn_run("plugin/window.yaml", WINDOW, NULL);

	(void)state;
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_in(&s, "share of the line", scn_gbps(&s, "incast") / LINE, 0.99, 1);
	scn_in(&s, "Jain", scn_value(&s, "group.incast.jain"), 0.98, 1);
	scn_in(&s, "CNPs", scn_value(&s, "total.cnp_tx"), 0, 0);
	scn_in(&s, "p99 of the queue", queue(&s, "p99_bytes"), 35e3, 45e3);
	scn_free(&s);
}

// Nothing marks, and the window does not rise: four of 20 KB, each overrun by a frame at most,
// stand in the queue or are on their way.
static void a_window_bounds_what_is_in_flight(void **state)
{
	static const char *const bytes[] = {"10KB", "20KB"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char start[64];
		double window = 10e3 * (i + 1);

		snprintf(start, sizeof(start), "controls.mine.start=%s", bytes[i]);

		struct scn s = scn_run("plugin/window.yaml", WINDOW, start, "controls.mine.step=1",
			"switches.s1.classes.3.wred.min=2MB", "switches.s1.classes.3.wred.max=2MB",
			"duration=5ms", "warmup=1ms", NULL);

		scn_in(&s, "largest queue", queue(&s, "max_bytes"), 0.4 * 4 * window,
			4 * (window + 1024) * 1106 / 1024);
		scn_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_is_shared),
		cmocka_unit_test(a_parameter_does_what_it_is_for),
		cmocka_unit_test(marks_hold_a_window),
		cmocka_unit_test(a_window_bounds_what_is_in_flight),
	};

	return cmocka_run_group_tests_name("plugin", tests, NULL, NULL);
}
