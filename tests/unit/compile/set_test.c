// SPDX-License-Identifier: BSD-3-Clause
// Events that set values: compiled with all values up to them, and refused where a value cannot
// change; a scene compiled again with other values, or with other events.
#include "scene_lab.h"

#define LIVE                                                                               \
	"duration: 10ms\n"                                                                 \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: 100KB},\n" \
	"    wred: {min: 10KB, max: 100KB}}}}}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS
#define SET(path, value) LIVE "events:\n- {at: 1ms, set: {" path ": " value "}}\n"
#define WRED             "switches.s1.classes.3.wred."

#define CLASS(s) (&lab_node(s, "s1")->u.sw.set->cls[3])
#define XOFF(s)  (lab_node(s, "s1")->u.sw.port[0].pg[3].static_bytes)

static void a_change_has_all_values_up_to_it(void **state)
{
	struct scene *s = lab(LIVE "events:\n- {at: 5ms, set: {" WRED "max: 300KB}}\n"
				   "- {at: 2ms, set: {" WRED "max: 200KB, " WRED "min: 20KB}}\n"
				   "- {at: 3ms, flow_stop: incast}\n");

	(void)state;
	assert_int_equal(s->n_changes, 2);
	assert_int_equal(CLASS(s)->red.kmax_bytes, 100000);
	assert_int_equal(s->change[0].at, 2 * PS_PER_MS);
	assert_int_equal(s->change[0].line, 9);
	assert_int_equal(s->change[0].n_set, 2);
	assert_string_equal(s->change[0].set[1].path, WRED "min");
	assert_string_equal(s->change[0].set[1].value, "20KB");
	assert_int_equal(CLASS(s->change[0].to)->red.kmin_bytes, 20000);
	assert_int_equal(CLASS(s->change[0].to)->red.kmax_bytes, 200000);
	assert_int_equal(CLASS(s->change[1].to)->red.kmin_bytes, 20000);
	assert_int_equal(CLASS(s->change[1].to)->red.kmax_bytes, 300000);
	assert_int_equal(s->change[1].to->n_events, 0);
	scene_free(s);
}

// A key takes the place of the one that it excludes, which an earlier change or the file has.
static void a_change_displaces_what_it_excludes(void **state)
{
	struct scene *s = lab(LIVE "events:\n"
				   "- {at: 2ms, set: {switches.s1.classes.3.pfc.dynamic_th: 0}}\n"
				   "- {at: 3ms, set: {switches.s1.classes.3.pfc.xoff: 50KB}}\n");

	(void)state;
	assert_int_equal(XOFF(s), 100000);
	assert_true(lab_node(s->change[0].to, "s1")->u.sw.port[0].pg[3].threshold == MMU_DYNAMIC);
	assert_int_equal(XOFF(s->change[1].to), 50000);
	assert_true(lab_warns(s, "from then on: 'xoff: 100KB' is displaced"));
	scene_free(s);
}

static void what_cannot_change_is_refused(void **state)
{
	(void)state;
	lab_refuse(SET("switches.s1.buffer", "1MB"),
		"lab.yaml:8:18: set switches.s1.buffer=1MB: it cannot change while the scene runs; "
		"of a switch pfc_watchdog.poll");
	lab_refuse(SET(WRED "mark", "enqueue"),
		"lab.yaml:8:18: set " WRED "mark=enqueue: it cannot change while "
		"the scene runs; of wred min, max, probability, drop_min, drop_max, "
		"drop_probability, weight can");
	lab_refuse(SET("switches.s1.classes.3.wred", "{min: 1KB}"),
		"lab.yaml:8:18: set switches.s1.classes.3.wred={min: 1KB}: it cannot");
	lab_refuse(SET("duration", "1ms"),
		"lab.yaml:8:18: set duration=1ms: it cannot change while the scene runs; some "
		"values of switches");
	lab_refuse(SET("switches.s1.klasses.3.wred.max", "1ms"),
		"lab.yaml:8:18: set switches.s1.klasses.3.wred.max=1ms: unknown key 'klasses' in a "
		"switch; did you mean 'classes'?");
	lab_refuse(SET(WRED "max", "9us"),
		"lab.yaml:8:18: set " WRED "max=9us: max: '9us' has the wrong unit");
	lab_refuse(SET(WRED "max", "1KB"), "lab.yaml:8:18: set: ");
	lab_refuse(LIVE "events:\n- {at: 1ms, set: {}}\n", "lab.yaml:8:18: set: write a map");
	lab_refuse(LIVE "events:\n- {at: 1ms, set: 5}\n", "lab.yaml:8:18: set: write a map");
}

