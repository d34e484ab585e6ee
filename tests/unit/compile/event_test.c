// SPDX-License-Identifier: BSD-3-Clause
// Commands by time, both ends of a link, flows as groups, wrong events.
#include "scene_lab.h"

#define EVENTS(text) LAB "events: [" text "]\n"

static void a_link_has_two_ends(void **state)
{
	struct scene *s =
		lab(EVENTS("{at: 0.5ms, link_up: \"s1:r\"}, {at: 100us, link_down: \"r:s1\"}"));

	(void)state;
	assert_int_equal(s->n_events, 4);
	assert_int_equal(s->event[0].at, 100 * PS_PER_US);
	assert_int_equal(s->event[0].ctl.type, CTL_LINK_DOWN);
	assert_int_equal(s->event[1].ctl.type, CTL_LINK_DOWN);
	assert_int_equal(s->event[0].node, scene_node(s, "r"));
	assert_int_equal(s->event[0].ctl.port, 0);
	assert_int_equal(s->event[1].node, scene_node(s, "s1"));
	assert_int_equal(s->event[1].ctl.port, 2);
	assert_int_equal(s->event[2].ctl.type, CTL_LINK_UP);
	assert_int_equal(s->event[0].line, 6);
	scene_free(s);
}

static void a_flow_is_all_its_queue_pairs(void **state)
{
	struct scene *s = lab("duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
			      "flows:\n  a: {from: h1..2, to: r, qps: 2, start: none}\n"
			      "  g: {from: h1..2, to: r, open_loop: {size: 64}}\n"
			      "events:\n- {at: 1us, flow_start: a}\n- {at: 2us, flow_stop: g}\n");

	(void)state;
	assert_int_equal(s->n_events, 6);
	assert_int_equal(s->event[0].ctl.type, CTL_FLOW_START);
	assert_int_equal(s->event[3].ctl.id, 3);
	assert_int_equal(s->event[1].node, scene_node(s, "h1"));
	assert_int_equal(s->event[2].node, scene_node(s, "h2"));
	assert_int_equal(s->event[5].ctl.type, CTL_FLOW_STOP);
	assert_int_equal(s->event[5].ctl.id, CTL_SOURCE | 1);
	assert_int_equal(s->event[5].node, scene_node(s, "h2"));
	scene_free(s);
}

