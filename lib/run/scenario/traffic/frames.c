// SPDX-License-Identifier: BSD-3-Clause
// The frames of an open loop: their sizes, its list, their DSCPs in turn, and when it has ended.
#include <errno.h>
#include <string.h>

#include "algo/pacer.h"
#include "int.h"

#define TOS_TURN 1024 // DSCPs in turn at most

static const struct opt_table *open_table(void)
{
	return opt_row(&scene_opts_flow, "open_loop")->sub;
}

static bool is_imix(const struct spec_open_loop *o)
{
	return o->size.low == OPT_WORD(0);
}

// Bytes with FCS of frames that have no size of their own.
static struct opt_range own_size(const struct spec_open_loop *o)
{
	return is_imix(o) ? (struct opt_range){GEN_IMIX_MIN + PKT_FCS, GEN_IMIX_MAX + PKT_FCS}
			  : o->size;
}

struct opt_range traffic_source_size(const struct draft_flow *f)
{
	const struct opt_range own = own_size(&f->spec->open_loop);
	struct opt_range all = f->n_items ? (struct opt_range){UINT64_MAX, 0} : own;

	for (unsigned i = 0; i < f->n_items; i++) {
		const struct gen_item *it = &f->item[i];
		uint64_t low = it->min_len ? it->min_len + (uint64_t)PKT_FCS : own.low;
		uint64_t high = it->max_len ? it->max_len + (uint64_t)PKT_FCS : own.high;

		all.low = low < all.low ? low : all.low;
		all.high = high > all.high ? high : all.high;
	}
	return all;
}

static int read_item(struct draft *b, struct gen_item *it, const struct yamldoc_node *at)
{
	struct spec_open_item spec = {0};
	int rc;

	opt_init(&scene_opts_open_item, &spec);
	rc = opt_apply(&scene_opts_open_item, &spec, at, b->err);
	if (rc)
		return rc;
	*it = (struct gen_item){.count = spec.count,
		.gap = spec.gap == OPT_NONE ? 0 : spec.gap,
		.after = spec.after};
	if (spec.size.low != OPT_AUTO) {
		it->min_len = (uint16_t)(spec.size.low - PKT_FCS);
		it->max_len = (uint16_t)(spec.size.high - PKT_FCS);
	}
	return 0;
}

static int read_list(struct draft *b, struct draft_flow *f)
{
	const struct spec_open_loop *o = &f->spec->open_loop;
	const struct yamldoc_node *n = o->list;
	uint64_t once = 0;

	f->item = draft_get(b, n->n * sizeof(*f->item));
	if (!f->item)
		return -ENOMEM;
	for (unsigned i = 0; i < n->n; i++) {
		int rc = read_item(b, &f->item[i], n->item[i].value);

		if (rc)
			return rc;
		if (__builtin_add_overflow(once, f->item[i].count, &once))
			break;
		f->n_items++;
	}
	f->frames = o->repeat == OPT_NONE ? 0 : once;
	if (f->n_items == n->n && (!f->frames || o->repeat <= INT64_MAX / f->frames)) {
		f->frames *= o->repeat;
		return 0;
	}
	return yamldoc_err(b->err, n,
		"flow '%s' has more than %llu frames in its list; lower count", f->name,
		(unsigned long long)INT64_MAX);
}

// "10" or "0..63": adds these DSCPs, each with the codepoint of `ecn`.
static bool add_turn(struct draft_flow *f, const char *at, uint8_t ecn)
{
	uint8_t low, high;

	if (!traffic_take_number(&at, 63, &low))
		return false;
	high = low;
	if (at[0] == '.' && at[1] == '.') {
		at += 2;
		if (!traffic_take_number(&at, 63, &high))
			return false;
	}
	for (unsigned d = low; d <= high && f->n_tos < TOS_TURN; d++)
		f->tos_turn[f->n_tos++] = (uint8_t)(d << 2 | ecn);
	return !*at && low <= high;
}

static int read_turn(struct draft *b, struct draft_flow *f)
{
	const struct yamldoc_node *n = f->spec->open_loop.dscp;
	bool is_list = n->type == YAMLDOC_LIST;
	unsigned count = is_list ? n->n : 1;
	uint8_t ecn = traffic_data_tos(f, f->pair[0].from, traffic_is_open_roce(f)) & 3;

	if (f->spec->open_loop.raw)
		return yamldoc_err(b->err, n,
			"flow '%s': raw frames have no IP, and no DSCP; drop raw, or dscp",
			f->name);
	f->tos_turn = draft_get(b, TOS_TURN);
	if (!f->tos_turn)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		const struct yamldoc_node *one = is_list ? n->item[i].value : n;

		if (one->type != YAMLDOC_SCALAR || !add_turn(f, one->text, ecn))
			return yamldoc_err(b->err, one,
				"dscp: write DSCPs from 0 to 63, or ranges of them, as in "
				"[10, 0..7]");
	}
	if (!count || f->n_tos == TOS_TURN)
		return yamldoc_err(b->err, n, "dscp: write 1 to %u DSCPs", TOS_TURN - 1);
	return 0;
}

