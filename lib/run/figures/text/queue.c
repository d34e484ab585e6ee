// SPDX-License-Identifier: BSD-3-Clause
// Queues and buffers: the bottleneck with its shares and markers, marks and pauses, receive
// buffers, deadlocks, and the watchdog.
#include <math.h>

#include "int.h"

// The shares of a link that would not be printed as 0.00 %.
static void put_shares(FILE *f, const struct row *l)
{
	static const struct {
		const char *name, *figure;
	} part[] = {{"goodput", "goodput_percent"}, {"headers", "headers_percent"},
		{"open loop", "open_loop_percent"}, {"repeated", "repeated_percent"},
		{"control", "control_percent"}, {"CNMs", "cnm_percent"}, {"other", "other_percent"},
		{"idle while paused", "idle_paused_percent"},
		{"idle and empty", "idle_empty_percent"},
		{"waiting for the device", "refused_percent"},
		{"given up by the instrument", "given_up_percent"}};
	const char *between = "";

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		double percent = at(l, part[i].figure);

		if (percent < 0.005)
			continue;
		fprintf(f, "%s%.2f %% %s", between, percent, part[i].name);
		between = ", ";
	}
}

#define OTHER_PERCENT 1.0 // share of the time below which it is not said what passes real ports

static void put_bottleneck(FILE *f, const struct summary *s)
{
	const struct rec_port *port = fabric_bottleneck(s);
	struct row l = rows(s, KIND_LINK), q = rows(s, KIND_QUEUE);
	int deepest = fabric_deepest(s, port);
	double mean;

	l.i = (unsigned)s->bottleneck;
	fprintf(f, "\n  bottleneck  %s, %s: ", port->scene->name,
		RATE_GIVEN((double)port->scene->rate / 1e9));
	put_shares(f, &l);
	fprintf(f, "\n");
	if (s->set[KIND_DEVICE].n && at(&l, "other_percent") >= OTHER_PERCENT)
		fprintf(f,
			"              other: frames of flows that neither begin nor end in this "
			"process\n");
	if (deepest < 0)
		return;
	q.i = (unsigned)deepest;
	mean = at(&q, "mean_bytes");
	fprintf(f, "  queue       %s class %u: ", port->scene->name,
		((const struct fabric_queue *)set_at(&s->set[KIND_QUEUE], q.i))->rec->cls);
	if (!isnan(mean))
		fprintf(f, "mean %s, p95 %s, p99 %s, ", SIZE(mean), SIZE(at(&q, "p95_bytes")),
			SIZE(at(&q, "p99_bytes")));
	fprintf(f, "max %s", SIZE(at(&q, "max_bytes")));
	// In a lossless queue this stands among the reasons.
	if (!isnan(at(&q, "above_kmin_percent")) && !is(&q, "lossless"))
		fprintf(f, "; above Kmin %.1f %%, Kmax %.1f %% of the time",
			at(&q, "above_kmin_percent"), at(&q, "above_kmax_percent"));
	fprintf(f, "\n");
}

// The bottleneck's markers against their formula, where enough frames saw the slope.
static void put_markings(FILE *f, const struct summary *s)
{
	const char *bottleneck = fabric_bottleneck(s)->scene->name;

	for (struct row m = rows(s, KIND_MARKING); m.i < m.n; m.i++) {
		double pmax = at(&m, "pmax");

		if (strcmp(LABEL(&m, "port"), bottleneck) != 0 || !count(&m, "chi_square_bins"))
			continue;
		fprintf(f,
			"  marker      %s class %u: Pmax %.4g %%, measured %.4g %% (chance: "
			"+-%.2g %%); chi-square %.1f for %llu bin%s (p %.2g)\n",
			bottleneck, class_of(&m), 100 * pmax, 100 * at(&m, "pmax_fitted"),
			at(&m, "pmax_sigma_percent") * pmax, at(&m, "chi_square"),
			count(&m, "chi_square_bins"), plural(count(&m, "chi_square_bins")),
			at(&m, "chi_square_p"));
	}
}

// The longest of the pauses that ended in the window or still go on: the pauses of a deadlock never
// end.
static double longest_pause_us(const struct summary *s)
{
	double longest = 0;

	for (struct row p = rows(s, KIND_PFC); p.i < p.n; p.i++)
		longest = fmax(longest, at(&p, "longest_pause_us"));
	return longest;
}

// Writes which port was paused longest in the window, in one of its classes. A host has one port.
static void put_paused_most(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	const struct rec_port *most = NULL;
	tstamp longest = 0;
	double share;

	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];

		for (unsigned k = 0; p->rx && k < PAUSE_PRIOS; k++) {
			tstamp ps = fabric_pause_window(p, k, false).pause_effective_ps;

			if (ps <= longest)
				continue;
			longest = ps;
			most = p;
		}
	}
	if (!most)
		return;
	share = 100 * (double)longest / (double)(s->to - s->from);
	fprintf(f, "; %s%s was paused for %s (%.*f %%)", most->sw ? "port " : "",
		most->sw ? most->scene->name : r->scene->node[most->node].name,
		DURATION((double)longest / 1e6), share < 1 ? 2 : 1, share);
}

#define PAUSED_PERCENT 1.0 // share of the window below which a host's pauses are not told

