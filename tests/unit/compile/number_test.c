// SPDX-License-Identifier: BSD-3-Clause
// QPNs and first PSNs of a scene: they count without devices and are drawn with them, and numbers
// of the scenario stay.
#include "scene_lab.h"

#include "wire/bth.h"

#define TEXT                                                               \
	"duration: 1ms\n" LAB_LOSSLESS "hosts: {h1..2: , r: }\n" LAB_LINKS \
	"ports: {\"s1:h1\": {device: net_null0}}\n"                        \
	"flows: {incast: {from: h1..2, to: r, qps: 3}, back: {from: r, to: h1}}\n"

static struct scene *with(const char *path, const char *value, bool real, const char *nodes)
{
	const struct scene_set set[] = {{path, value}, {"ports.s1:r.device", "net_null1"},
		{"ports.s1:h2.device", "net_null2"}, {"ports.h1:s1.device", "net_null3"},
		{"ports.h2:s1.device", "net_null4"}, {"ports.r:s1.device", "net_null5"}};
	const struct scene_opts opts = {
		.real = real, .nodes = nodes, .set = path ? set : set + 1, .n_set = path ? 6 : 5};
	struct scene *s = NULL;

	if (lab_try(&s, TEXT, &opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static uint32_t base_of(const struct scene *s, const char *host)
{
	return s->node[scene_node(s, host)].u.nic.qpn_base;
}

static uint32_t psn_of(const struct scene *s, const char *host)
{
	return s->node[scene_node(s, host)].first_psn;
}

// Both ends agree; numbers count from the base of each host, whatever that is; UDP source ports
// are those of the ordinal numbers.
static void assert_whole(const struct scene *s)
{
	assert_int_equal(s->n_flows, 7);
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];

		assert_int_equal(f->req.qpn, s->node[f->from].u.nic.qpn_base + f->src_qp);
		assert_int_equal(f->rsp.qpn, s->node[f->to].u.nic.qpn_base + f->dst_qp);
		assert_int_equal(f->req.peer_qpn, f->rsp.qpn);
		assert_int_equal(f->rsp.peer_qpn, f->req.qpn);
		assert_int_equal(f->req.psn, s->node[f->from].first_psn);
		assert_int_equal(f->rsp.psn, f->req.psn);
		assert_in_range(f->req.qpn, 17, 0xfffffe);
		assert_in_range(f->req.psn, 0, 0xffffff);
		assert_int_equal(
			f->hdr_data.sport, bth_source_port(16 + f->src_qp, 16 + f->dst_qp));
	}
}

static void numbers_count_unless_strangers_can_send(void **state)
{
	(void)state;
	for (unsigned real = 0; real < 2; real++) {
		const struct scene_opts opts = {.real = real};
		struct scene *s = NULL;

		assert_int_equal(lab_try(&s, LAB, &opts), 0);
		assert_false(s->draws_qp_numbers);
		assert_int_equal(base_of(s, "r"), 16);
		assert_int_equal(psn_of(s, "h1"), 0);
		scene_free(s);
		s = with(NULL, NULL, real, NULL);
		assert_true(s->draws_qp_numbers); // which a run on the virtual clock does not do
		assert_int_equal(base_of(s, "r"), 16); // until the run draws them
		assert_whole(s);
		scene_free(s);
		s = with("qp_numbers", "ordinal", real, NULL);
		assert_false(s->draws_qp_numbers);
		scene_free(s);
	}
}

static void drawn_numbers_are_other_ones(void **state)
{
	struct scene *s = with(NULL, NULL, true, NULL);
	uint32_t base = 16;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		scene_number(s, scene_draw_numbers());
		assert_whole(s);
		assert_int_not_equal(base_of(s, "h1"), base);
		assert_int_not_equal(base_of(s, "h1"), base_of(s, "h2"));
		base = base_of(s, "h1");
	}
	scene_free(s);
}

static void one_number_gives_the_same(void **state)
{
	struct scene *s = with(NULL, NULL, true, NULL),
		     *t = with("qp_numbers", "4711", false, NULL);
	struct scene *part = with("qp_numbers", "4711", true, "h2");

	(void)state;
	assert_false(t->draws_qp_numbers);
	assert_whole(t);
	assert_whole(part);
	scene_number(s, 4711);
	assert_int_equal(base_of(s, "r"), base_of(t, "r"));
	assert_int_equal(psn_of(s, "h2"), psn_of(t, "h2"));
	for (unsigned i = 0; i < t->n_flows; i++) {
		assert_int_equal(part->flow[i]->req.qpn, t->flow[i]->req.qpn);
		assert_int_equal(part->flow[i]->rsp.psn, t->flow[i]->rsp.psn);
	}
	scene_number(s, 4712);
	assert_int_not_equal(base_of(s, "r"), base_of(t, "r"));
	scene_number(s, 0);
	assert_int_equal(base_of(s, "r"), 16);
	scene_free(part);
	scene_free(t);
	scene_free(s);
}

