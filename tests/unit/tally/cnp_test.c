// SPDX-License-Identifier: BSD-3-Clause
// CNPs by key, with events made by hand: what was to be expected in each mode, gaps, delays, whose
// they are.
#include <math.h>

#include "net_each.h"

static void ce(uint64_t us, uint32_t flow)
{
	net_event(&n, n.r, us, EV_CE_RX)->ce_rx.flow = flow;
}

static void cnp(uint64_t us, uint32_t flow, uint64_t after_us)
{
	struct ev *e = net_event(&n, n.r, us, EV_CNP_TX);

	e->cnp_tx.flow = flow;
	e->cnp_tx.since_ps = after_us * PS_PER_US;
}

static double at(const char *figure)
{
	char path[64];

	snprintf(path, sizeof(path), "cnp.port.r.%s", figure);
	return report_value(n.report, path);
}

static void np(enum np_mode mode, unsigned interval_us)
{
	struct nic_params *p = &n.lab.scene->node[n.r].u.nic;

	p->np.mode = mode;
	p->np.interval_ps = interval_us * PS_PER_US;
}

// standards.md 4.2: CE at 0, 10, 30, 49, 60, 170 us ask for CNPs at 0, 50, 100, 170; by Lumina's
// rule at 0, 60, 170; one by one six.
static void each_mode_has_its_expectation(void **state)
{
	static const uint64_t came[] = {0, 10, 30, 49, 60, 170};
	static const double want[] = {[NP_WINDOW] = 4, [NP_NEXT_MARKED] = 3, [NP_PER_PACKET] = 6};

	(void)state;
	for (unsigned mode = NP_WINDOW; mode <= NP_PER_PACKET; mode++) {
		np((enum np_mode)mode, 50);
		record_warm(n.rec, 0);
		for (unsigned i = 0; i < sizeof(came) / sizeof(came[0]); i++)
			ce(came[i], 0);
		cnp(0, 0, 0);
		cnp(60, 0, 0);
		cnp(170, 0, 0);
		cnp(180, 0, 0);
		net_finish(&n, 1000);
		assert_float_equal(at("ce_rx"), 6, 0);
		assert_float_equal(at("cnp_expected"), want[mode], 0);
		assert_float_equal(at("cnp_missing"), want[mode] > 4 ? want[mode] - 4 : 0, 0);
		assert_float_equal(at("cnp_extra"), want[mode] < 4 ? 4 - want[mode] : 0, 0);
		assert_float_equal(at("cnp_per_ce"), 4.0 / 6, 1e-6);
		close_lab(state);
		open_lab(state);
	}
}

// Two queue pairs of two senders, each paced by itself: gaps of the port are short, those of the
// pairs are not.
static void keys_are_told_apart(void **state)
{
	(void)state;
	np(NP_NEXT_MARKED, 50);
	record_warm(n.rec, 5 * PS_PER_US);
	for (unsigned i = 0; i < 10; i++)
		for (uint32_t flow = 0; flow < 2; flow++) {
			ce(10 + 50 * i + 20 * flow, flow);
			cnp(10 + 50 * i + 20 * flow, flow, 3 + flow);
		}
	ce(600, 1);
	net_finish(&n, 1000);
	assert_float_equal(at("cnp_gap_min_us"), 20, 1e-6);
	assert_float_equal(at("cnp_tx"), 20, 0);
	assert_float_equal(at("cnp_expected"), 11, 0);
	assert_float_equal(report_value(n.report, "cnp.ip_pair.r>h1.cnp_tx"), 10, 0);
	assert_float_equal(report_value(n.report, "cnp.ip_pair.r>h1.cnp_gap_min_us"), 50, 1e-6);
	assert_float_equal(report_value(n.report, "cnp.ip_pair.r>h1.cnp_expected"), 10, 0);
	assert_float_equal(report_value(n.report, "cnp.dst_ip.r>h2.cnp_expected"), 11, 0);
	assert_float_equal(report_value(n.report, "cnp.qp.incast[h2>r.0].cnp_missing"), 1, 0);
	assert_float_equal(
		report_value(n.report, "cnp.qp.incast[h1>r.0].np_delay_max_us"), 3, 1e-6);
	assert_float_equal(at("np_delay_max_us"), 4, 1e-6);
}

