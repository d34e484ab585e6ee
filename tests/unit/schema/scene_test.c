// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/scene_opts: the tables hold together, defaults read, ranges fit, keys differ.
#include "scene_lab.h"

#include "schema/schema.h"

static unsigned rows_seen;

static void check_row(const struct opt_table *t, const struct opt *row)
{
	char buf[2048];

	rows_seen++;
	if (!row->key || !row->help || !*row->help)
		fail_msg("%s has a row without key or help", t->name);
	if (row->max < row->min)
		fail_msg("%s.%s: its range runs backwards", t->name, row->key);
	if (row->excludes && !opt_row(t, row->excludes))
		fail_msg("%s.%s excludes what is not there", t->name, row->key);
	if (row->type == OPT_ENUM && (!row->names || row->size != 4))
		fail_msg("%s.%s has no names or no field for them", t->name, row->key);
	if (row->flags & (OPT_F_AUTO | OPT_F_NONE) && row->type != OPT_BITS && row->size < 8)
		fail_msg("%s.%s: auto and none do not fit its field", t->name, row->key);
	if (!row->sub && !row->def && !row->example)
		fail_msg("%s.%s: the reference has nothing to show", t->name, row->key);
	if ((row->type == OPT_MAP || row->type == OPT_KEYED || row->type == OPT_LIST) !=
			!!row->sub &&
		row->type != OPT_SECTION)
		fail_msg("%s.%s: a table belongs to maps and lists", t->name, row->key);
	for (const struct opt *o = t->row; o != row; o++)
		assert_string_not_equal(o->key, row->key);
	opt_wants(row, buf, sizeof(buf));
	assert_true(*buf && strlen(buf) + 1 < ERR_HINT);
}

// The list of keys that a message ends with is there to its end.
static void check_list(const struct opt_table *t)
{
	const char *last = t->row[t->n - 1].key;
	char hint[ERR_HINT];
	size_t n = strlen(opt_suggest(t, "a key that is like no other", hint, sizeof(hint)));

	if (n + 1 >= sizeof(hint) || n < strlen(last) || strcmp(hint + n - strlen(last), last) != 0)
		fail_msg("the keys of a %s are cut off: ... %s", t->name,
			hint + (n > 40 ? n - 40 : 0));
}

static void check(const struct opt_table *t, unsigned depth)
{
	assert_true(t->n <= OPT_ROWS);
	assert_true(depth < 8);
	check_list(t);
	for (unsigned i = 0; i < t->n; i++) {
		check_row(t, &t->row[i]);
		if (t->row[i].sub)
			check(t->row[i].sub, depth + 1);
	}
}

static void rows_are_whole(void **state)
{
	(void)state;
	check(&scene_opts_scene, 0);
	check(&scene_opts_control, 0);
	check(&scene_opts_connectx, 0);
	check(&scene_opts_rdma_ip, 0);
	assert_true(rows_seen > 150);
}

// Every default that is shown is what the table reads.
static void defaults_are_what_is_shown(void **state)
{
	struct spec_flow f = {0};
	char buf[100];

	(void)state;
	opt_init(&scene_opts_flow, &f);
	for (unsigned i = 0; i < scene_opts_flow.n; i++) {
		const struct opt *row = &scene_opts_flow.row[i];

		if (!row->def)
			continue;
		assert_true(opt_format(row, &f, buf, sizeof(buf)));
		assert_string_equal(buf, row->def);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(defaults_are_what_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
