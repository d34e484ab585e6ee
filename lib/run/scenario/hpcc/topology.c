// SPDX-License-Identifier: BSD-3-Clause
// topology.txt: numbers of nodes, switches and links, the switches, then a line a link: its ends,
// rate, delay and error rate.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

#define RATE_LEAST 10000000ull // of a scenario's links
#define RATE_MOST  800000000000ull

enum { END_A, END_B, RATE, DELAY, ERRORS, COLUMNS };

struct topology {
	struct hpcc *h;
	struct hpcc_words in;
	const struct hpcc_word *at; // the next word
	unsigned *links_of;
};

static int node(struct topology *t, const struct hpcc_word *w, unsigned *to)
{
	uint64_t n;
	int rc = hpcc_number(t->h, &t->in, w, UINT32_MAX, &n, "the number of a node");

	if (rc)
		return rc;
	if (n >= t->h->n_nodes)
		return hpcc_wrong(t->h, &t->in, w,
			"there is no node %s: the first line tells %u, from 0 to %u", w->text,
			t->h->n_nodes, t->h->n_nodes - 1);
	*to = (unsigned)n;
	return 0;
}

static int head(struct topology *t, uint64_t *switches)
{
	struct hpcc *h = t->h;
	uint64_t nodes, links = 0;
	int rc = hpcc_number(h, &t->in, &t->at[0], HPCC_NODES, &nodes, "the number of nodes");

	if (!rc)
		rc = hpcc_number(h, &t->in, &t->at[1], nodes, switches, "the number of switches");
	if (!rc)
		rc = hpcc_number(h, &t->in, &t->at[2], HPCC_LINKS, &links, "the number of links");
	if (rc)
		return rc;
	if (!links || nodes < 2)
		return hpcc_wrong(h, &t->in, t->at, "a topology has two nodes and a link at least");
	t->at += 3;
	h->n_nodes = (unsigned)nodes;
	h->n_links = (unsigned)links;
	h->is_switch = arena_get(h->a, nodes * sizeof(*h->is_switch));
	h->link = arena_get(h->a, links * sizeof(*h->link));
	t->links_of = arena_get(h->a, nodes * sizeof(*t->links_of));
	return h->is_switch && h->link && t->links_of ? 0 : -ENOMEM;
}

static int switches(struct topology *t, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++, t->at++) {
		unsigned one = 0;
		int rc = node(t, t->at, &one);

		if (rc)
			return rc;
		if (t->h->is_switch[one])
			return hpcc_wrong(t->h, &t->in, t->at, "switch %u stands here twice", one);
		t->h->is_switch[one] = true;
	}
	return 0;
}

static int rate_and_delay(struct topology *t, struct hpcc_link *l)
{
	const struct hpcc_word *w = t->at;

	if (units_parse(UNITS_RATE, w[RATE].text, &l->rate) || l->rate < RATE_LEAST ||
		l->rate > RATE_MOST)
		return hpcc_wrong(t->h, &t->in, &w[RATE],
			"'%.40s' is no rate of a link from 10Mbps to 800Gbps", w[RATE].text);
	if (units_parse(UNITS_TIME, w[DELAY].text, &l->delay) || l->delay > PS_PER_S)
		return hpcc_wrong(t->h, &t->in, &w[DELAY],
			"'%.40s' is no delay up to 1s, as in 1000ns", w[DELAY].text);
	return 0;
}

static int link_read(struct topology *t, unsigned number)
{
	struct hpcc *h = t->h;
	struct hpcc_link *l = &h->link[number];
	const struct hpcc_word *w = t->at;
	double errors;
	int rc;

	for (unsigned i = 0; i < COLUMNS; i++)
		if (!w[i].text)
			return hpcc_wrong(h, &t->in, &w[i],
				"the file ends after %u of the %u links that its first line tells",
				number, h->n_links);
		else if (w[i].line != w->line)
			return hpcc_wrong(h, &t->in, &w[i],
				"the line before has %u words; "
				"a link has two nodes, rate, delay and error rate",
				i);
	rc = node(t, &w[END_A], &l->end[0]);
	if (!rc)
		rc = node(t, &w[END_B], &l->end[1]);
	if (!rc && l->end[0] == l->end[1])
		rc = hpcc_wrong(h, &t->in, &w[END_B], "a link joins two nodes");
	if (!rc)
		rc = rate_and_delay(t, l);
	if (rc)
		return rc;
	for (unsigned i = 0; i < 2; i++) {
		unsigned most = h->is_switch[l->end[i]] ? NODE_PORTS : 1;

		if (++t->links_of[l->end[i]] > most)
			return hpcc_wrong(h, &t->in, &w[i],
				"node %u has more than %u link%s, which is the most of a %s",
				l->end[i], most, plural(most), most > 1 ? "switch" : "host");
	}
	if (units_parse_real(w[ERRORS].text, &errors) || errors < 0 || errors > 1)
		return hpcc_wrong(h, &t->in, &w[ERRORS], "'%.40s' is no error rate from 0 to 1",
			w[ERRORS].text);
	l->errors = errors > 0 ? w[ERRORS].text : NULL;
	t->at += COLUMNS;
	return 0;
}

// The links of each node, in their order.
static int ports(struct hpcc *h)
{
	unsigned *next = arena_get(h->a, (h->n_nodes + 1) * sizeof(*next));

	h->first = arena_get(h->a, (h->n_nodes + 1) * sizeof(*h->first));
	h->port = arena_get(h->a, 2 * h->n_links * sizeof(*h->port));
	if (!next || !h->first || !h->port)
		return -ENOMEM;
	for (unsigned i = 0; i < 2 * h->n_links; i++)
		h->first[h->link[i / 2].end[i % 2] + 1]++;
	for (unsigned n = 0; n < h->n_nodes; n++)
		next[n + 1] = h->first[n + 1] += h->first[n];
	for (unsigned i = 0; i < 2 * h->n_links; i++)
		h->port[next[h->link[i / 2].end[i % 2]]++] = i / 2;
	return 0;
}

int hpcc_topology(struct hpcc *h)
{
	struct topology t = {.h = h};
	uint64_t n_switches = 0;
	int rc = hpcc_words(h, &t.in, h->files.topology);

	if (rc)
		return rc;
	t.at = t.in.word;
	rc = head(&t, &n_switches);
	if (!rc)
		rc = switches(&t, n_switches);
	for (unsigned i = 0; !rc && i < h->n_links; i++)
		rc = link_read(&t, i);
	if (rc)
		return rc;
	if (t.at->text)
		return hpcc_wrong(h, &t.in, t.at,
			"'%.40s' stands behind the %u links that the first line tells", t.at->text,
			h->n_links);
	for (unsigned i = 0; i < h->n_nodes; i++)
		if (!t.links_of[i])
			return hpcc_wrong(h, &t.in, t.in.word, "node %u has no link", i);
	return ports(h);
}