// While the run goes on a wider key has what those within it have so far, and the record is not
// changed by the look.
static void wider_keys_are_summed_up_so_far(void **state)
{
	const struct record *r = n.rec;
	struct rec_cnp *rows = calloc(r->n_cnps, sizeof(*rows));
	unsigned port = r->flow[0].cnp[NP_KEY_PORT], qp = r->flow[0].cnp[NP_KEY_QP];

	(void)state;
	assert_non_null(rows);
	record_warm(n.rec, 0);
	for (unsigned i = 0; i < 3; i++) {
		ce(10 * i, i % 2);
		cnp(10 * i + 1, i % 2, 1);
	}
	record_drain(n.rec, n.r);
	for (unsigned looks = 0; looks < 2; looks++) {
		record_cnp_so_far(r, rows);
		assert_int_equal(rows[port].ce, 3);
		assert_int_equal(rows[port].cnps, 3);
		assert_int_equal(rows[qp].cnps, 2);
	}
	net_finish(&n, 1000);
	assert_true(at("cnp_tx") == 3 && at("ce_rx") == 3);
	free(rows);
}

// Only what lies in the window counts, and the gap to a CNP before it.
static void the_window_is_kept(void **state)
{
	(void)state;
	np(NP_WINDOW, 50);
	ce(0, 0);
	cnp(0, 0, 0);
	ce(40, 0);
	record_warm(n.rec, 45 * PS_PER_US);
	cnp(50, 0, 10);
	net_event(&n, n.h1, 60, EV_CNP_RX)->cnp_rx.age_ps = 10 * PS_PER_US;
	net_event(&n, n.h1, 70, EV_CNP_RX)->cnp_rx.age_ps = TSTAMP_NEVER; // it came as bytes
	net_finish(&n, 1000);
	assert_float_equal(at("ce_rx"), 0, 0);
	assert_float_equal(at("cnp_tx"), 1, 0);
	assert_float_equal(at("cnp_expected"), 1, 0);
	assert_float_equal(at("cnp_gap_min_us"), 50, 1e-6);
	assert_float_equal(at("np_delay_p50_us"), 10, 1e-6);
	assert_float_equal(at("cnp_delay_max_us"), 10, 1e-6);
}

// 69 senders have one queue pair, one has two.
static int open_many(void **state)
{
	(void)state;
	net_open_of(&n, "name: many\n"
			"duration: 2ms\n"
			"switches: {s1: {buffer: 4MB, classes: {3: {lossless: false}}}}\n"
			"hosts: {h1..70: {}, r: {}}\n"
			"links: [{between: [[h1..70, r], s1], rate: 25Gbps, delay: 1us}]\n"
			"flows:\n"
			"  f: {from: h1..70, to: r, class: 3, verb: write, message: 100KB}\n"
			"  g: {from: h1, to: r, class: 3, verb: write, message: 100KB}\n");
	return 0;
}

static double of_row(enum np_key key, uint32_t flow, const char *figure)
{
	const struct scene_flow *f = n.lab.scene->flow[flow];
	const char *from = n.lab.scene->node[f->from].name;
	char path[128];

	if (key == NP_KEY_QP)
		snprintf(path, sizeof(path), "cnp.qp.%s.%s", f->name, figure);
	else
		snprintf(path, sizeof(path), "cnp.%s.r>%s.%s",
			key == NP_KEY_DST_IP ? "dst_ip" : "ip_pair", from, figure);
	return report_value(n.report, path);
}

static bool is_alike(enum np_key key, uint32_t flow)
{
	return n.rec->cnp[n.rec->flow[flow].cnp[key]].alike;
}

