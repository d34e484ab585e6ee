// SPDX-License-Identifier: BSD-3-Clause
// Tests of the strongest tree: parents first, each queue once, rings apart.
#include "lineage_lab.h"

// The tree as text: a blank for each depth, and "~" before what a queue at depth 0 waits for.
static void tree_is(const char *want)
{
	char text[1024] = "", *p = text;

	for (uint32_t i = 0; i < lineage_counts(lin).rows; i++) {
		const struct lineage_row *r = lineage_row(lin, i);

		p += sprintf(p, "%*s", (int)r->depth, "");
		if (r->queue == LINEAGE_NONE)
			p += sprintf(p, "%s", root_name(r->root));
		else
			p += sprintf(p, "%s", lineage_port_name(lin, r->queue / 8));
		if (!r->depth && r->queue != LINEAGE_NONE)
			p += sprintf(p, "~%s", lineage_port_name(lin, r->to / 8));
		p += sprintf(p, "\n");
	}
	assert_string_equal(text, want);
}

static void each_queue_stands_below_its_strongest(void **state)
{
	(void)state;
	stop("r:s2.3", NULL, "s2:r.3", 0);
	stop("s2:s1.3", "s2:r.3", "s1:s2.3", 100);
	stop("s1:h1.3", "s1:s2.3", "h1:s1.3", 200);
	stop("s1:h2.3", "s1:s2.3", "h2:s1.3", 300);
	xoff("s1:h3.3", 100);
	held("s1:h3.3", "s1:s2.3", 40, 100);
	held("s1:h3.3", "s1:h2.3", 60, 100);
	paused("h3:s1.3", 100);
	finish(1000);
	tree_is("host r\n s2:r\n  s1:s2\n   h1:s1\n   h2:s1\negress s1:h2.3\n h3:s1\n");
	assert_int_equal(lineage_row(lin, 0)->ps, lineage_root(lin, 0)->ps);
	assert_int_equal(lineage_row(lin, 3)->ps, 800);
	assert_int_equal(lineage_row(lin, 3)->to, queue("s1:s2.3"));
	for (uint32_t i = 0; i < lineage_counts(lin).edges; i++) {
		const struct lineage_edge *e = lineage_edge(lin, i);

		assert_int_equal(
			e->strongest, e->queue != queue("h3:s1.3") || e->to == LINEAGE_NONE);
	}
}

static void a_ring_stands_apart(void **state)
{
	(void)state;
	stop("s1:h1.3", "s1:h2.3", "h1:s1.3", 0);
	stop("s3:s2.3", "s3:s1.3", "s2:s3.3", 0);
	stop("s2:s1.3", "s2:s3.3", "s1:s2.3", 50);
	stop("s1:s3.3", "s1:s2.3", "s3:s1.3", 60);
	stop("s3:h3.3", "s3:s1.3", "h3:s3.3", 60);
	finish(1000);
	tree_is("egress s1:h2.3\n h1:s1\ns2:s3~s3:s1\n s1:s2\n  s3:s1\n   h3:s3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIN_TEST(each_queue_stands_below_its_strongest),
		LIN_TEST(a_ring_stands_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
