// SPDX-License-Identifier: BSD-3-Clause
// A quiesce in whole runs: messages are whole, no frame is missing, and a run that goes on sends as
// much as its time allows.
#include "scn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double of(const struct scn *s, const char *kind, const char *name, const char *figure)
{
	char path[200];

	snprintf(path, sizeof(path), "%s.%s.%s", kind, name, figure);
	return scn_value(s, path);
}

static double end_us(const struct scn *s)
{
	return of(s, "source", "open[h3>r2]", "tx_frames") * 8 /
	       of(s, "source", "open[h3>r2]", "tx_gbps");
}

// Frames that were sent again came twice, so `delta` of them may be missing.
static void each_flow_is_whole(const struct scn *s, double delta)
{
	for (unsigned i = 0; i < s->scene->n_flows; i++) {
		const char *name = s->scene->flow[i]->name;
		double sent = of(s, "flow", name, "message_tx");

		scn_in(s, name, of(s, "flow", name, "frame_delta"), 0, delta);
		scn_in(s, name, of(s, "flow", name, "message_complete_rx"), sent, sent);
		scn_in(s, name, sent, 0, 1000);
	}
	scn_in(s, "lost", of(s, "source", "open[h3>r2]", "lost"), 0, 0);
}

static void messages_are_whole(void **state)
{
	static const char *const at[] = {"1ms", "3ms", "4999us"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		char set[64];
		struct scn s;

		snprintf(set, sizeof(set), "events.0.at=%s", at[i]);
		s = scn_run("quiesce.yaml", set, NULL);
		each_flow_is_whole(&s, 0);
		scn_in(&s, "end", end_us(&s), 1000, 8000);
		scn_in(&s, "end", fmod(rint(end_us(&s) * 1e3), 10e3), 0, 0); // a look's instant
		scn_free(&s);
	}
}

// Frames are lost, and come again.
static void losses_are_made_good(void **state)
{
	struct scn s = scn_run_lossy("quiesce.yaml", "switches.s1.buffer=150KB",
		"switches.s1.classes.3.lossless=false", "events.0.quiesce.within=1s", "duration=2s",
		NULL);

	(void)state;
	scn_in(&s, "resent", scn_value(&s, "total.data_frames_retransmitted"), 1, 1e6);
	each_flow_is_whole(&s, 1e6);
	scn_free(&s);
}

#define OPEN_US 2.04 // a frame of 1000 bytes at 4 Gb/s

static double frames_in(double us)
{
	return ceil(us / OPEN_US);
}

// Senders are silent from 3 ms on. The queue pairs to r1 cannot end, so `within` does: at 4 ms.
static void it_waits_no_longer_than_within(void **state)
{
	struct scn s = scn_run_lossy("quiesce.yaml", "events.0.quiesce.within=1ms",
		"events.1={at: 2900us, link_down: \"s1:r1\"}", NULL);
	double frames = frames_in(3000);

	(void)state;
	scn_in(&s, "end", end_us(&s), 3999.999, 4000.001);
	scn_in(&s, "open", of(&s, "source", "open[h3>r2]", "tx_frames"), frames, frames);
	scn_free(&s);
	s = scn_run_lossy("quiesce.yaml", "events.0.quiesce.within=1ms",
		"events.0.quiesce.then=go_on", "events.1={at: 2900us, link_down: \"s1:r1\"}", NULL);
	frames += frames_in(20000 - 4000);
	scn_in(&s, "end", end_us(&s), 19999.999, 20000.001);
	scn_in(&s, "open", of(&s, "source", "open[h3>r2]", "tx_frames"), frames, frames);
	scn_free(&s);
}

// A paused sender keeps its messages, and nobody waits for it.
static void a_paused_sender_does_not_prolong_it(void **state)
{
	struct scn s = scn_run("quiesce.yaml", "events.1={at: 2900us, pause: h1}", NULL);

	(void)state;
	scn_in(&s, "end", end_us(&s), 3010, 5000);
	scn_in(&s, "its messages", of(&s, "flow", "write[h1>r1.0]", "message_complete_rx"), 1,
		of(&s, "flow", "write[h2>r1.0]", "message_complete_rx") - 1);
	scn_free(&s);
}

// All stand still for 5 ms: as much is sent as in a run that is so much shorter.
static void a_pause_only_takes_its_time(void **state)
{
	struct scn s = scn_run("quiesce.yaml", "events.0={at: 5ms, pause: all}",
		"events.1={at: 10ms, resume: all}", NULL);
	double frames = frames_in(5000) + frames_in(10000 - OPEN_US);

	(void)state;
	scn_in(&s, "open", of(&s, "source", "open[h3>r2]", "tx_frames"), frames, frames + 1);
	scn_in(&s, "timeouts", scn_value(&s, "total.data_frames_retransmitted"), 0, 0);
	scn_in(&s, "reads", of(&s, "flow", "read[r1>h3.0]", "message_complete_rx"), 600, 800);
	scn_free(&s);
}

static void a_stop_is_an_end(void **state)
{
	struct scn s = scn_run("quiesce.yaml", "events.0={at: 7ms, stop: {}}", NULL);
	struct scn same = scn_run(
		"quiesce.yaml", "events.0={at: 19ms, mark: \"a, b\"}", "duration=7ms", NULL);

	(void)state;
	scn_in(&s, "end", end_us(&s), 6999.999, 7000.001);
	assert_false(report_interrupted(s.rec));
	for (unsigned i = 0; i < s.scene->n_flows; i++) {
		double bytes = of(&same, "flow", s.scene->flow[i]->name, "rx_bytes");

		scn_in(&s, "bytes", of(&s, "flow", s.scene->flow[i]->name, "rx_bytes"), bytes,
			bytes);
	}
	scn_free(&s);
	scn_free(&same);
}

static uint64_t digest(const char *event)
{
	char dir[] = "/tmp/quench-quiesce-XXXXXX", out[64], command[64];
	struct scn s;
	uint64_t d;

	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "out=%s", dir);
	s = scn_run("quiesce.yaml", out, event, NULL);
	scn_free(&s);
	d = scn_digest(dir, SCN_ALL);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
	return d;
}

static void two_runs_have_the_same_bytes(void **state)
{
	static const char *const event[] = {"events.0={at: 3ms, quiesce: {}}",
		"events.0={at: 3ms, quiesce: {then: go_on}}", "events.0={at: 3ms, pause: web}"};
	uint64_t first[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		first[i] = digest(event[i]);
		assert_true(digest(event[i]) == first[i]);
	}
	assert_true(first[0] != first[1] && first[1] != first[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_whole),
		cmocka_unit_test(losses_are_made_good),
		cmocka_unit_test(it_waits_no_longer_than_within),
		cmocka_unit_test(a_paused_sender_does_not_prolong_it),
		cmocka_unit_test(a_pause_only_takes_its_time),
		cmocka_unit_test(a_stop_is_an_end),
		cmocka_unit_test(two_runs_have_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
