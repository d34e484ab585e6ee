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
#define EV_HOLD 32768
#define EV_LINE 512

static const char header[] = "time_us,event,object,class,flow,detail,bytes,queue_bytes,quanta,psn,"
			     "rc_gbps,rt_gbps,alpha\n";

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
	out_str(&r->events, header);
	return 0;
}

uint64_t record_events_wanted(const struct scene *scene)
{
	(void)scene;
	return (1ull << EV_TYPES) - 1;
}

// Columns of a line behind the object; those whose bit is not in `has` stay empty.
struct row {
	enum {
		COL_CLASS = 1,
		COL_BYTES = 2,
		COL_QUEUE = 4,
		COL_QUANTA = 8,
		COL_PSN = 16,
		COL_RATES = 32
	} has;
	const struct fmt_text *flow, *detail;
	uint64_t bytes, queue, quanta, psn;
};

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

static const struct fmt_text *text_upto(struct fmt_text *t, const char *end)
{
	t->len = (uint8_t)(end - t->s);
	return t;
}

// Six bytes and the VLAN: "02:00:00:00:00:01/0".
static const struct fmt_text *mac_text(struct fmt_text *t, uint64_t key)
{
	char *p = t->s;

	for (int i = 5; i >= 0; i--) {
		p = fmt_hex(p, key >> (8 * i) & 0xff, 2);
		*p++ = i ? ':' : '/';
	}
	return text_upto(t, fmt_u64(p, key >> 48));
}

static const struct fmt_text *number_text(struct fmt_text *t, uint64_t v)
{
	return text_upto(t, fmt_u64(t->s, v));
}

static const struct fmt_text *vector_text(struct fmt_text *t, uint64_t enable)
{
	return text_upto(t, fmt_hex(fmt_mem(t->s, "0x", 2), enable, 2));
}

// "1/4 since 812.345000 us"
static const struct fmt_text *cycle_text(struct fmt_text *t, const struct ev *e)
{
	char *p = fmt_u64(t->s, e->deadlock.place);

	*p++ = '/';
	p = fmt_mem(fmt_u64(p, e->deadlock.queues), " since ", 7);
	return text_upto(t, fmt_mem(fmt_us(p, e->deadlock.since), " us", 3));
}

// A register, what was written, and its name: "0x600028=512 CC_RATE_MEM qp 1", of a field
// "0x200220[24]=1 DCQCN_CTRL.dcqcn_hw_en".
static const struct fmt_text *reg_text(struct fmt_text *t, const struct ev *e)
{
	const struct rdma_ip_place place = {e->reg.address, e->reg.lsb, e->reg.width};
	uint32_t qpn = rdma_ip_reg_qpn(e->reg.address);
	char *p = fmt_hex(fmt_mem(t->s, "0x", 2), e->reg.address, 6);

	if (e->reg.width != 64) {
		*p++ = '[';
		p = fmt_u64(p, e->reg.lsb);
		*p++ = ']';
	}
	*p++ = '=';
	p = fmt_u64(p, e->reg.value);
	*p++ = ' ';
	reg_name_of(&place, p, (size_t)(t->s + sizeof(t->s) - p));
	p += strlen(p);
	if (qpn && t->s + sizeof(t->s) - p > 16)
		p = fmt_u64(fmt_mem(p, " qp ", 4), qpn);
	return text_upto(t, p);
}

// Columns of a queue pair's events.
static void fill_flow(
	struct row *row, const struct record *r, const struct ev *e, struct fmt_text *text)
{
	switch ((enum ev_type)e->type) {
	case EV_CNP_TX:
		row->flow = flow_name(r, e->cnp_tx.flow);
		break;
	case EV_CNP_RX:
		row->flow = flow_name(r, e->cnp_rx.flow);
		break;
	case EV_RP:
		row->has = COL_RATES;
		row->flow = flow_name(r, e->rp.flow);
		row->detail = &r->names->rp[e->reaction < RP_EVENTS ? e->reaction : RP_NONE];
		break;
	case EV_MSG_DONE:
		row->has = COL_BYTES;
		row->flow = flow_name(r, e->message.flow);
		row->bytes = e->message.bytes;
		if (e->message.flow < r->n_flows)
			row->detail = number_text(text, r->flow[e->message.flow].messages - 1);
		break;
	case EV_CNM_RX:
		row->flow = flow_name(r, e->cnm_rx.flow);
		row->detail = number_text(text, e->cnm_rx.qntzfb);
		break;
	case EV_RTT:
		row->flow = flow_name(r, e->rtt.flow);
		row->detail = text_upto(text, fmt_us(text->s, e->rtt.rtt_ps));
		break;
	case EV_NAK:
	case EV_TIMEOUT:
		row->has = COL_PSN;
		row->flow = flow_name(r, e->retry.flow);
		row->psn = e->retry.psn;
		break;
	default:
		row->flow = flow_name(r, e->qp.flow);
		break;
	}
}

