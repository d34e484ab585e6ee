// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of the import from the HPCC simulator: files given as texts.
#pragma once

#include <sys/stat.h>

#include "hpcc/hpcc.h"
#include "scene_lab.h"

#define HPCC_STAR                  \
	"3 1 2\n2\n"               \
	"0 2 25Gbps 1000ns 0.00\n" \
	"1 2 25Gbps 0.001ms 0\n"
#define HPCC_FLOWS "2\n0 1 3 100 5000 2.0\n1 0 3 200 700 2.000001\n"

static char hpcc_folder[] = "/tmp/quench-hpcc-XXXXXX";

static inline const char *hpcc_put(const char *name, const char *text)
{
	static char path[3][80];
	static unsigned next;
	char *to = path[next++ % 3];
	FILE *f;

	snprintf(to, sizeof(path[0]), "%s/%s", hpcc_folder, name);
	f = fopen(to, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return to;
}

// Imports the texts; config NULL: none.
static inline int hpcc_try(
	struct hpcc_import *in, const char *topology, const char *flow, const char *config)
{
	const struct hpcc_files files = {.topology = hpcc_put("topology.txt", topology),
		.flow = hpcc_put("flow.txt", flow),
		.config = config ? hpcc_put("config.txt", config) : NULL};

	return hpcc_import(in, &files, &lab_err);
}

static inline void hpcc_get(
	struct hpcc_import *in, const char *topology, const char *flow, const char *config)
{
	if (hpcc_try(in, topology, flow, config))
		fail_msg("%s", lab_err.text);
}

// The line begins so behind the folder.
static inline void hpcc_refuse(const char *topology, const char *config, const char *want)
{
	size_t n = strlen(hpcc_folder) + 1;
	struct hpcc_import in;

	assert_int_equal(hpcc_try(&in, topology, HPCC_FLOWS, config), -EINVAL);
	assert_null(in.yaml);
	hpcc_free(&in);
	if (strncmp(lab_err.text + n, want, strlen(want)) != 0)
		fail_msg("told '%s'\nnot  '%s'", lab_err.text + n, want);
	assert_null(strchr(lab_err.text, '\n'));
}

static inline void hpcc_has(const struct hpcc_import *in, const char *part)
{
	if (!strstr(in->yaml, part))
		fail_msg("lacks '%s' in\n%s", part, in->yaml);
}

static inline bool hpcc_is_left(const struct hpcc_import *in, const char *part)
{
	bool is = false;

	for (unsigned i = 0; i < in->n_left; i++)
		is |= strstr(in->left[i], part) != NULL;
	return is;
}

static inline int hpcc_begin(void **state)
{
	(void)state;
	return mkdtemp(hpcc_folder) == NULL;
}

static inline int hpcc_end(void **state)
{
	static const char *const name[] = {"topology.txt", "flow.txt", "config.txt"};
	char path[80];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", hpcc_folder, name[i]);
		unlink(path);
	}
	return rmdir(hpcc_folder);
}
