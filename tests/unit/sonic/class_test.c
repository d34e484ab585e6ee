// SPDX-License-Identifier: BSD-3-Clause
// Buffer profiles as options of groups and queues, and PFC.
#include "sonic_lab.h"

#define DB(tables) "{" SONIC_PORTS_2 "," SONIC_MAPS "," tables "}"
#define PG(profile) \
	"'BUFFER_PG':{'Ethernet0,Ethernet4|3':{'profile':'p'}},'BUFFER_PROFILE':{'p':{" profile "}}"

static const struct mmu_pg_params *group(struct scene *s)
{
	return &lab_node(s, "s1")->u.sw.port[0].pg[3];
}

static void without_a_headroom_pool_size_holds_the_headroom(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		DB(PG("'pool':'ingress_lossless_pool','size':'101376','xon':'19456','xoff':'81920',"
		      "'dynamic_th':'0'")));

	(void)state;
	assert_true(group(s)->lossless);
	assert_int_equal(group(s)->reserved_bytes, 19456);
	assert_int_equal(group(s)->headroom_bytes, 81920);
	assert_int_equal(group(s)->xon_bytes, 19456);
	assert_int_equal(group(s)->dynamic_th, 0);
	sonic_has(&in, "reserved: 19456 # BUFFER_PROFILE|p size - xoff\n");
	sonic_has(&in, "xon_offset: 1GiB # BUFFER_PROFILE|p has no xon_offset: at xon alone\n");
	scene_free(s);
	sonic_free(&in);
}

static void a_threshold_is_static_or_dynamic(void **state)
{
	struct sonic_import in;
	struct scene *s =
		sonic_scene(&in, DB(PG("'xoff':'50000','static_th':'90000','xon':'60000'")));

	(void)state;
	assert_int_equal(group(s)->threshold, MMU_STATIC);
	assert_int_equal(group(s)->static_bytes, 90000);
	assert_int_equal(group(s)->xon_offset_bytes, 30000);
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in, DB(PG("'xoff':'50000','static_th':'90000','dynamic_th':'2'")));
	assert_int_equal(group(s)->dynamic_th, 2);
	sonic_left_has(&in, "BUFFER_PROFILE|p static_th: a threshold is either dynamic or static");
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in, DB(PG("'xoff':'50000','static_th':'90000','xon':'95000'")));
	sonic_left_has(&in, "BUFFER_PROFILE|p xon: is above static_th");
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in, DB(PG("'xoff':'50000','dynamic_th':'8'")));
	sonic_left_has(&in, "BUFFER_PROFILE|p dynamic_th '8': is no whole number from -8 to 7");
	scene_free(s);
	sonic_free(&in);
}

// A scenario's queue takes from the pool of its class: a lossy profile left on a lossless queue is
// told.
static void a_queue_in_the_other_pool_is_named(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, DB("'BUFFER_PG':{'Ethernet0,Ethernet4|3':{'profile':'p'}},"
			  "'BUFFER_QUEUE':{'Ethernet0,Ethernet4|3':{'profile':'y'},"
			  "'Ethernet0,Ethernet4|1':{'profile':'y'},"
			  "'Ethernet0,Ethernet4|2':{'profile':'z'}},"
			  "'BUFFER_PROFILE':{'p':{'xoff':'50000','dynamic_th':'0'},"
			  "'y':{'pool':'[BUFFER_POOL|egress_lossy_pool]','dynamic_th':'1'},"
			  "'z':{'pool':'egress_lossless_pool','dynamic_th':'1'}}"));
	sonic_left_has(&in,
		"BUFFER_QUEUE|Ethernet0,Ethernet4|3 profile's pool: this queue is lossless and "
		"takes "
		"from egress_lossless_pool");
	sonic_left_has(&in,
		"BUFFER_QUEUE|Ethernet0,Ethernet4|2 profile's pool: this queue is lossy and takes "
		"from "
		"egress_lossy_pool");
	for (unsigned i = 0; i < in.n_left; i++)
		assert_null(strstr(in.left[i], "Ethernet4|1 profile's"));
	sonic_free(&in);
}

static void what_sonic_computes_has_its_formula(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(
		&in, DB("'BUFFER_PG':{'Ethernet0|3':{'profile':'NULL'},"
			"'Ethernet4|3':{'profile':'NULL'}},"
			"'DEFAULT_LOSSLESS_BUFFER_PARAMETER':{'AZURE':{'default_dynamic_th':'1',"
			"'over_subscribe_ratio':'2'}}"));

	(void)state;
	assert_true(group(s)->lossless);
	assert_int_equal(group(s)->dynamic_th, 1);
	assert_true(group(s)->headroom_bytes > 30000);
	assert_int_equal(group(s)->headroom_bytes % 1024, 0);
	sonic_has(&in, "headroom: sonic # BUFFER_PG|Ethernet0|3 profile NULL: SONiC computes it\n");
	sonic_left_has(&in, "over_subscribe_ratio: a headroom pool has a size");
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in, DB(PG("'headroom_type':'dynamic','dynamic_th':'-1'")));
	assert_true(group(s)->lossless);
	assert_int_equal(group(s)->dynamic_th, -1);
	scene_free(s);
	sonic_free(&in);
}

