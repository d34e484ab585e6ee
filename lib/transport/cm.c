// SPDX-License-Identifier: BSD-3-Clause
// Communication manager: parameters, the owner's calls, time limits, and the messages that are
// made.
#include "transport/cm.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "transport/cm_int.h"
#include "wire/eth.h"

#define PROBES 3 // REPs without an answer that show that a connection is lost

const char *cm_state_name(unsigned state)
{
	static const char *const name[CM_STATES] = {
		[CM_IDLE] = "idle",
		[CM_LISTEN] = "listen",
		[CM_REQ_SENT] = "REQ sent",
		[CM_MRA_REQ_RCVD] = "MRA(REQ) received",
		[CM_REP_RCVD] = "REP received",
		[CM_MRA_REP_SENT] = "MRA(REP) sent",
		[CM_REQ_RCVD] = "REQ received",
		[CM_MRA_REQ_SENT] = "MRA(REQ) sent",
		[CM_REP_SENT] = "REP sent",
		[CM_MRA_REP_RCVD] = "MRA(REP) received",
		[CM_ESTABLISHED] = "established",
		[CM_DREQ_SENT] = "DREQ sent",
		[CM_DREQ_RCVD] = "DREQ received",
		[CM_TIMEWAIT] = "TimeWait",
	};

	return state < CM_STATES ? name[state] : "unknown";
}

const char *cm_event_name(unsigned event)
{
	static const char *const name[CM_EVENTS] = {
		[CM_EV_NONE] = "none",
		[CM_EV_UNFIT] = "unfit",
		[CM_EV_REQUEST] = "request",
		[CM_EV_REPLY] = "reply",
		[CM_EV_UP] = "up",
		[CM_EV_LONGER] = "longer",
		[CM_EV_AGAIN] = "again",
		[CM_EV_REFUSED] = "refused",
		[CM_EV_REJECTED] = "rejected",
		[CM_EV_FAILED] = "failed",
		[CM_EV_PARTING] = "parting",
		[CM_EV_DOWN] = "down",
		[CM_EV_ENDED] = "ended",
		[CM_EV_ALIVE] = "alive",
		[CM_EV_LOST] = "lost",
		[CM_EV_STALE] = "stale",
	};

	return event < CM_EVENTS ? name[event] : "unknown";
}

static bool in_range(tstamp t, tstamp most_s)
{
	return t >= PS_PER_NS && t <= most_s * PS_PER_S;
}

int cm_cfg_init(struct cm_cfg *cfg, const struct cm_params *params)
{
	unsigned mtu_code = 1;

	while (mtu_code < 5 && cm_mtu(mtu_code) != params->mtu)
		mtu_code++;
	if (!in_range(params->life_ps, 1000) || !in_range(params->response_ps, 1000) ||
		params->delay_ps > 1000 * PS_PER_S || !in_range(params->longest_ps, 10000) ||
		params->retries > 15 || cm_mtu(mtu_code) != params->mtu)
		return -EINVAL;
	*cfg = (struct cm_cfg){
		.ca_guid = params->ca_guid,
		.life_ps = params->life_ps,
		.longest_ps = params->longest_ps,
		.response_code = cm_time_code(params->response_ps),
		.delay_code = cm_time_code(params->delay_ps),
		.ack_code = cm_time_code(2 * params->life_ps + params->delay_ps),
		.retries = (uint8_t)params->retries,
		.mtu_code = (uint8_t)mtu_code,
	};
	cfg->req_wait_ps = cm_time(cfg->response_code) + 2 * cfg->life_ps;
	return 0;
}

void cm_init(struct cm *cm, const struct cm_cfg *cfg, uint32_t local_id)
{
	*cm = (struct cm){
		.cfg = cfg,
		.at = TSTAMP_NEVER,
		.wait_ps = cfg->req_wait_ps,
		.timewait_ps = 2 * cfg->life_ps,
		.retries = cfg->retries,
		.mtu_code = cfg->mtu_code,
		.local_id = local_id,
		.tid = (uint64_t)local_id << 32,
	};
}

void cm_go(struct cm *cm, enum cm_state state)
{
	cm->state = (uint8_t)state;
	cm->at = TSTAMP_NEVER;
	cm->owes = false;
}

