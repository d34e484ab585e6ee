// SPDX-License-Identifier: BSD-3-Clause
// Tests of groups: a flow joins those of its name and destination, and a name of several
// destinations names them.
#include "record_lab.h"

#include "tally/int.h"

static struct lab l;
static struct record r;
static struct rec_flow flow[64];

static int load(void **state)
{
	struct scene_opts so = {0};

	(void)state;
	lab_open(&l, "duration: 1ms\ntopology: {star: {hosts: 6, rate: 10Gbps}}\nflows:\n"
		     "  b: {from: h1..2, to: h3..6, qps: 2}\n"
		     "  a: {from: h2..3, to: h1}\n"
		     "  c: {from: h5..6, to: h1}\n"
		     "  bb: {from: h4, to: h3}\n");
	if (compile_scene(&l.scene, l.file, &so, &l.err))
		fail_msg("%s", l.err.text);
	r = (struct record){.scene = l.scene, .n_flows = l.scene->n_flows, .flow = flow};
	assert_int_equal(record_groups_build(&r), 0);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	free(r.group);
	lab_close(&l);
	return 0;
}

static void flows_of_a_name_and_destination_are_one(void **state)
{
	static const char *const name[] = {"b>h3", "b>h4", "b>h5", "b>h6", "a", "c", "bb"};
	static const unsigned first[] = {0, 2, 4, 6, 16, 18, 20}, n[] = {4, 4, 4, 4, 2, 2, 1};

	(void)state;
	assert_int_equal(r.n_groups, 7);
	for (unsigned g = 0; g < 7; g++) {
		assert_string_equal(r.group[g].name, name[g]);
		assert_int_equal(r.group[g].first, first[g]);
		assert_int_equal(r.group[g].n, n[g]);
		assert_int_equal(r.group[g].to, l.scene->flow[first[g]]->to);
	}
}

static void each_flow_knows_its_group(void **state)
{
	(void)state;
	for (unsigned i = 0; i < r.n_flows; i++) {
		const struct scene_flow *f = l.scene->flow[i];
		const struct scene_flow *first = l.scene->flow[r.group[flow[i].group].first];

		assert_string_equal(f->group, first->group);
		assert_int_equal(f->to, first->to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_of_a_name_and_destination_are_one),
		cmocka_unit_test(each_flow_knows_its_group),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
