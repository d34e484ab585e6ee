// SPDX-License-Identifier: BSD-3-Clause
// Real captures through the switch: every byte as it was, or marked and nothing else changed.
#include "compile/compile.h"
#include "scn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cnps.h"
#include "../cap_all.h"
#include "vt/vt.h"
#include "frame/frame.h"

#define CAPTURE  TEST_DATA "/linux_softroce_rocev2.pcap"
#define FAULTS   TEST_DATA "/ip_faults.pcap"
#define SETTINGS 4

// Counters of the last run's summary: frames that WRED dropped, and malformed frames that the
// switch forwarded.
static double wred_drops, malformed_forwarded;

// The frames that leave the switch towards the sink when `file` is replayed through a scenario.
static struct cap replayed(const char *scenario, const char *file, const struct scene_set *more)
{
	char path[512], name[512], dir[] = "/tmp/quench-replay-XXXXXX", command[600];
	struct scene_set set[SETTINGS] = {{"hosts.source.replay.file", file}};
	struct scene_opts so = {.set = set, .n_set = 1};
	struct vt_opts vo = {0};
	struct scene *scene;
	struct report *rec = NULL;
	struct err err;
	struct cap out;

	while (more && more->path)
		set[so.n_set++] = *more++;
	assert_non_null(mkdtemp(dir));
	vo.record = (struct record_opts){.dir = dir, .force = true, .command = "test"};
	snprintf(path, sizeof(path), "%s/config/%s", SOURCE_ROOT, scenario);
	if (compile_scene(&scene, path, &so, &err) || vt_run(scene, &vo, &rec, &err))
		fail_msg("%s", err.text);
	wred_drops = report_value(rec, "drop.wred");
	malformed_forwarded = report_value(rec, "port.s1:source.malformed_forwarded_frames");
	report_free(rec);
	scene_free(scene);
	snprintf(name, sizeof(name), "%s/capture.pcapng", dir);
	if (cap_read(&out, name, &err))
		fail_msg("%s", err.text);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
	return out;
}

static struct cap capture(const char *file)
{
	struct err err;
	struct cap c;

	if (cap_read(&c, file, &err))
		fail_msg("%s", err.text);
	return c;
}

static void an_idle_switch_changes_no_byte(void **state)
{
	struct cap in = capture(CAPTURE), out = replayed("replay.yaml", CAPTURE, NULL);

	(void)state;
	assert_int_equal(out.n, 267);
	for (unsigned i = 0; i < in.n; i++) {
		assert_int_equal(out.frame[i].len, in.frame[i].len);
		assert_memory_equal(out.frame[i].bytes, in.frame[i].bytes, in.frame[i].len);
		assert_true(out.frame[i].at + 10 * PS_PER_US > in.frame[i].at);
		assert_true(out.frame[i].at < in.frame[i].at + 10 * PS_PER_US);
	}
	cap_free(&in);
	cap_free(&out);
}

// A frame may differ from what went in by its ECN bits and its IPv4 checksum only; both readings
// are right.
static void check_marked(const struct replay_frame *in, const struct replay_frame *out)
{
	struct frame was, is;
	uint8_t copy[PKT_MAX_LEN];

	assert_int_equal(in->len, out->len);
	assert_int_equal(frame_parse(in->bytes, in->len, &was), FRAME_OK);
	assert_int_equal(frame_parse(out->bytes, out->len, &is), FRAME_OK);
	assert_int_equal(is.ip.tos, was.ip.tos == 0x6a ? 0x6b : was.ip.tos);
	assert_true(frame_icrc_ok(&is, out->bytes));
	memcpy(copy, out->bytes, out->len);
	if (is.ip.version == 4)
		memcpy(copy + is.l3_off + 10, in->bytes + was.l3_off + 10, 2);
	memcpy(copy + is.l3_off, in->bytes + was.l3_off, 2);
	assert_memory_equal(copy, in->bytes, in->len);
}

