// SPDX-License-Identifier: BSD-3-Clause
// The table for the terminal: it fits a screen, has the lines that a user looks for, and says bad
// news first.
#include "record_net.h"

#include "record_lab.h"

#include "nic/int.h"
#include "report/int.h"
#include "summary/summary.h"
#include "text/text.h"
#include "wire/bth.h"

static void fits(const char *text, unsigned lines)
{
	unsigned n = 0;

	for (const char *p = text; *p; n++) {
		size_t width = strcspn(p, "\n");

		if (width > 132)
			fail_msg("%.*s: %zu columns", (int)width, p, width);
		p += width + 1;
	}
	assert_true(n <= lines);
}

static void has(const char *text, const char *what)
{
	if (!text || !strstr(text, what))
		fail_msg("\"%s\" is not in\n%s", what, text ? text : "");
}

static void of_a_run(void **state)
{
	struct lab l;
	const char *text;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	text = report_text(l.rec);
	fits(text, 25);
	assert_memory_equal(text, "two-to-one: virtual time, seed 1, 2.000 ms simulated in ", 55);
	has(text, "figures from 500.0 us to 2.000 ms");
	has(text, "incast[h1>r.0]");
	has(text, "incast: 2 flows, ");
	has(text, "Jain ");
	has(text, "  bottleneck  s1:r, 25 Gb/s: ");
	has(text, " % goodput, ");
	has(text, "  queue       s1:r class 3: mean ");
	has(text, "  PFC         ");
	has(text, "  ECN         ");
	has(text, "  drops       none\n");
	has(text, "  conserved   every frame is accounted for");
	has(text, "  lossless    no frame of a lossless class was dropped\n");
	has(text, l.out);
	assert_null(strstr(text, "-0.00"));
	lab_close(&l);
}

// Slow links, such as a laboratory of veth has: a rate has digits that say something.
static void of_slow_links(void **state)
{
	struct lab l;
	const char *text;

	(void)state;
	lab_open(&l, "name: slow\nduration: 200ms\nswitches: {s1: {}}\nhosts: {h1..2: , r: }\n"
		     "links: [{between: [[h1..2, r], s1], rate: 10Mbps, delay: 1us}]\n"
		     "flows:\n"
		     "  f: {from: h1..2, to: r, message: 4KB, rate: 2Mbps}\n"
		     "  p: {from: h1, to: r, class: 0, open_loop: {size: 64, rate: 1%}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	text = report_text(l.rec);
	fits(text, 25);
	has(text, "      Mb/s      Mb/s      Mb/s           frames");
	has(text, "  bottleneck  s1:r, 10 Mb/s: ");
	has(text, "  p[h1>r]: sent 76.");
	has(text, " kb/s, received 76.");
	has(text, "  f: 2 flows, 3.");
	has(text, " Mb/s (each 1.");
	assert_null(strstr(text, "Gb/s"));
	lab_close(&l);
}

// More open-loop sources than rows: a line for those of each flow.
static void many_sources(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, "name: many\nduration: 2ms\ndrain: 1ms\nswitches: {s1: {}}\n"
		     "hosts: {h1..2: , r: }\nlinks: [{between: [[h1..2, r], s1], rate: 10Gbps}]\n"
		     "flows:\n"
		     "  p: {from: h1, to: r, open_loop: {sources: 32, rate: 10Kpps}}\n"
		     "  pp: {from: h2, to: r, open_loop: {size: 64, rate: 1Mpps}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	has(report_text(l.rec), "  p: 32 sources, sent ");
	has(report_text(l.rec), " in 320 frames, received ");
	has(report_text(l.rec), ", 0 lost, 0 out of order\n  pp: 1 source, sent ");
	assert_null(strstr(report_text(l.rec), "h1>r"));
	lab_close(&l);
}

// More flows than rows: by group only.
static void many_flows(void **state)
{
	struct scene_set set = {"flows.incast.qps", "8"};
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, &set, 1, false), 0);
	fits(report_text(l.rec), 23);
	has(report_text(l.rec), "incast: 16 flows, ");
	has(report_text(l.rec),
		"\n  16 flows, by group, as a table would have more than 8 rows; summary.json has "
		"each\n");
	assert_null(strstr(report_text(l.rec), "\n  incast[h1>r.0]"));
	lab_close(&l);
}

