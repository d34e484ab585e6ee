// SPDX-License-Identifier: BSD-3-Clause
// Option tables of controls by their own names: NVIDIA's mlx5 parameters, the RDMA IP's core and
// registers.
#include "rows.h"

static const char *const merge_names[] = {"immediate", "period_end", NULL};
static const char *const convention_names[] = {"P", "N", "X", NULL};
static const char *const clamp_names[] = {"always", "after_increase", "never", "after_bytes", NULL};
static const char *const limiter_names[] = {"spacing", "window", NULL};
static const char *const timer_unit_names[] = {"cycles", "us", NULL};

// Ranges are those of the driver (standards.md 4.3).
static const struct opt connectx_rows[] = {
	{ROW(spec_connectx, profile, "profile", OPT_ENUM), .names = scene_opts_profiles,
		.example = "connectx", .help = "NVIDIA's engine, parameters by their mlx5 names"},
	{ROW(spec_connectx, rpg_time_reset, "rpg_time_reset", OPT_TIME), .min = US,
		.max = 131071 * US, .def = "300us", .help = "an increase each time it expires"},
	{ROW(spec_connectx, rpg_byte_reset, "rpg_byte_reset", OPT_UINT), .min = 1, .max = 32767,
		.def = "32767", .help = "an increase each time so many times 64 bytes were sent"},
	{ROW(spec_connectx, rpg_threshold, "rpg_threshold", OPT_UINT), .min = 1, .max = 31,
		.def = "1", .help = "F: expiries of fast recovery"},
	{ROW(spec_connectx, rpg_ai_rate, "rpg_ai_rate", OPT_RATE), .min = 1000000,
		.max = 800 * GBPS, .def = "5Mbps",
		.help = "step of additive increase; whole Mb/s, as every rate here"},
	{ROW(spec_connectx, rpg_hai_rate, "rpg_hai_rate", OPT_RATE), .min = 1000000,
		.max = 800 * GBPS, .def = "50Mbps", .help = "step of hyper increase"},
	{ROW(spec_connectx, rpg_min_rate, "rpg_min_rate", OPT_RATE), .min = 1000000,
		.max = 800 * GBPS, .def = "1Mbps", .help = "no cut goes below it"},
	{ROW(spec_connectx, initial_rate, "initial_rate", OPT_RATE), .min = 1000000,
		.max = 800 * GBPS, .def = "auto", .flags = OPT_F_AUTO,
		.help = "at which a queue pair starts, before its first CNP; auto: the line's"},
	{ROW(spec_connectx, rpg_gd, "rpg_gd", OPT_UINT), .min = 10, .max = 11, .def = "11",
		.help = "a cut takes alpha (of 1024) / 2^rpg_gd of the rate"},
	{ROW(spec_connectx, rpg_min_dec_fac, "rpg_min_dec_fac", OPT_UINT), .max = 100, .def = "50",
		.help = "a cut leaves at least so many percent of the rate"},
	{ROW(spec_connectx, rate_to_set_on_first_cnp, "rate_to_set_on_first_cnp", OPT_RATE),
		.max = 800 * GBPS, .def = "0bps",
		.help = "rate and target after the first CNP, unless lower before; 0: the line's"},
	{ROW(spec_connectx, dce_tcp_g, "dce_tcp_g", OPT_UINT), .max = 1023, .def = "1019",
		.help = "what alpha keeps at each update, of 1024"},
	{ROW(spec_connectx, dce_tcp_rtt, "dce_tcp_rtt", OPT_TIME), .min = US, .max = 131071 * US,
		.def = "1us", .help = "period of alpha's updates"},
	{ROW(spec_connectx, initial_alpha_value, "initial_alpha_value", OPT_UINT), .min = 1,
		.max = 1023, .def = "1023", .help = "alpha after the first CNP, of 1024"},
	{ROW(spec_connectx, rate_reduce_monitor_period, "rate_reduce_monitor_period", OPT_TIME),
		.min = US, .max = S, .def = "4us", .help = "CNPs within it cut once, as it ends"},
	{ROW(spec_connectx, clamp_tgt_rate, "clamp_tgt_rate", OPT_BOOL), .def = "false",
		.help = "every cut lowers the target to the rate before it; else only after the "
			"byte counter"},
	{ROW(spec_connectx, clamp_tgt_rate_after_time_inc, "clamp_tgt_rate_after_time_inc",
		 OPT_BOOL),
		.def = "true", .help = "or the timer has raised the rate since the last cut"},
};
const struct opt_table scene_opts_connectx = {
	"control of profile connectx", connectx_rows, N(connectx_rows)};

