// SPDX-License-Identifier: BSD-3-Clause
// The payloads of flows: the words of `payload`, and the files that they name.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define FILE_MOST (64u << 20) // bytes of a file
#define KINDS     255         // a header has their number in a byte

static const char syntax[] =
	"it is zeros, counter, prbs, 2, 4 or 8 hexadecimal digits (0xa5), or file NAME";

static const struct yamldoc_node *given(const struct draft_flow *f)
{
	return draft_given(&scene_opts_flow, f->spec, "payload", f->key);
}

// Reads a pattern of 1, 2 or 4 bytes in hexadecimal ("0x..."), which the payload repeats.
static bool parse_fixed(struct payload *p, const char *word)
{
	size_t n = strlen(word);
	unsigned long value;
	char *end;

	if (strncmp(word, "0x", 2) != 0 || (n != 4 && n != 6 && n != 10) ||
		!isxdigit((unsigned char)word[2]))
		return false;
	value = strtoul(word + 2, &end, 16);
	if (*end)
		return false;
	n = (n - 2) / 2;
	p->kind = PAYLOAD_FIXED;
	for (unsigned i = 0; i < sizeof(p->word); i++)
		p->word[i] = (uint8_t)(value >> 8 * (n - 1 - i % n));
	return true;
}

static int read_file(struct draft *b, const struct draft_flow *f, struct payload *p, FILE *in)
{
	uint8_t *bytes;
	long n;

	if (fseek(in, 0, SEEK_END) || (n = ftell(in)) < 0 || fseek(in, 0, SEEK_SET))
		return yamldoc_err(b->err, given(f),
			"flow '%s': payload: the file cannot be read: %s", f->name,
			strerror(errno));
	if (!n || n > (long)FILE_MOST)
		return yamldoc_err(b->err, given(f),
			"flow '%s': payload: the file has %ld bytes; it needs 1 to %u", f->name, n,
			FILE_MOST);
	bytes = draft_get(b, (size_t)n);
	if (!bytes)
		return -ENOMEM;
	if (fread(bytes, 1, (size_t)n, in) != (size_t)n)
		return yamldoc_err(
			b->err, given(f), "flow '%s': payload: the file cannot be read", f->name);
	*p = (struct payload){.kind = PAYLOAD_FILE,
		.file = bytes,
		.n = (size_t)n,
		.step = f->is_open_loop ? 0 : f->spec->mtu};
	return 0;
}

static int parse_file(
	struct draft *b, const struct draft_flow *f, struct payload *p, const char *name)
{
	char *path = hardware_object_file(b, name);
	FILE *in = path ? fopen(path, "rb") : NULL;
	int rc;

	if (!path)
		return -ENOMEM;
	if (!in)
		return yamldoc_err(b->err, given(f), "flow '%s': payload: %s: %s", f->name, path,
			strerror(errno));
	rc = read_file(b, f, p, in);
	fclose(in);
	return rc;
}

static int parse(struct draft *b, const struct draft_flow *f, struct payload *p)
{
	const char *word = f->spec->payload;

	*p = (struct payload){.kind = PAYLOAD_ZEROS};
	if (strcmp(word, "zeros") == 0 || parse_fixed(p, word))
		return 0;
	if (strncmp(word, "file ", 5) == 0)
		return parse_file(b, f, p, word + 5 + strspn(word + 5, " "));
	if (strcmp(word, "counter") == 0)
		p->kind = PAYLOAD_COUNTER;
	else if (strcmp(word, "prbs") == 0)
		p->kind = PAYLOAD_PRBS;
	else
		return yamldoc_err(
			b->err, given(f), "flow '%s': payload '%s': %s", f->name, word, syntax);
	return 0;
}

static bool is_same(const struct payload *a, const struct payload *b)
{
	if (a->kind != b->kind || a->kind == PAYLOAD_FILE)
		return false;
	return memcmp(a->word, b->word, sizeof(a->word)) == 0;
}

int traffic_payloads(struct draft *b)
{
	struct payload *all = draft_get(b, (b->n_flows + 1) * sizeof(*all));
	unsigned n = 1;

	if (!all)
		return -ENOMEM;
	all[0] = (struct payload){.kind = PAYLOAD_ZEROS};
	for (unsigned i = 0; i < b->n_flows; i++) {
		struct draft_flow *f = b->flow[i];
		unsigned k = 0;
		int rc;

		if (i && f->listed && b->flow[i - 1]->listed) {
			f->payload = b->flow[i - 1]->payload;
			continue;
		}
		rc = parse(b, f, &all[n]);
		if (rc)
			return rc;
		while (!is_same(&all[k], &all[n]) && k < n)
			k++;
		if (k > KINDS)
			return yamldoc_err(b->err, given(f),
				"more than %u payloads that differ, or files", KINDS);
		f->payload = (uint8_t)k;
		n += k == n;
	}
	b->s->payload = all;
	return 0;
}

int traffic_give_payloads(struct draft *b)
{
	uint8_t *of = draft_get(b, b->s->n_sources + 1u);

	if (!of)
		return -ENOMEM;
	for (unsigned i = 0; i < b->s->n_sources; i++)
		of[i] = b->s->source[i]->hdr.payload;
	for (unsigned i = 0; i < b->s->n_nodes; i++)
		if (b->s->node[i].kind == SCENE_NIC) {
			b->s->node[i].u.nic.payload = b->s->payload;
			b->s->node[i].u.nic.source_payload = of;
		}
	return 0;
}
