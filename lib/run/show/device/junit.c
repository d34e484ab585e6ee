// SPDX-License-Identifier: BSD-3-Clause
// junit.xml of a probe: a test of each figure that the configuration has.
#include "device.h"

static enum junit_result result_of(enum device_verdict v)
{
	switch (v) {
	case DEVICE_FAIL:
		return JUNIT_FAILURE;
	case DEVICE_INVALID:
		return JUNIT_ERROR;
	case DEVICE_NOT_MEASURED:
	case DEVICE_VARIES:
	case DEVICE_OTHERS:
		return JUNIT_SKIPPED;
	default:
		return JUNIT_PASSED;
	}
}

// The text that tells why a figure did not pass.
static void message_of(const struct device_line *l, char *buf, size_t size)
{
	char found[DEVICE_TEXT], pm[2 * DEVICE_TEXT], configured[DEVICE_TEXT];

	snprintf(buf, size, "%s: found %s, +- %s, configured %s%s%s",
		device_verdict_name[l->verdict], device_found_text(l, found, sizeof(found)),
		*device_pm_text(l, pm, sizeof(pm)) ? pm : "0",
		device_configured_text(l, configured, sizeof(configured)),
		l->found->why ? "; " : "", l->found->why ? l->found->why : "");
}

void device_junit(const struct device *d, struct out *o)
{
	unsigned tests = 0, failures = 0, errors = 0;

	for (unsigned i = 0; i < d->lines; i++) {
		enum junit_result r = result_of(d->line[i].verdict);

		tests += d->line[i].configured.given;
		failures += d->line[i].configured.given && r == JUNIT_FAILURE;
		errors += d->line[i].configured.given && r == JUNIT_ERROR;
	}
	out_str(o, JUNIT_HEAD);
	junit_suite(o, d->about->scenario, tests, failures, errors,
		(double)d->about->scene_time / PS_PER_S);
	for (unsigned i = 0; i < d->lines; i++) {
		const struct device_line *l = &d->line[i];
		char name[96], message[512];

		if (!l->configured.given)
			continue;
		if (l->cls == PROBE_DEVICE)
			snprintf(name, sizeof(name), "%s", probe_figure[l->figure].name);
		else
			snprintf(name, sizeof(name), "class %u %s", l->cls,
				probe_figure[l->figure].name);
		message_of(l, message, sizeof(message));
		junit_case(o, d->about->device, name, result_of(l->verdict), message);
	}
	junit_suite_end(o);
}
