// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/sonic: a leaf switch with 32 ports becomes the scene that its tables mean.
#include "sonic_lab.h"

#define LEAF TEST_DATA "/sonic/leaf_32x100g.json"

static struct scene *leaf(struct sonic_import *in, const char *port_map)
{
	if (sonic_import(in, LEAF, port_map, &lab_err))
		fail_msg("%s", lab_err.text);
	return lab(in->yaml);
}

static void a_leaf_is_a_switch_with_a_host_at_each_port(void **state)
{
	struct sonic_import in;
	struct scene *s = leaf(&in, NULL);
	const struct scene_node *sw = lab_node(s, "s1");

	(void)state;
	assert_int_equal(s->n_nodes, 33);
	assert_int_equal(sw->n_ports, 32);
	assert_string_equal(sw->port[0].name, "s1:h1");
	assert_int_equal(sw->port[0].rate, 100 * RATE_GBPS);
	assert_int_equal(sw->port[0].mtu, 9118);
	assert_int_equal(sw->port[0].delay, 25253);   // 5 m at 198 m/us
	assert_int_equal(sw->port[31].delay, 202020); // 40 m
	assert_int_equal(s->n_flows, 8);
	assert_int_equal(s->flow[0]->cls, 3);
	for (unsigned i = 0; i < s->n_warnings; i++)
		assert_null(strstr(s->warning[i].text, "puts its frames into class"));
	scene_free(s);
	sonic_free(&in);
}

static void its_pools_and_groups_are_those_of_the_tables(void **state)
{
	struct sonic_import in;
	struct scene *s = leaf(&in, NULL);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct mmu_pg_params *pg = &p->port[0].pg[3], *far = &p->port[31].pg[4];

	(void)state;
	assert_int_equal(p->buffer_bytes, 15982720);
	assert_int_equal(p->ingress_bytes, 10875072);
	assert_int_equal(p->headroom_pool_bytes, 4194112);
	assert_int_equal(p->egress_bytes[0], 15982720);
	assert_int_equal(p->egress_bytes[1], 9243812);
	assert_true(pg->lossless);
	assert_int_equal(pg->threshold, MMU_DYNAMIC);
	assert_int_equal(pg->dynamic_th, -3);
	assert_int_equal(pg->reserved_bytes, 1248);
	assert_int_equal(pg->xon_bytes, 2288);
	assert_int_equal(pg->xon_offset_bytes, 2288);
	assert_int_equal(pg->headroom_bytes, 96928);
	assert_int_equal(far->headroom_bytes, 107536);
	assert_false(p->port[0].pg[0].lossless);
	assert_int_equal(p->port[0].pg[0].static_bytes, 15982720);
	assert_int_equal(p->port[0].queue[0].dynamic_th, 1);
	assert_int_equal(p->port[0].queue[0].reserved_bytes, 1664);
	assert_int_equal(p->port[0].queue[3].static_bytes, 15982720);
	scene_free(s);
	sonic_free(&in);
}

static void its_classes_mark_share_and_are_watched(void **state)
{
	struct sonic_import in;
	struct scene *s = leaf(&in, NULL);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct sw_class_params *c = &p->cls[3];

	(void)state;
	assert_true(c->pfc && p->cls[4].pfc && !p->cls[0].pfc);
	assert_int_equal(c->red.kmin_bytes, 250000);
	assert_int_equal(c->red.kmax_bytes, 1048576);
	assert_true(c->red.pmax == 0.05);
	assert_int_equal(c->wred, SW_WRED_NOT_ECT);
	assert_int_equal(p->cls[0].mark, SW_MARK_NONE);
	assert_int_equal(c->weight, 15);
	assert_int_equal(p->cls[0].weight, 14);
	assert_true(p->cls[6].strict);
	assert_false(p->cls[7].strict);
	assert_int_equal(p->dscp_to_class[3], 3);
	assert_int_equal(p->dscp_to_class[46], 5);
	assert_int_equal(p->dscp_to_class[48], 6);
	assert_int_equal(p->dscp_to_class[10], 1);
	assert_int_equal(p->port[9].wd_classes, 1 << 3 | 1 << 4);
	assert_int_equal(p->port[9].wd.detection, 200 * PS_PER_MS);
	scene_free(s);
	sonic_free(&in);
}

static void some_ports_have_the_hosts_that_are_asked_for(void **state)
{
	struct sonic_import in;
	struct scene *s = leaf(&in, "Ethernet0=gpu-a,Ethernet124=gpu-b,Ethernet4=store");

	(void)state;
	assert_int_equal(s->n_nodes, 4);
	assert_string_equal(lab_node(s, "s1")->port[1].name, "s1:gpu-b");
	assert_int_equal(lab_node(s, "s1")->u.sw.port[1].pg[3].headroom_bytes, 107536);
	assert_int_equal(s->n_flows, 2);
	sonic_left_has(&in, "PORT|Ethernet8 .. PORT|Ethernet120 (29 in all): not in --port-map");
	scene_free(s);
	sonic_free(&in);
}

static void what_is_left_stands_in_the_scenario_too(void **state)
{
	struct sonic_import in;
	struct scene *s = leaf(&in, NULL);

	(void)state;
	assert_true(in.n_left > 5);
	for (unsigned i = 0; i < in.n_left; i++)
		assert_non_null(strstr(in.yaml, in.left[i]));
	scene_free(s);
	sonic_free(&in);
}

static void a_file_that_is_not_there_is_told(void **state)
{
	struct sonic_import in;

	(void)state;
	assert_int_equal(sonic_import(&in, "/nosuch.json", NULL, &lab_err), -ENOENT);
	assert_string_equal(lab_err.text, "/nosuch.json: No such file or directory");
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_leaf_is_a_switch_with_a_host_at_each_port),
		cmocka_unit_test(its_pools_and_groups_are_those_of_the_tables),
		cmocka_unit_test(its_classes_mark_share_and_are_watched),
		cmocka_unit_test(some_ports_have_the_hosts_that_are_asked_for),
		cmocka_unit_test(what_is_left_stands_in_the_scenario_too),
		cmocka_unit_test(a_file_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
