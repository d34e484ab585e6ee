// SPDX-License-Identifier: BSD-3-Clause
// Values of a Lumina configuration.
#include <errno.h>
#include <string.h>

#include "int.h"

int lumina_need(struct lumina *l, const struct yamldoc_node *map, const char *key,
	const struct yamldoc_node **to)
{
	*to = map->type == YAMLDOC_MAP ? yamldoc_get(map, key) : NULL;
	if (*to && !yamldoc_is_null(*to))
		return 0;
	return yamldoc_err(
		l->err, map, "'%s' is missing here; this is no configuration of Lumina", key);
}

int lumina_number(struct lumina *l, const struct yamldoc_node *map, const char *key, uint64_t least,
	uint64_t most, uint64_t *to)
{
	const struct yamldoc_node *n;
	int rc = lumina_need(l, map, key, &n);

	if (rc)
		return rc;
	if (n->type != YAMLDOC_SCALAR || units_parse(UNITS_COUNT, n->text, to) || *to < least ||
		*to > most)
		return yamldoc_err(l->err, n, "%s: write a whole number from %llu to %llu", key,
			(unsigned long long)least, (unsigned long long)most);
	return 0;
}

static const char *text_of(const struct yamldoc_node *map, const char *key)
{
	const struct yamldoc_node *n =
		map && map->type == YAMLDOC_MAP ? yamldoc_get(map, key) : NULL;

	return n && n->type == YAMLDOC_SCALAR ? n->text : "";
}

static bool is_true(const struct yamldoc_node *map, const char *key)
{
	const char *text = text_of(map, key);

	return !strcmp(text, "true") || !strcmp(text, "True") || !strcmp(text, "yes");
}

static const struct yamldoc_node *map_of(const struct yamldoc_node *map, const char *key)
{
	const struct yamldoc_node *n =
		map && map->type == YAMLDOC_MAP ? yamldoc_get(map, key) : NULL;

	return n && n->type == YAMLDOC_MAP ? n : NULL;
}

static int read_side(struct lumina *l, const char *name, struct lumina_side *to)
{
	const struct yamldoc_node *side, *roce;
	uint64_t us = 0;
	int rc = lumina_need(l, l->doc, name, &side);

	if (rc)
		return rc;
	if (side->type != YAMLDOC_MAP)
		return yamldoc_err(l->err, side,
			"%s: write a map with nic and roce-parameters, as in Lumina's files", name);
	roce = map_of(side, "roce-parameters");
	to->rp = is_true(roce, "dcqcn-rp-enable");
	to->np = is_true(roce, "dcqcn-np-enable");
	to->slow_restart = is_true(roce, "slow-restart");
	to->cnp_us = text_of(roce, "min-time-between-cnps");
	to->nic = text_of(map_of(side, "nic"), "type");
	if (*to->cnp_us)
		rc = lumina_number(l, roce, "min-time-between-cnps", 0, 100000, &us);
	return rc;
}

static int read_traffic(struct lumina *l)
{
	static const char *const verbs[] = {"write", "send", "read"};
	const struct yamldoc_node *t, *verb;
	int rc = lumina_need(l, l->doc, "traffic", &t);

	l->traffic = t;
	if (!rc)
		rc = lumina_need(l, t, "rdma-verb", &verb);
	for (unsigned i = 0; !rc && !l->verb && i < 3; i++)
		if (verb->type == YAMLDOC_SCALAR && !strcmp(verb->text, verbs[i]))
			l->verb = verbs[i];
	if (!rc && !l->verb)
		return yamldoc_err(l->err, verb,
			"rdma-verb: '%.40s' is not one of write, send and read",
			verb->type == YAMLDOC_SCALAR ? verb->text : "");
	if (!rc)
		rc = lumina_number(l, t, "num-qps", 1, 4096, &l->qps);
	if (!rc)
		rc = lumina_number(l, t, "num-msgs-per-qp", 1, 1000000, &l->messages);
	if (!rc)
		rc = lumina_number(l, t, "mtu", 256, 4096, &l->mtu);
	if (!rc)
		rc = lumina_number(l, t, "message-size", 1, 1ull << 31, &l->bytes);
	if (!rc)
		rc = lumina_number(l, t, "tx-depth", 1, 64, &l->depth);
	if (!rc)
		rc = lumina_number(l, t, "min-retransmit-timeout", 0, 20, &l->timeout);
	return rc ? rc : lumina_number(l, t, "max-retransmit-retry", 0, 7, &l->retries);
}

int lumina_read(struct lumina *l)
{
	int rc = l->doc->type == YAMLDOC_MAP
			 ? 0
			 : yamldoc_err(l->err, l->doc, "this is no configuration of Lumina");

	if (!rc)
		rc = read_side(l, "requester", &l->requester);
	if (!rc)
		rc = read_side(l, "responder", &l->responder);
	l->speed = text_of(map_of(l->doc, "switch"), "port-speed");
	return rc ? rc : read_traffic(l);
}
