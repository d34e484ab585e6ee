// SPDX-License-Identifier: BSD-3-Clause
// The marking curve of each queue (measures.md M3): what its marker did by length, beside the
// formula; marking.csv.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/binom.h"
#include "summary.h"

// Chi-square takes bins that expect so many frames of either kind at least.
#define EXPECTED_MIN 5

static const char header[] = "object,from_bytes,to_bytes,ect_frames,ecn_marked_frames,"
			     "expected_frames,ratio,theory,low_95,high_95\n";

// Counters of the window. Up to Kmin is what the class counted besides the bins.
static void bins_make(struct summary_marking *m, const struct summary_queue *q)
{
	const struct red_curve *now = q->rec->curve, *then = q->rec->warm_curve;
	static const struct red_curve none;

	then = then ? then : &none;
	for (unsigned i = 1; i < RED_CURVE_BINS; i++) {
		m->bin[i] = (struct red_bin){
			.ect_frames = now->bin[i].ect_frames - then->bin[i].ect_frames,
			.marked_frames = now->bin[i].marked_frames - then->bin[i].marked_frames,
			.over_bytes = now->bin[i].over_bytes - then->bin[i].over_bytes,
		};
		m->ect += m->bin[i].ect_frames;
		m->marked += m->bin[i].marked_frames;
	}
	if (sw_class_ect(&q->w) > m->ect)
		m->bin[0].ect_frames = sw_class_ect(&q->w) - m->ect;
	if (q->w.ecn_marked_frames > m->marked)
		m->bin[0].marked_frames = q->w.ecn_marked_frames - m->marked;
	m->ect += m->bin[0].ect_frames;
	m->marked += m->bin[0].marked_frames;
}

struct summary_bin summary_bin(const struct summary_marking *m, unsigned i)
{
	const struct red_bin *b = &m->bin[i];
	struct summary_bin o = {
		.from = red_curve_edge(&m->red, i),
		.to = red_curve_edge(&m->red, i + 1) - 1,
		.ect = b->ect_frames,
		.marked = b->marked_frames,
		.expected = red_curve_expected(&m->red, b, i),
	};

	o.ratio = o.ect ? (double)o.marked / (double)o.ect : NAN;
	o.theory = o.ect ? o.expected / (double)o.ect : NAN;
	binom_wilson(o.ect, o.marked, &o.low, &o.high);
	return o;
}

// Pmax that makes what was seen on the slope likeliest, and what it may be off by chance.
static void fit_slope(struct summary_marking *m)
{
	double span = (double)m->red.kmax_bytes - m->red.kmin_bytes;
	struct binom b[RED_CURVE_SLOPE];

	m->pmax = m->fitted = m->sigma_percent = NAN;
	if (span <= 0)
		return;
	for (unsigned i = 0; i < RED_CURVE_SLOPE; i++) {
		const struct red_bin *from = &m->bin[i + 1];

		b[i] = (struct binom){.n = from->ect_frames, .m = from->marked_frames};
		if (b[i].n)
			b[i].shape = (double)from->over_bytes / ((double)b[i].n * span);
	}
	m->pmax = fmin(1, (double)m->red.slope * 0x1p-48 * span);
	m->fitted = binom_fit(b, RED_CURVE_SLOPE);
	if (m->pmax > 0)
		m->sigma_percent = 100 * binom_fit_error(b, RED_CURVE_SLOPE, m->pmax) / m->pmax;
}

static void chi_square(struct summary_marking *m)
{
	m->worst_sigmas = NAN;
	for (unsigned i = 1; i <= RED_CURVE_SLOPE; i++) {
		struct summary_bin b = summary_bin(m, i);
		double off = binom_sigmas(b.ect, b.marked, b.theory);

		if (isnan(off) || b.expected < EXPECTED_MIN ||
			(double)b.ect - b.expected < EXPECTED_MIN)
			continue;
		m->chi_square += off * off;
		m->chi_bins++;
		m->worst_sigmas = fmax(m->worst_sigmas, fabs(off));
	}
	m->chi_p = binom_chi_square_above(m->chi_square, m->chi_bins);
}

static void marking_make(
	struct summary_marking *m, const struct record *r, const struct summary_queue *q)
{
	const struct rec_queue *rec = q->rec;
	const struct net_node *n = &r->net->node[rec->port->node];

	*m = (struct summary_marking){
		.rec = rec,
		.red = *sw_red(n->u.sw, rec->cls),
		.at_dequeue = n->scene->u.sw.cls[rec->cls].mark == SW_MARK_DEQUEUE,
		.first_total = rec->curve->first_marked,
		.last_total = rec->curve->last_marked,
		.ect_total = sw_class_ect(rec->st),
	};
	bins_make(m, q);
	fit_slope(m);
	chi_square(m);
}

int summary_markings(struct summary *s, const struct record *r)
{
	s->marking = calloc(s->n_queues + 1ul, sizeof(*s->marking));
	if (!s->marking)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_queues; i++) {
		const struct summary_queue *q = &s->queue[i];

		if (q->rec->curve && sw_class_ect(&q->w))
			marking_make(&s->marking[s->n_markings++], r, q);
	}
	return 0;
}

static void put_bin(struct out *o, const char *object, const struct summary_bin *b)
{
	out_printf(o, "%s,%llu,", object, (unsigned long long)b->from);
	if (b->to < UINT32_MAX)
		out_printf(o, "%llu", (unsigned long long)b->to);
	out_printf(o, ",%llu,%llu,%.6f,%.9f,%.9f,%.9f,%.9f\n", (unsigned long long)b->ect,
		(unsigned long long)b->marked, b->expected, b->ratio, b->theory, b->low, b->high);
}

int summary_marking_write(const struct summary *s, struct err *err)
{
	char path[4096];
	struct out o;
	int code;

	snprintf(path, sizeof(path), "%s/marking.csv", s->rec->dir);
	code = out_open(&o, path, err);
	if (code)
		return code;
	out_str(&o, header);
	for (unsigned i = 0; i < s->n_markings; i++)
		for (unsigned k = 0; k < RED_CURVE_BINS; k++) {
			const struct summary_marking *m = &s->marking[i];
			struct summary_bin b = summary_bin(m, k);
			char object[REC_LABEL];

			snprintf(object, sizeof(object), "%s.%u", m->rec->port->scene->name,
				m->rec->cls);
			if (b.ect)
				put_bin(&o, object, &b);
		}
	return out_close(&o, err);
}
