// SPDX-License-Identifier: BSD-3-Clause
// A part of a scenario meets the others: hellos by the main lcore, by devices before the workers
// have them, and through the workers from then on.
#include "int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_mbuf.h>

#define RETRY   (20 * PS_PER_MS)
#define LEAD    (100 * PS_PER_MS) // so that all know of the start when it comes
#define LAUNCH  (10 * PS_PER_MS)  // before the start: from here on frames are for the nodes
#define SAY     (100 * PS_PER_MS) // between two hellos of a run that goes on
#define HOLDS   (2 * SAY)         // so long a clock may stay as it was told
#define LOOK_US 100
#define LAST    (2 * MEET_SAID) // hellos more of one that ends, so that the others hear why
#define MOST    256             // hellos of a look at a link: one that floods lets us go on
#define WHAT    300

// Since 1970.
static uint64_t date_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

// One line for the user.
__attribute__((format(printf, 2, 3))) static void say(const struct parts *t, const char *fmt, ...)
{
	char line[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	t->run.say(t->run.arg, line);
}

static tstamp at_tsc(const struct parts *t, uint64_t tsc)
{
	return rt_clock_shared(t->run.clock, t->run.from, tsc);
}

static tstamp now_ps(const struct parts *t)
{
	return at_tsc(t, rte_rdtsc());
}

static uint32_t nonce(void)
{
	uint32_t n = 0;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		n = (uint32_t)rte_rdtsc();
	return n ? n : 1;
}

// Returns a number above the count of links on the longest path between two parts. A path leads
// over switches, so their number bounds it.
static uint16_t top(const struct scene *s)
{
	uint16_t n = 2;

	for (unsigned i = 0; i < s->n_nodes + s->n_elsewhere; i++)
		n = (uint16_t)(n + (s->node[i].kind == SCENE_SW));
	return n;
}

static void set_params(const struct parts *t, struct meet_params *p)
{
	const struct parts_run *r = &t->run;
	const struct scene *s = r->world->scene;
	tstamp now = now_ps(t);
	uint64_t wall_ns = date_ns();

	*p = (struct meet_params){.nonce = nonce(),
		.dilate = r->clock->dilate,
		.sections = SCENE_SECTIONS,
		.digest = s->digest,
		.numbers = s->draws_qp_numbers ? scene_draw_numbers() : 0,
		.top = top(s),
		.retry = RETRY,
		.deadline = now + r->wait,
		.lead = LEAD};
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].number < HELLO_NODES)
			p->nodes[s->node[i].number / 8] |= (uint8_t)(1u << s->node[i].number % 8);
	if (!r->at)
		return;
	p->start = HELLO_START_AT;
	p->at_ns = r->at_ns;
	p->at = now + (r->at_ns > wall_ns ? (r->at_ns - wall_ns) * PS_PER_NS : 0);
	p->deadline = tstamp_max(p->deadline, p->at);
}

static void set_link(struct meet_link *l, const struct scene_port *port)
{
	memcpy(l->mac, port->mac, sizeof(l->mac));
	memcpy(l->peer_mac, port->far->mac, sizeof(l->peer_mac));
	// A port's name has two of at most 23 characters.
	snprintf(l->port, sizeof(l->port), "%.*s", HELLO_NAME - 1, port->name);
	snprintf(l->peer_port, sizeof(l->peer_port), "%.*s", HELLO_NAME - 1, port->far->name);
}

static void put_hello(const struct parts *t, struct dev *d, const struct hello *h)
{
	struct rte_mbuf *m = dev_hello_make(d, h);

	if (m)
		dev_hello_send(d, m, now_ps(t) / PS_PER_NS);
}

static void hear(struct parts *t, unsigned i)
{
	enum dev_hello came;
	unsigned version;
	struct hello h;

	for (unsigned k = 0; k < MOST; k++) {
		came = dev_hello_get(t->dev[i], &h, &version);
		if (came == DEV_HELLO_NONE)
			return;
		if (came == DEV_HELLO_READ)
			meet_heard(&t->m, i, &h, now_ps(t));
		else if (came == DEV_HELLO_OTHER && !t->run.key)
			meet_heard_version(&t->m, i, version, h.nonce, now_ps(t));
		else
			t->link[i].stranger++;
		t->heard[i].strange |= came == DEV_HELLO_KEY;
		if (came == DEV_HELLO_OTHER && t->run.key)
			t->heard[i].version = version;
	}
}

