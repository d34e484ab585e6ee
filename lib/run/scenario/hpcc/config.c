// SPDX-License-Identifier: BSD-3-Clause
// config.txt: a key and its values a line. Values that a scenario takes are checked; all other keys
// are named.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "schema/schema.h"

#define RATE_MOST 800000000000ull // of a scenario

static const char *const taken[HPCC_KEYS] = {
	[HPCC_CC_MODE] = "CC_MODE",
	[HPCC_ENABLE_QCN] = "ENABLE_QCN",
	[HPCC_STOP_TIME] = "SIMULATOR_STOP_TIME",
	[HPCC_PAYLOAD] = "PACKET_PAYLOAD_SIZE",
	[HPCC_BUFFER] = "BUFFER_SIZE",
	[HPCC_KMIN] = "KMIN_MAP",
	[HPCC_KMAX] = "KMAX_MAP",
	[HPCC_PMAX] = "PMAX_MAP",
	[HPCC_ALPHA_TIMER] = "ALPHA_RESUME_INTERVAL",
	[HPCC_CUT_INTERVAL] = "RATE_DECREASE_INTERVAL",
	[HPCC_RP_TIMER] = "RP_TIMER",
	[HPCC_GAIN] = "EWMA_GAIN",
	[HPCC_FAST_RECOVERY] = "FAST_RECOVERY_TIMES",
	[HPCC_CLAMP] = "CLAMP_TARGET_RATE",
	[HPCC_RATE_AI] = "RATE_AI",
	[HPCC_RATE_HAI] = "RATE_HAI",
	[HPCC_MIN_RATE] = "MIN_RATE",
};

// Keys that no scenario takes, and why. With the value `unless` nothing is missed, so the key is
// not named; "" is no value.
static const struct {
	const char *key, *unless, *why;
} not_taken[] = {
	{"TOPOLOGY_FILE", "", "the command line names the topology"},
	{"FLOW_FILE", "", "the command line names the flow list"},
	{"TRACE_FILE", "", "quench writes files of its own into the run's folder"},
	{"TRACE_OUTPUT_FILE", "", "quench writes files of its own into the run's folder"},
	{"FCT_OUTPUT_FILE", "", "quench writes files of its own into the run's folder"},
	{"PFC_OUTPUT_FILE", "", "quench writes files of its own into the run's folder"},
	{"QLEN_MON_FILE", "", "quench writes files of its own into the run's folder"},
	{"QLEN_MON_START", "", "quench samples queues from the run's start to its end"},
	{"QLEN_MON_END", "", "quench samples queues from the run's start to its end"},
	{"ENABLE_TRACE", "0", "a port with capture: true records its frames here"},
	{"USE_DYNAMIC_PFC_THRESHOLD", "1", "its switches' thresholds are dynamic in any case"},
	{"PAUSE_TIME", "", "a pause lasts until the class goes on, as in the simulator"},
	{"ERROR_RATE_PER_LINK", "0.0000", "links lose nothing here"},
	{"L2_CHUNK_SIZE", "", "nothing is sent again where nothing is lost"},
	{"L2_ACK_INTERVAL", "1", "each packet is acknowledged"},
	{"L2_BACK_TO_ZERO", "0", "nothing is sent again where nothing is lost"},
	{"HAS_WIN", "0", "a control has a window of its own, or none"},
	{"GLOBAL_T", "1", "the window is that of the longest way between two hosts"},
	{"VAR_WIN", "", "a window follows its control in any case"},
	{"ACK_HIGH_PRIO", "0", "ACKs have the class of the flows"},
	{"FAST_REACT", "", "for HPCC's own control, which quench lacks"},
	{"U_TARGET", "", "for HPCC's own control, which quench lacks"},
	{"MI_THRESH", "", "for HPCC's own control, which quench lacks"},
	{"INT_MULTI", "", "for HPCC's own control, which quench lacks"},
	{"MULTI_RATE", "", "for HPCC's own control, which quench lacks"},
	{"SAMPLE_FEEDBACK", "", "for HPCC's own control, which quench lacks"},
	{"PINT_LOG_BASE", "", "for HPCC's own control, which quench lacks"},
	{"PINT_PROB", "", "for HPCC's own control, which quench lacks"},
	{"RATE_BOUND", "1", "a reaction point's rate bounds its queue pair in any case"},
	{"LINK_DOWN", "0 0 0", "write an event with link_down"},
};

