// SPDX-License-Identifier: BSD-3-Clause
// Warnings about switches and flows.
#include "scene_lab.h"

static void warns(const char *path, const char *value, const char *text)
{
	struct scene *s = lab_with(LAB, path, value);

	if (!lab_warns(s, text))
		fail_msg("no warning '%s'", text);
	scene_free(s);
}

static void thresholds_at_odds_are_said(void **state)
{
	(void)state;
	warns("switches.s1.classes.3", "{lossless: true, wred: {min: 1MB, max: 2MB}}",
		"s1 class 3: Kmin 1MB is above XOFF 439095B");
	warns("switches.s1.classes.3",
		"{lossless: true, pfc: {xoff: 100KB}, wred: {min: 200KB, max: 300KB}}",
		"Kmin 200KB is above XOFF 100KB");
	warns("switches.s1.classes.3", "{wred: {min: 1KB, max: 2KB, probability: 0%}}",
		"probability 0%: nothing is marked up to Kmax");
	warns("switches.s1.classes.3.pfc.headroom", "5KB",
		"s1:h1 class 3: headroom 5KB is below the 16048B that rate, delay and MTU ask for; "
		"frames may be lost (2 more ports have too little)");
	warns("switches.s1.classes.3.pfc.enable", "false", "s1 class 3 is lossless without pfc");
}

// Two ports feed s1:r, each of which is at XOFF with 100 KB.
static void a_kmin_beyond_the_fan_in_is_said(void **state)
{
	struct scene *s = lab_with(LAB, "switches.s1.classes.3",
		"{lossless: true, pfc: {xoff: 100KB}, wred: {min: 200KB, max: 300KB}}");

	(void)state;
	assert_false(lab_warns(s, "ports feed"));
	scene_free(s);
	warns("switches.s1.classes.3",
		"{lossless: true, pfc: {xoff: 100KB}, wred: {min: 201KB, max: 300KB}}",
		"s1 class 3: 2 ports feed s1:r by the flows, which are all at XOFF when its queue "
		"has 200KB, and Kmin is 201KB: they are paused before they are marked");
	warns("switches.s1.classes.3", "{lossless: true, wred: {min: 4MB, max: 4MB}}",
		"s1 class 3: Kmin 4MB is not below the buffer, 4MB: nothing is ever marked");
}

#define LEAF                                                                                     \
	"duration: 1ms\nswitches: {s1: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: " \
	"100KB}, wred: {min: 50KB, max: 90KB}}}}}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS "ports: "

static void leaf_warns(const char *ports, const char *text, bool is_warned)
{
	char all[2048];
	struct scene *s;

	snprintf(all, sizeof(all), "%s%s\n", LEAF, ports);
	s = lab(all);
	if (lab_warns(s, text) != is_warned)
		fail_msg("%s warning '%s' with ports %s", is_warned ? "no" : "a", text, ports);
	scene_free(s);
}

// A warning that is of some ports names the first of them. The line of the queue is that of the
// port by which frames leave, XOFF those of the ports by which they come.
static void settings_of_a_port_are_said(void **state)
{
	(void)state;
	leaf_warns("{s1:r: {classes: {3: {wred: {max: 91KB}}}}}", "class 3", false);
	leaf_warns("{s1:r: {classes: {3: {wred: {min: 120KB, max: 150KB}}}}}",
		"s1:r class 3: Kmin 120KB is above XOFF 100KB", true);
	leaf_warns("{s1:h1..2: {classes: {3: {pfc: {enable: false}}}}}",
		"s1:h1 (and 1 port like it) class 3 is lossless without pfc", true);
	leaf_warns("{s1:h1: {classes: {3: {tail_limit: 1MB}}}}",
		"s1:h1 class 3 is lossless, but its tail_limit drops", true);
	leaf_warns("{s1:h1: {classes: {3: {pfc: {quanta: 10}}}}}",
		"s1:h1 class 3: a pause of 10 quanta may run out", true);
	leaf_warns("{s1:r: {classes: {3: {wred: {min: 201KB, max: 300KB}}}}}",
		"2 ports feed s1:r by the flows", true);
	// A port that sends no PFC goes on, so that the queue gets longer.
	leaf_warns("{s1:r: {classes: {3: {wred: {min: 201KB, max: 300KB}}}}, "
		   "s1:h2: {classes: {3: {pfc: {enable: false}}}}}",
		"ports feed", false);
	leaf_warns("{s1:h2: {classes: {3: {lossless: false}}}}",
		"flow 'incast' passes 's1:h1', where class 3 is lossless, and 's1:h2', where it is "
		"not",
		true);
	leaf_warns("{s1:h2: {dscp_map: {0..63: 1}}}",
		"flow 'incast' has class 3, but 's1:h2' puts its frames into class 1", true);
}

