// SPDX-License-Identifier: BSD-3-Clause
// Step `overfill`: more frames than the buffer takes, while the egress is held. Roughly where XOFF
// and XON come, how many frames the device takes in all, and whether it drops before any XOFF.
#include "int.h"

#include <errno.h>

const char probe_dog[] = "its watchdog acts before";

#define FIRST_N 8192
#define MORE    4 // times as many frames where that was not enough
#define LEAK    2 // frames that may come out of an egress that is held
#define TRIES   3

struct overfill {
	uint32_t n, sent_at_xoff, out, leak, out_at_xon;
	uint16_t quanta;
	tstamp d;
	bool xoff, xon, stopped; // stopped: our own port stopped sending after XOFF
	tstamp acted;            // a watchdog of the device ended the hold; 0: it did not
};

uint32_t probe_most_frames(const struct probe *p, unsigned len)
{
	const tstamp rest = 2 * probe_tb(p) + 2 * probe_w(p);
	uint64_t by_buffer = p->cfg->most_buffer / (len + PKT_FCS), by_hold = 1;

	if (p->most_hold > rest)
		by_hold = (p->most_hold - rest) / probe_wire(p, len);
	return (uint32_t)(by_buffer < by_hold ? by_buffer : by_hold);
}

// Whether our port paused after XOFF although frames were due: then it obeys PFC itself.
static bool is_stopped(
	const struct probe *p, const struct lab_sight *sight, tstamp xoff, const struct overfill *o)
{
	const struct lab_seen *s = &sight->port[p->cfg->in[0]];
	// A loop of ours makes a break, too, but no longer than the loop lasts.
	const tstamp pause = tstamp_max(
		tstamp_max(o->quanta * p->quantum / 4, probe_w(p)), 2 * sight->gap_longest);
	tstamp last = xoff;
	uint32_t sent = o->sent_at_xoff;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (!e->sent || e->frame != TESTER_OURS || e->at < xoff)
			continue;
		if (e->at - last > pause)
			return true;
		last = e->at;
		sent++;
	}
	return sent < o->n && sight->took - last > pause;
}

tstamp probe_acted(const struct probe *p, const struct lab_sight *sight, unsigned cls)
{
	const struct lab_seen *r = &sight->port[p->cfg->out[0]];
	uint32_t at = UINT32_MAX;
	const struct tester_seen *x = lab_pfc(&sight->port[p->cfg->in[0]], cls, false, &at);
	tstamp first = x ? x->at : TSTAMP_NEVER;

	for (uint32_t i = 0; i < r->n; i++)
		if (!r->entry[i].sent && r->entry[i].frame == TESTER_OURS) {
			first = tstamp_min(first, r->entry[i].at);
			break;
		}
	return first > 2 * probe_tb(p) && first != TSTAMP_NEVER ? first : 0;
}

static void read_fill(
	const struct probe *p, const struct lab_sight *sight, unsigned cls, struct overfill *o)
{
	const uint16_t source = PROBE_SOURCE(p->cfg->in[0], 0);
	const struct lab_seen *s = &sight->port[p->cfg->in[0]];
	uint32_t at = UINT32_MAX;
	const struct tester_seen *x = lab_pfc(s, cls, true, &at);

	o->acted = probe_acted(p, sight, cls);
	o->leak = lab_came(&sight->port[p->cfg->out[0]], source, TSTAMP_NEVER);
	if (!x)
		return;
	o->xoff = true;
	o->sent_at_xoff = lab_sent(s, source, x->at);
	o->quanta = lab_control(s, x)->pfc.quanta[cls];
	o->stopped = is_stopped(p, sight, x->at, o);
}

// Frames of the fill, which was an earlier step, that came by an instant.
static uint32_t came_by(const struct lab_seen *s, uint16_t source, tstamp until)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n && s->entry[i].at <= until; i++)
		n += s->entry[i].frame == TESTER_EARLIER && s->entry[i].source == source;
	return n;
}

