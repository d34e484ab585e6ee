// SPDX-License-Identifier: BSD-3-Clause
// The action of a fault: a word, or a name with values.
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fault_int.h"

#define SHORTEST  84         // bytes of the wire that the shortest frame takes
#define HELD_MOST (1u << 20) // frames that one record lets wait at a time

// The action as the file has it: its name, and its values or NULL.
struct said {
	const char *name;
	const struct yamldoc_node *value;
};

static int read_said(struct fault_make *m, struct said *said)
{
	const struct yamldoc_node *n = m->spec.action;

	*said = (struct said){n->text, NULL};
	if (n->type == YAMLDOC_SCALAR)
		return 0;
	if (n->type != YAMLDOC_MAP || n->n != 1)
		return yamldoc_err(m->b->err, n,
			"do: write one action, as in drop or {delay: 10us}; a second one is a "
			"record of its own");
	*said = (struct said){n->item[0].key->text, n->item[0].value};
	if (yamldoc_is_null(said->value))
		said->value = NULL;
	return 0;
}

static int find_action(struct fault_make *m, const char *name, enum fault_action *a)
{
	struct near near = near_to(name);
	char hint[NEAR_NAME + 32];

	for (*a = 0; *a < FAULT_ACTIONS; ++*a) {
		if (!strcmp(fault_action_name(*a), name))
			return 0;
		near_see(&near, fault_action_name(*a));
	}
	return yamldoc_err(m->b->err, m->spec.action, "do: '%.60s' is no action%s", name,
		near_hint(&near,
			"; write drop, ecn, delay, reorder, duplicate, corrupt, rewrite, forge or "
			"watch",
			hint, sizeof(hint)));
}

// {name: value} as a map of the document.
static struct yamldoc_node *map_of(
	struct draft *b, const char *name, const struct yamldoc_node *value)
{
	struct yamldoc_node *map = draft_scrap(b, sizeof(*map));
	struct yamldoc_node *key = draft_scrap(b, sizeof(*key));
	struct yamldoc_item *item = draft_scrap(b, sizeof(*item));

	if (!map || !key || !item)
		return NULL;
	*key = (struct yamldoc_node){
		.where = value->where, .line = value->line, .column = value->column, .text = name};
	*item = (struct yamldoc_item){key, (struct yamldoc_node *)value};
	*map = *key;
	map->type = YAMLDOC_MAP;
	map->n = map->room = 1;
	map->item = item;
	return map;
}

// The key that a single value of an action is for; NULL: none.
static const char *short_for(enum fault_action a)
{
	return a == FAULT_REORDER   ? "behind"
	       : a == FAULT_CORRUPT ? "bit"
	       : a == FAULT_FORGE   ? "frame"
				    : NULL;
}

// Reads the values of an action by its table; `key`: the one that a single value is for.
static int read_values(
	struct fault_make *m, struct spec_action *to, const struct said *said, const char *key)
{
	const struct yamldoc_node *value = said->value;
	struct yamldoc_node *map;

