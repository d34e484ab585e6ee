// SPDX-License-Identifier: BSD-3-Clause
// The echo in whole runs: round trips to the ps, and that what was sent has come back, is lost or
// is under way, whatever happens to it.
#include "scn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/prng.h"

static double of(const struct scn *s, const char *source, const char *figure)
{
	char path[128];

	snprintf(path, sizeof(path), "source.%s.%s", source, figure);
	return scn_value(s, path);
}

// Four links of 1 us and 276 bytes at 25 Gb/s each, which alone are 88.32 ns: 4353.28 ns.
static void an_idle_network_has_one_round_trip(void **state)
{
	struct scn s = scn_run("round-trip.yaml", "flows.incast.start=none",
		"flows.queued.start=none", "warmup=0us", "duration=5ms", NULL);

	(void)state;
	scn_in(&s, "rtt_min_us", of(&s, "strict[p2>r]", "rtt_min_us"), 4.353, 4.3535);
	scn_in(&s, "rtt_max_us", of(&s, "strict[p2>r]", "rtt_max_us"), 4.353, 4.3535);
	scn_in(&s, "rtt_p50_us", of(&s, "strict[p2>r]", "rtt_p50_us"), 4.353, 4.3535);
	scn_in(&s, "echo", of(&s, "strict[p2>r]", "echo_rx_frames"),
		of(&s, "strict[p2>r]", "tx_frames"), of(&s, "strict[p2>r]", "tx_frames"));
	scn_free(&s);
}

// The load stands in the way of its own class only.
static void a_queue_shows_in_its_class(void **state)
{
	struct scn s = scn_run("round-trip.yaml", "flows.incast.control=none", NULL);

	(void)state;
	scn_in(&s, "strict", of(&s, "strict[p2>r]", "rtt_max_us"), 4.353, 6);
	scn_in(&s, "queued", of(&s, "queued[p1>r]", "rtt_p50_us"), 100, 1e6);
	scn_in(&s, "lost", of(&s, "queued[p1>r]", "echo_lost"), 0, 0);
	scn_in(&s, "under way", of(&s, "queued[p1>r]", "echo_in_flight"), 0, 0);
	scn_free(&s);
}

// All that left is somewhere.
static void assert_adds_up(const struct scn *s, const char *source)
{
	double tx = of(s, source, "tx_frames"), all = 0;

	all += of(s, source, "echo_rx_frames");
	all += of(s, source, "echo_lost");
	all += of(s, source, "echo_in_flight");
	scn_in(s, "back, lost and under way", all, tx, tx);
	scn_in(s, "back", of(s, source, "echo_rx_frames"), 1, of(s, source, "rx_frames"));
	scn_in(s, "twice", of(s, source, "echo_duplicates"), 0, 0);
	scn_in(s, "out of order", of(s, source, "echo_out_of_order"), 0, 0);
}

static unsigned below(struct prng *rng, unsigned n)
{
	return (unsigned)prng_below(rng, n);
}

// Random rates, sizes, bursts, buffers and times, with and without loss, in mid-flight too.
static void random_runs_add_up(void **state)
{
	struct prng rng;

	(void)state;
	printf("seed 11\n");
	prng_init(&rng, 11, "echo");
	for (unsigned i = 0; i < 12; i++) {
		char set[7][120];
		bool lossy = i % 2, drained = i % 3;
		struct scn s;

		snprintf(set[0], sizeof(set[0]), "seed=%u", i + 1);
		snprintf(set[1], sizeof(set[1]),
			"flows.queued.open_loop={size: 64..%u, rate: %u%%, burst: %u}",
			64 + below(&rng, 1455), 5 + below(&rng, 60), 1 + below(&rng, 40));
		snprintf(set[2], sizeof(set[2]), "flows.strict.open_loop={size: %u, rate: %u%%}",
			64 + below(&rng, 1455), 5 + below(&rng, 60));
		snprintf(set[3], sizeof(set[3]), "switches.s1.classes.3={lossless: %s}",
			lossy ? "false" : "true");
		snprintf(set[4], sizeof(set[4]), "switches.s1.buffer=%uKB",
			lossy ? 100 + below(&rng, 400) : 4000);
		snprintf(set[5], sizeof(set[5]), "drain=%s", drained ? "2ms" : "0us");
		snprintf(set[6], sizeof(set[6]), "duration=%uus", 4000 + below(&rng, 1000));
		s = scn_run_lossy("round-trip.yaml", set[0], set[1], set[2], set[3], set[4], set[5],
			set[6], "warmup=0us", "flows.incast.control=none", "flows.incast.stop=1ms",
			"expect=[]", NULL);
		assert_adds_up(&s, "queued[p1>r]");
		assert_adds_up(&s, "strict[p2>r]");
		if (drained)
			scn_in(&s, "under way", of(&s, "queued[p1>r]", "echo_in_flight"), 0, 0);
		scn_in(&s, "round trip", of(&s, "strict[p2>r]", "rtt_min_us"), 4 * (1 + 0.02816),
			5000);
		scn_free(&s);
	}
}

