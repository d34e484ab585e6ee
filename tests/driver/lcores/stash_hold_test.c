// SPDX-License-Identifier: BSD-3-Clause
// Frames that a device has refused, and whose class the peer has paused meanwhile: they are held,
// and others pass them.
#include "stash_lab.h"

#include "base/prng.h"
#include "lcores/carrier.h"

#define FRAMES  4096 // that a test sends at most
#define QUANTUM 5120 // ps at 100 Gb/s
#define ALL     UINT32_MAX

#define SCENE(of_switch)                                                                  \
	"duration: 1s\n"                                                                  \
	"switches:\n"                                                                     \
	"  s:\n"                                                                          \
	"    pfc_response: 0\n"                                                           \
	"    buffer: 16MB\n" of_switch "    classes:\n"                                   \
	"      3: {lossless: true, pfc: {xoff: 100KB, xon_offset: 3KB, headroom: 1MB}}\n" \
	"      4: {lossless: true, pfc: {xoff: 1MB, headroom: 1MB}}\n"                    \
	"      5: {lossless: true, pfc: {xoff: 1MB, headroom: 1MB}}\n"                    \
	"hosts: {a: {}, b: {}}\n"                                                         \
	"links: [{between: [[a, b], s], rate: 100Gbps}]\n"                                \
	"ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n"

#define WATCH(action, poll, twice)                                                       \
	SCENE("    pfc_watchdog: {action: " action ", poll: " poll ", detection: " twice \
	      ", restoration: " twice "}\n")
#define WATCHED(action) WATCH(action, "100us", "200us")

static const char host_text[] =
	"duration: 1s\n"
	"hosts:\n"
	"  a: {pause_honour: true, pfc_response: 0}\n"
	"  b: {mac: \"02:00:00:00:09:01\", external: true}\n"
	"links: [{between: [a, b], rate: 100Gbps}]\n"
	"ports: {a:b: {device: net_ring0}}\n"
	"flows: {f: {from: a, to: b, class: 3, message: 1MB, rto: none, peer: {qpn: 17}}}\n";

// How many frames each device takes from now on, and for each class the numbers of the frames that
// it has taken, in their order.
static unsigned takes[2];
static uint32_t taken[2][PKT_CLASSES][FRAMES];
static unsigned n_taken[2][PKT_CLASSES];
static unsigned n_pfc[2];
// A model of the peers' pauses: until when a class is paused, as of `since`.
static struct said {
	tstamp since, until;
} said[2][PKT_CLASSES];
static bool forwards, drops; // what the watchdog does in a storm

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

// The switch's watchdog of a class at a device; NULL: there is none.
static const struct sw_wd_stats *watchdog(unsigned at, unsigned cls)
{
	const struct rt_end *e = end_of(at);

	return e->node->net->kind == SCENE_SW ? sw_wd_stats(e->node->net->u.sw, e->port, cls)
					      : NULL;
}

// It acts against a storm.
static bool is_storm(const struct sw_wd_stats *wd)
{
	return (forwards || drops) && wd && wd->storms != wd->restored;
}

// No frame of a class is offered that was paused before this step, and still is. In a storm the
// watchdog forwards all of them, or none.
static void may_leave(unsigned at, const struct pkt *p)
{
	const struct said *s = &said[at][p->cls];

	if (p->kind != PKT_DATA)
		return;
	if (is_storm(watchdog(at, p->cls)))
		assert_true(forwards);
	else
		assert_false(s->since < lab.now && lab.now < s->until);
}

static void take(unsigned at, const struct pkt *p)
{
	unsigned *n = &n_taken[at][p->cls];

	if (p->kind == PKT_PFC) {
		n_pfc[at]++;
		return;
	}
	assert_int_equal(p->kind, PKT_DATA);
	assert_true(*n < FRAMES);
	taken[at][p->cls][(*n)++] = p->u.rc.psn;
}

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	unsigned at = (unsigned)(d - lab.dev), sent = n < takes[at] ? n : takes[at];

	(void)queue;
	for (unsigned i = 0; i < n; i++)
		may_leave(at, eal_pkt(m[i]));
	for (unsigned i = 0; i < sent; i++) {
		take(at, eal_pkt(m[i]));
		rte_pktmbuf_free(m[i]);
	}
	takes[at] -= takes[at] == ALL ? 0 : sent;
	return sent;
}

