// SPDX-License-Identifier: BSD-3-Clause
// The losses of each real port between the wire and its node, in the whole run, by reason (real
// clock).
#include <errno.h>
#include <math.h>

#include "int.h"

struct device {
	struct fabric_device d;
	const char *port, *device, *driver, *interface, *mac_interface;
	double rx_stamped, stamp_resets, stamp_tick_ns, stamp_ppm, stamp_bound_us;
	double came, refused_us;
	double clock_ahead_us, clock_bound_us, round_trip_us;
	double exchanges, clock_ppm, clock_bound_ppm;
	double stranger_hellos;
	bool clock_broken;
	bool lossless;
};

// Whether a frame of unknown class that was to come in by the port may have been lossless.
static bool may_be_lossless(const struct scene_node *n, unsigned port)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (fabric_is_lossless(n, port, c))
			return true;
	return n->kind == SCENE_NIC && n->u.nic.pfc_classes;
}

static void fill_device(struct device *o, struct summary *s, const struct record_device *is)
{
	const struct scene_node *n = &s->rec->scene->node[is->node];
	struct fabric_device *d = &o->d;

	d->is = *is;
	d->own = is->ring_full + is->no_descriptor + is->no_buffer + is->unfit + is->no_room;
	d->lost_rx =
		d->own + is->rx_errors + is->if_rx_dropped + is->if_rx_errors + is->if_rx_missed;
	d->lost_tx = is->tx_errors + is->if_tx_dropped + is->if_tx_errors;
	d->received = fabric_port_came(s->rec, record_obj_port(s->rec, is->node, is->port));
	o->lossless = may_be_lossless(n, is->port);
	d->lossless = o->lossless ? d->lost_rx : 0;
	s->lost_own += d->own;
	s->lost_lossless += d->lossless;
	s->lost_lossless_own += o->lossless ? d->own : 0;
	o->port = n->port[is->port].name;
	o->device = n->port[is->port].device;
	o->driver = d->is.driver;
	o->interface = *is->interface ? d->is.interface : NULL;
	fabric_mac(&d->mac, s, is, (double)(d->lost_rx + is->unread));
	o->mac_interface = *is->mac_interface ? d->is.mac_interface : NULL;
	o->rx_stamped = is->stamps ? (double)is->rx_stamped : NAN;
	o->stamp_resets = is->stamps ? (double)is->stamp_resets : NAN;
	o->stamp_tick_ns = is->stamps_known ? is->stamp_tick_ns : NAN;
	o->stamp_ppm = is->stamps_known ? is->stamp_ppm : NAN;
	o->stamp_bound_us = is->stamps_known ? (double)is->stamp_bound / PS_PER_US : NAN;
	o->came = is->came_known ? (double)is->came : NAN;
	o->clock_ahead_us = is->clock_known ? is->clock_ahead_us : NAN;
	o->clock_bound_us = is->clock_known ? is->clock_bound_us : NAN;
	o->round_trip_us = is->clock_known ? is->round_trip_us : NAN;
	o->exchanges = is->clock_known ? (double)is->exchanges : NAN;
	o->clock_broken = is->clock_broken;
	o->stranger_hellos = is->peer_process ? (double)is->stranger_hellos : NAN;
	o->clock_ppm = is->clock_rate_known ? is->clock_ppm : NAN;
	o->clock_bound_ppm = is->clock_rate_known ? is->clock_bound_ppm : NAN;
	o->refused_us = (double)is->refused_ps / PS_PER_US;
}

static int make_devices(struct summary *s, struct set *to)
{
	if (set_room(to, &kind_device, s->run.n_devices))
		return -ENOMEM;
	for (unsigned i = 0; i < s->run.n_devices; i++)
		fill_device(set_add(to), s, &s->run.device[i]);
	s->run.device = NULL; // the driver's, which may be gone
	return 0;
}

const struct fabric_device *fabric_device(const struct summary *s, unsigned i)
{
	return set_at(&s->set[KIND_DEVICE], i);
}

static void put_stats(struct jw *w, const struct summary *s, const void *object, const char *name)
{
	const struct record_device *is = &((const struct device *)object)->d.is;

	(void)s;
	jw_object(w, name, true);
	for (unsigned i = 0; i < is->n_stats; i++)
		jw_u64(w, is->stat[i].name, is->stat[i].n);
	jw_end(w);
}

// Writes the counts that are not 0, by class: {"3": 5}.
static void put_classes(struct jw *w, const char *name, const uint64_t *n)
{
	char cls[4];

	jw_object(w, name, true);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (n[c]) {
			snprintf(cls, sizeof(cls), "%u", c);
			jw_u64(w, cls, n[c]);
		}
	jw_end(w);
}

