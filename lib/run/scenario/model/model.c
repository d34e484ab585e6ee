// SPDX-License-Identifier: BSD-3-Clause
// Feeds a reaction point with the events of a trace, and shows it after each and after each timer.
#include "model.h"

#include <errno.h>
#include <stdlib.h>

#include "guest/guest.h"
#include "wire/pkt.h"

struct model {
	struct rp rp;
	void *state; // of the reaction point, where it has some elsewhere
	struct rdma_ip_reg *reg;
	struct prng rng;
	uint64_t sent, acked; // bytes of payload since the start
	model_see *see;
	void *see_arg;
	bool ended; // nothing more is wanted
};

#define QPN 1

static int bring_up(struct model *m, const struct rdma_ip_reg_params *p)
{
	int rc = rdma_ip_reg_init(&m->reg, &p->core, QPN);

	if (!rc)
		rc = rdma_ip_reg_add_qp(m->reg, QPN);
	if (!rc)
		rdma_ip_reg_boot(m->reg, QPN, p, 0);
	return rc;
}

int model_new(struct model **model, const struct rp_cfg *cfg, uint64_t seed, model_see *see,
	void *arg, struct err *err)
{
	const struct rdma_ip_reg_params *p = rp_registers(cfg);
	size_t size = rp_state_size(cfg);
	struct model *m = calloc(1, sizeof(*m));

	if (m && size)
		m->state = calloc(1, size);
	if (!m || (size && !m->state) || (p && bring_up(m, p))) {
		model_free(m);
		return err_set(err, -ENOMEM, "out of memory");
	}
	m->see = see;
	m->see_arg = arg;
	prng_init(&m->rng, seed, "rp");
	rp_init(&m->rp, cfg, p ? (void *)rdma_ip_reg_qp(m->reg, QPN) : m->state, &m->rng);
	*model = m;
	return 0;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	rdma_ip_reg_fini(m->reg);
	free(m->state);
	free(m);
}

unsigned model_states(const struct model *m, struct rp_state *row, tstamp now)
{
	return rp_states(&m->rp, row, now);
}

struct rdma_ip_reg *model_registers(const struct model *m)
{
	return m->reg;
}

static void see_row(struct model *m, const struct model_row *row)
{
	m->ended = m->ended || !m->see(m->see_arg, row);
}

// Handles one timer event that is due by `now`. False: none is due, or no more are wanted.
static bool expire(struct model *m, tstamp now)
{
	struct model_row row = {.event = "timer"};

	row.result = rp_expire(&m->rp, now, &row.at, true);
	if (row.result == RP_NONE)
		return false;
	see_row(m, &row);
	return !m->ended;
}

// Handles all timer events, each at the instant at which it is due, so that state that changes
// without an event, such as a stage at the line's rate, is up to date then. Finally brings the
// state up to `now`.
static void expire_all(struct model *m, tstamp now)
{
	tstamp at;

	do
		at = rp_next(&m->rp);
	while (at <= now && expire(m, at));
	while (expire(m, now))
		;
}

static enum rp_event acknowledged(struct model *m, const struct trace_event *e)
{
	struct rp_ack ack = {
		.bytes = e->value[0],
		.rtt = e->n > 1 ? e->value[1] : TSTAMP_NEVER,
		.ce = e->n > 2 && e->value[2],
	};

	m->acked += ack.bytes;
	if (m->sent < m->acked)
		m->sent = m->acked;
	ack.acked = m->acked;
	ack.sent = m->sent;
	return rp_ack(&m->rp, &ack, e->at);
}

// Bytes of a frame besides its payload: Ethernet, IPv4, UDP, BTH, ICRC, FCS.
#define OVERHEAD (14 + 20 + 8 + 12 + 4 + PKT_FCS)

static enum rp_event sent(struct model *m, const struct trace_event *e)
{
	uint32_t bytes = (uint32_t)e->value[0];
	enum rp_event result = rp_sent(&m->rp, bytes, e->at);

	m->sent += e->n > 1 ? e->value[1] : bytes > OVERHEAD ? bytes - OVERHEAD : 0;
	if (m->reg)
		rdma_ip_qp_passed(rdma_ip_reg_qp(m->reg, QPN), bytes - PKT_FCS + PKT_WIRE, e->at);
	return result;
}

static enum rp_event notified(struct model *m, tstamp now)
{
	enum rp_event result = rp_cnp(&m->rp, now);

	if (m->reg)
		rdma_ip_reg_interrupt(m->reg, QPN);
	return result;
}

static enum rp_event give_event(struct model *m, const struct trace_event *e)
{
	switch (e->kind) {
	case TRACE_START:
		rp_start(&m->rp, e->at);
		return RP_NONE;
	case TRACE_CNP:
		return notified(m, e->at);
	case TRACE_CNM:
		return rp_cnm(&m->rp, (unsigned)e->value[0], e->at);
	case TRACE_ACK:
		return acknowledged(m, e);
	case TRACE_NAK:
		return rp_nak(&m->rp, e->at);
	case TRACE_SENT:
		return sent(m, e);
	default:
		return RP_NONE;
	}
}

static int access_register(
	struct model *m, const struct trace_event *e, struct model_row *row, struct err *err)
{
	rate_t rate = rp_rate(&m->rp);
	int rc;

	row->has_value = true;
	if (rdma_ip_reg_qpn(e->place.address) > QPN)
		return err_set(err, -ENXIO, "there is no queue pair but number 1");
	if (e->kind == TRACE_READ)
		return rdma_ip_reg_read(m->reg, &e->place, &row->value, e->at);
	row->value = e->value[0];
	rc = rdma_ip_reg_write(m->reg, &e->place, e->value[0], e->at);
	if (rc)
		return err_set(err, rc, "only the hardware writes that register; read shows it");
	if (rp_rate(&m->rp) != rate)
		row->result = RP_WRITTEN;
	return 0;
}

static bool has_failed(const struct model *m, struct err *err)
{
	char text[256];
	tstamp at;

	if (m->rp.kind != RP_PLUGIN || !guest_failed(&m->rp, text, sizeof(text), &at))
		return false;
	err_set(err, -EFAULT, "%s", text);
	return true;
}

int model_take(struct model *m, const struct trace_event *e, struct err *err)
{
	struct model_row row = {.at = e->at, .line = e->line, .event = trace_name(e->kind)};

	expire_all(m, e->at);
	if (m->ended)
		return -ECANCELED;
	if (has_failed(m, err))
		return -EFAULT;
	if (e->has_place) {
		int rc = access_register(m, e, &row, err);

		if (rc)
			return rc;
	} else {
		row.result = give_event(m, e);
	}
	if (has_failed(m, err))
		return -EFAULT;
	see_row(m, &row);
	return m->ended ? -ECANCELED : 0;
}
