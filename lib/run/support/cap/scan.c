// SPDX-License-Identifier: BSD-3-Clause
// Scans a capture before it is sent: counts its frames, notes instants and addresses, in one pass.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "head.h"
#include "play.h"
#include "wire/eth.h"
#include "wire/pkt.h"

#define MARKS (1u << 20) // the most: 8 MB

// Removes every second mark, because there are too many.
static void thin_out(struct cap_scan *s)
{
	for (uint32_t i = 0; i < s->n_marks / 2; i++)
		s->mark[i] = s->mark[2 * i];
	s->n_marks /= 2;
	s->mark_step *= 2;
}

// The instants ascend.
static int add_mark(struct cap_scan *s, uint64_t frame, tstamp at)
{
	if (frame % s->mark_step)
		return 0;
	if (s->n_marks == MARKS)
		thin_out(s);
	if (frame % s->mark_step)
		return 0;
	if (s->n_marks >= 64 ? !(s->n_marks & (s->n_marks - 1)) : !s->n_marks) {
		size_t n = s->n_marks ? 2ul * s->n_marks : 64;
		tstamp *more = realloc(s->mark, (n + 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->mark = more;
	}
	s->mark[s->n_marks++] = at;
	return 0;
}

// The last mark is the last frame's.
static void end_marks(struct cap_scan *s, tstamp last)
{
	if (s->n_marks && (s->seen.frames - 1) % s->mark_step)
		s->mark[s->n_marks++] = last;
}

// How long `n` take at `per_s`.
static tstamp span_of(uint64_t n, uint64_t per_s)
{
	unsigned __int128 ps = (unsigned __int128)n * PS_PER_S / per_s;

	return ps < TSTAMP_NEVER ? (tstamp)ps : TSTAMP_NEVER;
}

// Returns the gap between the last frame of a round and the first frame of the next.
static tstamp gap_of(const struct cap_scan *s, const struct cap_play_params *p)
{
	switch (p->pace) {
	case CAP_FRAMES:
		return span_of(s->seen.all_frames, p->frames_per_s) - s->took;
	case CAP_BITS:
		return span_of(s->seen.all_wire_bytes * 8, p->rate) - s->took;
	case CAP_TOP:
		return 0;
	default:
		return p->gap;
	}
}

static bool is_macctl(const struct replay_frame *f)
{
	return f->len >= 16 && get_be16(f->bytes + 12) == ETH_P_MAC_CONTROL;
}

// The station of an address; NULL: there are too many, or no memory (*failed).
static struct cap_station *station_of(
	struct cap_scan *s, struct index *by_key, const uint8_t mac[6], uint16_t vid, bool *failed)
{
	uint64_t key = eth_key(mac, vid);
	uint32_t hash = index_hash(0, &key, sizeof(key)), at = hash, i = INDEX_NONE;

	if (s->n_stations)
		do
			i = index_next(by_key, hash, &at);
		while (i != INDEX_NONE && eth_key(s->station[i].mac, s->station[i].vid) != key);
	if (i != INDEX_NONE)
		return &s->station[i];
	if (s->n_stations == CAP_STATIONS)
		return NULL;
	if (!(s->n_stations & (s->n_stations - 1))) {
		size_t room = s->n_stations ? 2ul * s->n_stations : 1;
		struct cap_station *more = realloc(s->station, room * sizeof(*more));

		*failed |= !more;
		if (!more)
			return NULL;
		s->station = more;
	}
	*failed |= index_add(by_key, hash, s->n_stations) != 0;
	if (*failed)
		return NULL;
	s->station[s->n_stations] = (struct cap_station){.vid = vid};
	memcpy(s->station[s->n_stations].mac, mac, 6);
	return &s->station[s->n_stations++];
}

// Returns whether a frame is only for the other end of its link: MAC control, and group addresses
// 01-80-C2-00-00-00 to 0F.
static bool is_link_local(const struct replay_frame *f)
{
	return is_macctl(f) || (f->len >= 6 && eth_key(f->bytes, 0) >> 4 == 0x0180c2000000 >> 4);
}

// False: no memory.
static bool note_stations(struct cap_scan *s, struct index *by_key, const struct replay_frame *f)
{
	struct cap_station *x;
	bool failed = false;
	struct head h;

	head_read(&h, f->bytes, f->len);
	if (!h.src)
		return true;
	if (head_is_station(h.src)) {
		x = station_of(s, by_key, h.src, h.vid, &failed);
		if (x)
			x->from++;
	}
	if (!failed && head_is_station(h.dst)) {
		x = station_of(s, by_key, h.dst, h.vid, &failed);
		if (x) {
			x->to++;
			x->to_after += x->from > 0;
		}
	}
	return !failed;
}

static int scan_frame(struct cap_scan *s, const struct cap_play *p, const struct replay_frame *f,
	bool timed, struct index *by_key)
{
	const struct cap_seen *seen = cap_play_seen(p);

	s->longest = f->len > s->longest ? f->len : s->longest;
	s->link_local += is_link_local(f);
	if (!s->first_macctl && is_macctl(f))
		s->first_macctl = seen->read;
	if (timed && add_mark(s, seen->frames - 1, f->at))
		return -ENOMEM;
	return note_stations(s, by_key, f) ? 0 : -ENOMEM;
}

static int scan_round(struct cap_scan *s, struct cap_play *p, const struct cap_play_params *params,
	struct err *err)
{
	struct index by_key = {0};
	struct replay_frame f;
	tstamp last = 0;
	int got, rc = 0;

	while (!rc && (got = cap_play_next(p, &f, err)) == 1) {
		rc = scan_frame(s, p, &f, params->pace != CAP_TOP, &by_key);
		last = f.at;
	}
	index_fini(&by_key);
	if (rc)
		return err_set(err, rc, "%s: no memory", params->path[0]);
	s->seen = *cap_play_seen(p);
	s->took = cap_play_took(p);
	end_marks(s, last);
	return got;
}

int cap_scan(struct cap_scan *s, const struct cap_play_params *params, struct err *err)
{
	struct cap_play_params once = *params;
	struct cap_play *p = NULL;
	int rc;

	*s = (struct cap_scan){.mark_step = 1};
	once.loops = 1;
	rc = cap_play_open(&p, &once, err);
	if (rc)
		return rc;
	rc = scan_round(s, p, params, err);
	s->hits = calloc(params->n_rules + 1ul, sizeof(*s->hits));
	if (!rc && !s->hits)
		rc = err_set(err, -ENOMEM, "%s: no memory", params->path[0]);
	for (unsigned i = 0; !rc && i < params->n_rules; i++)
		s->hits[i] = cap_play_hits(p, i);
	s->gap = gap_of(s, params);
	cap_play_close(p);
	if (rc)
		cap_scan_free(s);
	return rc;
}

void cap_scan_free(struct cap_scan *s)
{
	free(s->hits);
	free(s->station);
	free(s->mark);
	*s = (struct cap_scan){0};
}