// The ports of the lab have no device; the test says what such ports would.
static void late_loops_are_said_on_the_real_clock(void **state)
{
	struct record_run run = {
		.clock = "real", .end = PS_PER_MS, .loop_gap_max_ps = 31200 * PS_PER_NS};

	(void)state;
	for (unsigned real = 0; real < 2; real++) {
		struct net_lab n;
		struct scene_port *port;

		net_open(&n);
		port = n.lab.scene->node[0].port;
		port[0].late_loop = 50 * PS_PER_US;
		port[1].late_loop = 20 * PS_PER_US;
		((struct mmu *)(uintptr_t)sw_mmu_of(net_node(n.net, n.s1)->u.sw, 0))
			->pg[3]
			.max_bytes = 1;
		run.clock = real ? "real" : "virtual";
		for (unsigned i = 0; real && i < 2; i++)
			pause_rx_late((struct pause_rx *)(uintptr_t)n.rec->port[0].rx, 0,
				(1 + i) * PS_PER_US);
		assert_int_equal(report_close(&n.report, n.rec, &run, &n.lab.err), 0);
		if (real)
			has(report_text(n.report),
				"\n  late loops  headroom allows for 20.0 us; "
				"the longest loop took 31.2 us\n"
				"  late PFC    loops added 1.5 us to pfc_response on average, "
				"2.0 us at most\n");
		else
			assert_null(strstr(report_text(n.report), "\n  late "));
		net_close(&n);
	}
}

static void says_paused(const struct lab *l, const char *who, const char *port)
{
	char path[64], want[128];
	double us, ratio;

	snprintf(path, sizeof(path), "pfc.%s.3.pause_effective_us", port);
	us = report_value(l->rec, path);
	snprintf(path, sizeof(path), "pfc.%s.3.pause_ratio", port);
	ratio = report_value(l->rec, path);
	assert_true(ratio > 0.05);
	snprintf(want, sizeof(want), " XON sent; %s was paused for %.1f us (%.1f %%)\n", who, us,
		100 * ratio);
	has(report_text(l->rec), want);
}

// The line of PFC names who was paused longest in the window: a host, or a switch's port.
static void who_was_paused_longest_is_named(void **state)
{
	struct scene_set pfc[] = {{"flows.incast.control", "none"}};
	struct scene_set slow[] = {{"flows.incast.control", "none"}, {"flows.incast.from", "h1"},
		{"switches.s1.classes.3.pfc.xoff", "2MB"},
		{"hosts.r.rx_buffer", "{drain_rate: 20Gbps, size: 500KB, xoff: 60KB, xon: 30KB}"}};
	struct lab l;
	bool first;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, pfc, 1, false), 0);
	first = report_value(l.rec, "pfc.h1:s1.3.pause_effective_us") >=
		report_value(l.rec, "pfc.h2:s1.3.pause_effective_us");
	says_paused(&l, first ? "h1" : "h2", first ? "h1:s1" : "h2:s1");
	lab_close(&l);
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, slow, 4, false), 0);
	says_paused(&l, "port s1:r", "s1:r");
	has(report_text(l.rec), "\n  paused      s1:r class 3 by r for ");
	lab_close(&l);
}

// XOFF goes out to hosts that do not obey.
static void what_nobody_obeys_is_said(void **state)
{
	struct scene_set set[] = {{"hosts.h1.pfc_honour", "false"},
		{"hosts.h2.pfc_honour", "false"}, {"switches.s1.classes.3.pfc.headroom", "1MB"},
		{"flows.incast.control", "none"}};
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 4, false), 0);
	has(report_text(l.rec), "\n  PFC         no pause of our ports; ");
	has(report_text(l.rec), " XON sent to others\n");
	lab_close(&l);
}

static void spans_have_a_unit_that_fits(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(text_duration(text, sizeof(text), 0), "0.0 us");
	assert_string_equal(text_duration(text, sizeof(text), 0.037), "37 ns");
	assert_string_equal(text_duration(text, sizeof(text), 1), "1.0 us");
	assert_string_equal(text_duration(text, sizeof(text), 108088), "108.088 ms");
	assert_string_equal(text_duration(text, sizeof(text), 2e6), "2.000 s");
}

