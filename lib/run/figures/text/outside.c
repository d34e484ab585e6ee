// SPDX-License-Identifier: BSD-3-Clause
// The nodes behind observed ports, in the table for the terminal.
#include <math.h>

#include "int.h"

#define SHOWN 8 // rows of each kind; how many more there are is said

// The part of the table; its head comes before the first line.
struct part {
	FILE *f;
	bool begun;
};

static FILE *line_begin(struct part *p)
{
	fprintf(p->f, "%s    ", p->begun ? "" : "\n  Seen from outside\n");
	p->begun = true;
	return p->f;
}

static void put_asked(struct part *p, const struct row *x)
{
	ull xoff = count(x, "xoff_frames"), again = count(x, "refresh_frames");
	FILE *f;

	if (!xoff)
		return;
	f = line_begin(p);
	fprintf(f, "%s: %llu XOFF came, %.0f to %.0f quanta, from %llu source%s", LABEL(x, NULL),
		xoff, at(x, "quanta_min"), at(x, "quanta_max"), count(x, "sources"),
		plural(count(x, "sources")));
	if (again)
		fprintf(f, "; %llu refreshed one, after %s in the median", again,
			DURATION(at(x, "refresh_p50_us")));
	fprintf(f, "; %.0f frame%s sent before the first, %llu in XOFF\n",
		at(x, "before_xoff_frames"), plural((ull)at(x, "before_xoff_frames")),
		count(x, "in_xoff_frames"));
}

static void put_answer(struct part *p, const struct row *x)
{
	double stop = at(x, "stop_p50_us"), resume = at(x, "resume_p50_us");
	FILE *f;

	if (!count(x, "asked"))
		return;
	f = line_begin(p);
	fprintf(f, "%s: %llu XOFF sent", LABEL(x, NULL), count(x, "asked"));
	if (count(x, "ignored"))
		fprintf(f, ", %llu not obeyed", count(x, "ignored"));
	if (!isnan(at(x, "b_after_max_bytes")))
		fprintf(f, "; at most %s came after one", SIZE(at(x, "b_after_max_bytes")));
	if (!isnan(stop))
		fprintf(f, "; the peer stops after %s, at most %s", DURATION(stop),
			DURATION(at(x, "stop_max_us")));
	if (!isnan(resume))
		fprintf(f, ", and goes on %s after XON", DURATION(resume));
	fprintf(f, "\n");
}

static void put_cnps(struct part *p, const struct row *x)
{
	FILE *f = line_begin(p);

	fprintf(f, "CNPs by %s: %llu came for %llu CE", LABEL(x, NULL), count(x, "cnp_rx"),
		count(x, "ce_tx"));
	if (!isnan(at(x, "cnp_next_marked")))
		fprintf(f, "; Lumina's rule expects %.0f, windows %.0f", at(x, "cnp_next_marked"),
			at(x, "cnp_window"));
	if (at(x, "fits") > 0)
		fprintf(f, "; the key fits");
	fprintf(f, "\n");
}

static void put_repair(struct part *p, const struct row *x)
{
	double generation = at(x, "nak_generation_p50_us"), reaction = at(x, "nak_reaction_p50_us");
	FILE *f;

	if (!count(x, "nak_rx_frames") && !count(x, "nak_tx_frames"))
		return;
	f = line_begin(p);
	fprintf(f, "%s: %llu NAK%s came, %llu left", LABEL(x, NULL), count(x, "nak_rx_frames"),
		plural(count(x, "nak_rx_frames")), count(x, "nak_tx_frames"));
	if (!isnan(generation))
		fprintf(f, "; a NAK takes %s in the median", DURATION(generation));
	if (!isnan(reaction))
		fprintf(f, "; the lost frame comes %s after the NAK", DURATION(reaction));
	fprintf(f, "\n");
}

static void put_stream(struct part *p, const struct row *x)
{
	double missing = at(x, "missing_frames");
	FILE *f;

	if (!count(x, "ce_frames") && !(missing > 0))
		return;
	f = line_begin(p);
	fprintf(f, "stream %s: %llu frames, %llu with CE", LABEL(x, NULL), count(x, "frames"),
		count(x, "ce_frames"));
	if (count(x, "ce_frames"))
		fprintf(f, ", at indices %.0f to %.0f of bursts", at(x, "first_ce_index_min"),
			at(x, "last_ce_index_max"));
	if (missing > 0)
		fprintf(f, "; %.0f missing", missing);
	if (!isnan(at(x, "first_missing")))
		fprintf(f, ", number %.0f first", at(x, "first_missing"));
	fprintf(f, "\n");
}

static void put_rows(struct part *p, const struct summary *s, enum kind_id kind,
	void (*put)(struct part *p, const struct row *x))
{
	struct row x = rows(s, kind);

	for (; x.i < x.n && x.i < SHOWN; x.i++)
		put(p, &x);
	if (x.i < x.n && p->begun)
		fprintf(p->f, "    %u more; `%s` in summary.json has each\n", x.n - x.i,
			s->kind[kind]->key);
}

void text_outside(FILE *f, const struct summary *s)
{
	struct part p = {.f = f};

	put_rows(&p, s, KIND_OUTSIDE_PAUSE, put_asked);
	put_rows(&p, s, KIND_OUTSIDE_PAUSE, put_answer);
	put_rows(&p, s, KIND_OUTSIDE_CNP, put_cnps);
	put_rows(&p, s, KIND_OUTSIDE, put_repair);
	put_rows(&p, s, KIND_OUTSIDE_STREAM, put_stream);
	if (p.begun)
		fprintf(f, "\n");
}
