// SPDX-License-Identifier: BSD-3-Clause
// The option tables of QCN, at switch and host, of iQCN and of Fast CNP.
#include "rows.h"

static const char *const quant_names[] = {"div63", "msb6", NULL};
static const char *const convention_names[] = {"P", "N", "X", NULL};
static const char *const half_names[] = {"active", "hyper", NULL};
static const char *const target_names[] = {"byte", "byte_or_time", NULL};

static const struct opt qcn_rows[] = {
	{ROW(spec_qcn, set_point, "set_point", OPT_SIZE), .min = 100, .max = UINT32_MAX,
		.def = "26KB", .help = "cpQSp: the queue length (with FCS) that is aimed at"},
	{ROW(spec_qcn, weight, "weight", OPT_INT), .min = -10, .max = 10, .def = "1",
		.help = "cpW: the queue's change counts 2^weight times its offset"},
	{ROW(spec_qcn, sample_base, "sample_base", OPT_SIZE), .min = 10000, .max = UINT32_MAX,
		.def = "150KB", .help = "bytes between two samples at the least feedback"},
	{ROW(spec_qcn, sample_table, "sample_table", OPT_SLOTS), .count = QCN_CP_LEVELS,
		.max = UINT32_MAX, .example = "{7: 18500}",
		.help = "bytes between samples by QntzFb / 8; default, and 0: sample_base / "
			"(number + 1)"},
	{ROW(spec_qcn, randomise, "randomise", OPT_SHARE), .def = "15%",
		.help = "of the bytes between samples, up and down"},
	{ROW(spec_qcn, quant, "quant", OPT_ENUM), .names = quant_names, .def = "div63",
		.help = "QntzFb as 63 |Fb| / limit, or as the limit's six most significant bits"},
	{ROW(spec_qcn, cnm_class, "cnm_class", OPT_UINT), .max = 7, .def = "6",
		.help = "class and PCP of CNMs"},
	{ROW(spec_qcn, alternate_class, "alternate_class", OPT_UINT), .max = 7, .def = "0",
		.help = "class of what arrives in this one at a port with cn_mode: edge"},
	{ROW(spec_qcn, min_header_octets, "min_header_octets", OPT_UINT), .max = 64, .def = "0",
		.help = "bytes of the sampled frame that a CNM carries"},
};
const struct opt_table scene_opts_qcn = {"qcn", qcn_rows, N(qcn_rows)};

static const struct opt iqcn_rows[] = {
	{ROW(spec_iqcn, heavy, "heavy", OPT_SIZE_SHARE), .min = 1, .max = GIB, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "queue bytes from which a port is heavily congested; auto: Kmax, without "
			"a marker 80% of XOFF; % of the buffer"},
	{ROW(spec_iqcn, heavy_off, "heavy_off", OPT_SIZE_SHARE), .max = GIB, .def = "auto",
		.flags = OPT_F_AUTO, .help = "bytes at which it no longer is; auto: 80% of heavy"},
	{ROW(spec_iqcn, rpg_time_reset, "rpg_time_reset", OPT_TIME), .min = US, .max = S,
		.def = "300us", .help = "the senders' interval of rate increase without a CNP"},
	{ROW(spec_iqcn, margin, "margin", OPT_REAL), .min = 10000, .max = 1000000, .def = "0.9",
		.help = "share of rpg_time_reset after which the switch sends a CNP"},
	{ROW(spec_iqcn, path_delay, "path_delay", OPT_TIME), .max = S, .def = "0us",
		.help = "from here to the senders: the CNP leaves so much earlier"},
	{ROW(spec_iqcn, entry_gap, "entry_gap", OPT_TIME), .max = S, .def = "4us",
		.help = "a flow's CNPs from the switch are never closer"},
	{ROW(spec_iqcn, age, "age", OPT_TIME), .min = US, .max = 1000 * S, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "a flow of which neither data nor a CNP of its notification point passed "
			"for so long is forgotten; auto: 10 rpg_time_reset"},
	{ROW(spec_iqcn, np_age, "np_age", OPT_TIME), .min = US, .max = 1000 * S, .def = "1s",
		.help = "a flow without CNP of its notification point for so long is forgotten, "
			"data or not"},
	{ROW(spec_iqcn, entries, "entries", OPT_UINT), .min = 1, .max = 1 << 20, .def = "65536",
		.help = "flows that the table holds"},
	{ROW(spec_iqcn, port_rate, "port_rate", OPT_UINT), .min = 1, .max = S, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_NONE,
		.help = "CNPs a second that the switch sends at most for the flows of a port; "
			"auto: 1% of the port's rate, at 98 bytes a CNP (rate in bit/s / 78400)"},
	{ROW(spec_iqcn, port_burst, "port_burst", OPT_UINT), .min = 1, .max = 65536, .def = "64",
		.help = "of them back to back"},
};
const struct opt_table scene_opts_iqcn = {"iqcn", iqcn_rows, N(iqcn_rows)};