// The port of one sender gives the frames another class, and so another queue of the same port.
static void a_queue_of_another_class_is_not_a_hop_without_marks(void **state)
{
	struct scene *s = lab("duration: 1ms\nswitches: {s1: {classes: {3: {lossless: true, wred: "
			      "{min: 50KB, max: 90KB}}}}}\nhosts: {h1..3: , r: }\n"
			      "links: [{between: [[h1..3, r], s1], rate: 25Gbps}]\n"
			      "controls: {dcqcn: }\nports: {s1:h2: {dscp_map: {24..31: 0}}}\n"
			      "flows: {incast: {from: h1..3, to: r, control: dcqcn}}\n");

	(void)state;
	assert_true(lab_warns(
		s, "flow 'incast' has class 3, but 's1:h2' puts its frames into class 0"));
	assert_false(lab_warns(s, "marks its frames"));
	scene_free(s);
}

static void headroom_that_is_missing_is_said(void **state)
{
	(void)state;
	warns("switches.s1.classes.3.pfc.headroom", "0",
		"s1:h1 class 3 is lossless with headroom 0: what still comes after XOFF is lost; "
		"rate, delay and MTU ask for 16048B");
	warns("switches.s1.pools.headroom", "10KB",
		"s1: the headroom pool of 10KB is below the 16048B of a single group");
}

// Three ports: 3 (1.3 MB + 100 KB) are 4.2 MB.
static void thresholds_over_the_buffer_are_said(void **state)
{
	struct scene *s = lab_with(LAB, "switches.s1.classes.3",
		"{lossless: true, pfc: {xoff: 1.2MB, headroom: 100KB}}");

	(void)state;
	assert_false(lab_warns(s, "lossless groups"));
	scene_free(s);
	warns("switches.s1.classes.3", "{lossless: true, pfc: {xoff: 1.3MB, headroom: 100KB}}",
		"s1: XOFF and headroom of its lossless groups are 4.2MB, more than the 4MB");
}

static void drops_of_lossless_classes_are_said(void **state)
{
	(void)state;
	warns("switches.s1.classes.3",
		"{lossless: true, wred: {ecn: false, min: 100KB, max: 400KB}}",
		"s1 class 3 is lossless, but its wred has ecn: false: it drops");
	warns("switches.s1.classes.3", "{lossless: true, tail_limit: 1MB}",
		"s1 class 3 is lossless, but its tail_limit drops");
	warns("switches.s1.classes.3", "{lossless: true, queue: {limit: 100KB}}",
		"s1 class 3 is lossless, but its egress queue drops from 100KB on: one sender may "
		"fill "
		"455143B before it is stopped");
	warns("switches.s1.classes.3", "{lossless: true, queue: {dynamic_th: -4}}",
		"its egress queue drops from 235294B on");
	warns("switches.s1.pools.egress_lossless", "200KB", "its egress queue drops from 200KB on");
	warns("switches.s1",
		"{queue_map: {3: 5}, classes: {3: {lossless: true}, 5: {queue: {limit: 1KB}}}}",
		"s1 class 3 is lossless, but its egress queue drops from 1KB on");
	warns("switches.s1.classes.0", "{tail_limit: 50KB, wred: {min: 50KB, max: 400KB}}",
		"s1 class 0: Kmin 50KB is not below tail_limit 50KB: frames are dropped before "
		"any");
}

