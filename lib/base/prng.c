// SPDX-License-Identifier: BSD-3-Clause
// Random numbers: how a seed and a name become the generator's state.
#include "base/prng.h"

// One step of splitmix64 (Steele, Lea, Flood), the generator that xoshiro's authors seed with.
static uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void prng_init(struct prng *g, uint64_t seed, const char *name)
{
	uint64_t x = 0xcbf29ce484222325; // FNV-1a, 64 bits

	for (unsigned i = 0; i < 8; i++)
		x = (x ^ (seed >> (8 * i) & 0xff)) * 0x100000001b3;
	for (; *name; name++)
		x = (x ^ (uint8_t)*name) * 0x100000001b3;
	for (unsigned i = 0; i < 4; i++)
		g->s[i] = splitmix64(&x);
}
