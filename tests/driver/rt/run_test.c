// SPDX-License-Identifier: BSD-3-Clause
// Whole runs on the real clock: the same scene on both clocks, two worker lcores, a device that is
// not there, a storm, and a stop. Usage: run_test CASE.
#include <errno.h>
#include <math.h>
#include <pthread.h>

#include "../../cap_all.h"
#include "frame/frame.h"
#include "run_lab.h"
#include "vt/vt.h"

static void near(const char *what, double a, double b, double part)
{
	if (!(fabs(a - b) <= part * fabs(b)))
		fail_msg("%s: real %g, virtual %g", what, a, b);
}

static void the_clocks_agree(void **state)
{
	struct scene *s = loaded(HERE "memory.yaml", NULL, 0);
	struct report *r = real(s, (struct rt_opts){0}), *v = NULL;
	struct vt_opts o = {.record.no_files = true};
	struct err err;

	(void)state;
	assert_int_equal(vt_run(s, &o, &v, &err), 0);
	near("goodput", report_value(r, "total.goodput_gbps"),
		report_value(v, "total.goodput_gbps"), 0.02);
	near("Jain", report_value(r, "jain"), report_value(v, "jain"), 0.02);
	// Senders that pause together and senders that pause in turns are both steady; a run may
	// change from one to the other, which halves the pauses but not the time in them.
	near("paused time", report_value(r, "total.pause_ps"), report_value(v, "total.pause_ps"),
		0.15);
	near("pauses", report_value(r, "total.pauses"), 0.75 * report_value(v, "total.pauses"),
		0.45);
	assert_true(report_value(v, "total.pauses") > 100);
	assert_true(report_value(r, "total.drops_total") == 0);
	report_free(r);
	report_free(v);
	scene_free(s);
}

// Equal ways are chosen by hash: every trunk carries the same frames on both clocks.
static void flows_take_the_same_ways(void **state)
{
	struct scene *s = loaded(HERE "ways.yaml", NULL, 0);
	struct report *r = real(s, (struct rt_opts){0}), *v = NULL;
	struct vt_opts o = {.record.no_files = true};
	double sum = 0;
	struct err err;

	(void)state;
	assert_int_equal(vt_run(s, &o, &v, &err), 0);
	for (unsigned i = 1; i <= 4; i++) {
		char path[64];

		snprintf(path, sizeof(path), "queue.leaf1:spine%u.3.tx_frames", i);
		near(path, report_value(r, path), report_value(v, path), 0);
		sum += report_value(v, path);
	}
	assert_true(sum == 8 * 2 * 20); // 20 KB in frames of 1024 bytes
	report_free(r);
	report_free(v);
	scene_free(s);
}

// h1 may send 5 Gb/s, h2 10 Gb/s: so the receiver's link is no bottleneck.
static void hosts_keep_their_max_rate(void **state)
{
	const struct scene_set set[] = {
		{"hosts.h1.max_rate", "5Gbps"}, {"hosts.h2.max_rate", "40%"}};
	struct scene *s = loaded(HERE "memory.yaml", set, 2);
	struct report *r = real(s, (struct rt_opts){0}), *v = NULL;
	struct vt_opts o = {.record.no_files = true};
	struct err err;

	(void)state;
	assert_int_equal(vt_run(s, &o, &v, &err), 0);
	near("goodput", report_value(v, "total.goodput_gbps"), 15.0 * 1024 / 1106, 0.001);
	near("goodput", report_value(r, "total.goodput_gbps"),
		report_value(v, "total.goodput_gbps"), 0.02);
	near("Jain", report_value(r, "jain"), report_value(v, "jain"), 0.02);
	report_free(r);
	report_free(v);
	scene_free(s);
}

// A shaper's bucket holds 21 ns of its rate, but the clock goes on by more in a loop. The run
// itself caused the loss for s1:r, and says so.
static void a_shaper_below_a_loop_is_said(void **state)
{
	const struct scene_set set[] = {{"ports.s1:r.max_rate", "24Gbps"},
		{"switches.s1.shaper_burst", "64"}, {"duration", "3ms"}};
	struct scene *s = loaded(HERE "memory.yaml", set, 3);
	struct report *r = real(s, (struct rt_opts){.dilate = 1});

	(void)state;
	if (!strstr(report_text(r), "the shaper of s1:r gave up"))
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
}

