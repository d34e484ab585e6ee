// SPDX-License-Identifier: BSD-3-Clause
// Questions to a running scene: the words of a question are resolved against the scene, then the
// node answers.
#include "query.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "conf/conf.h"
#include "scene/scene.h"
#include "wire/bth.h"
#include "schema/schema.h"

#define WORDS 3
#define LINE  200 // of a question, bytes

const struct rdma_ip_reg_params *query_rdma_ip(const struct scene *s, unsigned node)
{
	for (unsigned i = 0; i < s->n_flows; i++)
		if (s->flow[i]->from == node && rp_registers(s->flow[i]->rp))
			return rp_registers(s->flow[i]->rp);
	return NULL;
}

uint32_t query_qps(const struct scene *s, unsigned node, unsigned *n)
{
	uint32_t most = 0;

	*n = 0;
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];

		if (f->from != node || !rp_registers(f->rp))
			continue;
		++*n;
		most = f->src_qp > most ? f->src_qp : most;
	}
	return most;
}

static bool has_qp(const struct scene *s, unsigned node, uint32_t qpn)
{
	for (unsigned i = 0; i < s->n_flows; i++)
		if (s->flow[i]->from == node && rp_registers(s->flow[i]->rp) &&
			s->flow[i]->src_qp == qpn)
			return true;
	return false;
}

static int find_node(unsigned *node, const struct scene *s, const char *name, struct err *err)
{
	struct near near = near_to(name);
	char hint[NEAR_NAME + 32];
	int n = scene_node(s, name);

	for (unsigned i = 0; n < 0 && i < s->n_nodes; i++)
		near_see(&near, s->node[i].name);
	if (n < 0)
		return err_set(err, -ENOENT, "the scene has no node '%.32s'%s", name,
			near_hint(&near, "", hint, sizeof(hint)));
	*node = (unsigned)n;
	return 0;
}

// The one host with registers.
static int only_host(unsigned *node, const struct scene *s, struct err *err)
{
	int first = -1, second = -1;
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		if (!query_rdma_ip(s, i))
			continue;
		if (first < 0)
			first = (int)i;
		else if (second < 0)
			second = (int)i;
		n++;
	}
	if (!n)
		return err_set(err, -ENXIO,
			"no host has registers: a control of profile rdma_ip brings them");
	if (n > 1)
		return err_set(err, -EINVAL,
			"%u hosts have registers, %.32s, %.32s%s: name one (--host H)", n,
			s->node[first].name, s->node[second].name, n > 2 ? " ..." : "");
	*node = (unsigned)first;
	return 0;
}

static int find_host(unsigned *node, const struct scene *s, const char *name, struct err *err)
{
	int rc = *name ? find_node(node, s, name, err) : only_host(node, s, err);

	if (!rc && !query_rdma_ip(s, *node))
		return err_set(err, -ENXIO,
			"%.32s has no registers: none of its flows has a control of profile "
			"rdma_ip",
			name);
	return rc;
}

static bool parse_u64(uint64_t *v, const char *text)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

// Sets *qpn to the queue pair that `text` names. If the text is empty, sets it to the node's only
// queue pair with registers, or to 0 if the node has none or several. Returns 0, or an error with a
// line.
static int find_qp(
	uint32_t *qpn, const struct scene *s, unsigned node, const char *text, struct err *err)
{
	uint64_t v = 0;
	unsigned n;
	uint32_t most = query_qps(s, node, &n);

	if (*text && !parse_u64(&v, text))
		return err_set(
			err, -EINVAL, "'%.40s' is no queue pair's number; write 1..%u", text, most);
	if (v && (v > most || !has_qp(s, node, (uint32_t)v)))
		return err_set(err, -ENXIO,
			"%s has no queue pair %llu with registers; the highest is %u",
			s->node[node].name, (unsigned long long)v, most);
	*qpn = v ? (uint32_t)v : n == 1 ? most : 0;
	return 0;
}

static int find_place(
	struct query *q, const struct scene *s, const char *name, uint32_t qpn, struct err *err)
{
	struct err why;
	unsigned n;
	int rc = reg_name_find(&q->place, name, qpn, &why);

	if (rc == -ENXIO)
		return err_set(err, rc, "%s; name one of %s's (--qp N), 1..%u", why.text,
			s->node[q->node].name, query_qps(s, q->node, &n));
	if (rc) {
		*err = why;
		return rc;
	}
	q->qpn = rdma_ip_reg_qpn(q->place.address);
	if (q->qpn && !has_qp(s, q->node, q->qpn))
		return err_set(err, -ENXIO,
			"0x%x is in the block of queue pair %u, which %s does not have",
			(unsigned)q->place.address, q->qpn, s->node[q->node].name);
	return 0;
}

