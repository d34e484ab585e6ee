// SPDX-License-Identifier: BSD-3-Clause
// The simulator's network, flows and controls written as a scenario. Its node 0 is n0.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "schema/schema.h"

#define BUFFER     "16" // MiB of a switch, without BUFFER_SIZE
#define PAYLOAD    "1000"
#define TAIL       (150 * PS_PER_MS) // for flows that are there at the last start
#define SHIFT      3 // a class takes 2^-3 of the free buffer, at ports no faster than hosts
#define COMMENT_AT 40

// Rate and delay of a port, from which its thresholds follow.
struct kind {
	uint64_t rate, delay;
};

static struct kind kind_of(const struct hpcc_link *l)
{
	return (struct kind){l->rate, l->delay};
}

static bool same(struct kind a, struct kind b)
{
	return a.rate == b.rate && a.delay == b.delay;
}

// A port of a node.
static const struct hpcc_link *port_of(const struct hpcc *h, unsigned port)
{
	return &h->link[h->port[port]];
}

// The kind that most ports of a node have. Of equally common kinds, the kind of the first port.
static struct kind most_of(const struct hpcc *h, unsigned node)
{
	unsigned end = h->first[node + 1], most = 0;
	struct kind best = {0};

	for (unsigned i = h->first[node]; i < end; i++) {
		struct kind one = kind_of(port_of(h, i));
		unsigned n = 0;

		for (unsigned k = i; k < end; k++)
			n += same(kind_of(port_of(h, k)), one);
		if (n > most) {
			most = n;
			best = one;
		}
	}
	return best;
}

// The rate of the first host, which the simulator takes for all hosts.
static uint64_t nic_rate(const struct hpcc *h)
{
	unsigned node = 0;

	while (node + 1 < h->n_nodes && h->is_switch[node])
		node++;
	return port_of(h, h->first[node])->rate;
}

static int threshold(const struct hpcc *h, uint64_t rate)
{
	int shift = SHIFT;

	for (uint64_t nic = nic_rate(h); rate > nic && shift > 0; rate /= 2)
		shift--;
	return -shift;
}

// Three times the bytes that a link holds one way.
static uint64_t headroom(struct kind k)
{
	return (uint64_t)((unsigned __int128)k.rate * (k.delay / PS_PER_NS) / 8 / 1000000000) * 3;
}

// Returns whether some port of a switch has this rate.
static bool is_of_switch(const struct hpcc *h, uint64_t rate)
{
	for (unsigned i = 0; i < h->n_links; i++) {
		const struct hpcc_link *l = &h->link[i];

		if (l->rate == rate && (h->is_switch[l->end[0]] || h->is_switch[l->end[1]]))
			return true;
	}
	return false;
}

static void put_thresholds(FILE *f, const struct hpcc_marker *m)
{
	fprintf(f, "min: %sKB, max: %sKB, probability: %s", m->kmin, m->kmax, m->pmax);
}

// The marker of each rate that switches' ports have; all of them where they have one rate.
static const char *marker_text(struct hpcc *h)
{
	const char *kept = "";
	char *text = NULL, rate[32];
	size_t size = 0;
	unsigned n = 0, done = 0;
	FILE *f = hpcc_marks(h) ? open_memstream(&text, &size) : NULL;

	if (!f)
		return kept;
	for (unsigned i = 0; i < h->n_markers; i++)
		n += is_of_switch(h, h->marker[i].rate);
	fputs(n > 1 ? ", wred: {by_rate: {" : ", wred: {", f);
	for (unsigned i = 0; i < h->n_markers; i++) {
		const struct hpcc_marker *m = &h->marker[i];

		if (!is_of_switch(h, m->rate))
			continue;
		if (n > 1)
			fprintf(f, "%s%s: {", done++ ? ", " : "",
				units_format(UNITS_RATE, m->rate, rate, sizeof(rate)));
		put_thresholds(f, m);
		fputs(n > 1 ? "}" : "", f);
	}
	fputs(n > 1 ? "}, mark: dequeue}" : ", mark: dequeue}", f);
	if (fclose(f) == 0 && n)
		kept = hpcc_text(h, "%s", text);
	free(text);
	return kept;
}

