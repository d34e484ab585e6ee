// SPDX-License-Identifier: BSD-3-Clause
// A scenario given as text, run in virtual time into a folder of its own: for tests of the record.
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "report/report.h"
#include "compile/compile.h"
#include "scene/scene.h"
#include "vt/vt.h"

struct lab {
	char dir[64];  // of the test
	char out[128]; // the run folder in it
	char file[96]; // the scenario in it
	struct scene *scene;
	struct report *rec;
	struct err err;
};

// Two senders, one receiver, 25 Gb/s; marking and PFC thresholds low enough that both happen.
#define LAB_TWO_TO_ONE                                                            \
	"name: two-to-one\n"                                                      \
	"duration: 2ms\n"                                                         \
	"warmup: 500us\n"                                                         \
	"sample: 10us\n"                                                          \
	"controls:\n"                                                             \
	"  dcqcn: {profile: paper}\n"                                             \
	"switches:\n"                                                             \
	"  s1:\n"                                                                 \
	"    buffer: 4MB\n"                                                       \
	"    classes:\n"                                                          \
	"      3:\n"                                                              \
	"        lossless: true\n"                                                \
	"        pfc: {xoff: 30KB, xon_offset: 3KB, headroom: auto}\n"            \
	"        wred: {min: 20KB, max: 200KB, probability: 5%, mark: dequeue}\n" \
	"hosts: {h1..2: {}, r: {}}\n"                                             \
	"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"        \
	"flows:\n"                                                                \
	"  incast: {from: h1..2, to: r, class: 3, verb: write, message: 100KB, control: dcqcn}\n"

// H3C's upper zone marks Not-ECT frames too.
#define LAB_NOT_ECT                                                                           \
	"duration: 200us\n"                                                                   \
	"switches: {s1: {buffer: 4MB, classes: {0: {drop: {limit: 1MB}, tail_limit: 90KB, "   \
	"wred: {min: 10KB, max: 20KB, not_ect: h3c}}}}}\n"                                    \
	"hosts: {h1..2: , r: }\n"                                                             \
	"links: [{between: [[h1..2, r], s1], rate: 100Gbps, delay: 1us}]\n"                   \
	"flows:\n"                                                                            \
	"  ect: {from: h1, to: r, class: 0, ecn: ect0, open_loop: {size: 1000, rate: 80%}}\n" \
	"  not: {from: h2, to: r, class: 0, ecn: not_ect, open_loop: {size: 1000, rate: 40%}}\n"

static inline void lab_open(struct lab *l, const char *yaml)
{
	FILE *f;

	memset(l, 0, sizeof(*l));
	snprintf(l->dir, sizeof(l->dir), "/tmp/quench-lab-XXXXXX");
	assert_non_null(mkdtemp(l->dir));
	snprintf(l->out, sizeof(l->out), "%s/out", l->dir);
	snprintf(l->file, sizeof(l->file), "%s/scene.yaml", l->dir);
	f = fopen(l->file, "w");
	assert_non_null(f);
	fputs(yaml, f);
	fclose(f);
}

// Settings "path=value", NULL at the end of each pair list.
static inline int lab_run(struct lab *l, const struct scene_set *set, unsigned n, bool force)
{
	struct scene_opts so = {.set = set, .n_set = n};
	struct vt_opts vo = {.record = {.dir = l->out, .force = force, .command = "quench run"}};

	if (compile_scene(&l->scene, l->file, &so, &l->err))
		fail_msg("%s", l->err.text);
	return vt_run(l->scene, &vo, &l->rec, &l->err);
}

static inline void lab_end(struct lab *l)
{
	report_free(l->rec);
	scene_free(l->scene);
	l->rec = NULL;
	l->scene = NULL;
}

// Removes what lab_open and the runs made.
static inline void lab_close(struct lab *l)
{
	char command[160];

	lab_end(l);
	snprintf(command, sizeof(command), "rm -rf '%s'", l->dir);
	assert_int_equal(system(command), 0);
}

// A file as text; freed by the caller.
static inline char *text_of(const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "r");

	if (!f)
		fail_msg("%s is missing", path);
	if (getdelim(&text, &size, '\0', f) < 0) {
		assert_true(feof(f)); // there is nothing in it
		if (text)
			*text = '\0';
	}
	fclose(f);
	return text ? text : strdup("");
}

// A file of the run folder.
static inline char *lab_file(const struct lab *l, const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", l->out, name);
	return text_of(path);
}

// How often a text has what is looked for.
static inline unsigned times_in(const char *text, const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}
