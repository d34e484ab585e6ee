// SPDX-License-Identifier: BSD-3-Clause
// The summary as a table for the terminal: one screen, units everywhere, verdicts last.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define LOST_SHOWN 3 // flows with losses of which the table tells

// Faults of the instrument itself come before the figures.
static void put_own_faults(FILE *f, const struct summary *s)
{
	const struct record_run *run = &s->run;

	if (*run->device_gone)
		fprintf(f, "DEVICE GONE: %s\n", run->device_gone);
	if (*run->no_link)
		fprintf(f, "NO LINK: %s\n", run->no_link);
	if (run->timing_broken)
		fprintf(f, "TIMING BROKEN: %s\n", run->timing_text);
	if (s->lost_own)
		fprintf(f,
			"INSTRUMENT LOST FRAMES: "
			"%llu, because its loop came too late or had no room\n",
			(ull)s->lost_own);
	if (run->events_lost)
		fprintf(f,
			"EVENTS LOST: %llu, faster than they were recorded; lengths of pauses, "
			"gaps and delays of CNPs, completion times and events.csv lack them\n",
			(ull)run->events_lost);
	if (run->captures_lost)
		fprintf(f,
			"CAPTURE INCOMPLETE: capture.pcapng lacks %llu frame%s, which came faster "
			"than frames were recorded\n",
			(ull)run->captures_lost, plural(run->captures_lost));
}

static void put_run_head(FILE *f, const struct record *r, const struct summary *s)
{
	const struct record_run *run = &s->run;
	double sim = (double)run->end / 1e12;

	if (*run->crash)
		fprintf(f, "ENDED EARLY: %s\n", run->crash);
	if (*run->link_loss)
		fprintf(f, "ENDED EARLY: %s\n", run->link_loss);
	put_own_faults(f, s);
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

// Writes the clocks of the neighbouring parts, in a run of one part.
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
		fprintf(f, "%s%s: the peer's is %s %s ours, to within %s, by %llu exchange%s", head,
			LABEL(&d, "port"), DURATION(fabs(ahead)), ahead < 0 ? "behind" : "ahead of",
			DURATION(at(&d, "peer_clock_bound_us")), count(&d, "peer_clock_exchanges"),
			plural(count(&d, "peer_clock_exchanges")));
		if (!isnan(at(&d, "peer_clock_drift_ppm")))
			fprintf(f, "; it drifts by %+.1f ppm, to within %.1f",
				at(&d, "peer_clock_drift_ppm"),
				at(&d, "peer_clock_drift_bound_ppm"));
		fprintf(f, "\n");
		head = "              ";
	}
}

// Writes how many hellos came from others than the peer, in a run of one part.
static void put_strangers(FILE *f, const struct summary *s)
{
	for (struct row d = rows(s, KIND_DEVICE); d.i < d.n; d.i++)
		if (at(&d, "stranger_hellos") > 0)
			fprintf(f,
				"  strangers   %s: %.0f hello%s that came %s not the peer's: "
				"somebody repeats old ones or makes some up; none counted\n",
				LABEL(&d, "port"), at(&d, "stranger_hellos"),
				plural(count(&d, "stranger_hellos")),
				count(&d, "stranger_hellos") == 1 ? "was" : "were");
}

// PFC and PAUSE from somebody who is not at the other end of the link.
static void put_pause_strangers(FILE *f, const struct summary *s)
{
	static const struct {
		enum kind_id kind;
		const char *name;
	} by[] = {{KIND_PORT, "port"}, {KIND_NIC, "node"}};

	for (unsigned k = 0; k < sizeof(by) / sizeof(by[0]); k++)
		for (struct row d = rows(s, by[k].kind); d.i < d.n; d.i++)
			if (at(&d, "pause_stranger_frames") > 0)
				fprintf(f,
					"  strangers   %s: %.0f PFC or PAUSE frame%s came from "
					"another address than the link's other end has\n",
					LABEL(&d, by[k].name), at(&d, "pause_stranger_frames"),
					plural(count(&d, "pause_stranger_frames")));
}

