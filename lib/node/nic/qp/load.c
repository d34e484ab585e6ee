// SPDX-License-Identifier: BSD-3-Clause
// Messages that come by themselves: by loads (load/arrivals.h) and by jobs. Each joins the FIFO of
// its queue pair, which posts its messages in turn.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define NOBODY NIC_FIFO_NOBODY

// One of the queue pairs by which messages go to a host.
struct way {
	uint32_t to, qp; // its index; NOBODY: another lane has it
};

struct nic_load {
	struct arrivals a;
	uint32_t number; // in the scene
	uint32_t host;   // whose messages we send
	uint32_t each;   // queue pairs that take turns
	uint64_t n;      // messages of the host so far
	bool stopped;    // its messages are nobody's
	tstamp from;     // it went on then
	struct way *way; // by `to`, `each` of them in a row
	uint32_t n_ways;
};

struct nic_loads {
	struct nic_load **load;
	unsigned n;
	uint32_t waiting; // messages of all loads in FIFOs
};

static int init(struct nic *nic)
{
	struct nic_loads *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	nic->loads = l;
	nic->s.has_loads = true;
	return nic_fifos_init(&nic->fifos, nic->p.max_qps) ||
			       nic_fifos_grow(&nic->fifos, nic->p.waiting)
		       ? -ENOMEM
		       : 0;
}

void nic_load_fini(struct nic *nic)
{
	struct nic_loads *l = nic->loads;

	nic_work_fini(nic->work);
	nic_fifos_fini(&nic->fifos);
	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++) {
		free(l->load[i]->way);
		free(l->load[i]);
	}
	free(l->load);
	free(l);
}

// Finds the queue pairs of a load, which have been added.
static int find_ways(struct nic *nic, struct nic_load *one, const struct nic_load_params *p)
{
	one->way = calloc(p->n_pairs + 1ul, sizeof(*one->way));
	if (!one->way)
		return -ENOMEM;
	one->n_ways = p->n_pairs;
	for (uint32_t i = 0; i < p->n_pairs; i++) {
		const struct nic_load_pair *pair = &p->pair[i];
		int qp = pair->qp ? nic_index_of(nic, pair->qp) : -1;

		if (pair->qp && (qp < 0 || !nic_requests(nic, (unsigned)qp)))
			return -EINVAL;
		one->way[i] = (struct way){pair->to, pair->qp ? (uint32_t)qp : NOBODY};
		if (pair->qp)
			nic->fifos.fifo[qp].of = nic->loads->n;
	}
	return 0;
}

// The instants of loads are in the wheel of timers, behind those of queue pairs.
static uint32_t timer_of(const struct nic *nic, unsigned i)
{
	return nic->p.max_qps + i;
}

// Jobs have the timer behind those of loads, which have been added before.
static uint32_t work_timer(const struct nic *nic)
{
	return timer_of(nic, nic->loads ? nic->loads->n : 0);
}

