// SPDX-License-Identifier: BSD-3-Clause
// dut.yaml: the device that was found, as a switch of a scenario.
#include <math.h>
#include <string.h>

#include "device.h"

static double value_of(const struct device *d, unsigned cls, enum probe_figure fig)
{
	return found_value(d->found, cls, fig);
}

static bool is_lossless(const struct device *d, unsigned cls)
{
	return !isnan(value_of(d, cls, PROBE_XOFF));
}

static double or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

// Headroom as a switch of quench counts it: the frame that crosses XOFF is in it, too.
static double headroom_of(const struct device *d, unsigned cls)
{
	const struct found *f = &d->found->f[cls][PROBE_HEADROOM];

	if (f->state != FOUND_AT_LEAST && isnan(value_of(d, cls, PROBE_HEADROOM)))
		return NAN;
	return f->value + device_unit(d);
}

// The buffer with which the shared part is the found one; static thresholds fit in any case.
static double buffer_of(const struct device *d)
{
	double own = 0, shared = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (!is_lossless(d, c))
			continue;
		own += d->about->hosts *
		       (or_zero(value_of(d, c, PROBE_RESERVE)) + or_zero(headroom_of(d, c)));
		if (value_of(d, c, PROBE_THRESHOLD) == 1)
			shared = fmax(shared, or_zero(value_of(d, c, PROBE_SHARED)));
	}
	for (unsigned c = 0; !shared && c < PKT_CLASSES; c++)
		shared = or_zero(value_of(d, c, PROBE_TAIL_SHARED));
	for (unsigned c = 0; !shared && c < PKT_CLASSES; c++)
		if (is_lossless(d, c))
			own += d->about->hosts * value_of(d, c, PROBE_XOFF);
	return own + shared;
}

// Whether the device tells classes by PCP: PCPs were found or told, and no DSCP.
static bool trusts_pcp(const struct device *d)
{
	bool pcp = false, dscp = false;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		pcp |= d->found->pcps[c] || d->about->pcp[c] < 8;
		dscp |= d->found->dscps[c] || d->about->dscp[c] < 64;
	}
	return pcp && !dscp;
}

// Whether a DSCP or PCP was told or found to be of a class.
static bool is_of(const struct device *d, bool pcp, unsigned cls, unsigned i)
{
	return pcp ? d->about->pcp[cls] == i || d->found->pcps[cls] >> i & 1
		   : d->about->dscp[cls] == i || d->found->dscps[cls] >> i & 1;
}

// The map has the found DSCPs of lossless classes and the DSCPs that the settings give, or PCPs in
// the same way. quench takes DSCP / 8, or the PCP, for the class that no map gives. If that class
// is lossless, the map says class 0, or class 1 if class 0 is lossless, too.
static void put_map(const struct device *d, struct out *o)
{
	const bool pcp = trusts_pcp(d);
	const char *between = "";

	out_str(o, pcp ? "    trust: pcp\n    pcp_map: {" : "    dscp_map: {");
	for (unsigned i = 0; i < (pcp ? 8 : 64); i++) {
		unsigned usual = pcp ? i : i / 8, cls = usual;

		if (is_lossless(d, cls))
			cls = is_lossless(d, 0) ? 1 : 0;
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			if (is_of(d, pcp, c, i))
				cls = c;
		if (cls == usual)
			continue;
		out_printf(o, "%s%u: %u", between, i, cls);
		between = ", ";
	}
	out_str(o, "}\n");
}

// `xoff` and `xon` are of shared bytes.
static void put_threshold(const struct device *d, unsigned cls, struct out *o)
{
	double reserve = or_zero(value_of(d, cls, PROBE_RESERVE));
	double xoff = value_of(d, cls, PROBE_XOFF), xon = value_of(d, cls, PROBE_XON);
	double alpha = value_of(d, cls, PROBE_ALPHA);

	if (value_of(d, cls, PROBE_THRESHOLD) == 1 && alpha > 0) {
		out_printf(o, "          dynamic_th: %.0f\n", round(log2(alpha)));
		if (!isnan(xon))
			out_printf(o, "          xon_offset: %.0f\n", (xoff - xon) * (1 + alpha));
	} else {
		out_printf(o, "          xoff: %.0f\n", xoff - reserve);
		if (!isnan(xon))
			out_printf(o, "          xon: %.0f\n", fmax(xon - reserve, 0));
	}
	if (reserve)
		out_printf(o, "          reserved: %.0f\n", reserve);
}

static void put_pfc(const struct device *d, unsigned cls, struct out *o)
{
	double headroom = headroom_of(d, cls), quanta = value_of(d, cls, PROBE_QUANTA);
	double refresh = value_of(d, cls, PROBE_REFRESH_SHARE);

	if (!is_lossless(d, cls))
		return;
	out_str(o, "        lossless: true\n        pfc:\n");
	put_threshold(d, cls, o);
	if (!isnan(headroom))
		out_printf(o, "          headroom: %.0f\n", headroom);
	if (!isnan(quanta))
		out_printf(o, "          quanta: %.0f\n", quanta);
	if (d->found->f[cls][PROBE_REFRESH].state == FOUND_NONE)
		out_str(o, "          refresh: 0%\n");
	else if (!isnan(refresh))
		out_printf(o, "          refresh: %.1f%%\n", refresh);
}

