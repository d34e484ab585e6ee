// SPDX-License-Identifier: BSD-3-Clause
// Which ports are taken, their links, their maps, their watchdog.
#include "sonic_lab.h"

#define DB "{" SONIC_PORTS_2 "}"

static void a_port_map_is_checked(void **state)
{
	(void)state;
	sonic_is_refused(DB, "Ethernet0",
		"--port-map 'Ethernet0': wanted is PORT=HOST, as in Ethernet0=h1,Ethernet4=h2");
	sonic_is_refused(DB, "Ethernet0=h1,",
		"--port-map '': wanted is PORT=HOST, as in Ethernet0=h1,Ethernet4=h2");
	sonic_is_refused(
		DB, "Ethernet1=h1", "--port-map 'Ethernet1=h1': table PORT has no such port");
	sonic_is_refused(DB, "Ethernet0=h1..4",
		"--port-map 'Ethernet0=h1..4': a host's name has letters, digits, '_' and '-', "
		"begins "
		"with a letter and has 20 characters at most");
	sonic_is_refused(DB, "Ethernet0=h1,Ethernet4=h1",
		"--port-map 'Ethernet4=h1': this port or host is named twice");
	sonic_is_refused(DB, "Ethernet0=s1",
		"--port-map 'Ethernet0=s1': s1 is the switch's name; give the host another");
	sonic_is_refused(DB, "Ethernet0=h1",
		"db.json: 1 port is taken; a scenario wants two at least, as in --port-map "
		"Ethernet0=h1,Ethernet4=h2");
}

static void ports_come_by_number_without_those_that_are_down(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in,
		"{'PORT':{'Ethernet12':{'admin_status':'up'},'Ethernet4':{'admin_status':'up'},"
		"'Ethernet8':{'admin_status':'down'},'Ethernet0':{'speed':'100000'}}}");
	sonic_has(&in, "h1: # at Ethernet4\n");
	sonic_has(&in, "h2: # at Ethernet12\n");
	sonic_left_has(&in, "PORT|Ethernet8: not in service: admin_status is not up");
	sonic_left_has(
		&in, "PORT|Ethernet0: not in service: it has no admin_status, so it is down");
	sonic_left_has(&in, "PORT|Ethernet4, PORT|Ethernet12: has no speed");
	sonic_left_has(&in, "CABLE_LENGTH does not have it");
	sonic_free(&in);
}

static void a_link_has_speed_cable_and_mtu(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, DB);
	sonic_has(&in, "rate: 25Gbps # PORT|Ethernet4 speed 25000\n");
	sonic_has(&in, "delay: 202.02ns # CABLE_LENGTH|AZURE Ethernet4 40m at 198 m/us\n");
	sonic_has(&in, "mtu: 1518 # PORT|Ethernet4 mtu 1500, with Ethernet header and VLAN tag\n");
	sonic_free(&in);
	sonic_get(&in, "{'PORT':{'E0':{'speed':'1000'},'E1':{'speed':'1000'}},"
		       "'CABLE_LENGTH':{'A':{'E0':'5ft'}}}");
	sonic_has(&in, "mtu: 1024\n");
	sonic_left_has(&in, "CABLE_LENGTH|A E0: '5ft' is no length, as in 5m");
	sonic_free(&in);
}

// Bad input is one line with the place, and nothing is imported.
static void a_speed_that_is_none_is_refused(void **state)
{
	(void)state;
	sonic_is_refused("{'PORT':{'E0':{'speed':'fast'},'E1':{'speed':'1000'}}}", NULL,
		"db.json: PORT|E0 speed 'fast' is no speed in Mb/s, a whole number from 10 to "
		"800000");
	sonic_is_refused("{'PORT':{'E0':{'speed':'1000'},'E1':{'speed':'-1'}}}", NULL,
		"db.json: PORT|E1 speed '-1' is no speed in Mb/s, a whole number from 10 to "
		"800000");
}

