// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs and open-loop sources of a flow: numbers, headers and parameters of both ends.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/pacer.h"
#include "frame/turn.h"
#include "int.h"
#include "wire/bth.h"

#define DISCARD_PORT     9      // where open-loop UDP goes (RFC 863)
#define ECHO_PORT        7      // and where it goes that is sent back (RFC 862)
#define ETHERTYPE_TEST   0x88b5 // IEEE 802 local experimental: open-loop frames without IP
#define HPCC_SIM_ACK_LEN 60
#define RTT_MAX          (10 * PS_PER_MS) // longest round trip that is timed, where none is given
#define SHARED_IDS       0x8000 // flow IDs of reaction points that several queue pairs have

tstamp traffic_stop(const struct draft *b, const struct draft_flow *f)
{
	tstamp end = b->s->drain ? b->s->duration - b->s->drain : TSTAMP_NEVER;

	return tstamp_min(f->spec->stop, end);
}

uint8_t traffic_data_tos(const struct draft_flow *f, const struct draft_node *from, bool controlled)
{
	unsigned dscp =
		f->spec->dscp == OPT_AUTO ? hardware_dscp(from, f->cls) : (unsigned)f->spec->dscp;
	unsigned ecn = controlled ? ECN_ECT0 : ECN_NOT_ECT;

	if (f->spec->ecn != SPEC_ECN_AUTO)
		ecn = f->spec->ecn - SPEC_NOT_ECT;
	return (uint8_t)(dscp << 2 | ecn);
}

// The class of the frames that the receiver of the data sends besides CNPs: ACKs, or requests of
// READs.
static unsigned ack_class(const struct draft_flow *f, const struct draft_node *to)
{
	if (f->spec->verb == RC_READ)
		return f->cls;
	return f->spec->ack_class == OPT_AUTO ? to->host->cnp_class : (unsigned)f->spec->ack_class;
}

// DSCP and codepoint of those frames.
static uint8_t ack_tos(const struct draft_flow *f, const struct draft_node *to, bool controlled)
{
	const struct spec_flow *s = f->spec;
	unsigned dscp;

	if (s->verb == RC_READ)
		return traffic_data_tos(f, to, controlled);
	dscp = s->ack_dscp == OPT_AUTO ? hardware_dscp(to, ack_class(f, to))
				       : (unsigned)s->ack_dscp;
	return (uint8_t)(dscp << 2 | s->ack_ecn);
}

static void headers(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p)
{
	// The source port follows from numbers that no run draws, so that a flow takes the same of
	// several equal ways in every run.
	uint16_t sport = traffic_sport(
		b, f, bth_source_port(BTH_QPN_BASE + q->src_qp, BTH_QPN_BASE + q->dst_qp));
	struct hdr *all[] = {&q->hdr_data, &q->hdr_ack, &q->hdr_cnp};

	traffic_header(b, &q->hdr_data, f, p->from, p->to, f->cls);
	traffic_header(b, &q->hdr_ack, f, p->to, p->from, ack_class(f, p->to));
	traffic_header(b, &q->hdr_cnp, f, p->to, p->from, p->to->host->cnp_class);
	q->hdr_data.payload = f->payload;
	for (unsigned i = 0; i < 3; i++) {
		all[i]->sport = sport;
		all[i]->dport = BTH_UDP_PORT;
	}
}

const char *traffic_group_of(const struct draft_flow *f)
{
	return f->spec->group ? f->spec->group : f->name;
}

static int by_name(const void *one, const void *two)
{
	return strcmp(*(const char *const *)one, *(const char *const *)two);
}

// The name of a group that has flows of all names and destinations; NULL: the flow has no such
// group. A load is one group, and so is a job.
static const char *pool_of(const struct draft_flow *f)
{
	return traffic_is_loaded(f) ? traffic_group_of(f) : f->spec->group;
}

int traffic_pools(struct draft *b)
{
	for (unsigned i = 0; i < b->n_flows; i++)
		b->n_pools += pool_of(b->flow[i]) != NULL;
	if (!b->n_pools)
		return 0;
	b->pool = draft_scrap(b, b->n_pools * sizeof(*b->pool));
	if (!b->pool)
		return -ENOMEM;
	b->n_pools = 0;
	for (unsigned i = 0; i < b->n_flows; i++)
		if (pool_of(b->flow[i]))
			b->pool[b->n_pools++] = pool_of(b->flow[i]);
	qsort(b->pool, b->n_pools, sizeof(*b->pool), by_name);
	return 0;
}

