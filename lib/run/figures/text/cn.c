// SPDX-License-Identifier: BSD-3-Clause
// Congestion notification: congestion points, notification points, iQCN, Fast CNP and plug-ins.
// Lines about iQCN are as `display iqcn statistics` has them.
#include <math.h>
#include <string.h>

#include "int.h"

void text_cps(FILE *f, const struct summary *s)
{
	for (struct row c = rows(s, KIND_CP); c.i < c.n; c.i++) {
		if (!count(&c, "cnm_tx"))
			continue;
		fprintf(f,
			"  QCN         %s class %u: mean %.3f of the set point %s, deviation "
			"%.3f; %llu CNM%s, %.0f a second, feedback %.1f of 63\n",
			LABEL(&c, "port"), class_of(&c), at(&c, "mean_over_set_point"),
			SIZE(at(&c, "set_point_bytes")), at(&c, "std_over_set_point"),
			count(&c, "cnm_tx"), plural(count(&c, "cnm_tx")), at(&c, "cnm_tx_per_s"),
			at(&c, "fb_mean_total"));
	}
}

// Returns whether a port belongs to switch `node`.
static bool is_port_of(const struct row *p, const char *node)
{
	size_t n = strlen(node);
	const char *port = LABEL(p, "port");

	return !strncmp(port, node, n) && port[n] == ':';
}

static void put_iqcn_ports(FILE *f, const struct summary *s, const char *node)
{
	for (struct row q = rows(s, KIND_IQCN); q.i < q.n; q.i++) {
		ull foreign = count(&q, "cnp_foreign");

		if (!is_port_of(&q, node) || !(count(&q, "cnp_rx") + foreign + count(&q, "cnp_tx")))
			continue;
		fprintf(f,
			"                %-14s RX CNP %8llu, %9.1f /s; TX CNP %8llu, %9.1f /s; "
			"%llu flow%s, heavy %.1f %%",
			LABEL(&q, "port"), count(&q, "cnp_rx"), at(&q, "cnp_rx_per_s"),
			count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"), count(&q, "flows_total"),
			plural(count(&q, "flows_total")), at(&q, "heavy_percent"));
		if (foreign)
			fprintf(f, "; %llu CNP%s from elsewhere not believed", foreign,
				plural(foreign));
		fputc('\n', f);
	}
}

static void put_iqcn(FILE *f, const struct summary *s)
{
	for (struct row q = rows(s, KIND_IQCN_TABLE); q.i < q.n; q.i++) {
		if (!(count(&q, "cnp_rx_total") + count(&q, "cnp_foreign")))
			continue;
		fprintf(f,
			"  iQCN        %s: TX CNP %llu, %.1f /s; %llu of %llu flows known, %llu "
			"aged, %llu lost to a full table, %llu CNP%s capped\n",
			LABEL(&q, NULL), count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"),
			count(&q, "flows_total"), count(&q, "entries"), count(&q, "aged_total"),
			count(&q, "table_full_total"), count(&q, "capped_total"),
			plural(count(&q, "capped_total")));
		put_iqcn_ports(f, s, LABEL(&q, NULL));
	}
}

static void put_fast_ports(FILE *f, const struct summary *s, const char *node)
{
	for (struct row q = rows(s, KIND_FAST_CNP); q.i < q.n; q.i++) {
		ull suppressed = count(&q, "suppressed"), unknown = count(&q, "unknown");
		ull foreign = count(&q, "ack_foreign");

		if (!is_port_of(&q, node) ||
			!(count(&q, "cnp_tx") + suppressed + unknown + foreign))
			continue;
		fprintf(f,
			"                %-14s TX CNP %8llu, %9.1f /s; "
			"%llu more marked within the interval, %llu of unknown flows",
			LABEL(&q, "port"), count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"), suppressed,
			unknown);
		if (foreign)
			fprintf(f, "; %llu ACK%s from elsewhere not believed", foreign,
				plural(foreign));
		fputc('\n', f);
	}
}

static void put_fast_cnp(FILE *f, const struct summary *s)
{
	for (struct row q = rows(s, KIND_FAST_CNP_TABLE); q.i < q.n; q.i++) {
		fprintf(f,
			"  Fast CNP    %s: TX CNP %llu, %.1f /s; %llu of %llu flows known, %llu "
			"aged, %llu lost to a full table, %llu QPN%s in doubt\n",
			LABEL(&q, NULL), count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"),
			count(&q, "flows_total"), count(&q, "entries"), count(&q, "aged_total"),
			count(&q, "table_full_total"), count(&q, "ambiguous_total"),
			plural(count(&q, "ambiguous_total")));
		put_fast_ports(f, s, LABEL(&q, NULL));
	}
}

// The keys that what was seen agrees with.
static void put_pacing(FILE *f, const struct row *n)
{
	const char *keys = host_paced_by(n->s, n->i, (char[KIND_NAME]){0});

	if (is(n, "paced"))
		fprintf(f, "\n              paced by%s\n", *keys ? keys : " none");
	else
		fprintf(f, "\n              not paced%s\n",
			is(n, "every_ce") ? ", a CNP for every CE" : "");
}

static void put_nps(FILE *f, const struct summary *s)
{
	for (struct row n = rows(s, KIND_NP); n.i < n.n; n.i++) {
		if (!count(&n, "cnp_tx"))
			continue;
		fprintf(f, "  CNPs        %s: %llu for %llu CE, %llu capped", LABEL(&n, NULL),
			count(&n, "cnp_tx"), count(&n, "ce_rx"), count(&n, "cnp_capped"));
		if (!isnan(at(&n, "np_delay_p50_us")))
			fprintf(f, "; delay p50 %.1f, p99 %.1f us", at(&n, "np_delay_p50_us"),
				at(&n, "np_delay_p99_us"));
		if (!isnan(at(&n, "cnp_delay_p50_us")))
			fprintf(f, "; way p50 %.1f, p99 %.1f us", at(&n, "cnp_delay_p50_us"),
				at(&n, "cnp_delay_p99_us"));
		put_pacing(f, &n);
	}
}

// Tells of plug-ins only the figures that are probably mistakes.
static void put_plugins(FILE *f, const struct summary *s)
{
	for (struct row p = rows(s, KIND_PLUGIN); p.i < p.n; p.i++)
		if (count(&p, "rates_clamped"))
			fprintf(f,
				"  plug-in     control %s asked %llu time%s for a rate below 100 "
				"kb/s or above the line's, and got that\n",
				LABEL(&p, NULL), count(&p, "rates_clamped"),
				plural(count(&p, "rates_clamped")));
}

#define CNPS_AT_LEAST 3 // that must lack, since some are on their way when a window begins or ends

// CNPs that senders did not get where frames were dropped. Fast CNP takes some out itself.
static void put_lost(FILE *f, const struct summary *s)
{
	ull sent = total_count(s, "cnp_tx") + total_count(s, "iqcn_cnp_tx");
	ull taken = total_count(s, "cnp_rx"), lost = sent > taken ? sent - taken : 0;

	if (lost >= CNPS_AT_LEAST && lost > sent / 50 && lost <= total_count(s, "drops") &&
		!total_count(s, "fast_cnp_tx") && !s->set[KIND_DEVICE].n)
		fprintf(f,
			"  CNPs lost   %llu of %llu did not come to their senders, and frames "
			"were dropped: see their class (cnp_class)\n",
			lost, sent);
}

void text_cn(FILE *f, const struct summary *s)
{
	put_nps(f, s);
	put_lost(f, s);
	put_iqcn(f, s);
	put_fast_cnp(f, s);
	put_plugins(f, s);
}
