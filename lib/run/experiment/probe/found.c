// SPDX-License-Identifier: BSD-3-Clause
// Figures that a probe has found, and their names.
#include "found.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const no_yes[] = {"no", "yes", NULL};
static const char *const forwards[] = {"no", "yes", "floods", NULL};
static const char *const obeys[] = {"nothing", "PFC", "PAUSE", NULL};
static const char *const kinds[] = {"static", "dynamic", NULL};
static const char *const frames[] = {"as 802.1Qbb says", "other classes' bits are set",
	"another destination", "no station's source address", NULL};
static const char *const tails[] = {"static", "dynamic", "of all senders together", NULL};
static const char *const places[] = {"none", "at enqueue", "at dequeue", NULL};
static const char *const counts[] = {"bytes", "cells", NULL};
static const char *const not_ect[] = {"passed", "dropped above Kmin", "marked", NULL};
static const char *const actions[] = {"none", "drop", "forward", NULL};

const struct probe_figure_row probe_figure[PROBE_FIGURES] = {
	[PROBE_FORWARDS] = {"forwards", NULL, forwards, true, "forwards"},
	[PROBE_TRANSIT] = {"transit_us", "us", NULL, true, "transit"},
	[PROBE_CELL] = {"cell_bytes", "B", NULL, true, "cell"},
	[PROBE_OTHERS] = {"others_per_s", "frames/s", NULL, true, "frames of others"},
	[PROBE_OBEYS] = {"obeys", NULL, obeys, false, "obeys"},
	[PROBE_DSCPS] = {"dscps", "", NULL, false, "DSCPs"},
	[PROBE_PCPS] = {"pcps", "", NULL, false, "PCPs"},
	[PROBE_DROPS_FIRST] = {"drops_first_bytes", "B", NULL, false, "drops before any XOFF at"},
	[PROBE_XOFF] = {"xoff_bytes", "B", NULL, false, "XOFF"},
	[PROBE_XON] = {"xon_bytes", "B", NULL, false, "XON"},
	[PROBE_HYSTERESIS] = {"hysteresis_bytes", "B", NULL, false, "hysteresis"},
	[PROBE_QUANTA] = {"quanta", "", NULL, false, "quanta of its XOFF"},
	[PROBE_REFRESH] = {"refresh_us", "us", NULL, false, "refresh"},
	[PROBE_REFRESH_SHARE] = {"refresh_percent", "%", NULL, false, "refresh, of its pause"},
	[PROBE_FLAPS] = {"flaps", NULL, no_yes, false, "XON above XOFF"},
	[PROBE_PFC_FRAME] = {"pfc_frame", NULL, frames, false, "its PFC frames"},
	[PROBE_THRESHOLD] = {"threshold", NULL, kinds, false, "threshold"},
	[PROBE_ALPHA] = {"alpha", "", NULL, false, "alpha"},
	[PROBE_ALPHA_RAW] = {"alpha_raw", "", NULL, false, "alpha, as measured"},
	[PROBE_RESERVE] = {"reserve_bytes", "B", NULL, false, "reserve of a group"},
	[PROBE_SHARED] = {"shared_bytes", "B", NULL, false, "shared buffer"},
	[PROBE_HEADROOM] = {"headroom_bytes", "B", NULL, false, "headroom, shortest frames"},
	[PROBE_RESPONSE] = {"response_us", "us", NULL, false, "response to XOFF"},
	[PROBE_RESPONSE_QUANTA] = {"response_quanta", "", NULL, false, "response, in quanta"},
	[PROBE_HOLD_ERROR] = {"hold_error_us", "us", NULL, false, "hold, beyond the quanta asked"},
	[PROBE_QUANTUM] = {"quantum_ps", "ps", NULL, false, "quantum"},
	[PROBE_RESUME] = {"resume_us", "us", NULL, false, "resume after XON"},
	[PROBE_MARK] = {"mark", NULL, places, false, "marks"},
	[PROBE_MARK_AVERAGED] = {"mark_averaged", NULL, no_yes, false, "by an averaged length"},
	[PROBE_MARK_LINEAR] = {"mark_linear", NULL, no_yes, false, "linear"},
	[PROBE_MARK_COUNTS] = {"mark_counts", NULL, counts, false, "unit of its queue length"},
	[PROBE_KMIN] = {"kmin_bytes", "B", NULL, false, "Kmin"},
	[PROBE_KMAX] = {"kmax_bytes", "B", NULL, false, "Kmax"},
	[PROBE_PMAX] = {"pmax_percent", "%", NULL, false, "Pmax"},
	[PROBE_NOT_ECT] = {"not_ect", NULL, not_ect, false, "frames that are Not-ECT"},
	[PROBE_STRICT] = {"strict", NULL, no_yes, false, "strict"},
	[PROBE_WEIGHT] = {"weight", "", NULL, false, "weight"},
	[PROBE_TAIL] = {"tail", NULL, tails, false, "limit of a lossy queue"},
	[PROBE_TAIL_LIMIT] = {"tail_limit_bytes", "B", NULL, false, "its length, two senders"},
	[PROBE_TAIL_ALPHA] = {"tail_alpha", "", NULL, false, "its alpha"},
	[PROBE_TAIL_SHARED] = {"tail_shared_bytes", "B", NULL, false, "its shared buffer"},
	[PROBE_POOL] = {"headroom_pool_bytes", "B", NULL, false, "headroom pool"},
	[PROBE_WATCHDOG] = {"watchdog", NULL, actions, false, "watchdog"},
	[PROBE_DETECT] = {"watchdog_detect_us", "us", NULL, false, "its detection"},
	[PROBE_RESTORE] = {"watchdog_restore_us", "us", NULL, false, "its restoration"},
	[PROBE_POLL] = {"watchdog_poll_us", "us", NULL, false, "its poll"},
};

