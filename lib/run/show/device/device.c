// SPDX-License-Identifier: BSD-3-Clause
// The verdicts on the findings of a probe.
#include "device.h"

#include <math.h>
#include <string.h>

#define SHORT_ON_WIRE (64 - PKT_FCS + PKT_WIRE) // bytes of a shortest frame and its gap

const char *const device_verdict_name[] = {
	[DEVICE_FOUND] = "",
	[DEVICE_PASS] = "PASS",
	[DEVICE_FAIL] = "FAIL",
	[DEVICE_WITHIN] = "WITHIN",
	[DEVICE_AT_LEAST] = "AT LEAST",
	[DEVICE_AT_MOST] = "AT MOST",
	[DEVICE_NONE_UP_TO] = "NONE UP TO",
	[DEVICE_VARIES] = "VARIES",
	[DEVICE_OTHERS] = "OTHERS",
	[DEVICE_INVALID] = "INVALID",
	[DEVICE_NOT_MEASURED] = "NOT MEASURED",
};

unsigned device_unit(const struct device *d)
{
	double cell = found_value(d->found, PROBE_DEVICE, PROBE_CELL);

	return cell > 64 ? (unsigned)cell : 64;
}

// The least by which a count of frames can tell two values of a figure apart.
static double step_of(const struct device *d, enum probe_figure fig)
{
	switch (fig) {
	case PROBE_XOFF:
	case PROBE_XON:
		return device_unit(d);
	case PROBE_HYSTERESIS:
	case PROBE_HEADROOM:
		return 2.0 * device_unit(d);
	default:
		return 0;
	}
}

static enum device_verdict judge_number(const struct device *d, const struct device_line *l)
{
	double is = l->found->value, wanted = l->configured.value, diff = fabs(is - wanted);
	double pm = fmax(l->found->pm, step_of(d, l->figure));
	double accuracy = d->about->accuracy * fabs(wanted);

	if ((l->configured.bound == DEVICE_NO_LESS && is >= wanted) ||
		(l->configured.bound == DEVICE_NO_MORE && is <= wanted))
		return DEVICE_PASS;
	if (diff > pm && diff > accuracy)
		return DEVICE_FAIL;
	return diff > accuracy ? DEVICE_WITHIN : DEVICE_PASS;
}

// A finding that has a value, and a configured one.
static enum device_verdict judge_value(const struct device *d, const struct device_line *l)
{
	if (l->figure == PROBE_DSCPS)
		return d->found->dscps[l->cls] == d->against->dscps[l->cls] ? DEVICE_PASS
									    : DEVICE_FAIL;
	if (!probe_figure[l->figure].unit)
		return l->found->value == l->configured.value ? DEVICE_PASS : DEVICE_FAIL;
	return judge_number(d, l);
}

// The verdict on a bound, or on a figure that the device does not have.
static enum device_verdict judge_bound(const struct device_line *l)
{
	const struct found *f = l->found;
	const struct device_value *c = &l->configured;

	if (f->state == FOUND_NONE)
		return !c->given || (f->value && c->value > f->value) ? DEVICE_NONE_UP_TO
								      : DEVICE_FAIL;
	if (f->state == FOUND_AT_LEAST)
		return c->given && c->value < f->value && c->bound != DEVICE_NO_LESS
			       ? DEVICE_FAIL
			       : DEVICE_AT_LEAST;
	return c->given && c->value > f->value ? DEVICE_FAIL : DEVICE_AT_MOST;
}

static enum device_verdict judge(const struct device *d, const struct device_line *l)
{
	switch (l->found->state) {
	case FOUND_NOT:
		return DEVICE_NOT_MEASURED;
	case FOUND_INVALID:
		return DEVICE_INVALID;
	case FOUND_VARIES:
		return DEVICE_VARIES;
	case FOUND_OTHERS:
		return DEVICE_OTHERS;
	case FOUND_IS:
		return l->configured.given ? judge_value(d, l) : DEVICE_FOUND;
	default:
		return judge_bound(l);
	}
}

// The standard's own demands hold for figures that the configuration does not give: the limit of
// the response, and the headroom that the cable needs.
static void demand(const struct device *d, struct device_line *l)
{
	const struct device_about *a = d->about;
	struct device_value *c = &l->configured;

	if (!d->against || c->given)
		return;
	if (l->figure == PROBE_HEADROOM && a->after_xoff)
		*c = (struct device_value){true, DEVICE_NO_LESS,
			ceil((double)a->after_xoff / SHORT_ON_WIRE) * device_unit(d)};
	if (l->figure == PROBE_RESPONSE_QUANTA && a->response_limit)
		*c = (struct device_value){true, DEVICE_NO_MORE, a->response_limit};
}

// Returns the configured weight for which the least of the found ones, which is 1, stands.
static double scale_of_weights(const struct device *d)
{
	double least = INFINITY, scale = 1;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct device_value *v = &d->against->f[c][PROBE_WEIGHT];
		double is = found_value(d->found, c, PROBE_WEIGHT);

		if (v->given && is > 0 && is < least) {
			least = is;
			scale = v->value / is;
		}
	}
	return scale;
}

// Whether somebody asked for the figure, and the probe came so far.
static bool is_asked(const struct found *f)
{
	return f->state != FOUND_NOT || (f->why && strcmp(f->why, FOUND_NOT_ASKED) != 0);
}

static bool is_looked_at(const struct probe_found *f, unsigned cls)
{
	for (unsigned i = 0; i < PROBE_FIGURES; i++)
		if (is_asked(&f->f[cls][i]))
			return true;
	return false;
}

static bool has_line(const struct device *d, unsigned cls, unsigned fig)
{
	const struct found *f = &d->found->f[cls][fig];

	if (probe_figure[fig].device != (cls == PROBE_DEVICE))
		return false;
	return is_asked(f) || (!f->why && d->against && d->against->f[cls][fig].given &&
				      is_looked_at(d->found, cls));
}

void device_judge(struct device *d, const struct probe_found *found,
	const struct device_about *about, const struct device_config *against)
{
	double weights;

	*d = (struct device){.found = found, .about = about, .against = against};
	weights = against ? scale_of_weights(d) : 1;
	for (unsigned i = 0; i < PROBE_COLUMNS; i++) {
		unsigned cls = i ? i - 1 : PROBE_DEVICE;

		for (unsigned fig = 0; fig < PROBE_FIGURES; fig++) {
			struct device_line *l = &d->line[d->lines];

			if (!has_line(d, cls, fig))
				continue;
			*l = (struct device_line){
				.cls = cls, .figure = fig, .found = &found->f[cls][fig]};
			if (against)
				l->configured = against->f[cls][fig];
			if (fig == PROBE_WEIGHT)
				l->configured.value /= weights;
			demand(d, l);
			l->verdict = judge(d, l);
			d->n[l->verdict]++;
			d->lines++;
		}
	}
}

int device_status(const struct device *d, bool strict)
{
	if (d->n[DEVICE_FAIL])
		return 1;
	return d->n[DEVICE_INVALID] || (strict && d->n[DEVICE_NOT_MEASURED]) ? 3 : 0;
}

const struct device_line *device_line(
	const struct device *d, unsigned cls, enum probe_figure figure)
{
	for (unsigned i = 0; i < d->lines; i++)
		if (d->line[i].cls == cls && d->line[i].figure == figure)
			return &d->line[i];
	return NULL;
}