// Headroom is less than the bytes that come before an XOFF is obeyed, because a loop takes longer
// than the clock lets it count. Whether the frames would have been lost at another speed cannot be
// told.
static void headroom_below_a_loop_is_said(void **state)
{
	const struct scene_set set[] = {
		{"switches.s1.classes.3.pfc.headroom", "3KB"}, {"duration", "3ms"}};
	struct scene *s = loaded(HERE "memory.yaml", set, 2);
	struct report *r = real(s, (struct rt_opts){.dilate = 1});

	(void)state;
	if (strncmp(report_text(r), "TIMING BROKEN: headroom drops", 29) != 0)
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
}

// The clock waits for loops that come late, but a source wants more of each than it gives: that it
// sent too little is the run's own doing.
static void a_source_that_no_loop_follows_is_said(void **state)
{
	struct scene *s = loaded(HERE "flood.yaml", NULL, 0);
	struct report *r = real(s, (struct rt_opts){.dilate = 1});

	(void)state;
	if (strncmp(report_text(r), "TIMING BROKEN: h:r gave up", 26) != 0)
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
}

// Two workers take turns on one processor here, so that only what must always hold is asserted.
// Half a second is long enough for each to have many turns, whatever else runs there.
static void two_lcores_lose_nothing(void **state)
{
	const struct scene_set set[] = {{"hosts.h1.lcore", "2"}, {"hosts.r.lcore", "2"},
		{"switches.s1.lcore", "1"}, {"duration", "10ms"}, {"warmup", "0us"}};
	struct scene *s = loaded(HERE "memory.yaml", set, 5);
	char *eal[] = {(char *)"--lcores=0@0,1@0,2@0", (char *)"--main-lcore=0"};
	struct report *r;

	(void)state;
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal, .dilate = 50});
	assert_true(report_value(r, "total.goodput_gbps") > 0);
	report_free(r);
	scene_free(s);
}

// A switch cut by port: what h1 and r have is one lcore's, what h2 has the other's. The scenes have
// headroom for the frames that a host sends in a late loop: the lcores take turns on one
// processor.
static void on_two_lcores(const struct scene_set *set, unsigned n)
{
	struct scene *s = loaded(HERE "memory.yaml", set, n);
	char *eal[] = {(char *)"--lcores=0@0,1@0,2@0", (char *)"--main-lcore=0"};
	struct report *r;

	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal, .dilate = 50});
	assert_true(report_value(r, "total.goodput_gbps") > 0);
	assert_true(report_value(r, "total.lossless_drops") == 0);
	assert_true(report_value(r, "port.s1:h1.rx_frames") > 0);
	assert_true(report_value(r, "port.s1:h2.rx_frames") > 0);
	assert_true(report_value(r, "port.s1:r.tx_frames") > 0);
	if (strstr(report_text(r), "NOT RECONCILED"))
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
}

static void a_switch_on_two_lcores_loses_nothing(void **state)
{
	const struct scene_set set[] = {{"switches.s1.lcores", "2"},
		{"switches.s1.late_loop", "20us"}, {"duration", "10ms"}, {"warmup", "0us"}};

	(void)state;
	on_two_lcores(set, 4);
}

// Frames that cross are in the groups of one shard and the queues of the other.
static void nor_does_it_where_its_buffer_has_two_sides(void **state)
{
	const struct scene_set set[] = {{"switches.s1.lcores", "2"}, {"switches.s1.cell", "208"},
		{"switches.s1.pools.headroom", "1MB"}, {"switches.s1.late_loop", "20us"},
		{"switches.s1.classes.0.queue.limit", "100KB"}, {"duration", "10ms"},
		{"warmup", "0us"}};

	(void)state;
	on_two_lcores(set, 7);
}

