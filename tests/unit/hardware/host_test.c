// SPDX-License-Identifier: BSD-3-Clause
// Hosts: addresses, notification point, receive buffer, replay of a capture.
#include "scene_lab.h"

#define HOST(text) \
	"duration: 1ms\n" LAB_LOSSLESS "hosts: {h1..2: , r: " text "}\n" LAB_LINKS LAB_FLOWS

static void a_host_has_sensible_values(void **state)
{
	struct scene *s = lab(LAB);
	const struct scene_node *n = lab_node(s, "h2");
	const struct nic_params *p = &n->u.nic;
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 2}, ip[4] = {10, 0, 0, 2};

	(void)state;
	assert_int_equal(n->kind, SCENE_NIC);
	assert_memory_equal(n->mac, mac, 6);
	assert_memory_equal(p->mac, mac, 6);
	assert_memory_equal(n->ip, ip, 4);
	assert_false(n->ipv6);
	assert_int_equal(p->rate, 25 * RATE_GBPS);
	assert_int_equal(p->mtu, 1514);
	assert_int_equal(p->strict, 1 << 6);
	assert_int_equal(p->weight[3], 1);
	assert_int_equal(p->pfc_classes, 1 << 3);
	assert_int_equal(p->cnp_class, 6);
	assert_int_equal(p->cnp_tos, 0xc2);
	assert_int_equal(p->np.mode, NP_WINDOW);
	assert_int_equal(p->np.interval_ps, 50 * PS_PER_US);
	assert_int_equal(p->max_qps, 1);
	assert_int_equal(lab_node(s, "r")->u.nic.max_qps, 2);
	assert_int_equal(p->rxbuf.drain_rate, 0);
	assert_false(p->cnflag);
	assert_false(p->pfc_ignore);
	scene_free(s);
}

static void a_host_takes_every_value(void **state)
{
	struct scene *s = lab(
		HOST("{mac: \"02:00:00:00:aa:01\", ip: \"10.1.0.1\", np: {interval: 4us, mode: "
		     "next_marked, key: dst_ip, cnps_per_s: 20000, with_nak: true}, cnp_class: 5, "
		     "cnp_dscp: 3, weights: {3: 4}, strict: [5, 7], "
		     "latency: 1us, lcore: 4, pfc_honour: false, pause_honour: true, "
		     "new_pairs: next, live_pairs: 40, "
		     "rp_scope: priority}"));
	const struct scene_node *n = lab_node(s, "r");

	(void)state;
	assert_int_equal(n->mac[4], 0xaa);
	assert_int_equal(n->ip[1], 1);
	assert_int_equal(n->u.nic.np.mode, NP_NEXT_MARKED);
	assert_int_equal(n->u.nic.np.interval_ps, 4 * PS_PER_US);
	assert_int_equal(n->u.nic.np.key, NP_KEY_DST_IP);
	assert_int_equal(n->u.nic.np.cnps_per_s, 20000);
	assert_true(n->u.nic.np.with_nak);
	assert_int_equal(n->u.nic.cnp_class, 5);
	assert_int_equal(n->u.nic.cnp_tos, 3 << 2 | ECN_ECT0);
	assert_int_equal(n->u.nic.weight[3], 4);
	assert_int_equal(n->u.nic.strict, 0xa0);
	assert_int_equal(n->latency, PS_PER_US);
	assert_int_equal(n->lcore, 4);
	assert_true(n->u.nic.pfc_ignore);
	assert_true(n->u.nic.pause_honour);
	assert_true(n->u.nic.rp_by_class);
	assert_true(n->u.nic.new_next);
	assert_int_equal(n->u.nic.live_pairs, 40);
	assert_int_equal(s->flow[0]->req.ack_cls, 5);
	scene_free(s);
}

