// SPDX-License-Identifier: BSD-3-Clause
// The example flow runs between ports of the most common speed, and says what makes it silent.
#include "sonic_lab.h"

#define P(speed)   "{'admin_status':'up','speed':'" speed "'}"
#define UP         P("100")
#define PORT(rows) "{'PORT':{" rows "}"
#define TWO        PORT("'E0':" P("100") ",'E1':" P("100"))
#define PG_OF(pg)  "'BUFFER_PG':{'E0,E1|" pg "':{'profile':'p'}},"
#define PROFILE    "'BUFFER_PROFILE':{'p':{'xoff':'50000'}},"
#define ENABLE(pg) "'PORT_QOS_MAP':{'E0,E1':{'pfc_enable':'" pg "'}}"
#define PFC_OF(pg) TWO "," PG_OF(pg) PROFILE ENABLE(pg) "}"

static void it_runs_between_ports_of_the_most_common_speed(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, PORT("'E0':" P("400000") ",'E1':" P("400000") ",'E2':" P(
			       "400000") ",'E3':" P("10000") ",'E4':" P("10000")) "}");
	sonic_has(&in, "from: [h1, h2]\nto: h3\n");
	sonic_free(&in);
	sonic_get(&in, PORT("'E0':" P("100000") ",'E1':" P("100000") ",'E2':" P("40000") ",'E3':" P(
			       "10000")) "}");
	sonic_has(&in, "from: [h1, h3]\nto: h2\n");
	sonic_free(&in);
	sonic_get(&in, PORT("'E0':" P("400000") ",'E1':" P("400000") ",'E2':" P("10000")) "}");
	sonic_has(&in, "from: [h1]\nto: h2\n");
	sonic_free(&in);
	sonic_get(&in, PORT("'E0':" P("10000") ",'E1':" P("10000") ",'E2':" P("100000")) "}");
	sonic_has(&in, "from: [h1, h3]\nto: h2\n");
	sonic_free(&in);
	sonic_get(&in, PORT("'E0':" P("10000") ",'E1':" P("100000")) "}");
	sonic_has(&in, "from: [h1]\nto: h2\n");
	sonic_free(&in);
	sonic_get(&in, PORT("'E0':" P("25000") ",'E1':" P("100000")) "}");
	sonic_has(&in, "from: [h2]\nto: h1\n");
	sonic_free(&in);
}

// A sender's port gives the flow's frames the receiver's class, which is lossless there, too.
static void senders_have_the_class_of_the_receiver(void **state)
{
	static const char tables[] =
		"{'PORT':{'E0':" UP ",'E1':" UP ",'E2':" UP ",'E3':" UP ",'E4':" UP "},"
		"'DSCP_TO_TC_MAP':{'A':{'3':'3'},'B':{'3':'1'}}," PROFILE
		"'PORT_QOS_MAP':{'E1':{'dscp_to_tc_map':'B','pfc_enable':'3'},"
		"'E0,E2,E3,E4':{'dscp_to_tc_map':'A','pfc_enable':'3'}},"
		"'SCHEDULER':{'S':{'type':'DWRR','weight':'7'}},"
		"'QUEUE':{'E3|3':{'scheduler':'S'}},"
		"'BUFFER_PG':{'E0,E1,E3,E4|3':{'profile':'p'}}}";
	struct sonic_import in;

	(void)state;
	assert_int_equal(sonic_try(&in, tables, "E0=h1,E1=lossy,E2=drops,E3=up,E4=r"), 0);
	sonic_has(&in, "from: [h1, up]\nto: r\nclass: 3\ndscp: 3\n");
	sonic_free(&in);
	assert_int_equal(sonic_try(&in, tables, "E0=h1,E1=lossy,E2=drops,E4=r"), 0);
	sonic_has(&in, "from: [h1]\nto: r\nclass: 3\ndscp: 3\n");
	sonic_has(&in, "# A run has neither marks nor PFC: one port alone can send in the class at "
		       "this speed, which cannot fill a queue.\n");
	sonic_free(&in);
}

static void what_makes_it_silent_is_told(void **state)
{
	struct sonic_import in;

	(void)state;
	sonic_get(&in, TWO "}");
	sonic_has(&in, "# A run has neither marks nor PFC: no class has PFC (pfc_enable of");
	sonic_free(&in);
	sonic_get(&in, PFC_OF("3"));
	sonic_has(&in, "# A run has neither marks nor PFC: PORT_QOS_MAP, without dscp_to_tc_map, "
		       "leads no DSCP to class 3.\n");
	sonic_free(&in);
	sonic_get(&in, PFC_OF("0"));
	sonic_has(&in, "# A run has neither marks nor PFC: PORT has one other port in service, ");
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs_between_ports_of_the_most_common_speed),
		cmocka_unit_test(senders_have_the_class_of_the_receiver),
		cmocka_unit_test(what_makes_it_silent_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
