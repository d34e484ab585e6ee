// SPDX-License-Identifier: BSD-3-Clause
// Ports of a switch with settings of their own: each queue follows the curve of its port, PFC is
// sent where the class is lossless, and a value of one port may change while the scene runs.
#include "scn.h"

#include <math.h>

struct curve {
	const char *queue; // "s1:r1.0"
	double kmin, kmax, pmax;
};

static double figure_of(const struct scn *s, const char *kind, const char *queue, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "%s.%s.%s", kind, queue, name);
	return scn_value(s, path);
}

static double marking(const struct scn *s, const struct curve *c, const char *name)
{
	return figure_of(s, "marking", c->queue, name);
}

static void follows(const struct scn *s, const struct curve *c)
{
	scn_in(s, "Kmin", marking(s, c, "kmin_bytes"), c->kmin, c->kmin);
	scn_in(s, "Kmax", marking(s, c, "kmax_bytes"), c->kmax, c->kmax);
	scn_in(s, "Kmin of the queue", figure_of(s, "queue", c->queue, "kmin_bytes"), c->kmin,
		c->kmin);
	scn_in(s, "Pmax", marking(s, c, "pmax"), c->pmax - 1e-6, c->pmax + 1e-6);
	scn_in(s, "frames", marking(s, c, "ect_frames"), 100000, INFINITY);
	scn_in(s, "marked up to Kmin", marking(s, c, "marked_to_kmin_frames"), 0, 0);
	scn_in(s, "unmarked above Kmax", marking(s, c, "unmarked_above_kmax_frames"), 0, 0);
	scn_in(s, "bins", marking(s, c, "chi_square_bins"), 40, 64);
	scn_in(s, "chi-square, p", marking(s, c, "chi_square_p"), 1e-4, 1);
	scn_in(s, "Pmax fitted, sigmas",
		marking(s, c, "pmax_error_percent") / marking(s, c, "pmax_sigma_percent"), -5, 5);
}

static void marks_follow_the_curve_of_each_port(void **state)
{
	static const struct curve one = {"s1:r1.0", 20000, 340000, 0.01},
				  two = {"s1:r2.5", 80000, 400000, 0.2};

	(void)state;
	for (unsigned shards = 1; shards <= 3; shards++) {
		char cut[40];
		struct scn s;

		snprintf(cut, sizeof(cut), "switches.s1.shards=%u", shards);
		s = scn_run("ports.yaml", cut, NULL);
		follows(&s, &one);
		follows(&s, &two);
		scn_free(&s);
	}
}

// From 45 ms on the curve of one port is another one; that of the other port stays.
static void a_value_of_one_port_changes(void **state)
{
	static const struct curve one = {"s1:r1.0", 60000, 260000, 0.2},
				  two = {"s1:r2.5", 80000, 400000, 0.2};

	(void)state;
	for (unsigned shards = 1; shards <= 2; shards++) {
		char cut[40];
		struct scn s;

		snprintf(cut, sizeof(cut), "switches.s1.shards=%u", shards);
		s = scn_run("ports.yaml", cut,
			"events=[{at: 45ms, set: {\"ports.s1:r1.classes.0.wred.min\": 60KB, "
			"\"ports.s1:r1.classes.0.wred.max\": 260KB, "
			"\"ports.s1:r1.classes.0.wred.probability\": 20%}}]",
			NULL);
		follows(&s, &one);
		follows(&s, &two);
		scn_in(&s, "frames since", marking(&s, &one, "ect_frames"), 0,
			0.6 * marking(&s, &one, "ect_frames_total"));
		scn_in(&s, "frames of the whole run", marking(&s, &two, "ect_frames"),
			marking(&s, &two, "ect_frames_total"), INFINITY);
		scn_free(&s);
	}
}

// Two senders of 90 % to one receiver: the one at a port where the class is lossless is paused and
// loses nothing, the other one is not paused, and loses.
static void pfc_is_sent_where_the_class_is_lossless(void **state)
{
	(void)state;
	for (unsigned shards = 1; shards <= 2; shards++) {
		char cut[40];
		struct scn s;

		snprintf(cut, sizeof(cut), "switches.s1.shards=%u", shards);
		s = scn_run("ports.yaml", cut, "duration=5ms", "flows.one.open_loop.rate=90%",
			"flows.two.open_loop.rate=90%", "switches.s1.classes.0.drop={limit: 200KB}",
			"ports.s1:h1={classes: {0: {lossless: true, pfc: {xoff: 200KB}}}}", NULL);
		scn_in(&s, "pauses", scn_value(&s, "pauses"), 50, INFINITY);
		scn_in(&s, "h1's group", scn_value(&s, "pg.s1:h1.0.max_bytes_total"), 200000,
			260000);
		scn_in(&s, "h1's losses", scn_value(&s, "pg.s1:h1.0.dropped_frames_total"), 0, 0);
		scn_in(&s, "h2's losses", scn_value(&s, "queue.s1:h2.0.dropped_frames"), 10000,
			INFINITY);
		scn_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_follow_the_curve_of_each_port),
		cmocka_unit_test(a_value_of_one_port_changes),
		cmocka_unit_test(pfc_is_sent_where_the_class_is_lossless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
