// SPDX-License-Identifier: BSD-3-Clause
// Same scenario, same seed: same bytes. Twice, in lockstep, and what happened as the golden digests
// of all builds have it.
#include "compile/compile.h"
#include "scn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vt/vt.h"

struct digest_run {
	const char *name; // in golden.txt
	const char *file, *shards, *cell;
};

static const struct digest_run scenario[] = {
	{"first-light.yaml", "first-light.yaml", "1", "1"},
	{"unfairness-dcqcn.yaml", "unfairness-dcqcn.yaml", "1", "1"},
	{"victim.yaml", "victim.yaml", "1", "1"},
	{"slow-receiver.yaml", "slow-receiver.yaml", "1", "1"},
	{"open-loop.yaml", "open-loop.yaml", "1", "1"},
	{"oracle-s01.yaml", "oracle-s01.yaml", "1", "1"},
	{"leaf-spine.yaml", "leaf-spine.yaml", "1", "1"},
	{"round-trip.yaml", "round-trip.yaml", "1", "1"},
	{"first-light.yaml:2-shards", "first-light.yaml", "2", "1"},
	{"leaf-spine.yaml:3-shards-of-cells", "leaf-spine.yaml", "3", "208"},
};

#define SCENARIOS (sizeof(scenario) / sizeof(scenario[0]))

// Runs 3 ms of a scenario into a folder of its own and gives the digest of its files.
static uint64_t digest_of(const struct digest_run *run, bool lockstep, enum scn_files files)
{
	const char *file = run->file;
	char path[512], dir[] = "/tmp/quench-digest-XXXXXX", command[600];
	struct scene_set set[] = {{"warmup", "1ms"}, {"defaults.switches.shards", run->shards},
		{"defaults.switches.cell", run->cell}};
	const tstamp duration = 3 * PS_PER_MS;
	struct scene_opts so = {
		.set = set, .n_set = sizeof(set) / sizeof(set[0]), .duration = &duration};
	struct vt_opts vo = {.lockstep = lockstep};
	struct scene *scene;
	struct report *rec = NULL;
	struct err err;
	uint64_t digest;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/config/%s", SOURCE_ROOT, file);
	vo.record = (struct record_opts){.dir = dir, .force = true, .command = "test"};
	if (compile_scene(&scene, path, &so, &err) || vt_run(scene, &vo, &rec, &err))
		fail_msg("%s: %s", file, err.text);
	report_free(rec);
	scene_free(scene);
	digest = scn_digest(dir, files);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
	return digest;
}

static void equal_runs_write_equal_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < SCENARIOS; i++) {
		uint64_t once = digest_of(&scenario[i], false, SCN_ALL);

		if (digest_of(&scenario[i], false, SCN_ALL) != once)
			fail_msg("%s: two runs differ", scenario[i].name);
		if (digest_of(&scenario[i], true, SCN_ALL) != once)
			fail_msg("%s: lockstep differs, so the horizon is wrong", scenario[i].name);
	}
}

// tests/scenario/golden.txt: a line a scenario, "name digest", of what happened (events.csv,
// fct.txt, pfc.txt). A change of behaviour is meant to change it; the line to put in is printed.
// Figures, which are made of what happened, are held by tests/scenario/values.txt.
static void digests_are_those_of_every_build(void **state)
{
	bool differs = false;

	(void)state;
	for (size_t i = 0; i < SCENARIOS; i++) {
		uint64_t got = digest_of(&scenario[i], false, SCN_HAPPENED), want = 0;
		char name[64];
		unsigned long long value;
		FILE *f = fopen(SOURCE_ROOT "/tests/scenario/golden.txt", "r");

		assert_non_null(f);
		while (fscanf(f, "%63s %llx", name, &value) == 2)
			if (!strcmp(name, scenario[i].name))
				want = value;
		fclose(f);
		if (got != want) {
			printf("%s %016llx\n", scenario[i].name, (unsigned long long)got);
			differs = true;
		}
	}
	if (differs)
		fail_msg("the lines above differ from tests/scenario/golden.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_runs_write_equal_bytes),
		cmocka_unit_test(digests_are_those_of_every_build),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
