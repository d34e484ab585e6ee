// SPDX-License-Identifier: BSD-3-Clause
// Frames that a device has refused: what the node says to its peers goes before them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "compile/compile.h"
#include "../eal_lab.h"
#include "frame/frame.h"
#include "rt/run.h"

#define OCTETS    1000
#define SEEN      512
#define ENOUGH    200 // frames, of which the group at port a reaches XOFF
#define STACK     2048
#define INSTANT   PS_PER_US
#define TOLERANCE (20 * PS_PER_US) // so that a whole burst may leave at once

// XOFF at 100 KB, XON 3 KB below.
static const char text[] = "duration: 1s\n"
			   "switches:\n"
			   "  s:\n"
			   "    classes:\n"
			   "      3:\n"
			   "        lossless: true\n"
			   "        pfc: {xoff: 100KB, xon_offset: 3KB, headroom: 1MB}\n"
			   "hosts: {a: {}, b: {}}\n"
			   "links: [{between: [[a, b], s], rate: 100Gbps}]\n"
			   "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n";

// What either device takes from now on, and what it has taken.
static unsigned takes[2];
static struct {
	enum pkt_kind kind;
	uint16_t quanta;
	uint32_t psn;
} seen[2][SEEN];
static unsigned n_seen[2];
static unsigned n_untouched; // of them, those without a header and with nothing in its place

static bool untouched(const struct pkt *p)
{
	const uint8_t *own = (const uint8_t *)(p + 1);
	unsigned touched = 0;

	for (unsigned i = 0; i < sizeof(struct hdr); i++)
		touched |= own[i] ^ 0xa5;
	return !touched;
}

static struct lab {
	struct scene *scene;
	struct rt_world world;
	struct rt_lcore *lc;
	struct rt_clock clock;
	struct dev dev[2];
	tstamp now;
	uint32_t psn;
} lab;

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	unsigned at = (unsigned)(d - lab.dev), sent = n < takes[at] ? n : takes[at];

	(void)queue;
	for (unsigned i = 0; i < sent; i++) {
		const struct pkt *p = eal_pkt(m[i]);
		unsigned k = n_seen[at]++;

		assert_true(k < SEEN);
		n_untouched += p->flags & PKT_F_FOREIGN && !p->hdr && untouched(p);
		seen[at][k].kind = p->kind;
		seen[at][k].quanta = p->kind == PKT_PFC ? p->u.pfc.quanta[3] : 0;
		seen[at][k].psn = p->kind == PKT_DATA ? p->u.rc.psn : 0;
		rte_pktmbuf_free(m[i]);
	}
	takes[at] -= sent;
	return sent;
}

static int start(void **state)
{
	(void)state;
	return eallab_start("net_ring0", 100 * RATE_GBPS);
}

static void open_lab(void)
{
	struct scene_opts opts = {.text = text, .size = sizeof(text) - 1, .real = true};
	uint16_t at[2] = {0};
	struct err err = {0};

	lab.psn = 0;
	lab.now = 0;
	memset(takes, 0, sizeof(takes));
	memset(n_seen, 0, sizeof(n_seen));
	n_untouched = 0;
	if (compile_scene(&lab.scene, "stash.yaml", &opts, &err))
		fail_msg("%s", err.text);
	assert_int_equal(rt_world_init(&lab.world, lab.scene, 1, at, STACK), 0);
	lab.lc = lab.world.lcore[0];
	lab.lc->pool = pool;
	lab.lc->clock = &lab.clock;
	lab.lc->next_turn = TSTAMP_NEVER;
	rt_world_levels(lab.lc, 512);
	rt_lcore_level(lab.lc);
	assert_int_equal(rt_world_build(&lab.world, 0, TOLERANCE, &err), 0);
	for (uint16_t i = 0; i < 2; i++) {
		struct rt_end *e =
			rt_world_end(&lab.world, (unsigned)scene_node(lab.scene, "s"), i);

		if (dev_open(&lab.dev[i], &lab.scene->node[e->node->index].port[i], pool, NULL,
			    &err) ||
			dev_start(&lab.dev[i], &err))
			fail_msg("%s", err.text);
		e->dev = &lab.dev[i];
		lab.lc->dev[lab.lc->n_dev++] = (uint16_t)(e - lab.lc->end);
	}
}

