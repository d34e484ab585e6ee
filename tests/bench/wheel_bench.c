// SPDX-License-Identifier: BSD-3-Clause
// The cost of the timing wheel by number of items: each item in turn is due, is taken out, and is
// put back a gap later, as a queue pair that sends.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/prng.h"
#include "base/wheel.h"

#define FRAME 88000 // ps: a frame of 1082 bytes at 100 Gb/s, so that one item is due in each

// Processor time: others may run on the machine.
static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

// `turns` turns of `items` items, of which the gaps differ by up to `spread` permille.
static void run(const char *what, uint32_t items, unsigned spread, unsigned turns)
{
	struct wheel w;
	struct prng g;
	tstamp gap = (tstamp)items * FRAME;
	double t0;

	if (wheel_init(&w, items))
		exit(1);
	prng_init(&g, 1, "wheel_bench");
	for (uint32_t i = 0; i < items; i++)
		wheel_set(&w, i, prng_below(&g, gap));
	t0 = cpu_ns();
	for (unsigned n = 0; n < turns; n++) {
		uint32_t id = wheel_first_id(&w);
		tstamp at = wheel_first(&w);

		wheel_set(&w, id, TSTAMP_NEVER);
		wheel_set(&w, id, at + gap + gap / 1000 * (id * 2654435761u % (spread + 1)));
	}
	printf("%7u items, %-12s %6.1f ns a turn\n", items, what, (cpu_ns() - t0) / turns);
	wheel_fini(&w);
}

// wheel_bench [TURNS [ITEMS]]: one number of items alone is for callgrind.
int main(int argc, char **argv)
{
	static const uint32_t items[] = {1, 8, 64, 1000, 4096, 1 << 14, 1 << 16, 1 << 20};
	unsigned turns = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5000000;

	for (unsigned i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		if (argc > 2 && strtoul(argv[2], NULL, 10) != items[i])
			continue;
		run("equal gaps", items[i], 0, turns);
		run("gaps 1 to 2", items[i], 1000, turns);
	}
	return 0;
}