// Splits a copy of the text at commas into n words. Words that are missing are "".
static bool split(char *line, size_t size, const char *params, char *word[WORDS], unsigned n)
{
	size_t len = strlen(params);
	unsigned k = 0;

	if (len >= size)
		return false;
	memcpy(line, params, len + 1);
	for (unsigned i = 0; i < WORDS; i++)
		word[i] = line + len;
	for (char *at = line; k < n; at++) {
		char *end = at + strcspn(at, ",");
		bool last = !*end;

		word[k++] = at;
		*end = '\0';
		if (last)
			return true;
		at = end;
	}
	return false; // more than n
}

int query_register(struct query *q, const struct scene *s, const char *params, struct err *err)
{
	char line[LINE], *word[WORDS];
	unsigned node = 0;
	uint32_t qpn = 0;
	int rc;

	*q = (struct query){.what = QUERY_READ};
	if (!split(line, sizeof(line), params, word, 3) || !*word[2])
		return err_set(err, -EINVAL, "write HOST,QP,NAME");
	rc = find_host(&node, s, word[0], err);
	q->node = (uint16_t)node;
	if (!rc)
		rc = find_qp(&qpn, s, node, word[1], err);
	return rc ? rc : find_place(q, s, word[2], qpn, err);
}

static int counters_of(struct query *q, const struct scene *s, char *dot, struct err *err)
{
	bool is_switch = s->node[q->node].kind == SCENE_SW;
	uint64_t v = 0;

	if (s->node[q->node].kind == SCENE_TESTER) {
		q->table = &tester_stat_table;
		return dot ? err_set(err, -ENXIO, "a tester has no counters of '%.40s'", dot + 1)
			   : 0;
	}
	if (s->node[q->node].kind == SCENE_REPLAY)
		return err_set(err, -ENXIO, "a replay has no counters; its summary has figures");
	if (!dot) {
		q->table = is_switch ? &sw_port_stat_table : &nic_stat_table;
		return 0;
	}
	if (!parse_u64(&v, dot + 1) || (is_switch ? v >= PKT_CLASSES : !v || v > UINT32_MAX))
		return err_set(err, -EINVAL, "'%.40s' is no %s", dot + 1,
			is_switch ? "class; write 0..7" : "queue pair's number");
	q->sub = (uint32_t)v;
	q->table = is_switch ? &sw_class_stat_table : &nic_qp_stat_table;
	return 0;
}

int query_counters(struct query *q, const struct scene *s, const char *object, struct err *err)
{
	char name[LINE], *dot = NULL;
	unsigned node = 0;
	int rc;

	*q = (struct query){.what = QUERY_COUNTERS, .port = QUERY_ALL_PORTS};
	if (strlen(object) >= sizeof(name))
		return err_set(err, -EINVAL, "'%.40s...' is too long for a name", object);
	strcpy(name, object);
	if (!scene_port(s, name, &node, &q->port)) { // "s1:h1.2" may be a second link
		dot = strrchr(name, '.');
		if (dot)
			*dot = '\0';
		if (!strchr(name, ':'))
			rc = find_node(&node, s, name, err);
		else if (!scene_port(s, name, &node, &q->port))
			rc = err_set(err, -ENOENT, "the scene has no port '%.64s'", name);
		else
			rc = 0;
		if (rc)
			return rc;
	}
	q->node = (uint16_t)node;
	rc = counters_of(q, s, dot, err);
	if (!rc && dot && q->table == &sw_class_stat_table && q->port == QUERY_ALL_PORTS)
		return err_set(err, -EINVAL, "a class is a port's: write %s:PEER.%u", name, q->sub);
	return rc;
}

int query_iqcn(struct query *q, const struct scene *s, const char *params, struct err *err)
{
	char line[LINE], *word[WORDS];
	unsigned node = 0;
	uint64_t slot = 0;
	int rc;

	*q = (struct query){.what = QUERY_IQCN};
	if (!split(line, sizeof(line), params, word, 2) || !*word[0] ||
		(*word[1] && (!parse_u64(&slot, word[1]) || slot > UINT32_MAX)))
		return err_set(err, -EINVAL, "write SWITCH,FROM");
	rc = find_node(&node, s, word[0], err);
	if (!rc && (s->node[node].kind != SCENE_SW || !s->node[node].u.sw.iqcn_on))
		rc = err_set(err, -ENXIO,
			"%.32s has no flow table: a class of a switch with iqcn brings it",
			word[0]);
	q->node = (uint16_t)node;
	q->slot = (uint32_t)slot;
	return rc;
}