static void open_lab(const char *yaml)
{
	memset(takes, 0, sizeof(takes));
	memset(n_taken, 0, sizeof(n_taken));
	memset(n_pfc, 0, sizeof(n_pfc));
	memset(said, 0, sizeof(said));
	forwards = strstr(yaml, "action: forward") != NULL;
	drops = strstr(yaml, "action: drop") != NULL;
	open_world(yaml, NULL);
}

// Never more than a burst of a class.
static void is_bounded(unsigned at)
{
	const struct rt_end *e = end_of(at);
	unsigned of[PKT_CLASSES] = {0};

	assert_in_range(e->n_stash, 0, RT_STASH);
	assert_in_range(e->n_urgent, 0, RT_URGENT);
	for (unsigned i = e->n_urgent; i < e->n_stash; i++)
		assert_in_range(++of[eal_pkt(e->stash[i])->cls], 1, EAL_BURST);
}

// Pauses that the peer sends during a storm are void, and still are when the storm ends.
static void forget_what_was_said(bool stormed[2][PKT_CLASSES])
{
	for (unsigned at = 0; at < lab.n_dev; at++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			if (stormed[at][c] || is_storm(watchdog(at, c)))
				said[at][c].until = 0;
}

static void step(void)
{
	bool stormed[2][PKT_CLASSES] = {{false}};

	for (unsigned at = 0; at < lab.n_dev; at++)
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			stormed[at][c] = is_storm(watchdog(at, c));
	lab.now += INSTANT;
	rt_lcore_step(lab.lc, lab.now);
	for (unsigned i = 0; i < lab.n_dev; i++)
		is_bounded(i);
	forget_what_was_said(stormed);
}

static void steps(unsigned n)
{
	while (n--)
		step();
}

// The frame comes in at a device with the next step. A net_ring gives back what it was given.
static void give_device(unsigned at, struct rte_mbuf *m)
{
	assert_int_equal(rte_eth_tx_burst(lab.dev[at].id, 0, &m, 1), 1);
}

// A frame of a class comes in at a device, for the host at the other one.
static void give_data(unsigned at, unsigned cls)
{
	const uint8_t dst[6] = {2, 0, 0, 0, 9, (uint8_t)!at}, src[6] = {2, 0, 0, 0, 9, (uint8_t)at};

	give_device(at, outside_frame(dst, src, (uint8_t)(cls << 5)));
}

static void come(unsigned at, unsigned cls, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		give_data(at, cls);
		if (i % EAL_BURST == EAL_BURST - 1)
			step();
	}
	step();
}

// The peer at a device says that these classes wait for so many quanta; 0: they go on.
static void give_pfc(unsigned at, uint8_t classes, uint16_t quanta, enum pkt_kind kind)
{
	const struct hdr hdr = {.dst = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01},
		.src = {2, 0, 0, 0, 8, (uint8_t)at},
		.ethertype = ETH_P_MAC_CONTROL,
		.id = HDR_ID_NODE};
	struct pkt p = {.hdr = &hdr, .kind = kind, .len = PKT_MIN_LEN, .u.pfc.enable = classes};
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		p.u.pfc.quanta[c] = quanta;
		if (classes >> c & 1)
			said[at][c] = (struct said){
				lab.now + INSTANT, lab.now + INSTANT + quanta * QUANTUM};
	}
	frame_from_pkt(&p, (uint8_t *)rte_pktmbuf_append(m, PKT_MIN_LEN));
	give_device(at, m);
}

// Everything leaves.
static void close_lab(void)
{
	for (unsigned i = 0; i < lab.n_dev; i++)
		give_pfc(i, 0xff, 0, PKT_PFC);
	takes[0] = takes[1] = ALL;
	steps(20);
	assert_int_equal(lab.lc->n_stashed, 0);
	lab.lc->n_dev = 0;
	close_world();
}

// The two hosts are known, and a burst of a class waits for a device, which takes nothing.
static void a_burst_waits_at(unsigned at, unsigned cls)
{
	takes[0] = takes[1] = ALL;
	come(1, 0, 1);
	come(0, 0, 1);
	steps(2);
	takes[at] = 0;
	come(!at, cls, EAL_BURST);
	step();
	assert_int_equal(end_of(at)->n_stash, EAL_BURST);
}

static void a_burst_waits(unsigned cls)
{
	a_burst_waits_at(0, cls);
}