// Whether a flow of the scenario names the group.
static bool is_pooled(const struct draft *b, const char *group)
{
	return b->n_pools && bsearch(&group, b->pool, b->n_pools, sizeof(*b->pool), by_name);
}

// "ring[3>4]", by ranks, with ".1" for the graph's NIC 1.
static void name_of_job(struct scene_flow *q, const struct draft_flow *f, unsigned pair)
{
	const struct scene_job_pair *p = &f->job->to->pair[f->job->pair[pair]];
	char nic[8] = "";

	if (p->nic)
		snprintf(nic, sizeof(nic), ".%u", p->nic);
	snprintf(q->name, sizeof(q->name), "%s[%u>%u%s]", f->name, p->from, p->to, nic);
}

static void name_of_flow(struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p, unsigned number)
{
	int n = snprintf(q->name, sizeof(q->name), "%s[%s>%s.%u]", f->name, p->from->name,
		p->to->name, number);

	if (n >= (int)sizeof(q->name))
		snprintf(q->name, sizeof(q->name), "%s[%u>%u.%u]", f->name, p->from->index,
			p->to->index, number);
}

static void names(const struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p, unsigned number)
{
	if (f->job)
		name_of_job(q, f, (unsigned)(p - f->pair));
	else
		name_of_flow(q, f, p, number);
	snprintf(q->group, sizeof(q->group), "%s", traffic_group_of(f));
	q->pooled = is_pooled(b, q->group);
	snprintf(q->control, sizeof(q->control), "%s", f->spec->control);
}

static bool same_rc(const struct rc_params *a, const struct rc_params *b)
{
	return a->verb == b->verb && a->mtu == b->mtu && a->window == b->window &&
	       a->ack_every == b->ack_every && a->rto_ps == b->rto_ps && a->retries == b->retries &&
	       a->rnr_retries == b->rnr_retries && a->recovery == b->recovery &&
	       !memcmp(&a->adaptive, &b->adaptive, sizeof(a->adaptive)) &&
	       a->rto_low_ps == b->rto_low_ps && a->nack_threshold == b->nack_threshold &&
	       a->rd_atomic == b->rd_atomic && a->imm_fixed == b->imm_fixed && a->imm == b->imm;
}

// Messages of a job between two processes bring immediate data, by which the receiving rank knows
// them.
static enum rc_verb verb_of(const struct draft_flow *f, const struct draft_pair *pair)
{
	bool apart = pair->from->elsewhere != pair->to->elsewhere;

	return f->job && apart ? RC_SEND_IMM : f->spec->verb;
}

// Compiles the configuration of a queue pair. Consecutive queue pairs with the same values share
// it, as a NIC keeps only one copy.
static int compile_rc(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *pair)
{
	const struct spec_flow *s = f->spec;
	struct rc_params p = {.verb = verb_of(f, pair),
		.mtu = s->mtu,
		.window = s->window,
		.ack_every = s->ack_every,
		.rto_ps = s->rto,
		.retries = s->retries == OPT_NONE ? RC_NO_LIMIT : (unsigned)s->retries,
		.rnr_retries = (unsigned)s->rnr_retries,
		.recovery = b->s->hpcc_sim ? RC_ANY_ORDER : RC_GO_BACK_N,
		.rd_atomic = s->rd_atomic,
		.imm_fixed = s->imm != OPT_AUTO,
		.imm = s->imm != OPT_AUTO ? (uint32_t)s->imm : 0};

	int rc = traffic_adaptive(b, q, f, &p);

	if (!rc)
		rc = traffic_recovery(b, q, f, pair, &p);

	if (rc)
		return rc;
	if (b->rc && same_rc(&b->rc->p, &p)) {
		q->rc = b->rc;
		return 0;
	}
	b->rc = draft_get(b, sizeof(*b->rc));
	if (!b->rc)
		return -ENOMEM;
	q->rc = b->rc;
	if (rc_cfg_init(b->rc, &p))
		return yamldoc_err(b->err, f->key,
			"flow '%s': its transport's values do not go together", f->name);
	return 0;
}

