// SPDX-License-Identifier: BSD-3-Clause
// The bench of a probe: a scenario's section `probe` as settings of room probe, and its checks.
#pragma once

#include "device/device.h"
#include "probe/probe.h"
#include "scene/scene.h"

#pragma GCC visibility push(hidden)

struct bench {
	struct probe_cfg cfg;
	const char *host[TESTER_PORTS];   // the ports of the lab, in its order
	const char *device[TESTER_PORTS]; // NULL: the port has none
	unsigned ports;
	rate_t rate;         // of the measured ports
	bool rates_differ;   // of the ports
	tstamp cable;        // of the first port of `in`, one way
	uint64_t dilate;     // how many times slower the device's clock is than ours
	uint64_t after_xoff; // bytes on the wire that 802.1Qbb lets come after XOFF
	const char *name;    // of the device
};

// Reads the section of a scene that is compiled for virtual time, so that it has the switch.
// -EINVAL and a line: there is none. Its names are the scene's.
int bench_read(struct bench *b, const struct scene *s, struct err *err);

// Reads the list of --steps, "xoff,xon" or "all", and adds the steps that these need; NULL: all but
// the watchdog. -EINVAL with the nearest name.
int bench_steps(struct bench *b, const char *steps, struct err *err);

// Real clock: what 802.3 allows is by the device's own rate.
void bench_dilate(struct bench *b);

// Checks the settings before anything is sent: the hold of the steps asked for, and devices on the
// real clock, whose longest pause needs allow_storm. -EINVAL and a line.
int bench_check(const struct bench *b, bool real, tstamp allow_storm, struct err *err);

// Reads the configuration that the findings are held against, as device_against() does; port_map is
// that of device_against_opts. -errno and a line. device_config_free() in either case.
int bench_against(struct device_config *to, const struct bench *b, const char *path,
	const char *port_map, bool trusts, struct err *err);

// Prints what will be found, what these ports do not allow, and the longest pause.
void bench_announce(const struct bench *b, FILE *f);

#pragma GCC visibility pop
