// SPDX-License-Identifier: BSD-3-Clause
// Serves the queues of a port: frames leave one after the other, as the scheduler chooses them,
// while the wire is free. Like frames of a class that leave in a row are a run; their sizes and
// times are computed once. Sums that nobody reads before the call ends are kept by class: counters,
// and the buffer that the frames give back. The call ends early with a frame that may change more
// than sums: its group may come to XON, or its mark may cause a CNP.
#include "egress.h"

#include "cn.h"
#include "marker.h"
#include "base/hint.h"
#include "buffer/buffer.h"

// A class that takes turns.
struct turn {
	struct pkt *p; // the next frame
	uint64_t word; // its pkt_word
	tstamp wire;   // its time on the wire
	int32_t bytes; // its size in the queue
	uint32_t held; // its size in the buffer
	int32_t deficit, quantum;
	uint32_t run;   // frames like it that have left and are not in the sums below yet
	uint32_t queue; // bytes left in the queue
	uint32_t sent;  // frames
	bool groups;    // frames that are alike may be of several groups
	bool tells;     // a mark may cause a CNP
	bool ect;       // the marker may mark the next frame
	bool xoff;      // the group of the frames in `left` is in XOFF
	uint64_t *seen; // the counter of frames like it; NULL: no marker at dequeue
	const struct sw_cls *k;
	struct sw_out *s;
	uint64_t resumes;    // when serve.gone reaches this, the group may come to XON
	struct sw_left left; // frames whose buffer has not been given back yet
	tstamp all_time, own_time[EPORT_OWN_GATES]; // for how long the next frame holds gates
};

struct serve {
	struct sw *sw;
	struct sw_port *o;
	struct eport_gates *gates; // NULL: none
	unsigned ready, begun;     // bitmaps of classes
	bool as_came;              // all frames leave with the bytes that they arrived with
	bool told;                 // the mark of the last frame may cause a CNP
	struct pkt **burst, **to, **end;
	tstamp tat, until;   // the wire is free at `tat`; frames may begin by `until`
	uint64_t marked;     // bitmap of the frames in the burst
	uint64_t gone, back; // bytes of the buffer: of frames that left, and given back
	tstamp now;
	struct turn of[PKT_CLASSES];
};

// Adds the run of a class to its sums.
INLINE void add_run(struct turn *t)
{
	t->queue -= t->run * (uint32_t)t->bytes;
	t->sent += t->run;
	t->left.frames += t->run;
	t->left.bytes += t->run * (uint32_t)t->bytes;
	t->left.held += t->run * t->held;
	t->run = 0;
}

// Gives back the buffer of the frames that a class has sent. `asks`: their group may come to XON.
static void give_back(struct serve *v, struct turn *t, bool asks)
{
	if (t->left.frames)
		sw_buffer_left(v->sw, v->o->index, &t->left, asks, v->now);
	v->back += t->left.held;
	t->left.frames = t->left.bytes = t->left.held = 0;
}

// The next frame of a class has another ingress port or group than the frame before it.
static void change_group(struct serve *v, struct turn *t, unsigned pg)
{
	const struct sw *sw = v->sw;
	unsigned port = t->p->in_port;

	give_back(v, t, false);
	t->left.in_port = (uint16_t)port;
	t->left.pg = (uint8_t)pg;
	t->xoff = sw->mmu.pg[port * MMU_PGS + pg].xoff && !sw->port[port].away;
	if (LIKELY(!t->xoff))
		t->resumes = UINT64_MAX;
	else // the leases of other shards may change with each frame
		t->resumes = sw->fabric ? 0 : v->back + mmu_resumes_by(&sw->mmu, port, pg);
}

