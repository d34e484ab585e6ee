// SPDX-License-Identifier: BSD-3-Clause
// Packets of a trace in the wire form of Protocol Buffers. Field numbers are those of Perfetto's
// messages Trace, TracePacket, TrackDescriptor, TrackEvent and InternedData.
#include "pftrace.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/out.h"
#include "conf/conf.h"

enum { // Trace
	TRACE_PACKET = 1,
};

enum { // TracePacket
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_FIRST = 87,
};

enum { // bits of PACKET_FLAGS
	FLAG_CLEARED = 1,
	FLAG_NEEDS_STATE = 2,
};

enum { // TracePacketDefaults
	DEFAULTS_EVENT = 11,
};

enum { // TrackDescriptor
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILDREN = 11,
	TRACK_RANK = 12,
	TRACK_ABOUT = 14,
	CHILDREN_BY_RANK = 3,
};

enum { // CounterDescriptor
	COUNTER_UNIT = 3,
	COUNTER_SCALE = 4,
	COUNTER_UNIT_NAME = 6,
	COUNTER_AXIS = 7,
	UNIT_BYTES = 3,
};

enum { // TrackEvent, and TrackEventDefaults
	EVENT_CATEGORY = 3,
	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_VALUES = 12,
	EVENT_COUNTER = 30,
	EVENT_VALUES_TRACK = 31,
	EVENT_COUNTER_REAL = 44,
	EVENT_REALS_TRACK = 45,
	EVENT_REALS = 46,
	EVENT_FLOW = 47,
	EVENT_WHOSE = 54,
};

enum { // DebugAnnotation
	NOTE_KEY = 1,
	NOTE_UINT = 3,
	NOTE_REAL = 5,
	NOTE_LITERAL = 6,
	NOTE_WORD = 17,
};

enum { // entries of InternedData
	ENTRY_NUMBER = 1,
	ENTRY_TEXT = 2,
};

// Fields of InternedData, by enum pftrace_index.
static const unsigned interned[PFTRACE_INDEXES] = {1, 2, 3, 29, 43};

enum { VARINT, FIXED64, BYTES }; // how a value is stored

enum {
	VARINT_MOST = 10,
	FIELD_MOST = 2 + VARINT_MOST, // bytes of a field that is a number
	NOTE_MOST = PFTRACE_TEXT + 3 * FIELD_MOST,
	EVENT_MOST = PFTRACE_NOTES * (NOTE_MOST + FIELD_MOST) + (PFTRACE_FLOWS + 16) * FIELD_MOST,
	TRACK_MOST = 8 * FIELD_MOST + 5 * (PFTRACE_TEXT + FIELD_MOST),
	PACKET_MOST = EVENT_MOST + 8 * FIELD_MOST,
};

struct sequence {
	struct {
		uint8_t *known; // by number
		uint32_t room;
	} index[PFTRACE_INDEXES];
};

struct pftrace {
	struct out out;
	struct lexicon text[PFTRACE_INDEXES];
	struct sequence *sequence;
	uint32_t n_sequences, n_tracks;
	uint64_t bytes, events;
	bool no_memory;
};

static uint8_t *put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint8_t *put_uint(uint8_t *p, unsigned field, uint64_t v)
{
	return put_varint(put_varint(p, field << 3 | VARINT), v);
}

