// SPDX-License-Identifier: BSD-3-Clause
// Ports in service, and groups of them that are equal in maps, markers, weights and PFC: the values
// of the largest group are the switch's, wherever its ports stand in the file.
#include "sonic_lab.h"

#define UP "'speed':'100000','admin_status':'up'"
#define TABLES                                                                             \
	"'BUFFER_PG':{'E0,E1|3':{'profile':'p'},'E2,E3,E4|3':{'profile':'p'}},"            \
	"'BUFFER_PROFILE':{'p':{'xoff':'50000','dynamic_th':'0'}},"                        \
	"'WRED_PROFILE':{'w':{'ecn':'ecn_all','green_min_threshold':'1000',"               \
	"'green_max_threshold':'2000'}},'DSCP_TO_TC_MAP':{'A':{'26':'3'},'B':{'26':'4'}}," \
	"'QUEUE':{'E2,E3,E4|3':{'wred_profile':'w','scheduler':'s'}},'SCHEDULER':{'s':{"   \
	"'type':'DWRR','weight':'7'}},'PORT_QOS_MAP':{'E0,E1':{'dscp_to_tc_map':'B'},"     \
	"'E2,E3,E4':{'dscp_to_tc_map':'A','pfc_enable':'3'}}"
#define FIVE                                                                                      \
	"{'PORT':{'E0':{" UP "},'E1':{" UP "},'E2':{" UP "},'E3':{" UP "},'E4':{" UP "}}," TABLES \
	"}"

static void a_port_that_is_not_configured_decides_nothing(void **state)
{
	static const char *const file[] = {
		TEST_DATA "/sonic/front.json", TEST_DATA "/sonic/majority.json"};
	struct sonic_import in;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		sonic_get_file(&in, file[i]);

		struct scene *s = lab(in.yaml);
		const struct sw_params *p = &lab_node(s, "s1")->u.sw;

		assert_int_equal(s->n_nodes, 4);
		assert_int_equal(p->set->dscp_to_class[26], 3);
		assert_true(p->set->cls[3].pfc);
		assert_int_equal(p->set->cls[3].red.kmin_bytes, 500000);
		sonic_left_has(&in, "PORT|Ethernet0");
		scene_free(s);
		sonic_free(&in);
	}
}

static void without_admin_status_ports_with_a_speed_are_in_service(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, "{'PORT':{'E0':{},'E1':{'speed':'1000'},'E2':{'speed':'1000'}}}");
	sonic_has(&in, "h1: # at E1\nh2: # at E2\n\n");
	sonic_left_has(&in, "PORT|E0: it has neither admin_status nor speed");
	sonic_left_has(&in, "PORT: no port has admin_status, as in a device's template");
	sonic_free(&in);
}

static const struct sw_set_params *set_of(const struct scene *s, unsigned port)
{
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	return &p->set[p->port[port].set];
}

static void all_ports_are_taken_with_their_own_values(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in, FIVE);

	(void)state;
	assert_int_equal(s->n_nodes, 6);
	assert_int_equal(lab_node(s, "s1")->u.sw.n_sets, 2);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(set_of(s, i)->dscp_to_class[26], i < 2 ? 4 : 3);
		assert_int_equal(set_of(s, i)->cls[3].weight, i < 2 ? 1 : 7);
		assert_int_equal(set_of(s, i)->cls[3].pfc, i >= 2);
		assert_int_equal(set_of(s, i)->cls[3].mark == SW_MARK_NONE, i < 2);
	}
	sonic_has(&in, "\"s1:h1..2\": # E0 to E1; sources are those of E0\n");
	sonic_has(&in, "classes:");
	scene_free(s);
	sonic_free(&in);
}

// Its values are the switch's, so that only the others have entries.
static void the_largest_group_is_the_switchs_wherever_it_stands(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, FIVE);
	sonic_has(&in, "dscp_map: # DSCP_TO_TC_MAP|A\n");
	assert_null(strstr(in.yaml, "\"s1:h3"));
	assert_false(sonic_is_left(&in, "of group"));
	sonic_free(&in);
}

