// SPDX-License-Identifier: BSD-3-Clause
// The message about a run whose loops came too late: how late, and the remedy. That is more time
// for each loop, if the scene's time may pass more slowly, and else a better machine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rt/run.h"

#define DILATE "; a larger --dilate gives loops more time"
#define PORTS  "; `quench ports` says what this machine lacks"

#define HUNDRED "one loop in a hundred takes 24.9 us or more, the serializers make up for 20.0 us"

static struct scene_port port, peer;
static struct scene_node host;
static struct scene scene;
static struct net net;
static struct dev d;
static struct record_device lost;
static struct rt_end end;
static struct rt_lcore lc, *lcore = &lc;
static struct rt_node node, *node_of[SW_SHARDS] = {&node};
static const struct rt_opts opts;
static struct rt rt;

// A run of a second on one lcore. Of its 1000 loops those take 1 us that are not `late`, which are
// one in `each`. `far`: behind the device is another part of the scene.
static void ran(tstamp late, unsigned each, bool device, bool far)
{
	port = (struct scene_port){
		.name = "h:s", .device = device ? "net_ring0" : NULL, .far = far ? &peer : NULL};
	host = (struct scene_node){.kind = SCENE_NIC, .port = &port, .n_ports = 1};
	scene = (struct scene){.node = &host, .n_nodes = 1, .part = "h"};
	d = (struct dev){.port = &port};
	memset(&lc, 0, sizeof(lc));
	lc.end = &end;
	hist_init(&lc.timing.gap);
	for (unsigned i = 0; i < 1000; i++) {
		tstamp gap = i % each ? PS_PER_US : late;

		hist_add(&lc.timing.gap, gap, 1);
		lc.timing.over += gap > 20 * PS_PER_US ? gap : 0;
	}
	rt = (struct rt){.scene = &scene,
		.opts = &opts,
		.dev = &d,
		.device = &lost,
		.n_dev = device,
		.tolerance = 20 * PS_PER_US,
		.world = {.scene = &scene,
			.net = &net,
			.n_lcores = 1,
			.lcore = &lcore,
			.node_of = node_of}};
	rt.recorder.world = &rt.world;
	rt.run.end = PS_PER_S;
	rt_verdict(&rt);
}

static void says(const char *want)
{
	assert_true(rt.run.timing_broken);
	assert_string_equal(rt.run.timing_text, want);
}

static void late_loops_are_said_with_what_helps(void **state)
{
	(void)state;
	ran(25 * PS_PER_US, 50, false, false);
	says(HUNDRED DILATE);
	ran(25 * PS_PER_US, 50, true, true);
	says(HUNDRED DILATE);
	ran(25 * PS_PER_US, 50, true, false);
	says(HUNDRED PORTS);
	ran(4 * PS_PER_MS, 500, false, false);
	says("0.8 % of the time was lost in loops of up to 4.000 ms" DILATE);
	ran(4 * PS_PER_MS, 500, true, false);
	says("0.8 % of the time was lost in loops of up to 4.000 ms" PORTS);
}

static void loops_in_time_break_nothing(void **state)
{
	(void)state;
	ran(15 * PS_PER_US, 50, true, false);
	assert_false(rt.run.timing_broken);
	assert_string_equal(rt.run.timing_text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_loops_are_said_with_what_helps),
		cmocka_unit_test(loops_in_time_break_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
