// SPDX-License-Identifier: BSD-3-Clause
// Runs: frames of a burst that share way and class go through the switch together. A buffer with
// two sides takes them one by one.
#include <stddef.h>
#include <string.h>

#include "int.h"

_Static_assert(offsetof(struct hdr, ethertype) == 14, "what leads a frame is 16 bytes on end");

#define FLOW_BYTES 36 // both addresses, both ports
_Static_assert(offsetof(struct hdr, flags) == offsetof(struct hdr, saddr) + FLOW_BYTES,
	"what tells flows apart is 36 bytes on end");

// Addresses, VLAN and EtherType of headers that are the frames' own, compared; what else they have
// does not lead.
static inline bool same_header(const struct hdr *a, const struct hdr *b)
{
	uint64_t x[2], y[2];

	if (a == b)
		return true;
	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (uint64_t)(a->flags ^ b->flags) | a->id | b->id);
}

// Whether equal ways cannot part the two: nothing differs that sw_ecmp_hash looks at.
static inline bool same_flow(const struct hdr *a, const struct hdr *b)
{
	return a == b || (a->proto == b->proto && !memcmp(a->saddr, b->saddr, FLOW_BYTES));
}

// Frames that are looked at and not marked, by codepoint.
static void seen(struct sw_class_stats *s, const unsigned by_ecn[ECN_CE + 1])
{
	for (unsigned i = 0; i <= ECN_CE; i++)
		s->seen_frames[i] += by_ecn[i];
}

// What a run of frames comes to.
struct run {
	struct pkt *last;
	unsigned n;
	unsigned by_ecn[ECN_CE + 1];
	uint32_t bytes; // len
};

static void run_add(struct run *r, const struct pkt *p, unsigned n)
{
	r->n += n;
	r->by_ecn[pkt_ecn(p)] += n;
	r->bytes += n * p->len;
}

// The bits of pkt_word that say what a frame is; the others say where it stands.
static inline uint64_t what_it_is(void)
{
	const struct pkt p = {.len = 0xffff, .kind = 0xff, .flags = 0xff, .tos = 0xff};

	return pkt_word(&p);
}

// Links the frames that share the first one's way, with equal ways (`flows`) its flow, too; each
// line of memory is written once. Most are like the first in all that counts, and are counted
// together. The last one's link is put right when it is queued.
static void run_find(struct run *r, const struct sw_port *in, struct pkt **burst, unsigned n,
	unsigned cls, bool flows, tstamp now)
{
	const struct pkt *first = burst[0];
	const struct hdr *h = first->hdr;
	uint64_t word = pkt_word(first), mask = what_it_is();
	struct pkt *last = burst[0];
	unsigned alike = 1;

	*r = (struct run){0};
	for (unsigned i = 1; i < n; i++) {
		struct pkt *p = burst[i];

		if (SW_LIKELY(p->hdr == h && !((pkt_word(p) ^ word) & mask))) {
			pkt_word_set(p, word);
			alike++;
		} else {
			if ((SW_ODD_KINDS >> p->kind & 1) || p->len > in->max_len ||
				(p->tos ^ first->tos) >> 2 || !same_header(p->hdr, h) ||
				(flows && !same_flow(p->hdr, h)))
				break;
			p->in_port = in->index;
			p->cls = (uint8_t)cls;
			run_add(r, p, 1);
		}
		p->when = now;
		last->next = p;
		last = p;
	}
	run_add(r, first, alike);
	r->last = last;
}

unsigned sw_rx_burst(struct sw *sw, struct sw_port *in, struct pkt **burst, unsigned n,
	unsigned out, unsigned cls, unsigned *tried, uint64_t *sum, tstamp now)
{
	struct sw_port *o = &sw->port[out];
	const struct sw_cls *k = &sw->cls[cls];
	struct run r;
	uint32_t bytes, qlen;

	run_find(&r, in, burst, n, cls, sw->n_ecmp, now);
	*tried = r.n;
	bytes = r.bytes + r.n * sw->queue_extra;
	qlen = o->e.q[cls].bytes + bytes;
	if (r.n < 2 || k->hooks || in->max_len > o->max_len || qlen > k->rx_calm_bytes)
		return 0;
	if (!mmu_admit_burst(&sw->mmu, in->index, cls, bytes))
		return 0;
	eport_put_burst(&o->e, cls, burst[0], r.last, r.n, bytes, now);
	sw_queue_ready(sw, o, cls);
	if (k->mark == SW_MARK_ENQUEUE)
		seen(&o->cls[cls].s, r.by_ecn);
	in->cls[cls].s.rx_frames += r.n;
	in->cls[cls].s.rx_bytes += r.bytes + r.n * (uint64_t)PKT_FCS;
	in->cls[cls].s.ecn_ce_rx_frames += r.by_ecn[ECN_CE];
	*sum += r.bytes;
	return r.n;
}

// Gives back the buffer of frames that came in on one port.
static void release(struct sw *sw, unsigned port, int cls, unsigned n, uint32_t bytes, tstamp now)
{
	struct sw_port *in = &sw->port[port];

	if (mmu_release(&sw->mmu, port, (unsigned)cls, bytes))
		sw_xon(sw, in, (unsigned)cls, now);
	in->cls[cls].s.forwarded_frames += n;
}

unsigned sw_tx_burst(struct sw *sw, struct sw_port *o, int cls, struct pkt **burst, unsigned max,
	uint64_t *sum, tstamp now)
{
	const struct sw_cls *k = &sw->cls[cls];
	uint32_t len = 0;
	unsigned by_ecn[ECN_CE + 1] = {0};
	unsigned n, from = 0, to;

	if ((o->e.nonempty & ~o->blocked) != 1u << cls || k->hooks & SW_HOOK_HEAVY ||
		o->e.q[cls].bytes > k->tx_calm_bytes)
		return 0;
	n = eport_get_burst(&o->e, cls, burst, max, &to, now);
	for (;;) {
		const struct pkt *p = burst[from];
		uint64_t word = pkt_word(p);

		while (to < n && pkt_word(burst[to]) == word)
			to++;
		release(sw, p->in_port, cls, to - from, (to - from) * (p->len + sw->queue_extra),
			now);
		len += (to - from) * p->len;
		by_ecn[pkt_ecn(p)] += to - from;
		if (to == n)
			break;
		from = to;
	}
	if (k->mark == SW_MARK_DEQUEUE)
		seen(&o->cls[cls].s, by_ecn);
	o->cls[cls].s.tx_frames += n;
	o->cls[cls].s.tx_bytes += len + n * (uint64_t)PKT_FCS;
	*sum += len;
	return n;
}
