// SPDX-License-Identifier: BSD-3-Clause
// Processor time that one lcore takes for a frame through the switch between two ports, and for one
// through a bare macswap on the same rings and mbufs, in turns; on one lcore also through a macswap
// that fetches ahead. Built as rt_part_bench it says where the time goes, too.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "eal/eal.h"
#include "rt_lane.h"
#include "rt_latency.h"

#define IN_FLIGHT 256    // frames that go round each way at least
#define IN_LINES  4096   // the same for several egress queues
#define SAMPLES   100000 // of latency
#define STOPS     2000   // by a PFC frame

static int work(void *arg)
{
	struct bench *b = arg;

	for (unsigned r = 0; r < b->rounds; r++) {
		b->macswap_ns[r] = lane_run_macswap(b, false);
		b->switch_ns[r] = lane_run_switch(b, false);
		if (b->lanes == 1)
			b->fetching_ns[r] = lane_run_macswap(b, true);
	}
	if (b->lanes == 1 && part_timer) {
		part_timer->open(b->dev, 2);
		b->parts_ns = lane_run_switch(b, true);
	}
	atomic_store(&b->quit, true);
	return 0;
}

static struct latency under_test;

static int macswap_until_quit(void *arg)
{
	while (!under_test.quit)
		lane_turn_macswap(arg);
	return 0;
}

// What one loop makes of frames that this thread sends and takes.
static void with_loop(struct bench *b, const char *name, lcore_function_t *loop, void *arg)
{
	struct rt_lcore *lc = b->world.lcore[0];
	uint64_t before;

	under_test.quit = false;
	rte_eal_remote_launch(loop, arg, lc->id);
	rte_delay_us_sleep(100000);
	latency_learn(&under_test);
	before = rig_flooded(b);
	latency_idle(&under_test, name);
	if (arg == lc)
		latency_pfc(&under_test);
	under_test.quit = true;
	rte_eal_mp_wait_lcore();
	rig_must(
		rig_flooded(b) != before ? -EPROTO : 0, "the switch", "it floods what is measured");
}

static void run_latency(struct bench *b)
{
	struct rt_lcore *lc = b->world.lcore[0];

	under_test = (struct latency){.traffic = &b->traffic,
		.pool = {b->pool[0], b->pool[1]},
		.in = {b->way[0], b->way[1]},
		.out = {b->left[0], b->left[1]},
		.samples = SAMPLES,
		.stops = STOPS};
	lc->quit = &under_test.quit;
	with_loop(b, "macswap", macswap_until_quit, &b->lane[0]);
	with_loop(b, "switch", rt_lcore_run, lc);
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double median(double *ns, unsigned n)
{
	qsort(ns, n, sizeof(*ns), by_value);
	return n % 2 ? ns[n / 2] : (ns[n / 2 - 1] + ns[n / 2]) / 2;
}

static void run(struct bench *b)
{
	const struct lane *l = &b->lane[0];
	struct rt_instant from = rt_instant_get(), to;
	double ours, bare;

	rte_delay_us_sleep(50000);
	to = rt_instant_get();
	rig_must(rt_clock_init(&b->clock, &from, &to, 1), "the clock", NULL);
	if (b->latency) {
		run_latency(b);
		return;
	}
	rte_eal_remote_launch(work, b, l->lc->id);
	if (b->lanes > 1)
		lane_follow(&b->lane[1]);
	rte_eal_mp_wait_lcore();
	ours = median(b->switch_ns, b->rounds);
	bare = median(b->macswap_ns, b->rounds);
	printf("switch_ns %.2f\nswitch_mfps %.2f\n", ours, 1e3 / ours);
	printf("switch_least_ns %.2f\nswitch_most_ns %.2f\n", b->switch_ns[0],
		b->switch_ns[b->rounds - 1]);
	printf("macswap_ns %.2f\nmacswap_mfps %.2f\nratio %.3f\n", bare, 1e3 / bare, bare / ours);
	if (b->lanes == 1)
		printf("fetching_ns %.2f\n", median(b->fetching_ns, b->rounds));
	printf("hugepages %d\nin_flight %u\n", !b->no_huge, 2 * b->in_flight);
	printf("burst %.1f\n", (double)b->frames / (double)l->steps / (b->mixed.lines ? 1 : 2));
	printf("queued %.1f\nbetween_percent %.1f\n", (double)l->stand.queued / (double)l->steps,
		100 * (double)l->stand.between / (double)l->steps);
	printf("marked_percent %.1f\nwaited_percent %.1f\n",
		100 * (double)b->marked / (double)b->counted, b->waited_percent);
	if (b->lanes == 1 && part_timer) {
		for (unsigned p = 0; p < PARTS; p++)
			printf("part.%s %.2f\n", part_timer->name[p], b->part_ns[p]);
		printf("parts_ns %.2f\n", b->parts_ns);
	}
	printf("flooded %llu\nflooded_permille %.3f\n", (unsigned long long)b->flooded,
		1e3 * (double)b->flooded / (double)b->counted);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: rt_bench SCENARIO calm|stands ring|null|FOLDER FLOWS two|macs OCTETS|imix\n"
		"                [SECONDS [ROUNDS [huge|ordinary [1|2|latency|MIX [FORM]]]]]\n"
		"FLOWS each way; `stands` keeps %d frames in each queue, and sets the thresholds "
		"of the\nscenario around them. FOLDER: net_pcap reads a.pcap and b.pcap in it, "
		"which are\nwritten first. SECONDS of each of ROUNDS, in which switch and macswap "
		"take turns.\n1, 2: lcores. MIX, as 4x3: egress ports and classes of each burst, "
		"in turns; drawn4x3:\nin an order that is drawn. FORM of the frames:%s.\n",
		STAND_FRAMES, flow_form_names());
	return 2;
}