static struct rt_end *end_of(unsigned at)
{
	return &lab.lc->end[lab.lc->dev[at]];
}

static void step(void)
{
	rt_lcore_step(lab.lc, lab.now += INSTANT);
}

// Everything leaves, and what the pool had lent comes back.
static void close_lab(void)
{
	lab.lc->n_dev = 0;
	takes[0] = takes[1] = UINT32_MAX;
	for (unsigned i = 0; i < 10; i++)
		step();
	while (lab.lc->stack.n)
		rte_mempool_put(pool, eal_mbuf(lab.lc->stack.slot[--lab.lc->stack.n]));
	for (unsigned i = 0; i < 2; i++) {
		dev_stop(&lab.dev[i]);
		dev_close(&lab.dev[i]);
	}
	rt_world_fini(&lab.world);
	scene_free(lab.scene);
}

// Frames of class 3 come in at a port, for the host at the other one.
static void come(unsigned at, unsigned n)
{
	static const uint8_t payload[OCTETS];

	while (n) {
		unsigned burst = n < EAL_BURST ? n : EAL_BURST;
		struct rte_mbuf *m[EAL_BURST];

		n -= burst;
		assert_int_equal(rte_pktmbuf_alloc_bulk(pool, m, burst), 0);
		for (unsigned i = 0; i < burst; i++) {
			struct frame fr = {.kind = PKT_DATA,
				.eth = {.dst = {2, 0, 0, 0, 9, (uint8_t)!at},
					.src = {2, 0, 0, 0, 9, (uint8_t)at},
					.ethertype = ETH_P_IPV4},
				.ip = {.version = 4, .tos = 24 << 2, .ttl = 64, .proto = 17},
				.udp = {.sport = 49152, .dport = 4791},
				.bth = {.opcode = 0x07, .pkey = 0xffff, .qpn = 1, .psn = lab.psn++},
				.payload_len = OCTETS};
			int len = frame_render(
				&fr, payload, rte_pktmbuf_mtod(m[i], uint8_t *), 1500, PKT_MIN_LEN);

			assert_true(len > 0);
			rte_pktmbuf_append(m[i], (uint16_t)len);
			memset(pkt_own_hdr(eal_pkt(m[i])), 0xa5, sizeof(struct hdr));
		}
		// A net_ring alone gives back what it was given.
		assert_int_equal(rte_eth_tx_burst(lab.dev[at].id, 0, m, (uint16_t)burst), burst);
		step();
	}
}

// Both devices take nothing while the group of port a's frames reaches XOFF, behind a stash that
// is full. The first frame that the device of port a takes is the XOFF; data keep their order.
static void xoff_goes_before_what_a_device_has_refused(void **state)
{
	(void)state;
	open_lab();
	come(1, EAL_BURST + 1);
	step();
	assert_int_equal(end_of(0)->n_stash, EAL_BURST);
	come(0, ENOUGH);
	step();
	assert_int_equal(n_seen[0], 0);
	takes[0] = 1;
	step();
	assert_int_equal(n_seen[0], 1);
	assert_int_equal(seen[0][0].kind, PKT_PFC);
	assert_int_equal(seen[0][0].quanta, 65535);
	takes[0] = EAL_BURST + 1;
	step();
	step();
	assert_int_equal(n_seen[0], EAL_BURST + 2);
	for (unsigned i = 1; i < n_seen[0]; i++) {
		assert_int_equal(seen[0][i].kind, PKT_DATA);
		assert_int_equal(seen[0][i].psn, i - 1);
	}
	close_lab();
}

