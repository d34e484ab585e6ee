// SPDX-License-Identifier: BSD-3-Clause
// The figures of each object by name: one list for summary.json, for comparisons and for tests.
#pragma once

#include "out/out.h"
#include "summary.h"

#define FIGURE_MAX 64

struct figure {
	const char *name; // with its unit last; docs/measuring.md says what each means
	double value;     // NAN: not known
	uint8_t decimals;
};

// What a list is gathered into.
struct figures {
	unsigned n;
	struct figure f[FIGURE_MAX];
};

#pragma GCC visibility push(hidden)

void figure_flow(struct figures *o, const struct summary_flow *f);
void figure_group(struct figures *o, const struct summary_group *g);
void figure_queue(struct figures *o, const struct summary_queue *q);
void figure_marking(struct figures *o, const struct summary_marking *m);
void figure_bin(struct figures *o, const struct summary_bin *b);
void figure_size(struct figures *o, const struct summary_size *z);
void figure_pause(struct figures *o, const struct summary_pause *p);
void figure_pg(struct figures *o, const struct summary_pg *g);
void figure_cp(struct figures *o, const struct summary_cp *c);
void figure_cnp(struct figures *o, const struct summary_cnp *c);
void figure_np(struct figures *o, const struct summary_np *n);
void figure_iqcn(struct figures *o, const struct summary_iqcn *q);
void figure_fast_cnp(struct figures *o, const struct summary_fast_cnp *q);
void figure_fast_cnp_table(struct figures *o, const struct summary_fast_cnp_table *q);
void figure_iqcn_table(struct figures *o, const struct summary_iqcn_table *q);
void figure_wd(struct figures *o, const struct summary_wd *w);
void figure_deadlock(struct figures *o, const struct deadlock *d);
void figure_pool(struct figures *o, const struct summary_pool *p);
void figure_link(struct figures *o, const struct summary_link *l);
void figure_source(struct figures *o, const struct summary_source *s);
void figure_rxbuf(struct figures *o, const struct summary_rxbuf *b);
void figure_total(struct figures *o, const struct summary_total *t);
void figure_sw_drops(struct figures *o, const struct summary_total *t);
void figure_nic_drops(struct figures *o, const struct summary_total *t);
void figure_replay(struct figures *o, const struct summary_replay *s);

// All of them as members of an object of JSON.
void figure_put(struct jw *w, const struct figures *o);

// Value by name; NAN where there is none.
double figure_find(const struct figures *o, const char *name);

#pragma GCC visibility pop
