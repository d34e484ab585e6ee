// SPDX-License-Identifier: BSD-3-Clause
// Parts of a scenario: who runs which nodes, what all parts agree on, and wrong divisions.
#include "scene_lab.h"

#define DEVICE(port, n) "  " port ": {device: net_null" n "}\n"

static const char text[] =
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "ports:\n" DEVICE("h1:s1", "0") DEVICE(
		"s1:h1", "1") DEVICE("h2:s1", "2") DEVICE("s1:h2", "3") DEVICE("s1:r", "4")
		DEVICE("r:s1", "5") "flows:\n"
				    "  incast: {from: h1..2, to: r, qps: 3}\n"
				    "  back: {from: r, to: h2}\n"
				    "  noise: {from: h2, to: r, class: 0, open_loop: {rate: 5%}}\n"
				    "events:\n"
				    "  - {at: 10us, link_down: \"s1:r\"}\n"
				    "  - {at: 20us, flow_stop: incast}\n"
				    "  - {at: 30us, flow_stop: noise}\n"
				    "expect: [{figure: \"queue.s1:r.3.p99_bytes\", max: 1MB}]\n";

static int part_try(struct scene **s, const char *of, const char *nodes)
{
	const struct scene_opts opts = {.nodes = nodes, .real = true};

	return lab_try(s, of, &opts);
}

static struct scene *part(const char *nodes)
{
	struct scene *s = NULL;

	if (part_try(&s, text, nodes))
		fail_msg("%s: %s", nodes, lab_err.text);
	return s;
}

static void refuse(const char *of, const char *nodes, const char *want)
{
	struct scene *s = NULL;

	assert_int_equal(part_try(&s, of, nodes), -EINVAL);
	assert_string_equal(lab_err.text, want);
}

static void assert_same_flow(const struct scene *a, const struct scene *b, unsigned i)
{
	const struct scene_flow *f = a->flow[i], *g = b->flow[i];

	assert_string_equal(f->name, g->name);
	assert_memory_equal(&f->hdr_data, &g->hdr_data, sizeof(f->hdr_data));
	assert_memory_equal(&f->hdr_ack, &g->hdr_ack, sizeof(f->hdr_ack));
	assert_memory_equal(&f->hdr_cnp, &g->hdr_cnp, sizeof(f->hdr_cnp));
	assert_int_equal(f->req.qpn, g->req.qpn);
	assert_int_equal(f->rsp.qpn, g->rsp.qpn);
	assert_int_equal(f->req.flow, g->req.flow);
	assert_string_equal(a->node[f->from].name, b->node[g->from].name);
	assert_string_equal(a->node[f->to].name, b->node[g->to].name);
}

static void all_parts_agree_on_addresses_and_numbers(void **state)
{
	static const char *const nodes[] = {"h1..2", "s1", "r", "h2,s1", "r,h1"};
	struct scene *whole = part("h1..2,s1,r");

	(void)state;
	assert_int_equal(whole->n_elsewhere, 0);
	assert_int_equal(whole->n_flows, 7);
	for (unsigned k = 0; k < sizeof(nodes) / sizeof(nodes[0]); k++) {
		struct scene *s = part(nodes[k]);

		assert_int_equal(s->n_flows, whole->n_flows);
		assert_int_equal(s->n_hdrs, whole->n_hdrs);
		for (unsigned i = 0; i < s->n_flows; i++)
			assert_same_flow(s, whole, i);
		assert_int_equal(s->n_sources, 1);
		assert_memory_equal(
			&s->source[0]->hdr, &whole->source[0]->hdr, sizeof(s->source[0]->hdr));
		for (unsigned i = 0; i < s->n_nodes + s->n_elsewhere; i++) {
			int at = scene_node(whole, s->node[i].name);

			assert_true(at >= 0);
			assert_memory_equal(s->node[i].mac, whole->node[at].mac, 6);
			assert_memory_equal(s->node[i].ip, whole->node[at].ip, 16);
			assert_int_equal(s->node[i].n_ports, whole->node[at].n_ports);
		}
		scene_free(s);
	}
	scene_free(whole);
}

