// SPDX-License-Identifier: BSD-3-Clause
// The screen on a canvas: thresholds stand in bars, ASCII suffices, small screens have one line,
// and no size writes beside the canvas.
#include "top/draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "top_lab.h"

static struct top_model m;
static struct top_view v;
static struct top_canvas c;
static struct top_state st = {
	.name = "leaf", .scenario = "leaf", .pid = 7, .duration_ps = 10 * PS_PER_MS, .dilate = 1};
static char line[1024];

#define LOOK(marks)                                                                     \
	"total.marks " #marks " total.drops_total 0 total.lossless_drops_total 0 "      \
	"instrument.loop_gap_p99_us 0.4 instrument.loop_gap_max_us 31.25 "              \
	"link.s1:r.rate_bps 1e9 queue.s1:r.3.length_bytes 100 queue.s1:r.3.kmin_bytes " \
	"200 queue.s1:r.3.kmax_bytes 400 pg.s1:h.3.held_bytes 10 pg.s1:h.3.xon_bytes "  \
	"300 pg.s1:h.3.xoff_bytes 320"

static int made(void **state)
{
	(void)state;
	top_view_init(&v);
	if (top_model_init(&m, 24))
		return -1;
	top_lab_take(&m, PS_PER_MS, LOOK(1));
	top_lab_take(&m, 2 * PS_PER_MS, LOOK(3));
	st.begun = true;
	*st.notice = '\0';
	return 0;
}

static int freed(void **state)
{
	(void)state;
	top_canvas_free(&c);
	top_view_free(&v);
	top_model_free(&m);
	return 0;
}

static void draw(unsigned rows, unsigned columns)
{
	assert_true(top_view_sort(&v, &m));
	assert_int_equal(top_canvas_clear(&c, rows, columns), 0);
	top_draw(&c, &v, &m, &st);
}

// A line of the canvas without the blanks at its end.
static const char *text_of(unsigned y)
{
	size_t n = 0;

	for (unsigned x = 0; x < c.columns; x++) {
		const char *text = c.cell[(size_t)y * c.columns + x].text;

		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s", *text ? text : " ");
	}
	while (n && line[n - 1] == ' ')
		line[--n] = '\0';
	return line;
}

static bool has(const char *text)
{
	for (unsigned y = 0; y < c.rows; y++)
		if (strstr(text_of(y), text))
			return true;
	return false;
}

static void the_first_line_is_the_verdict(void **state)
{
	(void)state;
	draw(24, 80);
	assert_string_equal(
		text_of(0), " LOSSLESS  timing held  loop gap p99 0.400 us, max 31.2 us");
	top_lab_take(&m, 3 * PS_PER_MS,
		"total.drops_total 5 total.lossless_drops_total 3 drop.headroom 3 drop.wred 2");
	strcpy(m.before.timing, "one loop in a hundred takes 9 us");
	draw(24, 80);
	assert_string_equal(
		text_of(0), " NOT LOSSLESS: 3 lost (headroom 3, wred 2)  TIMING BROKEN");
	assert_string_equal(text_of(3), " one loop in a hundred takes 9 us");
	top_lab_take(
		&m, 4 * PS_PER_MS, "total.drops_total 2 total.lossless_drops_total 0 drop.wred 2");
	draw(24, 80);
	assert_string_equal(text_of(0), " lossless, 2 lossy drops (wred 2)  timing held");
}

static void thresholds_stand_in_the_bars(void **state)
{
	(void)state;
	draw(24, 80);
	assert_true(has(" s1:r.3 out      [||||||     k          K     ]    100"));
	assert_true(has(" s1:h.3 in       [|                    xX     ]     10"));
	c.utf8 = true;
	draw(24, 80);
	assert_true(has("[█████▋     k          K     ]"));
}

static void below_the_least_size_one_line_stays(void **state)
{
	(void)state;
	draw(23, 80);
	assert_string_equal(text_of(0), "quench top wants 80 columns and 24 lines.");
	for (unsigned y = 1; y < 23; y++)
		assert_string_equal(text_of(y), "");
	draw(24, 79);
	assert_string_equal(text_of(0), "quench top wants 80 columns and 24 lines.");
	draw(1, 1);
	assert_string_equal(text_of(0), "q");
}

static void a_row_over_time_has_its_thresholds(void **state)
{
	(void)state;
	v.focus = TOP_QUEUES;
	assert_true(top_view_sort(&v, &m));
	top_view_key(&v, &m, TOP_KEY_ENTER);
	draw(24, 80);
	assert_true(has(" QUEUE s1:r.3 out"));
	assert_true(has(" LENGTH   now 100   least 100   mean 100   most 100"));
	assert_true(has("        k"));
	assert_true(has("        K"));
	assert_true(has("#"));
}

static void a_notice_and_a_command_are_shown(void **state)
{
	(void)state;
	strcpy(st.notice, "The instance has ended.");
	top_view_key(&v, &m, ' ');
	draw(24, 80);
	assert_string_equal(text_of(3), " The instance has ended.  FROZEN: space goes on");
	*st.notice = '\0';
	top_view_key(&v, &m, 'a');
	draw(24, 80);
	assert_true(has(" > take the link down"));
	top_view_key(&v, &m, TOP_KEY_ENTER);
	draw(24, 80);
	assert_true(has("quench do 'link_down: s1:r'"));
	assert_int_equal(c.cursor_y, 23);
	assert_int_equal(c.cursor_x, strlen("quench do 'link_down: s1:r"));
	top_view_key(&v, &m, TOP_KEY_ENTER);
	draw(24, 80);
	assert_string_equal(text_of(22), "quench do 'link_down: s1:r'");
	assert_string_equal(text_of(23), "Run this command?  y: yes, any other key: no");
	memset(v.command.text, 'x', 200);
	draw(24, 80);
	assert_int_equal(strspn(text_of(21), "x"), 80); // all of it is seen
	text_of(22);
	assert_string_equal(line + strspn(line, "x"), "'");
}

// All sizes in all modes; the sanitizers look.
static void every_size_can_be_drawn(void **state)
{
	(void)state;
	for (unsigned mode = MODE_ROWS; mode <= MODE_CONFIRM; mode++)
		for (unsigned rows = 1; rows < 60; rows += 7)
			for (unsigned columns = 1; columns < 260; columns += 9) {
				v.mode = (enum top_mode)mode;
				v.n_actions = mode == MODE_ACTIONS;
				v.action[0] = (struct top_action){"do it", "do", "stop"};
				draw(rows + 24 * (mode & 1), columns);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_line_is_the_verdict, made, freed),
		cmocka_unit_test_setup_teardown(thresholds_stand_in_the_bars, made, freed),
		cmocka_unit_test_setup_teardown(below_the_least_size_one_line_stays, made, freed),
		cmocka_unit_test_setup_teardown(a_row_over_time_has_its_thresholds, made, freed),
		cmocka_unit_test_setup_teardown(a_notice_and_a_command_are_shown, made, freed),
		cmocka_unit_test_setup_teardown(every_size_can_be_drawn, made, freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
