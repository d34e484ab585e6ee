// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of the scene: a scenario given as text, and the message about a wrong one.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/compile.h"
#include "scene/scene.h"

// Two senders, one receiver, one switch, 25 Gb/s; tests add to it or set values in it.
#define LAB_HOSTS    "hosts: {h1..2: , r: }\n"
#define LAB_LINKS    "links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"
#define LAB_FLOWS    "flows: {incast: {from: h1..2, to: r}}\n"
#define LAB_LOSSLESS "switches: {s1: {buffer: 4MB, classes: {3: {lossless: true}}}}\n"
#define LAB          "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS LAB_FLOWS

static struct err lab_err;

// Loads `text` from a file that is gone afterwards; messages name it lab.yaml.
static inline int lab_try(struct scene **s, const char *text, const struct scene_opts *opts)
{
	char path[] = "/tmp/quench-lab-XXXXXX", told[sizeof(lab_err.text)];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);

	int rc = compile_scene(s, path, opts, &lab_err);

	unlink(path);
	if (rc && strncmp(lab_err.text, path, strlen(path)) == 0) {
		snprintf(told, sizeof(told), "lab.yaml%s", lab_err.text + strlen(path));
		lab_err = (struct err){0};
		memcpy(lab_err.text, told, strlen(told));
	}
	return rc;
}

static inline struct scene *lab_with(const char *text, const char *path, const char *value)
{
	const struct scene_set set = {path, value};
	const struct scene_opts opts = {.set = &set, .n_set = path ? 1 : 0};
	struct scene *s = NULL;

	if (lab_try(&s, text, &opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static inline struct scene *lab(const char *text)
{
	return lab_with(text, NULL, NULL);
}

// The scenario is refused with exactly this line (where it begins with lab.yaml), or one that
// begins so.
static inline void lab_refuse(const char *text, const char *want)
{
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
	if (strncmp(lab_err.text, want, strlen(want)) != 0)
		fail_msg("told '%s'\nnot  '%s'", lab_err.text, want);
	assert_null(strchr(lab_err.text, '\n'));
}

// The same of LAB with one value set.
static inline void lab_refuse_set(const char *path, const char *value, const char *want)
{
	const struct scene_set set = {path, value};
	const struct scene_opts opts = {.set = &set, .n_set = 1};
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, LAB, &opts), -EINVAL);
	if (!strstr(lab_err.text, want))
		fail_msg("told '%s'\nnot  '%s'", lab_err.text, want);
}

static inline const struct scene_node *lab_node(const struct scene *s, const char *name)
{
	int i = scene_node(s, name);

	assert_true(i >= 0);
	return &s->node[i];
}

static inline const struct scene_port *lab_port(const struct scene *s, const char *name)
{
	unsigned node, port;

	assert_true(scene_port(s, name, &node, &port));
	return &s->node[node].port[port];
}

static inline bool lab_warns(const struct scene *s, const char *text)
{
	for (unsigned i = 0; i < s->n_warnings; i++) {
		if (strstr(s->warning[i].text, text))
			return true;
	}
	return false;
}
