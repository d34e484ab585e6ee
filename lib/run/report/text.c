// SPDX-License-Identifier: BSD-3-Clause
// The summary as a table for the terminal: one screen, units everywhere, verdicts last. Lines about
// iQCN are as `display iqcn statistics` has them.
#include <math.h>
#include <stdlib.h>

#include "summary.h"

#define FLOW_ROWS 8 // more flows than that are shown by group

typedef unsigned long long ull;

// A time with a unit that fits it.
static const char *duration(char *to, size_t size, double us)
{
	if (us >= 1e6)
		snprintf(to, size, "%.3f s", us / 1e6);
	else if (us >= 1e3)
		snprintf(to, size, "%.3f ms", us / 1e3);
	else
		snprintf(to, size, "%.1f us", us);
	return to;
}

static const char *size_text(char *to, size_t size, double bytes)
{
	if (bytes >= 1e7)
		snprintf(to, size, "%.2f MB", bytes / 1e6);
	else
		snprintf(to, size, "%.1f KB", bytes / 1e3);
	return to;
}

#define DURATION(us) duration((char[32]){0}, 32, us)
#define SIZE(bytes)  size_text((char[32]){0}, 32, (double)(bytes))

static double us(tstamp ps)
{
	return (double)ps / 1e6;
}

static void put_head(FILE *f, const struct record *r, const struct summary *s)
{
	const struct record_run *run = &s->run;
	double sim = (double)run->end / 1e12;

	if (*run->crash)
		fprintf(f, "ENDED EARLY: %s\n", run->crash);
	if (run->timing_broken)
		fprintf(f, "TIMING BROKEN: %s\n", run->timing_text);
	fprintf(f, "%s: %s time, seed %llu, %s simulated in %.3f s", r->scene->name, run->clock,
		(ull)r->scene->seed, DURATION(us(run->end)), run->wall_s);
	if (run->wall_s > 0 && sim > 0) {
		double speed = sim / run->wall_s;

		fprintf(f, " (%.*fx real time)", speed < 0.1 ? 4 : speed < 10 ? 2 : 0, speed);
	}
	if (run->dilate > 1)
		fprintf(f, ", dilated by %u", run->dilate);
	fprintf(f, "%s\n", run->interrupted ? ", interrupted" : "");
	fprintf(f, "figures from %s to %s", DURATION(us(s->from)), DURATION(us(s->to)));
	fprintf(f, "%s\n", !r->warmed && r->scene->warmup ? " (stopped within the warm-up)" : "");
}

static void put_rate(FILE *f, bool known, double gbps)
{
	if (known)
		fprintf(f, " %9.3f", gbps);
	else
		fprintf(f, " %9s", "-");
}

// Its four first decimals, rounded down: 1.0000 is 1.
static void put_alpha(FILE *f, double alpha)
{
	unsigned digits = isnan(alpha) ? 0 : (unsigned)lround(alpha * 1e6) / 100;

	if (isnan(alpha))
		fprintf(f, "  %6s", "-");
	else
		fprintf(f, "  %u.%04u", digits / 10000, digits % 10000);
}

static void put_flows(FILE *f, const struct summary *s)
{
	int width = 8;

	for (unsigned i = 0; i < s->n_flows; i++)
		if ((int)strlen(s->flow[i].rec->scene->name) > width)
			width = (int)strlen(s->flow[i].rec->scene->name);
	fprintf(f,
		"\n  %-*s   goodput   Rc mean    Rc end   alpha       CE   CNPs   cuts  resent\n",
		width, "flow");
	fprintf(f, "  %-*s      Gb/s      Gb/s      Gb/s           frames                 frames\n",
		width, "");
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct summary_flow *o = &s->flow[i];
		bool rp = o->rec->rp;

		fprintf(f, "  %-*s", width, o->rec->scene->name);
		put_rate(f, true, o->goodput_gbps);
		put_rate(f, rp, o->rc_mean_gbps);
		put_rate(f, rp, (double)o->rc / 1e9);
		put_alpha(f, rp ? o->alpha : NAN);
		fprintf(f, " %8llu %6llu %6llu %7llu\n", (ull)o->rx.ecn_ce_rx, (ull)o->tx.cnp_rx,
			(ull)o->tx.rate_cuts, (ull)o->tx.data_frames_retransmitted);
	}
}

