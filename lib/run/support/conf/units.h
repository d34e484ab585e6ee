// SPDX-License-Identifier: BSD-3-Clause
// Values with units as a scenario writes them: 100Gbps, 55us, 400KB, 20%, 64..1518; exact.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum units_kind {
	UNITS_RATE,  // bit/s: bps, Kbps, Mbps, Gbps, Tbps (also b/s, Kb/s ...)
	UNITS_TIME,  // ps: ps, ns, us, ms, s
	UNITS_SIZE,  // bytes: none or B, KB (1000), MB, GB, KiB (1024), MiB, GiB
	UNITS_CLOCK, // Hz: Hz, kHz, MHz, GHz
	UNITS_PPS,   // frames per second: pps, Kpps, Mpps (also kpps, mpps)
	UNITS_COUNT, // a plain whole number
};

enum units_error {
	UNITS_OK,
	UNITS_NO_NUMBER,  // does not begin with a number
	UNITS_NO_UNIT,    // a unit is missing
	UNITS_WRONG_UNIT, // a unit that is not of this kind
	UNITS_NOT_WHOLE,  // 12.3456KB: not a whole number of the base unit
	UNITS_TOO_LARGE,  // over 2^63 - 1 base units
};

// Reads the whole of `text` as one value; *value is set on UNITS_OK only.
enum units_error units_parse(enum units_kind kind, const char *text, uint64_t *value);

// Reads two values, "64..1518" or "1us..2ms", or one value for both ends. The first value may leave
// its unit to the second: "0..10us".
enum units_error units_parse_range(
	enum units_kind kind, const char *text, uint64_t *low, uint64_t *high);

// Reads a MAC address, as 02:00:00:00:00:01: six numbers of one or two hexadecimal digits.
bool units_parse_mac(const char *text, uint8_t mac[6]);
// Returns buf.
char *units_format_mac(const uint8_t mac[6], char *buf, size_t size);

// A number without unit: "0.5", "1/256", or a share "20%". The quotient of two integers, rounded
// once.
enum units_error units_parse_real(const char *text, double *value);

// The longest unit in which the value has at most three decimals (a size: one); units_parse gives
// it back
// exactly.
// Returns buf.
char *units_format(enum units_kind kind, uint64_t value, char *buf, size_t size);

// What would be right, for a message: "a rate, as in 100Gbps or 40Mbps".
const char *units_example(enum units_kind kind);
