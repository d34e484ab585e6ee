// SPDX-License-Identifier: BSD-3-Clause
// WRED profiles, schedulers and rates as options of a queue and of a port.
#include "sonic_lab.h"

#define DB(tables)        "{" SONIC_PORTS_2 "," SONIC_MAPS "," tables "}"
#define QUEUE_3(row)      "'QUEUE':{'Ethernet0,Ethernet4|3':{" row "}}"
#define WRED(fields)      DB(QUEUE_3("'wred_profile':'w'") ",'WRED_PROFILE':{'w':{" fields "}}")
#define SCHEDULER(fields) DB(QUEUE_3("'scheduler':'a'") ",'SCHEDULER':{'a':{" fields "}}")

static void wred_marks_green_frames(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		DB(QUEUE_3("'wred_profile':'[WRED_PROFILE|w]'") ",'WRED_PROFILE':{'w':{'ecn':"
								"'ecn_green_yellow',"
								"'green_min_threshold':'1000',"
								"'green_max_threshold':2000}}"));
	const struct sw_class_params *c = &lab_node(s, "s1")->u.sw.set->cls[3];

	(void)state;
	assert_int_equal(c->red.kmin_bytes, 1000);
	assert_int_equal(c->red.kmax_bytes, 2000);
	assert_true(c->red.pmax == 1);
	assert_int_equal(c->wred, SW_WRED_OFF);
	scene_free(s);
	sonic_free(&in);
	sonic_get(
		&in, DB(QUEUE_3("'wred_profile':'w'") ",'WRED_PROFILE':{'w':{'ecn':'ecn_none'}}"));
	sonic_left_has(&in, "WRED_PROFILE|w: neither marks (ecn) nor drops (wred_green_enable)");
	sonic_free(&in);
	sonic_get(&in, DB(QUEUE_3("'wred_profile':'w'") ",'WRED_PROFILE':{'w':{'ecn':'ecn_all',"
							"'green_min_threshold':'9',"
							"'green_max_threshold':'8'}}"));
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
	assert_int_equal(p->set->cls[3].weight, 20);
	assert_false(p->set->cls[3].strict);
	assert_true(p->set->cls[5].strict);
	assert_false(p->set->cls[6].strict); // not SONiC's, a scenario's own
	sonic_left_has(&in, "SCHEDULER|a type WRR: shares are by bytes");
	scene_free(s);
	sonic_free(&in);
}

static struct sw_class_params wred(struct sonic_import *in, const char *text)
{
	struct scene *s = sonic_scene(in, text);
	struct sw_class_params c = lab_node(s, "s1")->u.sw.set->cls[3];

	scene_free(s);
	return c;
}

// Without ECN the same thresholds drop; an average has SAI's weight.
static void a_profile_without_ecn_drops(void **state)
{
	struct sonic_import in;
	struct sw_class_params c = wred(&in,
		WRED("'ecn':'ecn_none','wred_green_enable':'true','green_min_threshold':'1000',"
		     "'green_max_threshold':'2000','green_drop_probability':'7','weight':'9'"));

	(void)state;
	assert_int_equal(c.mark, SW_MARK_NONE);
	assert_int_equal(c.wred, SW_WRED_ALL);
	assert_int_equal(c.wred_drop.kmin_bytes, 1000);
	assert_int_equal(c.wred_drop.kmax_bytes, 2000);
	assert_true(c.wred_drop.pmax == 0.07);
	assert_int_equal(c.wred_exponent, 9);
	sonic_has(&in, "ecn: false # WRED_PROFILE|w ecn ecn_none\n");
	sonic_free(&in);
}

