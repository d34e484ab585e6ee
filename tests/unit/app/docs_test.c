// SPDX-License-Identifier: BSD-3-Clause
// The pages against the program: columns, events and counters are explained, and keys of
// summary.json, if not by the row of their kind.
#include "record_lab.h"

#include "contract/contract.h"
#include "nic/nic.h"
#include "load/load.h"
#include "report/int.h"
#include "summary/summary.h"
#include "sw/sw.h"

#define PAGE(name) text_of(TEST_DATA "/../../docs/" name)

static struct lab l;

static int run(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	return lab_run(&l, NULL, 0, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

// The part of a page under a heading, up to the next one of its kind.
static char *section(const char *page, const char *heading)
{
	const char *at = strstr(page, heading), *next;

	if (!at) {
		fail_msg("no section '%s'", heading);
		return NULL;
	}
	next = strstr(at + 1, "\n## ");
	return next ? strndup(at, (size_t)(next - at)) : strdup(at);
}

// The names between backquotes in the first cells of a section's first table, with commas.
static char *columns(const char *text)
{
	char *all = calloc(1, strlen(text) + 1), *to = all;
	const char *row = strstr(text, "| --- |");

	assert_non_null(row);
	for (row = strchr(row, '\n') + 1; *row == '|'; row = strchr(row, '\n') + 1) {
		bool name = false;

		for (const char *c = row + 1; *c != '|'; c++) {
			if (*c == '`')
				name = !name;
			else if (name)
				*to++ = *c;
			if (*c == '`' && !name)
				*to++ = ',';
		}
		if (!strchr(row, '\n'))
			break;
	}
	assert_true(to > all);
	to[-1] = 0;
	return all;
}

static void header_is(const char *page, const char *file, const char *heading)
{
	char *part = section(page, heading), *want = columns(part), *text = lab_file(&l, file);

	text[strcspn(text, "\n")] = 0;
	assert_string_equal(text, want);
	free(part);
	free(want);
	free(text);
}

static void columns_stand_as_the_page_says(void **state)
{
	char *page = PAGE("formats.md");

	(void)state;
	header_is(page, "timeseries.csv", "## timeseries.csv");
	header_is(page, "events.csv", "## events.csv");
	free(page);
}

static bool explains(const char *page, const char *word)
{
	char quoted[96];

	snprintf(quoted, sizeof(quoted), "`%s`", word);
	return strstr(page, quoted);
}

static unsigned rows_of(const char *part)
{
	unsigned n = 0;

	for (const char *c = part; (c = strstr(c, "\n| `")); c++)
		n++;
	return n;
}

// The line of a page for a type of event: when it happens, at which port, and what columns show.
static void event_line(char *line, size_t size, const struct ev_row *row)
{
	int n = snprintf(line, size, "\n| `%s` | %s | %s |", row->name, row->when, row->object);

	for (unsigned i = 0; i < row->n_fields && row->field[i].column; i++) {
		const struct ev_field *f = &row->field[i];

		n += snprintf(line + n, size - (size_t)n, "%s `%s`%s%s", i ? ";" : "",
			ev_column[f->column].name, *f->help ? ": " : "", f->help);
	}
	snprintf(line + n, size - (size_t)n, " |\n");
}

static void each_event_is_explained(void **state)
{
	char *page = PAGE("formats.md"), *part = section(page, "## events.csv"), line[512];
	unsigned n = 0;

	(void)state;
	for (unsigned i = EV_COL_TIME; i < EV_COLS; i++, n++) {
		snprintf(line, sizeof(line), "\n| `%s` | %s |\n", ev_column[i].name,
			ev_column[i].help);
		if (!strstr(part, line))
			fail_msg("docs/formats.md lacks, under events.csv:%s", line);
	}
	for (unsigned t = EV_MARK; t < EV_TYPES; t++) {
		if (!(ev_row[t].use & (EV_USE_FILE | EV_USE_NAMED)))
			continue;
		event_line(line, sizeof(line), &ev_row[t]);
		if (!strstr(part, line))
			fail_msg("docs/formats.md lacks, under events.csv:%s", line);
		n++;
	}
	assert_int_equal(rows_of(part), n + 1); // and the head of the second table
	free(part);
	free(page);
}

// Each row is there as it is, and no other. Returns how many.
static unsigned rows_are_there(const char *part, const struct stat_table *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		char line[256];

		snprintf(line, sizeof(line), "\n| `%s` | %s | %s |\n", t->row[i].name,
			t->row[i].unit, t->row[i].help);
		if (!strstr(part, line))
			fail_msg("docs/counters.md lacks, under %s:%s", t->object, line);
	}
	return t->n;
}

static void counters_of(const char *page, const char *heading, const struct stat_table *a,
	const struct stat_table *b)
{
	char *part = section(page, heading);
	unsigned want = rows_are_there(part, a) + (b ? rows_are_there(part, b) : 0);
	unsigned n = rows_of(part);

	if (n != want)
		fail_msg("docs/counters.md has %u counters under '%s', there are %u", n, heading,
			want);
	free(part);
}

static void each_counter_is_explained(void **state)
{
	char *page = PAGE("counters.md");

	(void)state;
	counters_of(page, "(`sw_port`)", &sw_port_stat_table, &sw_malformed_stat_table);
	counters_of(page, "(`sw_class`)", &sw_class_stat_table, NULL);
	counters_of(page, "(`sw_wd`)", &sw_wd_stat_table, NULL);
	counters_of(page, "(`pause`)", &pause_stat_table, NULL);
	counters_of(page, "(`red_bin`)", &red_bin_stat_table, NULL);
	counters_of(page, "(`nic`)", &nic_stat_table, &nic_malformed_stat_table);
	counters_of(page, "(`qp`)", &nic_qp_stat_table, NULL);
	counters_of(page, "(`source`)", &nic_gen_stat_table, NULL);
	counters_of(page, "(`trip`)", &trip_stat_table, NULL);
	counters_of(page, "(`replay`)", &replay_stat_table, NULL);
	counters_of(page, "(`tester`)", &tester_stat_table, NULL);
	free(page);
}

// `quench figures` prints the rows: each tells what it means, and each kind which objects it has.
static void each_member_has_a_meaning(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned k = 0; k < KINDS; k++) {
		struct figure f;

		if (!summary_kind[k]->about || !*summary_kind[k]->about)
			fail_msg("%s: which objects there are is not told", summary_kind[k]->title);
		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++, n++)
			if (!f.meaning || !*f.meaning)
				fail_msg("%s: %s has no meaning", summary_kind[k]->title, f.name);
	}
	assert_true(n > 500);
}

