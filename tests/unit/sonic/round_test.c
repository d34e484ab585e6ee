// SPDX-License-Identifier: BSD-3-Clause
// Round trip: each port of an imported switch has what the tables of its file say of it. The test
// reads the tables itself.
#include <jansson.h>

#include "rounds.h"
#include "sonic_draw.h"
#include "sonic_lab.h"

#define SEEDS 200

// "x" of "x" and of "[TABLE|x]".
static json_t *referred(json_t *root, const char *table, json_t *reference)
{
	const char *text = json_string_value(reference);
	char name[64] = "";

	if (!text)
		return NULL;
	if (*text == '[')
		sscanf(text, "[%*[^|]|%63[^]]]", name);
	else
		snprintf(name, sizeof(name), "%s", text);
	return json_object_get(json_object_get(root, table), name);
}

// Whether a key as "Ethernet0,Ethernet4|3-4" names the port, and the index if it is not negative.
static bool is_key_of(const char *key, const char *port, int index)
{
	const char *bar = strchr(key, '|');
	size_t n = strlen(port), end = bar ? (size_t)(bar - key) : strlen(key);
	int low = -1, high = -1, parts = bar ? sscanf(bar, "|%d-%d", &low, &high) : 0;

	if (parts == 1)
		high = low;
	if (index >= 0 && (index < low || index > high))
		return false;
	for (const char *at = key; at && at < key + end; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, port, n) && (at[n] == ',' || at + n == key + end))
			return true;
	}
	return false;
}

static json_t *row_of(json_t *root, const char *table, const char *port, int index)
{
	const char *key;
	json_t *row;

	json_object_foreach(json_object_get(root, table), key, row)
	{
		if (is_key_of(key, port, index))
			return row;
	}
	return NULL;
}

static long number(json_t *row, const char *field, long otherwise)
{
	const char *text = json_string_value(json_object_get(row, field));

	return text ? strtol(text, NULL, 10) : otherwise;
}

static long slot(json_t *map, unsigned i, long otherwise)
{
	char field[4];

	snprintf(field, sizeof(field), "%u", i);
	return number(map, field, otherwise);
}

// The port of a switch with what its file says of it.
struct said {
	json_t *root, *qos;
	const char *name;
	const struct sw_port_params *port;
	const struct sw_set_params *set;
	uint8_t queue[PKT_CLASSES], pg[PKT_CLASSES];
};

static void check_maps(struct said *p)
{
	json_t *dscp =
		referred(p->root, "DSCP_TO_TC_MAP", json_object_get(p->qos, "dscp_to_tc_map"));
	json_t *queue =
		referred(p->root, "TC_TO_QUEUE_MAP", json_object_get(p->qos, "tc_to_queue_map"));
	json_t *pg = referred(
		p->root, "TC_TO_PRIORITY_GROUP_MAP", json_object_get(p->qos, "tc_to_pg_map"));

	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(p->set->dscp_to_class[i], slot(dscp, i, 0));
	for (unsigned tc = 0; tc < PKT_CLASSES; tc++) {
		p->queue[tc] = (uint8_t)slot(queue, tc, tc);
		p->pg[tc] = (uint8_t)slot(pg, tc, tc);
		assert_int_equal(p->set->queue_map[tc], p->queue[tc]);
		assert_int_equal(p->set->pg_map[tc], p->pg[tc]);
	}
}

// A group's thresholds, and PFC of the TC.
static void check_group(const struct said *p, unsigned tc)
{
	const struct mmu_pg_params *pg = &p->port->pg[p->pg[tc]];
	json_t *row = row_of(p->root, "BUFFER_PG", p->name, p->pg[tc]);
	json_t *profile = referred(p->root, "BUFFER_PROFILE", json_object_get(row, "profile"));
	bool lossless = json_object_get(profile, "xoff") != NULL, enabled = false;
	const char *list = json_string_value(json_object_get(p->qos, "pfc_enable"));

	for (unsigned k = 0; list && k < PKT_CLASSES; k++)
		enabled |= p->pg[k] == p->pg[tc] && strchr(list, (int)('0' + k)) != NULL;
	assert_int_equal(pg->lossless, lossless);
	assert_int_equal(p->set->cls[tc].pfc, lossless && enabled);
	if (json_object_get(profile, "dynamic_th"))
		assert_int_equal(pg->dynamic_th, number(profile, "dynamic_th", 0));
	if (lossless) {
		assert_int_equal(pg->headroom_bytes, number(profile, "xoff", 0));
		assert_int_equal(pg->xon_bytes, number(profile, "xon", 0));
	}
}

