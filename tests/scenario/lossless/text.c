// SPDX-License-Identifier: BSD-3-Clause
// A case of the lossless property as a scenario file.
#include "lossless.h"

#include "hardware/headroom.h"
#include "scene/scene.h"

#define REPAIR_US 4000000 // until every message must have come, whatever was lost
#define HEADERS   74      // of a RoCEv2 frame over IPv4 with RETH and ICRC, without FCS

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

// Longest frame without FCS that a port must take.
static uint32_t longest(const struct ll_case *c)
{
	uint32_t len = 1514;

	for (unsigned i = 0; i < c->n_flows; i++) {
		const struct ll_flow *f = &c->flow[i];

		len = max_u32(len, f->open ? f->high : f->mtu + HEADERS);
	}
	return len;
}

// The bytes that must fit once XOFF is due: the frame that crosses it, 802.1Qbb's sum, and the
// response time by which the peer exceeds 802.3.
static uint64_t from_xoff(const struct ll_case *c, uint16_t gbps, uint32_t delay_ns,
	uint32_t latencies_ns, uint16_t response, uint32_t cell)
{
	rate_t rate = gbps * RATE_GBPS;
	tstamp cable = (delay_ns + (latencies_ns + 1) / 2) * PS_PER_NS;
	uint64_t allowed = headroom_response_bytes(rate);
	uint64_t asked = response == LL_AUTO ? allowed : response * 64ull;
	uint64_t after = headroom_qbb(rate, cable, longest(c));

	after += asked > allowed ? asked - allowed : 0;
	return headroom_auto(after, longest(c), cell);
}

// A switch's port, towards a host or another switch.
struct side {
	unsigned sw, peer;
	bool is_trunk;
	uint16_t rate, response;
	uint32_t delay_ns, latencies_ns;
};

static struct side host_side(const struct ll_case *c, unsigned i)
{
	const struct ll_host *h = &c->host[i];

	return (struct side){h->sw, i, false, h->rate, h->response, h->delay_ns,
		h->latency_ns + c->sw[h->sw].latency_ns};
}

static struct side trunk_side(const struct ll_case *c, unsigned i, bool second)
{
	const struct ll_trunk *t = &c->trunk[i];
	unsigned sw = second ? t->b : t->a, peer = second ? t->a : t->b;

	return (struct side){sw, peer, true, t->rate, c->sw[peer].response, t->delay_ns,
		c->sw[sw].latency_ns + c->sw[peer].latency_ns};
}

static uint64_t group_headroom(const struct ll_case *c, const struct side *s)
{
	return from_xoff(c, s->rate, s->delay_ns, s->latencies_ns, s->response, c->sw[s->sw].cell) *
	       c->headroom_percent / 100;
}

// SONiC's formula comes to no more than this.
static uint64_t at_most(const struct ll_case *c, const struct side *s, const struct ll_class *k)
{
	uint64_t one = group_headroom(c, s);

	return k->sonic ? 3 * one * (1 + c->sw[s->sw].cell / 64) + 4096 : one;
}

static void each_side(const struct ll_case *c, void (*f)(void *, const struct side *), void *arg)
{
	for (unsigned i = 0; i < c->n_hosts; i++) {
		struct side s = host_side(c, i);

		f(arg, &s);
	}
	for (unsigned i = 0; i < c->n_trunks; i++)
		for (unsigned second = 0; second < 2; second++) {
			struct side s = trunk_side(c, i, second);

			f(arg, &s);
		}
}

struct sum {
	const struct ll_case *c;
	unsigned sw;
	uint64_t headroom, reserved;
};

static void add_side(void *arg, const struct side *s)
{
	struct sum *sum = arg;

	for (unsigned i = 0; s->sw == sum->sw && i < sum->c->n_classes; i++) {
		const struct ll_class *k = &sum->c->cls[i];

		if (!k->lossless)
			continue;
		sum->headroom += at_most(sum->c, s, k);
		sum->reserved += k->reserved + sum->c->sw[s->sw].cell;
	}
}

