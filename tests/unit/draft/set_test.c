// SPDX-License-Identifier: BSD-3-Clause
// Values of --set: a path that the scenario does not have is refused with the nearest name.
#include "draft/draft.h"
#include "scene_lab.h"

static void what_is_not_there_is_named_with_what_is(void **state)
{
	(void)state;
	lab_refuse_set("switches.s2.buffer", "5MB",
		"--set switches.s2.buffer=5MB: there is no switch 's2'; did you mean 's1'?");
	// A path that begins within a thing.
	lab_refuse_set("s1.buffer", "5MB",
		"a path begins with a key of the scenario; did you mean 'switches.s1.buffer'?");
	lab_refuse_set("s1.Kmin", "5KB", "did you mean 'switches.s1.classes.3.wred.min'?");
	lab_refuse_set("Kmin", "5KB", "did you mean 'switches.s1.classes.3.wred.min'?");
	lab_refuse_set("wred.max", "5KB", "did you mean 'switches.s1.classes.3.wred.max'?");
	lab_refuse_set("h2", "{latency: 1us}", "did you mean 'hosts.h2'?");
	lab_refuse_set("incast.qps", "2", "did you mean 'flows.incast.qps'?");
	lab_refuse_set("delay", "2us", "did you mean 'links.0.delay'?");
	lab_refuse_set("sed", "2", "unknown key 'sed' in a scenario; did you mean 'seed'?");
	lab_refuse_set("xyzzy.a", "2", "unknown key 'xyzzy' in a scenario; the keys of a scenario");
	lab_refuse_set("hosts.h9.latency", "1us", "there is no host 'h9'; did you mean 'h2'?");
	lab_refuse_set("hosts.x.latency", "1us", "there is no host 'x'; the scenario has h1..2, r");
	lab_refuse_set("hosts.h1..3.latency", "1us", "there is no host 'h3'; did you mean 'h2'?");
	lab_refuse_set(
		"flows.incst.class", "3", "there is no flow 'incst'; did you mean 'incast'?");
	lab_refuse_set("controls.dcqcn.g", "0.5",
		"there is no control 'dcqcn'; the scenario has none, and --set "
		"controls.dcqcn={...} adds it");
	lab_refuse_set("links.1.rate", "5Gbps", "there is no link 1; the scenario has link 0");
	lab_refuse_set(
		"links.x.rate", "5Gbps", "'x' is no number of a link; the scenario has link 0");
	lab_refuse_set("events.0.at", "5us", "there is no event 0; the scenario has none");
	lab_refuse_set(
		"ports.s1:h3.mtu", "1500", "there is no port 's1:h3'; did you mean 's1:h2'?");
	lab_refuse_set(
		"switches.s1.classes.8.weight", "2", "the key '8' is not right; it can be 0..7");
}