// The next frame of a class is not like the frame before it: a new run begins.
static void change(struct serve *v, struct turn *t)
{
	const struct sw *sw = v->sw;
	const struct eport_cfg *c = v->o->e.cfg;
	const struct pkt *p = t->p;
	unsigned pg = sw_pg(sw, p);

	t->word = pkt_word(p);
	t->bytes = (int32_t)(p->len + sw->queue_extra);
	t->held = UNLIKELY(sw->two_sided) ? mmu_cells(&sw->pools_cfg, (uint32_t)t->bytes)
					  : (uint32_t)t->bytes;
	t->wire = eport_wire_time(c, p->len);
	v->as_came &= pkt_is_as_came(p);
	if (t->k->mark == SW_MARK_DEQUEUE) {
		unsigned ecn = sw_marker_ecn(t->k, p);

		t->seen = &t->s->seen_frames[ecn];
		t->ect = ecn == ECN_ECT0 || ecn == ECN_ECT1;
	}
	if (UNLIKELY(v->gates != NULL)) {
		const struct rate_gate *own = v->gates->own[t->left.cls];
		uint32_t wire = p->len + c->framing.wire_extra;

		t->all_time = rate_time(v->gates->all.ps, wire);
		for (unsigned i = 0; i < EPORT_OWN_GATES; i++)
			t->own_time[i] = rate_time(own[i].ps, wire);
	}
	if (UNLIKELY(t->left.in_port != p->in_port || t->left.pg != pg))
		change_group(v, t, pg);
}

// Prepares a class for its first turn in this call.
ASIDE void begin(struct serve *v, unsigned cls)
{
	struct sw_port *o = v->o;
	const struct sw_cls *k = &o->set->cls[cls];
	const struct eport_q *q = &o->e.q[cls];
	struct turn *t = &v->of[cls];

	v->begun |= 1u << cls;
	t->k = k;
	t->s = &o->out[cls];
	t->p = q->head;
	t->deficit = o->e.cfg->strict >> cls & 1 ? INT32_MAX : q->deficit;
	t->quantum = o->e.cfg->quantum[cls];
	t->queue = q->bytes;
	t->sent = t->run = 0;
	t->tells = k->hooks & SW_HOOK_MARK && k->mark == SW_MARK_DEQUEUE;
	t->groups = o->set->several_groups >> cls & 1;
	t->seen = NULL;
	t->left = (struct sw_left){.in_port = PKT_NO_PORT, .cls = (uint8_t)cls};
	change(v, t);
}

// Passes the turn from class `cls` to a class with enough credit for its next frame.
INLINE unsigned next_turn(struct serve *v, unsigned cls)
{
	for (;;) {
		struct turn *t;

		cls = eport_next_turn(v->ready, cls);
		t = &v->of[cls];
		if (UNLIKELY(!(v->begun >> cls & 1)))
			begin(v, cls);
		t->deficit += t->deficit < t->bytes ? t->quantum : 0;
		if (LIKELY(t->deficit >= t->bytes))
			return cls;
		if (!(v->ready & (v->ready - 1))) // rounds without others cost nothing
			t->deficit = t->bytes;
	}
}

// Writes the sums of a class to its queue, at the end of the call.
static void end(struct serve *v, unsigned cls)
{
	struct eport *e = &v->o->e;
	struct eport_q *q = &e->q[cls];
	struct turn *t = &v->of[cls];

	add_run(t);
	if (!(e->cfg->strict >> cls & 1))
		q->deficit = t->deficit;
	if (!t->sent)
		return;
	eport_q_account(e, cls, v->now);
	q->tx_frames += t->sent;
	q->tx_bytes +=
		q->bytes - t->queue - t->sent * v->sw->queue_extra + t->sent * (uint64_t)PKT_FCS;
	q->head = t->p;
	q->bytes = t->queue;
	q->frames -= t->sent;
	if (!t->p) {
		e->nonempty &= (uint16_t) ~(1u << cls);
		q->deficit = 0;
		if (UNLIKELY(t->s->avg != NULL))
			red_avg_empty(t->s->avg, v->now);
	}
}

