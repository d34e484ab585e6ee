// SPDX-License-Identifier: BSD-3-Clause
// Every lossless scenario of config/, with its switches cut into shards, beside the same with whole
// switches: nothing is lost, everything is accounted for, goodput is the same, and marks and pauses
// are as many within chance.
#include "compile/compile.h"
#include "scn.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW          100  // marks or pauses of a run in which chance says too much
#define AT_MOST      2.0  // one run's marks in shards by those as one, or the inverse
#define GOODPUT_MOST 0.03 // apart
#define MEAN_MOST    0.1  // of all runs: mean of the logarithm of that

struct figures {
	double goodput, marks, pauses;
};

// A quotient of each file, by its logarithm.
struct mean {
	double sum;
	unsigned n;
};

// `cell`: bytes of a cell of the switches' buffers; with 1 they have one side.
static struct figures run(const char *file, unsigned shards, unsigned cell)
{
	struct figures f;
	struct scn s;
	char cut[64], cells[64];

	snprintf(cut, sizeof(cut), "defaults.switches.shards=%u", shards);
	snprintf(cells, sizeof(cells), "defaults.switches.cell=%u", cell);
	s = scn_run_lossy(file, cut, cells, NULL); // what it expects may be a matter of chance
	scn_in(&s, "lossless drops", scn_value(&s, "total.lossless_drops"), 0, 0);
	f = (struct figures){scn_value(&s, "total.goodput_gbps"), scn_value(&s, "total.marks"),
		scn_value(&s, "total.pauses")};
	scn_free(&s);
	return f;
}

static void compare(const char *file, const char *what, double one, double cut, struct mean *m)
{
	if (one < FEW && cut < FEW)
		return;
	if (cut > AT_MOST * one || one > AT_MOST * cut)
		fail_msg("%s: %g %s as one, %g in shards", file, one, what, cut);
	m->sum += log(cut / one);
	m->n++;
}

// Faults by chance hit other frames where a frame comes at another instant.
static bool has_chance(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_faults; i++)
		if (s->fault[i]->record.by_chance)
			return true;
	return false;
}

// Ports of the smallest switch; 0: the scenario is none of a lossless class, cannot be cut, or
// leaves to chance which frames are lost.
static unsigned ports_of(const struct scene *s)
{
	unsigned least = NODE_PORTS;
	bool pfc = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct sw_params *p = &s->node[i].u.sw;

		if (s->node[i].kind != SCENE_SW)
			continue;
		least = p->n_ports < least ? p->n_ports : least;
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			pfc |= p->set->cls[c].pfc;
	}
	return pfc && !has_chance(s) ? least : 0;
}

struct means {
	struct mean marks, pauses;
	unsigned files;
};

static void in_shards(const char *file, unsigned shards, unsigned cell, const struct figures *one,
	struct means *m)
{
	struct figures cut = run(file, shards, cell);

	printf("  %s: goodput %g and %g, marks %g and %g, pauses %g and %g\n", file, one->goodput,
		cut.goodput, one->marks, cut.marks, one->pauses, cut.pauses);
	if (fabs(cut.goodput - one->goodput) > GOODPUT_MOST * one->goodput)
		fail_msg("%s: goodput %g as one, %g in %u shards", file, one->goodput, cut.goodput,
			shards);
	compare(file, "marks", one->marks, cut.marks, &m->marks);
	compare(file, "pauses", one->pauses, cut.pauses, &m->pauses);
	m->files++;
}

static void one_file(const char *path, unsigned shards, unsigned cell, struct means *m)
{
	const char *file = strstr(path, "config/") + strlen("config/");
	struct figures one;
	struct scene *s;
	unsigned ports;
	struct err err;

	if (compile_scene(&s, path, NULL, &err))
		fail_msg("%s", err.text);
	ports = ports_of(s);
	scene_free(s);
	if (ports < shards)
		return;
	one = run(file, 1, cell);
	in_shards(file, shards, cell, &one, m);
}

static void near_one(const char *what, const struct mean *m)
{
	printf("  %s: times %g in the mean of %u files\n", what, exp(m->sum / m->n), m->n);
	assert_true(m->n > 5);
	assert_true(fabs(m->sum / m->n) <= MEAN_MOST);
}

static unsigned the_shards, the_cell; // of the command line

static void every_lossless_scenario_holds_in_shards(void **state)
{
	struct means m = {0};
	glob_t found = {0};

	(void)state;
	// Scenarios of config/plugin are left out: they need the built examples, and their switches
	// are like others.
	assert_int_equal(glob(SOURCE_ROOT "/config/*.yaml", 0, NULL, &found), 0);
	assert_int_equal(glob(SOURCE_ROOT "/config/[!p]*/*.yaml", GLOB_APPEND, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!strstr(found.gl_pathv[i], "/reference.yaml"))
			one_file(found.gl_pathv[i], the_shards, the_cell, &m);
	globfree(&found);
	printf("  %u shards, %u files\n", the_shards, m.files);
	assert_true(m.files > 30);
	near_one("marks", &m.marks);
	near_one("pauses", &m.pauses);
}

// usage: scenario_shards_config SHARDS CELL    cells of CELL bytes; with 1 buffers have one side
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_lossless_scenario_holds_in_shards),
	};

	the_shards = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
	the_cell = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	if (the_shards < 2 || !the_cell) {
		fputs("usage: scenario_shards_config SHARDS CELL\n", stderr);
		return 2;
	}
	return cmocka_run_group_tests_name("shards_config", tests, NULL, NULL);
}