int nic_load_add(struct nic *nic, const struct nic_load_params *p)
{
	int rc = nic->work ? -EINVAL : nic->loads ? 0 : init(nic);
	struct nic_load *one;

	if (rc)
		return rc;
	if (!p->each || p->n_pairs % p->each || !nic_room(&nic->loads->load, nic->loads->n))
		return p->each && p->n_pairs % p->each == 0 ? -ENOMEM : -EINVAL;
	one = calloc(1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->number = p->number;
	one->host = p->host;
	one->each = p->each;
	one->stopped = p->stopped;
	rc = arrivals_init(&one->a, p->arrivals);
	if (!rc)
		rc = find_ways(nic, one, p);
	if (!rc)
		rc = wheel_grow(&nic->timers, timer_of(nic, nic->loads->n) + 1);
	if (rc) {
		free(one->way);
		free(one);
		return rc;
	}
	wheel_set(&nic->timers, timer_of(nic, nic->loads->n), arrivals_at(&one->a));
	nic->loads->load[nic->loads->n++] = one;
	return 0;
}

// Puts a message into the FIFO of a queue pair. False: the host has no room for one more.
static bool put(struct nic *nic, uint32_t qp, uint32_t bytes, tstamp at)
{
	struct nic_loads *l = nic->loads;

	if (l->waiting == nic->p.waiting)
		return false;
	l->waiting++;
	nic_fifo_put(&nic->fifos, &nic->fifos.fifo[qp], bytes, at);
	return true;
}

bool nic_load_waits(const struct nic *nic, const struct nic_qp *qp)
{
	const struct nic_fifo *f = &nic->fifos.fifo[qp->index];

	if (f->head == NOBODY || LIKELY(!qp->works))
		return f->head != NOBODY;
	return nic->now < nic->quiet_at && nic_work_may_post(nic->work, f->of);
}

// The first message of a job is posted as the next one of the queue pair.
ASIDE void take_work(struct nic *nic, const struct nic_qp *qp, uint32_t place)
{
	const struct rc_tx *tx = &qp->req.tx;

	nic_job_rate(nic, qp, nic->now);
	nic_work_posted(nic->work, nic->fifos.fifo[qp->index].of, place, rc_tx_end(tx),
		rc_packets(tx->cfg, nic->fifos.place[place].bytes));
}

void nic_load_take(struct nic *nic, const struct nic_qp *qp, uint32_t *bytes, tstamp *at)
{
	uint32_t place = nic_fifo_take(&nic->fifos, &nic->fifos.fifo[qp->index]);

	*bytes = nic->fifos.place[place].bytes;
	*at = nic->fifos.place[place].at;
	if (UNLIKELY(qp->works))
		take_work(nic, qp, place);
	else
		nic->loads->waiting--;
}

bool nic_load_look(const struct nic *nic, unsigned qp, uint32_t *place, uint32_t *bytes, tstamp *at)
{
	const struct nic_fifos *f = &nic->fifos;
	uint32_t i;

	if (!f->fifo)
		return false;
	i = *place == NIC_LOAD_FIRST ? f->fifo[qp].head : *place;
	if (i == NOBODY)
		return false;
	*bytes = f->place[i].bytes;
	*at = f->place[i].at;
	*place = f->place[i].next;
	return true;
}

// Returns the queue pair of the host's next message, by index; NOBODY: it goes to no host of ours.
static uint32_t way_to(struct nic_load *one, uint32_t to)
{
	uint32_t turn = (uint32_t)(one->n++ % one->each), low = 0, high = one->n_ways / one->each;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (one->way[mid * one->each].to < to)
			low = mid + 1;
		else
			high = mid;
	}
	low = low * one->each + turn;
	return low < one->n_ways && one->way[low].to == to ? one->way[low].qp : NOBODY;
}

void nic_load_go(struct nic *nic, struct nic_qp *qp, tstamp now)
{
	if (qp->req.tx.failed)
		return;
	if (qp->running)
		nic_req_post(nic, qp, now);
	else
		nic_req_start(nic, qp, now);
}

// The message finds no room to wait.
static void drop(struct nic *nic, uint32_t qp, const struct arrival *m)
{
	struct ev *ev = ev_put(nic->events, EV_MSG_FAILED, nic->now);

	nic->s.messages_dropped++;
	if (ev)
		ev->message = (struct ev_message){.flow = nic_flow_at(nic, qp),
			.bytes = m->bytes,
			.begun = TSTAMP_NEVER,
			.posted = m->at};
}

// What would have come while the load was stopped does not come later. Of a closed load the next
// message waits until the load goes on.
static void give(struct nic *nic, struct nic_load *one, const struct arrival *m, tstamp now)
{
	uint32_t i = way_to(one, m->to);

	if (i == NOBODY || one->stopped || m->at >= nic->quiet_at ||
		(m->at < one->from && one->a.cfg->kind != ARRIVALS_CLOSED))
		return;
	if (!put(nic, i, m->bytes, tstamp_max(m->at, one->from))) {
		drop(nic, i, m);
		return;
	}
	nic_load_wake(nic, i, now);
}

void nic_load_wake(struct nic *nic, unsigned i, tstamp now)
{
	if (nic->qp[i] || !nic_wait_message(nic, i, now))
		nic_load_go(nic, nic_qp_at(nic, i), now);
}

