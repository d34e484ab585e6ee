// SPDX-License-Identifier: BSD-3-Clause
// The NIC as an object: its construction, commands, timers and deadline.
#include "nic.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "wire/eth.h"

// The header of our own PFC frames (802.1Qbb; standards.md 2.1).
static void init_pfc_hdr(struct hdr *h, const uint8_t mac[6])
{
	static const uint8_t dst[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

	*h = (struct hdr){.ethertype = ETH_P_MAC_CONTROL, .id = HDR_ID_NODE};
	memcpy(h->dst, dst, sizeof(dst));
	memcpy(h->src, mac, sizeof(h->src));
}

static int init_port(struct nic *nic)
{
	const struct nic_params *p = &nic->p;
	uint8_t pfc = p->pfc_ignore ? 0 : p->pfc_classes;
	struct hist *hist = NULL;
	struct eport_params ep = {
		.rate = p->rate,
		.strict = p->strict,
		.mtu = p->mtu,
		.framing = p->framing,
		.tolerance_ps = p->tolerance_ps,
	};

	memcpy(ep.weight, p->weight, sizeof(ep.weight));
	if (p->rate < RATE_MIN || p->mtu < PKT_MIN_LEN || p->cnp_class >= PKT_CLASSES)
		return -EINVAL;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (nic->queue_of[c] >= PKT_CLASSES)
			return -EINVAL;

	int rc = eport_cfg_init(&nic->ecfg, &ep);

	// The notification point is not asked where CE is not answered by CNPs.
	if (!rc && !p->np_off && !p->cnflag)
		rc = dcqcn_np_cfg_init(&nic->np, &p->np);
	else
		nic->np.key = p->np.key; // for a time when CE is answered
	if (!rc)
		rc = nic_rxbuf_init(&nic->rxbuf, &p->rxbuf);
	if (!rc && p->monitor) {
		hist = calloc(PKT_CLASSES, sizeof(*hist));
		rc = hist ? 0 : -ENOMEM;
	}
	if (!rc)
		eport_init(&nic->e, &nic->ecfg, hist);
	if (!rc)
		rc = pause_response_init(&nic->response, p->rate, p->pfc_response);
	if (!rc)
		rc = nic_shaper_init(nic);
	if (rc)
		return rc;

	nic->frame_ps = eport_wire_time(&nic->ecfg, p->mtu);
	init_pfc_hdr(&nic->pfc_hdr, p->mac);
	nic->s.knows_far = memcmp(p->far_mac, (uint8_t[6]){0}, 6) != 0;
	// PAUSE stops every class, PFC only the classes that have it.
	nic->pfc_mask = p->pause_honour ? pfc : 0xff;
	pause_rx_init(&nic->pr, p->rate, p->pause_honour ? 0xff : pfc, p->pause_no_expiry);
	pause_tx_init(&nic->pt, p->rate);
	if (p->pause_no_expiry)
		pause_tx_no_expiry(&nic->pt);
	if (p->pause)
		pause_tx_whole(&nic->pt);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		pause_tx_set(&nic->pt, c, p->quanta, p->refresh_permille);
	return 0;
}

static uint32_t whole_lines(size_t bytes)
{
	return (uint32_t)((bytes + NIC_LINE - 1) & ~(NIC_LINE - 1ul));
}

struct nic_qp_bytes nic_qp_bytes(void)
{
	return (struct nic_qp_bytes){
		.requester = whole_lines(NIC_REQ_BYTES),
		.responder = whole_lines(NIC_RSP_BYTES),
		.used_requester = whole_lines(sizeof(struct nic_req_use)),
		.used_responder = whole_lines(sizeof(struct nic_rsp_use)),
		.kept = sizeof(struct nic_kept),
		// its record, its pointer, and its places in both wheels
		.idle = sizeof(struct nic_idle) + sizeof(struct nic_qp *) + 2 * WHEEL_ITEM_BYTES,
	};
}

// Objects of the first piece of a slab, as a power of two: half of the queue pairs, for most NICs
// have as many requesters as responders. A large piece has pages of its own.
static uint32_t first_piece(unsigned max_qps)
{
	return max_qps > 2 ? 32u - (uint32_t)__builtin_clz((max_qps - 1) / 2) : 0;
}

// The memory of queue pairs, of which none is taken yet.
static void init_slabs(struct nic *nic)
{
	const struct nic_qp_bytes bytes = nic_qp_bytes();
	const uint32_t least = first_piece(nic->p.max_qps);

	nic->req =
		(struct nic_slab){.size = bytes.requester, .least = least, .large = nic->p.large};
	nic->rsp =
		(struct nic_slab){.size = bytes.responder, .least = least, .large = nic->p.large};
	nic->req_use = (struct nic_slab){
		.size = bytes.used_requester, .least = least, .large = nic->p.large};
	nic->rsp_use = (struct nic_slab){
		.size = bytes.used_responder, .least = least, .large = nic->p.large};
	nic->kept = (struct nic_slab){.size = bytes.kept, .least = first_piece(2 * nic->p.max_qps)};
	nic->quiet = NIC_QUIET;
}

int nic_init(struct nic **out, const struct nic_params *params, struct pkt_stack *stack,
	struct ev_ring *events)
{
	struct nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return -ENOMEM;
	nic->p = *params;
	nic->stack = stack;
	nic->events = events;
	nic->up = true;
	nic->looks = params->check_payload;
	nic->slow_at = nic->mac.next = nic->replay_at = nic->quiet_at = TSTAMP_NEVER;
	for (unsigned i = 0; i < NIC_STRANGERS; i++)
		nic->stranger_told[i] = TSTAMP_NEVER;
	player_init(&nic->play, &(struct player_params){0}); // none: it cannot fail
	if (!nic->p.ring_bytes)
		nic->p.ring_bytes = NIC_RING_BYTES;
	init_slabs(nic);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		nic->cls[c].shut_at = TSTAMP_NEVER;
		nic->queue_of[c] = params->mapped ? params->queue_map[c] : (uint8_t)c;
	}

	int rc = init_port(nic);

	if (!rc) {
		nic->qp = calloc(params->max_qps + 1ul, sizeof(struct nic_qp *));
		nic->idle = calloc(params->max_qps + 1ul, sizeof(*nic->idle));
		nic->shown = calloc(1, sizeof(*nic->shown));
		nic->source = calloc(params->max_sources + 1ul, sizeof(*nic->source));
		if (!nic->qp || !nic->idle || !nic->shown || !nic->source)
			rc = -ENOMEM;
	}
	if (!rc && params->rp_by_class) {
		nic->class_cnps = calloc(PKT_CLASSES, sizeof(*nic->class_cnps));
		rc = nic->class_cnps ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = nic_wait_init(nic);
	if (!rc)
		rc = nic_neigh_init(nic);
	if (!rc)
		rc = nic_stream_init(nic);
	if (!rc)
		rc = wheel_init(&nic->gap, params->max_qps);
	if (!rc)
		rc = wheel_init(&nic->timers, params->max_qps);
	if (rc) {
		nic_fini(nic);
		return rc;
	}
	nic_reckon(nic);
	*out = nic;
	return 0;
}

static void fini_qp(struct nic_qp *qp)
{
	if (qp->requester)
		nic_req_fini(&qp->req);
	else
		nic_rsp_fini(&qp->rsp);
}

void nic_fini(struct nic *nic)
{
	if (!nic)
		return;
	for (unsigned i = 0; i < nic->n_qps; i++)
		if (nic->qp[i])
			fini_qp(nic->qp[i]);
	nic_load_fini(nic);
	nic_slab_fini(&nic->req);
	nic_slab_fini(&nic->rsp);
	nic_slab_fini(&nic->req_use);
	nic_slab_fini(&nic->rsp_use);
	nic_slab_fini(&nic->kept);
	nic_ring_fini(nic);
	free(nic->maps.memory);
	for (unsigned i = 0; i < nic->n_kinds; i++)
		free(nic->kind[i]);
	free(nic->kind);
	free(nic->kinds.free);
	nic_brought_free(nic->brought);
	for (unsigned i = 0; i < nic->n_gens; i++)
		free(nic->gen[i]);
	for (unsigned i = 0; i < nic->n_np_shared; i++)
		free(nic->np_shared[i]);
	free(nic->np_shared);
	for (unsigned i = 0; i < nic->n_groups; i++)
		nic_group_free(nic->group[i]);
	free(nic->group);
	free(nic->qp);
	free(nic->idle);
	free(nic->shown);
	free(nic->waits);
	free(nic->by_number);
	free(nic->gen);
	nic_follows_free(nic);
	nic_echo_fini(nic);
	free(nic->source);
	free(nic->class_cnps);
	wheel_fini(&nic->gap);
	wheel_fini(&nic->timers);
	index_fini(&nic->gen_of);
	index_fini(&nic->roce_of);
	index_fini(&nic->np_of);
	index_fini(&nic->group_of);
	index_fini(&nic->kind_of);
	index_fini(&nic->qpn_of);
	free(nic->e.hist);
	pause_response_fini(&nic->response);
	rdma_ip_reg_fini(nic->reg);
	player_fini(&nic->play);
	nic_peer_fini(nic);
	nic_target_fini(nic);
	nic_stream_fini(nic);
	nic_neigh_fini(nic);
	free(nic);
}

// The number of a queue pair in the NIC.
static uint32_t number_of(const struct nic *nic, const struct nic_qp_params *p)
{
	return p->number ? p->number : p->qpn - nic->p.qpn_base;
}

// Numbers that do not come in order from 1 on need a table, and so do QPNs that do not follow from
// the numbers.
static int add_number(
	struct nic *nic, const struct nic_qp_params *p, uint32_t number, struct nic_qp *qp)
{
	if (!nic->by_number && number == nic->n_qps + 1 && !p->number)
		return 0;
	if (p->number && nic_qpn_add(nic, p->qpn, nic->n_qps))
		return -ENOMEM;
	if (!nic->by_number) {
		nic->by_number = calloc(nic->p.max_qps + 1ul, sizeof(*nic->by_number));
		if (!nic->by_number)
			return -ENOMEM;
		for (uint32_t i = 0; i < nic->n_qps; i++)
			nic->by_number[nic_number_at(nic, i + 1)] = nic_qp_at(nic, i);
	}
	nic->by_number[nic_number_at(nic, number)] = qp;
	return 0;
}

// Gives the last queue pair back, which could not be set up.
static int not_added(struct nic *nic, bool requester, int rc)
{
	struct nic_qp **qp = &nic->qp[nic->n_qps];

	if (*qp)
		fini_qp(*qp);
	nic_place_unmake(nic, requester, *qp != NULL);
	*qp = NULL;
	return rc;
}

// Whether a queue pair has the number or the QPN, or the number is beyond those of this NIC.
static int check_number(struct nic *nic, uint32_t number, uint32_t qpn)
{
	if (!number || nic_number_at(nic, number) > nic->p.max_qps || nic->n_qps == nic->p.max_qps)
		return -EINVAL;
	if (nic_find_number(nic, number) >= 0)
		return -EEXIST;
	return nic_qp_with_qpn(nic, qpn) ? -EEXIST : 0;
}

// Whether it keeps count of packets that come early: not so the responder of READs.
static bool needs_map(const struct nic_qp_params *p)
{
	return p->rc->repairs && !(p->requester && p->rc->p.verb == RC_READ);
}

int nic_add_qp(struct nic *nic, const struct nic_qp_params *params)
{
	uint32_t number = number_of(nic, params), kind;
	int rc = check_number(nic, number, params->qpn);
	struct nic_qp *qp;

	if (!rc)
		rc = params->requester ? nic_req_check(nic, params, &kind)
				       : nic_rsp_check(nic, params, &kind);
	if (!rc)
		rc = needs_map(params) ? nic_maps_add(nic, params->rc) : 0;
	if (!rc)
		rc = nic_place_make(nic, params->requester);
	if (rc)
		return rc;
	rc = nic_place_fill(
		nic, params, kind, !nic->by_number && number == nic->n_qps + 1 && !params->number);
	qp = nic->qp[nic->n_qps];
	if (!rc && params->peer)
		rc = nic_peer_add(nic, qp, params->peer);
	if (!rc && qp)
		rc = add_number(nic, params, number, qp);
	if (rc)
		return not_added(nic, params->requester, rc);
	if (nic->n_qps && nic_flow_at(nic, nic->n_qps - 1) > params->flow)
		nic->unsorted = true;
	nic->n_qps++;
	if (qp && qp->requester)
		nic_rp_join_class(nic, qp);
	if (qp && qp->requester)
		nic_timer_by(nic, qp, qp->req.start_at);
	else if (qp && qp->rsp.read)
		nic_timer_by(nic, qp, qp->rsp.read->start_at);
	nic_reckon(nic);
	return 0;
}

void nic_rebase(struct nic *nic, uint32_t qpn_base)
{
	nic->p.qpn_base = qpn_base;
}

int nic_renumber(struct nic *nic, const struct nic_qp_params *params)
{
	struct nic_qp *qp = nic_qp_numbered(nic, number_of(nic, params));

	if (!qp)
		return -EINVAL;
	if (!qp->requester) {
		qp->rsp.qpn = params->qpn;
		nic_rsp_connect(nic, qp, params->peer_qpn, params->psn);
	} else {
		qp->req.qpn = params->qpn;
		qp->req.peer_qpn = params->peer_qpn;
	}
	if (!qp->requester && qp->rsp.read)
		nic_read_connect(qp, params->peer_qpn, params->psn, 0);
	if (qp->requester && nic_source(qp))
		nic_read_serve(nic, qp, params->peer_qpn, params->psn);
	else if (qp->requester)
		rc_tx_begin(&qp->req.tx, params->psn);
	return 0;
}

int nic_add_gen(struct nic *nic, const struct gen_params *params)
{
	if (!nic_room(&nic->gen, nic->n_gens))
		return -ENOMEM;

	struct nic_gen *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;

	int rc = gen_longest(params) > nic->p.mtu ? -EINVAL : gen_init(&g->g, params);

	g->id = nic->p.max_qps + nic->n_gens;
	if (!rc)
		rc = wheel_grow(&nic->gap, g->id + 1);
	if (!rc)
		rc = index_add(&nic->gen_of, index_hash(0, &params->source, sizeof(params->source)),
			nic->n_gens);
	if (rc) {
		free(g);
		return rc;
	}
	if (params->source < nic->p.max_sources)
		nic->source[params->source].psn = params->roce.psn;
	nic->gen[nic->n_gens++] = g;
	wheel_set(&nic->gap, g->id, gen_deadline(&g->g));
	nic_reckon(nic);
	return 0;
}

int nic_take_roce(struct nic *nic, uint32_t source, uint32_t qpn, uint32_t psn)
{
	if (source >= nic->p.max_sources)
		return -EINVAL;
	nic->source[source].qpn = qpn;
	nic->source[source].psn = psn;
	return index_add(&nic->roce_of, index_hash(0, &qpn, sizeof(qpn)), source);
}

int nic_add_load(struct nic *nic, const struct nic_load_params *params)
{
	int rc = nic_load_add(nic, params);

	nic_reckon(nic);
	return rc;
}

int nic_add_job(struct nic *nic, const struct nic_job_params *params)
{
	int rc = nic_load_add_job(nic, params);

	nic_reckon(nic);
	return rc;
}

struct nic_job_state nic_job_state(const struct nic *nic, uint32_t job)
{
	return nic_work_state(nic->work, job);
}

struct job_rank *nic_job_rank(const struct nic *nic, uint32_t job, uint32_t rank)
{
	return nic_work_rank(nic->work, job, rank);
}

int nic_add_target(struct nic *nic, uint32_t source, struct hdr *hdr)
{
	int i = nic_find_gen(nic, source);

	return i < 0 ? -EINVAL : nic_target_add(nic, nic->gen[i], hdr);
}

tstamp nic_deadline(const struct nic *nic, unsigned port)
{
	(void)port;
	return nic->deadline;
}

struct node_touched *nic_touched(struct nic *nic)
{
	return &nic->touched;
}

// The instant at which the last of the pauses that have run out (bitmap) let a queue go.
static tstamp queue_resumed(const struct nic *nic, uint8_t resumed, unsigned queue)
{
	tstamp last = 0;

	for (unsigned left = resumed; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);

		if (nic->queue_of[cls] == queue)
			last = tstamp_max(last, nic->pr.until[cls]);
	}
	return last;
}

