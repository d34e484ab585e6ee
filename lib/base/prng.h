// SPDX-License-Identifier: BSD-3-Clause
// Random numbers of one object: xoshiro256++ seeded by the scenario's seed and the object's name.
#pragma once

#include <stdint.h>

struct prng {
	uint64_t s[4];
};

// Seeds from the scenario's seed and the owner's name, so that adding an object changes no other's
// sequence (splitmix64 over FNV-1a, as the generator's authors recommend).
void prng_init(struct prng *g, uint64_t seed, const char *name);

// The next 64 random bits (Blackman and Vigna, xoshiro256++ 1.0).
static inline uint64_t prng_u64(struct prng *g)
{
	uint64_t *s = g->s, sum = s[0] + s[3];
	uint64_t r = ((sum << 23) | (sum >> 41)) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return r;
}

static inline uint32_t prng_u32(struct prng *g)
{
	return (uint32_t)(prng_u64(g) >> 32);
}

// Uniform in 0..n-1 (n from 1) by multiplication; the bias is below n / 2^64.
static inline uint64_t prng_below(struct prng *g, uint64_t n)
{
	return (uint64_t)((unsigned __int128)prng_u64(g) * n >> 64);
}
