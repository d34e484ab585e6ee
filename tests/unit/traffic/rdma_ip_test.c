// SPDX-License-Identifier: BSD-3-Clause
// ConnectX's parameters, the RDMA IP's at a line rate, registers by name.
#include "scene_lab.h"

#include "schema/schema.h"

#define CONTROL(text)                                                               \
	"controls: {c: " text "}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {f: {from: h1..2, to: r, control: c}}\n"

static void rdma_ip_has_defaults_at_a_line_rate(void **state)
{
	struct scene *s = lab(CONTROL("{profile: rdma_ip}"));
	const struct rdma_ip_reg_params *p = &s->control[0]->cfg.u.rdma_ip;
	const struct rdma_ip_qp_regs *q = &p->init.qp;

	(void)state;
	assert_string_equal(s->control[0]->profile, "rdma_ip");
	assert_int_equal(s->control[0]->cfg.kind, RP_RDMA_IP);
	assert_ptr_equal(s->flow[1]->req.rp, &s->control[0]->cfg);
	assert_int_equal(s->flow[1]->req.tos & 3, ECN_ECT0);
	assert_int_equal(p->core.rp.clock_hz, 322265625);
	assert_int_equal(p->core.rp.alpha_bits, 10);
	assert_int_equal(p->core.rp.byte_unit, 1);
	assert_int_equal(p->core.limiter, RDMA_IP_SPACING);
	assert_int_equal(p->core.rp.fr_convention, RP_FR_X);
	assert_int_equal(p->core.rp.clamp_target, RP_CLAMP_ALWAYS);
	assert_int_equal(q->rp.max_rate, 9930); // 25 Gb/s
	assert_int_equal(p->initial_rate, 9930);
	assert_int_equal(p->initial_alpha, 1023);
	assert_int_equal(q->rp.rate_ai, 16);
	assert_int_equal(q->rp.rate_hai, 79);
	assert_int_equal(q->rp.min_rate, 16);
	assert_int_equal(q->rp.nocnp_timer_th, 55);
	assert_int_equal(q->rp.alpha_timer_th, 55);
	assert_int_equal(q->rp.rx_cnp_merge_period, 4);
	assert_int_equal(q->rp.byte_cnt_th, 524287);
	assert_int_equal(q->rp.upd_alpha_g, 4);
	assert_int_equal(q->rp.alpha_rate_shift, 1);
	assert_int_equal(q->rp.phase_threshold, 5);
	assert_int_equal(q->cnp_timer_thrd, 16113); // 50 us
	assert_true(q->rp.hw_en && q->hw_rate_throttle_en && q->speed_limiter_en &&
		    q->tx_wqe_ost_limit_en && !q->cnp_int_en);
	assert_int_equal(p->n_preload, 0);
	scene_free(s);
}

static void rdma_ip_takes_every_key(void **state)
{
	struct scene *s = lab(CONTROL(
		"{profile: rdma_ip, clock: 250MHz, scheme: 2, limiter: window, merge: period_end, "
		"merged_restart: true, "
		"alpha_bits: 18, byte_unit: 64, clamp_target: after_bytes, fr_convention: P, "
		"hai_progressive: true, nocnp_timer_th: 300us, byte_cnt_th: 32767, "
		"alpha_timer_th: 1us, "
		"rx_cnp_merge_period: 50us, max_rate: 20Gbps, min_rate: 0bps, rate_ai: 1Mbps, "
		"rate_hai: 40Gbps, "
		"upd_alpha_g: 5, alpha_rate_shift: 0, phase_threshold: 1, min_dec_fac: 50, "
		"cnp_timer_thrd: 7us, "
		"cnp_timer_unit: us, cnp_int_en: true, initial_rate: 10Gbps, initial_alpha: 512, "
		"registers: {dcqcn_rate_ai: 0x10, ALPHA_MEM: 600}}"));
	const struct rdma_ip_reg_params *p = &s->control[0]->cfg.u.rdma_ip;
	const struct rdma_ip_qp_regs *q = &p->init.qp;

	(void)state;
	assert_int_equal(p->core.rp.clock_hz, 250000000);
	assert_int_equal(p->core.limiter, RDMA_IP_WINDOW);
	assert_int_equal(p->core.rp.merge, RDMA_IP_RP_PERIOD_END);
	assert_true(
		p->core.rp.merged_restart && p->core.rp.hai_progressive && p->core.cnp_timer_us);
	assert_int_equal(p->core.rp.alpha_bits, 18);
	assert_int_equal(p->core.rp.byte_unit, 64);
	assert_int_equal(p->core.rp.clamp_target, RP_CLAMP_AFTER_BYTES);
	assert_int_equal(p->core.rp.fr_convention, RP_FR_P);
	assert_int_equal(q->rp.max_rate, 10240);
	assert_int_equal(p->initial_rate, 5120);
	assert_int_equal(q->rp.min_rate, 0);
	assert_int_equal(q->rp.rate_ai, 1); // half a unit is one
	assert_int_equal(q->rp.rate_hai, 20480);
	assert_int_equal(q->cnp_timer_thrd, 7);
	assert_false(q->rp.hw_en);
	assert_true(q->hw_rate_throttle_en && q->cnp_int_en);
	assert_int_equal(q->rp.min_dec_fac, 50);
	assert_int_equal(p->initial_alpha, 512);
	assert_int_equal(p->n_preload, 2);
	assert_int_equal(p->preload[0].place.address, 0x200208);
	assert_int_equal(p->preload[0].place.width, 16);
	assert_int_equal(p->preload[0].value, 16);
	assert_int_equal(p->preload[1].place.address, 0x600010);
	assert_int_equal(p->preload[1].place.width, 64);
	// The resolved scenario has it again, registers too.
	assert_non_null(strstr(s->resolved, "clock: 250MHz"));
	assert_non_null(strstr(s->resolved, "registers: {dcqcn_rate_ai: 0x10, ALPHA_MEM: 600}"));
	scene_free(s);
}

