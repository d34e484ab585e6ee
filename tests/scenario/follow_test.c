// SPDX-License-Identifier: BSD-3-Clause
// Open loops that follow others, whose true ends count: a pause moves all of them.
#include "scn.h"

#include <stdlib.h>

#include "../cap_all.h"
#include "frame/frame.h"

#define SOURCES 3

// The last bits of a source's first and last frame, and how many came.
struct course {
	tstamp first, last;
	unsigned n;
};

static void read_courses(const struct cap *c, struct course *of)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct frame f;

		if (frame_parse(c->frame[i].bytes, c->frame[i].len, &f) != FRAME_OK ||
			f.kind != PKT_GEN)
			continue;
		assert_in_range(f.gen.source, 0, SOURCES - 1);
		if (!of[f.gen.source].n++)
			of[f.gen.source].first = c->frame[i].at;
		of[f.gen.source].last = c->frame[i].at;
	}
}

static void run(struct course *of, const char *storm)
{
	char dir[] = "/tmp/quench-follow-XXXXXX", text[80];
	struct err err;
	struct scn s;
	struct cap c;

	assert_non_null(mkdtemp(dir));
	snprintf(text, sizeof(text), "out=%s", dir);
	s = scn_run("follow.yaml", text, storm, NULL);
	snprintf(text, sizeof(text), "%s/capture.pcapng", dir);
	if (cap_read(&c, text, &err))
		fail_msg("%s", err.text);
	snprintf(text, sizeof(text), "rm -r '%s'", dir);
	assert_int_equal(system(text), 0);
	read_courses(&c, of);
	assert_int_equal(of[0].n, 100);
	assert_int_equal(of[1].n, 10);
	assert_int_equal(of[2].n, 20);
	cap_free(&c);
	scn_free(&s);
}

// Whatever holds the first source up, the next one's first bit leaves 700 ns behind its last bit,
// and the third source's at once behind the second one's.
static void sources_follow_the_true_end(void **state)
{
	static const char *const storm[] = {"events.0.pfc_storm.for=20us",
		"events.0.pfc_storm.for=1us", "events.0.pfc_storm.for=33us", "events.0.at=60us"};
	tstamp end[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct course of[SOURCES] = {0};

		run(of, storm[i]);
		assert_int_equal(of[1].first - of[0].last, 700 * PS_PER_NS + 42 * PS_PER_NS);
		assert_int_equal(of[2].first - of[1].last, 8 * PS_PER_NS);
		end[i] = of[0].last - of[0].first;
	}
	// Without a pause that matters, the first source ends as planned. A pause lasts from the
	// end of the frame that leaves as it comes.
	assert_int_equal(end[3], 99 * 82 * PS_PER_NS);
	assert_in_range(end[0] - end[3], 19900 * PS_PER_NS, 20100 * PS_PER_NS);
	assert_in_range(end[2] - end[0], 12900 * PS_PER_NS, 13100 * PS_PER_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_follow_the_true_end),
	};

	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
