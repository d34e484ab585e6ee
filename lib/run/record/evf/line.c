// SPDX-License-Identifier: BSD-3-Clause
// A line of events.csv: each field in its form, each value in its column.
#include "evf.h"

#include "base/hint.h"
#include "schema/schema.h"
#include "fault/fault.h"

#define DETAIL 95 // longest detail of several parts

static const char commas[EVF_COLUMNS_MOST] = ",,,,,,,,,,,,,,,,";

void evf_line_head(const struct evf_names *n, struct out *o)
{
	for (unsigned i = EV_COL_TIME; i < n->n_columns; i++) {
		out_str(o, n->column[i].name);
		out_str(o, i + 1 < n->n_columns ? "," : "\n");
	}
}

// Six bytes and the VLAN: "02:00:00:00:00:01/0".
static char *put_address(char *p, uint64_t key)
{
	for (int i = 5; i >= 0; i--) {
		p = fmt_hex(p, key >> (8 * i) & 0xff, 2);
		*p++ = i ? ':' : '/';
	}
	return fmt_u64(p, key >> 48);
}

// "1/4 since 812.345000 us"
static char *put_place(char *p, const struct ev *e, uint64_t place, const struct evf_type *t)
{
	p = fmt_u64(p, place);
	*p++ = '/';
	p = fmt_mem(fmt_u64(p, ev_get_field(e, t->with[0])), " since ", 7);
	return fmt_mem(fmt_us(p, ev_get_field(e, t->with[1])), " us", 3);
}

// A register, what was written, and its name: "0x600028=512 CC_RATE_MEM qp 1", of a field
// "0x200220[24]=1 DCQCN_CTRL.dcqcn_hw_en".
static char *put_reg(char *p, const struct ev *e, uint32_t address, const struct evf_type *t)
{
	const struct rdma_ip_place place = {.address = address,
		.lsb = (uint8_t)ev_get_field(e, t->with[0]),
		.width = (uint8_t)ev_get_field(e, t->with[1])};
	uint32_t qpn = rdma_ip_reg_qpn(address);
	const char *end = p + DETAIL;

	p = fmt_hex(fmt_mem(p, "0x", 2), address, 6);
	if (place.width != 64) {
		*p++ = '[';
		p = fmt_u64(p, place.lsb);
		*p++ = ']';
	}
	*p++ = '=';
	p = fmt_u64(p, ev_get_field(e, t->with[2]));
	*p++ = ' ';
	reg_name_of(&place, p, (size_t)(end - p));
	p += strlen(p);
	if (qpn && end - p > 16)
		p = fmt_u64(fmt_mem(p, " qp ", 4), qpn);
	return p;
}

static char *put_classes(char *p, const struct ev *e, uint64_t enable, const struct evf_type *t)
{
	if (ev_get_field(e, t->with[0]))
		return fmt_mem(p, "pause", 5);
	return fmt_hex(fmt_mem(p, "0x", 2), enable, 2);
}

// "s1:r.3"
static char *put_queue_name(char *p, const struct evf_names *n, const struct ev *e, uint64_t out)
{
	p = fmt_text(p, evf_port_name(n, e->node, out));
	*p++ = '.';
	return fmt_u64(p, ev_get_field(e, n->type[e->type].with[0]));
}

static char *put_hex(char *p, uint64_t v)
{
	unsigned digits = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;

	return fmt_hex(fmt_mem(p, "0x", 2), v, digits);
}

// "rkey 0x1f not 0x1234": why, what the request says, and what would be right.
static char *put_refusal(char *p, const struct evf_names *n, const struct ev *e, uint64_t why)
{
	const struct evf_type *t = &n->type[e->type];

	p = fmt_mem(fmt_text(p, evf_text(&n->refusal, why)), " ", 1);
	p = put_hex(p, ev_get_field(e, t->with[0]));
	return put_hex(fmt_mem(p, " not ", 5), ev_get_field(e, t->with[1]));
}

static const struct fmt_text *drop_name(
	const struct evf_names *n, const struct ev *e, uint64_t reason)
{
	return e->node < n->n_nodes ? evf_text(&n->drop[n->node[e->node].kind], reason)
				    : &evf_no_text;
}