static void bad_news(void **state)
{
	struct record_run run = {.clock = "real",
		.end = PS_PER_MS,
		.timing_broken = true,
		.timing_text = "a gap of 3 ms",
		.conserved = -EPROTO,
		.conserve_text = "s1: 5 in, 4 out",
		.pool_size = 100,
		.pool_missing = 2,
		.dilate = 20,
		.interrupted = true,
		.events_lost = 7,
		.captures_lost = 9,
		.device_gone = "port s1:r has had none since 0.5 s",
		.no_link = "port s1:h1 has had none since 0.7 s"};
	struct net_lab n;
	const char *text;

	(void)state;
	net_open(&n);
	assert_int_equal(report_close(&n.report, n.rec, &run, &n.lab.err), 0);
	text = report_text(n.report);
	assert_memory_equal(text,
		"DEVICE GONE: port s1:r has had none since 0.5 s\n"
		"NO LINK: port s1:h1 has had none since 0.7 s\n"
		"TIMING BROKEN: a gap of 3 ms\nEVENTS LOST: 7, faster than they were ",
		158);
	has(text, "\nCAPTURE INCOMPLETE: capture.pcapng lacks 9 frames, which came faster");
	has(text, "dilated by 20, interrupted");
	has(text, "(stopped within the warm-up)");
	has(text, "NOT CONSERVED  s1: 5 in, 4 out");
	has(text, "2 of 100 descriptors are missing");
	net_close(&n);
}

// The messages that waited for a queue pair, and how long.
static void messages_that_waited(void **state)
{
	struct nic_stats *c;
	struct net_lab n;

	(void)state;
	net_open(&n);
	c = (struct nic_stats *)nic_stats(net_node(n.net, n.h1)->u.nic);
	c->has_live_pairs = true;
	c->place_waits = 3;
	c->place_wait_ps = 6 * PS_PER_US;
	net_finish(&n, 1000);
	has(report_text(n.report),
		"  waits       h1: 3 messages waited for a queue pair (live_pairs), 2.0 us on "
		"average\n");
	net_close(&n);
}

// The requester of a flow, failed.
static void fail_flow(struct net_lab *n, unsigned flow, enum rc_failure why)
{
	const struct rec_flow *f = &n->rec->flow[flow];

	nic_qp_at(net_node(n->net, f->scene->from)->u.nic, f->qp)->req.tx.failed = (uint8_t)why;
}

// Which queue pair, why, and what would help; the same in summary.json, where others have nothing.
static void a_failed_queue_pair_says_why(void **state)
{
	struct net_lab n;
	char buf[KIND_NAME];

	(void)state;
	for (unsigned why = RC_NO_FAILURE; why < RC_FAILURES; why++) {
		char want[120];

		net_open(&n);
		fail_flow(&n, 1, why);
		net_finish(&n, 1000);
		fits(report_text(n.report), 30);
		if (why) {
			snprintf(want, sizeof(want), "  QP failed   incast[h2>r.0]: %s\n    ",
				rc_failure_name(why));
			has(report_text(n.report), want);
			has(report_text(n.report), ", 1 QP failed\n");
			assert_string_equal(
				summary_label(n.report->sum, KIND_FLOW, 1, "failure", buf),
				rc_failure_name(why));
		} else {
			assert_null(strstr(report_text(n.report), "QP failed"));
		}
		assert_null(strstr(report_text(n.report), "h1>r.0]: "));
		net_close(&n);
	}
}

