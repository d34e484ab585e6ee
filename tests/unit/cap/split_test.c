// SPDX-License-Identifier: BSD-3-Clause
// The two sides of a capture: each way to split, both versions of IP, VLAN, ARP, frames without IP,
// and captures that have no two sides.
#include "cap/split.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "cap/cap.h"
#include "../cap_made.h"

enum { C = CAP_CLIENT, S = CAP_SERVER, SYN = 2, SYN_ACK = 18, ACK = 16 };

static struct cap_split_params parsed(const char *text)
{
	struct cap_split_params p;
	struct err err;

	if (cap_split_parse(text, &p, &err))
		fail_msg("%s: %s", text, err.text);
	return p;
}

// Learns from these frames. NULL: err says why not.
static struct cap_split *learned(
	const char *text, const struct made_what *w, unsigned n, struct err *err)
{
	struct cap_split_params p = parsed(text);
	struct cap_split *s = NULL;
	struct made m;

	made_open(&m);
	for (unsigned i = 0; i < n; i++)
		made_put(&m, i, &w[i]);
	made_close(&m);
	cap_split_learn(&s, &p, (const char *[]){m.name}, 1, err);
	unlink(m.name);
	return s;
}

static void check(const char *text, const struct made_what *w, const int *want, unsigned n)
{
	struct err err = {0};
	struct cap_split *s = learned(text, w, n, &err);
	uint8_t bytes[80];

	if (!s)
		fail_msg("%s: %s", text, err.text);
	for (unsigned i = 0; i < n; i++) {
		unsigned len = made_bytes(&w[i], bytes);

		if ((int)cap_split_side(s, bytes, len) != want[i])
			fail_msg("%s: frame %u is of side %d", text, i, !want[i]);
	}
	cap_split_free(s);
}

static void refused(const char *text, const struct made_what *w, unsigned n, const char *why)
{
	struct err err = {0};
	struct cap_split *s = learned(text, w, n, &err);

	assert_null(s);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" lacks \"%s\"", err.text, why);
}

#define N(list) (sizeof(list) / sizeof((list)[0]))

// A conversation over IPv6 in a VLAN, which ARP and frames of another protocol accompany.
static const struct made_what talk[] = {
	{.from = 1, .arp = true},
	{.from = 2, .to = 1, .arp = true},
	{.from = 1,
		.to = 2,
		.vlan = 7,
		.v6 = true,
		.proto = 6,
		.sport = 5000,
		.dport = 80,
		.flags = SYN},
	{.from = 2,
		.to = 1,
		.vlan = 7,
		.v6 = true,
		.proto = 6,
		.sport = 80,
		.dport = 5000,
		.flags = SYN_ACK},
	{.from = 2, .to = 1, .raw = true},
	{.from = 1, .to = 2, .proto = 17, .sport = 6000, .dport = 53},
	{.from = 2, .raw = true},
};
static const int talk_sides[] = {C, S, C, S, S, C, S};

static void every_split_finds_two_hosts(void **state)
{
	static const char *const how[] = {"auto", "mac", "mac 02:00:00:00:00:02", "port",
		"client-server", "subnet 10.0.0.2,fd00::2", "subnet 10.0.0.2/31 fd00::2/127"};

	(void)state;
	for (unsigned i = 0; i < N(how); i++)
		check(how[i], talk, talk_sides, N(talk));
}

// Who sends first is on the client's side, whatever it sends; `client-server` looks at roles.
static void a_server_that_speaks_first(void **state)
{
	static const struct made_what w[] = {
		{.from = 2, .to = 1, .proto = 6, .sport = 80, .dport = 5000, .flags = ACK},
		{.from = 1, .to = 2, .proto = 6, .sport = 5000, .dport = 80, .flags = ACK},
		{.from = 1, .to = 2, .raw = true},
	};

	(void)state;
	check("mac", w, (const int[]){C, S, S}, N(w));
	check("client-server", w, (const int[]){S, C, C}, N(w));
	check("port", w, (const int[]){S, C, C}, N(w));
}

