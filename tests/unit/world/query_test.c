// SPDX-License-Identifier: BSD-3-Clause
// Questions to a running scene: what their words mean in it, what each wrong one is told, what the
// node answers.
#include "world/world.h"

#include "scene_lab.h"

// h1 has one queue pair with registers, h2 two, h3 one without.
#define SCENE                                                                                    \
	"duration: 1ms\n" LAB_LOSSLESS "controls: {ip: {profile: rdma_ip}}\n"                    \
	"hosts: {h1..3: , r: }\n"                                                                \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"                       \
	"flows: {a: {from: h1, to: r, control: ip}, b: {from: h2, to: r, control: ip, qps: 2}, " \
	"c: {from: h3, to: r, control: none}}\n"

static struct scene *s;

static int loaded(void **state)
{
	(void)state;
	s = lab(SCENE);
	return 0;
}

static int freed(void **state)
{
	(void)state;
	scene_free(s);
	return 0;
}

static struct query asked(const char *params)
{
	struct query q;
	struct err err;

	if (query_register(&q, s, params, &err))
		fail_msg("%s: %s", params, err.text);
	return q;
}

static void told(const char *params, const char *want)
{
	struct query q;
	struct err err;

	assert_true(query_register(&q, s, params, &err) < 0);
	if (strcmp(err.text, want))
		fail_msg("%s: told '%s'\nnot '%s'", params, err.text, want);
}

static void a_register_is_found_by_host_queue_pair_and_name(void **state)
{
	struct query q = asked("h2,2,RATE_MEM");

	(void)state;
	assert_int_equal(q.what, QUERY_READ);
	assert_string_equal(s->node[q.node].name, "h2");
	assert_int_equal(q.qpn, 2);
	assert_int_equal(q.place.address, 0x600108);
	q = asked("h1,,target_rate"); // its only queue pair
	assert_int_equal(q.qpn, 1);
	assert_int_equal(q.place.lsb, 16);
	q = asked("h2,,dcqcn_max_rate");
	assert_int_equal(q.qpn, 0);
	q = asked("h2,,0x600108"); // an address tells its queue pair
	assert_int_equal(q.qpn, 2);
}

static void what_is_wrong_is_one_line(void **state)
{
	(void)state;
	told("", "write HOST,QP,NAME");
	told("h1,1", "write HOST,QP,NAME");
	told("h1,1,", "write HOST,QP,NAME");
	told("h1,1,alpha,5", "write HOST,QP,NAME");
	told(",1,alpha", "2 hosts have registers, h1, h2: name one (--host H)");
	told("hh1,1,alpha", "the scene has no node 'hh1'; did you mean 'h1'?");
	told("gateway,1,alpha", "the scene has no node 'gateway'");
	told("h3,1,alpha",
		"h3 has no registers: none of its flows has a control of profile rdma_ip");
	told("s1,1,alpha",
		"s1 has no registers: none of its flows has a control of profile rdma_ip");
	told("h2,3,alpha", "h2 has no queue pair 3 with registers; the highest is 2");
	told("h2,one,alpha", "'one' is no queue pair's number; write 1..2");
	told("h2,,alpha", "each queue pair has its own alpha; name one of h2's (--qp N), 1..2");
	told("h1,1,0x600108", "0x600108 is in the block of queue pair 2, which h1 does not have");
	told("h1,1,RATE_ME", "the RDMA IP has no register 'RATE_ME'; did you mean 'RATE_MEM'?");
}

static void the_only_host_need_not_be_named(void **state)
{
	struct scene *all = s;
	struct err err;
	struct query q;

	(void)state;
	s = lab("duration: 1ms\ncontrols: {ip: {profile: rdma_ip}}\n" LAB_LOSSLESS LAB_HOSTS
			LAB_LINKS "flows: {a: {from: h2, to: r, control: ip}}\n");
	q = asked(",,alpha");
	assert_string_equal(s->node[q.node].name, "h2");
	assert_int_equal(q.qpn, 1);
	scene_free(s);
	s = lab(LAB);
	assert_int_equal(query_register(&q, s, ",,alpha", &err), -ENXIO);
	assert_string_equal(
		err.text, "no host has registers: a control of profile rdma_ip brings them");
	scene_free(s);
	s = all;
}

