// SPDX-License-Identifier: BSD-3-Clause
// Numbers, headers and parameters of queue pairs and open-loop sources.
#include "scene_lab.h"
#include "wire/bth.h"

#define FLOW(text) "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "flows: {f: {" text "}}\n"

static void numbers_meet_at_both_ends(void **state)
{
	struct scene *s = lab(FLOW("from: h1..2, to: r, qps: 2"));

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct scene_flow *f = s->flow[i];

		assert_int_equal(f->src_qp, 1 + i % 2);
		assert_int_equal(f->dst_qp, 1 + i);
		assert_int_equal(f->req.flow, i);
		assert_int_equal(f->rsp.flow, i);
		assert_true(f->req.requester);
		assert_false(f->rsp.requester);
		// On the wire 0 and 1 are not ours: the first is 17.
		assert_int_equal(f->req.qpn, 16 + f->src_qp);
		assert_int_equal(f->req.peer_qpn, 16 + f->dst_qp);
		assert_int_equal(f->rsp.qpn, 16 + f->dst_qp);
		assert_int_equal(f->rsp.peer_qpn, 16 + f->src_qp);
		assert_int_equal(f->hdr_data.id, 3 * i + 1);
		assert_int_equal(f->hdr_ack.id, 3 * i + 2);
		assert_int_equal(f->hdr_cnp.id, 3 * i + 3);
		assert_ptr_equal(f->req.data_hdr, &f->hdr_data);
		assert_ptr_equal(f->rsp.ack_hdr, &f->hdr_ack);
		assert_ptr_equal(f->rsp.cnp_hdr, &f->hdr_cnp);
		assert_null(f->rsp.rp);
	}
	assert_int_equal(lab_node(s, "r")->u.nic.qpn_base, 16);
	assert_int_equal(s->n_hdrs, 12);
	scene_free(s);
}

static void headers_point_both_ways(void **state)
{
	struct scene *s = lab(FLOW("from: h2, to: r"));
	const struct hdr *d = &s->flow[0]->hdr_data, *a = &s->flow[0]->hdr_ack;

	(void)state;
	assert_memory_equal(d->src, lab_node(s, "h2")->mac, 6);
	assert_memory_equal(d->dst, lab_node(s, "r")->mac, 6);
	assert_memory_equal(d->saddr, lab_node(s, "h2")->ip, 4);
	assert_memory_equal(d->daddr, lab_node(s, "r")->ip, 4);
	assert_int_equal(d->dport, 4791);
	assert_int_equal(d->proto, 17);
	assert_int_equal(d->ethertype, 0x0800);
	assert_int_equal(d->flags, HDR_IPV4);
	// QPNs 17 and 17: standards.md 3.1 gives 0xc000 | 17 * 17, both ways.
	assert_int_equal(d->sport, 0xc121);
	assert_int_equal(a->sport, 0xc121);
	assert_memory_equal(a->src, d->dst, 6);
	assert_memory_equal(a->daddr, d->saddr, 4);
	scene_free(s);
}

static void the_source_port_comes_from_both_numbers(void **state)
{
	struct scene *s = lab("duration: 1ms\nswitches: {s1: }\nhosts: {h1..2: , r: }\n"
			      "links: [{between: [[h1..2, r], s1]}]\n"
			      "flows: {a: {from: h1, to: h2}, b: {from: r, to: h2, qps: 16}, "
			      "c: {from: h1, to: r}, d: {from: h2, to: h1, qps: 15}, "
			      "e: {from: r, to: h1, qps: 1}}\n");
	unsigned found = 0;

	(void)state;
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];

		assert_int_equal(f->hdr_data.sport, bth_source_port(f->req.qpn, f->rsp.qpn));
		if (f->src_qp == 18 && f->dst_qp == 18)
			found++;
	}
	assert_int_equal(found, 1);
	scene_free(s);
}

// One that counts its messages waits for each; an endless one keeps the wire busy meanwhile.
static void outstanding_goes_by_count(void **state)
{
	static const struct {
		const char *text;
		unsigned outstanding;
	} row[] = {{FLOW("from: h1, to: r"), 4}, {FLOW("from: h1, to: r, count: 100"), 1},
		{FLOW("from: h1, to: r, count: 100, outstanding: auto"), 1},
		{FLOW("from: h1, to: r, count: 100, outstanding: 9"), 9}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct scene *s = lab(row[i].text);

		assert_int_equal(s->flow[0]->req.outstanding, row[i].outstanding);
		scene_free(s);
	}
}

