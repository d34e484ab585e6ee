// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/sonic_class: profiles, WRED and schedulers as options of a class.
#include "sonic_lab.h"

#define DB(tables) "{" SONIC_PORTS_2 "," SONIC_MAPS "," tables "}"
#define PG(profile) \
	"'BUFFER_PG':{'Ethernet0,Ethernet4|3':{'profile':'p'}},'BUFFER_PROFILE':{'p':{" profile "}}"
#define QUEUE_3(row) "'QUEUE':{'Ethernet0,Ethernet4|3':{" row "}}"

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

static void what_sonic_computes_has_its_formula(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		DB("'BUFFER_PG':{'Ethernet0|3':{'profile':'NULL'},'Ethernet4|3':{'profile':'NULL'}},"
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

static void a_shared_group_reserves_once(void **state)
{
	struct sonic_import in;
	struct scene *s =
		sonic_scene(&in, DB("'BUFFER_PG':{'Ethernet0,Ethernet4|0':{'profile':'p'}},"
				    "'BUFFER_PROFILE':{'p':{'size':'2000','dynamic_th':'1'}}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->port[1].pg[0].reserved_bytes, 2000);
	for (unsigned tc = 1; tc < PKT_CLASSES; tc++)
		assert_int_equal(p->port[1].pg[tc].reserved_bytes, 0);
	assert_int_equal(p->port[1].pg[6].dynamic_th, 1); // TC 6 is in group 0, too
	sonic_left_has(&in, "tc_to_pg_map, PORT_QOS_MAP|Ethernet4 tc_to_pg_map: several TCs share");
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
	assert_true(lab_node(s, "s1")->u.sw.cls[3].pfc);
	assert_false(lab_node(s, "s1")->u.sw.cls[4].pfc);
	sonic_has(&in, "enable: false # PORT_QOS_MAP|Ethernet0 pfc_enable 3\n");
	scene_free(s);
	sonic_free(&in);
}

static void wred_marks_green_frames(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		DB(QUEUE_3(
			"'wred_profile':'[WRED_PROFILE|w]'") ",'WRED_PROFILE':{'w':{'ecn':"
							     "'ecn_green_yellow','green_min_threshold':'1000','green_max_threshold':2000}}"));
	const struct sw_class_params *c = &lab_node(s, "s1")->u.sw.cls[3];

	(void)state;
	assert_int_equal(c->red.kmin_bytes, 1000);
	assert_int_equal(c->red.kmax_bytes, 2000);
	assert_true(c->red.pmax == 1);
	assert_int_equal(c->wred, SW_WRED_OFF);
	scene_free(s);
	sonic_free(&in);
	sonic_get(
		&in, DB(QUEUE_3("'wred_profile':'w'") ",'WRED_PROFILE':{'w':{'ecn':'ecn_none'}}"));
	sonic_left_has(&in, "WRED_PROFILE|w: marks no green frames");
	sonic_free(&in);
	sonic_get(&in,
		DB(QUEUE_3(
			"'wred_profile':'w'") ",'WRED_PROFILE':{'w':{'ecn':'ecn_all',"
					      "'green_min_threshold':'9','green_max_threshold':'8'}}"));
	sonic_left_has(&in, "WRED_PROFILE|w: wants green_min_threshold <= green_max_threshold");
	sonic_free(&in);
	sonic_get(&in, DB(QUEUE_3("'wred_profile':'w','scheduler':'x'")));
	sonic_left_has(&in, "SCHEDULER|x, WRED_PROFILE|w: is named but not there");
	sonic_free(&in);
}

static void schedulers_are_strict_or_have_weights(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		DB("'QUEUE':{'Ethernet0,Ethernet4|3':{'scheduler':'a'},'Ethernet0,Ethernet4|5':"
		   "{'scheduler':'b'}},'SCHEDULER':{'a':{'type':'WRR','weight':'20'},'b':{'type':"
		   "'STRICT'}}"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->cls[3].weight, 20);
	assert_false(p->cls[3].strict);
	assert_true(p->cls[5].strict);
	assert_false(p->cls[6].strict); // not SONiC's, a scenario's own
	sonic_left_has(&in, "SCHEDULER|a type WRR: shares are by octets");
	scene_free(s);
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_headroom_pool_size_holds_the_headroom),
		cmocka_unit_test(a_threshold_is_static_or_dynamic),
		cmocka_unit_test(what_sonic_computes_has_its_formula),
		cmocka_unit_test(a_lossy_group_and_its_pfc),
		cmocka_unit_test(a_shared_group_reserves_once),
		cmocka_unit_test(pfc_is_sent_where_it_is_enabled),
		cmocka_unit_test(wred_marks_green_frames),
		cmocka_unit_test(schedulers_are_strict_or_have_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
