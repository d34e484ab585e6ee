// SPDX-License-Identifier: BSD-3-Clause
// Streams from outside the scenario: what came of each, in which order and how evenly.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "wire/ip.h"

struct stream {
	const char *host, *source, *protocol, *numbers, *arrival_by;
	char address[48], proto_text[16];
	unsigned number, sport, dport;
	uint64_t frames, bytes, ce;
	double gbps, lost, out_of_order, duplicates;
	double first_us, last_us, jitter_us;
	struct kind_dist gap_us;
};

static void put_address(char *buf, size_t size, const struct nic_stream *s)
{
	if (!s->ipv6) {
		snprintf(buf, size, "%u.%u.%u.%u", s->saddr[0], s->saddr[1], s->saddr[2],
			s->saddr[3]);
		return;
	}
	*buf = '\0';
	for (unsigned i = 0; i < 16; i += 2)
		append_text(buf, size, "%s%x", i ? ":" : "",
			(unsigned)(s->saddr[i] << 8 | s->saddr[i + 1]));
}

static const char *numbers_of(const struct nic_stream *s)
{
	if (s->numbered)
		return "quench";
	return !s->ipv6 && seqwin_counts(&s->seq) ? "ip_id" : "none";
}

// The node counts into it while it runs, so that the figures are of a copy.
static struct kind_dist gaps(const struct nic_stream *s)
{
	struct hist *h = malloc(sizeof(*h));
	struct kind_dist d;

	if (!h)
		return (struct kind_dist){.mean = NAN,
			.min = NAN,
			.p50 = NAN,
			.p90 = NAN,
			.p99 = NAN,
			.p999 = NAN,
			.max = NAN};
	memcpy(h, s->gaps, sizeof(*h));
	if (s->seq.frames > 1)
		hist_bound(h, s->gap_sum, s->gap_min, s->gap_max);
	hist_settle(h);
	d = kind_dist(h, 1e6);
	d.from = NULL;
	free(h);
	return d;
}

static void fill_stream(struct stream *o, const char *host, const struct nic_stream *s)
{
	bool counts;
	double span = (double)tstamp_since(s->last, s->first);

	o->host = host;
	put_address(o->address, sizeof(o->address), s);
	snprintf(o->proto_text, sizeof(o->proto_text), s->proto == IP_PROTO_UDP ? "udp" : "ip %u",
		s->proto);
	o->source = o->address;
	o->protocol = o->proto_text;
	o->numbers = numbers_of(s);
	counts = strcmp(o->numbers, "none") != 0;
	o->number = s->number;
	o->sport = s->sport;
	o->dport = s->dport;
	o->frames = s->seq.frames;
	o->bytes = s->rx_bytes;
	o->ce = s->ecn_ce_rx;
	// Between the first frame and the last one, all frames but one arrived.
	o->gbps = span > 0 ? (double)s->rx_bytes * (double)(s->seq.frames - 1) /
				     (double)s->seq.frames * 8e3 / span
			   : NAN;
	o->lost = counts ? (double)s->seq.lost : NAN;
	o->out_of_order = counts ? (double)s->seq.out_of_order : NAN;
	o->duplicates = counts ? (double)s->seq.duplicates : NAN;
	o->first_us = (double)s->first / 1e6;
	o->last_us = (double)s->last / 1e6;
	o->jitter_us = s->seq.frames > 2 ? (double)s->jitter / 1e6 : NAN;
	o->gap_us = gaps(s);
}