// The simulator's gaps run from the actual departure: nothing is made up for.
static tstamp catch_up(const struct draft *b, const struct spec_flow *f, const struct spec_host *h)
{
	tstamp t = f->catch_up == OPT_WORD(0) ? h->catch_up : f->catch_up;

	if (b->s->hpcc_sim)
		return 0;
	return t == OPT_AUTO ? PACER_AUTO : t;
}

// Returns how many messages may be outstanding. An endless flow has several, so that the wire stays
// busy while an ACK is on its way. A load has as many as a send queue takes, for its messages do
// not wait for each other; so has a job. A flow with a count posts its messages one after the
// other, like a program that waits for each.
static unsigned outstanding(const struct draft_flow *f)
{
	if (f->spec->outstanding != OPT_AUTO)
		return (unsigned)f->spec->outstanding;
	if (traffic_is_loaded(f))
		return RC_MESSAGES;
	return f->spec->count == OPT_NONE ? 4 : 1;
}

static bool is_controlled(const struct scene_flow *q)
{
	return rp_asks(q->rp) & (RP_ASKS_CNP | RP_ASKS_CE);
}

static int both_ends(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p)
{
	const struct spec_flow *s = f->spec;
	rate_t line = draft_host_link(p->from)->spec.rate;
	rate_t limit = 0;

	if ((s->rate.is_share || s->rate.value != OPT_NONE) &&
		draft_rate(b, &limit, &s->rate, line, opt_source(&scene_opts_flow, s, "rate")))
		return -EINVAL;

	struct nic_qp_params both = {.flow = b->s->n_flows - 1,
		.cls = f->cls,
		.tos = traffic_data_tos(f, p->from, is_controlled(q)),
		.ack_cls = (uint8_t)ack_class(f, p->to),
		.ack_tos = ack_tos(f, p->to, is_controlled(q)),
		.ack_len = b->s->hpcc_sim ? HPCC_SIM_ACK_LEN : 0,
		.nack_more = (uint16_t)(s->nack_bytes - 62),
		.overhead = f->sim_overhead,
		.bare = b->s->hpcc_sim,
		.data_hdr = &q->hdr_data,
		.ack_hdr = &q->hdr_ack,
		.cnp_hdr = &q->hdr_cnp,
		.rc = q->rc,
		.message_bytes = traffic_longest(f),
		.loaded = traffic_is_loaded(f),
		.count = s->count == OPT_NONE ? 0 : s->count,
		.outstanding = outstanding(f),
		.start = traffic_is_loaded(f) ? TSTAMP_NEVER : traffic_start(b, f, q->name),
		.stop = traffic_stop(b, f)};

	if (s->psn != OPT_AUTO) {
		both.psn = (uint32_t)s->psn;
		q->psn_given = true;
	}
	q->req = q->rsp = both;
	q->room = (uint8_t)nic_ring_room(both.outstanding);
	q->req.requester = true;
	q->req.rp = q->rp;
	q->req.rp_shared = rp_is_joined(q->rp) && q->rp->u.qcn.p.max_rps;
	q->rsp.echo_ce = rp_asks(q->rp) & RP_ASKS_CE;
	q->rsp.has_cnp_ecn = s->cnp_ecn != ECN_ECT0;
	q->rsp.cnp_ecn = q->rsp.has_cnp_ecn ? (uint8_t)s->cnp_ecn : 0;
	q->req.rate_limit = limit;
	q->req.catch_up_ps = catch_up(b, s, p->from->host);
	return 0;
}

// A NIC's RDMA IP has one set of global registers, and a limited number of blocks for queue pairs.
static int rdma_ip(struct draft *b, const struct draft_flow *f, struct draft_node *from,
	const struct scene_control *c, uint32_t qp)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_flow, f->spec, "control");

	if (!from->rdma_ip)
		from->rdma_ip = c;
	if (from->rdma_ip != c)
		return yamldoc_err(b->err, at,
			"host '%s' sends with the controls '%s' and '%s'; "
			"its RDMA IP has one set of registers",
			from->name, from->rdma_ip->name, c->name);
	if (qp <= RDMA_IP_REG_QPS)
		return 0;
	return yamldoc_err(b->err, at,
		"host '%s' has more than the %u queue pairs that the RDMA IP has registers for",
		from->name, RDMA_IP_REG_QPS);
}

