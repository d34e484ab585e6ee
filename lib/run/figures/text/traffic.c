// SPDX-License-Identifier: BSD-3-Clause
// The traffic: a line for each flow, or for each group if flows are many, then sources, streams and
// replays.
#include <math.h>
#include <string.h>

#include "int.h"

#define FLOW_ROWS   8  // more flows than that are shown by group
#define MANY        64 // groups or sources, from which on not all are shown
#define MANY_SHOWN  24 // of these
#define SOURCE_ROWS 32 // more open-loop sources than that are shown by flow
#define TOP_LISTED  "; summary.json has the fastest, the slowest and the most cut"

static void put_rate(FILE *f, double rate)
{
	if (isnan(rate))
		fprintf(f, " %9s", "-");
	else
		fprintf(f, " %9.3f", rate);
}

static const char *const flow_rate[] = {"goodput_gbps", "rc_mean_gbps", "rc_gbps"};

#define FLOW_RATES (sizeof(flow_rate) / sizeof(flow_rate[0]))

// The unit of the highest rate of any flow.
static struct rate_unit unit_of_flows(const struct summary *s)
{
	double most = 0;

	for (struct row r = rows(s, KIND_FLOW); r.i < r.n; r.i++)
		for (unsigned i = 0; i < FLOW_RATES; i++)
			most = fmax(most, at(&r, flow_rate[i]));
	return rate_unit(most);
}

static void put_count(FILE *f, int width, double n)
{
	if (isnan(n))
		fprintf(f, " %*s", width, "-");
	else
		fprintf(f, " %*.0f", width, n);
}

// Writes the first four decimals of alpha, rounded down: 1.0000 is 1.
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
	const struct rate_unit unit = unit_of_flows(s);
	int width = 8;

	for (struct row r = rows(s, KIND_FLOW); r.i < r.n; r.i++)
		if ((int)strlen(LABEL(&r, NULL)) > width)
			width = (int)strlen(LABEL(&r, NULL));
	fprintf(f,
		"\n  %-*s   goodput   Rc mean    Rc end   alpha       CE   CNPs   cuts  resent\n",
		width, "flow");
	fprintf(f, "  %-*s %9s %9s %9s           frames                 frames\n", width, "",
		unit.name, unit.name, unit.name);
	for (struct row r = rows(s, KIND_FLOW); r.i < r.n; r.i++) {
		fprintf(f, "  %-*s", width, LABEL(&r, NULL));
		for (unsigned i = 0; i < FLOW_RATES; i++)
			put_rate(f, at(&r, flow_rate[i]) / unit.gbps);
		put_alpha(f, at(&r, "alpha"));
		put_count(f, 8, at(&r, "ecn_ce_rx"));
		put_count(f, 6, at(&r, "cnp_rx"));
		put_count(f, 6, at(&r, "rate_cuts"));
		put_count(f, 7, at(&r, "data_frames_retransmitted"));
		fprintf(f, "\n");
	}
}

// Writes a ratio, or a dash if there is none.
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
	const struct rate_unit unit = rate_unit(at(g, n > 1 ? "max_gbps" : "goodput_gbps"));

	fprintf(f, "  %s: %llu flow%s", LABEL(g, NULL), n, plural(n));
	if (isnan(at(g, "goodput_gbps")))
		fprintf(f, ", received elsewhere");
	else
		fprintf(f, ", %.3f %s", at(g, "goodput_gbps") / unit.gbps, unit.name);
	if (n > 1 && !isnan(at(g, "min_gbps")))
		fprintf(f, " (each %.3f to %.3f)", at(g, "min_gbps") / unit.gbps,
			at(g, "max_gbps") / unit.gbps);
	if (!isnan(at(g, "jain")))
		fprintf(f, ", Jain %.4f", at(g, "jain"));
	put_fairness(f, g);
	if (messages) {
		fprintf(f, "\n    %llu message%s, FCT p50 %s, p99 %s", messages, plural(messages),
			DURATION(at(g, "fct_p50_us")), DURATION(at(g, "fct_p99_us")));
		put_ratio(f, "slowdown p99", 2, at(g, "slowdown_p99"));
	}
	fprintf(f, "\n");
	if (count(g, "off_pace"))
		fprintf(f,
			"    pace: %llu of %llu limiter%s sent %g %% or more off what they "
			"allowed; most %s, by %+.2f %%\n",
			count(g, "off_pace"), n, plural(n), HOST_OFF_PACE_PERCENT,
			LABEL(g, "worst_pace"), at(g, "worst_pace_percent"));
}