// Messages of a closed load wait while senders begin nothing.
static bool is_held(const struct nic *nic, const struct nic_load *one)
{
	return one->a.cfg->kind == ARRIVALS_CLOSED && arrivals_at(&one->a) >= nic->quiet_at;
}

static const struct nic_cls *cls_of(const struct nic *nic, uint32_t i)
{
	const struct nic_qp *qp = nic->qp[i];
	unsigned cls = qp ? qp->cls : nic_kind(nic, nic->idle[i].kind)->p.cls;

	return &nic->cls[nic->queue_of[cls]];
}

// Ranks of jobs go on, and their messages are posted. Without room for their events they go on a ps
// later, when the driver has taken some.
static void work_due(struct nic *nic, tstamp now)
{
	uint32_t i;

	while (nic_work_at(nic->work) <= now && !ev_crowded(nic->events)) {
		nic_work_step(nic->work, now);
		while ((i = nic_work_next(nic->work, now)) != NOBODY) {
			nic_work_shut(nic->work, nic_shut_until(cls_of(nic, i), now));
			nic_load_wake(nic, i, now);
		}
	}
	wheel_set(&nic->timers, work_timer(nic), tstamp_max(nic_work_at(nic->work), now + 1));
}

void nic_load_due(struct nic *nic, uint32_t timer, tstamp now)
{
	struct nic_load *one;
	struct arrival m;

	if (timer == work_timer(nic)) {
		work_due(nic, now);
		return;
	}
	one = nic->loads->load[timer - nic->p.max_qps];
	while (arrivals_at(&one->a) <= now && !is_held(nic, one) && arrivals_next(&one->a, &m))
		if (m.from == one->host)
			give(nic, one, &m, now);
	wheel_set(&nic->timers, timer, is_held(nic, one) ? TSTAMP_NEVER : arrivals_at(&one->a));
}

void nic_load_done(struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	uint32_t i = nic->fifos.fifo[qp->index].of;
	struct nic_load *one;

	if (UNLIKELY(qp->works)) {
		nic_work_done(nic->work, i);
		wheel_set(&nic->timers, work_timer(nic), now);
		return;
	}
	one = nic->loads->load[i];
	arrivals_done(&one->a, now);
	if (one->a.cfg->kind == ARRIVALS_CLOSED && !one->stopped)
		wheel_set(&nic->timers, timer_of(nic, i), arrivals_at(&one->a));
}

int nic_load_run(struct nic *nic, uint32_t number, bool on, tstamp from)
{
	for (unsigned i = 0; nic->loads && i < nic->loads->n; i++) {
		struct nic_load *one = nic->loads->load[i];

		if (one->number != number)
			continue;
		if (on && one->stopped)
			one->from = from;
		one->stopped = !on;
		wheel_set(&nic->timers, timer_of(nic, i), on ? arrivals_at(&one->a) : TSTAMP_NEVER);
		return 0;
	}
	return -ENOENT;
}

void nic_load_go_on(struct nic *nic, tstamp now)
{
	for (unsigned i = 0; nic->loads && i < nic->loads->n; i++) {
		struct nic_load *one = nic->loads->load[i];

		one->from = now;
		if (!one->stopped)
			wheel_set(&nic->timers, timer_of(nic, i), arrivals_at(&one->a));
	}
}

int nic_load_each(struct nic *nic, uint32_t number,
	void (*fn)(struct nic *nic, unsigned qp, bool on, tstamp now), bool on, tstamp now)
{
	for (unsigned i = 0; nic->loads && i < nic->loads->n; i++) {
		struct nic_load *one = nic->loads->load[i];

		if (one->number != number)
			continue;
		for (uint32_t k = 0; k < one->n_ways; k++)
			if (one->way[k].qp != NOBODY)
				fn(nic, one->way[k].qp, on, now);
		return 0;
	}
	return -ENOENT;
}

// Finds the queue pairs of a job's ways, which have been added.
static int find_pairs(
	const struct nic *nic, const struct nic_job_way *way, uint32_t n, bool sends, uint32_t *qp)
{
	for (uint32_t i = 0; i < n; i++) {
		int at = way[i].qp ? nic_index_of(nic, way[i].qp) : -1;

		if (way[i].qp && (at < 0 || nic_requests(nic, (unsigned)at) != sends))
			return -EINVAL;
		if (at >= 0 && sends && !nic_kind(nic, nic_kind_at(nic, (unsigned)at))->p.loaded)
			return -EINVAL;
		qp[i] = at < 0 ? NOBODY : (uint32_t)at;
	}
	return 0;
}

