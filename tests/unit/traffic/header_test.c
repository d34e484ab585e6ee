// SPDX-License-Identifier: BSD-3-Clause
// Tests of header fields that flows say: TTL, UDP source port, PSN, and codepoints of ACKs and
// CNPs.
#include "scene_lab.h"

#include "wire/bth.h"

#define FLOW(text) "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "flows: {f: {" text "}}\n"

static void a_flow_says_its_headers(void **state)
{
	struct scene *s = lab(FLOW("from: h1, to: r, ttl: 5, udp_sport: 4791, psn: 0xfffffe, "
				   "ack_dscp: 46, ack_ecn: ect1, cnp_ecn: not_ect"));
	const struct scene_flow *f = s->flow[0];
	const struct hdr *all[] = {&f->hdr_data, &f->hdr_ack, &f->hdr_cnp};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(all[i]->ttl, 5);
		assert_int_equal(all[i]->sport, 4791);
		assert_int_equal(all[i]->dport, BTH_UDP_PORT);
	}
	assert_int_equal(f->req.psn, 0xfffffe);
	assert_int_equal(f->rsp.psn, 0xfffffe);
	assert_int_equal(f->rsp.ack_tos, 46 << 2 | ECN_ECT1);
	assert_true(f->rsp.has_cnp_ecn);
	assert_int_equal(f->rsp.cnp_ecn, ECN_NOT_ECT);
	scene_number(s, 4711);
	assert_int_equal(f->req.psn, 0xfffffe); // a run that draws its numbers leaves it
	scene_free(s);
}

// Without the keys headers are as ever.
static void a_flow_that_says_nothing_has_the_usual_ones(void **state)
{
	struct scene *s = lab(FLOW("from: h1, to: r"));
	const struct scene_flow *f = s->flow[0];

	(void)state;
	assert_int_equal(f->hdr_data.ttl, 64);
	assert_int_equal(f->hdr_data.sport, bth_source_port(17, 17));
	assert_int_equal(f->rsp.ack_tos, 48 << 2);
	assert_false(f->rsp.has_cnp_ecn);
	assert_false(f->psn_given);
	scene_free(s);
}

// The queue pairs of a row take the ports of a range in turn; the next row begins anew.
static void a_range_of_source_ports_is_taken_in_turn(void **state)
{
	struct scene *s =
		lab("duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		    "flows:\n  a: {from: h1..2, to: r, qps: 2, udp_sport: 100..102}\n"
		    "  b: {from: h1, to: r, udp_sport: 100..102}\n"
		    "  c: {from: h1..2, to: r, open_loop: {}, udp_sport: 7..8, ttl: 9}\n");
	static const uint16_t want[] = {100, 101, 102, 100, 100};

	(void)state;
	assert_int_equal(s->n_flows, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(s->flow[i]->hdr_data.sport, want[i]);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(s->source[i]->hdr.sport, 7 + i);
		assert_int_equal(s->source[i]->hdr.ttl, 9);
	}
	scene_free(s);
}

// Each message of the load has a queue pair of its own, and all of them are one row.
static void messages_of_a_load_take_the_ports_in_turn(void **state)
{
	struct scene *s = lab(FLOW("from: h1..2, to: r, sizes: 10KB, load: 20%, qps: per_message, "
				   "udp_sport: 100..103, psn: 9"));

	(void)state;
	assert_true(s->n_flows > 100);
	for (unsigned i = 0; i < s->n_flows; i++) {
		assert_int_equal(s->flow[i]->hdr_ack.sport, 100 + i % 4);
		assert_int_equal(s->flow[i]->req.psn, 9);
	}
	scene_free(s);
}

static void fields_that_no_frame_has_are_refused(void **state)
{
	(void)state;
	lab_refuse(FLOW("from: h1, to: r, open_loop: {raw: true}, ttl: 5"),
		"lab.yaml:5:59: flow 'f' is raw, so its frames have no IP header for `ttl`; drop "
		"one");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {raw: true}, udp_sport: 5"),
		"lab.yaml:5:65: flow 'f' is raw, so its frames have no IP header for `udp_sport`; "
		"drop one");
	lab_refuse(FLOW("from: h1, to: r, verb: read, ack_ecn: ect0"),
		"lab.yaml:5:51: flow 'f' is a READ, whose data are not acknowledged; drop "
		"ack_ecn");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {}, psn: 5"),
		"lab.yaml:5:45: 'psn' belongs to queue pairs, this flow is open_loop; drop one");
	lab_refuse(FLOW("from: h1, to: r, ttl: 0"),
		"lab.yaml:5:35: ttl: 0 is out of range; it can be 1..255");
	lab_refuse(FLOW("from: h1, to: r, udp_sport: 9..8"),
		"lab.yaml:5:41: udp_sport: 9..8 runs backwards; write the smaller end first");
	lab_refuse(FLOW("from: h1, to: r, udp_sport: 65535..65536"),
		"lab.yaml:5:41: udp_sport: 65535..65536 is out of range; it can be 1..65535");
	lab_refuse(FLOW("from: h1, to: r, cnp_ecn: both"),
		"lab.yaml:5:39: cnp_ecn: 'both' is not right; write one of not_ect, ect1, ect0, "
		"ce");
}