static void print_class(FILE *f, const struct ll_case *c, const struct ll_class *k)
{
	fprintf(f, "      %u:\n        weight: %u\n", k->cls, k->weight);
	if (k->strict)
		fprintf(f, "        strict: true\n");
	if (k->max_percent < 100)
		fprintf(f, "        queue: {max_rate: %u%%}\n", k->max_percent);
	if (k->marked)
		fprintf(f, "        wred: {min: 5KB, max: 50KB, probability: 10%%, mark: %s}\n",
			k->early ? "enqueue" : "dequeue");
	if (k->qcn && k->cls != 6) // the class of CNMs
		fprintf(f, "        qcn: {set_point: 20KB, sample_base: 10KB}\n");
	if (k->iqcn)
		fprintf(f, "        iqcn: {heavy: 10KB, rpg_time_reset: %uus}\n", c->iqcn_us);
	if (k->fast_cnp)
		fprintf(f, "        fast_cnp: {interval: %uus, ce: %s}\n", c->fast_cnp_us,
			k->ce_too ? "true" : "false");
	if (!k->lossless) {
		if (!k->dynamic)
			fprintf(f, "        drop: {limit: %u}\n", k->xoff);
		return;
	}
	fprintf(f, "        lossless: true\n        pfc: {");
	if (k->dynamic)
		fprintf(f, "dynamic_th: %d", k->dynamic_th);
	else
		fprintf(f, "xoff: %u", k->xoff);
	fprintf(f, ", xon_offset: %u", k->xon_offset);
	if (k->reserved)
		fprintf(f, ", reserved: %u", k->reserved);
	fprintf(f, ", headroom: %s, quanta: %u, refresh: %u%%}\n", k->sonic ? "sonic" : "auto",
		k->quanta, k->refresh);
}

static void print_groups(FILE *f, const struct ll_case *c)
{
	unsigned n = 0;

	for (unsigned k = 0; k < c->n_classes; k++)
		if (c->cls[k].group != k)
			fprintf(f, "%s%u: %u", n++ ? ", " : "    pg_map: {", c->cls[k].cls,
				c->cls[c->cls[k].group].cls);
	if (n)
		fprintf(f, "}\n");
}

static void print_switch(FILE *f, const struct ll_case *c, unsigned i)
{
	const struct ll_switch *s = &c->sw[i];
	struct sum sum = {.c = c, .sw = i};

	each_side(c, add_side, &sum);
	fprintf(f, "  s%u:\n    buffer: %lu\n", i + 1,
		(unsigned long)(s->shared + sum.headroom + sum.reserved + 10000));
	if (s->cell > 1)
		fprintf(f, "    cell: %u\n", s->cell);
	if (s->pool && sum.headroom)
		fprintf(f, "    pools: {headroom: %lu}\n", (unsigned long)sum.headroom);
	if (s->latency_ns)
		fprintf(f, "    latency: %uns\n", s->latency_ns);
	if (s->response != LL_AUTO)
		fprintf(f, "    pfc_response: %u\n", s->response);
	if (s->shards > 1)
		fprintf(f, "    shards: %u\n", s->shards);
	if (c->pause)
		fprintf(f, "    flow_control: pause\n");
	if (s->honour)
		fprintf(f, "    pause_honour: true\n");
	if (s->alert)
		fprintf(f,
			"    pfc_watchdog: {poll: 1ms, detection: 1ms, restoration: 1ms, action: "
			"alert}\n");
	if (!c->pause)
		print_groups(f, c);
	fprintf(f, "    classes:\n");
	for (unsigned k = 0; k < c->n_classes; k++)
		print_class(f, c, &c->cls[k]);
}