// "2 wred pfc": the number of the change, and its kinds of values.
static char *put_set(char *p, const struct ev *e, uint64_t number, const struct evf_type *t)
{
	static const char *const word[] = {
		" wred", " pfc", " weights", " shapers", " watchdog", " flows", " np"};
	uint64_t what = ev_get_field(e, t->with[0]);

	p = fmt_u64(p, number);
	for (unsigned i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (what >> i & 1)
			p = fmt_mem(p, word[i], strlen(word[i]));
	return p;
}

// "3 drop data": the number of the record, its action, and the kind of frame.
static char *put_fault(char *p, const struct ev *e, uint64_t action, const struct evf_type *t)
{
	const char *kind;

	p = fmt_mem(fmt_u64(p, ev_get_field(e, t->with[0])), " ", 1);
	if (action >= FAULT_ACTIONS)
		return p;
	p = fmt_mem(p, fault_action_name((enum fault_action)action),
		strlen(fault_action_name((enum fault_action)action)));
	kind = fault_kind_name((unsigned)ev_get_field(e, t->with[1]));
	return fmt_mem(fmt_mem(p, " ", 1), kind, strlen(kind));
}

// "ring.3"; a rank of no job that is known: its number.
static char *put_rank(char *p, const struct evf_names *n, uint64_t rank)
{
	const struct evf_job *j = evf_job_of(n, rank);

	if (!j)
		return fmt_u64(p, rank);
	p = fmt_text(p, &j->name);
	*p++ = '.';
	return fmt_u64(p, rank - j->first);
}

// Writes a field of the event behind a word, unless the event has none of that name.
static char *put_with(
	char *p, const struct evf_type *t, const struct ev *e, const char *word, const char *name)
{
	const struct ev_field *f = evf_field(t->row, name);
	uint64_t v = f ? ev_get_field(e, f) : 0;

	if (!f)
		return p;
	p = fmt_mem(fmt_mem(p, word, strlen(word)), " ", 1);
	return !strcmp(f->unit, "ps") ? fmt_us(p, v) : fmt_u64(p, v);
}

// A rank with the rest of its event: "ring.3 iteration 0 from 10 to 92.500000 us",
// "ring.3 iteration 0 wire 80.250000 us", "ring.3 op 7 from 20.500000 us",
// "ring.3 from 2 tag 5 since 20.500000 us".
static char *put_of_job(char *p, const struct evf_names *n, const struct ev *e, uint64_t rank)
{
	const struct evf_type *t = &n->type[e->type];
	const struct ev_field *sender = evf_field(t->row, "from");
	const struct ev_field *posted = evf_field(t->row, "posted");
	char part[16];

	p = put_rank(p, n, rank);
	if (sender) {
		uint64_t from = ev_get_field(e, sender);
		const struct evf_job *j = evf_job_of(n, from);

		p = fmt_u64(fmt_mem(p, " from ", 6), j ? from - j->first : from);
	}
	snprintf(part, sizeof(part), " %s", evf_part_name(e->cls));
	p = put_with(p, t, e, " iteration", "iteration");
	p = put_with(p, t, e, " op", "op");
	p = put_with(p, t, e, " tag", "tag");
	p = put_with(p, t, e, " from", "start");
	p = put_with(p, t, e, " to", "done");
	p = put_with(p, t, e, part, "ps");
	if (posted && ev_get_field(e, posted) == TSTAMP_NEVER) // in another process
		return p;
	p = put_with(p, t, e, " since", "posted");
	return fmt_mem(p, " us", 3);
}

// Forms that few events have.
static char *put_rare(
	char *p, const struct evf_names *n, const struct ev *e, const struct ev_field *f)
{
	uint64_t v = ev_get_field(e, f);

	switch ((enum ev_form)f->form) {
	case EV_FORM_DROP:
		return fmt_text(p, drop_name(n, e, v));
	case EV_FORM_RESUME:
		return fmt_text(p, evf_text(&n->resume, v));
	case EV_FORM_ACTION:
		return fmt_text(p, evf_text(&n->action, v));
	case EV_FORM_CLASSES:
		return put_classes(p, e, v, &n->type[e->type]);
	case EV_FORM_ADDRESS:
		return put_address(p, v);
	case EV_FORM_REG:
		return put_reg(p, e, (uint32_t)v, &n->type[e->type]);
	case EV_FORM_PLACE:
		return put_place(p, e, v, &n->type[e->type]);
	case EV_FORM_QUEUE:
		return put_queue_name(p, n, e, v);
	case EV_FORM_SET:
		return put_set(p, e, v, &n->type[e->type]);
	case EV_FORM_TEXT:
		return fmt_text(p, evf_text(&n->mark, v));
	case EV_FORM_REFUSAL:
		return put_refusal(p, n, e, v);
	case EV_FORM_RANK:
		return put_of_job(p, n, e, v);
	case EV_FORM_FAULT:
		return put_fault(p, e, v, &n->type[e->type]);
	default:
		return p;
	}
}

// Names, rates and instants have one size each (evf_form_size).
static inline uint64_t u64_of(const struct ev *e, const struct ev_field *f)
{
	uint64_t v;

	memcpy(&v, (const char *)e + f->offset, sizeof(v));
	return v;
}

static inline uint32_t u32_of(const struct ev *e, const struct ev_field *f)
{
	uint32_t v;

	memcpy(&v, (const char *)e + f->offset, sizeof(v));
	return v;
}

static inline char *put_value(char *p, const struct evf_names *n, const struct ev *e,
	const struct ev_field *f, uint64_t number)
{
	switch ((enum ev_form)f->form) {
	case EV_FORM_NUMBER:
		return fmt_u64(p, ev_get_field(e, f));
	case EV_FORM_FLOW:
		return fmt_text(p, evf_text(&n->flow, u32_of(e, f)));
	case EV_FORM_HDR:
		return fmt_text(p, evf_owner_name(n, u32_of(e, f)));
	case EV_FORM_REACTION:
		return fmt_text(p, evf_text(&n->reaction, ((const uint8_t *)e)[f->offset]));
	case EV_FORM_GBPS:
		return fmt_gbps(p, u64_of(e, f));
	case EV_FORM_MILLIONTHS:
		return fmt_fixed(p, u32_of(e, f), 6);
	case EV_FORM_US:
		return fmt_us(p, u64_of(e, f));
	case EV_FORM_COUNT:
		return number == EVF_NO_NUMBER ? p : fmt_u64(p, number);
	default:
		return put_rare(p, n, e, f);
	}
}

char *evf_line_value(char *p, const struct evf_names *n, const struct ev *e,
	const struct ev_field *f, uint64_t number)
{
	return put_value(p, n, e, f, number);
}

// The commas before the columns that follow `at`, up to `to`.
static inline char *to_column(char *p, unsigned at, unsigned to)
{
	memcpy(p, commas, sizeof(commas));
	return p + (to - at);
}

void evf_lines_init(struct evf_lines *l, const struct evf_names *n)
{
	l->names = n;
	l->us = 0;
	fmt_text_set(&l->us_text, "0");
	for (unsigned i = 0; i < EVF_HEADS; i++)
		l->head[i].what = UINT64_MAX;
}

ASIDE void set_us(struct evf_lines *l, uint64_t us)
{
	l->us = us;
	l->us_text.len = (uint8_t)(fmt_u64(l->us_text.s, us) - l->us_text.s);
}

// fmt_us of an instant that may be of the same us as the last one.
static inline char *put_event_time(char *p, struct evf_lines *l, tstamp t)
{
	uint64_t us = t / PS_PER_US, ps = t - us * PS_PER_US;

	if (us != l->us)
		set_us(l, us);
	p = fmt_text(p, &l->us_text);
	if (!ps)
		return p;
	*p++ = '.';
	return fmt_tail(p, (uint32_t)ps, 6);
}

// ",mark,s1:r": type and port, and for a type that has it the column of the class.
static char *put_type_and_port(char *p, const struct evf_names *n, const struct ev *e)
{
	const struct evf_type *type = &n->type[e->type];

	*p++ = ',';
	p = fmt_text(p, &type->name);
	*p++ = ',';
	p = fmt_text(p, evf_port_name(n, e->node, e->port));
	if (!type->has_class)
		return p;
	p = to_column(p, EV_COL_OBJECT, type->row->field->column);
	return fmt_u64(p, e->cls);
}

static_assert(offsetof(struct ev, node) == 8 && offsetof(struct ev, cls) == 15,
	"node, port, type and class are the second word of an event");

// Writes the head of a line and keeps it for later lines if it is short enough.
ASIDE char *put_new_head(
	char *p, const struct evf_names *n, struct evf_head *h, const struct ev *e, uint64_t what)
{
	char *end = put_type_and_port(p, n, e);

	if (end - p < (int)sizeof(h->text.s)) {
		h->what = what;
		h->text.len = (uint8_t)(end - p);
		memcpy(h->text.s, p, h->text.len);
	}
	return end;
}

// Writes the head of a line: node, port, type and class. A head that was written before is copied.
static inline char *put_known_head(char *p, struct evf_lines *l, const struct ev *e)
{
	struct evf_head *h;
	uint64_t what;

	memcpy(&what, (const char *)e + offsetof(struct ev, node), sizeof(what));
	h = &l->head[what * 0x9e3779b97f4a7c15 >> 58];
	return h->what == what ? fmt_text(p, &h->text) : put_new_head(p, l->names, h, e, what);
}

static_assert(EVF_HEADS == 64, "a hash of 6 bits finds a head");

char *evf_line(char *p, struct evf_lines *l, const struct ev *e, uint64_t number)
{
	const struct evf_names *n = l->names;
	const struct evf_type *type = &n->type[e->type];
	const struct ev_field *f = type->row->field, *end = f + type->n_shown;
	unsigned at = EV_COL_OBJECT;

	p = put_event_time(p, l, e->t);
	p = put_known_head(p, l, e);
	if (type->has_class)
		at = f++->column;
	for (; f < end; f++) {
		p = to_column(p, at, f->column);
		p = put_value(p, n, e, f, number);
		at = f->column;
	}
	p = to_column(p, at, n->n_columns - 1);
	*p++ = '\n';
	return p;
}
