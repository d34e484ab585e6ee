// SPDX-License-Identifier: BSD-3-Clause
// Rows of ports, queues and queue pairs, made from looks at an instance.
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tstamp.h"
#include "nic_terms/nic_terms.h"
#include "sw_terms/sw_terms.h"

const char top_model_patterns[] =
	"total.marks,total.cnp_rx,total.pauses,total.data_frames_retransmitted,total.drops_total,"
	"total.lossless_drops_total,instrument.loop_gap_p99_us,instrument.loop_gap_max_us,"
	"drop.*,nic_drop.*,link.*.rate_bps,"
	"port.*.tx_bytes,port.*.tx_frames,port.*.rx_bytes,port.*.rx_frames,port.*.drop_*,"
	"nic.*.tx_bytes,nic.*.tx_frames,nic.*.rx_bytes,nic.*.rx_frames,nic.*.drop_*,"
	"pfc.*.pause_effective_us,pfc.*.pauses,pfc_tx.*.pause_effective_us,pfc_tx.*.pauses,"
	"queue.*.length_bytes,queue.*.kmin_bytes,queue.*.kmax_bytes,queue.*.ecn_marked_frames,"
	"pg.*.held_bytes,pg.*.xon_bytes,pg.*.xoff_bytes,pg.*.dropped_frames,"
	"queue.*.wred_dropped_frames,"
	"flow.*.rx_bytes,flow.*.tx_bytes,flow.*.rc_gbps,flow.*.alpha,flow.*.cnp_rx,"
	"flow.*.data_frames_retransmitted,source.*.rx_bytes,source.*.tx_bytes";

// What becomes of a figure.
enum how {
	NOW,   // it is shown as it is
	PER_S, // its growth per second of scene time
};

// A figure, by its kind's word and its name, and the value that it adds to. A name that ends with
// '*' stands for all names that begin so.
struct top_rule {
	const char *word, *figure;
	uint8_t section, value, how;
	bool makes; // it makes the row if there is none yet
	bool whole; // the row is a port, and the figure is of one of its classes
	bool most;  // the value is the most of its figures, else their sum
	double scale;
	const char *end; // of the row's name, behind the object's
};

#define WIRE_BITS (8 * 20e-9) // preamble and gap of a frame, in Gbit