// As SONiC has it: the lossless queue's limit is the whole pool's.
static void a_lossless_queue_may_take_its_pool(void **state)
{
	struct scene *s = lab_with(LAB, "switches.s1",
		"{buffer: 4MB, pools: {egress_lossless: 4MB}, classes: {3: {lossless: true, "
		"queue: {limit: 4MB}}}}");

	(void)state;
	assert_false(lab_warns(s, "egress queue drops"));
	scene_free(s);
}

// Without a reaction point data is Not-ECT, unless the flow says otherwise.
static void data_that_wred_drops_is_said(void **state)
{
	const char *profile = "{lossless: true, wred: {min: 50KB, max: 400KB, not_ect: drop}}";
	struct scene *s = lab_with("flows: {incast: {from: h1..2, to: r, ecn: ect0}}\n"
				   "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS,
		"switches.s1.classes.3", profile);

	(void)state;
	assert_false(lab_warns(s, "Not-ECT"));
	scene_free(s);
	warns("switches.s1.classes.3", profile,
		"flow 'incast' is Not-ECT: WRED of 's1' class 3 drops its frames, lossless or not");
}

// The marker is the queue's, XOFF the group's.
static void a_marker_looks_at_the_groups_of_its_queue(void **state)
{
	struct scene *s = lab("duration: 1ms\nswitches: {s1: {buffer: 4MB, queue_map: {3: 1}, "
			      "classes: {3: {lossless: true, pfc: {xoff: 100KB}}, 1: {wred: {min: "
			      "200KB, max: 300KB}}}}}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS);

	(void)state;
	assert_true(lab_warns(s, "s1 class 1: Kmin 200KB is above XOFF 100KB"));
	scene_free(s);
}

// 8 (9216 + 24) + 672 bit times have to go by in half the pause: 292 quanta of 512.
static void pauses_that_run_out_before_they_are_refreshed_are_said(void **state)
{
	static const char *const given[] = {"{quanta: 291}", "{quanta: 292}"};
	struct scene *s;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		s = lab_with(LAB "defaults: {links: {mtu: 9216}}\n", "switches.s1.classes.3.pfc",
			given[i]);
		assert_int_equal(
			lab_warns(s, "s1 class 3: a pause of 291 quanta may run out before its "
				     "refresh, which waits for a longest frame; 292 are enough"),
			i == 0);
		scene_free(s);
	}
	warns("switches.s1.classes.3.pfc.refresh", "100%",
		"s1 class 3: a pause runs out before its refresh at 100 %");
	s = lab_with(LAB, "switches.s1.classes.3.pfc.refresh", "0%"); // meant so
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
}

static void classes_at_odds_are_said(void **state)
{
	(void)state;
	warns("flows.incast.dscp", "48",
		"flow 'incast' has class 3, but 's1' puts its frames into class 6");
	warns("switches.s1.dscp_map", "{0..63: 1}", "puts its frames into class 1");
	warns("flows.incast", "{from: h1, to: r, class: 4, open_loop: {raw: true}}",
		"puts its frames into class 0");
}

static void what_is_usual_is_not_said(void **state)
{
	struct scene *s = lab_with(LAB, "switches.s1.classes.3",
		"{lossless: true, wred: {min: 5KB, max: 200KB}, pfc: {headroom: 20KB}}");

	(void)state;
	if (s->n_warnings)
		fail_msg("%s", s->warning[0].text);
	scene_free(s);
}

static void pause_that_nobody_obeys_is_said(void **state)
{
	struct scene *s = lab("duration: 1ms\nswitches: {s1: {flow_control: pause}}\n"
			      "hosts: {h1: {}, h2: {pause_honour: false}}\n"
			      "links: [{between: [h1..2, s1]}]\nflows: {f: {from: h1, to: h2}}\n");

	(void)state;
	assert_true(lab_warns(s,
		"s1:h2 sends PAUSE, but 'h2' does not obey it (pause_honour): frames may be lost"));
	assert_int_equal(s->n_warnings, 1);
	scene_free(s);
	s = lab("duration: 1ms\nswitches: {s1: {flow_control: pause}, s2: {classes: {3: {lossless: "
		"true}}}}\nhosts: {h1..2: {}}\nlinks: [{between: [s1, s2]}, {between: [h1..2, "
		"s1]}]\n"
		"flows: {f: {from: h1, to: h2}}\n");
	assert_true(lab_warns(
		s, "s1:s2 has flow_control: pause and does not obey the PFC that 's2' sends"));
	assert_int_equal(s->n_warnings, 1);
	scene_free(s);
	s = lab("duration: 1ms\nswitches: {s1: {flow_control: pause}}\nhosts: {h1: {}}\n"
		"links: [{between: [h1, s1]}]\nports: {\"s1:h1\": {pfc_asym: true}}\n");
	assert_true(lab_warns(s, "s1:h1: pfc_asym counts for nothing"));
	scene_free(s);
}

