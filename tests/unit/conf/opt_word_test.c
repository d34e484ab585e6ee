// SPDX-License-Identifier: BSD-3-Clause
// Tests of conf/opt_word: words of other tools are answered with the key of the place where they
// stand.
#include "conf/int.h"
#include "scene_lab.h"
#include "conf/opt_words.h"
#include "schema/schema.h"

static void answer(const struct opt_table *t, const char *word, const char *key)
{
	char path[96] = "none";

	opt_word(t, word, path, sizeof(path));
	if (strcmp(path, key) != 0)
		fail_msg("%s in a %s: '%s', not '%s'", word, t->name, path, key);
}

static void a_word_of_another_tool_has_a_key_in_each_place(void **state)
{
	static const struct {
		const struct opt_table *place;
		const char *word, *key;
	} words[] = {
		{&scene_opts_flow, "src", "from"},
		{&scene_opts_flow, "dst", "to"},
		{&scene_opts_flow, "bandwidth", "rate"},
		{&scene_opts_flow, "cc", "control"},
		{&scene_opts_flow, "size", "message"},
		{&scene_opts_flow, "iters", "count"},
		{&scene_opts_flow, "priority", "class"},
		{&scene_opts_flow, "tx-depth", "outstanding"},
		{&scene_opts_link, "bandwidth", "rate"},
		{&scene_opts_link, "speed", "rate"},
		{&scene_opts_link, "capacity", "rate"},
		{&scene_opts_link, "DataRate", "rate"},
		{&scene_opts_link, "latency", "delay"},
		{&scene_opts_link, "src", "between"},
		{&scene_opts_switch, "delay", "latency"},
		{&scene_opts_switch, "size", "buffer"},
		{&scene_opts_switch, "BUFFER_SIZE", "buffer"},
		{&scene_opts_switch, "kmin", "classes.3.wred.min"},
		{&scene_opts_switch, "pfc", "classes.3.pfc"},
		{&scene_opts_switch, "dscp_to_tc_map", "dscp_map"},
		{&scene_opts_class, "ecn", "wred"},
		{&scene_opts_class, "kmin", "wred.min"},
		{&scene_opts_class, "Kmax", "wred.max"},
		{&scene_opts_class, "pmax", "wred.probability"},
		{&scene_opts_class, "green_max_threshold", "wred.max"},
		{&scene_opts_class, "static_th", "pfc.xoff"},
		{&scene_opts_wd, "detection_time", "detection"},
		{&scene_opts_host, "min_time_between_cnps", "np.interval"},
		{&scene_opts_control, "rpg_ai_rate", "ai_rate"},
		{&scene_opts_connectx, "ai_rate", "rpg_ai_rate"},
		{&scene_opts_rdma_ip, "ai_rate", "rate_ai"},
		{&scene_opts_control, "EWMA_GAIN", "g"},
		{&scene_opts_scene, "SIMULATOR_STOP_TIME", "duration"},
		{&scene_opts_scene, "nodes", "hosts"},
		{&scene_opts_flow, "kmin", "none"},
		{&scene_opts_link, "buffer", "none"},
		{&scene_opts_link, "", "none"},
		{&scene_opts_link, "_", "none"},
		{&scene_opts_link, " ", "none"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		answer(words[i].place, words[i].word, words[i].key);
	lab_refuse_set(
		"flows.incast.src", "h1", "unknown key 'src' in a flow; did you mean 'from'?");
	lab_refuse_set("links.0.bandwidth", "1Gbps", "did you mean 'rate'?");
}

static bool is_key(const struct opt_table *t, const char *word, size_t n)
{
	bool found = false;

	for (unsigned i = 0; i < t->n && !found; i++) {
		const struct opt *row = &t->row[i];

		found = strlen(row->key) == n && !strncmp(row->key, word, n);
		if (!found && row->sub)
			found = is_key(row->sub, word, n);
		for (const struct opt_variant *v = row->variants; !found && v && v->example; v++)
			found = is_key(v->table, word, n);
	}
	return found;
}

static void the_first_word_of_a_meaning_is_a_key(void **state)
{
	(void)state;
	for (unsigned i = 0; i < OPT_MEANINGS; i++)
		if (!is_key(&scene_opts_scene, opt_meanings[i], strcspn(opt_meanings[i], " ")))
			fail_msg("no place has the key that '%s' begins with", opt_meanings[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_of_another_tool_has_a_key_in_each_place),
		cmocka_unit_test(the_first_word_of_a_meaning_is_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
