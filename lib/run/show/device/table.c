// SPDX-License-Identifier: BSD-3-Clause
// The table of a probe: a section of each class and one of the device.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define LABEL 96
#define ROW   "%-*s  %-*s  %-*s  %-*s  %s\n"

struct table {
	const struct device *d;
	FILE *f;
	unsigned label, found, pm, configured; // widths of columns
};

// Figures that stand in the row of another one, or in the heading.
static bool is_beside(enum probe_figure fig)
{
	switch (fig) {
	case PROBE_OBEYS:
	case PROBE_DSCPS:
	case PROBE_PCPS:
	case PROBE_ALPHA_RAW:
	case PROBE_HYSTERESIS:
	case PROBE_REFRESH_SHARE:
	case PROBE_MARK_AVERAGED:
	case PROBE_MARK_LINEAR:
		return true;
	default:
		return false;
	}
}

// Whether a figure has a row of its own. A figure that failed always has one. Words that say
// nothing new have none.
static bool is_shown(const struct device *d, const struct device_line *l)
{
	if (l->verdict == DEVICE_NOT_MEASURED)
		return false;
	if (l->verdict == DEVICE_FAIL || l->verdict == DEVICE_INVALID)
		return true;
	if (l->figure == PROBE_FLAPS || l->figure == PROBE_STRICT)
		return l->found->value != 0;
	if (l->figure == PROBE_DROPS_FIRST)
		return l->found->state != FOUND_NONE;
	if (l->figure == PROBE_RESPONSE)
		return !device_line(d, l->cls, PROBE_RESPONSE_QUANTA);
	if (is_beside(l->figure))
		return l->configured.given && l->verdict != DEVICE_PASS;
	return true;
}

static const struct found *beside(
	const struct table *t, const struct device_line *l, enum probe_figure fig)
{
	const struct device_line *other = device_line(t->d, l->cls, fig);

	return other && other->found->state == FOUND_IS ? other->found : NULL;
}

// The label of a row, with the figures that stand beside it.
static char *label_of(const struct table *t, const struct device_line *l, char *buf, size_t size)
{
	const char *text = probe_figure[l->figure].text;
	const struct found *f, *g;
	char value[DEVICE_TEXT];

	snprintf(buf, size, "  %s", text);
	if (l->figure == PROBE_XON && (f = beside(t, l, PROBE_HYSTERESIS)))
		snprintf(buf, size, "  %s (hysteresis %s)", text,
			device_value_text(PROBE_HYSTERESIS, f->value, value, sizeof(value)));
	else if (l->figure == PROBE_ALPHA && (f = beside(t, l, PROBE_ALPHA_RAW)))
		snprintf(buf, size, "  %s (as measured %.4f)", text, f->value);
	else if (l->figure == PROBE_REFRESH && (f = beside(t, l, PROBE_REFRESH_SHARE)))
		snprintf(buf, size, "  %s, %.3g %% of its pause", text, f->value);
	else if (l->figure == PROBE_RESPONSE_QUANTA && (f = beside(t, l, PROBE_RESPONSE)))
		snprintf(buf, size, "  response %.4g us (31B.3.7: %u quanta), quanta", f->value,
			t->d->about->response_limit);
	else if (l->figure == PROBE_MARK && l->found->state == FOUND_IS && l->found->value) {
		f = beside(t, l, PROBE_MARK_AVERAGED);
		g = beside(t, l, PROBE_MARK_LINEAR);
		snprintf(buf, size, "  %s%s%s", text,
			!f         ? ""
			: f->value ? ", averaged length"
				   : ", length at the instant",
			!g         ? ""
			: g->value ? ", linear"
				   : ", not linear");
	}
	return buf;
}

