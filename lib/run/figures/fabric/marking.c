// SPDX-License-Identifier: BSD-3-Clause
// The marking curve of each queue (measuring.md M3): what its marker did by length, beside the
// formula; marking.csv.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/binom.h"
#include "int.h"

// Chi-square takes only bins that expect at least this many frames of either kind.
#define EXPECTED_MIN 5

static const char header[] = "object,from_bytes,to_bytes,ect_frames,ecn_marked_frames,"
			     "expected_frames,ratio,theory,low_95,high_95\n";

struct marking {
	const struct rec_queue *rec;
	const char *port, *where;
	unsigned cls;
	struct red_cfg red;
	struct red_bin *bin; // of the window; bin 0 has its frames too
	unsigned n_bins;     // of them; the bins behind saw no frame
	uint64_t kmin_bytes, kmax_bytes;
	uint64_t ect, marked;         // decisions, those to mark
	uint64_t to_kmin, above_kmax; // marked up to Kmin; not marked above Kmax
	double pmax, fitted; // on the slope; NAN: there is none; fitted: or no frame saw it
	double error_percent;
	double sigma_percent; // standard error to expect of the fit, percent of Pmax
	double chi_square;    // of the slope's bins that expect enough frames
	uint64_t chi_bins;
	double chi_p;        // how often chance alone gives as much
	double worst_sigmas; // the bin that is off most; NAN: none
	double first_us, last_us;
	uint64_t first_total, last_total, ect_total; // numbers of ECT frames; 0: no mark
};

// A bin, with the marks that the formula expects: all lengths from..to.
struct bin {
	const struct rec_queue *rec;
	unsigned number;
	uint64_t from, ect, marked;
	double to;            // NAN: no end
	double expected;      // marks: sum of the probabilities of its very frames
	double ratio, theory; // marked and expected of ect; NAN: no frame
	double low, high;     // Wilson's 95 % interval of the ratio
};

static struct red_bin red_bin_of(const struct marking *m, unsigned i)
{
	return i < m->n_bins ? m->bin[i] : (struct red_bin){0};
}