// The flow ID of a queue pair that has a CN-TAG: its own number (802.1Qau: only the sender uses
// it). With rpppMaxRps the queue pairs of a class share that many flow IDs, which are above all
// numbers.
static int cn_flow_id(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	struct draft_node *from, const struct scene_control *c)
{
	unsigned cls = f->cls, max = c->cfg.u.qcn.p.max_rps;

	q->hdr_data.flags |= HDR_CNTAG;
	q->hdr_data.cntag = (uint16_t)q->src_qp;
	if (!max && q->src_qp >= SHARED_IDS)
		return yamldoc_err(b->err, f->key,
			"host '%s' has more than the %u queue pairs that a CN-TAG tells apart; "
			"give the control max_rps, or no cn_tag",
			from->name, SHARED_IDS - 1);
	if (!max)
		return 0;
	if (!from->rps[cls])
		from->rps[cls] = c;
	if (from->rps[cls] != c)
		return yamldoc_err(b->err, opt_source(&scene_opts_flow, f->spec, "control"),
			"host '%s' sends in class %u with the controls '%s' and '%s'; "
			"max_rps is of the class",
			from->name, cls, from->rps[cls]->name, c->name);
	q->hdr_data.cntag = (uint16_t)(SHARED_IDS + cls * 128 + from->n_rps[cls]++ % max);
	return 0;
}

static int reaction_point(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p)
{
	const struct scene_control *c;
	bool tagged = false;
	int rc = traffic_control(b, &c, f, draft_host_link(p->from)->spec.rate);

	if (!rc)
		rc = traffic_cn_tagged(b, f, &tagged);
	if (rc || !c)
		return rc;
	q->rp = &c->cfg;
	if (f->spec->verb == RC_READ && rp_asks(q->rp) & (RP_ASKS_ACK | RP_ASKS_RTT | RP_ASKS_CE))
		return yamldoc_err(b->err, opt_source(&scene_opts_flow, f->spec, "control"),
			"flow '%s' is a READ, whose data are not acknowledged, and its control "
			"'%s' goes by ACKs; one of kind dcqcn, qcn or rdma_ip goes by CNPs or CNMs",
			f->name, c->name);
	if (c->cfg.kind == RP_RDMA_IP)
		rc = rdma_ip(b, f, p->from, c, q->src_qp);
	if (rc)
		return rc;
	return tagged ? cn_flow_id(b, q, f, p->from, c) : 0;
}

// The QPN that the flow gives the next queue pair of its sender.
static int give_qpn(
	struct draft *b, struct scene_flow *q, const struct draft_flow *f, struct draft_node *from)
{
	uint64_t qpn = f->spec->src_qpn;

	if (qpn == OPT_AUTO)
		return 0;
	if (from->qpn_of != f->spec)
		from->n_qpns = 0;
	from->qpn_of = f->spec;
	qpn += from->n_qpns++;
	q->src_qpn = (uint32_t)qpn;
	if (qpn <= SCENE_QPN_MOST)
		return 0;
	return yamldoc_err(b->err, draft_given(&scene_opts_flow, f->spec, "src_qpn", f->key),
		"flow '%s': the queue pairs of %s go beyond the last QPN, 0x%x; lower src_qpn",
		f->name, from->name, SCENE_QPN_MOST);
}

static int queue_pair(
	struct draft *b, const struct draft_flow *f, const struct draft_pair *p, unsigned number)
{
	struct scene_flow *q = draft_get(b, sizeof(*q));
	void **place = q ? draft_push(b, &b->s->flow, &b->s->n_flows) : NULL;

	if (!place)
		return -ENOMEM;
	*place = q;
	q->from = (uint16_t)p->from->index;
	q->to = (uint16_t)p->to->index;
	q->src_qp = ++p->from->n_qps;
	q->dst_qp = ++p->to->n_qps;
	q->cls = f->cls;
	q->told_dport = f->dport;
	names(b, q, f, p, number);
	headers(b, q, f, p);