// The echo's egress waits for pauses of its class, and drops what its bound does not hold. Its
// sender learns of each.
static void a_paused_echo_drops_with_a_reason(void **state)
{
	struct scn s = scn_run_lossy("round-trip.yaml", "flows.incast.start=none",
		"flows.strict.start=none", "warmup=0us", "expect=[]",
		"flows.queued.open_loop={size: 64, rate: 50%}",
		"events=[{at: 0us, mac_frames: {port: \"p1:s1\", every: 100us, count: "
		"20}}]",
		NULL);

	(void)state;
	assert_adds_up(&s, "queued[p1>r]");
	scn_in(&s, "no room", scn_value(&s, "nic.r.drop_echo_full"), 1000, 1e9);
	scn_in(&s, "lost", of(&s, "queued[p1>r]", "echo_lost"),
		scn_value(&s, "nic.r.drop_echo_full"), scn_value(&s, "nic.r.drop_echo_full"));
	scn_free(&s);
}

// A frame that comes back after its time of sending was forgotten counts as late, and is not timed.
static void late_frames_are_told(void **state)
{
	struct scn s = scn_run("round-trip.yaml", "flows.incast.control=none",
		"flows.queued.open_loop={size: 256, rate: 2%, rtt_max: 10us}", NULL);

	(void)state;
	scn_in(&s, "late", of(&s, "queued[p1>r]", "echo_late"), 100, 1e6);
	scn_in(&s, "lost", of(&s, "queued[p1>r]", "echo_lost"), 0, 0);
	scn_free(&s);
}

// One datagram from 10.0.0.1 to 10.0.0.2, 60 bytes, that nobody of a scenario has sent.
static void write_capture(const char *path)
{
	static const uint8_t head[24 + 16] = {
		0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, [16] = 0xff, 0xff, [20] = 1, [32] = 60, [36] = 60};
	static const uint8_t frame[60] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 46,
		0, 1, 0, 0, 64, 17, 0x66, 0xbc, 10, 0, 0, 1, 10, 0, 0, 2, 0x13, 0x88, 0, 7, 0, 26};
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(head, sizeof(head), 1, f), 1);
	assert_int_equal(fwrite(frame, sizeof(frame), 1, f), 1);
	assert_int_equal(fclose(f), 0);
}

// A captured stream that nobody of the scenario has sent goes back to its player.
static void a_replayed_stream_goes_back(void **state)
{
	char path[] = "/tmp/quench-echo-XXXXXX", set[64];
	int fd = mkstemp(path);
	struct scn s;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_capture(path);
	snprintf(set, sizeof(set), "hosts.a.replay.file=%s", path);
	s = scn_run("echo-replay.yaml", set, NULL);
	unlink(path);
	scn_in(&s, "malformed", scn_value(&s, "nic.b.drop_malformed"), 0, 0);
	scn_in(&s, "sent back", scn_value(&s, "nic.b.echo_tx"), 100, 100);
	scn_in(&s, "came back", scn_value(&s, "replay.a.rx_frames_total"), 100, 100);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_network_has_one_round_trip),
		cmocka_unit_test(a_queue_shows_in_its_class),
		cmocka_unit_test(random_runs_add_up),
		cmocka_unit_test(a_paused_echo_drops_with_a_reason),
		cmocka_unit_test(late_frames_are_told),
		cmocka_unit_test(a_replayed_stream_goes_back),
	};

	return cmocka_run_group_tests_name("echo", tests, NULL, NULL);
}
