// SPDX-License-Identifier: BSD-3-Clause
// The summary as a table for the terminal: one screen, units everywhere, verdicts last. Lines about
// iQCN are as `display iqcn statistics` has them.
#include <math.h>
#include <stdlib.h>

#include "int.h"

#define FLOW_ROWS  8  // more flows than that are shown by group
#define MANY       64 // groups or sources, from which on not all are shown
#define MANY_SHOWN 24 // of these
#define TOP_LISTED "; summary.json has the fastest, the slowest and the most cut"

static const char *size_text(char *to, size_t size, double bytes)
{
	if (bytes >= 1e7)
		snprintf(to, size, "%.2f MB", bytes / 1e6);
	else
		snprintf(to, size, "%.1f KB", bytes / 1e3);
	return to;
}

#define SIZE(bytes) size_text((char[32]){0}, 32, (double)(bytes))

static unsigned class_of(const struct row *r)
{
	return (unsigned)summary_id(r->s, r->kind, r->i, "class");
}

static void put_head(FILE *f, const struct record *r, const struct summary *s)
{
	const struct record_run *run = &s->run;
	double sim = (double)run->end / 1e12;

	if (*run->crash)
		fprintf(f, "ENDED EARLY: %s\n", run->crash);
	if (*run->link_loss)
		fprintf(f, "ENDED EARLY: %s\n", run->link_loss);
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

static void put_rate(FILE *f, double gbps)
{
	if (isnan(gbps))
		fprintf(f, " %9s", "-");
	else
		fprintf(f, " %9.3f", gbps);
}

static void put_count(FILE *f, int width, double n)
{
	if (isnan(n))
		fprintf(f, " %*s", width, "-");
	else
		fprintf(f, " %*.0f", width, n);
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

	for (struct row r = rows(s, KIND_FLOW); r.i < r.n; r.i++)
		if ((int)strlen(LABEL(&r, NULL)) > width)
			width = (int)strlen(LABEL(&r, NULL));
	fprintf(f,
		"\n  %-*s   goodput   Rc mean    Rc end   alpha       CE   CNPs   cuts  resent\n",
		width, "flow");
	fprintf(f, "  %-*s      Gb/s      Gb/s      Gb/s           frames                 frames\n",
		width, "");
	for (struct row r = rows(s, KIND_FLOW); r.i < r.n; r.i++) {
		fprintf(f, "  %-*s", width, LABEL(&r, NULL));
		put_rate(f, at(&r, "goodput_gbps"));
		put_rate(f, at(&r, "rc_mean_gbps"));
		put_rate(f, at(&r, "rc_gbps"));
		put_alpha(f, at(&r, "alpha"));
		put_count(f, 8, at(&r, "ecn_ce_rx"));
		put_count(f, 6, at(&r, "cnp_rx"));
		put_count(f, 6, at(&r, "rate_cuts"));
		put_count(f, 7, at(&r, "data_frames_retransmitted"));
		fprintf(f, "\n");
	}
}

// A ratio, or a dash where there is none.
static void put_ratio(FILE *f, const char *name, int decimals, double v)
{
	if (isnan(v))
		fprintf(f, ", %s -", name);
	else
		fprintf(f, ", %s %.*f", name, decimals, v);
}

// How near the flows of a group were to their fair shares.
static void put_fairness(FILE *f, const struct row *g)
{
	double off = at(g, "off_share_percent");

	if (count(g, "flows") < 2)
		return;
	if (at(g, "converged") > 0) {
		fprintf(f, "; within 10 %% of fair shares after %s",
			DURATION(at(g, "t_conv_us_total")));
		put_ratio(f, "osc", 3, at(g, "osc_converged_total"));
	} else if (!isnan(off)) {
		fprintf(f, "; within 10 %% of fair shares in %.0f %% of the ms", 100 - off);
	}
}

static void put_group(FILE *f, const struct row *g)
{
	ull n = count(g, "flows"), messages = count(g, "messages");

	fprintf(f, "  %s: %llu flow%s", LABEL(g, NULL), n, n > 1 ? "s" : "");
	if (isnan(at(g, "goodput_gbps")))
		fprintf(f, ", received elsewhere");
	else
		fprintf(f, ", %.3f Gb/s", at(g, "goodput_gbps"));
	if (n > 1 && !isnan(at(g, "min_gbps")))
		fprintf(f, " (each %.3f to %.3f)", at(g, "min_gbps"), at(g, "max_gbps"));
	if (!isnan(at(g, "jain")))
		fprintf(f, ", Jain %.4f", at(g, "jain"));
	put_fairness(f, g);
	if (messages) {
		fprintf(f, "\n    %llu messages, FCT p50 %s, p99 %s", messages,
			DURATION(at(g, "fct_p50_us")), DURATION(at(g, "fct_p99_us")));
		put_ratio(f, "slowdown p99", 2, at(g, "slowdown_p99"));
	}
	fprintf(f, "\n");
	if (count(g, "off_pace"))
		fprintf(f,
			"    pace: %llu of %llu limiters sent %g %% or more off what they "
			"allowed; most %s, by %+.2f %%\n",
			count(g, "off_pace"), n, PACE_OFF_PERCENT, LABEL(g, "worst_pace"),
			at(g, "worst_pace_percent"));
}

// What a host replayed, and how late; a sink only receives.
static void put_replay(FILE *f, const struct row *p)
{
	ull all = count(p, "capture_frames_total"), wanted = count(p, "wanted_frames_total");
	ull late = count(p, "late_frames_total");

	fprintf(f, "  %s: ", LABEL(p, NULL));
	if (all)
		fprintf(f, "%llu frames wanted", wanted);
	if (all && wanted < all)
		fprintf(f, " of %llu", all);
	if (all)
		fprintf(f, ", %llu sent, %llu late; ", count(p, "tx_frames_total"), late);
	if (late)
		fprintf(f, "lateness p50 %s, p99 %s, max %s; ",
			DURATION(at(p, "late_p50_us_total")), DURATION(at(p, "late_p99_us_total")),
			DURATION(at(p, "late_max_us_total")));
	fprintf(f, "%llu received, %llu with CE\n", count(p, "rx_frames_total"),
		count(p, "rx_ce_frames_total"));
}

// What comes back of a source whose receiver echoes.
static void put_echo(FILE *f, const struct row *o)
{
	fprintf(f, "    came back %.3f Gb/s, %llu lost", at(o, "echo_rx_gbps"),
		count(o, "echo_lost"));
	if (count(o, "echo_in_flight"))
		fprintf(f, ", %llu on their way", count(o, "echo_in_flight"));
	fprintf(f, ", %llu out of order, %llu twice", count(o, "echo_out_of_order"),
		count(o, "echo_duplicates"));
	fprintf(f, "\n");
	if (!isnan(at(o, "rtt_mean_us")))
		fprintf(f, "    round trip p50 %s, p99 %s, p99.9 %s, max %s\n",
			DURATION(at(o, "rtt_p50_us")), DURATION(at(o, "rtt_p99_us")),
			DURATION(at(o, "rtt_p999_us")), DURATION(at(o, "rtt_max_us")));
	if (count(o, "echo_late"))
		fprintf(f,
			"    not timed: %llu came back later than rtt_max, when it was no longer "
			"known when they had left; raise open_loop.rtt_max\n",
			count(o, "echo_late"));
}

static void put_source(FILE *f, const struct row *o)
{
	double tx = at(o, "tx_gbps"), rx = at(o, "rx_gbps");

	fprintf(f, "  %s: sent ", LABEL(o, NULL));
	if (isnan(tx))
		fprintf(f, "elsewhere");
	else
		fprintf(f, "%.3f Gb/s", tx);
	if (isnan(rx))
		fprintf(f, ", received elsewhere");
	else
		fprintf(f, ", received %.3f Gb/s, %llu lost, %llu out of order", rx,
			count(o, "lost"), count(o, "out_of_order"));
	if (count(o, "in_flight"))
		fprintf(f, ", %llu on their way", count(o, "in_flight"));
	if (!isnan(at(o, "latency_bound_us")))
		fprintf(f, "; one-way latency p50 %s, p99 %s, to within %s",
			DURATION(at(o, "latency_p50_us")), DURATION(at(o, "latency_p99_us")),
			DURATION(at(o, "latency_bound_us")));
	else if (isnan(tx) && !isnan(rx))
		fprintf(f, "; one-way latency -");
	fprintf(f, "\n");
	if (!isnan(at(o, "echo_rx_gbps")))
		put_echo(f, o);
}

static unsigned number(const struct row *r, const char *name)
{
	return (unsigned)summary_id(r->s, r->kind, r->i, name);
}

// A stream from outside the scenario, by its sender.
static void put_stream(FILE *f, const struct row *o)
{
	fprintf(f, "  %s: %s, %s", LABEL(o, NULL), LABEL(o, "source"), LABEL(o, "protocol"));
	if (number(o, "destination_port"))
		fprintf(f, " %u to %u", number(o, "source_port"), number(o, "destination_port"));
	fprintf(f, ": %llu frames", count(o, "rx_frames"));
	if (!isnan(at(o, "rx_gbps")))
		fprintf(f, ", %.3f Gb/s", at(o, "rx_gbps"));
	if (isnan(at(o, "lost")))
		fprintf(f, ", lost -, out of order - (no numbers)");
	else
		fprintf(f, ", %.0f lost, %.0f out of order, %.0f twice", at(o, "lost"),
			at(o, "out_of_order"), at(o, "duplicates"));
	if (!isnan(at(o, "jitter_us")))
		fprintf(f, "; gap p50 %s, p99 %s, max %s, jitter %s", DURATION(at(o, "gap_p50_us")),
			DURATION(at(o, "gap_p99_us")), DURATION(at(o, "gap_max_us")),
			DURATION(at(o, "jitter_us")));
	fprintf(f, "\n");
}

// Which of them the folder has one by one.
static const char *where_flows_are(const struct record *r)
{
	unsigned step = record_flow_step(r);

	if (!r->dir)
		return "";
	return step == 1 ? "; summary.json has each"
	       : step    ? "; summary.json has some (record.flows)"
			 : TOP_LISTED;
}

// All of a kind, or the first ones where a screen would not hold them.
static struct row first_rows(const struct summary *s, enum kind_id kind)
{
	struct row o = rows(s, kind);

	o.n = o.n > MANY ? MANY_SHOWN : o.n;
	return o;
}

static void put_first(FILE *f, const struct record *r, struct row all, const char *what,
	void (*put)(FILE *f, const struct row *row))
{
	for (struct row o = first_rows(all.s, all.kind); o.i < o.n; o.i++)
		put(f, &o);
	if (all.n > MANY)
		fprintf(f, "  %u %s more%s\n", all.n - MANY_SHOWN, what,
			!r->dir ? ""
			: all.kind == KIND_GROUP && !summary_groups_listed(all.s)
				? TOP_LISTED
				: "; summary.json has each");
}

static void put_traffic(FILE *f, const struct record *r, const struct summary *s)
{
	unsigned flows = s->set[KIND_FLOW].n;

	if (flows && flows <= FLOW_ROWS)
		put_flows(f, s);
	else
		fprintf(f, "\n");
	if (flows > FLOW_ROWS)
		fprintf(f, "  %u flows, by group, as a table would have more than %u rows%s\n",
			flows, FLOW_ROWS, where_flows_are(r));
	put_first(f, r, rows(s, KIND_GROUP), "groups", put_group);
	put_first(f, r, rows(s, KIND_SOURCE), "open-loop sources", put_source);
	for (struct row o = first_rows(s, KIND_SOURCE); o.i < o.n; o.i++)
		if (summary_off_pace(at(&o, "pace_err_percent"), at(&o, "pace_err_frames")))
			fprintf(f, "    pace: %s sent %+.2f %% off its schedule\n", LABEL(&o, NULL),
				at(&o, "pace_err_percent"));
	put_first(f, r, rows(s, KIND_STREAM), "foreign streams", put_stream);
	for (struct row p = rows(s, KIND_REPLAY); p.i < p.n; p.i++)
		put_replay(f, &p);
}

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

static void put_bottleneck(FILE *f, const struct summary *s)
{
	const struct rec_port *port = summary_bottleneck(s);
	struct row l = rows(s, KIND_LINK), q = rows(s, KIND_QUEUE);
	int deepest = summary_deepest(s, port);
	double mean;

	l.i = (unsigned)s->bottleneck;
	fprintf(f, "\n  bottleneck  %s, %.4g Gb/s: ", port->scene->name,
		(double)port->scene->rate / 1e9);
	put_shares(f, &l);
	fprintf(f, "\n");
	if (deepest < 0)
		return;
	q.i = (unsigned)deepest;
	mean = at(&q, "mean_bytes");
	fprintf(f, "  queue       %s class %u: ", port->scene->name,
		((const struct summary_queue *)set_at(&s->set[KIND_QUEUE], q.i))->rec->cls);
	if (!isnan(mean))
		fprintf(f, "mean %s, p95 %s, p99 %s, ", SIZE(mean), SIZE(at(&q, "p95_bytes")),
			SIZE(at(&q, "p99_bytes")));
	fprintf(f, "max %s", SIZE(at(&q, "max_bytes")));
	// Of a lossless one it stands among the reasons.
	if (!isnan(at(&q, "above_kmin_percent")) && !is(&q, "lossless"))
		fprintf(f, "; above Kmin %.1f %%, Kmax %.1f %% of the time",
			at(&q, "above_kmin_percent"), at(&q, "above_kmax_percent"));
	fprintf(f, "\n");
}

// The bottleneck's markers against their formula, where enough frames saw the slope.
static void put_markings(FILE *f, const struct summary *s)
{
	const char *bottleneck = summary_bottleneck(s)->scene->name;

	for (struct row m = rows(s, KIND_MARKING); m.i < m.n; m.i++) {
		double pmax = at(&m, "pmax");

		if (strcmp(LABEL(&m, "port"), bottleneck) != 0 || !count(&m, "chi_square_bins"))
			continue;
		fprintf(f,
			"  marker      %s class %u: Pmax %.4g %%, measured %.4g %% (chance: "
			"+-%.2g %%); chi-square %.1f for %llu bins (p %.2g)\n",
			bottleneck, class_of(&m), 100 * pmax, 100 * at(&m, "pmax_fitted"),
			at(&m, "pmax_sigma_percent") * pmax, at(&m, "chi_square"),
			count(&m, "chi_square_bins"), at(&m, "chi_square_p"));
	}
}

// Of those that ended in the window, and those that go on: a deadlock's never end.
static double longest_pause_us(const struct summary *s)
{
	double longest = 0;

	for (struct row p = rows(s, KIND_PFC); p.i < p.n; p.i++)
		longest = fmax(longest, fmax(at(&p, "episode_max_us"), at(&p, "running_us")));
	return longest;
}

static void put_signals(FILE *f, const struct summary *s)
{
	double stopped = total(s, "pause_ps");
	ull marks = total_count(s, "marks") - total_count(s, "not_ect_marks");
	double ect = total(s, "ect_frames");

	fprintf(f, "  PFC         ");
	if (total_count(s, "pauses") || stopped > 0)
		fprintf(f, "%llu pauses, %s in all, longest %s; %llu XOFF and %llu XON sent",
			total_count(s, "pauses"), DURATION(stopped / 1e6),
			DURATION(longest_pause_us(s)), total_count(s, "xoff_tx"),
			total_count(s, "xon_tx"));
	else
		fprintf(f, "no pause");
	if (total_count(s, "pause_tx"))
		fprintf(f, "; 802.3x: %llu PAUSE sent", total_count(s, "pause_tx"));
	fputc('\n', f);
	if (!(ect > 0) && !total_count(s, "ecn_ce_rx") && !total_count(s, "marks")) {
		fprintf(f, "  ECN         no ECT frame met a marker\n");
		return;
	}
	fprintf(f,
		"  ECN         %llu of %.0f ECT frames marked (%.3f %%); %llu CE received, %llu "
		"CNPs sent, %llu taken, %llu rate cuts\n",
		marks, ect, ect > 0 ? 100 * (double)marks / ect : 0, total_count(s, "ecn_ce_rx"),
		total_count(s, "cnp_tx"), total_count(s, "cnp_rx"), total_count(s, "rate_cuts"));
	if (total_count(s, "not_ect_marks"))
		fprintf(f, "              and %llu Not-ECT frames\n",
			total_count(s, "not_ect_marks"));
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
		fprintf(f, ", drained at %.4g Gb/s\n", at(&b, "drain_gbps"));
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
		fprintf(f, "%s %s", i ? " >" : "",
			r->scene->node[d->queue[i].node].port[d->queue[i].port].name);
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
	for (struct row c = rows(s, KIND_CP); c.i < c.n; c.i++) {
		if (!count(&c, "cnm_tx"))
			continue;
		fprintf(f,
			"  QCN         %s class %u: mean %.3f of the set point %s, deviation "
			"%.3f; %llu CNMs, %.0f a second, feedback %.1f of 63\n",
			LABEL(&c, "port"), class_of(&c), at(&c, "mean_over_set_point"),
			SIZE(at(&c, "set_point_bytes")), at(&c, "std_over_set_point"),
			count(&c, "cnm_tx"), at(&c, "cnm_tx_per_s"), at(&c, "fb_mean_total"));
	}
}

// The frames discarded for a loss, or for filtering, by reason.
static void put_reasons(FILE *f, const struct summary *s, bool loss)
{
	const char *between = ": ";

	fprintf(f, "%llu frames", total_count(s, loss ? "drops" : "filtered"));
	for (int i = 0; i < SW_DROPS; i++) {
		const char *name = sw_drop_name((enum sw_drop)i);
		ull n = summary_count(s, KIND_DROP, 0, name);

		if (!n || summary_sw_loss((enum sw_drop)i) != loss)
			continue;
		fprintf(f, "%s%s %llu", between, name, n);
		between = ", ";
	}
	for (int i = 0; i < NIC_DROPS; i++) {
		const char *name = nic_drop_name((enum nic_drop)i);
		ull n = summary_count(s, KIND_NIC_DROP, 0, name);

		if (!n || summary_nic_loss((enum nic_drop)i) != loss)
			continue;
		fprintf(f, "%snic %s %llu", between, name, n);
		between = ", ";
	}
}

// Of a part: the clocks of the parts next to it.
static void put_clocks(FILE *f, const struct summary *s)
{
	const char *head = "  clocks      ";

	for (struct row d = rows(s, KIND_DEVICE); d.i < d.n; d.i++) {
		double ahead = at(&d, "peer_clock_us");

		if (is(&d, "peer_clock_contradicts")) {
			fprintf(f,
				"%s%s: the peer's and ours contradict each other: one was set, "
				"or they drift by more than 100 ppm; one-way latencies are not "
				"known\n",
				head, LABEL(&d, "port"));
			head = "              ";
		}
		if (isnan(ahead))
			continue;
		fprintf(f, "%s%s: the peer's is %s %s ours, to within %s, by %llu exchanges", head,
			LABEL(&d, "port"), DURATION(fabs(ahead)), ahead < 0 ? "behind" : "ahead of",
			DURATION(at(&d, "peer_clock_bound_us")), count(&d, "peer_clock_exchanges"));
		if (!isnan(at(&d, "peer_clock_drift_ppm")))
			fprintf(f, "; it drifts by %+.1f ppm, to within %.1f",
				at(&d, "peer_clock_drift_ppm"),
				at(&d, "peer_clock_drift_bound_ppm"));
		fprintf(f, "\n");
		head = "              ";
	}
}

static void put_drops(FILE *f, const struct summary *s)
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
	if (total_count(s, "nak_rx") || total_count(s, "timeouts") || total_count(s, "failed_qps"))
		fprintf(f,
			"  repair      %llu frames resent, %llu NAKs, %llu timeouts, %llu QPs "
			"failed\n",
			total_count(s, "data_frames_retransmitted"), total_count(s, "nak_rx"),
			total_count(s, "timeouts"), total_count(s, "failed_qps"));
}