static void a_group_alone_is_taken_on_demand(void **state)
{
	struct sonic_import in;
	struct scene *s;

	(void)state;
	lab_group = 2;
	s = sonic_scene(&in, FIVE);
	assert_int_equal(s->n_nodes, 3);
	assert_int_equal(set_of(s, 0)->dscp_to_class[26], 4);
	sonic_left_has(&in,
		"PORT|E2, PORT|E3, PORT|E4: of group 1: dscp_to_tc_map, class 3 weight 7 (not "
		"given in group 2)");
	sonic_left_has(&in, "--group 1 takes it");
	scene_free(s);
	sonic_free(&in);
	lab_group = 3;
	sonic_is_refused(FIVE, NULL, "db.json: --group 3: the ports in service form 2 groups");
	sonic_is_refused(
		FIVE, "E0=a,E1=b", "--group goes without --port-map, which names the ports itself");
	lab_group = 0;
}

static void a_port_map_takes_ports_of_several_groups(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene_of(&in, "E0=a,E2=b,E3=c", FIVE);

	(void)state;
	assert_int_equal(s->n_nodes, 4);
	assert_int_equal(set_of(s, 0)->dscp_to_class[26], 4);
	assert_int_equal(set_of(s, 1)->dscp_to_class[26], 3);
	sonic_has(&in, "\"s1:a\": # E0\n");
	scene_free(s);
	sonic_free(&in);
}

static void of_groups_of_one_size_the_lossless_one_is_the_switchs(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in,
		"{'PORT':{'E0':{" UP "},'E1':{" UP "},'E2':{" UP "},'E3':{" UP "}}," TABLES "}");
	sonic_has(&in, "dscp_map: # DSCP_TO_TC_MAP|A\n");
	sonic_free(&in);
}

static void ports_of_the_backplane_are_no_hosts(void **state)
{
	static const char text[] = "{'PORT':{'E0':{" UP "},'E1':{" UP ",'role':'Ext'},'B0':{" UP
				   ",'role':'Int'},'R0':{" UP ",'role':'Rec'}}}";
	struct sonic_import in;
	struct scene *s = sonic_scene(&in, text);

	(void)state;
	assert_int_equal(s->n_nodes, 3);
	sonic_left_has(&in, "PORT|B0, PORT|R0: its role is not Ext: no host is behind it");
	scene_free(s);
	sonic_free(&in);
	sonic_is_refused(text, "E0=a,B0=b",
		"--port-map 'B0=b': the port leads to no host: its role is not Ext");
}

static void ports_that_are_all_different_are_taken(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in, "{'PORT':{'E1':{" UP "},'E2':{" UP "}}," TABLES "}");

	(void)state;
	assert_int_equal(s->n_nodes, 3);
	assert_int_equal(set_of(s, 0)->dscp_to_class[26], 4);
	assert_int_equal(set_of(s, 1)->dscp_to_class[26], 3);
	scene_free(s);
	sonic_free(&in);
	lab_group = 1;
	sonic_is_refused("{'PORT':{'E1':{" UP "},'E2':{" UP "}}," TABLES "}", NULL,
		"db.json: --group 1 has one port, E2; a scenario wants two at least; --port-map "
		"names those to take");
	lab_group = 0;
	sonic_is_refused("{'PORT':{'E1':{" UP "},'E2':{'speed':'10'}}}", NULL,
		"db.json: of table PORT, 1 in service (admin_status up); a scenario wants two at "
		"least; --port-map takes others, too");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_that_is_not_configured_decides_nothing),
		cmocka_unit_test(without_admin_status_ports_with_a_speed_are_in_service),
		cmocka_unit_test(all_ports_are_taken_with_their_own_values),
		cmocka_unit_test(the_largest_group_is_the_switchs_wherever_it_stands),
		cmocka_unit_test(a_group_alone_is_taken_on_demand),
		cmocka_unit_test(a_port_map_takes_ports_of_several_groups),
		cmocka_unit_test(of_groups_of_one_size_the_lossless_one_is_the_switchs),
		cmocka_unit_test(ports_of_the_backplane_are_no_hosts),
		cmocka_unit_test(ports_that_are_all_different_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