// Requests make a client, responses, ACKs and CNPs a server, though all go to one port.
static void roles_of_rocev2(void **state)
{
	static const struct made_what w[] = {
		{.from = 3, .to = 4, .proto = 17, .sport = 50000, .dport = 4791, .opcode = 0x11},
		{.from = 4, .to = 3, .proto = 17, .sport = 50001, .dport = 4791, .opcode = 0x0c},
		{.from = 3, .to = 4, .proto = 17, .sport = 50000, .dport = 4791, .opcode = 0x0e},
		{.from = 3, .to = 4, .proto = 17, .sport = 50000, .dport = 4791, .opcode = 0x81},
		{.from = 4, .to = 3, .proto = 17, .sport = 50001, .dport = 4791, .opcode = 0x0a},
	};

	(void)state;
	check("client-server", w, (const int[]){S, C, S, S, C}, N(w));
	refused("port", w, N(w),
		"leaves the server side empty: no frame has a server's lower port");
}

// Clients behind a router have its MAC address; ICMP tells no ports.
static void hosts_behind_a_router(void **state)
{
	static const struct made_what w[] = {
		{.from = 1,
			.to = 9,
			.router = 8,
			.proto = 6,
			.sport = 5000,
			.dport = 443,
			.flags = SYN},
		{.from = 9, .to = 8, .proto = 1, .sport = 0x0800},
		{.from = 2, .to = 9, .router = 8, .proto = 17, .sport = 5001, .dport = 9999},
		{.from = 9, .to = 1, .proto = 6, .sport = 443, .dport = 5000, .flags = SYN_ACK},
		{.from = 9, .to = 2, .proto = 17, .sport = 9999, .dport = 5001},
	};

	(void)state;
	check("mac", w, (const int[]){C, S, C, S, S}, N(w));
	check("client-server", w, (const int[]){C, S, C, S, S}, N(w));
	check("subnet 10.0.0.8/29", w, (const int[]){C, S, C, S, S}, N(w));
}

// Several pairs that have nothing to do with each other: each has its own client.
static void pairs_apart(void **state)
{
	static const struct made_what w[] = {
		{.from = 1, .to = 2, .raw = true}, {.from = 5, .to = 4, .raw = true},
		{.from = 4, .to = 5, .raw = true}, {.from = 2, .to = 1, .raw = true},
		{.from = 1, .to = 4, .raw = true}, // joins them: 1 and 5 are on one side
	};

	(void)state;
	check("mac", w, (const int[]){C, C, S, S, C}, 5);
}

static const struct made_what triangle[] = {
	{.from = 1, .to = 2, .proto = 6, .sport = 5000, .dport = 80, .flags = SYN},
	{.from = 2, .to = 3, .proto = 6, .sport = 5000, .dport = 80, .flags = ACK},
	{.from = 3, .to = 1, .proto = 6, .sport = 80, .dport = 5000, .flags = SYN_ACK},
	{.from = 2, .to = 1, .proto = 6, .sport = 80, .dport = 5000, .flags = SYN_ACK},
	{.from = 2, .to = 1, .proto = 6, .sport = 80, .dport = 5000, .flags = SYN_ACK},
};

static void three_sides_are_refused(void **state)
{
	(void)state;
	refused("mac", triangle, N(triangle),
		"it has three sides or more: 02:00:00:00:00:03 and 02:00:00:00:00:01 speak with "
		"each other, and both with the same others; name");
	check("mac 02:00:00:00:00:02,02:00:00:00:00:03", triangle, (const int[]){C, S, S, S, S}, 5);
	// auto goes on by role
	check("auto", triangle, (const int[]){C, S, S, S, S}, 5);
}

static void one_side_only(void **state)
{
	static const struct made_what w[] = {
		{.from = 1, .to = 2, .proto = 17, .sport = 5000, .dport = 6000},
		{.from = 1, .to = 3, .proto = 17, .sport = 5000, .dport = 6000},
	};
	struct err err;
	struct cap_split *s = learned("auto", w, N(w), &err);

	(void)state;
	assert_non_null(s);
	assert_int_equal(cap_split_found(s), CAP_SPLIT_NONE);
	cap_split_free(s);
	refused("mac", w, N(w), "leaves the server side empty: no frame has a server's source MAC");
	refused("client-server", w, N(w), "leaves the server side empty");
	refused("port",
		(const struct made_what[]){
			{.from = 1, .to = 2, .proto = 17, .sport = 53, .dport = 6000}},
		1, "leaves the client side empty: every frame has");
	refused("subnet 10.1.0.0/16", w, N(w),
		"leaves the server side empty: no frame has a server's source address within");
	refused("subnet 10.0.0.0/8", w, N(w), "leaves the client side empty: every frame has");
}

