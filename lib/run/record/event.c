// SPDX-License-Identifier: BSD-3-Clause
// events.csv, pfc.txt and fct.txt: the events of all nodes in one order, a line each.
#include "int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "evsort.h"
#include "scene/scene.h"
#include "schema/schema.h"

// So many events are held back before the older half is written: one that a node evaluates late
// (alpha's timer of a queue pair that waits) still finds its place.
#define EV_HOLD   32768
#define EV_LINE   512
#define EV_DETAIL 95 // longest detail of several parts

static const char commas[16] = ",,,,,,,,,,,,,,,,";

int record_ev_open(struct record *r, struct err *err)
{
	static const char *const name[] = {"events.csv", "fct.txt", "pfc.txt"};
	struct out *const file[] = {&r->events, &r->fct, &r->pfc};
	char path[4096];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", r->dir, name[i]);

		int code = out_open(file[i], path, err);

		if (code)
			return code;
	}
	for (unsigned i = EV_COL_TIME; i < EV_COLS; i++) {
		out_str(&r->events, ev_column[i].name);
		out_str(&r->events, i + 1 < EV_COLS ? "," : "\n");
	}
	return 0;
}

uint64_t record_events_wanted(const struct record_opts *opts)
{
	unsigned asked = EV_USE_FIGURES | (opts->no_files ? 0 : EV_USE_FILE);
	uint64_t want = 0;

	for (unsigned i = 0; i < EV_TYPES; i++)
		if (ev_row[i].use & asked && !(ev_row[i].use & EV_USE_OWN))
			want |= 1ull << i;
	return want;
}

static const struct fmt_text *flow_name(const struct record *r, uint32_t flow)
{
	return flow < r->n_flows ? &r->flow[flow].label : &r->names->none;
}

// Whose frame it was, where it has a shared header.
const struct fmt_text *record_owner(const struct record *r, uint32_t hdr)
{
	struct rec_hdr h = hdr && hdr <= r->scene->n_hdrs ? r->hdr[hdr] : (struct rec_hdr){0};

	if (h.kind == REC_HDR_SOURCE)
		return &r->source[h.i].label;
	return h.kind == REC_HDR_FLOW ? flow_name(r, h.i) : &r->names->none;
}

