// SPDX-License-Identifier: BSD-3-Clause
// Frames that a device, or a ring to another lcore, has refused: what the node says to its peers
// goes before them.
#include "stash_lab.h"

#define SEEN   512
#define ENOUGH 200 // frames, of which the group at port a reaches XOFF
#define SLOTS  8   // of the small ring

// A switch whose class 3 has XOFF at 100 KB, XON 3 KB below.
#define SWITCH                     \
	"duration: 1s\n"           \
	"switches:\n"              \
	"  s:\n"                   \
	"    classes:\n"           \
	"      3:\n"               \
	"        lossless: true\n" \
	"        pfc: {xoff: 100KB, xon_offset: 3KB, headroom: 1MB}\n"

static const char text[] = SWITCH "hosts: {a: {}, b: {}}\n"
				  "links: [{between: [[a, b], s], rate: 100Gbps}]\n"
				  "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n";

// The same hosts and devices; the marker looks at frames that leave.
static const char marker_text[] = "duration: 1s\n"
				  "switches: {s: {classes: {3: {wred:\n"
				  "  {min: 5KB, max: 40KB, probability: 100%, mark: dequeue}}}}}\n"
				  "hosts: {a: {}, b: {}}\n"
				  "links: [{between: [[a, b], s], rate: 100Gbps}]\n"
				  "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n";

// A host that sends as much as its window lets it, and whose receive buffer is small and slow.
static const char host_text[] =
	"duration: 1s\n"
	"hosts:\n"
	"  a: {rx_buffer: {drain_rate: 1%, size: 1MB, xoff: 20KB, xon: 10KB}}\n"
	"  b: {external: true, mac: \"02:00:00:00:09:01\"}\n"
	"links: [{between: [a, b], rate: 100Gbps}]\n"
	"ports: {a:b: {device: net_ring0}}\n"
	"flows: {f: {from: a, to: b, class: 3, message: 1MB, rto: none, peer: {qpn: 17}}}\n";

// The same switch with a device at port a only. Host b is in memory, and far away.
static const char ring_text[] =
	SWITCH "hosts: {a: {external: true, mac: \"02:00:00:00:09:00\"}, b: {}}\n"
	       "links:\n"
	       "  - {between: [a, s], rate: 100Gbps}\n"
	       "  - {between: [b, s], rate: 100Gbps, delay: 100us}\n"
	       "ports: {s:a: {device: net_ring0}}\n"
	       "flows: {f: {from: b, to: a, class: 3, message: 1MB, rto: none, peer: {qpn: 17}}}\n";

// The number of frames that either device takes from now on, and the frames that it has taken.
static unsigned takes[2];
static struct {
	enum pkt_kind kind;
	uint16_t quanta;
	uint32_t psn;
} seen[2][SEEN];
static unsigned n_seen[2];
static unsigned n_marked;    // of them, those with CE
static unsigned n_untouched; // of them, those without a header and with nothing in its place

static bool untouched(const struct pkt *p)
{
	const uint8_t *own = (const uint8_t *)(p + 1);
	unsigned touched = 0;

	for (unsigned i = 0; i < sizeof(struct hdr); i++)
		touched |= own[i] ^ 0xa5;
	return !touched;
}

static unsigned ecn_of(const struct rte_mbuf *m, const struct pkt *p)
{
	return rte_pktmbuf_mtod(m, const uint8_t *)[p->l3_off + 1] & 3;
}

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	unsigned at = (unsigned)(d - lab.dev), sent = n < takes[at] ? n : takes[at];

	(void)queue;
	for (unsigned i = 0; i < sent; i++) {
		const struct pkt *p = eal_pkt(m[i]);
		unsigned k = n_seen[at]++;

		assert_true(k < SEEN);
		if (p->flags & PKT_F_FOREIGN) // the bytes say what the switch has decided
			assert_int_equal(ecn_of(m[i], p), pkt_ecn(p));
		n_marked += pkt_ecn(p) == ECN_CE;
		n_untouched += p->flags & PKT_F_FOREIGN && !p->hdr && untouched(p);
		seen[at][k].kind = p->kind;
		seen[at][k].quanta = p->kind == PKT_PFC ? p->u.pfc.quanta[3] : 0;
		seen[at][k].psn = p->kind == PKT_DATA ? p->u.rc.psn : 0;
		rte_pktmbuf_free(m[i]);
	}
	takes[at] -= sent;
	return sent;
}

