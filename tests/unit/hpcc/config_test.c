// SPDX-License-Identifier: BSD-3-Clause
// Configurations of the HPCC simulator: which keys become what, and which are named.
#include "hpcc_lab.h"

#define MARKS                                            \
	"KMAX_MAP 2 25000000000 400 100000000000 1600\n" \
	"KMIN_MAP 2 25000000000 100 100000000000 400\n"  \
	"PMAX_MAP 2 25000000000 0.20 100000000000 0.20\n"

static void dcqcn_is_a_control(void **state)
{
	struct hpcc_import in;
	struct scene *s;
	const struct dcqcn_rp_params *p;

	(void)state;
	hpcc_get(&in, HPCC_STAR, HPCC_FLOWS,
		"CC_MODE 1\nSIMULATOR_STOP_TIME 2.01\nPACKET_PAYLOAD_SIZE 500\nBUFFER_SIZE 8\n"
		"ALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 300\n"
		"EWMA_GAIN 0.00390625\nFAST_RECOVERY_TIMES 1\nCLAMP_TARGET_RATE 0\n"
		"RATE_AI 5Mb/s\nRATE_HAI 50Mb/s\nMIN_RATE 1000Mb/s\n" MARKS);
	s = lab(in.yaml);
	assert_int_equal(s->duration, 2010 * PS_PER_MS);
	assert_int_equal(s->flow[0]->rc->p.mtu, 500);
	assert_non_null(s->flow[0]->rp);
	assert_int_equal(s->flow[0]->rp->kind, RP_DCQCN);
	p = &s->flow[0]->rp->u.dcqcn.p;
	assert_int_equal(p->alpha_timer_ps, PS_PER_US);
	assert_int_equal(p->cut_interval_ps, 4 * PS_PER_US);
	assert_int_equal(p->rate_timer_ps, 300 * PS_PER_US);
	assert_int_equal(p->f, 1);
	assert_int_equal(p->ai_rate, 5000000);
	assert_int_equal(p->hai_rate, 50000000);
	assert_int_equal(p->min_rate, RATE_GBPS);
	hpcc_has(&in, "wred: {min: 100KB, max: 400KB, probability: 0.20, mark: dequeue}");
	hpcc_has(&in, "switches: {buffer: 8MiB}");
	assert_false(hpcc_is_left(&in, "KMIN_MAP"));
	scene_free(s);
	hpcc_free(&in);
}

static void dctcp_and_timely_have_their_own(void **state)
{
	struct hpcc_import in;

	(void)state;
	hpcc_get(&in, HPCC_STAR, HPCC_FLOWS,
		"CC_MODE 8\nEWMA_GAIN 0.0625\nDCTCP_RATE_AI 615Mb/s\nRATE_AI 5Mb/s\n");
	hpcc_has(&in, "    profile: dctcp ");
	hpcc_has(&in, "    ai_rate: 615Mb/s ");
	assert_true(hpcc_is_left(&in, "RATE_AI: the control of this CC_MODE has no such key"));
	scene_free(lab(in.yaml));
	hpcc_free(&in);
	hpcc_get(&in, HPCC_STAR, HPCC_FLOWS, "CC_MODE 7\nRATE_AI 25Mb/s\nMIN_RATE 1Gb/s\n");
	hpcc_has(&in, "    profile: timely ");
	hpcc_has(&in, "    delta: 25Mb/s ");
	scene_free(lab(in.yaml));
	hpcc_free(&in);
}

static void what_is_not_taken_is_named(void **state)
{
	struct hpcc_import in;

	(void)state;
	hpcc_get(&in, HPCC_STAR, HPCC_FLOWS,
		"CC_MODE 3\nU_TARGET 0.95\nMI_THRESH 0\nLINK_DOWN 0 0 0\nERROR_RATE_PER_LINK "
		"0.0\nLB_MODE 9\n");
	assert_true(hpcc_is_left(&in, "CC_MODE 3: quench has no such control"));
	assert_true(hpcc_is_left(&in, "U_TARGET, MI_THRESH: for HPCC's own control"));
	assert_true(hpcc_is_left(&in, "LB_MODE: quench knows no such key"));
	assert_false(hpcc_is_left(&in, "LINK_DOWN"));
	assert_false(hpcc_is_left(&in, "ERROR_RATE_PER_LINK"));
	assert_null(strstr(in.yaml, "controls:"));
	hpcc_free(&in);
	hpcc_get(&in, HPCC_STAR, HPCC_FLOWS,
		"CC_MODE 1\nLINK_DOWN 2000000 0 1\nERROR_RATE_PER_LINK 0.01\nENABLE_QCN 0\n" MARKS);
	assert_true(hpcc_is_left(&in, "LINK_DOWN"));
	assert_true(hpcc_is_left(&in, "ERROR_RATE_PER_LINK: links lose nothing here"));
	assert_null(strstr(in.yaml, "wred"));
	hpcc_free(&in);
}