static void hear_and_say(struct parts *t)
{
	struct hello h;

	for (unsigned i = 0; i < t->n; i++)
		if (!t->dev[i]->gone)
			hear(t, i);
	for (unsigned i = 0; i < t->n; i++)
		if (!t->dev[i]->gone && meet_say(&t->m, i, &h, now_ps(t)))
			put_hello(t, t->dev[i], &h);
}

// The peers hear why we do not start, or that we do.
static void say_last(struct parts *t)
{

	for (unsigned k = 0; k < LAST; k++) {
		for (unsigned i = 0; i < t->n; i++)
			t->link[i].say_at = 0;
		hear_and_say(t);
		rte_delay_us_sleep(LOOK_US);
	}
}

// "flows, links": the sections in which a peer's scenario is another.
static void name_sections(uint32_t differs, char *text, size_t size)
{
	size_t at = 0;

	*text = 0;
	for (unsigned i = 0; i < SCENE_SECTIONS && at < size; i++)
		if (differs >> i & 1)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "; " : "",
				scene_section_name[i]);
}

// The link whose peer differs by itself, else one whose peer has given up.
static const struct meet_link *worst(const struct parts *t, tstamp now)
{
	const struct meet_link *l = NULL;

	for (unsigned i = 0; i < t->n; i++)
		if (meet_link_refuses(&t->link[i], now) &&
			(!l || t->link[i].differs & ~MEET_DIFFERS_BEYOND))
			l = &t->link[i];
	return l;
}

// Writes the reason why parts do not agree: "port s1:h3: nobody has answered there". False: no
// reason is known.
static bool tell_why(const struct hello_why *w, char *text, size_t size)
{
	static const struct {
		uint32_t what;
		const char *is;
	} known[] = {
		{MEET_DIFFERS_VERSION, "the part there says hello in another version"},
		{MEET_DIFFERS_TWICE, "two parts run its node"},
		{MEET_DIFFERS_PORT, "its cable leads to another port than the scenario's link"},
		{MEET_DIFFERS_SECTIONS, "the part there is of another version"},
		{MEET_DIFFERS_DILATE, "--dilate is another there"},
		{MEET_DIFFERS_START, "--start is another there"},
		{MEET_UNHEARD, "nobody has answered there"},
		{MEET_DEAF, "its peer is heard, and does not hear it"},
	};
	char sections[WHAT];

	name_sections(w->what, sections, sizeof(sections));
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		bool is = w->what & known[i].what;

		// The sections that differ say more than the fact that something differs.
		if (*sections && (!is || known[i].what == MEET_DIFFERS_SECTIONS)) {
			snprintf(text, size, "port %s: the part there runs another scenario (%s)",
				w->port, sections);
		} else if (is) {
			snprintf(text, size, "port %s: %s", w->port, known[i].is);
			return true;
		}
	}
	return *sections;
}

// The peer has given up, for itself or for a part behind it.
static int refuse_beyond(const struct parts *t, const struct meet_link *l, struct err *err)
{
	char why[2 * WHAT];
	struct hello_why w = l->why;

	if (!w.what)
		meet_why(&t->m, &w);
	if (tell_why(&w, why, sizeof(why)))
		return err_set(err, -EINVAL, "port %s: the part at %s does not start: %s", l->port,
			l->peer_port, why);
	return err_set(err, -EINVAL,
		"port %s: the part at %s does not start, and does not know why: "
		"start all parts anew",
		l->port, l->peer_port);
}

