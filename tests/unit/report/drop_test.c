// SPDX-License-Identifier: BSD-3-Clause
// Frames that were discarded: what the table says adds up.
#include "record_net.h"

static void has(const char *text, const char *what)
{
	if (!text || !strstr(text, what))
		fail_msg("\"%s\" is not in\n%s", what, text ? text : "");
}

// Reasons add up to the frames that stand before them: losses, and what is filtered.
static void reasons_add_up(void **state)
{
	struct sw_port_stats *sw;
	struct nic_stats *nic;
	struct net_lab n;

	(void)state;
	net_open(&n);
	sw = (struct sw_port_stats *)sw_port_stats(n.net->node[n.s1].u.sw, 0);
	nic = (struct nic_stats *)nic_stats(n.net->node[n.h1].u.nic);
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
		cmocka_unit_test(reasons_add_up),
		cmocka_unit_test(nothing_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
