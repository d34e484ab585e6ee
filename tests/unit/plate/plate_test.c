// SPDX-License-Identifier: BSD-3-Clause
// The figures of a run: which there are, what their files say, and what of a folder has none.
#include "saved_lab.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "plate/plate.h"

// Writes the figures of the lab's folder beside it. Returns how many.
static unsigned draw(struct lab *l, unsigned formats, int want)
{
	struct saved *s = read_back(l);
	char dir[160];
	unsigned n;

	snprintf(dir, sizeof(dir), "%s/figures", l->out);
	if (plate_write(s, dir, formats, &n, &l->err) != want)
		fail_msg("%s", l->err.text);
	saved_close(s);
	return n;
}

static char *figure(const struct lab *l, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/figures/%s", l->out, name);
	return text_of(path);
}

// Holds a file against a text that it should have.
static void has(const struct lab *l, const char *name, const char *what)
{
	char *text = figure(l, name);

	if (!strstr(text, what))
		fail_msg("%s lacks '%s'\n%.2000s", name, what, text);
	free(text);
}

static bool is_there(const struct lab *l, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/figures/%s", l->out, name);
	return access(path, F_OK) == 0;
}

static void a_run_has_its_figures(void **state)
{
	static const char *const want[] = {"queue-s1_r.3", "goodput", "rate", "pauses",
		"marking-s1_r.3", "cdf-Flow_completion_time"};
	static struct lab l;
	char name[64];
	unsigned n;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	n = draw(&l, 0, 0);
	assert_true(n >= 6);
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		snprintf(name, sizeof(name), "%s.gp", want[i]);
		if (!is_there(&l, name))
			fail_msg("there is no %s", name);
	}
	has(&l, "queue-s1_r.3.gp", "set title 'two-to-one: queue s1:r.3");
	has(&l, "queue-s1_r.3.gp", "'Kmin 20 KB'");
	has(&l, "queue-s1_r.3.gp", "'further up: Kmax 200 KB'");
	has(&l, "queue-s1_r.3.gp", "'XOFF of s1:h");
	has(&l, "queue-s1_r.3.gp", "set xrange [0:2]");
	has(&l, "queue-s1_r.3.dat", "# Columns: time [ms], length low [KB], length high [KB]");
	has(&l, "goodput.gp", "title 'incast[h1>r.0]'");
	has(&l, "goodput.dat", "# Columns: time [ms], goodput [Gb/s]");
	has(&l, "pauses.gp", "set ytics noenhanced ('h");
	has(&l, "marking-s1_r.3.dat", "0 0\n20 0\n200 5\n");
	has(&l, "marking-s1_r.3.dat", " frames\"\n");
	has(&l, "cdf-Flow_completion_time.gp", "with steps lt 1");
	assert_false(is_there(&l, "slowdown.gp")); // all messages have one size
	assert_int_equal(draw(&l, 0, 0), n);       // again, into a folder that is there
	lab_close(&l);
}

static void what_was_not_recorded_has_none(void **state)
{
	static struct lab l;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	assert_int_equal(draw(&l, PAPER_SVG, 0), 0);
	lab_close(&l);
}

// Names of files have letters only that any system takes, and no figure hides another.
static void names_that_end_in_one_stem(void **state)
{
	static struct lab l;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "timeseries.csv",
		SERIES_HEAD
		"50,queue,a/b:c.3,10,10,20,,,,,,,,,\n50,queue,a_b:c.3,10,10,20,,,,,,,,,\n"
		"50,queue,q.3,0,0,0,,,,,,,,,\n100,queue,a/b:c.3,10,10,20,,,,,,,,,\n");
	assert_int_equal(draw(&l, 0, 0), 2);
	has(&l, "queue-a_b_c.3.gp", "queue a/b:c.3'");
	has(&l, "queue-a_b_c.3-2.gp", "queue a_b:c.3'");
	lab_close(&l);
}

// Bins with few frames are counted together, those of another part of the curve never.
static void marks_are_counted_together(void **state)
{
	static struct lab l;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json",
		"{\"schema\": 1, \"markings\": [{\"port\": \"s1:r\", \"class\": 3, "
		"\"kmin_bytes\": 1000, \"kmax_bytes\": 4000, \"pmax\": 0.5}]}");
	put(&l, "marking.csv",
		"object,from_bytes,to_bytes,ect_frames,ecn_marked_frames,expected_frames,ratio,"
		"theory,low_95,high_95\n"
		"s1:r.3,0,1000,10,0,0,0,0,0,0.1\ns1:r.3,1001,2000,60,10,0,0,0,0,0.1\n"
		"s1:r.3,2001,3000,60,20,0,0,0,0,0.1\ns1:r.3,3001,4000,5,5,0,0,0,0,0.1\n"
		"s1:r.3,4001,,7,7,0,0,0,0,0.1\n");
	assert_int_equal(draw(&l, 0, 0), 1);
	has(&l, "marking-s1_r.3.dat", "\n0.5 0 0 ");
	has(&l, "marking-s1_r.3.dat", " \"0 of 10 frames\"\n2.0005 25 ");
	has(&l, "marking-s1_r.3.dat", " \"30 of 120 frames\"\n3.5005 100 ");
	has(&l, "marking-s1_r.3.dat", " \"5 of 5 frames\"\n4.001 100 ");
	has(&l, "marking-s1_r.3.dat", "\n4 50\n4 100\n");
	lab_close(&l);
}

static void without_gnuplot_all_scripts_are_there(void **state)
{
	char *path = strdup(getenv("PATH"));
	static struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
	assert_true(draw(&l, PAPER_SVG, -ENOENT) >= 6);
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(path);
	assert_non_null(strstr(l.err.text, "install the package gnuplot-nox"));
	assert_true(is_there(&l, "queue-s1_r.3.gp") && is_there(&l, "cdf-Latency.gp"));
	lab_close(&l);
}

static void a_folder_that_cannot_be_made(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	s = read_back(&l);
	assert_int_equal(plate_write(s, "/nowhere/at/all", 0, NULL, &l.err), -ENOENT);
	assert_non_null(strstr(l.err.text, "/nowhere/at/all: cannot be made"));
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_has_its_figures),
		cmocka_unit_test(what_was_not_recorded_has_none),
		cmocka_unit_test(names_that_end_in_one_stem),
		cmocka_unit_test(marks_are_counted_together),
		cmocka_unit_test(without_gnuplot_all_scripts_are_there),
		cmocka_unit_test(a_folder_that_cannot_be_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
