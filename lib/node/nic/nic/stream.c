// SPDX-License-Identifier: BSD-3-Clause
// Foreign streams: UDP and other IP packets to us that no node of the scene has sent, distinguished
// by sender, protocol and ports. None of this is on the path of the scene's own data.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "int.h"

#define SILENT (10 * PS_PER_S) // after which another stream may have its place

struct nic_streams {
	struct table table;        // by a hash of what tells them apart
	struct nic_stream *stream; // by place in the table
	struct hist *gaps;
	unsigned places, number;
};

int nic_stream_init(struct nic *nic)
{
	struct nic_streams *g;
	int rc;

	if (!nic->p.streams || !nic->p.answers)
		return 0;
	if (nic->p.streams > NIC_STREAMS)
		return -EINVAL;
	g = nic->streams = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	rc = table_init(&g->table, nic->p.streams, SILENT, nic->p.seed);
	if (rc)
		return rc;
	g->places = table_slots(&g->table);
	g->stream = calloc(g->places, sizeof(*g->stream));
	g->gaps = calloc(g->places, sizeof(*g->gaps));
	return g->stream && g->gaps ? 0 : -ENOMEM;
}

void nic_stream_fini(struct nic *nic)
{
	struct nic_streams *g = nic->streams;

	if (!g)
		return;
	table_fini(&g->table);
	free(g->stream);
	free(g->gaps);
	free(g);
}

static bool is_of(const struct nic_stream *s, const struct pkt *p)
{
	const struct hdr *h = p->hdr;

	return s->number && s->proto == h->proto && s->sport == h->sport && s->dport == h->dport &&
	       s->ipv6 == !(h->flags & HDR_IPV4) && s->numbered == (p->kind == PKT_GEN) &&
	       !memcmp(s->saddr, h->saddr, s->ipv6 ? 16 : 4);
}

static uint64_t stream_key(const struct pkt *p)
{
	const struct hdr *h = p->hdr;
	uint64_t word[2] = {0}, key;

	memcpy(word, h->saddr, h->flags & HDR_IPV6 ? 16 : 4);
	key = (uint64_t)h->proto << 40 | (uint64_t)(p->kind == PKT_GEN) << 32 |
	      (uint64_t)h->sport << 16 | h->dport;
	for (unsigned i = 0; i < 2; i++) {
		key = (key ^ word[i]) * 0x9e3779b97f4a7c15;
		key ^= key >> 32;
	}
	return key;
}

// The stream of a packet, which begins with it if there is none.
static struct nic_stream *find_stream(struct nic *nic, const struct pkt *p, tstamp now)
{
	struct nic_streams *g = nic->streams;
	uint64_t key = stream_key(p);
	uint32_t place = table_get(&g->table, key, now);
	struct nic_stream *s;

	if (place != TABLE_NONE)
		table_touch(&g->table, place, now);
	else
		place = table_put(&g->table, key, 0, false, now);
	s = &g->stream[place];
	if (is_of(s, p)) // it may have been silent for long
		return s;
	nic->s.streams_forgotten += s->number != 0;
	memset(&g->gaps[place], 0, s->number ? sizeof(g->gaps[place]) : 0);
	*s = (struct nic_stream){.number = ++g->number,
		.proto = p->hdr->proto,
		.ipv6 = !(p->hdr->flags & HDR_IPV4),
		.numbered = p->kind == PKT_GEN,
		.sport = p->hdr->sport,
		.dport = p->hdr->dport,
		.first = p->when,
		.gap_min = TSTAMP_NEVER,
		.gaps = &g->gaps[place]};
	memcpy(s->saddr, p->hdr->saddr, s->ipv6 ? 16 : 4);
	return s;
}

// Counts the gap before a frame of a stream, from its second frame on. If the sender's gaps are
// equal, their differences here are jitter (RFC 3550 cl. 6.4.1).
static void take_gap(struct nic_stream *s, tstamp now)
{
	tstamp gap = tstamp_since(now, s->last);
	tstamp off = gap > s->gap ? gap - s->gap : s->gap - gap;

	if (s->seq.frames > 1)
		s->jitter = off > s->jitter ? s->jitter + (off - s->jitter) / 16
					    : s->jitter - (s->jitter - off) / 16;
	s->gap = gap;
	s->gap_min = tstamp_min(s->gap_min, gap);
	s->gap_max = tstamp_max(s->gap_max, gap);
	s->gap_sum += gap;
	hist_count(s->gaps, gap);
}

// Takes a frame of a stream that came at `now`, by the stamp of the device if there is one.
static void take_frame(struct nic_stream *s, struct pkt *p, tstamp now)
{
	const uint8_t *ip = pkt_bytes(p) + p->l3_off;

	if (s->seq.frames)
		take_gap(s, now);
	s->last = now;
	s->rx_bytes += p->len + PKT_FCS;
	s->ecn_ce_rx += pkt_ecn(p) == ECN_CE;
	if (s->numbered)
		seqwin_rx(&s->seq, p->u.gen.seq, 32);
	else if (s->ipv6)
		s->seq.frames++;
	else
		seqwin_rx(&s->seq, (uint32_t)(ip[4] << 8 | ip[5]), 16);
}

bool nic_stream_for_us(const struct nic *nic, const struct pkt *p)
{
	const struct hdr *h = p->hdr;

	return h->flags & HDR_IP && !(h->flags & HDR_IPV4) == nic->p.ipv6 &&
	       !memcmp(h->daddr, nic->p.ip, nic->p.ipv6 ? 16 : 4);
}

bool nic_stream_rx(struct nic *nic, struct pkt *p, tstamp now)
{
	if (!nic->streams || !(p->flags & PKT_F_FOREIGN) ||
		(p->kind != PKT_UDP && p->kind != PKT_OTHER && p->kind != PKT_GEN) ||
		!nic_stream_for_us(nic, p))
		return false;
	take_frame(find_stream(nic, p, now), p, p->when);
	nic->s.stream_rx++;
	if (nic_echo_rx(nic, p, now))
		return true;
	nic->s.consumed_frames++;
	pkt_put(nic->stack, p);
	return true;
}

unsigned nic_streams(const struct nic *nic)
{
	return nic->streams ? nic->streams->places : 0;
}

const struct nic_stream *nic_stream(const struct nic *nic, unsigned place)
{
	return &nic->streams->stream[place];
}