// `marker`: of all switches.
static void put_switch(FILE *f, const struct hpcc *h, struct kind k, const char *marker)
{
	fputs("    classes:\n", f);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (!(h->classes >> c & 1))
			continue;
		fprintf(f,
			"      %u: {lossless: true, pfc: {dynamic_th: %d, xon_offset: 3072, "
			"reserved: 4096, headroom: %llu}%s}\n",
			c, threshold(h, k.rate), (unsigned long long)headroom(k), marker);
	}
}

// "n3" or "n3..7".
static void put_node_range(FILE *f, unsigned first, unsigned last)
{
	if (first == last)
		fprintf(f, "n%u", first);
	else
		fprintf(f, "n%u..%u", first, last);
}

static void put_switches(FILE *f, struct hpcc *h)
{
	const char *marker = marker_text(h);
	bool any = false;

	for (unsigned i = 0, last; i < h->n_nodes; i = last + 1) {
		struct kind k = most_of(h, i);

		last = i;
		if (!h->is_switch[i])
			continue;
		while (last + 1 < h->n_nodes && h->is_switch[last + 1] &&
			same(most_of(h, last + 1), k))
			last++;
		fputs(any ? "  " : "\nswitches:\n  ", f);
		any = true;
		put_node_range(f, i, last);
		fputs(":\n", f);
		put_switch(f, h, k, marker);
	}
}

static void put_hosts(FILE *f, const struct hpcc *h)
{
	fputs("\nhosts:\n", f);
	for (unsigned i = 0, last; i < h->n_nodes; i = last + 1) {
		last = i;
		if (h->is_switch[i])
			continue;
		while (last + 1 < h->n_nodes && !h->is_switch[last + 1])
			last++;
		fputs("  ", f);
		put_node_range(f, i, last);
		fputs(":\n", f);
	}
}

static void put_link(FILE *f, const struct hpcc_link *l, unsigned last)
{
	char rate[32], delay[32];

	fputs("  - {between: [", f);
	put_node_range(f, l->end[0], last);
	fprintf(f, ", n%u], rate: %s, delay: %s}\n", l->end[1],
		units_format(UNITS_RATE, l->rate, rate, sizeof(rate)),
		units_format(UNITS_TIME, l->delay, delay, sizeof(delay)));
}

// Links give a node its ports, so their order stays.
static void put_links(FILE *f, const struct hpcc *h)
{
	fputs("\nlinks:\n", f);
	for (unsigned i = 0, n; i < h->n_links; i += n) {
		const struct hpcc_link *l = &h->link[i];

		for (n = 1; i + n < h->n_links && l[n].end[0] == l->end[0] + n &&
			    l[n].end[1] == l->end[1] && same(kind_of(&l[n]), kind_of(l));)
			n++;
		put_link(f, l, l->end[0] + n - 1);
	}
}

// Links of a node to the far end of a port, counted up to that port.
static unsigned link_number(const struct hpcc *h, unsigned node, unsigned port)
{
	const struct hpcc_link *l = port_of(h, port);
	unsigned n = 0;

	for (unsigned i = h->first[node]; i <= port; i++)
		n += port_of(h, i)->end[0] + port_of(h, i)->end[1] == l->end[0] + l->end[1];
	return n;
}

// The name of a port in quotes.
static void put_port_name(FILE *f, const struct hpcc *h, unsigned node, unsigned port)
{
	const struct hpcc_link *l = port_of(h, port);
	unsigned number = link_number(h, node, port);

	fprintf(f, "\"n%u:n%u", node, l->end[l->end[0] == node]);
	if (number > 1)
		fprintf(f, ".%u", number);
	fputc('"', f);
}