// Frames of a class have left in the order in which they came.
static void left_in_order(unsigned at, unsigned cls, unsigned n)
{
	assert_int_equal(n_taken[at][cls], n);
	for (unsigned i = 1; i < n; i++)
		assert_true(taken[at][cls][i - 1] < taken[at][cls][i]);
}

static void a_paused_class_waits_for_xon(void **state)
{
	(void)state;
	open_lab(SCENE(""));
	a_burst_waits(3);
	give_pfc(0, 1 << 3, 65535, PKT_PFC);
	step();
	takes[0] = ALL;
	come(1, 3, 5);
	steps(5);
	assert_int_equal(n_taken[0][3], 0);
	assert_int_equal(end_of(0)->n_held, EAL_BURST);
	give_pfc(0, 1 << 3, 0, PKT_PFC);
	steps(2);
	left_in_order(0, 3, EAL_BURST + 5);
	close_lab();
}

// The pause has run out when a loop begins, in which XOFF comes once more. The loop reads it before
// it offers what has been held, whichever device it reads first.
static void what_comes_is_read_first(void **state)
{
	(void)state;
	for (unsigned at = 0; at < 2; at++) {
		open_lab(SCENE(""));
		a_burst_waits_at(at, 3);
		give_pfc(at, 1 << 3, INSTANT / QUANTUM + 1, PKT_PFC);
		steps(2);
		assert_int_equal(end_of(at)->n_held, EAL_BURST);
		takes[at] = ALL;
		give_data(!at, 5);
		give_pfc(at, 1 << 3, 65535, PKT_PFC);
		step();
		assert_int_equal(n_taken[at][3], 0);
		assert_int_equal(n_taken[at][5], 1);
		steps(5);
		assert_int_equal(end_of(at)->n_held, EAL_BURST);
		close_lab();
	}
}

// Without a word of the peer it goes on when the time has run out, to the instant.
static void a_pause_runs_out(void **state)
{
	(void)state;
	open_lab(SCENE(""));
	a_burst_waits(3);
	give_pfc(0, 1 << 3, 1000, PKT_PFC); // 5.12 us
	takes[0] = ALL;
	steps(6);
	assert_int_equal(n_taken[0][3], 0);
	step();
	left_in_order(0, 3, EAL_BURST);
	close_lab();
}

// The stash was empty between two pauses of the class, and the second one is read right behind the
// frames that it holds.
static void a_second_pause_is_not_taken_for_the_first(void **state)
{
	(void)state;
	open_lab(SCENE(""));
	a_burst_waits(0);
	takes[0] = ALL;
	takes[1] = 0;
	come(0, 4, EAL_BURST);
	give_pfc(1, 1 << 3, 65535, PKT_PFC);
	step();
	takes[1] = ALL;
	step();
	assert_int_equal(end_of(1)->n_stash, 0);
	give_pfc(1, 1 << 3, 0, PKT_PFC);
	step();
	takes[1] = 0;
	for (unsigned i = 0; i < EAL_BURST; i++)
		give_data(0, 3);
	give_pfc(1, 1 << 3, 65535, PKT_PFC);
	step();
	takes[1] = ALL;
	steps(5);
	assert_int_equal(n_taken[1][3], 0);
	assert_int_equal(end_of(1)->n_held, EAL_BURST);
	close_lab();
}

// Held frames stop no other class: the node gives frames of other classes, and they leave.
static void other_classes_pass(void **state)
{
	(void)state;
	open_lab(SCENE(""));
	a_burst_waits(3);
	give_pfc(0, 1 << 3, 65535, PKT_PFC);
	step();
	come(1, 4, EAL_BURST);
	assert_int_equal(end_of(0)->n_stash, 2 * EAL_BURST);
	assert_int_equal(end_of(0)->n_held, EAL_BURST);
	takes[0] = 10;
	step();
	assert_int_equal(n_taken[0][4], 10);
	give_pfc(0, 1 << 4, 65535, PKT_PFC);
	step();
	takes[0] = ALL;
	come(1, 5, 2 * EAL_BURST);
	steps(20);
	left_in_order(0, 5, 2 * EAL_BURST);
	left_in_order(0, 4, 10);
	assert_int_equal(n_taken[0][3], 0);
	give_pfc(0, 1 << 3 | 1 << 4, 0, PKT_PFC);
	steps(20);
	left_in_order(0, 3, EAL_BURST);
	left_in_order(0, 4, EAL_BURST);
	close_lab();
}

