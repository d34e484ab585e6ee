// SPDX-License-Identifier: BSD-3-Clause
// Streams that came to observed ports: bursts, the CE in them, and missing numbers.
#include <errno.h>
#include <math.h>

#include "int.h"

struct outside_stream_row {
	const char *port, *source, *from, *to;
	char saddr[48], daddr[48];
	unsigned number, qpn;
	uint64_t frames, bytes, ce, bursts, ce_bursts;
	double first_ce_least, first_ce_most, last_ce_most;
	double first_missing, missing;
};

struct adding {
	const struct summary *s;
	struct set *to;
};

static void put_address(char *buf, size_t size, bool ipv6, const uint8_t a[16])
{
	if (!ipv6) {
		snprintf(buf, size, "%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
		return;
	}
	*buf = '\0';
	for (unsigned i = 0; i < 16; i += 2)
		append_text(buf, size, "%s%x", i ? ":" : "", (unsigned)(a[i] << 8 | a[i + 1]));
}

static double index_of(const struct outside_stream *is, uint64_t index)
{
	return is->ce_frames ? (double)index : NAN;
}

static void fill_stream(
	struct outside_stream_row *r, const struct scene *scene, const struct outside_stream *is)
{
	put_address(r->saddr, sizeof(r->saddr), is->ipv6, is->saddr);
	put_address(r->daddr, sizeof(r->daddr), is->ipv6, is->daddr);
	r->from = r->saddr;
	r->to = r->daddr;
	if (is->open_loop && is->number < scene->n_sources)
		r->source = scene->source[is->number]->name;
	r->qpn = is->open_loop ? 0 : is->number;
	r->frames = is->frames;
	r->bytes = is->bytes;
	r->ce = is->ce_frames;
	r->bursts = is->bursts;
	r->ce_bursts = is->ce_bursts;
	r->first_ce_least = index_of(is, is->first_ce_least);
	r->first_ce_most = index_of(is, is->first_ce_most);
	r->last_ce_most = index_of(is, is->last_ce_most);
	r->missing = is->open_loop ? (double)is->missing : NAN;
	r->first_missing = is->first_missing != OUTSIDE_NONE ? (double)is->first_missing : NAN;
}

static bool add_streams(void *arg, const struct scene_port *p, const struct outside *o)
{
	struct adding *a = arg;
	const struct outside_stream *is;

	for (unsigned i = 0; (is = outside_stream(o, i)); i++) {
		struct outside_stream_row *r = set_add(a->to);

		r->port = p->name;
		r->number = i;
		fill_stream(r, a->s->rec->scene, is);
	}
	return true;
}

static int make_streams(struct summary *s, struct set *to)
{
	if (set_room(to, &kind_outside_stream, fabric_n_outside(s) * OUTSIDE_STREAMS))
		return -ENOMEM;
	fabric_each_outside(s, add_streams, &(struct adding){s, to});
	return 0;
}

#define N(field, name, unit, ...) \
	ROW_COUNT(struct outside_stream_row, field, name, unit, __VA_ARGS__)
#define V(field, name, ...) ROW_VALUE(struct outside_stream_row, field, name, "", 0, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct outside_stream_row, port, "port", "the observed port"),
	ROW_ID(struct outside_stream_row, number, "number",
		"its number among the streams of the port, in the order in which they began"),
	ROW_TEXT(struct outside_stream_row, from, "from", "the sender's address"),
	ROW_TEXT(struct outside_stream_row, to, "to", "the receiver's address"),
	ROW_TEXT(struct outside_stream_row, source, "source",
		"the open-loop source; `null`: the frames are of a queue pair"),
	ROW_ID(struct outside_stream_row, qpn, "qpn",
		"QPN that the frames go to; 0: they are of an open-loop source"),
	N(frames, "frames", "frames", "frames that arrived"),
	N(bytes, "bytes", "bytes", "bytes of the frames that arrived, with FCS"),
	N(bursts, "bursts", "",
		"rows of frames of the stream with less than the time of a shortest frame (real "
		"clock: or of the loop's tolerance) between two"),
	N(ce, "ce_frames", "frames", "frames that arrived with CE"),
	N(ce_bursts, "ce_bursts", "", "bursts with CE"),
	V(first_ce_least, "first_ce_index_min",
		"minimum over the bursts of the index of the first frame with CE, from 0"),
	V(first_ce_most, "first_ce_index_max",
		"maximum over the bursts of the index of the first frame with CE, from 0"),
	V(last_ce_most, "last_ce_index_max",
		"maximum over the bursts of the index of the last frame with CE, from 0"),
	V(first_missing, "first_missing",
		"number of the first frame of an open-loop source that did not arrive; `null`: "
		"none is missing, or that frame arrived late"),
	ROW_VALUE(struct outside_stream_row, missing, "missing_frames", "frames", 0,
		"frames of an open-loop source that did not arrive, by the numbers of the frames "
		"behind them"),
};

static const char *stream_name(const void *object, char *buf)
{
	const struct outside_stream_row *r = object;

	snprintf(buf, KIND_NAME, "%s.%u", r->port, r->number);
	return buf;
}

static void could_streams(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned p = 0; p < n->n_ports; p++)
			for (unsigned k = 0; n->port[p].observe && k < OUTSIDE_STREAMS; k++) {
				if (l->enough)
					return;
				look_tell(l, "%s.%u", n->port[p].name, k);
			}
	}
}

const struct kind kind_outside_stream = {
	.key = "seen_from_outside_streams",
	.path = "outside_stream",
	.title = "Streams seen from outside",
	.about = "Each queue pair and open-loop source whose data came to an observed port, whole "
		 "run, by its number at the port from 0.",
	.example = "s1:h1.0",
	.if_any = true,
	.size = sizeof(struct outside_stream_row),
	KIND_FIGURES(figures),
	.make = make_streams,
	.name = stream_name,
	.could = could_streams,
};
