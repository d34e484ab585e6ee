// SPDX-License-Identifier: BSD-3-Clause
// The files of figures to the byte, whatever is in their names, and the messages if gnuplot is
// missing or fails.
#include "paper/paper.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char dir[] = "/tmp/quench-paper-XXXXXX";
static char text[2][1 << 16];

static const char *at(const char *folder, const char *name)
{
	static char path[2][512];
	static unsigned turn;
	char *to = path[turn++ % 2];

	snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
	return to;
}

static const char *read_file(const char *path, char to[static 1 << 16])
{
	FILE *f = fopen(path, "r");

	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	to[fread(to, 1, (1 << 16) - 1, f)] = '\0';
	fclose(f);
	return to;
}

// Both files of a figure against those in tests/data/paper.
static void is_golden(const struct paper *p)
{
	static const char *const suffix[] = {"dat", "gp"};
	const char *anew = getenv("QUENCH_PAPER");
	struct err err;

	assert_int_equal(paper_write(p, anew ? anew : dir, 0, &err), 0);
	if (anew)
		return;
	for (unsigned i = 0; i < 2; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.%s", p->stem, suffix[i]);
		read_file(at(dir, name), text[0]);
		read_file(at(TEST_DATA "/paper", name), text[1]);
		if (strcmp(text[0], text[1]) != 0)
			fail_msg("tests/data/paper/%s is not what is written now, which follows; "
				 "QUENCH_PAPER=FOLDER writes all of them there\n%s",
				name, text[0]);
	}
}

static const struct paper_row rows[] = {
	{.x = 1, .y = 10, .low = 8, .high = 13, .left = 0.5, .right = 1.25},
	{.x = 2.5, .y = 1.0 / 3, .low = 0, .high = 20}, {.x = 4, .y = NAN, .low = NAN, .high = NAN},
	{.x = 5, .y = 17, .low = 17, .high = 17}};

static void a_plot_of_every_style(void **state)
{
	const struct paper_series series[] = {
		{.name = "least to most", .style = PAPER_BAND, .row = rows, .n = 4},
		{.name = "mean", .style = PAPER_LINE, .row = rows, .n = 4},
		{.name = "steps", .style = PAPER_STEPS, .colour = 1, .row = rows, .n = 4},
		{.name = "bars", .style = PAPER_ERRORS, .colour = 2, .row = rows, .n = 4},
		{.style = PAPER_POINTS, .colour = 3, .shape = 1, .row = rows, .n = 4},
		{.style = PAPER_CROSSES, .colour = 3, .row = rows, .n = 1},
		{.name = "both",
			.style = PAPER_LINE_POINTS,
			.colour = 4,
			.shape = 2,
			.group = 1,
			.row = rows,
			.n = 4},
		{.name = "best",
			.style = PAPER_POINTS,
			.colour = PAPER_BLACK,
			.shape = PAPER_RING,
			.group = 1,
			.row = rows,
			.n = 1},
		{.name = "entry only", .style = PAPER_LINE, .colour = PAPER_BLACK, .group = 1},
	};
	const struct paper_line lines[] = {{.at = 16, .label = "Kmax"}, {.at = 5, .label = "Kmin"},
		{.at = 5.1, .label = "XOFF"}, {.vertical = true, .at = 3, .label = "storm"},
		{.at = 99, .label = "XON"}};
	struct paper p = {.stem = "styles",
		.title = "all styles",
		.x = {.column = "time", .title = "Time", .unit = "ms", .scale = PAPER_LINEAR},
		.y = {.column = "length", .title = "Length\nof s1:r.3", .unit = "KB", .to = 25},
		.series = series,
		.n_series = N(series),
		.line = lines,
		.n_lines = N(lines)};

	(void)state;
	is_golden(&p);
}

static void lanes_have_names(void **state)
{
	static const char *const lanes[] = {
		"s1:h1.3", "h1:s1.3 whose name is too long for its place"};
	static const struct paper_row spans[] = {
		{.y = 0, .low = 1, .high = 2}, {.y = 1, .low = 1.5, .high = 3}};
	const struct paper_series series = {.style = PAPER_SPANS, .row = spans, .n = 2};
	struct paper p = {.stem = "lanes",
		.x = {.column = "time", .title = "Time", .unit = "ms", .from = 0, .to = 4},
		.y = {.column = "lane", .title = "", .unit = "", .lane = lanes, .n_lanes = 2},
		.series = &series,
		.n_series = 1};

	(void)state;
	is_golden(&p);
	p.stem = "lanes-high";
	p.y.lane_height = 60;
	is_golden(&p);
}

