// SPDX-License-Identifier: BSD-3-Clause
// Step `lossy`: how many bytes of a lossy group stand in the device when it drops a frame, with two
// and with three senders.
#include "int.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "estimate/estimate.h"

#define LEN    252 // of its frames, where a cell holds no longer one
#define FIRST  4000
#define MORE   3
#define ROUNDS 6
#define NEAR   3    // frames by which two counts of a static limit may differ
#define SNAP   0.15 // share by which a measured alpha may differ from a power of two
#define ALL    0.03 // 3 L3 and 2 L2 differ by less: all senders share one limit
#define SAME   0.003
#define NOISE  1.5  // frames by which a count may be wrong
#define PAIR   2    // senders of the first count
#define AGAIN  8    // floods more, where loops are long
#define UNSURE 0.25 // share of alpha by which it may be wrong

// Frames of a group that stood in the device when it dropped the first one.
struct drop {
	uint32_t standing;
	unsigned senders; // that lost one, and the sum of their counts
	uint64_t sum;
	double error;  // frames, half width of 95 %, where there are several floods
	uint64_t sent; // frames of all senders, where none was dropped
	bool seen;
	const char *why;
};

static uint16_t frame_len(const struct probe *p)
{
	return p->unit > LEN ? p->unit : LEN;
}

// Bytes that a frame of the step takes in the device.
static double frame_bytes(const struct probe *p)
{
	double cell = found_value(p->found, PROBE_DEVICE, PROBE_CELL), len = frame_len(p) + PKT_FCS;

	return cell > 1 ? ceil(len / cell) * cell : len;
}

// Frames by which the count of two senders may be wrong. The count assumes that the device's
// transit lies behind its queue. Half of the frames that come out in that time are of a group.
static double error_of(const struct probe *p, const struct drop *d)
{
	const double wire = (double)probe_wire(p, frame_len(p));

	return NOISE + d->error + (double)(p->transit + p->lab->gap) / 2 / wire;
}

// The number of the first frame of a source that never came; `n` if all did. -ENOMEM.
static int64_t first_missing(const struct lab_seen *s, unsigned source, uint32_t n)
{
	uint8_t *came = calloc(n + 1, 1);
	uint32_t k = 0;

	if (!came)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->entry[i].sent && s->entry[i].frame == TESTER_OURS &&
			s->entry[i].source == source && s->entry[i].number < n)
			came[s->entry[i].number] = 1;
	while (came[k])
		k++;
	free(came);
	return k;
}

static tstamp left_at(const struct lab_seen *s, unsigned source, uint32_t number)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->entry[i].sent && s->entry[i].frame == TESTER_OURS &&
			s->entry[i].source == source && s->entry[i].number == number)
			return s->entry[i].at;
	return TSTAMP_NEVER;
}

// Counts what stood of the group of in[k] when its first frame was dropped.
static int count_standing(
	struct probe *p, const struct lab_sight *sight, unsigned k, uint32_t n, struct drop *d)
{
	unsigned from = p->cfg->in[k], to = p->cfg->out[0], source = PROBE_SOURCE(from, 0);
	const struct lab_port *port = p->lab->port;
	int64_t number = first_missing(&sight->port[to], source, n);
	tstamp there;
	uint32_t out;

	if (number < 0)
		return (int)number;
	if (number == n)
		return 0;
	there = left_at(&sight->port[from], source, (uint32_t)number);
	if (there == TSTAMP_NEVER)
		return 0;
	there += probe_wire(p, frame_len(p)) + port[from].cable;
	out = lab_came(
		&sight->port[to], source, there + port[to].cable + p->transit + p->lab->gap / 2);
	if (number > out) {
		uint32_t count = (uint32_t)number - out;

		d->standing = count > d->standing ? count : d->standing;
		d->sum += count;
		d->senders++;
	}
	d->seen = true;
	return 0;
}

static void build_flood(struct probe *p, unsigned cls, unsigned senders, uint32_t n)
{
	probe_list_new(p, "lossy");
	for (unsigned k = 0; k < senders; k++) {
		struct tester_item i = probe_data(p, p->cfg->in[k], p->cfg->out[0], cls, n);

		i.len = frame_len(p);
		i.at = probe_w(p);
		probe_add(p, p->cfg->in[k], i);
	}
	p->list.step.tail = senders * n * probe_wire(p, frame_len(p)) + probe_w(p);
}