// A profile that has thresholds for yellow only is taken as green, and not named as left out; red
// is.
static void a_profile_without_green_has_its_next_colour(void **state)
{
	struct sonic_import in;
	struct sw_class_params c = wred(&in,
		WRED("'ecn':'ecn_yellow','wred_yellow_enable':'true','yellow_min_threshold':'3000',"
		     "'yellow_max_threshold':'4000','red_min_threshold':'5'"));

	(void)state;
	assert_int_equal(c.mark, SW_MARK_DEQUEUE);
	assert_int_equal(c.wred, SW_WRED_NOT_ECT);
	assert_int_equal(c.red.kmin_bytes, 3000);
	assert_false(sonic_is_left(&in, "yellow"));
	sonic_left_has(&in, "WRED_PROFILE|w red_min_threshold: no frame is red");
	sonic_free(&in);
	wred(&in, WRED("'ecn':'ecn_yellow','green_min_threshold':'1','green_max_threshold':'2',"
		       "'yellow_min_threshold':'3000','yellow_max_threshold':'4000'"));
	sonic_left_has(&in, "WRED_PROFILE|w: neither marks (ecn) nor drops (wred_green_enable)");
	sonic_free(&in);
}

// pir and cir are bytes per second: 1.25 GB/s are 10 Gb/s.
static void rates_of_queues_are_shapers(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(
		&in, SCHEDULER("'type':'DWRR','weight':'7','meter_type':'bytes','pir':'1250000000',"
			       "'pbs':'8192','cir':'250000000','cbs':'8192'"));
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_true(p->port[0].max_rate[3] == 10 * RATE_GBPS);
	assert_true(p->port[0].min_rate[3] == 2 * RATE_GBPS);
	assert_true(p->port[0].max_rate[4] == 0);
	assert_int_equal(p->port[0].shaper_burst, 8192);
	assert_int_equal(p->set->cls[3].weight, 7);
	assert_false(sonic_is_left(&in, "SCHEDULER"));
	sonic_has(&in, "max_rate: 10Gbps # SCHEDULER|a pir 1250000000 bytes/s\n");
	scene_free(s);
	sonic_free(&in);
}

static void rates_that_are_none_are_named(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, SCHEDULER("'meter_type':'packets','pir':'1250000000','cir':'0'"));
	sonic_left_has(&in, "SCHEDULER|a pir: counts packets; shapers count bytes");
	sonic_free(&in);
	sonic_get(&in, SCHEDULER("'pir':'1000'"));
	sonic_left_has(&in, "SCHEDULER|a pir '1000': is no whole number from 12500");
	sonic_free(&in);
	sonic_get(&in, SCHEDULER("'pir':'125000000','cir':'250000000','pbs':'0'"));
	sonic_left_has(&in, "SCHEDULER|a cir: is above pir");
	assert_null(strstr(in.yaml, "min_rate"));
	assert_null(strstr(in.yaml, "shaper_burst"));
	sonic_free(&in);
}

static void a_port_has_a_rate_and_all_shapers_one_burst(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		"{" SONIC_PORTS_2 ",'PORT_QOS_MAP':{'Ethernet0':{'scheduler':'a'},'Ethernet4':"
		"{'scheduler':'b'}},'SCHEDULER':{'a':{'pir':'5000000000','pbs':'20000'},"
		"'b':{'pir':'1250000000','pbs':'30000'}}}");
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_true(p->port[0].shaper_rate == 40 * RATE_GBPS);
	assert_true(p->port[1].shaper_rate == 10 * RATE_GBPS);
	assert_int_equal(p->port[1].shaper_burst, 20000);
	sonic_left_has(&in, "SCHEDULER|b pbs: all shapers have one burst, that of SCHEDULER|a pbs");
	scene_free(s);
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wred_marks_green_frames),
		cmocka_unit_test(a_profile_without_ecn_drops),
		cmocka_unit_test(a_profile_without_green_has_its_next_colour),
		cmocka_unit_test(schedulers_are_strict_or_have_weights),
		cmocka_unit_test(rates_of_queues_are_shapers),
		cmocka_unit_test(rates_that_are_none_are_named),
		cmocka_unit_test(a_port_has_a_rate_and_all_shapers_one_burst),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
