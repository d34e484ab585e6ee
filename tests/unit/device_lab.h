// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of room device: the findings about a device, and their texts.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device/device.h"

static struct probe_found found;
static struct device_about about;
static struct device_config config;
static struct device device;

// A device with a dynamic threshold in class 3, a marker there, and weights of classes 0 and 3.
static inline int found_make(void **state)
{
	struct probe_found *f = &found;

	(void)state;
	found = (struct probe_found){0};
	config = (struct device_config){.name = (char *)"want.yaml"};
	about = (struct device_about){.scenario = "bench",
		.device = "dut",
		.clock = "virtual",
		.seed = 1,
		.rate = 100 * RATE_GBPS,
		.cable = 100 * PS_PER_NS,
		.host = {"p1", "p2", "p3", "p4"},
		.hosts = 4,
		.accuracy = 0.03,
		.response_limit = 394,
		.after_xoff = 60000,
		.scene_time = 20 * PS_PER_MS,
		.steps = 40};
	memset(about.dscp, PROBE_NO_DSCP, sizeof(about.dscp));
	memset(about.pcp, TESTER_UNTAGGED, sizeof(about.pcp));
	about.dscp[0] = 0;
	about.dscp[3] = 26;
	found_is(f, PROBE_DEVICE, PROBE_FORWARDS, 1, 0);
	found_is(f, PROBE_DEVICE, PROBE_TRANSIT, 0.45, 0.005);
	found_is(f, PROBE_DEVICE, PROBE_CELL, 208, 0);
	found_is(f, 3, PROBE_OBEYS, 1, 0);
	found_is(f, 3, PROBE_DSCPS, 2, 0);
	f->dscps[3] = 1ull << 24 | 1ull << 26;
	found_is(f, 3, PROBE_XOFF, 114192, 208);
	found_is(f, 3, PROBE_XON, 104208, 208);
	found_is(f, 3, PROBE_HYSTERESIS, 9984, 416);
	found_is(f, 3, PROBE_QUANTA, 40000, 0);
	found_is(f, 3, PROBE_REFRESH, 102.4, 0.1);
	found_is(f, 3, PROBE_REFRESH_SHARE, 50, 0.1);
	found_is(f, 3, PROBE_THRESHOLD, 1, 0);
	found_is(f, 3, PROBE_ALPHA, 0.0625, 0);
	found_is(f, 3, PROBE_ALPHA_RAW, 0.0623, 0.0005);
	found_is(f, 3, PROBE_RESERVE, 8112, 3000);
	found_is(f, 3, PROBE_SHARED, 1803360, 1800);
	found_is(f, 3, PROBE_HEADROOM, 159952, 416);
	found_is(f, 3, PROBE_RESPONSE, 1.536, 0.01);
	found_is(f, 3, PROBE_RESPONSE_QUANTA, 300, 2);
	found_is(f, 3, PROBE_MARK, 2, 0);
	found_is(f, 3, PROBE_MARK_AVERAGED, 0, 0);
	found_is(f, 3, PROBE_MARK_LINEAR, 1, 0);
	found_is(f, 3, PROBE_KMIN, 24729, 71);
	found_is(f, 3, PROBE_KMAX, 58880, 64);
	found_is(f, 3, PROBE_PMAX, 4.88, 0.13);
	found_is(f, 3, PROBE_STRICT, 0, 0);
	found_is(f, 3, PROBE_WEIGHT, 4, 0.02);
	found_is(f, 0, PROBE_STRICT, 0, 0);
	found_is(f, 0, PROBE_WEIGHT, 1, 0.005);
	found_state(f, 3, PROBE_POOL, FOUND_NOT, 0, "wants 5 ports");
	return 0;
}

static inline int found_drop(void **state)
{
	(void)state;
	found_free(&found);
	return 0;
}

static inline void wants(unsigned cls, enum probe_figure fig, double value)
{
	config.f[cls][fig] = (struct device_value){.given = true, .value = value};
}

static inline enum device_verdict verdict_on(unsigned cls, enum probe_figure fig)
{
	const struct device_line *l;

	device_judge(&device, &found, &about, &config);
	l = device_line(&device, cls, fig);
	assert_non_null(l);
	return l->verdict;
}

// The text that a call writes; for free().
static inline char *written(void (*put)(const struct device *, struct out *), bool against)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct err err;
	struct out o;

	device_judge(&device, &found, &about, against ? &config : NULL);
	assert_int_equal(out_stream(&o, f, "text", &err), 0);
	put(&device, &o);
	assert_int_equal(out_close(&o, &err), 0);
	fclose(f);
	return text;
}

static inline char *table_text(bool against)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	device_judge(&device, &found, &about, against ? &config : NULL);
	device_table(&device, f);
	fclose(f);
	return text;
}

static inline void has_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}
