// SPDX-License-Identifier: BSD-3-Clause
// Whole runs on the real clock, each in a process of its own (DPDK starts once): the same scene on
// both clocks, two worker lcores, captures, net_pcap from end to end, a device that is not there,
// and a stop. Usage: rt_run_test CASE. Without hugepages, for any user.
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compile/compile.h"
#include "../cnps.h"
#include "../cap_all.h"
#include "rt/rt.h"
#include "vt/vt.h"
#include "frame/frame.h"

#define HERE    TEST_SOURCE "/tests/driver/"
#define CAPTURE TEST_SOURCE "/tests/data/linux_softroce_rocev2.pcap"
#define FAULTS  TEST_SOURCE "/tests/data/ip_faults.pcap"

static char dir[] = "/tmp/quench-rt-run-XXXXXX";

static struct scene *loaded(const char *file, const struct scene_set *set, unsigned n)
{
	struct scene_opts o = {.set = set, .n_set = n, .real = true};
	struct scene *s;
	struct err err;

	if (compile_scene(&s, file, &o, &err) != 0)
		fail_msg("%s", err.text);
	return s;
}

// Conservation and the pool are part of every run.
static void whole(const struct report *r)
{
	const char *text = report_text(r);

	if (!strstr(text, "every frame is accounted for") ||
		strstr(text, "descriptors are missing"))
		fail_msg("%s", text);
}

static struct report *real(const struct scene *s, struct rt_opts o)
{
	struct report *r = NULL;
	struct err err;

	o.no_huge = true;
	o.record.no_files = !o.record.dir;
	o.program = "rt_run_test";
	if (rt_run(s, &o, &r, &err) != 0)
		fail_msg("%s", err.text);
	whole(r);
	return r;
}

static void near(const char *what, double a, double b, double part)
{
	if (!(fabs(a - b) <= part * fabs(b)))
		fail_msg("%s: real %g, virtual %g", what, a, b);
}

static void the_clocks_agree(void **state)
{
	struct scene *s = loaded(HERE "rt_memory.yaml", NULL, 0);
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
	struct scene *s = loaded(HERE "rt_ways.yaml", NULL, 0);
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

// A shaper that holds 51 ns of its rate, where the clock goes on by more than that in a loop: what
// the run lost for s1:r is its own doing, and it says so.
static void a_shaper_below_a_loop_is_said(void **state)
{
	const struct scene_set set[] = {{"ports.s1:r.max_rate", "10Gbps"},
		{"switches.s1.shaper_burst", "64"}, {"duration", "3ms"}};
	struct scene *s = loaded(HERE "rt_memory.yaml", set, 3);
	struct report *r = real(s, (struct rt_opts){.dilate = 1});

	(void)state;
	if (!strstr(report_text(r), "the shaper of s1:r gave up"))
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
}

// Two workers take turns on one processor here, so that only what must always hold is asserted.
static void two_lcores_lose_nothing(void **state)
{
	const struct scene_set set[] = {{"hosts.h1.lcore", "2"}, {"hosts.r.lcore", "2"},
		{"switches.s1.lcore", "1"}, {"duration", "2ms"}, {"warmup", "1ms"}};
	struct scene *s = loaded(HERE "rt_memory.yaml", set, 5);
	char *eal[] = {(char *)"--lcores=0@0,1@0,2@0", (char *)"--main-lcore=0"};
	struct report *r;

	(void)state;
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal, .dilate = 50});
	assert_true(report_value(r, "total.goodput_gbps") > 0);
	report_free(r);
	scene_free(s);
}

// A switch cut by port: what h1 and r have is one lcore's, what h2 has the other's.
static void on_two_lcores(const struct scene_set *set, unsigned n)
{
	struct scene *s = loaded(HERE "rt_memory.yaml", set, n);
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
	const struct scene_set set[] = {
		{"switches.s1.lcores", "2"}, {"duration", "2ms"}, {"warmup", "0us"}};

	(void)state;
	on_two_lcores(set, 3);
}

// Frames that cross are in the groups of one shard and the queues of the other.
static void nor_does_it_where_its_buffer_has_two_sides(void **state)
{
	const struct scene_set set[] = {{"switches.s1.lcores", "2"}, {"switches.s1.cell", "208"},
		{"switches.s1.pools.headroom", "400KB"},
		{"switches.s1.classes.0.queue.limit", "100KB"}, {"duration", "2ms"},
		{"warmup", "0us"}};

	(void)state;
	on_two_lcores(set, 6);
}