// Of one class after the other, in order: the classes' queues may overtake each other.
static void every_ect_frame_leaves_marked_and_right(void **state)
{
	struct cap in = capture(CAPTURE), out = replayed("replay-ce.yaml", CAPTURE, NULL);
	unsigned marked = 0;

	(void)state;
	assert_int_equal(in.n, 267);
	assert_int_equal(out.n, 267);
	for (unsigned ect = 0; ect < 2; ect++) {
		unsigned o = 0;

		for (unsigned i = 0; i < in.n; i++) {
			struct frame f;

			frame_parse(in.frame[i].bytes, in.frame[i].len, &f);
			if ((f.ip.tos == 0x6a) != ect)
				continue;
			for (;; o++) {
				assert_true(o < out.n);
				frame_parse(out.frame[o].bytes, out.frame[o].len, &f);
				if ((f.ip.tos == 0x6b) == ect)
					break;
			}
			check_marked(&in.frame[i], &out.frame[o++]);
			marked += ect;
		}
	}
	assert_int_equal(marked, 50);
	cap_free(&in);
	cap_free(&out);
}

static void policy_drop_takes_what_is_not_ect(void **state)
{
	static const struct scene_set drop[] = {{"switches.s1.classes.0.wred.min", "1MB"},
		{"switches.s1.classes.0.wred.max", "2MB"},
		{"switches.s1.classes.0.wred.not_ect", "drop"}, {0}};
	struct cap out = replayed("replay-ce.yaml", CAPTURE, drop);

	(void)state;
	assert_int_equal(out.n, 50);
	assert_true(wred_drops == 267 - 50);
	cap_free(&out);
}

static void a_write_leaves_as_its_marked_twin(void **state)
{
	struct cap want = capture(TEST_DATA "/rc_write_only_ipv4_ce.pcap");
	struct cap out = replayed("replay-ce.yaml", TEST_DATA "/rc_write_only_ipv4.pcap", NULL);

	(void)state;
	assert_int_equal(out.n, 1);
	assert_int_equal(out.frame[0].len, want.frame[0].len);
	assert_memory_equal(out.frame[0].bytes, want.frame[0].bytes, want.frame[0].len);
	cap_free(&want);
	cap_free(&out);
}

// CNPs for h1 with a fault, and who took them: `check` is h1's option of that name. tests/driver
// has the same on the real clock.
static void check_cnps(enum cnps_fault fault, const char *check, double taken)
{
	bool stranger = fault == CNPS_SOURCE;
	char path[] = "/tmp/quench-cnps-XXXXXX", file[64], set_check[64], out[64], command[64];
	struct scn s = scn_run("../tests/driver/rt/forged.yaml", NULL);
	int fd = mkstemp(path);

	assert_true(fd >= 0 && close(fd) == 0);
	assert_int_equal(cnps_write(path, s.scene->flow[0], 2000, fault), 0);
	scn_free(&s);
	snprintf(file, sizeof(file), "hosts.f.replay.file=%s", path);
	snprintf(set_check, sizeof(set_check), "hosts.h1.%s", check);
	snprintf(out, sizeof(out), "out=%s.run", path);
	s = scn_run("../tests/driver/rt/forged.yaml", file, set_check, out, NULL);
	scn_in(&s, "CNPs taken", scn_value(&s, "cnp_rx"), taken, taken);
	scn_in(&s, "wrong ICRCs", scn_value(&s, "nic.h1.rx_icrc_errors"),
		stranger ? 0 : 2000 - taken, stranger ? 0 : 2000 - taken);
	scn_in(&s, "of strangers", scn_value(&s, "nic.h1.rx_wrong_peer"), 2000 * stranger,
		2000 * stranger);
	scn_in(&s, "drops", scn_value(&s, stranger ? "nic_drop.wrong_peer" : "nic_drop.icrc"),
		2000 - taken, 2000 - taken);
	scn_in(&s, "rate cuts", scn_value(&s, "rate_cuts"), taken ? 1 : 0, taken);
	// Few drops of strangers are events.
	assert_null(strstr(report_text(s.rec), "NOT RECONCILED"));
	scn_free(&s);
	unlink(path);
	snprintf(command, sizeof(command), "rm -r '%s.run'", path);
	assert_int_equal(system(command), 0);
}