// Each node that differs has an order of its own; a value that holds already changes nothing.
static void nodes_that_differ_have_orders(void **state)
{
	struct scene *s = lab(LIVE "events:\n- {at: 2ms, set: {" WRED "max: 100KB}}\n"
				   "- {at: 2ms, fdb_flush: s1}\n"
				   "- {at: 2ms, set: {defaults.switches.classes.3.weight: 3}}\n"
				   "- {at: 1ms, set: {\"ports.s1:r.classes.3.pfc.xoff\": 50KB}}\n");

	(void)state;
	assert_int_equal(s->n_changes, 3);
	assert_int_equal(s->n_events, 3);
	assert_int_equal(s->event[0].at, PS_PER_MS);
	assert_int_equal(s->event[0].ctl.type, CTL_ADOPT);
	assert_int_equal(s->event[0].ctl.id, 1);
	assert_int_equal(s->event[0].node, scene_node(s, "s1"));
	assert_int_equal(s->event[1].ctl.type, CTL_FDB_FLUSH);
	assert_int_equal(s->event[2].ctl.type, CTL_ADOPT);
	assert_int_equal(s->event[2].ctl.id, 3);
	assert_int_equal(lab_node(s->change[0].to, "s1")->u.sw.port[2].pg[3].static_bytes, 50000);
	assert_int_equal(XOFF(s->change[0].to), 100000);
	assert_int_equal(CLASS(s->change[2].to)->weight, 3);
	scene_free(s);
}