	int rc = give_qpn(b, q, f, p->from);

	if (!rc)
		rc = reaction_point(b, q, f, p);
	if (!rc)
		rc = compile_rc(b, q, f, p);
	if (!rc)
		rc = both_ends(b, q, f, p);
	return rc ? rc : traffic_peer_give(b, q, f, p);
}

int traffic_roce(struct draft *b, struct draft_flow *f, const struct draft_pair *p)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < f->spec->qps; i++)
		rc = queue_pair(b, f, p, i);
	return rc;
}

// Frames whose instants cover the longest round trip that is timed.
static void trips(struct draft *b, const struct draft_flow *f, struct scene_source *src)
{
	const struct spec_open_loop *o = &f->spec->open_loop;
	tstamp frame = gen_period(&src->gen);
	tstamp most = o->rtt_max == OPT_AUTO ? RTT_MAX : o->rtt_max;
	uint64_t want = gen_frames_within(&src->gen, most);
	const struct yamldoc_node *at =
		opt_source(opt_row(&scene_opts_flow, "open_loop")->sub, o, "rtt_max");

	src->trips = want < DEPARTURES_MOST ? (uint32_t)want : DEPARTURES_MOST;
	if (want > DEPARTURES_MOST)
		draft_warn(b, at ? at : f->key,
			"flow '%s': %s sends %llu frames within rtt_max, and the instants of %u "
			"are kept: what comes back later than %.6g ms counts as late; lower the "
			"rate or rtt_max",
			f->name, src->name, (unsigned long long)want, DEPARTURES_MOST,
			(double)(DEPARTURES_MOST - o->burst) * (double)frame / PS_PER_MS);
}

// The receiver sends the source's frames back, if it echoes.
static void give_echo(struct draft *b, const struct draft_flow *f, const struct draft_pair *p,
	struct scene_source *src)
{
	src->echoes = p->to->host->responder == SPEC_RESPONDER_ECHO && !src->gen.roce.opcode;
	if (!src->echoes)
		return;
	src->hdr.dport = ECHO_PORT;
	src->back = src->hdr;
	src->back.id = ++b->s->n_hdrs;
	turn_hdr(&src->back);
	trips(b, f, src);
}

// The rate of one of the flow's sources. The link must carry all that the flow has for a pair of
// hosts.
static int source_rate(struct draft *b, const struct draft_flow *f, const struct draft_pair *p,
	struct gen_params *gen)
{
	const struct opt_amount *rate = &f->spec->open_loop.rate;
	const struct yamldoc_node *at = opt_source(
		opt_row(&scene_opts_flow, "open_loop")->sub, &f->spec->open_loop, "rate");
	rate_t line = draft_host_link(p->from)->spec.rate;
	unsigned n = f->spec->open_loop.sources;
	char is[32], most[32], by[32] = "";

	at = at ? at : f->key;
	if (gen->item) {
		gen->rate = line;
		return 0;
	}
	gen->frames_per_s = rate->is_pps ? rate->value : 0;
	if (rate->is_pps)
		gen->rate = gen_rate_of(gen, rate->value);
	else if (draft_rate(b, &gen->rate, rate, line, at))
		return -EINVAL;
	if (gen->rate <= line / n)
		return 0;
	if (n > 1)
		snprintf(by, sizeof(by), " by %u sources", n);
	return yamldoc_err(b->err, at,
		"flow '%s' sends %s on the wire%s, and the link of %s carries %s; lower its rate",
		f->name, units_format(UNITS_RATE, gen->rate * n, is, sizeof(is)), by, p->from->name,
		units_format(UNITS_RATE, line, most, sizeof(most)));
}

#define OPEN_QPN 0x800000 // the first QPN of RoCEv2 sources, where none is given