// A host with one address and one queue pair: one row is computed for three keys, and each key
// tells the same as it would by itself. With so many queue pairs, theirs tell no quantiles.
static void rows_of_the_same_flows_are_reckoned_once(void **state)
{
	const uint32_t lone = 5, first = 0, second = 70; // first and second: of one host

	(void)state;
	np(NP_NEXT_MARKED, 50);
	assert_int_equal(n.rec->n_flows, 71);
	assert_true(is_alike(NP_KEY_IP_PAIR, lone) && is_alike(NP_KEY_DST_IP, lone));
	assert_false(is_alike(NP_KEY_IP_PAIR, first) || is_alike(NP_KEY_IP_PAIR, second));
	assert_true(is_alike(NP_KEY_DST_IP, first));
	assert_false(is_alike(NP_KEY_PORT, lone));
	record_warm(n.rec, 0);
	for (unsigned i = 0; i < 10; i++) {
		ce(10 + 50 * i, lone);
		cnp(10 + 50 * i, lone, 3);
		ce(20 + 50 * i, i % 2 ? first : second);
		cnp(20 + 50 * i, i % 2 ? first : second, 4);
	}
	record_drain(n.rec, n.r);
	struct rec_cnp *rows = calloc(n.rec->n_cnps, sizeof(*rows));

	assert_non_null(rows);
	record_cnp_so_far(n.rec, rows);
	for (unsigned key = NP_KEY_IP_PAIR; key <= NP_KEY_PORT; key++) {
		const struct rec_cnp *row = &rows[n.rec->flow[lone].cnp[key]];

		assert_int_equal(row->gap->n, key == NP_KEY_PORT ? 19 : 9);
		assert_int_equal(row->due.n, 10);
	}
	assert_null(rows[n.rec->flow[lone].cnp[NP_KEY_QP]].gap);
	free(rows);
	net_finish(&n, 1000);
	for (unsigned key = NP_KEY_QP; key <= NP_KEY_DST_IP; key++) {
		assert_float_equal(of_row((enum np_key)key, lone, "cnp_expected"), 10, 0);
		assert_float_equal(of_row((enum np_key)key, lone, "cnp_gap_min_us"), 50, 1e-6);
		assert_float_equal(of_row((enum np_key)key, first, "cnp_expected"),
			key == NP_KEY_QP ? 5 : 10, 0);
		assert_float_equal(of_row((enum np_key)key, first, "cnp_gap_min_us"),
			key == NP_KEY_QP ? 100 : 50, 1e-6);
		assert_true(isnan(of_row((enum np_key)key, lone, "cnp_gap_p50_us")) ==
			    (key == NP_KEY_QP));
	}
	assert_float_equal(at("cnp_gap_min_us"), 10, 1e-6);
	assert_float_equal(of_row(NP_KEY_IP_PAIR, lone, "cnp_gap_max_us"), 50, 1e-6);
	assert_float_equal(of_row(NP_KEY_DST_IP, lone, "cnp_gap_max_us"), 50, 1e-6);
}

// NAKs that count as CE; CNPs of a switch for the flow of a header.
static void naks_and_switches_are_told_apart(void **state)
{
	struct ev *e;

	(void)state;
	np(NP_NEXT_MARKED, 50);
	record_warm(n.rec, 0);
	e = net_event(&n, n.r, 10, EV_CE_RX);
	e->ce_rx.flow = 0;
	e->ce_rx.is_nak = true;
	e = net_event(&n, n.r, 10, EV_CNP_TX);
	e->cnp_tx.flow = 0;
	e->cnp_tx.for_nak = true;
	net_event(&n, n.s1, 20, EV_FAST_CNP_TX)->mark.hdr = n.lab.scene->flow[0]->hdr_data.id;
	net_event(&n, n.s1, 30, EV_IQCN_TX)->iqcn_tx.hdr = n.lab.scene->flow[0]->hdr_cnp.id;
	net_event(&n, n.s1, 40, EV_CNM_TX)->cnm_tx.hdr = n.lab.scene->flow[0]->hdr_data.id;
	net_event(&n, n.s1, 50, EV_FAST_CNP_TX)->mark.hdr = 0; // nobody's that we know
	net_finish(&n, 1000);
	assert_float_equal(at("ce_rx"), 0, 0);
	assert_float_equal(at("nak_tx"), 1, 0);
	assert_float_equal(at("cnp_with_nack"), 1, 0);
	assert_float_equal(at("cnp_expected"), 1, 0);
	assert_float_equal(at("cnp_switch_tx"), 2, 0);
	assert_int_equal(n.rec->flow[0].made->cnps[0], 0);
	assert_int_equal(n.rec->flow[0].made->cnps[1], 2); // r, then s1
	assert_int_equal(n.rec->flow[0].made->cnms[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_mode_has_its_expectation, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(keys_are_told_apart, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(
			rows_of_the_same_flows_are_reckoned_once, open_many, close_lab),
		cmocka_unit_test_setup_teardown(
			wider_keys_are_summed_up_so_far, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(the_window_is_kept, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(
			naks_and_switches_are_told_apart, open_lab, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
