// SPDX-License-Identifier: BSD-3-Clause
// dut.yaml: it is a scenario that compiles, and its switch has the values that were found.
#include <math.h>

#include "compile/compile.h"
#include "device_lab.h"

static struct scene *compiled(void)
{
	char *text = written(device_scenario, false);
	const struct scene_opts opts = {.text = text, .size = strlen(text)};
	struct scene *s;
	struct err err;

	if (compile_scene(&s, "dut.yaml", &opts, &err))
		fail_msg("%s in:\n%s", err.text, text);
	free(text);
	return s;
}

static void a_dynamic_device(void **state)
{
	struct scene *s = compiled();
	const struct scene_node *n = &s->node[scene_node(s, "dut")];
	const struct sw_params *sw = &n->u.sw;
	const struct sw_class_params *c = &sw->set[0].cls[3];
	const struct mmu_pg_params *pg = &sw->port[0].pg[3];

	(void)state;
	assert_int_equal(n->shared_bytes, 1803360);
	assert_int_equal(sw->cell_bytes, 208);
	assert_int_equal(n->latency, 450 * PS_PER_NS);
	assert_int_equal(sw->n_ports, 4);
	assert_int_equal(sw->port[0].rate, 100 * RATE_GBPS);
	assert_int_equal(sw->port[0].pfc_response, 300 - 88); // less 450 ns of latency
	assert_int_equal(sw->set[0].dscp_to_class[24], 3);
	assert_int_equal(sw->set[0].dscp_to_class[26], 3);
	assert_int_equal(sw->set[0].dscp_to_class[25], 0);
	assert_int_equal(sw->set[0].dscp_to_class[48], 6);
	assert_int_equal(pg->threshold, MMU_DYNAMIC);
	assert_int_equal(pg->dynamic_th, -4);
	assert_int_equal(pg->reserved_bytes, 8112);
	assert_int_equal(pg->headroom_bytes, 159952 + 208); // and the frame that crosses XOFF
	assert_int_equal(pg->xon_offset_bytes, (114192 - 104208) * 17 / 16);
	assert_int_equal(c->quanta, 40000);
	assert_int_equal(c->refresh_permille, 500);
	assert_int_equal(c->mark, SW_MARK_DEQUEUE);
	assert_int_equal(c->red.kmin_bytes, 24729);
	assert_int_equal(c->red.kmax_bytes, 58880);
	assert_true(fabs(c->red.pmax - 0.0488) < 1e-6);
	assert_int_equal(c->weight, 4 * sw->set[0].cls[0].weight);
	scene_free(s);
}

static void a_device_that_trusts_pcps(void **state)
{
	struct scene *s;
	const struct sw_params *sw;

	(void)state;
	memset(about.dscp, PROBE_NO_DSCP, sizeof(about.dscp));
	memset(found.dscps, 0, sizeof(found.dscps));
	found.pcps[3] = 1 << 5;
	about.pcp[6] = 1;
	s = compiled();
	sw = &s->node[scene_node(s, "dut")].u.sw;
	assert_int_equal(sw->set[0].pcp_to_class[5], 3);
	assert_int_equal(sw->set[0].pcp_to_class[1], 6);
	assert_int_equal(sw->set[0].pcp_to_class[3], 0); // no PCP of the lossless class was told
	assert_int_equal(sw->set[0].pcp_to_class[4], 4);
	scene_free(s);
}

static void a_static_device(void **state)
{
	struct scene *s;
	const struct sw_params *sw;
	const struct mmu_pg_params *pg;

	(void)state;
	found_is(&found, 3, PROBE_THRESHOLD, 0, 0);
	found_is(&found, 3, PROBE_RESERVE, 0, 0);
	found_state(&found, 3, PROBE_REFRESH, FOUND_NONE, 0, NULL);
	found_is(&found, 3, PROBE_MARK, 1, 0);
	found_is(&found, 3, PROBE_WEIGHT, 1.5, 0.005);
	found_is(&found, 3, PROBE_WATCHDOG, 1, 0);
	found_is(&found, 3, PROBE_DETECT, 400, 10);
	found_is(&found, 3, PROBE_POLL, 50, 1);
	s = compiled();
	sw = &s->node[scene_node(s, "dut")].u.sw;
	pg = &sw->port[0].pg[3];
	assert_int_equal(pg->threshold, MMU_STATIC);
	assert_int_equal(pg->static_bytes, 114192);
	assert_int_equal(pg->static_bytes - pg->xon_offset_bytes, 104208);
	assert_int_equal(sw->set[0].cls[3].refresh_permille, 0);
	assert_int_equal(sw->set[0].cls[3].mark, SW_MARK_ENQUEUE);
	assert_int_equal(sw->set[0].cls[3].weight, 3);
	assert_int_equal(sw->set[0].cls[0].weight, 2);
	assert_int_equal(sw->port[0].wd.detection, 400 * PS_PER_US);
	assert_int_equal(sw->port[0].wd.poll, 50 * PS_PER_US);
	assert_true(sw->buffer_bytes >= 4 * (114192 + 160160));
	scene_free(s);
}

static void a_device_of_which_nothing_is_known(void **state)
{
	(void)state;
	found = (struct probe_found){0};
	scene_free(compiled());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, found_make, found_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_dynamic_device),
		TEST(a_device_that_trusts_pcps),
		TEST(a_static_device),
		TEST(a_device_of_which_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
