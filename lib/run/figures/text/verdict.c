// SPDX-License-Identifier: BSD-3-Clause
// The end of the table for the terminal: verdicts, losses of real ports, and the gaps in the files.
#include "int.h"

#include <math.h>
#include <string.h>

#define SLOW_PERCENT 1.0 // share of the time below which a device's refusals are not told

// The scenario's criteria: how many there are, and the ones that do not hold.
static void put_criteria(FILE *f, const struct verdict *v, const char *cut)
{
	unsigned own = 0, open = 0;
	char text[VERDICT_LINE];

	for (unsigned i = 0; i < v->n; i++) {
		const struct criterion *c = &v->criterion[i];

		own += *c->figure != '\0';
		open += *c->figure &&
			(c->verdict == CRITERION_INVALID || c->verdict == CRITERION_UNSEEN);
		if (!*c->figure || c->verdict == CRITERION_PASS)
			continue;
		fprintf(f, "  %s  ",
			c->verdict == CRITERION_FAIL ? "NOT AS EXPECTED" : "NOT JUDGED");
		if (strcmp(c->name, c->figure) != 0)
			fprintf(f, "%s: ", c->name);
		fprintf(f, "%s\n", criterion_text(c, text, sizeof(text)));
	}
	if (own)
		fprintf(f, "  expected    %u of %u criteria hold", own - v->unexpected - v->unseen,
			own);
	if (open)
		fprintf(f, ", %u could not be judged", open);
	if (own)
		fprintf(f, "%s\n", cut);
}

static void put_recons(FILE *f, const struct summary *s)
{
	for (struct row x = rows(s, KIND_RECON); x.i < x.n; x.i++)
		if (!strcmp(LABEL(&x, "verdict"), "FAIL") &&
			strncmp(LABEL(&x, "counter"), "mac_", 4) != 0) // put_macs()
			fprintf(f, "  NOT RECONCILED  %s %s: off by %.0f of %.0f%s\n",
				LABEL(&x, "object"), LABEL(&x, "counter"), at(&x, "delta"),
				at(&x, "truth"), is(&x, "stuck") ? ", stuck" : "");
}

// The commands that switch the flow control of an interface's MAC off.
static void put_mac_remedy(FILE *f, const char *interface)
{
	fprintf(f,
		": switch its flow control off (ethtool -A %s rx off tx off; "
		"dcb pfc set dev %s prio-pfc all:off)\n",
		interface, interface);
}

// Pause frames that the MAC of a real port kept from the node, or sent without it.
static void put_macs(FILE *f, const struct summary *s)
{
	for (struct row d = rows(s, KIND_DEVICE); d.i < d.n; d.i++) {
		double kept = at(&d, "mac_kept_pause"), made = at(&d, "mac_made_pause");

		if (kept > 0) {
			fprintf(f,
				"  NOT SEEN    our MAC obeyed %.0f pause%s that never reached %s",
				kept, plural((ull)kept), LABEL(&d, NULL));
			put_mac_remedy(f, LABEL(&d, "mac_interface"));
		}
		if (made > 0) {
			fprintf(f, "  NOT OURS    our MAC at %s sent %.0f pause%s by itself",
				LABEL(&d, NULL), made, plural((ull)made));
			put_mac_remedy(f, LABEL(&d, "mac_interface"));
		}
	}
}

// The figures of a real port from one to another that are not 0.
static void put_device_reasons(FILE *f, const struct row *d, const char *first, const char *last)
{
	const char *between = ": ";
	struct figure of;
	bool in = false;

	for (unsigned i = 0; kind_member(summary_kind[KIND_DEVICE], i, &of); i++) {
		in = in || !strcmp(of.name, first);
		if (in && count(d, of.name)) {
			fprintf(f, "%s%s %llu", between, of.name, count(d, of.name));
			between = ", ";
		}
		if (!strcmp(of.name, last))
			break;
	}
	fputc('\n', f);
}

// The losses of real ports, and the frames that were under way there when the run ended.
static void put_devices(FILE *f, const struct summary *s)
{
	for (struct row d = rows(s, KIND_DEVICE); d.i < d.n; d.i++) {
		const char *port = LABEL(&d, NULL), *interface = LABEL(&d, "interface");
		const char *driver = LABEL(&d, "driver"), *on = *interface ? " on " : "";

		if (count(&d, "lost_rx")) {
			fprintf(f, "  LOST        %llu frame%s before %s, by %s%s%s",
				count(&d, "lost_rx"), plural(count(&d, "lost_rx")), port, driver,
				on, interface);
			put_device_reasons(f, &d, "ring_full", "interface_missed");
		}
		if (count(&d, "lost_tx")) {
			fprintf(f, "  LOST        %llu frame%s behind %s, by %s%s%s",
				count(&d, "lost_tx"), plural(count(&d, "lost_tx")), port, driver,
				on, interface);
			put_device_reasons(f, &d, "tx_errors", "interface_tx_errors");
		}
		if (count(&d, "unread"))
			fprintf(f,
				"  unread      %llu frame%s stood before %s when the run ended\n",
				count(&d, "unread"), plural(count(&d, "unread")), port);
		if (count(&d, "unsent"))
			fprintf(f,
				"  unsent      %llu frame%s that the device of %s had refused did "
				"not leave before the run ended\n",
				count(&d, "unsent"), plural(count(&d, "unsent")), port);
	}
	if (s->lost_own)
		fprintf(f,
			"  INVALID     the instrument lost %llu frame%s itself: "
			"its loop came too late or had no room\n",
			(ull)s->lost_own, plural(s->lost_own));
	if (s->run.lost_tx_ps)
		fprintf(f, "  given up    %s of wire time, for a loop came too late\n",
			DURATION(us(s->run.lost_tx_ps)));
}