// CE in any RC queue pair is answered: a receiver does not know what its senders make of a CNP.
static void only_mode_off_silences_a_notification_point(void **state)
{
	static const char *const answering[] = {LAB, HOST("{np: {interval: 4us}}"),
		"controls: {c: }\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		"flows: {f: {from: h1, to: r, control: c}}\n",
		"controls: {c: {qcn: {}}}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		"flows: {f: {from: h1, to: r, control: c}}\n"};
	struct scene *s = lab(HOST("{np: {mode: off}}"));

	(void)state;
	assert_true(lab_node(s, "r")->u.nic.np_off);
	scene_free(s);
	for (unsigned i = 0; i < sizeof(answering) / sizeof(answering[0]); i++) {
		s = lab(answering[i]);
		assert_false(lab_node(s, "r")->u.nic.np_off);
		assert_false(lab_node(s, "h1")->u.nic.np_off);
		scene_free(s);
	}
}

static void a_receive_buffer_is_checked(void **state)
{
	struct scene *s = lab(HOST("{rx_buffer: {drain_rate: 40%, size: 500KB, xoff: 300KB}}"));
	const struct nic_rxbuf_params *b = &lab_node(s, "r")->u.nic.rxbuf;

	(void)state;
	assert_int_equal(b->drain_rate, 10 * RATE_GBPS);
	assert_int_equal(b->size_bytes, 500000);
	assert_int_equal(b->xoff_bytes, 300000);
	assert_int_equal(b->xon_bytes, 297000);
	scene_free(s);
	lab_refuse(HOST("{rx_buffer: {xoff: 300KB, xon: 300KB}}"),
		"lab.yaml:3:52: xon 300KB is not below xoff 300KB");
	lab_refuse(HOST("{rx_buffer: {xoff: 2MB}}"),
		"lab.yaml:3:40: xoff 2MB is above the buffer's size 1MB");
	lab_refuse(HOST("{rx_buffer: {xon: 3KB}}"), "lab.yaml:3:39: xon without xoff");
	lab_refuse(HOST("{rx_buffer: {drain_rate: 0.0001%}}"),
		"lab.yaml:3:46: 0.0001% of 25Gbps is slower than 100Kbps");
}

static void a_max_rate_is_a_rate_or_a_share(void **state)
{
	struct scene *s = lab("duration: 1ms\n" LAB_LOSSLESS
			      "hosts: {h1: {max_rate: 40%}, h2: {max_rate: 3Gbps}, r: {max_rate: "
			      "1Gbps}}\nports: {\"r:s1\": {max_rate: none}, \"h2:s1\": "
			      "{max_rate: 20%}}\n" LAB_LINKS LAB_FLOWS);

	(void)state;
	assert_int_equal(lab_node(s, "h1")->u.nic.max_rate, 10 * RATE_GBPS);
	assert_int_equal(lab_node(s, "h2")->u.nic.max_rate, 5 * RATE_GBPS);
	assert_int_equal(lab_node(s, "r")->u.nic.max_rate, 0);
	scene_free(s);
	lab_refuse(HOST("{max_rate: 0.0001%}"),
		"lab.yaml:3:32: 0.0001% of 25Gbps is slower than 100Kbps");
	lab_refuse("duration: 1ms\nhosts: {a: {replay: {file: none}, max_rate: 1Gbps}, b: }\n"
		   "links: [{between: [a, b]}]\n",
		"lab.yaml:2:45: host 'a' replays a capture and is in no flow, so its replay's "
		"speed is its rate; drop max_rate");
}

static void a_host_has_maps_of_its_own(void **state)
{
	struct scene *s = lab(HOST("{queue_map: {3..4: 1}, dscp_map: {0..7: 2, 26: 4}, pcp_map: "
				   "{3: 5}, trust: pcp}"));
	const struct nic_params *p = &lab_node(s, "r")->u.nic;

	(void)state;
	assert_true(p->mapped);
	assert_int_equal(p->queue_map[2], 2);
	assert_int_equal(p->queue_map[3], 1);
	assert_int_equal(p->queue_map[4], 1);
	assert_int_equal(p->maps.trust, NIC_TRUST_PCP);
	assert_int_equal(p->maps.dscp_to_class[7], 2);
	assert_int_equal(p->maps.dscp_to_class[8], 1);
	assert_int_equal(p->maps.dscp_to_class[26], 4);
	assert_int_equal(p->maps.pcp_to_class[3], 5);
	assert_int_equal(p->maps.pcp_to_class[4], 4);
	assert_int_equal(lab_node(s, "h1")->u.nic.maps.trust, NIC_TRUST_SENDER);
	scene_free(s);
	s = lab(HOST("{dscp_map: {26: 4}}"));
	assert_int_equal(lab_node(s, "r")->u.nic.maps.trust, NIC_TRUST_DSCP);
	scene_free(s);
	lab_refuse(HOST("{queue_map: {8: 4}}"), "lab.yaml:3:");
}

static void addresses_differ(void **state)
{
	(void)state;
	lab_refuse(HOST("{mac: \"02:00:00:00:00:01\"}"),
		"lab.yaml:3:18: hosts 'h1' and 'r' have the same mac");
	lab_refuse(HOST("{ip: 10.0.0.2}"), "lab.yaml:3:18: hosts 'h2' and 'r' have the same ip");
	lab_refuse(HOST("{ip: \"fd00::1\"}"),
		"lab.yaml:5:9: flow 'incast': one of h1 and r has an IPv6 address, the other IPv4");
}

#define REPLAY(text)                                                 \
	"duration: 1ms\nswitches: {s1: }\nhosts: {a: {replay: " text \
	"}, b: {replay: {file: none}}}\n"                            \
	"links: [{between: [[a, b], s1], rate: 10Gbps}]\n"

static void a_capture_is_read(void **state)
{
	struct scene *s = lab(REPLAY(
		"{file: " TEST_DATA "/rc_write_only_ipv4.pcap, loops: 3, start: 5us, gap: 2us}"));
	const struct scene_node *a = lab_node(s, "a"), *b = lab_node(s, "b");

	(void)state;
	assert_int_equal(a->kind, SCENE_REPLAY);
	assert_string_equal(a->replay->play.path[0], TEST_DATA "/rc_write_only_ipv4.pcap");
	assert_int_equal(a->replay->player.frames, 1);
	assert_int_equal(a->replay->player.loops, 3);
	assert_int_equal(a->u.replay.play.start, 5 * PS_PER_US);
	assert_int_equal(a->u.replay.play.gap, 2 * PS_PER_US);
	assert_int_equal(a->u.replay.rate, 10 * RATE_GBPS);
	assert_int_equal(b->kind, SCENE_REPLAY);
	assert_null(b->replay);
	assert_true(s->needs_bytes);
	assert_true(s->max_frame >= a->replay->scan->longest);
	scene_free(s);
	lab_refuse(REPLAY("{file: /nowhere.pcap}"), "lab.yaml:3:28: /nowhere.pcap");
	lab_refuse(REPLAY("{loops: 1}"), "lab.yaml:3:21: 'file' is missing in this replay");
}

#define CAPTURE "file: " TEST_DATA "/rc_write_only_ipv4.pcap"

// Refused, wherever on the line it stands.
static void refused(const char *yaml, const char *why)
{
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, yaml, NULL), -EINVAL);
	if (!strstr(lab_err.text, why))
		fail_msg("\"%s\" lacks \"%s\"", lab_err.text, why);
}

