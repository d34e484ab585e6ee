// SPDX-License-Identifier: BSD-3-Clause
// Congestion points of QCN: how near a queue was kept to its set point, its samples, and the CNMs
// that it sent.
#include <errno.h>
#include <math.h>

#include "int.h"

// A congestion point whose queue has carried frames.
struct cp {
	const char *port;
	unsigned cls;
	uint64_t set_point;
	double mean_ratio, std_ratio; // of the queue, over the set point
	uint64_t cnms, discarded;
	double cnms_per_s;
	uint64_t samples;          // whole run
	uint64_t by_fb[QCN_CP_FB]; // of these, by QntzFb
	double fb_mean;            // QntzFb of the CNMs of the whole run; NAN: none
	struct qcn_cp_spacing spacing[QCN_CP_LEVELS]; // whole run, by the level of the feedback
	double base[QCN_CP_LEVELS];                   // bytes between samples, mean of the draws
	// bytes between samples, divided by the expected bytes; NAN: no two samples
	double spacing_ratio;
	// the level whose deviation is largest, in standard errors; NAN: none has enough samples
	double spacing_sigmas;
};

// How often each feedback was found, over the whole run.
static void feedback(struct cp *c, const struct qcn_cp *cp)
{
	uint64_t sum = 0, told = 0;

	for (unsigned i = 0; i < QCN_CP_FB; i++) {
		c->samples += cp->samples[i];
		c->by_fb[i] = cp->samples[i];
		sum += i * cp->samples[i];
		told += i ? cp->samples[i] : 0;
	}
	c->fb_mean = told ? (double)sum / (double)told : NAN;
}

#define SPACINGS 10 // pairs of samples from which a level's mean is judged

// Compares the bytes between samples with the table (measuring.md M5). Draws are uniform over
// `span` whole bytes from `least` on: mean least + (span - 1) / 2, variance (span^2 - 1) / 12. The
// part of the sampled frame beyond the draw is added.
static void spacing(struct cp *c, const struct qcn_cp *cp)
{
	double bytes = 0, expected = 0;

	c->spacing_sigmas = NAN;
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++) {
		const struct qcn_cp_spacing *s = &cp->spacing[i];
		double n = (double)s->n, span = (double)cp->cfg->span[i], off;

		c->spacing[i] = *s;
		c->base[i] = (double)cp->cfg->least[i] + (span - 1) / 2;
		bytes += (double)s->bytes;
		expected += n * c->base[i] + (double)s->beyond;
		if (s->n < SPACINGS || span < 2)
			continue;
		off = fabs((double)(s->bytes - s->beyond) - n * c->base[i]) /
		      sqrt(n * (span * span - 1) / 12);
		c->spacing_sigmas = fmax(c->spacing_sigmas, off);
	}
	c->spacing_ratio = expected > 0 ? bytes / expected : NAN;
}

static void cp_make(struct cp *c, const struct summary *s, const struct fabric_queue *q,
	const struct qcn_cp *cp)
{
	const struct rec_queue *rec = q->rec;
	double set_point = (double)cp->cfg->p.set_point;

	*c = (struct cp){
		.port = rec->port->scene->name,
		.cls = rec->cls,
		.set_point = cp->cfg->p.set_point,
		.mean_ratio = q->mean_bytes / set_point,
		.std_ratio = q->std_bytes / set_point,
		.cnms = q->w.cnm_tx_frames,
		.discarded = q->w.cn_discarded_frames,
	};
	c->cnms_per_s = fabric_per_s(s, c->cnms);
	feedback(c, cp);
	spacing(c, cp);
}

static int make_cps(struct summary *s, struct set *to)
{
	const struct set *queues = kind_set(s, KIND_QUEUE);

	if (set_room(to, &kind_cp, queues->n))
		return -ENOMEM;
	for (unsigned i = 0; i < queues->n; i++) {
		const struct fabric_queue *q = set_at(queues, i);
		const struct rec_port *p = q->rec->port;
		const struct qcn_cp *cp =
			p->sw ? sw_cp(net_node(s->rec->net, p->node)->u.sw, p->port, q->rec->cls)
			      : NULL;

		if (cp)
			cp_make(set_add(to), s, q, cp);
	}
	return 0;
}

