// SPDX-License-Identifier: BSD-3-Clause
// The receiver of a flow against its sender. A frame that is sent again counts as sent, so loss and
// repair break nothing. A flow with an end elsewhere is unknown, and not judged.
#include "conserve.h"
#include "injector.h"

#include <errno.h>
#include <inttypes.h>

// Frames that no sender of a flow sent: copies that switches made for flooding, captures, frames
// that came in by real ports, and frames that faults copied, forged or rewrote. Captures, the world
// outside and faults that forge or rewrite may have frames of any flow. A responder takes a copy
// for a duplicate, so a copy brings no message and no payload.
struct others {
	uint64_t frames, messages, bytes;
};

static void add_foreign(struct others *o, uint64_t frames, uint64_t bytes)
{
	o->frames += frames;
	o->messages += frames;
	o->bytes += bytes;
}

static void add_port(struct others *o, const struct net_node *n, unsigned port)
{
	bool real = n->scene->port[port].device != NULL;

	if (n->kind == SCENE_SW) {
		struct sw_port_stats s = sw_port_stats(n->u.sw, port);

		o->frames += s.copied_frames;
		if (real)
			add_foreign(o, s.rx_frames, s.rx_bytes);
	} else if (n->kind == SCENE_NIC && real) {
		add_foreign(o, nic_stats(n->u.nic)->rx_frames, nic_stats(n->u.nic)->rx_bytes);
	}
}

// Faults copy frames. Frames that they forge or rewrite may be any flow's.
static void add_faults(struct others *o, const struct net *net)
{
	struct fault_stats f = net_fault_stats(net);
	uint64_t changed = f.forged_frames + f.rewritten_frames;

	o->frames += f.copied_frames;
	add_foreign(o, changed, changed * net->scene->max_frame);
}

static struct others others_of(const struct net *net)
{
	struct others o = {0};

	add_faults(&o, net);

	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct net_node *n = net_node(net, i);
		const struct replay_stats *s = net_replay_stats(n);

		for (unsigned p = 0; p < n->scene->n_ports; p++)
			add_port(&o, n, p);
		if (s)
			add_foreign(&o, s->tx_frames, s->tx_bytes);
	}
	return o;
}

// The counters of an end of a flow; NULL: it does not run here.
static const struct nic_qp_stats *end_of(
	const struct net *net, unsigned node, unsigned flow, bool sender)
{
	const struct nic *nic = net_nic(net, node);
	int qp = nic ? nic_find_qp(nic, flow, sender) : -1;

	return qp < 0 ? NULL : nic_qp_stats(nic, (unsigned)qp);
}

// Checks that a flow's receiver has no more than its sender sent. `others` is the surplus that the
// receivers of all flows may still have.
static int hold_flow(const char *flow, const char *what, uint64_t received, uint64_t sent,
	uint64_t *others, struct err *err)
{
	uint64_t more = received > sent ? received - sent : 0;

	if (more <= *others) {
		*others -= more;
		return 0;
	}
	if (!*others)
		return err_set(err, -EPROTO, "%s: %" PRIu64 " %s were received of %" PRIu64 " sent",
			flow, received, what, sent);
	return err_set(err, -EPROTO,
		"%s: %" PRIu64 " %s were received of %" PRIu64 " sent and %" PRIu64
		" flooded, replayed, made by faults or from outside",
		flow, received, what, sent, *others);
}

int conserve_flows(const struct net *net, struct err *err)
{
	const struct scene *s = net->scene;
	struct others o = others_of(net);
	int rc = 0;

	for (unsigned i = 0; i < s->n_flows && !rc; i++) {
		const struct scene_flow *f = s->flow[i];
		const struct nic_qp_stats *tx = end_of(net, f->from, i, true);
		const struct nic_qp_stats *rx = end_of(net, f->to, i, false);

		if (!tx || !rx)
			continue;
		rc = hold_flow(f->name, "data frames", rx->data_frames_rx, tx->data_frames_tx,
			&o.frames, err);
		if (!rc)
			rc = hold_flow(f->name, "messages", rx->message_complete_rx, tx->message_tx,
				&o.messages, err);
		if (!rc)
			rc = hold_flow(f->name, "bytes of payload", rx->rx_bytes, tx->tx_bytes,
				&o.bytes, err);
	}
	return rc;
}
