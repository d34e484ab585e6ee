// SPDX-License-Identifier: BSD-3-Clause
// Messages between hosts, from posting to the end: what held each of them back, and what their
// ranks are told of it.
#include <assert.h>

#include "base/fixed.h"
#include "int.h"

// bits * ps that the rate of a queue pair has allowed until `at`.
static unsigned __int128 allowed_until(const struct work_out *o, tstamp at)
{
	rate_t rate = o->rate ? o->rate : o->slowest;

	return o->sums.allowed + (unsigned __int128)rate * tstamp_since(at, o->since);
}

struct work_sums work_message_sums(const struct work_out *o, tstamp now)
{
	struct work_sums s = o->sums;

	s.allowed = allowed_until(o, now);
	return s;
}

void nic_work_shut(struct nic_work *w, tstamp shut)
{
	w->send[w->put].since.shut = shut;
}

static struct work_out *out_of(const struct nic_work *w, uint32_t of)
{
	return &w->out[of & ~NIC_WORK_JOB];
}

static struct work_sent *sent_at(const struct work_out *o, uint64_t number)
{
	return &o->sent[number & o->mask];
}

bool nic_work_may_post(const struct nic_work *w, uint32_t of)
{
	const struct work_out *o = out_of(w, of);
	uint64_t ended = o->job->p.sent && o->told < o->ended ? o->told : o->ended;

	return o->posted - ended <= o->mask;
}

void nic_work_posted(
	struct nic_work *w, uint32_t of, uint32_t place, uint32_t psn, uint32_t packets)
{
	struct work_out *o = out_of(w, of);
	struct work_sent *s = sent_at(o, o->posted);
	struct nic_letter *l = &o->mail->letter[o->posted & o->mail->mask];

	*s = (struct work_sent){.s = w->send[place], .psn = psn, .packets = packets};
	l->m = s->s.m;
	atomic_store_explicit(&l->whys, 0, memory_order_relaxed);
	o->posted++;
	atomic_store_explicit(&l->number, o->posted, memory_order_release);
}

void nic_work_rate(struct nic_work *w, uint32_t of, rate_t rate, tstamp at)
{
	struct work_out *o = out_of(w, of);

	o->sums.allowed = allowed_until(o, at);
	o->since = tstamp_max(o->since, at);
	o->rate = rate;
}

// The waits overlap if no frame has left between them.
void nic_work_timeout(struct nic_work *w, uint32_t of, tstamp from, tstamp paused, tstamp now)
{
	struct work_out *o = out_of(w, of);

	from = tstamp_max(from, o->waited_to);
	o->sums.waited += tstamp_since(tstamp_since(now, from), paused);
	o->waited_to = now;
}

// The part of `left` for which the mean rate since `s` was below that of the way. Pauses and waits
// for timeouts are none of it.
static tstamp rate_part(const struct work_out *o, const struct work_sums *s,
	const struct work_sums *to, tstamp since, tstamp now)
{
	tstamp all = now - since, lost;
	tstamp other = to->shut - s->shut + to->waited - s->waited;
	unsigned __int128 full = (unsigned __int128)o->slowest * all;
	unsigned __int128 had = to->allowed - s->allowed;

	if (had >= full)
		return 0;
	lost = (tstamp)((full - had) / o->slowest);
	return fixed_muldiv(tstamp_since(all, other), lost, all);
}

// Returns the message that has this PSN and is not done.
static struct work_sent *find_sent(const struct work_out *o, uint32_t psn, uint64_t *number)
{
	for (uint64_t k = o->acked; k < o->posted; k++) {
		struct work_sent *s = sent_at(o, k);

		if (((psn - s->psn) & 0xffffff) < s->packets) {
			*number = k;
			return s;
		}
	}
	return NULL;
}

static void write_causes(
	struct nic_mail *mail, uint64_t number, const struct work_causes *why, tstamp now)
{
	_Atomic uint32_t *whys = &mail->letter[number & mail->mask].whys;
	uint32_t n = atomic_load_explicit(whys, memory_order_relaxed);
	struct nic_causes *to = nic_mail_causes(mail, number, n);

