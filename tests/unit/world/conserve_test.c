// SPDX-License-Identifier: BSD-3-Clause
// Receivers have no more of a flow than its sender sent: loss, repair, READ, floods and flows whose
// other end is elsewhere break nothing, and one frame too many does.
#include "figure_lab.h"
#include "record_net.h"

#include "base/prng.h"
#include "qp/qp.h"
#include "world/conserve.h"

#define SCENES 40

// The counters of flow 0 of LAB_TWO_TO_ONE, which a test may change.
static struct nic_qp_stats *of(struct net_lab *n, unsigned node, bool sender)
{
	struct nic *nic = net_node(n->net, node)->u.nic;
	int qp = nic_find_qp(nic, 0, sender);

	assert_true(qp >= 0);
	return nic_counts(nic_qp_at(nic, (unsigned)qp));
}

static void told(struct net_lab *n, const char *want)
{
	struct err err = {0};
	int rc = net_conserve(n->net, &err);

	assert_int_equal(rc, want ? -EPROTO : 0);
	if (want && !strstr(err.text, want))
		fail_msg("'%s' lacks '%s'", err.text, want);
}

static void one_too_many_is_told(void **state)
{
	struct nic_qp_stats *tx, *rx;
	struct net_lab n;

	(void)state;
	net_open(&n);
	tx = of(&n, n.h1, true);
	rx = of(&n, n.r, false);
	*tx = (struct nic_qp_stats){.data_frames_tx = 10, .message_tx = 2, .tx_bytes = 9000};
	rx->data_frames_rx = 10;
	rx->message_complete_rx = 2;
	rx->rx_bytes = 9000;
	told(&n, NULL);
	rx->data_frames_rx++;
	told(&n, "h1>r.0]: 11 data frames were received of 10 sent");
	rx->data_frames_rx--;
	rx->message_complete_rx++;
	told(&n, "3 messages were received of 2 sent");
	rx->message_complete_rx--;
	rx->rx_bytes++;
	told(&n, "9001 bytes of payload were received of 9000 sent");
	net_close(&n);
}

// A copy is a duplicate to the responder: it has one frame more, and no payload.
static void copies_of_a_flood_are_known(void **state)
{
	struct sw_port_stats *port;
	struct nic_qp_stats *rx;
	struct net_lab n;

	(void)state;
	net_open(&n);
	port = (struct sw_port_stats *)sw_port_rare_stats(net_node(n.net, n.s1)->u.sw, 0);
	rx = of(&n, n.r, false);
	rx->data_frames_rx = 2;
	port->copied_frames = 2;
	assert_int_equal(conserve_flows(n.net, &n.lab.err), 0);
	rx->data_frames_rx = 3;
	assert_int_equal(conserve_flows(n.net, &n.lab.err), -EPROTO);
	assert_non_null(
		strstr(n.lab.err.text, "3 data frames were received of 0 sent and 2 "
				       "flooded, replayed, made by faults or from outside"));
	rx->data_frames_rx = 2;
	rx->rx_bytes = 1;
	assert_int_equal(conserve_flows(n.net, &n.lab.err), -EPROTO);
	net_close(&n);
}

// A real port may bring in frames of any flow: what came in by it may be the flow's.
static void real_ports_bring_frames_of_any_flow(void **state)
{
	struct nic_stats *nic;
	struct nic_qp_stats *rx;
	struct net_lab n;

	(void)state;
	net_open_part(&n,
		LAB_TWO_TO_ONE
		"ports: {\"r:s1\": {device: net_null0}, \"s1:r\": {device: net_null1}}\n",
		"h1..2,s1,r");
	nic = (struct nic_stats *)nic_stats(net_node(n.net, n.r)->u.nic);
	rx = of(&n, n.r, false);
	rx->data_frames_rx = rx->message_complete_rx = 5;
	rx->rx_bytes = 500;
	assert_int_equal(conserve_flows(n.net, &n.lab.err), -EPROTO);
	nic->rx_frames = 5;
	nic->rx_bytes = 600;
	assert_int_equal(conserve_flows(n.net, &n.lab.err), 0);
	net_close(&n);
}

// Of a flow with one end in another part nothing is known.
static void half_a_flow_is_not_judged(void **state)
{
	struct net_lab n;

	(void)state;
	net_open_part(&n,
		LAB_TWO_TO_ONE
		"ports: {\"r:s1\": {device: net_null0}, \"s1:r\": {device: net_null1}}\n",
		"r");
	of(&n, n.r, false)->data_frames_rx = 100;
	told(&n, NULL);
	net_close(&n);
}

static void put_scene(struct prng *g)
{
	static const char *const verb[] = {"write", "send", "read", "write_imm"};
	FILE *f = fopen(l.file, "w");

	assert_non_null(f);
	fprintf(f,
		"duration: 3ms\nswitches: {s1..2: {buffer: 500KB, fdb_entries: 16, classes: {3: "
		"{lossless: %s, tail_limit: %uKB}}}}\n",
		prng_below(g, 2) ? "true" : "false", 8 + (unsigned)prng_below(g, 60));
	fprintf(f, "hosts: {h1..3: , r: }\n"
		   "links:\n  - {between: [[h1..3, s2], s1], rate: 10Gbps, delay: 1us}\n"
		   "  - {between: [r, s2], rate: 10Gbps, delay: 1us}\nflows:\n");
	for (unsigned i = 1; i <= 3; i++)
		fprintf(f,
			"  f%u: {from: h%u, to: r, class: 3, verb: %s, message: %u, mtu: 1024, "
			"rto: 100us, retries: none}\n",
			i, i, verb[prng_below(g, 4)], 1 + (unsigned)prng_below(g, 60000));
	fprintf(f, "events:\n  - {at: 500us, fdb_flush: s1}\n  - {at: 2ms, fdb_flush: s2}\n"
		   "  - {at: 1ms, link_down: \"s2:r\"}\n  - {at: 1100us, link_up: \"s2:r\"}\n");
	fclose(f);
}

static void random_scenes_with_loss_conserve(void **state)
{
	double again = 0;

	(void)state;
	for (unsigned seed = 1; seed <= SCENES; seed++) {
		struct prng g;

		prng_init(&g, seed, "conserve");
		lab_open(&l, "");
		put_scene(&g);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		if (l.rec->sum->run.conserved)
			fail_msg("seed %u: %s", seed, l.rec->sum->run.conserve_text);
		again += v("data_frames_retransmitted");
		assert_true(v("total.messages") > 0);
		lab_close(&l);
	}
	assert_true(again > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_too_many_is_told),
		cmocka_unit_test(copies_of_a_flood_are_known),
		cmocka_unit_test(real_ports_bring_frames_of_any_flow),
		cmocka_unit_test(half_a_flow_is_not_judged),
		cmocka_unit_test(random_scenes_with_loss_conserve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
