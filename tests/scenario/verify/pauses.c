// SPDX-License-Identifier: BSD-3-Clause
// Faults of a switch in PFC and PAUSE: obeyed, sent, forwarded, counted.
#include <string.h>

#include "bad.h"

static void twice(uint8_t *enable, uint16_t *quanta)
{
	(void)enable;
	for (unsigned c = 0; c < PAUSE_PRIOS; c++)
		quanta[c] = (uint16_t)(quanta[c] > UINT16_MAX / 2 ? UINT16_MAX : 2 * quanta[c]);
}

static void nothing(uint8_t *enable, uint16_t *quanta)
{
	(void)quanta;
	*enable = 0;
}

// Each priority gets the request of the one below it.
static void next_priority(uint8_t *enable, uint16_t *quanta)
{
	uint16_t last = quanta[PAUSE_PRIOS - 1];

	*enable = (uint8_t)(*enable << 1 | *enable >> 7);
	memmove(quanta + 1, quanta, (PAUSE_PRIOS - 1) * sizeof(*quanta));
	quanta[0] = last;
}

static void without_xon(uint8_t *enable, uint16_t *quanta)
{
	for (unsigned c = 0; c < PAUSE_PRIOS; c++)
		if (!quanta[c])
			*enable &= (uint8_t) ~(1u << c);
}

// The other classes of a frame get the largest of its quanta, too.
static void all_priorities(uint8_t *enable, uint16_t *quanta)
{
	uint16_t most = 0;

	for (unsigned c = 0; c < PAUSE_PRIOS; c++)
		most = quanta[c] > most ? quanta[c] : most;
	for (unsigned c = 0; c < PAUSE_PRIOS; c++)
		quanta[c] = most;
	*enable = 0xff;
}

static void empty_vector_obeyed(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	(void)sw;
	(void)port;
	(void)now;
	if (p->kind == PKT_PFC && !p->u.pfc.enable)
		p->u.pfc.enable = 0xff;
}

// A MAC control frame with another opcode or destination is taken for PFC.
static void odd_frames_obeyed(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	(void)sw;
	(void)port;
	(void)now;
	if (p->kind == PKT_MACCTL)
		p->kind = PKT_PFC;
}

static void zero_mac_ignored(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	static const uint8_t zero[6];

	(void)sw;
	(void)port;
	(void)now;
	if (p->kind == PKT_PFC && !memcmp(p->hdr->src, zero, sizeof(zero)))
		p->kind = PKT_MACCTL;
}

// Sends a copy of a MAC control frame out of all other ports.
static void forward(struct sw *sw, unsigned port, const struct pkt *p, tstamp now)
{
	for (unsigned i = 0; i < sw->n_ports; i++) {
		struct sw_port *o = &sw->port[i];
		struct pkt *c = i == port ? NULL : sw_get_ctl(sw);

		if (!c)
			continue;
		*c = (struct pkt){.hdr = p->hdr,
			.when = now,
			.born = now,
			.len = p->len,
			.kind = p->kind,
			.in_port = PKT_NO_PORT,
			.u.pfc = p->u.pfc};
		o->rare->stats.originated_frames++;
		eport_put_ctl(&o->e, c);
		sw_port_changed(sw, o);
	}
}

static void pfc_forwarded(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	if (p->kind == PKT_PFC)
		forward(sw, port, p, now);
}

static void pause_forwarded(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	if (p->kind == PKT_PAUSE)
		forward(sw, port, p, now);
}

// Bits of classes for which the frame has no time, in the half of the vector that is reserved.
static void reserved_bits(struct sw *sw, unsigned port, struct pkt *p)
{
	(void)sw;
	(void)port;
	if (p->kind == PKT_PFC)
		p->u.pfc.enable_high = 0xff;
}

static void no_source(struct sw *sw, unsigned port, struct pkt *p)
{
	if (p->kind == PKT_PFC)
		memset(sw->port[port].rare->pfc_hdr.src, 0, 6);
}

static struct sw_port *no_port(struct sw *sw, struct sw_port *in)
{
	(void)sw;
	(void)in;
	return NULL;
}

static struct sw_port *next_port(struct sw *sw, struct sw_port *in)
{
	return &sw->port[(in->index + 1u) % sw->n_ports];
}

// A PAUSE frame counts as PFC of all priorities.
static void pause_counted(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	uint16_t quanta[PAUSE_PRIOS];

	for (unsigned c = 0; c < PAUSE_PRIOS; c++)
		quanta[c] = p->u.pfc.quanta[0];
	if (p->kind == PKT_PAUSE)
		pause_rx_count(&sw->port[port].rare->prx, 0xff, quanta, now);
}

static void as_data(struct sw_port_stats *s)
{
	s->consumed_frames = 0;
}

// A queue that is slowed down looks as if it stood still.
static void sees_no_frames(struct pfcwd_sample *s)
{
	s->tx_frames = 0;
	s->pause_duration *= 2;
}

const struct bad bad_pauses[] = {
	{.name = "obeys-nothing", .obeys = nothing},
	{.name = "obeys-twice", .obeys = twice},
	{.name = "obeys-next-priority", .obeys = next_priority},
	{.name = "obeys-no-xon", .obeys = without_xon},
	{.name = "obeys-empty-vector", .came = empty_vector_obeyed},
	{.name = "obeys-odd-frames", .came = odd_frames_obeyed},
	{.name = "ignores-zero-mac", .came = zero_mac_ignored},
	{.name = "forwards-pfc", .came = pfc_forwarded},
	{.name = "forwards-pause", .came = pause_forwarded},
	{.name = "xoff-missing", .stops = no_port, .frees = no_port},
	{.name = "xon-missing", .frees = no_port},
	{.name = "xoff-at-next-port", .stops = next_port, .frees = next_port},
	{.name = "xoff-of-next-priority", .tells = next_priority},
	{.name = "xoff-of-all-priorities", .tells = all_priorities},
	{.name = "pfc-reserved-bits", .left = reserved_bits},
	{.name = "pfc-no-source", .left = no_source},
	{.name = "counts-next-priority", .counts = next_priority},
	{.name = "counts-no-xon", .counts = without_xon},
	{.name = "counts-pause-as-pfc", .came = pause_counted},
	{.name = "counts-pfc-as-data", .tells_counters = as_data},
	{.name = "watchdog-sees-storms", .watches = sees_no_frames},
	{.name = NULL},
};