// To each node that sends, or to those that a name means.
static void senders_are_told(void **state)
{
	static const char head[] = "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
				   "flows:\n  a: {from: h1..2, to: r, qps: 2, group: g}\n"
				   "  b: {from: h1, to: r, verb: read}\n"
				   "  o: {from: h2, to: r, open_loop: {size: 64}}\n"
				   "events:\n- {at: 1us, ";
	static const struct {
		const char *event;
		unsigned n;
		struct ctl first;
	} told[] = {
		{"quiesce: }", 3, {.type = CTL_QUIESCE, .b = 5 * PS_PER_S}},
		{"quiesce: {then: go_on, within: 1us}}", 3,
			{.type = CTL_QUIESCE, .a = 1, .b = PS_PER_US}},
		{"pause: a}", 4, {.type = CTL_PAUSE}},
		{"resume: g}", 4, {.type = CTL_RESUME}},
		{"pause: b}", 2, {.type = CTL_PAUSE, .id = 4}}, // the reader, too
		{"pause: o}", 1, {.type = CTL_PAUSE, .id = CTL_SOURCE}},
		{"pause: h2}", 1, {.type = CTL_PAUSE, .id = CTL_HOST}},
		{"pause: r}", 2, {.type = CTL_PAUSE, .id = CTL_HOST}}, // it serves b
		{"pause: all}", 4, {.type = CTL_PAUSE, .id = CTL_HOST}},
		{"mark: \"a, b\"}", 1, {.type = CTL_USER_MARK}},
		{"stop}", 4, {.type = CTL_STOP}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct ctl *first = &told[i].first, *ctl;
		char text[1000];
		struct scene *s;

		snprintf(text, sizeof(text), "%s%s\n", head, told[i].event);
		s = lab(text);
		ctl = &s->event[0].ctl;
		assert_int_equal(s->n_events, told[i].n);
		assert_int_equal(ctl->type, first->type);
		assert_int_equal(ctl->id, first->id);
		assert_int_equal(ctl->a, first->a);
		assert_int_equal(ctl->b, first->b);
		if (ctl->type == CTL_USER_MARK)
			assert_string_equal(ctl->with, "a, b");
		scene_free(s);
	}
}

// Of a queue pair: to each that the RDMA IP has there, or to the one that is named.
static void a_register_is_written(void **state)
{
	struct scene *s =
		lab("controls: {ip: {profile: rdma_ip}}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS
				LAB_LINKS
		    "flows: {a: {from: h1..2, to: r, qps: 2, control: ip}, b: {from: h1, to: r}}\n"
		    "events:\n- {at: 1us, reg: {node: h1..2, name: dcqcn_rate_ai, value: 0x20}}\n"
		    "- {at: 2us, reg: {node: h1, name: CC_RATE_MEM, value: 512}}\n"
		    "- {at: 3us, reg: {node: h1, qp: 2, name: alpha, value: 7}}\n");

	(void)state;
	assert_int_equal(s->n_events, 2 + 2 + 1);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(s->event[i].ctl.type, CTL_REG);
		assert_int_equal(s->event[i].ctl.id, 0x200208);
		assert_int_equal(s->event[i].ctl.lsb, 0);
		assert_int_equal(s->event[i].ctl.width, 16);
		assert_int_equal(s->event[i].ctl.a, 32);
		assert_int_equal(s->event[2 + i].ctl.id, 0x600028 + 0x100 * i);
		assert_int_equal(s->event[2 + i].ctl.width, 64);
	}
	assert_int_equal(s->event[1].node, scene_node(s, "h2"));
	assert_int_equal(s->event[3].node, scene_node(s, "h1"));
	assert_int_equal(s->event[4].ctl.id, 0x600110);
	scene_free(s);
	lab_refuse(EVENTS("{at: 1us, reg: {node: h1, name: alpha, value: 1}}"),
		"lab.yaml:6:32: host 'h1' sends nothing with a control of profile rdma_ip");
	lab_refuse(EVENTS("{at: 1us, reg: {node: h1, name: alphb, value: 1}}"),
		"lab.yaml:6:42: the RDMA IP has no register 'alphb'; did you mean 'alpha'?");
	lab_refuse(EVENTS("{at: 1us, reg: {node: h1, value: 1}}"), "lab.yaml:6:");
}

static void a_storm_has_an_end(void **state)
{
	struct scene *s =
		lab(EVENTS("{at: 10us, pfc_storm: {port: \"r:s1\", class: 4, quanta: 100, for: "
			   "20us}}"));
	const struct scene_event *e = &s->event[0];

	(void)state;
	assert_int_equal(e->node, scene_node(s, "r"));
	assert_int_equal(e->ctl.type, CTL_PFC_STORM);
	assert_int_equal(e->ctl.cls, 4);
	assert_int_equal(e->ctl.quanta, 100);
	assert_int_equal(e->ctl.a, 30 * PS_PER_US);
	scene_free(s);
	lab_refuse(EVENTS("{at: 10us, pfc_storm: {port: \"r:s1\"}}"),
		"lab.yaml:6:32: 'for' is missing in this pfc_storm");
}

static void storms_come_again(void **state)
{
	struct scene *s =
		lab(EVENTS("{at: 10us, pfc_storm: {port: \"r:s1\", for: 20us, every: 50us, "
			   "count: 3}}, {at: 60us, fdb_flush: s1}"));

	(void)state;
	assert_int_equal(s->n_events, 4);
	for (unsigned i = 0; i < 3; i++) {
		const struct scene_event *e = &s->event[i + (i == 2)];

		assert_int_equal(e->at, (10 + 50 * i) * PS_PER_US);
		assert_int_equal(e->ctl.a, (30 + 50 * i) * PS_PER_US);
	}
	scene_free(s);
	lab_refuse(EVENTS("{at: 10us, pfc_storm: {port: \"r:s1\", for: 20us, count: 3}}"),
		"lab.yaml:6:65: a storm ends before the next begins");
	lab_refuse(
		EVENTS("{at: 10us, pfc_storm: {port: \"r:s1\", for: 20us, every: 20us, count: 3}}"),
		"lab.yaml:6:78: a storm ends before the next begins");
}

