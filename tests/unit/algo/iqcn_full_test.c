// SPDX-License-Identifier: BSD-3-Clause
// iQCN's flow table at its default size, and twice as many flows.
#include "algo/iqcn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

// 64 Ki flows are known by default; of twice as many the rest gave way, and is counted.
static void as_many_flows_as_the_table_has_entries(void **state)
{
	struct hdr h = {.flags = HDR_IPV4, .saddr = {10, 0, 0, 9}, .daddr = {10, 0, 0, 1}};
	struct pkt cnp = {.hdr = &h, .kind = PKT_CNP, .len = 74};
	struct iqcn_params p;
	struct iqcn_cfg cfg;
	struct iqcn q;

	(void)state;
	iqcn_defaults(&p);
	assert_int_equal(iqcn_cfg_init(&cfg, &p), 0);
	assert_int_equal(iqcn_init(&q, &cfg, 7), 0);
	assert_int_equal((q.table.set_mask + 1) * TABLE_WAYS, 65536);
	for (uint32_t i = 0; i < 131072; i++) {
		cnp.u.rc.qpn = i;
		iqcn_cnp(&q, 0, &cnp, i);
	}
	assert_int_equal(q.stats.learned, 131072);
	assert_int_equal(q.stats.aged, 0);
	assert_int_equal(q.stats.table_full, 131072 - q.flows);
	assert_in_range(q.flows, 64000, 65536); // a set of four that few fell into has room left
	assert_int_equal(q.port[0].flows, q.flows);
	iqcn_fini(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_flows_as_the_table_has_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
