// SPDX-License-Identifier: BSD-3-Clause
// Connections of one host, found by communication ID, and by the peer's ID or queue pair and CA
// GUID.
#include "transport/cm_table.h"

#include <errno.h>
#include <stddef.h>

#include "wire/eth.h"

int cm_table_init(struct cm_table *t, const struct cm_cfg *cfg, struct cm *cm, uint32_t n,
	uint32_t half_open_max, struct prng *rng)
{
	if (!n || n > CM_TABLE_MAX)
		return -EINVAL;
	*t = (struct cm_table){
		.cfg = cfg,
		.cm = cm,
		.n = n,
		.half_open_max = half_open_max,
		.serial = prng_u32(rng),
	};
	return 0;
}

int cm_table_listen(struct cm_table *t, uint64_t service_id)
{
	if (t->services == CM_SERVICES)
		return -ENOSPC;
	t->service[t->services++] = service_id;
	return 0;
}

void cm_table_unlisten(struct cm_table *t, uint64_t service_id)
{
	for (unsigned i = 0; i < t->services; i++)
		if (t->service[i] == service_id)
			t->service[i--] = t->service[--t->services];
}

static bool listens(const struct cm_table *t, uint64_t service_id)
{
	for (unsigned i = 0; i < t->services; i++)
		if (t->service[i] == service_id)
			return true;
	return false;
}

// A communication ID is serial number * n + place, so that a place takes many turns before an ID
// comes again; the serial number is from 1, so that no ID is 0.
static uint32_t next_id(struct cm_table *t, uint32_t slot)
{
	uint32_t serials = UINT32_MAX / t->n - 1;

	return (1 + t->serial++ % serials) * t->n + slot;
}

struct cm *cm_table_open(struct cm_table *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct cm *cm = &t->cm[i];

		if (!cm_is_free(cm))
			continue;
		cm_init(cm, t->cfg, next_id(t, i));
		return cm;
	}
	return NULL;
}

struct cm *cm_table_find(const struct cm_table *t, uint32_t local_id)
{
	struct cm *cm = &t->cm[local_id % t->n];

	return cm->state != CM_IDLE && cm->local_id == local_id ? cm : NULL;
}

// The connection to a peer by its communication ID.
static struct cm *find_remote(const struct cm_table *t, uint32_t remote_id, uint64_t guid)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct cm *cm = &t->cm[i];

		if (cm->state != CM_IDLE && cm->remote_id == remote_id && cm->remote_guid == guid)
			return cm;
	}
	return NULL;
}

// A connection other than `but` to this queue pair of the peer. One in TimeWait does not count: the
// peer may have waited a shorter time.
static struct cm *find_qp(
	const struct cm_table *t, uint32_t qpn, uint64_t guid, const struct cm *but)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct cm *cm = &t->cm[i];

		if (cm != but && cm->state != CM_IDLE && cm->state != CM_TIMEWAIT &&
			cm->remote_id && cm->remote.qpn == qpn && cm->remote_guid == guid)
			return cm;
	}
	return NULL;
}

static bool too_many_half_open(const struct cm_table *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		n += t->cm[i].state >= CM_REQ_RCVD && t->cm[i].state <= CM_MRA_REP_RCVD;
	return n >= t->half_open_max;
}

static enum cm_event refuse_msg(
	struct cm_table *t, const struct cm_msg *m, unsigned reason, struct cm_msg *reply)
{
	t->stats.refused++;
	t->stats.full += reason == CM_REJ_NO_RESOURCES;
	cm_refuse(m, reason, reply);
	return CM_EV_REFUSED;
}

// Parts from a connection that the peer has forgotten. An established one gets a DREQ, another one
// ends by its own time limits.
static void part_from(struct cm_table *t, struct cm *old, tstamp now)
{
	t->stats.stale++;
	old->reason = CM_REJ_STALE;
	cm_disconnect(old, now);
}