static void open_scene(const char *yaml, const char *far)
{
	memset(takes, 0, sizeof(takes));
	memset(n_seen, 0, sizeof(n_seen));
	n_marked = n_untouched = 0;
	open_world(yaml, far);
}

static void open_lab(void)
{
	open_scene(text, NULL);
}

static void step(void)
{
	rt_lcore_step(lab.lc, lab.now += INSTANT);
}

// Everything leaves.
static void close_lab(void)
{
	lab.lc->n_dev = 0;
	takes[0] = takes[1] = UINT32_MAX;
	for (unsigned i = 0; i < 10; i++)
		step();
	close_world();
}

// A frame of class 3, ECT(0). The place of a header behind its descriptor is filled, so that the
// test sees whether one was written there.
static struct rte_mbuf *fresh_frame(const uint8_t dst[6], const uint8_t src[6])
{
	struct rte_mbuf *m = outside_frame(dst, src, 3 << 5 | ECN_ECT0);

	memset(pkt_own_hdr(eal_pkt(m)), 0xa5, sizeof(struct hdr));
	return m;
}

// They come in at a device, whose loop takes a burst at a time.
static void come_for(unsigned at, const uint8_t dst[6], unsigned n)
{
	const uint8_t src[6] = {2, 0, 0, 0, 9, (uint8_t)at};

	while (n) {
		unsigned burst = n < EAL_BURST ? n : EAL_BURST;
		struct rte_mbuf *m[EAL_BURST];

		n -= burst;
		for (unsigned i = 0; i < burst; i++)
			m[i] = fresh_frame(dst, src);
		// A net_ring alone gives back what it was given.
		assert_int_equal(rte_eth_tx_burst(lab.dev[at].id, 0, m, (uint16_t)burst), burst);
		step();
	}
}

// For the host at the other device.
static void come(unsigned at, unsigned n)
{
	come_for(at, (uint8_t[]){2, 0, 0, 0, 9, (uint8_t)!at}, n);
}

// The device takes a frame, then a burst, which begins with this PSN.
static void first_is_xoff_then_data(uint32_t psn)
{
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
		assert_int_equal(seen[0][i].psn, psn + i - 1);
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
	first_is_xoff_then_data(0);
	close_lab();
}

// The same of a host: its receive buffer reaches XOFF while the device takes nothing.
static void xoff_of_a_host_goes_before_its_data(void **state)
{
	(void)state;
	open_scene(host_text, NULL);
	takes[0] = 1;
	step();
	assert_int_equal(n_seen[0], 1);
	n_seen[0] = 0;
	lab.now += TOLERANCE; // so long it is not asked, and then a burst is due
	step();
	assert_int_equal(end_of(0)->n_stash, EAL_BURST);
	come_for(0, lab.scene->node[scene_node(lab.scene, "a")].mac, EAL_BURST);
	step();
	assert_int_equal(n_seen[0], 0);
	first_is_xoff_then_data(1);
	close_lab();
}

// The test is the lcore at the other end of the ring. It takes a frame.
static const struct pkt *taken(struct rt_ring *r)
{
	static struct pkt copy;
	struct pkt *p;

	assert_int_equal(rt_ring_get(r, &p, 1), 1);
	copy = *p;
	to_pool(NULL, p);
	return &copy;
}

// A port with a link to an lcore of its own, which has a ring of so many slots instead.
static struct rt_ring *small_ring(const struct rt_end *near, unsigned host, uint32_t slots)
{
	struct rt_end *far = rt_world_end(&lab.world, host, 0);

	assert_ptr_equal(near->out, &far->in);
	free(far->in.ring);
	far->in.ring = rt_ring_new(slots);
	assert_non_null(far->in.ring);
	return far->in.ring;
}