// noise goes from h2 to r: where they are in two parts, each knows that frames say when they left.
static void only_what_another_part_receives_is_stamped(void **state)
{
	static const struct {
		const char *nodes;
		bool stamped;
	} rows[] = {{"h1..2", true}, {"r", true}, {"h1,s1,r", true}, {"h2,s1,r", false},
		{"h1", false}, {"s1", false}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scene *s = part(rows[i].nodes);

		assert_int_equal(s->source[0]->gen.stamped, rows[i].stamped);
		scene_free(s);
	}
}

static void ours_stand_in_front(void **state)
{
	struct scene *s = part("r,h1");

	(void)state;
	assert_int_equal(s->n_nodes, 2);
	assert_int_equal(s->n_elsewhere, 2);
	assert_string_equal(s->node[0].name, "h1");
	assert_string_equal(s->node[1].name, "r");
	assert_int_equal(scene_node(s, "s1"), -1);
	assert_true(scene_is_here(s, s->flow[0]->from));
	assert_true(scene_is_here(s, s->flow[0]->to));
	assert_false(scene_is_here(s, s->flow[3]->from)); // h2
	// Numbers are those of the whole scenario: s1, h1, h2, r.
	assert_int_equal(s->node[0].number, 1);
	assert_int_equal(s->node[1].number, 3);
	assert_int_equal(s->node[2].number, 0);
	assert_int_equal(s->node[3].number, 2);
	assert_string_equal(s->part, "r,h1");
	scene_free(s);
}

// Lanes of a host stand behind our nodes, and a host elsewhere has none.
static void lanes_are_ours(void **state)
{
	const struct scene_set set[] = {{"hosts.h2.lcores", "2"}, {"hosts.h1.lcores", "3"}};
	const struct scene_opts opts = {.nodes = "h2,s1", .real = true, .set = set, .n_set = 2};
	struct scene *s = NULL;

	(void)state;
	if (lab_try(&s, text, &opts))
		fail_msg("%s", lab_err.text);
	assert_int_equal(s->n_nodes, 3);
	assert_int_equal(s->n_elsewhere, 2);
	assert_string_equal(s->node[0].name, "s1");
	assert_string_equal(s->node[1].name, "h2");
	assert_string_equal(s->node[2].name, "h2#2");
	assert_int_equal(s->node[2].lane_of, 1);
	assert_int_equal(s->node[1].lane_at, 2);
	assert_string_equal(s->node[s->flow[0]->from].name, "h1");
	for (unsigned i = 3; i < 6; i++) { // by their numbers in turn
		unsigned lane = s->flow[i]->src_qp % 2;

		assert_int_equal(s->flow[i]->from, 1 + lane);
		assert_string_equal(s->node[s->flow[i]->to].name, "r");
	}
	scene_free(s);
}

// Messages of a job between two parts have immediate data, by which the receiver knows them.
static void messages_of_a_job_between_parts_bring_immediate_data(void **state)
{
	static const char job[] =
		"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "ports:\n" DEVICE("s1:r", "4")
			DEVICE("r:s1", "5") "jobs:\n"
					    "  j: {ranks: [r, h2, h1], collective: "
					    "all_gather, bytes: 3KB}\n";
	static const char *const nodes[] = {"h1..2,s1", "r"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scene *s = NULL;
		const struct scene_job *j;

		if (part_try(&s, job, nodes[i]))
			fail_msg("%s", lab_err.text);
		j = s->job[0];
		assert_string_equal(s->node[j->node[0]].name, "r");
		assert_string_equal(s->node[j->node[2]].name, "h1");
		assert_int_equal(scene_is_here(s, j->node[1]), i == 0);
		assert_int_equal(j->n_pairs, 3);
		for (unsigned p = 0; p < 3; p++) {
			const struct scene_flow *f = s->flow[j->pair[p].flow];
			bool apart = scene_is_here(s, f->from) != scene_is_here(s, f->to);

			assert_int_equal(apart, p != 1); // r to h2, h2 to h1, h1 to r
			assert_int_equal(f->rc->p.verb, apart ? RC_SEND_IMM : RC_SEND);
			assert_false(f->rc->p.imm_fixed);
		}
		scene_free(s);
	}
}