// The words behind a key, apart by a space each.
static const char *values(struct hpcc *h, const struct hpcc_value *v)
{
	const char *text = "";

	for (unsigned i = 1; i <= v->n && strlen(text) < 64; i++)
		text = hpcc_text(h, "%s%s%.32s", text, i > 1 ? " " : "", v->key[i].text);
	return text;
}

static bool is_zero(const char *text)
{
	double v;

	return !units_parse_real(text, &v) && v == 0;
}

static void leave_key(struct hpcc *h, const struct hpcc_value *v)
{
	const char *key = v->key->text, *is = values(h, v);

	for (unsigned i = 0; i < sizeof(not_taken) / sizeof(not_taken[0]); i++) {
		const char *unless = not_taken[i].unless;

		if (strcmp(key, not_taken[i].key) != 0)
			continue;
		if (!*unless || (strcmp(is, unless) && !(is_zero(is) && is_zero(unless))))
			hpcc_left(h, hpcc_text(h, "%.64s", key), not_taken[i].why);
		h->n_known++;
		return;
	}
	hpcc_left(h, hpcc_text(h, "%.64s", key), "quench knows no such key");
}

static int key_read(struct hpcc *h, const struct hpcc_value *v)
{
	for (unsigned i = 0; i < HPCC_KEYS; i++) {
		if (i == HPCC_OWN ? !schema_has_sim_key(v->key->text)
				  : strcmp(v->key->text, taken[i]) != 0)
			continue;
		if (h->value[i].key)
			return hpcc_wrong(
				h, &h->config, v->key, "%s stands here twice", v->key->text);
		if (!v->n)
			return hpcc_wrong(h, &h->config, v->key, "%s has no value", v->key->text);
		h->value[i] = *v;
		h->n_known++;
		return 0;
	}
	leave_key(h, v);
	return 0;
}

const char *hpcc_value_text(const struct hpcc *h, enum hpcc_key key)
{
	return h->value[key].key ? h->value[key].key[1].text : NULL;
}

static int bad_value(struct hpcc *h, enum hpcc_key key, const char *wanted)
{
	return hpcc_wrong(h, &h->config, &h->value[key].key[1], "%s: '%.40s' is no %s",
		h->value[key].key->text, h->value[key].key[1].text, wanted);
}

// The bounds of a key's value, in base units.
struct check {
	enum hpcc_key key;
	enum units_kind kind;
	const char *unit; // that the file leaves out
	uint64_t least, most;
	const char *wanted;
};

static int check_value(struct hpcc *h, const struct check *c)
{
	const char *text = hpcc_value_text(h, c->key);
	uint64_t v;

	if (!text || (!units_parse(c->kind, hpcc_text(h, "%.64s%s", text, c->unit), &v) &&
			     v >= c->least && v <= c->most))
		return 0;
	return bad_value(h, c->key, c->wanted);
}

