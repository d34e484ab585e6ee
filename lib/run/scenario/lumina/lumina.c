// SPDX-License-Identifier: BSD-3-Clause
// A Lumina configuration as a scenario: two hosts at a switch without PFC, one flow, its events.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define TIMEOUT_NS 4096 // of exponent 0 (IBA 9.9.2.1.1)

static void leave(struct lumina *l, const char *what)
{
	struct lumina_import *to = l->to;

	if (to->n_left < sizeof(to->left) / sizeof(to->left[0]))
		to->left[to->n_left++] = (char *)what;
}

static void leave_all(struct lumina *l)
{
	const struct yamldoc_node *gid = yamldoc_get(l->traffic, "multi-gid");

	leave(l, "mirrors, workspaces, addresses and devices: quench records the run itself");
	if (gid && gid->type == YAMLDOC_SCALAR && strcmp(gid->text, "false"))
		leave(l, "multi-gid: a host has one address, which all queue pairs share");
	leave(l, "barrier-sync: queue pairs do not wait for each other");
	leave(l, "adaptive-retrans: the timeout is fixed, as without it");
	if (!strspn(l->speed, "0123456789"))
		leave(l, "port-speed: it is missing or begins with no number, so links have 100G");
}

static void put_np(FILE *f, const char *host, const struct lumina_side *s)
{
	fprintf(f, "  %s:\n    np: {", host);
	if (s->np)
		fprintf(f, "interval: %sus, with_nak: %s", *s->cnp_us ? s->cnp_us : "0",
			s->slow_restart ? "true" : "false");
	else
		fputs("mode: off", f);
	// A comment ends with its line.
	fprintf(f, "}%s%.*s\n", *s->nic ? " # " : "", (int)strcspn(s->nic, "\r\n"), s->nic);
}

static void put_head(const struct lumina *l, FILE *f)
{
	const uint64_t wire = l->qps * l->messages * l->bytes / 1000; // us at 8 Gb/s
	const uint64_t rto = (uint64_t)TIMEOUT_NS << l->timeout;
	const uint64_t ms = 20 + wire / 1000 + (l->retries + 2) * rto / 1000000;
	const char *base = strrchr(l->path, '/');

	fprintf(f, "# %s of Lumina, imported by quench.\n", base ? base + 1 : l->path);
	for (unsigned i = 0; i < l->to->n_left; i++)
		fprintf(f, "%s# - %s\n", i ? "" : "# Not taken:\n", l->to->left[i]);
	fprintf(f, "duration: %llums\n", (unsigned long long)(l->timeout ? ms : 1000));
}

static void put_flow(const struct lumina *l, FILE *f)
{
	const bool reads = !strcmp(l->verb, "read");
	const bool controlled = reads ? l->responder.rp : l->requester.rp;

	if (controlled)
		fputs("\ncontrols:\n  dcqcn: {profile: connectx}\n", f);
	fputs("\nflows:\n  lumina:\n    from: requester\n    to: responder\n", f);
	fprintf(f, "    verb: %s\n    qps: %llu\n    count: %llu\n    message: %llu\n", l->verb,
		(unsigned long long)l->qps, (unsigned long long)l->messages,
		(unsigned long long)l->bytes);
	fprintf(f, "    mtu: %llu\n    outstanding: %llu\n    retries: %llu\n",
		(unsigned long long)l->mtu, (unsigned long long)l->depth,
		(unsigned long long)l->retries);
	if (l->timeout)
		fprintf(f, "    rto: %lluns # 4.096 us * 2^%llu\n",
			(unsigned long long)TIMEOUT_NS << l->timeout,
			(unsigned long long)l->timeout);
	else
		fputs("    rto: none # exponent 0\n", f);
	if (controlled)
		fputs("    control: dcqcn\n", f);
	else
		fputs("    ecn: ect0 # so that a mark is seen\n", f);
}

static int put_scenario(struct lumina *l, FILE *f)
{
	size_t digits = strspn(l->speed, "0123456789");

	put_head(l, f);
	fputs("\nswitches: {s1: } # without PFC\n\nhosts:\n", f);
	put_np(f, "requester", &l->requester);
	put_np(f, "responder", &l->responder);
	fprintf(f, "\nlinks:\n  - {between: [[requester, responder], s1], rate: %.*sGbps}\n",
		digits ? (int)digits : 3, digits ? l->speed : "100");
	put_flow(l, f);
	return lumina_events(l, f);
}

int lumina_import(struct lumina_import *to, const char *path, struct err *err)
{
	struct lumina l = {.to = to, .err = err, .path = path};
	char *text = NULL;
	size_t size = 0;
	FILE *f;
	int rc;

	*to = (struct lumina_import){0};
	rc = yamldoc_read(&to->a, &l.doc, path, err);
	if (!rc)
		rc = lumina_read(&l);
	if (rc)
		return rc;
	leave_all(&l);
	f = open_memstream(&text, &size);
	if (!f)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	rc = put_scenario(&l, f);
	to->yaml = fclose(f) ? NULL : arena_text(&to->a, text, size);
	free(text);
	return rc || to->yaml ? rc : err_set(err, -ENOMEM, "%s: out of memory", path);
}

void lumina_free(struct lumina_import *to)
{
	arena_free(&to->a);
	*to = (struct lumina_import){0};
}
