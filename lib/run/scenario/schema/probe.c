// SPDX-License-Identifier: BSD-3-Clause
// Option table of the section `probe`: the ports of `quench probe`, and its limits.
#include "rows.h"

static const struct opt most_rows[] = {
	{ROW(spec_probe_most, hold, "hold", OPT_TIME), .min = 10 * US, .max = 10 * S, .def = "50ms",
		.help = "longest pause of an egress of the device; a step that needs a longer one "
			"is refused"},
	{ROW(spec_probe_most, step, "step", OPT_TIME), .min = MS, .max = 1000 * S, .def = "5s",
		.help = "longest scene time of one list of frames"},
	{ROW(spec_probe_most, frames, "frames", OPT_UINT), .min = 1000, .max = 100000000,
		.def = "4000000", .help = "most frames of a statistical step"},
	{ROW(spec_probe_most, buffer, "buffer", OPT_SIZE), .min = 100000, .max = GIB,
		.def = "128MB", .help = "most bytes that are filled to find a headroom or Kmax"},
	{ROW(spec_probe_most, time, "time", OPT_TIME), .min = MS, .max = 100000 * S, .def = "600s",
		.help = "longest scene time of all steps"},
};
static const struct opt_table most_table = {"most", most_rows, N(most_rows), false};

static const struct opt probe_rows[] = {
	{ROW(spec_probe, in, "in", OPT_NODE), .flags = OPT_F_REQUIRED, .example = "[p1, p2, p4]",
		.help = "hosts that send into the device: the first feeds the ingress group that "
			"is measured, the others fill the buffer beforehand"},
	{ROW(spec_probe, out, "out", OPT_NODE), .flags = OPT_F_REQUIRED, .example = "[p3, p4]",
		.help = "hosts that get the frames: the egress to the first is stopped by XOFF, "
			"the second helps to count frames for XON; a host may be in both lists"},
	{ROW(spec_probe, dscp, "dscp", OPT_ANY), .example = "{0: 0, 3: 24}",
		.help = "one DSCP of each class; default: auto, only classes that obey PFC are "
			"found"},
	{ROW(spec_probe, pcp, "pcp", OPT_ANY), .example = "{0: 0, 3: 3}",
		.help = "one PCP of each class, or auto: step map finds the classes of PCPs, by "
			"frames with a tag of VLAN 0; without dscp the frames of all steps have "
			"such a tag; default: no frame has a tag"},
	{ROW(spec_probe, classes, "classes", OPT_WORDS), .example = "[3, 4]",
		.help = "classes that are measured; default: auto, each that obeys PFC"},
	{ROW(spec_probe, accuracy, "accuracy", OPT_PERCENT), .min = 1000, .max = 200000,
		.def = "3%",
		.help = "half width of the 95 % interval at which a statistical step stops; a "
			"found value may differ as much from a configured one"},
	{ROW(spec_probe, device_dilate, "device_dilate", OPT_UINT), .min = 1, .max = 1000000,
		.def = "1",
		.help = "real clock: our clock is so many times faster than the device's own "
			"(an emulation in slow motion); rates of links are in our time, findings "
			"in the device's"},
	{ROW(spec_probe, most, "most", OPT_MAP), .sub = &most_table, .help = "limits of the probe"},
	{ROW(spec_probe, seed, "seed", OPT_UINT), .max = INT64_MAX, .def = "1",
		.help = "seed of the random instants of pauses"},
};
const struct opt_table scene_opts_probe = {"probe", probe_rows, N(probe_rows), true};
