// SPDX-License-Identifier: BSD-3-Clause
// A list of flows of random sizes at random instants, which the reference simulator has run, too:
// percentiles of the slowdown by size, for three controls, within what that simulator's runs with
// starts moved by up to 200 ns differ by.
#include "scn.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define FLOWS  4193
#define GROUPS 4 // bins 1 to 5 of ten with as many flows each, 6 to 8, 9 and 10, and all
#define POINTS 3

static const struct {
	uint64_t above, most; // bytes
} group[GROUPS] = {{0, 700}, {700, 46000}, {46000, 10000000}, {0, 10000000}};

static const unsigned point[POINTS] = {50, 95, 99};

// Percentiles of the simulator, the geometric mean of five runs, and how far one run of ours may be
// from it: as far as a run of the simulator's, which Student's t exceeds as seldom as 3 sigma, and
// at least 3 %; for the median of flows of at most 7000 bytes 8 %, which is what the place of a new
// queue pair among others moves it by.
static const struct control {
	const char *name, *marks;
	unsigned head; // bytes of a frame besides its payload
	struct {
		double slowdown, percent;
	} want[GROUPS][POINTS];
} controls[] = {
	{"dctcp", "{min: 3KB/Gbps, max: 3KB/Gbps, probability: 100%, mark: dequeue}", 48,
		{{{1.298, 8}, {6.415, 3}, {9.885, 7}}, {{1.901, 3}, {5.919, 4}, {7.203, 7}},
			{{2.750, 3}, {7.813, 5}, {11.359, 20}},
			{{1.924, 3}, {6.414, 3}, {9.621, 5}}}},
	{"dcqcn", "{min: 4KB/Gbps, max: 16KB/Gbps, probability: 20%, mark: dequeue}", 48,
		{{{1.163, 8}, {18.091, 17}, {33.293, 14}},
			{{1.798, 10}, {15.388, 12}, {25.268, 26}},
			{{2.435, 6}, {7.114, 10}, {10.218, 17}},
			{{1.735, 6}, {15.638, 7}, {29.025, 17}}}},
	{"timely", "{min: 4KB/Gbps, max: 16KB/Gbps, probability: 20%, mark: dequeue}", 56,
		{{{1.145, 8}, {15.999, 14}, {33.080, 29}}, {{1.595, 7}, {13.212, 21}, {28.241, 32}},
			{{2.354, 7}, {6.995, 13}, {9.830, 11}},
			{{1.540, 8}, {13.434, 14}, {29.251, 28}}}},
};

// Time of `bytes` at a rate of bits in a ns, in whole ns, as the simulator counts it.
static uint64_t ticks(uint64_t bytes, unsigned rate)
{
	return bytes * 8 / rate;
}

// Least time of a message: its frames one after the other over the links of its path, each of which
// takes 1 us, and the last one's ACK of 60 bytes back.
static double ideal_ns(const struct scn_message *m, unsigned head)
{
	static const unsigned rates[2][4] = {{25, 25}, {25, 100, 100, 25}};
	const bool far = m->from / 8 != m->to / 8;
	const unsigned links = far ? 4 : 2;
	uint64_t left[4] = {0}, at = 0;

	for (uint64_t sent = 0; sent < m->bytes; sent += 1000) {
		uint64_t bytes = m->bytes - sent < 1000 ? m->bytes - sent : 1000;

		at = 0;
		for (unsigned i = 0; i < links; i++) {
			at = (left[i] > at ? left[i] : at) + ticks(bytes + head, rates[far][i]);
			left[i] = at;
			at += 1000;
		}
	}
	for (unsigned i = 0; i < links; i++)
		at += ticks(60, rates[far][i]) + 1000;
	return (double)at;
}

static void unpack(const char *from, const char *to)
{
	gzFile in = gzopen(from, "rb");
	FILE *out = fopen(to, "w");
	char piece[4096];
	int n;

	assert_non_null(in);
	assert_non_null(out);
	while ((n = gzread(in, piece, sizeof(piece))) > 0)
		assert_int_equal(fwrite(piece, 1, (size_t)n, out), n);
	assert_int_equal(gzclose(in), Z_OK);
	assert_int_equal(fclose(out), 0);
}

static int by_value(const void *a, const void *b)
{
	const double *one = a, *two = b;

	return (*one > *two) - (*one < *two);
}

// The slowdown of messages with sizes of a group, in order. Returns their number.
static unsigned slowdowns(double *to, const struct scn_message *m, unsigned g, unsigned head)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FLOWS; i++)
		if (m[i].bytes > group[g].above && m[i].bytes <= group[g].most)
			to[n++] = (double)m[i].fct_ns / ideal_ns(&m[i], head);
	qsort(to, n, sizeof(*to), by_value);
	return n;
}

static void judge(const struct control *c, const struct scn_message *m)
{
	static double value[FLOWS];
	const struct scn s = {.command = "build/tests/scenario/scenario_flow_list"};

	for (unsigned g = 0; g < GROUPS; g++) {
		unsigned n = slowdowns(value, m, g, c->head);

		scn_in(&s, "least slowdown", value[0], 0.999, 1.02);
		for (unsigned p = 0; p < POINTS; p++) {
			unsigned rank = (n * point[p] + 99) / 100;
			double want = c->want[g][p].slowdown, by = 1 + c->want[g][p].percent / 100;
			char what[64];

			snprintf(what, sizeof(what), "%s, %u to %u bytes, p%u", c->name,
				(unsigned)group[g].above, (unsigned)group[g].most, point[p]);
			scn_in(&s, what, value[rank - 1], want / by, want * by);
		}
	}
}

static void flows_take_as_long_as_in_the_simulator(void **state)
{
	char list[] = "/tmp/quench-flows-XXXXXX", set[3][160];
	int fd = mkstemp(list);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unpack(TEST_DATA "/flow_hadoop50.txt.gz", list);
	snprintf(set[0], sizeof(set[0]), "flows_from=%s", list);
	for (unsigned i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
		const struct control *c = &controls[i];
		struct scn_message *m;
		unsigned n;

		snprintf(set[1], sizeof(set[1]), "defaults.flows.control=%s", c->name);
		snprintf(set[2], sizeof(set[2]), "defaults.switches.classes.3.wred=%s", c->marks);
		m = scn_messages(&n, "flow-list.yaml", set[0], set[1], set[2], NULL);
		assert_int_equal(n, FLOWS);
		judge(c, m);
		free(m);
	}
	unlink(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_take_as_long_as_in_the_simulator),
	};

	return cmocka_run_group_tests_name("flow list", tests, NULL, NULL);
}