int traffic_frames_read(struct draft *b, struct draft_flow *f)
{
	const struct spec_open_loop *o = &f->spec->open_loop;
	const struct yamldoc_node *repeat = opt_source(open_table(), o, "repeat");
	int rc = 0;

	if (!f->is_open_loop)
		return 0;
	if (o->list && o->list->n)
		rc = read_list(b, f);
	else if (o->list || repeat)
		rc = yamldoc_err(b->err, o->list ? o->list : repeat,
			"flow '%s' has no frames in a list; write list: [{count: 1000}]", f->name);
	return rc || !o->dscp ? rc : read_turn(b, f);
}

int traffic_frames_give(struct draft *b, const struct draft_flow *f, const struct draft_pair *p,
	struct gen_params *gen)
{
	const struct spec_open_loop *o = &f->spec->open_loop;
	const struct opt_range own = own_size(o);
	rate_t line = draft_host_link(p->from)->spec.rate;

	gen->min_len = (uint16_t)(own.low - PKT_FCS);
	gen->max_len = (uint16_t)(own.high - PKT_FCS);
	gen->imix = is_imix(o);
	gen->tos_turn = f->tos_turn;
	gen->n_tos = f->n_tos;
	if (!f->item)
		return 0;
	gen->item = f->item;
	gen->n_items = f->n_items;
	gen->count = f->frames;
	gen->burst = 1;
	for (unsigned i = 0; i < f->n_items; i++) {
		const struct gen_item *it = &f->item[i];
		unsigned most = (it->max_len ? it->max_len : gen->max_len) + PKT_WIRE;
		tstamp least = rate_time(rate_byte_ps(line), most);

		if (it->gap && it->gap < least)
			return yamldoc_err(b->err, o->list->item[i].value,
				"flow '%s': a frame of %u bytes takes %llu ps on the link of %s, "
				"and the gap is %llu ps; raise gap, or leave it out",
				f->name, most - PKT_WIRE + PKT_FCS, (unsigned long long)least,
				p->from->name, (unsigned long long)it->gap);
	}
	return 0;
}

// The flow that `after` names.
static int find_before(struct draft *b, const struct draft_flow *f, const struct draft_flow **to)
{
	const struct spec_open_loop *o = &f->spec->open_loop;

	for (unsigned i = 0; i < b->n_flows && b->flow[i] != f; i++) {
		*to = b->flow[i];
		if ((*to)->is_open_loop && !strcmp((*to)->name, o->after))
			return 0;
	}
	return yamldoc_err(b->err, opt_source(open_table(), o, "after"),
		"flow '%s': no open loop before it in the file has the name '%s'", f->name,
		o->after);
}

int traffic_frames_after(
	struct draft *b, const struct draft_flow *f, struct scene_source *follower, tstamp *after)
{
	const struct draft_flow *to = NULL;

	*after = 0;
	if (!f->spec->open_loop.after)
		return 0;
	if (find_before(b, f, &to))
		return -EINVAL;
	follower->after.first = to->first_qp;
	follower->after.n = to->n_qps;
	follower->after.look = PS_PER_S;
	for (unsigned k = 0; k < to->n_qps; k++) {
		const struct scene_source *src = b->s->source[to->first_qp + k];
		const struct draft_node *from = to->pair[k / to->spec->open_loop.sources].from;
		rate_t line = draft_host_link(from)->spec.rate;
		tstamp end = gen_end(&src->gen, line);

		if (end == TSTAMP_NEVER)
			return yamldoc_err(b->err,
				opt_source(open_table(), &f->spec->open_loop, "after"),
				"flow '%s': the end of '%s' is not known before the run; give it a "
				"count or a list of up to %u frames, and a start",
				f->name, to->name, GEN_FORESEEN);
		*after = tstamp_max(*after, end);
		follower->after.look = tstamp_min(follower->after.look,
			rate_time(rate_byte_ps(line), PKT_MIN_LEN + PKT_WIRE));
	}
	return 0;
}
