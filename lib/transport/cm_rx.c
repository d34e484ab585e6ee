// SPDX-License-Identifier: BSD-3-Clause
// Communication manager: the effect of each message in each state.
#include "transport/cm.h"
#include "transport/cm_int.h"
#include "wire/eth.h"

static enum cm_event again(struct cm *cm)
{
	cm->owes = true;
	return CM_EV_AGAIN;
}

// Returns a time that the peer asks for, limited to the longest that we allow.
static tstamp asked_for(const struct cm *cm, unsigned code)
{
	return tstamp_min(cm_time(code), cm->cfg->longest_ps);
}

static void take_req(struct cm *cm, const struct cm_msg *m)
{
	const struct cm_req *r = &m->u.req;

	cm->remote_id = m->local_id;
	cm->remote_guid = r->ca_guid;
	cm->tid = m->tid;
	cm->remote = (struct cm_qp){
		.qpn = r->qpn,
		.psn = r->psn,
		.responder_resources = r->responder_resources,
		.initiator_depth = r->initiator_depth,
		.retry_count = r->retry_count,
		.rnr_retry_count = r->rnr_retry_count,
		.flow_control = r->flow_control,
		.srq = r->srq,
	};
	cm->mtu_code = r->mtu;
	cm->retries = r->max_cm_retries;
	// No reply comes sooner than there and back.
	cm->wait_ps = tstamp_max(asked_for(cm, r->local_response_timeout), 2 * cm->cfg->life_ps);
	cm->ack_timeout = r->primary.local_ack_timeout;
	// The peer's ACK timeout is what TimeWait is: two life times and the ACK delay.
	cm->timewait_ps =
		tstamp_max(asked_for(cm, r->primary.local_ack_timeout), 2 * cm->cfg->life_ps);
}

static enum cm_event rx_req_again(struct cm *cm, const struct cm_msg *m)
{
	switch (cm->state) {
	case CM_MRA_REQ_SENT:
	case CM_REP_SENT:
	case CM_MRA_REP_RCVD:
		return again(cm);
	case CM_TIMEWAIT:
		cm_refuse(m, CM_REJ_STALE, &cm->out);
		return again(cm);
	case CM_IDLE:
		return CM_EV_UNFIT;
	default:
		return CM_EV_NONE;
	}
}

static enum cm_event rx_req(struct cm *cm, const struct cm_msg *m)
{
	unsigned fault;

	if (cm->state != CM_LISTEN) {
		if (cm->active || m->local_id != cm->remote_id ||
			m->u.req.ca_guid != cm->remote_guid)
			return CM_EV_UNFIT;
		return rx_req_again(cm, m);
	}
	if (m->u.req.service_id != cm->service_id)
		return CM_EV_UNFIT;
	cm->reason = 0;
	fault = cm_req_fault(cm->cfg, m);
	if (fault) {
		cm_refuse(m, fault, &cm->out);
		cm->owes = true;
		cm->reason = (uint16_t)fault;
		return CM_EV_REFUSED;
	}
	cm_go(cm, CM_REQ_RCVD);
	take_req(cm, m);
	return CM_EV_REQUEST;
}

// Returns whether a message with both communication IDs belongs to this connection.
static bool is_ours(const struct cm *cm, const struct cm_msg *m)
{
	return cm->state > CM_LISTEN && m->remote_id == cm->local_id &&
	       m->local_id == cm->remote_id;
}

static void take_rep(struct cm *cm, const struct cm_msg *m)
{
	const struct cm_rep *r = &m->u.rep;
	tstamp delay = asked_for(cm, r->target_ack_delay);

	cm->remote_id = m->local_id;
	cm->remote_guid = r->ca_guid;
	cm->remote = (struct cm_qp){
		.qpn = r->qpn,
		.psn = r->psn,
		.responder_resources = r->responder_resources,
		.initiator_depth = r->initiator_depth,
		.retry_count = cm->local.retry_count, // a REP has none: the REQ's is for both
		.rnr_retry_count = r->rnr_retry_count,
		.flow_control = r->flow_control,
		.srq = r->srq,
	};
	cm->timewait_ps = 2 * cm->cfg->life_ps + delay;
	cm->ack_timeout = cm_time_code(cm->timewait_ps);
}

static enum cm_event rx_rep(struct cm *cm, const struct cm_msg *m)
{
	if (cm->state == CM_REQ_SENT || cm->state == CM_MRA_REQ_RCVD) {
		if (m->remote_id != cm->local_id)
			return CM_EV_UNFIT;
		cm_go(cm, CM_REP_RCVD);
		take_rep(cm, m);
		return CM_EV_REPLY;
	}
	if (!cm->active || !is_ours(cm, m))
		return CM_EV_UNFIT;
	// Our MRA or RTU was lost.
	if (cm->state == CM_MRA_REP_SENT || cm->state == CM_ESTABLISHED)
		return again(cm);
	return CM_EV_NONE;
}