// Frames that the device of a host lost; 0: it has none.
static ull lost_by_device(const struct summary *s, const char *node, const char *figure)
{
	size_t n = strlen(node);

	for (struct row d = rows(s, KIND_DEVICE); d.i < d.n; d.i++) {
		const char *port = LABEL(&d, "port");

		if (strncmp(port, node, n) == 0 && port[n] == ':')
			return count(&d, figure);
	}
	return 0;
}

// Writes how many of the frames that a host sent arrived at the host that replays the other side.
static void put_other_side(FILE *f, const struct row *p)
{
	ull sent = count(p, "tx_frames_total"), lost = count(p, "lost_frames_total");
	ull ours, theirs;

	if (isnan(at(p, "lost_frames_total")))
		return;
	if (sent)
		fprintf(f, "    %s received %llu of %llu, %llu lost", LABEL(p, "other_side"),
			sent - lost, sent, lost);
	ours = lost_by_device(p->s, LABEL(p, NULL), "lost_tx");
	theirs = lost_by_device(p->s, LABEL(p, "other_side"), "lost_rx");
	if (sent && lost && ours + theirs)
		fprintf(f, ", %llu of them by our devices", ours + theirs);
	if (count(p, "extra_frames_total"))
		fprintf(f, "%sreceived %llu more than %s sent", sent ? "; " : "    ",
			count(p, "extra_frames_total"), LABEL(p, "other_side"));
	if (sent || count(p, "extra_frames_total"))
		fprintf(f, "\n");
}

// The replay of a host: frames, and how late they were. A sink only receives.
static void put_replay(FILE *f, const struct row *p)
{
	ull all = count(p, "capture_frames_total"), wanted = count(p, "wanted_frames_total");
	ull late = count(p, "late_frames_total");

	fprintf(f, "  %s", LABEL(p, NULL));
	if (*LABEL(p, "side"))
		fprintf(f, ", the %s side", LABEL(p, "side"));
	fprintf(f, ": ");
	if (all)
		fprintf(f, "%llu frame%s wanted", wanted, plural(wanted));
	if (all && wanted < all)
		fprintf(f, " of %llu", all);
	if (all)
		fprintf(f, ", %llu sent, %llu late", count(p, "tx_frames_total"), late);
	if (late)
		fprintf(f, " by p50 %s, p99 %s, max %s", DURATION(at(p, "late_p50_us_total")),
			DURATION(at(p, "late_p99_us_total")), DURATION(at(p, "late_max_us_total")));
	fprintf(f, "%s%llu received, %llu with CE\n", all ? "; " : "", count(p, "rx_frames_total"),
		count(p, "rx_ce_frames_total"));
	put_other_side(f, p);
}

