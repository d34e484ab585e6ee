// SPDX-License-Identifier: BSD-3-Clause
// The table of figures of a device, with the figure at our ports that replaces each. A figure of a
// host, a flow or a source is judged as it is.
#include "seen.h"

#include <math.h>
#include <string.h>

// "pfc_tx.s1:h1.3.xoff_frames" taken apart. `port`: "s1:h1"; `peer`: "h1:s1"; cls -1: none.
struct place {
	char word[32], port[KIND_NAME], peer[KIND_NAME];
	const char *figure;
	int cls;
};

typedef void seen_range(const struct summary *s, const struct place *p, double *low, double *high);

struct rule {
	const char *word, *figure; // figure NULL: all others of the word
	const char *path;          // at our port, $P, of class $C; NULL: our ports do not tell
	seen_range *range;         // instead of path, for a figure of the whole run
	const char *counter;       // of the device, of class $C; NULL: SONiC has none
	const char *less;          // a figure at our port that the counter has, too
	bool whole;                // the figure at our port is of the whole run, without its window
	bool of_queue;             // the counter is of a queue or group, not of the port
	bool level;                // the counter is a watermark
	const char *why;           // why our ports do not tell
};

#define DISCARDS "SAI_PORT_STAT_IF_IN_DISCARDS and _OUT_DISCARDS of all ports"
#define WHOLE    "our ports count the whole run, not its window; without a warm-up they tell it"
#define BUFFER   "only the device knows its buffer"
#define INSIDE   "only the device knows what happens in it"
#define COUNTS   "only the device counts what it received"

// The frames that sources lost by gaps in their numbers, and those sent behind the last that came.
static void source_range(const struct summary *s, double *low, double *high)
{
	*low = summary_sum(s, KIND_SOURCE, "lost");
	*high = *low + summary_sum(s, KIND_SOURCE, "in_flight");
}

static double host_drops(const struct summary *s)
{
	double sum = 0;
	struct figure f;

	for (unsigned i = 0; kind_member(summary_kind[KIND_NIC_DROP], i, &f); i++)
		if (figure_is_number(&f) && strcmp(f.name, "not_for_us") != 0)
			sum += fmax(summary_at(s, KIND_NIC_DROP, 0, f.name), 0);
	return sum;
}

// A frame that a host drops is missing in the numbers, too. A queue pair sends again what was lost,
// and perhaps more. The losses of an unfinished queue pair are not known.
static void drops_range(const struct summary *s, const struct place *p, double *low, double *high)
{
	double hosts = host_drops(s), naks = summary_value(s, "nak_rx");

	(void)p;
	source_range(s, low, high);
	*high += hosts + summary_value(s, "data_frames_retransmitted");
	*low = fmax(fmax(*low, hosts), naks > 0 ? 1 : 0);
	if (summary_value(s, "unfinished_qps") > 0 || kind_objects(s, KIND_REPLAY)->n)
		*high = INFINITY;
	*high = fmax(*high, *low);
}

static void lossless_range(
	const struct summary *s, const struct place *p, double *low, double *high)
{
	drops_range(s, p, low, high);
	*low = 0;
}

// Whether object i of a kind is a port of ours that is linked to the device.
static bool is_before_dut(const struct summary *s, enum kind_id kind, unsigned i)
{
	char buf[KIND_NAME];
	const char *colon = strchr(summary_label(s, kind, i, "port", buf), ':');

	return colon && !strcmp(colon + 1, s->rec->scene->dut);
}

static bool is_port_of_dut(const struct summary *s, enum kind_id kind, unsigned i)
{
	char buf[KIND_NAME];
	const char *dut = s->rec->scene->dut, *port = summary_label(s, kind, i, "port", buf);
	size_t n = strlen(dut);

	return !strncmp(port, dut, n) && port[n] == ':';
}

static double sum_before_dut(const struct summary *s, enum kind_id kind, const char *figure)
{
	double sum = 0;

	for (unsigned i = 0; i < kind_objects(s, kind)->n; i++)
		if (is_before_dut(s, kind, i))
			sum += summary_at(s, kind, i, figure);
	return sum;
}

static void marks_range(const struct summary *s, const struct place *p, double *low, double *high)
{
	(void)p;
	*low = *high = sum_before_dut(s, KIND_OUTSIDE, "ce_rx_frames");
}

// PFC that our nodes sent, and that the device sent to them.
static double pfc_sent(const struct summary *s, const char *figure)
{
	double sum = sum_before_dut(s, KIND_PFC, figure);

	for (unsigned i = 0; i < kind_objects(s, KIND_PFC_TX)->n; i++)
		if (!is_port_of_dut(s, KIND_PFC_TX, i))
			sum += summary_at(s, KIND_PFC_TX, i, figure);
	return sum;
}

static void xoff_range(const struct summary *s, const struct place *p, double *low, double *high)
{
	(void)p;
	*low = *high = pfc_sent(s, "xoff_frames");
}