static const struct opt fast_cnp_rows[] = {
	{ROW(spec_fast_cnp, interval, "interval", OPT_TIME), .max = S, .def = "50us",
		.help = "a flow gets no CNP of the switch sooner after the last; 0us: one for "
			"each marked frame"},
	{ROW(spec_fast_cnp, ce, "ce", OPT_BOOL), .def = "false",
		.help = "what it sends a CNP for gets CE too, and the receiver answers it once "
			"more"},
	{ROW(spec_fast_cnp, cnp_class, "cnp_class", OPT_UINT), .max = 7, .def = "6",
		.help = "class and PCP of the switch's CNPs"},
	{ROW(spec_fast_cnp, cnp_dscp, "cnp_dscp", OPT_UINT), .max = 63, .def = "auto",
		.flags = OPT_F_AUTO, .help = "DSCP of its CNPs; auto: 8 times cnp_class"},
	{ROW(spec_fast_cnp, entries, "entries", OPT_UINT), .min = 1, .max = 1 << 20, .def = "65536",
		.help = "flows that the table holds"},
	{ROW(spec_fast_cnp, age, "age", OPT_TIME), .min = US, .max = 1000 * S, .def = "1s",
		.help = "a flow without ACK is forgotten after it"},
};
const struct opt_table scene_opts_fast_cnp = {"fast_cnp", fast_cnp_rows, N(fast_cnp_rows)};

static const struct opt qcn_rp_rows[] = {
	{ROW(spec_qcn_rp, p.time_reset_ps, "time_reset", OPT_TIME), .min = US, .max = 10 * S,
		.def = "15ms", .help = "rpgTimeReset: an increase each time it expires"},
	{ROW(spec_qcn_rp, p.byte_reset, "byte_reset", OPT_SIZE), .min = 64, .max = UINT32_MAX,
		.def = "150KB",
		.help = "rpgByteReset: an increase each time so many bytes (with FCS) were sent"},
	{ROW(spec_qcn_rp, p.threshold, "threshold", OPT_UINT), .min = 1, .max = 31, .def = "5",
		.help = "rpgThreshold: cycles of fast recovery"},
	{ROW(spec_qcn_rp, p.ai_rate, "ai_rate", OPT_RATE), .min = 1, .max = 800 * GBPS,
		.def = "5Mbps", .help = "rpgAiRate: step of active increase"},
	{ROW(spec_qcn_rp, p.hai_rate, "hai_rate", OPT_RATE), .min = 1, .max = 800 * GBPS,
		.def = "50Mbps",
		.help = "rpgHaiRate: step of hyper-active increase, times its number"},
	{ROW(spec_qcn_rp, p.min_rate, "min_rate", OPT_RATE), .min = 100000, .max = 800 * GBPS,
		.def = "5Mbps", .help = "rpgMinRate: no cut goes below it"},
	{ROW(spec_qcn_rp, p.initial_rate, "initial_rate", OPT_RATE), .min = 100000,
		.max = 800 * GBPS, .def = "auto", .flags = OPT_F_AUTO,
		.help = "at which a queue pair starts, before its first CNM; auto: the line's"},
	{ROW(spec_qcn_rp, p.gd, "gd", OPT_UINT), .max = 16, .def = "7",
		.help = "rpgGd: a CNM cuts QntzFb / 2^gd of the rate"},
	{ROW(spec_qcn_rp, min_dec_fac, "min_dec_fac", OPT_SHARE), .def = "50%",
		.help = "rpgMinDecFac: the least that a cut leaves"},
	{ROW(spec_qcn_rp, randomise, "randomise", OPT_SHARE), .def = "15%",
		.help = "of the length of a cycle, up and down"},
	{ROW(spec_qcn_rp, p.fr_convention, "fr_convention", OPT_ENUM), .names = convention_names,
		.def = "P",
		.help = "fast recovery while the stage, counted first (P, N) or afterwards (X), "
			"is <= threshold (P), < (N, X)"},
	{ROW(spec_qcn_rp, p.half_from, "half_from", OPT_ENUM), .names = half_names, .def = "active",
		.help = "cycles are halved once the counter's own fast recovery is over, or both "
			"counters'"},
	{ROW(spec_qcn_rp, p.target_test, "target_test", OPT_ENUM), .names = target_names,
		.def = "byte",
		.help = "which stages tell of an increase since the last CNM, so that the target "
			"moves"},
	{ROW(spec_qcn_rp, p.hai_after_ps, "hai_after", OPT_TIME), .max = 10 * S, .def = "0us",
		.help = "no hyper-active increase sooner after a CNM"},
	{ROW(spec_qcn_rp, p.hai_after_octets, "hai_after_octets", OPT_SIZE), .max = UINT32_MAX,
		.def = "0", .help = "nor before so many bytes were sent"},
	{ROW(spec_qcn_rp, max_rps, "max_rps", OPT_UINT), .min = 1, .max = 100, .def = "none",
		.flags = OPT_F_NONE, .example = "1",
		.help = "rpppMaxRps: queue pairs of a host and class share so many reaction "
			"points; needs cn_tag"},
	{ROW(spec_qcn_rp, cn_tag, "cn_tag", OPT_BOOL), .def = "true",
		.help = "data has a CN-TAG, each queue pair its reaction point; else they share "
			"one by destination and class"},
};
const struct opt_table scene_opts_qcn_rp = {"qcn", qcn_rp_rows, N(qcn_rp_rows)};