	atomic_store_explicit(&to->left, now, memory_order_relaxed);
	atomic_store_explicit(&to->resend, why->resend, memory_order_relaxed);
	atomic_store_explicit(&to->pause, why->pause, memory_order_relaxed);
	atomic_store_explicit(&to->rate, why->rate, memory_order_relaxed);
	atomic_store_explicit(whys, n + 1, memory_order_release);
}

// The causes of a message that a frame ended which left at `born`, or the next that are known.
static struct work_causes read_causes(const struct nic_mail *mail, uint64_t number, tstamp born)
{
	const struct nic_letter *l = &mail->letter[number & mail->mask];
	uint32_t n = atomic_load_explicit(&l->whys, memory_order_acquire);
	const struct nic_causes *c = NULL;

	for (uint32_t left = n < mail->causes ? n : mail->causes; left; left--) {
		c = nic_mail_causes(mail, number, --n);
		if (atomic_load_explicit(&c->left, memory_order_relaxed) <= born)
			break;
	}
	if (!c)
		return (struct work_causes){0};
	return (struct work_causes){
		.resend = atomic_load_explicit(&c->resend, memory_order_relaxed),
		.pause = atomic_load_explicit(&c->pause, memory_order_relaxed),
		.rate = atomic_load_explicit(&c->rate, memory_order_relaxed)};
}

// Notes what has held a message back by now.
static void see_causes(
	struct work_out *o, struct work_sent *s, uint64_t number, tstamp shut, tstamp now)
{
	struct work_sums to = work_message_sums(o, now);

	to.shut = shut;
	s->why = (struct work_causes){
		.resend = to.resent - s->s.since.resent + to.waited - s->s.since.waited,
		.pause = to.shut - s->s.since.shut,
		.rate = rate_part(o, &s->s.since, &to, s->s.m.posted, now)};
	write_causes(o->mail, number, &s->why, now);
}

void nic_work_left(struct nic_work *w, uint32_t of, const struct nic_work_frame *f, tstamp now)
{
	struct work_out *o = out_of(w, of);
	uint64_t number = o->left;
	struct work_sent *s;

	if (f->again)
		o->sums.resent += rate_time(o->slowest_ps, f->wire);
	if (!f->ends)
		return;
	s = f->again ? find_sent(o, f->psn, &number) : sent_at(o, number);
	if (!s)
		return;
	see_causes(o, s, number, f->shut, now);
	if (!f->last || number != o->left)
		return;
	o->left++;
	s->left = f->free;
	if (!o->job->p.sent)
		return;
	work_ring_put(&w->leaving, of & ~NIC_WORK_JOB);
	if (wheel_at(&w->timers, w->n_ranks) == TSTAMP_NEVER)
		wheel_set(&w->timers, w->n_ranks, s->left);
}

void nic_work_done(struct nic_work *w, uint32_t of)
{
	struct work_out *o = out_of(w, of);

	o->acked++;
	if (o->job->p.sent)
		o->ended++;
	else
		work_ring_put(&w->news, of & ~NIC_WORK_JOB);
}

void nic_work_failed(struct nic_work *w, uint32_t of)
{
	out_of(w, of)->failed = true;
}

uint32_t nic_work_word(const struct nic_work *w, uint32_t of, uint32_t number)
{
	const struct nic_mail *mail = out_of(w, of)->mail;

	return job_message_word(&mail->letter[number & mail->mask].m);
}

// Writes the letter of a message that has come from another process. If the word names no message,
// there is none.
static void write_letter(const struct nic_work *w, struct work_in *in, uint32_t word)
{
	struct nic_letter *l = &in->mail->letter[in->came & in->mail->mask];

	if (!job_message_of(
		    in->job->p.graph, in->from, w->rank[in->to].number, word, in->iteration, &l->m))
		return;
	in->iteration = l->m.iteration;
	atomic_store_explicit(&l->number, in->came + 1, memory_order_relaxed);
}

