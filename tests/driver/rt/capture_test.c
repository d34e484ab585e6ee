// SPDX-License-Identifier: BSD-3-Clause
// Whole runs on the real clock whose frames come from captures and leave into others: frames that
// the switch passes, marks, drops and forges, and a host's reaction to payload and CNPs. Usage:
// capture_test CASE.
#include <errno.h>

#include "../../cap_all.h"
#include "../../cnps.h"
#include "frame/frame.h"
#include "run_lab.h"

#define CAPTURE TEST_SOURCE "/tests/data/linux_softroce_rocev2.pcap"
#define FAULTS  TEST_SOURCE "/tests/data/ip_faults.pcap"

static void same_frames(const char *a, const char *b)
{
	struct cap x, y;
	struct err err;

	if (cap_read(&x, a, &err) != 0 || cap_read(&y, b, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(x.n, y.n);
	for (unsigned i = 0; i < x.n; i++) {
		assert_int_equal(x.frame[i].len, y.frame[i].len);
		assert_memory_equal(x.frame[i].bytes, y.frame[i].bytes, x.frame[i].len);
	}
	cap_free(&x);
	cap_free(&y);
}

// Its instants are those of the wall clock, as in the captures of others.
static void is_of_this_century(const char *path)
{
	struct cap c;
	struct err err;

	if (cap_read(&c, path, &err) != 0)
		fail_msg("%s", err.text);
	assert_true(c.first_ns > 1577836800 * 1000000000ull); // 2020
	cap_free(&c);
}

// Counters of the last run's summary: frames that WRED dropped, and malformed frames that the
// switch forwarded.
static double wred_drops, malformed_forwarded;

static struct rt_opts threads; // of the test, where it wants several lcores

// `capture` from net_pcap through the switch to net_pcap: what left, as out.pcap, is compared by
// `check`.
static void through_the_switch(const char *capture, const struct scene_set *more,
	void (*check)(const char *in, const char *out))
{
	char a[400], b[400], out[64], none[64], run[64];
	struct scene_set set[5] = {
		{"ports.s1:a.device", a}, {"ports.s1:b.device", b}, {"ports.s1:b.capture", "true"}};
	struct rt_opts o = threads;
	struct report *r;
	struct scene *s;
	unsigned n = 3;

	while (more && more->path)
		set[n++] = *more++;
	run_lab_folder();
	snprintf(out, sizeof(out), "%s/out.pcap", dir);
	snprintf(none, sizeof(none), "%s/none.pcap", dir);
	snprintf(run, sizeof(run), "%s/run", dir);
	snprintf(a, sizeof(a), "net_pcap0,rx_pcap=%s,tx_pcap=%s", capture, none);
	snprintf(b, sizeof(b), "net_pcap1,tx_pcap=%s", out);
	s = loaded(HERE "pcap.yaml", set, n);
	o.record.dir = run;
	r = real(s, o);
	wred_drops = report_value(r, "drop.wred");
	malformed_forwarded = report_value(r, "port.s1:a.malformed_forwarded_frames");
	report_free(r);
	scene_free(s);
	check(capture, out);
	snprintf(out, sizeof(out), "%s/run/capture.pcapng", dir);
	check(capture, out);
	is_of_this_century(out);
	run_lab_done();
}

static void a_capture_passes_the_switch(void **state)
{
	(void)state;
	through_the_switch(CAPTURE, NULL, same_frames);
}

// From the lcore of one port to that of the other, in the same order.
static void a_capture_passes_from_lcore_to_lcore(void **state)
{
	const struct scene_set cut[] = {{"switches.s1.lcores", "2"}, {0}};
	char *eal[] = {(char *)"--lcores=0@0,1@0,2@0", (char *)"--main-lcore=0"};

	(void)state;
	threads = (struct rt_opts){.eal_argc = 2, .eal_argv = eal};
	through_the_switch(CAPTURE, cut, same_frames);
}

static const struct scene_set force_ce[] = {{"switches.s1.classes.3.force_ce", "true"}, {0}};

static void same_as_twin(const char *in, const char *out)
{
	(void)in;
	same_frames(TEST_SOURCE "/tests/data/rc_write_only_ipv4_ce.pcap", out);
}

static void a_write_leaves_as_its_marked_twin(void **state)
{
	(void)state;
	through_the_switch(
		TEST_SOURCE "/tests/data/rc_write_only_ipv4.pcap", force_ce, same_as_twin);
}

// ToS 0x6a became 0x6b, 0x00 stayed; lengths and order are the capture's, every checksum and ICRC
// is right.
static void marked(const char *in, const char *out)
{
	struct cap x, y;
	struct err err;
	unsigned ce = 0;

	if (cap_read(&x, in, &err) != 0 || cap_read(&y, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(y.n, 267);
	for (unsigned i = 0; i < x.n; i++) {
		struct frame was, is;

		assert_int_equal(y.frame[i].len, x.frame[i].len);
		frame_parse(x.frame[i].bytes, x.frame[i].len, &was);
		assert_int_equal(frame_parse(y.frame[i].bytes, y.frame[i].len, &is), FRAME_OK);
		assert_int_equal(is.ip.tos, was.ip.tos == 0x6a ? 0x6b : was.ip.tos);
		assert_int_equal(is.bth.psn, was.bth.psn);
		assert_true(frame_icrc_ok(&is, y.frame[i].bytes));
		ce += is.ip.tos == 0x6b;
	}
	assert_int_equal(ce, 50);
	cap_free(&x);
	cap_free(&y);
}

static void a_capture_leaves_marked(void **state)
{
	(void)state;
	through_the_switch(CAPTURE, force_ce, marked);
	assert_true(wred_drops == 0);
}

static void only_ect(const char *in, const char *out)
{
	struct cap y;
	struct err err;

	(void)in;
	if (cap_read(&y, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(y.n, 50);
	for (unsigned i = 0; i < y.n; i++) {
		struct frame is;

		assert_int_equal(frame_parse(y.frame[i].bytes, y.frame[i].len, &is), FRAME_OK);
		assert_int_equal(is.ip.tos, 0x6b);
	}
	cap_free(&y);
}

static void policy_drop_takes_what_is_not_ect(void **state)
{
	static const struct scene_set drop[] = {{"switches.s1.classes.3.force_ce", "true"},
		{"switches.s1.classes.3.wred.not_ect", "drop"}, {0}};

	(void)state;
	through_the_switch(CAPTURE, drop, only_ect);
	assert_true(wred_drops == 267 - 50);
}

// CNPs for h1, forged or not, that come in by a port of the switch.
static void check_cnps(bool forged, const char *check, double taken)
{
	char in[64], device[200];
	const struct scene_set set[] = {{"ports.s1:f.device", device},
		{"hosts.h1.check_icrc", check}, {"duration", "100ms"}};
	struct scene *s = loaded(HERE "forged.yaml", NULL, 0);
	struct report *r;

	run_lab_folder();
	snprintf(in, sizeof(in), "%s/in.pcap", dir);
	snprintf(device, sizeof(device), "net_pcap0,rx_pcap=%s,tx_pcap=%s/out.pcap", in, dir);
	assert_int_equal(cnps_write(in, s->flow[0], 2000, forged ? CNPS_ICRC : CNPS_RIGHT), 0);
	scene_free(s);
	s = loaded(HERE "forged.yaml", set, 3);
	r = real(s, (struct rt_opts){0});
	assert_true(report_value(r, "cnp_rx") == taken);
	assert_true(report_value(r, "nic.h1.rx_icrc_errors") == 2000 - taken);
	assert_true(report_value(r, "nic_drop.icrc") == 2000 - taken);
	assert_int_equal(report_value(r, "rate_cuts") > 0, taken > 0);
	report_free(r);
	scene_free(s);
	run_lab_done();
}

static void forged_cnps_are_not_taken(void **state)
{
	(void)state;
	check_cnps(true, "yes", 0);
}

static void the_receivers_own_cnps_are_taken(void **state)
{
	(void)state;
	check_cnps(false, "yes", 2000);
}

static void a_host_may_take_what_is_forged(void **state)
{
	(void)state;
	check_cnps(true, "no", 2000);
}

#define DATA_FRAMES 120

static struct pkt data_of(const struct scene_flow *f, uint32_t psn)
{
	return (struct pkt){.hdr = &f->hdr_data,
		.len = 58 + 1000,
		.kind = PKT_DATA,
		.u.rc = {.opcode = BTH_RC_WRITE_MIDDLE,
			.psn = psn,
			.qpn = f->rsp.qpn,
			.payload = 1000}};
}

// Data for the scene's first flow; of each three frames one has another payload, and one a wrong
// ICRC.
static void data_write(const char *path, const struct scene *s)
{
	const struct payload other = {.kind = PAYLOAD_FIXED, .word = {1, 2, 3, 5}};
	struct capw *w;
	struct err err;

	assert_int_equal(capw_open(&w, path, &err), 0);
	assert_int_equal(capw_interface(w, "data", 10 * RATE_GBPS, false), 0);
	for (unsigned i = 0; i < DATA_FRAMES; i++) {
		struct pkt p = data_of(s->flow[0], i);
		uint8_t bytes[58 + 1000];

		frame_with_payload(&p, i % 3 == 1 ? &other : &s->payload[p.hdr->payload], bytes);
		bytes[600] ^= i % 3 == 2;
		assert_true(capw_frame(w, 0, i * PS_PER_US, 1, bytes, p.len) >= 0);
	}
	assert_int_equal(capw_close(w, &err), 0);
}

// All that left for b is whole: ICRC and payload hold, whatever stood in the buffers before.
static void sent_whole(const char *out, const struct scene *s)
{
	struct cap c;
	struct err err;

	if (cap_read(&c, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(c.n, 4 * 12 * 3);
	for (unsigned i = 0; i < c.n; i++) {
		struct frame f;

		assert_int_equal(frame_parse(c.frame[i].bytes, c.frame[i].len, &f), FRAME_OK);
		assert_true(frame_icrc_ok(&f, c.frame[i].bytes));
		assert_true(payload_holds(&s->payload[s->flow[0]->hdr_data.payload], f.bth.psn,
			f.bth.qpn, c.frame[i].bytes + f.payload_off, f.payload_len));
	}
	cap_free(&c);
}

// A host sends what its flow says, and another one counts what is something else.
static void check_payload(const char *payload)
{
	char in[64], out[64], a[200], b[200];
	const struct scene_set set[] = {{"ports.a:b.device", a}, {"ports.b:a.device", b},
		{"flows.f.payload", payload}, {"flows.f.ack_every", "65536"}};
	struct scene *s;
	struct report *r;

	run_lab_folder();
	snprintf(in, sizeof(in), "%s/in.pcap", dir);
	snprintf(out, sizeof(out), "%s/out.pcap", dir);
	snprintf(a, sizeof(a), "net_pcap0,rx_pcap=%s,tx_pcap=%s", CAPTURE, out);
	snprintf(b, sizeof(b), "net_pcap1,rx_pcap=%s,tx_pcap=%s/acks.pcap", in, dir);
	s = loaded(HERE "payload.yaml", set, 4);
	data_write(in, s);
	r = real(s, (struct rt_opts){0});
	assert_true(report_value(r, "nic.b.rx_payload_errors") == DATA_FRAMES / 3);
	assert_true(report_value(r, "nic.b.rx_icrc_errors") == DATA_FRAMES / 3);
	report_free(r);
	sent_whole(out, s);
	scene_free(s);
	run_lab_done();
}

static void fixed_payload_is_looked_at(void **state)
{
	(void)state;
	check_payload("0xdeadbeef");
}

static void a_prbs_is_looked_at(void **state)
{
	(void)state;
	check_payload("prbs");
}

static void faults_above_layer_2_pass(void **state)
{
	(void)state;
	through_the_switch(FAULTS, NULL, same_frames);
	assert_true(malformed_forwarded == 8);
}

// The fault stays; what has no header that can be read is not marked.
static void same_faults(const char *in, const char *out)
{
	struct cap x, y;
	struct err err;

	if (cap_read(&x, in, &err) != 0 || cap_read(&y, out, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(x.n, y.n);
	for (unsigned i = 0; i < x.n; i++) {
		struct frame was, is;

		frame_parse(x.frame[i].bytes, x.frame[i].len, &was);
		assert_int_equal(frame_parse(y.frame[i].bytes, y.frame[i].len, &is), was.error);
		assert_int_equal(is.ip.tos, was.error == FRAME_BAD_IHL ? 0 : 0x6b);
	}
	cap_free(&x);
	cap_free(&y);
}

static void faults_stay_faults_when_marked(void **state)
{
	(void)state;
	through_the_switch(FAULTS, force_ce, same_faults);
	assert_true(malformed_forwarded == 8);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_capture_passes_from_lcore_to_lcore),
	cmocka_unit_test(a_capture_passes_the_switch),
	cmocka_unit_test(a_capture_leaves_marked),
	cmocka_unit_test(policy_drop_takes_what_is_not_ect),
	cmocka_unit_test(a_write_leaves_as_its_marked_twin),
	cmocka_unit_test(forged_cnps_are_not_taken),
	cmocka_unit_test(the_receivers_own_cnps_are_taken),
	cmocka_unit_test(a_host_may_take_what_is_forged),
	cmocka_unit_test(fixed_payload_is_looked_at),
	cmocka_unit_test(a_prbs_is_looked_at),
	cmocka_unit_test(faults_above_layer_2_pass),
	cmocka_unit_test(faults_stay_faults_when_marked),
};

int main(int argc, char **argv)
{
	return run_lab_main(cases, sizeof(cases) / sizeof(cases[0]), "capture_test", argc, argv);
}
