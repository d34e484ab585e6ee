// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of the SONiC import: a config_db.json given as text, and its scenario.
#pragma once

#include <fcntl.h>

#include "scene_lab.h"

#include "sonic/sonic.h"

// Two ports, one lossless group, one lossy; tests put tables behind. Written with ' for ".
#define SONIC_PORTS_2                                                              \
	"'PORT':{'Ethernet0':{'speed':'100000','mtu':'9100','admin_status':'up'}," \
	"'Ethernet4':{'speed':'25000','mtu':'1500','admin_status':'up'}},"         \
	"'CABLE_LENGTH':{'AZURE':{'Ethernet0':'5m','Ethernet4':'40m'}}"
#define SONIC_MAPS                                                                              \
	"'DSCP_TO_TC_MAP':{'AZURE':{'3':'3','48':'6'}},"                                        \
	"'TC_TO_QUEUE_MAP':{'AZURE':{'0':'0','1':'1','2':'2','3':'3','4':'4','5':'5','6':'6',"  \
	"'7':'7'}},"                                                                            \
	"'TC_TO_PRIORITY_GROUP_MAP':{'AZURE':{'0':'0','1':'0','2':'0','3':'3','4':'4','5':'0'," \
	"'6':'0','7':'7'}},"                                                                    \
	"'PORT_QOS_MAP':{'Ethernet0,Ethernet4':{'dscp_to_tc_map':'AZURE','tc_to_queue_map':"    \
	"'[TC_TO_QUEUE_MAP|AZURE]','tc_to_pg_map':'AZURE','pfc_enable':'3'}}"

static unsigned lab_group;     // as --group
static const char *lab_lookup; // as --pg-lookup

// Writes a file, ' as ". A name that ends in XXXXXX becomes one of its own.
static inline void sonic_write(char *path, const char *text)
{
	bool is_new = strstr(path, "XXXXXX") != NULL;
	int fd = is_new ? mkstemp(path) : open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	for (const char *c = text; *c; c++)
		assert_int_equal(write(fd, *c == '\'' ? "\"" : c, 1), 1);
	close(fd);
}

// The import of `text`, or what is told about it in lab_err.
static inline int sonic_try(struct sonic_import *in, const char *text, const char *port_map)
{
	char path[] = "/tmp/quench-sonic-XXXXXX", told[sizeof(lab_err.text)];

	sonic_write(path, text);

	const char *const paths[] = {path};
	struct sonic_opts opts = {.paths = paths,
		.n_paths = 1,
		.port_map = port_map,
		.group = lab_group,
		.pg_lookup = lab_lookup};
	int rc = sonic_import(in, &opts, &lab_err);

	unlink(path);
	if (rc && strncmp(lab_err.text, path, strlen(path)) == 0) {
		snprintf(told, sizeof(told), "db.json%s", lab_err.text + strlen(path));
		lab_err = (struct err){0};
		memcpy(lab_err.text, told, strlen(told));
	}
	return rc;
}

static inline void sonic_get(struct sonic_import *in, const char *text)
{
	if (sonic_try(in, text, NULL))
		fail_msg("%s", lab_err.text);
}

static inline void sonic_is_refused(const char *text, const char *port_map, const char *message)
{
	struct sonic_import in;

	assert_int_equal(sonic_try(&in, text, port_map), -EINVAL);
	assert_string_equal(lab_err.text, message);
	sonic_free(&in);
}

// A line of the scenario, without its indent and with one blank before its comment.
static inline void sonic_has(const struct sonic_import *in, const char *line)
{
	char *text = strdup(in->yaml), *to = text;

	assert_non_null(text);
	for (const char *c = in->yaml; *c; c++) {
		if (*c != ' ' || (to > text && to[-1] != ' ' && to[-1] != '\n'))
			*to++ = *c;
	}
	*to = 0;
	if (!strstr(text, line))
		fail_msg("lacks '%s' in\n%s", line, text);
	free(text);
}

static inline bool sonic_is_left(const struct sonic_import *in, const char *part)
{
	for (unsigned i = 0; i < in->n_left; i++) {
		if (strstr(in->left[i], part))
			return true;
	}
	return false;
}

static inline void sonic_left_has(const struct sonic_import *in, const char *part)
{
	for (unsigned i = 0; !sonic_is_left(in, part) && i < in->n_left; i++)
		print_error("left: %s\n", in->left[i]);
	if (!sonic_is_left(in, part))
		fail_msg("nothing that is left says '%s'", part);
}

// The scenario that came of it, loaded.
static inline struct scene *sonic_scene_of(
	struct sonic_import *in, const char *port_map, const char *text)
{
	if (sonic_try(in, text, port_map))
		fail_msg("%s", lab_err.text);
	return lab(in->yaml);
}

static inline struct scene *sonic_scene(struct sonic_import *in, const char *text)
{
	return sonic_scene_of(in, NULL, text);
}

static inline void sonic_get_file(struct sonic_import *in, const char *path)
{
	const struct sonic_opts opts = {.paths = &path, .n_paths = 1};

	if (sonic_import(in, &opts, &lab_err))
		fail_msg("%s", lab_err.text);
}