// Widens the columns for a row.
static void measure(struct table *t, const struct device_line *l)
{
	char text[LABEL + DEVICE_TEXT];
	size_t n;

	n = strlen(label_of(t, l, text, LABEL));
	t->label = n > t->label ? (unsigned)n : t->label;
	n = strlen(device_found_text(l, text, sizeof(text)));
	t->found = n > t->found ? (unsigned)n : t->found;
	n = strlen(device_pm_text(l, text, sizeof(text)));
	t->pm = n > t->pm ? (unsigned)n : t->pm;
	n = strlen(device_configured_text(l, text, sizeof(text)));
	t->configured = n > t->configured ? (unsigned)n : t->configured;
}

// Without a configuration a bound stands in the value already.
static bool is_told(const struct device *d, const struct device_line *l)
{
	return d->against || l->verdict == DEVICE_VARIES || l->verdict == DEVICE_OTHERS ||
	       l->verdict == DEVICE_INVALID;
}

static void put_row(const struct table *t, const struct device_line *l)
{
	char label[LABEL], found[DEVICE_TEXT + 16], pm[2 * DEVICE_TEXT + 8];
	char configured[DEVICE_TEXT + 8], verdict[256];
	const char *word = is_told(t->d, l) ? device_verdict_name[l->verdict] : "";

	snprintf(verdict, sizeof(verdict), "%s%s%s", word, *word && l->found->why ? "  " : "",
		l->found->why ? l->found->why : "");
	fprintf(t->f, ROW, (int)t->label, label_of(t, l, label, sizeof(label)), (int)t->found,
		device_found_text(l, found, sizeof(found)), (int)t->pm,
		device_pm_text(l, pm, sizeof(pm)), (int)t->configured,
		device_configured_text(l, configured, sizeof(configured)), verdict);
}

// Adds ", DSCP 24 26" to a text; an empty set adds nothing.
static void add_set(char *text, size_t size, const char *what, uint64_t set)
{
	size_t n = strlen(text);

	if (!set)
		return;
	n += (size_t)snprintf(text + n, size - n, ", %s", what);
	for (unsigned i = 0; i < 64 && n + 4 < size; i++)
		if (set >> i & 1)
			n += (size_t)snprintf(text + n, size - n, " %u", i);
}

// "class 3  obeys PFC, DSCP 24 26, PCP 3".
static void put_heading(const struct table *t, unsigned cls)
{
	const struct probe_found *found = t->d->found;
	double obeys = found_value(found, cls, PROBE_OBEYS);
	char text[256];

	if (cls == PROBE_DEVICE)
		snprintf(text, sizeof(text), "device %s", t->d->about->device);
	else if (isnan(obeys))
		snprintf(text, sizeof(text), "class %u", cls);
	else
		snprintf(text, sizeof(text), "class %u  obeys %s", cls,
			probe_figure[PROBE_OBEYS].word[(unsigned)obeys]);
	if (cls != PROBE_DEVICE) {
		add_set(text, sizeof(text), "DSCP", found->dscps[cls]);
		add_set(text, sizeof(text), "PCP", found->pcps[cls]);
	}
	fprintf(t->f, ROW, (int)t->label, text, (int)t->found, "found", (int)t->pm, "+-",
		(int)t->configured, t->d->against ? "configured" : "",
		t->d->against ? "verdict" : "");
}

bool device_has_rows(const struct device *d, unsigned cls)
{
	for (unsigned i = 0; i < d->lines; i++)
		if (d->line[i].cls == cls && is_shown(d, &d->line[i]))
			return true;
	return false;
}

// Classes that obey the same and have no other rows stand on one line.
static void put_short(const struct table *t)
{
	for (unsigned word = 0; probe_figure[PROBE_OBEYS].word[word]; word++) {
		const char *before = "classes without other figures: ";
		bool any = false;

		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			if (found_value(t->d->found, c, PROBE_OBEYS) != word ||
				device_has_rows(t->d, c))
				continue;
			fprintf(t->f, "%s%u", any ? ", " : before, c);
			any = true;
		}
		if (any)
			fprintf(t->f, "  obey %s\n\n", probe_figure[PROBE_OBEYS].word[word]);
	}
}