// A NIC takes two queue pairs for alike where they refer to the same: those of a flow do, and those
// of the next with the same values.
static void equal_transports_are_compiled_once(void **state)
{
	struct scene *s = lab("duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
			      "flows:\n  a: {from: h1, to: r, qps: 3}\n"
			      "  b: {from: h1, to: r, rate: 1Gbps, qps: 2}\n"
			      "  c: {from: h1, to: r, window: 77}\n");

	(void)state;
	assert_int_equal(s->n_flows, 6);
	for (unsigned i = 0; i < 6; i++) {
		assert_ptr_equal(s->flow[i]->req.rc, s->flow[i]->rc);
		assert_ptr_equal(s->flow[i]->rsp.rc, s->flow[i]->rc);
		assert_int_equal(s->flow[i]->rc == s->flow[0]->rc, i < 5);
	}
	assert_int_equal(s->flow[5]->rc->p.window, 77);
	scene_free(s);
}

static void a_flow_takes_every_value(void **state)
{
	struct scene *s = lab(FLOW(
		"from: h1, to: r, class: 2, verb: send_imm, imm: 4275878552, message: 64KB, "
		"count: 9, outstanding: 3, mtu: 2048, start: 10us, stop: 20us, rate: 20%, window: "
		"77, ack_every: 4, rto: 1ms, retries: none, rnr_retries: 3, ack_class: 5"));
	const struct nic_qp_params *q = &s->flow[0]->req;
	const struct rc_params *rc = &s->flow[0]->rc->p;

	(void)state;
	assert_int_equal(q->cls, 2);
	assert_int_equal(q->message_bytes, 64000);
	assert_int_equal(q->count, 9);
	assert_int_equal(q->outstanding, 3);
	assert_int_equal(q->start, 10 * PS_PER_US);
	assert_int_equal(q->stop, 20 * PS_PER_US);
	assert_int_equal(q->rate_limit, 5 * RATE_GBPS);
	assert_int_equal(q->ack_cls, 5);
	assert_int_equal(q->ack_tos, 40 << 2);
	assert_int_equal(q->ack_len, 0);
	assert_int_equal(q->overhead, 0);
	assert_int_equal(rc->verb, RC_SEND_IMM);
	assert_true(rc->imm_fixed && rc->imm == 0xfedcba98);
	assert_int_equal(rc->mtu, 2048);
	assert_int_equal(rc->window, 77);
	assert_int_equal(rc->ack_every, 4);
	assert_int_equal(rc->rto_ps, PS_PER_MS);
	assert_int_equal(rc->retries, RC_NO_LIMIT);
	assert_int_equal(rc->rnr_retries, 3);
	assert_int_equal(rc->recovery, RC_GO_BACK_N);
	scene_free(s);
	lab_refuse(FLOW("from: h1, to: r, rate: 0.0001%"),
		"lab.yaml:5:36: 0.0001% of 25Gbps is slower than 100Kbps");
}

// Of a READ the data's way is from `to` to `from`, and the limiter is at `to`. Its requests go in
// the class of the data.
static void a_read_goes_the_other_way(void **state)
{
	struct scene *s =
		lab(FLOW("from: h1, to: r, class: 2, verb: read, rd_atomic: 3, message: 3001"));
	const struct scene_flow *f = s->flow[0];

	(void)state;
	assert_string_equal(f->name, "f[r>h1.0]");
	assert_string_equal(s->node[f->from].name, "r");
	assert_string_equal(s->node[f->to].name, "h1");
	assert_int_equal(f->rc->p.verb, RC_READ);
	assert_int_equal(f->rc->p.rd_atomic, 3);
	assert_true(f->req.requester && !f->rsp.requester);
	assert_int_equal(f->rsp.ack_cls, 2);
	assert_memory_equal(f->hdr_data.dst, f->hdr_ack.src, 6);
	scene_free(s);
}

static void a_flow_may_wait_for_an_event(void **state)
{
	struct scene *s = lab(FLOW("from: h1, to: r, start: none"));

	(void)state;
	assert_true(s->flow[0]->req.start == TSTAMP_NEVER);
	assert_true(s->flow[0]->req.stop == TSTAMP_NEVER);
	assert_int_equal(s->flow[0]->req.count, 0);
	scene_free(s);
}