// Our own XOFF leaves while all that waits is held, and its XON too.
static void own_pfc_passes(void **state)
{
	(void)state;
	open_lab(SCENE(""));
	a_burst_waits(3);
	give_pfc(0, 0xff, 65535, PKT_PFC);
	takes[1] = 0;
	come(0, 3, 200); // of which the group at port a reaches XOFF
	assert_int_equal(n_pfc[0], 0);
	takes[0] = 1;
	step();
	assert_int_equal(n_pfc[0], 1);
	takes[1] = ALL;
	steps(40);
	takes[0] = ALL;
	step();
	assert_int_equal(n_pfc[0], 2);
	assert_int_equal(n_taken[0][3], 0);
	close_lab();
}

// 802.3x stops all classes, and not our XOFF, which has waited for the device since before.
static void pause_holds_all_but_mac_control(void **state)
{
	(void)state;
	open_lab(SCENE("    pause_honour: true\n"));
	a_burst_waits(5);
	takes[1] = 0;
	come(0, 3, 200);
	give_pfc(0, 0xff, 65535, PKT_PAUSE);
	step();
	takes[0] = ALL;
	come(1, 1, 10);
	steps(5);
	assert_int_equal(n_pfc[0], 1);
	assert_int_equal(n_taken[0][5] + n_taken[0][1], 0);
	give_pfc(0, 0xff, 0, PKT_PAUSE);
	steps(5);
	left_in_order(0, 5, EAL_BURST);
	left_in_order(0, 1, 10);
	close_lab();
}

// The watchdog ends the pause of a peer that goes on saying XOFF: nothing is held for ever. What
// came behind the frames held leaves behind them.
static void the_watchdog_lets_go(void **state)
{
	(void)state;
	open_lab(WATCHED("forward"));
	a_burst_waits(3);
	give_pfc(0, 1 << 3, 65535, PKT_PFC);
	step();
	takes[0] = ALL;
	come(1, 3, 5);
	assert_int_equal(n_taken[0][3], 0);
	for (unsigned i = 0; i < 1000 && !n_taken[0][3]; i++) {
		if (i % 100 == 0)
			give_pfc(0, 1 << 3, 65535, PKT_PFC);
		step();
	}
	step();
	left_in_order(0, 3, EAL_BURST + 5);
	close_lab();
}

// The peer says XOFF again and again for class 3 until the watchdog of device 0 finds a storm.
static void storm(const struct sw_wd_stats *wd)
{
	for (unsigned i = 0; i < 1000 && !wd->storms; i++) {
		if (i % 100 == 0)
			give_pfc(0, 1 << 3, 65535, PKT_PFC);
		step();
	}
	assert_int_equal(wd->storms, 1);
}

static void it_adds_up(const struct sw *sw)
{
	char why[200] = "";

	if (sw_conserve(sw, why, sizeof(why)))
		fail_msg("%s", why);
}

// Held frames belong to the queue that the watchdog shuts: they are dropped and counted with the
// frames in that queue. The frames of other classes leave, and so do new ones after the storm.
static void the_watchdog_drops_what_is_held(void **state)
{
	const struct sw_wd_stats *wd;
	const struct sw *sw;
	uint64_t sent;

	(void)state;
	open_lab(WATCHED("drop"));
	a_burst_waits(3);
	sw = end_of(0)->node->net->u.sw;
	wd = sw_wd_stats(sw, 0, 3);
	give_pfc(0, 1 << 3, 65535, PKT_PFC);
	step();
	come(1, 3, 5);
	come(1, 4, 7);
	assert_int_equal(end_of(0)->n_stash, EAL_BURST + 7);
	assert_int_equal(end_of(0)->n_held, EAL_BURST);
	sent = sw_class_stats(sw, 0, 3).tx_frames;
	storm(wd);
	step();
	assert_int_equal(end_of(0)->n_stash, 7);
	assert_int_equal(end_of(0)->n_held, 0);
	assert_int_equal(end_of(0)->unsent, EAL_BURST);
	assert_int_equal(wd->tx_dropped_frames, EAL_BURST + 5);
	assert_int_equal(sw_class_stats(sw, 0, 3).tx_frames, sent);
	assert_int_equal(sw_class_stats(sw, 1, 3).pfcwd_dropped_frames, 5);
	it_adds_up(sw);
	takes[0] = ALL;
	steps(5);
	left_in_order(0, 4, 7);
	steps(500);
	assert_int_equal(wd->restored, 1);
	come(1, 3, 3);
	steps(5);
	left_in_order(0, 3, 3);
	assert_int_equal(end_of(0)->unsent, EAL_BURST);
	assert_int_equal(wd->tx_dropped_frames, EAL_BURST + 5);
	close_lab();
}

