// SPDX-License-Identifier: BSD-3-Clause
// The section `probe`: its hosts and settings as the scene has them; wrong ones are refused.
#include "scene_lab.h"

#define BENCH                   \
	"switches: {dut: {}}\n" \
	"hosts: {p1..4: }\n"    \
	"links: [{between: [[p1..4], dut], rate: 100Gbps, delay: 100ns}]\n"
#define PORTS "in: [p1, p2, p4], out: [p3, p4]"

// The scenario is refused with a line that has these words.
static void refused(const char *text, const char *words)
{
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
	if (!strstr(lab_err.text, words))
		fail_msg("told '%s'\nnot  '%s'", lab_err.text, words);
	assert_null(strchr(lab_err.text, '\n'));
}

static void settings_of_the_section(void **state)
{
	struct scene *s =
		lab(BENCH "probe: {" PORTS ", dscp: {0: 0, 3: 24}, classes: [3, 4], "
			  "accuracy: 2%, seed: 7, most: {hold: 20ms, frames: 1000000}}\n");
	const struct scene_probe *p = s->probe;

	(void)state;
	assert_string_equal(p->device, "dut");
	assert_int_equal(p->in.n, 3);
	assert_string_equal(p->in.name[0], "p1");
	assert_string_equal(p->in.name[2], "p4");
	assert_int_equal(p->out.n, 2);
	assert_string_equal(p->out.name[0], "p3");
	assert_false(p->dscp_auto);
	assert_int_equal(p->dscp[0], 0);
	assert_int_equal(p->dscp[1], SCENE_NO_DSCP);
	assert_int_equal(p->dscp[3], 24);
	assert_int_equal(p->classes, 0x18);
	assert_true(p->accuracy == 0.02);
	assert_int_equal(p->hold, 20 * PS_PER_MS);
	assert_int_equal(p->frames, 1000000);
	assert_int_equal(p->seed, 7);
	assert_int_equal(p->line, 4);
	assert_non_null(strstr(s->resolved, "probe:\n  in: [p1, p2, p4]"));
	scene_free(s);
}

static void defaults(void **state)
{
	struct scene *s = lab(BENCH "probe: {in: p1..2, out: p3}\n");

	(void)state;
	assert_int_equal(s->probe->in.n, 2);
	assert_true(s->probe->dscp_auto);
	assert_int_equal(s->probe->classes, 0);
	assert_true(s->probe->accuracy == 0.03);
	assert_int_equal(s->probe->hold, 50 * PS_PER_MS);
	assert_int_equal(s->probe->step, 5 * PS_PER_S);
	assert_int_equal(s->probe->frames, 4000000);
	assert_int_equal(s->probe->buffer, 128000000);
	assert_int_equal(s->probe->time, 600 * PS_PER_S);
	assert_int_equal(s->probe->seed, 1);
	scene_free(s);
}

static void the_duration_is_the_longest_time_of_the_probe(void **state)
{
	struct scene *s = lab(BENCH "probe: {" PORTS ", most: {time: 30s}}\n");

	(void)state;
	assert_int_equal(s->duration, 30 * PS_PER_S);
	scene_free(s);
	s = lab("duration: 5ms\n" BENCH "probe: {" PORTS "}\n");
	assert_int_equal(s->duration, 5 * PS_PER_MS);
	scene_free(s);
	lab_refuse(BENCH, "lab.yaml:1:1: 'duration' is missing in this scenario");
}

static void a_scenario_without_the_section_has_none(void **state)
{
	struct scene *s = lab(LAB);

	(void)state;
	assert_null(s->probe);
	assert_null(strstr(s->resolved, "probe:"));
	scene_free(s);
}

static void wrong_ports(void **state)
{
	(void)state;
	refused(BENCH "probe: {out: p3}\n", "'in' is missing in this probe");
	refused(BENCH "probe: {in: p1}\n", "'out' is missing in this probe");
	refused(BENCH "probe: {in: p9, out: p3}\n", "there is no node 'p9'");
	refused(BENCH "probe: {in: dut, out: p3}\n",
		"lab.yaml:4:13: probe: in: dut is a switch; name hosts");
	refused(BENCH "probe: {in: [p1, p1], out: p3}\n",
		"lab.yaml:4:18: probe: in: p1 stands here twice");
	refused(BENCH "probe: {in: p1, out: p1}\n", "probe: out: p1 is the only port of `in`, too");
	refused("switches: {dut: , other: }\nhosts: {p1..2: , x: }\n"
		"links: [{between: [[p1..2, other], dut]}, {between: [x, other]}]\n"
		"probe: {in: p1, out: x}\n",
		"probe: out: x is at other, and another port at dut; all ports of a probe are at "
		"one device");
}

static void wrong_values(void **state)
{
	(void)state;
	refused(BENCH "probe: {" PORTS ", dscp: {0: 8, 3: 8}}\n",
		"probe: dscp: 8 is of class 0 and of class 3; a DSCP is of one class");
	refused(BENCH "probe: {" PORTS ", dscp: {9: 8}}\n",
		"probe: dscp: the class '9' is not right; a class is 0..7");
	refused(BENCH "probe: {" PORTS ", dscp: {3: 64}}\n",
		"probe: dscp: class 3: write one DSCP, 0..63");
	refused(BENCH "probe: {" PORTS ", dscp: 24}\n",
		"probe: dscp: write a DSCP of each class, as in {0: 0, 3: 24}, or auto");
	refused(BENCH "probe: {" PORTS ", classes: [8]}\n",
		"probe: classes: write classes from 0 to 7");
	refused(BENCH "probe: {" PORTS ", accuracy: 30%}\n", "accuracy");
	refused(BENCH "probe: {" PORTS ", accuracy: 0.01%}\n", "accuracy");
	refused(BENCH "probe: {" PORTS ", most: {hold: 1us}}\n", "hold");
	refused(BENCH "probe: {" PORTS ", accuracyy: 3%}\n", "did you mean 'accuracy'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_of_the_section),
		cmocka_unit_test(defaults),
		cmocka_unit_test(the_duration_is_the_longest_time_of_the_probe),
		cmocka_unit_test(a_scenario_without_the_section_has_none),
		cmocka_unit_test(wrong_ports),
		cmocka_unit_test(wrong_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
