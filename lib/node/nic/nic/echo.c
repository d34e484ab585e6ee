// SPDX-License-Identifier: BSD-3-Clause
// The echo: a host sends frames of the open loop back to their sender, at the rate at which they
// arrive, through its own egress port. The sender times how long each was on its way.
#include <errno.h>
#include <stdlib.h>

#include "frame/turn.h"
#include "int.h"

int nic_add_echo(struct nic *nic, uint32_t source, const struct hdr *back, uint8_t cls)
{
	if (!nic->p.echoes || source >= nic->p.max_sources || cls >= PKT_CLASSES)
		return -EINVAL;
	nic->source[source].back = back;
	nic->source[source].back_cls = cls;
	return 0;
}

int nic_add_trips(struct nic *nic, uint32_t source, uint32_t frames)
{
	struct trips *t;
	int rc;

	if (source >= nic->p.max_sources || nic_find_gen(nic, source) < 0)
		return -EINVAL;
	if (nic->source[source].trips)
		return -EEXIST;
	t = calloc(1, sizeof(*t));
	rc = t ? trips_init(t, frames) : -ENOMEM;
	if (rc) {
		free(t);
		return rc;
	}
	nic->source[source].trips = t;
	nic->source[source].left = &t->left;
	return 0;
}

const struct departures *nic_keep_departures(struct nic *nic, uint32_t source, uint32_t frames)
{
	struct nic_source *s = &nic->source[source];
	struct departures *d = s->left ? NULL : calloc(1, sizeof(*d));

	if (d && departures_init(d, frames)) {
		free(d);
		d = NULL;
	}
	if (d)
		s->left = d;
	return s->left;
}

void nic_echo_fini(struct nic *nic)
{
	for (unsigned i = 0; nic->source && i < nic->p.max_sources; i++) {
		struct nic_source *s = &nic->source[i];

		if (s->trips)
			trips_fini(s->trips);
		else if (s->left)
			departures_fini(s->left);
		free(s->trips ? (void *)s->trips : s->left);
	}
}

// Sends a frame back in its own packet, so that no second packet is needed: one frame is consumed
// and one is made. It keeps its in_port, by which nic_is_echo() knows it.
static void send_back(struct nic *nic, struct pkt *p, unsigned cls, tstamp now)
{
	p->cls = (uint8_t)cls;
	nic->s.consumed_frames++;
	nic->s.echo_tx++;
	nic->echoes++;
	nic_queue(nic, cls, p, now);
}

// Whether one more may wait; else it is dropped.
static bool has_room(struct nic *nic, struct pkt *p, tstamp now)
{
	if (nic->echoes < NIC_ECHOES)
		return true;
	nic_drop(nic, NIC_DROP_ECHO_FULL, p, now);
	return false;
}

// A frame that came as bytes goes back as the same bytes, whoever has sent it.
static void turn_bytes(struct nic *nic, struct pkt *p, unsigned cls, tstamp now)
{
	if (!turn_may(p)) {
		nic_drop(nic, NIC_DROP_NO_ECHO, p, now);
	} else if (has_room(nic, p, now)) {
		turn_frame(p);
		send_back(nic, p, cls, now);
	}
}

void nic_echo_gen(struct nic *nic, struct nic_source *from, struct pkt *p, tstamp now)
{
	if (!from->back) {
		if (nic_echo_rx(nic, p, now)) // another scenario's, with a number of ours
			return;
		nic->s.consumed_frames++;
		pkt_put(nic->stack, p);
	} else if (p->flags & PKT_F_FOREIGN) {
		turn_bytes(nic, p, from->back_cls, now);
	} else if (has_room(nic, p, now)) {
		p->hdr = from->back;
		send_back(nic, p, from->back_cls, now);
	}
}

bool nic_echo_rx(struct nic *nic, struct pkt *p, tstamp now)
{
	if (!nic->p.echoes || !(p->flags & PKT_F_FOREIGN) || p->hdr->dst[0] & 1)
		return false;
	if (p->kind == PKT_GEN && !(p->hdr->flags & HDR_IP))
		turn_bytes(nic, p, nic_class_of(nic, p), now);
	else if ((p->kind == PKT_GEN || p->kind == PKT_UDP) && nic_stream_for_us(nic, p))
		turn_bytes(nic, p, nic_class_of(nic, p), now);
	else
		return false;
	return true;
}

bool nic_echo_came(struct nic *nic, struct nic_source *of, struct pkt *p, tstamp now)
{
	if (!trips_came(of->trips, p, now))
		return false;
	nic->s.echo_rx++;
	nic->s.gen_rx_frames++;
	nic->s.consumed_frames++;
	pkt_put(nic->stack, p);
	return true;
}
