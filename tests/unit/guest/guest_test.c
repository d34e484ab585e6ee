// SPDX-License-Identifier: BSD-3-Clause
// Loading a plug-in: its parameters are options with units and limits, its digest is that of the
// file; whatever is wrong with a shared object is told in one line.
#include "guest/guest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define GOOD        MODULES "/plugin0.so"
#define WITHOUT_CNP MODULES "/plugin9.so"

static struct arena arena;

static struct guest *loaded(const char *file)
{
	struct guest *g = NULL;
	struct err err;

	if (guest_load(&g, &arena, file, false, &err))
		fail_msg("%s", err.text);
	return g;
}

static void unload(struct guest *g)
{
	guest_free(g);
	arena_free(&arena);
	memset(&arena, 0, sizeof(arena));
}

static void refused(const char *file, const char *line)
{
	struct guest *g = NULL;
	struct err err;

	assert_true(guest_load(&g, &arena, file, false, &err) < 0);
	if (strncmp(err.text, file, strlen(file)) != 0 || !strstr(err.text, line) ||
		strchr(err.text, '\n'))
		fail_msg("told '%s', not '%s: %s'", err.text, file, line);
	arena_free(&arena);
	memset(&arena, 0, sizeof(arena));
}

static void what_is_no_plugin_is_told(void **state)
{
	char text[200];

	(void)state;
	refused("/nowhere/mine.so", "No such file");
	refused(TEST_DATA, "directory");
	refused(TEST_DATA "/README.md", "");
	refused(MODULES "/nothing.so",
		": has no quench_plugin; quench/plugin.h says what a plug-in is");
	refused(MODULES "/plugin10.so", "undefined symbol: is_nowhere");
	refused(MODULES "/plugin11.so",
		": is made for version 2 of quench/plugin.h, and this program has version 1; "
		"compile it again");
	snprintf(text, sizeof(text),
		": its struct quench_plugin has %zu bytes, and this program's has %zu; compile it "
		"again",
		sizeof(struct quench_plugin) - 8, sizeof(struct quench_plugin));
	refused(MODULES "/plugin12.so", text);
	snprintf(text, sizeof(text),
		": its struct quench_rp has %zu bytes, and this program's has %zu",
		sizeof(struct quench_rp) + 8, sizeof(struct quench_rp));
	refused(MODULES "/plugin13.so", text);
}

static void a_table_that_cannot_be_is_told(void **state)
{
	(void)state;
	refused(MODULES "/plugin1.so",
		": parameter 'Bad-Name' has no name that a scenario can have");
	refused(MODULES "/plugin2.so", ": parameter 'gain' is there twice");
	refused(MODULES "/plugin3.so", ": parameter 'late' has a default outside of its limits");
	refused(MODULES "/plugin4.so", ": parameter 'wide' has limits that its unit cannot have");
	refused(MODULES "/plugin5.so", ": parameter 'half' has a default that is no whole unit");
	refused(MODULES "/plugin6.so",
		": parameter 'odd' has a unit that this program does not know");
}

static void verbs_that_do_not_go_together_are_told(void **state)
{
	(void)state;
	refused(MODULES "/plugin7.so", ": has one of expire and deadline; it takes both, or none");
	refused(MODULES "/plugin8.so", ": wants to know more of ACKs, and has no ack()");
	refused(MODULES "/plugin14.so",
		": wants CE in ACKs, with which no CNP ever comes; leave cnp() out");
}

static void its_parameters_are_options(void **state)
{
	static const struct {
		const char *key, *value, *limits;
	} want[] = {
		{"from", "0us", "0us..1000s"},
		{"rate", "10Gbps", "0bps..1000Gbps"},
		{"window", "64KB", ""},
		{"gain", "6.25%", "1%..100%"},
		{"shift", "0.5", "-2..2"},
	};
	struct guest *g = loaded(GOOD);
	struct guest_spec spec = {0};
	char text[100];

	(void)state;
	assert_string_equal(g->name, "test");
	assert_string_equal(g->table.name, "control of plug-in test");
	assert_int_equal(g->table.n, 9);
	guest_defaults(g, &spec);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct opt *row = opt_row(&g->table, want[i].key);

		assert_non_null(row);
		assert_true(opt_format(row, &spec, text, sizeof(text)));
		assert_string_equal(text, want[i].value);
		assert_string_equal(opt_limits(row, text, sizeof(text)), want[i].limits);
	}
	unload(g);
}

static void its_digest_is_that_of_the_file(void **state)
{
	struct guest *g = loaded(GOOD);
	char text[100] = "";
	FILE *f = popen("sha256sum '" GOOD "'", "r");

	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	pclose(f);
	assert_int_equal(strlen(g->sha256), 64);
	assert_int_equal(strncmp(text, g->sha256, 64), 0);
	unload(g);
}

static int compiled(struct guest *g, struct rp_cfg *cfg, struct guest_spec *spec, struct err *err)
{
	const struct guest_control c = {.name = "mine", .line_rate = 25 * RATE_GBPS};

	return guest_compile(g, &arena, cfg, &c, spec, err);
}

static void its_verbs_say_what_it_asks_for(void **state)
{
	struct guest *g = loaded(GOOD);
	struct guest_spec spec = {0};
	struct rp_cfg cfg;
	struct err err;

	(void)state;
	guest_defaults(g, &spec);
	assert_int_equal(compiled(g, &cfg, &spec, &err), 0);
	assert_int_equal(rp_asks(&cfg), RP_ASKS_CNP | RP_ASKS_ACK);
	assert_true(cfg.u.plugin.counts);
	unload(g);
	g = loaded(WITHOUT_CNP);
	guest_defaults(g, &spec);
	assert_int_equal(compiled(g, &cfg, &spec, &err), 0);
	assert_int_equal(rp_asks(&cfg), RP_ASKS_ACK | RP_ASKS_CE | RP_ASKS_RTT);
	unload(g);
}

static void init_is_tried_before_a_run(void **state)
{
	static const struct {
		double verb, how;
		const char *line;
	} want[] = {
		{99, 20, "control 'mine' refused to run in init() at 0.000 us"},
		{0, 1, "control 'mine' crashed in init() at 0.000 us (SIGSEGV)"},
		{0, 6, "control 'mine' gave a rate that is no number in init() at 0.000 us"},
	};
	struct guest *g = loaded(GOOD);
	struct guest_spec spec = {0};
	struct rp_cfg cfg;
	struct err err;

	(void)state;
	guest_defaults(g, &spec);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		spec.value[0].real = want[i].verb;
		spec.value[1].real = want[i].how;
		assert_true(compiled(g, &cfg, &spec, &err) < 0);
		assert_string_equal(err.text, want[i].line);
	}
	unload(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_plugin_is_told),
		cmocka_unit_test(a_table_that_cannot_be_is_told),
		cmocka_unit_test(verbs_that_do_not_go_together_are_told),
		cmocka_unit_test(its_parameters_are_options),
		cmocka_unit_test(its_digest_is_that_of_the_file),
		cmocka_unit_test(its_verbs_say_what_it_asks_for),
		cmocka_unit_test(init_is_tried_before_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