static void put_samples(struct jw *w, const struct summary *s, const void *object, const char *key)
{
	const struct cp *c = object;

	(void)s;
	jw_array(w, key, true);
	for (unsigned i = 0; i < QCN_CP_FB; i++)
		jw_u64(w, NULL, c->by_fb[i]);
	jw_end(w);
}

static void put_bases(struct jw *w, const struct summary *s, const void *object, const char *key)
{
	const struct cp *c = object;

	(void)s;
	jw_array(w, key, true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		jw_num(w, NULL, c->base[i], 0);
	jw_end(w);
}

static void put_spacings(struct jw *w, const struct summary *s, const void *object, const char *key)
{
	const struct cp *c = object;

	(void)s;
	jw_array(w, key, true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		jw_u64(w, NULL, c->spacing[i].n);
	jw_end(w);
}

static void put_means(struct jw *w, const struct summary *s, const void *object, const char *key)
{
	const struct cp *c = object;

	(void)s;
	jw_array(w, key, true);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++) {
		double n = (double)c->spacing[i].n;

		jw_num(w, NULL, n > 0 ? (double)c->spacing[i].bytes / n : NAN, 1);
	}
	jw_end(w);
}

#define NUMBERS "{\"type\": \"array\", \"items\": {\"type\": [\"number\", \"null\"]}}"

static const struct figure_list samples = {put_samples, NUMBERS}, bases = {put_bases, NUMBERS},
				spacings = {put_spacings, NUMBERS}, means = {put_means, NUMBERS};

#define N(field, name, unit, ...) ROW_COUNT(struct cp, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct cp, field, name, unit, decimals, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct cp, port, "port", "its port"),
	ROW_ID(struct cp, cls, "class", "its class"),
	N(set_point, "set_point_bytes", "bytes", "the length aimed at"),
	V(mean_ratio, "mean_over_set_point", "", 6,
		"mean of the queue's length, over the set point"),
	V(std_ratio, "std_over_set_point", "", 6,
		"standard deviation of the queue's length, over the set point"),
	N(cnms, "cnm_tx", "frames", "CNMs sent about its frames"),
	V(cnms_per_s, "cnm_tx_per_s", "1/s", 1, "CNMs sent about its frames, each second"),
	N(discarded, "discarded_frames", "frames", "frames that came for it and were refused"),
	N(samples, "samples_total", "frames", "frames sampled, whole run"),
	V(fb_mean, "fb_mean_total", "1 to 63", 3, "QntzFb, mean over the CNMs of the whole run"),
	V(spacing_ratio, "spacing_ratio_total", "", 6,
		"bytes between two samples over those to expect by the table of sample bases, "
		"whole run"),
	V(spacing_sigmas, "spacing_sigmas_total", "", 3,
		"at the level of feedback whose mean spacing is furthest from its base: how far, "
		"in standard errors of the randomisation; `null` without it, or with less than 10 "
		"pairs of samples"),
	ROW_LIST(&samples, "samples_by_feedback_total",
		"samples of the whole run by their QntzFb, 0 first (no CNM)"),
	ROW_LIST(&bases, "sample_base_bytes",
		"by QntzFb / 8 of the first of two samples: bytes between them by the table"),
	ROW_LIST(&spacings, "spacings_total", "pairs of samples, by the same"),
	ROW_LIST(&means, "spacing_mean_bytes_total",
		"bytes between them, with the sampled frame's bytes beyond the draw"),
};

static bool is_cp(const struct scene_node *n, unsigned port_number, unsigned cls)
{
	(void)port_number;
	return n->kind == SCENE_SW && n->u.sw.set->cls[cls].qcn.on;
}

static void possible_cps(struct kind_look *l)
{
	look_classes(l, is_cp);
}

const struct kind kind_cp = {
	.key = "congestion_points",
	.path = "cp",
	.title = "Congestion points",
	.about = "Each queue with a congestion point of QCN that has carried a frame.",
	.example = "s1:r.3",
	.if_any = true,
	.size = sizeof(struct cp),
	KIND_FIGURES(figures),
	.make = make_cps,
	.name_at = offsetof(struct cp, port),
	.number_at = offsetof(struct cp, cls),
	.could = possible_cps,
};
