// SPDX-License-Identifier: BSD-3-Clause
// Acceptance tests: figures by path, a switch port's counters in SONiC's words.
#include "acc.h"

#include <math.h>
#include <stdarg.h>

#define PATH 128

void acc_row(const char *row, const char *original)
{
	printf("%s: %s\n", row, original);
}

double acc(const struct scn *s, const char *path, ...)
{
	char text[PATH];
	va_list ap;

	va_start(ap, path);
	vsnprintf(text, sizeof(text), path, ap);
	va_end(ap);
	return scn_value(s, text);
}

double acc_pfc(const struct scn *s, const char *path, ...)
{
	char text[PATH];
	va_list ap;
	double v;

	va_start(ap, path);
	vsnprintf(text, sizeof(text), path, ap);
	va_end(ap);
	v = report_value(s->rec, text);
	return isnan(v) ? 0 : v;
}

void acc_in(const struct scn *s, double lo, double hi, const char *path, ...)
{
	char text[PATH];
	va_list ap;

	va_start(ap, path);
	vsnprintf(text, sizeof(text), path, ap);
	va_end(ap);
	scn_in(s, text, scn_value(s, text), lo, hi);
}

void acc_is(const struct scn *s, double value, const char *path, ...)
{
	char text[PATH];
	va_list ap;

	va_start(ap, path);
	vsnprintf(text, sizeof(text), path, ap);
	va_end(ap);
	scn_in(s, text, scn_value(s, text), value, value);
}

// All but MAC control.
double acc_rx_ok(const struct scn *s, const char *port)
{
	return acc(s, "port.%s.rx_frames", port) - acc(s, "port.%s.consumed_frames", port);
}

double acc_rx_drp(const struct scn *s, const char *port)
{
	return acc(s, "port.%s.drop_shared", port) + acc(s, "port.%s.drop_headroom", port) +
	       acc(s, "port.%s.drop_buffer", port) + acc(s, "port.%s.drop_malformed", port);
}

double acc_tx_ok(const struct scn *s, const char *port)
{
	return acc(s, "port.%s.tx_frames", port) - acc(s, "port.%s.originated_frames", port);
}

double acc_tx_drp(const struct scn *s, const char *port)
{
	return acc(s, "port.%s.tx_dropped_frames", port);
}
