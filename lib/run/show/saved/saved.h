// SPDX-License-Identifier: BSD-3-Clause
// Room saved reads the folder of a run, and lists what is missing in it.
#pragma once

#include <jansson.h>

#include "conf/conf.h"
#include "dist.h"
#include "event.h"
#include "job.h"
#include "series.h"
#include "table.h"

// Opens the folder of a run. It needs manifest.json or summary.json to be one; whatever else is
// missing, broken or of another form is named by saved_missing(). -ENOENT, -ENOTDIR, -EINVAL (no
// folder of a run), -ENOMEM: one line in err.
int saved_open(struct saved **s, const char *dir, struct err *err);
void saved_close(struct saved *s);

const char *saved_dir(const struct saved *s);
// The scenario's name; "" where neither file has one.
const char *saved_name(const struct saved *s);
// manifest.json and summary.json; NULL where the file is missing or broken.
const json_t *saved_manifest(const struct saved *s);
const json_t *saved_summary(const struct saved *s);
// Frees summary.json, which may be large, once its reader has taken the figures: saved_summary() is
// NULL from then on.
void saved_drop_summary(struct saved *s);
// Members of an object of these files: NAN and "" where there is none.
double saved_number(const json_t *object, const char *key);
const char *saved_text(const json_t *object, const char *key);

// The instant at which the run ended, and the window in which figures were taken.
tstamp saved_end(const struct saved *s);
void saved_window(const struct saved *s, tstamp *from, tstamp *to);

// Returns the i-th thing that the folder cannot show, and why, as a whole sentence. More can come
// as events, series and tables are read. NULL: there are no more.
const char *saved_missing(const struct saved *s, unsigned i);
