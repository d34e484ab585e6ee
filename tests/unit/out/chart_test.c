// SPDX-License-Identifier: BSD-3-Clause
// The drawing as text: ticks are round, values lie where the axes say, names are escaped, the
// legend ends.
#include "out/int.h"
#include "out/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char text[1 << 16];

static void ticks_are_round(void **state)
{
	(void)state;
	for (double range = 1e-4; range < 1e7; range *= 1.01) {
		double n = range / chart_step(range);

		if (n < 3.19 || n > 8.01)
			fail_msg("%g has %g ticks", range, n);
	}
	assert_true(chart_step(10) == 2);
	assert_true(chart_step(8) == 1);
	assert_true(chart_step(38) == 5);
	assert_true(chart_step(2500) == 500);
}

// Draws into a file and reads it back.
static void drawn(void (*draw)(struct chart *c))
{
	static const double x[] = {10, 20, 30}, y[] = {5, 30, 0};
	char path[] = "/tmp/quench-chart-XXXXXX";
	struct out o;
	struct err err;
	struct chart c = {.o = &o,
		.title = "a<b & c>d",
		.subtitle = "sub",
		.x_title = "time, ms",
		.y_title = "rate, Gb/s",
		.x_from = 10,
		.x_to = 30,
		.y_to = 30};
	FILE *f;
	size_t n;

	assert_int_equal(out_adopt(&o, mkstemp(path), path, &err), 0);
	chart_begin(&c);
	chart_steps(&c, 0, x, y, 3);
	if (draw)
		draw(&c);
	chart_end(&c);
	assert_int_equal(out_close(&o, &err), 0);
	f = fopen(path, "r");
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	unlink(path);
}

static void values_lie_where_the_axes_say(void **state)
{
	(void)state;
	drawn(NULL);
	assert_memory_equal(text, "<svg ", 5);
	assert_string_equal(text + strlen(text) - 7, "</svg>\n");
	// The plot is 72..764 wide with 10 of air on both sides, and 72..456 high with 30 on top.
	assert_non_null(strstr(text, "d=\"M82.0 392.0H418.0V72.0H754.0V456.0\""));
	assert_non_null(strstr(text, "y=\"76.5\" text-anchor=\"end\">30</text>"));
	assert_non_null(strstr(text, "y=\"460.5\" text-anchor=\"end\">0</text>"));
	assert_non_null(strstr(text, "x=\"418.0\" y=\"476\" text-anchor=\"middle\">20</text>"));
	assert_non_null(strstr(text, ">time, ms</text>"));
	assert_non_null(strstr(text, ">rate, Gb/s</text>"));
	assert_non_null(strstr(text, "a&lt;b &amp; c&gt;d"));
	assert_null(strstr(text, "nan"));
}

static void marks(struct chart *c)
{
	chart_mark(c, 1, CHART_DOWN, true, 20, 30, "20 us: <decrease>");
	chart_mark(c, 9, CHART_UP, false, 20, 30, "x");
	chart_legend_head(c, "event");
	chart_legend_mark(c, 0, CHART_DOWN, true, "decrease");
	for (unsigned i = 0; i < 30; i++) {
		char name[16];

		snprintf(name, sizeof(name), "flow %u", i);
		chart_legend_line(c, i, name);
	}
	chart_legend_head(c, "too late");
}

static void marks_have_tips_and_the_legend_an_end(void **state)
{
	(void)state;
	drawn(marks);
	assert_non_null(strstr(text, "translate(418.0 72.0)"));
	assert_non_null(strstr(text, "<title>20 us: &lt;decrease&gt;</title>"));
	assert_non_null(strstr(text, "fill=\"#d55e00\" stroke=\"#d55e00\"")); // filled
	assert_non_null(strstr(text, "fill=\"#fff\" stroke=\"#d55e00\""));    // colours come again
	assert_non_null(strstr(text, ">decrease</text>"));
	assert_non_null(strstr(text, ">flow 17</text>"));
	assert_null(strstr(text, ">flow 18</text>")); // 20 lines
	assert_null(strstr(text, "too late"));
}

static void curve(struct chart *c)
{
	static const double x[] = {10, 30}, y[] = {0, 30};

	chart_lines(c, 1, x, y, 2);
	chart_interval(c, 2, 20, 0, 30);
}

// The axes go from x 82 to 754 and from y 456 up to 72.
static void lines_go_from_point_to_point_and_intervals_stand_upright(void **state)
{
	(void)state;
	drawn(curve);
	assert_non_null(strstr(text, "<path d=\"M82.0 456.0L754.0 72.0\" fill=\"none\""));
	assert_non_null(strstr(text, "<path d=\"M418.0 456.0V72.0\" stroke=\"#009e73\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_round),
		cmocka_unit_test(values_lie_where_the_axes_say),
		cmocka_unit_test(marks_have_tips_and_the_legend_an_end),
		cmocka_unit_test(lines_go_from_point_to_point_and_intervals_stand_upright),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
