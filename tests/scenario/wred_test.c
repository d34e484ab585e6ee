// SPDX-License-Identifier: BSD-3-Clause
// WRED of a switch under load: the queue stands where the drop curve takes what is too much; what
// ECT and Not-ECT get in each zone; averages.
#include "scn.h"

#include <math.h>
#include <string.h>

#define MIN  100000.0 // drop_min, drop_max, drop_probability of wred.yaml
#define SPAN 300000.0
#define PMAX 0.5

static double sent(const struct scn *s, const char *figure)
{
	char path[80];
	double sum = 0;

	for (int h = 1; h <= 2; h++) {
		snprintf(path, sizeof(path), "source.plain[h%d>r].%s", h, figure);
		sum += scn_value(s, path);
	}
	return sum;
}

static double ect(const struct scn *s, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "source.ect[h3>r].%s", figure);
	return scn_value(s, path);
}

static double queue(const struct scn *s, const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "queue.s1:r.0.%s", figure);
	return scn_value(s, path);
}

// The share p of the frames that may be dropped is too much: q = min + span p / Pmax.
static void stands_at(const struct scn *s, double p, double within)
{
	double q = MIN + SPAN * p / PMAX;

	scn_in(s, "mean queue over the curve's", queue(s, "mean_bytes") / q, 1 - within,
		1 + within);
	scn_in(s, "utilization", scn_value(s, "utilization"), 99.9, 100.01);
}

// ECT has its own thresholds, which are exceeded: all of it arrives, all with CE.
static void ect_only_gets_ce(const struct scn *s)
{
	scn_in(s, "ECT without CE", ect(s, "rx_frames") - ect(s, "ecn_ce_rx"), 0, 0);
	scn_in(s, "ECT lost, save on its way", ect(s, "tx_frames") - ect(s, "rx_frames"), -300,
		300);
	scn_in(s, "Not-ECT with CE", sent(s, "ecn_ce_rx"), 0, 0);
	scn_in(s, "marks of ECT", queue(s, "ecn_marked_frames") / queue(s, "ect_frames"), 1, 1);
}

static void the_queue_stands_where_the_drop_curve_says(void **state)
{
	static const struct {
		const char *rate; // of each of two, % of the link
		double p;
	} load[] = {{"45%", 1 / 9.0}, {"50%", 0.2}, {"55%", 3 / 11.0}, {"60%", 1 / 3.0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(load) / sizeof(load[0]); i++) {
		char rate[64];
		struct scn s;
		double lost;

		snprintf(rate, sizeof(rate), "flows.plain.open_loop.rate=%s", load[i].rate);
		s = scn_run("wred.yaml", rate, NULL);
		stands_at(&s, load[i].p, 0.01);
		ect_only_gets_ce(&s);
		lost = queue(&s, "wred_dropped_frames");
		scn_in(&s, "share dropped over what is too much",
			lost / sent(&s, "tx_frames") / load[i].p, 0.99, 1.01);
		scn_in(&s, "other drops", scn_value(&s, "drops") - lost, 0, 0);
		scn_free(&s);
	}
}

static void without_ecn_all_frames_are_dropped_alike(void **state)
{
	struct scn s = scn_run("wred.yaml", "switches.s1.classes.0.wred.ecn=false", NULL);
	double all = sent(&s, "tx_frames") + ect(&s, "tx_frames");
	double lost = 1 - ect(&s, "rx_frames") / ect(&s, "tx_frames");

	(void)state;
	stands_at(&s, 1 / 6.0, 0.01);
	scn_in(&s, "share dropped", queue(&s, "wred_dropped_frames") / all, 0.165, 0.168);
	scn_in(&s, "share of ECT dropped", lost, 0.15, 0.18);
	scn_in(&s, "marks", scn_value(&s, "marks"), 0, 0);
	scn_free(&s);
}

// The average of a queue that stands is its length; a queue that swings is seen late.
static void an_average_holds_the_same_length(void **state)
{
	struct scn s = scn_run("wred.yaml", "switches.s1.classes.0.wred.weight=6", NULL);

	(void)state;
	stands_at(&s, 0.2, 0.01);
	ect_only_gets_ce(&s);
	scn_free(&s);
}

// Bursts to 450 KB that come and go are marked by length, hardly by an average over 2^12 frames.
static void an_average_lets_bursts_pass(void **state)
{
	struct scn now = scn_run("ecn-marker.yaml", "duration=10ms", NULL);
	struct scn avg = scn_run(
		"ecn-marker.yaml", "duration=10ms", "switches.s1.classes.0.wred.weight=12", NULL);

	(void)state;
	scn_in(&now, "marked above Kmax", scn_value(&now, "bin.s1:r.0.65.ecn_marked_frames"), 1000,
		INFINITY);
	scn_in(&avg, "seen above Kmax", scn_value(&avg, "bin.s1:r.0.65.ect_frames"), 0, 0);
	scn_in(&avg, "marks over those by length",
		scn_value(&avg, "marks") / scn_value(&now, "marks"), 0, 0.05);
	scn_free(&now);
	scn_free(&avg);
}

// Seed 003 to the letter: above Kmax Not-ECT gets CE like all others. With Pmax 10 % at Kmax
// nothing can hold the queue below Kmax, so that it goes on to its tail limit, which alone drops
// there.
static void above_kmax_everything_leaves_as_ce(void **state)
{
	struct scn s = scn_run("wred.yaml",
		"switches.s1.classes.0.wred={min: 50KB, max: 150KB, probability: 10%, not_ect: "
		"h3c}",
		"switches.s1.classes.0.tail_limit=500KB", NULL);

	(void)state;
	scn_in(&s, "longest queue", queue(&s, "max_bytes"), 499000, 500000);
	scn_in(&s, "shortest queue over Kmax", queue(&s, "above_kmax_percent"), 100, 100);
	scn_in(&s, "Not-ECT without CE", sent(&s, "rx_frames") - sent(&s, "ecn_ce_rx"), 0, 0);
	scn_in(&s, "ECT without CE", ect(&s, "rx_frames") - ect(&s, "ecn_ce_rx"), 0, 0);
	scn_in(&s, "dropped by WRED", queue(&s, "wred_dropped_frames"), 0, 0);
	scn_in(&s, "dropped at the tail", scn_value(&s, "drop.tail"), 1000, INFINITY);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_queue_stands_where_the_drop_curve_says),
		cmocka_unit_test(without_ecn_all_frames_are_dropped_alike),
		cmocka_unit_test(an_average_holds_the_same_length),
		cmocka_unit_test(an_average_lets_bursts_pass),
		cmocka_unit_test(above_kmax_everything_leaves_as_ce),
	};

	return cmocka_run_group_tests_name("wred", tests, NULL, NULL);
}