// Messages that waited because the host's queue pairs were all in use (live_pairs).
static void put_place_waits(FILE *f, const struct summary *s)
{
	for (struct row d = rows(s, KIND_NIC); d.i < d.n; d.i++)
		if (at(&d, "place_waits") > 0)
			fprintf(f,
				"  waits       %s: %llu message%s waited for a queue pair "
				"(live_pairs), %s on average\n",
				LABEL(&d, "node"), count(&d, "place_waits"),
				plural(count(&d, "place_waits")),
				DURATION(at(&d, "place_wait_ps") / at(&d, "place_waits") / 1e6));
}

// The parts of a line below each other.
static void put_parts(FILE *f, const char *first, char *line)
{
	for (char *part = line, *next; part; part = next, first = "") {
		next = strstr(part, "; ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		fprintf(f, "  %-10s  %s\n", first, part);
	}
}

// The reasons for PFC at the bottleneck's lossless queues: PFC on one line, marks on the next, and
// the outcome on a third.
static void put_why(FILE *f, const struct summary *s, const struct why *why)
{
	const struct rec_port *p = fabric_bottleneck(s);
	char line[VERDICT_LINE];

	for (unsigned i = 0; i < s->set[KIND_QUEUE].n; i++) {
		const struct fabric_queue *q = set_at(&s->set[KIND_QUEUE], i);

		if (q->rec->port == p && verdict_why(why, q, line, sizeof(line)))
			put_parts(f, "why", line);
	}
}

#define JOBS_SHOWN 4 // of which the table says why

static void put_job_whys(FILE *f, const struct summary *s)
{
	char line[VERDICT_LINE];

	for (unsigned i = 0; i < s->set[KIND_JOB].n && i < JOBS_SHOWN; i++)
		if (verdict_job(s, i, line, sizeof(line)))
			put_parts(f, "why", line);
}

// What lost packets cost the flows that paid most.
static void put_lost(FILE *f, const struct summary *s)
{
	struct verdict_lost lost;
	char line[VERDICT_LINE];
	unsigned n;

	verdict_lost_find(&lost, s);
	n = lost.n < LOST_SHOWN ? lost.n : LOST_SHOWN;
	for (unsigned i = 0; i < n; i++) {
		verdict_lost_text(&lost, s, i, line, sizeof(line));
		put_parts(f, "lost", line);
	}
	if (lost.flows > n)
		fprintf(f, "  %-10s  %u more flow%s sent frames again\n", "", lost.flows - n,
			plural(lost.flows - n));
}

// If nothing stands between two sections, one empty line is enough for both.
static void close_gaps(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != '\n' || to < text + 2 || to[-1] != '\n' || to[-2] != '\n')
			*to++ = *from;
	*to = '\0';
}

char *text_make(const struct summary *s, const struct verdict *v)
{
	const struct record *r = s->rec;
	struct why *why = verdict_why_make(s);
	char *text = NULL;
	size_t size;
	FILE *f = why ? open_memstream(&text, &size) : NULL;

	if (!f) {
		verdict_why_free(why);
		return NULL;
	}
	put_run_head(f, r, s);
	text_traffic(f, s);
	text_jobs(f, s);
	text_slowdown(f, s);
	text_queues(f, s);
	text_cps(f, s);
	put_clocks(f, s);
	put_strangers(f, s);
	put_pause_strangers(f, s);
	put_place_waits(f, s);
	text_cn(f, s);
	text_watchdog(f, s);
	text_drops(f, s);
	text_faults(f, s);
	text_outside(f, s);
	text_failures(f, s);
	text_refused(f, s);
	text_neighbours(f, s);
	put_why(f, s, why);
	put_job_whys(f, s);
	put_lost(f, s);
	verdict_why_free(why);
	text_verdicts(f, s, v);
	if (!fclose(f) && text)
		close_gaps(text);
	return text;
}
