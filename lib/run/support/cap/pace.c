// SPDX-License-Identifier: BSD-3-Clause
// The pace of a replay as users write it: 2x, 1Mpps, 10Gbps, top.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "play.h"

#define SPEED_MAX 1000000ull // times as fast as recorded

static bool ends_in(const char *text, const char *end, size_t *before)
{
	size_t n = strlen(text), k = strlen(end);

	if (n <= k || strcmp(text + n - k, end) != 0)
		return false;
	*before = n - k;
	return true;
}

// Reads a speed with at most six decimals, "0.5", "2", "1.25", in millionths. It is read as a
// number of MHz, which units_parse() gives in Hz.
static bool read_speed(const char *text, size_t n, uint64_t *millionths)
{
	char word[40];

	if (n + sizeof("MHz") > sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*sMHz", (int)n, text);
	return units_parse(UNITS_CLOCK, word, millionths) == UNITS_OK && *millionths &&
	       *millionths <= SPEED_MAX * CAP_SPEED_ONE;
}

// Reads a rate in frames per second: "1Mpps" is read like "1MHz".
static bool read_pps(const char *text, size_t n, uint64_t *per_s)
{
	char word[40];

	if (n + sizeof("Hz") > sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*sHz", (int)n, text);
	if (word[n - 1] == 'K')
		word[n - 1] = 'k';
	return units_parse(UNITS_CLOCK, word, per_s) == UNITS_OK && *per_s;
}

// Bounds of the three kinds of pace: SPEED_MAX, the least frequency, RATE_MIN.
static const struct {
	const char *end, *bounds;
} kinds[] = {
	{"x", "0.000001x to 1000000x"},
	{"pps", "1pps at least"},
	{"bps", "100Kbps at least"},
	{"b/s", "100Kbps at least"},
};

const char *cap_pace_wanted(const char *text)
{
	const char *letters = text + strspn(text, "0123456789. ");
	size_t n;

	for (unsigned i = 0; letters > text && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (ends_in(text, kinds[i].end, &n) && strlen(letters) <= strlen("Kpps"))
			return kinds[i].bounds;
	return CAP_PACE_WANTED;
}

int cap_pace_parse(const char *text, struct cap_play_params *p)
{
	struct cap_play_params is = {.pace = CAP_TOP};
	bool good = true;
	size_t n;

	if (ends_in(text, "x", &n)) {
		is.pace = CAP_RECORDED;
		good = read_speed(text, n, &is.speed);
	} else if (ends_in(text, "pps", &n)) {
		is.pace = CAP_FRAMES;
		good = read_pps(text, n, &is.frames_per_s);
	} else if (strcmp(text, "top") != 0) {
		is.pace = CAP_BITS;
		good = units_parse(UNITS_RATE, text, &is.rate) == UNITS_OK && is.rate >= RATE_MIN;
	}
	if (!good)
		return -EINVAL;
	p->pace = is.pace;
	p->speed = is.speed;
	p->frames_per_s = is.frames_per_s;
	p->rate = is.rate;
	return 0;
}