static int refuse_link(const struct parts *t, const struct meet_link *l, struct err *err)
{
	char what[WHAT];

	name_sections(l->differs, what, sizeof(what));
	if (l->differs & MEET_DIFFERS_VERSION)
		return err_set(err, -EINVAL,
			"port %s: the part at %s says hello in version %u, and this one in %u; "
			"run the same program everywhere",
			l->port, l->peer_port, l->version, HELLO_VERSION);
	if (l->differs & MEET_DIFFERS_TWICE)
		return err_set(err, -EINVAL,
			"port %s: the other end is %s, too: two parts run '%.*s'; "
			"each node is in the --nodes of one",
			l->port, l->said, (int)strcspn(l->port, ":"), l->port);
	if (l->differs & MEET_DIFFERS_PORT)
		return err_set(err, -EINVAL,
			"port %s: its cable leads to %s, and the scenario's link to %s; "
			"exchange the cables, or the devices in `ports`",
			l->port, l->said, l->peer_port);
	if (*what)
		return err_set(err, -EINVAL,
			"port %s: the part at %s runs another scenario, and these differ: %s; "
			"give all parts the same file, the same --set, --seed and --duration",
			l->port, l->peer_port, what);
	if (l->differs & MEET_DIFFERS_DILATE)
		return err_set(err, -EINVAL,
			"port %s: --dilate is %u here, and %u at %s; give all parts the same",
			l->port, t->m.p.dilate, l->dilate, l->peer_port);
	if (l->differs & MEET_DIFFERS_START)
		return err_set(err, -EINVAL,
			"port %s: --start is another at %s; give all parts the same", l->port,
			l->peer_port);
	if (l->differs & MEET_DIFFERS_BEYOND)
		return refuse_beyond(t, l, err);
	return err_set(err, -EINVAL,
		"port %s: the part at %s is of another version; run the same program everywhere",
		l->port, l->peer_port);
}

// Returns -ETIMEDOUT, with a line that says why no hello of link i was believed: its tag is not by
// this part's key, this part has no key, or, with a key, the hello is of another version, whose tag
// is not checked.
static int late_by_key(const struct parts *t, unsigned i, struct err *err)
{
	const struct meet_link *l = &t->link[i];
	double s = (double)t->run.wait / PS_PER_S;

	if (t->heard[i].strange)
		return err_set(err, -ETIMEDOUT,
			"port %s: no hello of %s was believed within %g s (--wait-parts), for "
			"hellos come that %s; give all parts the same --parts-key",
			l->port, l->peer_port, s,
			t->run.key ? "this key does not sign"
				   : "a key signs, and this part has none");
	return err_set(err, -ETIMEDOUT,
		"port %s: no hello of %s was believed within %g s (--wait-parts), for hellos come "
		"in version %u, and with --parts-key only version %u is; run the same program "
		"everywhere",
		l->port, l->peer_port, s, t->heard[i].version, HELLO_VERSION);
}

static int late(const struct parts *t, struct err *err)
{
	double s = (double)t->run.wait / PS_PER_S;
	char why[2 * WHAT];
	struct hello_why w;

	for (unsigned i = 0; i < t->n; i++) {
		const struct meet_link *l = &t->link[i];

		if (l->differs && !l->heard_us) // and there was no time for it to last
			return refuse_link(t, l, err);
		if (!l->heard_us && (t->heard[i].strange || t->heard[i].version))
			return late_by_key(t, i, err);
		if (!meet_link_heard(l))
			return err_set(err, -ETIMEDOUT,
				"port %s: nobody has answered for %s within %g s (--wait-parts); "
				"is the part that runs '%.*s' there, and --start the same?",
				l->port, l->peer_port, s, (int)strcspn(l->peer_port, ":"),
				l->peer_port);
		if (!l->heard_us)
			return err_set(err, -ETIMEDOUT,
				"port %s: %s is heard, and does not hear us, within %g s "
				"(--wait-parts); is its link up in both directions?",
				l->port, l->peer_port, s);
	}
	if (meet_why(&t->m, &w) && tell_why(&w, why, sizeof(why)))
		return err_set(err, -ETIMEDOUT,
			"all neighbours have answered, but not all of the parts behind them within "
			"%g s (--wait-parts): %s",
			s, why);
	return err_set(err, -ETIMEDOUT,
		"all neighbours have answered, but have not come to the start within %g s "
		"(--wait-parts)",
		s);
}