static void a_lossy_group_and_its_pfc(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in, DB(PG("'size':'2000','dynamic_th':'3'")));

	(void)state;
	assert_false(group(s)->lossless);
	assert_int_equal(group(s)->dynamic_th, 3);
	assert_int_equal(group(s)->reserved_bytes, 2000);
	sonic_left_has(&in,
		"PORT_QOS_MAP|Ethernet0 pfc_enable 3, PORT_QOS_MAP|Ethernet4 pfc_enable 3: "
		"the group of this class has no lossless profile");
	scene_free(s);
	sonic_free(&in);
	sonic_get(&in, DB("'BUFFER_PG':{'Ethernet0|3':{'profile':'q'}}"));
	sonic_left_has(&in, "BUFFER_PG|Ethernet0|3 profile: names no BUFFER_PROFILE");
	sonic_free(&in);
}

static void several_classes_share_a_group(void **state)
{
	struct sonic_import in;
	struct scene *s =
		sonic_scene(&in, DB("'BUFFER_PG':{'Ethernet0,Ethernet4|0':{'profile':'p'}},"
				    "'BUFFER_PROFILE':{'p':{'size':'2000','dynamic_th':'1'}}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;
	static const uint8_t want[8] = {0, 0, 0, 3, 4, 0, 0, 7};

	(void)state;
	assert_memory_equal(p->set->pg_map, want, 8);
	assert_int_equal(p->port[1].pg[0].reserved_bytes, 2000);
	assert_int_equal(p->port[1].pg[0].dynamic_th, 1);
	for (unsigned pg = 1; pg < MMU_PGS; pg++)
		assert_int_equal(p->port[1].pg[pg].reserved_bytes, 0);
	sonic_has(&in, "pg_map: # TC_TO_PRIORITY_GROUP_MAP|AZURE\n{0: 0, 1: 0, 2: 0, 3: 3");
	assert_null(strstr(in.yaml, "queue_map"));
	scene_free(s);
	sonic_free(&in);
}

#define LOSSLESS_3                                               \
	"'BUFFER_PG':{'Ethernet0,Ethernet4|3':{'profile':'p'}}," \
	"'BUFFER_PROFILE':{'p':{'xoff':'50000'}}"
#define SHARED(enable)                                                                     \
	"{" SONIC_PORTS_2 ",'TC_TO_PRIORITY_GROUP_MAP':{'M':{'3':'3','4':'3'}},"           \
	"'TC_TO_QUEUE_MAP':{'M':{'3':'1','4':'1'}},'PORT_QOS_MAP':{'Ethernet0,Ethernet4':" \
	"{'tc_to_pg_map':'M','tc_to_queue_map':'M','pfc_enable':'" enable "'}}," LOSSLESS_3 "}"

// PFC is the group's: for all its classes or none. A queue's rows are those of its number.
static void classes_of_one_group_have_pfc_together(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in, SHARED("3,4"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->set->pg_map[4], 3);
	assert_int_equal(p->set->queue_map[4], 1);
	assert_int_equal(p->set->queue_map[2], 2);
	assert_true(p->set->cls[3].pfc && p->set->cls[4].pfc && !p->set->cls[2].pfc);
	assert_true(p->port[0].queue[1].lossless);
	assert_false(sonic_is_left(&in, "pfc_enable"));
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in, SHARED("4"));
	assert_true(lab_node(s, "s1")->u.sw.set->cls[3].pfc);
	sonic_left_has(&in, "pfc_enable 3: is not there, but its group has PFC for another TC");
	scene_free(s);
	sonic_free(&in);
	s = sonic_scene(&in, SHARED(""));
	assert_false(lab_node(s, "s1")->u.sw.set->cls[3].pfc);
	scene_free(s);
	sonic_free(&in);
}

static void pfc_is_sent_where_it_is_enabled(void **state)
{
	struct sonic_import in;
	struct scene *s =
		sonic_scene(&in, DB("'BUFFER_PG':{'Ethernet0,Ethernet4|3-4':{'profile':'p'}},"
				    "'BUFFER_PROFILE':{'p':{'xoff':'50000'}}"));

	(void)state;
	assert_true(lab_node(s, "s1")->u.sw.set->cls[3].pfc);
	assert_false(lab_node(s, "s1")->u.sw.set->cls[4].pfc);
	sonic_has(&in, "enable: false # PORT_QOS_MAP|Ethernet0 pfc_enable 3\n");
	scene_free(s);
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_headroom_pool_size_holds_the_headroom),
		cmocka_unit_test(a_threshold_is_static_or_dynamic),
		cmocka_unit_test(a_queue_in_the_other_pool_is_named),
		cmocka_unit_test(what_sonic_computes_has_its_formula),
		cmocka_unit_test(a_lossy_group_and_its_pfc),
		cmocka_unit_test(several_classes_share_a_group),
		cmocka_unit_test(classes_of_one_group_have_pfc_together),
		cmocka_unit_test(pfc_is_sent_where_it_is_enabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