void found_is(struct probe_found *f, unsigned cls, enum probe_figure fig, double value, double pm)
{
	f->f[cls][fig] = (struct found){.state = FOUND_IS, .value = value, .pm = pm};
}

void found_state(struct probe_found *f, unsigned cls, enum probe_figure fig, enum found_state state,
	double value, const char *why)
{
	f->f[cls][fig] = (struct found){.state = state, .value = value, .why = why};
}

double found_value(const struct probe_found *f, unsigned cls, enum probe_figure fig)
{
	const struct found *of = &f->f[cls][fig];

	return of->state == FOUND_IS || of->state == FOUND_VARIES || of->state == FOUND_OTHERS
		       ? of->value
		       : NAN;
}

struct probe_curve *found_curve(
	struct probe_found *f, const char *name, unsigned cls, const char *x, const char *y)
{
	struct probe_curve *more = realloc(f->curve, (f->n_curves + 1) * sizeof(*more));

	if (!more)
		return NULL;
	f->curve = more;
	more[f->n_curves] = (struct probe_curve){.name = name, .cls = cls, .x = x, .y = y};
	return &more[f->n_curves++];
}

int found_point(struct probe_curve *c, double x, double y, double n)
{
	if (c->n == c->room) {
		unsigned room = c->room ? 2 * c->room : 64;
		struct probe_point *more = realloc(c->point, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		c->point = more;
		c->room = room;
	}
	c->point[c->n++] = (struct probe_point){x, y, n};
	return 0;
}

void found_curves_drop(struct probe_found *f, unsigned n)
{
	while (f->n_curves > n)
		free(f->curve[--f->n_curves].point);
}

static bool is_time(const char *unit)
{
	return unit && (!strcmp(unit, "us") || !strcmp(unit, "ps"));
}

void found_in_device_time(struct probe_found *f, uint64_t dilate)
{
	const double n = (double)dilate;

	for (unsigned c = 0; c < PROBE_COLUMNS; c++)
		for (enum probe_figure k = 0; k < PROBE_FIGURES; k++) {
			struct found *of = &f->f[c][k];

			if (!is_time(probe_figure[k].unit))
				continue;
			of->value /= n;
			of->pm /= n;
			of->least /= n;
			of->most /= n;
		}
	for (unsigned i = 0; i < f->n_curves; i++)
		for (unsigned k = 0; !strcmp(f->curve[i].name, "hold") && k < f->curve[i].n; k++)
			f->curve[i].point[k].y /= n;
}

void found_free(struct probe_found *f)
{
	for (unsigned i = 0; i < f->n_curves; i++)
		free(f->curve[i].point);
	free(f->curve);
	*f = (struct probe_found){0};
}