// The key stands below the plots, which the names of lanes push aside: with fewer columns it does
// not go beyond the picture.
static void names_of_lanes_take_room_from_the_key(void **state)
{
	static const char *const lanes[] = {"spine1:leaf2.3"};
	static const struct paper_row at_1 = {.y = 0, .x = 1};
	struct paper_series series[3];
	struct paper p = {.stem = "room",
		.x = {.column = "x", .title = "x", .unit = ""},
		.y = {.column = "y", .title = "", .unit = "", .lane = lanes},
		.series = series,
		.n_series = N(series)};
	struct err err;

	(void)state;
	for (unsigned i = 0; i < N(series); i++)
		series[i] = (struct paper_series){.name = "web-timely, load 30%",
			.style = PAPER_MARKED,
			.row = &at_1,
			.n = 1};
	for (unsigned n = 0; n < 2; n++) {
		p.y.n_lanes = n;
		assert_int_equal(paper_write(&p, dir, 0, &err), 0);
		assert_non_null(strstr(read_file(at(dir, "room.gp"), text[0]),
			n ? "noenhanced maxcols 2\n" : "noenhanced maxcols 3\n"));
	}
}

static void plots_beside_each_other_share_axes_and_key(void **state)
{
	static const char *const panels[] = {"seed=1", "seed=2"};
	static const struct paper_row named[] = {
		{.x = 1, .y = 1, .name = "run a"}, {.x = 2, .y = 500, .name = "run \"b\" \\"}};
	const struct paper_series series[] = {
		{.style = PAPER_LINE_POINTS, .row = named, .n = 2},
		{.style = PAPER_POINTS, .colour = 1, .shape = 1, .panel = 1, .row = named, .n = 1},
		{.name = "max=1", .style = PAPER_LINE},
		{.name = "max=2", .style = PAPER_LINE, .colour = 1},
		{.name = "qps=1", .style = PAPER_POINTS, .colour = PAPER_BLACK, .group = 1},
	};
	struct paper p = {.stem = "panels",
		.title = "two of them",
		.x = {.column = "u", .title = "utilization", .unit = "%"},
		.y = {.column = "q", .title = "queue", .unit = "KB"},
		.series = series,
		.n_series = N(series),
		.panel = panels,
		.n_panels = 2};

	(void)state;
	is_golden(&p);
}

// Bars at one x stand beside each other on both kinds of axis; the numbers stay what they are. An
// axis of few powers of ten has numbers between them.
static void bars_at_one_place_stand_beside_each_other(void **state)
{
	static const struct paper_row both[] = {
		{.x = 2, .y = 3, .low = 2, .high = 5}, {.x = 2000, .y = 40, .low = 30, .high = 60}};
	const struct paper_series series[] = {
		{.style = PAPER_ERRORS, .row = both, .n = 2, .aside = -0.01},
		{.name = "a", .style = PAPER_LINE_POINTS, .row = both, .n = 2, .aside = -0.01},
		{.name = "b",
			.style = PAPER_LINE_POINTS,
			.colour = 1,
			.shape = 1,
			.row = both,
			.n = 2,
			.aside = 0.01},
	};
	struct paper p = {.stem = "aside",
		.x = {.column = "size", .title = "Size", .unit = "KB", .scale = PAPER_LOG},
		.y = {.column = "slowdown",
			.title = "Slowdown",
			.unit = "",
			.scale = PAPER_LOG,
			.from = 1,
			.to = 100},
		.series = series,
		.n_series = N(series)};

	(void)state;
	is_golden(&p);
	p.stem = "aside-linear";
	p.x.scale = PAPER_LINEAR;
	is_golden(&p);
}

#define A_LONG_NAME                                             \
	"a name of more characters than the key has room for, " \
	"which is why its middle gives way to three dots and its end stays"

// Names that would end a string, a line, a block or a comment.
static void a_name_is_no_command(void **state)
{
	static const char *const hostile[] = {"a_b^{c}@d", "it's \"quoted\" \\",
		"' ; system('id') ; '", "line\nset output 'x'", "`date`", "}", "{",
		"# no comment \\", "%s $1 \xff", "", A_LONG_NAME};
	struct paper_series series[N(hostile)];
	struct paper_line line = {.at = 3, .label = "'\n}"};
	struct paper p = {.stem = "hostile",
		.title = "'\\\n}",
		.x = {.column = "a\nb", .title = "x_1'", .unit = "^{2}"},
		.y = {.column = "y", .title = "y`date`", .unit = ""},
		.series = series,
		.n_series = N(hostile),
		.line = &line,
		.n_lines = 1};

	(void)state;
	for (unsigned i = 0; i < N(hostile); i++)
		series[i] = (struct paper_series){.name = hostile[i],
			.style = PAPER_MARKED,
			.colour = i,
			.shape = i,
			.row = rows,
			.n = 2};
	is_golden(&p);
}