static void put_section(const struct table *t, unsigned cls)
{
	if (!device_has_rows(t->d, cls))
		return;
	put_heading(t, cls);
	for (unsigned i = 0; i < t->d->lines; i++)
		if (t->d->line[i].cls == cls && is_shown(t->d, &t->d->line[i]))
			put_row(t, &t->d->line[i]);
	fputc('\n', t->f);
}

// Figures that were not measured, by their reason: "XON, alpha (wants 3 ports)".
static void put_missing(const struct table *t)
{
	const struct device *d = t->d;

	for (unsigned i = 0; i < d->lines; i++) {
		const struct device_line *first = &d->line[i];
		const char *between = "";
		bool told = false;

		if (first->verdict != DEVICE_NOT_MEASURED)
			continue;
		for (unsigned k = 0; k < i && !told; k++)
			told = d->line[k].verdict == DEVICE_NOT_MEASURED &&
			       d->line[k].cls == first->cls &&
			       d->line[k].found->why == first->found->why;
		if (told)
			continue;
		fprintf(t->f, "not measured%s", first->cls == PROBE_DEVICE ? ": " : " of class ");
		if (first->cls != PROBE_DEVICE)
			fprintf(t->f, "%u: ", first->cls);
		for (unsigned k = i; k < d->lines; k++) {
			const struct device_line *l = &d->line[k];

			if (l->verdict != DEVICE_NOT_MEASURED || l->cls != first->cls ||
				l->found->why != first->found->why)
				continue;
			fprintf(t->f, "%s%s", between, probe_figure[l->figure].text);
			between = "; ";
		}
		fprintf(t->f, " (%s)\n",
			first->found->why ? first->found->why : "no step looked for it");
	}
}

static void put_summary(const struct table *t)
{
	const struct device *d = t->d;
	const struct device_about *a = d->about;
	char time[32], gap[32], longest[32];

	fprintf(t->f, "probe: %u lists in %s of scene time", a->steps,
		device_time_text(a->scene_time, time, sizeof(time)));
	if (a->gap_longest)
		fprintf(t->f, "; loop gap %s (99 %%), %s at most",
			device_time_text(a->gap, gap, sizeof(gap)),
			device_time_text(a->gap_longest, longest, sizeof(longest)));
	fputc('\n', t->f);
	if (a->dilate > 1)
		fprintf(t->f,
			"device time: its clock is %llu times slower than ours (device_dilate); "
			"its rate and all times above are by its clock\n",
			(unsigned long long)a->dilate);
	if (a->interrupted)
		fprintf(t->f, "interrupted: the steps that had ended stand above\n");
	if (!d->against)
		return;
	fprintf(t->f, "against %s:", d->against->name);
	for (unsigned v = DEVICE_PASS; v <= DEVICE_NOT_MEASURED; v++)
		if (d->n[v])
			fprintf(t->f, " %u %s%s", d->n[v], device_verdict_name[v],
				v == DEVICE_NOT_MEASURED ? "" : ",");
	fputc('\n', t->f);
}

// Removes blanks at line ends, which empty columns leave.
static void put_trimmed(const char *text, FILE *f)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), keep = n;

		while (keep && text[keep - 1] == ' ')
			keep--;
		fprintf(f, "%.*s\n", (int)keep, text);
		text += n + (text[n] != 0);
	}
}

void device_table(const struct device *d, FILE *f)
{
	struct table t = {.d = d, .label = 24, .found = 5, .pm = 2};
	char *text = NULL;
	size_t size;

	t.configured = d->against ? (unsigned)strlen("configured") : 0;
	t.f = open_memstream(&text, &size);
	if (!t.f)
		return;
	for (unsigned i = 0; i < d->lines; i++)
		if (is_shown(d, &d->line[i]))
			measure(&t, &d->line[i]);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		put_section(&t, c);
	put_short(&t);
	put_section(&t, PROBE_DEVICE);
	put_missing(&t);
	put_summary(&t);
	fclose(t.f);
	if (text)
		put_trimmed(text, f);
	free(text);
}
