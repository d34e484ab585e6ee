// SPDX-License-Identifier: BSD-3-Clause
// The order of a probe's steps, what each needs, and why one is left out.
#include "int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NEEDS(step) (1u << PROBE_STEP_##step)
#define ASKED_HOLD  4000 // quanta, the longest of step `pause`
#define TRIES       3    // of a step in which something befell the bench

const struct probe_step_row probe_step[PROBE_STEPS] = {
	[PROBE_STEP_SELF] = {"self", 0, 1, 1, false, false,
		"our loops, silence, a frame from each port to each"},
	[PROBE_STEP_MAP] = {"map", NEEDS(SELF), 1, 1, false, true,
		"classes that obey PFC, their DSCPs"},
	[PROBE_STEP_PAUSE] = {"pause", NEEDS(MAP), 1, 1, true, true, "response, hold, resume"},
	[PROBE_STEP_OVERFILL] = {"overfill", NEEDS(MAP), 1, 1, true, true,
		"XOFF roughly, headroom, drops before XOFF"},
	[PROBE_STEP_XOFF] = {"xoff", NEEDS(OVERFILL), 1, 1, true, true, "XOFF exactly"},
	[PROBE_STEP_CELL] = {"cell", NEEDS(XOFF), 1, 1, true, true, "the buffer's cell"},
	[PROBE_STEP_REFRESH] = {"refresh", NEEDS(OVERFILL), 2, 1, true, false, "refresh of XOFF"},
	[PROBE_STEP_XON] = {"xon", NEEDS(XOFF), 1, 1, true, true, "XON, hysteresis"},
	[PROBE_STEP_ALPHA] = {"alpha", NEEDS(XOFF) | NEEDS(CELL), 2, 1, true, true,
		"threshold static or dynamic, reserve, shared buffer"},
	[PROBE_STEP_LOSSY] = {"lossy", NEEDS(MAP), 2, 1, true, false, "where a lossy class drops"},
	[PROBE_STEP_MARKS] = {"marks", NEEDS(MAP) | NEEDS(CELL), 1, 1, true, true,
		"where and how it marks"},
	[PROBE_STEP_WEIGHTS] = {"weights", NEEDS(MAP), 2, 1, false, false,
		"weights of classes, strict ones"},
	[PROBE_STEP_POOL] = {"pool", NEEDS(XOFF) | NEEDS(CELL), 1, 1, true, true,
		"headroom that groups share"},
	[PROBE_STEP_WATCHDOG] = {"watchdog", NEEDS(PAUSE) | NEEDS(XOFF), 1, 1, true, true,
		"detection and restoration of a pause storm"},
};

typedef int (*device_fn)(struct probe *p);
typedef int (*class_fn)(struct probe *p, unsigned cls);

// The function that does a step, and the figures that it finds: first to last, of a class or of the
// device.
struct work {
	device_fn device;
	class_fn cls;
	enum probe_figure first, last;
	enum probe_figure also; // PROBE_FORWARDS: no other one
};

static const struct work work[PROBE_STEPS] = {
	[PROBE_STEP_SELF] = {probe_self, NULL, PROBE_FORWARDS, PROBE_OTHERS, PROBE_FORWARDS},
	[PROBE_STEP_MAP] = {probe_map, NULL, PROBE_OBEYS, PROBE_DSCPS, PROBE_FORWARDS},
	[PROBE_STEP_PAUSE] = {NULL, probe_pause, PROBE_RESPONSE, PROBE_RESUME, PROBE_FORWARDS},
	[PROBE_STEP_OVERFILL] = {NULL, probe_overfill, PROBE_DROPS_FIRST, PROBE_DROPS_FIRST,
		PROBE_QUANTA},
	[PROBE_STEP_XOFF] = {NULL, probe_xoff, PROBE_XOFF, PROBE_XOFF, PROBE_HEADROOM},
	[PROBE_STEP_CELL] = {NULL, probe_cell, PROBE_CELL, PROBE_CELL, PROBE_FORWARDS},
	[PROBE_STEP_REFRESH] = {NULL, probe_refresh, PROBE_REFRESH, PROBE_PFC_FRAME,
		PROBE_FORWARDS},
	[PROBE_STEP_XON] = {NULL, probe_xon, PROBE_XON, PROBE_HYSTERESIS, PROBE_FORWARDS},
	[PROBE_STEP_ALPHA] = {NULL, probe_alpha, PROBE_THRESHOLD, PROBE_SHARED, PROBE_FORWARDS},
	[PROBE_STEP_LOSSY] = {NULL, probe_lossy, PROBE_TAIL, PROBE_TAIL_SHARED, PROBE_FORWARDS},
	[PROBE_STEP_MARKS] = {NULL, probe_marks, PROBE_MARK, PROBE_NOT_ECT, PROBE_FORWARDS},
	[PROBE_STEP_WEIGHTS] = {probe_weights, NULL, PROBE_STRICT, PROBE_WEIGHT, PROBE_FORWARDS},
	[PROBE_STEP_POOL] = {NULL, probe_pool, PROBE_POOL, PROBE_POOL, PROBE_FORWARDS},
	[PROBE_STEP_WATCHDOG] = {NULL, probe_watchdog, PROBE_WATCHDOG, PROBE_POLL, PROBE_FORWARDS},
};