// Pauses that have run out at their nominal instants.
void nic_resumed(struct nic *nic, tstamp now)
{
	uint8_t resumed = pause_rx_expire(&nic->pr, now);

	nic_stop_queues(nic);
	for (unsigned left = resumed; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);
		struct ev *ev = ev_put(nic->events, EV_RESUME_RX, nic->pr.until[cls]);

		nic_open(nic, nic->queue_of[cls], queue_resumed(nic, resumed, nic->queue_of[cls]));
		if (ev) {
			ev->cls = (uint8_t)cls;
			ev->pause.by = EV_RESUME_EXPIRED;
			ev->pause.with_class_0 = cls && pause_rx_whole(&nic->pr, resumed);
		}
	}
}

// Storms that end, and the XON of the receive buffer; finds the next of both.
static void slow_timers(struct nic *nic, tstamp now)
{
	nic->slow_at = TSTAMP_NEVER;
	for (unsigned left = nic->storm; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);

		if (now < nic->storm_end[cls]) {
			nic->slow_at = tstamp_min(nic->slow_at, nic->storm_end[cls]);
			continue;
		}
		nic->storm &= (uint8_t) ~(1u << cls);
		pause_tx_set(&nic->pt, cls, nic->p.quanta, nic->p.refresh_permille);
		if (!(nic->rxbuf.xoff >> cls & 1))
			pause_tx_xon(&nic->pt, cls, now);
	}
	nic_rxbuf_drained(nic, now);
	if (nic->fw_ops)
		nic_rdma_ip_fw_timer(nic, now);
	nic_peer_timer(nic, now);
	nic_target_timer(nic, now);
	nic_wait_timer(nic, now);
	nic_follow_timer(nic, now);
}