// Devices that took no more frames although their links were idle by the scenario's `rate`.
static void put_slow_devices(FILE *f, const struct summary *s)
{
	for (struct row l = rows(s, KIND_LINK); l.i < l.n; l.i++)
		if (at(&l, "refused_percent") >= SLOW_PERCENT)
			fprintf(f,
				"  slow        the device of %s took no more frames for %.1f %% of "
				"the time: its link is slower than `rate`, or was stopped\n",
				LABEL(&l, NULL), at(&l, "refused_percent"));
}

// Latencies that the clocks of two parts leave unknown.
static void put_vague(FILE *f, const struct summary *s)
{
	for (struct row o = rows(s, KIND_SOURCE); o.i < o.n; o.i++)
		if (at(&o, "latency_bound_us") > at(&o, "latency_p50_us"))
			fprintf(f,
				"  vague       the one-way latency of %s is p50 %s, and its parts "
				"know each other's clocks only to within %s\n",
				LABEL(&o, NULL), DURATION(at(&o, "latency_p50_us")),
				DURATION(at(&o, "latency_bound_us")));
}

// A drain that was too short: senders begin no message in it, but finish what they have posted.
static void put_undrained(FILE *f, const struct summary *s)
{
	ull unfinished = total_count(s, "unfinished_qps");
	double held = 0;

	for (struct row q = rows(s, KIND_QUEUE); q.i < q.n; q.i++)
		held += at(&q, "length_bytes");
	if (!s->rec->scene->drain || s->run.interrupted || (!unfinished && !(held > 0)))
		return;
	fprintf(f, "  NOT DRAINED  a drain of %s is too short: at the end",
		DURATION(us(s->rec->scene->drain)));
	if (unfinished)
		fprintf(f, " %llu queue pair%s had messages to finish%s", unfinished,
			plural(unfinished), held > 0 ? " and" : "");
	if (held > 0)
		fprintf(f, " %.1f KB stood in queues", held / 1e3);
	fprintf(f, "\n");
}

// A line for each series that is unsteady.
static void put_unsettled(FILE *f, const struct summary *s)
{
	struct row x = rows(s, KIND_STEADY);
	const char *why = LABEL(&x, "why"), *end;

	if (strcmp(LABEL(&x, "verdict"), "unsettled") != 0)
		return;
	end = strstr(why, "; ");
	fprintf(f, "  UNSETTLED   %.*s\n", (int)(end ? end - why : (long)strlen(why)), why);
	if (end)
		fprintf(f, "              %s\n", end + 2);
}

// On the real clock, if lossless frames came: tells how late a loop may be with the headroom of
// every port.
static void put_late_loops(FILE *f, const struct summary *s)
{
	const struct scene *scene = s->rec->scene;
	tstamp least = TSTAMP_NEVER;

	if (strcmp(s->run.clock, "real") != 0 || !s->set[KIND_PG].n)
		return;
	for (unsigned i = 0; i < scene->n_nodes; i++)
		for (unsigned p = 0; p < scene->node[i].n_ports; p++)
			if (scene->node[i].port[p].late_loop)
				least = tstamp_min(least, scene->node[i].port[p].late_loop);
	if (least != TSTAMP_NEVER)
		fprintf(f, "  late loops  headroom allows for %s; the longest loop took %s\n",
			DURATION(us(least)), DURATION(us(s->run.loop_gap_max_ps)));
}

// On the real clock: how much the loops added to the time in which ports obey PFC.
static void put_late_pfc(FILE *f, const struct summary *s)
{
	double mean = summary_at(s, KIND_INSTRUMENT, 0, "pfc_late_mean_us");

	if (!isnan(mean))
		fprintf(f, "  late PFC    loops added %s to pfc_response on average, %s at most\n",
			DURATION(mean),
			DURATION(summary_at(s, KIND_INSTRUMENT, 0, "pfc_late_max_us")));
}

// Peers that lost frames of lossless classes by not stopping.
static void put_disobedient(FILE *f, const struct summary *s)
{
	char line[VERDICT_LINE];

	for (unsigned i = 0; i < s->set[KIND_PFC_TX].n; i++)
		if (verdict_went_on(s, i, line, sizeof(line)))
			fprintf(f, "  NOT OBEYED  %s\n", line);
}

