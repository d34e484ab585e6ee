// SPDX-License-Identifier: BSD-3-Clause
// The forms that a switch's tables come in: nested, as a dump of the database, in several files.
#include "sonic_lab.h"

#define FIELDS    "'speed':'100000','admin_status':'up'"
#define DUMP(row) "{'value':{" row "},'type':'hash','ttl':-0.001,'expireat':1.5}"

#define PORT_ROWS "'PORT|E0':" DUMP(FIELDS) ",'PORT|E4':" DUMP(FIELDS) ","
#define PG_ROW    "'BUFFER_PG|E0,E4|3':" DUMP("'profile':'p'") ","
#define PROFILE   "'BUFFER_PROFILE|p':" DUMP("'xoff':'50000','dynamic_th':'1'") ","
#define LIST      "'BUFFER_PORT_INGRESS_PROFILE_LIST|E0':" DUMP("'profile_list@':'p'") ","
#define NO_FIELD  "'VLAN_MEMBER|Vlan1|E0':" DUMP("'NULL':'NULL'") ","
#define NO_ROW    "'CONFIG_DB_INITIALIZED':{'type':'string','value':'1'}"
#define DUMPED    "{" PORT_ROWS PG_ROW PROFILE LIST NO_FIELD NO_ROW "}"

static void a_dump_of_the_database_is_read(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in, DUMPED);

	(void)state;
	assert_int_equal(s->n_nodes, 3);
	assert_true(lab_node(s, "s1")->u.sw.port[0].pg[3].lossless);
	assert_int_equal(lab_node(s, "s1")->u.sw.port[0].pg[3].headroom_bytes, 50000);
	scene_free(s);
	sonic_free(&in);
	sonic_get(&in, "{'PORT|E0':{" FIELDS "},'PORT|E1':{" FIELDS "}}"); // without "value"
	sonic_has(&in, "h2: # at E1\n");
	sonic_free(&in);
	sonic_is_refused("{'PORT|E0':{'value':7}}", NULL,
		"db.json: 'PORT|E0' is no object of fields; a SONiC switch's config_db.json is "
		"wanted");
}

static void a_row_that_is_no_object_is_refused(void **state)
{
	(void)state;
	sonic_is_refused("{'PORT':{'E0':{" FIELDS "},'E1':'up'}}", NULL,
		"db.json: PORT|E1 is no object; a row of a table is one of fields");
}

// The running configuration and SONiC's golden one, which replaces whole tables.
static void a_table_of_a_later_file_replaces_that_of_an_earlier_one(void **state)
{
	char running[] = "/tmp/quench-running-XXXXXX", golden[] = "/tmp/quench-golden-XXXXXX";
	const char *const paths[] = {running, golden};
	const struct sonic_opts opts = {.paths = paths, .n_paths = 2};
	struct sonic_import in;

	(void)state;
	sonic_write(running,
		"{'PORT':{'E0':{" FIELDS "},'E1':{" FIELDS "}},'WRED_PROFILE':{'w':{"
		"'ecn':'ecn_all','green_min_threshold':'1000',"
		"'green_max_threshold':'2000'}},'QUEUE':{'E0,E1|3':{'wred_profile':'w'}}}");
	sonic_write(golden, "{'WRED_PROFILE':{'w':{'ecn':'ecn_all','green_min_threshold':'3000',"
			    "'green_max_threshold':'4000'}}}");
	assert_int_equal(sonic_import(&in, &opts, &lab_err), 0);
	sonic_has(&in, "min: 3000 # WRED_PROFILE|w green_min_threshold\n");
	sonic_left_has(&in, "replaces the table of the files before it");
	sonic_free(&in);
	sonic_write(golden, "{'WRED_PROFILE':");
	assert_int_equal(sonic_import(&in, &opts, &lab_err), -EINVAL);
	assert_non_null(strstr(lab_err.text, "quench-golden-"));
	assert_non_null(strstr(lab_err.text, ":1:16: the file ends within a value"));
	sonic_free(&in);
	unlink(running);
	unlink(golden);
}

// SONiC's static model makes lossless groups by speed and cable, in no file of the database.
static void the_lookup_gives_the_groups_of_the_static_model(void **state)
{
	static const char text[] =
		"{'PORT':{'E0':{" FIELDS "},'E1':{" FIELDS "}},'CABLE_LENGTH':{'AZURE':{'E0':'5m',"
		"'E1':'40m'}},'PORT_QOS_MAP':{'E0,E1':{'pfc_enable':'3,4'}}}";
	char path[] = "/tmp/quench-lookup-XXXXXX";
	struct sonic_import in;
	struct scene *s;

	(void)state;
	sonic_get(&in, text);
	sonic_left_has(&in, "give it by --pg-lookup");
	sonic_free(&in);
	sonic_write(path,
		"# speed cable size xon xoff threshold xon_offset\n\n"
		"  100000  5m 19456 18432 55000 -3 2496\n  100000 40m 1248 2288 70000 -1\n");
	lab_lookup = path;
	s = sonic_scene(&in, text);

	const struct sw_port_params *p = lab_node(s, "s1")->u.sw.port;

	assert_true(p[0].pg[3].lossless && p[1].pg[4].lossless && !p[0].pg[2].lossless);
	assert_int_equal(p[0].pg[3].headroom_bytes, 55000);
	assert_int_equal(p[0].pg[3].xon_offset_bytes, 2496);
	assert_int_equal(p[0].pg[3].dynamic_th, -3);
	assert_int_equal(p[1].pg[4].headroom_bytes, 70000);
	assert_non_null(strstr(in.yaml, "BUFFER_PROFILE|pg_lossless_100000_5m_profile (quench-"));
	scene_free(s);
	sonic_free(&in);
	sonic_write(path, "100000 5m many 18432 55000 -3\n");
	assert_int_equal(sonic_try(&in, text, NULL), -EINVAL);
	assert_non_null(strstr(lab_err.text, ":1: 'many' is no number; a line is speed, cable"));
	sonic_free(&in);
	sonic_write(path, "40000 5m 1 18432 55000 -3\n");
	sonic_get(&in, text);
	sonic_left_has(&in, "has no profile for speed 100000 and cable 5m");
	sonic_free(&in);
	lab_lookup = NULL;
	unlink(path);
}

static void keys_of_a_chassis_are_those_of_its_line_card(void **state)
{
	struct sonic_import in;
	struct scene *s = sonic_scene(&in,
		"{'DEVICE_METADATA':{'localhost':{'hostname':'lc1'}},'PORT':{'E0':{" FIELDS
		"},'E1':{" FIELDS "}},'QUEUE':{'lc2|Asic0|E0|3':{'scheduler':'b'},"
		"'lc1|Asic0|E0|3':{'scheduler':'a'},'lc1|Asic0|E1|3':{'scheduler':'a'}},"
		"'SCHEDULER':{'a':{'type':'DWRR','weight':'9'},'b':{'type':'DWRR','weight':'2'}}}");

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.set->cls[3].weight, 9);
	scene_free(s);
	sonic_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_of_the_database_is_read),
		cmocka_unit_test(a_row_that_is_no_object_is_refused),
		cmocka_unit_test(a_table_of_a_later_file_replaces_that_of_an_earlier_one),
		cmocka_unit_test(the_lookup_gives_the_groups_of_the_static_model),
		cmocka_unit_test(keys_of_a_chassis_are_those_of_its_line_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
