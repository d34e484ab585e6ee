// SPDX-License-Identifier: BSD-3-Clause
// Bursts for many queues: two like switches, one fed burst by burst, the other frame by frame. What
// the buffer, which has room for a part of a burst, lets through is the same.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "sw/int.h"

#define SEEDS  60
#define BURSTS 200
#define PORTS  40
#define PKTS   256
#define QUEUES ((PORTS - 1) * PKT_CLASSES)

// One switch, which frames reach by port 0.
struct half {
	struct sw *sw;
	struct pkt_stack stack;
	struct ev_ring events;
	struct pkt *slot[PKTS];
	struct ev ev[64];
	struct pkt pkt[PKTS];
};

struct both {
	struct sw_params params;
	struct sw_port_params port[PORTS];
	struct sw_fdb_params fdb[PORTS];
	struct sw_set_params set;
	struct hdr hdr[PORTS + 1]; // by id; host of each port
	struct half bursts, frames;
	struct prng rng;
	uint64_t passed, dropped;
};

static unsigned below(struct both *t, unsigned n)
{
	return (unsigned)prng_below(&t->rng, n);
}

static void random_params(struct both *t)
{
	struct sw_params *sp = &t->params;
	bool two_sided = below(t, 2), maps = below(t, 2);

	*sp = (struct sw_params){.name = "s",
		.seed = 1,
		.n_ports = PORTS,
		.port = t->port,
		.buffer_bytes = 5000 + below(t, 40000),
		.cell_bytes = two_sided ? 80 : 0,
		.shared_hdrs = PORTS + 1,
		.framing = {4, 24, 0, 0},
		.fdb = t->fdb,
		.n_fdb = PORTS,
		.set = &t->set,
		.n_sets = 1};
	for (unsigned i = 0; i < 64; i++)
		t->set.dscp_to_class[i] = (uint8_t)(i / 8);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		t->set.queue_map[c] = (uint8_t)(maps ? below(t, PKT_CLASSES) : c);
		t->set.pg_map[c] = (uint8_t)c;
	}
	for (unsigned i = 0; i < PORTS; i++) {
		struct hdr *h = &t->hdr[i + 1];

		*h = (struct hdr){.flags = HDR_IPV4, .ethertype = 0x0800, .id = i + 1};
		h->src[0] = h->dst[0] = 2;
		h->dst[5] = (uint8_t)i;
		memcpy(t->fdb[i].mac, h->dst, 6);
		t->fdb[i].port = (uint16_t)i;
		t->port[i] = (struct sw_port_params){.name = "p",
			.mac = {6, 0, 0, 0, 0, (uint8_t)i},
			.rate = 100 * RATE_GBPS,
			.mtu = 1500};
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			t->port[i].pg[c].static_bytes = t->port[i].queue[c].static_bytes =
				1000 + below(t, 20000);
	}
}

static void start(struct both *t, struct half *h)
{
	h->events = (struct ev_ring){.slot = h->ev, .mask = 63};
	h->stack = (struct pkt_stack){.slot = h->slot, .cap = PKTS};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&h->stack, &h->pkt[i]);
	assert_int_equal(sw_init(&h->sw, &t->params, &h->stack, &h->events), 0);
}

// Queues of a burst's frames, port * PKT_CLASSES + class: of a few or many, in turn, drawn, or in
// trains of random length.
static void random_queues(struct both *t, unsigned *queue, unsigned n)
{
	unsigned of[SW_BURST], some = 1 + below(t, below(t, 2) ? 6 : SW_BURST);
	unsigned order = below(t, 3), train = 1 + below(t, 8);

	for (unsigned i = 0; i < some; i++)
		of[i] = PKT_CLASSES + below(t, QUEUES);
	for (unsigned i = 0; i < n; i++)
		if (order == 0)
			queue[i] = of[i % some];
		else if (order == 1 || !i || !below(t, train))
			queue[i] = of[below(t, some)];
		else
			queue[i] = queue[i - 1];
}