static int check_values(struct hpcc *h)
{
	static const struct check all[] = {
		{HPCC_CC_MODE, UNITS_COUNT, "", 0, 255, "number of a mode"},
		{HPCC_ENABLE_QCN, UNITS_COUNT, "", 0, 1, "0 or 1"},
		{HPCC_STOP_TIME, UNITS_TIME, "s", PS_PER_US, 100000 * PS_PER_S,
			"time in seconds up to 100000"},
		{HPCC_PAYLOAD, UNITS_COUNT, "", 1, 4096, "number of bytes from 1 to 4096"},
		{HPCC_BUFFER, UNITS_COUNT, "", 1, 1024, "number of MB from 1 to 1024"},
		{HPCC_ALPHA_TIMER, UNITS_TIME, "us", PS_PER_US, PS_PER_S,
			"time in us from 1 to 1000000"},
		{HPCC_CUT_INTERVAL, UNITS_TIME, "us", 0, PS_PER_S, "time in us up to 1000000"},
		{HPCC_RP_TIMER, UNITS_TIME, "us", PS_PER_US, PS_PER_S,
			"time in us from 1 to 1000000"},
		{HPCC_FAST_RECOVERY, UNITS_COUNT, "", 1, 31, "number from 1 to 31"},
		{HPCC_CLAMP, UNITS_COUNT, "", 0, 1, "0 or 1"},
		{HPCC_RATE_AI, UNITS_RATE, "", 1, RATE_MOST, "rate, as in 50Mb/s"},
		{HPCC_RATE_HAI, UNITS_RATE, "", 1, RATE_MOST, "rate, as in 50Mb/s"},
		{HPCC_OWN, UNITS_RATE, "", 1, RATE_MOST, "rate, as in 50Mb/s"},
		{HPCC_MIN_RATE, UNITS_RATE, "", 100000, RATE_MOST,
			"rate from 100Kb/s on, as in 50Mb/s"},
	};
	const char *gain = hpcc_value_text(h, HPCC_GAIN);
	double g;
	int rc = 0;

	for (unsigned i = 0; !rc && i < sizeof(all) / sizeof(all[0]); i++)
		rc = check_value(h, &all[i]);
	if (!rc && gain && (units_parse_real(gain, &g) || g < 0.000001 || g > 1))
		rc = bad_value(h, HPCC_GAIN, "gain above 0 up to 1");
	return rc;
}

// Reads a map "n rate value rate value ...": the value of each speed goes into the markers.
static int map_read(struct hpcc *h, enum hpcc_key key, size_t at)
{
	const struct hpcc_value *v = &h->value[key];
	uint64_t n, rate;
	int rc = v->key ? hpcc_number(h, &h->config, &v->key[1], 1000, &n, "the number of speeds")
			: 0;

	if (rc || !v->key)
		return rc;
	if (v->n != 1 + 2 * n)
		return hpcc_wrong(h, &h->config, v->key,
			"%s has %u words behind its number; "
			"%llu speeds have a speed and a value each",
			taken[key], v->n - 1, (unsigned long long)n);
	for (unsigned i = 0; i < n; i++) {
		const struct hpcc_word *w = &v->key[2 + 2 * i];
		struct hpcc_marker *m = NULL;
		double value;

		if (hpcc_number(h, &h->config, w, UINT64_MAX, &rate, "a speed in bit/s"))
			return -EINVAL;
		if (units_parse_real(w[1].text, &value) || value < 0)
			return hpcc_wrong(h, &h->config, &w[1], "%s: '%.40s' is no threshold",
				taken[key], w[1].text);
		for (unsigned k = 0; k < h->n_markers && !m; k++)
			m = h->marker[k].rate == rate ? &h->marker[k] : NULL;
		if (!m)
			m = &h->marker[h->n_markers++];
		m->rate = rate;
		memcpy((char *)m + at, &w[1].text, sizeof(w[1].text));
	}
	return 0;
}

static int maps_read(struct hpcc *h)
{
	unsigned n = h->value[HPCC_KMIN].n + h->value[HPCC_KMAX].n + h->value[HPCC_PMAX].n;
	int rc;

	h->marker = arena_get(h->a, (n + 1) * sizeof(*h->marker));
	if (!h->marker)
		return -ENOMEM;
	rc = map_read(h, HPCC_KMIN, offsetof(struct hpcc_marker, kmin));
	if (!rc)
		rc = map_read(h, HPCC_KMAX, offsetof(struct hpcc_marker, kmax));
	if (!rc)
		rc = map_read(h, HPCC_PMAX, offsetof(struct hpcc_marker, pmax));
	return rc;
}

