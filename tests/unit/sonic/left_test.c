// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/sonic_left: fields, rows and tables that a scenario does not hold are named, once.
#include "sonic_lab.h"

static void fields_rows_and_tables_are_named(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in,
		"{" SONIC_PORTS_2 "," SONIC_MAPS ",'VLAN':{'Vlan1':{}},'NTP':{},"
		"'TC_TO_DSCP_MAP':{'A':{}},'WRED_PROFILE':{'W':{'ecn':'ecn_all'}},"
		"'QUEUE':{'Ethernet0|3':{'scheduler':'s'},'Ethernet0|9':{},'Ethernet8|3':{}},"
		"'SCHEDULER':{'s':{'type':'DWRR','weight':'7','priority':'1','shape':'round'}}}");
	sonic_left_has(&in, "VLAN, NTP: say nothing of buffers, classes, marking or PFC");
	sonic_left_has(&in, "TC_TO_DSCP_MAP: frames leave with the DSCP that they came with");
	sonic_left_has(&in, "WRED_PROFILE|W: no port that is taken uses it");
	sonic_left_has(&in, "QUEUE|Ethernet0|9: no class is mapped to it");
	sonic_left_has(&in, "QUEUE|Ethernet8|3: names no port of table PORT");
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
	sonic_left_has(
		&in, "BUFFER_PG|Ethernet0|0 .. BUFFER_PG|Ethernet4|7 (8 in all): is not there");
	sonic_left_has(&in, "BUFFER_QUEUE|Ethernet0|0 .. BUFFER_QUEUE|Ethernet4|7 (16 in all): is "
			    "not there");
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_rows_and_tables_are_named),
		cmocka_unit_test(many_places_with_one_reason_are_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