int nic_load_add_job(struct nic *nic, const struct nic_job_params *p)
{
	uint64_t n = (uint64_t)p->n_out + p->n_in;
	uint32_t *qp = malloc((n + 1) * sizeof(*qp));
	int rc = qp ? nic_fifos_init(&nic->fifos, nic->p.max_qps) : -ENOMEM;

	if (!rc)
		rc = find_pairs(nic, p->out, p->n_out, true, qp);
	if (!rc)
		rc = find_pairs(nic, p->in, p->n_in, false, qp + p->n_out);
	if (!rc)
		rc = nic_work_add(&nic->work, p, qp, &nic->fifos, nic->events);
	if (!rc)
		rc = wheel_grow(&nic->timers, work_timer(nic) + 1);
	for (uint64_t i = 0; !rc && i < n; i++)
		if (qp[i] != NOBODY && nic->qp[qp[i]])
			nic->qp[qp[i]]->works = true;
	if (!rc)
		wheel_set(&nic->timers, work_timer(nic), nic_work_at(nic->work));
	free(qp);
	return rc;
}

static uint32_t way_of(const struct nic *nic, const struct nic_qp *qp)
{
	return nic->fifos.fifo[qp->index].of;
}

// Immediate data that stand for the number of the message, as a flow has them, name the message.
void nic_job_left(struct nic *nic, const struct nic_qp *qp, struct pkt *p, tstamp now)
{
	bool last = p->flags & PKT_F_LAST;
	const struct nic_work_frame f = {.psn = p->u.rc.psn,
		.wire = p->len + nic->ecfg.framing.wire_extra,
		.last = last,
		.again = p->flags & PKT_F_RETX,
		.ends = last || qp->req.tx.cfg->repairs,
		.shut = nic_shut_until(&nic->cls[qp->queue], now),
		.free = nic->e.tat};

	if (qp->req.tx.cfg->has_imm && last)
		pkt_set_imm(&p->u.rc, nic_work_word(nic->work, way_of(nic, qp), pkt_imm(&p->u.rc)));
	nic_work_left(nic->work, way_of(nic, qp), &f, now);
	wheel_set(&nic->timers, work_timer(nic), nic_work_at(nic->work));
}

// It has waited since the last bit of its last frame, which was as long as the frames of its oldest
// message.
void nic_job_timeout(struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	const struct nic_cls *c = &nic->cls[qp->queue];
	const struct rc_tx *tx = &qp->req.tx;
	uint32_t bytes = tx->messages ? rc_tx_message(tx, 0)->bytes : 0, mtu = tx->cfg->p.mtu;
	const struct nic_frame *frame = &nic_kind(nic, qp->req.kind)->frame;
	uint32_t len = nic_frame_len(frame, bytes < mtu ? bytes : mtu, false, 0);
	tstamp from = nic_counts(qp)->last_timestamp + eport_wire_time(&nic->ecfg, len);

	from = tstamp_min(from, now);
	nic_work_timeout(nic->work, way_of(nic, qp), from,
		tstamp_since(nic_shut_until(c, now), nic_shut_until(c, from)), now);
}

// Queue pairs that take turns at a reaction point, or have a limiter of windows, have no rate of
// their own.
void nic_job_rate(struct nic *nic, const struct nic_qp *qp, tstamp at)
{
	bool own = !nic_shared(qp) && !nic_rdma_ip_windowed(qp);

	nic_work_rate(nic->work, way_of(nic, qp), own ? qp->req.rate : 0, at);
}

void nic_job_failed(struct nic *nic, const struct nic_qp *qp)
{
	nic_work_failed(nic->work, way_of(nic, qp));
}

void nic_job_came(struct nic *nic, const struct nic_qp *qp, uint32_t word, tstamp born, tstamp now)
{
	nic_work_came(nic->work, way_of(nic, qp), word, born);
	wheel_set(&nic->timers, work_timer(nic), now);
}