#define PEER(text)                                                                   \
	"duration: 1ms\n" LAB_LOSSLESS "hosts: {h: , r: {external: true}}\n"         \
	"links: [{between: [[h, r], s1]}]\nports: {\"s1:r\": {device: net_null0}}\n" \
	"flows: {f: {" text "}}\n"

static void an_external_host_makes_its_own_headers(void **state)
{
	(void)state;
	lab_refuse(PEER("from: h, to: r, peer: {qpn: 9}, cnp_ecn: ect1"),
		"lab.yaml:6:54: flow 'f': r is external and makes the ACKs and CNPs itself; set it "
		"there, and drop cnp_ecn");
	lab_refuse(PEER("from: h, to: r, peer: {port: 9}, ack_dscp: 3"),
		"lab.yaml:6:56: flow 'f': r is external and makes the ACKs and CNPs itself; set it "
		"there, and drop ack_dscp");
	lab_refuse(PEER("from: r, to: h, peer: {qpn: 9}, udp_sport: 77"),
		"lab.yaml:6:56: flow 'f': r is external and sends the data; it chooses its source "
		"port and QPN itself (peer: {qpn: N} tells the QPN), so drop udp_sport");
	lab_refuse(PEER("from: r, to: h, peer: {qpn: 9}, src_qpn: 77"),
		"lab.yaml:6:54: flow 'f': r is external and sends the data; it chooses its source "
		"port and QPN itself (peer: {qpn: N} tells the QPN), so drop src_qpn");
	lab_refuse(PEER("from: h, to: r, peer: {qpn: 9}, psn: 7"),
		"lab.yaml:6:50: flow 'f' has an external end, which was told the first PSN; write "
		"it as peer: {psn: N}");
	lab_refuse(PEER("from: r, to: h, peer: {port: 9}, psn: 7"),
		"lab.yaml:6:51: flow 'f': the external host connects and says its first PSN; drop "
		"psn");
}

static void lanes_take_no_given_qpns(void **state)
{
	(void)state;
	lab_refuse("duration: 1ms\n" LAB_LOSSLESS "hosts: {h1: {lcores: 2}, h2: , r: }\n" LAB_LINKS
		   "flows: {f: {from: h1, to: r, src_qpn: 7}}\n",
		"lab.yaml:5:39: flow 'f': h1 has 2 lcores, which share its queue pairs by their "
		"QPNs; drop src_qpn, or lcores");
}

// What our end makes may be said: TTL of all, the source port of its data, the PSN of its requests.
static void our_end_makes_its_headers(void **state)
{
	struct scene *s =
		lab(PEER("from: h, to: r, peer: {port: 9}, psn: 7, udp_sport: 77, src_qpn: 7, "
			 "ttl: 3"));

	(void)state;
	assert_int_equal(s->flow[0]->req.psn, 7);
	assert_int_equal(s->flow[0]->req.qpn, 7);
	assert_int_equal(s->flow[0]->hdr_data.sport, 77);
	scene_free(s);
	s = lab(PEER("from: r, to: h, peer: {qpn: 9, psn: 4}, ack_dscp: 3, cnp_ecn: ect1, ttl: 3"));
	assert_int_equal(s->flow[0]->rsp.psn, 4);
	assert_int_equal(s->flow[0]->rsp.ack_tos, 3 << 2);
	assert_int_equal(s->flow[0]->hdr_cnp.ttl, 3);
	scene_free(s);
	s = lab(PEER("from: r, to: h, verb: read, peer: {port: 9}, udp_sport: 78"));
	assert_int_equal(s->flow[0]->hdr_data.sport, 78);
	scene_free(s);
	s = lab(PEER("from: h, to: r, verb: read, peer: {port: 9}, psn: 1"));
	assert_int_equal(s->flow[0]->rsp.psn, 1);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_says_its_headers),
		cmocka_unit_test(a_flow_that_says_nothing_has_the_usual_ones),
		cmocka_unit_test(a_range_of_source_ports_is_taken_in_turn),
		cmocka_unit_test(messages_of_a_load_take_the_ports_in_turn),
		cmocka_unit_test(fields_that_no_frame_has_are_refused),
		cmocka_unit_test(an_external_host_makes_its_own_headers),
		cmocka_unit_test(lanes_take_no_given_qpns),
		cmocka_unit_test(our_end_makes_its_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