// Ends the call for all classes. Class `cls` has sent the last frame; `asks`: the group of that
// frame may come to XON.
INLINE void end_all(struct serve *v, unsigned cls, bool asks)
{
	struct eport *e = &v->o->e;

	if (v->now > e->tat)
		eport_idled(e, v->now);
	e->tat = v->tat;
	for (unsigned left = v->begun; left; left &= left - 1)
		end(v, (unsigned)__builtin_ctz(left));
	e->starved = !(e->nonempty & ~(unsigned)e->blocked);
	for (unsigned left = v->begun & ~(1u << cls); left; left &= left - 1)
		give_back(v, &v->of[__builtin_ctz(left)], false);
	give_back(v, &v->of[cls], asks);
}

// The marker draws for n like ECT frames of a class. The first one finds a queue of `qlen` bytes.
// Returns how many of them leave. `plain`: the marker looks at the queue itself, not at an average,
// and keeps no curve.
INLINE unsigned draw(struct serve *v, const struct turn *t, struct pkt **frame, unsigned n,
	uint32_t qlen, const bool plain)
{
	const struct red_cfg *red = &t->k->red;
	const uint32_t bytes = (uint32_t)t->bytes;
	const struct red_avg *avg = plain ? NULL : t->s->avg;
	struct red_curve *curve = plain ? NULL : t->s->curve;
	struct prng rng = v->o->rng; // in registers
	unsigned seen = 0;

	for (; seen < n && (avg || qlen > red->kmin_bytes); qlen -= bytes) {
		bool marked = red_decide(red, curve, &rng, avg ? red_avg_bytes(avg) : qlen);
		struct pkt *p = frame[seen++];

		if (!plain)
			++*t->seen; // the curve notes at which frame it marks
		if (LIKELY(!marked))
			continue;
		v->marked |= 1ull << (frame + seen - 1 - v->burst);
		v->told |= t->tells;
		if (t->tells)
			n = seen;
		else
			sw_mark(v->sw, v->o, p, qlen, v->now);
	}
	v->o->rng = rng;
	*t->seen += plain ? n : n - seen;
	return n;
}

// The marker looks at n like frames of a class, after `before` frames of the run. Returns how many
// of them leave: a frame whose mark may cause a CNP is the last one. The caller marks that frame.
ASIDE unsigned mark(
	struct serve *v, const struct turn *t, struct pkt **frame, unsigned n, unsigned before)
{
	const struct sw_out *s = t->s;
	uint32_t qlen = t->queue - before * (uint32_t)t->bytes;

	qlen -= t->k->excludes_frame ? (uint32_t)t->bytes : 0;
	if (!t->ect || (!s->avg && qlen <= t->k->red.kmin_bytes)) {
		*t->seen += n;
		return n;
	}
	return s->avg || s->curve ? draw(v, t, frame, n, qlen, false)
				  : draw(v, t, frame, n, qlen, true);
}

// How many of n frames may begin by `until`, if the first one begins at `at` and each takes `each`;
// at least one.
INLINE unsigned begin_by(uint64_t at, uint64_t until, uint64_t each, unsigned n)
{
	if (LIKELY(at + (n - 1) * each <= until))
		return n;
	return (unsigned)((until - at) / each) + 1;
}

// Returns how many of n frames can leave before the call ends, at least one. All are like the next
// frame of one class, and no other class sends. The last one is the frame that uses up a gate, or
// after which its group may come back to XON, because an XON frame goes before data.
INLINE unsigned until_end(const struct serve *v, const struct turn *t, unsigned n)
{
	if (v->gates) {
		const struct rate_gate *all = &v->gates->all, *own = v->gates->own[t->left.cls];

		n = begin_by(all->at, all->until, t->all_time, n);
		for (unsigned i = 0; i < EPORT_OWN_GATES; i++)
			n = begin_by(own[i].at, own[i].until, t->own_time[i], n);
	}
	if (UNLIKELY(t->xoff))
		n = t->resumes <= v->gone ? 1 : begin_by(v->gone + 1, t->resumes, t->held, n);
	return n;
}

