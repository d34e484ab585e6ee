// SPDX-License-Identifier: BSD-3-Clause
// The parts of virtual time: the pool, links by their ends, the least time a frame needs on
// them.
#include "compile/compile.h"
#include "vt/int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

static struct scene *load(const char *file)
{
	struct scene_opts so = {0};
	struct scene *scene;
	char path[512];
	struct err err;

	snprintf(path, sizeof(path), "%s/scenes/%s", TEST_DATA, file);
	if (compile_scene(&scene, path, &so, &err))
		fail_msg("%s", err.text);
	return scene;
}

static void links_know_their_ends_and_their_least_time(void **state)
{
	struct scene *scene = load("one-message.yaml");
	int s1 = scene_node(scene, "s1"), b = scene_node(scene, "b");
	struct vt_opts opts = {0};
	struct vt vt = {.scene = scene, .opts = &opts};
	struct vt_node *sw;
	struct err err;

	(void)state;
	assert_int_equal(vt_setup(&vt, &err), 0);
	sw = &vt.node[s1];
	for (unsigned p = 0; p < sw->ports; p++) {
		struct vt_link *out = sw->out[p];

		assert_ptr_equal(out->to, &vt.node[scene->node[s1].port[p].peer_node]);
		assert_int_equal(sw->in[p].to_port, p);
		assert_int_equal(sw->peer[p].node, scene->node[s1].port[p].peer_node);
	}
	// Towards b: 2 us of cable, 0.3 us of switch, 84 bytes at 25 Gb/s.
	assert_int_equal(vt.node[b].peers, 1);
	assert_int_equal(vt.node[b].peer[0].node, s1);
	assert_int_equal(vt.node[b].peer[0].least, 2300000 + 84 * 320);
	// The switch hears first from a: no switch on the way.
	assert_int_equal(vt.node[b].peer[0].reach, 1000000 + 84 * 80);
	assert_int_equal(sw->peers, 2);
	for (unsigned i = 0; i < 2; i++)
		if (sw->peer[i].node == (unsigned)b)
			assert_int_equal(sw->peer[i].reach, 2300000 + 84 * 320);
	vt_teardown(&vt);
	scene_free(scene);
}

static void the_pool_holds_what_the_scene_needs(void **state)
{
	struct scene *scene = load("one-message.yaml");
	struct vt_opts opts = {0};
	struct vt vt = {.scene = scene, .opts = &opts};
	struct err err;

	(void)state;
	assert_int_equal(vt_setup(&vt, &err), 0);
	assert_int_equal(vt.stack.n_fresh, vt.stack.cap);
	assert_int_equal(vt.stack.cap - vt.stack.kept, scene->max_packets);
	assert_int_equal(vt.stack.data_off, 0);
	// The first to be taken lies first, the next right behind it: no frame comes with bytes.
	assert_ptr_equal(pkt_get(&vt.stack), vt.pool);
	assert_ptr_equal(pkt_get(&vt.stack), (struct pkt *)vt.pool + 1);
	vt_teardown(&vt);
	scene_free(scene);
}

// Where a switch makes frames, each has room for its header.
static void the_pool_has_room_for_headers(void **state)
{
	struct scene *scene = load("one-message.yaml");
	struct vt_opts opts = {0};
	struct vt vt = {.scene = scene, .opts = &opts};
	struct err err;

	(void)state;
	scene->needs_hdrs = true;
	assert_int_equal(vt_setup(&vt, &err), 0);
	assert_int_equal(vt.stack.data_off, 0);
	assert_ptr_equal(pkt_get(&vt.stack), vt.pool);
	assert_ptr_equal(
		pkt_get(&vt.stack), (char *)vt.pool + sizeof(struct pkt) + sizeof(struct hdr));
	vt_teardown(&vt);
	scene_free(scene);
}

// Four wires of 100 ms at 800 Gb/s hold hundreds of millions of the shortest frames: a bound, not a
// need.
static void a_pool_costs_what_is_used_of_it(void **state)
{
	struct scene *scene = load("one-message.yaml");
	struct vt_opts opts = {0};
	struct vt vt = {.scene = scene, .opts = &opts};
	unsigned char there;
	struct err err;

	(void)state;
	scene->max_packets = 1000000000000; // more than the numbers of descriptors reach
	assert_int_equal(vt_setup(&vt, &err), 0);
	assert_int_equal(vt.stack.cap, UINT32_MAX);
	for (unsigned i = 0; i < 64; i++)
		assert_non_null(memset(pkt_get(&vt.stack), 1, sizeof(struct pkt)));
	// Far enough behind for a huge page, too.
	assert_int_equal(mincore(vt.pool, 1, &there), 0);
	assert_int_equal(there & 1, 1);
	assert_int_equal(mincore((char *)vt.pool + (16 << 20), 1, &there), 0);
	assert_int_equal(there & 1, 0);
	assert_int_equal(mincore(vt.stack.slot, 1, &there), 0);
	assert_int_equal(there & 1, 0);
	vt_teardown(&vt);
	scene_free(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_know_their_ends_and_their_least_time),
		cmocka_unit_test(the_pool_holds_what_the_scene_needs),
		cmocka_unit_test(the_pool_has_room_for_headers),
		cmocka_unit_test(a_pool_costs_what_is_used_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
