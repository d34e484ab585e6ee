// SPDX-License-Identifier: BSD-3-Clause
// Limiters in a whole run: each flow at its rate, on its own figures and on those of the link.
#include "scn.h"

#include <math.h>

#define FLOWS 12

static const double rate_gbps[FLOWS] = {1.4, 2.9, 3.7, 5.3, 6.1, 6.9, 7.7, 8.6, 9.1, 9.3, 9.4, 9.6};

static double of(const struct scn *s, unsigned i, const char *figure)
{
	char path[64];

	snprintf(path, sizeof(path), "flow.f%u[h1>h2.0].%s", i + 1, figure);
	return scn_value(s, path);
}

// Frames of 1024 bytes of payload take 1106 on the wire.
static double sent_gbps(const struct scn *s, unsigned i)
{
	return of(s, i, "tx_bytes") * 1106 / 1024 * 8 / 20e6;
}

static void each_flow_has_its_rate(void **state)
{
	struct scn s = scn_run("../tests/scenario/pace.yaml", NULL);

	(void)state;
	for (unsigned i = 0; i < FLOWS; i++) {
		// One frame, as a share of all frames that the flow sends in 20 ms: the tolerance.
		double frame = 1106 * 8 / 20e6 / rate_gbps[i];

		scn_in(&s, "sent, of the rate", sent_gbps(&s, i) / rate_gbps[i], 1 - frame - 1e-4,
			1 + frame + 1e-4);
		scn_in(&s, "pace_err, frames", of(&s, i, "pace_err_frames"), -1, 1);
		scn_in(&s, "pace_err, %", of(&s, i, "pace_err_percent"), -100 * frame - 0.01,
			100 * frame + 0.01);
	}
	scn_free(&s);
}

// Where nothing is made up for they miss it, and pace_err says by how much.
static void without_catching_up_they_miss_it(void **state)
{
	struct scn s = scn_run("../tests/scenario/pace.yaml", "hosts.h1.catch_up=0us", NULL);
	double worst = 0;

	(void)state;
	for (unsigned i = 0; i < FLOWS; i++) {
		double off = 100 * (sent_gbps(&s, i) / rate_gbps[i] - 1);
		double said = of(&s, i, "pace_err_percent");

		scn_in(&s, "pace_err less what is missing, %", said - off, -0.3, 0.3);
		worst = fmin(worst, said);
	}
	scn_in(&s, "the worst, %", worst, -30, -3);
	scn_free(&s);
}

// A flow may say otherwise than its host.
static void a_flow_has_a_bound_of_its_own(void **state)
{
	struct scn s = scn_run("../tests/scenario/pace.yaml", "hosts.h1.catch_up=0us",
		"flows.f12.catch_up=auto", NULL);

	(void)state;
	scn_in(&s, "pace_err of f12, frames", of(&s, 11, "pace_err_frames"), -1, 1);
	scn_in(&s, "pace_err of f11, %", of(&s, 10, "pace_err_percent"), -30, -0.5);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_flow_has_its_rate),
		cmocka_unit_test(without_catching_up_they_miss_it),
		cmocka_unit_test(a_flow_has_a_bound_of_its_own),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