static void print_host(FILE *f, const struct ll_case *c, unsigned i)
{
	const struct ll_host *h = &c->host[i];
	const struct ll_switch *sw = &c->sw[h->sw];
	uint64_t room =
		from_xoff(c, h->rate, h->delay_ns, h->latency_ns + sw->latency_ns, sw->response, 1);

	fprintf(f, "  h%u:\n", i + 1);
	if (h->latency_ns)
		fprintf(f, "    latency: %uns\n", h->latency_ns);
	if (h->response != LL_AUTO)
		fprintf(f, "    pfc_response: %u\n", h->response);
	if (h->drain_percent < 100)
		fprintf(f, "    rx_buffer: {drain_rate: %u%%, size: %lu, xoff: %u, xon: %u}\n",
			h->drain_percent, (unsigned long)(h->xoff + room * c->n_classes), h->xoff,
			h->xoff / 2);
}

static void print_flow(FILE *f, const struct ll_case *c, unsigned i)
{
	const struct ll_flow *w = &c->flow[i];

	fprintf(f, "  f%u: {from: h%u, to: h%u, class: %u, start: %uus, ", i + 1, w->from + 1,
		w->to + 1, c->cls[w->cls].cls, w->start_us);
	if (w->open) {
		fprintf(f, "open_loop: {size: %u..%u, rate: %u%%, burst: %u}", w->low, w->high,
			w->percent, w->burst);
		if (c->rto_us)
			fprintf(f, ", stop: %uus", c->duration_us);
		fprintf(f, "}\n");
		return;
	}
	fprintf(f, "message: %u, mtu: %u, qps: %u, outstanding: %u, window: %u, ack_every: %u",
		w->message, w->mtu, w->qps, w->outstanding, w->window, w->ack_every);
	if (w->count)
		fprintf(f, ", count: %u", w->count);
	if (c->rto_us)
		fprintf(f, ", rto: %uus, retries: none", c->rto_us);
	else
		fprintf(f, ", rto: none");
	fprintf(f, "%s}\n", w->controlled ? ", control: dcqcn" : "");
}

// By hand, where it is not what is computed.
static void print_ports(FILE *f, const struct ll_case *c, const struct side *s)
{
	fprintf(f, "  \"s%u:%c%u\": {classes: {", s->sw + 1, s->is_trunk ? 's' : 'h', s->peer + 1);
	for (unsigned i = 0, n = 0; i < c->n_classes; i++)
		if (c->cls[i].lossless)
			fprintf(f, "%s%u: {pfc: {headroom: %lu}}", n++ ? ", " : "", c->cls[i].cls,
				(unsigned long)group_headroom(c, s));
	fprintf(f, "}}\n");
}

struct port_print {
	FILE *f;
	const struct ll_case *c;
};

static void print_side(void *arg, const struct side *s)
{
	const struct port_print *p = arg;

	print_ports(p->f, p->c, s);
}

// Time in which all that may stand anywhere leaves by the slowest way, pauses included.
static uint32_t drain_us(const struct ll_case *c)
{
	uint64_t bytes = 0, held_us = 0, slowest = 400000, shaped = 100;

	for (unsigned i = 0; i < c->n_flows; i++)
		bytes += (uint64_t)c->flow[i].qps * c->flow[i].outstanding *
			 (c->flow[i].message + HEADERS);
	for (unsigned i = 0; i < c->n_switches; i++) {
		struct sum sum = {.c = c, .sw = i};

		each_side(c, add_side, &sum);
		bytes += c->sw[i].shared + sum.headroom + sum.reserved;
	}
	for (unsigned i = 0; i < c->n_hosts; i++)
		if (c->host[i].rate * 10ull * c->host[i].drain_percent < slowest)
			slowest = c->host[i].rate * 10ull * c->host[i].drain_percent;
	for (unsigned i = 0; i < c->n_classes; i++)
		shaped = c->cls[i].max_percent < shaped ? c->cls[i].max_percent : shaped;
	for (unsigned i = 0; i < c->n_trunks; i++)
		if (c->trunk[i].rate * 1000ull < slowest)
			slowest = c->trunk[i].rate * 1000ull;
	for (unsigned i = 0; i < c->n_storms; i++)
		held_us += c->storm[i].for_us * (c->storm[i].frames + 1u) + 65535 * 512 / 10000;
	return (uint32_t)(10000 + 2 * held_us + 2 * bytes * 8 * 100 / (slowest * shaped));
}