static void framing_hpcc_sim_has_its_sizes(void **state)
{
	struct scene *s =
		lab("framing: hpcc_sim\n" FLOW("from: h1, to: r, mtu: 1000, ack_every: 1"));
	const struct nic_qp_params *q = &s->flow[0]->req;

	(void)state;
	assert_int_equal(q->ack_len, 60);
	assert_int_equal(q->overhead, 48);
	assert_true(q->bare);
	assert_int_equal(s->flow[0]->rc->p.recovery, RC_ANY_ORDER);
	assert_int_equal(s->max_frame, 1048);
	assert_true(lab_node(s, "r")->u.nic.cnflag);
	assert_true(lab_node(s, "r")->u.nic.np_off);
	assert_true(lab_node(s, "r")->u.nic.pause_no_expiry);
	assert_true(lab_node(s, "s1")->u.sw.pause_no_expiry);
	scene_free(s);
}

static void ipv6_is_longer(void **state)
{
	struct scene *s =
		lab("duration: 1ms\nswitches: {s1: }\nhosts: {a: {ip: \"fd00::1\"}, b: {ip: "
		    "\"fd00::2\"}}\nlinks: [{between: [[a, b], s1]}]\n"
		    "flows: {f: {from: a, to: b, mtu: 4096}, g: {from: a, to: b, open_loop: "
		    "{size: 100}}}\n");
	const struct hdr *h = &s->flow[0]->hdr_data;

	(void)state;
	assert_true(lab_node(s, "a")->ipv6);
	assert_int_equal(h->flags, HDR_IPV6);
	assert_int_equal(h->ethertype, 0x86dd);
	assert_int_equal(h->daddr[15], 2);
	assert_int_equal(s->max_frame, 78 + 16 + 4096);
	scene_free(s);
	lab_refuse("duration: 1ms\nswitches: {s1: }\nhosts: {a: {ip: \"fd00::1\"}, b: {ip: "
		   "\"fd00::2\"}}\nlinks: [{between: [[a, b], s1]}]\n"
		   "flows: {g: {from: a, to: b, open_loop: {size: 64}}}\n",
		"lab.yaml:5:40: flow 'g': 64 bytes are too few for its headers; at least 78");
}

static void a_source_takes_every_value(void **state)
{
	struct scene *s = lab(FLOW("from: h1..2, to: r, class: 5, ecn: ect1, dscp: 40, start: 3us, "
				   "open_loop: {size: 64..1518, rate: 5%, burst: 32, count: 100}"));
	const struct gen_params *g = &s->source[1]->gen;

	(void)state;
	assert_int_equal(s->n_flows, 0);
	assert_int_equal(s->n_sources, 2);
	assert_string_equal(s->source[1]->name, "f[h2>r]");
	assert_int_equal(g->source, 1);
	assert_ptr_equal(g->hdr, &s->source[1]->hdr);
	assert_int_equal(g->tos, 40 << 2 | ECN_ECT1);
	assert_int_equal(g->cls, 5);
	assert_int_equal(g->min_len, 60);
	assert_int_equal(g->max_len, 1514);
	assert_int_equal(g->rate, 1250 * RATE_MBPS);
	assert_int_equal(g->burst, 32);
	assert_int_equal(g->count, 100);
	assert_int_equal(g->start, 3 * PS_PER_US);
	assert_int_equal(lab_node(s, "r")->u.nic.max_sources, 2);
	scene_free(s);
}

static void a_source_may_send_imix_and_count_frames(void **state)
{
	struct scene *s = lab(FLOW("from: h1, to: r, open_loop: {size: imix, rate: 2mpps}"));
	const struct gen_params *g = &s->source[0]->gen;

	(void)state;
	assert_true(g->imix);
	assert_int_equal(g->min_len, 60);
	assert_int_equal(g->max_len, 1514);
	assert_int_equal(g->frames_per_s, 2000000);
	assert_int_equal(g->rate, 2000000ull * (7 * 84 + 4 * 614 + 1538) * 8 / 12);
	scene_free(s);
	s = lab(FLOW("from: h1, to: r, open_loop: {size: 64, rate: 1pps}"));
	assert_int_equal(s->source[0]->gen.frames_per_s, 1);
	assert_int_equal(s->source[0]->gen.rate, 84 * 8);
	scene_free(s);
}