static enum cm_event rx_req(struct cm_table *t, const struct cm_msg *m, struct cm **cm,
	struct cm_msg *reply, tstamp now)
{
	const struct cm_req *r = &m->u.req;
	unsigned fault = cm_req_fault(t->cfg, m);
	struct cm *old = find_remote(t, m->local_id, r->ca_guid);

	if (old && !old->active) {
		t->stats.duplicates++;
		*cm = old;
		return cm_rx(old, m, now);
	}
	old = find_qp(t, r->qpn, r->ca_guid, NULL);
	if (old) {
		refuse_msg(t, m, CM_REJ_STALE, reply);
		part_from(t, old, now);
		*cm = old;
		return CM_EV_STALE;
	}
	if (!listens(t, r->service_id))
		return refuse_msg(t, m, CM_REJ_BAD_SERVICE_ID, reply);
	if (fault)
		return refuse_msg(t, m, fault, reply);
	if (too_many_half_open(t))
		return refuse_msg(t, m, CM_REJ_NO_RESOURCES, reply);
	*cm = cm_table_open(t);
	if (!*cm)
		return refuse_msg(t, m, CM_REJ_NO_RESOURCES, reply);
	t->stats.requests++;
	cm_listen(*cm, r->service_id);
	return cm_rx(*cm, m, now);
}

// A REP from a queue pair that another connection still has: the new one is rejected, the old one
// parted.
static enum cm_event rx_rep(struct cm_table *t, const struct cm_msg *m, struct cm *cm, tstamp now)
{
	enum cm_event e = cm_rx(cm, m, now);
	struct cm *old;

	if (e != CM_EV_REPLY)
		return e;
	old = find_qp(t, m->u.rep.qpn, m->u.rep.ca_guid, cm);
	if (!old)
		return e;
	t->stats.refused++;
	cm_reject(cm, CM_REJ_STALE, NULL, 0, now);
	part_from(t, old, now);
	return CM_EV_REFUSED;
}

static struct cm *find_for(const struct cm_table *t, const struct cm_msg *m)
{
	const struct cm_rej *r = &m->u.rej;

	if (m->kind == CM_REJ && !m->remote_id && r->reason == CM_REJ_TIMEOUT && r->ari_len >= 8)
		return find_remote(t, m->local_id, get_be64(r->ari));
	return cm_table_find(t, m->remote_id);
}

enum cm_event cm_table_rx(struct cm_table *t, const struct cm_msg *m, struct cm **cm,
	struct cm_msg *reply, tstamp now)
{
	enum cm_event e = CM_EV_UNFIT;

	*cm = NULL;
	reply->kind = CM_NO_MSG;
	if (m->kind == CM_REQ)
		return rx_req(t, m, cm, reply, now);
	*cm = find_for(t, m);
	if (*cm)
		e = m->kind == CM_REP ? rx_rep(t, m, *cm, now) : cm_rx(*cm, m, now);
	if (e == CM_EV_UNFIT) {
		t->stats.unknown++;
		*cm = NULL;
		cm_stateless(m, reply);
	}
	return e;
}

tstamp cm_table_deadline(const struct cm_table *t)
{
	tstamp at = TSTAMP_NEVER;

	for (uint32_t i = 0; i < t->n; i++)
		if (t->cm[i].state != CM_IDLE)
			at = tstamp_min(at, cm_deadline(&t->cm[i]));
	return at;
}

struct cm *cm_table_due(const struct cm_table *t, uint32_t *at, tstamp now)
{
	while (*at < t->n) {
		struct cm *cm = &t->cm[(*at)++];

		if (cm->state != CM_IDLE && cm_deadline(cm) <= now)
			return cm;
	}
	return NULL;
}

struct cm *cm_table_owing(const struct cm_table *t, uint32_t *at)
{
	while (*at < t->n) {
		struct cm *cm = &t->cm[(*at)++];

		if (cm_wants_tx(cm))
			return cm;
	}
	return NULL;
}
