// SPDX-License-Identifier: BSD-3-Clause
// A reaction point fed from a trace: timers expire in between at their instants, and the rows there
// show the state of that instant.
#include "model_lab.h"

#include <errno.h>
#include <stdlib.h>

#define MOST 4096

static struct lab {
	struct scene *s;
	struct model *m;
	struct model_row row[MOST];
	struct rp_state state[MOST][RP_STATES_MOST];
	unsigned n, n_states, end_after;
} l;

static bool see(void *arg, const struct model_row *row)
{
	(void)arg;
	assert_true(l.n < MOST);
	l.row[l.n] = *row;
	l.n_states = model_states(l.m, l.state[l.n], row->at);
	return ++l.n != l.end_after;
}

static void start(const char *control)
{
	struct err err;

	l.n = l.end_after = 0;
	l.s = lab_scene(control);
	assert_int_equal(model_new(&l.m, &l.s->control[0]->cfg, 1, see, NULL, &err), 0);
}

static void stop(void)
{
	model_free(l.m);
	scene_free(l.s);
}

static void feed(const char *text)
{
	struct err err;

	if (lab_feed(l.m, text, model_registers(l.m), &err))
		fail_msg("%s", err.text);
}

static int64_t state(unsigned row, const char *name)
{
	for (unsigned i = 0; i < l.n_states; i++)
		if (!strcmp(l.state[row][i].name, name))
			return l.state[row][i].value;
	fail_msg("there is no %s", name);
	return 0;
}

static void a_row_is(unsigned i, tstamp at, uint64_t line, const char *event, enum rp_event result)
{
	assert_true(i < l.n);
	assert_true(l.row[i].at == at);
	assert_int_equal(l.row[i].line, line);
	assert_string_equal(l.row[i].event, event);
	assert_int_equal(l.row[i].result, result);
}

static void timers_come_before_an_event_of_their_instant(void **unused)
{
	(void)unused;
	start("{profile: paper}");
	feed("10000000,cnp\n65000000,cnp\n65000000,tick");
	assert_int_equal(l.n, 5);
	a_row_is(0, 10000000, 1, "cnp", RP_DECREASE);
	a_row_is(1, 65000000, 0, "timer", RP_ALPHA);
	a_row_is(2, 65000000, 0, "timer", RP_T_FAST_RECOVERY);
	a_row_is(3, 65000000, 2, "cnp", RP_DECREASE);
	a_row_is(4, 65000000, 3, "tick", RP_NONE);
	assert_int_equal(state(1, "rate"), 50000000000);
	assert_int_equal(state(2, "rate"), 75000000000);
	assert_int_equal(state(4, "target_rate"), 75000000000);
	stop();
}

// Stages count on at the line's rate without an event, while alpha still falls: what stands beside
// each alpha is the stage of its instant, however far the next event of the trace is.
static void a_quiet_stage_is_that_of_the_instant(void **unused)
{
	const unsigned most = MOST;
	int64_t *stage = calloc(most, sizeof(*stage));
	tstamp *at = calloc(most, sizeof(*at));
	char text[65536], *end = text;
	unsigned n, found = 0;

	(void)unused;
	start("{profile: paper, rate_timer: 20us, min_rate: 90Gbps, hai_rate: 10Gbps}");
	feed("0,cnp\n100000000000,tick");
	n = l.n - 1;
	for (unsigned i = 0; i < n; i++) {
		stage[i] = state(i, "t_stage");
		at[i] = l.row[i].at;
	}
	stop();
	assert_true(stage[n - 1] > 100);
	// The same with a look at each of these instants.
	for (unsigned i = n - 500; i < n; i++)
		end += sprintf(end, "%llu,tick\n", (unsigned long long)at[i]);
	start("{profile: paper, rate_timer: 20us, min_rate: 90Gbps, hai_rate: 10Gbps}");
	feed("0,cnp");
	feed(text);
	for (unsigned i = 0; i < l.n; i++) {
		if (strcmp(l.row[i].event, "tick"))
			continue;
		assert_int_equal(state(i, "t_stage"), stage[n - 500 + found]);
		found++;
	}
	assert_int_equal(found, 500);
	stop();
	free(stage);
	free(at);
}

static uint64_t field(const char *name, tstamp now)
{
	for (unsigned i = 0; i < rdma_ip_n_fields; i++)
		if (!strcmp(rdma_ip_fields[i].name, name))
			return rdma_ip_reg_field(model_registers(l.m), &rdma_ip_fields[i], 1, now);
	fail_msg("there is no %s", name);
	return 0;
}