	if (key && value->type == YAMLDOC_SCALAR)
		value = map_of(m->b, key, value);
	map = value ? map_of(m->b, said->name, value) : NULL;
	return map ? opt_apply(&scene_opts_action, to, map, m->b->err) : -ENOMEM;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

// Frames that the record names, at most.
static uint64_t named(const struct fault_make *m)
{
	const struct fault_record *r = &m->f->record;
	uint64_t n;

	if (r->psn != FAULT_PSN_RANGE || !r->nth_from || !m->f->n_pairs)
		return HELD_MOST;
	n = (lower(r->to - r->from, HELD_MOST - 1) + 1) *
	    (lower(r->nth_to - r->nth_from, HELD_MOST - 1) + 1);
	return lower(n, HELD_MOST) * m->f->n_pairs;
}

// Frames of the record that can wait for a time.
static uint32_t held_for(const struct fault_make *m, tstamp t)
{
	rate_t rate = m->node->port[m->port]->link->spec.rate;
	uint64_t come = t / rate_time(rate_byte_ps(rate), SHORTEST) + 1;

	return (uint32_t)lower(lower(come, named(m)), HELD_MOST);
}

// Bytes of the longest frame that the record may name.
static uint32_t longest_of(const struct fault_make *m)
{
	const struct scene_fault *f = m->f;

	for (unsigned i = 0; i < f->n_pairs; i++)
		if (f->pair[i].flow == SCENE_FAULT_GIVEN)
			return PKT_MAX_LEN;
	return f->n_pairs || !compile_has_other_frames(m->b->s) ? m->b->longest : PKT_MAX_LEN;
}

static int take_bit(struct fault_make *m, uint64_t bit)
{
	const uint32_t bytes = longest_of(m);

	m->f->record.bit = bit == OPT_AUTO ? FAULT_NO_BIT : (uint32_t)bit;
	if (bit == OPT_AUTO || bit / 8 < bytes)
		return 0;
	return yamldoc_err(m->b->err, m->spec.action,
		"do: bit %" PRIu64 " lies behind the longest frame that it can hit, of %u bytes; "
		"write 0 to %u",
		bit, bytes, bytes * 8 - 1);
}

static int take(struct fault_make *m, const struct spec_action *a, const struct said *said)
{
	struct fault_record *r = &m->f->record;

	switch (r->action) {
	case FAULT_DELAY:
		r->delay = a->delay;
		m->f->held = held_for(m, a->delay);
		return 0;
	case FAULT_REORDER:
		r->reorder.behind = a->reorder.behind;
		r->reorder.within = a->reorder.within;
		m->f->held = held_for(m, a->reorder.within);
		return 0;
	case FAULT_DUPLICATE:
		r->copies = said->value ? a->duplicate : 1;
		return 0;
	case FAULT_CORRUPT:
		return take_bit(m, a->corrupt.bit);
	case FAULT_REWRITE:
		return fault_rewrite(m, &a->rewrite);
	case FAULT_FORGE:
		return fault_forge(m, &a->forge);
	default:
		return 0;
	}
}

// Whether an action works on the bytes of a frame.
static bool needs_bytes(enum fault_action a)
{
	return a == FAULT_CORRUPT || a == FAULT_REWRITE || a == FAULT_FORGE;
}

static int check_said(struct fault_make *m, const struct said *said)
{
	const enum fault_action a = m->f->record.action;

	if (said->value && (a == FAULT_DROP || a == FAULT_ECN || a == FAULT_WATCH))
		return yamldoc_err(m->b->err, said->value, "do: %s has no value; write do: %s",
			said->name, said->name);
	if (!said->value && a == FAULT_DELAY)
		return yamldoc_err(
			m->b->err, m->spec.action, "do: delay has no time; write {delay: 10us}");
	if (!said->value && a == FAULT_REWRITE)
		return yamldoc_err(m->b->err, m->spec.action,
			"do: rewrite has no field; write one, as in {rewrite: {migreq: 0}}");
	if (needs_bytes(a) && m->b->s->hpcc_sim)
		return yamldoc_err(m->b->err, m->spec.action,
			"do: frames of framing hpcc_sim have no bytes for %s; take drop, ecn, "
			"delay, reorder or duplicate",
			said->name);
	m->b->bytes_change |= needs_bytes(a);
	return 0;
}

int fault_action(struct fault_make *m)
{
	struct fault_record *r = &m->f->record;
	struct spec_action a = {0};
	struct said said;
	int rc = read_said(m, &said);

	if (!rc)
		rc = find_action(m, said.name, &r->action);
	if (rc)
		return rc;
	rc = check_said(m, &said);
	if (rc)
		return rc;
	opt_init(&scene_opts_action, &a);
	if (said.value)
		rc = read_values(m, &a, &said, short_for(r->action));
	return rc ? rc : take(m, &a, &said);
}