// Of eight queue pairs some have data that leaves by one lcore's port, and ACKs and CNPs that come
// in by the other's. Each leaf knows all eight, and once.
static void nor_where_flows_come_back_another_way(void **state)
{
	const struct scene_set set[] = {{"defaults.switches.lcores", "2"},
		{"defaults.switches.classes.3.wred.min", "100"},
		{"defaults.switches.classes.3.wred.max", "200"},
		{"defaults.switches.classes.3.iqcn.heavy", "10KB"},
		{"defaults.switches.classes.3.fast_cnp.ce", "true"}, {"duration", "20ms"},
		{"flows.across.count", "20"}, {"flows.across.ecn", "ect0"}};
	struct scene *s = loaded(HERE "ways.yaml", set, 8);
	char *eal[] = {(char *)"--lcores=0@0,1@0,2@0", (char *)"--main-lcore=0"};
	struct report *r;

	(void)state;
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal, .dilate = 50});
	assert_true(report_value(r, "total.lossless_drops") == 0);
	for (unsigned i = 1; i <= 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), "fast_cnp.leaf%u.flows_total", i);
		near(path, report_value(r, path), 8, 0);
		snprintf(path, sizeof(path), "iqcn.leaf%u.cnp_foreign", i);
		near(path, report_value(r, path), 0, 0);
	}
	assert_true(report_value(r, "fast_cnp.leaf1.cnp_tx") > 0);
	assert_true(report_value(r, "iqcn.leaf1.cnp_rx_total") > 0);
	report_free(r);
	scene_free(s);
}

// The two ends of a net_memif, whose socket is in a folder of its own.
static void name_memif(char device[2][160])
{
	run_lab_folder();
	for (unsigned i = 0; i < 2; i++)
		snprintf(device[i], 160, "net_memif%u,role=%s,socket=%s/m,socket-abstract=no", i,
			i ? "client" : "server", dir);
}

// Queue pairs of a host on several lcores, by their numbers; PFC stops all of them.
static void lanes_share_a_device(void **state)
{
	char device[2][160], lcores[] = "--lcores=0@0,1@0,2@0";
	struct scene_set set[] = {{"ports.a:b.device", device[0]}, {"ports.b:a.device", device[1]}};
	char *eal[] = {lcores, (char *)"--main-lcore=0"};
	struct report *r;
	struct scene *s;

	(void)state;
	name_memif(device);
	s = loaded(HERE "lanes.yaml", set, 2);
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal, .allow_storm = PS_PER_S});
	assert_true(report_value(r, "total.messages") == 6 * (8 + 5));
	assert_true(report_value(r, "nic.b.rx_payload_errors") == 0);
	assert_true(report_value(r, "nic.b.rx_frames") > 6 * 8 * 3);
	assert_true(report_value(r, "nic.b.pause_rx_frames") == 5);
	assert_true(report_value(r, "nic.b.pause_stranger_frames") == 2);
	if (strstr(report_text(r), "NOT RECONCILED") || strstr(report_text(r), "b#"))
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
	run_lab_done();
}

// How often a text stands in a file.
static unsigned times_in(const char *path, const char *text)
{
	FILE *f = fopen(path, "rb");
	size_t len = strlen(text), have;
	static char all[1 << 20];
	unsigned n = 0;

	assert_non_null(f);
	have = fread(all, 1, sizeof(all), f);
	assert_true(have < sizeof(all));
	fclose(f);
	for (size_t i = 0; i + len <= have; i++)
		n += !memcmp(all + i, text, len);
	return n;
}

