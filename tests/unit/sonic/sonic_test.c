// SPDX-License-Identifier: BSD-3-Clause
// A leaf switch with 32 ports becomes the scene that its tables mean; SONiC's ways to write
// references, keys and numbers; what a scenario does not hold is named, once.
#include "sonic/int.h"

#include "sonic_lab.h"

#define LEAF TEST_DATA "/sonic/leaf_32x100g.json"

static struct scene *leaf(struct sonic_import *in, const char *port_map)
{
	const char *const paths[] = {LEAF};
	const struct sonic_opts opts = {.paths = paths, .n_paths = 1, .port_map = port_map};

	if (sonic_import(in, &opts, &lab_err))
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
	assert_false(p->port[0].queue[3].limited); // static_th is the pool
	assert_false(p->port[0].queue[0].one_pool);
	scene_free(s);
	sonic_free(&in);
}

static void its_classes_mark_share_and_are_watched(void **state)
{
	struct sonic_import in;
	struct scene *s = leaf(&in, NULL);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct sw_class_params *c = &p->set->cls[3];

	(void)state;
	assert_true(c->pfc && p->set->cls[4].pfc && !p->set->cls[0].pfc);
	assert_int_equal(c->red.kmin_bytes, 250000);
	assert_int_equal(c->red.kmax_bytes, 1048576);
	assert_true(c->red.pmax == 0.05);
	assert_int_equal(c->wred, SW_WRED_NOT_ECT);
	assert_int_equal(p->set->cls[0].mark, SW_MARK_NONE);
	assert_int_equal(c->weight, 15);
	assert_int_equal(p->set->cls[0].weight, 14);
	assert_true(p->set->cls[6].strict);
	assert_false(p->set->cls[7].strict);
	assert_int_equal(p->set->dscp_to_class[3], 3);
	assert_int_equal(p->set->dscp_to_class[46], 5);
	assert_int_equal(p->set->dscp_to_class[48], 6);
	assert_int_equal(p->set->dscp_to_class[10], 1);
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
	const char *const paths[] = {"/nosuch.json"};
	const struct sonic_opts opts = {.paths = paths, .n_paths = 1};
	struct sonic_import in;

	(void)state;
	assert_int_equal(sonic_import(&in, &opts, &lab_err), -ENOENT);
	assert_string_equal(lab_err.text, "/nosuch.json: No such file or directory");
	sonic_free(&in);
}

static void what_is_no_config_is_told_with_its_place(void **state)
{
	(void)state;
	sonic_is_refused("{'PORT':\n {'Ethernet0' {}}}", NULL,
		"db.json:2:15: not JSON: ':' expected near '{'; "
		"a SONiC switch's config_db.json is wanted");
	sonic_is_refused("[]", NULL,
		"db.json:1:1: holds no object of tables; a SONiC switch's config_db.json is "
		"wanted");
	sonic_is_refused("{'PORT':3}", NULL,
		"db.json: 'PORT' is no object; a table of config_db.json is one of rows");
	sonic_is_refused("{}", NULL,
		"db.json: has no table PORT; a SONiC switch's config_db.json is wanted");
	sonic_is_refused("{'A':{},'A':{}}", NULL,
		"db.json:1:11: said twice: duplicate object key near '\"A\"'; "
		"a SONiC switch's config_db.json is wanted");
}

static void a_key_has_ports_and_a_range(void **state)
{
	struct sonic *s = calloc(1, sizeof(*s));

	(void)state;
	assert_non_null(s);
	s->by_name = json_pack("{s:i}", "Ethernet4", 0);
	assert_true(sonic_db_is_taken(s, "Ethernet4|3-4"));
	assert_true(sonic_db_is_taken(s, "Ethernet0,Ethernet4|3-4"));
	assert_true(sonic_db_is_taken(s, "Ethernet0,Ethernet4"));
	assert_false(sonic_db_is_taken(s, "Ethernet0,Ethernet40|3"));
	assert_false(sonic_db_is_taken(s, "Ethernet40|4"));
	json_decref(s->by_name);
	free(s);
}

