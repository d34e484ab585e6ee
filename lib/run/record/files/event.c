// SPDX-License-Identifier: BSD-3-Clause
// events.csv or events.bin, pfc.txt and fct.txt: lines of events.
#include "int.h"

#include <sched.h>

#include "scene/scene.h"

#define EV_LINE 512

// Whether a thread beside this one would find a processor.
static bool has_processors(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 1;
}

static int open_binary(struct record *r, struct err *err)
{
	const struct evf_opts binary = {.compress = r->scene->record.zstd ? EVF_ZSTD : EVF_NONE,
		.thread = has_processors()};
	char path[4096];

	snprintf(path, sizeof(path), "%s/events.bin", r->dir);
	return evf_create(&r->events_bin, path, r->names, &binary, err);
}

static int open_events(struct record *r, struct err *err)
{
	int code;

	if (r->scene->record.binary)
		return open_binary(r, err);
	code = record_file(r, &r->events, "events.csv", err);
	if (code)
		return code;
	evf_line_head(r->names, &r->events);
	evf_lines_init(&r->lines, r->names);
	record_want_take(r, r->events.n, 0);
	return 0;
}

int record_ev_open(struct record *r, struct err *err)
{
	int code = r->types ? open_events(r, err) : 0;

	if (!code && r->has_fct)
		code = record_file(r, &r->fct, "fct.txt", err);
	if (!code && r->has_pfc)
		code = record_file(r, &r->pfc, "pfc.txt", err);
	return code;
}

static void put_event(struct record *r, const struct ev *e, uint64_t number)
{
	if (!r->events_bin)
		record_want_commit(r, &r->events,
			evf_line(out_room(&r->events, EVF_LINE), &r->lines, e, number), e->t);
	else if (record_want_take(r, sizeof(*e), e->t))
		evf_put(r->events_bin, e, number);
}

// Writes HPCC's trace of pauses: ns, node, whether it is a switch, interface from 1, pause or
// resume. A stop of the whole link is one line, the line of class 0.
static void put_pfc_line(struct record *r, const struct ev *e)
{
	char *p = out_room(&r->pfc, EV_LINE);

	p = fmt_u64(p, e->t / PS_PER_NS);
	*p++ = ' ';
	p = fmt_u64(p, net_node(r->net, e->node)->scene->number);
	*p++ = ' ';
	*p++ = net_node(r->net, e->node)->kind == SCENE_SW ? '1' : '0';
	*p++ = ' ';
	p = fmt_u64(p, e->port + 1u);
	*p++ = ' ';
	*p++ = e->type == EV_PAUSE_RX ? '1' : '0';
	*p++ = '\n';
	record_want_commit(r, &r->pfc, p, e->t);
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
	tstamp since = rec_message_since(f, m);
	uint16_t dport = f->scene->told_dport ? f->scene->told_dport : h->dport;
	uint64_t column[6] = {h->sport, dport, m->bytes, since / PS_PER_NS,
		tstamp_since(e->t, since) / PS_PER_NS, record_standalone(f, m->bytes) / PS_PER_NS};
	char *p = fmt_hex(out_room(&r->fct, EV_LINE), address(h, h->saddr), 8);

	*p++ = ' ';
	p = fmt_hex(p, address(h, h->daddr), 8);
	for (unsigned i = 0; i < 6; i++) {
		*p++ = ' ';
		p = fmt_u64(p, column[i]);
	}
	*p++ = '\n';
	record_want_commit(r, &r->fct, p, e->t);
}

// Types of which another file may have a line too.
#define OTHER_FILES (1ull << EV_PAUSE_RX | 1ull << EV_RESUME_RX | 1ull << EV_MSG_DONE)

// The number of a completed message within its flow, whether its line is written or not.
static uint64_t message_number(struct record *r, const struct ev *e)
{
	if (e->type != EV_MSG_DONE || e->message.flow >= r->n_flows)
		return EVF_NO_NUMBER;
	return r->flow[e->message.flow].numbered++;
}

static void put_lines_of_one(struct record *r, const struct ev *e)
{
	uint64_t number = message_number(r, e);

	if (r->full || !record_want_line(r, e))
		return;
	put_event(r, e, number);
	if (!(OTHER_FILES >> e->type & 1) || r->full)
		return;
	if (e->type == EV_PAUSE_RX || e->type == EV_RESUME_RX) {
		if (r->has_pfc && !e->pause.with_class_0)
			put_pfc_line(r, e);
	} else if (e->type == EV_MSG_DONE && e->message.flow < r->n_flows) {
		put_fct(r, e);
	}
}

// An event of a reaction point that flows share is written as a line for each of them.
void record_event_put(struct record *r, const struct ev *e)
{
	const struct rec_limiter *l = record_limiter_of(r, e);

	if (!l)
		put_lines_of_one(r, e);
	for (unsigned i = 0; l && i < l->n && !r->full; i++) {
		struct ev own = record_limiter_event(e, l->flow[i]);

		if (record_flow_kept(r, l->flow[i]))
			put_lines_of_one(r, &own);
	}
}
