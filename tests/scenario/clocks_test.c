// SPDX-License-Identifier: BSD-3-Clause
// The rule of `--clock both`, in virtual time: how often it takes one more run for another scene,
// and that it finds planted differences.
// usage: scenario_clocks [all]    without `all`: the first scenario, with fewer seeds
#include "scn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/prng.h"
#include "verdict/agree.h"
#include "verdict/verdict.h"

#define K         20 // reference runs
#define SEEDS     60 // of each scenario
#define FEW_SEEDS 24
#define DRAWS     50   // of reference runs, for each run that is judged
#define PLANTED   3    // runs with each difference
#define ALARMS    0.02 // most false alarms

static const struct place {
	const char *file, *duration;
	bool is_still; // no seed changes it, so there are no false alarms to count
} places[] = {
	{"first-light.yaml", "duration=100ms", false},
	{"compare/3-dcqcn-paper.yaml", "duration=100ms", false},
	{"incast-8to1-100g.yaml", "duration=100ms", false},
	{"leaf-spine.yaml", "duration=20ms", false},
	{"waterline.yaml", "duration=60ms", false},
	{"wred.yaml", "duration=10ms", false},
	{"hol-blocking.yaml", "duration=6ms", true},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

// A difference that must be found at a place.
static const struct planted {
	const char *what;
	unsigned place;
	const char *set;
} planted[] = {
	{"Kmin 30 KB for 20 KB", 0, "switches.s1.classes.3.wred.min=30KB"},
	{"byte counter 250 KB for 10 MB", 0, "controls.dcqcn.byte_counter=250KB"},
	{"CNP interval 60 us for 50 us", 0, "hosts.r.np.interval=60us"},
	{"Pmax 2 % for 1 %", 1, "switches.s0..1.classes.3.wred.probability=2%"},
	{"limiters of 51.5 % for 50 %", 5, "flows.plain.open_loop.rate=51.5%"},
	{"pfc_response 200 for 394 quanta", 6, "hosts.h1..3.pfc_response=200"},
	{"XOFF 210 KB for 200 KB", 6, "switches.s1..2.classes.3.pfc.xoff=210KB"},
	{"class 3 for a priority of its own", 6, "flows.beside.class=3"},
};

#define DIFFERENCES (sizeof(planted) / sizeof(planted[0]))

// All processes write into it.
struct results {
	struct verdict_figures seed[PLACES][SEEDS];
	struct verdict_figures planted[DIFFERENCES][PLANTED];
};

static struct results *results;

static unsigned n_places = 1, n_seeds = FEW_SEEDS;

static void run(const struct place *p, unsigned seed, const char *set, struct verdict_figures *to)
{
	char text[32];
	struct scn s;

	snprintf(text, sizeof(text), "seed=%u", seed);
	s = scn_run_lossy(p->file, p->duration, text, set, NULL);
	verdict_figures(report_summary(s.rec), to);
	scn_free(&s);
}

// Run number i of all; false: there are fewer.
static bool run_number(unsigned i)
{
	unsigned place = i / n_seeds, seed = i % n_seeds;

	if (place < n_places) {
		run(&places[place], 1 + seed, NULL, &results->seed[place][seed]);
		return true;
	}
	i -= n_places * n_seeds;
	if (i / PLANTED >= DIFFERENCES)
		return false;
	if (planted[i / PLANTED].place < n_places)
		run(&places[planted[i / PLANTED].place], 1 + SEEDS + i % PLANTED,
			planted[i / PLANTED].set, &results->planted[i / PLANTED][i % PLANTED]);
	return true;
}

// Runs everything in a process for each processor. What fails there ends its process.
static void run_all(void)
{
	long processes = sysconf(_SC_NPROCESSORS_ONLN);
	int status;

	for (unsigned p = 0; p < processes; p++) {
		pid_t pid = fork();

		for (unsigned i = p; !pid && run_number(i); i += (unsigned)processes)
			;
		if (pid <= 0)
			_exit(pid < 0);
	}
	while (wait(&status) > 0)
		if (status)
			exit(1);
}

static void add_names(const struct agree_judged judged[VERDICT_FIGURES],
	unsigned count[VERDICT_FIGURES], enum agree_is is)
{
	for (unsigned i = 0; i < VERDICT_FIGURES; i++)
		count[i] += judged[i].is == is;
}

// Prints the figures that `count` of all `judged` runs have, with their share.
static void print_names(const char *before, const unsigned count[VERDICT_FIGURES], unsigned judged)
{
	for (unsigned i = 0; i < VERDICT_FIGURES; i++)
		if (count[i]) {
			printf("%s%s %.3g %%", before, agree_name(i), 100.0 * count[i] / judged);
			before = ", ";
		}
	putchar('\n');
}

// Takes K others than `one` by chance.
static void draw(struct verdict_figures ref[K], const struct verdict_figures *all, unsigned one,
	struct prng *g)
{
	unsigned left[SEEDS], n = 0;

	for (unsigned i = 0; i < n_seeds; i++)
		if (i != one)
			left[n++] = i;
	for (unsigned k = 0; k < K; k++) {
		unsigned at = (unsigned)prng_below(g, n);

		ref[k] = all[left[at]];
		left[at] = left[--n];
	}
}

// Judges each run of a place by others. Returns how many judgements take it for another scene.
static unsigned alarms_at(unsigned place)
{
	unsigned parted[VERDICT_FIGURES] = {0}, wide[VERDICT_FIGURES] = {0}, alarms = 0;
	struct prng g;

	prng_init(&g, place, "clocks");
	for (unsigned i = 0; i < n_seeds * DRAWS; i++) {
		const struct verdict_figures *one = &results->seed[place][i / DRAWS];
		struct agree_judged judged[VERDICT_FIGURES];
		struct verdict_figures ref[K];

		draw(ref, results->seed[place], i / DRAWS, &g);
		alarms += agree_judge(judged, ref, K, one) > 0;
		add_names(judged, parted, AGREE_NO);
		add_names(judged, wide, AGREE_WIDE);
	}
	printf("  %s: %.2f %% false alarms", places[place].file,
		100.0 * alarms / (n_seeds * DRAWS));
	print_names(": ", parted, n_seeds * DRAWS);
	print_names("    not discriminating: ", wide, n_seeds * DRAWS);
	return alarms;
}

static void one_more_run_is_seldom_taken_for_another(void **state)
{
	unsigned alarms = 0, judged = 0;

	(void)state;
	for (unsigned p = 0; p < n_places; p++) {
		if (places[p].is_still)
			continue;
		alarms += alarms_at(p);
		judged += n_seeds * DRAWS;
	}
	printf("  all: %.2f %% false alarms\n", 100.0 * alarms / judged);
	assert_true(alarms <= ALARMS * judged);
}

static void planted_differences_are_found(void **state)
{
	unsigned missed = 0;

	(void)state;
	for (unsigned d = 0; d < DIFFERENCES; d++) {
		unsigned parted[VERDICT_FIGURES] = {0}, found = 0;

		if (planted[d].place >= n_places)
			continue;
		for (unsigned i = 0; i < PLANTED; i++) {
			struct agree_judged judged[VERDICT_FIGURES];

			found += agree_judge(judged, results->seed[planted[d].place], K,
					 &results->planted[d][i]) > 0;
			add_names(judged, parted, AGREE_NO);
		}
		printf("  %s, %s: found in %u of %u runs", places[planted[d].place].file,
			planted[d].what, found, PLANTED);
		print_names(": ", parted, PLANTED);
		missed += found < PLANTED;
	}
	assert_int_equal(missed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_more_run_is_seldom_taken_for_another),
		cmocka_unit_test(planted_differences_are_found),
	};

	if (argc > 1 && !strcmp(argv[1], "all")) {
		n_places = PLACES;
		n_seeds = SEEDS;
	}
	results = mmap(
		NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		return 1;
	run_all();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
