// SPDX-License-Identifier: BSD-3-Clause
// Rates of what hosts send, and how far a limiter is off.
#include <math.h>

#include "int.h"

double host_gbps(uint64_t bytes, tstamp ps)
{
	return ps ? (double)bytes * 8000 / (double)ps : NAN;
}

struct host_pace host_pace(uint64_t sent, uint64_t owed, uint64_t frames)
{
	double off = (double)sent - (double)owed;

	if (!owed)
		return (struct host_pace){NAN, NAN};
	return (struct host_pace){
		100 * off / (double)owed, frames ? off * (double)frames / (double)sent : NAN};
}