const struct hpcc_marker *hpcc_marker_of(const struct hpcc *h, uint64_t rate)
{
	for (unsigned i = 0; i < h->n_markers; i++) {
		const struct hpcc_marker *m = &h->marker[i];

		if (m->rate == rate && m->kmin && m->kmax && m->pmax)
			return m;
	}
	return NULL;
}

bool hpcc_marks(const struct hpcc *h)
{
	const char *on = hpcc_value_text(h, HPCC_ENABLE_QCN);

	return h->n_markers && !(on && is_zero(on));
}

unsigned hpcc_mode(const struct hpcc *h)
{
	const char *text = hpcc_value_text(h, HPCC_CC_MODE);
	unsigned mode = text ? (unsigned)strtoul(text, NULL, 10) : 0;

	return mode == HPCC_DCQCN || schema_sim_profile(mode) ? mode : 0;
}

static bool has_switch(const struct hpcc *h, const struct hpcc_link *l)
{
	return h->is_switch[l->end[0]] || h->is_switch[l->end[1]];
}

// The simulator stops, too, where a link of a switch has a speed without thresholds.
static int check_markers(struct hpcc *h)
{
	const struct hpcc_word *kmin = h->value[HPCC_KMIN].key;

	for (unsigned i = 0; i < h->n_links && hpcc_marks(h); i++)
		if (has_switch(h, &h->link[i]) && !hpcc_marker_of(h, h->link[i].rate))
			return hpcc_wrong(h, &h->config, kmin ? kmin : h->config.word,
				"KMIN_MAP, KMAX_MAP and PMAX_MAP must all have the speed %llu, "
				"which a link has",
				(unsigned long long)h->link[i].rate);
	return 0;
}

static bool has_key(const struct hpcc *h, enum hpcc_key key)
{
	unsigned mode = hpcc_mode(h);
	const struct schema_profile *p = schema_sim_profile(mode);

	for (const struct schema_sim_key *k = p ? p->sim_keys : NULL; k && k->from; k++)
		if (!strcmp(k->from, h->value[key].key->text))
			return true;
	return mode == HPCC_DCQCN && key != HPCC_OWN;
}

// Keys of another mode's control.
static void leave_others(struct hpcc *h)
{
	const char *mode = hpcc_value_text(h, HPCC_CC_MODE);

	if (mode && !hpcc_mode(h))
		hpcc_left(h, hpcc_text(h, "CC_MODE %.16s", mode),
			"quench has no such control; the flows have none");
	for (unsigned i = HPCC_ALPHA_TIMER; i < HPCC_KEYS; i++)
		if (h->value[i].key && !has_key(h, i))
			hpcc_left(h, hpcc_text(h, "%s", h->value[i].key->text),
				"the control of this CC_MODE has no such key");
}

int hpcc_config(struct hpcc *h)
{
	const struct hpcc_word *w;
	int rc;

	if (!h->files.config) {
		hpcc_left(h, "control and marking",
			"without --config nothing says them; "
			"buffers and PFC are as the simulator has them by itself");
		return 0;
	}
	rc = hpcc_words(h, &h->config, h->files.config);
	for (w = h->config.word; !rc && w->text;) {
		struct hpcc_value v = {.key = w};

		for (w++; w->text && w->line == v.key->line; w++)
			v.n++;
		if (*v.key->text != '#')
			rc = key_read(h, &v);
	}
	if (!rc && !h->n_known)
		rc = hpcc_wrong(h, &h->config, h->config.word,
			"no key that the simulator's config.txt has");
	if (!rc)
		rc = check_values(h);
	if (!rc)
		rc = maps_read(h);
	if (!rc)
		rc = check_markers(h);
	if (!rc)
		leave_others(h);
	return rc;
}
