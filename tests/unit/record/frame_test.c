// SPDX-License-Identifier: BSD-3-Clause
// capture.pcapng: frames of ours parse and are as many as were counted; foreign ones differ in the
// mark only.
#include "record_lab.h"

#include "cap/cap.h"
#include "wire/frame.h"

static void load(const struct lab *l, struct cap *c)
{
	char path[160];
	struct err err;

	snprintf(path, sizeof(path), "%s/capture.pcapng", l->out);
	if (cap_read(c, path, &err))
		fail_msg("%s", err.text);
}

static void our_frames(void **state)
{
	struct scene_set set[] = {{"warmup", "0us"}, {"duration", "300us"}};
	unsigned kinds[PKT_KINDS] = {0};
	struct lab l;
	struct cap c;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE "ports: {'h1:s1': {capture: true}}\n");
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	load(&l, &c);
	for (unsigned i = 0; i < c.n; i++) {
		struct frame f;

		assert_int_equal(frame_parse(c.frame[i].bytes, c.frame[i].len, &f), FRAME_OK);
		kinds[f.kind]++;
	}
	assert_true(kinds[PKT_DATA] == report_value(l.rec, "flow.incast[h1>r.0].data_frames_tx"));
	assert_true(kinds[PKT_CNP] == report_value(l.rec, "flow.incast[h1>r.0].cnp_rx"));
	assert_true(kinds[PKT_ACK] == report_value(l.rec, "flow.incast[h1>r.0].ack_rx"));
	assert_true(kinds[PKT_PFC] == report_value(l.rec, "pfc.h1:s1.3.xoff_frames") +
					      report_value(l.rec, "pfc.h1:s1.3.xon_frames"));
	assert_true(kinds[PKT_PFC] > 0 && kinds[PKT_CNP] > 0 && kinds[PKT_ACK] > 0);
	cap_free(&c);
	lab_close(&l);
}

// One frame through a switch that marks: it comes in as it was and leaves as its marked twin.
static void foreign_frames(void **state)
{
	struct cap c, plain, marked;
	struct err err;
	struct lab l;

	(void)state;
	lab_open(&l, "name: replay\n"
		     "duration: 1ms\n"
		     "switches: {s1: {classes: {3: {force_ce: true}}}}\n"
		     "hosts:\n"
		     "  a: {replay: {file: " TEST_DATA "/rc_write_only_ipv4.pcap}}\n"
		     "  b: {}\n"
		     "links: [{between: [[a, b], s1], rate: 25Gbps, delay: 1us}]\n"
		     "ports: {'s1:a': {capture: true}, 's1:b': {capture: true}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	load(&l, &c);
	assert_int_equal(cap_read(&plain, TEST_DATA "/rc_write_only_ipv4.pcap", &err), 0);
	assert_int_equal(cap_read(&marked, TEST_DATA "/rc_write_only_ipv4_ce.pcap", &err), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.frame[0].len, plain.frame[0].len);
	assert_memory_equal(c.frame[0].bytes, plain.frame[0].bytes, plain.frame[0].len);
	assert_int_equal(c.frame[1].len, marked.frame[0].len);
	assert_memory_equal(c.frame[1].bytes, marked.frame[0].bytes, marked.frame[0].len);
	cap_free(&c);
	cap_free(&plain);
	cap_free(&marked);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_frames),
		cmocka_unit_test(foreign_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