void probe_init(struct probe *p, struct lab *lab, const struct probe_cfg *cfg,
	struct probe_found *found, struct err *err)
{
	rate_t rate = lab->port[cfg->in[0]].rate;

	*p = (struct probe){.lab = lab,
		.cfg = cfg,
		.found = found,
		.err = err,
		.rate = rate,
		.ps = rate_byte_ps(rate),
		.quantum = 512 * PS_PER_S / rate,
		.most_hold = cfg->most_hold,
		.unit = PROBE_SHORT};
	prng_init(&p->rng, cfg->seed, "probe");
}

tstamp probe_longest_hold(const struct probe_cfg *cfg, rate_t rate)
{
	const tstamp quantum = 512 * PS_PER_S / rate, stop = 2 * 1000 * quantum;
	const byte_ps ps = rate_byte_ps(rate);
	tstamp hold = 0;

	for (unsigned s = 0; s < PROBE_STEPS; s++) {
		tstamp of = stop + 64 * rate_time(ps, PROBE_SHORT + PKT_WIRE);

		if (!(cfg->steps >> s & 1) || !probe_step[s].holds)
			continue;
		if (s == PROBE_STEP_PAUSE)
			of = ASKED_HOLD * quantum;
		else if (s == PROBE_STEP_WATCHDOG)
			of = cfg->most_hold;
		else if (s != PROBE_STEP_MAP)
			of = tstamp_min(cfg->most_hold,
				stop + cfg->most_buffer / 64 *
						rate_time(ps, PROBE_SHORT + PKT_WIRE));
		hold = tstamp_max(hold, of);
	}
	return hold;
}

void probe_tell(const struct probe *p, enum probe_step step, unsigned cls, const char *text)
{
	if (p->listener && p->listener->told)
		p->listener->told(p->listener->arg, step, cls, text);
}

// The figures of a step that were not found, and have no reason yet, get one.
static void say_why(struct probe *p, enum probe_step step, unsigned cls, const char *why)
{
	for (enum probe_figure k = 0; k < PROBE_FIGURES; k++) {
		struct found *f = &p->found->f[probe_figure[k].device ? PROBE_DEVICE : cls][k];
		bool its = (k >= work[step].first && k <= work[step].last) ||
			   (k && k == work[step].also);

		if (its && f->state == FOUND_NOT && !f->why)
			f->why = why;
	}
}

// No figure of a step counts.
static void say_invalid(struct probe *p, enum probe_step step, unsigned cls, const char *why)
{
	for (enum probe_figure k = 0; k < PROBE_FIGURES; k++) {
		bool its = (k >= work[step].first && k <= work[step].last) ||
			   (k && k == work[step].also);

		for (unsigned c = 0; its && c < PROBE_COLUMNS; c++)
			if ((c == PROBE_DEVICE) == probe_figure[k].device &&
				(c == PROBE_DEVICE || cls == PROBE_DEVICE || c == cls))
				found_state(p->found, c, k, FOUND_INVALID, 0, why);
	}
}

