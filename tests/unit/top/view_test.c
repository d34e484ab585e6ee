// SPDX-License-Identifier: BSD-3-Clause
// Keys move, sort and filter; a command is run after a y only.
#include "top/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "top_lab.h"

static struct top_model m;
static struct top_view v;

static const char first[] =
	"link.s1:h1.rate_bps 1e9 link.s1:h10.rate_bps 1e9 link.s1:h2.rate_bps 1e9 "
	"flow.a.rx_bytes 0 flow.b.rx_bytes 0 flow.c.rx_bytes 0 "
	"queue.r:s1.6.length_bytes 0 queue.s1:r.3.length_bytes 5 queue.s1:r.3.kmax_bytes 9";
static const char second[] =
	"link.s1:h1.rate_bps 1e9 link.s1:h10.rate_bps 1e9 link.s1:h2.rate_bps 1e9 "
	"flow.a.rx_bytes 10 flow.b.rx_bytes 30 flow.c.rx_bytes 20 "
	"queue.r:s1.6.length_bytes 0 queue.s1:r.3.length_bytes 5 queue.s1:r.3.kmax_bytes 9";

static int made(void **state)
{
	(void)state;
	top_view_init(&v);
	if (top_model_init(&m, 4))
		return -1;
	top_lab_take(&m, PS_PER_MS, first);
	top_lab_take(&m, 2 * PS_PER_MS, second);
	for (unsigned s = 0; s < TOP_SECTIONS; s++)
		v.list[s].room = 2;
	return top_view_sort(&v, &m) ? 0 : -1;
}

static int freed(void **state)
{
	(void)state;
	top_view_free(&v);
	top_model_free(&m);
	return 0;
}

static void press(int key)
{
	top_view_key(&v, &m, key);
	assert_true(top_view_sort(&v, &m));
}

static void type(const char *text)
{
	while (*text)
		press(*text++);
}

// The names of a section's rows in their order, "a b c".
static void shows(enum top_section s, const char *want)
{
	char names[256] = "";

	for (unsigned i = 0; i < v.list[s].n; i++) {
		strcat(names, i ? " " : "");
		strcat(names, m.of[s].row[v.list[s].order[i]].name);
	}
	assert_string_equal(names, want);
}

static void selected(const char *want)
{
	const struct top_row *row = top_view_row(&v, &m);

	assert_non_null(row);
	assert_string_equal(row->name, want);
}

static void the_busiest_queue_pairs_come_first(void **state)
{
	(void)state;
	shows(TOP_FLOWS, "b c a");
	shows(TOP_PORTS, "s1:h1 s1:h10 s1:h2");
	shows(TOP_QUEUES, "s1:r.3 out r:s1.6 out"); // the one with thresholds
}

static void a_column_sorts_and_again_turns_around(void **state)
{
	(void)state;
	press('s');
	press(TOP_KEY_DOWN); // from the order of the scene to the name
	press(TOP_KEY_ENTER);
	shows(TOP_PORTS, "s1:h1 s1:h2 s1:h10");
	press(TOP_KEY_SORT);
	press(TOP_KEY_ENTER);
	shows(TOP_PORTS, "s1:h10 s1:h2 s1:h1");
	press('i');
	shows(TOP_PORTS, "s1:h1 s1:h2 s1:h10");
	press('s');
	press(TOP_KEY_DOWN);
	press(TOP_KEY_ESCAPE);
	shows(TOP_PORTS, "s1:h1 s1:h2 s1:h10");
}

static void a_filter_is_a_plain_text(void **state)
{
	(void)state;
	press('/');
	type("h1");
	shows(TOP_PORTS, "s1:h1 s1:h10");
	shows(TOP_FLOWS, "");
	press(TOP_KEY_ENTER);
	assert_int_equal(v.mode, MODE_ROWS);
	press('/');
	press(TOP_KEY_BACKSPACE);
	shows(TOP_PORTS, "s1:h1 s1:h10 s1:h2");
	press(TOP_KEY_ESCAPE); // as before it was typed
	shows(TOP_PORTS, "s1:h1 s1:h10");
	press(TOP_KEY_ESCAPE);
	shows(TOP_PORTS, "s1:h1 s1:h10 s1:h2");
}

static void the_selection_stays_with_its_row(void **state)
{
	(void)state;
	press(TOP_KEY_BACK_TAB);
	assert_int_equal(v.focus, TOP_FLOWS);
	selected("b");
	press(TOP_KEY_DOWN);
	selected("c");
	top_lab_take(
		&m, 3 * PS_PER_MS, "flow.a.rx_bytes 10 flow.b.rx_bytes 30 flow.c.rx_bytes 1000");
	press(0);
	shows(TOP_FLOWS, "c b a");
	selected("c");
	press(TOP_KEY_END);
	selected("a");
	assert_int_equal(v.list[TOP_FLOWS].first, 1); // two of three have room
	press(TOP_KEY_HOME);
	selected("c");
	assert_int_equal(v.list[TOP_FLOWS].first, 0);
}