static const struct top_rule rules[] = {
	{"total", "marks", TOP_ALL, ALL_MARKS, PER_S, .scale = 1},
	{"total", "cnp_rx", TOP_ALL, ALL_CNPS, PER_S, .scale = 1},
	{"total", "pauses", TOP_ALL, ALL_PAUSES, PER_S, .scale = 1},
	{"total", "data_frames_retransmitted", TOP_ALL, ALL_RESENT, PER_S, .scale = 1},
	{"total", "drops_total", TOP_ALL, ALL_DROPS, NOW, .scale = 1},
	{"total", "lossless_drops_total", TOP_ALL, ALL_LOSSES, NOW, .scale = 1},
	{"instrument", "loop_gap_p99_us", TOP_ALL, ALL_GAP_P99, NOW, .scale = 1},
	{"instrument", "loop_gap_max_us", TOP_ALL, ALL_GAP_MAX, NOW, .scale = 1},
	{"link", "rate_bps", TOP_PORTS, PORT_RATE, NOW, .makes = true, .scale = 1e-9},
	{"port", "tx_bytes", TOP_PORTS, PORT_OUT, PER_S, .makes = true, .scale = 8e-9},
	{"port", "tx_frames", TOP_PORTS, PORT_OUT, PER_S, .scale = WIRE_BITS},
	{"port", "rx_bytes", TOP_PORTS, PORT_IN, PER_S, .scale = 8e-9},
	{"port", "rx_frames", TOP_PORTS, PORT_IN, PER_S, .scale = WIRE_BITS},
	{"port", "drop_*", TOP_PORTS, PORT_DROPS, NOW, .scale = 1},
	{"nic", "tx_bytes", TOP_PORTS, PORT_OUT, PER_S, .scale = 8e-9},
	{"nic", "tx_frames", TOP_PORTS, PORT_OUT, PER_S, .scale = WIRE_BITS},
	{"nic", "rx_bytes", TOP_PORTS, PORT_IN, PER_S, .scale = 8e-9},
	{"nic", "rx_frames", TOP_PORTS, PORT_IN, PER_S, .scale = WIRE_BITS},
	{"nic", "drop_*", TOP_PORTS, PORT_DROPS, NOW, .scale = 1},
	{"pfc", "pause_effective_us", TOP_PORTS, PORT_PAUSED, PER_S, .whole = true, .most = true,
		.scale = 1e-4},
	{"pfc", "pauses", TOP_QUEUES, QUEUE_PAUSES, PER_S, .scale = 1, .end = " out"},
	{"pfc_tx", "pause_effective_us", TOP_PORTS, PORT_PAUSING, PER_S, .whole = true,
		.most = true, .scale = 1e-4},
	{"pfc_tx", "pauses", TOP_QUEUES, QUEUE_PAUSES, PER_S, .scale = 1, .end = " in"},
	{"queue", "length_bytes", TOP_QUEUES, QUEUE_LENGTH, NOW, .makes = true, .scale = 1,
		.end = " out"},
	{"queue", "kmin_bytes", TOP_QUEUES, QUEUE_LOW, NOW, .scale = 1, .end = " out"},
	{"queue", "kmax_bytes", TOP_QUEUES, QUEUE_HIGH, NOW, .scale = 1, .end = " out"},
	{"queue", "ecn_marked_frames", TOP_QUEUES, QUEUE_MARKS, PER_S, .scale = 1, .end = " out"},
	{"queue", "wred_dropped_frames", TOP_QUEUES, QUEUE_DROPS, NOW, .scale = 1, .end = " out"},
	{"pg", "held_bytes", TOP_QUEUES, QUEUE_LENGTH, NOW, .makes = true, .scale = 1,
		.end = " in"},
	{"pg", "xon_bytes", TOP_QUEUES, QUEUE_LOW, NOW, .scale = 1, .end = " in"},
	{"pg", "xoff_bytes", TOP_QUEUES, QUEUE_HIGH, NOW, .scale = 1, .end = " in"},
	{"pg", "dropped_frames", TOP_QUEUES, QUEUE_DROPS, NOW, .scale = 1, .end = " in"},
	{"flow", "rx_bytes", TOP_FLOWS, FLOW_RATE, PER_S, .makes = true, .scale = 8e-9},
	{"flow", "tx_bytes", TOP_FLOWS, FLOW_SENT, PER_S, .makes = true, .scale = 8e-9},
	{"flow", "rc_gbps", TOP_FLOWS, FLOW_RC, NOW, .scale = 1},
	{"flow", "alpha", TOP_FLOWS, FLOW_ALPHA, NOW, .scale = 1},
	{"flow", "cnp_rx", TOP_FLOWS, FLOW_CNPS, PER_S, .scale = 1},
	{"flow", "data_frames_retransmitted", TOP_FLOWS, FLOW_RESENT, PER_S, .scale = 1},
	{"source", "rx_bytes", TOP_FLOWS, FLOW_RATE, PER_S, .makes = true, .scale = 8e-9},
	{"source", "tx_bytes", TOP_FLOWS, FLOW_SENT, PER_S, .makes = true, .scale = 8e-9},
};

#define RULES  (sizeof(rules) / sizeof(rules[0]))
#define NO_ROW UINT32_MAX
#define NAME   256

// The parts of "queue.s1:r.3.length_bytes".
struct parts {
	const char *word, *object, *figure;
	int word_n, object_n;
};

static struct parts parts_of(const char *path)
{
	size_t n = strcspn(path, ".");
	const char *last = strrchr(path, '.');
	struct parts p = {.word = path, .word_n = (int)n, .figure = last ? last + 1 : ""};

	if (last > path + n) {
		p.object = path + n + 1;
		p.object_n = (int)(last - p.object);
	}
	return p;
}

static bool fits(const char *pattern, const char *text)
{
	size_t n = strlen(pattern);

	if (n && pattern[n - 1] == '*')
		return !strncmp(pattern, text, n - 1);
	return !strcmp(pattern, text);
}