static void forged_cnps_are_not_taken(void **state)
{
	(void)state;
	check_cnps(CNPS_ICRC, "check_icrc=yes", 0);
	check_cnps(CNPS_RIGHT, "check_icrc=yes", 2000);
	check_cnps(CNPS_ICRC, "check_icrc=no", 2000);
	check_cnps(CNPS_SOURCE, "peer_check=yes", 0);
	check_cnps(CNPS_SOURCE, "peer_check=no", 2000);
}

// All that is counted of a flow: messages, frames, bytes, ACKs, NAKs, CNPs, cuts.
static const char *const counted[] = {"message_tx", "message_complete_rx", "receives",
	"immediate_rx", "message_fail", "data_frames_tx", "data_frames_rx",
	"data_frames_retransmitted", "frame_sequence_error", "tx_bytes", "rx_bytes", "ack_tx",
	"ack_rx", "nak_tx", "nak_rx", "cnp_tx", "cnp_rx", "ecn_ce_rx", "rate_cuts"};

// In how many of these the flows of two runs differ.
static unsigned differ(const struct scn *a, const struct scn *b)
{
	unsigned n = 0;

	assert_int_equal(a->scene->n_flows, b->scene->n_flows);
	for (unsigned i = 0; i < a->scene->n_flows; i++)
		for (unsigned k = 0; k < sizeof(counted) / sizeof(counted[0]); k++) {
			char path[128];

			snprintf(path, sizeof(path), "flow.%s.%s", a->scene->flow[i]->name,
				counted[k]);
			n += scn_value(a, path) != scn_value(b, path);
		}
	return n;
}

// Frames of real hosts name queue pairs of the scene, on hosts with the right addresses. Each is
// refused, since its sender is not the peer, and the flows' counts are those of a run without them.
// A host that does not check takes them.
static void captured_frames_hit_no_queue_pair(void **state)
{
	static const char *const v6[] = {"hosts.a.ip=fd07::1", "hosts.b.ip=fd07::2",
		"hosts.p.ip=fd07::11", "hosts.q.ip=fd07::12"};
	static const char *const v4[] = {"hosts.a.ip=10.7.0.1", "hosts.b.ip=10.7.0.2",
		"hosts.p.ip=10.7.0.3", "hosts.q.ip=10.7.0.4"};

	(void)state;
	for (unsigned is_v6 = 0; is_v6 < 2; is_v6++) {
		const char *const *ip = is_v6 ? v6 : v4;
		struct scn alone = scn_run("beside-replay.yaml", "hosts.f.replay.file=none", ip[0],
			ip[1], ip[2], ip[3], NULL);
		struct scn beside = scn_run("beside-replay.yaml", ip[0], ip[1], ip[2], ip[3], NULL);
		struct scn open = scn_run("beside-replay.yaml", ip[0], ip[1], ip[2], ip[3],
			"hosts.a.peer_check=no", "hosts.b.peer_check=no", NULL);

		scn_in(&alone, "messages", scn_value(&alone, "messages"), 720, 720);
		scn_in(&alone, "of strangers", scn_value(&alone, "nic_drop.wrong_peer"), 0, 0);
		// Ten times 221 frames of RC with opcodes of ours; the rest is UC, UD and atomics.
		scn_in(&beside, "of strangers", scn_value(&beside, "nic_drop.wrong_peer"), 2210,
			2210);
		scn_in(&beside, "a's and b's",
			scn_value(&beside, "nic.a.rx_wrong_peer") +
				scn_value(&beside, "nic.b.rx_wrong_peer"),
			2210, 2210);
		scn_in(&beside, "unknown", scn_value(&beside, "nic_drop.unknown"), 460, 460);
		scn_in(&beside, "differences", differ(&alone, &beside), 0, 0);
		scn_in(&open, "differences", differ(&alone, &open), 10, 1000);
		scn_free(&alone);
		scn_free(&beside);
		scn_free(&open);
	}
}

