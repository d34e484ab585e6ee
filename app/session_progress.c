// SPDX-License-Identifier: BSD-3-Clause
// How far a run has come, on one line of stderr.
#include "session_int.h"

#include <stdio.h>
#include <time.h>

// One line that is written over each second; nothing in a pipe.
void session_progress(void *arg, tstamp now, tstamp end)
{
	static double last_wall;
	static tstamp last;
	struct timespec ts;
	double wall, speed;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	wall = (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
	if (now < last)
		last_wall = 0;
	speed = last_wall ? (double)(now - last) / 1e9 / (wall - last_wall) : 0;
	fprintf(stderr, "\r  %.2f of %.2f ms  %3.0f %%", (double)now / 1e9, (double)end / 1e9,
		100.0 * (double)now / (double)end);
	if (speed > 0)
		fprintf(stderr, "  %.2f ms a second, %.0f s to go  ", speed,
			(double)(end - now) / 1e9 / speed);
	fflush(stderr);
	last_wall = wall;
	last = now;
}

void session_progress_end(void)
{
	fputs("\r\033[K", stderr);
}