static void what_is_given_stays(void **state)
{
	struct scene *s = with("hosts.h1", "{qpn_base: 0x100, first_psn: 7}", true, NULL);

	(void)state;
	scene_number(s, 5);
	assert_whole(s);
	assert_int_equal(base_of(s, "h1"), 0x100);
	assert_int_equal(psn_of(s, "h1"), 7);
	assert_int_not_equal(base_of(s, "h2"), 16);
	scene_free(s);
	lab_refuse_set("hosts.r.qpn_base", "0xfffffd",
		"--set hosts.r.qpn_base=0xfffffd: host 'r' has 2 queue pairs, and qpn_base leaves "
		"room for 1 QPNs; lower it");
}

#define PEER(peer)                                                                            \
	"duration: 1ms\n" LAB_LOSSLESS "hosts: {h1: , h2: , r: {external: true}}\n" LAB_LINKS \
	"ports: {\"s1:r\": {device: net_null0}}\n"                                            \
	"flows: {out: {from: h1, to: r, peer: " peer "}, in: {from: h1, to: h2}}\n"

// A peer whose queue pair is named by hand was told ours by hand. RDMA-CM tells it any.
static void a_peer_by_hand_has_known_numbers(void **state)
{
	const struct scene_opts opts = {.real = true};
	struct scene *s = NULL;

	(void)state;
	for (unsigned cm = 0; cm < 2; cm++) {
		const char *text = cm ? PEER("{port: 18515}") : PEER("{qpn: 0x55, psn: 9}");

		if (lab_try(&s, text, &opts))
			fail_msg("%s", lab_err.text);
		scene_number(s, 5);
		assert_int_equal(s->flow[0]->req.qpn == 17, !cm);
		assert_int_equal(s->flow[0]->peer->ours, s->flow[0]->req.qpn);
		assert_int_equal(s->flow[0]->req.peer_qpn == 0x55, !cm);
		assert_int_equal(s->flow[0]->req.psn == 9, !cm);
		assert_int_not_equal(s->flow[1]->req.psn, 0);
		assert_int_not_equal(base_of(s, "h2"), 16);
		scene_free(s);
	}
}

#define GIVEN(flows) "duration: 1ms\n" LAB_LOSSLESS "hosts: {h1..2: , r: }\n" LAB_LINKS flows

// Every QPN of a host is there once, and both ends agree.
static void assert_apart(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];

		assert_int_equal(f->req.peer_qpn, f->rsp.qpn);
		assert_int_equal(f->rsp.peer_qpn, f->req.qpn);
		assert_in_range(f->req.qpn, 2, 0xfffffe);
		assert_in_range(f->rsp.qpn, 2, 0xfffffe);
		for (unsigned k = 0; k < s->n_flows; k++) {
			const struct scene_flow *g = s->flow[k];

			if (k != i && g->from == f->from)
				assert_int_not_equal(g->req.qpn, f->req.qpn);
			if (k != i && g->to == f->to)
				assert_int_not_equal(g->rsp.qpn, f->rsp.qpn);
			if (g->to == f->from)
				assert_int_not_equal(g->rsp.qpn, f->req.qpn);
		}
	}
}

// A flow's queue pairs of each sender count up from its src_qpn; all others count from a base that
// leaves these QPNs alone, also where a run draws its numbers.
static void a_flow_gives_its_qpns(void **state)
{
	struct scene *s = lab(GIVEN("flows:\n  a: {from: h1..2, to: r, qps: 3, src_qpn: 0x100}\n"
				    "  b: {from: h1, to: h2, qps: 4}\n"
				    "  c: {from: h1, to: r, src_qpn: 18}\n"
				    "  d: {from: r, to: h1, verb: read, src_qpn: 20}\n"));
	static const uint32_t want[] = {0x100, 0x101, 0x102, 0x100, 0x101, 0x102};

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(s->flow[i]->req.qpn, want[i]);
		assert_int_equal(s->flow[i]->req.number, s->flow[i]->src_qp);
	}
	assert_int_equal(s->flow[10]->req.qpn, 18);
	assert_string_equal(s->flow[11]->name, "d[h1>r.0]");
	assert_int_equal(s->flow[11]->req.qpn, 20);
	assert_int_equal(s->flow[6]->req.number, 0);
	assert_int_equal(base_of(s, "h1"), 20);
	assert_int_equal(base_of(s, "r"), 16);
	assert_apart(s);
	for (uint64_t seed = 1; seed < 200; seed++) {
		scene_number(s, seed);
		assert_int_equal(s->flow[0]->req.qpn, 0x100);
		assert_apart(s);
	}
	scene_free(s);
}

