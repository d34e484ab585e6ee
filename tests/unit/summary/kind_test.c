// SPDX-License-Identifier: BSD-3-Clause
// The rows of all kinds: what each says of itself and of its members, and that all that reads them
// sees the same.
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/int.h"

static struct lab l;

static int run(void **state)
{
	struct scene_set set = {"warmup", "0us"}; // the transient has every kind of event

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	return lab_run(&l, &set, 1, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static bool is_word(const char *name)
{
	return *name >= 'a' && *name <= 'z' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static void is_text(const char *of, const char *text)
{
	if (!text || !*text)
		fail_msg("%s: a text is missing", of);
}

static void every_kind_tells_what_it_is(void **state)
{
	(void)state;
	for (unsigned i = 0; i < KINDS; i++) {
		const struct kind *k = summary_kind[i];

		is_text("kind", k->title);
		is_text(k->title, k->about);
		is_text(k->title, k->key ? k->key : k->path);
		assert_true(!k->key || is_word(k->key));
		assert_true(!k->path || is_word(k->path));
		assert_non_null(k->make);
		assert_true(k->size > 0);
		if (k->single || !k->path) {
			assert_null(k->could);
			continue;
		}
		is_text(k->title, k->example);
		if (!k->could)
			fail_msg("%s have no names", k->title);
	}
}

// Of a flow and a source each figure is that of one end. Of any other object that several parts can
// tell of, each row says how what they tell becomes one number: nothing is added up unasked.
static void figures_say_how_parts_of_them_merge(void **state)
{
	unsigned n = 0;
	struct figure f, w;

	(void)state;
	for (unsigned i = 0; i < KINDS; i++) {
		const struct kind *k = summary_kind[i];
		bool ends = k == &kind_flow || k == &kind_source;

		if (!k->single && !k->one_by[0])
			continue;
		for (unsigned m = 0; m < 2 && k->one_by[m]; m++)
			assert_true(kind_named(k, k->one_by[m], &f));
		for (unsigned m = 0; kind_member(k, m, &f); m++) {
			n++;
			if (figure_is_number(&f) && f.merge == FIGURE_ONE && !ends)
				fail_msg("%s.%s: merge is %u", k->title, f.name, f.merge);
			if ((f.merge == FIGURE_MEAN) != (f.weight != NULL) ||
				(f.weight &&
					(!kind_figure(k, f.weight, &w) || w.merge != FIGURE_SUM)))
				fail_msg("%s.%s: weighted by what?", k->title, f.name);
		}
	}
	assert_true(n > 200);
}

// A meaning stands alone: it is a description in the schema and a help text of Prometheus, where no
// row is above it.
static void a_meaning_needs_no_other(void **state)
{
	static const char *const leaning[] = {"the same", "the least", "the largest", "the most",
		"the longest", "the median", "the difference", "of these", "its upper",
		"its lower"};
	struct figure f;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++) {
			for (unsigned w = 0; w < sizeof(leaning) / sizeof(leaning[0]); w++)
				if (!strncmp(f.meaning, leaning[w], strlen(leaning[w])))
					fail_msg("%s.%s: '%s'", summary_kind[k]->title, f.name,
						f.meaning);
			if (strstr(f.meaning, "are no larger"))
				fail_msg("%s.%s: '%s'", summary_kind[k]->title, f.name, f.meaning);
		}
}

// Statistics of events, by a part of their name. A length or a rate is known, and 0, while
// nothing happens.
static bool is_of_events(const char *name)
{
	static const char *const part[] = {"_min", "min_", "_max", "max_", "_mean", "mean_", "_p50",
		"_p9", "avg_", "first_", "last_", "slowdown", "_at_us", "ratio", "std_"},
				 *const known[] = {"bytes", "gbps", "goodput", "pause_ratio"};
	bool is = false;

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		is |= strstr(name, part[i]) != NULL;
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		is &= !strstr(name, known[i]);
	return is;
}

// No figure says 0 of events that did not happen: it is not known.
static void statistics_of_nothing_are_not_known(void **state)
{
	struct scene_set set[] = {{"warmup", "0us"}, {"defaults.flows.start", "900ms"}};
	unsigned looked = 0;
	struct lab quiet;
	struct figure f;

	(void)state;
	lab_open(&quiet, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	assert_int_equal(lab_run(&quiet, set, 2, false), 0);
	for (unsigned k = 0; k < KINDS; k++) {
		const struct set *of = kind_set(quiet.rec->sum, k);

		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++)
			for (unsigned n = 0; n < of->n && is_of_events(f.name); n++) {
				if (!figure_is_number(&f))
					continue;
				looked++;
				if (figure_value(&f, set_at(of, n)) == 0)
					fail_msg("%s.%s is 0", summary_kind[k]->title, f.name);
			}
	}
	assert_true(looked > 20);
	lab_close(&quiet);
}

// Kinds that share a word, or a list of summary.json, stand one behind the other.
static void what_is_shared_stands_together(void **state)
{
	(void)state;
	for (unsigned a = 0; a < KINDS; a++)
		for (unsigned b = a + 2; b < KINDS; b++) {
			const struct kind *x = summary_kind[a], *y = summary_kind[b];

			if (x->path && y->path && !strcmp(x->path, y->path))
				fail_msg("%s and %s: one word", x->title, y->title);
			if (x->key && y->key && !strcmp(x->key, y->key))
				fail_msg("%s and %s: one key", x->title, y->title);
		}
}

static void every_member_has_a_name_of_its_own(void **state)
{
	struct figure f, other;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		unsigned n = 0;

		for (; kind_member(summary_kind[k], n, &f); n++) {
			if (!f.name || !is_word(f.name))
				fail_msg("%s: '%s' is no word", summary_kind[k]->title, f.name);
			for (unsigned i = 0; i < n && kind_member(summary_kind[k], i, &other); i++)
				if (!strcmp(f.name, other.name))
					fail_msg("%s: %s twice", summary_kind[k]->title, f.name);
		}
		assert_true(n > 0);
	}
}

// A path of word k that ends in this name is that of a figure, and of how many.
static unsigned figures_called(unsigned k, const char *name)
{
	unsigned n = 0;
	struct figure f;

	for (unsigned i = 0; i < KINDS; i++)
		if (summary_kind[i]->path && !strcmp(summary_kind[i]->path, summary_kind[k]->path))
			n += kind_figure(summary_kind[i], name, &f);
	return n;
}

// An older name is no name of now, of its own kind or of another of the same word, nor a path of
// one word; and kinds of one word have one new name for it.
static void an_older_name_is_free(void **state)
{
	char path[256], now[SUMMARY_PATH], want[256];
	struct figure f, other;
	unsigned n = 0;
	const char *one;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++) {
			if (!f.was)
				continue;
			n++;
			assert_true(is_word(f.was) && figure_is_number(&f));
			assert_int_equal(figures_called(k, f.was), 0);
			for (unsigned w = 0; (one = summary_path_alone(w)); w++)
				assert_string_not_equal(one, f.was);
			assert_true(kind_figure_was(summary_kind[k], f.was, &other));
			assert_string_equal(other.name, f.name);
			snprintf(path, sizeof(path), "%s.*.%s", summary_kind[k]->path, f.was);
			snprintf(want, sizeof(want), "%s.*.%s", summary_kind[k]->path, f.name);
			assert_non_null(summary_path_now(path, now, sizeof(now)));
			assert_string_equal(now, want);
			assert_null(summary_path_now(want, now, sizeof(now)));
		}
	assert_true(n > 10);
	assert_false(kind_figure_was(&kind_total, "cnp_rx", &f));
}

