// SPDX-License-Identifier: BSD-3-Clause
// timeseries.csv and qlen.txt: their columns, and that their rows add up to the summary.
#include "record_net.h"

enum {
	COLUMNS = 15,
	KIND = 1,
	OBJECT = 2,
	BYTES = 3,
	MEAN = 4,
	MAX = 5,
	MARKS = 7,
	PAUSED = 9,
	GOODPUT = 10,
	CNPS = 14
};

static struct lab l;

static int run(void **state)
{
	struct scene_set set = {"warmup", "0us"};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return lab_run(&l, &set, 1, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

// Splits a line in place; fails where it has not `want` fields.
static void split(char *line, char **field, unsigned want)
{
	unsigned n = 0;

	for (char *p = line; p; n++) {
		assert_true(n < want);
		field[n] = strsep(&p, ",");
	}
	assert_int_equal(n, want);
}

struct sums {
	unsigned rows;
	double bytes, max, marks, paused, goodput, cnps, last_us;
};

// Sums of the rows of one object, which all are of its kind.
static struct sums gather(const char *kind, const char *object)
{
	char *text = lab_file(&l, "timeseries.csv"), *at = text, *line, *field[COLUMNS];
	struct sums s = {0};
	double before = 0;

	line = strsep(&at, "\n");
	split(line, field, COLUMNS);
	assert_string_equal(field[0], "time_us");
	assert_string_equal(field[MARKS], "ecn_marked_frames");
	while ((line = strsep(&at, "\n")) && *line) {
		split(line, field, COLUMNS);
		assert_true(atof(field[0]) >= before);
		before = atof(field[0]);
		if (strcmp(field[OBJECT], object))
			continue;
		assert_string_equal(field[KIND], kind);
		s.rows++;
		s.bytes += atof(field[MEAN]);
		s.max = atof(field[MAX]) > s.max ? atof(field[MAX]) : s.max;
		s.marks += atof(field[MARKS]);
		s.paused += atof(field[PAUSED]);
		s.goodput += atof(field[GOODPUT]);
		s.cnps += atof(field[CNPS]);
		s.last_us = before;
	}
	free(text);
	return s;
}

static void queue_rows_add_up(void **state)
{
	struct sums s = gather("queue", "s1:r.3");

	(void)state;
	assert_in_range(s.rows, 199, 200); // 2 ms by 10 us, from the first frame on
	assert_true(s.last_us == 2000);
	assert_true(report_value(l.rec, "marks") > 0);
	assert_true(s.marks == report_value(l.rec, "marks"));
	assert_true(s.max == report_value(l.rec, "queue.s1:r.3.max_bytes"));
	assert_float_equal(s.bytes / 200, report_value(l.rec, "queue.s1:r.3.mean_bytes"), 1);
}

static void flow_rows_add_up(void **state)
{
	struct sums s = gather("flow", "incast[h1>r.0]");

	(void)state;
	assert_true(s.rows > 190);
	assert_float_equal(
		s.goodput / 200, report_value(l.rec, "flow.incast[h1>r.0].goodput_gbps"), 0.001);
	assert_true(s.cnps == report_value(l.rec, "flow.incast[h1>r.0].cnp_rx"));
}

// A queue that never held a frame has no row; the switch's PFC shows where it stops a sender's
// class: the sender's port has no rows, so the time paused is the summary's.
static void only_what_is_in_use(void **state)
{
	(void)state;
	assert_int_equal(gather("queue", "s1:r.0").rows, 0);
	assert_int_equal(gather("queue", "s1:h1.3").rows, 0);
	assert_true(gather("queue", "s1:h1.6").rows > 0); // ACKs
	assert_true(report_value(l.rec, "pauses") > 0);
}

// Each row fills the columns of its kind and no other.
static void a_row_says_what_it_is_about(void **state)
{
	static const char *const filled[] = {"queue", "flow", "rxbuf"};
	struct scene_set set[] = {{"warmup", "0us"},
		{"hosts.r.rx_buffer", "{size: 500KB, xoff: 100KB, drain_rate: 5Gbps}"}};
	char *text, *at, *line, *field[COLUMNS];
	unsigned rows[3] = {0};
	struct lab other;

	(void)state;
	lab_open(&other, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&other, set, 2, false), 0);
	text = at = lab_file(&other, "timeseries.csv");
	split(strsep(&at, "\n"), field, COLUMNS);
	assert_string_equal(field[KIND], "kind");
	assert_string_equal(field[OBJECT], "object");
	while ((line = strsep(&at, "\n")) && *line) {
		unsigned k = 0;

		split(line, field, COLUMNS);
		while (k < 3 && strcmp(field[KIND], filled[k]))
			k++;
		assert_in_range(k, 0, 2);
		rows[k]++;
		assert_int_equal(*field[BYTES] != 0, k != 1);
		assert_int_equal(*field[MAX] != 0, k == 0);
		assert_int_equal(*field[GOODPUT] != 0, k == 1);
		assert_int_equal(!strcmp(field[OBJECT], "r:s1.rxbuf"), k == 2);
	}
	for (unsigned k = 0; k < 3; k++)
		assert_true(rows[k] > 0);
	free(text);
	lab_close(&other);
}

static void bins_hold_every_sample(void **state)
{
	char *text = lab_file(&l, "qlen.txt"), *at = text, *line;
	unsigned lines = 0;

	(void)state;
	line = strsep(&at, "\n");
	assert_string_equal(line, "time: 2000000");
	while ((line = strsep(&at, "\n")) && *line) {
		unsigned node, port, used, sum = 0, count;

		assert_int_equal(sscanf(line, "%u %u%n", &node, &port, &used), 2);
		assert_true(port >= 1);
		for (char *p = line + used; sscanf(p, " %u%n", &count, &used) == 1; p += used)
			sum += count;
		assert_int_equal(sum, 200);
		lines++;
	}
	assert_int_equal(lines, 3); // r, and the ACKs towards both senders
	free(text);
}

static struct rec_queue *queue_of(struct record *r, const char *port, unsigned cls)
{
	for (unsigned i = 0; i < r->n_queues; i++)
		if (!strcmp(r->queue[i].port->label.s, port) && r->queue[i].cls == cls)
			return &r->queue[i];
	fail_msg("no queue %s.%u", port, cls);
	return NULL;
}

// On the real clock a switch's lcore is behind the sample's instant: the pause that ran then had
// ended before.
static void a_pause_that_was_shorter_than_told(void **state)
{
	struct pause_rx rx = {.paused = 1 << 3, .until[3] = 300 * PS_PER_US};
	struct lab kept = l;
	struct net_lab n;
	struct rec_queue *q;
	struct sums s;

	(void)state;
	net_open(&n);
	q = queue_of(n.rec, "s1:r", 3);
	((struct eport_q *)q->q)->max_bytes = 1000;
	((struct rec_port *)q->port)->rx = &rx;
	record_sample(n.rec, 100 * PS_PER_US);
	rx.paused = 0;
	rx.stats[3].pause_effective_ps = 97 * PS_PER_US;
	record_sample(n.rec, 200 * PS_PER_US);
	rx.stats[3].pause_effective_ps = 107 * PS_PER_US;
	record_sample(n.rec, 300 * PS_PER_US);
	net_finish(&n, 300);
	l = n.lab;
	s = gather("queue", "s1:r.3");
	l = kept;
	assert_int_equal(s.rows, 3);
	assert_float_equal(s.paused, 107, 1e-6);
	net_close(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_rows_add_up),
		cmocka_unit_test(flow_rows_add_up),
		cmocka_unit_test(only_what_is_in_use),
		cmocka_unit_test(a_row_says_what_it_is_about),
		cmocka_unit_test(bins_hold_every_sample),
		cmocka_unit_test(a_pause_that_was_shorter_than_told),
	};

	return cmocka_run_group_tests(tests, run, end);
}