static void paces(void **state)
{
	struct scene *s = lab(REPLAY("{" CAPTURE ", speed: 2.5x}"));

	(void)state;
	assert_int_equal(lab_node(s, "a")->replay->play.pace, CAP_RECORDED);
	assert_int_equal(lab_node(s, "a")->replay->play.speed, 2500000);
	scene_free(s);
	s = lab(REPLAY("{" CAPTURE ", speed: 1Mpps, loops: 3}"));
	assert_int_equal(lab_node(s, "a")->replay->play.pace, CAP_FRAMES);
	assert_int_equal(lab_node(s, "a")->replay->play.frames_per_s, 1000000);
	assert_int_equal(lab_node(s, "a")->replay->player.gap, PS_PER_US);
	scene_free(s);
	s = lab(REPLAY("{" CAPTURE ", speed: 5Gbps}"));
	assert_int_equal(lab_node(s, "a")->replay->play.pace, CAP_BITS);
	assert_int_equal(lab_node(s, "a")->replay->play.rate, 5 * RATE_GBPS);
	scene_free(s);
	s = lab(REPLAY("{" CAPTURE ", speed: top}"));
	assert_int_equal(lab_node(s, "a")->replay->play.pace, CAP_TOP);
	assert_true(lab_node(s, "a")->replay->player.untimed);
	scene_free(s);
	refused(REPLAY("{" CAPTURE ", speed: fast}"), "'fast' is no speed; it is 1x");
	refused(REPLAY("{" CAPTURE ", speed: 0x}"), "'0x' is no speed");
	refused(REPLAY("{" CAPTURE ", speed: 0pps}"), "'0pps' is no speed");
	refused(REPLAY("{" CAPTURE ", speed: 1Kbps}"), "'1Kbps' is no speed");
}