static void every_member_has_a_meaning_and_a_unit_or_none(void **state)
{
	struct figure f;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++) {
			is_text(f.name, f.meaning);
			if (!f.unit)
				fail_msg("%s: no unit, not even none", f.name);
			if (!figure_is_number(&f) && *f.unit)
				fail_msg("%s is no figure but has the unit %s", f.name, f.unit);
		}
}

// A unit that stands last in a name, but for "_total", is the row's.
static void names_end_in_their_unit(void **state)
{
	static const struct {
		const char *end, *unit;
	} ends[] = {{"_bytes", "bytes"}, {"_us", "us"}, {"_ps", "ps"}, {"_gbps", "Gb/s"},
		{"_percent", "%"}, {"_per_s", "1/s"}, {"_frames", "frames"}};
	unsigned seen[7] = {0};
	struct figure f;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0;
			i < summary_kind[k]->n_figures && kind_member(summary_kind[k], i, &f);
			i++) {
			size_t n = strlen(f.name);

			if (n > 6 && !strcmp(f.name + n - 6, "_total"))
				n -= 6;
			for (unsigned e = 0; e < 7 && figure_is_number(&f); e++) {
				size_t len = strlen(ends[e].end);

				if (n < len || memcmp(f.name + n - len, ends[e].end, len) != 0)
					continue;
				seen[e]++;
				if (strcmp(f.unit, ends[e].unit) != 0)
					fail_msg("%s of %s has the unit '%s'", f.name,
						summary_kind[k]->title, f.unit);
			}
		}
	for (unsigned e = 0; e < 7; e++)
		assert_true(seen[e] > 0);
}