// The bins of a curve up to the last that saw a frame, and bin 0.
static unsigned count_bins(const struct red_curve *c)
{
	unsigned n = RED_CURVE_BINS;

	while (n > 1 && !c->bin[n - 1].ect_frames)
		n--;
	return n;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

// Counters of the window, or since the marker was last changed if that is later. Bin 0, up to Kmin,
// is the class's count less the other bins.
static void bins_make(
	struct marking *m, const struct fabric_queue *q, const struct sw_class_stats *all)
{
	const struct red_curve *now = q->rec->curve, *then = q->rec->warm_curve;
	const uint64_t ect = less(sw_class_ect(&q->w), sw_class_ect(all) - now->ect_before);
	const uint64_t marked =
		less(q->w.ecn_marked_frames, all->ecn_marked_frames - now->marked_before);
	static const struct red_curve none;

	then = then && then->changes == now->changes ? then : &none;
	for (unsigned i = 1; i < m->n_bins; i++) {
		stat_diff(&red_bin_stat_table, &m->bin[i], &now->bin[i], &then->bin[i]);
		m->ect += m->bin[i].ect_frames;
		m->marked += m->bin[i].marked_frames;
	}
	if (ect > m->ect)
		m->bin[0].ect_frames = ect - m->ect;
	if (marked > m->marked)
		m->bin[0].marked_frames = marked - m->marked;
	m->ect += m->bin[0].ect_frames;
	m->marked += m->bin[0].marked_frames;
}

static struct bin bin_of(const struct marking *m, unsigned i)
{
	const struct red_bin b = red_bin_of(m, i);
	uint64_t end = red_curve_edge(&m->red, i + 1) - 1;
	struct bin o = {
		.rec = m->rec,
		.number = i,
		.from = red_curve_edge(&m->red, i),
		.to = end < UINT32_MAX ? (double)end : NAN,
		.ect = b.ect_frames,
		.marked = b.marked_frames,
		.expected = red_curve_expected(&m->red, &b, i),
	};

	o.ratio = o.ect ? (double)o.marked / (double)o.ect : NAN;
	o.theory = o.ect ? o.expected / (double)o.ect : NAN;
	binom_wilson(o.ect, o.marked, &o.low, &o.high);
	return o;
}

// The Pmax that makes the marks seen on the slope likeliest, and its error by chance.
static void fit_slope(struct marking *m)
{
	double span = (double)m->red.kmax_bytes - m->red.kmin_bytes;
	struct binom b[RED_CURVE_SLOPE];

	m->pmax = m->fitted = m->sigma_percent = NAN;
	if (span <= 0)
		return;
	for (unsigned i = 0; i < RED_CURVE_SLOPE; i++) {
		const struct red_bin from = red_bin_of(m, i + 1);

		b[i] = (struct binom){.n = from.ect_frames, .m = from.marked_frames};
		if (b[i].n)
			b[i].shape = (double)from.over_bytes / ((double)b[i].n * span);
	}
	m->pmax = fmin(1, (double)m->red.slope * 0x1p-48 * span);
	m->fitted = binom_fit(b, RED_CURVE_SLOPE);
	if (m->pmax > 0)
		m->sigma_percent = 100 * binom_fit_error(b, RED_CURVE_SLOPE, m->pmax) / m->pmax;
}

static void chi_square(struct marking *m)
{
	m->worst_sigmas = NAN;
	for (unsigned i = 1; i <= RED_CURVE_SLOPE; i++) {
		struct bin b = bin_of(m, i);
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

// Makes a curve with its bins, for which `bin` has room. Returns how many bins it has.
static unsigned marking_make(struct marking *m, const struct record *r,
	const struct fabric_queue *q, struct red_bin *bin)
{
	const struct rec_queue *rec = q->rec;
	const struct net_node *n = net_node(r->net, rec->port->node);
	bool any = rec->first_mark != TSTAMP_NEVER;
	struct sw_class_stats stats = rec_class_stats(rec);
	struct red_bin above;

	m->rec = rec;
	m->port = rec->port->scene->name;
	m->cls = rec->cls;
	m->red = *sw_red(n->u.sw, rec->port->port, rec->cls);
	m->kmin_bytes = m->red.kmin_bytes;
	m->kmax_bytes = m->red.kmax_bytes;
	m->where =
		sw_port_set(&n->scene->u.sw, rec->port->port)->cls[rec->cls].mark == SW_MARK_DEQUEUE
			? "dequeue"
			: "enqueue";
	m->first_total = rec->curve->first_marked;
	m->last_total = rec->curve->last_marked;
	m->ect_total = sw_class_ect(&stats);
	m->first_us = any ? (double)rec->first_mark / 1e6 : NAN;
	m->last_us = any ? (double)rec->last_mark / 1e6 : NAN;
	m->bin = bin;
	m->n_bins = count_bins(rec->curve);
	bins_make(m, q, &stats);
	above = red_bin_of(m, RED_CURVE_ABOVE);
	m->to_kmin = m->bin[0].marked_frames;
	m->above_kmax = above.ect_frames - above.marked_frames;
	fit_slope(m);
	m->error_percent = 100 * (m->fitted - m->pmax) / m->pmax;
	chi_square(m);
	if (!m->chi_bins)
		m->chi_square = m->chi_p = NAN;
	return m->n_bins;
}

static bool has_marking(const struct fabric_queue *q)
{
	return q->rec->curve && sw_class_ect(&q->w);
}

// Bins stand behind the objects, in the same memory, of which only what is used is touched: most
// queues have one bin.
static int make_markings(struct summary *s, struct set *to)
{
	const struct set *queues = kind_set(s, KIND_QUEUE);
	size_t n = 0, each = sizeof(struct marking);
	struct red_bin *bin;

	for (unsigned i = 0; i < queues->n; i++)
		n += has_marking(set_at(queues, i));
	if (set_room(to, &kind_marking, n + (n * RED_CURVE_BINS * sizeof(*bin) + each - 1) / each))
		return -ENOMEM;
	bin = (struct red_bin *)((struct marking *)to->object + n);
	for (unsigned i = 0; i < queues->n; i++) {
		const struct fabric_queue *q = set_at(queues, i);

		if (has_marking(q))
			bin += marking_make(set_add(to), s->rec, q, bin);
	}
	return 0;
}

static int make_bins(struct summary *s, struct set *to)
{
	const struct set *markings = kind_set(s, KIND_MARKING);

	if (set_room(to, &kind_bin, (size_t)markings->n * RED_CURVE_BINS))
		return -ENOMEM;
	for (unsigned i = 0; i < markings->n * RED_CURVE_BINS; i++)
		*(struct bin *)set_add(to) =
			bin_of(set_at(markings, i / RED_CURVE_BINS), i % RED_CURVE_BINS);
	return 0;
}

static const char *bin_name(const void *object, char *buf)
{
	const struct bin *b = object;

	snprintf(buf, KIND_NAME, "%s.%u.%u", b->rec->port->scene->name, b->rec->cls, b->number);
	return buf;
}

#define B_N(field, name, unit, ...) ROW_COUNT(struct bin, field, name, unit, __VA_ARGS__)
#define B_V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct bin, field, name, unit, decimals, __VA_ARGS__)

static const struct figure bin_figures[] = {
	B_N(from, "from_bytes", "bytes", "shortest length in the bin"),
	B_V(to, "to_bytes", "bytes", 0, "longest length in the bin; the last has no end"),
	B_N(ect, "ect_frames", "frames", "n(L): ECT frames that the marker decided about"),
	B_N(marked, "ecn_marked_frames", "frames", "m(L): those to mark"),
	B_V(expected, "expected_frames", "frames", 6,
		"marks to expect: the sum of the probabilities that the formula gave these very "
		"frames, exact"),
	B_V(ratio, "ratio", "0 to 1", 9, "P: `ecn_marked_frames` of `ect_frames`"),
	B_V(theory, "theory", "0 to 1", 9, "P0: `expected_frames` of `ect_frames`"),
	B_V(low, "low_95", "0 to 1", 9, "Wilson's 95 % interval of `ratio`: its lower end"),
	B_V(high, "high_95", "0 to 1", 9, "Wilson's 95 % interval of `ratio`: its upper end"),
};

#define BIN_FIGURES (sizeof(bin_figures) / sizeof(bin_figures[0]))

// A curve by columns: for each figure of a bin the list of its values. Bins without a frame are
// left out.
static void put_bins(struct jw *w, const struct summary *s, const void *object, const char *key)
{
	const struct marking *m = object;
	struct bin bin[RED_CURVE_BINS];
	unsigned n = 0;

	(void)s;
	for (unsigned i = 0; i < RED_CURVE_BINS; i++)
		if (red_bin_of(m, i).ect_frames)
			bin[n++] = bin_of(m, i);
	jw_object(w, key, true);
	for (unsigned k = 0; k < BIN_FIGURES; k++) {
		const struct figure *f = &bin_figures[k];

		jw_array(w, f->name, true);
		for (unsigned i = 0; i < n; i++)
			jw_num(w, NULL, figure_value(f, &bin[i]), f->decimals);
		jw_end(w);
	}
	jw_end(w);
}

static const struct figure_list bins = {put_bins,
	"{\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\", "
	"\"items\": {\"type\": [\"number\", \"null\"]}}}"};

#define N(field, name, unit, ...) ROW_COUNT(struct marking, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct marking, field, name, unit, decimals, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct marking, port, "port", "its port"),
	ROW_ID(struct marking, cls, "class", "its class"),
	ROW_TEXT(
		struct marking, where, "mark", "where the decision was: at `enqueue` or `dequeue`"),
	N(kmin_bytes, "kmin_bytes", "bytes", "the marker's lower threshold"),
	N(kmax_bytes, "kmax_bytes", "bytes", "the marker's upper threshold"),
	V(pmax, "pmax", "0 to 1", 9, "its probability at the upper threshold"),
	N(ect, "ect_frames", "frames", "decisions about ECT frames"),
	N(marked, "ecn_marked_frames", "frames",
		"decisions to mark (at enqueue some of these frames may then be refused by the "
		"buffer)"),
	N(to_kmin, "marked_to_kmin_frames", "frames",
		"frames marked at lengths up to Kmin: must be 0"),
	N(above_kmax, "unmarked_above_kmax_frames", "frames",
		"ECT frames not marked above Kmax: must be 0"),
	V(fitted, "pmax_fitted", "0 to 1", 9,
		"Pmax that makes what was seen between Kmin and Kmax likeliest"),
	V(error_percent, "pmax_error_percent", "%", 4, "how far `pmax_fitted` is from `pmax`"),
	V(sigma_percent, "pmax_sigma_percent", "%", 4,
		"standard error to expect of the fit with so many frames"),
	V(chi_square, "chi_square", "", 4,
		"sum of squared deviations of bins 1 to 64, in standard deviations"),
	N(chi_bins, "chi_square_bins", "",
		"bins in `chi_square`: those that expect 5 marks and 5 passes"),
	V(chi_p, "chi_square_p", "0 to 1", 6,
		"how often chance alone makes `chi_square` as large: small values speak against "
		"the formula"),
	V(worst_sigmas, "worst_bin_sigmas", "", 4,
		"largest deviation of a bin, in standard deviations"),
	V(first_us, "first_mark_us", "us", 6, "first mark of the window"),
	V(last_us, "last_mark_us", "us", 6, "last mark of the window"),
	ROW_COUNT_EVER(struct marking, first_total, "first_marked_total", "frames",
		"which of the queue's ECT frames, from 1, was the first to be marked, whole run"),
	ROW_COUNT_EVER(struct marking, last_total, "last_marked_total", "frames",
		"which of the queue's ECT frames, from 1, was the last to be marked, whole run. A "
		"marker at dequeue that empties a burst marks the first and not the last"),
	N(ect_total, "ect_frames_total", "frames", "ECT frames of the queue in the whole run"),
	ROW_LIST(&bins, "bins",
		"the curve itself, with a list for each column; bins without a frame are left "
		"out. `marking.csv` has the same, with a line for each bin"),
};

static bool marks(const struct scene_node *n, unsigned port_number, unsigned cls)
{
	return n->kind == SCENE_SW &&
	       sw_port_set(&n->u.sw, port_number)->cls[cls].mark != SW_MARK_NONE;
}

static void possible_markings(struct kind_look *l)
{
	look_classes(l, marks);
}

static void could_bins(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned k = 0; k < n->n_ports * PKT_CLASSES && !l->enough; k++)
			for (unsigned b = 0;
				marks(n, k / PKT_CLASSES, k % PKT_CLASSES) && b < RED_CURVE_BINS;
				b++)
				look_tell(l, "%s.%u.%u", n->port[k / PKT_CLASSES].name,
					k % PKT_CLASSES, b);
	}
}

