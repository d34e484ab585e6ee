// SPDX-License-Identifier: BSD-3-Clause
// Room page: one file of HTML that shows what runs did, from their folders, for a browser without
// a network.
#pragma once

#include "conf/conf.h"
#include "saved/saved.h"

#define PAGE_RUNS 64 // that one page can show

// Writes the page of one run, or of several with their plots overlaid and their differences. Beside
// the page of one run that has pauses it writes lineage.csv and lineage_bills.csv (room lineage).
// 1 <= n <= PAGE_RUNS. -errno and a line with the path; -ENOSYS: the program was built
// without what draws plots (dygraphs).
int page_write(struct saved *const *run, unsigned n, const char *path, struct err *err);

// The data of the page of one run, as data.h says: an object of `runs`. NULL: no memory. Freed by
// json_decref().
json_t *page_data(struct saved *run);

// The configuration of a run as an object of paths and texts, without the seed. Freed by
// json_decref().
json_t *page_config(const struct saved *run);
// Whether two runs have the same scenario's name, clock and part. If their configurations are equal
// too, they differ in their seed only.
bool page_alike(const struct saved *a, const struct saved *b);