static void read_drain(
	const struct probe *p, const struct lab_sight *sight, unsigned cls, struct overfill *o)
{
	const uint16_t source = PROBE_SOURCE(p->cfg->in[0], 0);
	const struct lab_seen *r = &sight->port[p->cfg->out[0]];
	uint32_t at = UINT32_MAX;
	const struct tester_seen *x = lab_pfc(&sight->port[p->cfg->in[0]], cls, false, &at);

	o->out = came_by(r, source, TSTAMP_NEVER);
	o->xon = x != NULL;
	if (x)
		o->out_at_xon = came_by(r, source, x->at);
}

int probe_rest(struct probe *p, unsigned cls, tstamp acted)
{
	struct lab_sight sight;
	const char *why;
	int rc;

	p->most_hold = tstamp_min(p->most_hold, acted - acted / 8); // polls vary it so much
	probe_list_new(p, "rest");
	probe_add(p, p->cfg->out[0], probe_release((uint8_t)(1u << cls), 0));
	p->list.step.tail = 3 * acted;
	rc = probe_once(p, &sight, &why);
	return rc ? rc : probe_clear(p);
}

// A fill of o->n frames, `gap` apart, and its release in a step of its own, which waits for the
// fill's last frame whenever that leaves.
static int fill_once(
	struct probe *p, unsigned cls, tstamp gap, struct overfill *o, const char **why)
{
	const uint8_t classes = (uint8_t)(1u << cls);
	struct lab_sight sight;
	struct tester_item i = probe_data(p, p->cfg->in[0], p->cfg->out[0], cls, o->n);
	const char *late;
	int rc;

	probe_list_new(p, "overfill");
	i.at = probe_tb(p);
	i.gap = gap;
	i.len = PROBE_SHORT;
	probe_add(p, p->cfg->out[0], probe_hold(p, classes));
	probe_add(p, p->cfg->in[0], i);
	p->list.step.tail = 6 * PS_PER_US + probe_w(p);
	// A port that obeys PFC would never end it.
	p->list.step.longest = tstamp_min(p->list.step.longest,
		20 * PS_PER_MS + 4 * (probe_tb(p) + o->n * probe_wire(p, PROBE_SHORT)));
	rc = probe_once(p, &sight, why);
	if (rc)
		return rc;
	read_fill(p, &sight, cls, o);
	if (o->stopped && !probe_is_rough(p))
		return 0;
	if (o->acted)
		return probe_rest(p, cls, o->acted);
	probe_list_new(p, "drain");
	probe_add(p, p->cfg->out[0], probe_release(classes, 0));
	p->list.step.tail = p->inside + probe_release_time(p);
	rc = probe_once(p, &sight, &late);
	if (rc)
		return rc;
	read_drain(p, &sight, cls, o);
	*why = *why ? *why : late;
	return probe_clear(p);
}

// Up to three fills, until our own ports were right in one. Where loops are long, a device that is
// away may stop our port, too, or let frames out.
static int fill(struct probe *p, unsigned cls, uint32_t n, struct overfill *o, const char **why)
{
	const char *before = p->fault;
	bool doubtful;
	tstamp gap = 0;
	int rc = 0;

	for (unsigned try = 0; try < TRIES; try++) {
		*o = (struct overfill){.n = n};
		p->fault = before; // that of the last try counts
		rc = fill_once(p, cls, gap, o, why);
		doubtful = probe_is_rough(p) && (o->stopped || o->leak > LEAK);
		if (rc || o->acted || (o->stopped && !doubtful))
			return rc;
		if (!*why && !p->fault && !doubtful)
			return 0;
		if (*why == probe_sender_late)
			gap = 2 * probe_wire(p, PROBE_SHORT);
	}
	return 0;
}

