// SPDX-License-Identifier: BSD-3-Clause
// Words of a fault: kinds of frames, PSNs, transmissions, and the chance that a frame is hit.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fault_int.h"

#define SHARE_ONE 1e12        // of fault_chance: always
#define PSN_MOST  (1ll << 48) // a queue pair sends no more in a run

static const struct {
	const char *word;
	uint8_t kinds;
} kinds[] = {
	{"data", FAULT_DATA | FAULT_READ_RESPONSE},
	{"nak", FAULT_NAK}, // before ack, which is as near to nack
	{"ack", FAULT_ACK},
	{"cnp", FAULT_CNP},
	{"read_request", FAULT_READ_REQUEST},
	{"read_response", FAULT_READ_RESPONSE},
	{"all", FAULT_ALL},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int add_kind(struct fault_make *m, const struct yamldoc_node *n)
{
	const char *word = n->type == YAMLDOC_SCALAR ? n->text : "";
	struct near near = near_to(word);
	char hint[NEAR_NAME + 32];

	for (unsigned i = 0; i < KINDS; i++) {
		if (!strcmp(kinds[i].word, word)) {
			m->f->record.kinds |= kinds[i].kinds;
			return 0;
		}
		near_see(&near, kinds[i].word);
	}
	return yamldoc_err(m->b->err, n, "dir: '%.60s' is no kind of frames%s", word,
		near_hint(&near,
			"; write data, ack, nak, cnp, read_request, read_response, a list of "
			"them, or all",
			hint, sizeof(hint)));
}

static int read_kinds(struct fault_make *m)
{
	const struct spec_fault *s = &m->spec;
	const struct yamldoc_node *n = s->dir;
	bool named = s->qp || s->flow || s->group || s->dst || s->psn;
	int rc = 0;

	if (m->forges) // to the sender, as a CNP
		m->f->record.kinds = FAULT_CNP;
	else if (!n)
		m->f->record.kinds = named ? FAULT_DATA | FAULT_READ_RESPONSE : FAULT_ALL;
	else if (n->type == YAMLDOC_SCALAR)
		rc = add_kind(m, n);
	else if (!n->n)
		rc = yamldoc_err(m->b->err, n, "dir: the list is empty; write at least one kind");
	for (unsigned i = 0; n && n->type == YAMLDOC_LIST && !m->forges && !rc && i < n->n; i++)
		rc = add_kind(m, n->item[i].value);
	return rc;
}

// Reads "2", "2..3" or "2.." (*to: UINT64_MAX).
static bool read_range(const char *text, uint64_t *from, uint64_t *to)
{
	size_t n = strlen(text);
	char low[32];

	if (n < 3 || n >= sizeof(low) || strcmp(text + n - 2, ".."))
		return !units_parse_range(UNITS_COUNT, text, from, to);
	snprintf(low, sizeof(low), "%.*s", (int)n - 2, text);
	*to = UINT64_MAX;
	return !units_parse(UNITS_COUNT, low, from);
}

char *fault_range(uint64_t from, uint64_t to, char *buf, size_t size)
{
	if (to == UINT64_MAX)
		snprintf(buf, size, "%" PRIu64 "..", from);
	else if (from == to)
		snprintf(buf, size, "%" PRIu64, from);
	else
		snprintf(buf, size, "%" PRIu64 "..%" PRIu64, from, to);
	return buf;
}

// A range that runs backwards is told as such; all else that is wrong by `wants`.
static int wrong_range(struct fault_make *m, const char *key, const char *text, uint64_t from,
	uint64_t to, const char *wants)
{
	const struct yamldoc_node *at = fault_place(m, key);

	if (from > to && to)
		return yamldoc_err(m->b->err, at,
			"%s: %.60s runs backwards; write the smaller end first", key, text);
	return yamldoc_err(m->b->err, at, "%s: '%.60s' is not right; write %s", key, text, wants);
}

static int read_every(struct fault_make *m, const char *number)
{
	struct fault_record *r = &m->f->record;

	if (units_parse(UNITS_COUNT, number, &r->from) || !r->from || r->from > PSN_MOST)
		return yamldoc_err(m->b->err, fault_place(m, "psn"),
			"psn: 'every %.40s' is not right; write a number from 1 on behind every",
			number);
	r->psn = FAULT_PSN_EVERY;
	return 0;
}

static int read_psn(struct fault_make *m)
{
	static const char wants[] = "100, 100..104, 100.., every 100, last or any";
	struct fault_record *r = &m->f->record;
	const char *text = m->spec.psn;
	uint64_t from = 0, to = 0;

	r->psn = FAULT_PSN_ANY;
	if (!text || !strcmp(text, "any"))
		return 0;
	if (!strcmp(text, "last")) {
		r->psn = FAULT_PSN_LAST;
		return 0;
	}
	if (!strncmp(text, "every ", strlen("every ")))
		return read_every(m, text + strlen("every "));
	if (!read_range(text, &from, &to) || from > to || from > PSN_MOST)
		return wrong_range(m, "psn", text, from, to, wants);
	r->psn = FAULT_PSN_RANGE;
	r->from = from;
	r->to = to;
	return 0;
}

// A counter from 1 on: transmissions, or passes. 0 and 0: each.
static int read_count(
	struct fault_make *m, const char *key, const char *text, uint32_t *from, uint32_t *to)
{
	uint64_t low = 0, high = 0;

	*from = *to = 0;
	if (!text || !strcmp(text, "any"))
		return 0;
	if (!read_range(text, &low, &high) || !low || low > high || low > UINT32_MAX)
		return wrong_range(m, key, text, low, high,
			"1 (the first), 2.. (all but the first), 2..3, or any");
	*from = (uint32_t)low;
	*to = high > UINT32_MAX ? UINT32_MAX : (uint32_t)high;
	return 0;
}

static int read_counts(struct fault_make *m)
{
	struct fault_record *r = &m->f->record;
	int rc = read_count(m, "nth", m->spec.nth, &r->nth_from, &r->nth_to);

	if (!m->spec.nth && !m->spec.pass && r->psn != FAULT_PSN_ANY)
		r->nth_from = r->nth_to = 1;
	return rc ? rc : read_count(m, "pass", m->spec.pass, &r->pass_from, &r->pass_to);
}

static uint64_t share_of(double share)
{
	return (uint64_t)llround(share * SHARE_ONE);
}

static int read_gilbert(struct fault_make *m)
{
	const struct opt_table *t = opt_row(&scene_opts_fault, "gilbert")->sub;
	const struct spec_gilbert *g = &m->spec.gilbert;
	struct fault_chance *c = &m->f->record.chance;
	int rc = opt_require(t, g, fault_place(m, "gilbert"), m->b->err);

	if (rc)
		return rc;
	*c = (struct fault_chance){.share = share_of(g->good),
		.to_bad = share_of(g->to_bad),
		.to_good = share_of(g->to_good),
		.bad_share = share_of(g->bad)};
	if (!c->share && (!c->to_bad || !c->bad_share))
		return yamldoc_err(m->b->err, fault_place(m, "gilbert"),
			"gilbert: no frame is ever hit; let to_bad and bad be above 0%%");
	return 0;
}

static int read_bits(struct fault_make *m)
{
	const char *text = m->spec.bit_error_rate;
	char *end;
	double rate = strtod(text, &end);

	if (end == text || *end || !(rate > 0 && rate <= 0.5))
		return yamldoc_err(m->b->err, fault_place(m, "bit_error_rate"),
			"bit_error_rate: '%.60s' is not right; write a number above 0 and up to "
			"0.5, as in 1e-12",
			text);
	m->f->record.chance.bit_error_rate = rate;
	return 0;
}

static int read_chance(struct fault_make *m)
{
	bool share = opt_source(&scene_opts_fault, &m->spec, "share");
	bool gilbert = opt_source(&scene_opts_fault, &m->spec, "gilbert");
	struct fault_record *r = &m->f->record;

	r->by_chance = share || gilbert || m->spec.bit_error_rate;
	m->f->optional = opt_source(&scene_opts_fault, &m->spec, "optional") ? m->spec.optional
									     : r->by_chance;
	if (gilbert && m->spec.bit_error_rate)
		return yamldoc_err(m->b->err, fault_place(m, "gilbert"),
			"'gilbert' and 'bit_error_rate' exclude each other; keep one");
	if (gilbert)
		return read_gilbert(m);
	if (m->spec.bit_error_rate)
		return read_bits(m);
	r->chance.share = share_of(m->spec.share);
	if (share && !r->chance.share)
		return yamldoc_err(m->b->err, fault_place(m, "share"),
			"share: no frame is ever hit; write a share above 0, as in 0.1%%");
	return 0;
}

int fault_words(struct fault_make *m)
{
	int rc = read_kinds(m);

	m->f->record.classes = m->spec.cls;
	if (!rc)
		rc = read_psn(m);
	if (!rc)
		rc = read_counts(m);
	return rc ? rc : read_chance(m);
}
