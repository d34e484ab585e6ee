// SPDX-License-Identifier: BSD-3-Clause
// Curves over time: the bottleneck's longest queue, the sum of a group's flows, periods without a
// line, steps of many periods; what a run lacks.
#include "overlay_lab.h"

static struct overlay_lab l;

#define QUEUES                                                                        \
	"\"bottleneck\": \"s1:r\", \"queues\": [{\"port\": \"s1:r\", \"class\": 6, "  \
	"\"max_bytes\": 10}, {\"port\": \"s1:r\", \"class\": 3, \"max_bytes\": 20}, " \
	"{\"port\": \"s2:r\", \"class\": 3, \"max_bytes\": 30}]"
#define GROUPS                                                             \
	"\"groups\": [{\"group\": \"g\", \"flows\": 2, \"messages\": 1}, " \
	"{\"group\": \"one\", \"flows\": 1}]"
#define FLOWS                                                                     \
	GROUPS ", \"flows\": [{\"flow_name\": \"a[h1>r.0]\", \"group\": \"g\"}, " \
	       "{\"flow_name\": \"b[h2>r.0]\", \"group\": \"g\"}, "               \
	       "{\"flow_name\": \"v\", \"group\": \"one\"}]"

static void add_sampled(unsigned seed)
{
	add_run(&l, "virtual", seed, "");
	write_into(&l, "summary.json", "{\"schema\": 1, " QUEUES ", " FLOWS "}");
	write_into(&l, "timeseries.csv",
		SERIES_HEAD "200,queue,s1:r.3,9,%u,9,,,,,,,,,\n200,queue,s2:r.3,9,100,9,,,,,,,,,\n"
			    "200,flow,a[h1>r.0],,,,,,,,1.5,,,,\n200,flow,b[h2>r.0],,,,,,,,2,,,,\n"
			    "200,flow,v,,,,,,,,7,,,,\n300,queue,s1:r.3,8,,8,,,,,,,,,\n",
		seed * 10);
}

// Nothing was in use in the first period, so it has no line.
static void the_queue_of_the_bottleneck(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_sampled(1);
	add_sampled(2);
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_QUEUE});
	has_line(&l, "line,time_us,length_bytes,ci95,runs,less,difference,difference_ci95,pairs");
	has_line(&l, "n,100,0,0,2,,,,");
	has_line(&l, "n,200,15,63.5310237,2,,,,");
	has_line(&l, "n,300,8,0,2,,,,");
	assert_null(strstr(l.csv, "n,400"));
	overlay_end(&l);
}

static void the_sum_of_a_group(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_sampled(1);
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_GOODPUT});
	has_line(&l, "n,100,0,,1,,,,");
	has_line(&l, "n,200,3.5,,1,,,,");
	overlay_free(l.o);
	free(l.csv);
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_GOODPUT, .group = "one"});
	has_line(&l, "n,200,7,,1,,,,");
	overlay_end(&l);
}

static void many_periods_are_joined(void **state)
{
	FILE *f;
	char path[300];

	(void)state;
	overlay_begin(&l);
	add_run(&l, "virtual", 1, "");
	write_into(&l, "manifest.json",
		"{\"name\": \"n\", \"seed\": 1, \"duration_us\": 60000, \"end_us\": 60000, "
		"\"resolved\": {\"sample\": \"100us\"}}");
	write_into(&l, "summary.json", "{\"schema\": 1, " QUEUES "}");
	snprintf(path, sizeof(path), "%s/timeseries.csv", l.dir[0]);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(SERIES_HEAD, f);
	for (unsigned i = 1; i <= 600; i++)
		fprintf(f, "%u,queue,s1:r.3,9,%u,9,,,,,,,,,\n", i * 100, i);
	fclose(f);
	read_figure(&l, (struct overlay_want){.figure = OVERLAY_QUEUE, .queue = "s1:r.3"});
	has_line(&l, "n,300,2,,1,,,,"); // of 1, 2 and 3
	has_line(&l, "n,60000,599,,1,,,,");
	overlay_end(&l);
}

static void what_a_run_lacks_is_one_line(void **state)
{
	(void)state;
	overlay_begin(&l);
	add_run(&l, "virtual", 1, "");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_QUEUE},
		": it has no bottleneck; name a queue by --queue");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_GOODPUT, .group = "g"},
		": it has no group g");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_CDF}, ": it has no group of flows");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN}, ": summary.json is missing");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_PAUSES}, ": summary.json is missing");
	write_into(&l, "summary.json", "{\"schema\": 1, " QUEUES ", " FLOWS "}");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_PAUSES},
		"none of the runs has a paused port");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_SLOWDOWN},
		"none of the runs has enough messages that have ended");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_QUEUE},
		": it has no samples over time (timeseries.csv)");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_CDF},
		": no distribution of fct of group g is stored; run it with --hdr");
	write_into(&l, "timeseries.csv", SERIES_HEAD "100,queue,s1:r.6,9,9,9,,,,,,,,,\n");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_QUEUE},
		": timeseries.csv has no queue s1:r.3");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_GOODPUT},
		": timeseries.csv has no line of a flow of group g (--record flows=all)");
	write_into(&l, "manifest.json",
		"{\"name\": \"n\", \"seed\": 1, "
		"\"resolved\": {\"record\": {\"flows\": \"top 3\"}}}");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_GOODPUT},
		": timeseries.csv has some flows only; run it with --record flows=all");
	write_into(&l, "manifest.json",
		"{\"name\": \"n\", \"seed\": 1, \"duration_us\": 1e300, "
		"\"resolved\": {\"sample\": \"1us\"}}");
	refuses(&l, (struct overlay_want){.figure = OVERLAY_QUEUE},
		": it has more than 10000000 sampling periods");
	l.o = NULL;
	overlay_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_queue_of_the_bottleneck),
		cmocka_unit_test(the_sum_of_a_group),
		cmocka_unit_test(many_periods_are_joined),
		cmocka_unit_test(what_a_run_lacks_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