static int ask_parts(struct parts *t, struct err *err)
{
	const atomic_bool *stop = t->run.stop;
	enum meet_state state;
	tstamp now;
	int rc;

	do {
		hear_and_say(t);
		now = now_ps(t);
		state = meet_state(&t->m, now);
		if (state == MEET_ASKS)
			rte_delay_us_sleep(LOOK_US);
	} while (state == MEET_ASKS && !(stop && *stop));
	if (state == MEET_REFUSES)
		rc = refuse_link(t, worst(t, now), err);
	else if (state == MEET_LATE)
		rc = late(t, err);
	else
		return 0;
	say_last(t);
	return rc;
}

int parts_begin(struct parts *t, const struct parts_run *run, struct err *err)
{
	size_t most = run->n_dev + 1ul;
	struct meet_params p;

	t->run = *run;
	t->link = calloc(most, sizeof(*t->link));
	t->dev = calloc(most, sizeof(struct dev *));
	t->end = calloc(most, sizeof(struct rt_end *));
	t->heard = calloc(most, sizeof(*t->heard));
	if (!t->link || !t->dev || !t->end || !t->heard)
		return err_set(err, -ENOMEM, "no memory for %u links", run->n_dev);
	for (unsigned i = 0; i < run->n_dev; i++) {
		struct dev *d = &run->dev[i];

		if (!d->port->far)
			continue;
		d->hello_key = run->key;
		t->dev[t->n] = d;
		t->end[t->n] = rt_world_end(run->world, d->lost.node, d->lost.port);
		set_link(&t->link[t->n++], d->port);
	}
	if (!t->n) // no part is next to this one
		return 0;
	if (parts_ahead_init(t))
		return err_set(err, -ENOMEM, "no memory for the clocks of other parts");
	set_params(t, &p);
	if (run->at && p.at <= now_ps(t))
		return err_set(err, -EINVAL, "--start at=%llu: this instant has passed",
			(unsigned long long)(run->at_ns / 1000000000));
	if (!run->key)
		say(t, "hellos are not signed, and whoever is on the wire can say some: "
		       "--parts-key FILE shuts strangers out");
	meet_init(&t->m, &p, t->link, t->n, now_ps(t));
	return ask_parts(t, err);
}

// The nodes begin at that TSC.
static void begin_run(struct parts *t, uint64_t tsc, bool window)
{
	const struct rt_world *w = t->run.world;

	meet_runs(&t->m, at_tsc(t, tsc), now_ps(t));
	for (unsigned i = 0; i < w->n_lcores; i++)
		w->lcore[i]->shared_from = t->run.from;
	for (unsigned i = 0; i < t->n; i++) {
		t->heard[i].met = t->link[i].nonce;
		dev_hello_keep(t->dev[i]);
	}
	parts_ahead_tell(t, at_tsc(t, tsc), HOLDS, window);
	for (unsigned i = 0; i < w->n_lcores; i++)
		rt_ahead_take(w->lcore[i]);
}

uint64_t parts_start(struct parts *t, bool window)
{
	const atomic_bool *stop = t->run.stop;
	tstamp now;
	uint64_t tsc;

	if (!t->n || t->m.start_at == TSTAMP_NEVER)
		return 0;
	now = now_ps(t);
	while (now + LAUNCH < t->m.start_at && !(stop && *stop)) {
		hear_and_say(t);
		rte_delay_us_sleep(LOOK_US);
		now = now_ps(t);
	}
	tsc = rte_rdtsc();
	now = at_tsc(t, tsc);
	if (now > t->m.start_at)
		say(t,
			"the start that the parts agreed to was missed by %.3f ms: "
			"this part begins late",
			(double)(now - t->m.start_at) / PS_PER_MS);
	tsc += (uint64_t)((double)tstamp_since(t->m.start_at, now) / PS_PER_S *
			  (double)rte_get_tsc_hz());
	begin_run(t, tsc, window);
	return tsc;
}