static enum cm_event rx_rtu(struct cm *cm, const struct cm_msg *m)
{
	return is_ours(cm, m) ? cm_traffic(cm) : CM_EV_UNFIT;
}

// Only the first MRA since our message was sent counts, so that the peer cannot put off the
// deadline for ever.
static enum cm_event rx_mra(struct cm *cm, const struct cm_msg *m, tstamp now)
{
	const struct cm_mra *a = &m->u.mra;

	if (cm->state == CM_REQ_SENT && m->remote_id == cm->local_id) {
		if (a->answered != CM_ANSWERS_REQ)
			return CM_EV_NONE;
		cm_go(cm, CM_MRA_REQ_RCVD);
	} else if (cm->state == CM_REP_SENT && is_ours(cm, m)) {
		if (a->answered != CM_ANSWERS_REP)
			return CM_EV_NONE;
		cm_go(cm, CM_MRA_REP_RCVD);
	} else {
		return cm->state > CM_LISTEN && m->remote_id == cm->local_id ? CM_EV_NONE
									     : CM_EV_UNFIT;
	}
	cm->at = tstamp_add(now, asked_for(cm, a->service_timeout) + cm->cfg->life_ps);
	return CM_EV_LONGER;
}

// A REJ of a REQ may come without the peer's ID, and a REJ for a timeout of the peer's REQ without
// our ID: then our CA GUID stands in the additional information.
static bool rejects_us(const struct cm *cm, const struct cm_msg *m)
{
	const struct cm_rej *r = &m->u.rej;

	if (cm->state == CM_REQ_SENT || cm->state == CM_MRA_REQ_RCVD)
		return m->remote_id == cm->local_id;
	if (is_ours(cm, m))
		return true;
	return cm->state > CM_LISTEN && r->reason == CM_REJ_TIMEOUT && !m->remote_id &&
	       m->local_id == cm->remote_id && r->ari_len >= 8 &&
	       get_be64(r->ari) == cm->remote_guid;
}

static enum cm_event rx_rej(struct cm *cm, const struct cm_msg *m, tstamp now)
{
	if (!rejects_us(cm, m))
		return CM_EV_UNFIT;
	switch (cm->state) {
	case CM_REQ_SENT:
	case CM_MRA_REQ_RCVD:
	case CM_REQ_RCVD:
	case CM_MRA_REQ_SENT:
	case CM_REP_SENT:
	case CM_MRA_REP_RCVD:
		if (m->u.rej.reason == CM_REJ_STALE)
			cm_enter_timewait(cm, now);
		else
			cm_go(cm, CM_IDLE);
		break;
	case CM_REP_RCVD:
	case CM_MRA_REP_SENT:
	case CM_ESTABLISHED:
	case CM_DREQ_SENT:
	case CM_DREQ_RCVD:
		cm_enter_timewait(cm, now);
		break;
	default:
		return CM_EV_NONE;
	}
	cm->reason = m->u.rej.reason;
	return CM_EV_REJECTED;
}

static enum cm_event rx_dreq(struct cm *cm, const struct cm_msg *m, tstamp now)
{
	if (!is_ours(cm, m))
		return CM_EV_UNFIT;
	if (m->u.dreq_qpn != cm->local.qpn)
		return CM_EV_NONE;
	switch (cm->state) {
	case CM_REP_SENT: // the RTU was lost, or is late
	case CM_MRA_REP_RCVD:
	case CM_ESTABLISHED:
		cm_go(cm, CM_DREQ_RCVD);
		cm->tid = m->tid;
		return CM_EV_PARTING;
	case CM_DREQ_SENT: // both part
		cm_enter_timewait(cm, now);
		cm_owe_drep(cm, m->tid);
		return CM_EV_DOWN;
	case CM_TIMEWAIT: // our DREP was lost
		cm_owe_drep(cm, m->tid);
		return CM_EV_AGAIN;
	default:
		return CM_EV_NONE;
	}
}

static enum cm_event rx_drep(struct cm *cm, const struct cm_msg *m, tstamp now)
{
	if (!is_ours(cm, m))
		return CM_EV_UNFIT;
	if (cm->state != CM_DREQ_SENT)
		return CM_EV_NONE;
	cm_enter_timewait(cm, now);
	return CM_EV_DOWN;
}

enum cm_event cm_rx(struct cm *cm, const struct cm_msg *m, tstamp now)
{
	switch (m->kind) {
	case CM_REQ:
		return rx_req(cm, m);
	case CM_REP:
		return rx_rep(cm, m);
	case CM_RTU:
		return rx_rtu(cm, m);
	case CM_MRA:
		return rx_mra(cm, m, now);
	case CM_REJ:
		return rx_rej(cm, m, now);
	case CM_DREQ:
		return rx_dreq(cm, m, now);
	case CM_DREP:
		return rx_drep(cm, m, now);
	default:
		return CM_EV_UNFIT;
	}
}