// Several senders at the line rate, n frames each.
static int flood(struct probe *p, unsigned cls, unsigned senders, uint32_t n, struct drop *d)
{
	struct lab_sight sight;
	int rc;

	build_flood(p, cls, senders, n);
	rc = probe_count(p, &sight, &d->why);
	for (unsigned k = 0; !rc && k < senders; k++)
		rc = count_standing(p, &sight, k, n, d);
	d->sent = (uint64_t)n * senders;
	return rc ? rc : probe_emptied(p, &d->why);
}

// The same flood again and again. A late loop makes a count too high or too low, so the middle one
// of all is the value.
static int repeat_drop(struct probe *p, unsigned cls, unsigned senders, uint32_t n, struct drop *d)
{
	struct repeats counts = {0};
	int rc = 0;

	for (unsigned k = 0; !rc; k++) {
		if (d->senders)
			repeats_add(&counts, (double)d->sum / d->senders);
		if (k == AGAIN)
			break;
		d->sum = d->senders = 0;
		rc = flood(p, cls, senders, n, d);
	}
	d->standing = (uint32_t)(repeats_median(&counts) + .5);
	d->error = repeats_median_error(&counts);
	return rc;
}

// The more frames the longer nothing is dropped.
static int find_drop(struct probe *p, unsigned cls, unsigned senders, struct drop *d)
{
	uint32_t n = FIRST;
	int rc = 0;

	for (unsigned i = 0; i < ROUNDS && !rc; i++, n *= MORE) {
		if ((uint64_t)n * senders * (frame_len(p) + PKT_FCS) > p->cfg->most_buffer)
			break;
		rc = flood(p, cls, senders, n, d);
		if (!rc && d->seen)
			return probe_is_rough(p) ? repeat_drop(p, cls, senders, n, d) : 0;
	}
	return rc;
}

// The reserve of a lossless class by the shared buffer that lossy frames have shown, where that
// tells it better; or that its groups share another one.
static void compare_shared(struct probe *p, unsigned cls, unsigned lossy, double shared, double pm)
{
	double u = probe_unit(p), seen = found_value(p->found, cls, PROBE_SHARED);
	double alpha = found_value(p->found, cls, PROBE_ALPHA), b = alpha / (1 + alpha);
	double reserve = p->group[cls].n_xoff * u - u / 2 - b * shared, bound = u + b * pm;
	struct found *f = p->found->f[cls];

	if (isnan(seen) || isnan(alpha) || f[PROBE_ALPHA].pm > 0 ||
		fabs(shared - seen) <= SAME * seen)
		return;
	if (reserve < -bound || fabs(shared - seen) > f[PROBE_SHARED].pm + pm) {
		p->found->f[lossy][PROBE_TAIL_SHARED].why = "not the pool of the lossless classes";
	} else if (pm < f[PROBE_SHARED].pm) {
		found_is(p->found, cls, PROBE_SHARED, shared, pm);
		found_is(p->found, cls, PROBE_RESERVE, fmax(0, reserve), bound);
	}
}

static const char too_long[] = "loops are too long to tell it from two counts";

// Frames by which a count may be wrong in comparison with another one: the assumption on the
// transit cancels.
static double error_beside(const struct drop *d)
{
	return NOISE + d->error;
}

static void found_alpha(
	struct probe *p, unsigned cls, const struct drop *d2, const struct drop *d3, double bytes)
{
	double two = d2->standing, three = d3->standing, rest = 3 * three - 2 * two;
	double raw = (two - three) / rest, alpha = threshold_snap(raw, SNAP);
	double shared = two * bytes * (1 + 2 * alpha) / alpha, error = error_of(p, d2) / two;
	// a share of alpha
	double raw_pm =
		hypot(three * error_beside(d2), two * error_beside(d3)) / rest / (two - three);

	if (probe_is_rough(p) && raw_pm > UNSURE) {
		for (unsigned k = PROBE_TAIL_ALPHA; k <= PROBE_TAIL_SHARED; k++)
			found_state(p->found, cls, k, FOUND_INVALID, 0, too_long);
		return;
	}
	found_is(p->found, cls, PROBE_TAIL_ALPHA, alpha, alpha == raw ? raw * raw_pm : 0);
	if (alpha == raw)
		error += raw_pm / (1 + 2 * alpha);
	found_is(p->found, cls, PROBE_TAIL_SHARED, shared, shared * error);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		compare_shared(p, c, cls, shared, shared * error);
}