ASIDE void add_counts(struct query *q, const void *object)
{
	for (unsigned i = 0; i < q->table->n; i++) {
		q->count[i] += stat_get(q->table, object, i);
		q->has[i] |= stat_has(q->table, object, i);
	}
}

// Adds the counters of the shard's own ports.
static void count_switch(struct query *q, const struct sw *sw, unsigned n_ports)
{
	for (unsigned p = 0; p < n_ports; p++) {
		if ((q->port != QUERY_ALL_PORTS && q->port != p) || sw_owner(sw, p) != sw)
			continue;
		if (q->table == &sw_class_stat_table) {
			struct sw_class_stats s = sw_class_stats(sw, p, q->sub);

			add_counts(q, &s);
		} else {
			struct sw_port_stats s = sw_port_stats(sw, p);

			add_counts(q, &s);
		}
	}
}

static int count_nic(struct query *q, const struct nic *nic)
{
	if (q->table == &nic_stat_table) {
		add_counts(q, nic_stats(nic));
		return 0;
	}

	int qp = nic_find_number(nic, q->sub);
	struct nic_qp_stats s;

	if (qp < 0)
		return -ENXIO;
	nic_qp_counts(nic, (unsigned)qp, &s);
	add_counts(q, &s);
	return 0;
}

static void take_flow(
	struct query *q, const struct iqcn *table, const struct iqcn_entry *e, tstamp now)
{
	struct query_flow *f = &q->flow[q->n_flows++];

	*f = (struct query_flow){.port = e->port,
		.ipv4 = e->hdr.flags & HDR_IPV4,
		.qpn = e->qpn,
		.last = e->last,
		.age = tstamp_since(now, iqcn_seen(table, e)),
		.tx_cnps = e->tx_cnps};
	memcpy(f->sender, e->hdr.daddr, sizeof(f->sender));
	memcpy(f->receiver, e->hdr.saddr, sizeof(f->receiver));
}

// Lists flows from slot i of the shard's table on; after its last slot comes the first one of the
// next shard's table. Flows that have aged are skipped.
static void list_flows(
	struct query *q, const struct iqcn *table, uint64_t i, unsigned shards, tstamp now)
{
	uint64_t slots = iqcn_slots(table), end = i + QUERY_SLOTS;

	q->at = now;
	q->n_flows = 0;
	for (end = end < slots ? end : slots; i < end && q->n_flows < QUERY_FLOWS; i++) {
		const struct iqcn_entry *e = &table->entry[i];

		if (table_mark(&table->table, (uint32_t)i) && !iqcn_is_aged(table, e, now))
			take_flow(q, table, e, now);
	}
	q->next = i < slots || q->shard + 1u < shards ? (uint32_t)(q->shard * slots + i) : 0;
}

static void answer_iqcn(struct query *q, const struct sw *sw, tstamp now)
{
	const struct iqcn *table = sw_iqcn(sw);
	uint32_t slots = iqcn_slots(table);

	q->known += table->flows;
	q->entries += table->cfg->p.entries;
	if (q->slot / slots == q->shard)
		list_flows(q, table, q->slot % slots, sw_shards(sw), now);
}

static void forget_answer(struct query *q, tstamp now)
{
	q->at = now;
	memset(q->count, 0, sizeof(q->count));
	memset(q->has, 0, sizeof(q->has));
	q->known = q->entries = q->next = q->n_flows = 0;
}

void query_answer(struct query *q, struct net_node *n, tstamp now)
{
	q->rc = 0;
	if (!q->shard)
		forget_answer(q, now);
	if (q->what == QUERY_IQCN) {
		answer_iqcn(q, sw_shard_at(n->u.sw, q->shard), now);
		return;
	}
	q->at = now;
	if (q->what == QUERY_READ) {
		q->rc = nic_reg_read(n->u.nic, &q->place, &q->value, now);
		return;
	}
	assert(q->what == QUERY_COUNTERS && q->table->n <= QUERY_COUNTS);
	if (n->kind == SCENE_SW)
		count_switch(q, sw_shard_at(n->u.sw, q->shard), n->scene->n_ports);
	else if (n->kind == SCENE_TESTER)
		add_counts(q, tester_stats(n->u.tester));
	else
		q->rc = count_nic(q, n->u.nic);
}

void query_why(const struct query *q, const struct scene *s, struct err *err)
{
	char name[64];

	if (q->what == QUERY_COUNTERS)
		err_set(err, q->rc, "%s has no queue pair %u", s->node[q->node].name, q->sub);
	else
		err_set(err, q->rc, "%s: %s", reg_name_of(&q->place, name, sizeof(name)),
			strerror(-q->rc));
}