void nic_timers(struct nic *nic, tstamp now)
{
	nic_pause_response(nic, now);
	if (now >= nic->pr.next_expiry)
		nic_resumed(nic, now);
	while (wheel_first(&nic->timers) <= now) {
		uint32_t i = wheel_first_id(&nic->timers);
		struct nic_qp *qp;
		tstamp next;

		if (UNLIKELY(i >= nic->p.max_qps)) {
			nic_load_due(nic, i, now);
			continue;
		}
		qp = LIKELY(nic->qp[i] != NULL) ? nic->qp[i] : nic_idle_timer(nic, i);
		if (!qp)
			continue;
		next = qp->requester ? nic_req_timer(nic, qp, now) : nic_rsp_timer(nic, qp, now);
		qp->timer_at = next;
		wheel_set(&nic->timers, qp->index, next);
	}
	if (now >= nic->slow_at)
		slow_timers(nic, now);
}

static int run_flow(struct nic *nic, uint32_t flow, bool on, tstamp now)
{
	int i = nic_find_qp(nic, flow, true), reader = nic_find_qp(nic, flow, false);

	if (reader >= 0 && nic->qp[reader] && nic->qp[reader]->rsp.read)
		nic_read_run(nic, nic->qp[reader], on, now);
	else if (i >= 0 && nic_wait_command(nic, (unsigned)i, on, now))
		return 0;
	else if (i >= 0 && !nic_source(nic_qp_at(nic, (unsigned)i)))
		nic_req_run(nic, nic->qp[i], on, now);
	else
		return -ENOENT;
	return 0;
}