void nic_work_came(struct nic_work *w, uint32_t of, uint32_t word, tstamp born)
{
	struct work_in *in = &w->in[of & ~NIC_WORK_JOB];

	if (in->apart)
		write_letter(w, in, word);
	in->born[in->came++ & in->mail->mask] = born;
	work_ring_put(&w->news, (of & ~NIC_WORK_JOB) | WORK_IN);
}

static tstamp time_alone(const struct work_job *j, struct work_alone *a, uint32_t flow,
	uint64_t bytes, enum nic_alone until)
{
	if (a->known && a->bytes == bytes)
		return a->ps;
	*a = (struct work_alone){.bytes = bytes,
		.ps = j->p.alone(j->p.alone_arg, flow, bytes, until),
		.known = true};
	return a->ps;
}

// Takes a part out of the time that has no name yet.
static tstamp part_of(tstamp *left, tstamp part)
{
	part = tstamp_min(part, *left);
	*left -= part;
	return part;
}

// Splits the time `all` since a message was posted. The rest without a cause is waiting.
static struct job_split split_of(tstamp all, tstamp alone, const struct work_causes *why)
{
	struct job_split s = {0};

	s.part[JOB_WIRE] = part_of(&all, alone);
	s.part[JOB_RESEND] = part_of(&all, why->resend);
	s.part[JOB_PAUSE] = part_of(&all, why->pause);
	s.part[JOB_RATE] = part_of(&all, why->rate);
	return s;
}

// The clock of another lcore may be ahead. 0: it is not known when the message was posted.
static tstamp since_posted(struct job_message *m, tstamp now)
{
	if (m->posted == TSTAMP_NEVER)
		return 0;
	m->posted = tstamp_min(m->posted, now);
	return now - m->posted;
}

// A letter that is not there belongs to a message that nobody has posted: a fault has forged it.
static void take_letter(struct nic_work *w, struct work_in *in, tstamp now)
{
	uint64_t number = in->taken++;
	const struct nic_letter *l = &in->mail->letter[number & in->mail->mask];
	struct job_message m;
	struct work_causes why;
	struct job_split took;
	tstamp alone;

	if (atomic_load_explicit(&l->number, memory_order_acquire) != in->taken)
		return;
	m = l->m;
	why = read_causes(in->mail, number, in->born[number & in->mail->mask]);
	alone = time_alone(in->job, &in->alone, in->flow, m.bytes, NIC_ALONE_ARRIVED);
	took = split_of(since_posted(&m, now), alone, &why);
	work_rank_arrived(w, in->to, &m, &took, now);
}

// Tells the rank that a SEND has ended.
static void end_send(
	struct nic_work *w, struct work_out *o, uint64_t number, enum nic_alone until, tstamp now)
{
	struct work_sent *s = sent_at(o, number);
	struct job_message m = s->s.m;

	if (o->apart)
		m.posted = TSTAMP_NEVER;

	tstamp alone = time_alone(o->job, &o->alone, o->flow, m.bytes, until);
	struct job_split took = split_of(since_posted(&m, now), alone, &s->why);

	work_rank_sent(w, o->from, &m, &took, now);
}

void work_message_news(struct nic_work *w, tstamp now)
{
	uint32_t i = work_ring_take(&w->news);
	struct work_out *o = &w->out[i & ~WORK_IN];

	if (i & WORK_IN)
		take_letter(w, &w->in[i & ~WORK_IN], now);
	else
		end_send(w, o, o->ended++, NIC_ALONE_ACKED, now);
}

void work_message_leaving(struct nic_work *w, tstamp now)
{
	const struct work_ring *r = &w->leaving;
	struct work_out *o = &w->out[work_ring_take(&w->leaving)];
	tstamp next = TSTAMP_NEVER;

	end_send(w, o, o->told++, NIC_ALONE_LEFT, now);
	if (work_ring_has(r)) {
		o = &w->out[r->of[r->head & r->mask]];
		next = sent_at(o, o->told)->left;
	}
	wheel_set(&w->timers, w->n_ranks, next);
}