static void third_scheme_has_all_bits_off(void **state)
{
	struct scene *s = lab(CONTROL("{profile: rdma_ip, scheme: 3}"));
	const struct rdma_ip_qp_regs *q = &s->control[0]->cfg.u.rdma_ip.init.qp;

	(void)state;
	assert_false(q->rp.hw_en || q->hw_rate_throttle_en || q->speed_limiter_en ||
		     q->tx_wqe_ost_limit_en);
	scene_free(s);
}

static void a_slow_clock_ends_below_the_line(void **state)
{
	struct scene *s = lab_with(
		CONTROL("{profile: rdma_ip, clock: 156.25MHz}"), "links.0.rate", "100Gbps");

	(void)state;
	assert_int_equal(s->control[0]->cfg.u.rdma_ip.init.qp.rp.max_rate, 65535);
	assert_int_equal(s->n_warnings, 2); // and no switch marks its class
	assert_non_null(strstr(s->warning[0].text, "rates end at 79.998Gbps"));
	assert_non_null(strstr(s->warning[1].text, "it hears nothing of congestion"));
	scene_free(s);
	lab_refuse(CONTROL("{profile: rdma_ip, clock: 10MHz, max_rate: 25Gbps}"),
		"lab.yaml:1:58: control 'c': max_rate 25Gbps is 320000 bytes in 1024 cycles at "
		"10MHz, and "
		"registers hold 65535, 5.119Gbps");
}

static void what_registers_cannot_hold_is_told(void **state)
{
	(void)state;
	lab_refuse(CONTROL("{profile: rdma_ip, g: 1/256}"),
		"lab.yaml:1:34: unknown key 'g' in a control of profile rdma_ip; did you mean "
		"'upd_alpha_g'?");
	lab_refuse(CONTROL("{profile: rdma_ip, xyzzy: 1}"),
		"lab.yaml:1:34: unknown key 'xyzzy' in a control of profile rdma_ip");
	assert_non_null(strstr(lab_err.text, scene_opts_rdma_ip.row[scene_opts_rdma_ip.n - 1].key));
	lab_refuse(CONTROL("{profile: rdma_ip, alpha_bits: 12}"),
		"lab.yaml:1:46: control 'c': alpha_bits is 10, as in the register, or 18 to 32");
	lab_refuse(CONTROL("{profile: rdma_ip, nocnp_timer_th: 1500ns}"),
		"lab.yaml:1:50: control 'c': nocnp_timer_th 1.5us is not a whole number of "
		"microseconds");
	lab_refuse(CONTROL("{profile: rdma_ip, clock: 250}"),
		"lab.yaml:1:41: clock: '250' has no unit; write a frequency, as in 250MHz");
	lab_refuse(CONTROL("{profile: rdma_ip, min_rate: 10Gbps, max_rate: 5Gbps}"),
		"lab.yaml:1:44: control 'c': min_rate is above max_rate");
	lab_refuse(CONTROL("{profile: rdma_ip, registers: {dcqcn_rate_al: 1}}"),
		"lab.yaml:1:46: the RDMA IP has no register 'dcqcn_rate_al'; did you mean "
		"'dcqcn_rate_ai'?");
	lab_refuse(CONTROL("{profile: rdma_ip, registers: {dcqcn_rate_ai: x}}"),
		"lab.yaml:1:61: 'x' is no register's value; write a whole number, as in 512 or "
		"0x200");
	lab_refuse(CONTROL("{profile: rdma_ip, registers: {dcqcn_rate_ai: 65536}}"),
		"lab.yaml:1:61: '65536' is more than the 16 bits of DCQCN_STEP.dcqcn_rate_ai");
}