static void a_rate_above_the_links_is_refused(void **state)
{
	(void)state;
	lab_refuse(FLOW("from: h1, to: r, open_loop: {size: 64, rate: 40mpps}"),
		"lab.yaml:5:58: flow 'f' sends 26.88Gbps on the wire, and the link of h1 carries "
		"25Gbps; lower its rate");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {rate: 10Gbps, sources: 3}"),
		"lab.yaml:5:48: flow 'f' sends 30Gbps on the wire by 3 sources, and the link of h1 "
		"carries 25Gbps; lower its rate");
	scene_free(lab(FLOW("from: h1, to: r, open_loop: {rate: 20%, sources: 5}")));
	lab_refuse(FLOW("from: h1, to: r, open_loop: {rate: 26Gbps}"),
		"lab.yaml:5:48: flow 'f' sends 26Gbps on the wire");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {rate: 0pps}"),
		"lab.yaml:5:48: rate: 0pps is out of range; it can be 1pps..10000Mpps");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {rate: 2bpps}"),
		"lab.yaml:5:48: rate: '2bpps' has the wrong unit; write a rate, as in 40Gbps, "
		"frames per second, as in 2Mpps, or a share of the link, as in 5%");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {size: imax}"),
		"lab.yaml:5:48: size: 'imax' is not right; write a number or a range, as in "
		"64..1518, or imix");
}

// BTH fields of an open loop of RoCEv2: a flow's QPNs count up, and the UDP source ports differ.
static void an_open_loop_may_be_roce(void **state)
{
	struct scene *s = lab(FLOW("from: h1..2, to: r, open_loop: {size: 1022, rate: 1%, sources: "
				   "2, roce: {qpn: 100, psn: 0xfffffe, verb: write}}"));

	(void)state;
	assert_int_equal(s->n_sources, 4);
	assert_string_equal(s->source[3]->name, "f[h2>r.1]");
	for (unsigned i = 0; i < 4; i++) {
		const struct scene_source *src = s->source[i];

		assert_int_equal(src->gen.roce.opcode, BTH_RC_WRITE_ONLY);
		assert_int_equal(src->gen.roce.head, 74);
		assert_int_equal(src->gen.roce.qpn, 100 + i);
		assert_int_equal(src->gen.roce.psn, 0xfffffe);
		assert_int_equal(src->gen.tos & 3, ECN_ECT0);
		assert_int_equal(src->hdr.dport, 4791);
		assert_int_equal(src->hdr.sport, s->source[0]->hdr.sport + i);
	}
	scene_free(s);
	s = lab(FLOW("from: h1, to: r, open_loop: {size: imix, rate: 1%, roce: {}}"));
	assert_int_equal(s->source[0]->gen.roce.opcode, BTH_RC_SEND_ONLY);
	assert_int_equal(s->source[0]->gen.roce.head, 58);
	assert_int_equal(s->source[0]->gen.roce.qpn, 0x800000);
	scene_free(s);
}

static void an_open_loop_of_roce_without_sense_is_refused(void **state)
{
	(void)state;
	lab_refuse(FLOW("from: h1, to: r, open_loop: {raw: true, roce: {}}"),
		"lab.yaml:5:59: flow 'f': raw frames have no IP, and RoCEv2 needs it; drop "
		"raw, or roce");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {size: 64, roce: {verb: write}}"),
		"lab.yaml:5:41: flow 'f': 64 bytes are too few for its headers; at least 78");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {sources: 2, roce: {qpn: 0xfffffe}}"),
		"lab.yaml:5:66: flow 'f' has 2 sources, and its qpn leaves room for 1 QPNs; "
		"lower it");
	lab_refuse(FLOW("from: h1, to: r, open_loop: {roce: {qpn: 9}}}, g: {from: h2, to: r, "
			"open_loop: {roce: {qpn: 9}}"),
		"lab.yaml:5:105: flow 'g': another source to r has QPN 9, too; give roce.qpn "
		"another number");
}