static void put_port(FILE *f, const struct hpcc *h, unsigned node, unsigned port)
{
	const struct hpcc_link *l = port_of(h, port);
	bool any = false;

	fputs("  ", f);
	put_port_name(f, h, node, port);
	fputs(": {classes: {", f);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (!(h->classes >> c & 1))
			continue;
		fprintf(f, "%s%u: {pfc: {dynamic_th: %d, headroom: %llu}}", any ? ", " : "", c,
			threshold(h, l->rate), (unsigned long long)headroom(kind_of(l)));
		any = true;
	}
	fputs("}}\n", f);
}

// Thresholds of ports that are of another kind than most of their switch.
static void put_port_thresholds(FILE *f, const struct hpcc *h)
{
	bool any = false;

	for (unsigned node = 0; node < h->n_nodes; node++) {
		struct kind k = most_of(h, node);

		for (unsigned i = h->first[node]; h->is_switch[node] && i < h->first[node + 1];
			i++) {
			if (same(kind_of(port_of(h, i)), k))
				continue;
			if (!any)
				fputs("\nports:\n", f);
			any = true;
			put_port(f, h, node, i);
		}
	}
}

// The simulator drops this share of the frames at each end of a link, where they arrive.
static void put_faults(FILE *f, const struct hpcc *h)
{
	bool any = false;

	for (unsigned node = 0; node < h->n_nodes; node++) {
		for (unsigned i = h->first[node]; i < h->first[node + 1]; i++) {
			if (!port_of(h, i)->errors)
				continue;
			fputs(any ? "" : "\nfaults: # error rates of links\n", f);
			any = true;
			fputs("  - {at: ", f);
			put_port_name(f, h, node, i);
			fprintf(f, ", share: %s, do: drop}\n", port_of(h, i)->errors);
		}
	}
}

// A key of the control and where its value came from.
__attribute__((format(printf, 4, 5))) static void put_value(
	FILE *f, const struct hpcc *h, enum hpcc_key key, const char *fmt, ...)
{
	char text[160];
	va_list ap;
	int n;

	if (!hpcc_value_text(h, key))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = fprintf(f, "    %s", text);
	fprintf(f, "%*s# %s\n", n < COMMENT_AT ? COMMENT_AT - n : 1, "", h->value[key].key->text);
}

#define VALUE(key) hpcc_value_text(h, key)

static void put_dcqcn(FILE *f, const struct hpcc *h)
{
	const char *clamp = VALUE(HPCC_CLAMP);

	put_value(f, h, HPCC_ALPHA_TIMER, "alpha_timer: %sus", VALUE(HPCC_ALPHA_TIMER));
	put_value(f, h, HPCC_CUT_INTERVAL, "cut_interval: %sus", VALUE(HPCC_CUT_INTERVAL));
	put_value(f, h, HPCC_RP_TIMER, "rate_timer: %sus", VALUE(HPCC_RP_TIMER));
	put_value(f, h, HPCC_GAIN, "g: %s", VALUE(HPCC_GAIN));
	put_value(f, h, HPCC_FAST_RECOVERY, "fr_threshold: %s", VALUE(HPCC_FAST_RECOVERY));
	put_value(f, h, HPCC_CLAMP, "clamp_target: %s",
		clamp && strcmp(clamp, "0") ? "always" : "after_increase");
	put_value(f, h, HPCC_RATE_AI, "ai_rate: %s", VALUE(HPCC_RATE_AI));
	put_value(f, h, HPCC_RATE_HAI, "hai_rate: %s", VALUE(HPCC_RATE_HAI));
	put_value(f, h, HPCC_MIN_RATE, "min_rate: %s", VALUE(HPCC_MIN_RATE));
}

// The keys of a profile that has its own.
static void put_own(FILE *f, const struct hpcc *h, const struct schema_profile *p)
{
	for (const struct schema_sim_key *k = p->sim_keys; k->from; k++)
		for (unsigned i = 0; i < HPCC_KEYS; i++)
			if (VALUE(i) && !strcmp(h->value[i].key->text, k->from))
				put_value(f, h, i, "%s: %s", k->to, VALUE(i));
}

