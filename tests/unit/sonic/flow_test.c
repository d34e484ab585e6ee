// SPDX-License-Identifier: BSD-3-Clause
// The example flow runs between ports of the most common speed, and says what makes it silent.
#include "sonic_lab.h"

#define P(speed)   "{'admin_status':'up','speed':'" speed "'}"
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
		cmocka_unit_test(what_makes_it_silent_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
