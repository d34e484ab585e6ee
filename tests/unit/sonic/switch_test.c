// SPDX-License-Identifier: BSD-3-Clause
// Pools, maps, and the values of most ports.
#include "sonic_lab.h"

#define PORTS_3                                                    \
	"'PORT':{'E0':{'speed':'100000'},'E1':{'speed':'100000'}," \
	"'E2':{'speed':'100000'}}"
#define ALL_3 "E0=h1,E1=h2,E2=h3"

static void pools_make_the_buffer(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		"{" SONIC_PORTS_2
		",'BUFFER_POOL':{'ingress_lossless_pool':{'size':'5000000','xoff':"
		"'1000000'},'ingress_lossy_pool':{'size':'2000000'},'egress_lossy_pool':{'size':"
		"'4000000'},'my_pool':{'size':'1'}}}");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->buffer_bytes, 6000000);
	assert_int_equal(p->ingress_bytes, 5000000);
	assert_int_equal(p->headroom_pool_bytes, 1000000);
	assert_int_equal(p->egress_bytes[0], 4000000);
	assert_true(p->port[0].queue[0].one_pool && p->port[0].queue[3].one_pool);
	sonic_left_has(&in, "BUFFER_POOL|ingress_lossy_pool: there is one ingress pool");
	sonic_left_has(&in, "BUFFER_POOL|my_pool: no port that is taken uses it");
	scene_free(s);
	sonic_free(&in);
	sonic_get(&in, "{" PORTS_3 ",'BUFFER_POOL':{'ingress_lossless_pool':{'type':'ingress'}}}");
	sonic_left_has(&in, "BUFFER_POOL: no pool has a size: the scenario's default buffer");
	sonic_free(&in);
}

// Some ASICs' pools leave out the bytes that groups own.
static void a_pool_below_its_groups_is_larger_by_them(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		"{" SONIC_PORTS_2 ",'BUFFER_POOL':{'ingress_lossless_pool':{'size':'90000'}},"
		"'BUFFER_PG':{'Ethernet0,Ethernet4|3':{'profile':'p'}},"
		"'BUFFER_PROFILE':{'p':{'pool':'ingress_lossless_pool','size':'60000',"
		"'xoff':'50000','dynamic_th':'1'}}}");

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.ingress_bytes, 90000 + 2 * 60000);
	assert_true(lab_node(s, "s1")->u.sw.buffer_bytes >= 210000);
	sonic_has(&in, "ingress: 210000 # BUFFER_POOL|ingress_lossless_pool size and 120000 bytes "
		       "that groups own: the pool leaves them out\n");
	scene_free(s);
	sonic_free(&in);
}

// The dynamic model computes sizes, and config_db has the headroom pool alone.
static void a_headroom_pool_wants_a_buffer_around_it(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		"{" SONIC_PORTS_2 ",'BUFFER_POOL':{'ingress_lossless_pool':{'xoff':'4194112'}}}");

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.headroom_pool_bytes, 0);
	sonic_left_has(&in,
		"BUFFER_POOL|ingress_lossless_pool xoff: no pool has a size that it could be part "
		"of");
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in,
		"{" SONIC_PORTS_2 ",'BUFFER_POOL':{'ingress_lossless_pool':{'xoff':'1000000'},"
		"'egress_lossless_pool':{'size':'5000000'}}}");
	assert_int_equal(lab_node(s, "s1")->u.sw.buffer_bytes, 5000000);
	assert_int_equal(lab_node(s, "s1")->u.sw.headroom_pool_bytes, 1000000);
	scene_free(s);
	sonic_free(&in);
}