static int by_number(const void *a, const void *b)
{
	const struct nic_stream *const *x = a, *const *y = b;

	return ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

// The streams of a host, in the order in which they began.
static void add_host(
	struct set *to, const struct record *r, unsigned node, const struct nic_stream **list)
{
	const struct net_node *n = net_node(r->net, node);
	unsigned found = 0;

	for (unsigned i = 0; i < nic_streams(n->u.nic); i++)
		if (nic_stream(n->u.nic, i)->number)
			list[found++] = nic_stream(n->u.nic, i);
	qsort(list, found, sizeof(*list), by_number);
	for (unsigned i = 0; i < found; i++) {
		struct stream *o = set_add(to);

		fill_stream(o, n->scene->name, list[i]);
		o->arrival_by = host_arrival_by(r, node);
	}
}

static int make_streams(struct summary *s, struct set *to)
{
	const struct net *net = s->rec->net;
	const struct nic_stream **list;
	unsigned all = 0;

	for (unsigned i = 0; i < net->n_nodes; i++)
		if (net_node(net, i)->kind == SCENE_NIC)
			all += nic_streams(net_node(net, i)->u.nic);
	list = calloc(all + 1, sizeof(*list));
	if (!list || set_room(to, &kind_stream, all)) {
		free(list);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < net->n_nodes; i++)
		if (net_node(net, i)->kind == SCENE_NIC && nic_streams(net_node(net, i)->u.nic))
			add_host(to, s->rec, i, list);
	free(list);
	return 0;
}

static const char *name(const void *object, char *buf)
{
	const struct stream *o = object;

	snprintf(buf, KIND_NAME, "%s.%u", o->host, o->number);
	return buf;
}

#define N(field, name, unit, ...) ROW_COUNT(struct stream, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct stream, field, name, unit, decimals, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct stream, host, "host", "the host that received it"),
	ROW_ID(struct stream, number, "number",
		"its number there, from 1, in the order of beginning"),
	ROW_TEXT(struct stream, source, "source", "the sender's IP address"),
	ROW_TEXT(struct stream, protocol, "protocol",
		"`udp`, or `ip` and the number of the protocol"),
	ROW_ID(struct stream, sport, "source_port", "of UDP; else 0"),
	ROW_ID(struct stream, dport, "destination_port", "of UDP; else 0"),
	ROW_TEXT(struct stream, numbers, "numbers",
		"by what its order is known: `quench`, the numbers of another quench's open loop; "
		"`ip_id`, IPv4's identification, where at most one frame in four does not go "
		"forward by it; `none`"),
	ROW_TEXT(struct stream, arrival_by, "arrival_by",
		"what dates its frames as they come: `stamp` of the device, reading of the `loop`, "
		"`both`; `null`: no device"),
	N(frames, "rx_frames", "frames", "received"),
	N(bytes, "rx_bytes", "bytes", "received, with FCS"),
	V(gbps, "rx_gbps", "Gb/s", 6, "received, with FCS, from its first frame to its last"),
	N(ce, "ecn_ce_rx", "frames", "received with CE"),
	V(lost, "lost", "frames", 0,
		"missing in its numbers; by `ip_id` what is missing in a row counts modulo 65536"),
	V(out_of_order, "out_of_order", "frames", 0, "came after a later one"),
	V(duplicates, "duplicates", "frames", 0,
		"came again, no more than 256 numbers behind the highest"),
	V(first_us, "first_us", "us", 6, "instant of its first frame"),
	V(last_us, "last_us", "us", 6, "instant of its last frame"),
	ROW_DIST(struct stream, gap_us, mean, "gap_mean_us", "us",
		"mean time from a frame to the next"),
	ROW_DIST(struct stream, gap_us, min, "gap_min_us", "us",
		"minimum of the time from a frame to the next"),
	ROW_SPREAD(struct stream, gap_us, "gap", "_us", "us", "the time from a frame to the next",
		"; frames that a loop takes together have one instant, unless stamps date them"),
	V(jitter_us, "jitter_us", "us", 3,
		"at the last frame, RFC 3550 6.4.1: by a 16th of each difference of two gaps in a "
		"row, as for a sender whose gaps are equal"),
};

static void possible_streams(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes && !l->enough; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned k = 0; n->kind == SCENE_NIC && k < n->u.nic.streams && !l->enough;
			k++)
			look_tell(l, "%s.%u", n->name, k + 1);
	}
}

const struct kind kind_stream = {
	.key = "streams",
	.path = "stream",
	.title = "Foreign streams",
	.about = "Each stream from outside the scenario that a host with `streams` received, whole "
		 "run.",
	.example = "h1.1",
	.if_any = true,
	.size = sizeof(struct stream),
	KIND_FIGURES(figures),
	.make = make_streams,
	.name = name,
	.could = possible_streams,
};