const struct kind kind_marking = {
	.key = "markings",
	.path = "marking",
	.title = "Marking curves",
	.about = "Each queue of a switch whose marker saw ECT frames: what it did at each length, "
		 "to be held against its formula. The length is the one that the decision saw.",
	.example = "s1:r.3",
	.size = sizeof(struct marking),
	KIND_FIGURES(figures),
	.make = make_markings,
	.name_at = offsetof(struct marking, port),
	.number_at = offsetof(struct marking, cls),
	.could = possible_markings,
};

const struct kind kind_bin = {
	.path = "bin",
	.title = "Bins of marking curves",
	.about = "Each bin of a marking curve: bin 0 is all lengths up to Kmin, bins 1 to 64 are "
		 "equal parts of Kmin to Kmax, and bin 65 is all above Kmax.",
	.example = "s1:r.3.17",
	.late = true,
	.size = sizeof(struct bin),
	KIND_FIGURES(bin_figures),
	.make = make_bins,
	.name = bin_name,
	.could = could_bins,
};

static void put_bin(struct out *o, const struct marking *m, struct bin b)
{
	out_printf(o, "%s.%u,%llu,", m->port, m->cls, (unsigned long long)b.from);
	if (!isnan(b.to))
		out_printf(o, "%.0f", b.to);
	out_printf(o, ",%llu,%llu,%.6f,%.9f,%.9f,%.9f,%.9f\n", (unsigned long long)b.ect,
		(unsigned long long)b.marked, b.expected, b.ratio, b.theory, b.low, b.high);
}

int fabric_marking_write(const struct summary *s, struct err *err)
{
	const struct set *set = &s->set[KIND_MARKING];
	struct out o;
	int code = record_file(s->rec, &o, "marking.csv", err);

	if (code)
		return code;
	out_str(&o, header);
	for (unsigned i = 0; i < set->n; i++) {
		const struct marking *m = set_at(set, i);

		for (unsigned k = 0; k < m->n_bins; k++)
			if (m->bin[k].ect_frames)
				put_bin(&o, m, bin_of(m, k));
	}
	return out_close(&o, err);
}
