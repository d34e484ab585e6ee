// SPDX-License-Identifier: BSD-3-Clause
// The lineage of pauses in a page: roots, queues and their debts; its tables beside the page.
#include "page_lab.h"

static void lineage(struct jw *w, struct saved *s)
{
	struct err err;
	struct lineage *l = lineage_of(s, &err);

	assert_non_null(l);
	data_lineage(w, l);
	lineage_free(l);
}

static void a_chain(void **state)
{
	static struct lab l;
	struct saved *run;
	char path[160];
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "summary.json", SUMMARY);
	put(&l, "manifest.json",
		"{\"name\": \"n\", \"end_us\": 100, \"resolved\": {\"record\": {\"events\": "
		"[\"all\", \"xoff_holder\"]}}}");
	// s2's port to s1 fills because s2:r is congested; s1's port to a because s1:s2 is stopped.
	put(&l, "events.csv",
		EVENT_HEAD "1,xoff_tx,s2:s1,,,0x08,,,65535,,,,\n"
			   "1,xoff_holder,s2:s1,3,,s2:r.3,,1000,,,,,\n"
			   "2,pause_rx,s1:s2,3,,,,,65535,,,,\n"
			   "3,xoff_tx,s1:a,,,0x08,,,65535,,,,\n"
			   "3,xoff_holder,s1:a,3,,s1:s2.3,,1000,,,,,\n"
			   "4,pause_rx,a:s1,3,,,,,65535,,,,\n"
			   "14,resume_rx,a:s1,3,,xon,,,,,,,\n"
			   "22,resume_rx,s1:s2,3,,xon,,,,,,,\n");
	j = part_of(&l, lineage);
	assert_int_equal(count(j, "lineage.roots"), 1);
	assert_string_equal(text(j, "lineage.roots.0.kind"), "congested");
	assert_non_null(strstr(text(j, "lineage.roots.0.name"), "s2:r.3"));
	assert_true(num(j, "lineage.roots.0.us") == 30);
	assert_int_equal(count(j, "lineage.nodes"), 2);
	assert_string_equal(text(j, "lineage.nodes.0.name"), "s1:s2.3");
	assert_true(num(j, "lineage.nodes.0.us") == 20);
	assert_int_equal(count(j, "lineage.edges"), 2);
	assert_true(num(j, "lineage.edges.0.root") == 0 && num(j, "lineage.edges.0.to") == 0);
	assert_true(num(j, "lineage.edges.1.from") == 0 && num(j, "lineage.edges.1.to") == 1);
	assert_true(num(j, "lineage.edges.1.us") == 10);
	assert_int_equal(count(j, "lineage.bills"), 2);
	json_decref(j);
	run = read_back(&l);
	snprintf(path, sizeof(path), "%s/page.html", l.dir);
	assert_int_equal(page_write(&run, 1, path, &l.err), 0);
	snprintf(path, sizeof(path), "%s/lineage_bills.csv", l.dir);
	assert_int_equal(access(path, F_OK), 0);
	saved_close(run);
	lab_close(&l);
}

static void without_pauses(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	j = part_of(&l, lineage);
	assert_true(json_is_null(at(j, "lineage")));
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain),
		cmocka_unit_test(without_pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