static void xon_range(const struct summary *s, const struct place *p, double *low, double *high)
{
	(void)p;
	*low = *high = pfc_sent(s, "xon_frames");
}

// PFC and PAUSE that the device sent by a port. A frame may name several classes, so the sum of the
// classes is the most, and the class with most frames the least.
static void control_range(const struct summary *s, const struct place *p, double *low, double *high)
{
	*low = *high = 0;
	for (unsigned i = 0; i < kind_objects(s, KIND_OUTSIDE_PAUSE)->n; i++) {
		char buf[KIND_NAME];
		double frames = summary_at(s, KIND_OUTSIDE_PAUSE, i, "xoff_frames") +
				summary_at(s, KIND_OUTSIDE_PAUSE, i, "xon_frames");

		if (strcmp(summary_label(s, KIND_OUTSIDE_PAUSE, i, "port", buf), p->peer) != 0)
			continue;
		*low = fmax(*low, frames);
		*high += frames;
	}
}

static const struct rule rules[] = {
	{"pfc_tx", "xoff_frames", .path = "pfc.$P.$C.xoff_frames"},
	{"pfc_tx", "xon_frames", .path = "pfc.$P.$C.xon_frames"},
	{"pfc_tx", "refresh_frames", .path = "pfc.$P.$C.refresh_frames"},
	{"pfc_tx", "transitions_on", .path = "pfc.$P.$C.transitions_on"},
	{"pfc_tx", "pause_requested_us", .path = "pfc.$P.$C.pause_requested_us"},
	{"pfc", "xoff_frames", .counter = "SAI_PORT_STAT_PFC_$C_RX_PKTS",
		.less = "pfc_tx.$P.$C.xon_frames", .why = COUNTS},
	{"pfc", "xon_frames", .counter = "SAI_PORT_STAT_PFC_$C_RX_PKTS",
		.less = "pfc_tx.$P.$C.xoff_frames", .why = COUNTS},
	{"pfc", "pause_requested_us", .counter = "SAI_PORT_STAT_PFC_$C_RX_PAUSE_DURATION_US",
		.why = COUNTS},
	{"port", "tx_frames", .path = "outside.$P.rx_frames", .whole = true},
	{"port", "originated_frames", .range = control_range, .whole = true},
	{"port", "pause_rx_frames", .counter = "SAI_PORT_STAT_PAUSE_RX_PKTS", .why = COUNTS},
	{"port", "tx_dropped_frames", .counter = "SAI_PORT_STAT_IF_OUT_DISCARDS", .why = INSIDE},
	{"queue", "ecn_marked_frames", .counter = "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS",
		.of_queue = true, .why = INSIDE},
	{"queue", "shared_max_bytes_total", .counter = "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES",
		.of_queue = true, .level = true, .why = BUFFER},
	{"pg", "dropped_frames_total", .counter = "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS",
		.of_queue = true, .why = BUFFER},
	{"wd", "storms", .counter = "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", .of_queue = true,
		.why = INSIDE},
	{"queue", .why = BUFFER},
	{"pg", .why = BUFFER},
	{"pool", .why = BUFFER},
	{"buffer", .why = BUFFER},
	{"pfc", .why = COUNTS},
	{"", "drops", .range = drops_range, .counter = DISCARDS},
	{"", "drops_total", .range = drops_range, .whole = true, .counter = DISCARDS},
	{"", "lossless_drops", .range = lossless_range},
	{"", "lossless_drops_total", .range = lossless_range, .whole = true},
	{"", "marks", .range = marks_range, .whole = true},
	{"", "xoff_tx", .range = xoff_range},
	{"", "xon_tx", .range = xon_range},
	{"", "lossless_exempt", .why = INSIDE},
	{"", "lossless_exempt_total", .why = INSIDE},
	{"", "filtered", .why = INSIDE},
	{"", "not_ect_marks", .why = INSIDE},
	{"", "ect_frames", .why = INSIDE},
	{"", "ecn_marking_ratio", .why = INSIDE},
	{"", "pauses", .why = INSIDE},
	{"", "pause_ps", .why = INSIDE},
	{"", "pause_tx", .why = INSIDE},
	{"", "cnm_tx", .why = INSIDE},
	{"", "iqcn_cnp_tx", .why = INSIDE},
	{"", "fast_cnp_tx", .why = INSIDE},
	{"", "deadlocks", .why = INSIDE},
	{"", "utilization", .why = INSIDE},
	{"drop", .why = INSIDE},
	{"bottleneck", .why = INSIDE},
};

static const struct rule unknown = {.why = INSIDE};