static void a_nic_has_one_set_of_registers(void **state)
{
	(void)state;
	lab_refuse("controls: {a: {profile: rdma_ip}, b: {profile: rdma_ip}}\nduration: "
		   "1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
		   "flows: {f: {from: h1, to: r, control: a}, g: {from: h1, to: r, control: b}}\n",
		"lab.yaml:6:73: host 'h1' sends with the controls 'a' and 'b'; its RDMA IP has "
		"one set of "
		"registers");
}

static void connectx_speaks_mlx5(void **state)
{
	struct scene *s = lab(CONTROL(
		"{profile: connectx, rpg_time_reset: 55us, rpg_byte_reset: 150, rpg_threshold: 5, "
		"rpg_ai_rate: "
		"40Mbps, rpg_hai_rate: 200Mbps, rpg_min_rate: 10Mbps, rpg_gd: 10, "
		"rpg_min_dec_fac: 60, "
		"rate_to_set_on_first_cnp: 20Gbps, dce_tcp_g: 1020, dce_tcp_rtt: 2us, "
		"initial_alpha_value: "
		"512, rate_reduce_monitor_period: 50us, clamp_tgt_rate: false, "
		"clamp_tgt_rate_after_time_inc: "
		"false}"));
	const struct dcqcn_rp_cfg *c = &s->control[0]->cfg.u.dcqcn;

	(void)state;
	assert_string_equal(s->control[0]->profile, "connectx");
	assert_int_equal(s->control[0]->cfg.kind, RP_DCQCN);
	assert_ptr_equal(s->flow[0]->req.rp, &s->control[0]->cfg);
	assert_int_equal(c->p.rate_timer_ps, 55 * PS_PER_US);
	assert_int_equal(c->byte_counter, 9600);
	assert_int_equal(c->p.f, 5);
	assert_int_equal(c->p.ai_rate, 40 * RATE_MBPS);
	assert_int_equal(c->p.hai_rate, 200 * RATE_MBPS);
	assert_int_equal(c->p.min_rate, 10 * RATE_MBPS);
	assert_int_equal(c->p.cut_shift, 0);
	assert_int_equal(c->p.min_dec_fac, 60);
	assert_int_equal(c->first_cnp_rate, 20 * RATE_GBPS);
	assert_int_equal(c->one_minus_g >> 50, 1020);
	assert_int_equal(c->p.alpha_timer_ps, 2 * PS_PER_US);
	assert_int_equal(c->initial_alpha >> 50, 512);
	assert_int_equal(c->p.cut_interval_ps, 50 * PS_PER_US);
	assert_int_equal(c->p.clamp_target, RP_CLAMP_AFTER_BYTES);
	scene_free(s);
	s = lab(CONTROL("{profile: connectx}"));
	assert_int_equal(s->control[0]->cfg.u.dcqcn.p.clamp_target, RP_CLAMP_AFTER_INCREASE);
	assert_int_equal(s->control[0]->cfg.u.dcqcn.first_cnp_rate, 25 * RATE_GBPS);
	scene_free(s);
	s = lab(CONTROL("{profile: connectx, clamp_tgt_rate: true}"));
	assert_int_equal(s->control[0]->cfg.u.dcqcn.p.clamp_target, RP_CLAMP_ALWAYS);
	scene_free(s);
}

static void what_connectx_cannot_hold_is_told(void **state)
{
	(void)state;
	lab_refuse(CONTROL("{profile: connectx, rpg_ai_rate: 1500Kbps}"),
		"lab.yaml:1:48: control 'c': rpg_ai_rate 1.5Mbps is not a whole number of Mb/s");
	lab_refuse(CONTROL("{profile: connectx, rate_to_set_on_first_cnp: 40Gbps}"),
		"lab.yaml:1:61: control 'c': rate_to_set_on_first_cnp 40Gbps is not between "
		"rpg_min_rate and "
		"the line rate 25Gbps");
	lab_refuse(CONTROL("{profile: connectx, rpg_gd: 7}"),
		"lab.yaml:1:43: rpg_gd: 7 is out of range");
	lab_refuse(CONTROL("{profile: connectx, rpg_min_rate: 40Gbps}"),
		"lab.yaml:1:12: control 'c': min_rate 40Gbps is above the line rate 25Gbps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rdma_ip_has_defaults_at_a_line_rate),
		cmocka_unit_test(rdma_ip_takes_every_key),
		cmocka_unit_test(third_scheme_has_all_bits_off),
		cmocka_unit_test(a_slow_clock_ends_below_the_line),
		cmocka_unit_test(what_registers_cannot_hold_is_told),
		cmocka_unit_test(a_nic_has_one_set_of_registers),
		cmocka_unit_test(connectx_speaks_mlx5),
		cmocka_unit_test(what_connectx_cannot_hold_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