// No switch lost a frame of a lossless class, unless its PFC watchdog dropped it.
static void put_lossless(FILE *f, const struct summary *s, bool full, const char *cut)
{
	ull exempt = total_count(s, "lossless_exempt_total");
	ull faults = total_count(s, "fault_drops_total");

	if (exempt)
		fprintf(f,
			"  lossless    %llu frame%s of lossless classes dropped by the PFC "
			"watchdog, which is exempt; no other%s%s\n",
			exempt, plural(exempt), full ? " by a switch" : "", cut);
	else
		fprintf(f, "  lossless    no %s of a lossless class%s%s\n",
			full ? "switch dropped a frame" : "frame", full ? "" : " was dropped", cut);
	if (faults)
		fprintf(f,
			"              faults dropped %llu frame%s of any class, which is exempt\n",
			faults, plural(faults));
}

// The losses of captures and of lossless classes.
static void put_losses(FILE *f, const struct summary *s, const char *cut)
{
	ull dropped = total_count(s, "lossless_drops_total");
	ull before = dropped - total_count(s, "lossless_drops");
	ull exempt = total_count(s, "lossless_exempt_total");
	ull full = summary_count(s, KIND_NIC_DROP, 0, nic_drop_name(NIC_DROP_RXBUF));

	for (struct row p = rows(s, KIND_REPLAY); p.i < p.n; p.i++)
		if (count(&p, "unsent_frames_total"))
			fprintf(f, "  NOT REPLAYED  %s sent %llu of %llu frame%s due\n",
				LABEL(&p, NULL), count(&p, "tx_frames_total"),
				count(&p, "wanted_frames_total"),
				plural(count(&p, "wanted_frames_total")));
	if (dropped)
		fprintf(f, "  NOT LOSSLESS  %llu frame%s of lossless classes dropped", dropped,
			plural(dropped));
	if (before && before == dropped)
		fprintf(f, ", all before the window");
	else if (before)
		fprintf(f, ", %llu of them before the window", before);
	if (dropped && exempt)
		fprintf(f, "; %llu more by the PFC watchdog, which is exempt", exempt);
	if (dropped)
		fprintf(f, "\n");
	if (s->lost_lossless > s->lost_lossless_own)
		fprintf(f, "  NOT LOSSLESS  %llu frame%s lost by devices may have been lossless\n",
			(ull)s->lost_lossless, plural(s->lost_lossless));
	else if (s->lost_lossless)
		fprintf(f,
			"  NOT JUDGED  lossless: "
			"%llu frame%s that the instrument lost may have been\n",
			(ull)s->lost_lossless, plural(s->lost_lossless));
	else if (!dropped && (exempt || s->set[KIND_PG].n))
		put_lossless(f, s, full, cut);
	put_disobedient(f, s);
	if (full)
		fprintf(f, "              but receivers dropped %llu, whose rx_buffer was full\n",
			full);
}

// Lines that the files lack although nobody asked to leave them out.
static void put_left_out(FILE *f, const struct record *r)
{
	char line[REC_NOTE];

	if (record_stopped(r, line, sizeof(line)))
		fprintf(f, "  STOPPED     %s\n", line);
	for (unsigned i = 0; i < EV_TYPES; i++)
		if (r->rate[i].left_out)
			fprintf(f, "  LIMITED     %llu of %s are not in events.csv (record.rate)\n",
				(ull)r->rate[i].left_out, ev_row[i].name);
}

// Whether a device lost frames, which no node had.
static bool loses(const struct summary *s)
{
	for (unsigned i = 0; i < s->set[KIND_DEVICE].n; i++)
		if (fabric_device(s, i)->lost_rx || fabric_device(s, i)->lost_tx)
			return true;
	return false;
}

void text_verdicts(FILE *f, const struct summary *s, const struct verdict *v)
{
	const struct record *r = s->rec;
	const struct record_run *run = &s->run;
	const char *cut = run->interrupted ? " (interrupted)" : "";

	if (run->conserved == 0)
		fprintf(f,
			"\n  conserved   every frame %sis accounted for, %llu still on links%s\n",
			loses(s) ? "that came to a node " : "", (ull)run->link_frames, cut);
	else
		fprintf(f, "\n  NOT CONSERVED  %s\n", run->conserve_text);
	if (run->pool_missing)
		fprintf(f, "  LEAK        %llu of %llu descriptors are missing\n",
			(ull)run->pool_missing, (ull)run->pool_size);
	put_devices(f, s);
	put_slow_devices(f, s);
	put_vague(f, s);
	put_undrained(f, s);
	put_losses(f, s, cut);
	put_late_loops(f, s);
	put_late_pfc(f, s);
	put_unsettled(f, s);
	put_recons(f, s);
	put_macs(f, s);
	put_criteria(f, v, cut);
	if (r->dir)
		fprintf(f, "  results     %s/\n", r->dir);
	for (unsigned i = 0; i < r->n_missing; i++)
		fprintf(f, "  FILES       %s\n", r->missing[i]);
	put_left_out(f, r);
}
