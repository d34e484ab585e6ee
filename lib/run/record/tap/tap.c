// SPDX-License-Identifier: BSD-3-Clause
// The stream of a tap: frames that its filter lets pass, in a ring of whole blocks. A block without
// room is left out and counted, so that the stream is always a file of pcapng.
#include "int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"

#define BLOCK (PKT_MAX_LEN + PCAPNG_COMMENT + 128) // bytes of a frame's block at most

struct port {
	struct tap_note *note;
	uint64_t refused, accepted, unsent, lost;
};

struct tap {
	const struct scene *scene;
	struct tap_want want;
	struct pcapng_clock clock;
	tstamp from, until; // frames at and after `until` are not taken
	uint64_t frames;    // that were written
	bool ended;
	struct port *port; // by number in `want`
	char *ring;
	size_t at, n;   // of the ring: the first byte, and how many there are
	size_t kept;    // room for the counts of the end
	char *block;    // one, before it goes into the ring
	uint8_t *bytes; // FRAME_SHOWN
};

// False: the ring has no room.
static bool put_block(struct tap *t, const char *end)
{
	size_t n = (size_t)(end - t->block), to = (t->at + t->n) % TAP_BUFFER;
	size_t first = n < TAP_BUFFER - to ? n : TAP_BUFFER - to;

	if (n + t->n + t->kept > TAP_BUFFER)
		return false;
	memcpy(t->ring + to, t->block, first);
	memcpy(t->ring, t->block + first, n - first);
	t->n += n;
	return true;
}

static int begin_stream(struct tap *t, struct err *err)
{
	bool fits = put_block(t, pcapng_section(t->block));

	t->kept = (size_t)t->want.n_ports * PCAPNG_STATISTICS;
	for (unsigned i = 0; fits && i < t->want.n_ports; i++) {
		struct tap_port p = t->want.port[i];
		const struct scene_port *port = &t->scene->node[p.node].port[p.port];

		fits = put_block(t, pcapng_interface(t->block, port->name, port->rate, &t->clock));
	}
	return fits ? 0 : err_set(err, -EINVAL, "%u ports are too many", t->want.n_ports);
}

static int make_room(struct tap *t)
{
	t->ring = malloc(TAP_BUFFER);
	t->block = malloc(BLOCK);
	t->bytes = malloc(FRAME_SHOWN);
	t->port = calloc(t->want.n_ports, sizeof(*t->port));
	if (!t->ring || !t->block || !t->bytes || !t->port)
		return -ENOMEM;
	for (unsigned i = 0; i < t->want.n_ports; i++)
		if (!(t->port[i].note = tap_note_new()))
			return -ENOMEM;
	return 0;
}

int tap_new(struct tap **out, const struct scene *s, uint64_t begin_ns, tstamp now,
	const char *text, struct err *err)
{
	struct tap *t = calloc(1, sizeof(*t));
	int rc = t ? 0 : err_set(err, -ENOMEM, "no memory for a capture");

	if (rc)
		return rc;
	t->scene = s;
	t->clock.begin_ns = begin_ns;
	t->from = now;
	rc = tap_want_read(&t->want, s, text, err);
	t->until = t->want.time && t->want.time < TSTAMP_NEVER - now ? now + t->want.time
								     : TSTAMP_NEVER;
	if (!rc && make_room(t))
		rc = err_set(err, -ENOMEM, "no memory for a capture of %u ports", t->want.n_ports);
	if (!rc)
		rc = begin_stream(t, err);
	if (rc)
		tap_free(t);
	else
		*out = t;
	return rc;
}

void tap_free(struct tap *t)
{
	if (!t)
		return;
	for (unsigned i = 0; t->port && i < t->want.n_ports; i++)
		tap_note_free(t->port[i].note);
	free(t->port);
	free(t->ring);
	free(t->block);
	free(t->bytes);
	tap_want_free(&t->want);
	free(t);
}

unsigned tap_ports(const struct tap *t)
{
	return t->want.n_ports;
}

struct tap_port tap_port(const struct tap *t, unsigned i)
{
	return t->want.port[i];
}