// Books n frames like the next one of a class. Returns whether they end the call.
INLINE bool leave(struct serve *v, const struct turn *t, unsigned n)
{
	bool ends = v->told;

	v->gone += n * t->held;
	ends |= v->gone >= t->resumes;
	if (v->gates) {
		struct rate_gate *all = &v->gates->all, *own = v->gates->own[t->left.cls];

		v->gates->passed |= (uint8_t)(1u << t->left.cls);
		all->at += n * t->all_time;
		ends |= all->at > all->until;
		for (unsigned i = 0; i < EPORT_OWN_GATES; i++) {
			own[i].at += n * t->own_time[i];
			ends |= own[i].at > own[i].until;
		}
	}
	return ends;
}

// The credit of a class that is alone, after n frames of `bytes`, as eport_alone computes it. The
// first frame had enough credit.
static int32_t credit_behind(int32_t deficit, int32_t quantum, int32_t bytes, unsigned n)
{
	int32_t missing = (int32_t)n * bytes - deficit;

	if (missing <= 0)
		return -missing;
	if (LIKELY(quantum >= bytes))
		return (missing + quantum - 1) / quantum * quantum - missing;
	for (deficit -= bytes; n > 1; n--) {
		deficit += deficit < bytes ? quantum : 0;
		deficit = deficit < bytes ? 0 : deficit - bytes;
	}
	return deficit;
}

// Sends like frames of a class that is alone. Returns whether they end the call.
INLINE bool run_alone(struct serve *v, struct turn *t, const bool full)
{
	const uint64_t word = t->word;
	struct pkt *p = t->p, **const from = v->to, **to = from;
	unsigned n = begin_by(v->tat, v->until, t->wire, (unsigned)(v->end - to));
	bool ends = false;

	if (full)
		n = until_end(v, t, n);
	for (struct pkt **end = to + n;;) {
		*to++ = p;
		p = p->next;
		if (to == end || !p || pkt_word(p) != word ||
			(full && UNLIKELY(t->groups) && p->pg != t->left.pg))
			break;
	}
	n = (unsigned)(to - from);
	if (t->seen)
		n = mark(v, t, from, n, t->run);
	if (full)
		ends = leave(v, t, n);
	v->to = from + n;
	v->tat += n * t->wire;
	t->p = from[n - 1]->next;
	t->deficit = credit_behind(t->deficit, t->quantum, t->bytes, n);
	t->run += n;
	return ends;
}

// Sends one frame of a class. Returns whether it ends the call.
INLINE bool run_one(struct serve *v, struct turn *t, const bool full)
{
	struct pkt *p = t->p;
	bool ends = false;

	*v->to = p;
	if (full && t->tells)
		mark(v, t, v->to, 1, t->run);
	if (full)
		ends = leave(v, t, 1);
	v->to++;
	v->tat += t->wire;
	t->deficit -= t->bytes;
	t->run++;
	t->p = p->next;
	return ends;
}

// A class sends until its credit or its queue is used up. ENDS: its last frame ends the call.
// STOPS: no more frames may leave now, or only a call with `full` may give the next one. NEXT: it
// is another class's turn.
enum then { ENDS, STOPS, NEXT };

INLINE enum then take_turn(struct serve *v, struct turn *t, const bool alone, const bool full)
{
	struct pkt **from = v->to;
	enum then then = NEXT;

	for (;;) {
		bool ends = alone ? run_alone(v, t, full) : run_one(v, t, full);
		struct pkt *p = t->p;

		if (UNLIKELY(ends | (v->to == v->end) | (v->tat > v->until))) {
			then = ends ? ENDS : STOPS;
			break;
		}
		if (UNLIKELY(!p))
			break;
		if (UNLIKELY(pkt_word(p) != t->word ||
			     (full && UNLIKELY(t->groups) && p->pg != t->left.pg))) {
			if (!alone && t->seen && !t->tells)
				mark(v, t, from, (unsigned)(v->to - from),
					t->run - (unsigned)(v->to - from));
			from = v->to;
			add_run(t);
			change(v, t);
			if (!full && UNLIKELY(t->xoff)) {
				then = STOPS;
				break;
			}
		}
		if (UNLIKELY(t->deficit < t->bytes))
			break;
	}
	if (!alone && t->seen && !t->tells && v->to > from)
		mark(v, t, from, (unsigned)(v->to - from), t->run - (unsigned)(v->to - from));
	return then;
}

