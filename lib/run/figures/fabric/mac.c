// SPDX-License-Identifier: BSD-3-Clause
// Pause frames that the MAC of a real port counted, beside the counts of its node: the MAC may keep
// received frames for itself, and send frames of its own.
#include <math.h>

#include "int.h"

// Frames that a port received and that were no valid PFC; and frames that faults changed.
static double uncertain(const struct summary *s, const struct rec_port *p)
{
	const struct nic *nic = net_nic(s->rec->net, p->node);
	double invalid = 0;

	if (p->sw)
		invalid = (double)sw_port_rare_stats(p->sw, p->port)->pfc_invalid_frames;
	else if (nic)
		invalid = (double)nic_stats(nic)->pfc_invalid_frames;
	return invalid + fabric_changed_by_faults(s->rec, p);
}

static double more(uint64_t mac, double node)
{
	return fmax((double)mac - node, 0);
}

static double frames_of(const struct pause_stats *s)
{
	return (double)(s->xoff_frames + s->xon_frames);
}

// A PFC frame may name several classes, so of the classes the largest difference counts. The result
// is a lower bound: each frame that was lost on its way to the node may have been a pause frame.
static void compare(
	struct fabric_mac *m, const struct record_mac *is, const struct rec_port *p, double may_be)
{
	double pfc_rx = 0, pfc_tx = 0, pause_rx = 0, pause_tx = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (p->rx)
			pfc_rx = fmax(pfc_rx, more(is->rx_pfc[c], frames_of(&p->rx->stats[c])));
		if (p->tx)
			pfc_tx = fmax(pfc_tx, more(is->tx_pfc[c], frames_of(&p->tx->stats[c])));
	}
	if (is->own && p->pause_rx)
		pause_rx = more(is->rx_pause, (double)*p->pause_rx);
	if (is->own && p->pause_tx)
		pause_tx = more(is->tx_pause, (double)*p->pause_tx);
	m->kept = p->rx ? fmax(pfc_rx + pause_rx - may_be, 0) : NAN;
	m->made = p->tx ? pfc_tx + pause_tx : NAN;
}

void fabric_mac(struct fabric_mac *m, const struct summary *s, const struct record_device *is,
	double may_be)
{
	const struct rec_port *p = record_obj_port(s->rec, is->node, is->port);

	*m = (struct fabric_mac){NAN, NAN, NAN, NAN, NAN};
	if (!is->mac.known)
		return;
	m->rx = (double)is->mac.rx_pause;
	m->tx = (double)is->mac.tx_pause;
	m->paused_us = is->mac.time_known ? 0 : NAN;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		m->rx += (double)is->mac.rx_pfc[c];
		m->tx += (double)is->mac.tx_pfc[c];
		m->paused_us += (double)is->mac.rx_paused_us[c];
	}
	compare(m, &is->mac, p, may_be + uncertain(s, p));
}
