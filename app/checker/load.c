// SPDX-License-Identifier: BSD-3-Clause
// The loads of a scene in words, and its messages as a list.
#include "load.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conf/conf.h"
#include "session/session.h"

// The streams of one flow together.
struct sum {
	double messages, bytes; // expected
	double variance;        // of these bytes
	double link_bytes;      // that the links of its streams' hosts pass meanwhile
	unsigned streams, pairs;
	bool closed, on_off;
};

static double mean_of(const struct scene_load *l)
{
	return (double)dist_mean_q20(l->arrivals.sizes) / (1 << 20);
}

// Returns what a message adds to the variance of the bytes that come. If requests come by a Poisson
// process, that is the mean square of a request's bytes, divided by its messages. If their number
// is fixed, it is the variance of a message's bytes.
static double variance_of(const struct scene_load *l)
{
	const struct arrivals_cfg *c = &l->arrivals;
	double square = dist_mean_square(c->sizes), mean = mean_of(l);
	double others = c->to == ARRIVALS_INCAST ? c->fan - 1 : 0;

	return c->kind == ARRIVALS_EVERY ? square - mean * mean : square + others * mean * mean;
}

static void add(struct sum *to, const struct scene *s, const struct scene_load *l)
{
	const struct arrivals_cfg *c = &l->arrivals;
	tstamp stop = tstamp_min(c->stop, s->duration);
	double n = scene_load_messages(l, s->duration);

	to->messages += n;
	to->bytes += n * mean_of(l);
	to->variance += n * variance_of(l);
	to->link_bytes += stop > c->start
				  ? (double)(stop - c->start) / ((double)c->ps_per_byte / (1 << 20))
				  : 0;
	to->streams++;
	to->pairs += l->n_pairs * l->each;
	to->closed |= c->kind == ARRIVALS_CLOSED;
	to->on_off |= c->kind == ARRIVALS_ON_OFF;
}

static void print_row(const struct scene_load *l, const struct sum *a, FILE *f)
{
	double share = a->link_bytes > 0 ? 100 * a->bytes / a->link_bytes : 0;
	double sigma = a->bytes > 0 ? sqrt(a->variance) / a->bytes : 0;

	fprintf(f, "%-20s %7u  %7u  %12.1f  ", l->flow, a->streams, a->pairs, mean_of(l));
	if (a->closed) {
		fprintf(f, "%12s  %s\n", "-", "as fast as messages end");
		return;
	}
	fprintf(f, "%12.0f  %.2f %%", a->messages, share);
	if (!a->on_off)
		fprintf(f, ", 3 sigma: %.2f to %.2f %%", fmax(share * (1 - 3 * sigma), 0),
			share * (1 + 3 * sigma));
	fputc('\n', f);
}

void load_print(const struct scene *s, FILE *f)
{
	for (unsigned i = 0, end; i < s->n_loads; i = end) {
		struct sum a = {0};

		if (!i)
			fprintf(f,
				"\nLoads (streams of messages; mean bytes of one; messages that "
				"are likely to come in the run; their\npayload, as a share of the "
				"streams' links)\n%-20s %7s  %7s  %12s  %12s  %s\n",
				"flow", "streams", "pairs", "mean size", "messages", "load");
		for (end = i; end < s->n_loads && s->load[end]->flow == s->load[i]->flow; end++)
			add(&a, s, s->load[end]);
		print_row(s->load[i], &a, f);
	}
}

// Numbers of hosts in such a list: as they stand in the scenario, which has switches first.
static unsigned first_host(const struct scene *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_nodes + s->n_elsewhere; i++)
		n += s->node[i].kind == SCENE_SW;
	return n;
}

static int walk(const struct scene *s, uint64_t *n, FILE *f)
{
	const unsigned first = first_host(s);
	struct scene_messages *all;
	struct scene_message m;

	if (scene_messages(&all, s)) {
		tell("out of memory");
		return EXIT_INPUT;
	}
	for (*n = 0; scene_message(all, &m); ++*n)
		if (f)
			fprintf(f, "%u %u %u %u %u %llu.%012llu\n", s->node[m.from].number - first,
				s->node[m.to].number - first, m.cls, m.dport, m.bytes,
				m.at / PS_PER_S, m.at % PS_PER_S);
	scene_messages_free(all);
	return EXIT_DONE;
}

int load_dump(const struct scene *s, FILE *f)
{
	uint64_t n;
	int status = walk(s, &n, NULL);

	if (status)
		return status;
	fprintf(f, "%" PRIu64 "\n", n);
	return walk(s, &n, f);
}