static void print_why(FILE *f, const char *why)
{
	fputs("# ", f);
	for (; *why; why++) {
		fputc(*why, f);
		if (*why == '\n' && why[1])
			fputs("# ", f);
	}
	fputc('\n', f);
}

static bool has_control(const struct ll_case *c)
{
	for (unsigned i = 0; i < c->n_flows; i++)
		if (c->flow[i].controlled && !c->flow[i].open)
			return true;
	return false;
}

static void print_storm(FILE *f, const struct ll_case *c, unsigned i)
{
	const struct ll_storm *s = &c->storm[i];

	if (s->frames)
		fprintf(f,
			"  - {at: %uus, mac_frames: {port: \"h%u:s%u\", frame: %s, classes: [%u], "
			"quanta: %u, "
			"count: %u, every: %uus}}\n",
			s->at_us, s->host + 1, c->host[s->host].sw + 1, s->all ? "pause" : "pfc",
			c->cls[s->cls].cls, s->quanta, s->frames, s->for_us);
	else
		fprintf(f,
			"  - {at: %uus, pfc_storm: {port: \"h%u:s%u\", class: %u, quanta: %u, "
			"for: %uus}}\n",
			s->at_us, s->host + 1, c->host[s->host].sw + 1, c->cls[s->cls].cls,
			s->quanta, s->for_us);
}

static void print_cut(FILE *f, const struct ll_case *c, unsigned i)
{
	const struct ll_cut *s = &c->cut[i];
	unsigned sw = c->host[s->host].sw + 1u;

	fprintf(f, "  - {at: %uus, link_down: \"h%u:s%u\"}\n", s->at_us, s->host + 1, sw);
	fprintf(f, "  - {at: %uus, link_up: \"h%u:s%u\"}\n", s->at_us + s->for_us, s->host + 1, sw);
}

void ll_print(FILE *f, const struct ll_case *c, const char *why)
{
	uint32_t drain = drain_us(c);
	struct port_print p = {f, c};

	print_why(f, why);
	fprintf(f, "name: lossless-%lu\nduration: %uus\n", (unsigned long)c->seed,
		c->duration_us + (c->rto_us ? REPAIR_US : drain));
	if (!c->rto_us)
		fprintf(f, "drain: %uus\n", drain);
	fprintf(f, "sample: none\nseed: %lu\n", (unsigned long)c->seed);
	if (has_control(c))
		fprintf(f, "controls:\n  dcqcn: {profile: paper, min_rate: 100Mbps}\n");
	fprintf(f, "switches:\n");
	for (unsigned i = 0; i < c->n_switches; i++)
		print_switch(f, c, i);
	fprintf(f, "hosts:\n");
	for (unsigned i = 0; i < c->n_hosts; i++)
		print_host(f, c, i);
	fprintf(f, "links:\n");
	for (unsigned i = 0; i < c->n_hosts; i++)
		fprintf(f, "  - {between: [h%u, s%u], rate: %uGbps, delay: %uns}\n", i + 1,
			c->host[i].sw + 1, c->host[i].rate, c->host[i].delay_ns);
	for (unsigned i = 0; i < c->n_trunks; i++)
		fprintf(f, "  - {between: [s%u, s%u], rate: %uGbps, delay: %uns}\n",
			c->trunk[i].a + 1, c->trunk[i].b + 1, c->trunk[i].rate,
			c->trunk[i].delay_ns);
	if (c->headroom_percent != 100) {
		fprintf(f, "ports:\n");
		each_side(c, print_side, &p);
	}
	fprintf(f, "flows:\n");
	for (unsigned i = 0; i < c->n_flows; i++)
		print_flow(f, c, i);
	if (c->n_storms || c->n_cuts)
		fprintf(f, "events:\n");
	for (unsigned i = 0; i < c->n_storms; i++)
		print_storm(f, c, i);
	for (unsigned i = 0; i < c->n_cuts; i++)
		print_cut(f, c, i);
}