void cm_enter_timewait(struct cm *cm, tstamp now)
{
	cm_go(cm, CM_TIMEWAIT);
	cm->at = tstamp_add(now, cm->timewait_ps);
}

// Begins the message to send next, and marks it as due.
static struct cm_msg *begin_msg(struct cm *cm, enum cm_kind kind)
{
	memset(&cm->out, 0, sizeof(cm->out));
	cm->out.kind = (uint8_t)kind;
	cm->out.tid = cm->tid;
	cm->out.local_id = cm->local_id;
	cm->out.remote_id = cm->remote_id;
	cm->owes = true;
	return &cm->out;
}

static void put_data(struct cm_msg *m, const void *data, unsigned len)
{
	assert(len <= cm_data_len(m->kind));
	if (len)
		memcpy(m->data, data, len);
}

// The message that is owed waits for an answer.
static void await(struct cm *cm, tstamp now)
{
	cm->tries = cm->retries;
	cm->at = tstamp_add(now, cm->wait_ps);
}

void cm_owe_drep(struct cm *cm, uint64_t tid)
{
	begin_msg(cm, CM_DREP)->tid = tid;
}

// Owes a REJ of the message that this state has received. A REQ to which nothing has been answered
// yet is rejected without a communication ID of ours (IBA vol. 1 cl. 12.6.7).
void cm_owe_rej(struct cm *cm, unsigned reason)
{
	unsigned state = cm->state;
	struct cm_msg *m = begin_msg(cm, CM_REJ);

	m->u.rej.reason = (uint16_t)reason;
	m->u.rej.answered = CM_ANSWERS_OTHER;
	if (state == CM_REQ_RCVD || state == CM_MRA_REQ_SENT || state == CM_LISTEN)
		m->u.rej.answered = CM_ANSWERS_REQ;
	else if (state == CM_REP_RCVD || state == CM_MRA_REP_SENT)
		m->u.rej.answered = CM_ANSWERS_REP;
	if (state == CM_REQ_RCVD || state == CM_LISTEN)
		m->local_id = 0;
	if (reason == CM_REJ_TIMEOUT) { // whose timeout it is: the peer may not know our ID
		m->u.rej.ari_len = 8;
		put_be64(m->u.rej.ari, cm->cfg->ca_guid);
	}
}

enum cm_event cm_listen(struct cm *cm, uint64_t service_id)
{
	if (cm->begun)
		return CM_EV_UNFIT;
	cm_go(cm, CM_LISTEN);
	cm->begun = true;
	cm->service_id = service_id;
	return CM_EV_NONE;
}

static void fill_path(struct cm_path *p, const struct cm *cm, const struct cm_call *call)
{
	p->local_lid = 0xffff; // permissive: RoCEv2 has none
	p->remote_lid = 0xffff;
	memcpy(p->local_gid, call->local_gid, 16);
	memcpy(p->remote_gid, call->remote_gid, 16);
	p->traffic_class = call->traffic_class;
	p->hop_limit = call->hop_limit;
	p->local_ack_timeout = cm->cfg->ack_code;
}

enum cm_event cm_connect(struct cm *cm, const struct cm_call *call, tstamp now)
{
	const struct cm_cfg *cfg = cm->cfg;
	struct cm_msg *m;

	if (cm->begun)
		return CM_EV_UNFIT;
	cm_go(cm, CM_REQ_SENT);
	cm->begun = true;
	cm->active = true;
	cm->service_id = call->service_id;
	cm->local = call->qp;
	m = begin_msg(cm, CM_REQ);
	m->u.req = (struct cm_req){
		.service_id = call->service_id,
		.ca_guid = cfg->ca_guid,
		.qpn = call->qp.qpn,
		.psn = call->qp.psn,
		.responder_resources = call->qp.responder_resources,
		.initiator_depth = call->qp.initiator_depth,
		.remote_response_timeout = cfg->response_code,
		.local_response_timeout = cfg->response_code,
		.flow_control = call->qp.flow_control,
		.retry_count = call->qp.retry_count,
		.rnr_retry_count = call->qp.rnr_retry_count,
		.pkey = 0xffff,
		.mtu = cm->mtu_code,
		.max_cm_retries = cfg->retries,
		.srq = call->qp.srq,
	};
	fill_path(&m->u.req.primary, cm, call);
	put_data(m, call->data, call->data_len);
	await(cm, now);
	return CM_EV_NONE;
}