// The bases of a host are drawn so that they meet what is given now and then.
static void drawn_numbers_leave_given_ones_alone(void **state)
{
	struct scene *s = lab(GIVEN("flows:\n  a: {from: h1, to: r, qps: 1000, src_qpn: 0x800000}\n"
				    "  b: {from: h1, to: r, qps: 3}\n"));
	unsigned near = 0;

	(void)state;
	for (uint64_t seed = 1; seed < 20000; seed++) {
		uint32_t base;

		scene_number(s, seed);
		base = base_of(s, "h1");
		assert_false(base < 0x800000 + 999 && base + 1003 >= 0x800000);
		near += base == 0x800000 + 999;
	}
	print_message("%u bases made way\n", near);
	assert_true(near > 0);
	scene_free(s);
}

// Queue pairs that count leave out the QPNs of open-loop sources to their host.
static void counted_qpns_leave_sources_theirs(void **state)
{
	struct scene *s = lab(GIVEN("flows:\n  a: {from: h1, to: r, qps: 4}\n"
				    "  b: {from: h1..2, to: r, open_loop: {roce: {qpn: 18}}}\n"));

	(void)state;
	assert_int_equal(s->source[0]->gen.roce.qpn, 18);
	assert_int_equal(s->source[1]->gen.roce.qpn, 19);
	assert_int_equal(s->flow[0]->rsp.qpn, 20);
	assert_int_equal(s->flow[3]->rsp.qpn, 23);
	assert_int_equal(s->flow[0]->req.qpn, 17);
	scene_free(s);
}

static void a_qpn_that_two_have_is_refused(void **state)
{
	(void)state;
	lab_refuse(GIVEN("flows:\n  a: {from: h1, to: r, qps: 3, src_qpn: 100}\n"
			 "  b: {from: h1..2, to: r, src_qpn: 102}\n"),
		"lab.yaml:7:36: flow 'b': another queue pair of h1 has QPN 102, too; give src_qpn "
		"another number");
	lab_refuse(GIVEN("flows:\n  a: {from: h1, to: r, qps: 2, src_qpn: 0xfffffe}\n"),
		"lab.yaml:6:41: flow 'a': the queue pairs of h1 go beyond the last QPN, 0xfffffe; "
		"lower src_qpn");
	lab_refuse("duration: 1ms\n" LAB_LOSSLESS
		   "hosts: {h1: {qpn_base: 99}, h2: , r: }\n" LAB_LINKS
		   "flows:\n  a: {from: h1, to: r, src_qpn: 101}\n  b: {from: h1, to: r}\n",
		"lab.yaml:6:33: flow 'a': a counted queue pair of h1 has QPN 101, too; give "
		"src_qpn another number");
	lab_refuse(GIVEN("flows:\n  a: {from: r, to: h1, src_qpn: 9}\n"
			 "  b: {from: h1..2, to: r, open_loop: {roce: {qpn: 8}}}\n"),
		"lab.yaml:7:51: flow 'b': another queue pair of r has QPN 9, too; give roce.qpn "
		"another number");
	lab_refuse(GIVEN("flows:\n  a: {from: h1, to: r, open_loop: {roce: {qpn: 0x800001}}}\n"
			 "  b: {from: h1, to: r, open_loop: {roce: {}}}\n"),
		"lab.yaml:7:3: flow 'b': another source to r has QPN 8388609, too; give roce.qpn "
		"another number");
	lab_refuse("duration: 1ms\n" LAB_LOSSLESS "hosts: {h1..2: , r: {qpn_base: 100}}\n" LAB_LINKS
		   "flows:\n  a: {from: h1, to: r}\n"
		   "  b: {from: h1, to: r, open_loop: {roce: {qpn: 101}}}\n",
		"lab.yaml:7:48: flow 'b': a counted queue pair of r has QPN 101, too; give "
		"roce.qpn another number");
	lab_refuse(GIVEN("flows: {a: {from: h1, to: r, src_qpn: 1}}\n"),
		"lab.yaml:5:39: src_qpn: 1 is out of range; it can be 2..16777214");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_gives_its_qpns),
		cmocka_unit_test(drawn_numbers_leave_given_ones_alone),
		cmocka_unit_test(counted_qpns_leave_sources_theirs),
		cmocka_unit_test(a_qpn_that_two_have_is_refused),
		cmocka_unit_test(numbers_count_unless_strangers_can_send),
		cmocka_unit_test(drawn_numbers_are_other_ones),
		cmocka_unit_test(one_number_gives_the_same),
		cmocka_unit_test(what_is_given_stays),
		cmocka_unit_test(a_peer_by_hand_has_known_numbers),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