static int removed(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

// The two ends of a net_memif, whose socket is in a folder of its own.
static void name_memif(char device[2][160])
{
	assert_non_null(mkdtemp(dir));
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
	s = loaded(HERE "rt_lanes.yaml", set, 2);
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal, .allow_storm = PS_PER_S});
	assert_true(report_value(r, "total.messages") == 6 * (8 + 5));
	assert_true(report_value(r, "nic.b.rx_payload_errors") == 0);
	assert_true(report_value(r, "nic.b.rx_frames") > 6 * 8 * 3);
	assert_true(report_value(r, "nic.b.pause_rx_frames") == 3);
	if (strstr(report_text(r), "NOT RECONCILED") || strstr(report_text(r), "b#"))
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
	assert_int_equal(nftw(dir, removed, 8, FTW_DEPTH | FTW_PHYS), 0);
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
	s = loaded(HERE "rt_queues.yaml", set, 2);
	r = real(s, (struct rt_opts){.eal_argc = 2, .eal_argv = eal});
	assert_true(report_value(r, "total.messages") == 6 * 8);
	assert_true(report_value(r, "total.lossless_drops") == 0);
	assert_true(report_value(r, "nic.r.rx_payload_errors") == 0);
	assert_true(report_value(r, "port.s1:a.rx_frames") >= 6 * 8 * 3);
	if (strstr(report_text(r), "NOT RECONCILED"))
		fail_msg("%s", report_text(r));
	report_free(r);
	scene_free(s);
	assert_int_equal(nftw(dir, removed, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void same_frames(const char *a, const char *b)
{
	struct cap x, y;
	struct err err;

	if (cap_read(&x, a, &err) != 0 || cap_read(&y, b, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(x.n, y.n);
	for (unsigned i = 0; i < x.n; i++) {
		assert_int_equal(x.frame[i].len, y.frame[i].len);
		assert_memory_equal(x.frame[i].bytes, y.frame[i].bytes, x.frame[i].len);
	}
	cap_free(&x);
	cap_free(&y);
}

// Frames that WRED dropped in the last run, and what the switch found malformed and sent on, as its
// summary counts them.
static double wred_drops, malformed_forwarded;

static struct rt_opts threads; // of the test, where it wants several lcores

// `capture` from net_pcap through the switch to net_pcap: what left, as out.pcap, is compared by
// `check`.
static void through_the_switch(const char *capture, const struct scene_set *more,
	void (*check)(const char *in, const char *out))
{
	char a[400], b[400], out[64], none[64], run[64];
	struct scene_set set[5] = {
		{"ports.s1:a.device", a}, {"ports.s1:b.device", b}, {"ports.s1:b.capture", "true"}};
	struct rt_opts o = threads;
	struct report *r;
	struct scene *s;
	unsigned n = 3;

	while (more && more->path)
		set[n++] = *more++;
	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "%s/out.pcap", dir);
	snprintf(none, sizeof(none), "%s/none.pcap", dir);
	snprintf(run, sizeof(run), "%s/run", dir);
	snprintf(a, sizeof(a), "net_pcap0,rx_pcap=%s,tx_pcap=%s", capture, none);
	snprintf(b, sizeof(b), "net_pcap1,tx_pcap=%s", out);
	s = loaded(HERE "rt_pcap.yaml", set, n);
	o.record.dir = run;
	r = real(s, o);
	wred_drops = report_value(r, "drop.wred");
	malformed_forwarded = report_value(r, "port.s1:a.malformed_forwarded_frames");
	report_free(r);
	scene_free(s);
	check(capture, out);
	snprintf(out, sizeof(out), "%s/run/capture.pcapng", dir);
	check(capture, out);
	assert_int_equal(nftw(dir, removed, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void a_capture_passes_the_switch(void **state)
{
	(void)state;
	through_the_switch(CAPTURE, NULL, same_frames);
}

// From the lcore of one port to that of the other, in the same order.
static void a_capture_passes_from_lcore_to_lcore(void **state)
{
	const struct scene_set cut[] = {{"switches.s1.lcores", "2"}, {0}};
	char *eal[] = {(char *)"--lcores=0@0,1@0,2@0", (char *)"--main-lcore=0"};

	(void)state;
	threads = (struct rt_opts){.eal_argc = 2, .eal_argv = eal};
	through_the_switch(CAPTURE, cut, same_frames);
}

static const struct scene_set force_ce[] = {{"switches.s1.classes.3.force_ce", "true"}, {0}};

static void same_as_twin(const char *in, const char *out)
{
	(void)in;
	same_frames(TEST_SOURCE "/tests/data/rc_write_only_ipv4_ce.pcap", out);
}

static void a_write_leaves_as_its_marked_twin(void **state)
{
	(void)state;
	through_the_switch(
		TEST_SOURCE "/tests/data/rc_write_only_ipv4.pcap", force_ce, same_as_twin);
}

// ToS 0x6a became 0x6b, 0x00 stayed; lengths and order are the capture's, every checksum and ICRC
// is right.
static void marked(const char *in, const char *out)
{
	struct cap x, y;
	struct err err;
	unsigned ce = 0;

	if (cap_read(&x, in, &err) != 0 || cap_read(&y, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(y.n, 267);
	for (unsigned i = 0; i < x.n; i++) {
		struct frame was, is;

		assert_int_equal(y.frame[i].len, x.frame[i].len);
		frame_parse(x.frame[i].bytes, x.frame[i].len, &was);
		assert_int_equal(frame_parse(y.frame[i].bytes, y.frame[i].len, &is), FRAME_OK);
		assert_int_equal(is.ip.tos, was.ip.tos == 0x6a ? 0x6b : was.ip.tos);
		assert_int_equal(is.bth.psn, was.bth.psn);
		assert_true(frame_icrc_ok(&is, y.frame[i].bytes));
		ce += is.ip.tos == 0x6b;
	}
	assert_int_equal(ce, 50);
	cap_free(&x);
	cap_free(&y);
}

static void a_capture_leaves_marked(void **state)
{
	(void)state;
	through_the_switch(CAPTURE, force_ce, marked);
	assert_true(wred_drops == 0);
}

static void only_ect(const char *in, const char *out)
{
	struct cap y;
	struct err err;

	(void)in;
	if (cap_read(&y, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(y.n, 50);
	for (unsigned i = 0; i < y.n; i++) {
		struct frame is;

		assert_int_equal(frame_parse(y.frame[i].bytes, y.frame[i].len, &is), FRAME_OK);
		assert_int_equal(is.ip.tos, 0x6b);
	}
	cap_free(&y);
}

static void policy_drop_takes_what_is_not_ect(void **state)
{
	static const struct scene_set drop[] = {{"switches.s1.classes.3.force_ce", "true"},
		{"switches.s1.classes.3.wred.not_ect", "drop"}, {0}};

	(void)state;
	through_the_switch(CAPTURE, drop, only_ect);
	assert_true(wred_drops == 267 - 50);
}

// CNPs for h1, forged or not, that come in by a port of the switch.
static void check_cnps(bool forged, const char *check, double taken)
{
	char in[64], device[200];
	const struct scene_set set[] = {{"ports.s1:f.device", device},
		{"hosts.h1.check_icrc", check}, {"duration", "100ms"}};
	struct scene *s = loaded(HERE "rt_forged.yaml", NULL, 0);
	struct report *r;

	assert_non_null(mkdtemp(dir));
	snprintf(in, sizeof(in), "%s/in.pcap", dir);
	snprintf(device, sizeof(device), "net_pcap0,rx_pcap=%s,tx_pcap=%s/out.pcap", in, dir);
	assert_int_equal(cnps_write(in, s->flow[0], 2000, forged), 0);
	scene_free(s);
	s = loaded(HERE "rt_forged.yaml", set, 3);
	r = real(s, (struct rt_opts){0});
	assert_true(report_value(r, "cnp_rx") == taken);
	assert_true(report_value(r, "nic.h1.rx_icrc_errors") == 2000 - taken);
	assert_true(report_value(r, "nic_drop.icrc") == 2000 - taken);
	assert_int_equal(report_value(r, "rate_cuts") > 0, taken > 0);
	report_free(r);
	scene_free(s);
	assert_int_equal(nftw(dir, removed, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void forged_cnps_are_not_taken(void **state)
{
	(void)state;
	check_cnps(true, "yes", 0);
}

static void the_receivers_own_cnps_are_taken(void **state)
{
	(void)state;
	check_cnps(false, "yes", 2000);
}

static void a_host_may_take_what_is_forged(void **state)
{
	(void)state;
	check_cnps(true, "no", 2000);
}

#define DATA_FRAMES 120

static struct pkt data_of(const struct scene_flow *f, uint32_t psn)
{
	return (struct pkt){.hdr = &f->hdr_data,
		.len = 58 + 1000,
		.kind = PKT_DATA,
		.u.rc = {.opcode = BTH_RC_WRITE_MIDDLE,
			.psn = psn,
			.qpn = f->rsp.qpn,
			.payload = 1000}};
}

// Data for the scene's first flow; of each three frames one has another payload, and one a wrong
// ICRC.
static void data_write(const char *path, const struct scene *s)
{
	const struct payload other = {.kind = PAYLOAD_FIXED, .word = {1, 2, 3, 5}};
	struct capw *w;
	struct err err;

	assert_int_equal(capw_open(&w, path, &err), 0);
	assert_int_equal(capw_interface(w, "data", 10 * RATE_GBPS, false), 0);
	for (unsigned i = 0; i < DATA_FRAMES; i++) {
		struct pkt p = data_of(s->flow[0], i);
		uint8_t bytes[58 + 1000];

		frame_with_payload(&p, i % 3 == 1 ? &other : &s->payload[p.hdr->payload], bytes);
		bytes[600] ^= i % 3 == 2;
		assert_true(capw_frame(w, 0, i * PS_PER_US, 1, bytes, p.len) >= 0);
	}
	assert_int_equal(capw_close(w, &err), 0);
}

// All that left for b is whole: ICRC and payload hold, whatever stood in the buffers before.
static void sent_whole(const char *out, const struct scene *s)
{
	struct cap c;
	struct err err;

	if (cap_read(&c, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(c.n, 4 * 12 * 3);
	for (unsigned i = 0; i < c.n; i++) {
		struct frame f;

		assert_int_equal(frame_parse(c.frame[i].bytes, c.frame[i].len, &f), FRAME_OK);
		assert_true(frame_icrc_ok(&f, c.frame[i].bytes));
		assert_true(payload_holds(&s->payload[s->flow[0]->hdr_data.payload], f.bth.psn,
			f.bth.qpn, c.frame[i].bytes + f.payload_off, f.payload_len));
	}
	cap_free(&c);
}

// A host sends what its flow says, and another one counts what is something else.
static void check_payload(const char *payload)
{
	char in[64], out[64], a[200], b[200];
	const struct scene_set set[] = {{"ports.a:b.device", a}, {"ports.b:a.device", b},
		{"flows.f.payload", payload}, {"flows.f.ack_every", "65536"}};
	struct scene *s;
	struct report *r;

	assert_non_null(mkdtemp(dir));
	snprintf(in, sizeof(in), "%s/in.pcap", dir);
	snprintf(out, sizeof(out), "%s/out.pcap", dir);
	snprintf(a, sizeof(a), "net_pcap0,rx_pcap=%s,tx_pcap=%s", CAPTURE, out);
	snprintf(b, sizeof(b), "net_pcap1,rx_pcap=%s,tx_pcap=%s/acks.pcap", in, dir);
	s = loaded(HERE "rt_payload.yaml", set, 4);
	data_write(in, s);
	r = real(s, (struct rt_opts){0});
	assert_true(report_value(r, "nic.b.rx_payload_errors") == DATA_FRAMES / 3);
	assert_true(report_value(r, "nic.b.rx_icrc_errors") == DATA_FRAMES / 3);
	report_free(r);
	sent_whole(out, s);
	scene_free(s);
	assert_int_equal(nftw(dir, removed, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void fixed_payload_is_looked_at(void **state)
{
	(void)state;
	check_payload("0xdeadbeef");
}

static void a_prbs_is_looked_at(void **state)
{
	(void)state;
	check_payload("prbs");
}

static void faults_above_layer_2_pass(void **state)
{
	(void)state;
	through_the_switch(FAULTS, NULL, same_frames);
	assert_true(malformed_forwarded == 8);
}

// The fault stays; what has no header that can be read is not marked.
static void same_faults(const char *in, const char *out)
{
	struct cap x, y;
	struct err err;

	if (cap_read(&x, in, &err) != 0 || cap_read(&y, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(x.n, y.n);
	for (unsigned i = 0; i < x.n; i++) {
		struct frame was, is;

		frame_parse(x.frame[i].bytes, x.frame[i].len, &was);
		assert_int_equal(frame_parse(y.frame[i].bytes, y.frame[i].len, &is), was.error);
		assert_int_equal(is.ip.tos, was.error == FRAME_BAD_IHL ? 0 : 0x6b);
	}
	cap_free(&x);
	cap_free(&y);
}

static void faults_stay_faults_when_marked(void **state)
{
	(void)state;
	through_the_switch(FAULTS, force_ce, same_faults);
	assert_true(malformed_forwarded == 8);
}

static void refused(const struct scene_set *set, unsigned n, const char *word)
{
	struct scene *s = loaded(HERE "rt_pcap.yaml", set, n);
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

static void one_device_for_two_ports(void **state)
{
	const struct scene_set set[] = {{"ports.s1:b.device", "net_null0"}};

	(void)state;
	refused(set, 1, "ports s1:a and s1:b have the same device");
}

static void an_lcore_that_is_not_there(void **state)
{
	const struct scene_set set[] = {{"switches.s1.lcore", "99"}};

	(void)state;
	refused(set, 1, "lcore 99");
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
	refused_scene(loaded(HERE "rt_storm.yaml", set, n), allow, word);
}

static void a_storm_at_a_device_wants_leave(void **state)
{
	const struct scene_set mac[] = {
		{"events", "[{at: 1ms, mac_frames: {port: h1:s1, every: 1ms, count: 20}}]"}};
	const struct scene_set host[] = {{"ports.h1:s1.device", "net_null1"}, mac[0]};

	(void)state;
	refused_storm(NULL, 0, 0, "pfc_storm at port s1:a leaves by device \"net_null0\"");
	refused_storm(NULL, 0, 0, "--allow-storm T");
	refused_storm(NULL, 0, 4 * PS_PER_MS, "lasts 5ms: --allow-storm 4ms");
	refused_storm(host, 2, 19 * PS_PER_MS, "mac_frames at port h1:s1");
	refused_storm(host, 2, 19 * PS_PER_MS, "lasts 20ms");
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

	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "%s/out.pcap", dir);
	snprintf(device, sizeof(device), "net_pcap0,tx_pcap=%s", out);
	set[0].value = device;
	s = loaded(HERE "rt_storm.yaml", set, n);
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
	assert_int_equal(nftw(dir, removed, 8, FTW_DEPTH | FTW_PHYS), 0);
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
	struct scene *s = loaded(HERE "rt_memory.yaml", set, 1);
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
	cmocka_unit_test(a_shaper_below_a_loop_is_said),
	cmocka_unit_test(two_lcores_lose_nothing),
	cmocka_unit_test(a_switch_on_two_lcores_loses_nothing),
	cmocka_unit_test(nor_does_it_where_its_buffer_has_two_sides),
	cmocka_unit_test(a_capture_passes_from_lcore_to_lcore),
	cmocka_unit_test(lanes_share_a_device),
	cmocka_unit_test(lcores_of_a_switch_share_a_ports_queues),
	cmocka_unit_test(a_capture_passes_the_switch),
	cmocka_unit_test(a_capture_leaves_marked),
	cmocka_unit_test(policy_drop_takes_what_is_not_ect),
	cmocka_unit_test(a_write_leaves_as_its_marked_twin),
	cmocka_unit_test(forged_cnps_are_not_taken),
	cmocka_unit_test(the_receivers_own_cnps_are_taken),
	cmocka_unit_test(a_host_may_take_what_is_forged),
	cmocka_unit_test(fixed_payload_is_looked_at),
	cmocka_unit_test(a_prbs_is_looked_at),
	cmocka_unit_test(faults_above_layer_2_pass),
	cmocka_unit_test(faults_stay_faults_when_marked),
	cmocka_unit_test(a_device_that_is_not_there),
	cmocka_unit_test(one_device_for_two_ports),
	cmocka_unit_test(an_lcore_that_is_not_there),
	cmocka_unit_test(a_storm_at_a_device_wants_leave),
	cmocka_unit_test(a_capture_with_pfc_wants_leave),
	cmocka_unit_test(the_end_lets_the_peer_go),
	cmocka_unit_test(the_end_lets_go_what_a_host_stopped),
	cmocka_unit_test(the_end_lets_go_what_pause_stopped),
	cmocka_unit_test(a_stop_ends_it_with_its_results),
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
			const struct CMUnitTest one[] = {cases[i]};

			return cmocka_run_group_tests(one, NULL, NULL);
		}
	fprintf(stderr, "usage: rt_run_test CASE; cases:\n");
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		fprintf(stderr, "  %s\n", cases[i].name);
	return 2;
}