static bool one_of(const char *word, const char *yes, const char *no, bool *is)
{
	*is = !strcmp(word, yes);
	return *is || !strcmp(word, no);
}

static bool read_device(struct bench *b, const char *word)
{
	b->device = DEV_PCAP;
	b->folder = word;
	if (!strcmp(word, "ring"))
		b->device = DEV_RING;
	if (!strcmp(word, "null"))
		b->device = DEV_NULL;
	return b->device != DEV_PCAP || strchr(word, '/');
}

static bool read_mix(struct bench *b, const char *word)
{
	unsigned ways, classes;
	char more;

	b->mixed.drawn = !strncmp(word, "drawn", 5);
	if (sscanf(word + 5 * b->mixed.drawn, "%ux%u%c", &ways, &classes, &more) != 2 || !ways ||
		ways > MIXED_WAYS_MOST || !classes || classes > MIXED_CLASSES_MOST)
		return false;
	b->ports = 1 + ways;
	b->mixed.lines = ways * classes;
	b->traffic.more_hosts = ways - 1;
	b->traffic.more_classes = classes - 1;
	return b->device == DEV_RING && !b->traffic.macs;
}

// How many lcores, or what else is measured.
static bool read_lanes(struct bench *b, const char *word)
{
	if (strchr(word, 'x')) {
		b->lanes = 1;
		return read_mix(b, word);
	}
	b->latency = !strcmp(word, "latency");
	b->lanes = b->latency ? 1 : (unsigned)strtoul(word, NULL, 10);
	return b->lanes == 1 || b->lanes == LANES;
}

static bool read_args(struct bench *b, int argc, char **argv)
{
	unsigned least;
	bool huge = true;

	if (argc < 7 || argc > 12)
		return false;
	b->ports = 2;
	b->scenario = argv[1];
	b->traffic.flows = (unsigned)strtoul(argv[4], NULL, 10);
	b->traffic.octets = (unsigned)strtoul(argv[6], NULL, 10);
	b->seconds = argc > 7 ? strtod(argv[7], NULL) : 0.3;
	b->rounds = argc > 8 ? (unsigned)strtoul(argv[8], NULL, 10) : 5;
	if (!one_of(argv[2], "stands", "calm", &b->stands) || !read_device(b, argv[3]) ||
		!one_of(argv[5], "macs", "two", &b->traffic.macs) ||
		(argc > 9 && !one_of(argv[9], "huge", "ordinary", &huge)) ||
		!read_lanes(b, argc > 10 ? argv[10] : "1") ||
		(argc > 11 && !flow_set_forms(&b->traffic, argv[11])))
		return false;
	b->no_huge = !huge;
	if (b->latency && (b->device != DEV_RING || b->stands))
		return false;
	least = b->mixed.lines ? IN_LINES : IN_FLIGHT;
	b->in_flight = b->traffic.flows > least ? b->traffic.flows : least;
	if (strcmp(argv[6], "imix") ? b->traffic.octets < PKT_MIN_LEN || b->traffic.octets > 1514
				    : b->device == DEV_NULL)
		return false;
	if (flow_octets(&b->traffic, 0) < flow_least(&b->traffic))
		return false;
	return b->traffic.flows && b->seconds > 0 && b->rounds && b->rounds <= ROUNDS_MOST;
}

int main(int argc, char **argv)
{
	static struct bench b;

	if (!read_args(&b, argc, argv))
		return usage();
	rig_open(&b);
	run(&b);
	eal_stop();
	return 0;
}
