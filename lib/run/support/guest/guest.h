// SPDX-License-Identifier: BSD-3-Clause
// Room guest: code that users bring, which is loaded, called and kept from taking the run along
// where it crashes. This header: plug-ins, which are reaction points (quench/plugin.h).
#pragma once

#include <stdatomic.h>

#include "rp/rp.h"
#include "conf/conf.h"
#include "fw.h"
#include "guard.h"
#include "plugin.h"
#include "trust.h"

#define GUEST_PARAMS (OPT_ROWS - 1) // of a plug-in: one row of the table is its file
#define GUEST_SHA256 65             // characters of a digest, with the NUL

// The values that a scenario gives a plug-in's parameters, by the plug-in's own table.
struct guest_spec {
	struct opt_src src; // first, as opt_apply wants it
	const char *file;
	union {
		uint64_t whole; // bit/s, ps, bytes
		double real;
	} value[GUEST_PARAMS];
};

struct guest {
	const char *file;
	const char *name; // the plug-in's own
	char sha256[GUEST_SHA256];
	struct opt_table table; // fills a struct guest_spec
	struct opt row[OPT_ROWS];
	struct quench_plugin plugin;
	void *object; // of dlopen
};

// Loads a plug-in and reads its table; with `trusts` whoever could have written it. -errno and a
// line that begins with the file. The guest and its texts are the arena's; guest_free comes before
// the arena's end.
int guest_load(struct guest **out, struct arena *a, const char *file, bool trusts, struct err *err);
void guest_free(struct guest *g);

// The parameters' defaults.
void guest_defaults(const struct guest *g, struct guest_spec *spec);

// A control that uses it, at a line rate: as the plug-in's own init sees it, which is tried once.
// -EINVAL and a line where it refuses or crashes. `name` outlives the control.
struct guest_control {
	const char *name;
	rate_t line_rate; // bit/s
	tstamp base_rtt;  // 0: not known
};
int guest_compile(const struct guest *g, struct arena *a, struct rp_cfg *cfg,
	const struct guest_control *c, const struct guest_spec *spec, struct err *err);

// *failed becomes true when a verb of the reaction point fails, or at once if one has failed
// already. The reaction point is not called any more then. `rp` is a plug-in's.
void guest_watch(const struct rp *rp, atomic_bool *failed);

// Says in one line how the reaction point failed, and when. False if it has not. Call it on the
// thread that runs it, or after the run.
bool guest_failed(const struct rp *rp, char *text, size_t size, tstamp *at);