int nic_run_source(struct nic *nic, uint32_t source, bool on, tstamp now)
{
	int i = nic_find_gen(nic, source);
	struct nic_gen *g;

	if (i < 0)
		return -ENOENT;
	g = nic->gen[i];
	if (nic_target_run(nic, g, on, now))
		return 0;
	if (on)
		gen_start(&g->g, now);
	else
		gen_stop(&g->g);
	if (!g->parked)
		wheel_set(&nic->gap, g->id, gen_deadline(&g->g));
	return 0;
}

static int begin_storm(struct nic *nic, const struct ctl *ctl, tstamp now)
{
	if (nic->p.pause || ctl->cls >= PKT_CLASSES || !ctl->quanta || ctl->a <= now)
		return -EINVAL;
	nic->storm |= (uint8_t)(1u << ctl->cls);
	nic->storm_end[ctl->cls] = ctl->a;
	nic->slow_at = tstamp_min(nic->slow_at, ctl->a);
	// A storm never lets the peer go: it is refreshed even where our own XOFF is not.
	pause_tx_set(&nic->pt, ctl->cls, ctl->quanta, 500);
	pause_tx_xoff(&nic->pt, ctl->cls, now);
	return 0;
}

static void tell_down(struct nic *nic, tstamp now)
{
	struct ev *ev = nic->up ? ev_put(nic->events, EV_LINK_DOWN, now) : NULL;

	for (unsigned c = 0; ev && c < PKT_CLASSES; c++)
		ev->link.queue_bytes += nic->e.q[c].bytes;
}