static void what_is_there_or_added_as_a_whole_is_taken(void **state)
{
	static const struct {
		const char *path, *value;
	} right[] = {
		{"switches.s1.buffer", "5MB"},
		{"switches.s1.classes.4.weight", "2"},
		{"hosts.h1.latency", "1us"},
		{"hosts.h1..2.latency", "1us"},
		{"hosts.r.latency", "1us"},
		{"ports.s1:h1.mtu", "1500"},
		{"links.0.rate", "5Gbps"},
		{"controls.dcqcn", "{profile: paper}"},
		{"flows.more", "{from: r, to: h1}"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		scene_free(lab_with(LAB, right[i].path, right[i].value));
}

static void what_a_topology_makes_is_there(void **state)
{
	static const char text[] =
		"duration: 1ms\ntopology: {star: {hosts: 3}}\nflows: {f: {from: h1, to: h3}}\n";
	const struct scene_set set = {"hosts.h4.latency", "1us"};
	const struct scene_opts opts = {.set = &set, .n_set = 1};
	struct scene *s;

	(void)state;
	scene_free(lab_with(text, "hosts.h3.latency", "1us"));
	assert_int_equal(lab_try(&s, text, &opts), -EINVAL);
	assert_non_null(strstr(lab_err.text, "there is no host 'h4'; did you mean 'h3'?"));
}

// A pair of keys of one map that exclude each other, wherever the tables have one.
struct pair {
	const struct opt *row;
	char path[256];           // of the map, with its last dot
	char head[256], tail[64]; // text before the keys of the map, and behind them
	unsigned found;
};

static bool exclude(const struct opt *one, const struct opt *other)
{
	return (one->excludes && !strcmp(one->excludes, other->key)) ||
	       (other->excludes && !strcmp(other->excludes, one->key));
}

// Sets row's key over the other one, which stands in the file with all others of the table, except
// for more that the key excludes.
static void displaces(const struct opt_table *t, const struct pair *p, const struct opt *other)
{
	char text[4096], path[512], want[1024];
	struct scene *s = scene_new();
	struct err err = {0};
	struct draft b = {.s = s, .a = scene_arena(s), .err = &err};
	const struct draft_set set = {"--set", path, "7"};
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", p->head);
	const struct yamldoc_node *map;

	for (unsigned i = 0; i < t->n; i++)
		if (&t->row[i] != p->row && (&t->row[i] == other || !exclude(&t->row[i], p->row)))
			n += (size_t)snprintf(
				text + n, sizeof(text) - n, "%s: %u, ", t->row[i].key, i);
	snprintf(text + n, sizeof(text) - n, "%s", p->tail);
	snprintf(path, sizeof(path), "%s%s", p->path, p->row->key);
	snprintf(want, sizeof(want),
		"'%s: %u' is displaced: %s is set, and the two exclude each other", other->key,
		(unsigned)(other - t->row), path);
	assert_int_equal(yamldoc_parse(b.a, &b.doc, "t.yaml", text, strlen(text), &err), 0);
	if (draft_set_value(&b, &set))
		fail_msg("%s", err.text);
	assert_int_equal(s->n_warnings, 1);
	assert_string_equal(s->warning[0].text, want);
	assert_int_equal(s->warning[0].line, 1);

	map = b.doc;
	for (const char *at = p->path; *at;) {
		size_t part = yamldoc_part(map, at);

		map = map->type == YAMLDOC_LIST ? map->item[0].value
						: yamldoc_get(map, arena_text(b.a, at, part));
		at += part + 1;
	}
	for (unsigned i = 0; i < t->n; i++)
		assert_int_equal(yamldoc_get(map, t->row[i].key) != NULL,
			&t->row[i] == p->row || !exclude(&t->row[i], p->row));
	scene_free(s);
}

static void try_table(const struct opt_table *t, struct pair p, unsigned *found, bool defaults);

static void try_below(
	const struct opt *row, struct pair p, unsigned *found, bool defaults, bool in_defaults)
{
	const char *name = row->type == OPT_LIST ? "0" : row->type == OPT_KEYED ? "3" : "x";
	bool named = row->type != OPT_MAP && !in_defaults, list = row->type == OPT_LIST;
	size_t n = strlen(p.path), h = strlen(p.head), e = strlen(p.tail);

	snprintf(p.path + n, sizeof(p.path) - n, "%s.%s%s", row->key, named ? name : "",
		named ? "." : "");
	snprintf(p.head + h, sizeof(p.head) - h, "%s: %s%s%s{", row->key,
		!named ? ""
		: list ? "["
		       : "{",
		named && !list ? name : "", named && !list ? ": " : "");
	memmove(p.tail + 1 + named, p.tail, e + 1);
	p.tail[0] = '}';
	if (named)
		p.tail[1] = list ? ']' : '}';
	try_table(row->sub, p, found, defaults);
}

static void try_table(const struct opt_table *t, struct pair p, unsigned *found, bool defaults)
{
	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];

		for (unsigned k = 0; k < t->n; k++) {
			const struct opt *other = &t->row[k];

			if (other->excludes && !strcmp(other->excludes, row->key)) {
				p.row = row;
				displaces(t, &p, other);
				p.row = other;
				displaces(t, &p, row);
				++*found;
			}
		}
		if (row->sub)
			try_below(row, p, found, !strcmp(row->key, "defaults"), defaults);
	}
}

static void a_key_that_is_set_displaces_the_one_that_it_excludes(void **state)
{
	struct pair p = {.head = "{", .tail = "}"};
	unsigned found = 0;

	(void)state;
	try_table(&scene_opts_scene, p, &found, false);
	assert_true(found >= 10);
}

static void what_stands_beside_it_stays(void **state)
{
	static const char path[] = "switches.s1.classes.3.pfc";
	static const char pfc[] =
		"{dynamic_th: -2, xon_offset: 20KB, headroom: 40KB, reserved: 5KB}";
	const struct scene_set both[] = {{path, pfc}, {"switches.s1.classes.3.pfc.xoff", "300KB"}};
	static const char file[] = "duration: 1ms\nswitches: {s1: {classes: {3: {lossless: true, "
				   "pfc: {dynamic_th: -2, xon_offset: 20KB, headroom: 40KB, "
				   "reserved: 5KB}}}}}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS;
	struct scene_opts opts = {.set = both, .n_set = 2};
	struct scene *s = lab_with(file, both[1].path, both[1].value);
	const struct mmu_pg_params *pg = NULL;

	(void)state;
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind == SCENE_SW)
			pg = &s->node[i].u.sw.port[0].pg[3];
	assert_int_equal(pg->threshold, MMU_STATIC);
	assert_int_equal(pg->static_bytes, 300000);
	assert_int_equal(pg->headroom_bytes, 40000);
	assert_int_equal(pg->reserved_bytes, 5000);
	assert_int_equal(pg->xon_offset_bytes, 20000);
	assert_true(lab_warns(s, "'dynamic_th: -2' is displaced: "));
	scene_free(s);
	// Two that are set are refused, as two in a file.
	assert_int_equal(lab_try(&s, LAB, &opts), -EINVAL);
	assert_non_null(strstr(lab_err.text, "exclude each other; keep one"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_there_is_named_with_what_is),
		cmocka_unit_test(what_is_there_or_added_as_a_whole_is_taken),
		cmocka_unit_test(what_a_topology_makes_is_there),
		cmocka_unit_test(a_key_that_is_set_displaces_the_one_that_it_excludes),
		cmocka_unit_test(what_stands_beside_it_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
