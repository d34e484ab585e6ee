// SPDX-License-Identifier: BSD-3-Clause
// The option tables of QCN, iQCN and Fast CNP at a switch.
#include "rows.h"

static const char *const quant_names[] = {"div63", "msb6", NULL};

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
const struct opt_table scene_opts_qcn = {"qcn", qcn_rows, N(qcn_rows), false};

static const struct opt iqcn_rows[] = {
	{ROW(spec_iqcn, heavy, "heavy", OPT_SIZE_SHARE), .min = 1, .max = GIB, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "queue bytes from which a port is heavily congested; auto: Kmax, without "
			"a marker 80% of XOFF; % of the buffer"},
	{ROW(spec_iqcn, heavy_off, "heavy_off", OPT_SIZE_SHARE), .max = GIB, .def = "auto",
		.flags = OPT_F_AUTO, .help = "bytes at which it no longer is; auto: 80% of heavy"},
	{ROW(spec_iqcn, rpg_time_reset, "rpg_time_reset", OPT_TIME), .min = US, .max = S,
		.def = "300us", .example = "55us",
		.help = "the senders' interval of rate increase without a CNP"},
	{ROW(spec_iqcn, margin, "margin", OPT_REAL), .min = 10000, .max = 1000000, .def = "0.9",
		.help = "share of rpg_time_reset after which the switch sends a CNP"},
	{ROW(spec_iqcn, path_delay, "path_delay", OPT_TIME), .max = S, .def = "0us",
		.help = "time from here to the senders, by which the CNP leaves earlier"},
	{ROW(spec_iqcn, entry_gap, "entry_gap", OPT_TIME), .max = S, .def = "4us",
		.help = "a flow's CNPs from the switch are never closer"},
	{ROW(spec_iqcn, age, "age", OPT_TIME), .min = US, .max = 1000 * S, .def = "auto",
		.flags = OPT_F_AUTO,
		.help = "a flow is forgotten if neither data nor a CNP of its notification point "
			"passed for this time; auto: 10 rpg_time_reset"},
	{ROW(spec_iqcn, np_age, "np_age", OPT_TIME), .min = US, .max = 1000 * S, .def = "1s",
		.help = "a flow is forgotten if no CNP of its notification point passed for this "
			"time, data or not"},
	{ROW(spec_iqcn, entries, "entries", OPT_UINT), .min = 1, .max = 1 << 20, .def = "65536",
		.help = "flows that the table holds"},
	{ROW(spec_iqcn, port_rate, "port_rate", OPT_UINT), .min = 1, .max = S, .def = "auto",
		.flags = OPT_F_AUTO | OPT_F_NONE,
		.help = "CNPs a second that the switch sends at most for the flows of a port; "
			"auto: 1% of the port's rate, at 98 bytes a CNP (rate in bit/s / 78400)"},
	{ROW(spec_iqcn, port_burst, "port_burst", OPT_UINT), .min = 1, .max = 65536, .def = "64",
		.help = "of them back to back"},
};
const struct opt_table scene_opts_iqcn = {"iqcn", iqcn_rows, N(iqcn_rows), false};

static const struct opt fast_cnp_rows[] = {
	{ROW(spec_fast_cnp, interval, "interval", OPT_TIME), .max = S, .def = "50us",
		.help = "a flow gets no CNP of the switch sooner after the last; 0us: one for "
			"each marked frame"},
	{ROW(spec_fast_cnp, ce, "ce", OPT_BOOL), .def = "false",
		.help = "a marked frame that brings a CNP gets CE too, for a second CNP"},
	{ROW(spec_fast_cnp, cnp_class, "cnp_class", OPT_UINT), .max = 7, .def = "6",
		.help = "class and PCP of the switch's CNPs"},
	{ROW(spec_fast_cnp, cnp_dscp, "cnp_dscp", OPT_UINT), .max = 63, .def = "auto",
		.flags = OPT_F_AUTO, .help = "DSCP of its CNPs; auto: 8 times cnp_class"},
	{ROW(spec_fast_cnp, entries, "entries", OPT_UINT), .min = 1, .max = 1 << 20, .def = "65536",
		.help = "flows that the table holds"},
	{ROW(spec_fast_cnp, age, "age", OPT_TIME), .min = US, .max = 1000 * S, .def = "1s",
		.help = "a flow without ACK is forgotten after it"},
};
const struct opt_table scene_opts_fast_cnp = {"fast_cnp", fast_cnp_rows, N(fast_cnp_rows), false};