// 0 and 1 are for management; in virtual time a host's first queue pair has 17, and the source port
// is made of these numbers.
static void queue_pairs_have_qpns_from_17(void **state)
{
	char dir[] = "/tmp/quench-qpns-XXXXXX", out[64], file[64], command[64];
	unsigned roce = 0;
	struct cap c;
	struct scn s;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "out=%s/run", dir);
	s = scn_run("../tests/driver/rt/forged.yaml", out, "ports.s1:r.capture=true",
		"ports.s1:h1.capture=true", "duration=500us", NULL);
	assert_int_equal(s.scene->flow[0]->src_qp, 1);
	scn_free(&s);
	snprintf(file, sizeof(file), "%s/run/capture.pcapng", dir);
	c = capture(file);
	for (unsigned i = 0; i < c.n; i++) {
		struct frame f;

		assert_int_equal(frame_parse(c.frame[i].bytes, c.frame[i].len, &f), FRAME_OK);
		if (!pkt_is_roce(f.kind))
			continue;
		assert_int_equal(f.bth.qpn, 17);
		assert_int_equal(f.udp.sport, bth_source_port(17, 17));
		roce++;
	}
	assert_true(roce > 50);
	cap_free(&c);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

// A frame with a fault above layer 2 passes a switch, byte by byte.
static void faults_above_layer_2_pass(void **state)
{
	struct cap in = capture(FAULTS), out = replayed("replay.yaml", FAULTS, NULL);

	(void)state;
	assert_int_equal(in.n, 9);
	assert_int_equal(out.n, 9);
	for (unsigned i = 0; i < in.n; i++) {
		assert_int_equal(out.frame[i].len, in.frame[i].len);
		assert_memory_equal(out.frame[i].bytes, in.frame[i].bytes, in.frame[i].len);
	}
	assert_true(malformed_forwarded == 8);
	cap_free(&in);
	cap_free(&out);
}

// A mark changes ToS and checksum as in any frame, so that the fault stays; without a header it can
// read the switch marks nothing.
static void faults_stay_faults_when_marked(void **state)
{
	struct cap in = capture(FAULTS), out = replayed("replay-ce.yaml", FAULTS, NULL);

	(void)state;
	assert_int_equal(out.n, 9);
	for (unsigned i = 0; i < in.n; i++) {
		struct frame was, is;

		frame_parse(in.frame[i].bytes, in.frame[i].len, &was);
		assert_int_equal(frame_parse(out.frame[i].bytes, out.frame[i].len, &is), was.error);
		assert_int_equal(is.ip.tos, was.error == FRAME_BAD_IHL ? 0 : 0x6b);
	}
	assert_true(malformed_forwarded == 8);
	cap_free(&in);
	cap_free(&out);
}

// Each of them reaches a host, which tells the reason.
static void a_nic_drops_faults_by_reason(void **state)
{
	static const struct {
		const char *counter;
		double frames;
	} want[] = {{"rx_frames", 9}, {"drop_malformed", 8}, {"drop_no_qp", 1},
		{"malformed_bad_ip_checksum", 2}, {"malformed_bad_ip_length", 3},
		{"malformed_bad_ihl", 1}, {"malformed_bad_udp_length", 1},
		{"malformed_bad_opcode", 1}};
	struct scn s = scn_run("faults.yaml", NULL);

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "nic.r.%s", want[i].counter);
		scn_in(&s, path, scn_value(&s, path), want[i].frames, want[i].frames);
	}
	scn_free(&s);
}