static struct pkt *frame(struct both *t, struct half *h, unsigned queue, unsigned len, unsigned seq)
{
	struct pkt *p = pkt_get(&h->stack);

	assert_non_null(p);
	*p = (struct pkt){.hdr = &t->hdr[queue / PKT_CLASSES + 1],
		.len = (uint16_t)len,
		.kind = PKT_DATA,
		.tos = (uint8_t)(queue % PKT_CLASSES * 8 << 2 | (seq % 7 ? ECN_ECT0 : ECN_CE)),
		.u.rc.psn = seq};
	return p;
}

static void feed(struct both *t, tstamp now)
{
	unsigned queue[SW_BURST], len = 60 + below(t, 1400), n = 1 + below(t, SW_BURST);
	struct pkt *burst[SW_BURST], *single[SW_BURST];
	bool differ = below(t, 2);

	random_queues(t, queue, n);
	for (unsigned i = 0; i < n; i++) {
		len = differ ? 60 + below(t, 1400) : len;
		burst[i] = frame(t, &t->bursts, queue[i], len, i);
		single[i] = frame(t, &t->frames, queue[i], len, i);
	}
	sw_rx(t->bursts.sw, 0, burst, n, now);
	for (unsigned i = 0; i < n; i++)
		sw_rx(t->frames.sw, 0, &single[i], 1, now);
}

// Both give the same until `end`, and are empty then.
static void drain(struct both *t, unsigned port, tstamp end)
{
	tstamp at;

	while ((at = sw_deadline(t->bursts.sw, port)) <= end) {
		struct pkt *p = NULL, *q = NULL;
		unsigned n = sw_tx(t->bursts.sw, port, &p, 1, at);

		assert_int_equal(n, sw_tx(t->frames.sw, port, &q, 1, at));
		if (!n)
			continue;
		assert_int_equal(p->u.rc.psn, q->u.rc.psn);
		assert_int_equal(pkt_word(p), pkt_word(q));
		assert_int_equal(p->when, q->when);
		assert_int_equal(p->hdr->id, port + 1);
		pkt_put(&t->bursts.stack, p);
		pkt_put(&t->frames.stack, q);
		t->passed++;
	}
	assert_true(sw_deadline(t->frames.sw, port) > end);
}

static void same_counts(struct both *t)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct sw_class_stats s = sw_class_stats(t->bursts.sw, 0, c);
		struct sw_class_stats r = sw_class_stats(t->frames.sw, 0, c);

		assert_memory_equal(&s, &r, sizeof(s));
		t->dropped += s.dropped_frames;
	}
	for (unsigned i = 0; i < PORTS; i++) {
		struct sw_port_stats s = sw_port_stats(t->bursts.sw, i);
		struct sw_port_stats r = sw_port_stats(t->frames.sw, i);

		assert_memory_equal(&s, &r, sizeof(s));
	}
}

static void finish(struct half *h)
{
	char why[200] = "";

	assert_int_equal(h->stack.n, PKTS);
	if (sw_conserve(h->sw, why, sizeof(why)))
		fail_msg("%s", why);
	sw_fini(h->sw);
}

static void bursts_for_many_queues_are_as_frames(void **state)
{
	struct both *t = calloc(1, sizeof(*t));
	tstamp now = 0;

	(void)state;
	assert_non_null(t);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		printf("seed %" PRIu64 "\n", seed);
		prng_init(&t->rng, seed, "bundle");
		random_params(t);
		start(t, &t->bursts);
		start(t, &t->frames);
		for (unsigned i = 0; i < BURSTS; i++) {
			feed(t, now);
			now += PS_PER_MS;
			for (unsigned port = 0; port < PORTS; port++)
				drain(t, port, now);
		}
		same_counts(t);
		finish(&t->bursts);
		finish(&t->frames);
	}
	printf("%" PRIu64 " passed, %" PRIu64 " dropped\n", t->passed, t->dropped);
	assert_true(t->passed > 100000 && t->dropped > 10000);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_for_many_queues_are_as_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
