// SPDX-License-Identifier: BSD-3-Clause
// Room merge: the folders of the parts of one run as a single folder (`quench merge`).
#pragma once

#include <stdio.h>

#include "conf/conf.h"

struct merge;

#define MERGE_PARTS 64 // most

// The files that a merged folder can hold, and the files that later commands add. If a folder is
// taken by force, these are removed first. NULL ends the list.
extern const char *const merge_files[];

// Opens the folders of all parts of a run and makes their summary. -EINVAL with one line in err
// where they are not the parts of one run: which folder, which node, and what would be right;
// -ENOENT, -ENOTDIR, -ENOMEM. The n folders are at least one, and their names stay the caller's.
int merge_open(struct merge **m, const char *const *dir, unsigned n, struct err *err);
void merge_close(struct merge *m);

// The name of the scenario and its seed, of which the folder of the run is called.
const char *merge_name(const struct merge *m);
unsigned long long merge_seed(const struct merge *m);

// Writes all files into a folder that is there. -errno with a line.
int merge_write(struct merge *m, const char *dir, const char *command, struct err *err);

// A line for each link that was cut, and for each verdict of the whole.
void merge_text(const struct merge *m, FILE *f);

// Whether every part has passed, and what one end of each cut link has sent came to the other.
bool merge_passed(const struct merge *m);
