// SPDX-License-Identifier: BSD-3-Clause
// Conversations replayed from two sides: all of their frames are delivered or lost by name, in the
// order and with the spacing of the capture.
#include "scn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cap_all.h"
#include "../cap_made.h"
#include "compile/compile.h"

#define CAPTURE TEST_DATA "/linux_softroce_rocev2.pcap"
#define SCENE   "replay.yaml"

static double sum(const struct scn *s, const char *figure)
{
	char path[96];
	double all = 0;

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "replay.%s.%s", i ? "sink" : "source", figure);
		all += scn_value(s, path);
	}
	return all;
}

// Every way to split gives each frame to the other side.
static void a_conversation_is_delivered(void **state)
{
	static const char *const split[] = {"auto", "mac", "client-server",
		"subnet 10.7.0.1,fd07::1", "mac 52:54:00:07:00:0a", "none"};

	(void)state;
	for (unsigned i = 0; i < sizeof(split) / sizeof(split[0]); i++) {
		char set[96];
		struct scn s;
		bool none = strcmp(split[i], "none") == 0;

		snprintf(set, sizeof(set), "hosts.source.replay.split=%s", split[i]);
		s = scn_run(SCENE, set, NULL);
		scn_in(&s, "sent", sum(&s, "tx_frames_total"), 267, 267);
		scn_in(&s, "received", sum(&s, "rx_frames_total"), 267, 267);
		scn_in(&s, "lost", sum(&s, "lost_frames_total"), 0, 0);
		scn_in(&s, "more", sum(&s, "extra_frames_total"), 0, 0);
		scn_in(&s, "the sink's", scn_value(&s, "replay.sink.tx_frames_total"),
			none ? 0 : 50, none ? 0 : 217);
		assert_int_equal(s.scene->n_warnings, 0);
		scn_free(&s);
	}
}

// Three rounds of two files, which have one side each.
static void files_merge_by_time(void **state)
{
	struct made m[2];
	char file[96], merge[96];
	struct scn s;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct made_what w = {.from = 1 + i, .to = 2 - i, .raw = true, .vlan = 9};

		made_open(&m[i]);
		for (unsigned k = 0; k < 50; k++)
			made_put(&m[i], 1000 * k + 300 * i, &w);
		made_close(&m[i]);
	}
	snprintf(file, sizeof(file), "hosts.source.replay.file=%s", m[0].name);
	snprintf(merge, sizeof(merge), "hosts.source.replay.merge=[%s]", m[1].name);
	s = scn_run(SCENE, file, merge, "hosts.source.replay.split=mac",
		"hosts.source.replay.loops=3", "hosts.source.replay.gap=700us", "duration=160ms",
		NULL);
	for (unsigned i = 0; i < 2; i++) {
		scn_in(&s, "sent",
			scn_value(&s, i ? "replay.sink.tx_frames_total"
					: "replay.source.tx_frames_total"),
			150, 150);
		scn_in(&s, "received",
			scn_value(&s, i ? "replay.sink.rx_frames_total"
					: "replay.source.rx_frames_total"),
			150, 150);
		unlink(m[i].name);
	}
	scn_in(&s, "late", sum(&s, "late_frames_total"), 0, 0);
	scn_in(&s, "first", scn_value(&s, "replay.sink.first_tx_us_total"), 300, 300);
	// two rounds of 49.3 ms, with 0.7 ms behind each
	scn_in(&s, "last", scn_value(&s, "replay.source.last_tx_us_total"), 149000, 149000);
	scn_in(&s, "last", scn_value(&s, "replay.sink.last_tx_us_total"), 149300, 149300);
	scn_free(&s);
}

// The link of the sink is too slow, and the switch has little room: what is lost is dropped there.
static void losses_have_names(void **state)
{
	struct scn s = scn_run_lossy(SCENE, "hosts.source.replay.split=auto",
		"hosts.source.replay.speed=1Gbps",
		"links=[{between: [source, s1], rate: 10Gbps}, {between: [sink, s1], rate: "
		"100Mbps}]",
		"switches.s1.buffer=20KB", NULL);
	double lost = scn_value(&s, "replay.source.lost_frames_total");

	(void)state;
	scn_in(&s, "lost of the source's", lost, 1, 200);
	scn_in(&s, "lost of the sink's", scn_value(&s, "replay.sink.lost_frames_total"), 0, 0);
	scn_in(&s, "dropped by the switch", scn_value(&s, "drops"), lost, lost);
	scn_free(&s);
}