// The frames that came back to a source whose receiver echoes.
static void put_echo(FILE *f, const struct row *o)
{
	fprintf(f, "    came back %s, %llu lost", RATE(at(o, "echo_rx_gbps")),
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
		fprintf(f, "%s", RATE(tx));
	if (isnan(rx) && !isnan(tx))
		fprintf(f, " in %llu frames", count(o, "tx_frames"));
	if (isnan(rx))
		fprintf(f, ", received elsewhere");
	else
		fprintf(f, ", received %s, %llu lost, %llu out of order", RATE(rx),
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

// Whether two sources are of one flow: their names begin alike, up to the hosts.
static bool of_one_flow(const struct row *a, const struct row *b)
{
	const char *one = LABEL(a, NULL), *two = LABEL(b, NULL);
	size_t n = strcspn(one, "[");

	return strcspn(two, "[") == n && !memcmp(one, two, n);
}

// A line for the sources of a flow together. Returns the place of the first one of another flow.
static unsigned put_source_sum(FILE *f, struct row o)
{
	const struct row first = o;
	double tx = 0, rx = 0;
	ull frames = 0, lost = 0, disordered = 0;

	for (; o.i < o.n && of_one_flow(&first, &o); o.i++) {
		tx += at(&o, "tx_gbps");
		rx += at(&o, "rx_gbps");
		frames += count(&o, "tx_frames");
		lost += count(&o, "lost");
		disordered += count(&o, "out_of_order");
	}
	fprintf(f, "  %.*s: %u source%s", (int)strcspn(LABEL(&first, NULL), "["),
		LABEL(&first, NULL), o.i - first.i, plural(o.i - first.i));
	if (!isnan(tx))
		fprintf(f, ", sent %s in %llu frames", RATE(tx), frames);
	if (isnan(rx))
		fprintf(f, ", received elsewhere\n");
	else
		fprintf(f, ", received %s, %llu lost, %llu out of order\n", RATE(rx), lost,
			disordered);
	return o.i;
}

static unsigned row_id(const struct row *r, const char *name)
{
	return (unsigned)summary_id(r->s, r->kind, r->i, name);
}

// A stream from outside the scenario, by its sender.
static void put_stream(FILE *f, const struct row *o)
{
	fprintf(f, "  %s: %s, %s", LABEL(o, NULL), LABEL(o, "source"), LABEL(o, "protocol"));
	if (row_id(o, "destination_port"))
		fprintf(f, " %u to %u", row_id(o, "source_port"), row_id(o, "destination_port"));
	fprintf(f, ": %llu frame%s", count(o, "rx_frames"), plural(count(o, "rx_frames")));
	if (!isnan(at(o, "rx_gbps")))
		fprintf(f, ", %s", RATE(at(o, "rx_gbps")));
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

// Says which flows the folder has one by one.
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
			: all.kind == KIND_GROUP && !host_groups_listed(all.s)
				? TOP_LISTED
				: "; summary.json has each");
}

static bool are_summed(const struct summary *s)
{
	return s->set[KIND_SOURCE].n > SOURCE_ROWS;
}

static void put_sources(FILE *f, const struct summary *s)
{
	struct row o = rows(s, KIND_SOURCE);

	if (!are_summed(s))
		put_first(f, s->rec, o, "open-loop sources", put_source);
	else
		while (o.i < o.n)
			o.i = put_source_sum(f, o);
}

void text_traffic(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	unsigned flows = s->set[KIND_FLOW].n;

	if (flows && flows <= FLOW_ROWS)
		put_flows(f, s);
	else
		fprintf(f, "\n");
	if (flows > FLOW_ROWS)
		fprintf(f, "  %u flows, by group, as a table would have more than %u rows%s\n",
			flows, FLOW_ROWS, where_flows_are(r));
	put_first(f, r, rows(s, KIND_GROUP), "groups", put_group);
	put_sources(f, s);
	for (struct row o = first_rows(s, KIND_SOURCE); o.i < o.n && !are_summed(s); o.i++)
		if (host_off_pace(at(&o, "pace_err_percent"), at(&o, "pace_err_frames")))
			fprintf(f, "    pace: %s sent %.2f %% %s than its schedule has\n",
				LABEL(&o, NULL), fabs(at(&o, "pace_err_percent")),
				at(&o, "pace_err_percent") < 0 ? "less" : "more");
	put_first(f, r, rows(s, KIND_STREAM), "foreign streams", put_stream);
	for (struct row p = rows(s, KIND_REPLAY); p.i < p.n; p.i++)
		put_replay(f, &p);
}
