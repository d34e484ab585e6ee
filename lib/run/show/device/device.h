// SPDX-License-Identifier: BSD-3-Clause
// Room device has the results of a probe: its findings held against a configuration, as a table and
// as files. It needs rooms probe, compile and sonic.
#pragma once

#include <stdio.h>

#include "against.h"
#include "out/out.h"

enum device_verdict {
	DEVICE_FOUND, // nothing to hold it against
	DEVICE_PASS,
	DEVICE_FAIL,   // found and configured differ by more than the half width and the accuracy
	DEVICE_WITHIN, // they differ by no more than the step can tell, which is above the accuracy
	DEVICE_AT_LEAST,
	DEVICE_AT_MOST,
	DEVICE_NONE_UP_TO,
	DEVICE_VARIES,
	DEVICE_OTHERS,
	DEVICE_INVALID,
	DEVICE_NOT_MEASURED,
};

#pragma GCC visibility push(hidden)

extern const char *const device_verdict_name[]; // "PASS", "NOT MEASURED"; "" of DEVICE_FOUND

#pragma GCC visibility pop

// The circumstances of a probe.
struct device_about {
	const char *scenario, *device; // names
	const char *clock;             // "virtual", "real"
	uint64_t seed;
	// In the device's own time: rate of the measured ports, and cable of the first port of
	// `in`, one way. `dilate`: how many times slower its clock is than ours.
	rate_t rate;
	tstamp cable;
	uint64_t dilate;
	const char *host[TESTER_PORTS];
	unsigned hosts;
	uint8_t dscp[PKT_CLASSES]; // as told, or PROBE_NO_DSCP
	uint8_t pcp[PKT_CLASSES];  // as told, or TESTER_UNTAGGED
	double accuracy;           // 0..1
	unsigned response_limit;   // quanta of 802.3 31B.3.7 at this rate
	uint64_t after_xoff;       // bytes on the wire that 802.1Qbb lets come after XOFF
	tstamp scene_time;         // of all steps
	unsigned steps;            // lists that were sent
	tstamp gap, gap_longest;   // of the loops of our ports; 0: they act at any instant
	bool interrupted;
};

// A figure of a class or of the device.
struct device_line {
	unsigned cls; // PROBE_DEVICE: of the device
	enum probe_figure figure;
	const struct found *found;
	struct device_value configured;
	enum device_verdict verdict;
};

struct device {
	const struct probe_found *found;
	const struct device_about *about;
	const struct device_config *against; // NULL: none
	struct device_line line[PROBE_COLUMNS * PROBE_FIGURES];
	unsigned lines;
	unsigned n[DEVICE_NOT_MEASURED + 1]; // lines by verdict
};

// Holds the findings against a configuration; NULL: there is none. Figures of classes that the
// probe did not look at have no line.
void device_judge(struct device *d, const struct probe_found *found,
	const struct device_about *about, const struct device_config *against);

// 0: nothing failed; 1: a FAIL; 3: INVALID, or with `strict` anything that was not measured.
int device_status(const struct device *d, bool strict);

// The table for a terminal, which folds it.
void device_table(const struct device *d, FILE *f);

// Files: probe.json, probe.csv, junit.xml, dut.yaml, and a page of HTML.
void device_json(const struct device *d, struct out *o);
void device_csv(const struct device *d, struct out *o);
void device_junit(const struct device *d, struct out *o);
void device_scenario(const struct device *d, struct out *o);
void device_page(const struct device *d, struct out *o);

// The JSON Schema (draft 7) of probe.json.
void device_schema(FILE *f);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Words of enum found_state in files: "at_least".
extern const char *const device_state_name[];

#define DEVICE_TEXT 64 // bytes of the text of a value

// A time with four digits and the unit that suits it: "13.75ms".
char *device_time_text(tstamp t, char *buf, size_t size);
// Texts of a value and of its half width, with the unit: "113,984 B"; "" where there is none.
char *device_value_text(enum probe_figure fig, double value, char *buf, size_t size);
char *device_found_text(const struct device_line *l, char *buf, size_t size);
char *device_pm_text(const struct device_line *l, char *buf, size_t size);
char *device_configured_text(const struct device_line *l, char *buf, size_t size);

// The line of a figure; NULL: it has none.
const struct device_line *device_line(
	const struct device *d, unsigned cls, enum probe_figure figure);

// Whether the table of a terminal has a row of a class, or of the device: whether anything was
// found besides the PFC that it obeys.
bool device_has_rows(const struct device *d, unsigned cls);

// Bytes that a frame of 64 takes in the device's buffer.
unsigned device_unit(const struct device *d);

// Which keys of a switch a YAML document gives: "pfc.xoff" of class `cls`, or "cell" of the switch
// (cls PROBE_DEVICE).
struct device_given {
	const struct yamldoc_node *doc;
	const char *device; // name of the switch
};
bool device_given(const struct device_given *g, unsigned cls, const char *path);

#pragma GCC visibility pop
