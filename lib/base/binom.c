// SPDX-License-Identifier: BSD-3-Clause
// Binomial counts: interval, likelihood fit of a common factor, chi-square.
#include "base/binom.h"

#include <math.h>

#define Z_95      1.959963984540054 // of the normal distribution, two-sided
#define FIT_STEPS 60

void binom_wilson(uint64_t n, uint64_t m, double *low, double *high)
{
	double of = (double)n, p, square = Z_95 * Z_95, middle, half;

	*low = 0;
	*high = 1;
	if (!n)
		return;
	p = (double)m / of;
	middle = (p + square / (2 * of)) / (1 + square / of);
	half = Z_95 * sqrt(p * (1 - p) / of + square / (4 * of * of)) / (1 + square / of);
	*low = m ? middle - half : 0;
	*high = m < n ? middle + half : 1;
}

// d log likelihood / d factor = sum of m / f - (n - m) s / (1 - f s): it falls as f grows.
static double score(const struct binom *b, unsigned count, double f)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t no = b[i].n - b[i].m;

		sum += (double)b[i].m / f;
		if (no)
			sum -= (double)no * b[i].shape / (1 - f * b[i].shape);
	}
	return sum;
}

double binom_fit(const struct binom *b, unsigned count)
{
	double most = 0, low = 0, high;
	uint64_t m = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!b[i].n)
			continue;
		most = b[i].shape > most ? b[i].shape : most;
		m += b[i].m;
	}
	if (most <= 0)
		return NAN;
	if (!m)
		return 0;
	high = 1 / most;
	for (unsigned i = 0; i < FIT_STEPS; i++) {
		double middle = (low + high) / 2;

		if (score(b, count, middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

// Fisher's information: sum of n s / (f (1 - f s)).
double binom_fit_error(const struct binom *b, unsigned count, double factor)
{
	double information = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!b[i].n || b[i].shape <= 0)
			continue;
		if (factor * b[i].shape >= 1)
			return 0;
		information += (double)b[i].n * b[i].shape / (factor * (1 - factor * b[i].shape));
	}
	return information > 0 ? 1 / sqrt(information) : NAN;
}

double binom_sigmas(uint64_t n, uint64_t m, double p)
{
	if (!n || p <= 0 || p >= 1)
		return NAN;
	return ((double)m - (double)n * p) / sqrt((double)n * p * (1 - p));
}

// Q(k/2, x/2) as a finite sum, for even k e^-h sum h^j / j!, for odd k erfc(sqrt h) and e^-h sum
// h^(j+1/2) / Gamma(j+3/2), h = x / 2 (Abramowitz and Stegun 26.4.4, 26.4.5).
double binom_chi_square_above(double x, unsigned degrees)
{
	double h = x / 2, sum, term;
	unsigned odd = degrees % 2;

	if (!degrees || x <= 0)
		return 1;
	sum = odd ? erfc(sqrt(h)) : 0;
	term = odd ? exp(-h) * sqrt(h) * M_2_SQRTPI : exp(-h);
	for (unsigned j = 0; j < degrees / 2; j++) {
		sum += term;
		term *= h / (j + 1 + odd * 0.5);
	}
	return sum < 1 ? sum : 1;
}