static void what_is_no_split(void **state)
{
	static const char *const bad[][2] = {
		{"macs", "it is auto, mac, mac ADDRESS,..., subnet NET,..., port, client-server or "
			 "none"},
		{"", "it is auto"},
		{"port 80", "it is auto"},
		{"subnet", "name the network in the same word, as 'subnet 10.0.0.0/8'"},
		{"subnet 10.0.0.0/33", "'10.0.0.0/33' is no network, as in 10.0.0.0/8 or fd00::/8"},
		{"subnet 10.0.0.0/", "'10.0.0.0/' is no network"},
		{"subnet 10.0.0/8", "'10.0.0/8' is no network"},
		{"subnet fd00::/129", "'fd00::/129' is no network"},
		{"subnet 10.0.0.0/8x", "'10.0.0.0/8x' is no network"},
		{"mac 02:00", "'02:00' is no MAC address, as in 02:00:00:00:00:01"},
		{"mac 02:00:00:00:00:01 x", "'x' is no MAC address"},
	};

	(void)state;
	for (unsigned i = 0; i < N(bad); i++) {
		struct cap_split_params p;
		struct err err = {0};

		assert_int_equal(cap_split_parse(bad[i][0], &p, &err), -EINVAL);
		if (strncmp(err.text, bad[i][1], strlen(bad[i][1])) != 0)
			fail_msg("'%s': \"%s\"", bad[i][0], err.text);
	}
	assert_int_equal(parsed("none").by, CAP_SPLIT_NONE);
	assert_int_equal(parsed("subnet 10.0.0.0/8, fd00::/8").n, 2);
	assert_int_equal(parsed("subnet 10.0.0.1").net[0].bits, 32);
}

// Frames of one side with the instants that they have among those of both, at every pace.
static void sides_keep_their_instants(void **state)
{
	static const char *const pace[] = {"1x", "1Mpps", "1Gbps"};
	struct cap_split_params p = parsed("mac");
	struct cap_split *s;
	struct made m;
	struct err err;

	(void)state;
	made_open(&m);
	for (unsigned i = 0; i < 20; i++)
		made_put(&m, 10 * i * i, &talk[i % N(talk)]);
	made_close(&m);

	const char *path[] = {m.name};

	assert_int_equal(cap_split_learn(&s, &p, path, 1, &err), 0);
	for (unsigned k = 0; k < N(pace); k++) {
		struct cap_play_params all = {.path = path, .n_paths = 1, .loops = 2, .gap = 500};
		struct replay_frame f, g;
		struct cap_play *whole, *side[2];
		struct cap_scan scan;

		assert_int_equal(cap_pace_parse(pace[k], &all), 0);
		assert_int_equal(cap_play_open(&whole, &all, &err), 0);
		all.split = s;
		for (unsigned i = 0; i < 2; i++) {
			all.side = (enum cap_side)i;
			assert_int_equal(cap_play_open(&side[i], &all, &err), 0);
		}
		for (unsigned i = 0; i < 40; i++) {
			unsigned is;

			assert_int_equal(cap_play_next(whole, &f, &err), 1);
			is = cap_split_side(s, f.bytes, f.len);
			assert_int_equal(cap_play_next(side[is], &g, &err), 1);
			assert_int_equal(f.at, g.at);
			assert_memory_equal(f.bytes, g.bytes, 80);
		}
		assert_int_equal(cap_scan(&scan, &all, &err), 0);
		assert_int_equal(scan.took, k == 0 ? 3610 * PS_PER_US : scan.took);
		assert_int_equal(scan.seen.all_frames, 20);
		assert_int_equal(scan.n_marks, scan.seen.frames);
		cap_scan_free(&scan);
		cap_play_close(whole);
		cap_play_close(side[0]);
		cap_play_close(side[1]);
	}
	cap_split_free(s);
	unlink(m.name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_split_finds_two_hosts),
		cmocka_unit_test(a_server_that_speaks_first),
		cmocka_unit_test(roles_of_rocev2),
		cmocka_unit_test(hosts_behind_a_router),
		cmocka_unit_test(pairs_apart),
		cmocka_unit_test(three_sides_are_refused),
		cmocka_unit_test(one_side_only),
		cmocka_unit_test(what_is_no_split),
		cmocka_unit_test(sides_keep_their_instants),
	};

	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