// Ports of switch `node` among those of a kind.
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
			"%llu flows, heavy %.1f %%",
			LABEL(&q, "port"), count(&q, "cnp_rx"), at(&q, "cnp_rx_per_s"),
			count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"), count(&q, "flows_total"),
			at(&q, "heavy_percent"));
		if (foreign)
			fprintf(f, "; %llu CNPs from elsewhere not believed", foreign);
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
			"aged, %llu lost to a full table, %llu CNPs capped\n",
			LABEL(&q, NULL), count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"),
			count(&q, "flows_total"), count(&q, "entries"), count(&q, "aged_total"),
			count(&q, "table_full_total"), count(&q, "capped_total"));
		put_iqcn_ports(f, s, LABEL(&q, NULL));
	}
}

static void put_fast_ports(FILE *f, const struct summary *s, const char *node)
{
	for (struct row q = rows(s, KIND_FAST_CNP); q.i < q.n; q.i++) {
		ull suppressed = count(&q, "suppressed"), unknown = count(&q, "unknown");

		if (!is_port_of(&q, node) || !(count(&q, "cnp_tx") + suppressed + unknown))
			continue;
		fprintf(f,
			"                %-14s TX CNP %8llu, %9.1f /s; %llu more marked within the "
			"interval, %llu of unknown flows\n",
			LABEL(&q, "port"), count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"), suppressed,
			unknown);
	}
}