// A ratio, or a dash where there is none.
static void put_ratio(FILE *f, const char *name, bool known, int decimals, double v)
{
	if (known)
		fprintf(f, ", %s %.*f", name, decimals, v);
	else
		fprintf(f, ", %s -", name);
}

// How near the flows of a group were to their fair shares.
static void put_fairness(FILE *f, const struct summary_group *g)
{
	if (g->rec->n < 2)
		return;
	if (g->converged > 0) {
		fprintf(f, "; within 10 %% of fair shares after %s", DURATION(g->t_conv_us));
		put_ratio(f, "osc", !isnan(g->osc_since), 3, g->osc_since);
	} else if (!isnan(g->off_percent)) {
		fprintf(f, "; within 10 %% of fair shares in %.0f %% of the ms",
			100 - g->off_percent);
	}
}

static void put_group(FILE *f, const struct summary_group *g)
{
	const struct summary_messages *m = &g->messages;

	fprintf(f, "  %s: %u flow%s, %.3f Gb/s", g->rec->name, g->rec->n, g->rec->n > 1 ? "s" : "",
		g->goodput_gbps);
	if (g->rec->n > 1)
		fprintf(f, " (each %.3f to %.3f)", g->min_gbps, g->max_gbps);
	if (!isnan(g->jain))
		fprintf(f, ", Jain %.4f", g->jain);
	put_fairness(f, g);
	if (m->fct_us.n) {
		fprintf(f, "\n    %llu messages, FCT p50 %s, p99 %s", (ull)m->fct_us.n,
			DURATION(m->fct_us.p50), DURATION(m->fct_us.p99));
		put_ratio(f, "slowdown p99", m->slowdown.n, 2, m->slowdown.p99);
	}
	fprintf(f, "\n");
	if (g->worst_pace)
		fprintf(f,
			"    pace: %u of %u limiters sent %g %% or more off what they allowed; "
			"most %s, by "
			"%+.2f %%\n",
			g->off_pace, g->rec->n, PACE_OFF_PERCENT, g->worst_pace->rec->scene->name,
			g->worst_pace->pace.percent);
}

// What a host replayed, and how late; a sink only receives.
static void put_replay(FILE *f, const struct summary_replay *p)
{
	const struct replay_params *params = &p->node->u.replay;
	const struct replay_stats *st = &p->now;
	uint64_t all = (uint64_t)params->n * params->loops;

	fprintf(f, "  %s: ", p->node->name);
	if (params->n)
		fprintf(f, "%llu frames wanted", (ull)st->wanted_frames);
	if (params->n && st->wanted_frames < all)
		fprintf(f, " of %llu", (ull)all);
	if (params->n)
		fprintf(f, ", %llu sent, %llu late; ", (ull)st->tx_frames, (ull)st->late_frames);
	if (st->late_frames)
		fprintf(f, "lateness p50 %s, p99 %s, max %s; ", DURATION(p->late_us.p50),
			DURATION(p->late_us.p99), DURATION(us(st->late_max_ps)));
	fprintf(f, "%llu received, %llu with CE\n", (ull)st->rx_frames, (ull)st->rx_ce_frames);
}

static void put_source(FILE *f, const struct summary_source *o)
{
	fprintf(f, "  %s: sent %.3f Gb/s, received %.3f Gb/s, %llu lost, %llu out of order",
		o->rec->scene->name, o->tx_gbps, o->rx_gbps, (ull)o->rx.lost,
		(ull)o->rx.out_of_order);
	if (o->in_flight)
		fprintf(f, ", %llu on their way", (ull)o->in_flight);
	fprintf(f, "\n");
}