// Rows, then counters, then reasons, and no more.
static void members_are_of_three_origins(void **state)
{
	struct figure f;

	(void)state;
	assert_true(kind_member(&kind_port, kind_port.n_figures, &f));
	assert_string_equal(f.name, sw_port_stat_table.row[0].name);
	assert_string_equal(f.meaning, sw_port_stat_table.row[0].help);
	assert_true(kind_member(&kind_port, kind_port.n_figures + sw_port_stat_table.n, &f));
	assert_string_equal(f.name, sw_malformed_stat_table.row[0].name);
	assert_false(kind_member(&kind_port,
		kind_port.n_figures + sw_port_stat_table.n + sw_malformed_stat_table.n, &f));
	for (unsigned d = 0; d < SW_DROPS; d++) {
		assert_true(kind_member(&kind_drop, d, &f));
		assert_string_equal(f.name, sw_drop_name((enum sw_drop)d));
	}
	assert_false(kind_member(&kind_drop, SW_DROPS, &f));
}

// Of each word all figures of its kind, in their order, and no other member.
static void words_list_the_numbers(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		struct figure f;
		unsigned n = 0;

		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++)
			if (figure_is_number(&f))
				assert_string_equal(summary_path_name(k, n++), f.name);
		assert_null(summary_path_name(k, n));
		assert_true(n > 0);
	}
}

static void by_name(void **state)
{
	struct figure f;

	(void)state;
	assert_true(kind_figure(&kind_queue, "p99_bytes", &f));
	assert_string_equal(f.name, "p99_bytes");
	assert_false(kind_figure(&kind_queue, "p99", &f));
	assert_false(kind_figure(&kind_queue, "", &f));
	assert_false(kind_figure(&kind_queue, "port", &f)); // no number
	assert_true(isnan(summary_at(l.rec->sum, KIND_QUEUE, 0, "p99")));
	assert_true(isnan(summary_at(l.rec->sum, KIND_QUEUE, 0, "class"))); // it is no figure
	assert_true(isnan(summary_at(l.rec->sum, KIND_QUEUE, 1000, "p99_bytes")));
	assert_true(summary_count(l.rec->sum, KIND_QUEUE, 1000, "max_bytes") == 0);
}