static void not_found(struct probe *p, unsigned cls, enum probe_figure from, const char *why)
{
	for (unsigned k = from; k <= PROBE_TAIL_SHARED; k++)
		if (k != PROBE_TAIL_LIMIT || from == PROBE_TAIL)
			found_state(p->found, cls, k, FOUND_NOT, 0, why);
}

static void found_kind(
	struct probe *p, unsigned cls, const struct drop *two, const struct drop *three)
{
	double bytes = frame_bytes(p), l2 = two->standing * bytes, l3 = three->standing * bytes;
	double e2 = bytes * error_beside(two), e3 = bytes * error_beside(three);
	unsigned word = 1;

	if (fabs(l2 - l3) <= (probe_is_rough(p) ? e2 + e3 : NEAR * bytes))
		word = 0;
	else if (fabs(3 * l3 - 2 * l2) < ALL * l2)
		word = 2;
	else if (probe_is_rough(p) && fabs(3 * l3 - 2 * l2) < 3 * e3 + 2 * e2) {
		not_found(p, cls, PROBE_TAIL_ALPHA, too_long);
		found_state(p->found, cls, PROBE_TAIL, FOUND_INVALID, 0, too_long);
		return;
	} else if (l3 > l2 || 3 * l3 < 2 * l2) {
		p->found->f[cls][PROBE_TAIL] = (struct found){.state = FOUND_VARIES,
			.why = "no limit fits the counts of two and of three senders"};
		return;
	}
	found_is(p->found, cls, PROBE_TAIL, word, 0);
	if (word == 2)
		found_is(p->found, cls, PROBE_TAIL_LIMIT, 2 * l2, 3 * bytes);
	if (p->others) {
		p->found->f[cls][PROBE_TAIL].state = FOUND_OTHERS;
		p->found->f[cls][PROBE_TAIL_LIMIT].state = FOUND_OTHERS;
		not_found(p, cls, PROBE_TAIL_ALPHA, "somebody else sends");
		return;
	}
	for (unsigned k = PROBE_TAIL_ALPHA; k <= PROBE_TAIL_SHARED; k++)
		found_state(p->found, cls, k, FOUND_NONE, 0, "the limit is not a group's alpha");
	if (word == 1)
		found_alpha(p, cls, two, three, bytes);
}

static int look_lossy(struct probe *p, unsigned cls)
{
	struct drop two = {0}, three = {0};
	double bytes = frame_bytes(p);
	int rc;

	if (p->cfg->n_in < PAIR) {
		not_found(p, cls, PROBE_TAIL, "wants two ports in `in`");
		return 0;
	}
	rc = find_drop(p, cls, PAIR, &two);
	if (rc == -EAGAIN)
		not_found(p, cls, PROBE_TAIL, two.why);
	if (rc)
		return rc == -EAGAIN ? 0 : rc;
	if (!two.sent) {
		not_found(p, cls, PROBE_TAIL, "`most.buffer` is too small");
		return 0;
	}
	if (!two.seen) {
		not_found(p, cls, PROBE_TAIL, "nothing was dropped");
		found_state(p->found, cls, PROBE_TAIL_LIMIT, FOUND_AT_LEAST,
			(double)two.sent * bytes / 2 / PAIR, "nothing was dropped");
		return 0;
	}
	found_is(p->found, cls, PROBE_TAIL_LIMIT, two.standing * bytes, bytes * error_of(p, &two));
	if (p->cfg->n_in < 3) {
		not_found(p, cls, PROBE_TAIL_ALPHA, "wants three ports in `in`");
		found_state(p->found, cls, PROBE_TAIL, FOUND_NOT, 0, "wants three ports in `in`");
		return 0;
	}
	rc = find_drop(p, cls, 3, &three);
	if (rc == 0 && three.seen) {
		found_kind(p, cls, &two, &three);
		return 0;
	}
	found_state(p->found, cls, PROBE_TAIL, FOUND_NOT, 0,
		rc ? three.why : "three senders lost nothing");
	return rc == -EAGAIN ? 0 : rc;
}

int probe_lossy(struct probe *p, unsigned cls)
{
	int rc = look_lossy(p, cls);

	return !rc && !p->cfg->by_pcp && p->cfg->dscp[cls] != PROBE_NO_DSCP ? probe_order(p, cls)
									    : rc;
}