// To a host that echoes UDP goes to port 7, what comes back has a header of its own, and the sender
// keeps the instants of the frames that leave within rtt_max, and of a burst.
static void a_source_comes_back(void **state)
{
	struct scene *s = lab_with(FLOW("from: h1..2, to: r, class: 2, open_loop: "
					"{size: 1001, rate: 10Gbps, burst: 3, rtt_max: 1ms}"),
		"hosts.r.responder", "echo");
	const struct scene_source *src = s->source[1];

	(void)state;
	assert_true(src->echoes);
	assert_true(lab_node(s, "r")->u.nic.echoes);
	assert_false(lab_node(s, "h1")->u.nic.echoes);
	assert_int_equal(src->hdr.dport, 7);
	assert_int_equal(src->back.sport, 7);
	assert_int_equal(src->back.dport, src->hdr.sport);
	assert_memory_equal(src->back.dst, src->hdr.src, 6);
	assert_memory_equal(src->back.daddr, src->hdr.saddr, 16);
	assert_int_not_equal(src->back.id, src->hdr.id);
	assert_true(src->back.id <= s->n_hdrs);
	// 997 + 24 bytes take 816.8 ns at 10 Gb/s.
	assert_in_range(src->trips, 1225 + 3, 1225 + 5);
	scene_free(s);
}

static void an_echo_without_sense_is_refused(void **state)
{
	(void)state;
	lab_refuse(FLOW("from: h1, to: r, open_loop: {rtt_max: 1ms}"),
		"lab.yaml:5:51: flow 'f' has rtt_max, and 'r' sends nothing back; give that host "
		"responder: echo, or drop rtt_max");
	lab_refuse("duration: 1ms\nswitches: {s1: }\nhosts: {a: {replay: {file: none}, responder: "
		   "echo}, b: }\nlinks: [{between: [[a, b], s1]}]\n",
		"lab.yaml:3:46: host 'a' replays a capture and is in no flow, so nothing of it "
		"echoes; drop responder, or let another host echo");
	lab_refuse_set(
		"hosts.r.responder", "ping", "--set hosts.r.responder=ping: responder: 'ping'");
}

// More instants than are kept: a warning says from when on frames are late.
static void more_than_is_kept_is_warned_of(void **state)
{
	struct scene *s = lab_with(FLOW("from: h1, to: r, open_loop: {size: 64, rate: "
					"100%, rtt_max: 100ms}"),
		"hosts.r.responder", "echo");

	(void)state;
	assert_int_equal(s->source[0]->trips, DEPARTURES_MOST);
	assert_int_equal(s->n_warnings, 1);
	assert_non_null(strstr(s->warning[0].text,
		"sends 3720240 frames within rtt_max, and the instants of 2097152 are kept: what "
		"comes back later than 56.3714 ms counts as late; lower the rate or rtt_max"));
	scene_free(s);
}

static void raw_has_no_ip(void **state)
{
	struct scene *s = lab(FLOW("from: h1, to: r, open_loop: {raw: true}, vlan: 9, class: 1"));

	(void)state;
	assert_int_equal(s->source[0]->hdr.flags, HDR_VLAN);
	assert_int_equal(s->source[0]->hdr.vlan_tci, 1 << 13 | 9);
	assert_int_equal(s->source[0]->hdr.ethertype, 0x88b5);
	assert_int_equal(s->source[0]->gen.tos, 0);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_meet_at_both_ends),
		cmocka_unit_test(headers_point_both_ways),
		cmocka_unit_test(the_source_port_comes_from_both_numbers),
		cmocka_unit_test(outstanding_goes_by_count),
		cmocka_unit_test(equal_transports_are_compiled_once),
		cmocka_unit_test(a_flow_takes_every_value),
		cmocka_unit_test(a_read_goes_the_other_way),
		cmocka_unit_test(a_flow_may_wait_for_an_event),
		cmocka_unit_test(framing_hpcc_sim_has_its_sizes),
		cmocka_unit_test(ipv6_is_longer),
		cmocka_unit_test(a_source_takes_every_value),
		cmocka_unit_test(a_source_may_send_imix_and_count_frames),
		cmocka_unit_test(a_rate_above_the_links_is_refused),
		cmocka_unit_test(an_open_loop_may_be_roce),
		cmocka_unit_test(an_open_loop_of_roce_without_sense_is_refused),
		cmocka_unit_test(a_source_comes_back),
		cmocka_unit_test(an_echo_without_sense_is_refused),
		cmocka_unit_test(more_than_is_kept_is_warned_of),
		cmocka_unit_test(raw_has_no_ip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
