// SPDX-License-Identifier: BSD-3-Clause
// Headroom for late loops: how much it is on which clock, beside which buffer, and that a
// switch whose loop and whose peer's come so late loses nothing.
#include "scene_lab.h"
#include "sw_box.h"
#include "hardware/hardware.h"

#define LATE  (50 * PS_PER_US)
#define FRAME 1514
// 2 * 50 us * 25 Gb/s / 8
#define LOOPS_BYTES 312500
// that XOFF waits for at one end, and that go on at the other
#define RINGS_BYTES (2 * 64 * (FRAME + 24))
#define BYTES       (LOOPS_BYTES + RINGS_BYTES)

#define SCENE(sw, ports)                                                            \
	"duration: 1ms\nswitches: {s1: {buffer: 4MB, " sw "}}\nhosts: {a: , b: }\n" \
	"links: [{between: [[a, b], s1], rate: 25Gbps, delay: 1us}]\n"              \
	"ports: {" ports "}\n"
#define LOSSLESS "classes: {3: {lossless: true}}"
#define DEVICES                                      \
	"\"s1:a\": {device: net_null0, mtu: 1514}, " \
	"\"s1:b\": {device: net_null1, mtu: 1514}"
#define IN_MEMORY "\"s1:a\": {mtu: 1514}"

static struct scene *on_clock(const char *text, bool real)
{
	const struct scene_opts opts = {.real = real, .one_clock = true};
	struct scene *s = NULL;