static void holes_and_strange_ports_are_named(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, "{" SONIC_PORTS_2 "," SONIC_MAPS
		       ",'QUEUE':{'Ethernet0,Ethernet4,Ethernet9|3':{},'Ethernet77|3':{}}}");
	sonic_left_has(&in, "DSCP_TO_TC_MAP|AZURE: lacks 62 of 64 codepoints, the first is 0: they "
			    "have TC 0, as in SONiC");
	sonic_left_has(&in, "QUEUE|Ethernet0,Ethernet4,Ethernet9|3: names a port that table PORT "
			    "lacks: Ethernet9");
	sonic_left_has(&in, "QUEUE|Ethernet77|3: names a port that table PORT lacks: Ethernet77");
	sonic_free(&in);
}

static void asymmetric_pfc_is_the_ports(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, "{'PORT':{'Ethernet0':{'speed':'10','pfc_asym':'off'},"
		       "'Ethernet4':{'speed':'10','pfc_asym':'on'}}}");
	sonic_has(&in, "\"s1:h2\": # Ethernet4\npfc_asym: true # PORT|Ethernet4 pfc_asym on\n");
	assert_null(strstr(in.yaml, "Ethernet0 pfc_asym"));
	sonic_free(&in);
}

static void the_watchdog_is_that_of_pfc_wd(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, "{" SONIC_PORTS_2 ",'PFC_WD':{'GLOBAL':{'POLL_INTERVAL':'50'},"
		       "'Ethernet4':{'action':'forward','detection_time':'150','restoration_time':"
		       "'300'}}}");
	sonic_has(&in,
		"\"s1:h2\": # Ethernet4\npfc_watchdog: {poll: 50ms, detection: 150ms, "
		"restoration: 300ms, action: forward} # PFC_WD|Ethernet4; poll: PFC_WD|GLOBAL\n");
	sonic_free(&in);
	sonic_get(&in,
		"{" SONIC_PORTS_2 ",'PFC_WD':{'Ethernet0':{'detection_time':'50',"
		"'restoration_time':'300'},'Ethernet4':{'action':'pray','detection_time':'200',"
		"'restoration_time':'300'}}}");
	sonic_left_has(
		&in, "PFC_WD|Ethernet0: detection_time or restoration_time is below the poll");
	sonic_left_has(&in, "PFC_WD|Ethernet4: action 'pray' is not drop, forward or alert");
	assert_null(strstr(in.yaml, "pfc_watchdog:"));
	sonic_free(&in);
}

static void pfc_that_leads_elsewhere_is_named(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, "{" SONIC_PORTS_2 ",'MAP_PFC_PRIORITY_TO_QUEUE':{'A':{'3':'4','4':'4'}},"
		       "'PORT_QOS_MAP':{'Ethernet0':{'pfc_to_queue_map':'A','pfc_enable':'3',"
		       "'pfcwd_sw_enable':'3,4'}}}");
	sonic_left_has(
		&in, "PORT_QOS_MAP|Ethernet0 pfc_to_queue_map 3: leads PFC to another queue");
	assert_false(sonic_is_left(&in, "pfc_to_queue_map 4"));
	sonic_left_has(
		&in, "pfcwd_sw_enable 3,4: the watchdog watches every lossless class with pfc");
	sonic_left_has(&in, "has no tc_to_pg_map: each TC has its own number");
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_map_is_checked),
		cmocka_unit_test(ports_come_by_number_without_those_that_are_down),
		cmocka_unit_test(a_link_has_speed_cable_and_mtu),
		cmocka_unit_test(a_speed_that_is_none_is_refused),
		cmocka_unit_test(holes_and_strange_ports_are_named),
		cmocka_unit_test(asymmetric_pfc_is_the_ports),
		cmocka_unit_test(the_watchdog_is_that_of_pfc_wd),
		cmocka_unit_test(pfc_that_leads_elsewhere_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
