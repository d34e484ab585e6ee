// SPDX-License-Identifier: BSD-3-Clause
// Counters of switch ports and NICs by path, over the window, and frames that were discarded: what
// the table says adds up.
#include "figure_lab.h"
#include "record_net.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

static void run(const char *warmup, const char *path, const char *value)
{
	const struct scene_set set[] = {{"warmup", warmup}, {path, value}};

	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 2, false), 0);
}

static void counters_are_of_the_window(void **state)
{
	(void)state;
	run("500us", "seed", "2");
	// The frames that a NIC sent in the window arrived at the switch, except for frames on the
	// wire at its edges.
	assert_true(fabs(v("nic.h1.tx_frames") - v("port.s1:h1.rx_frames")) <= 5);
	assert_true(v("port.s1:h1.rx_frames") > 100);
	// XOFF and XON of the port, and nothing else that it made up.
	assert_true(v("port.s1:h1.originated_frames") ==
		    v("pfc_tx.s1:h1.3.xoff_frames") + v("pfc_tx.s1:h1.3.xon_frames"));
	assert_true(isnan(v("port.s1:h1.nothing")));
	assert_true(isnan(v("port.s1:x.rx_frames")));
	assert_true(v("port.s1:r.malformed_short_ip") == 0);
	lab_close(&l);
}

// A limit of the egress queue is the egress port's, the group's own the ingress port's.
static void drops_are_told_apart_by_side(void **state)
{
	(void)state;
	run("0us", "switches.s1.classes.3.tail_limit", "10KB");
	assert_true(v("drop.tail") > 0);
	assert_true(v("port.s1:r.tx_dropped_frames") == v("drop.tail"));
	assert_true(v("port.s1:h1.drop_tail") + v("port.s1:h2.drop_tail") == v("drop.tail"));
	lab_close(&l);
	run("0us", "switches.s1.classes.3.pfc.headroom", "0");
	assert_true(v("drop.headroom") > 0);
	assert_true(v("port.s1:r.tx_dropped_frames") == 0);
	// Told when the run is over: a lossless loss fails it, its books are right all the same.
	assert_false(report_passed(l.rec));
	assert_true(verdict_conserved(l.rec->sum));
	lab_close(&l);
}

static void has(const char *text, const char *what)
{
	if (!text || !strstr(text, what))
		fail_msg("\"%s\" is not in\n%s", what, text ? text : "");
}

// A port does not count them where the address of its link's other end is not known.
static void pauses_of_strangers_have_a_row(void **state)
{
	for (unsigned known = 0; known < 2; known++) {
		struct sw_port_stats *sw;
		struct nic_stats *nic;
		struct net_lab n;

		(void)state;
		net_open(&n);
		sw = (struct sw_port_stats *)sw_port_rare_stats(net_node(n.net, n.s1)->u.sw, 0);
		nic = (struct nic_stats *)nic_stats(net_nic(n.net, n.h1));
		sw->pause_stranger_frames = 1;
		nic->pause_stranger_frames = 3;
		sw->knows_far = nic->knows_far = known;
		net_finish(&n, 1000);
		if (known) {
			has(report_text(n.report),
				"  strangers   s1:h1: 1 PFC or PAUSE frame came from another "
				"address than the link's other end has\n");
			has(report_text(n.report), "  strangers   h1: 3 PFC or PAUSE frames came ");
			assert_true(
				report_value(n.report, "port.s1:h1.pause_stranger_frames") == 1);
		} else {
			assert_null(strstr(report_text(n.report), "strangers"));
			assert_true(
				isnan(report_value(n.report, "port.s1:h1.pause_stranger_frames")));
			assert_true(isnan(report_value(n.report, "nic.h1.pause_stranger_frames")));
		}
		net_close(&n);
	}
}

// Reasons add up to the frames before them: losses and filtered frames.
static void reasons_add_up(void **state)
{
	struct sw_port_stats *sw;
	struct nic_stats *nic;
	struct net_lab n;

	(void)state;
	net_open(&n);
	sw = (struct sw_port_stats *)sw_port_rare_stats(net_node(n.net, n.s1)->u.sw, 0);
	nic = (struct nic_stats *)nic_stats(net_node(n.net, n.h1)->u.nic);
	sw->drop[SW_DROP_MALFORMED] = 2;
	sw->drop[SW_DROP_TOO_LONG] = 1;
	sw->drop[SW_DROP_RESERVED] = 6;
	sw->drop[SW_DROP_SAME_PORT] = 1;
	nic->drop[NIC_DROP_NO_QP] = 4;
	nic->drop[NIC_DROP_NOT_FOR_US] = 5;
	net_finish(&n, 1000);
	has(report_text(n.report),
		"  drops       7 frames: malformed 2, too_long 1, nic no_qp 4\n");
	has(report_text(n.report),
		"  filtered    12 frames: reserved 6, same_port 1, nic not_for_us 5, no loss\n");
	assert_true(report_value(n.report, "total.filtered") == 12);
	net_close(&n);
}

static void nothing_is_none(void **state)
{
	struct net_lab n;

	(void)state;
	net_open(&n);
	net_finish(&n, 1000);
	has(report_text(n.report), "  drops       none\n");
	assert_null(strstr(report_text(n.report), "filtered"));
	net_close(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_of_the_window),
		cmocka_unit_test(drops_are_told_apart_by_side),
		cmocka_unit_test(pauses_of_strangers_have_a_row),
		cmocka_unit_test(reasons_add_up),
		cmocka_unit_test(nothing_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