// Frames of the class that wait for the device go the same way: here the pause has run out half an
// instant before the watchdog finds the storm.
static void what_waits_is_dropped_too(void **state)
{
	const tstamp found = 300 * PS_PER_US;
	const struct sw *sw;

	(void)state;
	open_lab(WATCHED("drop"));
	a_burst_waits(3);
	sw = end_of(0)->node->net->u.sw;
	give_pfc(0, 1 << 3, (uint16_t)((found - lab.now - 3 * INSTANT / 2) / QUANTUM), PKT_PFC);
	step();
	come(1, 3, 5);
	while (lab.now < found)
		step();
	assert_int_equal(sw_wd_stats(sw, 0, 3)->storms, 1);
	assert_int_equal(end_of(0)->n_held, 0);
	assert_int_equal(end_of(0)->n_stash, EAL_BURST);
	step();
	assert_int_equal(end_of(0)->n_stash, 0);
	assert_int_equal(lab.lc->n_stashed, 0);
	assert_int_equal(end_of(0)->unsent, EAL_BURST);
	assert_int_equal(sw_wd_stats(sw, 0, 3)->tx_dropped_frames, EAL_BURST + 5);
	close_lab();
}

// While the device refuses frames the node gives none, but its timers go on: here the watchdog
// finds the storm in class 3.
static void timers_run_while_the_device_refuses(void **state)
{
	const struct sw *sw;

	(void)state;
	open_lab(WATCHED("alert"));
	a_burst_waits(4);
	sw = end_of(0)->node->net->u.sw;
	come(1, 3, 5);
	for (unsigned i = 0; i < 500; i++) {
		if (i % 100 == 0)
			give_pfc(0, 1 << 3, 65535, PKT_PFC);
		step();
	}
	assert_int_equal(end_of(0)->n_stash, EAL_BURST);
	assert_int_equal(sw_eport(sw, 0)->q[3].frames, 5);
	assert_int_equal(sw_wd_stats(sw, 0, 3)->storms, 1);
	close_lab();
}

// A host's own frames, too. Its queue pairs go on when XON comes.
static void a_host_holds_its_own(void **state)
{
	uint32_t n;

	(void)state;
	open_lab(host_text);
	steps(5);
	assert_true(end_of(0)->n_stash > 0);
	give_pfc(0, 0xff, 65535, PKT_PAUSE);
	step();
	takes[0] = ALL;
	steps(5);
	assert_int_equal(n_taken[0][3], 0);
	give_pfc(0, 0xff, 0, PKT_PAUSE);
	steps(5);
	n = n_taken[0][3];
	assert_true(n > 1);
	left_in_order(0, 3, n);
	close_lab();
}

// A link that goes down takes with it what is held, to the frame.
static void a_link_that_goes_down_holds_nothing(void **state)
{
	(void)state;
	open_lab(SCENE(""));
	a_burst_waits(3);
	give_pfc(0, 1 << 3, 65535, PKT_PFC);
	steps(2);
	assert_int_equal(end_of(0)->n_held, EAL_BURST);
	atomic_store(&end_of(0)->told, WATCH_DOWN);
	rt_carrier_take(lab.lc, lab.now);
	assert_int_equal(end_of(0)->n_stash, 0);
	assert_int_equal(end_of(0)->unsent, EAL_BURST);
	close_lab();
}

static void something_comes(struct prng *g)
{
	static const unsigned cls[] = {1, 3, 4, 5};
	unsigned at = prng_below(g, 2), n = prng_below(g, 3) ? prng_below(g, 8) : 0;

	for (unsigned i = 0; i < n; i++)
		give_data(at, cls[prng_below(g, 4)]);
	if (!prng_below(g, 8))
		give_pfc(at, (uint8_t)prng_u32(g) & 0x38,
			prng_below(g, 3) ? (uint16_t)prng_below(g, 10000) : 0, PKT_PFC);
	for (unsigned i = 0; i < 2; i++)
		if (!prng_below(g, 4))
			takes[i] = prng_below(g, 2) ? prng_below(g, 100) : 0;
}