static uint8_t *put_fixed64(uint8_t *p, unsigned field, uint64_t v)
{
	p = put_varint(p, field << 3 | FIXED64);
	for (unsigned i = 0; i < 8; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

static uint8_t *put_real(uint8_t *p, unsigned field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return put_fixed64(p, field, bits);
}

static uint8_t *put_bytes(uint8_t *p, unsigned field, const void *bytes, size_t n)
{
	p = put_varint(put_varint(p, field << 3 | BYTES), n);
	memcpy(p, bytes, n);
	return p + n;
}

// The form demands UTF-8, and a folder that is broken may have anything.
static uint8_t *put_utf8(uint8_t *p, unsigned field, const char *text)
{
	char fit[PFTRACE_TEXT + 1];

	if (!text)
		return p;
	printable(fit, sizeof(fit), text);
	return put_bytes(p, field, fit, strlen(fit));
}

static void put_packet(struct pftrace *p, const uint8_t *packet, const uint8_t *end)
{
	uint8_t head[FIELD_MOST], *at = put_varint(head, TRACE_PACKET << 3 | BYTES);
	size_t n = (size_t)(end - packet), n_head;

	n_head = (size_t)(put_varint(at, n) - head);
	out_put(&p->out, head, n_head);
	out_put(&p->out, packet, n);
	p->bytes += n_head + n;
}

static uint8_t *put_sequence(uint8_t *at, uint32_t sequence, unsigned flags)
{
	at = put_uint(at, PACKET_SEQUENCE, sequence + 1);
	return put_uint(at, PACKET_FLAGS, flags);
}

uint32_t pftrace_sequence(struct pftrace *p, const struct pftrace_shared *shared)
{
	uint8_t packet[32 * FIELD_MOST], event[8 * FIELD_MOST], defaults[9 * FIELD_MOST];
	uint8_t *at = event;
	uint32_t n = p->n_sequences;
	struct sequence *more = realloc(p->sequence, (n + 1) * sizeof(*more));

	if (!more) {
		p->no_memory = true;
		return 0;
	}
	p->sequence = more;
	more[p->n_sequences++] = (struct sequence){0};
	if (shared->track)
		at = put_uint(at, EVENT_TRACK, shared->track);
	for (unsigned i = 0; i < PFTRACE_VALUES && shared->values[i]; i++)
		at = put_uint(at, EVENT_VALUES_TRACK, shared->values[i]);
	if (shared->real)
		at = put_uint(at, EVENT_REALS_TRACK, shared->real);
	size_t n_defaults =
		(size_t)(put_bytes(defaults, DEFAULTS_EVENT, event, (size_t)(at - event)) -
			 defaults);

	at = put_sequence(packet, n, FLAG_CLEARED | FLAG_NEEDS_STATE);
	at = put_uint(at, PACKET_FIRST, true);
	at = put_bytes(at, PACKET_DEFAULTS, defaults, n_defaults);
	put_packet(p, packet, at);
	return n;
}

int pftrace_open(struct pftrace **out, const char *path, struct err *err)
{
	const struct pftrace_shared nothing = {0};
	struct pftrace *p = calloc(1, sizeof(*p));
	int code;

	if (!p)
		return err_set(err, -ENOMEM, "%s: no memory", path);
	code = out_open(&p->out, path, err);
	if (code) {
		free(p);
		return code;
	}
	pftrace_sequence(p, &nothing);
	*out = p;
	return 0;
}

int pftrace_close(struct pftrace *p, struct err *err)
{
	int code;

	if (!p)
		return 0;
	if (p->no_memory && !p->out.error)
		p->out.error = ENOMEM;
	code = out_close(&p->out, err);
	for (uint32_t i = 0; i < p->n_sequences; i++)
		for (unsigned k = 0; k < PFTRACE_INDEXES; k++)
			free(p->sequence[i].index[k].known);
	for (unsigned k = 0; k < PFTRACE_INDEXES; k++)
		lexicon_fini(&p->text[k]);
	free(p->sequence);
	free(p);
	return code;
}

uint64_t pftrace_bytes(const struct pftrace *p)
{
	return p->bytes;
}

uint64_t pftrace_events(const struct pftrace *p)
{
	return p->events;
}

uint32_t pftrace_track(struct pftrace *p, const struct pftrace_track *t)
{
	uint8_t packet[TRACK_MOST + 4 * FIELD_MOST], track[TRACK_MOST], counter[TRACK_MOST];
	uint8_t *at = put_uint(track, TRACK_UUID, ++p->n_tracks);

	at = put_utf8(at, TRACK_NAME, t->name);
	at = put_utf8(at, TRACK_ABOUT, t->about);
	if (t->parent)
		at = put_uint(at, TRACK_PARENT, t->parent);
	at = put_uint(at, TRACK_RANK, (uint64_t)t->rank);
	if (t->counter) {
		uint8_t *end = counter;

		if (t->bytes)
			end = put_uint(end, COUNTER_UNIT, UNIT_BYTES);
		if (t->scale)
			end = put_uint(end, COUNTER_SCALE, (uint64_t)t->scale);
		end = put_utf8(end, COUNTER_UNIT_NAME, t->unit);
		end = put_utf8(end, COUNTER_AXIS, t->axis);
		at = put_bytes(at, TRACK_COUNTER, counter, (size_t)(end - counter));
	} else {
		at = put_uint(at, TRACK_CHILDREN, CHILDREN_BY_RANK);
	}

	uint8_t *end = put_sequence(packet, 0, FLAG_NEEDS_STATE);

	end = put_bytes(end, PACKET_TRACK, track, (size_t)(at - track));
	put_packet(p, packet, end);
	return p->n_tracks;
}

uint32_t pftrace_text(struct pftrace *p, enum pftrace_index index, const char *text)
{
	int i = lexicon_number(&p->text[index], text, strlen(text));

	if (i < 0)
		p->no_memory = true;
	return (uint32_t)(i + 1);
}

// Says a text in a sequence, before it is first called by its number there.
static void say_text(struct pftrace *p, uint32_t sequence, enum pftrace_index index, uint32_t n)
{
	struct sequence *s = &p->sequence[sequence];
	uint8_t packet[PFTRACE_TEXT + 8 * FIELD_MOST], data[PFTRACE_TEXT + 6 * FIELD_MOST];
	uint8_t entry[PFTRACE_TEXT + 4 * FIELD_MOST], *at;

	if (!n || (n < s->index[index].room && s->index[index].known[n]))
		return;
	if (n >= s->index[index].room) {
		uint32_t room = s->index[index].room;
		uint32_t want = n < 32 ? 32 : 2 * n;
		uint8_t *more = realloc(s->index[index].known, want);

		if (!more) {
			p->no_memory = true;
			return;
		}
		memset(more + room, 0, want - room);
		s->index[index].known = more;
		s->index[index].room = want;
	}
	s->index[index].known[n] = true;
	at = put_uint(entry, ENTRY_NUMBER, n);
	at = put_utf8(at, ENTRY_TEXT, p->text[index].text[n - 1]);
	at = put_bytes(data, interned[index], entry, (size_t)(at - entry));

	uint8_t *end = put_sequence(packet, sequence, FLAG_NEEDS_STATE);

	end = put_bytes(end, PACKET_INTERNED, data, (size_t)(at - data));
	put_packet(p, packet, end);
}

static void say_texts(struct pftrace *p, const struct pftrace_event *e)
{
	say_text(p, e->sequence, PFTRACE_CATEGORY, e->category);
	say_text(p, e->sequence, PFTRACE_NAME, e->name);
	say_text(p, e->sequence, PFTRACE_WHOSE, e->whose);
	for (unsigned i = 0; i < e->n_notes; i++) {
		say_text(p, e->sequence, PFTRACE_KEY, e->note[i].key);
		if (e->note[i].kind == PFTRACE_WORD)
			say_text(p, e->sequence, PFTRACE_VALUE, e->note[i].word);
	}
}

static uint8_t *put_note(uint8_t *at, const struct pftrace_note *n)
{
	uint8_t note[NOTE_MOST], *end = put_uint(note, NOTE_KEY, n->key);

	if (n->kind == PFTRACE_UINT)
		end = put_uint(end, NOTE_UINT, n->number);
	else if (n->kind == PFTRACE_REAL)
		end = put_real(end, NOTE_REAL, n->real);
	else if (n->kind == PFTRACE_WORD)
		end = put_uint(end, NOTE_WORD, n->word);
	else
		end = put_utf8(end, NOTE_LITERAL, n->literal);
	return put_bytes(at, EVENT_NOTE, note, (size_t)(end - note));
}

static uint8_t *put_values(uint8_t *at, const struct pftrace_event *e)
{
	for (unsigned i = 0; i < e->n_values; i++)
		at = put_uint(at, EVENT_VALUES, (uint64_t)e->value[i]);
	if (e->type == PFTRACE_COUNTER)
		return isnan(e->real) ? put_uint(at, EVENT_COUNTER, (uint64_t)e->whole)
				      : put_real(at, EVENT_COUNTER_REAL, e->real);
	return isnan(e->real) ? at : put_real(at, EVENT_REALS, e->real);
}

static uint8_t *put_event(uint8_t *at, const struct pftrace_event *e)
{
	at = put_uint(at, EVENT_TYPE, e->type);
	if (e->track)
		at = put_uint(at, EVENT_TRACK, e->track);
	if (e->category)
		at = put_uint(at, EVENT_CATEGORY, e->category);
	if (e->name)
		at = put_uint(at, EVENT_NAME, e->name);
	if (e->whose)
		at = put_uint(at, EVENT_WHOSE, e->whose);
	at = put_values(at, e);
	for (unsigned i = 0; i < e->n_notes; i++)
		at = put_note(at, &e->note[i]);
	for (unsigned i = 0; i < e->flows && i < PFTRACE_FLOWS; i++)
		at = put_fixed64(at, EVENT_FLOW, e->flow[i]);
	return at;
}

void pftrace_put(struct pftrace *p, const struct pftrace_event *e)
{
	uint8_t event[EVENT_MOST], packet[PACKET_MOST], *end = put_event(event, e), *at;

	assert(e->n_notes <= PFTRACE_NOTES && e->n_values <= PFTRACE_VALUES);
	say_texts(p, e);
	at = put_uint(packet, PACKET_TIMESTAMP, e->t / PS_PER_NS);
	at = put_sequence(at, e->sequence, FLAG_NEEDS_STATE);
	at = put_bytes(at, PACKET_EVENT, event, (size_t)(end - event));
	put_packet(p, packet, at);
	p->events++;
}
