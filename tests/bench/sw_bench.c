// SPDX-License-Identifier: BSD-3-Clause
// The cost of a frame in the switch: flows into one port. Prints ns per frame (rx and tx together,
// without the loop around them).
// sw_bench [FRAMES]: marking, PFC, events and accounting on; then bursts for several egress ports
// and classes
// sw_bench FEATURE BURST FRAMES: one feature alone, "off", "all" or "bench"; a burst has one flow
// sw_bench FEATURE BURST FRAMES FLOWS hosts|macs LEN: frames of LEN bytes, each of another flow and
// with a header of its own, between two hosts at each port or between addresses of the flow's own
// sw_bench FEATURE BURST FRAMES FLOWS hosts LEN WAYS CLASSES [drawn]: from four ports, to as many
// egress ports in turn, and in as many classes in turn at each of them; drawn: the frames of each
// burst in an order that is drawn
// sw_bench mix BURST FRAMES: mixed traffic, without a clock
// sw_bench cut BURST FRAMES: the same through a switch cut into two shards
// sw_bench --list: the features
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sw/sw.h"
#include "sw_feature.h"
#include "sw_mix.h"
#include "wire/eth.h"

#define HOSTS  FEATURE_HOSTS
#define QUEUED FEATURE_QUEUED
#define BURST  64          // at most
#define MIXED  (HOSTS / 2) // ports that frames come in at, where there may be several ways
#define LEN    FEATURE_LEN
#define PKTS   4096
#define ROUNDS 5

struct bench {
	struct sw *sw;
	struct feature_params params;
	struct pkt_stack stack;
	struct ev_ring events;
	struct hdr hdr[HOSTS + 1]; // by id
	struct pkt *slot[PKTS];
	struct ev ev[1024];
	struct feature_cell cell[PKTS];
	uint64_t pfc, marked;
	tstamp now;
	uint32_t lcg;
	unsigned made;  // frames
	unsigned flows; // 0: a burst is of one flow
	bool macs;      // of the flows' own
	uint16_t len;
	// Frames come in at the first ports. Way w is port HOSTS - w.
	unsigned sources, ways, classes;
	bool drawn; // ways and classes are in no order
};

static unsigned draw(struct bench *b)
{
	return (b->lcg = b->lcg * 1664525 + 1013904223) >> 8;
}

static void put_flow(uint8_t mac[6], unsigned who, unsigned flow)
{
	memcpy(mac,
		(uint8_t[]){2, (uint8_t)who, (uint8_t)(flow >> 24), (uint8_t)(flow >> 16),
			(uint8_t)(flow >> 8), (uint8_t)flow},
		6);
}

static uint8_t dscp_of(unsigned cls)
{
	return (uint8_t)(8 * cls);
}

// Flow n comes in at port n % HOSTS.
static void set_flow(const struct bench *b, struct pkt *p, unsigned n)
{
	struct hdr *h = pkt_own_hdr(p);

	*h = b->hdr[n % HOSTS + 1];
	h->id = 0;
	h->proto = 17;
	h->sport = (uint16_t)n;
	h->dport = 4791;
	if (b->macs) {
		put_flow(h->src, 1, n);
		put_flow(h->dst, 2, n);
	}
	p->hdr = h;
}

// Frame i of a burst: ways take turns, and the classes of each way do.
static void set_queue(const struct bench *b, struct pkt *p, unsigned i)
{
	unsigned cls = FEATURE_CLS - i / b->ways % b->classes;

	pkt_own_hdr(p)->dst[5] = (uint8_t)(HOSTS - i % b->ways);
	p->tos |= (uint8_t)(dscp_of(cls) << 2);
}

// Further classes have all that the first one has.
static void add_classes(struct bench *b)
{
	for (unsigned n = 1; n < b->classes; n++) {
		unsigned cls = FEATURE_CLS - n;

		b->params.set.cls[cls] = b->params.set.cls[FEATURE_CLS];
		b->params.set.dscp_to_class[dscp_of(cls)] = (uint8_t)cls;
		for (unsigned i = 0; i < FEATURE_PORTS; i++) {
			struct sw_port_params *p = &b->params.port[i];

			p->pg[cls] = p->pg[FEATURE_CLS];
			p->queue[cls] = p->queue[FEATURE_CLS];
			p->max_rate[cls] = p->max_rate[FEATURE_CLS];
			p->min_rate[cls] = p->min_rate[FEATURE_CLS];
			p->wd_classes |= (uint8_t)((p->wd_classes >> FEATURE_CLS & 1) << cls);
		}
	}
}