// Faults at the port of a host on several lcores hit the frames of all of its queue pairs. The
// capture of the port has the frames that are dropped there.
static void faults_hit_frames_of_all_lanes(void **state)
{
	char device[2][160], lcores[] = "--lcores=0@0,1@0,2@0", out[64], path[96];
	struct scene_set set[] = {{"ports.a:b.device", device[0]}, {"ports.b:a.device", device[1]},
		{"ports.b:a.capture", "true"},
		{"faults", "[{flow: f, psn: 4, at: \"b:a\", do: drop}, "
			   "{flow: f, psn: 7, at: \"b:a\", do: {delay: 3ms}}, "
			   "{flow: g, psn: 2, at: \"a:b\", do: duplicate}, "
			   "{flow: g, psn: 8, at: \"a:b\", do: corrupt}, "
			   "{at: \"b:a\", do: {forge: {frame: pfc, classes: [3], quanta: 1000, "
			   "start: 10ms, count: 4, every: 1ms}}}]"}};
	const unsigned hits[] = {8, 8, 5, 5, 4};
	char *eal[] = {lcores, (char *)"--main-lcore=0"};
	struct rt_opts o = {.eal_argc = 2, .eal_argv = eal, .allow_storm = PS_PER_S};
	struct report *r;
	struct scene *s;

	(void)state;
	name_memif(device);
	snprintf(out, sizeof(out), "%s/out", dir);
	o.record.dir = out;
	s = loaded(HERE "lanes.yaml", set, 4);
	r = real(s, o);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "fault.%u.matched_total", i + 1);
		near(path, report_value(r, path), hits[i], 0);
	}
	assert_true(report_value(r, "total.messages") == 6 * (8 + 5));
	assert_true(report_value(r, "total.fault_drops_total") == 8);
	assert_true(report_value(r, "nic.a.rx_icrc_errors") == 5);
	assert_true(report_value(r, "nic.b.rx_payload_errors") == 0);
	assert_true(report_value(r, "pfc.b:a.3.xoff_frames") == 4);
	if (strstr(report_text(r), "NOT RECONCILED"))
		fail_msg("%s", report_text(r));
	snprintf(path, sizeof(path), "%s/capture.pcapng", out);
	assert_int_equal(times_in(path, "dropped here by fault 1"), 8);
	assert_int_equal(times_in(path, "delayed here by fault 2"), 8);
	report_free(r);
	scene_free(s);
	run_lab_done();
}

// Runs the load of a host on two lcores with up to two settings: all its messages are sent, once.
static void share_a_load(const char *start, const char *events)
{
	char device[2][160], lcores[] = "--lcores=0@0,1@0,2@0", path[96];
	struct scene_set set[] = {{"ports.a:b.device", device[0]}, {"ports.b:a.device", device[1]},
		{"flows.web.start", start}, {"events", events}};
	char *eal[] = {lcores, (char *)"--main-lcore=0"};
	struct scene_messages *all;
	struct scene_message m;
	struct report *r;
	struct scene *s;
	uint64_t bytes = 0;
	unsigned n = 0;

	name_memif(device);
	s = loaded(HERE "load.yaml", set, 2);
	assert_int_equal(scene_messages(&all, s), 0);
	for (; scene_message(all, &m); n++)
		bytes += m.bytes;
	scene_messages_free(all);
	assert_true(n > 100);
	scene_free(s);
	s = loaded(HERE "load.yaml", set, events ? 4 : 2);
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal});
	assert_true(report_value(r, "total.messages") == n);
	assert_true(report_value(r, "nic.a.messages_dropped") == 0);
	for (unsigned i = 0; i < s->n_flows; i++) {
		snprintf(path, sizeof(path), "flow.%s.rx_bytes", s->flow[i]->name);
		bytes -= (uint64_t)report_value(r, path);
	}
	assert_int_equal(bytes, 0);
	report_free(r);
	scene_free(s);
	run_lab_done();
}

// Lanes have copies of a host's stream, and each takes the messages of its queue pairs.
static void lanes_share_a_load(void **state)
{
	(void)state;
	share_a_load(NULL, NULL);
}

static void an_event_starts_a_load_on_all_lanes(void **state)
{
	(void)state;
	share_a_load("none", "[{at: 0us, flow_start: web}]");
}

// Each lcore of a switch reads a queue of the port by which a host on two lcores sends.
static void lcores_of_a_switch_share_a_ports_queues(void **state)
{
	char device[2][160], lcores[] = "--lcores=0@0,1@0,2@0";
	struct scene_set set[] = {
		{"ports.s1:a.device", device[0]}, {"ports.a:s1.device", device[1]}};
	char *eal[] = {lcores, (char *)"--main-lcore=0"};
	struct report *r;
	struct scene *s;

	(void)state;
	name_memif(device);
	s = loaded(HERE "queues.yaml", set, 2);
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal});
	assert_true(report_value(r, "total.messages") == 6 * 8);
	assert_true(report_value(r, "total.lossless_drops") == 0);
	assert_true(report_value(r, "nic.r.rx_payload_errors") == 0);
	assert_true(report_value(r, "port.s1:a.rx_frames") >= 6 * 8 * 3);
	if (strstr(report_text(r), "NOT RECONCILED"))
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
	run_lab_done();
}