static void put_mac_rx(struct jw *w, const struct summary *s, const void *object, const char *name)
{
	(void)s;
	put_classes(w, name, ((const struct device *)object)->d.is.mac.rx_pfc);
}

static void put_mac_tx(struct jw *w, const struct summary *s, const void *object, const char *name)
{
	(void)s;
	put_classes(w, name, ((const struct device *)object)->d.is.mac.tx_pfc);
}

#define COUNTS "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"integer\"}}"

static const struct figure_list mac_rx = {put_mac_rx, COUNTS}, mac_tx = {put_mac_tx, COUNTS};
static const struct figure_list stats = {put_stats, COUNTS};

#define N(field, name, unit, ...) ROW_COUNT(struct device, d.field, name, unit, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct device, port, "port", "the port"),
	ROW_TEXT(struct device, device, "device", "as the scenario names it"),
	ROW_TEXT(struct device, driver, "driver", "DPDK's name of its driver"),
	ROW_TEXT(struct device, interface, "interface", "the kernel's interface; `null`: none"),
	ROW_BOOL(struct device, lossless, "lossless",
		"whether the port has a lossless class, so that a frame lost before the node may "
		"have been of one"),
	ROW_VALUE(struct device, came, "came", "frames", 0,
		"frames that came to the device, lost ones included; `null`: nothing counts them"),
	ROW_VALUE(struct device, d.received, "rx_frames", "frames", 0,
		"frames that the node received from it, or that faults took before it; `null`: a "
		"replay's"),
	N(lost_rx, "lost_rx", "frames",
		"frames lost before the node: `ring_full` to `interface_missed` together"),
	N(own, "lost_own", "frames",
		"of `lost_rx`, frames that the instrument lost itself, for its loop came too late "
		"or had no room: `ring_full`, `no_descriptor`, `no_buffer`, `unfit`, "
		"`no_room`"),
	N(is.ring_full, "ring_full", "frames",
		"frames for which the kernel had no room in the ring that we read"),
	N(is.no_descriptor, "no_descriptor", "frames",
		"frames for which the device had no descriptor (`imissed`)"),
	N(is.no_buffer, "no_buffer", "frames", "frames for which the driver had no mbuf"),
	N(is.unfit, "unfit", "frames", "frames that fitted no mbuf of ours"),
	N(is.no_room, "no_room", "frames",
		"frames for which another lcore of the host had no room"),
	N(is.rx_errors, "rx_errors", "frames", "frames that the device found faulty (`ierrors`)"),
	N(is.if_rx_dropped, "interface_dropped", "frames",
		"frames that the kernel's interface dropped before they came to us; those of "
		"`ring_full` do not count again"),
	N(is.if_rx_errors, "interface_errors", "frames",
		"frames that the kernel's interface found faulty"),
	N(is.if_rx_missed, "interface_missed", "frames",
		"frames that the kernel's interface had no buffer for"),
	N(is.unread, "unread", "frames",
		"frames that stood in the device's ring when the run ended: not lost, not "
		"received"),
	N(is.taken, "tx_frames", "frames", "frames that the driver took to be sent"),
	N(lost_tx, "lost_tx", "frames",
		"frames lost behind the node: `tx_errors` to `interface_tx_errors` together"),
	N(is.tx_errors, "tx_errors", "frames",
		"frames that the driver took and could not send (`oerrors`)"),
	N(is.if_tx_dropped, "interface_tx_dropped", "frames",
		"frames that the kernel's interface dropped instead of sending them"),
	N(is.if_tx_errors, "interface_tx_errors", "frames",
		"frames that the kernel's interface could not send"),
	N(is.unsent, "unsent", "frames",
		"frames that the device had refused and that did not leave: they were still to go "
		"when the run ended, or were dropped because the link went down or the PFC "
		"watchdog had found a storm"),
	ROW_VALUE(struct device, refused_us, "refused_us", "us", 3,
		"time for which frames waited, because the device took no more; a device at its "
		"line rate refuses at times, too"),
	ROW_VALUE(struct device, clock_ahead_us, "peer_clock_us", "us", 3,
		"where another part runs the peer (`--nodes`): how far its scene time is ahead of "
		"ours at the end of the run, by hellos; `null`: there is no such part, it was not "
		"asked, or its clock contradicts itself"),
	ROW_BOOL(struct device, clock_broken, "peer_clock_contradicts",
		"whether exchanges of hellos contradicted each other: one of the two clocks was "
		"set, or they drift apart by more than 100 ppm"),
	ROW_VALUE(struct device, clock_bound_us, "peer_clock_bound_us", "us", 3,
		"how far `peer_clock_us` may be off: half of a round trip, and what two "
		"oscillators of 50 ppm have drifted apart since"),
	ROW_VALUE(struct device, round_trip_us, "peer_round_trip_us", "us", 3,
		"the shortest time from a hello to its answer, less the time that the peer held "
		"it, scene time"),
	ROW_VALUE(struct device, exchanges, "peer_clock_exchanges", "exchanges", 0,
		"hellos and answers by which the clock is known"),
	ROW_VALUE(struct device, clock_ppm, "peer_clock_drift_ppm", "ppm", 3,
		"by how much the peer's clock was faster than ours, in parts per million; `null`: "
		"no two exchanges are far enough apart"),
	ROW_VALUE(struct device, clock_bound_ppm, "peer_clock_drift_bound_ppm", "ppm", 3,
		"how far `peer_clock_drift_ppm` may be off"),
	ROW_VALUE(struct device, stranger_hellos, "stranger_hellos", "frames", 0,
		"where another part runs the peer: hellos that came and were not new ones of the "
		"part that was met, the time before the start included; `null`: no part was met"),
	ROW_VALUE(struct device, rx_stamped, "rx_stamped", "frames", 0,
		"frames whose instant of arrival is a stamp of the device; `null`: it gives none, "
		"and the loop that reads a frame dates it"),
	ROW_VALUE(struct device, stamp_tick_ns, "stamp_tick_ns", "ns", 6,
		"scene time of one tick of the clock by which the device stamps frames, measured"),
	ROW_VALUE(struct device, stamp_ppm, "stamp_drift_ppm", "ppm", 3,
		"by how much that clock is faster than the scene's time; `null`: it counts neither "
		"in ns nor in us"),
	ROW_VALUE(struct device, stamp_bound_us, "stamp_bound_us", "us", 6,
		"how far an instant by a stamp may be off, besides the least time from the device "
		"to the loop, which is in each of them"),
	ROW_VALUE(struct device, stamp_resets, "stamp_resets", "events", 0,
		"times that the device's clock was set, from when on the loop dated frames until "
		"the clock was known again"),
	ROW_TEXT(struct device, mac_interface, "mac_interface",
		"the kernel's interface whose driver tells of pause frames that the MAC counts; "
		"`null`: none does"),
	ROW_VALUE(struct device, d.mac.rx, "mac_rx_pause", "frames", 0,
		"PFC and PAUSE frames that the MAC counted as received, a PFC frame once for each "
		"of its classes; `null`: its driver does not tell"),
	ROW_VALUE(struct device, d.mac.tx, "mac_tx_pause", "frames", 0,
		"PFC and PAUSE frames that the MAC counted as sent, a PFC frame once for each of "
		"its classes; `null`: its driver does not tell"),
	ROW_VALUE(struct device, d.mac.kept, "mac_kept_pause", "frames", 0,
		"of `mac_rx_pause`, at least so many never reached the node: the MAC obeyed them "
		"itself"),
	ROW_VALUE(struct device, d.mac.made, "mac_made_pause", "frames", 0,
		"of `mac_tx_pause`, at least so many were not the node's: the MAC sent them "
		"itself"),
	ROW_VALUE(struct device, d.mac.paused_us, "mac_paused_us", "us", 0,
		"time for which received pause frames stopped the MAC by its own counters, added "
		"up over classes"),
	ROW_LIST(&mac_rx, "mac_rx_pfc", "PFC frames that the MAC counted as received, by class"),
	ROW_LIST(&mac_tx, "mac_tx_pfc", "PFC frames that the MAC counted as sent, by class"),
	ROW_LIST(&stats, "xstats",
		"counters of the driver's own that tell of losses and are not 0, by their names; "
		"they repeat what the reasons count"),
};

static bool is_real(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)cls;
	return n->port[port].device != NULL;
}

static void possible_devices(struct kind_look *l)
{
	look_ports(l, is_real);
}

const struct kind kind_device = {
	.key = "devices",
	.path = "device",
	.title = "Devices",
	.about = "Each real port, whole run: what was lost between the wire and its node, each "
		 "frame by one reason. [real-time.md](real-time.md) says which counter is the "
		 "truth with which driver.",
	.example = "s1:a",
	.if_any = true,
	.size = sizeof(struct device),
	KIND_FIGURES(figures),
	.make = make_devices,
	.name_at = offsetof(struct device, port),
	.could = possible_devices,
};