static void put_fast_cnp(FILE *f, const struct summary *s)
{
	for (struct row q = rows(s, KIND_FAST_CNP_TABLE); q.i < q.n; q.i++) {
		fprintf(f,
			"  Fast CNP    %s: TX CNP %llu, %.1f /s; %llu of %llu flows known, %llu "
			"aged, %llu lost to a full table, %llu QPNs in doubt\n",
			LABEL(&q, NULL), count(&q, "cnp_tx"), at(&q, "cnp_tx_per_s"),
			count(&q, "flows_total"), count(&q, "entries"), count(&q, "aged_total"),
			count(&q, "table_full_total"), count(&q, "ambiguous_total"));
		put_fast_ports(f, s, LABEL(&q, NULL));
	}
}

// The keys that what was seen agrees with.
static void put_pacing(FILE *f, const struct row *n)
{
	const char *keys = summary_paced_by(n->s, n->i, (char[SUMMARY_NAME]){0});

	if (is(n, "paced"))
		fprintf(f, "; paced by%s\n", *keys ? keys : " none");
	else
		fprintf(f, "; not paced%s\n", is(n, "every_ce") ? ", a CNP for every CE" : "");
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

// Of plug-ins only what is hardly meant.
static void put_plugins(FILE *f, const struct summary *s)
{
	for (struct row p = rows(s, KIND_PLUGIN); p.i < p.n; p.i++)
		if (count(&p, "rates_clamped"))
			fprintf(f,
				"  plug-in     control %s asked %llu times for a rate below 100 "
				"kb/s or above the line's, and got that\n",
				LABEL(&p, NULL), count(&p, "rates_clamped"));
}

static void put_cn(FILE *f, const struct summary *s)
{
	put_clocks(f, s);
	put_nps(f, s);
	put_iqcn(f, s);
	put_fast_cnp(f, s);
	put_plugins(f, s);
}

static void put_watchdog(FILE *f, const struct summary *s)
{
	for (struct row w = rows(s, KIND_WD); w.i < w.n; w.i++) {
		if (!count(&w, "storms") && !is(&w, "storm"))
			continue;
		fprintf(f,
			"  watchdog    %s class %u: %llu storms, %llu restored%s; dropped %llu "
			"bound for it, %llu that came in by it\n",
			LABEL(&w, "port"), class_of(&w), count(&w, "storms"), count(&w, "restored"),
			is(&w, "storm") ? ", one goes on" : "", count(&w, "tx_dropped_frames"),
			count(&w, "rx_dropped_frames"));
	}
}

// The answer for the bottleneck's lossless queues: what of PFC on one line, what of marks on the
// next.
static void put_why(FILE *f, const struct summary *s)
{
	const struct rec_port *p = summary_bottleneck(s);
	char line[VERDICT_LINE];

	for (unsigned i = 0; i < s->set[KIND_QUEUE].n; i++) {
		const struct summary_queue *q = set_at(&s->set[KIND_QUEUE], i);
		char *marks;

		if (q->rec->port != p || !verdict_why(s, q, line, sizeof(line)))
			continue;
		marks = strstr(line, "; ");
		if (marks)
			*marks = '\0';
		fprintf(f, "  why         %s\n", line);
		if (marks)
			fprintf(f, "              %s\n", marks + 2);
	}
}

char *text_make(const struct summary *s, const struct verdict *v)
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
	put_drops(f, s);
	text_failures(f, s);
	text_refused(f, s);
	text_neighbours(f, s);
	put_why(f, s);
	text_verdicts(f, s, v);
	fclose(f);
	return text;
}
