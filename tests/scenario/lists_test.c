// SPDX-License-Identifier: BSD-3-Clause
// Open loops that are lists: every frame's instant, size and DSCP on the wire.
#include "scn.h"

#include <stdlib.h>

#include "../cap_all.h"
#include "frame/frame.h"

#define ONCE 6  // frames of the list of `fill`
#define MAP  70 // frames of `map`

// Of the last bit, ns from that of the first frame: three frames of 82 ns, two of 42 ns that begin
// 2 us apart, and, 10 us behind the second one's end, one of 82 ns.
static const unsigned at[ONCE] = {0, 82, 164, 206, 2206, 12288};
#define LIST 12370u // ns from one list to the next

static void check_frame(const struct replay_frame *is, unsigned i)
{
	bool fill = i < 2 * ONCE;
	unsigned k = fill ? i % ONCE : i - 2 * ONCE;
	// `map` begins 1 us behind the second list; its last bits come 74 ns sooner.
	uint64_t ns = fill ? at[k] + i / ONCE * LIST : 2 * LIST + 1000 - 74 + k * 1000;
	struct frame f;

	assert_int_equal(is->at, ns * 1000);
	assert_int_equal(is->len + PKT_FCS, !fill ? 80 : k == 3 || k == 4 ? 505 : 1005);
	assert_int_equal(frame_parse(is->bytes, is->len, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_GEN);
	assert_int_equal(f.gen.seq, fill ? i : k);
	if (!fill)
		assert_int_equal(f.ip.tos >> 2, k % 64);
}

static void lists_have_their_instants(void **state)
{
	char dir[] = "/tmp/quench-list-XXXXXX", text[64];
	struct err err;
	struct scn s;
	struct cap c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(text, sizeof(text), "out=%s", dir);
	s = scn_run("lists.yaml", text, NULL);
	snprintf(text, sizeof(text), "%s/capture.pcapng", dir);
	if (cap_read(&c, text, &err))
		fail_msg("%s", err.text);
	snprintf(text, sizeof(text), "rm -r '%s'", dir);
	assert_int_equal(system(text), 0);
	assert_int_equal(c.n, 2 * ONCE + MAP);
	for (unsigned i = 0; i < c.n; i++)
		check_frame(&c.frame[i], i);
	// The last source begins when the last frame of `map` has left.
	assert_int_equal(s.scene->source[2]->gen.start,
		5 * PS_PER_US + (2ull * LIST + 1000 + (MAP - 1) * 1000 + 8) * PS_PER_NS);
	scn_in(&s, "received", scn_value(&s, "source.last[h2>r].rx_frames"), 2, 2);
	cap_free(&c);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_their_instants),
	};

	return cmocka_run_group_tests_name("lists", tests, NULL, NULL);
}
