// SPDX-License-Identifier: BSD-3-Clause
// Tests of a lineage as files and as text.
#include "lineage_lab.h"

// The output of a call; freed by the caller.
static char *written(void (*write)(struct out *o))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct out o;
	struct err err;

	assert_non_null(f);
	assert_int_equal(out_stream(&o, f, "text", &err), 0);
	write(&o);
	assert_int_equal(out_close(&o, &err), 0);
	fclose(f);
	return text;
}

static void says(void (*write)(struct out *o), const char *want)
{
	char *text = written(write);

	assert_string_equal(text, want);
	free(text);
}

static void pauses_csv(struct out *o)
{
	lineage_write(lin, o);
}

static void bills_csv(struct out *o)
{
	lineage_write_bills(lin, o);
}

static void text(struct out *o)
{
	lineage_text(lin, o, 100);
}

static void one_line(struct out *o)
{
	lineage_text(lin, o, 1);
}

static void two_pauses(void)
{
	stop("s2:s1.3", "s2:r.3", "s1:s2.3", 1000000);
	xoff("s1:h1.3", 2000000);
	held("s1:h1.3", "s1:s2.3", 750, 1000);
	held("s1:h1.3", "s1:h2.3", 250, 1000);
	paused("h1:s1.3", 2500000);
	go("s1:h1.3", "h1:s1.3", 6500001);
	stop("s1:h1.3", "s1:h2.3", "h1:s1.3", 7000000);
	go("s1:h1.3", "h1:s1.3", 7000000);
	finish(11000000);
}

static void files_have_a_line_for_each_part(void **state)
{
	(void)state;
	two_pauses();
	says(pauses_csv,
		"pause,object,class,xoff_from,from_us,to_us,end,renewed,cause,cause_pause,part_us\n"
		"0,s1:s2,3,s2:s1,1,11,running,0,egress s2:r.3,,10\n"
		"1,h1:s1,3,s1:h1,2.500000,6.500001,xon,0,s1:s2.3,0,3\n"
		"1,h1:s1,3,s1:h1,2.500000,6.500001,xon,0,egress s1:h2.3,,1.000001\n"
		"2,h1:s1,3,s1:h1,7,7,xon,0,,,0\n");
	says(bills_csv, "object,class,root,time_us\n"
			"s1:s2,3,egress s2:r.3,10\n"
			"h1:s1,3,egress s2:r.3,3\n"
			"h1:s1,3,egress s1:h2.3,1.000001\n");
}

static void people_see_roots_and_a_tree(void **state)
{
	(void)state;
	two_pauses();
	says(text, "3 pauses took 14.000 us in all. The time goes back to:\n"
		   "   92.9 %  13.000 us  egress s2:r.3\n"
		   "    7.1 %  1.000 us  egress s1:h2.3\n"
		   "Each queue stands below what stopped it for the longest time:\n"
		   "  egress s2:r.3\n"
		   "    s1:s2.3  paused 10.000 us, 100.0 % of it for this\n"
		   "      h1:s1.3  paused 4.000 us, 75.0 % of it for this\n");
	says(one_line, "3 pauses took 14.000 us in all. The time goes back to:\n"
		       "   92.9 %  13.000 us  egress s2:r.3\n"
		       "  and 1 more\n"
		       "Each queue stands below what stopped it for the longest time:\n"
		       "  egress s2:r.3\n"
		       "  and 2 lines more\n");
}

static void a_ring_is_called_one(void **state)
{
	(void)state;
	stop("s2:s1.3", "s2:s1.3", "s1:s2.3", 0);
	stop("s1:s2.3", "s1:s2.3", "s2:s1.3", 0);
	finish(1000000);
	says(text, "2 pauses took 2.000 us in all. The time goes back to:\n"
		   "  100.0 %  2.000 us  cycle s1:s2.3>s2:s1.3\n"
		   "Each queue stands below what stopped it for the longest time:\n"
		   "  s2:s1.3  paused 1.000 us, 100.0 % of it for s1:s2.3, which stands below: a "
		   "ring\n"
		   "    s1:s2.3  paused 1.000 us, 100.0 % of it for this\n");
}

static void nothing_is_said_to_be_nothing(void **state)
{
	(void)state;
	finish(1000000);
	says(text, "There was no pause.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(files_have_a_line_for_each_part),
		LIN_TEST(people_see_roots_and_a_tree),
		LIN_TEST(a_ring_is_called_one),
		LIN_TEST(nothing_is_said_to_be_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