// Between lcores it is a ring that refuses frames. Ring and stash are full when frames of host b,
// which have been on their way meanwhile, bring its group to XOFF.
static void xoff_goes_before_what_a_ring_has_refused(void **state)
{
	const struct rt_end *near;
	struct rt_ring *ring;
	unsigned b;

	(void)state;
	open_scene(ring_text, "b");
	b = (unsigned)scene_node(lab.scene, "b");
	near = rt_world_end(&lab.world, (unsigned)scene_node(lab.scene, "s"), 1);
	ring = small_ring(near, b, SLOTS);
	for (unsigned i = 1; i <= 20; i++)
		rt_lcore_step(lab.world.lcore[1], i * INSTANT);
	come_for(0, lab.scene->node[b].mac, SLOTS);
	come_for(0, lab.scene->node[b].mac, 2 * EAL_BURST);
	assert_int_equal(rt_ring_count(ring), SLOTS);
	assert_int_equal(near->n_stash, EAL_BURST);
	assert_int_equal(near->n_urgent, 0);
	while (lab.now < 130 * PS_PER_US)
		step();
	for (unsigned i = 0; i < SLOTS; i++)
		assert_int_equal(taken(ring)->kind, PKT_DATA);
	step();
	assert_int_equal(rt_ring_at(ring, 0)->kind, PKT_PFC);
	assert_int_equal(taken(ring)->u.pfc.quanta[3], 65535);
	for (unsigned i = 0; i < 2 * EAL_BURST; i++) {
		const struct pkt *p = taken(ring);

		assert_int_equal(p->kind, PKT_DATA);
		assert_int_equal(p->u.rc.psn, SLOTS + i);
		step();
	}
	close_lab();
}

// XOFF waits, and the reason for it has gone meanwhile: XON follows it, before all data.
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

// Of frames that leave together, those that the marker has chosen leave with CE in their bytes.
// The others leave as they came, between these and behind them.
static void marked_frames_leave_among_those_as_they_came(void **state)
{
	uint64_t as_came;

	(void)state;
	open_scene(marker_text, NULL);
	takes[0] = takes[1] = UINT32_MAX;
	come(0, 1);
	come(1, EAL_BURST);
	as_came = net_as_came(end_of(0)->node->net);
	assert_int_equal(n_seen[0], EAL_BURST);
	assert_int_equal(n_marked, EAL_BURST - __builtin_popcountll(as_came));
	assert_false(as_came & 1); // it found more than Kmax
	assert_true(as_came >> (EAL_BURST - 1) && as_came & ~as_came >> 1);
	close_lab();
}

// Whether the switch of a scene whose port 0 has a device forgets headers.
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

// Headers stay where a host of this process may ask for them. A congestion point and a capture read
// them before they are forgotten.
static void headers_are_kept_for_who_reads_them(void **state)
{
	(void)state;
	assert_true(
		forgets(SCENE("switches: {s: {}}\n"
			      "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n")));
	assert_false(forgets(SCENE("switches: {s: {}}\nports: {s:a: {device: net_ring0}}\n")));
	assert_true(forgets(SCENE(
		"switches: {s: {}}\n"
		"ports: {s:a: {device: net_ring0, capture: true}, s:b: {device: net_ring1}}\n")));
	assert_true(
		forgets(SCENE("switches: {s: {classes: {2: {qcn: {}}}}}\n"
			      "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xoff_goes_before_what_a_device_has_refused),
		cmocka_unit_test(xoff_of_a_host_goes_before_its_data),
		cmocka_unit_test(xoff_goes_before_what_a_ring_has_refused),
		cmocka_unit_test(xon_goes_behind_xoff),
		cmocka_unit_test(data_wait_in_the_queue),
		cmocka_unit_test(headers_stand_elsewhere_and_are_forgotten),
		cmocka_unit_test(marked_frames_leave_among_those_as_they_came),
		cmocka_unit_test(headers_are_kept_for_who_reads_them),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
