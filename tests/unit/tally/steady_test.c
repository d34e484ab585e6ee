// SPDX-License-Identifier: BSD-3-Clause
// The course of a run in intervals: its values add up to the run's figures.
#include "record_lab.h"
#include "report/int.h"
#include "tally/int.h"

#include <math.h>

static const struct rec_queue *queue_of(const struct record *r, const char *port, unsigned cls)
{
	for (unsigned i = 0; i < r->n_queues; i++)
		if (!strcmp(r->queue[i].port->scene->name, port) && r->queue[i].cls == cls)
			return &r->queue[i];
	fail_msg("there is no queue %s.%u", port, cls);
	return NULL;
}

static double sum_of(const float *x, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (double)x[i];
	return sum;
}

static void near(double value, double want)
{
	if (!(fabs(value - want) <= 1e-5 * want))
		fail_msg("%.9g, wanted %.9g", value, want);
}

static void the_values_are_those_of_the_run(void **state)
{
	static const struct scene_set set[] = {{"warmup", "0us"}};
	const struct rec_steady *s;
	const struct rec_queue *q;
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	s = &l.rec->rec->steady;
	q = queue_of(l.rec->rec, "s1:r", 3);
	assert_int_equal(s->n, REC_STEADY);
	assert_int_equal(s->takes, REC_STEADY);
	assert_int_equal(s->step, 4 * PS_PER_US);
	near(sum_of(q->lengths->bytes, s->n) / s->n,
		report_value(l.rec, "queue.s1:r.3.mean_bytes"));
	near(sum_of(s->bytes, s->n) * 8 / 2e6, report_value(l.rec, "group.incast.goodput_gbps"));
	assert_int_equal(s->n_lengths, 3);                     // data to r, ACKs to both senders
	assert_null(queue_of(l.rec->rec, "s1:r", 2)->lengths); // it has held nothing
	assert_null(queue_of(l.rec->rec, "h1:s1", 3)->lengths);
	lab_close(&l);
}

// The last interval ends where the drain begins.
static void the_drain_is_left_out(void **state)
{
	static const struct scene_set set[] = {{"drain", "1ms"}, {"warmup", "0us"}};
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	assert_int_equal(l.rec->rec->steady.n, REC_STEADY);
	assert_int_equal(l.rec->rec->steady.taken, PS_PER_MS);
	lab_close(&l);
}

// Intervals of 1 us at least; a duration that they do not divide leaves a rest.
static void short_runs_have_fewer_intervals(void **state)
{
	static const struct scene_set set[] = {{"duration", "100500ns"}, {"warmup", "0us"}};
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	assert_int_equal(l.rec->rec->steady.step, PS_PER_US);
	assert_int_equal(l.rec->rec->steady.n, 100);
	lab_close(&l);
}

// A look that comes late, as on the real clock: all intervals since the last look have one mean.
static void a_late_look_stands_for_several_intervals(void **state)
{
	struct rec_flow flow = {.rx = &(struct nic_qp_stats){.rx_bytes = 3000}};
	struct rec_group group = {.n = 1};
	struct scene scene = {.duration = 500 * PS_PER_MS};
	struct record r = {
		.scene = &scene, .flow = &flow, .n_flows = 1, .group = &group, .n_groups = 1};

	(void)state;
	assert_int_equal(record_steady_build(&r), 0);
	assert_int_equal(record_steady_due(&r), PS_PER_MS);
	record_steady_take(&r, 3 * PS_PER_MS + 7);
	assert_int_equal(r.steady.n, 3);
	assert_int_equal(r.steady.takes, 1);
	for (unsigned i = 0; i < 3; i++)
		near((double)r.steady.bytes[i], 1000);
	assert_int_equal(record_steady_due(&r), 4 * PS_PER_MS);
	record_steady_take(&r, 4 * PS_PER_MS - 1); // too soon
	assert_int_equal(r.steady.n, 3);
	record_steady_take(&r, 600 * PS_PER_MS);
	assert_int_equal(r.steady.n, REC_STEADY);
	assert_true(record_steady_due(&r) == TSTAMP_NEVER);
	record_steady_free(&r);
}

// A first pass begins with intervals of a quarter, and makes one of two when there are too many.
static void a_first_pass_comes_to_the_same_values(void **state)
{
	static const struct scene_set set[] = {{"duration", "4ms"}, {"warmup", "0us"}};
	struct scene_opts so = {.set = set, .n_set = 2};
	struct vt_opts vo = {.record = {.no_files = true}};
	const struct rec_steady *s[2];
	const struct rec_queue *q[2];
	struct scene *scene;
	struct report *rec[2];
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(compile_scene(&scene, l.file, &so, &l.err), 0);
	for (unsigned i = 0; i < 2; i++) {
		vo.record.first_pass = i;
		assert_int_equal(vt_run(scene, &vo, &rec[i], &l.err), 0);
		s[i] = &rec[i]->rec->steady;
		q[i] = queue_of(rec[i]->rec, "s1:r", 3);
	}
	assert_int_equal(s[1]->n, REC_STEADY);
	assert_int_equal(s[1]->step, s[0]->step);
	assert_int_equal(s[1]->takes, 2 * s[0]->takes);
	for (unsigned i = 0; i < REC_STEADY; i++) {
		near((double)s[1]->bytes[i], (double)s[0]->bytes[i]);
		near((double)q[1]->lengths->bytes[i], (double)q[0]->lengths->bytes[i]);
	}
	report_free(rec[0]);
	report_free(rec[1]);
	scene_free(scene);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_values_are_those_of_the_run),
		cmocka_unit_test(the_drain_is_left_out),
		cmocka_unit_test(short_runs_have_fewer_intervals),
		cmocka_unit_test(a_late_look_stands_for_several_intervals),
		cmocka_unit_test(a_first_pass_comes_to_the_same_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