static void counters_have_an_object(void **state)
{
	struct query q;
	struct err err;
	const struct {
		const char *name;
		const struct stat_table *table;
		unsigned port;
		uint32_t sub;
	} good[] = {
		{"h1", &nic_stat_table, QUERY_ALL_PORTS, 0},
		{"h1:s1", &nic_stat_table, 0, 0},
		{"h2.2", &nic_qp_stat_table, QUERY_ALL_PORTS, 2},
		{"s1", &sw_port_stat_table, QUERY_ALL_PORTS, 0},
		{"s1:h1", &sw_port_stat_table, 0, 0},
		{"s1:h2.3", &sw_class_stat_table, 1, 3},
	};
	const struct {
		const char *name, *told;
	} bad[] = {
		{"s2", "the scene has no node 's2'; did you mean 's1'?"},
		{"s1:x", "the scene has no port 's1:x'"},
		{"s1:h1.8", "'8' is no class; write 0..7"},
		{"s1.3", "a class is a port's: write s1:PEER.3"},
		{"h1.0", "'0' is no queue pair's number"},
		{"h1.x", "'x' is no queue pair's number"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(query_counters(&q, s, good[i].name, &err), 0);
		assert_ptr_equal(q.table, good[i].table);
		assert_int_equal(q.port, good[i].port);
		assert_int_equal(q.sub, good[i].sub);
		assert_true(q.table->n <= QUERY_COUNTS);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(query_counters(&q, s, bad[i].name, &err) < 0);
		assert_string_equal(err.text, bad[i].told);
	}
}

static void the_node_answers(void **state)
{
	struct pkt_stack none = {0}, *stack[8];
	struct net_opts o = {.stack = stack, .event_slots = 64};
	struct query q = asked("h2,2,current_rate"), rate = asked("h2,2,CC_RATE_MEM");
	const struct ctl ctl = {.type = CTL_REG,
		.id = rate.place.address,
		.lsb = rate.place.lsb,
		.width = rate.place.width,
		.a = 77};
	struct net *net;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		stack[i] = &none;
	if (net_build(&net, s, &o, &err))
		fail_msg("%s", err.text);
	query_answer(&q, net_node(net, q.node), 0);
	assert_int_equal(q.rc, 0);
	assert_true(q.value > 0);
	assert_int_equal(net_ctl(net_node(net, rate.node), &ctl, 0), 0);
	query_answer(&rate, net_node(net, rate.node), 0);
	assert_int_equal(rate.value, 77);
	query_counters(&q, s, "s1", &err);
	query_answer(&q, net_node(net, q.node), 0);
	assert_int_equal(q.rc, 0);
	assert_int_equal(q.count[0], 0);
	query_counters(&q, s, "h2.9", &err);
	query_answer(&q, net_node(net, q.node), 0);
	assert_int_equal(q.rc, -ENXIO);
	query_why(&q, s, &err);
	assert_string_equal(err.text, "h2 has no queue pair 9");
	net_free(net);
}

#define WITH_IQCN_AND(more)                                                \
	"duration: 1ms\nswitches: {s1: {" more                             \
	"classes: {3: {iqcn: {heavy: 10KB, entries: 10000}}}}}\n"          \
	"hosts: {h1..3: , r: }\n"                                          \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n" \
	"flows: {a: {from: h1, to: r}}\n"
#define WITH_IQCN WITH_IQCN_AND("")

static void a_flow_table_is_a_switchs(void **state)
{
	static const char *const bad[][2] = {{"", "write SWITCH,FROM"},
		{"s1,x", "write SWITCH,FROM"}, {"s1,1,2", "write SWITCH,FROM"},
		{"s2", "the scene has no node 's2'; did you mean 's1'?"},
		{"h1", "h1 has no flow table: a class of a switch with iqcn brings it"}};
	struct scene *with = lab(WITH_IQCN);
	struct query q;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(query_iqcn(&q, with, bad[i][0], &err) < 0);
		assert_string_equal(err.text, bad[i][1]);
	}
	assert_int_equal(query_iqcn(&q, s, "s1", &err), -ENXIO);
	assert_int_equal(query_iqcn(&q, with, "s1", &err), 0);
	assert_int_equal(q.slot, 0);
	assert_int_equal(query_iqcn(&q, with, "s1,4096", &err), 0);
	assert_int_equal(q.slot, 4096);
	scene_free(with);
}

// All shards answer, as their lcores do one after the other.
static void ask_shards(struct query *q, struct net *net, tstamp now)
{
	struct net_node *n = net_node(net, q->node);

	for (q->shard = 0; q->shard < sw_shards(n->u.sw); q->shard++) {
		query_answer(q, n, now);
		assert_int_equal(q->rc, 0);
	}
}

