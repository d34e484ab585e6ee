// SPDX-License-Identifier: BSD-3-Clause
// A probe in virtual time that a user ends within a step: the last PFC frame of each class that
// comes to the device is XON, in each kind of step.
#include "compile/compile.h"
#include "vt/vt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "probe/int.h"

#define UP_TO(step) ((2u << PROBE_STEP_##step) - 1)

static const char *const port[] = {"p1", "p2", "p3", "p4"};
static const char bench[] = "name: bench\n"
			    "duration: 10s\n"
			    "sample: none\n"
			    "record: {events: [pause_rx, resume_rx, xoff_tx, xon_tx]}\n"
			    "switches:\n"
			    "  dut:\n"
			    "    buffer: 16MB\n"
			    "    latency: 500ns\n"
			    "    pfc_response: 10\n"
			    "    pfc_watchdog: {poll: 100us, detection: 400us, "
			    "restoration: 400us}\n"
			    "    classes:\n"
			    "      3:\n"
			    "        lossless: true\n"
			    "        pfc: {xoff: 100KB, headroom: 100KB}\n"
			    "hosts: {p1..4: }\n"
			    "links:\n"
			    "- {between: [[p1..4], dut], rate: 100Gbps, delay: 100ns}\n";

// The end comes `after` the start of the first step of the lab with this name; 0: before its first
// frame.
struct end {
	const char *name;
	tstamp after;
	uint32_t steps;
};

static atomic_bool stop;
static const struct end *at;
static int (*lab_step)(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err);

static int ends_at(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	struct lab_step begun = *step;
	int rc = 0;

	if (strcmp(step->name, at->name) != 0)
		return lab_step(lab, step, sight, err);
	begun.longest = at->after;
	if (at->after)
		rc = lab_step(lab, &begun, sight, err);
	assert_int_equal(rc, 0);
	atomic_store(&stop, true);
	return lab_step(lab, step, sight, err);
}

static int do_probe(void *arg, struct lab *lab, struct err *err)
{
	const struct probe_cfg cfg = {.in = {0, 1, 3},
		.n_in = 3,
		.out = {2, 3},
		.n_out = 2,
		.dscp = {0, 8, 16, 24, 32, 40, 48, 56},
		.classes = 1 << 3,
		.accuracy = .03,
		.most_hold = 20 * PS_PER_MS,
		.most_step = 5 * PS_PER_S,
		.most_frames = 100000,
		.most_buffer = 16000000,
		.response_limit = 394,
		.seed = 1,
		.steps = at->steps};
	struct probe_found found = {0};
	int rc;

	(void)arg;
	lab_step = lab->step;
	lab->step = ends_at;
	rc = probe_run(lab, &cfg, NULL, &found, err);
	lab->step = lab_step;
	assert_int_equal(rc, -EINTR);
	found_free(&found);
	return rc;
}

// The events of a file: the last PFC frame of p3 is XON, and no class of the device stays stopped.
static void judge(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512], event[32], object[32], last[32] = "";
	unsigned paused = 0, pauses = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned cls = 0;

		if (sscanf(line, "%*f,%31[^,],%31[^,],%u", event, object, &cls) < 2)
			continue;
		if (!strcmp(object, "p3:dut"))
			memcpy(last, event, sizeof(last));
		if (strcmp(object, "dut:p3") != 0)
			continue;
		if (strcmp(event, "pause_rx") != 0) {
			paused &= ~(1u << cls);
			continue;
		}
		paused |= 1u << cls;
		pauses++;
	}
	fclose(f);
	assert_true(pauses > 0);
	assert_string_equal(last, "xon_tx");
	assert_int_equal(paused, 0);
}

static void is_let_go(const struct end *end)
{
	const struct scene_opts so = {
		.text = bench, .size = strlen(bench), .testers = port, .n_testers = 4};
	char dir[] = "/tmp/quench-ended-XXXXXX", path[64], command[64];
	const struct vt_opts o = {
		.record = {.dir = dir, .force = true}, .stop = &stop, .experiment = do_probe};
	struct report *report = NULL;
	struct scene *scene = NULL;
	struct err err = {0};

	print_message("in step %s, after %.2f us\n", end->name, (double)end->after / PS_PER_US);
	at = end;
	atomic_store(&stop, false);
	assert_non_null(mkdtemp(dir));
	if (compile_scene(&scene, "bench.yaml", &so, &err) || vt_run(scene, &o, &report, &err))
		fail_msg("%s", err.text);
	assert_true(report_interrupted(report));
	snprintf(path, sizeof(path), "%s/events.csv", dir);
	judge(path);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	report_free(report);
	scene_free(scene);
}

static void the_device_is_let_go_in_each_kind_of_step(void **state)
{
	static const struct end ends[] = {
		{"map", 150 * PS_PER_US, UP_TO(MAP)},          // the window of class 3
		{"pause", 120 * PS_PER_US, UP_TO(PAUSE)},      // its longest hold
		{"overfill", 15 * PS_PER_US, UP_TO(OVERFILL)}, // its hold
		{"drain", 0, UP_TO(OVERFILL)},                 // before the release
		{"drain", 3 * PS_PER_NS, UP_TO(OVERFILL)},     // XON is leaving
		{"drain", 50 * PS_PER_NS, UP_TO(OVERFILL)},    // XON is on its way
		{"xoff", 12 * PS_PER_US, UP_TO(XOFF)}, {"empty", 0, UP_TO(XOFF)},
		{"marks", 12 * PS_PER_US, UP_TO(MARKS)},
		{"watchdog", 200 * PS_PER_US, UP_TO(WATCHDOG)}, // its storm, before it is detected
		{"watchdog", 900 * PS_PER_US, UP_TO(WATCHDOG)}, // and once the queue is shut
	};

	(void)state;
	for (unsigned k = 0; k < sizeof(ends) / sizeof(*ends); k++)
		is_let_go(&ends[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_is_let_go_in_each_kind_of_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