static void until_it_is_moved_the_first_row_is_selected(void **state)
{
	(void)state;
	press(TOP_KEY_BACK_TAB);
	selected("b");
	top_lab_take(
		&m, 3 * PS_PER_MS, "flow.a.rx_bytes 10 flow.b.rx_bytes 30 flow.c.rx_bytes 1000");
	press(0);
	selected("c");
}

// Rates of equal flows differ from look to look, and yet their rows stay.
static void rows_do_not_jump(void **state)
{
	unsigned a = 10, b = 30, c = 20;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		char lines[128];

		a += 5;
		b += 28 + 3 * (i & 1);
		c += 28 + 3 * !(i & 1);
		snprintf(lines, sizeof(lines),
			"flow.a.rx_bytes %u flow.b.rx_bytes %u flow.c.rx_bytes %u", a, b, c);
		top_lab_take(&m, (3 + i) * PS_PER_MS, lines);
		press(0);
		shows(TOP_FLOWS, "b c a");
	}
}

static void open_command(void)
{
	press('a');
	assert_int_equal(v.mode, MODE_ACTIONS);
	press(TOP_KEY_ENTER);
	assert_int_equal(v.mode, MODE_COMMAND);
	assert_string_equal(v.command.text, "link_down: s1:h1");
}

static void only_a_y_runs_a_command(void **state)
{
	(void)state;
	open_command();
	press('y'); // is typed
	press(TOP_KEY_BACKSPACE);
	assert_false(v.run);
	for (int key = 0; key < 0x1100; key++) {
		if (key == 'y' || key == 'Y')
			continue;
		press(TOP_KEY_ENTER);
		assert_int_equal(v.mode, MODE_CONFIRM);
		press(key);
		assert_false(v.run);
		assert_int_equal(v.mode, MODE_ROWS);
		open_command();
	}
	press(TOP_KEY_ENTER);
	press('y');
	assert_true(v.run);
}

static void a_command_can_be_changed_or_left(void **state)
{
	(void)state;
	open_command();
	press(TOP_KEY_BACKSPACE);
	type("2");
	press(TOP_KEY_HOME);
	press(TOP_KEY_DELETE);
	type("L");
	press(TOP_KEY_RIGHT);
	press(TOP_KEY_LEFT);
	press(0xe4); // no ASCII
	assert_string_equal(v.command.text, "Link_down: s1:h2");
	press(TOP_KEY_ESCAPE);
	assert_int_equal(v.mode, MODE_ROWS);
	assert_false(v.run);
}

static void a_row_without_actions_says_so(void **state)
{
	(void)state;
	press(TOP_KEY_TAB);
	press(TOP_KEY_END);
	selected("r:s1.6 out");
	press('a');
	assert_int_equal(v.mode, MODE_ROWS);
	assert_string_equal(v.told, "There is nothing to change about this row.");
}

static void q_leaves_what_is_open_first(void **state)
{
	(void)state;
	press(TOP_KEY_ENTER);
	assert_int_equal(v.mode, MODE_PAST);
	press(TOP_KEY_DOWN); // the next row's past
	assert_int_equal(v.past_row, 1);
	press('q');
	press('h');
	press('q');
	press('s');
	press('q');
	assert_false(v.quit);
	press(' ');
	assert_true(v.frozen);
	press('p');
	assert_false(v.frozen);
	press('q');
	assert_true(v.quit);
}

// Any keys in any order: nothing is touched that is not there (the sanitizers look), and with no
// row at all.
static void any_keys_do(void **state)
{
	uint32_t x = 1;

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 20000; i++) {
			x = x * 1664525 + 1013904223;
			press((int)(x >> 16) % 4 ? TOP_KEY_UP + (int)(x >> 20) % 18
						 : (int)(x >> 20) % 128);
			for (unsigned s = 0; s < TOP_SECTIONS; s++)
				assert_true(v.list[s].first <= v.list[s].n);
		}
		top_model_free(&m);
		top_view_free(&v);
		top_view_init(&v);
		assert_int_equal(top_model_init(&m, 4), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_busiest_queue_pairs_come_first, made, freed),
		cmocka_unit_test_setup_teardown(a_column_sorts_and_again_turns_around, made, freed),
		cmocka_unit_test_setup_teardown(a_filter_is_a_plain_text, made, freed),
		cmocka_unit_test_setup_teardown(the_selection_stays_with_its_row, made, freed),
		cmocka_unit_test_setup_teardown(
			until_it_is_moved_the_first_row_is_selected, made, freed),
		cmocka_unit_test_setup_teardown(rows_do_not_jump, made, freed),
		cmocka_unit_test_setup_teardown(only_a_y_runs_a_command, made, freed),
		cmocka_unit_test_setup_teardown(a_command_can_be_changed_or_left, made, freed),
		cmocka_unit_test_setup_teardown(a_row_without_actions_says_so, made, freed),
		cmocka_unit_test_setup_teardown(q_leaves_what_is_open_first, made, freed),
		cmocka_unit_test_setup_teardown(any_keys_do, made, freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