static void put_marker(const struct device *d, unsigned cls, struct out *o)
{
	double kmin = value_of(d, cls, PROBE_KMIN), kmax = value_of(d, cls, PROBE_KMAX);
	double pmax = value_of(d, cls, PROBE_PMAX);

	if (isnan(kmin) || isnan(kmax) || isnan(pmax))
		return;
	out_printf(o, "        wred: {min: %.0f, max: %.0f, probability: %.4f%%, mark: %s}%s\n",
		kmin, fmax(kmin, kmax), fmin(pmax, 100),
		value_of(d, cls, PROBE_MARK) == 1 ? "enqueue" : "dequeue",
		value_of(d, cls, PROBE_MARK_AVERAGED) == 1
			? " # averaged: the weight is not found, give it"
			: "");
}

// The least factor that makes all found weights whole within 1 %.
static unsigned factor_of(const struct device *d)
{
	for (unsigned k = 1; k <= 20; k++) {
		bool whole = true;

		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			double w = k * or_zero(value_of(d, c, PROBE_WEIGHT));

			whole = whole && fabs(w - round(w)) <= 0.01 * w;
		}
		if (whole)
			return k;
	}
	return 20;
}

static void put_class(const struct device *d, unsigned cls, unsigned factor, struct out *o)
{
	double strict = value_of(d, cls, PROBE_STRICT), weight = value_of(d, cls, PROBE_WEIGHT);
	double alpha = value_of(d, cls, PROBE_TAIL_ALPHA);

	if (!is_lossless(d, cls) && isnan(strict) && isnan(weight) && isnan(alpha) &&
		isnan(value_of(d, cls, PROBE_KMAX)))
		return;
	out_printf(o, "      %u:\n", cls);
	out_printf(o, "        strict: %s\n", strict == 1 ? "true" : "false");
	if (weight > 0)
		out_printf(o, "        weight: %.0f\n", fmin(round(weight * factor), 1000));
	put_pfc(d, cls, o);
	if (!is_lossless(d, cls) && alpha > 0)
		out_printf(o, "        drop: {dynamic_th: %.0f}\n", round(log2(alpha)));
	put_marker(d, cls, o);
}

static void put_watchdog(const struct device *d, struct out *o)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		double detect = value_of(d, c, PROBE_DETECT), poll = value_of(d, c, PROBE_POLL);
		double restore = value_of(d, c, PROBE_RESTORE);
		double action = value_of(d, c, PROBE_WATCHDOG);

		if (!(action > 0) || isnan(detect) || isnan(poll))
			continue;
		restore = isnan(restore) ? detect : restore;
		out_printf(o,
			"    pfc_watchdog: {poll: %.3fus, detection: %.3fus, restoration: %.3fus, "
			"action: %s}\n",
			poll, fmax(detect, poll), fmax(restore, poll),
			action == 1 ? "drop" : "forward");
		return;
	}
}

// The response was measured behind the egress pipeline, which `latency` holds.
static void put_switch(const struct device *d, struct out *o)
{
	double cell = value_of(d, PROBE_DEVICE, PROBE_CELL);
	double transit = value_of(d, PROBE_DEVICE, PROBE_TRANSIT);
	double response = NAN, buffer = buffer_of(d);
	unsigned factor = factor_of(d);

	for (unsigned c = PKT_CLASSES; c-- > 0;)
		if (!isnan(value_of(d, c, PROBE_RESPONSE_QUANTA)))
			response = value_of(d, c, PROBE_RESPONSE_QUANTA) -
				   or_zero(transit) * 1e-6 * (double)d->about->rate / 512;
	out_printf(o, "switches:\n  %s:\n", d->about->device);
	if (buffer >= 10000)
		out_printf(o, "    buffer: %.0f\n", ceil(buffer));
	if (cell > 1)
		out_printf(o, "    cell: %.0f\n", cell);
	if (!isnan(response))
		out_printf(o, "    pfc_response: %.0f\n", fmax(round(response), 0));
	if (transit > 0)
		out_printf(o, "    latency: %.0fns\n", transit * 1000);
	put_watchdog(d, o);
	put_map(d, o);
	out_str(o, "    classes:\n");
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		put_class(d, c, factor, o);
}

void device_scenario(const struct device *d, struct out *o)
{
	const struct device_about *a = d->about;
	char text[32];

	out_printf(o,
		"# The device %s as quench probe found it (%s, seed %llu). Figures that were not "
		"found have\n# quench's defaults. `quench run` takes this file once flows are "
		"added.\n",
		a->device, a->scenario, (unsigned long long)a->seed);
	out_printf(o, "name: %s\nduration: 10ms\n", a->device);
	put_switch(d, o);
	out_str(o, "hosts: {");
	for (unsigned i = 0; i < a->hosts; i++)
		out_printf(o, "%s%s: ", i ? ", " : "", a->host[i]);
	out_str(o, "}\nlinks:\n  - {between: [[");
	for (unsigned i = 0; i < a->hosts; i++)
		out_printf(o, "%s%s", i ? ", " : "", a->host[i]);
	out_printf(o, "], %s], rate: %s, delay: ", a->device,
		units_format(UNITS_RATE, a->rate, text, sizeof(text)));
	out_printf(o, "%s}\n", units_format(UNITS_TIME, a->cable, text, sizeof(text)));
}
