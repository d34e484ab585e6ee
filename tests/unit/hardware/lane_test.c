// SPDX-License-Identifier: BSD-3-Clause
// Hosts on several lcores of the real clock.
#include "scene_lab.h"

#define FLOW(keys, a, b, ports)                                  \
	"duration: 1ms\nhosts: {a: {" a "}, b: {" b "}}\n"       \
	"links: [{between: [a, b], rate: 25Gbps, delay: 1us}]\n" \
	"ports: {" ports "}\nflows: {f: {from: a, to: b, " keys "}}\n"
#define HOSTS(a, b, ports) FLOW("qps: 7, rate: 1Gbps", a, b, ports)
#define DEVICES            "\"a:b\": {device: net_null0}, \"b:a\": {device: net_null1}"

static const struct scene_opts real = {.real = true};

static struct scene *loaded(const char *text, const struct scene_opts *opts)
{
	struct scene *s = NULL;

	if (lab_try(&s, text, opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static void refused(const char *text, const char *why)
{
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, text, &real), -EINVAL);
	assert_string_equal(lab_err.text, why);
}

// Each queue pair is in the lane of its number, at either end.
static void queue_pairs_are_divided_by_number(void **state)
{
	struct scene *s = loaded(HOSTS("lcores: 3", "lcores: 2", DEVICES), &real);
	unsigned n[5] = {0};

	(void)state;
	assert_int_equal(s->n_nodes, 5);
	assert_int_equal(s->node[0].n_lanes, 3);
	assert_int_equal(s->node[0].lane_at, 2);
	assert_int_equal(s->node[1].n_lanes, 2);
	assert_int_equal(s->node[1].lane_at, 4);
	assert_string_equal(s->node[3].name, "a#3");
	assert_string_equal(s->node[4].port[0].name, "b#2:a");
	assert_int_equal(s->n_flows, 7);
	for (unsigned i = 0; i < 7; i++) {
		const struct scene_flow *f = s->flow[i];

		assert_int_equal(scene_host_of(s, f->from), 0);
		assert_int_equal(scene_host_of(s, f->to), 1);
		assert_int_equal(s->node[f->from].lane, f->src_qp % 3);
		assert_int_equal(s->node[f->to].lane, f->dst_qp % 2);
		n[f->from]++;
		n[f->to]++;
	}
	for (unsigned i = 0; i < 5; i++) { // and it has tables for no more
		assert_int_equal(s->node[i].u.nic.max_qps, n[i]);
		assert_int_equal(s->node[i].u.nic.lanes, scene_host_of(s, i) ? 2 : 3);
		assert_int_equal(s->node[i].u.nic.lane, s->node[i].lane);
	}
	scene_free(s);
}

static void the_virtual_clock_has_one_thread(void **state)
{
	struct scene *s =
		loaded(HOSTS("lcores: 3", "", ""), &(struct scene_opts){.one_clock = true});

	(void)state;
	assert_int_equal(s->n_nodes, 2);
	assert_int_equal(s->node[0].n_lanes, 0);
	assert_int_equal(s->n_warnings, 1);
	assert_non_null(strstr(s->warning[0].text, "lcores"));
	scene_free(s);
}

static void what_cannot_be_divided_is_told(void **state)
{
	(void)state;
	refused(HOSTS("lcores: 2", "", ""),
		"lab.yaml:2:21: host 'a' has lcores: 2 and no device at a:b; a link in memory has "
		"one lcore at each end: give the port a device, or make several hosts of it");
	refused(HOSTS("lcores: 2, np: {cnps_per_s: 1000}", "", DEVICES),
		"lab.yaml:2:21: host 'a' has a notification point that several queue pairs share, "
		"which one lcore must have to itself; drop lcores");
	refused(HOSTS("lcores: 2, rp_scope: priority", "", DEVICES),
		"lab.yaml:2:21: host 'a' has rp_scope: priority, which one lcore must have to "
		"itself; drop lcores");
	refused(HOSTS("lcores: 2, max_rate: 50%", "", DEVICES),
		"lab.yaml:2:21: host 'a' has a max_rate, which one lcore must have to itself; drop "
		"lcores");
	refused(FLOW("sizes: 1KB, arrivals: closed(2)", "lcores: 2", "", DEVICES),
		"lab.yaml:2:21: host 'a' has a load with arrivals: closed, which one lcore must "
		"have to itself; drop lcores");
	refused(HOSTS("lcores: 33", "", DEVICES),
		"lab.yaml:2:21: lcores: 33 is out of range; it can be 1..32");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_pairs_are_divided_by_number),
		cmocka_unit_test(the_virtual_clock_has_one_thread),
		cmocka_unit_test(what_cannot_be_divided_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