static bool unknown(const struct report *r, const char *path)
{
	return isnan(report_value(r, path));
}

// Frames that come by a device are bytes. An open loop's sender knows when each frame left; of a
// queue pair nobody does.
static void a_device_is_in_the_latency(void **state)
{
	static const char *const not_known[] = {"flow.f[a>b.0].avg_latency",
		"flow.f[a>b.0].min_latency", "flow.f[a>b].max_latency", "group.f.latency_p50_us",
		"group.f.latency_max_us"};
	char device[2][160];
	struct scene_set set[] = {{"ports.a:b.device", device[0]}, {"ports.b:a.device", device[1]}};
	struct report *r;
	struct scene *s;

	(void)state;
	name_memif(device);
	s = loaded(HERE "latency.yaml", set, 2);
	r = real(s, (struct rt_opts){0});
	assert_true(report_value(r, "source.load[a>b].rx_frames") > 0);
	assert_true(report_value(r, "source.load[a>b].undated") == 0);
	assert_true(report_value(r, "source.load[a>b].max_latency") > 0);
	assert_true(report_value(r, "source.load[a>b].avg_latency") > 0);
	assert_true(report_value(r, "source.load[a>b].latency_max_us") > 0);
	assert_true(unknown(r, "source.load[a>b].latency_bound_us"));
	assert_true(report_value(r, "flow.f[a>b.0].data_frames_rx") > 0);
	for (unsigned i = 0; i < sizeof(not_known) / sizeof(not_known[0]); i++)
		if (!unknown(r, not_known[i]))
			fail_msg("%s is %f", not_known[i], report_value(r, not_known[i]));
	report_free(r);
	scene_free(s);
	run_lab_done();
}

static void refused(const struct scene_set *set, unsigned n, const char *word)
{
	struct scene *s = loaded(HERE "pcap.yaml", set, n);
	struct rt_opts o = {.no_huge = true, .record.no_files = true};
	struct report *r = NULL;
	struct err err;

	assert_int_not_equal(rt_run(s, &o, &r, &err), 0);
	if (!strstr(err.text, word) || strchr(err.text, '\n'))
		fail_msg("unclear: %s", err.text);
	assert_null(r);
	scene_free(s);
}

static void a_device_that_is_not_there(void **state)
{
	const struct scene_set set[] = {{"ports.s1:b.device", "net_nosuch0"}};

	(void)state;
	refused(set, 1, "port s1:b: no device \"net_nosuch0\"");
}

static void an_lcore_that_is_not_there(void **state)
{
	const struct scene_set set[] = {{"switches.s1.lcore", "99"}};

	(void)state;
	refused(set, 1, "lcore 99");
}

// The last bits of the first and the last frame of an open loop.
struct course {
	tstamp first, last;
	unsigned n;
};