static void put_traffic(FILE *f, const struct record *r, const struct summary *s)
{
	if (s->n_flows && s->n_flows <= FLOW_ROWS)
		put_flows(f, s);
	else
		fprintf(f, "\n");
	if (s->n_flows > FLOW_ROWS)
		fprintf(f, "  %u flows, by group, as a table would have more than %u rows%s\n",
			s->n_flows, FLOW_ROWS, r->dir ? "; summary.json has each" : "");
	for (unsigned i = 0; i < s->n_groups; i++)
		put_group(f, &s->group[i]);
	for (unsigned i = 0; i < s->n_sources; i++)
		put_source(f, &s->source[i]);
	for (unsigned i = 0; i < s->n_sources; i++)
		if (fabs(s->source[i].pace.percent) >= PACE_OFF_PERCENT)
			fprintf(f, "    pace: %s sent %+.2f %% off its schedule\n",
				s->source[i].rec->scene->name, s->source[i].pace.percent);
	for (unsigned i = 0; i < s->n_replays; i++)
		put_replay(f, &s->replay[i]);
}

// The shares of a link that would not be printed as 0.00 %.
static void put_shares(FILE *f, const struct summary_link *l)
{
	const struct {
		const char *name;
		double percent;
	} part[] = {{"goodput", l->goodput}, {"headers", l->headers}, {"open loop", l->open_loop},
		{"repeated", l->repeated}, {"control", l->control}, {"CNMs", l->cnm},
		{"other", l->other}, {"idle while paused", l->idle_paused},
		{"idle and empty", l->idle_empty}, {"given up by the instrument", l->given_up}};
	const char *between = "";

	for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		if (part[i].percent < 0.005)
			continue;
		fprintf(f, "%s%.2f %% %s", between, part[i].percent, part[i].name);
		between = ", ";
	}
}

static void put_bottleneck(FILE *f, const struct summary *s)
{
	const struct summary_link *l = &s->link[s->bottleneck];
	const struct summary_queue *q = summary_deepest(s, l->port);

	fprintf(f, "\n  bottleneck  %s, %.4g Gb/s: ", l->port->scene->name,
		(double)l->port->scene->rate / 1e9);
	put_shares(f, l);
	fprintf(f, "\n");
	if (!q)
		return;
	fprintf(f, "  queue       %s class %u: ", l->port->scene->name, q->rec->cls);
	if (!isnan(q->mean_bytes))
		fprintf(f, "mean %s, p95 %s, p99 %s, ", SIZE(q->mean_bytes), SIZE(q->p95),
			SIZE(q->p99));
	fprintf(f, "max %s", SIZE(q->max));
	if (q->red && !q->lossless && !isnan(q->mean_bytes)) // else among the reasons
		fprintf(f, "; above Kmin %.1f %%, Kmax %.1f %% of the time", q->above_kmin_percent,
			q->above_kmax_percent);
	fprintf(f, "\n");
}

// The bottleneck's markers against their formula, where enough frames saw the slope.
static void put_markings(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_markings; i++) {
		const struct summary_marking *m = &s->marking[i];

		if (m->rec->port != s->link[s->bottleneck].port || !m->chi_bins)
			continue;
		fprintf(f,
			"  marker      %s class %u: Pmax %.4g %%, measured %.4g %% (chance: "
			"+-%.2g %%); "
			"chi-square %.1f for %u bins (p %.2g)\n",
			m->rec->port->scene->name, m->rec->cls, 100 * m->pmax, 100 * m->fitted,
			m->sigma_percent * m->pmax, m->chi_square, m->chi_bins, m->chi_p);
	}
}