static void nothing_to_draw_is_a_figure_too(void **state)
{
	struct paper p = {.stem = "none",
		.x = {.column = "x", .title = "x", .unit = ""},
		.y = {.column = "y", .title = "y", .unit = ""}};

	(void)state;
	is_golden(&p);
}

static const struct paper small = {.stem = "small",
	.x = {.column = "x", .title = "x", .unit = ""},
	.y = {.column = "y", .title = "y", .unit = ""}};

static void without_gnuplot_a_line_names_the_package(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(setenv("PATH", dir, 1), 0);
	assert_int_equal(paper_write(&small, dir, PAPER_SVG | PAPER_PNG, &err), -ENOENT);
	assert_string_equal(err.text,
		"gnuplot is not installed; install the package gnuplot-nox, or run `gnuplot "
		"small.gp` where it is");
	assert_int_equal(access(at(dir, "small.dat"), R_OK), 0);
	assert_int_equal(access(at(dir, "small.gp"), R_OK), 0);
	// Nobody asks for it where nobody asks for a picture.
	assert_int_equal(paper_write(&small, dir, 0, &err), 0);
}

// A gnuplot of its own, in the folder of the figure.
static void pretend(const char *script)
{
	FILE *f = fopen(at(dir, "gnuplot"), "w");

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", script);
	fclose(f);
	assert_int_equal(chmod(at(dir, "gnuplot"), 0755), 0);
	assert_int_equal(setenv("PATH", dir, 1), 0);
}

static void its_failure_is_one_line(void **state)
{
	char want[512];
	struct err err;

	(void)state;
	pretend("echo half >small.png; echo >&2; printf '%s\\n  %s\\n\\n' 'plot x' "
		"'line 3: undefined \033[1m' >&2; exit 3");
	assert_int_equal(paper_write(&small, dir, PAPER_PNG, &err), -EIO);
	snprintf(want, sizeof(want),
		"gnuplot failed on %s/small.gp: exit status 3: line 3: undefined \\x1b[1m", dir);
	assert_string_equal(err.text, want);
	assert_int_equal(access(at(dir, "small.png"), F_OK), -1);
	pretend("kill -9 $$");
	assert_int_equal(paper_write(&small, dir, PAPER_PNG, &err), -EIO);
	assert_non_null(strstr(err.text, "small.gp: signal 9"));
	pretend("exit 0");
	assert_int_equal(paper_write(&small, dir, PAPER_SVG, &err), -EIO);
	assert_non_null(strstr(err.text, "gnuplot left no "));
}

static void it_is_told_what_was_asked_for(void **state)
{
	struct err err;

	(void)state;
	pretend("echo \"$@\" >small.svg; echo \"$@\" >small.png");
	assert_int_equal(paper_write(&small, dir, PAPER_SVG, &err), 0);
	assert_string_equal(read_file(at(dir, "small.svg"), text[0]),
		"--default-settings -e formats='svg ' small.gp\n");
	assert_int_equal(paper_write(&small, dir, PAPER_SVG | PAPER_PNG, &err), 0);
	assert_non_null(strstr(read_file(at(dir, "small.png"), text[0]), "formats='svg png '"));
}

static void a_folder_that_is_none_is_named(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(paper_write(&small, at(dir, "nosuch"), 0, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nosuch/small.dat: cannot be written"));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"styles", "lanes", "lanes-high", "room", "panels",
		"aside", "aside-linear", "hostile", "none", "small"};
	static const char *const suffix[] = {"dat", "gp", "svg", "png"};

	(void)state;
	for (unsigned i = 0; i < N(names); i++)
		for (unsigned k = 0; k < N(suffix); k++) {
			char name[64];

			snprintf(name, sizeof(name), "%s.%s", names[i], suffix[k]);
			unlink(at(dir, name));
		}
	unlink(at(dir, "gnuplot"));
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plot_of_every_style),
		cmocka_unit_test(lanes_have_names),
		cmocka_unit_test(names_of_lanes_take_room_from_the_key),
		cmocka_unit_test(plots_beside_each_other_share_axes_and_key),
		cmocka_unit_test(bars_at_one_place_stand_beside_each_other),
		cmocka_unit_test(a_name_is_no_command),
		cmocka_unit_test(nothing_to_draw_is_a_figure_too),
		cmocka_unit_test(without_gnuplot_a_line_names_the_package),
		cmocka_unit_test(its_failure_is_one_line),
		cmocka_unit_test(it_is_told_what_was_asked_for),
		cmocka_unit_test(a_folder_that_is_none_is_named),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