// Whether it is the key of a kind or of one of its members.
static bool is_in_a_row(const char *key)
{
	for (unsigned k = 0; k < KINDS; k++) {
		struct figure f;

		if (summary_kind[k]->key && !strcmp(summary_kind[k]->key, key))
			return true;
		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++)
			if (!strcmp(f.name, key))
				return true;
	}
	return false;
}

// A key stands at the beginning of a line, and in JSON of ours nowhere else.
static void each_key_is_explained(void **state)
{
	char *text = lab_file(&l, "summary.json"), *save = NULL;
	char *page[] = {PAGE("measuring.md"), PAGE("counters.md"), PAGE("formats.md")};
	unsigned n = 0, in_rows = 0;

	(void)state;
	for (char *line = strtok_r(text, "\n{,", &save); line;
		line = strtok_r(NULL, "\n{,", &save)) {
		char key[80];
		int after = 0;

		if (sscanf(line, " \"%79[a-z0-9_]\":%n", key, &after) != 1 || !after)
			continue;
		n++;
		if (is_in_a_row(key))
			in_rows++;
		else if (!explains(page[0], key) && !explains(page[1], key) &&
			 !explains(page[2], key))
			fail_msg("neither a row nor a page explains the key %s of summary.json",
				key);
	}
	assert_true(n > 500);
	assert_true(in_rows < n); // those of the run itself are in pages
	free(text);
	for (unsigned i = 0; i < 3; i++)
		free(page[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_stand_as_the_page_says),
		cmocka_unit_test(each_event_is_explained),
		cmocka_unit_test(each_counter_is_explained),
		cmocka_unit_test(each_member_has_a_meaning),
		cmocka_unit_test(each_key_is_explained),
	};

	return cmocka_run_group_tests(tests, run, end);
}