int traffic_source_check(struct draft *b, const struct draft_flow *f)
{
	const struct spec_open_loop *o = &f->spec->open_loop;
	const struct opt_table *t = opt_row(&scene_opts_flow, "open_loop")->sub;
	uint64_t n = (uint64_t)f->n_pairs * o->sources;

	if (!traffic_is_open_roce(f))
		return 0;
	if (o->raw)
		return yamldoc_err(b->err, opt_source(t, o, "roce"),
			"flow '%s': raw frames have no IP, and RoCEv2 needs it; drop raw, or roce",
			f->name);
	if (o->roce.qpn == OPT_AUTO || o->roce.qpn + n - 1 <= SCENE_QPN_MOST)
		return 0;
	return yamldoc_err(b->err, opt_source(opt_row(t, "roce")->sub, &o->roce, "qpn"),
		"flow '%s' has %llu sources, and its qpn leaves room for %u QPNs; lower it",
		f->name, (unsigned long long)n, (unsigned)(SCENE_QPN_MOST - o->roce.qpn + 1));
}

// `number`: of the source in its flow.
static void source_roce(
	struct draft *b, const struct draft_flow *f, struct scene_source *src, unsigned number)
{
	const struct spec_open_roce *r = &f->spec->open_loop.roce;

	if (!traffic_is_open_roce(f))
		return;
	src->hdr.dport = BTH_UDP_PORT;
	src->gen.roce = (struct gen_roce){.opcode = r->verb ? BTH_RC_WRITE_ONLY : BTH_RC_SEND_ONLY,
		.head = (uint8_t)traffic_source_head(f, src->hdr.flags & HDR_IPV6),
		.qpn = r->qpn == OPT_AUTO ? OPEN_QPN + b->s->n_sources - 1
					  : (uint32_t)r->qpn + number,
		.psn = r->psn};
}

static void source_name(struct scene_source *src, const struct draft_flow *f,
	const struct draft_pair *p, unsigned n)
{
	char end[16] = "";

	if (f->spec->open_loop.sources > 1)
		snprintf(end, sizeof(end), ".%u", n);
	if (snprintf(src->name, sizeof(src->name), "%s[%s>%s%s]", f->name, p->from->name,
		    p->to->name, end) >= (int)sizeof(src->name))
		snprintf(src->name, sizeof(src->name), "%s[%u>%u%s]", f->name, p->from->index,
			p->to->index, end);
}

static int add_source(
	struct draft *b, struct draft_flow *f, const struct draft_pair *p, unsigned number)
{
	const struct spec_open_loop *o = &f->spec->open_loop;
	struct scene_source *src = draft_get(b, sizeof(*src));
	void **place = src ? draft_push(b, &b->s->source, &b->s->n_sources) : NULL;
	tstamp after;

	if (!place)
		return -ENOMEM;
	if (traffic_frames_after(b, f, src, &after))
		return -EINVAL;
	*place = src;
	source_name(src, f, p, number);
	src->from = (uint16_t)p->from->index;
	src->to = (uint16_t)p->to->index;
	traffic_header(b, &src->hdr, f, p->from, p->to, f->cls);
	src->hdr.sport = traffic_sport(b, f, (uint16_t)(0xc000 + b->s->n_sources));
	src->hdr.dport = DISCARD_PORT;
	src->hdr.payload = f->payload;
	src->ask = !o->raw && traffic_source_asks(b, p) ? &src->hdr : NULL;
	if (o->raw) {
		src->hdr.flags &= HDR_VLAN;
		src->hdr.ethertype = ETHERTYPE_TEST;
	}
	src->gen = (struct gen_params){.source = b->s->n_sources - 1,
		.hdr = &src->hdr,
		.tos = o->raw ? 0 : traffic_data_tos(f, p->from, traffic_is_open_roce(f)),
		.cls = f->cls,
		.burst = o->burst,
		.start = tstamp_add(traffic_start(b, f, src->name), after),
		.stop = traffic_stop(b, f),
		.count = o->count == OPT_NONE ? 0 : o->count,
		.seed = b->s->seed,
		.name = src->name};
	source_roce(b, f, src, (unsigned)(p - f->pair) * o->sources + number);
	src->after.offset = src->gen.start - after;
	src->after.look = (src->after.look + src->after.offset) / 2;
	if (traffic_frames_give(b, f, p, &src->gen) || source_rate(b, f, p, &src->gen))
		return -EINVAL;
	give_echo(b, f, p, src);
	return 0;
}

int traffic_source(struct draft *b, struct draft_flow *f, const struct draft_pair *p)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < f->spec->open_loop.sources; i++)
		rc = add_source(b, f, p, i);
	return rc;
}