static void each_port_has_its_maps(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene_of(&in, ALL_3,
		"{" PORTS_3 ",'DSCP_TO_TC_MAP':{'A':{'10':'2','11':'9'},'B':{'10':'3'}},"
		"'DOT1P_TO_TC_MAP':{'D':{'5':'4'}},"
		"'PORT_QOS_MAP':{'E0':{'dscp_to_tc_map':'A','dot1p_to_tc_map':'D'},"
		"'E1':{'dscp_to_tc_map':'B','dot1p_to_tc_map':'D'},'E2':{'dscp_to_tc_map':'A',"
		"'dot1p_to_tc_map':'D'}}}");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->set->dscp_to_class[10], 2);
	assert_int_equal(p->set->dscp_to_class[63], 0);
	assert_int_equal(p->set->pcp_to_class[5], 4);
	assert_int_equal(p->port[0].trust, SW_TRUST_DSCP);
	assert_int_equal(p->set[p->port[1].set].dscp_to_class[10], 3);
	assert_int_equal(p->set[p->port[1].set].pcp_to_class[5], 4);
	assert_int_equal(p->port[2].set, p->port[0].set);
	sonic_has(&in, "\"s1:h2\": # E1\ndscp_map: {10: 3} # DSCP_TO_TC_MAP|B\n");
	sonic_left_has(&in, "DSCP_TO_TC_MAP|A 11 '9': is no whole number from 0 to 7");
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in,
		"{" PORTS_3 ",'DSCP_TO_TC_MAP':{'A':{'10':'2'}},'PORT_QOS_MAP':{'global':"
		"{'dscp_to_tc_map':'A'}}}");
	assert_int_equal(lab_node(s, "s1")->u.sw.set->dscp_to_class[10], 2);
	scene_free(s);
	sonic_free(&in);
}

static void without_maps_all_is_class_0(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in, "{" PORTS_3 "}");

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.set->dscp_to_class[48], 0);
	assert_int_equal(s->flow[0]->cls, 0);
	sonic_left_has(&in, "PORT_QOS_MAP|E0, PORT_QOS_MAP|E1, PORT_QOS_MAP|E2: no map from DSCP "
			    "or PCP: as in SONiC every frame has TC 0");
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in, "{" PORTS_3 ",'DOT1P_TO_TC_MAP':{'D':{'5':'4'}},'PORT_QOS_MAP':{"
			     "'E0,E1,E2':{'dot1p_to_tc_map':'D'}}}");
	assert_int_equal(lab_node(s, "s1")->u.sw.port[0].trust, SW_TRUST_PCP);
	scene_free(s);
	sonic_free(&in);
}

static void ports_differ_in_thresholds_and_weights(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene_of(&in, ALL_3,
		"{" PORTS_3 ",'BUFFER_PG':{'E0,E2|3':{'profile':'p'},'E1|3':{'profile':'q'}},"
		"'BUFFER_PROFILE':{'p':{'xoff':'50000','dynamic_th':'1'},'q':{'xoff':'60000',"
		"'static_th':'70000'}},"
		"'QUEUE':{'E0,E2|3':{'scheduler':'a'},'E1|3':{'scheduler':'b'}},"
		"'SCHEDULER':{'a':{'type':'DWRR','weight':'5'},'b':{'type':'DWRR','weight':'6'}}}");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->port[0].pg[3].dynamic_th, 1);
	assert_int_equal(p->port[0].pg[3].headroom_bytes, 50000);
	assert_int_equal(p->port[1].pg[3].threshold, MMU_STATIC);
	assert_int_equal(p->port[1].pg[3].static_bytes, 70000);
	assert_int_equal(p->port[1].pg[3].headroom_bytes, 60000);
	assert_int_equal(p->port[2].pg[3].dynamic_th, 1);
	assert_int_equal(p->set->cls[3].weight, 5);
	assert_int_equal(p->set[p->port[1].set].cls[3].weight, 6);
	scene_free(s);
	sonic_free(&in);
}

static void a_port_may_be_lossy_where_most_are_not(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene_of(&in, ALL_3,
		"{" PORTS_3 ",'BUFFER_PG':{'E0,E2|3':{'profile':'p'},'E1|3':{'profile':'q'}},"
		"'BUFFER_PROFILE':{'p':{'xoff':'50000','dynamic_th':'1'},'q':{'dynamic_th':'2'}}}");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_true(p->port[0].pg[3].lossless);
	assert_false(p->port[1].pg[3].lossless);
	assert_int_equal(p->port[1].pg[3].dynamic_th, 2);
	assert_int_equal(p->port[1].pg[3].headroom_bytes, 0);
	scene_free(s);
	sonic_free(&in);
}

