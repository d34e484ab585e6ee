// SPDX-License-Identifier: BSD-3-Clause
// Runs in virtual time with observed ports.
#pragma once

#include "figure_lab.h"

#include <math.h>

// Three senders with a known response to PFC into one receiver: each is paused for most of the run.
#define OUTSIDE_PAUSES                                                                  \
	"name: seen\nduration: 2ms\n"                                                   \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, pfc: {xoff: 40KB, " \
	"xon_offset: 10KB}}}}}\n"                                                       \
	"hosts: {h1..3: {pfc_response: 12}, r: }\n"                                     \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"              \
	"ports: {\"s1:h1..3\": {observe: true}, \"h1:s1\": {observe: true}}\n"          \
	"flows: {incast: {from: h1..3, to: r}}\n"

// The same with a marker. Its receiver sends CNPs by the rule that Lumina expects.
#define OUTSIDE_CNPS                                                                          \
	"name: seen\nduration: 2ms\nseed: 3\n"                                                \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, wred: {min: 20KB, max: "  \
	"100KB, probability: 20%}}}}}\n"                                                      \
	"hosts: {h1..4: , r: {np: {mode: next_marked, interval: 20us}}}\n"                    \
	"links: [{between: [[h1..4, r], s1], rate: 25Gbps, delay: 1us}]\n"                    \
	"ports: {\"s1:r\": {observe: true}, \"h1:s1\": {observe: true}, \"r:s1\": {observe: " \
	"true}}\n"                                                                            \
	"controls: {d: {profile: paper}}\nflows: {incast: {from: h1..4, to: r, control: d}}\n"

static inline void outside_run(const char *text)
{
	lab_open(&l, text);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
}

static inline int outside_end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

// Both paths have the same number, to the last bit.
static inline void same(const char *one, const char *two)
{
	if (isnan(v(one)) || v(one) != v(two))
		fail_msg("%s is %.9g, %s is %.9g", one, v(one), two, v(two));
}