// An open loop that follows another one starts 700 ns behind its true end, which a storm puts off.
static void a_source_starts_at_the_true_end_of_another(void **state)
{
	struct rt_opts o = {.dilate = 200};
	char out[64], path[96];
	struct course of[3] = {0};
	struct report *r;
	struct scene *s;
	struct frame f;
	struct err err;
	struct cap c;

	(void)state;
	run_lab_folder();
	snprintf(out, sizeof(out), "%s/out", dir);
	o.record.dir = out;
	s = loaded(TEST_SOURCE "/tests/scenario/follow.yaml", NULL, 0);
	r = real(s, o);
	snprintf(path, sizeof(path), "%s/capture.pcapng", out);
	if (cap_read(&c, path, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < c.n; i++) {
		if (frame_parse(c.frame[i].bytes, c.frame[i].len, &f) != FRAME_OK ||
			f.kind != PKT_GEN || f.gen.source >= 3)
			continue;
		if (!of[f.gen.source].n++)
			of[f.gen.source].first = c.frame[i].at;
		of[f.gen.source].last = c.frame[i].at;
	}
	assert_true(of[0].n == 100 && of[1].n == 10 && of[2].n == 20);
	if (of[1].first <= of[0].last + 700 * PS_PER_NS)
		fail_msg("%llu ns, but the other one ended at %llu ns",
			(unsigned long long)(of[1].first / PS_PER_NS),
			(unsigned long long)(of[0].last / PS_PER_NS));
	assert_true(of[2].first > of[1].last);
	cap_free(&c);
	report_free(r);
	scene_free(s);
	run_lab_done();
}

static void refused_scene(struct scene *s, tstamp allow, const char *word)
{
	struct rt_opts o = {.no_huge = true, .record.no_files = true, .allow_storm = allow};
	struct report *r = NULL;
	struct err err;

	assert_int_equal(rt_run(s, &o, &r, &err), -EPERM);
	if (!strstr(err.text, word) || strchr(err.text, '\n'))
		fail_msg("unclear: %s", err.text);
	scene_free(s);
}

static void refused_storm(const struct scene_set *set, unsigned n, tstamp allow, const char *word)
{
	refused_scene(loaded(HERE "storm.yaml", set, n), allow, word);
}

static void a_storm_at_a_device_wants_leave(void **state)
{
	const struct scene_set mac[] = {
		{"events", "[{at: 1ms, mac_frames: {port: h1:s1, every: 1ms, count: 20}}]"}};
	const struct scene_set host[] = {{"ports.h1:s1.device", "net_null1"}, mac[0]};
	const struct scene_set pulse[] = {
		host[0], {"events", "[{at: 1ms, pulse: {port: h1:s1, for: 100us}}]"}};

	(void)state;
	refused_storm(NULL, 0, 0, "pfc_storm at port s1:a leaves by device \"net_null0\"");
	refused_storm(NULL, 0, 0, "--allow-storm T");
	refused_storm(NULL, 0, 4 * PS_PER_MS, "lasts 5ms: --allow-storm 4ms");
	refused_storm(host, 2, 18 * PS_PER_MS, "mac_frames at port h1:s1");
	refused_storm(host, 2, 18 * PS_PER_MS, "lasts 19ms"); // the run is no longer
	refused_storm(pulse, 2, 99 * PS_PER_US, "pulse at port h1:s1");
}

// A capture that goes straight onto a device, in so many rounds.
static struct scene *capture(const char *file, const char *rounds)
{
	const struct scene_set set[] = {{"hosts.source.replay.file", file},
		{"ports.source:wire.device", "net_null0"}, {"hosts.source.replay.loops", rounds},
		{"hosts.source.replay.gap", "1ms"}, {"duration", "10ms"}};

	return loaded(TEST_SOURCE "/config/replay-port.yaml", set, 5);
}

static void a_capture_with_pfc_wants_leave(void **state)
{
	const char *pfc = TEST_SOURCE "/tests/data/pfc_xoff_p3.pcap";
	struct scene *s;

	(void)state;
	refused_scene(capture(pfc, "3"), 0,
		"a MAC control frame of the capture at port source:wire leaves by device "
		"\"net_null0\" and stops what is behind it for 3ms: --allow-storm T");
	refused_scene(capture(pfc, "3"), 2 * PS_PER_MS, "pfc_xoff_p3.pcap: ");
	refused_scene(capture(pfc, "3"), 2 * PS_PER_MS, "lasts 3ms: --allow-storm 2ms");
	refused_scene(capture(pfc, "1000"), 9 * PS_PER_MS, "lasts 10ms"); // the run is no longer
	s = capture(pfc, "3");
	report_free(real(s, (struct rt_opts){.allow_storm = 3 * PS_PER_MS}));
	scene_free(s);
}

// A run that ends in a storm, at a port whose device writes a file; its last frame is parsed.
static void last_frame(struct scene_set *set, unsigned n, struct frame *f)
{
	char device[200], out[64];
	struct report *r;
	struct scene *s;
	struct err err;
	struct cap c;

	run_lab_folder();
	snprintf(out, sizeof(out), "%s/out.pcap", dir);
	snprintf(device, sizeof(device), "net_pcap0,tx_pcap=%s", out);
	set[0].value = device;
	s = loaded(HERE "storm.yaml", set, n);
	r = real(s, (struct rt_opts){.allow_storm = PS_PER_S});
	assert_true(report_value(r, "instrument.xon_at_end") == 1);
	report_free(r);
	scene_free(s);
	if (cap_read(&c, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(c.n >= 2);
	assert_int_equal(frame_parse(c.frame[c.n - 1].bytes, c.frame[c.n - 1].len, f), FRAME_OK);
	assert_int_equal(f->notes, 0);
	cap_free(&c);
	run_lab_done();
}

static void assert_xon(const struct frame *f, unsigned enable)
{
	assert_int_equal(f->kind, PKT_PFC);
	assert_int_equal(f->pfc.time.enable, enable);
	assert_int_equal(pfc_sense(&f->pfc.time), PFC_XON);
}

static void the_end_lets_the_peer_go(void **state)
{
	struct scene_set set[] = {{"ports.s1:a.device", NULL}, {"duration", "60ms"},
		{"events.0.pfc_storm.for", "200ms"}};
	struct frame f;

	(void)state;
	last_frame(set, 3, &f);
	assert_xon(&f, 1 << 3);
}

static void the_end_lets_go_what_a_host_stopped(void **state)
{
	struct scene_set set[] = {{"ports.h1:s1.device", NULL},
		{"events", "[{at: 1ms, mac_frames: {port: h1:s1, classes: [1, 5], count: 3}}]"}};
	struct frame f;

	(void)state;
	last_frame(set, 2, &f);
	assert_xon(&f, 1 << 1 | 1 << 5);
}

static void the_end_lets_go_what_pause_stopped(void **state)
{
	struct scene_set set[] = {{"ports.h1:s1.device", NULL},
		{"events", "[{at: 1ms, mac_frames: {port: h1:s1, frame: pause, count: 3}}]"}};
	struct frame f;

	(void)state;
	last_frame(set, 2, &f);
	assert_int_equal(f.kind, PKT_PAUSE);
	assert_int_equal(f.pfc.time.quanta[0], 0);
}

static void *stopper(void *stop)
{
	usleep(300000);
	*(atomic_bool *)stop = true;
	return NULL;
}

static void a_stop_ends_it_with_its_results(void **state)
{
	const struct scene_set set[] = {{"duration", "1000s"}};
	struct scene *s = loaded(HERE "memory.yaml", set, 1);
	atomic_bool stop = false;
	struct report *r;
	pthread_t t;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, stopper, &stop), 0);
	r = real(s, (struct rt_opts){.stop = &stop});
	pthread_join(t, NULL);
	assert_non_null(strstr(report_text(r), "interrupted"));
	report_free(r);
	scene_free(s);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_clocks_agree),
	cmocka_unit_test(flows_take_the_same_ways),
	cmocka_unit_test(hosts_keep_their_max_rate),
	cmocka_unit_test(a_shaper_below_a_loop_is_said),
	cmocka_unit_test(headroom_below_a_loop_is_said),
	cmocka_unit_test(a_source_that_no_loop_follows_is_said),
	cmocka_unit_test(two_lcores_lose_nothing),
	cmocka_unit_test(a_switch_on_two_lcores_loses_nothing),
	cmocka_unit_test(nor_does_it_where_its_buffer_has_two_sides),
	cmocka_unit_test(nor_where_flows_come_back_another_way),
	cmocka_unit_test(lanes_share_a_device),
	cmocka_unit_test(faults_hit_frames_of_all_lanes),
	cmocka_unit_test(lanes_share_a_load),
	cmocka_unit_test(an_event_starts_a_load_on_all_lanes),
	cmocka_unit_test(lcores_of_a_switch_share_a_ports_queues),
	cmocka_unit_test(a_device_is_in_the_latency),
	cmocka_unit_test(a_device_that_is_not_there),
	cmocka_unit_test(an_lcore_that_is_not_there),
	cmocka_unit_test(a_source_starts_at_the_true_end_of_another),
	cmocka_unit_test(a_storm_at_a_device_wants_leave),
	cmocka_unit_test(a_capture_with_pfc_wants_leave),
	cmocka_unit_test(the_end_lets_the_peer_go),
	cmocka_unit_test(the_end_lets_go_what_a_host_stopped),
	cmocka_unit_test(the_end_lets_go_what_pause_stopped),
	cmocka_unit_test(a_stop_ends_it_with_its_results),
};

int main(int argc, char **argv)
{
	return run_lab_main(cases, sizeof(cases) / sizeof(cases[0]), "run_test", argc, argv);
}