	if (lab_try(&s, text, &opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static uint64_t headroom(const struct scene *s, unsigned port)
{
	return lab_node(s, "s1")->u.sw.port[port].pg[3].headroom_bytes;
}

static void real_ports_hold_late_loops_on_the_real_clock(void **state)
{
	struct scene *v = on_clock(SCENE(LOSSLESS, DEVICES), false);
	struct scene *r = on_clock(SCENE(LOSSLESS, DEVICES), true);
	const struct sw_params *p = &lab_node(v, "s1")->u.sw, *q = &lab_node(r, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->buffer_bytes, 4000000);
	assert_int_equal(q->buffer_bytes, 4000000 + 2 * BYTES);
	assert_int_equal(lab_node(r, "s1")->late_bytes, 2 * BYTES);
	assert_int_equal(lab_node(v, "s1")->late_bytes, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(headroom(r, i), headroom(v, i) + BYTES);
		assert_int_equal(hardware_xoff(lab_node(v, "s1"), i, 3),
			hardware_xoff(lab_node(r, "s1"), i, 3));
		assert_int_equal(lab_node(v, "s1")->port[i].late_loop, LATE);
		assert_int_equal(lab_node(v, "s1")->port[i].late_bytes, BYTES);
		assert_int_equal(lab_node(v, "s1")->port[i].held_bytes, RINGS_BYTES);
	}
	assert_int_equal(q->port[0].pg[0].headroom_bytes, 0);
	scene_free(v);
	scene_free(r);
}

// At 100 Gb/s 20 us of the wire are more than 64 frames of 1514 bytes, and fewer than 64 of 9014:
// headroom is for the larger.
static void devices_hold_what_leaves_ahead(void **state)
{
	static const struct {
		uint32_t mtu;
		uint64_t held;
	} at[] = {{1514, 2 * 250000}, {9014, 2 * 64 * 9038}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char text[1000];
		struct scene *s;

		snprintf(text, sizeof(text),
			"duration: 1ms\nswitches: {s1: {buffer: 4MB, " LOSSLESS "}}\n"
			"hosts: {a: }\nlinks: [{between: [a, s1], rate: 100Gbps, mtu: %u}]\n"
			"ports: {\"s1:a\": {device: net_null0}}\n",
			at[i].mtu);
		s = on_clock(text, true);
		assert_int_equal(lab_node(s, "s1")->port[0].held_bytes, at[i].held);
		assert_int_equal(lab_node(s, "s1")->port[0].late_bytes, 2 * 625000 + at[i].held);
		scene_free(s);
	}
}

static void links_in_memory_do_where_it_is_asked_for(void **state)
{
	struct scene *s = on_clock(SCENE(LOSSLESS, IN_MEMORY), true);
	uint64_t bare = headroom(s, 0);

	(void)state;
	assert_int_equal(lab_node(s, "s1")->port[0].late_loop, 0);
	scene_free(s);
	s = on_clock(SCENE("late_loop: 20us, " LOSSLESS, IN_MEMORY), true);
	assert_int_equal(headroom(s, 0), bare + LOOPS_BYTES * 2 / 5);
	scene_free(s);
	s = on_clock(SCENE("late_loop: 0us, " LOSSLESS, DEVICES), true);
	assert_int_equal(lab_node(s, "s1")->late_bytes, 0);
	scene_free(s);
}

static void virtual_time_says_that_it_has_none(void **state)
{
	struct scene *s = on_clock(SCENE("late_loop: 20us, " LOSSLESS, IN_MEMORY), false);

	(void)state;
	assert_true(lab_warns(s, "late_loop of s1 counts for nothing on the virtual clock, where "
				 "no loop is late; it is for --clock real"));
	scene_free(s);
}

// 1024 frames of 84 bytes on the wire take 27.5 us at 25 Gb/s, and 200 us are 1024 frames of 610.4
// bytes, of which 20 are none of the frame.
static void a_ring_that_is_full_before_is_told(void **state)
{
	struct scene *s = on_clock(SCENE("late_loop: 200us, " LOSSLESS, DEVICES), true);

	(void)state;
	assert_true(lab_warns(s, "s1:a: late_loop 200us is more than the ring of its device keeps, "
				 "1024 frames: frames below 591 bytes are lost before the switch "
				 "then (ring_full); of the shortest the ring keeps 27.5us"));
	scene_free(s);
	s = on_clock(SCENE("late_loop: 27.5us, " LOSSLESS, DEVICES), true);
	assert_int_equal(s->n_warnings, 0);
	scene_free(s);
	s = on_clock(SCENE("late_loop: 200us, " LOSSLESS, IN_MEMORY), true);
	assert_false(lab_warns(s, "the ring of its device"));
	scene_free(s);
	s = on_clock(SCENE(LOSSLESS, DEVICES), true);
	assert_false(lab_warns(s, "the ring of its device"));
	scene_free(s);
}

static void a_headroom_that_is_given_stays_so(void **state)
{
	struct scene *s = on_clock(
		SCENE("classes: {3: {lossless: true, pfc: {headroom: 40KB}}}", DEVICES), true);

	(void)state;
	assert_int_equal(headroom(s, 0), 40000);
	assert_int_equal(lab_node(s, "s1")->u.sw.buffer_bytes, 4000000);
	assert_int_equal(lab_node(s, "s1")->port[0].late_loop, 0);
	scene_free(s);
}

static void pools_grow_with_the_buffer(void **state)
{
	struct scene *s = on_clock(
		SCENE("pools: {headroom: 500KB, egress_lossless: 3MB}, " LOSSLESS, DEVICES), true);
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	(void)state;
	assert_int_equal(p->headroom_pool_bytes, 500000 + 2 * BYTES);
	assert_int_equal(p->ingress_bytes, 0);
	assert_int_equal(p->egress_bytes[0], 3000000 + 2 * BYTES);
	assert_int_equal(p->egress_bytes[1], 4000000);
	scene_free(s);
	s = on_clock(SCENE("pools: {ingress: 3MB}, " LOSSLESS, DEVICES), true);
	p = &lab_node(s, "s1")->u.sw;
	assert_int_equal(p->ingress_bytes, 3000000 + 2 * BYTES);
	assert_int_equal(p->egress_bytes[0], 0);
	assert_int_equal(p->egress_bytes[1], 4000000);
	scene_free(s);
}

// In cells of 256 bytes, frames of 64 bytes take 256 / 84 of their bytes on the wire.
static void it_is_whole_cells(void **state)
{
	struct scene *s = on_clock(SCENE("cell: 256, " LOSSLESS, DEVICES), true);

	(void)state;
	assert_int_equal(lab_node(s, "s1")->port[0].late_bytes, (BYTES * 256ull + 83) / 84);
	scene_free(s);
}

static void what_cannot_be_had_is_refused(void **state)
{
	struct scene *s = NULL;

	(void)state;
	assert_int_equal(lab_try(&s, SCENE("late_loop: 1s, " LOSSLESS, DEVICES), NULL), -EINVAL);
	assert_string_equal(lab_err.text,
		"lab.yaml:2:41: switch 's1': late_loop adds 12500393728 bytes of headroom, and "
		"with them its buffer has more than 4 GiB, which is the most; make late_loop "
		"shorter");
}

// Frames come at the wire's rate until the peer has stopped: XOFF leaves behind a full ring, and
// stops a peer that has one. Headroom has so many bytes less. Returns those that found no room.
#define FRAME_PS  ((FRAME + 24) * 320ull) // at 25 Gb/s
#define HELD_BACK 4

static uint64_t lost_by_late_loops(
	const struct sw_params *p, uint32_t less_bytes, tstamp late, unsigned fill)
{
	struct box *b = box_new();
	tstamp wire = 0, stop = TSTAMP_NEVER, now = 0;
	uint64_t lost;

	b->params = *p;
	b->params.port = b->port;
	b->params.fdb = NULL;
	b->params.n_fdb = 0;
	b->params.shared_hdrs = BOX_HDRS;
	memcpy(b->port, p->port, p->n_ports * sizeof(*p->port));
	b->port[0].pg[3].headroom_bytes -= less_bytes;
	box_start(b);
	box_learn(b);
	now = PS_PER_MS;
	for (unsigned i = 0; i < fill; i++) // nobody takes what host 1's port has
		box_send(b, 0, 1, 3, FRAME, now);
	wire = now;
	for (unsigned loop = 0; loop < HELD_BACK; loop++) {
		struct pkt *x;

		now += late;
		for (; wire + FRAME_PS <= tstamp_min(now, stop); wire += FRAME_PS)
			box_send(b, 0, 1, 3, FRAME, now);
		x = sw_deadline(b->sw, 0) <= now ? box_tx(b, 0, now) : NULL;
		if (x && x->kind == PKT_PFC && stop == TSTAMP_NEVER)
			stop = now + late + 2 * SCENE_TX_RING * FRAME_PS;
		if (x)
			box_put(b, x);
	}
	assert_true(stop != TSTAMP_NEVER);
	lost = box_dropped(b, 0, SW_DROP_HEADROOM);
	box_free(b);
	return lost;
}

static void loops_that_are_so_late_lose_nothing(void **state)
{
	struct scene *with = on_clock(SCENE(LOSSLESS, DEVICES), true);
	struct scene *none = on_clock(SCENE("late_loop: 0us, " LOSSLESS, DEVICES), true);
	const struct sw_params *p = &lab_node(with, "s1")->u.sw, *q = &lab_node(none, "s1")->u.sw;
	unsigned below = (unsigned)(hardware_xoff(lab_node(with, "s1"), 0, 3) / (FRAME + 4)) - 1;
	uint64_t without = 0, without_rings = 0;

	(void)state;
	for (unsigned i = 0; i < 60; i += 3) {
		assert_int_equal(lost_by_late_loops(p, 0, LATE, below - i), 0);
		without += lost_by_late_loops(q, 0, LATE, below - i);
		without_rings += lost_by_late_loops(p, RINGS_BYTES, LATE, below - i);
	}
	assert_true(without > 1000);
	assert_true(without_rings > 100);
	scene_free(with);
	scene_free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_ports_hold_late_loops_on_the_real_clock),
		cmocka_unit_test(devices_hold_what_leaves_ahead),
		cmocka_unit_test(links_in_memory_do_where_it_is_asked_for),
		cmocka_unit_test(virtual_time_says_that_it_has_none),
		cmocka_unit_test(a_ring_that_is_full_before_is_told),
		cmocka_unit_test(a_headroom_that_is_given_stays_so),
		cmocka_unit_test(pools_grow_with_the_buffer),
		cmocka_unit_test(it_is_whole_cells),
		cmocka_unit_test(what_cannot_be_had_is_refused),
		cmocka_unit_test(loops_that_are_so_late_lose_nothing),
	};

	return cmocka_run_group_tests_name("late", tests, NULL, NULL);
}
