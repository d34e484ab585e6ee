// SPDX-License-Identifier: BSD-3-Clause
// Discarded frames by reason, reactions of senders to the loss, and full FDBs.
#include "int.h"

// A figure of the totals, and the end of the noun behind it.
#define COUNTED(s, name) total_count(s, name), plural(total_count(s, name))

// The frames that are lost, or that were filtered, by reason.
static void put_reasons(FILE *f, const struct summary *s, bool loss)
{
	ull all = total_count(s, loss ? "drops" : "filtered");
	const char *between = ": ";
	struct ledger_row row;

	fprintf(f, "%llu frame%s", all, plural(all));
	for (unsigned i = 0; summary_ledger(s, i, &row); i++) {
		if (!row.window || (row.fate != DROP_FILTERED) != loss)
			continue;
		fprintf(f, "%s%s%s %llu", between, row.nic ? "nic " : "", row.reason,
			(ull)row.window);
		between = ", ";
	}
}

// A switch whose FDB had no room for all addresses: frames to a forgotten address are flooded.
static void put_full_fdb(FILE *f, const struct scene_node *n, ull full, ull flooded)
{
	if (full)
		fprintf(f,
			"  FDB full    %s: %llu time%s an address found no room among its %u "
			"entries, and frames to one that is forgotten are flooded\n"
			"                %llu frame%s flooded in all; a larger fdb_entries has "
			"room for more\n",
			n->name, full, plural(full), sw_fdb_room(&n->u.sw), flooded,
			flooded == 1 ? " was" : "s were");
}

static void put_full_fdbs(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	struct row p = rows(s, KIND_PORT);
	const struct scene_node *n = NULL;
	ull full = 0, flooded = 0;

	for (unsigned i = 0; i < r->n_ports; i++) {
		if (!r->port[i].sw)
			continue;
		if (n && n != &r->scene->node[r->port[i].node]) {
			put_full_fdb(f, n, full, flooded);
			full = flooded = 0;
		}
		n = &r->scene->node[r->port[i].node];
		full += count(&p, "fdb_full");
		flooded += count(&p, "flooded_frames");
		p.i++;
	}
	if (n)
		put_full_fdb(f, n, full, flooded);
}

// Queue pairs with selective repeat that found no map free: a packet that came early was lost.
static void put_map_misses(FILE *f, const struct summary *s)
{
	ull misses = 0;

	for (struct row p = rows(s, KIND_NIC); p.i < p.n; p.i++)
		misses += count(&p, "map_misses");
	if (misses)
		fprintf(f,
			"  no map      %llu time%s a queue pair found none of its host's %u maps "
			"free, and an early packet counted as lost; fewer queue pairs at a time "
			"need fewer maps\n",
			misses, plural(misses), NIC_MAPS);
}

void text_drops(FILE *f, const struct summary *s)
{
	ull drops = total_count(s, "drops"), whole = total_count(s, "drops_total");

	fprintf(f, "  drops       ");
	if (drops)
		put_reasons(f, s, true);
	else
		fprintf(f, "none");
	if (whole > drops)
		fprintf(f, "; %llu more before the window", whole - drops);
	fprintf(f, "\n");
	if (total_count(s, "filtered")) {
		fprintf(f, "  filtered    ");
		put_reasons(f, s, false);
		fprintf(f, ", no loss\n");
	}
	put_full_fdbs(f, s);
	if (total_count(s, "nak_rx") || total_count(s, "timeouts") || total_count(s, "failed_qps"))
		fprintf(f,
			"  repair      %llu frame%s resent, %llu NAK%s, %llu timeout%s, %llu QP%s "
			"failed\n",
			COUNTED(s, "data_frames_retransmitted"), COUNTED(s, "nak_rx"),
			COUNTED(s, "timeouts"), COUNTED(s, "failed_qps"));
	put_map_misses(f, s);
}