// Registers stand in units of time and rate; docs/registers.md has their own.
static const struct opt rdma_ip_rows[] = {
	{ROW(spec_rdma_ip, profile, "profile", OPT_ENUM), .names = scene_opts_profiles,
		.example = "rdma_ip", .help = "the RDMA IP's registers (docs/algo/rdma_ip.md)"},
	{ROW(spec_rdma_ip, clock, "clock", OPT_CLOCK), .min = 1000000, .max = 2000000000,
		.def = "322.265625MHz",
		.help = "of the core: a rate is counted in bytes in 1024 cycles, 65535 at most"},
	{ROW(spec_rdma_ip, scheme, "scheme", OPT_UINT), .min = 1, .max = 3, .def = "1",
		.help = "1: hardware reacts; 2: software writes CC_RATE_MEM; 3: software masks "
			"send queues"},
	{ROW(spec_rdma_ip, limiter, "limiter", OPT_ENUM), .names = limiter_names, .def = "spacing",
		.help = "frames leave a gap apart, or at the line's rate until a window of 1024 "
			"cycles has let its bytes pass"},
	{ROW(spec_rdma_ip, merge, "merge", OPT_ENUM), .names = merge_names, .def = "immediate",
		.help = "the first CNP of a merge period cuts at once, or a flag as the period "
			"ends"},
	{ROW(spec_rdma_ip, merged_restart, "merged_restart", OPT_BOOL), .def = "false",
		.help = "CNPs that were merged restart the timers too"},
	{ROW(spec_rdma_ip, alpha_bits, "alpha_bits", OPT_UINT), .min = 10, .max = 32, .def = "10",
		.help = "10: the register's arithmetic; 18 and more: alpha has bits behind it, "
			"and rises to 1"},
	{ROW(spec_rdma_ip, byte_unit, "byte_unit", OPT_UINT), .min = 1, .max = 4096, .def = "1",
		.help = "bytes that one count of byte_cnt_th is"},
	{ROW(spec_rdma_ip, clamp_target, "clamp_target", OPT_ENUM), .names = clamp_names,
		.def = "always", .help = "when a cut sets the target rate to the rate before it"},
	{ROW(spec_rdma_ip, fr_convention, "fr_convention", OPT_ENUM), .names = convention_names,
		.def = "X",
		.help = "fast recovery while the stage, counted first (P, N) or afterwards (X), "
			"is <= F (P), < F (N, X)"},
	{ROW(spec_rdma_ip, hai_progressive, "hai_progressive", OPT_BOOL), .def = "false",
		.help = "the i-th hyper increase adds i times rate_hai"},
	{ROW(spec_rdma_ip, nocnp_timer_th, "nocnp_timer_th", OPT_TIME), .max = 65535 * US,
		.def = "55us", .help = "an increase each time it expires; whole us, 0: never"},
	{ROW(spec_rdma_ip, byte_cnt_th, "byte_cnt_th", OPT_UINT), .max = 524287, .def = "524287",
		.help = "an increase each time so many byte_unit were sent; 0: never"},
	{ROW(spec_rdma_ip, alpha_timer_th, "alpha_timer_th", OPT_TIME), .max = 65535 * US,
		.def = "55us",
		.help = "alpha decays each time so long passes without a CNP; whole us, 0: never"},
	{ROW(spec_rdma_ip, rx_cnp_merge_period, "rx_cnp_merge_period", OPT_TIME), .max = 65535 * US,
		.def = "4us", .help = "CNPs within it cut once; whole us"},
	{ROW(spec_rdma_ip, max_rate, "max_rate", OPT_RATE), .min = 1000000, .max = 800 * GBPS,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "auto: the line's, or what 16 bits hold"},
	{ROW(spec_rdma_ip, min_rate, "min_rate", OPT_RATE), .max = 800 * GBPS, .def = "40Mbps",
		.help = "no cut goes below it"},
	{ROW(spec_rdma_ip, rate_ai, "rate_ai", OPT_RATE), .max = 800 * GBPS, .def = "40Mbps",
		.help = "step of additive increase"},
	{ROW(spec_rdma_ip, rate_hai, "rate_hai", OPT_RATE), .max = 800 * GBPS, .def = "200Mbps",
		.help = "step of hyper increase"},
	{ROW(spec_rdma_ip, upd_alpha_g, "upd_alpha_g", OPT_UINT), .max = 1023, .def = "4",
		.help = "gain of alpha, of 1024"},
	{ROW(spec_rdma_ip, alpha_rate_shift, "alpha_rate_shift", OPT_UINT), .max = 15, .def = "1",
		.help = "a cut takes alpha (of 1024) / 2^(shift + 10) of the rate"},
	{ROW(spec_rdma_ip, phase_threshold, "phase_threshold", OPT_UINT), .max = 31, .def = "5",
		.help = "F: expiries of fast recovery"},
	{ROW(spec_rdma_ip, min_dec_fac, "min_dec_fac", OPT_UINT), .max = 100, .def = "0",
		.help = "a cut leaves at least so many percent of the rate"},
	{ROW(spec_rdma_ip, cnp_timer_thrd, "cnp_timer_thrd", OPT_TIME), .max = S, .def = "50us",
		.help = "for so long after a CNP 8 requests are outstanding at most, else 16"},
	{ROW(spec_rdma_ip, cnp_timer_unit, "cnp_timer_unit", OPT_ENUM), .names = timer_unit_names,
		.def = "cycles", .help = "what CNP_TIMER_THRD counts"},
	{ROW(spec_rdma_ip, cnp_int_en, "cnp_int_en", OPT_BOOL), .def = "false",
		.help = "a CNP raises the interrupt: an event, and a call of firmware"},
	{ROW(spec_rdma_ip, initial_rate, "initial_rate", OPT_RATE), .max = 800 * GBPS,
		.def = "auto", .flags = OPT_F_AUTO,
		.help = "written to RATE_MEM and CC_RATE_MEM; auto: max_rate"},
	{ROW(spec_rdma_ip, initial_alpha, "initial_alpha", OPT_UINT), .max = 1023, .def = "1023",
		.help = "written to ALPHA_MEM"},
	{ROW(spec_rdma_ip, registers, "registers", OPT_SECTION),
		.example = "{dcqcn_rate_ai: 16, alpha: 1023}",
		.help = "written last, by name or address; of a queue pair: for each"},
};
const struct opt_table scene_opts_rdma_ip = {
	"control of profile rdma_ip", rdma_ip_rows, N(rdma_ip_rows)};