void parts_peer(const struct parts *t, const struct dev *dev, struct record_device *d)
{
	struct meet_range r;
	int64_t ppb;
	uint64_t bound;

	for (unsigned i = 0; i < t->m.n; i++) {
		double us = 1e-3 / t->run.clock->dilate;
		const struct meet_clock *c = &t->link[i].clock;

		if (t->dev[i] != dev)
			continue;
		d->peer_process = t->heard[i].met;
		d->stranger_hellos = t->link[i].stranger + dev_hello_lost(dev);
		d->clock_broken = c->broken;
		if (!meet_link_ahead(&t->m, i, now_ps(t), &r))
			continue;
		d->clock_known = true;
		d->clock_ahead_us = (double)meet_range_middle(r) * us;
		d->clock_bound_us = (double)meet_range_bound(r) * us;
		d->round_trip_us = (double)c->round_trip_ns * us;
		d->exchanges = c->exchanges;
		d->clock_rate_known = meet_clock_rate(c, &ppb, &bound);
		if (!d->clock_rate_known)
			continue;
		d->clock_ppm = (double)ppb * 1e-3;
		d->clock_bound_ppm = (double)bound * 1e-3;
	}
}

// Hands a hello to the lcore that has the device. A hello that it has not sent yet is out of date
// and freed.
static void hand_hello(struct parts *t, unsigned i)
{
	struct rt_end *e = t->end[i];
	struct rte_mbuf *m = NULL;
	struct hello h;

	if (t->dev[i]->gone || !meet_say(&t->m, i, &h, now_ps(t)))
		return;
	m = dev_hello_make(t->dev[i], &h);
	rte_pktmbuf_free(atomic_exchange(&e->hello, m));
	atomic_store_explicit(
		&t->run.world->lcore[e->node->lcore]->hellos, 1, memory_order_release);
}

// Notices that a peer has gone silent or is heard again. Returns true if the run must end because
// of it; `why` then says so.
static bool is_lost(struct parts *t, unsigned i, tstamp now, char *why, size_t size)
{
	struct parts_heard *h = &t->heard[i];
	const struct meet_link *l = &t->link[i];
	bool silent = tstamp_since(now, l->alive_at) >= MEET_SILENCE, was = h->silent;

	h->silent = silent;
	if (was && !silent)
		say(t, "port %s: the part at %s is heard again", l->port, l->peer_port);
	if (was || !silent)
		return false;
	if (t->run.world->scene->fail_on_silent_peer) {
		snprintf(why, size,
			"port %s: the part at %s has fallen silent (on_peer_silent: fail)", l->port,
			l->peer_port);
		t->lost = true;
		return true;
	}
	say(t, "port %s: the part at %s has fallen silent; the run goes on", l->port, l->peer_port);
	return false;
}

// Takes the hellos that a worker has kept.
static void hear_kept(struct parts *t, unsigned i)
{
	enum dev_hello came;
	struct hello h;
	uint64_t tsc;

	for (unsigned k = 0; k < MBUF_HELLOS; k++) {
		came = dev_hello_take(t->dev[i], &h, &tsc);
		if (came == DEV_HELLO_NONE)
			return;
		if (came == DEV_HELLO_READ)
			meet_heard(&t->m, i, &h, at_tsc(t, tsc));
		else
			t->link[i].stranger++;
	}
}

bool parts_watch(struct parts *t, bool window, char *why, size_t size)
{
	bool lost = false, ask;
	tstamp now;

	if (!t->n)
		return false;
	now = now_ps(t);
	ask = now >= t->say_at;
	for (unsigned i = 0; i < t->n && !lost; i++) {
		hear_kept(t, i);
		if (ask)
			t->link[i].say_at = 0;
		hand_hello(t, i);
		lost = ask && is_lost(t, i, now, why, size);
	}
	if (ask) {
		parts_ahead_tell(t, now, HOLDS, window);
		t->say_at = now + SAY;
	}
	return lost;
}

void parts_end(struct parts *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		rte_pktmbuf_free(atomic_exchange(&t->end[i]->hello, NULL));
		dev_hello_end(t->dev[i]);
	}
	t->n = 0;
}

void parts_free(struct parts *t)
{
	free(t->ahead.clock);
	free(t->heard);
	free(t->link);
	free(t->dev);
	free(t->end);
	*t = (struct parts){0};
}