// Whether a drop is none: bridges and hosts discard such frames ordinarily.
static bool is_filtered(const char *reason)
{
	for (unsigned d = 0; d < SW_DROPS; d++)
		if (!strcmp(reason, sw_drop_name((enum sw_drop)d)))
			return sw_drop_fate((enum sw_drop)d) == DROP_FILTERED;
	for (unsigned d = 0; d < NIC_DROPS; d++)
		if (!strcmp(reason, nic_drop_name((enum nic_drop)d)))
			return nic_drop_fate((enum nic_drop)d) == DROP_FILTERED;
	return false;
}

static bool is_of(const struct top_rule *r, const struct parts *p)
{
	return strlen(r->word) == (size_t)p->word_n &&
	       !strncmp(r->word, p->word, (size_t)p->word_n) && fits(r->figure, p->figure) &&
	       !(r->value == PORT_DROPS && r->section == TOP_PORTS &&
		       is_filtered(p->figure + strlen("drop_")));
}

static uint32_t hash_of(const char *name, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h;
}

// The place of a name of `n` characters in the hash table: its row's, or a free one.
static uint32_t *place_of(const struct top_rows *rows, const char *name, size_t n)
{
	uint32_t i = hash_of(name, n) & (rows->places - 1);

	while (rows->place[i]) {
		const char *there = rows->row[rows->place[i] - 1].name;

		if (!strncmp(there, name, n) && !there[n])
			break;
		i = (i + 1) & (rows->places - 1);
	}
	return &rows->place[i];
}

// Twice the room. False: no memory.
static bool grow(struct top_rows *rows)
{
	unsigned cap = rows->cap ? 2 * rows->cap : 64;
	struct top_row *row = realloc(rows->row, cap * sizeof(*row));
	uint32_t *place = calloc(2ul * cap, sizeof(*place));

	if (row)
		rows->row = row;
	if (!row || !place) {
		free(place);
		return false;
	}
	free(rows->place);
	rows->place = place;
	rows->places = 2 * cap;
	rows->cap = cap;
	for (unsigned i = 0; i < rows->n; i++)
		*place_of(rows, rows->row[i].name, strlen(rows->row[i].name)) = i + 1;
	return true;
}

static void forget(struct top_row *row)
{
	for (unsigned v = 0; v < TOP_VALUES; v++)
		row->value[v] = NAN;
}

// Moves the means an eighth of the way to the values.
static void settle(struct top_row *row)
{
	for (unsigned v = 0; v < TOP_VALUES; v++)
		if (isnan(row->mean[v]) || isnan(row->value[v]))
			row->mean[v] = row->value[v];
		else
			row->mean[v] += (row->value[v] - row->mean[v]) / 8;
}

static uint32_t add_row(struct top_model *m, struct top_rows *rows, const char *name)
{
	size_t past = (size_t)TOP_PASTS * m->depth;
	struct top_row *row;

	if (rows->n == rows->cap && !grow(rows)) {
		m->no_memory = true;
		return NO_ROW;
	}
	row = &rows->row[rows->n];
	*row = (struct top_row){.name = strdup(name), .past = malloc(past * sizeof(*row->past))};
	if (!row->name || !row->past) {
		free(row->name);
		free(row->past);
		m->no_memory = true;
		return NO_ROW;
	}
	forget(row);
	memcpy(row->mean, row->value, sizeof(row->mean));
	for (size_t i = 0; i < past; i++)
		row->past[i] = NAN;
	*place_of(rows, name, strlen(name)) = rows->n + 1;
	return rows->n++;
}

// A host has one port. Its counters are those of the port, "h1:s1".
static uint32_t host_port(const struct top_rows *rows, const struct parts *p)
{
	for (uint32_t i = 0; i < rows->n; i++)
		if (!strncmp(rows->row[i].name, p->object, (size_t)p->object_n) &&
			rows->row[i].name[p->object_n] == ':')
			return i;
	return NO_ROW;
}

