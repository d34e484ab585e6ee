// SPDX-License-Identifier: BSD-3-Clause
// Events that set values while the scene runs: the marker follows the curve of each time, XOFF
// comes at the threshold of each time, cut or not, and a run repeats to the byte.
#include "scn.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define SEEDS   3
#define MARKING "marking.s1:r.0."
#define WRED    "switches.s1.classes.0.wred."
#define STEP                                                                    \
	"events=[{at: 45ms, set: {" WRED "min: 60KB, " WRED "max: 260KB, " WRED \
	"probability: 20%}}]"

static void follows_its_curve(const struct scn *s, double kmin, double kmax, double pmax)
{
	scn_in(s, "Kmin", scn_value(s, MARKING "kmin_bytes"), kmin, kmin);
	scn_in(s, "Kmax", scn_value(s, MARKING "kmax_bytes"), kmax, kmax);
	scn_in(s, "Kmin of the queue", scn_value(s, "queue.s1:r.0.kmin_bytes"), kmin, kmin);
	scn_in(s, "Kmax of the queue", scn_value(s, "queue.s1:r.0.kmax_bytes"), kmax, kmax);
	scn_in(s, "Pmax", scn_value(s, MARKING "pmax"), pmax - 1e-6, pmax + 1e-6);
	scn_in(s, "frames", scn_value(s, MARKING "ect_frames"), 100000, INFINITY);
	scn_in(s, "marked up to Kmin", scn_value(s, MARKING "marked_to_kmin_frames"), 0, 0);
	scn_in(s, "unmarked above Kmax", scn_value(s, MARKING "unmarked_above_kmax_frames"), 0, 0);
	scn_in(s, "bins", scn_value(s, MARKING "chi_square_bins"), 50, 64);
	scn_in(s, "chi-square, p", scn_value(s, MARKING "chi_square_p"), 1e-4, 1);
	scn_in(s, "Pmax fitted, sigmas",
		scn_value(s, MARKING "pmax_error_percent") /
			scn_value(s, MARKING "pmax_sigma_percent"),
		-5, 5);
}

static void marks_follow_the_curve_of_each_time(void **state)
{
	(void)state;
	for (unsigned shards = 1; shards <= 3; shards++)
		for (unsigned seed = 1; seed <= SEEDS; seed++) {
			char cut[40], number[16];
			struct scn before, after;

			snprintf(cut, sizeof(cut), "switches.s1.shards=%u", shards);
			snprintf(number, sizeof(number), "seed=%u", seed);
			before = scn_run(
				"ecn-marker.yaml", STEP, cut, number, "duration=45ms", NULL);
			after = scn_run("ecn-marker.yaml", STEP, cut, number, NULL);
			follows_its_curve(&before, 20000, 340000, 0.01);
			follows_its_curve(&after, 60000, 260000, 0.2);
			scn_in(&after, "frames of both times",
				scn_value(&after, MARKING "ect_frames_total") -
					scn_value(&after, MARKING "ect_frames") -
					scn_value(&before, MARKING "ect_frames"),
				-2, 2);
			scn_free(&before);
			scn_free(&after);
		}
}

// Two senders of 100 Gb/s to one receiver: each group stands at its XOFF again and again.
static struct scn paused(unsigned shards, const char *warmup, const char *duration)
{
	char cut[40];

	snprintf(cut, sizeof(cut), "switches.s1.shards=%u", shards);
	return scn_run("ecn-marker.yaml", cut, warmup, duration, "flows.ect0.open_loop.rate=90%",
		"flows.ect1.open_loop.rate=90%", "flows.plain.open_loop.rate=1%",
		"switches.s1.classes.0={lossless: true, pfc: {xoff: 300KB}}",
		"events=[{at: 2ms, set: {switches.s1.classes.0.pfc.xoff: 80KB}}]", NULL);
}

// A queue that both groups fill holds twice what one takes up to XOFF, and their headroom.
static void xoff_is_that_of_each_time(void **state)
{
	(void)state;
	for (unsigned shards = 1; shards <= 3; shards++) {
		struct scn before = paused(shards, "warmup=1ms", "duration=2ms");
		struct scn after = paused(shards, "warmup=2200us", "duration=4ms");

		scn_in(&before, "longest queue", scn_value(&before, "queue.s1:r.0.max_bytes"),
			500000, 700000);
		scn_in(&after, "longest queue", scn_value(&after, "queue.s1:r.0.max_bytes"), 140000,
			260000);
		scn_in(&after, "pauses", scn_value(&after, "pauses"), 10, INFINITY);
		scn_free(&before);
		scn_free(&after);
	}
}

static uint64_t digest_of_a_run(void)
{
	char dir[] = "/tmp/quench-set-XXXXXX", out[64], command[64];
	struct scn s;
	uint64_t digest;

	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "out=%s", dir);
	s = scn_run("ecn-marker.yaml", STEP, "duration=50ms", out, NULL);
	scn_free(&s);
	digest = scn_digest(dir, SCN_ALL);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
	return digest;
}

static void a_run_repeats_to_the_byte(void **state)
{
	(void)state;
	assert_int_equal(digest_of_a_run(), digest_of_a_run());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_follow_the_curve_of_each_time),
		cmocka_unit_test(xoff_is_that_of_each_time),
		cmocka_unit_test(a_run_repeats_to_the_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
