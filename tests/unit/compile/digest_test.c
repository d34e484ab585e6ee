// SPDX-License-Identifier: BSD-3-Clause
// Digests of a scenario's sections: each option of the scenario changes its own section, and what
// only one machine knows changes none.
#include "scene_lab.h"

#define DEVICE(port, n) "  " port ": {device: net_null" n "}\n"

static const char text[] =
	"name: lab\nduration: 1ms\n"
	"controls: {c: {profile: paper}, d: {profile: paper}}\n" LAB_LOSSLESS
	"hosts: {h1..2: , r: }\n" LAB_LINKS "ports:\n" DEVICE("h1:s1", "0") DEVICE("s1:h1", "1")
		DEVICE("h2:s1", "2") DEVICE("s1:h2", "3") DEVICE("s1:r", "4") DEVICE(
			"r:s1", "5") "flows:\n"
				     "  incast: {from: h1..2, to: r, control: c}\n"
				     "  noise: {from: h2, to: r, class: 0, open_loop: {rate: 5%}}\n"
				     "events:\n"
				     "  - {at: 10us, link_down: \"s1:r\"}\n";

#define IN(section) (1u << SCENE_SECTION_##section)

struct digests {
	uint8_t of[SCENE_SECTIONS][SCENE_DIGEST];
};

static struct digests with(const char *path, const char *value, const char *nodes)
{
	const struct scene_set set = {path, value};
	const struct scene_opts opts = {
		.nodes = nodes, .real = true, .set = &set, .n_set = path ? 1 : 0};
	struct scene *s = NULL;
	struct digests d;

	if (lab_try(&s, text, &opts))
		fail_msg("%s=%s: %s", path ? path : "nothing", value ? value : "", lab_err.text);
	memcpy(d.of, s->digest, sizeof(d.of));
	scene_free(s);
	return d;
}

// The sections in which two differ.
static unsigned differ(const struct digests *a, const struct digests *b)
{
	unsigned in = 0;

	for (unsigned i = 0; i < SCENE_SECTIONS; i++)
		in |= (memcmp(a->of[i], b->of[i], SCENE_DIGEST) != 0) << i;
	return in;
}

static void an_option_changes_its_own_section(void **state)
{
	static const struct {
		const char *path, *value;
		unsigned in;
	} option[] = {
		{"duration", "2ms", IN(TIMES)},
		{"warmup", "1us", IN(TIMES)},
		{"drain", "1us", IN(TIMES)},
		{"seed", "2", IN(TIMES)},
		{"qp_numbers", "ordinal", IN(TIMES)},
		{"qp_numbers", "5", IN(TIMES) | IN(ADDRESSES)},
		{"hosts.h1.qpn_base", "100", IN(HOSTS) | IN(ADDRESSES)},
		{"hosts.h1.first_psn", "100", IN(HOSTS)},
		{"controls.c.ai_rate", "41Mbps", IN(CONTROLS)},
		{"controls.d.profile", "dctcp", IN(CONTROLS)},
		{"switches.s1.buffer", "5MB", IN(SWITCHES)},
		{"switches.s1.classes.3.pfc.quanta", "100", IN(SWITCHES)},
		{"switches.s1.latency", "1us", IN(SWITCHES)},
		{"hosts.h1.np.interval", "51us", IN(HOSTS)},
		{"hosts.r.latency", "1us", IN(HOSTS)},
		{"hosts.h1.mac", "02:00:00:00:00:77", IN(HOSTS) | IN(ADDRESSES)},
		{"hosts.h1.ip", "10.0.9.9", IN(HOSTS) | IN(ADDRESSES)},
		{"links.0.delay", "2us", IN(LINKS)},
		{"links.0.mtu", "2000", IN(LINKS)},
		{"ports.s1:h1.pfc_asym", "true", IN(PORTS)},
		{"ports.s1:h1.classes.3.pfc.xon_offset", "4KB", IN(PORTS)},
		{"ports.s1:h1.classes.3.weight", "4", IN(PORTS)},
		{"ports.s1:h1.queue_map", "{3: 4}", IN(PORTS)},
		{"flows.incast.message", "2MB", IN(FLOWS)},
		{"flows.incast.start", "1us", IN(FLOWS)},
		{"flows.incast.payload", "prbs", IN(FLOWS)},
		{"flows.noise.open_loop.rate", "6%", IN(FLOWS)},
		{"flows.incast.qps", "2", IN(FLOWS) | IN(ADDRESSES)},
		{"events.0.at", "11us", IN(EVENTS)},
	};
	const struct digests plain = with(NULL, NULL, "s1");

	(void)state;
	for (unsigned i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		struct digests d = with(option[i].path, option[i].value, "s1");
		unsigned in = differ(&plain, &d);

		if (in != option[i].in)
			fail_msg("%s=%s: sections 0x%x differ, 0x%x is right", option[i].path,
				option[i].value, in, option[i].in);
	}
}