// The row of a figure; NO_ROW: it has none, or not yet.
static uint32_t row_of(struct top_model *m, const struct top_rule *r, const struct parts *p)
{
	struct top_rows *rows = &m->of[r->section];
	char name[NAME];
	int n = p->object_n;
	uint32_t at;

	if (!strcmp(r->word, "nic"))
		return host_port(rows, p);
	while (r->whole && n > 0 && p->object[n - 1] != '.')
		n--;
	n -= r->whole && n > 0;
	snprintf(name, sizeof(name), "%.*s%s", n, n ? p->object : "", r->end ? r->end : "");
	at = rows->places ? *place_of(rows, name, strlen(name)) : 0;
	if (at)
		return at - 1;
	return r->makes || r->section == TOP_ALL ? add_row(m, rows, name) : NO_ROW;
}

static struct top_slot slot_of(struct top_model *m, const char *path)
{
	struct parts p = parts_of(path);
	struct top_slot s = {.row = NO_ROW};

	for (unsigned i = 0; i < RULES && !s.rule; i++)
		if (is_of(&rules[i], &p))
			s.rule = &rules[i];
	if (s.rule)
		s.row = row_of(m, s.rule, &p);
	return s;
}

// The slots of a look's figures. Mostly the list is the one of the look before.
static struct top_slot *slots_of(struct top_model *m, const struct metrics *look)
{
	struct top_slot *slot = malloc((look->n + 1ul) * sizeof(*slot));

	if (!slot)
		return NULL;
	for (unsigned i = 0; i < look->n; i++) {
		bool known = i < m->before.n && m->slot[i].rule && m->slot[i].row != NO_ROW &&
			     !strcmp(m->before.list[i].path, look->list[i].path);

		slot[i] = known ? m->slot[i] : slot_of(m, look->list[i].path);
	}
	return slot;
}

// The same figure in the look before; NULL: it was not there. It is mostly at the same place or
// near it.
static const struct metric *earlier(const struct metrics *before, unsigned at, const char *path)
{
	for (unsigned i = 0; i < before->n || i <= at; i++) {
		if (at + i < before->n && !strcmp(before->list[at + i].path, path))
			return &before->list[at + i];
		if (i <= at && at - i < before->n && !strcmp(before->list[at - i].path, path))
			return &before->list[at - i];
	}
	return NULL;
}

// A figure's share of its value; NAN: not known.
static double told(const struct top_model *m, const struct top_rule *r, const struct metrics *look,
	unsigned at)
{
	const struct metric *now = &look->list[at], *then;

	if (r->how == NOW)
		return now->value * r->scale;
	if (!(m->elapsed_s > 0))
		return NAN;
	// A counter appears with its first event. It begins anew where the warm-up ends.
	then = earlier(&m->before, at, now->path);
	if (then && now->value < then->value)
		return NAN;
	return (now->value - (then ? then->value : 0)) / m->elapsed_s * r->scale;
}

static void add_values(struct top_model *m, const struct metrics *look, struct top_slot *slot)
{
	for (unsigned i = 0; i < look->n; i++) {
		const struct top_rule *r = slot[i].rule;
		double *v, told_now;

		if (!r || slot[i].row == NO_ROW)
			continue;
		v = &m->of[r->section].row[slot[i].row].value[r->value];
		told_now = told(m, r, look, i);
		if (isnan(*v))
			*v = told_now;
		else if (!isnan(told_now))
			*v = r->most ? fmax(*v, told_now) : *v + told_now;
	}
}

// Names the reasons for which frames were dropped.
static void name_losses(struct top_model *m, const struct metrics *look)
{
	size_t at = 0;

	*m->losses = '\0';
	for (unsigned i = 0; i < look->n && at < sizeof(m->losses); i++) {
		const char *path = look->list[i].path;
		struct parts p = parts_of(path);

		if ((strncmp(path, "drop.", 5) != 0 && strncmp(path, "nic_drop.", 9) != 0) ||
			!(look->list[i].value > 0) || is_filtered(p.figure))
			continue;
		at += (size_t)snprintf(m->losses + at, sizeof(m->losses) - at, "%s%s %.0f",
			at ? ", " : "", p.figure, look->list[i].value);
	}
}