static void a_weight_is_of_a_queue_of_a_switch(void **state)
{
	struct scene *s =
		lab(EVENTS("{at: 1us, dwrr_weight: {port: \"s1:h2\", queue: 4, weight: 7}}, "
			   "{at: 2us, dwrr_weight: {port: s1, weight: 1000}}"));
	const struct ctl *c = &s->event[0].ctl;

	(void)state;
	assert_int_equal(c->type, CTL_WEIGHT);
	assert_int_equal(c->port, 1);
	assert_int_equal(c->cls, 4);
	assert_int_equal(c->a, 7);
	c = &s->event[1].ctl;
	assert_int_equal(c->port, PKT_NO_PORT);
	assert_int_equal(c->cls, 3);
	assert_int_equal(c->a, 1000);
	scene_free(s);
	lab_refuse(EVENTS("{at: 1us, dwrr_weight: {port: h1, weight: 2}}"),
		"lab.yaml:6:40: 'h1' is a host");
	lab_refuse(EVENTS("{at: 1us, dwrr_weight: {port: s1, queue: 6, weight: 2}}"),
		"lab.yaml:6:33: queue 6 of 's1' is strict");
	lab_refuse(EVENTS("{at: 1us, dwrr_weight: {port: s1}}"),
		"lab.yaml:6:33: 'weight' is missing in this dwrr_weight");
}