static unsigned dropped_by_watchdogs(void)
{
	uint64_t n = 0;

	for (unsigned at = 0; at < 2; at++)
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			const struct sw_wd_stats *wd = watchdog(at, c);

			n += wd ? wd->tx_dropped_frames + wd->rx_dropped_frames : 0;
		}
	return (unsigned)n;
}

// All frames that arrived and may leave in the end have left, in the order of their class.
static void all_leave(void)
{
	unsigned all = 0;

	give_pfc(0, 0xff, 0, PKT_PFC);
	give_pfc(1, 0xff, 0, PKT_PFC);
	takes[0] = takes[1] = ALL;
	steps(200);
	for (unsigned at = 0; at < 2; at++)
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			left_in_order(at, c, n_taken[at][c]);
			all += n_taken[at][c];
		}
	assert_int_equal(all + dropped_by_watchdogs(), lab.psn);
}

static void whatever_comes_to(const char *yaml, uint64_t seed)
{
	struct prng g;

	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "hold");
	open_lab(yaml);
	takes[0] = takes[1] = ALL;
	come(0, 0, 1);
	come(1, 0, 1);
	steps(2);
	takes[0] = takes[1] = 0;
	for (unsigned i = 0; i < 500; i++) {
		something_comes(&g);
		step();
	}
	all_leave();
	it_adds_up(end_of(0)->node->net->u.sw);
	close_lab();
}

// Random arrivals, room and pauses: no frame of a paused class is offered to a device (may_leave),
// each class keeps its order, and all have left in the end.
static void whatever_comes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		whatever_comes_to(SCENE(""), seed);
}

// The same where storms are found: what has not left in the end the watchdogs have dropped.
static void whatever_comes_in_storms(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		whatever_comes_to(WATCH("drop", "10us", "20us"), seed);
		whatever_comes_to(WATCH("forward", "10us", "20us"), seed);
	}
}

// Takes all free descriptors away, of the pool and of the lcore; returns them, and how many.
static void **take_descriptors(unsigned *n)
{
	struct pkt_stack *s = &lab.lc->stack;
	unsigned free = rte_mempool_avail_count(pool);
	void **d = malloc((free + s->n) * sizeof(*d));

	assert_non_null(d);
	assert_int_equal(rte_mempool_get_bulk(pool, d, free), 0);
	for (*n = free; s->n; ++*n)
		d[*n] = eal_mbuf(s->slot[--s->n]);
	return d;
}

// While there is no descriptor for an XOFF that is due, the node is not asked for it: it would give
// data in its place, with each step one more.
static void no_data_comes_in_place_of_an_xoff(void **state)
{
	void **d;
	unsigned n;

	(void)state;
	open_lab(SCENE(""));
	a_burst_waits(4);
	come(1, 4, EAL_BURST);
	takes[1] = 0;
	come(0, 3, 2 * EAL_BURST);
	for (unsigned i = 0; i < EAL_BURST; i++)
		give_data(0, 3);
	d = take_descriptors(&n);
	steps(RT_STASH);
	assert_int_equal(end_of(0)->n_stash, EAL_BURST);
	rte_mempool_put_bulk(pool, d, n);
	free(d);
	step();
	assert_int_equal(end_of(0)->n_stash, EAL_BURST + 1);
	takes[0] = ALL;
	step();
	assert_int_equal(n_pfc[0], 1);
	close_lab();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_paused_class_waits_for_xon),
		cmocka_unit_test(what_comes_is_read_first),
		cmocka_unit_test(no_data_comes_in_place_of_an_xoff),
		cmocka_unit_test(a_pause_runs_out),
		cmocka_unit_test(a_second_pause_is_not_taken_for_the_first),
		cmocka_unit_test(other_classes_pass),
		cmocka_unit_test(own_pfc_passes),
		cmocka_unit_test(pause_holds_all_but_mac_control),
		cmocka_unit_test(the_watchdog_lets_go),
		cmocka_unit_test(the_watchdog_drops_what_is_held),
		cmocka_unit_test(what_waits_is_dropped_too),
		cmocka_unit_test(timers_run_while_the_device_refuses),
		cmocka_unit_test(a_host_holds_its_own),
		cmocka_unit_test(a_link_that_goes_down_holds_nothing),
		cmocka_unit_test(whatever_comes),
		cmocka_unit_test(whatever_comes_in_storms),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