// Values that follow from others: where nobody here receives, the rate is the rate sent.
static void conclude(struct top_model *m)
{
	struct top_rows *flows = &m->of[TOP_FLOWS], *ports = &m->of[TOP_PORTS];

	m->goodput_gbps = m->elapsed_s > 0 ? 0 : NAN;
	for (unsigned i = 0; i < flows->n; i++) {
		double *v = flows->row[i].value;

		if (!isnan(v[FLOW_RATE]))
			m->goodput_gbps += v[FLOW_RATE];
		else
			v[FLOW_RATE] = v[FLOW_SENT];
	}
	m->fastest_gbps = 0;
	for (unsigned i = 0; i < ports->n; i++)
		m->fastest_gbps = fmax(m->fastest_gbps, ports->row[i].value[PORT_RATE]);
}

// Writes one more place of the pasts: the rows' values, or a gap.
static void keep_past(struct top_model *m, uint64_t at_ps)
{
	unsigned place = m->looks++ % m->depth;

	m->past_at[place] = at_ps;
	for (unsigned s = 0; s < TOP_SECTIONS; s++)
		for (unsigned i = 0; i < m->of[s].n; i++)
			for (unsigned v = 0; v < TOP_PASTS; v++)
				m->of[s].row[i].past[v * m->depth + place] =
					at_ps ? (float)m->of[s].row[i].value[v] : NAN;
}

void top_model_take(struct top_model *m, struct metrics *look)
{
	struct top_slot *slot;

	if (m->before.list && look->at_ps == m->before.at_ps) {
		metrics_free(look);
		return;
	}
	m->elapsed_s = m->before.list && look->at_ps > m->before.at_ps
			       ? (double)(look->at_ps - m->before.at_ps) / (double)PS_PER_S
			       : 0;
	slot = slots_of(m, look);
	if (!slot) {
		m->no_memory = true;
		metrics_free(look);
		return;
	}
	for (unsigned s = 0; s <= TOP_SECTIONS; s++)
		for (unsigned i = 0; i < m->of[s].n; i++)
			forget(&m->of[s].row[i]);
	add_values(m, look, slot);
	name_losses(m, look);
	conclude(m);
	for (unsigned s = 0; s <= TOP_SECTIONS; s++)
		for (unsigned i = 0; i < m->of[s].n; i++)
			settle(&m->of[s].row[i]);
	keep_past(m, look->at_ps);
	metrics_free(&m->before);
	free(m->slot);
	m->before = *look;
	m->slot = slot;
	*look = (struct metrics){0};
}

void top_model_gap(struct top_model *m)
{
	keep_past(m, 0);
}

const struct top_row *top_model_row(const struct top_model *m, enum top_section s, const char *name)
{
	const struct top_rows *rows = &m->of[s];
	uint32_t at = rows->places ? *place_of(rows, name, strlen(name)) : 0;

	return at ? &rows->row[at - 1] : NULL;
}

double top_model_past(
	const struct top_model *m, const struct top_row *row, unsigned value, unsigned ago)
{
	if (ago >= m->depth || ago >= m->looks)
		return NAN;
	return (double)row->past[value * m->depth + (m->looks - 1 - ago) % m->depth];
}

uint64_t top_model_ago(const struct top_model *m, unsigned ago)
{
	uint64_t then;

	if (ago >= m->depth || ago >= m->looks)
		return 0;
	then = m->past_at[(m->looks - 1 - ago) % m->depth];
	return then && m->before.at_ps > then ? m->before.at_ps - then : 0;
}

int top_model_init(struct top_model *m, unsigned depth)
{
	*m = (struct top_model){.depth = depth};
	m->past_at = calloc(depth, sizeof(*m->past_at));
	return m->past_at ? 0 : -ENOMEM;
}

void top_model_free(struct top_model *m)
{
	for (unsigned s = 0; s <= TOP_SECTIONS; s++) {
		for (unsigned i = 0; i < m->of[s].n; i++) {
			free(m->of[s].row[i].name);
			free(m->of[s].row[i].past);
		}
		free(m->of[s].row);
		free(m->of[s].place);
	}
	metrics_free(&m->before);
	free(m->slot);
	free(m->past_at);
	*m = (struct top_model){0};
}
