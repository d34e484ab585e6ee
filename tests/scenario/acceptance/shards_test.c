// SPDX-License-Identifier: BSD-3-Clause
// Every scenario of the acceptance tests as it is, and with its switches cut into two and three
// shards: no lossless frame more is lost, everything is accounted for, what the scenario expects
// still holds, and drops, pauses, marks and what arrives are as many.
#include "compile/compile.h"
#include "acc.h"

#include <glob.h>
#include <math.h>

#define MOST_SHARDS 3
#define APART       0.1 // share of a figure

// The settings that a cut switch divides, or refuses to divide (docs/algo/shards.md).
static const struct odd {
	const char *file;
	const char *refused; // why; NULL: its figures differ
} odd[] = {
	{"testQosSaiBufferPoolWatermark", "pools.egress_lossless"},
	{"testQosSaiPgSharedWatermark", "pools.egress_lossless"},
	{"testQosSaiQSharedWatermark", "pools.egress_lossless"},
	{"testQosSaiPfcStormWithSharedHeadroomOccupancy", "pools.headroom"},
	{"testQosSaiHeadroomPoolSize.yaml", NULL}, // fills a headroom pool that is divided
};

static const struct odd *oddity(const char *file)
{
	for (unsigned i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		if (strstr(file, odd[i].file))
			return &odd[i];
	return NULL;
}

// Ports of the smallest switch; 0: there is none.
static unsigned least_ports(const struct scene *s)
{
	unsigned least = NODE_PORTS;

	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind == SCENE_SW && s->node[i].n_ports < least)
			least = s->node[i].n_ports;
	return least == NODE_PORTS ? 0 : least;
}

static unsigned ports_of(const char *path)
{
	struct scene *s;
	struct err err;
	unsigned ports;

	if (compile_scene(&s, path, NULL, &err))
		fail_msg("%s", err.text);
	ports = least_ports(s);
	scene_free(s);
	return ports;
}

static void is_refused(const char *path, unsigned shards, const char *why)
{
	char n[8];
	struct scene_set set = {.path = (char *)"defaults.switches.shards", .value = n};
	struct scene_opts opts = {.set = &set, .n_set = 1};
	struct scene *s;
	struct err err;

	snprintf(n, sizeof(n), "%u", shards);
	if (!compile_scene(&s, path, &opts, &err))
		fail_msg("%s is cut into %u shards", path, shards);
	if (!strstr(err.text, why))
		fail_msg("unclear: %s", err.text);
}

static const char *const figures[] = {"drops", "drops_total", "lossless_drops_total",
	"goodput_gbps", "marks", "pauses", "xon_tx", "cnp_tx", "data_frames_retransmitted"};

#define N_FIGURES (sizeof(figures) / sizeof(figures[0]))

struct came {
	double v[N_FIGURES];
	double arrived; // frames of sources at their receivers
	bool passed;
};

// Sources begin in step. If they do not, chance decides whether senders pause at once or in turns
// (docs/algo/pause.md), and the number of pauses differs by 20 % from seed to seed, cut or not.
static struct came run(const char *file, unsigned shards)
{
	struct came c = {0};
	struct scn s;
	char cut[64];

	snprintf(cut, sizeof(cut), "defaults.switches.shards=%u", shards);
	s = scn_run_lossy(file, cut, "defaults.flows.start=0us", NULL);
	for (unsigned i = 0; i < N_FIGURES; i++)
		c.v[i] = acc(&s, "total.%s", figures[i]);
	for (unsigned i = 0; i < s.scene->n_sources; i++)
		c.arrived += acc(&s, "source.%s.rx_frames", s.scene->source[i]->name);
	c.passed = report_passed(s.rec);
	scn_free(&s);
	return c;
}

static void near(const char *file, unsigned shards, const char *what, double one, double cut)
{
	if (fabs(cut - one) > APART * one)
		fail_msg("%s: %s: %g as one, %g in %u shards", file, what, one, cut, shards);
}

static void same(const char *file, unsigned shards, const struct came *one)
{
	struct came cut = run(file, shards);

	if (one->passed && !cut.passed)
		fail_msg("%s in %u shards: a verdict fails", file, shards);
	for (unsigned i = 0; i < N_FIGURES; i++)
		near(file, shards, figures[i], one->v[i], cut.v[i]);
	near(file, shards, "frames of sources", one->arrived, cut.arrived);
}

// How many runs were cut.
static unsigned one_file(const char *path)
{
	char file[128];
	const struct odd *o;
	unsigned ports = ports_of(path), n = 0;
	struct came one;

	snprintf(file, sizeof(file), "acceptance/%s", strrchr(path, '/') + 1);
	o = oddity(file);
	if (o && o->refused) {
		is_refused(path, 2, o->refused);
		return 0;
	}
	one = run(file, 1);
	for (unsigned shards = 2; shards <= MOST_SHARDS && shards <= ports; shards++, n++) {
		if (o)
			run(file, shards); // conserved, and no more
		else
			same(file, shards, &one);
	}
	return n;
}

static void every_scenario_holds_in_shards(void **state)
{
	unsigned runs = 0;
	glob_t found = {0};

	(void)state;
	assert_int_equal(glob(SOURCE_ROOT "/tests/scenario/acceptance/*.yaml", 0, NULL, &found), 0);
	assert_int_equal(glob(SOURCE_ROOT "/config/verify/*/*.yaml", GLOB_APPEND, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		runs += one_file(found.gl_pathv[i]);
	printf("  %u runs of %zu files are cut\n", runs, found.gl_pathc);
	assert_true(runs > 100);
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_scenario_holds_in_shards),
	};

	return cmocka_run_group_tests_name("acceptance_shards", tests, NULL, NULL);
}