// Of those that ended in the window, and those that go on: a deadlock's never end.
static double longest_pause_us(const struct summary *s)
{
	double longest = 0;

	for (unsigned i = 0; i < s->n_pauses; i++) {
		const struct summary_pause *p = &s->pause[i];

		if (p->sent)
			continue;
		if (p->episode_us.n)
			longest = fmax(longest, p->episode_us.max);
		longest = fmax(longest, p->running_us);
	}
	return longest;
}

static void put_signals(FILE *f, const struct summary *s)
{
	const struct summary_total *t = &s->total;
	double longest = longest_pause_us(s);
	unsigned long long marks = t->marks - t->not_ect_marks;

	fprintf(f, "  PFC         ");
	if (t->pauses || t->pause_ps)
		fprintf(f, "%llu pauses, %s in all, longest %s; %llu XOFF and %llu XON sent",
			(ull)t->pauses, DURATION(us(t->pause_ps)), DURATION(longest),
			(ull)t->xoff_tx, (ull)t->xon_tx);
	else
		fprintf(f, "no pause");
	if (t->pause_tx)
		fprintf(f, "; 802.3x: %llu PAUSE sent", (ull)t->pause_tx);
	fputc('\n', f);
	if (!t->ect && !t->ce_rx && !t->marks) {
		fprintf(f, "  ECN         no ECT frame met a marker\n");
		return;
	}
	fprintf(f,
		"  ECN         %llu of %llu ECT frames marked (%.3f %%); %llu CE received, %llu "
		"CNPs sent, "
		"%llu taken, %llu rate cuts\n",
		marks, (ull)t->ect, t->ect ? 100 * (double)marks / (double)t->ect : 0,
		(ull)t->ce_rx, (ull)t->cnp_tx, (ull)t->cnp_rx, (ull)t->cuts);
	if (t->not_ect_marks)
		fprintf(f, "              and %llu Not-ECT frames\n", (ull)t->not_ect_marks);
}

static void put_rxbufs(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_rxbufs; i++) {
		const struct nic_rxbuf_params *p = &s->rxbuf[i].node->u.nic.rxbuf;

		if (!s->rxbuf[i].max_bytes)
			continue;
		fprintf(f, "  receiver    %s held at most %s of %s", s->rxbuf[i].node->name,
			SIZE(s->rxbuf[i].max_bytes), SIZE(p->size_bytes));
		if (p->xoff_bytes)
			fprintf(f, ", XOFF at %s", SIZE(p->xoff_bytes));
		fprintf(f, ", drained at %.4g Gb/s\n", (double)p->drain_rate / 1e9);
	}
}

// The first of them, which the others often follow.
static void put_deadlock(FILE *f, const struct record *r)
{
	const struct deadlock *d = r->dead.d;

	if (!r->dead.n)
		return;
	fprintf(f, "  DEADLOCK    class %u, %u queues:", d->cls, d->n);
	for (unsigned i = 0; i < d->n; i++)
		fprintf(f, "%s %s", i ? " >" : "", deadlock_port(r, d, i)->name);
	fprintf(f, "\n              since %s", DURATION(us(d->since)));
	if (d->until == TSTAMP_NEVER)
		fprintf(f, ", to the end");
	else
		fprintf(f, ", gone at %s", DURATION(us(d->until)));
	fprintf(f, "; %u queues stuck", d->stuck);
	if (r->dead.n > 1)
		fprintf(f, "; %u more", r->dead.n - 1);
	fprintf(f, "\n");
}

static void put_cps(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_cps; i++) {
		const struct summary_cp *c = &s->cp[i];

		if (!c->cnms)
			continue;
		fprintf(f,
			"  QCN         %s class %u: mean %.3f of the set point %s, deviation "
			"%.3f; %llu "
			"CNMs, %.0f a second, feedback %.1f of 63\n",
			c->rec->port->scene->name, c->rec->cls, c->mean_ratio, SIZE(c->set_point),
			c->std_ratio, (ull)c->cnms, c->cnms_per_s, c->fb_mean);
	}
}

