// SPDX-License-Identifier: BSD-3-Clause
// The estimate grows with what takes memory, and is said above 1 GB only.
#include <unistd.h>

#include "scene_lab.h"

static uint64_t of(const char *path, const char *value)
{
	struct scene *s = lab_with(LAB, path, value);
	uint64_t all = scene_memory(s).all;

	assert_false(lab_warns(s, "memory"));
	scene_free(s);
	return all;
}

static void it_grows_with_what_takes_it(void **state)
{
	uint64_t all = of(NULL, NULL);

	(void)state;
	assert_true(all > 1000000 && all < 20000000);
	assert_true(of("switches.s1.buffer", "40MB") > all + 100000);
	assert_true(of("flows.incast.qps", "100") > all + 1000000);
}

static void much_is_said(void **state)
{
	static const char wide[] = "duration: 200ms\nhosts: {h1..2: }\n"
				   "links: [{between: [h1, h2], rate: 800Gbps, delay: 100ms}]\n"
				   "flows: {f: {from: h1, to: h2, window: 4194304, qps: 8}}\n";
	static const char many[] =
		"duration: 1ms\ntopology: {leaf_spine: {leaves: 400, spines: 128, hosts: 1}}\n"
		"flows: {f: {from: h1, to: h2}}\n";
	struct scene *s = lab(wide);

	(void)state;
	assert_true(lab_warns(s,
		" GB of memory, most of it for packets at once: smaller buffers and windows or "
		"shorter links take less"));
	scene_free(s);
	s = lab_with(wide, "links.0.delay", "1us");
	assert_false(lab_warns(s, "memory"));
	scene_free(s);
	s = lab(many);
	assert_true(lab_warns(
		s, " GB of memory, most of it for nodes and queues: fewer hosts take less"));
	scene_free(s);
}

// Hosts of an all-to-all on one switch.
static uint64_t pairs_of(const char *flow)
{
	static const char text[] =
		"duration: 1ms\nswitches: {s1: }\nhosts: {h1..32: }\n"
		"controls: {c: {profile: paper}}\n"
		"links: [{between: [h1..32, s1], rate: 100Gbps, delay: 1us}]\n"
		"flows: {a: {from: h1..32, to: h1..32, control: c, count: 1, %s}}\n";
	char file[512];
	struct scene *s;
	uint64_t bytes;

	snprintf(file, sizeof(file), text, flow);
	s = lab(file);
	bytes = scene_memory(s).pairs;
	scene_free(s);
	return bytes;
}

// A queue pair that starts too late is only described. One that sends little gets no CNPs.
static void only_pairs_that_send_count_as_used(void **state)
{
	const uint64_t pairs = 32 * 31;

	(void)state;
	assert_int_equal(pairs_of("message: 1MB, start: 1ms"), pairs * 3400);
	assert_int_equal(pairs_of("message: 4KB"), pairs * (3400 + 8600));
	assert_int_equal(pairs_of("message: 1MB"), pairs * (3400 + 8600 + 16000));
}

// No more packets are counted than windows let out: each has 64 bytes, and 8 on the stack.
static void windows_bound_packets(void **state)
{
	struct scene *s = lab_with(LAB, "flows.incast.window", "10");

	(void)state;
	assert_int_equal(scene_memory(s).packets, 2 * 10 * 72);
	scene_free(s);
}

static void more_queue_pairs_than_fit_are_refused(void **state)
{
	struct scene *s = lab_with(LAB, "flows.incast.qps", "1000");
	uint64_t there = 696ull * s->n_flows, one = 3400ull * s->n_flows - there;
	unsigned half = s->n_flows / 2;
	char fit[80];
	struct err err;

	(void)state;
	assert_true(s->n_flows >= 1000 && scene_available("") > one);
	assert_int_equal(scene_fits(s, one, &err), 0);
	assert_int_equal(scene_fits(s, one - 1, &err), -ENOMEM);
	// The descriptions are there already: with fewer queue pairs they would be fewer, too.
	assert_int_equal(scene_fits(s, 3400ull * half + 1 - there, &err), -ENOMEM);
	snprintf(fit, sizeof(fit), "of memory, and 0.0 GB are available; %u fit", half);
	assert_non_null(strstr(err.text, fit));
	assert_int_equal(scene_fits(s, UINT64_MAX, &err), 0);
	scene_free(s);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

// A control group may leave less than the machine has, and one around it less than its own.
static void a_control_group_bounds_what_is_available(void **state)
{
	char root[] = "/tmp/quench-memory-XXXXXX", clean[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(chdir(root), 0);
	assert_int_equal(system("mkdir -p proc/self sys/fs/cgroup/a/b sys/fs/cgroup/memory/c"), 0);
	assert_true(scene_available(root) == UINT64_MAX);
	put("proc/meminfo", "MemFree: 100 kB\nMemAvailable:    8000000 kB\n");
	assert_true(scene_available(root) == 8000000ull << 10);
	put("proc/self/cgroup", "4:memory:/c\n1:cpu:/\n0::/a/b\n");
	assert_true(scene_available(root) == 8000000ull << 10);
	put("sys/fs/cgroup/a/b/memory.max", "max\n");
	put("sys/fs/cgroup/a/b/memory.current", "500\n");
	assert_true(scene_available(root) == 8000000ull << 10);
	put("sys/fs/cgroup/a/memory.max", "2000000000\n");
	put("sys/fs/cgroup/a/memory.current", "1200000000\n");
	put("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 300000000\n");
	assert_true(scene_available(root) == 1100000000);
	put("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "1000000000\n");
	put("sys/fs/cgroup/memory/c/memory.usage_in_bytes", "1000000001\n");
	put("sys/fs/cgroup/memory/c/memory.stat", "total_inactive_file 1000000\n");
	assert_true(scene_available(root) == 999999);
	put("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "100\n");
	assert_true(scene_available(root) == 0);
	snprintf(clean, sizeof(clean), "rm -r %s", root);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(system(clean), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_grows_with_what_takes_it),
		cmocka_unit_test(much_is_said),
		cmocka_unit_test(only_pairs_that_send_count_as_used),
		cmocka_unit_test(windows_bound_packets),
		cmocka_unit_test(more_queue_pairs_than_fit_are_refused),
		cmocka_unit_test(a_control_group_bounds_what_is_available),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
