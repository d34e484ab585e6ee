// SPDX-License-Identifier: BSD-3-Clause
// The network of a run: its nodes, and each direction of a link with load, pauses and drops.
#include <math.h>
#include <string.h>

#include "int.h"
#include "sw_terms/sw_terms.h"

// What lists of summary.json say of nodes and ports, each an object by name: sets of nodes, and
// numbers by port.
struct known {
	json_t *switches, *senders, *receivers;
	json_t *drops;           // frames that came in and were dropped, without filtered ones
	json_t *pauses, *paused; // that the peer told: their number, and % of the class paused most
};

static void add_node(json_t *set, const char *port)
{
	json_object_setn_new(set, port, strcspn(port, ":"), json_true());
}

// Adds to a set the nodes that a member of a list's objects names, as "s1" or as a port of s1.
static void add_nodes(json_t *set, const json_t *list, const char *key)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one) add_node(set, saved_text(one, key));
}

static double number_at(const json_t *by_port, const char *port)
{
	return json_number_value(json_object_get(by_port, port));
}

static void add_drops(json_t *drops, const json_t *ports)
{
	const json_t *one;
	char name[48];
	size_t i;

	json_array_foreach(ports, i, one)
	{
		const char *port = saved_text(one, "port");
		double sum = number_at(drops, port);

		for (enum sw_drop d = 0; d < SW_DROPS; d++) {
			if (sw_drop_fate(d) == DROP_FILTERED)
				continue;
			snprintf(name, sizeof(name), "drop_%s", sw_drop_name(d));
			sum += json_number_value(json_object_get(one, name));
		}
		if (sum > 0)
			json_object_set_new(drops, port, json_real(sum));
	}
}

static void add_pauses(struct known *k, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *port = saved_text(one, "port");
		double n = fmax(saved_number(one, "pauses"), 0);
		double percent = 100 * saved_number(one, "pause_ratio");

		if (strcmp(saved_text(one, "direction"), "rx") != 0)
			continue;
		n += number_at(k->pauses, port);
		percent = fmax(percent, number_at(k->paused, port));
		json_object_set_new(k->pauses, port, json_real(n));
		json_object_set_new(k->paused, port, json_real(percent));
	}
}

// A switch that runs elsewhere has no counters here, but the scenario names it.
static struct known known_make(const struct saved *s)
{
	const json_t *summary = saved_summary(s);
	const json_t *flows = json_object_get(summary, "flows");
	const json_t *ports = json_object_get(summary, "switch_port_counters");
	struct known k = {json_object(), json_object(), json_object(), json_object(), json_object(),
		json_object()};

	add_nodes(k.switches, ports, "port");
	json_object_update_missing(k.switches,
		json_object_get(json_object_get(saved_manifest(s), "resolved"), "switches"));
	add_nodes(k.senders, flows, "port_tx");
	add_nodes(k.senders, json_object_get(summary, "sources"), "port");
	add_nodes(k.receivers, flows, "port_rx");
	add_nodes(k.receivers, json_object_get(summary, "groups"), "to");
	add_drops(k.drops, ports);
	add_pauses(&k, json_object_get(summary, "pauses"));
	return k;
}

static void known_free(struct known *k)
{
	json_decref(k->switches);
	json_decref(k->senders);
	json_decref(k->receivers);
	json_decref(k->drops);
	json_decref(k->pauses);
	json_decref(k->paused);
}

static void put_node(struct jw *w, const struct known *k, const char *name, size_t n)
{
	char text[128];

	snprintf(text, sizeof(text), "%.*s", (int)n, name);
	jw_object(w, NULL, true);
	jw_str(w, "name", text);
	jw_str(w, "kind", json_object_getn(k->switches, name, n) ? "switch" : "host");
	jw_bool(w, "sends", json_object_getn(k->senders, name, n));
	jw_bool(w, "receives", json_object_getn(k->receivers, name, n));
	jw_end(w);
}

// Puts a node that is not seen yet.
static void see_node(struct jw *w, const struct known *k, json_t *seen, const char *name, size_t n)
{
	if (!n || !seen || json_object_getn(seen, name, n))
		return;
	json_object_setn_new(seen, name, n, json_true());
	put_node(w, k, name, n);
}

// Nodes in the order of the links: "s1:r" is a port of s1. Behind them come nodes that no link
// begins at, such as r: this process did not run them, as a machine at a real port, or they have
// sent nothing.
static void put_nodes(struct jw *w, const struct known *k, const json_t *links)
{
	const json_t *one;
	json_t *seen = json_object();
	size_t i;

	jw_array(w, "nodes", false);
	for (int peers = 0; peers < 2; peers++)
		json_array_foreach(links, i, one)
		{
			const char *port = saved_text(one, "port"), *colon = strchr(port, ':');

			if (colon && peers)
				see_node(w, k, seen, colon + 1, strcspn(colon + 1, "."));
			else if (colon)
				see_node(w, k, seen, port, (size_t)(colon - port));
		}
	json_decref(seen);
	jw_end(w);
}

static void put_link(
	struct jw *w, const struct known *k, const json_t *link, const char *bottleneck)
{
	const char *port = saved_text(link, "port"), *colon = strchr(port, ':');
	const char *point = colon ? strchrnul(colon, '.') : port;
	char peer[256];

	if (!colon)
		return;
	snprintf(peer, sizeof(peer), "%.*s:%.*s%s", (int)(point - colon - 1), colon + 1,
		(int)(colon - port), port, point);
	jw_object(w, NULL, true);
	jw_str(w, "from", port);
	jw_str(w, "to", peer);
	put_real(w, "rate_gbps", saved_number(link, "rate_bps") / 1e9);
	put_real(w, "load_percent", saved_number(link, "utilization_percent"));
	put_real(w, "goodput_percent", saved_number(link, "goodput_percent"));
	put_real(w, "paused_percent", number_at(k->paused, port));
	put_real(w, "pauses", number_at(k->pauses, port));
	put_real(w, "drops", number_at(k->drops, peer));
	jw_bool(w, "bottleneck", strcmp(bottleneck, port) == 0);
	jw_end(w);
}

void data_net(struct jw *w, const struct saved *s)
{
	const json_t *summary = saved_summary(s), *links = json_object_get(summary, "links"), *one;
	const char *bottleneck = saved_text(summary, "bottleneck");
	struct known k = known_make(s);
	size_t i;

	put_nodes(w, &k, links);
	jw_array(w, "links", false);
	json_array_foreach(links, i, one) put_link(w, &k, one, bottleneck);
	jw_end(w);
	known_free(&k);
}