static void what_is_of_one_machine_changes_nothing(void **state)
{
	static const struct {
		const char *path, *value;
	} option[] = {
		{"name", "other"},
		{"sample", "1ms"},
		{"wait_link", "1s"},
		{"on_link_loss", "fail"},
		{"poll", "yield"},
		{"on_peer_silent", "go_on"},
		{"record.events", "none"},
		{"switches.s1.lcore", "3"},
		{"hosts.h1.lcore", "2"},
		{"hosts.h1.lcores", "2"},
		{"ports.h1:s1.device", "net_null7"},
		{"ports.s1:h1.device", "0000:3b:00.0"},
		{"ports.s1:h1.lcore", "1"},
		{"ports.s1:h1.selftest", "peer"},
		{"ports.s1:h1.capture", "true"},
		{"ports.s1:h1.resolution", "ps"},
		{"expect", "[{figure: drops, equals: 0}]"},
	};
	const struct digests plain = with(NULL, NULL, "s1");

	(void)state;
	for (unsigned i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		struct digests d = with(option[i].path, option[i].value, "s1");

		if (differ(&plain, &d))
			fail_msg("%s=%s changes 0x%x", option[i].path, option[i].value,
				differ(&plain, &d));
	}
}

static void every_part_has_the_same(void **state)
{
	static const char *const nodes[] = {"h1..2", "r", "s1,r", "h1,s1", "h1..2,s1,r"};
	const struct digests plain = with(NULL, NULL, "s1");

	(void)state;
	for (unsigned i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		struct digests d = with(NULL, NULL, nodes[i]);

		assert_int_equal(differ(&plain, &d), 0);
	}
}

static void every_section_has_one_and_a_name(void **state)
{
	const struct digests plain = with(NULL, NULL, "s1");
	const uint8_t none[SCENE_DIGEST] = {0};

	(void)state;
	for (unsigned i = 0; i < SCENE_SECTIONS; i++) {
		assert_non_null(scene_section_name[i]);
		assert_memory_not_equal(plain.of[i], none, SCENE_DIGEST);
		for (unsigned k = 0; k < i; k++)
			assert_memory_not_equal(plain.of[i], plain.of[k], SCENE_DIGEST);
	}
}

// The value of an option counts, not its place.
static void ranges_and_lines_change_nothing(void **state)
{
	const struct scene_opts opts = {.nodes = "s1", .real = true};
	const struct digests plain = with(NULL, NULL, "s1");
	struct scene *s = NULL;
	struct digests d;
	const char range[] = "{h1..2: , r: }", *at = strstr(text, range);
	char other[sizeof(text) + 64];

	(void)state;
	snprintf(other, sizeof(other), "# a line more\n%.*s{h1: , h2: , r: }%s", (int)(at - text),
		text, at + strlen(range));
	assert_int_equal(lab_try(&s, other, &opts), 0);
	memcpy(d.of, s->digest, sizeof(d.of));
	assert_int_equal(differ(&plain, &d), 0);
	scene_free(s);
}

// The points in a file of message sizes count, not only its name.
static void points_of_sizes_count(void **state)
{
	static const char *const points[] = {"0 0\n2000 100\n", "0 0\n2001 100\n"};
	char path[] = "/tmp/quench-digest-XXXXXX.cdf", flow[160];
	int fd = mkstemps(path, 4);
	struct digests d[2];

	(void)state;
	assert_true(fd >= 0);
	snprintf(flow, sizeof(flow), "{from: h1..2, to: r, control: c, sizes: %s, load: 10%%}",
		path);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pwrite(fd, points[i], strlen(points[i]), 0), strlen(points[i]));
		d[i] = with("flows.incast", flow, "h1");
	}
	assert_int_equal(differ(&d[0], &d[1]), IN(FLOWS));
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_option_changes_its_own_section),
		cmocka_unit_test(what_is_of_one_machine_changes_nothing),
		cmocka_unit_test(every_part_has_the_same),
		cmocka_unit_test(every_section_has_one_and_a_name),
		cmocka_unit_test(ranges_and_lines_change_nothing),
		cmocka_unit_test(points_of_sizes_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