// What passed the sink's port, both ways: its order is that of the file, and no gap differs by more
// than the wire takes.
static void order_and_spacing_hold_across_both_sides(void **state)
{
	char dir[] = "/tmp/quench-sides-XXXXXX", out[64], file[96], command[64];
	struct cap in, is;
	struct err err;
	struct scn s;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "out=%s/run", dir);
	s = scn_run(SCENE, "hosts.source.replay.split=auto", out, NULL);
	scn_free(&s);
	snprintf(file, sizeof(file), "%s/run/capture.pcapng", dir);
	if (cap_read(&in, CAPTURE, &err) || cap_read(&is, file, &err))
		fail_msg("%s", err.text);
	assert_int_equal(is.n, in.n);
	for (unsigned i = 0; i < in.n; i++) {
		assert_int_equal(is.frame[i].len, in.frame[i].len);
		assert_memory_equal(is.frame[i].bytes, in.frame[i].bytes, in.frame[i].len);
		assert_true(is.frame[i].at + 5 * PS_PER_US > in.frame[i].at);
		assert_true(is.frame[i].at < in.frame[i].at + 5 * PS_PER_US);
	}
	cap_free(&in);
	cap_free(&is);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

// One host sends the frames of both ends to a switch that learns where both are: what is warned of
// is just what does not arrive.
static void the_number_that_is_warned_of_is_right(void **state)
{
	struct scn s = scn_run(SCENE, "hosts.sink.replay={file: none}", NULL);
	unsigned warned = 0;

	(void)state;
	assert_int_equal(s.scene->n_warnings, 1);
	assert_int_equal(
		sscanf(s.scene->warning[0].text, "%*[^']'source': %u of 267 frames", &warned), 1);
	scn_in(&s, "not delivered", 267 - scn_value(&s, "replay.sink.rx_frames_total"), warned,
		warned);
	scn_free(&s);
}