static void registers_follow_as_in_a_nic(void **unused)
{
	struct err err;

	(void)unused;
	start("{profile: rdma_ip, cnp_int_en: true, limiter: window}");
	assert_int_equal(field("cc_rate", 0), 39719);
	feed("10,sent,1086\n20,cnp\n30,write,CC_RATE_MEM,512\n40,read,CC_RATE_MEM\n"
	     "50,write,DCQCN_INCREASE.dcqcn_max_rate,30000");
	assert_int_equal(field("cc_byte_cnt", 50), 1086 + 20); // preamble and gap too
	assert_int_equal(field("cnp_int_status", 50), 1);
	assert_int_equal(field("cnp_int_qp", 50), 1);
	assert_int_equal(field("dcqcn_max_rate", 50), 30000);
	a_row_is(1, 20, 2, "cnp", RP_DECREASE);
	assert_false(l.row[1].has_value);
	a_row_is(2, 30, 3, "write", RP_WRITTEN);
	a_row_is(3, 40, 4, "read", RP_NONE);
	assert_true(l.row[3].has_value);
	assert_int_equal(l.row[3].value, 512);
	assert_int_equal(state(1, "outstanding"), 8);
	assert_true(state(2, "brake_until") > 20);
	// A period that ends in the past by a write ends at once, before what comes next.
	feed("40000000,write,dcqcn_nocnp_timer_th,1\n40000000,tick");
	a_row_is(5, 40000000, 1, "write", RP_NONE);
	a_row_is(6, 40000000, 0, "timer", RP_T_FAST_RECOVERY);
	a_row_is(7, 40000000, 2, "tick", RP_NONE);
	assert_int_equal(lab_feed(l.m, "40000000,write,DCQCN_DFX_CNT,1", true, &err), -EACCES);
	assert_string_equal(err.text, "only the hardware writes that register; read shows it");
	assert_int_equal(lab_feed(l.m, "40000000,write,0x400100,1", true, &err), -ENXIO);
	assert_int_equal(l.n, 8);
	stop();
}

static void it_ends_where_no_more_is_wanted(void **unused)
{
	struct err err;

	(void)unused;
	start("{profile: paper}");
	l.end_after = 7;
	assert_int_equal(lab_feed(l.m, "0,cnp\n2000000000000000000,tick", false, &err), -ECANCELED);
	assert_int_equal(l.n, 7);
	stop();
	start("{profile: paper}");
	l.end_after = 1;
	assert_int_equal(lab_feed(l.m, "0,cnp\n1,cnp", false, &err), -ECANCELED);
	assert_int_equal(l.n, 1);
	stop();
}

// The same seed gives the same cycles, another one others.
static void a_seed_decides_what_is_random(void **unused)
{
	static const char control[] = "{qcn: {randomise: 30%}}";
	tstamp at[3];
	struct err err;

	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		l.n = l.end_after = 0;
		l.s = lab_scene(control);
		assert_int_equal(
			model_new(&l.m, &l.s->control[0]->cfg, 1 + i / 2, see, NULL, &err), 0);
		feed("0,cnm,40\n60000000000,tick");
		assert_true(l.n > 3);
		at[i] = l.row[2].at;
		stop();
	}
	assert_true(at[0] == at[1]);
	assert_true(at[0] != at[2]);
}

// A plug-in that fails ends it, with the line that ends a run; what had come before has been shown.
static void a_plug_in_that_fails_ends_it(void **state)
{
	static const struct {
		unsigned verb, how;
		const char *line;
		unsigned rows;
	} row[] = {
		{2, 1, "control 'c' crashed in ack() at 2.500 us (SIGSEGV)", 2},
		{3, 6, "control 'c' gave a rate that is no number in nak() at 3.500 us", 3},
		{5, 8, "control 'c' gave a window of -1 bytes in expire() at 2.000 us", 1},
	};
	char control[512];
	struct err err;

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(control, sizeof(control),
			"{plugin: %s/plugin0.so, verb: %u, how: %u, from: 2us}", MODULES,
			row[i].verb, row[i].how);
		start(control);
		assert_int_equal(lab_feed(l.m,
					 "1500000,cnp\n2000000,tick\n2500000,ack,1024\n"
					 "3500000,nak\n4000000,tick",
					 false, &err),
			-EFAULT);
		assert_string_equal(err.text, row[i].line);
		assert_int_equal(l.n, row[i].rows);
		stop();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_come_before_an_event_of_their_instant),
		cmocka_unit_test(a_quiet_stage_is_that_of_the_instant),
		cmocka_unit_test(registers_follow_as_in_a_nic),
		cmocka_unit_test(it_ends_where_no_more_is_wanted),
		cmocka_unit_test(a_seed_decides_what_is_random),
		cmocka_unit_test(a_plug_in_that_fails_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
