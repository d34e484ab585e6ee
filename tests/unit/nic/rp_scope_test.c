// SPDX-License-Identifier: BSD-3-Clause
// Whom a CNP slows: its queue pair, or all of the NIC's queue pairs in the class.
#include "nic_lab.h"

static void cnp(struct lab *l, uint32_t qpn)
{
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_CNP, .len = 74, .u.rc = {.opcode = 0x81, .qpn = qpn}});
}

// standards.md 6.3: a CNP is for its queue pair; with rp_scope: priority for all of its class.
static void whom_a_cnp_slows(void **state)
{
	(void)state;
	for (unsigned by_class = 0; by_class < 2; by_class++) {
		struct rp_cfg rp = rp_of_profile("paper", 100 * RATE_GBPS);
		struct lab l;

		lab_init(&l);
		l.p[0].rp_by_class = by_class;
		lab_start(&l);
		for (uint32_t qpn = 1; qpn <= 4; qpn++) {
			struct nic_qp_params p = lab_req(&l, qpn);

			p.cls = qpn == 3 ? 4 : 3;
			p.rp = qpn == 4 ? NULL : &rp;
			lab_add(&l, &p);
		}
		lab_run(&l, 5 * PS_PER_US);
		cnp(&l, 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 1)->rate_cuts, by_class);
		assert_int_equal(nic_qp_stats(l.nic[0], 2)->rate_cuts, 0); // of another class
		assert_int_equal(nic_qp_stats(l.nic[0], 3)->rate_cuts, 0); // without a control
		assert_int_equal(nic_qp_stats(l.nic[0], 1)->cnp_rx, 0);
		assert_int_equal(nic_stats(l.nic[0])->rp_cnp_handled, 1);
		assert_int_equal(
			rp_rate(nic_qp_rp(l.nic[0], 1)), (by_class ? 50 : 100) * RATE_GBPS);
		cnp(&l, 4); // ignored, whatever the scope
		assert_int_equal(nic_stats(l.nic[0])->rp_cnp_ignored, 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 1)->rate_cuts, by_class);
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whom_a_cnp_slows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