enum cm_event cm_mra(struct cm *cm, unsigned code)
{
	bool to_req = cm->state == CM_REQ_RCVD;
	struct cm_msg *m;

	if (!to_req && cm->state != CM_REP_RCVD)
		return CM_EV_UNFIT;
	cm_go(cm, to_req ? CM_MRA_REQ_SENT : CM_MRA_REP_SENT);
	m = begin_msg(cm, CM_MRA);
	m->u.mra.answered = to_req ? CM_ANSWERS_REQ : CM_ANSWERS_REP;
	m->u.mra.service_timeout = code & 31;
	return CM_EV_NONE;
}

enum cm_event cm_accept(
	struct cm *cm, const struct cm_qp *qp, const void *data, unsigned data_len, tstamp now)
{
	struct cm_msg *m;

	if (cm->state != CM_REQ_RCVD && cm->state != CM_MRA_REQ_SENT)
		return CM_EV_UNFIT;
	cm_go(cm, CM_REP_SENT);
	cm->local = *qp;
	m = begin_msg(cm, CM_REP);
	m->u.rep = (struct cm_rep){
		.ca_guid = cm->cfg->ca_guid,
		.qpn = qp->qpn,
		.psn = qp->psn,
		.responder_resources = qp->responder_resources,
		.initiator_depth = qp->initiator_depth,
		.target_ack_delay = cm->cfg->delay_code,
		.flow_control = qp->flow_control,
		.rnr_retry_count = qp->rnr_retry_count,
		.srq = qp->srq,
	};
	put_data(m, data, data_len);
	await(cm, now);
	return CM_EV_NONE;
}

enum cm_event cm_ready(struct cm *cm)
{
	if (cm->state != CM_REP_RCVD && cm->state != CM_MRA_REP_SENT)
		return CM_EV_UNFIT;
	cm_go(cm, CM_ESTABLISHED);
	begin_msg(cm, CM_RTU);
	return CM_EV_UP;
}

enum cm_event cm_reject(
	struct cm *cm, unsigned reason, const void *data, unsigned data_len, tstamp now)
{
	bool told = cm->state == CM_REP_SENT || cm->state == CM_MRA_REP_RCVD;

	if (cm->state < CM_REQ_SENT || cm->state >= CM_ESTABLISHED)
		return CM_EV_UNFIT;
	cm_owe_rej(cm, reason);
	put_data(&cm->out, data, data_len);
	cm->reason = (uint16_t)reason;
	if (told)
		cm_enter_timewait(cm, now);
	else
		cm_go(cm, CM_IDLE);
	cm->owes = true;
	return CM_EV_NONE;
}

enum cm_event cm_disconnect(struct cm *cm, tstamp now)
{
	if (cm->state == CM_DREQ_RCVD) {
		cm_enter_timewait(cm, now);
		cm_owe_drep(cm, cm->tid);
		return CM_EV_DOWN;
	}
	if (cm->state != CM_ESTABLISHED)
		return CM_EV_UNFIT;
	cm_go(cm, CM_DREQ_SENT);
	cm->tid = ((uint64_t)cm->local_id << 32) + 1;
	begin_msg(cm, CM_DREQ)->u.dreq_qpn = cm->remote.qpn;
	await(cm, now);
	return CM_EV_NONE;
}

static enum cm_event ask_again(struct cm *cm, tstamp now)
{
	cm->owes = true;
	cm->at = tstamp_add(now, tstamp_min(cm->wait_ps, cm->cfg->req_wait_ps));
	return CM_EV_AGAIN;
}

enum cm_event cm_probe(struct cm *cm, tstamp now)
{
	if (cm->state != CM_ESTABLISHED || cm->active)
		return CM_EV_UNFIT;
	if (cm->at != TSTAMP_NEVER)
		return CM_EV_NONE;
	assert(cm->out.kind == CM_REP);
	cm->tries = PROBES - 1;
	ask_again(cm, now);
	return CM_EV_NONE;
}