static void rows_are_found_by_reference_and_index(void **state)
{
	struct arena a = {0};
	struct err err;
	struct sonic *s = calloc(1, sizeof(*s));
	const char *key;
	int64_t n = 0;

	(void)state;
	assert_non_null(s);
	s->a = &a;
	s->err = &err;
	s->root = json_loads("{\"T\":{\"x\":{\"n\":\"12\",\"m\":7,\"o\":\"12x\"}},"
			     "\"QUEUE\":{\"E0|3-4\":{},\"E0|6\":{},\"E0,E4|0-2\":{}}}",
		0, NULL);
	assert_non_null(s->root);

	const json_t *row = sonic_db_row(s, "T", "[T|x]");

	assert_ptr_equal(row, sonic_db_row(s, "T", "x"));
	assert_non_null(row);
	assert_null(sonic_db_row(s, "T", "y"));
	assert_true(sonic_db_is_used(s, row));
	assert_true(sonic_db_number(s, row, "T|x", "n", 0, 12, &n) && n == 12);
	assert_true(sonic_db_number(s, row, "T|x", "m", 0, 12, &n) && n == 7);
	assert_false(sonic_db_number(s, row, "T|x", "none", 0, 12, &n));
	assert_int_equal(s->n_left, 0);
	assert_false(sonic_db_number(s, row, "T|x", "n", 0, 11, &n));
	assert_false(sonic_db_number(s, row, "T|x", "o", 0, 12, &n));
	assert_int_equal(n, 7);
	assert_int_equal(s->n_left, 2);
	s->port[0].name = "E0";
	s->port[1].name = "E4";
	s->n_ports = 2;
	assert_int_equal(sonic_db_index(s), 0);
	assert_non_null(sonic_db_indexed(s, &s->port[0], SONIC_QUEUE, 4, &key));
	assert_string_equal(key, "E0|3-4");
	assert_non_null(sonic_db_indexed(s, &s->port[1], SONIC_QUEUE, 1, &key));
	assert_string_equal(key, "E0,E4|0-2");
	assert_null(sonic_db_indexed(s, &s->port[0], SONIC_QUEUE, 5, &key));
	assert_null(sonic_db_indexed(s, &s->port[1], SONIC_QUEUE, 3, &key));
	json_decref(s->by_name);
	json_decref(s->root);
	free(s);
	arena_free(&a);
}

static void fields_rows_and_tables_are_named(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in,
		"{" SONIC_PORTS_2 "," SONIC_MAPS ",'VLAN':{'Vlan1':{}},'NTP':{},"
		"'TC_TO_DSCP_MAP':{'A':{}},'WRED_PROFILE':{'W':{'ecn':'ecn_all'}},"
		"'QUEUE':{'Ethernet0,Ethernet4|3':{'scheduler':'s'},"
		"'Ethernet0|9':{},'Ethernet8|3':{}},"
		"'SCHEDULER':{'s':{'type':'DWRR','weight':'7','priority':'1','shape':'round'}}}");
	sonic_left_has(&in, "VLAN, NTP: say nothing of buffers, classes, marking or PFC");
	sonic_left_has(&in, "TC_TO_DSCP_MAP: frames leave with the DSCP that they came with");
	sonic_left_has(&in, "WRED_PROFILE|W: no port that is taken uses it");
	sonic_left_has(&in, "QUEUE|Ethernet0|9: no class is mapped to it");
	sonic_left_has(&in, "QUEUE|Ethernet8|3: names a port that table PORT lacks: Ethernet8");
	sonic_left_has(&in, "SCHEDULER|s priority: strict queues are served from the highest");
	sonic_left_has(&in, "SCHEDULER|s shape: no option of a scenario means it");
	assert_false(sonic_is_left(&in, "SCHEDULER|s weight"));
	sonic_free(&in);
}

static void many_places_with_one_reason_are_one_line(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, "{" SONIC_PORTS_2 "," SONIC_MAPS "}");
	sonic_left_has(&in, "BUFFER_PG|Ethernet0|0 .. BUFFER_PG|Ethernet4|7 (8 in all): config_db "
			    "lacks it");
	sonic_left_has(&in, "BUFFER_QUEUE|Ethernet0|0 .. BUFFER_QUEUE|Ethernet4|7 (16 in all): "
			    "config_db lacks it");
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
		cmocka_unit_test(what_is_no_config_is_told_with_its_place),
		cmocka_unit_test(a_key_has_ports_and_a_range),
		cmocka_unit_test(rows_are_found_by_reference_and_index),
		cmocka_unit_test(fields_rows_and_tables_are_named),
		cmocka_unit_test(many_places_with_one_reason_are_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