// XOFF waits, and what it stopped has gone meanwhile: XON comes behind it, before all data.
static void xon_goes_behind_xoff(void **state)
{
	(void)state;
	open_lab();
	come(1, EAL_BURST + 1);
	come(0, ENOUGH);
	step();
	takes[1] = ENOUGH;
	for (unsigned i = 0; i < 40; i++)
		step();
	assert_int_equal(n_seen[1], ENOUGH);
	assert_int_equal(n_seen[0], 0);
	takes[0] = 2;
	step();
	step();
	assert_int_equal(n_seen[0], 2);
	assert_int_equal(seen[0][0].kind, PKT_PFC);
	assert_int_equal(seen[0][0].quanta, 65535);
	assert_int_equal(seen[0][1].kind, PKT_PFC);
	assert_int_equal(seen[0][1].quanta, 0);
	close_lab();
}

// While a burst is refused, the node is asked for no data: they wait where they are marked.
static void data_wait_in_the_queue(void **state)
{
	const struct sw *sw;

	(void)state;
	open_lab();
	come(1, 3 * EAL_BURST);
	for (unsigned i = 0; i < 10; i++)
		step();
	sw = end_of(0)->node->net->u.sw;
	assert_int_equal(end_of(0)->n_stash, EAL_BURST);
	assert_int_equal(sw_eport(sw, 0)->q[3].frames, 2 * EAL_BURST);
	close_lab();
}

// Frames that go from device to device have no header once their way is known, and theirs was not
// in their mbufs.
static void headers_stand_elsewhere_and_are_forgotten(void **state)
{
	(void)state;
	open_lab();
	assert_true(end_of(0)->forgets && end_of(1)->forgets);
	takes[0] = takes[1] = UINT32_MAX;
	come(0, 1);
	come(1, EAL_BURST + 3);
	for (unsigned i = 0; i < 10; i++)
		step();
	assert_int_equal(n_seen[0] + n_seen[1], EAL_BURST + 4);
	assert_int_equal(n_untouched, EAL_BURST + 4);
	close_lab();
}

// What the switch of a scene, port 0 of which has a device, makes of headers there.
static bool forgets(const char *yaml)
{
	struct scene_opts opts = {.text = yaml, .size = strlen(yaml), .real = true};
	struct rt_world w;
	uint16_t at[4] = {0};
	struct scene *s;
	struct err err = {0};
	bool is;

	if (compile_scene(&s, "headers.yaml", &opts, &err))
		fail_msg("%s", err.text);
	assert_int_equal(rt_world_init(&w, s, 1, at, STACK), 0);
	assert_int_equal(rt_world_build(&w, 0, TOLERANCE, &err), 0);
	is = rt_world_end(&w, (unsigned)scene_node(s, "s"), 0)->forgets;
	rt_world_fini(&w);
	scene_free(s);
	return is;
}

#define SCENE(more)               \
	"duration: 1s\n"          \
	"hosts: {a: {}, b: {}}\n" \
	"links: [{between: [[a, b], s], rate: 100Gbps}]\n" more

// Headers stay where a host of this process, a capture or a congestion point may ask for them.
static void headers_are_kept_for_who_reads_them(void **state)
{
	(void)state;
	assert_true(
		forgets(SCENE("switches: {s: {}}\n"
			      "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n")));
	assert_false(forgets(SCENE("switches: {s: {}}\nports: {s:a: {device: net_ring0}}\n")));
	assert_false(forgets(SCENE(
		"switches: {s: {}}\n"
		"ports: {s:a: {device: net_ring0, capture: true}, s:b: {device: net_ring1}}\n")));
	assert_false(
		forgets(SCENE("switches: {s: {classes: {2: {qcn: {}}}}}\n"
			      "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xoff_goes_before_what_a_device_has_refused),
		cmocka_unit_test(xon_goes_behind_xoff),
		cmocka_unit_test(data_wait_in_the_queue),
		cmocka_unit_test(headers_stand_elsewhere_and_are_forgotten),
		cmocka_unit_test(headers_are_kept_for_who_reads_them),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
