// SPDX-License-Identifier: BSD-3-Clause
// The lineage of a saved run: reads its events, and lists what the record lacks.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

static void lack(struct lineage *l, const char *what)
{
	if (what)
		l->lacks[l->n_lacks++] = what;
}

const char *lineage_lacks(const struct lineage *l, unsigned i)
{
	return i < l->n_lacks ? l->lacks[i] : NULL;
}

// A key of the scenario's hosts: a name, or a range of them as in h1..8.
static void tell_host(struct lineage *l, const char *key)
{
	const char *dots = strstr(key, ".."), *digits = dots;
	unsigned long from, to;
	char name[256];

	if (!dots) {
		lineage_host(l, key);
		return;
	}
	while (digits > key && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	from = strtoul(digits, NULL, 10);
	to = strtoul(dots + 2, NULL, 10);
	for (unsigned long i = from; i <= to && i - from < 100000; i++) {
		snprintf(name, sizeof(name), "%.*s%lu", (int)(digits - key), key, i);
		lineage_host(l, name);
	}
}

// Nodes whose XOFF answers their own receiver.
static void tell_hosts(struct lineage *l, const struct saved *s)
{
	const json_t *resolved = json_object_get(saved_manifest(s), "resolved");
	const json_t *list = json_object_get(saved_summary(s), "nic_counters"), *one;
	const char *name;
	size_t i;

	json_object_foreach((json_t *)json_object_get(resolved, "hosts"), name, one)
		tell_host(l, name);
	json_array_foreach(list, i, one)
	{
		name = json_string_value(json_object_get(one, "node"));
		if (name)
			lineage_host(l, name);
	}
}

// The vector of a detail, "0x18" or "pause".
static uint8_t classes_of(const char *detail)
{
	return strcmp(detail, "pause") == 0 ? 0xff : (uint8_t)strtoul(detail, NULL, 16);
}

static enum lineage_end end_of(const char *detail)
{
	if (strcmp(detail, "expired") == 0)
		return LINEAGE_EXPIRED;
	return strcmp(detail, "pfcwd") == 0 ? LINEAGE_WATCHDOG : LINEAGE_XON;
}

// "s2:r.3": the port, and its class behind the last point.
static void tell_holder(struct lineage *l, uint32_t port, const struct saved_ev *e)
{
	const char *point = strrchr(e->detail, '.');
	char name[256];

	if (!point || point[1] < '0' || point[1] > '7' || point[2] ||
		(size_t)(point - e->detail) >= sizeof(name) || e->queue_bytes == SAVED_NONE) {
		l->odd++;
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(point - e->detail), e->detail);
	lineage_held(l, port, (unsigned)e->cls, lineage_port(l, name), (unsigned)(point[1] - '0'),
		e->queue_bytes, e->bytes == SAVED_NONE ? 0 : e->bytes);
}

static void tell_event(struct lineage *l, uint32_t port, const struct saved_ev *e)
{
	unsigned cls = (unsigned)e->cls;

	switch (e->type) {
	case EV_XOFF_TX:
		lineage_xoff(l, port, classes_of(e->detail), e->t);
		break;
	case EV_XON_TX:
		lineage_xon(l, port, classes_of(e->detail));
		break;
	case EV_XOFF_HOLDER:
		tell_holder(l, port, e);
		break;
	case EV_PAUSE_RX:
		lineage_paused(l, port, cls, e->t);
		break;
	case EV_RESUME_RX:
		lineage_resumed(l, port, cls, end_of(e->detail), e->t);
		break;
	default:
		break;
	}
}

// The number of the port of each object, found once. NULL: no memory.
static uint32_t *port_of_object(
	struct lineage *l, const struct saved *s, struct list *ports, unsigned object)
{
	while (ports->n <= object) {
		uint32_t *port = lineage_grow(l, ports, sizeof(*port));

		if (!port)
			return NULL;
		*port = lineage_port(l, saved_object(s, ports->n - 1));
	}
	return (uint32_t *)ports->at + object;
}

// Returns the types that there were, as bits.
static uint64_t tell_all(struct lineage *l, struct saved *s)
{
	const uint64_t wanted = 1ull << EV_XOFF_TX | 1ull << EV_XON_TX | 1ull << EV_XOFF_HOLDER |
				1ull << EV_PAUSE_RX | 1ull << EV_RESUME_RX;
	const struct saved_ev *e;
	struct list ports = {0};
	uint64_t seen = 0;

	while ((e = saved_next(s)) != NULL) {
		const uint32_t *port;

		if (!(wanted >> e->type & 1))
			continue;
		seen |= 1ull << e->type;
		port = port_of_object(l, s, &ports, e->object);
		if (!port)
			break;
		tell_event(l, *port, e);
	}
	free(ports.at);
	return seen;
}

// Whether lines of a type would be there: the manifest says so, or there are some.
static bool is_there(const struct saved *s, uint64_t seen, enum ev_type type)
{
	return saved_recorded(s, type) || seen >> type & 1;
}

static void find_lacks(struct lineage *l, const struct saved *s, uint64_t seen)
{
	if (!is_there(s, seen, EV_PAUSE_RX) || !is_there(s, seen, EV_RESUME_RX)) {
		lack(l, "Pauses are not recorded (pause_rx and resume_rx): there is no lineage.");
		return;
	}
	if (!is_there(s, seen, EV_XOFF_TX) || !is_there(s, seen, EV_XON_TX))
		lack(l, "The frames that cause pauses are not recorded (xoff_tx and xon_tx).");
	if (!is_there(s, seen, EV_XOFF_HOLDER))
		lack(l, "The queues that held the bytes behind a switch's XOFF are not recorded; "
			"run with --record 'events=[all,xoff_holder]'.");
	if (l->odd)
		lack(l, arena_format(&l->arena,
				"Of the events of pauses %llu do not fit the others, as where "
				"lines are missing.",
				(unsigned long long)l->odd));
}

// The instant up to which events were recorded.
static tstamp recorded_until(const struct saved *s)
{
	double us = json_number_value(json_object_get(saved_summary(s), "recorded_until_us"));

	return us > 0 && us < 1e12 ? tstamp_min(saved_end(s), (tstamp)llround(us * 1e6))
				   : saved_end(s);
}

struct lineage *lineage_of(struct saved *s, struct err *err)
{
	struct lineage *l = lineage_new(saved_recorded(s, EV_XOFF_HOLDER));
	uint64_t seen;

	if (!l) {
		err_set(err, -ENOMEM, "%s: no memory for the lineage of pauses", saved_dir(s));
		return NULL;
	}
	tell_hosts(l, s);
	seen = saved_events(s) ? tell_all(l, s) : 0;
	find_lacks(l, s, seen);
	if (lineage_finish(l, recorded_until(s))) {
		err_set(err, -ENOMEM, "%s: no memory for the lineage of pauses", saved_dir(s));
		lineage_free(l);
		return NULL;
	}
	return l;
}