// The frames discarded for a loss, or for filtering, by reason.
static void put_reasons(FILE *f, const struct summary_total *t, bool loss)
{
	const char *between = ": ";

	fprintf(f, "%llu frames", (ull)(loss ? t->drops : t->filtered));
	for (int i = 0; i < SW_DROPS; i++)
		if (t->sw_drop[i] && summary_sw_loss((enum sw_drop)i) == loss) {
			fprintf(f, "%s%s %llu", between, sw_drop_name((enum sw_drop)i),
				(ull)t->sw_drop[i]);
			between = ", ";
		}
	for (int i = 0; i < NIC_DROPS; i++)
		if (t->nic_drop[i] && summary_nic_loss((enum nic_drop)i) == loss) {
			fprintf(f, "%snic %s %llu", between, nic_drop_name((enum nic_drop)i),
				(ull)t->nic_drop[i]);
			between = ", ";
		}
}

static void put_drops(FILE *f, const struct summary_total *t)
{
	fprintf(f, "  drops       ");
	if (t->drops)
		put_reasons(f, t, true);
	else
		fprintf(f, "none");
	if (t->drops_total > t->drops)
		fprintf(f, "; %llu more before the window", (ull)(t->drops_total - t->drops));
	fprintf(f, "\n");
	if (t->filtered) {
		fprintf(f, "  filtered    ");
		put_reasons(f, t, false);
		fprintf(f, ", no loss\n");
	}
	if (t->naks || t->timeouts || t->failed_qps)
		fprintf(f,
			"  repair      %llu frames resent, %llu NAKs, %llu timeouts, %llu QPs "
			"failed\n",
			(ull)t->retransmitted, (ull)t->naks, (ull)t->timeouts, (ull)t->failed_qps);
}

static void put_iqcn_ports(FILE *f, const struct summary *s, unsigned node)
{
	for (unsigned i = 0; i < s->n_iqcns; i++) {
		const struct summary_iqcn *q = &s->iqcn[i];

		if (q->port->node != node || !(q->rx_cnp + q->foreign_cnp + q->tx_cnp))
			continue;
		fprintf(f,
			"                %-14s RX CNP %8llu, %9.1f /s; TX CNP %8llu, %9.1f /s; %u "
			"flows, "
			"heavy %.1f %%",
			q->port->scene->name, (ull)q->rx_cnp, q->rx_per_s, (ull)q->tx_cnp,
			q->tx_per_s, q->flows, q->heavy_percent);
		if (q->foreign_cnp)
			fprintf(f, "; %llu CNPs from elsewhere not believed", (ull)q->foreign_cnp);
		fputc('\n', f);
	}
}

static void put_iqcn(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_iqcn_tables; i++) {
		const struct summary_iqcn_table *q = &s->iqcn_table[i];

		if (!(q->st.rx_cnps + q->foreign_cnp))
			continue;
		fprintf(f,
			"  iQCN        %s: TX CNP %llu, %.1f /s; %u of %u flows known, %llu aged, "
			"%llu "
			"lost to a full table, %llu CNPs capped\n",
			q->node->name, (ull)q->tx_cnp, q->tx_per_s, q->flows, q->entries,
			(ull)q->st.aged, (ull)q->st.table_full, (ull)q->st.capped);
		put_iqcn_ports(f, s, q->number);
	}
}

static void put_fast_ports(FILE *f, const struct summary *s, unsigned node)
{
	for (unsigned i = 0; i < s->n_fasts; i++) {
		const struct summary_fast_cnp *q = &s->fast[i];

		if (q->port->node != node || !(q->tx_cnp + q->suppressed + q->unknown))
			continue;
		fprintf(f,
			"                %-14s TX CNP %8llu, %9.1f /s; %llu more marked within the "
			"interval, %llu of unknown flows\n",
			q->port->scene->name, (ull)q->tx_cnp, q->tx_per_s, (ull)q->suppressed,
			(ull)q->unknown);
	}
}

