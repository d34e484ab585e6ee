// SPDX-License-Identifier: BSD-3-Clause
// Tests of the maps of PSNs that the queue pairs of a NIC share.
#include "nic_lab.h"

#include "stat_row.h"
#include "transport/irn.h"
#include "wire/bth.h"

#define PAIRS (NIC_MAPS + 3)

static void add(struct lab *l, const struct rc_cfg *rc, uint32_t number)
{
	struct nic_qp_params rsp = {.flow = number,
		.qpn = number + 1,
		.peer_qpn = 5,
		.ack_hdr = &l->back_hdr,
		.cnp_hdr = &l->back_hdr,
		.cls = 3,
		.ack_cls = 6,
		.rc = rc};

	assert_int_equal(nic_add_qp(l->nic[1], &rsp), 0);
}

// PSN 1 of a SEND arrives; PSN 0 is missing.
static void early(struct lab *l, uint32_t number)
{
	lab_rx(l, 1,
		&(struct pkt){.kind = PKT_DATA,
			.len = 1082,
			.u.rc = {.opcode = BTH_RC_SEND_MIDDLE,
				.qpn = number + 1,
				.psn = 1,
				.payload = 1024}});
}

// More queue pairs miss a packet than there are maps: the early packets of the others count as
// lost, and a counter tells how many.
static void packets_without_a_map_are_counted(void **state)
{
	struct rc_params p = lab_rc_params();
	int row = stat_find(&nic_stat_table, "map_misses");
	struct rc_cfg rc;
	struct lab l;

	(void)state;
	p.verb = RC_SEND;
	p.recovery = RC_IRN;
	p.window = 64;
	p.rto_low_ps = p.rto_ps / 3;
	p.nack_threshold = 1;
	assert_int_equal(rc_cfg_init(&rc, &p), 0);
	lab_init(&l);
	l.p[1].max_qps = PAIRS;
	lab_start(&l);
	assert_true(row >= 0);
	assert_false(stat_has(&nic_stat_table, nic_stats(l.nic[1]), (unsigned)row));
	for (uint32_t i = 0; i < PAIRS; i++)
		add(&l, &rc, i);
	for (uint32_t i = 0; i < PAIRS; i++)
		early(&l, i);
	nic_account(l.nic[1], 0);
	assert_true(stat_has(&nic_stat_table, nic_stats(l.nic[1]), (unsigned)row));
	assert_int_equal(stat_get(&nic_stat_table, nic_stats(l.nic[1]), (unsigned)row), 3);
	assert_int_equal(nic_stats(l.nic[1])->out_of_sequence, PAIRS);
	assert_int_equal(nic_qp_stats(l.nic[1], NIC_MAPS - 1)->nak_tx, 1);
	assert_int_equal(nic_qp_stats(l.nic[1], NIC_MAPS)->nak_tx, 0);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_without_a_map_are_counted),
	};

	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