// 300 flows come in pages, each flow once, as the tables have it; what has aged is not told.
static void pages_of(const char *scenario, unsigned shards)
{
	struct hdr h = {.flags = HDR_IPV4, .saddr = {10, 0, 0, 9}, .daddr = {10, 0, 0, 1}};
	struct pkt cnp = {.hdr = &h, .kind = PKT_CNP, .len = 74};
	struct pkt_stack none = {0}, *stack[8];
	struct net_opts o = {.stack = stack, .event_slots = 64};
	struct scene *with = lab(scenario);
	unsigned times[300] = {0}, pages = 0, n = 0;
	struct query q;
	struct net *net;
	struct err err;

	for (unsigned i = 0; i < 8; i++)
		stack[i] = &none;
	if (net_build(&net, with, &o, &err))
		fail_msg("%s", err.text);
	assert_int_equal(query_iqcn(&q, with, "s1", &err), 0);
	assert_int_equal(sw_shards(net_node(net, q.node)->u.sw), shards);
	for (uint32_t i = 0; i < 300; i++) {
		cnp.u.rc.qpn = i;
		iqcn_cnp((struct iqcn *)sw_iqcn(sw_owner(net_node(net, q.node)->u.sw, i % 3)),
			i % 3, &cnp, i * PS_PER_US);
	}
	do {
		ask_shards(&q, net, 3100 * PS_PER_US);
		assert_true(q.at == 3100 * PS_PER_US);
		assert_true(q.n_flows <= QUERY_FLOWS);
		assert_int_equal(q.known, 300);
		assert_int_equal(q.entries, shards * 10000);
		for (unsigned i = 0; i < q.n_flows; i++) {
			const struct query_flow *f = &q.flow[i];

			times[f->qpn]++;
			assert_int_equal(f->port, f->qpn % 3);
			assert_true(f->ipv4 && f->sender[3] == 1 && f->receiver[3] == 9);
			assert_true(f->last == f->qpn * PS_PER_US);
			assert_true(f->age == (3100 - f->qpn) * PS_PER_US);
		}
		pages++;
		n += q.n_flows;
		q.slot = q.next;
	} while (q.slot);
	assert_int_equal(n, 199); // the first 101 are 3 ms old
	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(times[i], i > 100);
	assert_in_range(pages, 16 * shards, 16 * shards + 4); // 16384 slots
	net_free(net);
	scene_free(with);
}

static void flows_come_in_pages(void **state)
{
	(void)state;
	pages_of(WITH_IQCN, 1);
}

static void flows_of_a_cut_switch_come_shard_by_shard(void **state)
{
	(void)state;
	pages_of(WITH_IQCN_AND("shards: 3, "), 3);
}

// Each shard adds what its own ports have counted.
static void counters_of_a_cut_switch_are_the_sum_of_its_shards(void **state)
{
	struct pkt_stack none = {0}, *stack[8];
	struct net_opts o = {.stack = stack, .event_slots = 64};
	struct scene *with = lab(WITH_IQCN_AND("shards: 3, "));
	struct net *net;
	struct query q;
	struct err err;
	unsigned strangers = 0;

	(void)state;
	while (strcmp(sw_port_stat_table.row[strangers].name, "pause_stranger_frames") != 0)
		strangers++;
	for (unsigned i = 0; i < 8; i++)
		stack[i] = &none;
	if (net_build(&net, with, &o, &err))
		fail_msg("%s", err.text);
	assert_int_equal(query_counters(&q, with, "s1", &err), 0);
	for (unsigned i = 0; i < 4; i++) {
		struct sw_port_stats *stats =
			(struct sw_port_stats *)sw_port_rare_stats(net_node(net, q.node)->u.sw, i);

		stats->consumed_frames = 1u << i;
		stats->knows_far = i == 2;
	}
	ask_shards(&q, net, 0);
	assert_int_equal(q.count[0], 15); // rx_frames
	assert_true(q.has[0] && q.has[strangers]);
	assert_int_equal(query_counters(&q, with, "s1:h2", &err), 0);
	ask_shards(&q, net, 0);
	assert_int_equal(q.count[0], 2);
	assert_true(q.has[0] && !q.has[strangers]);
	net_free(net);
	scene_free(with);
}

static void a_tester_has_counters_of_its_own(void **state)
{
	static const char *const testers[] = {"h1", "h2"};
	const struct scene_opts so = {.testers = testers, .n_testers = 2};
	struct pkt_stack none = {0}, *stack[8];
	struct net_opts o = {.stack = stack, .event_slots = 64};
	struct scene *with = NULL;
	struct net *net;
	struct query q;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		stack[i] = &none;
	assert_int_equal(
		lab_try(&with, "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS, &so), 0);
	if (net_build(&net, with, &o, &err))
		fail_msg("%s", err.text);
	assert_int_equal(query_counters(&q, with, "h2", &err), 0);
	assert_ptr_equal(q.table, &tester_stat_table);
	query_answer(&q, net_node(net, q.node), 0);
	assert_int_equal(q.rc, 0);
	assert_true(q.has[0]);
	assert_int_equal(query_counters(&q, with, "h2.1", &err), -ENXIO);
	assert_string_equal(err.text, "a tester has no counters of '1'");
	net_free(net);
	scene_free(with);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_is_found_by_host_queue_pair_and_name),
		cmocka_unit_test(what_is_wrong_is_one_line),
		cmocka_unit_test(the_only_host_need_not_be_named),
		cmocka_unit_test(counters_have_an_object),
		cmocka_unit_test(the_node_answers),
		cmocka_unit_test(a_flow_table_is_a_switchs),
		cmocka_unit_test(flows_come_in_pages),
		cmocka_unit_test(flows_of_a_cut_switch_come_shard_by_shard),
		cmocka_unit_test(counters_of_a_cut_switch_are_the_sum_of_its_shards),
		cmocka_unit_test(a_tester_has_counters_of_its_own),
	};

	return cmocka_run_group_tests(tests, loaded, freed);
}