// The receivers of all flows speak once, to who is at their own port.
static void learn(struct bench *b)
{
	for (unsigned i = 0; b->macs && i < b->flows; i++) {
		struct pkt *p = pkt_get(&b->stack);

		*p = (struct pkt){.hdr = pkt_own_hdr(p), .len = 60, .kind = PKT_DATA};
		*pkt_own_hdr(p) = b->hdr[1];
		pkt_own_hdr(p)->id = 0;
		put_flow(pkt_own_hdr(p)->src, 2, i);
		sw_rx(b->sw, HOSTS, &p, 1, 0);
		b->events.tail = b->events.head;
	}
}

static int start(struct bench *b, const struct feature *feature, tstamp tolerance)
{
	const struct bench asked = {.flows = b->flows,
		.macs = b->macs,
		.len = b->len,
		.sources = b->sources,
		.ways = b->ways,
		.classes = b->classes,
		.drawn = b->drawn};

	*b = asked;
	feature_none(&b->params);
	feature->on(&b->params);
	add_classes(b);
	b->params.p.fdb_entries = 16 * b->flows; // so that hardly a set is too small
	b->params.p.tolerance_ps = tolerance;
	for (unsigned i = 0; i < HOSTS; i++)
		b->hdr[i + 1] = (struct hdr){
			.dst = {2, 0, 0, 0, 0, HOSTS},
			.src = {2, 0, 0, 0, 0, (uint8_t)i},
			.ethertype = ETH_P_IPV4,
			.sport = (uint16_t)i,
			.flags = HDR_IPV4,
			.id = i + 1,
		};
	b->events =
		(struct ev_ring){.slot = b->ev, .mask = 1023, .want = ~(1ull << EV_XOFF_HOLDER)};
	b->stack = (struct pkt_stack){.slot = b->slot,
		.cap = PKTS,
		.reserve = 64,
		.data_off = offsetof(struct feature_cell, room),
		.room = sizeof(b->cell->room)};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&b->stack, &b->cell[i].p);
	return sw_init(&b->sw, &b->params.p, &b->stack, &b->events);
}

static void shuffle(struct bench *b, struct pkt **burst, unsigned n)
{
	for (; n > 1; n--) {
		unsigned at = (draw(b) >> 8) % n;
		struct pkt *p = burst[at];

		burst[at] = burst[n - 1];
		burst[n - 1] = p;
	}
}

// A burst of one port, as its NIC or the parser makes it.
static unsigned make(struct bench *b, struct pkt **burst, unsigned n, bool foreign)
{
	unsigned flow = (draw(b) >> 21) % b->sources;

	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = pkt_get(&b->stack);

		*p = (struct pkt){
			.hdr = &b->hdr[flow + 1],
			.len = b->len,
			.kind = PKT_DATA,
			.tos = b->params.not_ect ? ECN_NOT_ECT : ECN_ECT0,
		};
		if (b->params.classes)
			p->tos |= (uint8_t)(dscp_of(FEATURE_CLS - b->made++ % b->params.classes)
					    << 2);
		if (b->flows) {
			set_flow(b, p, (draw(b) % b->flows & ~(HOSTS - 1u)) + flow);
			if (b->sources == MIXED)
				set_queue(b, p, i);
		} else if (foreign) {
			*pkt_own_hdr(p) = b->hdr[flow + 1];
			pkt_own_hdr(p)->id = 0;
			p->hdr = pkt_own_hdr(p);
		}
		burst[i] = p;
	}
	if (b->drawn)
		shuffle(b, burst, n);
	return flow;
}

static void send(struct bench *b, unsigned port, unsigned max, tstamp now)
{
	struct pkt *out[BURST];
	unsigned n = sw_tx(b->sw, port, out, max, now);

	for (unsigned i = 0; i < n; i++) {
		b->pfc += out[i]->kind == PKT_PFC;
		b->marked += out[i]->flags & PKT_F_CE;
		pkt_put(&b->stack, out[i]);
	}
}