static void link_down(struct nic *nic, tstamp now)
{
	tell_down(nic, now);
	nic->up = false;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		nic_shut(nic, c, now);
		while (nic->e.q[c].head) {
			struct pkt *p = nic_unqueue(nic, c, now);

			if (nic->follows)
				nic_follow_left(nic, p, now);
			nic_drop(nic, NIC_DROP_LINK_DOWN, p, now);
		}
	}
}

static void link_up(struct nic *nic, tstamp now)
{
	if (!nic->up)
		ev_put(nic->events, EV_LINK_UP, now);
	nic->up = true;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		nic_open(nic, c, now);
	eport_starve(&nic->e);
	nic->replay_at = player_deadline(&nic->play);
	for (unsigned i = 0; i < nic->n_gens; i++) {
		struct nic_gen *g = nic->gen[i];

		gen_slip(&g->g, now);
		if (!g->parked)
			wheel_set(&nic->gap, g->id, gen_deadline(&g->g));
	}
}

int nic_ctl(struct nic *nic, const struct ctl *ctl, tstamp now)
{
	int rc = 0;

	now = nic_now(nic, now);
	if (ctl->type == CTL_LINK_DOWN)
		link_down(nic, now);
	else if (ctl->type == CTL_LINK_UP)
		link_up(nic, now);
	else if (ctl->type == CTL_PFC_STORM)
		rc = begin_storm(nic, ctl, now);
	else if (ctl->type == CTL_REG)
		rc = nic_reg_write(nic,
			&(struct rdma_ip_place){
				.address = ctl->id, .lsb = ctl->lsb, .width = ctl->width},
			ctl->a, now);
	else if (ctl->type == CTL_MAC_FRAMES)
		rc = nic_mac_begin(nic, ctl, now);
	else if (ctl->type == CTL_ADOPT)
		rc = nic_adopt_take(nic, (struct nic_adopt *)ctl->with, ctl->id, now);
	else if (ctl->type == CTL_PAUSE || ctl->type == CTL_RESUME)
		rc = nic_pause(nic, ctl->id, ctl->type == CTL_PAUSE, now);
	else if (ctl->type == CTL_QUIESCE)
		nic_quiesce(nic, ctl->a, now);
	else if (ctl->type == CTL_GO_ON)
		nic_go_on(nic, now);
	else if (ctl->type != CTL_FLOW_START && ctl->type != CTL_FLOW_STOP)
		rc = -EINVAL;
	else if (ctl->id & CTL_LOAD)
		rc = nic_load_run(nic, ctl->id & ~CTL_LOAD, ctl->type == CTL_FLOW_START,
			ctl->a ? tstamp_min(ctl->a, now) : now);
	else if (ctl->id & CTL_SOURCE)
		rc = nic_run_source(nic, ctl->id & ~CTL_SOURCE, ctl->type == CTL_FLOW_START, now);
	else
		rc = run_flow(nic, ctl->id, ctl->type == CTL_FLOW_START, now);
	nic_reckon(nic);
	node_touch(&nic->touched, 0);
	return rc;
}