static void only_events_of_ours_are_left(void **state)
{
	struct scene *s = part("s1"), *h = part("h1"), *r = part("r");

	(void)state;
	assert_int_equal(s->n_events, 1);
	assert_int_equal(s->event[0].ctl.type, CTL_LINK_DOWN);
	assert_int_equal(s->event[0].node, 0);
	assert_int_equal(h->n_events, 3); // the three queue pairs of incast
	assert_int_equal(h->event[0].ctl.type, CTL_FLOW_STOP);
	assert_int_equal(r->n_events, 1); // its end of the link
	scene_free(s);
	scene_free(h);
	scene_free(r);
}

static void links_within_a_part_stay(void **state)
{
	static const char memory[] = "duration: 1ms\nswitches: {s1..2: }\nhosts: {h1..2: , r: }\n"
				     "links:\n"
				     "  - {between: [h1..2, s1], rate: 25Gbps, delay: 1us}\n"
				     "  - {between: [s1, s2], rate: 25Gbps, delay: 1us}\n"
				     "  - {between: [r, s2], rate: 25Gbps, delay: 1us}\n"
				     "ports: {\"s1:s2\": {device: net_null0}}\n" LAB_FLOWS;
	struct scene *s = NULL;

	(void)state;
	assert_int_equal(part_try(&s, memory, "h1..2,s1"), 0);
	assert_int_equal(s->n_nodes, 3);
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			const struct scene_port *port = &s->node[i].port[p];

			if (!port->device)
				assert_string_equal(
					s->node[port->peer_node].port[port->peer_port].name + 3,
					s->node[i].name);
			else
				assert_int_equal(port->peer_node, -1);
		}
	scene_free(s);
	refuse(memory, "s2,r",
		"lab.yaml:6:5: port s2:s1: 's1' is not among --nodes, so this link leaves the "
		"process; give s2:s1 a device in `ports`");
}

static void a_part_does_not_judge_the_whole(void **state)
{
	struct scene *s = part("h1"), *whole = part("h1..2,s1,r");
	const char want[] = "`expect` is of the whole scenario; `quench merge` judges it, "
			    "and not a part";

	(void)state;
	assert_string_equal(s->warning[0].text, want);
	assert_int_equal(s->warning[0].line, 20);
	for (unsigned i = 0; i < whole->n_warnings; i++)
		assert_string_not_equal(whole->warning[i].text, want);
	scene_free(s);
	scene_free(whole);
}

static void wrong_lists_are_refused(void **state)
{
	const struct scene_opts virtual = {.nodes = "h1"};
	struct scene *s = NULL;

	(void)state;
	refuse(text, "h1,h4", "--nodes h1,h4: there is no node 'h4'; did you mean 'h2'?");
	refuse(text, "h1..3", "--nodes h1..3: there is no node 'h3'; did you mean 'h2'?");
	refuse(text, "h2..1", "--nodes h2..1: 'h2..1' runs backwards; write h1..2");
	refuse(text, "h1,",
		"--nodes h1,: '' is no name; it has letters, digits, '_' and '-', begins with a "
		"letter and is at most 23 long");
	refuse(LAB, "h1..2,r",
		"lab.yaml:4:9: port h1:s1: 's1' is not among --nodes, so this link leaves the "
		"process; give h1:s1 a device in `ports`");
	assert_int_equal(lab_try(&s, text, &virtual), -EINVAL);
	assert_string_equal(lab_err.text,
		"--nodes h1: the virtual clock runs a scenario whole; parts of one are for --clock "
		"real");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_parts_agree_on_addresses_and_numbers),
		cmocka_unit_test(only_what_another_part_receives_is_stamped),
		cmocka_unit_test(ours_stand_in_front),
		cmocka_unit_test(lanes_are_ours),
		cmocka_unit_test(messages_of_a_job_between_parts_bring_immediate_data),
		cmocka_unit_test(only_events_of_ours_are_left),
		cmocka_unit_test(links_within_a_part_stay),
		cmocka_unit_test(a_part_does_not_judge_the_whole),
		cmocka_unit_test(wrong_lists_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