static enum cm_event probed(struct cm *cm, tstamp now)
{
	if (cm->tries) {
		cm->tries--;
		return ask_again(cm, now);
	}
	cm->reason = CM_REJ_TIMEOUT;
	cm_enter_timewait(cm, now);
	return CM_EV_LOST;
}

enum cm_event cm_traffic(struct cm *cm)
{
	if (cm->state == CM_ESTABLISHED && cm->at != TSTAMP_NEVER) {
		cm->at = TSTAMP_NEVER;
		return CM_EV_ALIVE;
	}
	if (cm->state != CM_REP_SENT && cm->state != CM_MRA_REP_RCVD)
		return CM_EV_NONE;
	cm_go(cm, CM_ESTABLISHED);
	return CM_EV_UP;
}

static enum cm_event send_again(struct cm *cm, enum cm_state state, tstamp now)
{
	cm->state = (uint8_t)state;
	cm->tries--;
	cm->at = tstamp_add(now, cm->wait_ps);
	cm->owes = true;
	return CM_EV_AGAIN;
}

enum cm_event cm_expire(struct cm *cm, tstamp now)
{
	if (now < cm->at)
		return CM_EV_NONE;
	switch (cm->state) {
	case CM_REQ_SENT:
	case CM_MRA_REQ_RCVD:
		if (cm->tries)
			return send_again(cm, CM_REQ_SENT, now);
		cm_reject(cm, CM_REJ_TIMEOUT, NULL, 0, now);
		return CM_EV_FAILED;
	case CM_REP_SENT:
	case CM_MRA_REP_RCVD:
		if (cm->tries)
			return send_again(cm, CM_REP_SENT, now);
		cm_reject(cm, CM_REJ_TIMEOUT, NULL, 0, now);
		return CM_EV_FAILED;
	case CM_ESTABLISHED:
		return probed(cm, now);
	case CM_DREQ_SENT:
		if (cm->tries)
			return send_again(cm, CM_DREQ_SENT, now);
		cm->reason = CM_REJ_TIMEOUT;
		cm_enter_timewait(cm, now);
		return CM_EV_DOWN;
	default:
		assert(cm->state == CM_TIMEWAIT);
		cm->state = CM_IDLE; // a message may still be owed
		cm->at = TSTAMP_NEVER;
		return CM_EV_ENDED;
	}
}

bool cm_tx(struct cm *cm, struct cm_msg *m)
{
	if (!cm->owes)
		return false;
	*m = cm->out;
	cm->owes = false;
	return true;
}

unsigned cm_req_fault(const struct cm_cfg *cfg, const struct cm_msg *req)
{
	const struct cm_req *r = &req->u.req;

	if (r->transport || r->extended_transport)
		return CM_REJ_BAD_TRANSPORT;
	if (!cm_mtu(r->mtu) || r->mtu > cfg->mtu_code)
		return CM_REJ_BAD_MTU;
	return 0;
}

static void begin_reply(const struct cm_msg *m, enum cm_kind kind, struct cm_msg *reply)
{
	memset(reply, 0, sizeof(*reply));
	reply->kind = (uint8_t)kind;
	reply->tid = m->tid;
	reply->local_id = m->remote_id;
	reply->remote_id = m->local_id;
}

void cm_refuse(const struct cm_msg *m, unsigned reason, struct cm_msg *reply)
{
	begin_reply(m, CM_REJ, reply);
	reply->u.rej.reason = (uint16_t)reason;
	reply->u.rej.answered = m->kind == CM_REQ   ? CM_ANSWERS_REQ
				: m->kind == CM_REP ? CM_ANSWERS_REP
						    : CM_ANSWERS_OTHER;
}

bool cm_stateless(const struct cm_msg *m, struct cm_msg *reply)
{
	if (m->kind == CM_REQ)
		cm_refuse(m, CM_REJ_BAD_SERVICE_ID, reply);
	else if (m->kind == CM_REP)
		cm_refuse(m, CM_REJ_BAD_COMM_ID, reply);
	else if (m->kind == CM_DREQ)
		begin_reply(m, CM_DREP, reply);
	else
		return false;
	return true;
}