// More and more frames, until XOFF came and frames are missing.
static int fill_enough(struct probe *p, unsigned cls, struct overfill *o, const char **why)
{
	uint32_t most = probe_most_frames(p, PROBE_SHORT), n = FIRST_N < most ? FIRST_N : most;
	int rc;

	for (;;) {
		rc = fill(p, cls, n, o, why);
		if (!rc && o->acted) {
			most = probe_most_frames(p, PROBE_SHORT);
			if (n <= most)
				return -EAGAIN;
			n = most;
			continue;
		}
		if (rc || o->stopped || o->leak > LEAK || (o->xoff && o->out < n) || n == most ||
			(!o->xoff && o->out < n / 2))
			return rc;
		n = n > most / MORE ? most : MORE * n;
	}
}

static void say_not(struct probe *p, unsigned cls, const char *why)
{
	static const enum probe_figure fig[] = {PROBE_XOFF, PROBE_XON, PROBE_HYSTERESIS,
		PROBE_QUANTA, PROBE_HEADROOM, PROBE_DROPS_FIRST};

	for (unsigned k = 0; k < sizeof(fig) / sizeof(*fig); k++)
		found_state(p->found, cls, fig[k], FOUND_NOT, 0, why);
}

static void write_leak(struct probe *p, unsigned cls)
{
	static const char rough[] = "frames came out of a class that was in XOFF: the device, or "
				    "our loops, were irregular";

	p->obeys &= (uint8_t) ~(1u << cls);
	if (probe_is_rough(p)) {
		found_state(p->found, cls, PROBE_OBEYS, FOUND_INVALID, 0, rough);
		say_not(p, cls, rough);
		return;
	}
	found_is(p->found, cls, PROBE_OBEYS, 0, 0);
	p->found->f[cls][PROBE_OBEYS].why = "frames came out of a class that was in XOFF";
	say_not(p, cls, "it does not obey PFC");
}

static void write_no_xoff(struct probe *p, unsigned cls, const struct overfill *o)
{
	if (o->out < o->n) {
		say_not(p, cls, "it drops before any XOFF");
		p->group[cls].drops_first = true;
		found_is(p->found, cls, PROBE_DROPS_FIRST, o->out * 64.0, 64);
		p->found->f[cls][PROBE_DROPS_FIRST].why = "or our own MAC keeps PFC to itself";
		return;
	}
	say_not(p, cls, "no XOFF came");
	if (p->most_hold < p->cfg->most_hold)
		found_state(p->found, cls, PROBE_XOFF, FOUND_AT_LEAST, o->n * 64.0, probe_dog);
	else
		found_state(p->found, cls, PROBE_XOFF, FOUND_NONE, o->n * 64.0, NULL);
}

int probe_overfill(struct probe *p, unsigned cls)
{
	struct probe_group *g = &p->group[cls];
	struct overfill o;
	const char *why;
	int rc = fill_enough(p, cls, &o, &why);

	if (rc)
		return rc;
	if (o.stopped)
		return err_set(p->err, -EIO,
			"%s obeys PFC by itself, so it cannot measure: switch its flow control off",
			p->lab->port[p->cfg->in[0]].name);
	if (o.leak > LEAK) {
		write_leak(p, cls);
		return 0;
	}
	if (why && why != probe_late) {
		say_not(p, cls, why);
		found_state(p->found, cls, PROBE_XOFF, FOUND_INVALID, 0, why);
		return 0;
	}
	if (!o.xoff) {
		write_no_xoff(p, cls, &o);
		return 0;
	}
	g->n_xoff_near = o.sent_at_xoff;
	g->out = o.out;
	g->lost = o.out < o.n;
	g->left_at_xon = o.xon ? o.out - o.out_at_xon : 0;
	g->quanta = o.quanta;
	found_is(p->found, cls, PROBE_QUANTA, o.quanta, 0);
	found_state(p->found, cls, PROBE_DROPS_FIRST, FOUND_NONE,
		(double)g->n_xoff_near * probe_unit(p), NULL);
	return 0;
}
