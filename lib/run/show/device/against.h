// SPDX-License-Identifier: BSD-3-Clause
// The values that a configuration gives a device, by figure of a probe.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "probe/probe.h"

// A configured value asks for just this value, or for no less, or for no more.
enum device_bound { DEVICE_EQUAL, DEVICE_NO_LESS, DEVICE_NO_MORE };

struct device_value {
	bool given;
	enum device_bound bound;
	double value;
};

struct device_config {
	char *name; // of the file
	struct device_value f[PROBE_COLUMNS][PROBE_FIGURES];
	uint64_t dscps[PKT_CLASSES]; // bitmap, where PROBE_DSCPS is given
};

struct device_against_opts {
	const char *path;     // config_db.json of SONiC, or a scenario
	const char *port_map; // of a config_db.json, as in sonic_opts; NULL: its ports in service
	const char *device;   // name of the switch in a scenario with several
	// The hosts at its measured ports; its first port counts where it has no such host.
	const char *in, *out;
	uint8_t classes; // bitmap of classes that the file must have
	bool trusts;     // of scene_opts
};

// Reads the values of a file. A threshold that the file does not give is not given here. 0, or
// -errno and a line. device_config_free() in either case.
int device_against(
	struct device_config *to, const struct device_against_opts *opts, struct err *err);
void device_config_free(struct device_config *c);