// Why the ports do not allow a step; NULL: they do.
static const char *ports_missing(const struct probe *p, enum probe_step step)
{
	static const char *const wants[] = {
		"wants one more port", "wants a port", "wants two senders", "wants three senders"};
	const struct probe_step_row *row = &probe_step[step];

	if (p->cfg->n_in < row->in)
		return wants[row->in < 4 ? row->in : 0];
	return p->cfg->n_out < row->out ? "wants two receivers" : NULL;
}

static bool needs(enum probe_step step, uint32_t of)
{
	uint32_t all = probe_step[step].needs;

	for (unsigned s = PROBE_STEPS; s-- > 0;)
		if (all >> s & 1)
			all |= probe_step[s].needs;
	return (all & of) != 0;
}

// Says why a class does not allow a step; NULL: it does.
static const char *class_hinders(const struct probe *p, enum probe_step step, unsigned cls)
{
	const struct probe_group *g = &p->group[cls];
	const bool obeys = p->obeys >> cls & 1;
	const struct found *f = p->found->f[cls];

	if (f[PROBE_OBEYS].state == FOUND_INVALID)
		return "it is not known whether it obeys PFC";
	if (!probe_reaches(p, cls))
		return p->cfg->by_pcp ? "no PCP of the class is known"
				      : "no DSCP of the class is known";
	if (step == PROBE_STEP_LOSSY)
		return obeys ? "the class is lossless" : NULL;
	if (!obeys)
		return p->obeys_pause ? "it obeys PAUSE, not PFC" : "it does not obey PFC";
	if (step == PROBE_STEP_MARKS)
		return NULL;
	if (needs(step, NEEDS(OVERFILL)) && f[PROBE_DROPS_FIRST].state == FOUND_INVALID)
		return "step overfill was INVALID";
	if (needs(step, NEEDS(OVERFILL)) && !g->n_xoff_near)
		return g->drops_first ? "it drops before any XOFF" : "no XOFF came";
	if (needs(step, NEEDS(XOFF)) && !g->n_xoff)
		return "XOFF was not found exactly";
	return NULL;
}

// The classes of a step. Step `lossy` takes one class more than the user named, the lowest lossy
// one.
static uint8_t classes_of(const struct probe *p, enum probe_step step)
{
	if (step != PROBE_STEP_LOSSY)
		return p->cfg->classes ? p->cfg->classes : p->obeys;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (!class_hinders(p, step, c) && !(p->cfg->classes >> c & 1))
			return (uint8_t)(p->cfg->classes | 1u << c);
	return p->cfg->classes;
}

static const char stayed[] = "frames of ours stayed in the device";

// Leaves nothing of ours in the device after a step, and no hold of ours. A device that does not
// answer is asked again before each further step.
static int leave(struct probe *p)
{
	int rc = p->held || p->inside || p->hindered ? probe_clear(p) : 0;

	if (!rc)
		p->hindered = NULL;
	if (rc != -EAGAIN)
		return rc;
	p->hindered = p->fault = stayed;
	return 0;
}

// The results of earlier steps, which a step that is done again finds as they were.
struct before {
	struct found f[PROBE_COLUMNS][PROBE_FIGURES];
	uint64_t dscps[PKT_CLASSES];
	struct probe_group group[PKT_CLASSES];
	uint8_t obeys;
	bool obeys_pause;
	uint16_t unit;
	unsigned curves;
};

static void keep(const struct probe *p, struct before *b)
{
	*b = (struct before){.obeys = p->obeys,
		.obeys_pause = p->obeys_pause,
		.unit = p->unit,
		.curves = p->found->n_curves};
	memcpy(b->f, p->found->f, sizeof(b->f));
	memcpy(b->dscps, p->found->dscps, sizeof(b->dscps));
	memcpy(b->group, p->group, sizeof(b->group));
}

static void give_back(struct probe *p, const struct before *b)
{
	memcpy(p->found->f, b->f, sizeof(b->f));
	memcpy(p->found->dscps, b->dscps, sizeof(b->dscps));
	memcpy(p->group, b->group, sizeof(b->group));
	p->obeys = b->obeys;
	p->obeys_pause = b->obeys_pause;
	p->unit = b->unit;
	found_curves_drop(p->found, b->curves);
}

