// SPDX-License-Identifier: BSD-3-Clause
// Digests of a scenario, section by section: other parts of the scenario compare theirs with ours.
// Facts of one machine (devices, lcores, paths, records) are not in them.
#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "wire/hello.h"

static void finish_digest(SHA2_CTX *sha, uint8_t digest[SCENE_DIGEST])
{
	uint8_t whole[SHA256_DIGEST_LENGTH];

	SHA256Final(whole, sha);
	memcpy(digest, whole, SCENE_DIGEST);
}

// The contents of payload files count, not their paths.
static void add_payloads(SHA2_CTX *sha, const struct draft *b)
{
	for (unsigned i = 0; i < b->n_flows; i++) {
		if (i && b->flow[i]->listed && b->flow[i - 1]->listed)
			continue; // the same

		const struct payload *p = &b->s->payload[b->flow[i]->payload];

		SHA256Update(sha, (const uint8_t *)&p->kind, sizeof(p->kind));
		SHA256Update(sha, p->word, sizeof(p->word));
		if (p->kind == PAYLOAD_FILE)
			SHA256Update(sha, p->file, p->n);
	}
}

// The points of distributions count, not the paths of their files.
static void add_sizes(SHA2_CTX *sha, const struct scene *s)
{
	for (unsigned i = 0; i < s->n_sizes; i++)
		for (unsigned k = 0; k < s->sizes[i]->dist.n; k++) {
			const struct dist_point *p = &s->sizes[i]->dist.point[k];
			const uint64_t number[] = {p->value, p->below};

			SHA256Update(sha, (const uint8_t *)number, sizeof(number));
		}
}

// The graphs of jobs count, not the paths of their files.
static void add_jobs(SHA2_CTX *sha, const struct scene *s)
{
	for (unsigned i = 0; i < s->n_jobs; i++) {
		const struct graph *g = s->job[i]->graph;

		for (uint32_t r = 0; r < g->n_ranks; r++) {
			const uint64_t number[] = {g->rank[r].n_ops, g->rank[r].n_edges};

			SHA256Update(sha, (const uint8_t *)number, sizeof(number));
			SHA256Update(sha, (const uint8_t *)graph_ops(g, r),
				g->rank[r].n_ops * sizeof(struct graph_op));
			SHA256Update(sha, (const uint8_t *)graph_edges(g, r),
				g->rank[r].n_edges * sizeof(struct graph_edge));
		}
	}
}

static int digest_options(struct draft *b, enum scene_section section)
{
	struct text t = {.file = "", .value = "", .hide = OPT_F_LOCAL, .bare = true};
	char *text = NULL;
	size_t size = 0;
	SHA2_CTX sha;

	t.f = open_memstream(&text, &size);
	if (!t.f)
		return err_set(b->err, -ENOMEM, "out of memory");
	compile_section_put(&t, b, section);
	if (fclose(t.f)) {
		free(text);
		return err_set(b->err, -ENOMEM, "out of memory");
	}
	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)text, size);
	if (section == SCENE_SECTION_FLOWS) {
		add_payloads(&sha, b);
		add_sizes(&sha, b->s);
		add_jobs(&sha, b->s);
	}
	finish_digest(&sha, b->s->digest[section]);
	free(text);
	return 0;
}

// A header as it is on the wire and in tables.
static void add_header(SHA2_CTX *sha, const struct hdr *h)
{
	const uint32_t number[] = {
		h->id, h->flags, h->ethertype, h->vlan_tci, h->cntag, h->sport, h->dport};

	SHA256Update(sha, (const uint8_t *)number, sizeof(number));
	SHA256Update(sha, h->src, sizeof(h->src));
	SHA256Update(sha, h->dst, sizeof(h->dst));
	SHA256Update(sha, h->saddr, sizeof(h->saddr));
	SHA256Update(sha, h->daddr, sizeof(h->daddr));
}

static void digest_addresses(struct draft *b)
{
	const struct scene *s = b->s;
	SHA2_CTX sha;

	SHA256Init(&sha);
	for (unsigned i = 0; i < b->n_nodes; i++) { // in the file's order
		const struct scene_node *n = &s->node[b->node[i]->index];

		SHA256Update(&sha, (const uint8_t *)n->name, strlen(n->name) + 1);
		SHA256Update(&sha, n->mac, sizeof(n->mac));
		SHA256Update(&sha, n->ip, sizeof(n->ip));
		for (unsigned p = 0; p < n->n_ports; p++)
			SHA256Update(&sha, n->port[p].mac, sizeof(n->port[p].mac));
	}
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];
		const uint32_t qpn[] = {f->req.qpn, f->rsp.qpn};

		SHA256Update(&sha, (const uint8_t *)qpn, sizeof(qpn));
		add_header(&sha, &f->hdr_data);
		add_header(&sha, &f->hdr_ack);
		add_header(&sha, &f->hdr_cnp);
	}
	for (unsigned i = 0; i < s->n_sources; i++) {
		add_header(&sha, &s->source[i]->hdr);
		if (s->source[i]->echoes)
			add_header(&sha, &s->source[i]->back);
	}
	finish_digest(&sha, b->s->digest[SCENE_SECTION_ADDRESSES]);
}

static void digest_wire(struct draft *b)
{
	const uint8_t version[] = {HELLO_VERSION};
	SHA2_CTX sha;

	SHA256Init(&sha);
	SHA256Update(&sha, version, sizeof(version));
	finish_digest(&sha, b->s->digest[SCENE_SECTION_WIRE]);
}

int compile_digests(struct draft *b)
{
	int rc = 0;

	if (!b->s->part)
		return 0;
	for (unsigned i = 0; !rc && i < SCENE_SECTION_ADDRESSES; i++)
		rc = digest_options(b, i);
	digest_addresses(b);
	digest_wire(b);
	return rc;
}
