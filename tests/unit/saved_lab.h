// SPDX-License-Identifier: BSD-3-Clause
// Folders of runs, made by hand or by a run in virtual time: for tests of what reads them back.
#pragma once

#include "record_lab.h"

#include <math.h>

#include "saved/saved.h"

#define MANIFEST                                                       \
	"{\"name\": \"by-hand\", \"end_us\": 100, \"warmup_us\": 10, " \
	"\"interrupted\": false, \"resolved\": {\"record\": {\"events\": \"all\"}}}\n"
#define SUMMARY                                                           \
	"{\"schema\": 1, \"name\": \"by-hand\", \"window_from_us\": 10, " \
	"\"window_to_us\": 100}\n"
#define EVENT_HEAD                                                             \
	"time_us,event,object,class,flow,detail,bytes,queue_bytes,quanta,psn," \
	"rc_gbps,rt_gbps,alpha\n"
#define SERIES_HEAD                                                              \
	"time_us,kind,object,qlen_bytes,qlen_mean_bytes,qlen_max_bytes,tx_gbps," \
	"ecn_marked_frames,dropped_frames,paused_us,goodput_gbps,rc_gbps,rt_gbps,alpha,cnp_rx\n"

static inline void by_hand(struct lab *l)
{
	char command[160];

	lab_open(l, "");
	snprintf(command, sizeof(command), "mkdir '%s'", l->out);
	assert_int_equal(system(command), 0);
}

// Writes a file of the folder.
static inline void put(const struct lab *l, const char *name, const char *text)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", l->out, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static inline struct saved *read_back(struct lab *l)
{
	struct saved *s;

	if (saved_open(&s, l->out, &l->err))
		fail_msg("%s", l->err.text);
	return s;
}

// Whether one of the sentences has this part.
static inline bool misses(const struct saved *s, const char *part)
{
	const char *line;

	for (unsigned i = 0; (line = saved_missing(s, i)) != NULL; i++)
		if (strstr(line, part))
			return true;
	return false;
}

static inline void misses_nothing(const struct saved *s)
{
	if (saved_missing(s, 0))
		fail_msg("%s", saved_missing(s, 0));
}