// The number of a port of a node among those of the tap; -1: it is not tapped.
static int number_of(const struct tap *t, unsigned node, unsigned port)
{
	node = scene_host_of(t->scene, node);
	for (unsigned i = 0; i < t->want.n_ports; i++)
		if (t->want.port[i].node == node && t->want.port[i].port == port)
			return (int)i;
	return -1;
}

void tap_mark(struct tap *t, tstamp at, const char *text)
{
	for (unsigned i = 0; i < t->want.n_ports; i++)
		tap_note_moment(t->port[i].note, at, "mark: ", text);
}

// All ports of the node show its change.
static void event_set(struct tap *t, unsigned node, const struct ev *e)
{
	for (unsigned i = 0; i < t->want.n_ports; i++)
		if (t->want.port[i].node == scene_host_of(t->scene, node))
			tap_note_moment(t->port[i].note, e->t, "values changed", "");
}

void tap_event(struct tap *t, unsigned node, const struct ev *e)
{
	int i = t->ended ? -1 : number_of(t, node, e->port);

	if (e->type == EV_SET)
		event_set(t, node, e);
	if (i >= 0)
		tap_note_event(t->port[i].note, e);
}

static bool passes(struct tap *t, const uint8_t *bytes, unsigned len)
{
	const struct pcap_pkthdr h = {.caplen = len, .len = len};

	return !t->want.filters || pcap_offline_filter(&t->want.filter, &h, bytes) != 0;
}

static void put_frame(
	struct tap *t, unsigned i, const struct tap_frame *f, const uint8_t *bytes, unsigned len)
{
	char comment[PCAPNG_COMMENT + 1];
	struct port *p = &t->port[i];

	tap_note_frame(p->note, t->scene, f, comment, sizeof(comment));
	p->accepted++;
	if (!put_block(t, pcapng_frame(t->block, &t->clock,
				  &(struct pcapng_frame){.interface = i,
					  .t = f->t,
					  .dir = f->dir + 1,
					  .bytes = bytes,
					  .len = len,
					  .comment = comment}))) {
		p->unsent++;
		return;
	}
	if (++t->frames == t->want.count)
		tap_end(t, f->t);
}

void tap_frame(struct tap *t, const struct tap_frame *f)
{
	int i = t->ended || f->t < t->from ? -1 : number_of(t, f->node, f->port);
	const uint8_t *bytes;
	unsigned len;

	if (i < 0)
		return;
	if (f->t >= t->until) {
		tap_end(t, t->until);
		return;
	}
	len = frame_shown(f->pkt, t->scene->payload, t->bytes, &bytes);
	if (passes(t, bytes, len))
		put_frame(t, (unsigned)i, f, bytes, len);
	else
		t->port[i].refused++;
}

void tap_lost(struct tap *t, unsigned i, uint64_t frames)
{
	if (!t->ended)
		t->port[i].lost = frames;
}

void tap_turn(struct tap *t, tstamp now)
{
	if (now >= t->until)
		tap_end(t, t->until);
}

void tap_end(struct tap *t, tstamp now)
{
	if (t->ended)
		return;
	t->ended = true;
	t->kept = 0;
	for (unsigned i = 0; i < t->want.n_ports; i++) {
		const struct port *p = &t->port[i];
		const struct pcapng_counts n = {.seen = p->accepted + p->refused + p->lost,
			.lost = p->lost,
			.accepted = p->accepted,
			.unsent = p->unsent};

		put_block(t, pcapng_statistics(t->block, i, &t->clock, now, &n));
	}
}

bool tap_has_ended(const struct tap *t)
{
	return t->ended;
}

uint64_t tap_missing(const struct tap *t)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < t->want.n_ports; i++)
		n += t->port[i].lost + t->port[i].unsent;
	return n;
}

const void *tap_bytes(const struct tap *t, size_t *n)
{
	*n = t->n < TAP_BUFFER - t->at ? t->n : TAP_BUFFER - t->at;
	return t->ring + t->at;
}

void tap_took(struct tap *t, size_t n)
{
	t->at = (t->at + n) % TAP_BUFFER;
	t->n -= n;
}