// A classic pcap of n frames of 1514 bytes, 1 us apart.
static void write_capture(const char *name, unsigned n)
{
	const uint32_t head[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1};
	const uint8_t frame[1514] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5};
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fwrite(head, sizeof(head), 1, f);
	for (uint32_t i = 0; i < n; i++) {
		fwrite((const uint32_t[]){1000, i, sizeof(frame), sizeof(frame)}, 16, 1, f);
		fwrite(frame, sizeof(frame), 1, f);
	}
	assert_int_equal(fclose(f), 0);
}

static struct report *run(struct scene **scene, const char *file, const char *duration)
{
	const struct scene_set set[] = {{"hosts.source.replay.file", file}, {"duration", duration}};
	struct scene_opts so = {.set = set, .n_set = duration ? 2 : 1};
	struct vt_opts vo = {.record.no_files = true};
	struct report *rec = NULL;
	struct err err;

	if (compile_scene(scene, SOURCE_ROOT "/config/replay.yaml", &so, &err) ||
		vt_run(*scene, &vo, &rec, &err))
		fail_msg("%s", err.text);
	return rec;
}

static void what_is_wanted_is_sent(void **state)
{
	struct scene *scene;
	struct report *rec = run(&scene, CAPTURE, NULL);

	(void)state;
	assert_true(report_value(rec, "replay.source.tx_frames") == 267);
	assert_true(report_value(rec, "replay.source.wanted_frames") == 267);
	assert_true(report_passed(rec));
	assert_non_null(strstr(report_text(rec), "source: 267 frames wanted, 267 sent, "));
	report_free(rec);
	scene_free(scene);
}

// 12.3 Gb/s asked of 10 Gb/s: a frame each 1230.4 ns, so that 894 leave in 1.1 ms.
static void what_the_wire_is_too_slow_for_fails(void **state)
{
	char name[] = "/tmp/quench-replay-XXXXXX", why[200];
	int fd = mkstemp(name);
	struct scene *scene;
	struct report *rec;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_capture(name, 1000);
	rec = run(&scene, name, "1.1ms");
	assert_false(report_passed(rec));
	assert_true(report_value(rec, "replay.source.tx_frames") == 895);
	assert_true(report_value(rec, "replay.source.unsent_frames_total") == 105);
	assert_float_equal(report_value(rec, "replay.source.late_max_us_total"), 894 * .2304, .001);
	assert_float_equal(report_value(rec, "replay.source.late_p50_us_total"), 447 * .2304, 1);
	assert_float_equal(report_value(rec, "replay.source.late_p99_us_total"), 885 * .2304, 2);
	assert_string_equal(report_failure(rec, why, sizeof(why)),
		"replay_unsent_frames is 105; at most 0 was expected");
	assert_non_null(
		strstr(report_text(rec), "NOT REPLAYED  source sent 895 of 1000 frames due\n"));
	report_free(rec);
	scene_free(scene);
	rec = run(&scene, name, "1.3ms");
	assert_true(report_passed(rec));
	report_free(rec);
	scene_free(scene);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wanted_is_sent),
		cmocka_unit_test(what_the_wire_is_too_slow_for_fails),
		cmocka_unit_test(an_idle_switch_changes_no_byte),
		cmocka_unit_test(every_ect_frame_leaves_marked_and_right),
		cmocka_unit_test(policy_drop_takes_what_is_not_ect),
		cmocka_unit_test(a_write_leaves_as_its_marked_twin),
		cmocka_unit_test(forged_cnps_are_not_taken),
		cmocka_unit_test(captured_frames_hit_no_queue_pair),
		cmocka_unit_test(queue_pairs_have_qpns_from_17),
		cmocka_unit_test(faults_above_layer_2_pass),
		cmocka_unit_test(faults_stay_faults_when_marked),
		cmocka_unit_test(a_nic_drops_faults_by_reason),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
