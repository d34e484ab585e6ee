// SPDX-License-Identifier: BSD-3-Clause
// Registers and counters of a run on the real clock, asked for over telemetry by a thread that
// knows only the socket.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "compile/compile.h"
#include "instance/int.h"
#include "rt/rt.h"

#define TRIES 100000 // looks for the instance, each some tens of microseconds at least

static atomic_bool stop;

// The client's findings; the main thread asserts them, since only there cmocka may fail.
static struct {
	bool found, tells_timing;
	char info[64], told[8][200];
	uint64_t rate_before, rate_after, cut, back, wide;
	uint64_t qps, nodes, ports, marked, reads;
	double gbps_before, gbps_after;
} saw;

static uint64_t number(const json_t *d, const char *key)
{
	const json_t *v = json_object_get(d, key);

	return json_is_string(v) ? strtoull(json_string_value(v), NULL, 0)
				 : (uint64_t)json_integer_value(v);
}

static uint64_t get(const struct instance *i, const char *command, const char *key)
{
	uint64_t v = UINT64_MAX;
	struct err err;
	json_t *d;

	if (instance_ask(i, &d, &err, "%s", command))
		return v;
	v = number(d, key);
	json_decref(d);
	return v;
}

// Writes as quench reg does; what is wrong with it is told.
static void write_register(struct instance *i, unsigned n, const char *host, unsigned qp,
	const char *name, const char *value)
{
	struct err err = {"nothing"};
	char action[200];
	json_t *d;

	snprintf(action, sizeof(action), "reg: {node: %s, qp: %u, name: %s, value: %s}", host, qp,
		name, value);
	if (!instance_control(i, &d, &err, "do", action))
		json_decref(d);
	snprintf(saw.told[n], sizeof(saw.told[n]), "%.199s", err.text);
}

static void told(const struct instance *i, unsigned n, const char *command)
{
	struct err err = {"nothing"};
	json_t *d;

	if (!instance_ask(i, &d, &err, "%s", command))
		json_decref(d);
	snprintf(saw.told[n], sizeof(saw.told[n]), "%.199s", err.text);
}

// Bytes that h1 sends in some scene time, 2 ms at least, as Gb/s; some bytes, unless it sends none.
static double gbps(const struct instance *i)
{
	uint64_t bytes[2] = {0}, at[2] = {0};

	for (unsigned k = 0; k < TRIES && (at[1] < at[0] + 2 * PS_PER_MS || bytes[1] == bytes[0]);
		k++) {
		struct err err;
		json_t *d;

		if (instance_ask(i, &d, &err, "/quench/counters,h1"))
			return -1;
		at[k > 0] = number(d, "at_ps");
		bytes[k > 0] = number(d, "tx_bytes");
		json_decref(d);
	}
	return (double)(bytes[1] - bytes[0]) * 8e3 / (double)(at[1] - at[0]);
}

// Whether the answer with figures says how the timing is; the machine decides how.
static bool tells_timing(const struct instance *i)
{
	struct err err;
	json_t *d;
	bool told;

	if (instance_ask(i, &d, &err, "/quench/metrics,0,total.drops"))
		return false;
	told = json_is_string(json_object_get(d, "timing"));
	json_decref(d);
	return told;
}