static void put_control(FILE *f, const struct hpcc *h)
{
	unsigned mode = hpcc_mode(h);
	const struct schema_profile *p = schema_sim_profile(mode);

	if (!mode)
		return;
	fputs("\ncontrols:\n  cc:\n", f);
	put_value(f, h, HPCC_CC_MODE, "profile: %s", p ? p->name : "hpcc_sim_dcqcn");
	if (p)
		put_own(f, h, p);
	else
		put_dcqcn(f, h);
}

static unsigned first_class(const struct hpcc *h)
{
	return (unsigned)__builtin_ctz(h->classes);
}

static void put_defaults(FILE *f, const struct hpcc *h)
{
	const char *buffer = VALUE(HPCC_BUFFER), *payload = VALUE(HPCC_PAYLOAD);

	fprintf(f, "\ndefaults:\n  switches: {buffer: %sMiB}%s\n", buffer ? buffer : BUFFER,
		buffer ? " # BUFFER_SIZE" : "");
	fprintf(f,
		"  flows: {ack_class: %u, mtu: %s, ack_every: 1, window: 200000, rto: none, group: "
		"list%s}\n",
		first_class(h), payload ? payload : PAYLOAD, hpcc_mode(h) ? ", control: cc" : "");
}

// The flow list as a scenario beside `out` names it.
static const char *flow_path(struct hpcc *h)
{
	const char *flow = h->files.flow, *out = h->files.out;
	const char *at = out ? strrchr(out, '/') : NULL, *slash = strrchr(flow, '/');
	char *real;

	if (!at || *flow == '/')
		return flow;
	if (slash && slash - flow == at - out && !strncmp(flow, out, (size_t)(at - out)))
		return slash + 1;
	real = realpath(flow, NULL);
	flow = real ? arena_text(h->a, real, strlen(real)) : flow;
	free(real);
	return flow ? flow : "";
}

static void put_quoted(FILE *f, const char *text)
{
	fputc('\'', f);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', f);
		fputc(*text, f);
	}
	fputs("'\n", f);
}

static void put_scenario_head(FILE *f, struct hpcc *h, const struct hpcc_import *to)
{
	const char *stop = VALUE(HPCC_STOP_TIME);
	char time[32];

	fprintf(f, "# %s and %s%s%s of the HPCC simulator, imported by quench. Its node 0 is n0.\n",
		hpcc_base(h, h->files.topology), hpcc_base(h, h->files.flow),
		h->files.config ? " with " : "",
		h->files.config ? hpcc_base(h, h->files.config) : "");
	if (to->n_left)
		fputs("# Not taken, and why:\n", f);
	for (unsigned i = 0; i < to->n_left; i++)
		fprintf(f, "# - %s\n", to->left[i]);
	fputs("framing: hpcc_sim\n", f);
	if (stop)
		fprintf(f, "duration: %ss # SIMULATOR_STOP_TIME\n", stop);
	else
		fprintf(f, "duration: %s # 150 ms behind the last start\n",
			units_format(UNITS_TIME, h->last_start + TAIL, time, sizeof(time)));
}

void hpcc_yaml_left(struct hpcc *h)
{
	if (h->classes & (h->classes - 1))
		hpcc_left(h, "priorities of ACKs",
			"ACKs of all flows have the least of the flows' classes");
	hpcc_left(h, "ECMP", "quench chooses among equal ways by a hash of its own");
}

char *hpcc_yaml(struct hpcc *h, const struct hpcc_import *to)
{
	char *text = NULL, *kept = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_scenario_head(f, h, to);
	put_control(f, h);
	put_defaults(f, h);
	put_switches(f, h);
	put_hosts(f, h);
	put_links(f, h);
	put_port_thresholds(f, h);
	put_faults(f, h);
	fputs("\nflow_nodes: ", f);
	put_node_range(f, 0, h->n_nodes - 1);
	fputs("\nflows_from: ", f);
	put_quoted(f, flow_path(h));
	if (fclose(f) == 0)
		kept = arena_text(h->a, text, size);
	free(text);
	return kept;
}