// The reason of a refusal, the request's value and ours, how many more there were, and the advice.
static void a_refusal_says_what_was_wrong(void **state)
{
	static const struct {
		struct rc_refused what;
		const char *words;
	} rows[] = {
		{{RC_REFUSED_VERB, BTH_RC_FETCH_ADD, .its = 20, .ours = RC_TAKES_READS},
			"FETCH_ADD: it takes READ"},
		{{RC_REFUSED_ORDER, 0x1f, .its = 31, .ours = RC_SEND_UNDER_WAY},
			"opcode 0x1f: a SEND was under way"},
		{{RC_REFUSED_LENGTH, BTH_RC_SEND_FIRST, .its = 64, .ours = 1024},
			"SEND_FIRST: 64 bytes of payload, and the path MTU is 1024"},
		{{RC_REFUSED_LENGTH, BTH_RC_SEND_LAST, .its = 0, .ours = 1},
			"SEND_LAST: 0 bytes of payload, and a last packet has at least 1"},
		{{RC_REFUSED_TOTAL, BTH_RC_WRITE_LAST, .its = 9, .ours = 8},
			"WRITE_LAST: 9 bytes of payload, where its RETH leaves 8"},
		{{RC_REFUSED_LONG, BTH_RC_READ_REQUEST, .its = 3000000000, .ours = RC_BYTES_MAX},
			"READ_REQUEST: 3000000000 bytes, and a message has 2147483648 at most"},
		{{RC_REFUSED_READS, BTH_RC_READ_REQUEST, .its = 5, .ours = 4},
			"READ_REQUEST: one more at a time than the 4 that are served"},
		{{RC_REFUSED_RKEY, BTH_RC_WRITE_ONLY, .its = 31, .ours = 0x1c00},
			"WRITE_ONLY: its R_Key is 0x0000001f, ours 0x00001c00"},
		{{RC_REFUSED_MEMORY, BTH_RC_WRITE_ONLY, 7, 4096, 0x6ff9, 0x7000},
			"WRITE_ONLY: 7 bytes at 0x6ff9, and it has 4096 at 0x7000"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nic_refusal *r;
		struct net_lab n;
		char want[160];

		net_open(&n);
		r = &net_node(n.net, n.r)->u.nic->refusal[rows[i].what.why];
		*r = (struct nic_refusal){.what = rows[i].what,
			.flow = 1,
			.qpn = 0x12,
			.psn = 77,
			.at = 5 * PS_PER_MS,
			.times = 1 + i};
		net_finish(&n, 1000);
		fits(report_text(n.report), 30);
		snprintf(want, sizeof(want), "  refused     incast[h2>r.0], QP 0x000012: %s",
			rows[i].words);
		if (i)
			snprintf(want + strlen(want), 20, "; %u more", i);
		strcat(want, "\n                PSN 77 at 0.005000 s; ");
		has(report_text(n.report), want);
		net_close(&n);
	}
}

static void many_failures_are_not_all_listed(void **state)
{
	struct net_lab n;

	(void)state;
	net_open_of(&n, LAB_TWO_TO_ONE "  more: {from: h1, to: r, qps: 9}\n");
	for (unsigned i = 0; i < n.rec->n_flows; i++)
		fail_flow(&n, i, RC_RETRIES_EXCEEDED);
	net_finish(&n, 1000);
	has(report_text(n.report), "\n                3 more; `failure` of flows in summary.json");
	net_close(&n);
}

// A message by a way that nobody knows has no ideal time, and a group that settled in its last ms
// no oscillation since.
static void a_dash_where_nothing_was_measured(void **state)
{
	struct net_lab n;
	struct ev *e;

	(void)state;
	net_open(&n);
	n.rec->flow[0].standalone_ps = 0;
	e = net_event(&n, n.h1, 900, EV_MSG_DONE);
	e->message.begun = e->message.posted = 600 * PS_PER_US;
	e->message.bytes = 100000;
	n.rec->group[0].share.judged = PS_PER_MS;
	net_finish(&n, 1000);
	has(report_text(n.report), "1 message, FCT p50 300.0 us, p99 300.0 us, slowdown p99 -\n");
	has(report_text(n.report), " after 0.0 us, osc -\n");
	assert_null(strstr(report_text(n.report), "nan"));
	net_close(&n);
}

// Three senders, whose CNPs a switch sends.
#define SCENE(control, iqcn, np)                                                       \
	"duration: 4ms\nwarmup: 100us\ncontrols: {c: {profile: paper, " control "}}\n" \
	"switches: {s1: {buffer: 16MB, classes: {3: {wred: {min: 10KB, max: 20KB, "    \
	"probability: 100%}, " iqcn "}}}}\n"                                           \
	"hosts: {h1..3: , r: {np: {interval: " np "}}}\n"                              \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"             \
	"flows: {f: {from: h1..3, to: r, control: c}}\n"
#define IQCN     SCENE("rate_timer: 300us, byte_counter: none", "iqcn: {}", "2ms")
#define FAST_CNP SCENE("ai_rate: 2Gbps", "fast_cnp: {}", "50us")

static struct lab l;

// The table has this line, made of figures by path.
static void assert_line(const char *format, const char *one, const char *two)
{
	char want[256];

	snprintf(want, sizeof(want), format, (unsigned long long)report_value(l.rec, one),
		report_value(l.rec, two));
	if (!strstr(report_text(l.rec), want))
		fail_msg("no '%s' in\n%s", want, report_text(l.rec));
}

static void groups_with_bins_have_a_table(void **state)
{
	static const struct scene_set set[] = {{"flows.incast.bins", "[10KB, 100KB]"},
		{"flows.incast.message", "1000"}, {"flows.incast.count", "70"}, {"drain", "100us"},
		{"warmup", "0us"}};
	const char *text;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 5, false), 0);
	text = report_text(l.rec);
	fits(text, 40);
	has(text,
		"\n  incast by size, of the messages posted from 0.0 us to 1.900 ms\n"
		"    bytes up to     ended  unfinished    FCT p50        p99        max  slowdown "
		"p50       p95       p99     p99.9       max\n"
		"          10000       140           0 ");
	has(text, "         -         -     1."); // 140 messages have no p99
	has(text, "\n         100000         0           0          -          -          -       "
		  "      -         -         -         -         -\n");
	lab_close(&l);
}