#define REWRITE(rule) REPLAY("{" CAPTURE ", rewrite: [" rule "]}")

static void rewriting(void **state)
{
	struct scene *s = lab(REWRITE("{field: vlan, to: 7}, {field: dst_qpn, to: 9}"));
	const struct cap_play_params *p = &lab_node(s, "a")->replay->play;

	(void)state;
	assert_int_equal(p->n_rules, 2);
	assert_int_equal(p->rule[0].field, REWRITE_VLAN);
	assert_true(p->rule[0].any);
	assert_int_equal(p->rule[1].to.number, 9);
	assert_int_equal(lab_node(s, "a")->replay->scan->hits[1], 1);
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	s = lab(REWRITE("{field: dscp, from: 63, to: 7}"));
	assert_int_equal(s->n_warnings, 1);
	assert_non_null(strstr(s->warning[0].text,
		"this rewrite of dscp 63 fits no frame of the capture, so it changes nothing; "
		"`quench decode` shows what the frames have"));
	scene_free(s);
	refused(REWRITE("{field: mac, to: 10.0.0.1}"), "'10.0.0.1' is no value of mac");
	refused(REWRITE("{field: mac, to: '-1:0:0:0:0:2'}"), "'-1:0:0:0:0:2' is no value of mac");
	refused(REWRITE("{field: dst_ip, to: 10.0.0}"), "'10.0.0' is no value of dst_ip");
	refused(REWRITE("{field: ip, from: 10.0.0.1, to: \"fd00::1\"}"), "two versions of IP");
	refused(REWRITE("{field: vlan, to: 4095}"), "'4095' is no value of vlan; it is a number");
	refused(REWRITE("{field: dscp, from: 64, to: 1}"), "'64' is no value of dscp");
	refused(REWRITE("{field: ttl, to: 1}"), "ttl");
	refused(REWRITE("{field: dscp}"), "'to' is missing in this rewrite");
}

// A host that also has flows: its NIC sends the capture, and the host is like any other.
static void a_capture_beside_flows(void **state)
{
	struct scene *s = lab(REPLAY("{" CAPTURE ", class: 5}") "flows: {f: {from: a, to: b}}\n");

	(void)state;
	assert_int_equal(lab_node(s, "a")->kind, SCENE_NIC);
	assert_int_equal(lab_node(s, "a")->replay->cls, 5);
	assert_int_equal(lab_node(s, "b")->kind, SCENE_NIC);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_has_sensible_values),
		cmocka_unit_test(a_host_takes_every_value),
		cmocka_unit_test(only_mode_off_silences_a_notification_point),
		cmocka_unit_test(a_receive_buffer_is_checked),
		cmocka_unit_test(a_max_rate_is_a_rate_or_a_share),
		cmocka_unit_test(a_host_has_maps_of_its_own),
		cmocka_unit_test(addresses_differ),
		cmocka_unit_test(a_capture_is_read),
		cmocka_unit_test(paces),
		cmocka_unit_test(rewriting),
		cmocka_unit_test(a_capture_beside_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
