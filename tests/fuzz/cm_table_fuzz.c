// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any messages and calls, in any order and at any time, meet a table of connections.
// Each event is a known one, deadlines move, and in the end all connections are over.
#include <string.h>

#include "fuzz.h"
#include "transport/cm_table.h"

#define PLACES  4
#define SERVICE CM_SERVICE_TCP

// Four bytes are a step: what, which connection, and two of its arguments.
struct step {
	uint8_t what, which, a, b;
};

static struct cm_cfg cfg;
static struct cm_table table;
static struct cm places[PLACES];
static tstamp now;

// Communication IDs that may be right: the connection's and its peer's, or others.
static void fill_ids(struct cm_msg *m, const struct step *s)
{
	const struct cm *cm = &places[s->which % PLACES];

	m->local_id = s->a & 1 ? cm->remote_id : s->a & 0x0fu;
	m->remote_id = s->a & 2 ? s->a : cm->local_id;
}

static void fill(struct cm_msg *m, const struct step *s)
{
	const struct cm *cm = &places[s->which % PLACES];

	fill_ids(m, s);
	switch (m->kind) {
	case CM_REQ:
		m->remote_id = 0;
		m->u.req.service_id = SERVICE + (s->a >> 6);
		m->u.req.ca_guid = 2 + (s->b >> 7);
		m->u.req.qpn = s->b & 7;
		m->u.req.mtu = s->a >> 4 & 7;
		m->u.req.max_cm_retries = s->b & 3;
		m->u.req.local_response_timeout = s->b & 31;
		m->u.req.primary.local_ack_timeout = s->a & 31;
		break;
	case CM_REP:
		m->u.rep.ca_guid = 2 + (s->b >> 7);
		m->u.rep.qpn = s->b & 7;
		m->u.rep.target_ack_delay = s->b & 31;
		break;
	case CM_MRA:
		m->u.mra = (struct cm_mra){.answered = s->b >> 6, .service_timeout = s->b & 31};
		break;
	case CM_REJ:
		m->u.rej = (struct cm_rej){.reason = s->b & 63, .ari_len = s->b >> 4};
		m->u.rej.ari[7] = 2;
		if (s->b & 64)
			m->remote_id = 0;
		break;
	default:
		m->u.dreq_qpn = s->b & 1 ? cm->local.qpn : s->b;
	}
}

static void hear(const struct step *s)
{
	struct cm_msg m = {.kind = (uint8_t)(CM_REQ + s->what % 8)}, reply;
	struct cm *cm;
	enum cm_event e;

	fill(&m, s);
	e = cm_table_rx(&table, &m, &cm, &reply, now);
	fuzz_check(e < CM_EVENTS);
	fuzz_check(!cm || (cm >= places && cm < places + PLACES));
	fuzz_check(e != CM_EV_UNFIT || !cm);
	// Nothing answers an answer: two tables do not talk for ever.
	fuzz_check(reply.kind == CM_NO_MSG || reply.kind == CM_REJ || reply.kind == CM_DREP);
	fuzz_check(reply.kind == CM_NO_MSG || (m.kind != CM_REJ && m.kind != CM_DREP));
}

static void call(const struct step *s)
{
	const struct cm_qp qp = {.qpn = s->b & 7};
	const struct cm_call c = {.service_id = SERVICE, .qp = qp, .data = "x", .data_len = 1};
	struct cm *cm = &places[s->which % PLACES];
	enum cm_event e = CM_EV_NONE;

	if (!cm->cfg) // a place that nobody has had
		return;
	switch (s->what % 8) {
	case 0:
		cm = cm_table_open(&table);
		if (cm)
			e = cm_connect(cm, &c, now);
		break;
	case 1:
		e = cm_mra(cm, s->b);
		break;
	case 2:
		e = cm_accept(cm, &qp, "yz", 2, now);
		break;
	case 3:
		e = cm_ready(cm);
		break;
	case 4:
		e = cm_reject(cm, s->b, NULL, 0, now);
		break;
	case 5:
		e = cm_disconnect(cm, now);
		break;
	case 6:
		e = cm_traffic(cm);
		break;
	default:
		e = cm_connect(cm, &c, now);
	}
	fuzz_check(e < CM_EVENTS);
}

static void transmit(void)
{
	uint8_t mad[MAD_LEN];
	struct cm_msg m, back;
	uint32_t at = 0;
	struct cm *cm;

	while ((cm = cm_table_owing(&table, &at))) {
		fuzz_check(cm_tx(cm, &m));
		fuzz_check(!cm_wants_tx(cm));
		cm_msg_render(&m, mad);
		fuzz_check(cm_msg_parse(mad, &back) == MAD_OK && back.kind == m.kind);
	}
}

// Moves to the next deadline, if there is one.
static bool expire(void)
{
	tstamp due = cm_table_deadline(&table);
	uint32_t at = 0;
	struct cm *cm;

	if (due == TSTAMP_NEVER)
		return false;
	now = now > due ? now : due;
	while ((cm = cm_table_due(&table, &at, now))) {
		fuzz_check(cm_expire(cm, now) != CM_EV_NONE);
		fuzz_check(cm_deadline(cm) > now);
	}
	return true;
}

static void check(void)
{
	for (unsigned i = 0; i < PLACES; i++) {
		const struct cm *cm = &places[i];

		if (!cm->cfg)
			continue;
		fuzz_check(cm->state < CM_STATES && cm->tries <= 15);
		fuzz_check(cm->state != CM_IDLE || cm->at == TSTAMP_NEVER);
		fuzz_check(cm->local_id % PLACES == i);
		// Nobody waits for an answer, or for the end of TimeWait, without a limit.
		if (cm->state == CM_REQ_SENT || cm->state == CM_REP_SENT ||
			cm->state == CM_DREQ_SENT || cm->state == CM_TIMEWAIT)
			fuzz_check(cm->at != TSTAMP_NEVER);
	}
}

static void start(void)
{
	const struct cm_params params = {
		.ca_guid = 1,
		.life_ps = PS_PER_US,
		.response_ps = PS_PER_MS,
		.longest_ps = PS_PER_S,
		.retries = 2,
		.mtu = 1024,
	};
	struct prng rng;

	memset(places, 0, sizeof(places));
	now = 0;
	prng_init(&rng, 1, "cm_table_fuzz");
	fuzz_check(!cm_cfg_init(&cfg, &params));
	fuzz_check(!cm_table_init(&table, &cfg, places, PLACES, PLACES - 1, &rng));
	fuzz_check(!cm_table_listen(&table, SERVICE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	start();
	for (size_t i = 0; i + sizeof(struct step) <= size; i += sizeof(struct step)) {
		struct step s;

		memcpy(&s, data + i, sizeof(s));
		if (s.what < 0x80)
			hear(&s);
		else if (s.what < 0xc0)
			call(&s);
		else if (s.what < 0xe0)
			transmit();
		else if (s.what < 0xf0)
			expire();
		else
			now += s.b * PS_PER_US;
		check();
	}
	for (unsigned i = 0; expire(); i++) // only owners keep a connection
		fuzz_check(i < 1000);
	transmit();
	check();
	return 0;
}