// Each row is a group of its own. Eight groups have tables.
static void groups_beyond_eight_are_counted(void **state)
{
	static const char *const want[] = {"", "\n  summary.json has the bins of 1 more group\n",
		"\n  summary.json has the bins of 2 more groups\n"};

	(void)state;
	for (unsigned more = 0; more < 3; more++) {
		char text[512] = "duration: 100us\nhosts: {h1..2: }\n"
				 "links: [{between: [h1, h2], rate: 25Gbps, delay: 1us}]\n"
				 "defaults: {flows: {from: h1, to: h2, count: 1, bins: 1}}\n"
				 "flows:\n";

		for (unsigned i = 0; i < 8 + more; i++)
			sprintf(text + strlen(text), "  f%u:\n", i);
		lab_open(&l, text);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		has(report_text(l.rec), "\n  f7 by size, ");
		has(report_text(l.rec), want[more]);
		assert_null(
			strstr(report_text(l.rec), more ? "\n  f8 by size" : "summary.json has"));
		lab_close(&l);
	}
}

static void iqcn_is_told_by_switch_and_interface(void **state)
{
	(void)state;
	lab_open(&l, IQCN);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_line("\n  iQCN        s1: TX CNP %llu, %.1f /s; 3 of 65536 flows known, ",
		"iqcn.s1.cnp_tx", "iqcn.s1.cnp_tx_per_s");
	assert_line("\n                s1:r           RX CNP %8llu, %9.1f /s; TX CNP ",
		"iqcn.s1:r.cnp_rx", "iqcn.s1:r.cnp_rx_per_s");
	assert_null(strstr(report_text(l.rec), "s1:h1          RX CNP"));
	assert_null(strstr(report_text(l.rec), "Fast CNP"));
	lab_close(&l);
}

static void fast_cnp_is_told_by_switch_and_interface(void **state)
{
	(void)state;
	lab_open(&l, FAST_CNP);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_line("\n  Fast CNP    s1: TX CNP %llu, %.1f /s; 3 of 65536 flows known, ",
		"fast_cnp.s1.cnp_tx", "fast_cnp.s1.cnp_tx_per_s");
	assert_line("\n                s1:r           TX CNP %8llu, %9.1f /s; ",
		"fast_cnp.s1:r.cnp_tx", "fast_cnp.s1:r.cnp_tx_per_s");
	assert_null(strstr(report_text(l.rec), "s1:h1          TX CNP"));
	assert_null(strstr(report_text(l.rec), "  iQCN  "));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_run),
		cmocka_unit_test(of_slow_links),
		cmocka_unit_test(many_sources),
		cmocka_unit_test(many_flows),
		cmocka_unit_test(messages_that_waited),
		cmocka_unit_test(late_loops_are_said_on_the_real_clock),
		cmocka_unit_test(who_was_paused_longest_is_named),
		cmocka_unit_test(what_nobody_obeys_is_said),
		cmocka_unit_test(spans_have_a_unit_that_fits),
		cmocka_unit_test(bad_news),
		cmocka_unit_test(a_failed_queue_pair_says_why),
		cmocka_unit_test(a_refusal_says_what_was_wrong),
		cmocka_unit_test(many_failures_are_not_all_listed),
		cmocka_unit_test(a_dash_where_nothing_was_measured),
		cmocka_unit_test(groups_with_bins_have_a_table),
		cmocka_unit_test(groups_beyond_eight_are_counted),
		cmocka_unit_test(iqcn_is_told_by_switch_and_interface),
		cmocka_unit_test(fast_cnp_is_told_by_switch_and_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
