// SPDX-License-Identifier: BSD-3-Clause
// The network of a run: its nodes, and each direction of a link with load, pauses and drops.
#include <math.h>
#include <string.h>

#include "int.h"
#include "sw_terms/sw_terms.h"

// Whether a list of objects has one whose member is this text of n characters.
static bool has(const json_t *list, const char *key, const char *text, size_t n)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *value = saved_text(one, key);

		if (strncmp(value, text, n) == 0 && (!value[n] || value[n] == ':'))
			return true;
	}
	return false;
}

// Returns whether a name is a switch. A switch that runs elsewhere has no counters here, but the
// scenario names it.
static bool is_switch(const struct saved *s, const char *name, size_t n)
{
	const json_t *resolved = json_object_get(saved_manifest(s), "resolved");

	return has(json_object_get(saved_summary(s), "switch_port_counters"), "port", name, n) ||
	       json_object_getn(json_object_get(resolved, "switches"), name, n);
}

static void put_node(struct jw *w, const struct saved *s, const char *name, size_t n)
{
	const json_t *summary = saved_summary(s), *flows = json_object_get(summary, "flows");
	char text[128];

	snprintf(text, sizeof(text), "%.*s", (int)n, name);
	jw_object(w, NULL, true);
	jw_str(w, "name", text);
	jw_str(w, "kind", is_switch(s, name, n) ? "switch" : "host");
	jw_bool(w, "sends",
		has(flows, "port_tx", name, n) ||
			has(json_object_get(summary, "sources"), "port", name, n));
	jw_bool(w, "receives",
		has(flows, "port_rx", name, n) ||
			has(json_object_get(summary, "groups"), "to", name, n));
	jw_end(w);
}

// Puts a node that is not seen yet.
static void see_node(struct jw *w, const struct saved *s, json_t *seen, const char *name, size_t n)
{
	if (!n || !seen || json_object_getn(seen, name, n))
		return;
	json_object_setn_new(seen, name, n, json_true());
	put_node(w, s, name, n);
}

// Writes the nodes in the order of the links: "s1:r" is a port of s1. Then come nodes at which no
// link begins, such as r. This process did not run them, for example machines at real ports, or
// they have sent nothing.
static void put_net_nodes(struct jw *w, const struct saved *s)
{
	const json_t *links = json_object_get(saved_summary(s), "links"), *one;
	json_t *seen = json_object();
	size_t i;

	jw_array(w, "nodes", false);
	for (int peers = 0; peers < 2; peers++)
		json_array_foreach(links, i, one)
		{
			const char *port = saved_text(one, "port"), *colon = strchr(port, ':');

			if (colon && peers)
				see_node(w, s, seen, colon + 1, strcspn(colon + 1, "."));
			else if (colon)
				see_node(w, s, seen, port, (size_t)(colon - port));
		}
	json_decref(seen);
	jw_end(w);
}

// The frames that came in by a port of a switch and were dropped, without filtered ones.
static double drops_of(const json_t *ports, const char *port)
{
	const json_t *one;
	double drops = 0;
	char name[48];
	size_t i;

	json_array_foreach(ports, i, one)
	{
		if (strcmp(saved_text(one, "port"), port) != 0)
			continue;
		for (enum sw_drop d = 0; d < SW_DROPS; d++) {
			if (sw_drop_fate(d) == DROP_FILTERED)
				continue;
			snprintf(name, sizeof(name), "drop_%s", sw_drop_name(d));
			drops += json_number_value(json_object_get(one, name));
		}
	}
	return drops;
}

// The pauses that a port was told of by its peer: their number, and the class that stood longest.
static void pauses_of(const json_t *list, const char *port, double *n, double *percent)
{
	const json_t *one;
	size_t i;

	*n = *percent = 0;
	json_array_foreach(list, i, one)
	{
		if (strcmp(saved_text(one, "port"), port) != 0 ||
			strcmp(saved_text(one, "direction"), "rx") != 0)
			continue;
		*n += fmax(saved_number(one, "pauses"), 0);
		*percent = fmax(*percent, 100 * saved_number(one, "pause_ratio"));
	}
}

static void put_link(struct jw *w, const json_t *summary, const json_t *link)
{
	const char *port = saved_text(link, "port"), *colon = strchr(port, ':');
	const char *point = colon ? strchrnul(colon, '.') : port;
	double pauses, percent;
	char peer[256];

	if (!colon)
		return;
	snprintf(peer, sizeof(peer), "%.*s:%.*s%s", (int)(point - colon - 1), colon + 1,
		(int)(colon - port), port, point);
	pauses_of(json_object_get(summary, "pauses"), port, &pauses, &percent);
	jw_object(w, NULL, true);
	jw_str(w, "from", port);
	jw_str(w, "to", peer);
	put_real(w, "rate_gbps", saved_number(link, "rate_bps") / 1e9);
	put_real(w, "load_percent", saved_number(link, "utilization_percent"));
	put_real(w, "goodput_percent", saved_number(link, "goodput_percent"));
	put_real(w, "paused_percent", percent);
	put_real(w, "pauses", pauses);
	put_real(w, "drops", drops_of(json_object_get(summary, "switch_port_counters"), peer));
	jw_bool(w, "bottleneck", strcmp(saved_text(summary, "bottleneck"), port) == 0);
	jw_end(w);
}

void data_net(struct jw *w, const struct saved *s)
{
	const json_t *summary = saved_summary(s), *one;
	size_t i;

	put_net_nodes(w, s);
	jw_array(w, "links", false);
	json_array_foreach(json_object_get(summary, "links"), i, one) put_link(w, summary, one);
	jw_end(w);
}