static int try_once(struct probe *p, enum probe_step step, unsigned cls)
{
	int rc = cls == PROBE_DEVICE ? work[step].device(p) : work[step].cls(p, cls);

	if (rc == -EAGAIN) {
		say_why(p, step, cls, p->most_hold < p->cfg->most_hold ? probe_dog : stayed);
		rc = 0;
	}
	return rc ? rc : leave(p);
}

// A step of a class, or of the device. It is done again where something befell the bench in it: a
// link was lost, the device started again.
static int step_try(struct probe *p, enum probe_step step, unsigned cls)
{
	struct before before;
	int rc = 0;

	keep(p, &before);
	for (unsigned try = 0; !rc && try < TRIES; try++) {
		if (try) {
			give_back(p, &before);
			rc = probe_clear(p);
		}
		p->fault = p->spoilt = NULL;
		if (!rc || rc == -EAGAIN)
			rc = try_once(p, step, cls);
		if (!p->fault)
			break;
	}
	if (!rc && (p->fault || p->spoilt)) {
		give_back(p, &before);
		say_invalid(p, step, cls, p->fault ? p->fault : p->spoilt);
	}
	return rc;
}

static int step_of_class(struct probe *p, enum probe_step step, unsigned cls)
{
	const char *why = class_hinders(p, step, cls);
	int rc;

	if (why) {
		say_why(p, step, cls, why);
		return 0;
	}
	probe_tell(p, step, cls, probe_step[step].text);
	rc = step_try(p, step, cls);
	if (!rc)
		say_why(p, step, cls, "its step gave no answer");
	return rc;
}

static int step_do(struct probe *p, enum probe_step step)
{
	uint8_t classes = classes_of(p, step);
	int rc = 0;

	if (!probe_step[step].by_class) {
		probe_tell(p, step, PROBE_DEVICE, probe_step[step].text);
		return step_try(p, step, PROBE_DEVICE);
	}
	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++)
		if (classes >> c & 1)
			rc = step_of_class(p, step, c);
	return rc;
}

// Why a step is not done at all; NULL: it is.
static const char *step_hindered(const struct probe *p, enum probe_step step)
{
	if (!(p->cfg->steps >> step & 1))
		return "not asked for";
	if (p->hindered)
		return p->hindered;
	if (p->cfg->most_time && p->lab->scene_time >= p->cfg->most_time)
		return "the time is over";
	return ports_missing(p, step);
}

static int steps_do(struct probe *p)
{
	int rc = 0;

	for (enum probe_step s = 0; !rc && s < PROBE_STEPS; s++) {
		const char *why;

		if (p->hindered && p->cfg->steps >> s & 1)
			rc = leave(p);
		why = step_hindered(p, s);
		if (!rc && !why)
			rc = step_do(p, s);
		for (unsigned c = 0; why && c < PKT_CLASSES; c++)
			say_why(p, s, c, why);
	}
	return rc;
}

// The device counts cells. Where no cell is known, figures are bytes of frames, which are fewer.
static void say_no_cell(struct probe *p)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		for (enum probe_figure k = 0; k < PROBE_FIGURES; k++) {
			struct found *f = &p->found->f[c][k];
			const char *unit = probe_figure[k].unit;

			if ((f->state == FOUND_IS || f->state == FOUND_NONE) && f->value > 0 &&
				!f->why && unit && !strcmp(unit, "B"))
				f->why = "bytes of frames: the cell is not known";
		}
}

int probe_run(struct lab *lab, const struct probe_cfg *cfg, const struct probe_listener *listener,
	struct probe_found *found, struct err *err)
{
	struct probe p;
	int rc;

	probe_init(&p, lab, cfg, found, err);
	p.listener = listener;
	rc = steps_do(&p);
	for (enum probe_step s = 0; rc && s < PROBE_STEPS; s++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			say_why(&p, s, c,
				rc == -EINTR ? "it was ended before" : "the probe ended before");
	if (found->f[PROBE_DEVICE][PROBE_CELL].state != FOUND_IS)
		say_no_cell(&p);
	probe_list_free(&p);
	return rc;
}