#define TRUNK_OF(classes, ports)                                                   \
	"duration: 1ms\ndefaults: {switches: {classes: {3: {lossless: true}}}}\n"  \
	"switches: {s1: {" classes "}, s2: {}}\nhosts: {h1..2: {}}\n"              \
	"links: [{between: [s1, s2]}, {between: [h1, s1]}, {between: [h2, s2]}]\n" \
	"ports: {" ports "}\nflows: {f: {from: h1, to: h2}}\n"

// The two ends of a link between switches may differ in the classes that have PFC.
static void pfc_that_the_other_switch_does_not_obey_is_said(void **state)
{
	static const struct {
		const char *scene;
		bool is_warned;
	} row[] = {
		{TRUNK_OF("", ""), false},
		{TRUNK_OF("", "\"s1:s2\": {classes: {3: {lossless: false}}}"), true},
		{TRUNK_OF("", "\"s1:s2\": {classes: {3: {pfc: {enable: false}}}}"), true},
		{TRUNK_OF("", "\"s1:s2\": {pfc_asym: true, classes: {3: {lossless: false}}}"),
			false},
		{TRUNK_OF("classes: {3: {lossless: false}}", ""), true},
		// where PFC of the other end does not come, a host is
		{TRUNK_OF("", "\"s1:h1\": {classes: {3: {lossless: false}}}"), false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct scene *s = lab(row[i].scene);

		if (lab_warns(s, "s2:s1 sends PFC of class 3, but 's1:s2' has no pfc for it and "
				 "does not obey: frames may be lost") != row[i].is_warned)
			fail_msg("row %u", i);
		assert_false(lab_warns(s, "s1:s2 sends PFC"));
		scene_free(s);
	}
}

// A class is lossy unless it says lossless; whoever says lossless: false means it.
static void pfc_of_a_lossy_class_is_said(void **state)
{
	const char *text =
		"s1 class 3 has pfc, but is not lossless: it pauses nobody and drops; write "
		"lossless: true";
	struct scene *s;

	(void)state;
	warns("switches.s1.classes.3", "{pfc: {xoff: 100KB}}", text);
	warns("switches.s1.classes.3", "{pfc: {}}", text);
	s = lab_with(LAB, "switches.s1.classes.3", "{lossless: false, pfc: {xoff: 100KB}}");
	assert_false(lab_warns(s, "has pfc"));
	scene_free(s);
	s = lab_with(LAB, "switches.s1.classes.3", "{pfc: {enable: false}}");
	assert_false(lab_warns(s, "has pfc"));
	scene_free(s);
	s = lab_with(LAB, "ports", "{\"s1:r\": {classes: {3: {pfc: {xoff: 100KB}}}}}");
	assert_false(lab_warns(s, "has pfc"));
	scene_free(s);
	s = lab("duration: 1ms\nswitches: {s1: {classes: {0: {pfc: {xoff: 100KB}}}}}\n" LAB_HOSTS
			LAB_LINKS "ports: {\"s1:r\": {classes: {0: {lossless: true}}}}\n");
	assert_false(lab_warns(s, "has pfc"));
	scene_free(s);
}

static void a_warning_has_its_line(void **state)
{
	struct scene *s = lab(
		"duration: 1ms\nswitches:\n  s1:\n    classes:\n      3:\n        lossless: true\n"
		"        pfc: {headroom: 1KB}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS);

	(void)state;
	assert_int_equal(s->n_warnings, 1); // of three ports
	assert_int_equal(s->warning[0].line, 7);
	scene_free(s);
}

#define CONTROLLED                                         \
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {incast: {from: h1..2, to: r, control: c}}\n"

// How often `text` stands in the warnings of CONTROLLED with a control and one more setting.
static unsigned count(const char *control, const char *path, const char *value, const char *text)
{
	const struct scene_set set[] = {{"controls.c", control}, {path, value}};
	const struct scene_opts opts = {.set = set, .n_set = path ? 2 : 1};
	struct scene *s;
	unsigned n = 0;

	if (lab_try(&s, CONTROLLED, &opts))
		fail_msg("%s", lab_err.text);
	for (unsigned i = 0; i < s->n_warnings; i++)
		n += strstr(s->warning[i].text, text) != NULL;
	scene_free(s);
	return n;
}

static void iqcn_wants_to_be_in_time(void **state)
{
	const char *path = "switches.s1.classes.3.iqcn", *late = ": it comes too late; ";

	(void)state;
	assert_int_equal(
		count("{profile: paper}", path, "{}",
			"s1 class 3: a CNP of iqcn is due 270us after the last one, and "
			"control 'c' of flow 'incast' raises its rate after 55us: it comes "
			"too late; write rpg_time_reset: 55us"),
		1);
	assert_int_equal(count("{profile: paper}", path, "{rpg_time_reset: 55us}", late), 0);
	assert_int_equal(count("{profile: connectx}", path, "{}", late), 0); // 300 us
	assert_int_equal(count("{profile: rdma_ip}", path, "{}", late), 1);
	assert_int_equal(count("{profile: paper, rate_timer: none}", path, "{}", late), 0);
	assert_int_equal(count("{profile: paper}", NULL, NULL, late), 0);
}

static void timers_want_cnps_as_often(void **state)
{
	const char *text =
		"flow 'incast': control 'c' asks every 4us whether a CNP came, but 'r' sends "
		"one in 50us at most: its cuts are few and small; np: {interval: 4us} suits";
	const char *asks = "whether a CNP came";

	(void)state;
	assert_int_equal(count("{profile: connectx}", NULL, NULL, text), 1);
	assert_int_equal(count("{profile: hpcc_sim_dcqcn}", NULL, NULL, text), 1);
	assert_int_equal(
		count("{profile: paper, reaction: timed, cut_interval: 4us}", NULL, NULL, text), 1);
	assert_int_equal(count("{profile: connectx}", "hosts.r.np", "{interval: 4us}", asks), 0);
	assert_int_equal(count("{profile: connectx}", "hosts.r.np", "{interval: 5us}", asks), 1);
	assert_int_equal(count("{profile: connectx}", "hosts.r.np", "{mode: per_packet}", asks), 0);
	assert_int_equal(
		count("{profile: connectx}", "hosts.r.np", "{interval: 0us, cnps_per_s: 10000}",
			"'r' sends one in 100us at most"),
		1);
	assert_int_equal(
		count("{profile: connectx, rate_reduce_monitor_period: 50us}", NULL, NULL, asks),
		0);
	assert_int_equal(count("{profile: paper}", NULL, NULL, asks), 0);
	assert_int_equal(count("{profile: rdma_ip}", NULL, NULL, asks), 0);
}

// CNPs of switches come by clocks of their own.
static void switches_may_send_them(void **state)
{
	const char *iqcn = "{lossless: true, wred: {min: 5KB, max: 200KB}, iqcn: {heavy: 100KB}}";

	(void)state;
	assert_int_equal(count("{profile: connectx}", "switches.s1.classes.3", iqcn, "whether"), 0);
}

#define MARKER "{lossless: true, wred: {min: 20KB, max: 5MB}}"

// Each kind of control wants a signal of its own, which something on the way has to give.
static void a_control_that_hears_nothing_is_said(void **state)
{
	const char *cls = "switches.s1.classes.3", *deaf = "it hears nothing of congestion";
	static const char *const by_cnps[] = {"{profile: paper}", "{profile: connectx}",
		"{profile: hpcc_sim_dcqcn}", "{profile: rdma_ip}"};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(count(by_cnps[i], NULL, NULL,
					 "flow 'incast': control 'c' goes by CNPs, but no switch "
					 "on its way marks class 3: it hears nothing of "
					 "congestion; give the class wred"),
			1);
		assert_int_equal(count(by_cnps[i], cls, MARKER, deaf), 0);
	}
	assert_int_equal(count("{profile: dctcp}", NULL, NULL, "goes by marks, but no switch"), 1);
	assert_int_equal(count("{profile: timely}", NULL, NULL, deaf), 0);
	assert_int_equal(count("{profile: rdma_ip, scheme: 2}", NULL, NULL, deaf), 0); // fixed rate
	// A marker is none for QCN, nor a congestion point for DCQCN.
	assert_int_equal(count("{qcn: {}}", cls, MARKER,
				 "goes by CNMs, but no switch on its way has a congestion point of "
				 "class 3: it hears nothing of congestion; give the class qcn"),
		1);
	assert_int_equal(count("{qcn: {}}", cls, "{lossless: true, qcn: {}}", deaf), 0);
	assert_int_equal(count("{profile: paper}", cls, "{lossless: true, qcn: {}}", deaf), 1);
}

static void a_signal_that_does_not_come_is_none(void **state)
{
	const char *deaf = "it hears nothing of congestion";
	struct scene_set set[4] = {
		{"controls.c", "{profile: paper}"}, {"switches.s1.classes.3", MARKER}};
	static const struct {
		const char *path, *value, *text;
		const char *mend, *mended; // path and value
	} row[] = {{"hosts.r.np", "{mode: off}",
			   "'r' sends none for marks: it hears nothing of congestion; np: {mode: "
			   "window} sends them",
			   "switches.s1.classes.3.fast_cnp", "{}"},
		{"flows.incast.ecn", "not_ect",
			"its frames are Not-ECT, so that no switch marks them",
			"switches.s1.classes.3.wred.not_ect", "h3c"},
		{"flows.incast.window", "4",
			"all windows of class 3 make a queue of 8816B at most, and Kmin is 20KB",
			"flows.more", "{from: h1..2, to: r, window: 6}"},
		{"switches.s1.classes.3.wred.min", "4MB",
			"the buffer of 's1' has 4MB, and Kmin is 4MB",
			"switches.s1.classes.3.wred.min", "3999KB"}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (unsigned mended = 0; mended < 2; mended++) {
			struct scene_opts opts = {.set = set, .n_set = 3 + mended};
			struct scene *s;

			set[2] = (struct scene_set){row[i].path, row[i].value};
			set[3] = (struct scene_set){row[i].mend, row[i].mended};
			if (lab_try(&s, CONTROLLED, &opts))
				fail_msg("%s", lab_err.text);
			assert_int_equal(lab_warns(s, deaf), !mended);
			assert_int_equal(lab_warns(s, row[i].text), !mended);
			scene_free(s);
		}
}

static void a_brake_that_never_acts_is_said(void **state)
{
	const char *text =
		"flow 'incast': outstanding 8 is not above the 8 requests that control 'c' allows "
		"after a CNP: its brake never acts; 9 to 16 let it";
	const char *brake = "its brake never acts";

	(void)state;
	assert_int_equal(count("{profile: rdma_ip}", "flows.incast.outstanding", "8", text), 1);
	assert_int_equal(count("{profile: rdma_ip}", "flows.incast.outstanding", "9", brake), 0);
	assert_int_equal(count("{profile: rdma_ip, cnp_timer_thrd: 10us}", NULL, NULL, brake), 1);
	assert_int_equal(count("{profile: rdma_ip, cnp_timer_thrd: 0us}", NULL, NULL, brake), 0);
	assert_int_equal(
		count("{profile: rdma_ip, scheme: 3}", "flows.incast.outstanding", "2", brake), 0);
	assert_int_equal(count("{profile: rdma_ip}", NULL, NULL, brake), 0); // nobody spoke of it
	assert_int_equal(count("{profile: paper}", "flows.incast.outstanding", "2", brake), 0);
}

static void a_scene_without_flows_is_said(void **state)
{
	static const char quiet[] =
		"duration: 1ms\nhosts: {h1..2: }\nlinks: [{between: [h1, h2]}]\n";
	const char *text =
		"there are no flows, so nothing is sent; name who sends to whom under `flows`";
	struct scene *s = lab(quiet);

	(void)state;
	assert_true(lab_warns(s, text));
	scene_free(s);
	s = lab_with(quiet, "events", "[{at: 1us, pfc_storm: {port: \"h1:h2\", for: 9us}}]");
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	s = lab_with(quiet, "ports", "{\"h1:h2\": {device: net_null0}}");
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	s = lab_with(quiet, "flows", "{f: {from: h1, to: h2, open_loop: {}}}");
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
}

static void a_load_without_messages_is_said(void **state)
{
	static const char *const quiet[] = {"{from: h1..2, to: r, sizes: 2GiB, load: 1Mbps}",
		"{from: h1..2, to: r, sizes: 2GiB, load: 1Mbps, qps: per_message}",
		"{from: h1..2, to: r, sizes: 1KB, load: 50%, start: 2ms}"};
	static const char *const busy[] = {"{from: h1..2, to: r, sizes: 1KB, load: 50%}",
		"{from: h1..2, to: r, sizes: 1KB, load: 50%, qps: per_message}",
		"{from: h1..2, to: r, sizes: 1KB, load: 50%, start: none}"};
	const char *text = "no message of load 'x' comes in the run; make the run longer, the load "
			   "higher or its messages smaller";

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct scene *s = lab_with(LAB, "flows.x", quiet[i]);

		assert_true(lab_warns(s, text));
		assert_int_equal(s->n_warnings, 1);
		scene_free(s);
		s = lab_with(LAB, "flows.x", busy[i]);
		assert_int_equal(s->n_warnings, 0);
		scene_free(s);
	}
}

static void a_window_without_messages_is_said(void **state)
{
	static const struct scene_set set[] = {{"duration", "5ms"}, {"warmup", "2ms"},
		{"drain", "3ms"}, {"flows.incast.bins", "[1KB]"}};
	const char *text = "warmup and drain take all of the duration, so no message counts in the "
			   "slowdown by size; make one of them shorter";

	(void)state;
	for (unsigned n = 3; n <= 4; n++) {
		const struct scene_opts opts = {.set = set, .n_set = n};
		struct scene *s = NULL;

		assert_int_equal(lab_try(&s, LAB, &opts), 0);
		assert_int_equal(lab_warns(s, text), n == 4);
		scene_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thresholds_at_odds_are_said),
		cmocka_unit_test(a_kmin_beyond_the_fan_in_is_said),
		cmocka_unit_test(settings_of_a_port_are_said),
		cmocka_unit_test(a_queue_of_another_class_is_not_a_hop_without_marks),
		cmocka_unit_test(headroom_that_is_missing_is_said),
		cmocka_unit_test(thresholds_over_the_buffer_are_said),
		cmocka_unit_test(drops_of_lossless_classes_are_said),
		cmocka_unit_test(a_lossless_queue_may_take_its_pool),
		cmocka_unit_test(data_that_wred_drops_is_said),
		cmocka_unit_test(a_marker_looks_at_the_groups_of_its_queue),
		cmocka_unit_test(pauses_that_run_out_before_they_are_refreshed_are_said),
		cmocka_unit_test(classes_at_odds_are_said),
		cmocka_unit_test(what_is_usual_is_not_said),
		cmocka_unit_test(pause_that_nobody_obeys_is_said),
		cmocka_unit_test(pfc_that_the_other_switch_does_not_obey_is_said),
		cmocka_unit_test(pfc_of_a_lossy_class_is_said),
		cmocka_unit_test(a_warning_has_its_line),
		cmocka_unit_test(timers_want_cnps_as_often),
		cmocka_unit_test(switches_may_send_them),
		cmocka_unit_test(iqcn_wants_to_be_in_time),
		cmocka_unit_test(a_control_that_hears_nothing_is_said),
		cmocka_unit_test(a_signal_that_does_not_come_is_none),
		cmocka_unit_test(a_brake_that_never_acts_is_said),
		cmocka_unit_test(a_scene_without_flows_is_said),
		cmocka_unit_test(a_load_without_messages_is_said),
		cmocka_unit_test(a_window_without_messages_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
