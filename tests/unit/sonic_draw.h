// SPDX-License-Identifier: BSD-3-Clause
// Random tables of a SONiC switch: a few kinds of ports, each with its own maps, groups, queues,
// markers and weights, and ports of these kinds in random order.
#pragma once

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"

#define DRAW_KINDS 4
#define DRAW_MAPS  3

static const char draw_tables[] =
	"{'BUFFER_POOL':{'ingress_lossless_pool':{'type':'ingress','size':'200000000','xoff':"
	"'100000000'},'egress_lossless_pool':{'type':'egress','size':'300000000'},"
	"'egress_lossy_pool':{'type':'egress','size':'100000000'}},"
	"'BUFFER_PROFILE':{'lossy':{'pool':'ingress_lossless_pool','size':'0','dynamic_th':'3'},"
	"'lossy_static':{'pool':'ingress_lossless_pool','size':'100','static_th':'400000'},"
	"'near':{'pool':'ingress_lossless_pool','size':'1248','xon':'2288','xoff':'40000',"
	"'dynamic_th':'-3','xon_offset':'2288'},"
	"'far':{'pool':'ingress_lossless_pool','size':'1248','xon':'2288','xoff':'97000',"
	"'dynamic_th':'-1'},"
	"'static':{'pool':'ingress_lossless_pool','size':'2000','xon':'2000','xoff':'30000',"
	"'static_th':'90000'},'plain':{'pool':'ingress_lossless_pool','xoff':'30000'},"
	"'queue':{'pool':'egress_lossy_pool','size':'1664','dynamic_th':'1'},"
	"'queue_static':{'pool':'egress_lossy_pool','size':'0','static_th':'50000'},"
	"'queue_whole':{'pool':'egress_lossless_pool','size':'0','static_th':'300000000'}},"
	"'WRED_PROFILE':{'slow':{'ecn':'ecn_all','wred_green_enable':'true',"
	"'green_min_threshold':'100000','green_max_threshold':'400000','green_drop_probability':"
	"'5'},'fast':{'ecn':'ecn_green','green_min_threshold':'400000','green_max_threshold':"
	"'1600000','green_drop_probability':'20','weight':'3'},'drops':{'ecn':'ecn_none',"
	"'wred_green_enable':'true','green_min_threshold':'5000','green_max_threshold':'9000'}},"
	"'SCHEDULER':{'one':{'type':'DWRR','weight':'1'},'many':{'type':'DWRR','weight':'20'},"
	"'strict':{'type':'STRICT'},'shaped':{'type':'DWRR','weight':'3','pir':'125000000'}},"
	"'DSCP_TO_TC_MAP':{},'TC_TO_QUEUE_MAP':{},'TC_TO_PRIORITY_GROUP_MAP':{},'PORT':{},"
	"'BUFFER_PG':{},'BUFFER_QUEUE':{},'QUEUE':{},'PORT_QOS_MAP':{}}";

// A name of a list; in one of four cases NULL.
static const char *draw_name(struct prng *g, const char *const *names, unsigned n)
{
	return prng_below(g, 4) ? names[prng_below(g, n)] : NULL;
}

#define DRAW(g, ...)                                     \
	draw_name(g, (const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void draw_put(json_t *row, const char *field, const char *value)
{
	if (value)
		json_object_set_new(row, field, json_string(value));
}

// A map of n numbers to numbers below 8, of which some are missing.
static json_t *draw_map(struct prng *g, unsigned n)
{
	json_t *map = json_object();

	for (unsigned i = 0; i < n; i++) {
		char from[4], to[2] = {(char)('0' + prng_below(g, 8)), 0};

		snprintf(from, sizeof(from), "%u", i);
		if (prng_below(g, 10))
			draw_put(map, from, to);
	}
	return map;
}

static json_t *draw_qos(struct prng *g)
{
	json_t *row = json_object();

	draw_put(row, "dscp_to_tc_map", DRAW(g, "0", "1", "2"));
	draw_put(row, "tc_to_queue_map", DRAW(g, "0", "1", "2"));
	draw_put(row, "tc_to_pg_map", DRAW(g, "0", "1", "2"));
	draw_put(row, "pfc_enable", DRAW(g, "3", "3,4", "0,1,2,3,4,5,6,7", "6"));
	return row;
}

// The rows of a group or queue of one kind.
static json_t *draw_row(struct prng *g, const char *table)
{
	json_t *row = json_object();

	if (!strcmp(table, "BUFFER_PG"))
		draw_put(row, "profile",
			DRAW(g, "lossy", "lossy_static", "near", "far", "static", "plain"));
	else if (!strcmp(table, "BUFFER_QUEUE"))
		draw_put(row, "profile", DRAW(g, "queue", "queue_static", "queue_whole"));
	else
		draw_put(row, "wred_profile", DRAW(g, "slow", "fast", "drops"));
	if (!strcmp(table, "QUEUE"))
		draw_put(row, "scheduler", DRAW(g, "one", "many", "strict", "shaped"));
	return row;
}

static json_t *draw_switch(uint64_t seed)
{
	static const char *const indexed[] = {"BUFFER_PG", "BUFFER_QUEUE", "QUEUE"};
	static const char *const map[] = {
		"DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP"};
	char text[sizeof(draw_tables)], port[24], key[32], name[2] = "0";
	json_t *qos[DRAW_KINDS], *row[DRAW_KINDS][3][8], *root;
	struct prng g;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = draw_tables[i] == '\'' ? '"' : draw_tables[i];
	root = json_loads(text, 0, NULL);
	prng_init(&g, seed, "sonic");
	for (unsigned i = 0; i < 3 * DRAW_MAPS; i++) {
		name[0] = (char)('0' + i % DRAW_MAPS);
		json_object_set_new(json_object_get(root, map[i / DRAW_MAPS]), name,
			draw_map(&g, i < DRAW_MAPS ? 64 : 8));
	}
	for (unsigned k = 0; k < DRAW_KINDS; k++) {
		qos[k] = draw_qos(&g);
		for (unsigned i = 0; i < 24; i++)
			row[k][i / 8][i % 8] = draw_row(&g, indexed[i / 8]);
	}
	for (unsigned i = 0, n = 2 + (unsigned)prng_below(&g, 12); i < n; i++) {
		unsigned k = (unsigned)prng_below(&g, 1 + seed % DRAW_KINDS);

		snprintf(port, sizeof(port), "Ethernet%u", 4 * i);
		json_object_set_new(json_object_get(root, "PORT"), port,
			json_pack("{s:s, s:s}", "speed", prng_below(&g, 2) ? "25000" : "100000",
				"admin_status", "up"));
		json_object_set(json_object_get(root, "PORT_QOS_MAP"), port, qos[k]);
		for (unsigned t = 0; t < 24; t++) {
			snprintf(key, sizeof(key), "%s|%u", port, t % 8);
			if (json_object_size(row[k][t / 8][t % 8]))
				json_object_set(json_object_get(root, indexed[t / 8]), key,
					row[k][t / 8][t % 8]);
		}
	}
	for (unsigned i = 0; i < 24 * DRAW_KINDS; i++)
		json_decref(row[i / 24][i % 24 / 8][i % 8]);
	for (unsigned k = 0; k < DRAW_KINDS; k++)
		json_decref(qos[k]);
	return root;
}