static const struct red_params *red_of(const struct scene *s, const char *node, unsigned port)
{
	const struct sw_params *p = &lab_node(s, node)->u.sw;

	return &p->set[p->port[port].set].cls[3].red;
}

// Both switches have rows for both speeds; a row that a switch has no port for changes nothing.
static void each_speed_has_its_marker(void **state)
{
	struct hpcc_import in;
	struct scene *s;

	(void)state;
	hpcc_get(&in, "4 2 3\n2 3\n0 2 25Gbps 1us 0\n1 2 25Gbps 1us 0\n2 3 100Gbps 1us 0\n",
		HPCC_FLOWS, "CC_MODE 1\n" MARKS);
	hpcc_has(&in,
		"wred: {by_rate: {25Gbps: {min: 100KB, max: 400KB, probability: 0.20}, 100Gbps: "
		"{min: 400KB, max: 1600KB, probability: 0.20}}, mark: dequeue}");
	assert_false(hpcc_is_left(&in, "KMIN_MAP"));
	s = lab(in.yaml);
	assert_int_equal(red_of(s, "n2", 0)->kmin_bytes, 100000);
	assert_int_equal(red_of(s, "n2", 2)->kmin_bytes, 400000);
	assert_int_equal(red_of(s, "n2", 2)->kmax_bytes, 1600000);
	assert_int_equal(red_of(s, "n3", 0)->kmin_bytes, 400000);
	scene_free(s);
	hpcc_free(&in);
}

static void a_wrong_configuration_is_told_by_its_place(void **state)
{
	(void)state;
	hpcc_refuse(HPCC_STAR, "", "config.txt:1:1: no key that the simulator's config.txt has");
	hpcc_refuse(HPCC_STAR, "CC_MODE x\n", "config.txt:1:9: CC_MODE: 'x' is no number");
	hpcc_refuse(HPCC_STAR, "CC_MODE\n", "config.txt:1:1: CC_MODE has no value");
	hpcc_refuse(
		HPCC_STAR, "CC_MODE 1\nCC_MODE 1\n", "config.txt:2:1: CC_MODE stands here twice");
	hpcc_refuse(HPCC_STAR, "RATE_AI 5\n", "config.txt:1:9: RATE_AI: '5' is no rate");
	hpcc_refuse(HPCC_STAR, "BUFFER_SIZE 0\n", "config.txt:1:13: BUFFER_SIZE: '0' is no");
	hpcc_refuse(HPCC_STAR, "EWMA_GAIN 2\n", "config.txt:1:11: EWMA_GAIN: '2' is no gain");
	hpcc_refuse(HPCC_STAR, "KMIN_MAP 2 25000000000 100\n",
		"config.txt:1:1: KMIN_MAP has 2 words behind its number; 2 speeds have");
	hpcc_refuse(HPCC_STAR, "KMIN_MAP 1 25000000000 x\n",
		"config.txt:1:24: KMIN_MAP: 'x' is no threshold");
	hpcc_refuse(HPCC_STAR, "KMIN_MAP 1 25000000000 100\n",
		"config.txt:1:1: KMIN_MAP, KMAX_MAP and PMAX_MAP must all have the speed "
		"25000000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dcqcn_is_a_control),
		cmocka_unit_test(dctcp_and_timely_have_their_own),
		cmocka_unit_test(what_is_not_taken_is_named),
		cmocka_unit_test(each_speed_has_its_marker),
		cmocka_unit_test(a_wrong_configuration_is_told_by_its_place),
	};

	return cmocka_run_group_tests(tests, hpcc_begin, hpcc_end);
}