static void put_fast_cnp(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_fast_tables; i++) {
		const struct summary_fast_cnp_table *q = &s->fast_table[i];

		fprintf(f,
			"  Fast CNP    %s: TX CNP %llu, %.1f /s; %u of %u flows known, %llu aged, "
			"%llu "
			"lost to a full table, %llu QPNs in doubt\n",
			q->node->name, (ull)q->tx_cnp, q->tx_per_s, q->flows, q->entries,
			(ull)q->st.aged, (ull)q->st.table_full, (ull)q->st.ambiguous);
		put_fast_ports(f, s, q->number);
	}
}

// The keys that what was seen agrees with.
static void put_pacing(FILE *f, const struct summary_np *n)
{
	if (!n->paced) {
		fprintf(f, "; not paced%s\n", n->every_ce ? ", a CNP for every CE" : "");
		return;
	}
	fprintf(f, "; paced by%s", n->paced_by ? "" : " none");
	for (unsigned k = 0; k < REC_CNP_KEYS; k++)
		if (n->paced_by >> k & 1)
			fprintf(f, " %s", summary_cnp_key((enum np_key)k));
	fprintf(f, "\n");
}

static void put_nps(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_nps; i++) {
		const struct summary_np *n = &s->np[i];
		const struct summary_cnp *c = n->all;

		if (!c->rec->cnps)
			continue;
		fprintf(f, "  CNPs        %s: %llu for %llu CE, %llu capped", c->np->name,
			(ull)c->rec->cnps, (ull)c->rec->ce, (ull)n->capped);
		if (c->np_delay_us.n)
			fprintf(f, "; delay p50 %.1f, p99 %.1f us", c->np_delay_us.p50,
				c->np_delay_us.p99);
		if (c->way_us.n)
			fprintf(f, "; way p50 %.1f, p99 %.1f us", c->way_us.p50, c->way_us.p99);
		put_pacing(f, n);
	}
}

// Of plug-ins only what is hardly meant.
static void put_plugins(FILE *f, const struct summary *s)
{
	const struct scene *scene = s->rec->scene;

	for (unsigned i = 0; i < scene->n_plugins; i++) {
		uint64_t n = summary_clamped(s, scene->plugin[i]);

		if (n)
			fprintf(f,
				"  plug-in     control %s asked %llu times for a rate below 100 "
				"kb/s or above the line's, and got that\n",
				scene->plugin[i]->control, (ull)n);
	}
}

static void put_cn(FILE *f, const struct summary *s)
{
	put_nps(f, s);
	put_iqcn(f, s);
	put_fast_cnp(f, s);
	put_plugins(f, s);
}

static void put_watchdog(FILE *f, const struct summary *s)
{
	for (unsigned i = 0; i < s->n_wds; i++) {
		const struct summary_wd *w = &s->wd[i];

		if (!w->w.storms && !w->storm)
			continue;
		fprintf(f,
			"  watchdog    %s class %u: %llu storms, %llu restored%s; dropped %llu "
			"bound for "
			"it, %llu that came in by it\n",
			w->rec->port->scene->name, w->rec->cls, (ull)w->w.storms,
			(ull)w->w.restored, w->storm ? ", one goes on" : "",
			(ull)w->w.tx_dropped_frames, (ull)w->w.rx_dropped_frames);
	}
}

// The answer for the bottleneck's lossless queues: what of PFC on one line, what of marks on the
// next.
static void put_why(FILE *f, const struct summary *s)
{
	const struct rec_port *p = s->bottleneck < 0 ? NULL : s->link[s->bottleneck].port;
	char line[SUMMARY_LINE];

	for (unsigned i = 0; i < s->n_queues; i++) {
		char *marks;

		if (s->queue[i].rec->port != p || !summary_why(s, &s->queue[i], line, sizeof(line)))
			continue;
		marks = strstr(line, "; ");
		if (marks)
			*marks = '\0';
		fprintf(f, "  why         %s\n", line);
		if (marks)
			fprintf(f, "              %s\n", marks + 2);
	}
}