// Sends frames, class `cls` first. `full`: gates, the buffer that frames give back, or marks may
// end the call. Returns the class of the last frame; *last: that frame ended the call.
INLINE unsigned serve_turns(struct serve *v, unsigned cls, bool *last, const bool full)
{
	enum then then;

	for (;;) {
		struct turn *t = &v->of[cls];

		then = v->ready & (v->ready - 1) ? take_turn(v, t, false, full)
						 : take_turn(v, t, true, full);
		if (UNLIKELY(then != NEXT))
			break;
		if (UNLIKELY(!t->p)) {
			v->ready &= ~(1u << cls);
			if (!v->ready)
				break;
		}
		if (UNLIKELY(v->sw->fabric != NULL)) { // other shards get the credits in order
			add_run(t);
			give_back(v, t, false);
		}
		cls = next_turn(v, cls);
		v->o->e.turn = (uint8_t)cls;
		t = &v->of[cls];
		if (!full && UNLIKELY(t->xoff | t->tells | t->groups))
			break;
	}
	*last = then == ENDS;
	return cls;
}

// Ends the heavy congestion of a class whose frames have left a short enough queue. All frames of
// the call leave at one instant, so nobody can see at which of them it ended.
static void stop_heavy(struct serve *v, unsigned cls)
{
	struct sw_port *o = v->o;

	if (v->of[cls].sent && o->e.q[cls].bytes <= o->set->cls[cls].heavy_off_bytes)
		sw_iqcn_heavy(v->sw, o, cls, false, v->now);
}

// Serves class `cls`, and the other classes of v->ready in their turns.
INLINE unsigned serve(struct serve *v, unsigned cls, const bool full)
{
	struct sw *sw = v->sw;
	struct sw_port *o = v->o;
	size_t at = (size_t)(v->burst - sw->burst);
	struct turn *t;
	unsigned n;
	bool last;

	begin(v, cls);
	cls = serve_turns(v, cls, &last, full);
	n = (unsigned)(v->to - v->burst);
	end_all(v, cls, last);
	if (v->as_came && at < 64)
		sw->as_came |= (UINT64_MAX >> (64 - n) & ~v->marked) << at;
	for (unsigned left = v->begun & o->heavy; UNLIKELY(left); left &= left - 1)
		stop_heavy(v, (unsigned)__builtin_ctz(left));
	t = &v->of[cls];
	if (full && UNLIKELY(v->told))
		sw_mark(sw, o, v->to[-1],
			t->queue + (t->k->excludes_frame ? 0 : (uint32_t)t->bytes), v->now);
	return n;
}

ASIDE unsigned serve_fully(struct serve *v, unsigned cls)
{
	return serve(v, cls, true);
}

unsigned sw_serve(struct sw *sw, struct sw_port *o, unsigned cls, unsigned classes,
	struct pkt **burst, unsigned max, struct eport_gates *gates, tstamp now)
{
	const struct pkt *p = o->e.q[cls].head;
	const struct sw_cls *k = &o->set->cls[cls];
	struct serve v;
	bool tells = k->hooks & SW_HOOK_MARK && k->mark == SW_MARK_DEQUEUE;

	v.sw = sw;
	v.o = o;
	v.gates = gates;
	v.ready = classes;
	v.begun = 0;
	v.as_came = true;
	v.told = false;
	v.marked = v.gone = v.back = 0;
	v.burst = v.to = burst;
	v.end = burst + (max < 64 ? max : 64);
	v.tat = tstamp_max(o->e.tat, now);
	v.until = now + o->e.cfg->tolerance_ps;
	v.now = now;
	if (gates || tells || o->set->several_groups & classes ||
		sw->mmu.pg[p->in_port * MMU_PGS + sw_pg(sw, p)].xoff)
		return serve_fully(&v, cls);
	return serve(&v, cls, false);
}