static void texts_numbers_and_flags_by_name(void **state)
{
	const struct summary *s = l.rec->sum;
	char buf[KIND_NAME];
	unsigned q = 0;

	(void)state;
	while (strcmp(summary_label(s, KIND_QUEUE, q, NULL, buf), "s1:r.3") != 0)
		assert_true(q++ < s->set[KIND_QUEUE].n);
	assert_string_equal(summary_label(s, KIND_QUEUE, q, "port", buf), "s1:r");
	assert_true(summary_id(s, KIND_QUEUE, q, "class") == 3);
	assert_true(summary_is(s, KIND_QUEUE, q, "lossless"));
	assert_string_equal(summary_label(s, KIND_QUEUE, q, "class", buf), "");
	assert_string_equal(summary_label(s, KIND_QUEUE, 1000, "port", buf), "");
	assert_true(isnan(summary_id(s, KIND_QUEUE, q, "max_bytes")));
	assert_false(summary_is(s, KIND_QUEUE, q, "port"));
}

static void path_of(char path[256], unsigned kind, unsigned object, const char *figure)
{
	char name[KIND_NAME];

	if (summary_kind[kind]->single)
		snprintf(path, 256, "%s.%s", summary_kind[kind]->path, figure);
	else
		snprintf(path, 256, "%s.%s.%s", summary_kind[kind]->path,
			summary_label(l.rec->sum, (enum kind_id)kind, object, NULL, name), figure);
}

// Each figure of each object by its path, which a check before the run takes.
static void paths_give_the_same(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned o = 0; summary_kind[k]->path && o < l.rec->sum->set[k].n; o++) {
			const char *figure;
			char path[256];

			for (unsigned i = 0; (figure = summary_path_name(k, i)); i++) {
				double a = summary_at(l.rec->sum, (enum kind_id)k, o, figure), b;

				path_of(path, k, o, figure);
				b = report_value(l.rec, path);
				if (!(a == b || (isnan(a) && isnan(b))))
					fail_msg("%s is %g, not %g", path, b, a);
				n += !isnan(b);
			}
			if (summary_path_check(l.scene, path, &l.err))
				fail_msg("%s", l.err.text);
		}
	assert_true(n > 1000);
}

static void a_sum_is_that_of_the_objects(void **state)
{
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < l.rec->sum->set[KIND_QUEUE].n; i++) {
		double v = summary_at(l.rec->sum, KIND_QUEUE, i, "tx_frames");

		sum += isnan(v) ? 0 : v; // queues of NICs have none
	}
	assert_true(sum > 1000);
	assert_true(summary_sum(l.rec->sum, KIND_QUEUE, "tx_frames") == sum);
	assert_true(isnan(summary_sum(l.rec->sum, KIND_QUEUE, "nothing")));
}

static bool is_it(void *arg, const char *object)
{
	return !strcmp(arg, object);
}

static bool any(void *arg, const char *object)
{
	(void)arg;
	return *object;
}

// The example name of a kind is one of its objects, here at two hosts and a receiver.
static void examples_are_there(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		char name[64];

		if (!summary_path_has_objects(k) || !summary_path_objects(k, l.scene, any, NULL))
			continue;
		snprintf(name, sizeof(name), "%s", summary_kind[k]->example);
		if (!summary_path_objects(k, l.scene, is_it, name))
			fail_msg("%s: there is no %s", summary_kind[k]->title, name);
		n++;
	}
	assert_true(n > 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_tells_what_it_is),
		cmocka_unit_test(figures_say_how_parts_of_them_merge),
		cmocka_unit_test(a_meaning_needs_no_other),
		cmocka_unit_test(what_is_shared_stands_together),
		cmocka_unit_test(statistics_of_nothing_are_not_known),
		cmocka_unit_test(every_member_has_a_name_of_its_own),
		cmocka_unit_test(an_older_name_is_free),
		cmocka_unit_test(every_member_has_a_meaning_and_a_unit_or_none),
		cmocka_unit_test(names_end_in_their_unit),
		cmocka_unit_test(members_are_of_three_origins),
		cmocka_unit_test(words_list_the_numbers),
		cmocka_unit_test(by_name),
		cmocka_unit_test(texts_numbers_and_flags_by_name),
		cmocka_unit_test(paths_give_the_same),
		cmocka_unit_test(a_sum_is_that_of_the_objects),
		cmocka_unit_test(examples_are_there),
	};

	return cmocka_run_group_tests(tests, run, end);
}
