// SPDX-License-Identifier: BSD-3-Clause
// The block `record`: what is recorded unless a scenario says otherwise, its words, what is
// refused.
#include "scene_lab.h"

static uint64_t events(const char *words)
{
	struct scene *s = lab_with(LAB, "record.events", words);
	uint64_t events = s->record.events;

	scene_free(s);
	return events;
}

static void defaults(void **state)
{
	struct scene *s = lab(LAB);

	(void)state;
	for (unsigned i = 0; i < EV_TYPES; i++)
		assert_int_equal(s->record.events >> i & 1, (ev_row[i].use & EV_USE_FILE) != 0);
	for (unsigned i = 0; i < EV_TYPES; i++)
		assert_int_equal(s->record.rate[i], 0);
	assert_true(s->record.series);
	assert_int_equal(s->record.flows, SCENE_FLOWS_ALL);
	assert_int_equal(s->record.limit, 1000000000);
	assert_false(s->record.binary);
	assert_true(s->record.zstd);
	assert_non_null(strstr(s->resolved, "record:\n  events: all "));
	assert_non_null(strstr(s->resolved, "\n  limit: 1GB "));
	scene_free(s);
}

static void types_of_events(void **state)
{
	(void)state;
	assert_int_equal(events("none"), 0);
	assert_int_equal(events("mark"), 1ull << EV_MARK);
	assert_int_equal(events("[mark, drop]"), 1ull << EV_MARK | 1ull << EV_DROP);
	assert_int_equal(events("[all, xoff_holder]"), events("all") | 1ull << EV_XOFF_HOLDER);
	assert_int_equal(events("all") >> EV_XOFF_HOLDER & 1, 0);
}

static void flows_are(const char *yaml, const char *words, enum scene_flows flows, unsigned n)
{
	struct scene *s = lab_with(yaml, "record.flows", words);

	assert_int_equal(s->record.flows, flows);
	assert_int_equal(s->record.flows_n, n);
	scene_free(s);
}

#define MANY(qps)                                          \
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {incast: {from: h1..2, to: r, qps: " qps "}}\n"

// So many that nobody reads them one by one are summed up.
static void flows_by_number(void **state)
{
	(void)state;
	flows_are(LAB, "all", SCENE_FLOWS_ALL, 0);
	flows_are(LAB, "summary", SCENE_FLOWS_SUMMARY, 0);
	flows_are(LAB, "top 10", SCENE_FLOWS_TOP, 10);
	flows_are(LAB, "one in 16", SCENE_FLOWS_ONE_IN, 16);
	flows_are(MANY("128"), "auto", SCENE_FLOWS_ALL, 0);
	flows_are(MANY("129"), "auto", SCENE_FLOWS_SUMMARY, 0);
	flows_are(MANY("129"), "all", SCENE_FLOWS_ALL, 0);
}

static void the_other_keys(void **state)
{
	struct scene *s = lab_with(LAB, "record",
		"{series: no, limit: none, format: binary, compress: none, rate: {mark: 1000}}");

	(void)state;
	assert_false(s->record.series);
	assert_true(s->record.limit == UINT64_MAX);
	assert_true(s->record.binary);
	assert_false(s->record.zstd);
	assert_int_equal(s->record.rate[EV_MARK], 1000);
	assert_int_equal(s->record.rate[EV_DROP], 0);
	assert_non_null(strstr(s->resolved, "  rate: {mark: 1000}"));
	scene_free(s);
}

static void what_is_refused(void **state)
{
	(void)state;
	lab_refuse(LAB "record: {events: [mark, xof_tx]}\n",
		"lab.yaml:6:25: events: there is no type of event 'xof_tx'; did you mean "
		"'xoff_tx'?");
	lab_refuse(LAB "record: {events: sample}\n",
		"lab.yaml:6:18: events: there is no type of event 'sample'");
	lab_refuse(LAB "record: {events: [[mark]]}\n", "lab.yaml:6:19: events: write a list");
	lab_refuse(LAB "record: {flows: top}\n",
		"lab.yaml:6:17: flows: 'top' is not right; write all, summary, top N, one in N or "
		"auto, with N from 1");
	lab_refuse(LAB "record: {flows: one in 0}\n", "lab.yaml:6:17: flows: 'one in 0' is not");
	lab_refuse(LAB "record: {limit: 10}\n", "lab.yaml:6:17: limit: 10 is out of range");
	lab_refuse(LAB "record: {rate: {marks: 10}}\n",
		"lab.yaml:6:17: rate: there is no type of event 'marks'; did you mean 'mark'?");
	lab_refuse(LAB "record: {rate: {mark: 0}}\n",
		"lab.yaml:6:23: rate: mark: write a whole number of lines a second, from 1");
	lab_refuse(LAB "record: {format: xml}\n", "lab.yaml:6:18: format: 'xml' is not right");
	lab_refuse(LAB "record: {event: none}\n",
		"lab.yaml:6:10: unknown key 'event' in record; did you mean 'events'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(types_of_events),
		cmocka_unit_test(flows_by_number),
		cmocka_unit_test(the_other_keys),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
