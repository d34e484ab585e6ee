// SPDX-License-Identifier: BSD-3-Clause
// A lineage as files of comma-separated values, and as text for a terminal.
#include "int.h"

static const char *const end_name[] = {
	[LINEAGE_XON] = "xon",
	[LINEAGE_EXPIRED] = "expired",
	[LINEAGE_WATCHDOG] = "pfcwd",
	[LINEAGE_RUNNING] = "running",
	[LINEAGE_UNTOLD] = "untold",
};

static void put_us(struct out *o, tstamp ps)
{
	out_upto(o, fmt_us(out_room(o, FMT_MAX), ps));
}

static void put_queue_name(const struct lineage *l, struct out *o, uint32_t queue)
{
	out_printf(o, "%s.%u", port_at(l, lineage_port_of(queue))->name, lineage_class_of(queue));
}

static void write_part(
	const struct lineage *l, struct out *o, uint32_t number, const struct lineage_part *part)
{
	const struct lineage_pause *p = lineage_pause(l, number);
	uint32_t port = lineage_port_of(p->queue);

	out_printf(o, "%u,%s,%u,%s,", number, port_at(l, port)->name, lineage_class_of(p->queue),
		port_at(l, port_at(l, port)->peer)->name);
	put_us(o, p->from);
	out_str(o, ",");
	put_us(o, p->to);
	out_printf(o, ",%s,%u,", end_name[p->end], p->renewed);
	if (part && part->queue != LINEAGE_NONE) {
		put_queue_name(l, o, part->queue);
		out_printf(o, ",%u,", part->pause);
	} else {
		out_printf(o, "%s,,", part ? root_at(l, part->root)->name : "");
	}
	put_us(o, part ? part->ps : 0);
	out_str(o, "\n");
}

void lineage_write(const struct lineage *l, struct out *o)
{
	out_str(o, "pause,object,class,xoff_from,from_us,to_us,end,renewed,cause,cause_pause,"
		   "part_us\n");
	for (uint32_t i = 0; i < l->pauses.n; i++) {
		uint32_t k = lineage_pause(l, i)->part;

		if (k == LINEAGE_NONE)
			write_part(l, o, i, NULL);
		for (; k != LINEAGE_NONE; k = lineage_part(l, k)->next)
			write_part(l, o, i, lineage_part(l, k));
	}
}

void lineage_write_bills(const struct lineage *l, struct out *o)
{
	out_str(o, "object,class,root,time_us\n");
	for (uint32_t i = 0; i < l->bills.n; i++) {
		const struct lineage_bill *b = lineage_bill(l, i);

		out_printf(o, "%s,%u,%s,", port_at(l, lineage_port_of(b->queue))->name,
			lineage_class_of(b->queue), root_at(l, b->root)->name);
		put_us(o, b->ps);
		out_str(o, "\n");
	}
}

static double percent(tstamp ps, tstamp of)
{
	return of ? 100.0 * (double)ps / (double)of : 0;
}

static void put_tree_row(const struct lineage *l, struct out *o, const struct lineage_row *r)
{
	tstamp own = r->queue == LINEAGE_NONE ? 0 : queue_at(l, r->queue)->ps;

	out_printf(o, "  %*s", 2 * (int)(r->depth < 20 ? r->depth : 20), "");
	if (r->queue == LINEAGE_NONE) {
		out_printf(o, "%s\n", root_at(l, r->root)->name);
		return;
	}
	put_queue_name(l, o, r->queue);
	out_printf(o, "  paused %.3f us", (double)own / PS_PER_US);
	out_printf(o, ", %.1f %% of it for ", percent(r->ps, own));
	if (r->depth) {
		out_str(o, "this");
	} else {
		put_queue_name(l, o, r->to);
		out_str(o, ", which stands below: a ring");
	}
	out_str(o, "\n");
}

void lineage_text(const struct lineage *l, struct out *o, uint32_t rows)
{
	for (unsigned i = 0; i < l->n_lacks; i++)
		out_printf(o, "%s\n", l->lacks[i]);
	if (!l->pauses.n) {
		out_str(o, "There was no pause.\n");
		return;
	}
	out_printf(o, "%u pause%s took %.3f us in all. The time goes back to:\n", l->pauses.n,
		plural(l->pauses.n), (double)l->ps / PS_PER_US);
	for (uint32_t i = 0; i < l->roots.n && i < rows; i++)
		out_printf(o, "  %5.1f %%  %.3f us  %s\n", percent(root_at(l, i)->ps, l->ps),
			(double)root_at(l, i)->ps / PS_PER_US, root_at(l, i)->name);
	if (l->roots.n > rows)
		out_printf(o, "  and %u more\n", l->roots.n - rows);
	out_str(o, "Each queue stands below what stopped it for the longest time:\n");
	for (uint32_t i = 0; i < l->rows.n && i < rows; i++)
		put_tree_row(l, o, lineage_row(l, i));
	if (l->rows.n > rows)
		out_printf(o, "  and %u line%s more\n", l->rows.n - rows, plural(l->rows.n - rows));
}