// Writes which switch port was paused longest by its host, or by whatever is behind its device.
// Congestion begins behind that port, where no marker of ours can see it.
static void put_paused_by_host(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	const struct scene_port *most = NULL;
	double share, longest = 0;
	unsigned prio = 0, others = 0;

	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];
		bool of_switch = p->scene->peer_node >= 0 &&
				 r->scene->node[p->scene->peer_node].kind == SCENE_SW;

		for (unsigned k = 0; p->sw && p->rx && !of_switch && k < PAUSE_PRIOS; k++) {
			share = 100 * (double)fabric_pause_window(p, k, false).pause_effective_ps /
				(double)(s->to - s->from);
			if (!(share >= PAUSED_PERCENT))
				continue;
			others++;
			if (share <= longest)
				continue;
			longest = share;
			most = p->scene;
			prio = k;
		}
	}
	if (!most)
		return;
	fprintf(f, "  paused      %s class %u by %s for %.1f %% of the time", most->name, prio,
		most->peer_node < 0 ? "what is behind its device"
				    : r->scene->node[most->peer_node].name,
		longest);
	if (others > 1)
		fprintf(f, "; %u other%s by theirs", others - 1,
			others == 2 ? " port or class" : " ports or classes");
	fputc('\n', f);
}

static void put_signals(FILE *f, const struct summary *s)
{
	double paused = total(s, "pause_ps");
	ull marks = total_count(s, "marks") - total_count(s, "not_ect_marks");
	double ect = total(s, "ect_frames");

	fprintf(f, "  PFC         ");
	if (total_count(s, "pauses") || paused > 0)
		fprintf(f, "%llu pause%s, %s in all, longest %s; %llu XOFF and %llu XON sent",
			total_count(s, "pauses"), plural(total_count(s, "pauses")),
			DURATION(paused / 1e6), DURATION(longest_pause_us(s)),
			total_count(s, "xoff_tx"), total_count(s, "xon_tx"));
	else if (total_count(s, "xoff_tx"))
		fprintf(f, "no pause of our ports; %llu XOFF and %llu XON sent to others",
			total_count(s, "xoff_tx"), total_count(s, "xon_tx"));
	else
		fprintf(f, "no pause");
	put_paused_most(f, s);
	if (total_count(s, "pause_tx"))
		fprintf(f, "; 802.3x: %llu PAUSE sent", total_count(s, "pause_tx"));
	fputc('\n', f);
	put_paused_by_host(f, s);
	if (!(ect > 0) && !total_count(s, "ecn_ce_rx") && !total_count(s, "marks")) {
		fprintf(f, "  ECN         no ECT frame met a marker\n");
		return;
	}
	fprintf(f,
		"  ECN         %llu of %.0f ECT frame%s marked (%.3f %%); "
		"%llu CE received, %llu CNP%s sent, %llu taken, %llu rate cut%s\n",
		marks, ect, plural((uint64_t)ect), ect > 0 ? 100 * (double)marks / ect : 0,
		total_count(s, "ecn_ce_rx"), total_count(s, "cnp_tx"),
		plural(total_count(s, "cnp_tx")), total_count(s, "cnp_rx"),
		total_count(s, "rate_cuts"), plural(total_count(s, "rate_cuts")));
	if (total_count(s, "not_ect_marks"))
		fprintf(f, "              and %llu Not-ECT frame%s\n",
			total_count(s, "not_ect_marks"), plural(total_count(s, "not_ect_marks")));
}

static void put_rxbufs(FILE *f, const struct summary *s)
{
	for (struct row b = rows(s, KIND_RXBUF); b.i < b.n; b.i++) {
		if (!count(&b, "max_bytes_total"))
			continue;
		fprintf(f, "  receiver    %s held at most %s of %s", LABEL(&b, NULL),
			SIZE(at(&b, "max_bytes_total")), SIZE(at(&b, "size_bytes")));
		if (!isnan(at(&b, "xoff_bytes")))
			fprintf(f, ", XOFF at %s", SIZE(at(&b, "xoff_bytes")));
		fprintf(f, ", drained at %s\n", RATE_GIVEN(at(&b, "drain_gbps")));
	}
}

// Writes the first deadlock; the others are often consequences of it.
static void put_deadlock(FILE *f, const struct record *r)
{
	const struct deadlock *d = r->dead.d;

	if (!r->dead.n)
		return;
	fprintf(f, "  DEADLOCK    class %u, %u queues:", d->cls, d->n);
	for (unsigned i = 0; i < d->n; i++)
		fprintf(f, "%s %s", i ? " >" : "",
			r->scene->node[d->queue[i].node].port[d->queue[i].port].name);
	fprintf(f, "\n              since %s", DURATION(us(d->since)));
	if (d->until == TSTAMP_NEVER)
		fprintf(f, ", to the end");
	else
		fprintf(f, ", gone at %s", DURATION(us(d->until)));
	fprintf(f, "; %u queue%s stuck", d->stuck, plural(d->stuck));
	if (r->dead.n > 1)
		fprintf(f, "; %u more", r->dead.n - 1);
	fprintf(f, "\n");
}

void text_watchdog(FILE *f, const struct summary *s)
{
	for (struct row w = rows(s, KIND_WD); w.i < w.n; w.i++) {
		if (!count(&w, "storms") && !is(&w, "storm"))
			continue;
		fprintf(f,
			"  watchdog    %s class %u: %llu storm%s, %llu restored%s; "
			"dropped %llu bound for it, %llu that came in by it\n",
			LABEL(&w, "port"), class_of(&w), count(&w, "storms"),
			plural(count(&w, "storms")), count(&w, "restored"),
			is(&w, "storm") ? ", one goes on" : "", count(&w, "tx_dropped_frames"),
			count(&w, "rx_dropped_frames"));
	}
}

void text_queues(FILE *f, const struct summary *s)
{
	if (s->bottleneck >= 0) {
		put_bottleneck(f, s);
		put_markings(f, s);
	}
	put_signals(f, s);
	put_rxbufs(f, s);
	put_deadlock(f, s->rec);
}