static void a_port_trusts_the_field_of_its_map(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene_of(&in, ALL_3,
		"{" PORTS_3 ",'DOT1P_TO_TC_MAP':{'D':{'5':'4'}},'DSCP_TO_TC_MAP':{'A':{'10':'2'}},"
		"'PORT_QOS_MAP':{'E0,E2':{'dot1p_to_tc_map':'D'},'E1':{'dscp_to_tc_map':'A'}}}");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->port[0].trust, SW_TRUST_PCP);
	assert_int_equal(p->set[p->port[0].set].pcp_to_class[5], 4);
	assert_int_equal(p->set[p->port[0].set].pcp_to_class[6], 0);
	assert_int_equal(p->port[1].trust, SW_TRUST_DSCP);
	assert_int_equal(p->set[p->port[1].set].dscp_to_class[10], 2);
	assert_int_equal(p->set[p->port[1].set].pcp_to_class[6], 6);
	scene_free(s);
	sonic_free(&in);
}

// The value that the switch has and the port lacks is the default at the port.
static void a_value_that_a_port_lacks_is_the_default(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene_of(&in, ALL_3,
		"{" PORTS_3 ",'BUFFER_PG':{'E0,E2|3':{'profile':'p'},'E1|3':{'profile':'q'}},"
		"'BUFFER_PROFILE':{'p':{'xoff':'50000','xon':'2000','xon_offset':'4000','size':"
		"'1000','static_th':'90000'},'q':{'xoff':'60000'},'e':{'size':'500',"
		"'dynamic_th':'1'}},'BUFFER_QUEUE':{'E0,E2|3':{'profile':'e'}},"
		"'QUEUE':{'E0,E2|3':{'scheduler':'s','wred_profile':'w'}},"
		"'WRED_PROFILE':{'w':{'ecn':'ecn_all','green_min_threshold':'1000',"
		"'green_max_threshold':'2000','weight':'9'}},"
		"'SCHEDULER':{'s':{'type':'STRICT','pir':'125000000'}}}");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	const struct sw_port_params *o = &p->port[1];
	const struct sw_class_params *c = &p->set[o->set].cls[3];

	(void)state;
	assert_int_equal(p->port[0].pg[3].static_bytes, 90000);
	assert_int_equal(o->pg[3].threshold, MMU_DYNAMIC);
	assert_int_equal(o->pg[3].dynamic_th, -3);
	assert_int_equal(o->pg[3].xon_bytes, 0);
	assert_int_equal(o->pg[3].xon_offset_bytes, 3000);
	assert_int_equal(o->pg[3].reserved_bytes, 0);
	assert_int_equal(o->pg[3].headroom_bytes, 60000);
	assert_false(o->queue[3].limited);
	assert_int_equal(o->queue[3].reserved_bytes, 0);
	assert_false(c->strict);
	assert_int_equal(c->mark, SW_MARK_NONE);
	assert_int_equal(p->set[p->port[2].set].cls[3].wred_exponent, 9);
	assert_true(p->port[2].max_rate[3] > 0);
	assert_int_equal(o->max_rate[3], 0);
	scene_free(s);
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pools_make_the_buffer),
		cmocka_unit_test(a_pool_below_its_groups_is_larger_by_them),
		cmocka_unit_test(a_headroom_pool_wants_a_buffer_around_it),
		cmocka_unit_test(each_port_has_its_maps),
		cmocka_unit_test(without_maps_all_is_class_0),
		cmocka_unit_test(ports_differ_in_thresholds_and_weights),
		cmocka_unit_test(a_port_may_be_lossy_where_most_are_not),
		cmocka_unit_test(a_port_trusts_the_field_of_its_map),
		cmocka_unit_test(a_value_that_a_port_lacks_is_the_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