// The part of a port's name before or behind the colon.
static void split(struct place *p, const char *figure)
{
	const char *dot = strchr(figure, '.'), *last = strrchr(figure, '.'), *end, *colon;

	*p = (struct place){.figure = last ? last + 1 : figure, .cls = -1};
	if (!dot)
		return;
	snprintf(p->word, sizeof(p->word), "%.*s", (int)(dot - figure), figure);
	if (dot == last)
		return;
	colon = memchr(dot, ':', (size_t)(last - dot));
	end = colon ? memchr(colon, '.', (size_t)(last - colon)) : NULL;
	if (end && end[1] >= '0' && end[1] < '0' + PKT_CLASSES)
		p->cls = end[1] - '0';
	end = end ? end : last;
	snprintf(p->port, sizeof(p->port), "%.*s", (int)(end - dot - 1), dot + 1);
	if (colon)
		snprintf(p->peer, sizeof(p->peer), "%.*s:%.*s", (int)(end - colon - 1), colon + 1,
			(int)(colon - dot - 1), dot + 1);
}

static bool is_of(const char *dut, const char *port)
{
	size_t n = strlen(dut);

	return !strncmp(port, dut, n) && (!port[n] || port[n] == ':');
}

// NULL: the figure is not the device's.
static const struct rule *rule_of(const struct place *p, const char *dut)
{
	bool of_dut = is_of(dut, p->port);

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]) && (of_dut || !*p->port); i++)
		if (!strcmp(rules[i].word, p->word) &&
			(!rules[i].figure || !strcmp(rules[i].figure, p->figure)))
			return &rules[i];
	return of_dut ? &unknown : NULL;
}

// Writes a pattern with the peer's port for $P and the class for $C.
static const char *filled(char *buf, size_t size, const char *pattern, const struct place *p)
{
	*buf = '\0';
	for (const char *c = pattern; *c; c++)
		if (*c == '$' && c[1] == 'P' && c++)
			append_text(buf, size, "%s", p->peer);
		else if (*c == '$' && c[1] == 'C' && c++)
			append_text(buf, size, "%d", p->cls);
		else
			append_text(buf, size, "%c", *c);
	return buf;
}

// A row that is missing at our port never saw a frame.
static double at_port(const struct summary *s, const char *path)
{
	double value = summary_value(s, path);

	return isnan(value) ? 0 : value;
}

// Returns how many frames all ports of the device discarded and our hosts dropped.
static double discards(const struct summary *s, struct counters *c)
{
	const struct scene *scene = s->rec->scene;
	const struct scene_node *n = &scene->node[scene_node(scene, scene->dut)];
	double sum = host_drops(s);

	for (unsigned i = 0; i < n->n_ports; i++)
		sum += counters_value(
			       c, n->port[i].name, -1, "SAI_PORT_STAT_IF_IN_DISCARDS", false) +
		       counters_value(
			       c, n->port[i].name, -1, "SAI_PORT_STAT_IF_OUT_DISCARDS", false);
	return sum;
}

static bool by_counter(const struct summary *s, struct counters *c, const struct rule *r,
	const struct place *p, struct seen *to)
{
	char path[SUMMARY_PATH];
	double value;

	if (!r->counter || r->range)
		return false;
	filled(to->text, sizeof(to->text), r->counter, p);
	value = counters_value(c, p->port, r->of_queue ? p->cls : -1, to->text, r->level);
	if (!isnan(value) && r->less)
		value = fmax(value - at_port(s, filled(path, sizeof(path), r->less, p)), 0);
	to->low = to->high = value;
	if (isnan(value))
		*to->text = '\0';
	return !isnan(value);
}

static bool by_port(const struct summary *s, struct counters *c, const struct rule *r,
	const struct place *p, struct seen *to)
{
	if (!r->path && !r->range)
		return false;
	if (r->whole && s->rec->scene->warmup) {
		to->why = WHOLE;
		return false;
	}
	if (r->range) {
		snprintf(to->text, sizeof(to->text), "%s of our ports", p->figure);
		r->range(s, p, &to->low, &to->high);
		if (r->counter && to->low < to->high && !isnan(discards(s, c))) {
			snprintf(to->text, sizeof(to->text), "%s", r->counter);
			to->low = to->high = discards(s, c);
		}
	} else {
		to->low = to->high = at_port(s, filled(to->text, sizeof(to->text), r->path, p));
	}
	return true;
}

bool seen_figure(const struct summary *s, struct counters *c, const char *figure, struct seen *to)
{
	struct place p;
	const struct rule *r;

	split(&p, figure);
	r = rule_of(&p, s->rec->scene->dut);
	if (!r)
		return false;
	*to = (struct seen){.low = NAN, .high = NAN, .why = r->why};
	if (by_port(s, c, r, &p, to) || by_counter(s, c, r, &p, to))
		to->why = NULL;
	return true;
}

const char *verdict_unseen(const struct scene *s, unsigned expect)
{
	struct place p;
	const struct rule *r;

	if (!s->dut)
		return NULL;
	split(&p, s->expect[expect].figure);
	r = rule_of(&p, s->dut);
	if (!r || ((r->path || r->range) && !(r->whole && s->warmup)) ||
		(r->counter && s->counters[0]))
		return NULL;
	return r->path || r->range ? WHOLE : r->why;
}