static void look(struct instance *i)
{
	saw.qps = get(i, "/quench/info", "queue_pairs");
	saw.nodes = get(i, "/quench/nodes", "all");
	saw.ports = get(i, "/quench/ports,s1", "all");
	saw.marked = get(i, "/quench/counters,s1:r.3", "ecn_marked_frames");
	saw.rate_before = get(i, "/quench/reg/read,h1,1,CC_RATE_MEM", "value");
	saw.gbps_before = gbps(i);
	write_register(i, 5, "h1", 1, "CC_RATE_MEM", "512");
	saw.cut = get(i, "/quench/reg/read,h1,1,CC_RATE_MEM", "value");
	write_register(i, 6, "h1", 2, "CC_RATE_MEM", "512");
	saw.rate_after = get(i, "/quench/reg/read,h1,2,CC_RATE_MEM.cc_rate", "value");
	saw.gbps_after = gbps(i);
	write_register(i, 7, "h2", 1, "RATE_MEM", "0x123420001000");
	saw.wide = get(i, "/quench/reg/read,h2,1,RATE_MEM", "value");
	saw.back = get(i, "/quench/reg/read,h2,,dcqcn_nocnp_timer_th", "value");
	told(i, 0, "/quench/reg/read,h1,1,RATE_ME");
	write_register(i, 1, "h1", 1, "dcqcn_dfx_busy", "1");
	told(i, 2, "/quench/reg/read,,1,alpha");
	told(i, 3, "/quench/counters,h9");
	told(i, 4, "/quench/ports,h9");
	saw.tells_timing = tells_timing(i);
	for (unsigned k = 0; k < 500; k++)
		saw.reads += get(i, "/quench/reg/read,h1,1,CC_RATE_MEM", "value") == 512;
}

static void *client(void *arg)
{
	struct instance_dirs dirs;
	struct instance i;
	struct err err;

	instance_dirs(&dirs);
	for (unsigned k = 0; k < TRIES && !saw.found; k++)
		saw.found = instance_open(&i, arg, &dirs, &err) == 0;
	if (saw.found) {
		snprintf(saw.info, sizeof(saw.info), "%s", i.name);
		look(&i);
		instance_close(&i);
	}
	stop = true;
	return NULL;
}

static void registers_are_read_and_written_while_it_runs(void **state)
{
	char name[32];
	struct rt_opts o = {.stop = &stop,
		.dilate = 20,
		.no_huge = true,
		.instance = name,
		.program = "reg_test",
		.record.no_files = true};
	struct report *rec = NULL;
	struct scene *s;
	pthread_t t;
	struct err err;

	(void)state;
	snprintf(name, sizeof(name), "rt-reg-%u", (unsigned)getpid());
	if (compile_scene(&s, TEST_SOURCE "/tests/driver/app/reg.yaml",
		    &(struct scene_opts){.real = true}, &err))
		fail_msg("%s", err.text);
	assert_int_equal(pthread_create(&t, NULL, client, name), 0);
	if (rt_run(s, &o, &rec, &err))
		fail_msg("%s", err.text);
	pthread_join(t, NULL);
	assert_true(saw.found);
	assert_string_equal(saw.info, name);
	assert_int_equal(saw.qps, 3);
	assert_int_equal(saw.nodes, 4);
	assert_int_equal(saw.ports, 3);
	assert_int_equal(saw.marked, 0);
	assert_true(saw.tells_timing);
	assert_true(saw.rate_before > 9000); // 25 Gb/s in units of the default clock
	assert_int_equal(saw.cut, 512);
	assert_int_equal(saw.rate_after, 512);
	// Two queue pairs at 512 bytes in 1024 cycles of 322.265625 MHz each: 2.578 Gb/s of scene
	// time. No frame leaves before its instant, whatever else the machine does; how many leave
	// late, it decides.
	if (saw.gbps_before <= 0 || saw.gbps_after <= 0 || saw.gbps_after > 2.8)
		fail_msg("%g Gb/s before, %g after", saw.gbps_before, saw.gbps_after);
	assert_true(saw.wide == 0x123420001000);
	assert_int_equal(saw.back, 55);
	assert_int_equal(saw.reads, 500);
	assert_string_equal(
		saw.told[0], "the RDMA IP has no register 'RATE_ME'; did you mean 'RATE_MEM'?");
	assert_string_equal(saw.told[1], "h1 refuses it: it is read only");
	for (unsigned k = 5; k < 8; k++)
		assert_string_equal(saw.told[k], "nothing");
	assert_string_equal(saw.told[2], "2 hosts have registers, h1, h2: name one (--host H)");
	assert_string_equal(saw.told[3], "the scene has no node 'h9'; did you mean 'h2'?");
	assert_string_equal(saw.told[4], "no such node; /quench/nodes has their names");
	assert_non_null(strstr(report_text(rec), "every frame is accounted for"));
	report_free(rec);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_read_and_written_while_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