// A value of one port: the port leaves the set that it shared, and may come back to it.
static void a_value_of_one_port_may_change(void **state)
{
	struct scene *s =
		lab(LIVE "events:\n- {at: 1ms, set: {\"ports.s1:h2.classes.3.wred.max\": 50KB}}\n"
			 "- {at: 2ms, set: {\"ports.s1:h2.classes.3.wred.max\": 100KB}}\n"
			 "- {at: 3ms, set: {\"ports.s1:h2.classes.3.weight\": 7}}\n");
	const struct sw_params *p[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		p[i] = &lab_node(s->change[i].to, "s1")->u.sw;
	assert_int_equal(p[0]->n_sets, 2);
	assert_int_equal(sw_port_set(p[0], 0)->cls[3].red.kmax_bytes, 100000);
	assert_int_equal(sw_port_set(p[0], 1)->cls[3].red.kmax_bytes, 50000);
	assert_int_equal(p[1]->n_sets, 1);
	assert_int_equal(sw_port_set(p[2], 1)->cls[3].weight, 7);
	assert_int_equal(s->n_events, 3);
	scene_free(s);
	lab_refuse(SET("\"ports.s1:h2.classes.3.wred.min\"", "1MB"),
		"lab.yaml:8:18: set ports.s1:h2.classes.3.wred.min=1MB: wred min 1MB is above");
	lab_refuse(SET("\"ports.s1:h2.classes.3.lossless\"", "false"),
		"lab.yaml:8:18: set ports.s1:h2.classes.3.lossless=false: it cannot change");
	lab_refuse(SET("\"ports.s1:h2.queue_map\"", "{3: 4}"),
		"lab.yaml:8:18: set ports.s1:h2.queue_map={3: 4}: it cannot change");
}

// A value may change, and something that follows from it may not.
static void what_follows_from_a_value_is_refused(void **state)
{
	(void)state;
	lab_refuse(SET("switches.s1.classes.4.wred.min", "10KB"),
		"lab.yaml:8:18: set switches.s1.classes.4.wred.min=10KB: wred has no max");
	lab_refuse(
		SET("switches.s1.classes.4.wred.max: 20KB, switches.s1.classes.4.wred.min", "10KB"),
		"lab.yaml:8:18: set: this would also change class 4 (whether and where it marks) "
		"of s1, which cannot change while the scene runs");
	lab_refuse(SET(WRED "drop_max: 90KB, " WRED "drop_min", "10KB"),
		"lab.yaml:8:18: set: this would also change "
		"class 3 (which frames its drop curve is for) of s1");
	lab_refuse(SET(WRED "weight", "4"), "lab.yaml:8:18: set: this would also change "
					    "class 3 (whether it averages the queue) of s1");
	lab_refuse(SET("switches.s1.classes.3.pfc.xoff", "2KB"),
		"lab.yaml:8:18: set switches.s1.classes.3.pfc.xoff=2KB: xoff 2KB is below");
}

static struct scene *again(const char *text)
{
	const struct scene_opts opts = {.again = true};
	struct scene *s = NULL;

	if (lab_try(&s, text, &opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static unsigned lines_of(const char *text, size_t size)
{
	unsigned n = 0;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	return n;
}

// The text that each change is compiled from does not have all changes, so that time and memory do
// not grow with the square of their number.
static void a_change_is_compiled_without_the_others(void **state)
{
	static const char text[] =
		LIVE "events:\n- {at: 2ms, set: {" WRED "max: 200KB}}\n"
		     "- at: 3ms # a comment\n  set:\n    " WRED "max: 300KB\n"
		     "- {at: 4ms, flow_stop: incast}\n"
		     "- {at: 5ms, set: {" WRED "max: 400KB}}\n- {at: 6ms, mark: x}\n"
		     "drain: 1ms\n";
	struct scene *s = lab(text);
	const struct scene_opts *o = &s->origin->opts;
	char *kept = strndup(o->text, o->size);

	(void)state;
	assert_int_equal(s->n_changes, 3);
	assert_int_equal(lines_of(kept, o->size), lines_of(text, strlen(text)));
	assert_null(strstr(kept, "set"));
	assert_null(strstr(kept, "comment"));
	assert_non_null(strstr(kept, "\n  {at: 4ms, flow_stop: incast}\n"));
	assert_non_null(strstr(kept, "\n  {at: 6ms, mark: x}\ndrain: 1ms\n"));
	assert_int_equal(CLASS(s->change[1].to)->red.kmax_bytes, 300000);
	assert_int_equal(CLASS(s->change[2].to)->red.kmax_bytes, 400000);
	free(kept);
	scene_free(s);
}

static void a_scene_is_compiled_again_with_changes(void **state)
{
	const struct scene_set one = {"switches.s1.classes.3.pfc.xoff", "60KB"},
			       two = {"switches.s1.classes.3.pfc.dynamic_th", "1"},
			       wrong = {"switches.s1.cell", "80B"};
	struct scene *s = again(LIVE), *first = NULL, *second = NULL, *third = NULL;

	(void)state;
	assert_int_equal(compile_change(&first, s, "set", &one, 1, &lab_err), 0);
	assert_int_equal(XOFF(first), 60000);
	assert_int_equal(compile_change(&second, first, "set", &two, 1, &lab_err), 0);
	assert_true(lab_node(second, "s1")->u.sw.port[0].pg[3].threshold == MMU_DYNAMIC);
	assert_int_equal(compile_change(&third, second, "set", &wrong, 1, &lab_err), -EINVAL);
	assert_non_null(strstr(lab_err.text, "set switches.s1.cell=80B: it cannot change"));
	scene_free(s);
	assert_int_equal(compile_change(&third, second, "set", &one, 1, &lab_err), 0);
	assert_int_equal(XOFF(third), 60000);
	assert_int_equal(third->origin->opts.n_set, 2);
	scene_free(first);
	scene_free(second);
	scene_free(third);
}

static void actions_replace_events(void **state)
{
	struct scene *s = again(LIVE "events: [{at: 1ms, fdb_flush: s1}]\n"), *to = NULL;

	(void)state;
	assert_int_equal(compile_actions(&to, s, "flow_stop: incast", 1234567, &lab_err), 0);
	assert_int_equal(to->n_events, 2);
	assert_int_equal(to->event[0].at, 1234567);
	assert_int_equal(to->event[0].ctl.type, CTL_FLOW_STOP);
	scene_free(to);
	assert_int_equal(
		compile_actions(&to, s, "[{flow_stop: incast}, {fdb_flush: s1}]", 0, &lab_err), 0);
	assert_int_equal(to->n_events, 3);
	assert_int_equal(to->event[2].ctl.type, CTL_FDB_FLUSH);
	scene_free(to);
	assert_int_equal(compile_actions(&to, s, "flow_stop: incst", 0, &lab_err), -EINVAL);
	assert_string_equal(lab_err.text, "do:1:12: there is no flow 'incst'");
	assert_int_equal(compile_actions(&to, s, "{at: 1ms}", 0, &lab_err), -EINVAL);
	assert_string_equal(lab_err.text, "do:1:1: an action has no `at`: it is done at once");
	assert_int_equal(compile_actions(&to, s, "{at: 1ms, fdb_flush: s1}", 0, &lab_err), -EINVAL);
	assert_string_equal(
		lab_err.text, "do:1:1: an action is a map with one key, as in {flow_stop: incast}");
	assert_int_equal(compile_actions(&to, s, "", 0, &lab_err), -EINVAL);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_has_all_values_up_to_it),
		cmocka_unit_test(a_change_displaces_what_it_excludes),
		cmocka_unit_test(what_cannot_change_is_refused),
		cmocka_unit_test(nodes_that_differ_have_orders),
		cmocka_unit_test(a_value_of_one_port_may_change),
		cmocka_unit_test(what_follows_from_a_value_is_refused),
		cmocka_unit_test(a_change_is_compiled_without_the_others),
		cmocka_unit_test(a_scene_is_compiled_again_with_changes),
		cmocka_unit_test(actions_replace_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