// Deadlocks and what the watchdog does about storms; false where the event is none of these.
static bool fill_watch(
	struct row *row, const struct record *r, const struct ev *e, struct fmt_text *text)
{
	switch ((enum ev_type)e->type) {
	case EV_DEADLOCK:
	case EV_DEADLOCK_END:
		row->has = COL_CLASS;
		row->detail = cycle_text(text, e);
		return true;
	case EV_PFCWD_STORM:
		row->has = COL_CLASS | COL_QUEUE;
		row->queue = e->storm.queue_bytes;
		row->detail = &r->names->action[e->storm.action];
		return true;
	case EV_PFCWD_RESTORE:
		row->has = COL_CLASS;
		row->detail = &r->names->action[e->restore.action];
		return true;
	default:
		return false;
	}
}

// What the columns hold for each type: docs/formats.md. `text` has room for a detail.
static void fill_row(
	struct row *row, const struct record *r, const struct ev *e, struct fmt_text *text)
{
	row->has = 0;
	row->flow = row->detail = &r->names->none;
	switch ((enum ev_type)e->type) {
	case EV_MARK:
	case EV_FAST_CNP_TX:
		row->has = COL_CLASS | COL_QUEUE | COL_PSN;
		row->queue = e->mark.queue_bytes;
		row->psn = e->mark.psn;
		row->flow = record_owner(r, e->mark.hdr);
		break;
	case EV_DROP:
		row->has = COL_CLASS | COL_BYTES | COL_QUEUE;
		row->bytes = e->drop.bytes;
		row->queue = e->drop.held_bytes;
		row->detail = drop_name(r, e);
		break;
	case EV_XOFF_TX:
	case EV_XON_TX:
		row->has = COL_QUANTA;
		row->quanta = e->pfc_tx.quanta;
		row->detail = e->pfc_tx.whole_link ? &r->names->pause
						   : vector_text(text, e->pfc_tx.enable);
		break;
	case EV_PAUSE_RX:
		row->has = COL_CLASS | COL_QUANTA;
		row->quanta = e->pause.quanta;
		break;
	case EV_RESUME_RX:
		row->has = COL_CLASS;
		row->detail = &r->names->resume[e->pause.by];
		break;
	case EV_CNM_TX:
		row->has = COL_CLASS | COL_QUEUE;
		row->queue = e->cnm_tx.queue_bytes;
		row->flow = record_owner(r, e->cnm_tx.hdr);
		row->detail = number_text(text, e->cnm_tx.qntzfb);
		break;
	case EV_IQCN_TX:
		row->flow = record_owner(r, e->iqcn_tx.hdr);
		row->detail = text_upto(text, fmt_us(text->s, e->iqcn_tx.waited_ps));
		break;
	case EV_FDB:
		row->detail = mac_text(text, e->fdb.key);
		break;
	case EV_REG:
		row->detail = reg_text(text, e);
		break;
	default:
		if (!fill_watch(row, r, e, text))
			fill_flow(row, r, e, text);
		break;
	}
}

static inline char *field(char *p, const struct row *row, int bit, uint64_t v)
{
	*p++ = ',';
	return row->has & bit ? fmt_u64(p, v) : p;
}

static const struct fmt_text *object_name(const struct record *r, const struct ev *e)
{
	const struct scene_node *node = r->net->node[e->node].scene;

	return e->port < node->n_ports ? &record_obj_port(r, e->node, e->port)->label
				       : &r->names->none;
}

static void put_line(struct record *r, const struct ev *e)
{
	char *p = out_room(&r->events, EV_LINE);
	struct fmt_text text;
	struct row row;

	fill_row(&row, r, e, &text);
	p = fmt_us(p, e->t);
	*p++ = ',';
	p = fmt_text(p, &r->names->type[e->type]);
	*p++ = ',';
	p = fmt_text(p, object_name(r, e));
	p = field(p, &row, COL_CLASS, e->cls);
	*p++ = ',';
	p = fmt_text(p, row.flow);
	*p++ = ',';
	p = fmt_text(p, row.detail);
	p = field(p, &row, COL_BYTES, row.bytes);
	p = field(p, &row, COL_QUEUE, row.queue);
	p = field(p, &row, COL_QUANTA, row.quanta);
	p = field(p, &row, COL_PSN, row.psn);
	if (row.has & COL_RATES) {
		*p++ = ',';
		p = fmt_gbps(p, e->rp.rc);
		*p++ = ',';
		p = fmt_gbps(p, e->rp.rt);
		*p++ = ',';
		p = fmt_fixed(p, e->rp.alpha_millionths, 6);
	} else {
		p = fmt_mem(p, ",,,", 3);
	}
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
	if (!r->dir || e->type == EV_CUT || e->type == EV_SAMPLE || e->type == EV_CE_RX)
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