static void a_watchdog_may_wait(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: {buffer: 4MB, pfc_watchdog: {enable: "
		    "false}, classes: {3: {lossless: true}}}}\n" LAB_HOSTS LAB_LINKS LAB_FLOWS
		    "events: [{at: 1us, pfcwd_start: s1}, {at: 2us, pfcwd_stop: \"s1:r\"}]\n");

	(void)state;
	assert_true(s->node[s->event[0].node].u.sw.port[0].wd_off);
	assert_int_equal(s->event[0].ctl.type, CTL_PFCWD_START);
	assert_int_equal(s->event[0].ctl.port, PKT_NO_PORT);
	assert_int_equal(s->event[1].ctl.type, CTL_PFCWD_STOP);
	assert_int_equal(s->event[1].ctl.port, 2);
	scene_free(s);
	lab_refuse(EVENTS("{at: 1us, pfcwd_start: s1}"), "lab.yaml:6:33: 's1' has no pfc_watchdog");
	lab_refuse(EVENTS("{at: 1us, pfcwd_start: h1}"), "lab.yaml:6:33: 'h1' is a host");
}

static void mac_frames_come_from_hosts(void **state)
{
	struct scene *s = lab(EVENTS(
		"{at: 10us, mac_frames: {port: \"r:s1\", classes: [3, 4], quanta: 1000, "
		"zero_source: "
		"true, count: 5}}, {at: 20us, mac_frames: {port: \"h1:s1\", frame: pause, every: "
		"7us, "
		"classes: none}}"));
	const struct ctl *c = &s->event[0].ctl;
	const struct ctl_mac *m = c->with;

	(void)state;
	assert_int_equal(s->event[0].node, scene_node(s, "r"));
	assert_int_equal(c->type, CTL_MAC_FRAMES);
	assert_int_equal(m->kind, PKT_PFC);
	assert_int_equal(m->len, PKT_MIN_LEN);
	assert_int_equal(m->f.enable, 3 << 3);
	assert_int_equal(m->f.quanta[3], 1000);
	assert_memory_equal(m->hdr.src, ((const uint8_t[6]){0}), 6);
	assert_int_equal(c->a, 500 * 20480); // half of 1000 quanta at 25 Gb/s
	assert_int_equal(c->b, 5);
	assert_int_equal(scene_storm_span(s, &s->event[0]), 5 * c->a);
	c = &s->event[1].ctl;
	m = c->with;
	assert_int_equal(m->kind, PKT_PAUSE);
	assert_int_equal(m->f.enable, 0);
	assert_memory_equal(m->hdr.src, s->node[s->event[1].node].port[0].mac, 6);
	assert_int_equal(c->a, 7 * PS_PER_US);
	assert_int_equal(c->b, 1);
	// One frame stops its peer for its pause time, however long the period is.
	assert_int_equal(scene_storm_span(s, &s->event[1]), 65535 * 20480ull);
	scene_free(s);
	lab_refuse(EVENTS("{at: 10us, mac_frames: {port: \"s1:r\"}}"),
		"lab.yaml:6:40: 's1:r' does not send frames made to order");
}

static void mac_frames_have_free_fields(void **state)
{
	struct scene *s = lab(EVENTS(
		"{at: 10us, mac_frames: {port: \"r:s1\", classes: [3, 4], times: {3: 7}, opcode: "
		"0x0202, reserved: 255, to: 02:00:00:00:00:77}}"));
	const struct ctl_mac *m = s->event[0].ctl.with;

	(void)state;
	assert_int_equal(m->kind, PKT_MACCTL);
	assert_int_equal(m->hdr.sport, 0x202);
	assert_int_equal(m->f.enable_high, 255);
	assert_int_equal(m->f.quanta[3], 7);
	assert_int_equal(m->f.quanta[4], 0);
	assert_int_equal(m->hdr.dst[5], 0x77);
	scene_free(s);
	lab_refuse(
		EVENTS("{at: 10us, mac_frames: {port: \"r:s1\", reserved: 256}}"), "lab.yaml:6:");
	lab_refuse(
		EVENTS("{at: 10us, mac_frames: {port: \"r:s1\", times: {8: 1}}}"), "lab.yaml:6:");
}

static void mac_frames_have_lengths_and_follow_each_other(void **state)
{
	struct scene *s = lab(EVENTS(
		"{at: 10us, mac_frames: {port: \"r:s1\", length: 1000, every: line, count: 3}}, "
		"{at: 20us, mac_frames: {port: \"r:s1\", every: line}}"));
	const struct ctl *c = &s->event[0].ctl;

	(void)state;
	assert_int_equal(((const struct ctl_mac *)c->with)->len, 996);
	assert_int_equal(c->a, 1020 * 8 * 40); // of frame, preamble and gap at 25 Gb/s
	assert_int_equal(s->event[1].ctl.a, 84 * 8 * 40);
	assert_ptr_not_equal(c->with, s->event[1].ctl.with);
	scene_free(s);
	lab_refuse(EVENTS("{at: 10us, mac_frames: {port: \"r:s1\", length: 9300}}"),
		"lab.yaml:6:56: frames of 9300 bytes do not pass 'r:s1', whose longest frame has");
	lab_refuse(EVENTS("{at: 10us, mac_frames: {port: \"r:s1\", length: 37}}"), "lab.yaml:6:");
	lab_refuse(EVENTS("{at: 10us, mac_frames: {port: \"r:s1\", every: wire}}"), "lab.yaml:6:");
}

static void a_pulse_is_xoff_and_xon(void **state)
{
	struct scene *s = lab(EVENTS(
		"{at: 10us, pulse: {port: \"r:s1\", classes: [3, 4], quanta: 1000, for: 20us}}"));

	(void)state;
	assert_int_equal(s->n_events, 2);
	assert_int_equal(s->event[0].at, 10 * PS_PER_US);
	assert_int_equal(s->event[0].ctl.type, CTL_MAC_FRAMES);
	assert_int_equal(s->event[0].ctl.b, 1);
	assert_int_equal(s->event[1].at, 30 * PS_PER_US);
	for (unsigned i = 0; i < 2; i++) {
		const struct ctl_mac *m = s->event[i].ctl.with;

		assert_int_equal(m->f.enable, 3 << 3);
		assert_int_equal(m->f.quanta[3], i ? 0 : 1000);
		assert_int_equal(scene_storm_span(s, &s->event[i]), 20 * PS_PER_US);
	}
	scene_free(s);
	lab_refuse(EVENTS("{at: 10us, pulse: {port: \"r:s1\", quanta: 1000, for: 21us}}"),
		"lab.yaml:6:62: a pulse sends XOFF once, and 1000 quanta last for 20.480 us here");
	lab_refuse(
		EVENTS("{at: 10us, pulse: {port: \"r:s1\"}}"), "lab.yaml:6:28: 'for' is missing");
	lab_refuse(EVENTS("{at: 10us, pulse: {port: \"s1:r\", for: 2us}}"),
		"lab.yaml:6:35: 's1:r' does not send frames made to order");
}

static void a_flush_is_of_a_switch_or_a_port(void **state)
{
	struct scene *s = lab(EVENTS("{at: 1us, fdb_flush: s1}, {at: 2us, fdb_flush: \"s1:h2\"}"));

	(void)state;
	assert_int_equal(s->event[0].ctl.port, PKT_NO_PORT);
	assert_int_equal(s->event[1].ctl.port, 1);
	scene_free(s);
	lab_refuse(EVENTS("{at: 1us, fdb_flush: h1}"), "lab.yaml:6:31: 'h1' is a host");
}

static void wrong_events_are_told(void **state)
{
	struct scene *s = lab(EVENTS("{at: 2ms, fdb_flush: s1}"));

	(void)state;
	assert_true(lab_warns(s, "never happens"));
	scene_free(s);
	lab_refuse(EVENTS("{at: 1us}"), "lab.yaml:6:10: an event has `at` and one action");
	lab_refuse(EVENTS("{at: 1us, fdb_flush: s1, link_up: \"s1:r\"}"),
		"lab.yaml:6:10: an event has");
	lab_refuse(EVENTS("{fdb_flush: s1}"), "lab.yaml:6:10: 'at' is missing in this event");
	lab_refuse(EVENTS("{at: 1us, link_down: s1}"), "lab.yaml:6:31: 's1' is no port");
	lab_refuse(EVENTS("{at: 1us, flow_start: x}"), "lab.yaml:6:32: there is no flow 'x'");
	lab_refuse(EVENTS("{at: 1us, explode: x}"),
		"lab.yaml:6:20: unknown key 'explode' in an event");
	lab_refuse(EVENTS("x"), "lab.yaml:6:10: an event is a map of options");
}

// A port sends frames of one event at a time.
static void frames_that_end_others_are_said(void **state)
{
	static const struct {
		const char *events;
		bool warned;
	} t[] = {
		{"[{at: 1us, mac_frames: {port: h1:s1, count: 3, every: 2us}}, "
		 "{at: 6us, mac_frames: {port: h1:s1}}]",
			false},
		{"[{at: 1us, mac_frames: {port: h1:s1, count: 3, every: 2us}}, "
		 "{at: 5us, mac_frames: {port: h1:s1}}]",
			true},
		{"[{at: 5us, mac_frames: {port: h1:s1}}, "
		 "{at: 1us, mac_frames: {port: h1:s1, count: 3, every: 2us}}]",
			true},
		{"[{at: 1us, mac_frames: {port: h1:s1, count: 3, every: 2us}}, "
		 "{at: 5us, mac_frames: {port: h2:s1}}]",
			false},
		{"[{at: 1us, pulse: {port: h1:s1, for: 3us}}, "
		 "{at: 5us, pulse: {port: h1:s1, for: 3us}}]",
			false},
		{"[{at: 1us, pulse: {port: h1:s1, for: 3us}}, "
		 "{at: 2us, mac_frames: {port: h1:s1}}]",
			false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct scene *s = lab_with(LAB, "events", t[i].events);

		if (lab_warns(s, "has sent all of its frames, and ends it") != t[i].warned)
			fail_msg("%s", t[i].events);
		scene_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_end_others_are_said),
		cmocka_unit_test(a_link_has_two_ends),
		cmocka_unit_test(a_flow_is_all_its_queue_pairs),
		cmocka_unit_test(senders_are_told),
		cmocka_unit_test(a_register_is_written),
		cmocka_unit_test(a_storm_has_an_end),
		cmocka_unit_test(storms_come_again),
		cmocka_unit_test(a_weight_is_of_a_queue_of_a_switch),
		cmocka_unit_test(a_watchdog_may_wait),
		cmocka_unit_test(mac_frames_come_from_hosts),
		cmocka_unit_test(mac_frames_have_free_fields),
		cmocka_unit_test(mac_frames_have_lengths_and_follow_each_other),
		cmocka_unit_test(a_pulse_is_xoff_and_xon),
		cmocka_unit_test(a_flush_is_of_a_switch_or_a_port),
		cmocka_unit_test(wrong_events_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