static void check_queue(const struct said *p, unsigned queue)
{
	const struct sw_class_params *c = &p->set->cls[queue];
	json_t *row = row_of(p->root, "QUEUE", p->name, (int)queue);
	json_t *buffer = row_of(p->root, "BUFFER_QUEUE", p->name, (int)queue);
	json_t *wred = referred(p->root, "WRED_PROFILE", json_object_get(row, "wred_profile"));
	json_t *scheduler = referred(p->root, "SCHEDULER", json_object_get(row, "scheduler"));
	json_t *profile = referred(p->root, "BUFFER_PROFILE", json_object_get(buffer, "profile"));
	const char *type = json_string_value(json_object_get(scheduler, "type")), *ecn;

	assert_int_equal(c->strict, type && !strcmp(type, "STRICT"));
	if (!c->strict)
		assert_int_equal(c->weight, number(scheduler, "weight", 1));
	ecn = json_string_value(json_object_get(wred, "ecn"));
	assert_int_equal(c->mark != SW_MARK_NONE, wred && strcmp(ecn, "ecn_none") != 0);
	if (wred) {
		assert_int_equal(c->wred_exponent, number(wred, "weight", 0));
		assert_int_equal(c->red.kmin_bytes, number(wred, "green_min_threshold", -1));
		assert_int_equal(c->red.kmax_bytes, number(wred, "green_max_threshold", -1));
		assert_true(
			c->red.pmax == (double)number(wred, "green_drop_probability", 100) / 100);
	}
	assert_int_equal(p->port->queue[queue].reserved_bytes, number(profile, "size", 0));
}

// The port of SONiC at which a host is: "h1: # at Ethernet0", "h2: {...} # at Ethernet4".
static void name_of(const struct sonic_import *in, unsigned host, char name[64])
{
	char head[32];
	const char *at;

	snprintf(head, sizeof(head), "\n  h%u:", host);
	at = strstr(in->yaml, head);
	assert_non_null(at);
	at = strstr(at, "# at ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "# at %63s", name), 1);
}

// Returns how many sets the ports have.
static unsigned check_file(const char *path)
{
	struct sonic_import in;
	json_t *root = json_load_file(path, 0, NULL);
	struct scene *s;
	unsigned n;

	assert_non_null(root);
	sonic_get_file(&in, path);
	s = lab(in.yaml);

	const struct sw_params *sw = &lab_node(s, "s1")->u.sw;

	for (unsigned i = 0; i < sw->n_ports; i++) {
		char name[64];

		name_of(&in, i + 1, name);

		struct said p = {root, row_of(root, "PORT_QOS_MAP", name, -1), name, &sw->port[i],
			&sw->set[sw->port[i].set], {0}, {0}};

		check_maps(&p);
		for (unsigned tc = 0; tc < PKT_CLASSES; tc++) {
			check_group(&p, tc);
			check_queue(&p, p.queue[tc]);
		}
	}
	n = sw->n_sets;
	scene_free(s);
	sonic_free(&in);
	json_decref(root);
	return n;
}

// Random ports of up to four kinds, whose groups, queues and maps differ in everything.
static void each_port_has_its_values_whatever_the_others_have(void **state)
{
	char path[] = "/tmp/quench-sonic-XXXXXX";
	int fd = mkstemp(path);
	unsigned most = 0;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (uint64_t seed = 1; seed <= rounds_of(SEEDS); seed++) {
		json_t *root = draw_switch(seed);
		unsigned n;

		print_message("seed %lu\n", (unsigned long)seed);
		assert_non_null(root);
		assert_int_equal(json_dump_file(root, path, 0), 0);
		json_decref(root);
		n = check_file(path);
		most = n > most ? n : most;
	}
	unlink(path);
	assert_int_equal(most, DRAW_KINDS);
}

static void each_port_has_what_its_file_says(void **state)
{
	(void)state;
	assert_int_equal(check_file(TEST_DATA "/sonic/leaf_mixed.json"), 4);
	assert_int_equal(check_file(TEST_DATA "/sonic/leaf_32x100g.json"), 1);
	assert_int_equal(check_file(TEST_DATA "/sonic/front.json"), 1);
	assert_int_equal(check_file(TEST_DATA "/sonic/majority.json"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_port_has_what_its_file_says),
		cmocka_unit_test(each_port_has_its_values_whatever_the_others_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
