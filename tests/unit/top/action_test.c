// SPDX-License-Identifier: BSD-3-Clause
// Actions of a row are commands as a user would type them; a storm is not among them.
#include "top/action.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void offers(enum top_section s, const char *name, double low, double high, unsigned n,
	const char *first, const char *second)
{
	struct top_row row = {.name = (char *)name};
	struct top_action list[TOP_ACTIONS];
	char buf[400];

	row.value[QUEUE_LOW] = low;
	row.value[QUEUE_HIGH] = high;
	assert_int_equal(top_actions(list, s, &row), n);
	if (n > 0)
		assert_string_equal(
			top_action_typed(buf, sizeof(buf), list[0].verb, list[0].text), first);
	if (n > 1)
		assert_string_equal(
			top_action_typed(buf, sizeof(buf), list[1].verb, list[1].text), second);
}

static void a_link_goes_down_and_up(void **state)
{
	(void)state;
	offers(TOP_PORTS, "s1:h2", NAN, NAN, 2, "quench do 'link_down: s1:h2'",
		"quench do 'link_up: s1:h2'");
}

// The switch's class is for ports without their own values, so the port itself is offered, too.
static void thresholds_are_of_the_switch_or_the_port(void **state)
{
	(void)state;
	offers(TOP_QUEUES, "s1:r.3 out", 20000, 200000, 2,
		"quench set switches.s1.classes.3.wred.min=20000B "
		"switches.s1.classes.3.wred.max=200000B",
		"quench set ports.s1:r.classes.3.wred.min=20000B "
		"ports.s1:r.classes.3.wred.max=200000B");
	offers(TOP_QUEUES, "s1:s2.2.3 in", 54000, 60000, 2,
		"quench set switches.s1.classes.3.pfc.xoff=60000B",
		"quench set ports.s1:s2.2.classes.3.pfc.xoff=60000B");
	offers(TOP_QUEUES, "h1:s1.3 out", NAN, NAN, 0, NULL, NULL);
}

static void a_queue_pairs_flow_stops_and_starts(void **state)
{
	(void)state;
	offers(TOP_FLOWS, "incast[h1>r.0]", NAN, NAN, 2, "quench do 'flow_stop: incast'",
		"quench do 'flow_start: incast'");
	offers(TOP_FLOWS, "noise", NAN, NAN, 2, "quench do 'flow_stop: noise'",
		"quench do 'flow_start: noise'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_goes_down_and_up),
		cmocka_unit_test(thresholds_are_of_the_switch_or_the_port),
		cmocka_unit_test(a_queue_pairs_flow_stops_and_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