// What the scenario expects: how many, and those that do not hold.
static void put_criteria(FILE *f, const struct summary *s, const char *cut)
{
	unsigned own = 0;
	char text[SUMMARY_LINE];

	for (unsigned i = 0; i < s->n_criteria; i++) {
		const struct summary_criterion *c = &s->criterion[i];

		own += *c->figure != '\0';
		if (!*c->figure || c->verdict == CRITERION_PASS)
			continue;
		fprintf(f, "  %s  ",
			c->verdict == CRITERION_FAIL ? "NOT AS EXPECTED" : "NOT JUDGED");
		if (strcmp(c->name, c->figure) != 0)
			fprintf(f, "%s: ", c->name);
		fprintf(f, "%s\n", summary_criterion_text(c, text, sizeof(text)));
	}
	if (own)
		fprintf(f, "  expected    %u of %u criteria hold%s\n", own - s->unexpected, own,
			cut);
}

static void put_verdicts(FILE *f, const struct record *r, const struct summary *s)
{
	const struct record_run *run = &s->run;
	const char *cut = run->interrupted ? " (interrupted)" : "";

	if (run->conserved == 0)
		fprintf(f, "\n  conserved   every frame is accounted for, %llu still on links%s\n",
			(ull)run->link_frames, cut);
	else
		fprintf(f, "\n  NOT CONSERVED  %s\n", run->conserve_text);
	if (run->pool_missing)
		fprintf(f, "  LEAK        %llu of %llu descriptors are missing\n",
			(ull)run->pool_missing, (ull)run->pool_size);
	for (unsigned i = 0; i < s->n_replays; i++)
		if (s->replay[i].unsent)
			fprintf(f, "  NOT REPLAYED  %s sent %llu of %llu frames that were due\n",
				s->replay[i].node->name, (ull)s->replay[i].now.tx_frames,
				(ull)s->replay[i].now.wanted_frames);
	if (s->total.lossless_drops)
		fprintf(f, "  NOT LOSSLESS  %llu frames of lossless classes dropped\n",
			(ull)s->total.lossless_drops);
	else if (s->n_pgs)
		fprintf(f, "  lossless    no frame of a lossless class was dropped%s\n", cut);
	for (unsigned i = 0; i < s->n_recons; i++)
		if (s->recon[i].verdict == CRITERION_FAIL)
			fprintf(f, "  NOT RECONCILED  %s %s: off by %.0f of %.0f%s\n",
				s->recon[i].object, s->recon[i].counter, s->recon[i].delta,
				s->recon[i].truth, s->recon[i].stuck ? ", stuck" : "");
	put_criteria(f, s, cut);
	if (run->events_lost)
		fprintf(f, "  note        %llu events were lost: distributions are incomplete\n",
			(ull)run->events_lost);
	if (r->dir)
		fprintf(f, "  results     %s/\n", r->dir);
	for (unsigned i = 0; i < r->n_missing; i++)
		fprintf(f, "  FILES       %s\n", r->missing[i]);
}

char *summary_text(const struct summary *s)
{
	const struct record *r = s->rec;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_head(f, r, s);
	put_traffic(f, r, s);
	if (s->bottleneck >= 0) {
		put_bottleneck(f, s);
		put_markings(f, s);
	}
	put_signals(f, s);
	put_rxbufs(f, s);
	put_deadlock(f, r);
	put_cps(f, s);
	put_cn(f, s);
	put_watchdog(f, s);
	put_drops(f, &s->total);
	put_why(f, s);
	put_verdicts(f, r, s);
	fclose(f);
	return text;
}

typedef unsigned long long ull;