static void check_warned(const char *yaml, const char *want)
{
	struct scene_opts so = {.text = yaml, .size = strlen(yaml)};
	struct scene *s;
	struct err err;
	bool found = false;

	if (compile_scene(&s, "scenario.yaml", &so, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < s->n_warnings; i++)
		found |= strstr(s->warning[i].text, want) != NULL;
	if (!found)
		fail_msg("no warning has \"%s\", but %u others", want, s->n_warnings);
	scene_free(s);
}

#define HEAD   "duration: 1ms\nswitches: {s1: {}}\nhosts:\n"
#define SOURCE "  a: {replay: {file: " CAPTURE "}}\n"
#define LINKS  "links: [{between: [[a, b], s1], rate: 10Gbps}]\n"

// The number of frames that a run will not deliver is told before it.
static void filtered_frames_are_counted_before_the_run(void **state)
{
	(void)state;
	check_warned(HEAD SOURCE "  b: {replay: {file: none}}\n" LINKS,
		"host 'a': 266 of 267 frames of a round go to addresses behind the port");
	check_warned("duration: 1ms\nswitches: {s1: {fdb: [{mac: '52:54:00:07:00:0a', port: "
		     "'s1:a'}, {mac: '52:54:00:07:00:0b', port: 's1:b'}]}}\nhosts:\n" SOURCE
		     "  b: {replay: {file: none}}\n" LINKS,
		"frames of a round go to addresses behind the port by which they come, so the "
		"switch filters them (52:54:00:07:00:0a is the first)");
	check_warned(HEAD SOURCE "  b: {}\n  c: {}\nlinks: [{between: [[a, b, c], s1], rate: "
				 "10Gbps}]\nflows: {f: {from: b, to: c}}\n",
		"1 of 267 frames of a round go to addresses that no host takes");
	check_warned(HEAD "  a: {replay: {file: " TEST_DATA
			  "/pfc_xoff_p3.pcap}}\n  b: {replay: {file: "
			  "none}}\n" LINKS,
		"host 'a': 1 of 1 frames of a round are for the other end of the link alone");
	check_warned("duration: 1ms\nhosts:\n" SOURCE "  b: {}\nlinks: [{between: [a, b], rate: "
		     "10Gbps}]\n",
		"267 of 267 frames of a round go to addresses that no host takes, so b drops them");
}

static void check_refused(const char *hosts, const char *want)
{
	char yaml[1024];
	struct scene_opts so = {.text = yaml};
	struct scene *s;
	struct err err;

	snprintf(yaml, sizeof(yaml), HEAD "%slinks: [{between: [[a, b%s], s1], rate: 10Gbps}]\n",
		hosts, strstr(hosts, "  c:") ? ", c" : "");
	so.size = strlen(yaml);
	if (!compile_scene(&s, "scenario.yaml", &so, &err))
		fail_msg("accepted: %s", hosts);
	if (!strstr(err.text, want))
		fail_msg("\"%s\" lacks \"%s\"", err.text, want);
}

#define OTHER "  b: {replay: {file: none, other_side_of: a}}\n"

static void bad_sides_are_one_line(void **state)
{
	(void)state;
	check_refused("  a: {replay: {file: " CAPTURE ", split: subnet 10.7}}\n" OTHER,
		"'subnet 10.7' is no split; '10.7' is no network");
	check_refused("  a: {replay: {file: " CAPTURE ", split: subnet 10.9.0.0/16}}\n" OTHER,
		"this split leaves the server side empty");
	check_refused("  a: {replay: {file: none}}\n" OTHER,
		"'a' replays no capture, so it has no other side; name a host that does");
	check_refused(SOURCE "  b: {replay: {file: none, other_side_of: b}}\n",
		"'b' replays no capture, so it has no other side");
	check_refused(SOURCE "  b: {replay: {file: none, other_side_of: x}}\n", "'x'");
	check_refused(SOURCE "  b: {replay: {file: " CAPTURE ", other_side_of: a}}\n",
		"host 'b' has the other side of 'a', so it has no file of its own; write file: "
		"none");
	check_refused(SOURCE "  b: {replay: {file: none, other_side_of: a, speed: 2x}}\n",
		"host 'b' takes speed from 'a', whose other side it has; write it there");
	check_refused(SOURCE OTHER "  c: {replay: {file: none, other_side_of: a}}\n",
		"hosts 'b' and 'c' both have the other side of 'a'; a capture has two");
	check_refused("  a: {replay: {file: " CAPTURE ", merge: [/nosuch]}}\n" OTHER,
		"/nosuch: No such file or directory");
	check_refused("  a: {replay: {file: " CAPTURE ", merge: {x: 1}}}\n" OTHER, "merge");
}

// Either side alone, and the same with the hosts the other way round.
static void one_host_has_one_side(void **state)
{
	static const char *const sides[] = {"client", "server"};
	double sent[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char side[64];
		struct scn s, both;

		snprintf(side, sizeof(side), "hosts.source.replay.side=%s", sides[i]);
		s = scn_run(SCENE, side, "hosts.source.replay.split=mac",
			"hosts.sink.replay={file: none}", NULL);
		both = scn_run(SCENE, side, "hosts.source.replay.split=mac", NULL);
		sent[i] = scn_value(&s, "replay.source.tx_frames_total");
		scn_in(&both, "sent", scn_value(&both, "replay.source.tx_frames_total"), sent[i],
			sent[i]);
		scn_in(&both, "received", scn_value(&both, "replay.source.rx_frames_total"),
			267 - sent[i], 267 - sent[i]);
		scn_free(&s);
		scn_free(&both);
	}
	assert_true(sent[0] + sent[1] == 267);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_conversation_is_delivered),
		cmocka_unit_test(files_merge_by_time),
		cmocka_unit_test(losses_have_names),
		cmocka_unit_test(order_and_spacing_hold_across_both_sides),
		cmocka_unit_test(one_host_has_one_side),
		cmocka_unit_test(bad_sides_are_one_line),
		cmocka_unit_test(the_number_that_is_warned_of_is_right),
		cmocka_unit_test(filtered_frames_are_counted_before_the_run),
	};

	return cmocka_run_group_tests_name("sides", tests, NULL, NULL);
}