static const struct fmt_text *drop_name(const struct record *r, const struct ev *e)
{
	enum scene_kind kind = r->net->node[e->node].kind;

	if (kind == SCENE_SW && e->drop.reason < SW_DROPS)
		return &r->names->sw_drop[e->drop.reason];
	if (kind == SCENE_NIC && e->drop.reason < NIC_DROPS)
		return &r->names->nic_drop[e->drop.reason];
	return &r->names->none;
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
static char *put_place(char *p, const struct ev_deadlock *d)
{
	p = fmt_u64(p, d->place);
	*p++ = '/';
	p = fmt_mem(fmt_u64(p, d->queues), " since ", 7);
	return fmt_mem(fmt_us(p, d->since), " us", 3);
}

// A register, what was written, and its name: "0x600028=512 CC_RATE_MEM qp 1", of a field
// "0x200220[24]=1 DCQCN_CTRL.dcqcn_hw_en".
static char *put_reg(char *p, const struct ev_reg *w)
{
	const struct rdma_ip_place place = {w->address, w->lsb, w->width};
	uint32_t qpn = rdma_ip_reg_qpn(w->address);
	const char *end = p + EV_DETAIL;

	p = fmt_hex(fmt_mem(p, "0x", 2), w->address, 6);
	if (w->width != 64) {
		*p++ = '[';
		p = fmt_u64(p, w->lsb);
		*p++ = ']';
	}
	*p++ = '=';
	p = fmt_u64(p, w->value);
	*p++ = ' ';
	reg_name_of(&place, p, (size_t)(end - p));
	p += strlen(p);
	if (qpn && end - p > 16)
		p = fmt_u64(fmt_mem(p, " qp ", 4), qpn);
	return p;
}

static char *put_classes(char *p, const struct record *r, const struct ev_pfc_tx *f)
{
	if (f->whole_link)
		return fmt_text(p, &r->names->pause);
	return fmt_hex(fmt_mem(p, "0x", 2), f->enable, 2);
}

// "s1:r.3"
static char *put_queue(char *p, const struct record *r, const struct ev *e)
{
	p = fmt_text(p, &record_obj_port(r, e->node, e->holder.out)->label);
	*p++ = '.';
	return fmt_u64(p, e->holder.out_cls);
}

// The number of the message that is done, which its flow has counted.
static char *put_count(char *p, const struct record *r, const struct ev_message *m)
{
	return m->flow < r->n_flows ? fmt_u64(p, r->flow[m->flow].messages - 1) : p;
}

// The forms of names, rates and instants have one size each.
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

static inline char *put_field(
	char *p, const struct record *r, const struct ev *e, const struct ev_field *f)
{
	switch ((enum ev_form)f->form) {
	case EV_FORM_NUMBER:
		return fmt_u64(p, ev_get_field(e, f));
	case EV_FORM_FLOW:
		return fmt_text(p, flow_name(r, u32_of(e, f)));
	case EV_FORM_HDR:
		return fmt_text(p, record_owner(r, u32_of(e, f)));
	case EV_FORM_REACTION:
		return fmt_text(p, &r->names->rp[e->reaction < RP_EVENTS ? e->reaction : RP_NONE]);
	case EV_FORM_GBPS:
		return fmt_gbps(p, u64_of(e, f));
	case EV_FORM_MILLIONTHS:
		return fmt_fixed(p, u32_of(e, f), 6);
	case EV_FORM_US:
		return fmt_us(p, u64_of(e, f));
	case EV_FORM_DROP:
		return fmt_text(p, drop_name(r, e));
	case EV_FORM_RESUME:
		return fmt_text(p, &r->names->resume[ev_get_field(e, f)]);
	case EV_FORM_ACTION:
		return fmt_text(p, &r->names->action[ev_get_field(e, f)]);
	case EV_FORM_CLASSES:
		return put_classes(p, r, &e->pfc_tx);
	case EV_FORM_ADDRESS:
		return put_address(p, e->fdb.key);
	case EV_FORM_REG:
		return put_reg(p, &e->reg);
	case EV_FORM_PLACE:
		return put_place(p, &e->deadlock);
	case EV_FORM_QUEUE:
		return put_queue(p, r, e);
	case EV_FORM_COUNT:
		return put_count(p, r, &e->message);
	}
	return p;
}

static const struct fmt_text *object_name(const struct record *r, const struct ev *e)
{
	const struct scene_node *node = r->net->node[e->node].scene;

	return e->port < node->n_ports ? &record_obj_port(r, e->node, e->port)->label
				       : &r->names->none;
}

// The commas before the columns that follow `at`, up to `to`.
static inline char *to_column(char *p, unsigned at, unsigned to)
{
	memcpy(p, commas, sizeof(commas));
	return p + (to - at);
}

static void put_line(struct record *r, const struct ev *e)
{
	const struct ev_row *row = &ev_row[e->type];
	const struct ev_field *f = row->field, *end = f + row->n_fields;
	char *p = out_room(&r->events, EV_LINE);
	unsigned at = EV_COL_OBJECT;

	p = fmt_us(p, e->t);
	*p++ = ',';
	p = fmt_text(p, &r->names->type[e->type]);
	*p++ = ',';
	p = fmt_text(p, object_name(r, e));
	for (; f < end && f->column; f++) {
		p = to_column(p, at, f->column);
		p = put_field(p, r, e, f);
		at = f->column;
	}
	p = to_column(p, at, EV_COLS - 1);
	*p++ = '\n';
	out_upto(&r->events, p);
}

// HPCC's trace of pauses: ns, node, whether it is a switch, interface from 1, pause or resume. A
// stop of the whole link is one line, that of class 0.
static void put_pfc(struct record *r, const struct ev *e)
{
	char *p = out_room(&r->pfc, EV_LINE);

	p = fmt_u64(p, e->t / PS_PER_NS);
	*p++ = ' ';
	p = fmt_u64(p, e->node);
	*p++ = ' ';
	*p++ = r->net->node[e->node].kind == SCENE_SW ? '1' : '0';
	*p++ = ' ';
	p = fmt_u64(p, e->port + 1u);
	*p++ = ' ';
	*p++ = e->type == EV_PAUSE_RX ? '1' : '0';
	*p++ = '\n';
	out_upto(&r->pfc, p);
}

// The last 32 bits of an address: all of it for IPv4.
static uint64_t address(const struct hdr *h, const uint8_t addr[16])
{
	const uint8_t *a = addr + (h->flags & HDR_IPV6 ? 12 : 0);

	return (uint64_t)a[0] << 24 | (uint64_t)a[1] << 16 | (uint64_t)a[2] << 8 | a[3];
}

// HPCC's completion times: addresses, ports, bytes, then start, duration and ideal duration in ns.
static void put_fct(struct record *r, const struct ev *e)
{
	const struct ev_message *m = &e->message;
	const struct rec_flow *f = &r->flow[m->flow];
	const struct hdr *h = &f->scene->hdr_data;
	uint64_t column[6] = {h->sport, h->dport, m->bytes, m->begun / PS_PER_NS,
		tstamp_since(e->t, m->begun) / PS_PER_NS,
		record_standalone(r, f, m->bytes) / PS_PER_NS};
	char *p = fmt_hex(out_room(&r->fct, EV_LINE), address(h, h->saddr), 8);

	*p++ = ' ';
	p = fmt_hex(p, address(h, h->daddr), 8);
	for (unsigned i = 0; i < 6; i++) {
		*p++ = ' ';
		p = fmt_u64(p, column[i]);
	}
	*p++ = '\n';
	out_upto(&r->fct, p);
}

static void take_event(struct record *r, const struct ev *e)
{
	record_stat_event(r, e);
	if (!r->dir || !(ev_row[e->type].use & (EV_USE_FILE | EV_USE_NAMED)))
		return;
	put_line(r, e);
	if (e->type == EV_PAUSE_RX || e->type == EV_RESUME_RX) {
		if (!e->pause.with_class_0)
			put_pfc(r, e);
	} else if (e->type == EV_MSG_DONE && e->message.flow < r->n_flows) {
		put_fct(r, e);
	}
}

// Room for one more event.
static bool grow_events(struct record *r)
{
	size_t n = r->ev_cap ? r->ev_cap * 2 : 2 * EV_HOLD;
	struct ev *ev = realloc(r->ev, n * sizeof(*ev));

	if (ev)
		r->ev = ev;
	struct ev *room = ev ? realloc(r->ev_room, n * sizeof(*room)) : NULL;

	if (!room) {
		record_fail(r, -ENOMEM, "no memory for %zu events", n);
		return false;
	}
	r->ev_room = room;
	r->ev_cap = n;
	return true;
}

// An event of the recorder's own about a node.
void record_ev_own(struct record *r, const struct ev *e, unsigned node)
{
	if (r->n_ev == r->ev_cap && !grow_events(r))
		return;
	r->ev[r->n_ev] = *e;
	r->ev[r->n_ev++].node = node;
}

void record_drain(struct record *r, unsigned node)
{
	struct ev_ring *ring = &r->net->node[node].events;
	const struct ev *e;

	while ((e = ev_get(ring))) {
		if (r->n_ev == r->ev_cap && !grow_events(r))
			return;
		r->ev[r->n_ev] = *e;
		r->ev[r->n_ev++].node = node;
	}
}

// Writes the first n.
static void release(struct record *r, size_t n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		take_event(r, &r->ev[i]);
	memmove(r->ev, r->ev + n, (r->n_ev - n) * sizeof(*r->ev));
	r->n_ev -= n;
}

void record_sort(struct record *r, tstamp safe)
{
	size_t n;

	record_files_look(r);
	if (r->n_ev < EV_HOLD)
		return;
	evsort(r->ev, r->n_ev, r->ev_room);
	n = r->n_ev - EV_HOLD / 2;
	while (n && r->ev[n - 1].t >= safe)
		n--;
	release(r, n);
}

void record_ev_finish(struct record *r)
{
	for (unsigned i = 0; i < r->net->n_nodes; i++)
		record_drain(r, i);
	evsort(r->ev, r->n_ev, r->ev_room);
	release(r, r->n_ev);
}