// Ports that have something to send besides those that always have: XOFF and XON, CNMs.
static void serve_touched(struct bench *b, tstamp now)
{
	struct node_touched *t = sw_touched(b->sw);

	for (uint64_t w = t->word[0]; w; w &= w - 1) {
		unsigned port = (unsigned)__builtin_ctzll(w);

		if (port < b->sources && sw_deadline(b->sw, port) <= now)
			send(b, port, 32, now);
		if (port < b->sources && sw_deadline(b->sw, port) == TSTAMP_NEVER)
			t->word[0] &= ~(1ull << port);
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Seconds for n frames in bursts; without the switch where `empty`.
static double run(struct bench *b, unsigned n, unsigned burst, bool foreign, bool empty)
{
	tstamp wire = (b->len + PKT_WIRE) * 80 * (tstamp)(burst / b->ways);
	struct pkt *in[BURST];
	double t = seconds();

	if (b->params.load_percent)
		wire = wire * 100 / b->params.load_percent;
	for (unsigned i = 0; i < n; i += burst) {
		unsigned flow = make(b, in, burst, foreign);
		tstamp now = b->now += wire;

		if (empty) {
			for (unsigned k = 0; k < burst; k++)
				pkt_put(&b->stack, in[k]);
			continue;
		}
		sw_rx(b->sw, flow, in, burst, now);
		for (unsigned w = 0; w < b->ways; w++)
			send(b, HOSTS - w, burst / b->ways, now);
		serve_touched(b, now);
		b->events.tail = b->events.head;
	}
	return seconds() - t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// Median of ns a frame, and the range.
struct price {
	double low, median, high;
};

// Each queue has what stands in it.
static void fill(struct bench *b, bool foreign)
{
	unsigned queues = b->ways * b->classes;

	for (unsigned i = 0; i < QUEUED; i++) {
		struct pkt *p[BURST];

		sw_rx(b->sw, make(b, p, queues, foreign), p, queues, b->now);
	}
}

static void arrives(struct bench *b, unsigned port, struct pkt frame, const struct hdr *h)
{
	struct pkt *p = pkt_get(&b->stack);

	*p = frame;
	p->hdr = pkt_own_hdr(p);
	*pkt_own_hdr(p) = *h;
	pkt_own_hdr(p)->id = 0;
	sw_rx(b->sw, port, &p, 1, b->now);
}

// The receivers of all flows acknowledge once. The ACKs leave with later frames.
static void acknowledge(struct bench *b)
{
	unsigned flows = b->flows ? b->flows : HOSTS;

	for (unsigned i = 0; i < flows; i++) {
		const struct hdr *data = &b->hdr[i % HOSTS + 1];
		struct hdr h = *data;

		if (i % HOSTS >= b->sources)
			continue;
		memcpy(h.dst, data->src, sizeof(h.dst));
		memcpy(h.src, data->dst, sizeof(h.src));
		h.sport = (uint16_t)i;
		arrives(b, HOSTS, (struct pkt){.kind = PKT_ACK, .len = 60, .u.rc.qpn = i}, &h);
		serve_touched(b, b->now);
		b->events.tail = b->events.head;
	}
}

// A frame waits at the port that nobody uses, whose peer pauses, until the watchdog sees a storm.
// Nobody asks the watchdog again.
static int shut(struct bench *b)
{
	struct hdr h = b->hdr[1];
	struct pkt pfc = {.kind = PKT_PFC, .len = PKT_MIN_LEN};

	h.dst[5] = FEATURE_IDLE;
	pfc.u.pfc.enable = 1 << FEATURE_CLS;
	pfc.u.pfc.quanta[FEATURE_CLS] = 65535;
	for (unsigned polls = 0; polls < 4; polls++) {
		arrives(b, FEATURE_IDLE, pfc, &h);
		if (!polls)
			arrives(b, 0, (struct pkt){.kind = PKT_DATA, .len = b->len}, &h);
		b->now += b->params.port[FEATURE_IDLE].wd.poll;
		send(b, FEATURE_IDLE, 1, b->now);
	}
	b->events.tail = b->events.head;
	return sw_wd_stats(b->sw, FEATURE_IDLE, FEATURE_CLS)->storms ? 0 : -1;
}

static int measure(struct bench *b, struct price *to, const struct feature *feature, unsigned n,
	unsigned burst, bool foreign)
{
	double ns[ROUNDS];
	char why[200];
	int rc = start(b, feature, burst > 1 ? (burst + 8) * (b->len + PKT_WIRE) * 80u : 0);

	if (rc)
		return rc;
	foreign |= b->params.own_headers;
	learn(b);
	if (b->params.shut_elsewhere && shut(b))
		return -1;
	if (b->params.acks)
		acknowledge(b);
	fill(b, foreign);
	for (unsigned i = 0; i < ROUNDS; i++)
		ns[i] = (run(b, n, burst, foreign, false) - run(b, n, burst, foreign, true)) / n *
			1e9;
	qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
	*to = (struct price){ns[0], ns[ROUNDS / 2], ns[ROUNDS - 1]};
	rc = sw_conserve(b->sw, why, sizeof(why));
	if (rc)
		fprintf(stderr, "%s\n", why);
	sw_fini(b->sw);
	return rc;
}

static int table(struct bench *b, unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < 4; i++) {
		unsigned burst = i & 1 ? 32 : 1;
		struct price p;

		rc = measure(b, &p, feature_named("bench"), n, burst, i / 2);
		if (!rc)
			printf("burst %2u, %s headers: %5.1f ns a frame (%.1f to %.1f), marked "
			       "%.2f %%, PFC %.2f %%\n",
				burst, i / 2 ? "own   " : "shared", p.median, p.low, p.high,
				100.0 * (double)b->marked / ROUNDS / n,
				100.0 * (double)b->pfc / ROUNDS / n);
	}
	return rc;
}

// Bursts of 32 frames for so many egress ports, in so many classes at each.
static int mixed_row(struct bench *b, unsigned n, const char *feature, bool drawn, unsigned ways,
	unsigned classes)
{
	struct price p;
	int rc;

	*b = (struct bench){.flows = 64,
		.len = LEN,
		.sources = MIXED,
		.ways = ways,
		.classes = classes,
		.drawn = drawn};
	rc = measure(b, &p, feature_named(feature), n, 32, false);
	if (!rc)
		printf("%ux%u %-12s %-8s %5.1f ns a frame (%.1f to %.1f)\n", ways, classes, feature,
			drawn ? "drawn" : "in turns", p.median, p.low, p.high);
	return rc;
}

static int mixed_table(struct bench *b, unsigned n)
{
	static const char *const on[] = {"off", "mark_dequeue", "all"};
	static const unsigned ways[] = {1, 1, 2, 4}, classes[] = {1, 2, 2, 3};
	int rc = 0;

	for (unsigned i = 0; !rc && i < 24; i++)
		rc = mixed_row(b, n, on[i / 8], i / 4 & 1, ways[i % 4], classes[i % 4]);
	return rc;
}

// For sw_price.py: ns a frame of one feature.
static int one(struct bench *b, const char *name, unsigned burst, unsigned n)
{
	const struct feature *f = feature_named(name);
	struct price p;

	if (!f || !burst || burst > BURST || burst % b->ways || measure(b, &p, f, n, burst, false))
		return -1;
	printf("%.2f %.2f %.2f\n", p.median, p.low, p.high);
	return 0;
}

static void list(void)
{
	static const char *const ends[] = {"off", "all"};

	for (unsigned i = 0; i < n_features; i++)
		printf("%s\t%s\n", features[i].name, features[i].what);
	for (unsigned i = 0; i < 2; i++)
		printf("%s\t%s\n", ends[i], feature_named(ends[i])->what);
}

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

// Up to 1 Mi flows, a multiple of the ports that they come in at.
static bool ask_flows(struct bench *b, char **argv)
{
	b->flows = (number(argv[0]) + HOSTS - 1) / HOSTS * HOSTS;
	b->macs = !strcmp(argv[1], "macs");
	b->len = (uint16_t)number(argv[2]);
	return b->flows && b->flows <= 1u << 20 && (b->macs || !strcmp(argv[1], "hosts")) &&
	       b->len >= PKT_MIN_LEN && b->len <= 1500;
}

// Queues of up to four egress ports and three classes.
static bool ask_queues(struct bench *b, char **argv, bool drawn)
{
	b->drawn = drawn;
	b->sources = MIXED;
	b->ways = number(argv[0]);
	b->classes = number(argv[1]);
	return !b->macs && b->ways && b->ways <= 4 && b->classes && b->classes <= 3;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 3 ? number(argv[3]) : argc > 1 ? number(argv[argc - 1]) : 1000000;
	bool drawn = argc == 10 && !strcmp(argv[9], "drawn");
	struct bench *b;
	int rc;

	if (argc > 1 && !strcmp(argv[1], "--list")) {
		list();
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "mix"))
		return sw_mix_run(number(argv[2]), n, 1) != 0;
	if (argc == 4 && !strcmp(argv[1], "cut"))
		return sw_mix_run(number(argv[2]), n, 2) != 0;
	b = calloc(1, sizeof(*b));
	n = n / 32 * 32 + 32;
	if (!b)
		return 1;
	b->len = LEN;
	b->sources = HOSTS;
	b->ways = b->classes = 1;
	if (((argc == 7 || argc == 9 || drawn) && !ask_flows(b, argv + 4)) ||
		((argc == 9 || drawn) && !ask_queues(b, argv + 7, drawn)))
		rc = -1;
	else if (argc > 3)
		rc = one(b, argv[1], number(argv[2]), n);
	else
		rc = table(b, n) ? -1 : mixed_table(b, n);
	free(b);
	return rc != 0;
}
