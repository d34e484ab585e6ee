// SPDX-License-Identifier: BSD-3-Clause
// A trace of Perfetto as lines of text, decoded by a reader of its own: for tests of what writes
// one.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { PFLAB_MOST = 256 };

struct pflab_field {
	unsigned number, kind;
	uint64_t v; // of a number, or the length of bytes
	const uint8_t *at;
};

static inline uint64_t pflab_varint(const uint8_t **at)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = *(*at)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	fail_msg("a varint is too long");
	return 0;
}

// The next field before `end`. False: there is none any more.
static inline bool pflab_next(const uint8_t **at, const uint8_t *end, struct pflab_field *f)
{
	uint64_t tag;

	if (*at == end)
		return false;
	tag = pflab_varint(at);
	*f = (struct pflab_field){.number = (unsigned)(tag >> 3), .kind = tag & 7};
	if (f->kind == 1) {
		for (unsigned i = 0; i < 8; i++)
			f->v |= (uint64_t) * (*at)++ << 8 * i;
	} else {
		assert_true(f->kind == 0 || f->kind == 2);
		f->v = pflab_varint(at);
		f->at = *at;
		if (f->kind == 2)
			*at += f->v;
	}
	assert_true(*at <= end);
	return true;
}

// Fields of a message by number, the last of each; those of 2 bytes of tag are below PFLAB_MOST.
struct pflab_message {
	struct pflab_field field[PFLAB_MOST];
};

static inline void pflab_read(struct pflab_message *m, const struct pflab_field *in)
{
	const uint8_t *at = in->at, *end = in->at + in->v;
	struct pflab_field f;

	memset(m, 0, sizeof(*m));
	while (pflab_next(&at, end, &f)) {
		assert_true(f.number < PFLAB_MOST);
		m->field[f.number] = f;
	}
}

static inline double pflab_real(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

struct pflab {
	FILE *out;
	char name[PFLAB_MOST][128];                 // of tracks: whole paths
	char text[64][48][PFLAB_MOST / 4][128];     // by sequence, kind and number
	uint64_t track[64], value[64][2], real[64]; // defaults of sequences
};

static inline void pflab_track(struct pflab *l, const struct pflab_field *in)
{
	struct pflab_message m, c;
	char own[100];

	pflab_read(&m, in);
	snprintf(own, sizeof(own), "%.*s", (int)m.field[2].v, (const char *)m.field[2].at);
	assert_true(m.field[1].v < PFLAB_MOST);
	snprintf(l->name[m.field[1].v], sizeof(l->name[0]), "%.60s%s%.60s",
		m.field[5].v ? l->name[m.field[5].v] : "", m.field[5].v ? "/" : "", own);
	fprintf(l->out, "track %s rank %d", l->name[m.field[1].v], (int)m.field[12].v);
	if (m.field[8].kind) {
		pflab_read(&c, &m.field[8]);
		fprintf(l->out, " counter%s %.*s x%llu", c.field[3].v == 3 ? " bytes" : "",
			(int)c.field[6].v, (const char *)c.field[6].at,
			(unsigned long long)c.field[4].v);
	} else {
		assert_int_equal(m.field[11].v, 3);
	}
	fputc('\n', l->out);
}

static inline void pflab_texts(struct pflab *l, uint64_t sequence, const struct pflab_field *in)
{
	const uint8_t *at = in->at, *end = in->at + in->v;
	struct pflab_message m;
	struct pflab_field f;

	while (pflab_next(&at, end, &f)) {
		pflab_read(&m, &f);
		assert_true(f.number < 48 && m.field[1].v && m.field[1].v < PFLAB_MOST / 4);
		snprintf(l->text[sequence][f.number][m.field[1].v], sizeof(l->text[0][0][0]),
			"%.*s", (int)m.field[2].v, (const char *)m.field[2].at);
	}
}

static inline void pflab_note(struct pflab *l, uint64_t sequence, const struct pflab_field *in)
{
	struct pflab_message m;

	pflab_read(&m, in);
	fprintf(l->out, " %s=", l->text[sequence][3][m.field[1].v]);
	if (m.field[3].at)
		fprintf(l->out, "%llu", (unsigned long long)m.field[3].v);
	else if (m.field[5].kind)
		fprintf(l->out, "%g", pflab_real(m.field[5].v));
	else if (m.field[17].v)
		fprintf(l->out, "%s", l->text[sequence][29][m.field[17].v]);
	else
		fprintf(l->out, "'%.*s'", (int)m.field[6].v, (const char *)m.field[6].at);
}

static inline void pflab_event(
	struct pflab *l, uint64_t sequence, uint64_t t, const struct pflab_field *in)
{
	static const char *const type[] = {"?", "begin", "end", "instant", "counter"};
	const uint8_t *at = in->at, *end = in->at + in->v;
	struct pflab_message m;
	struct pflab_field f;
	unsigned values = 0;

	pflab_read(&m, in);
	fprintf(l->out, "%llu %s %s", (unsigned long long)t, type[m.field[9].v],
		l->name[m.field[11].v ? m.field[11].v : l->track[sequence]]);
	if (m.field[10].v)
		fprintf(l->out, " '%s' [%s]", l->text[sequence][2][m.field[10].v],
			l->text[sequence][1][m.field[3].v]);
	if (m.field[54].v)
		fprintf(l->out, " of %s", l->text[sequence][43][m.field[54].v]);
	while (pflab_next(&at, end, &f)) {
		if (f.number == 4)
			pflab_note(l, sequence, &f);
		else if (f.number == 47)
			fprintf(l->out, " arrow %llu", (unsigned long long)f.v);
		else if (f.number == 12)
			fprintf(l->out, " %s:%llu", l->name[l->value[sequence][values++]],
				(unsigned long long)f.v);
		else if (f.number == 46)
			fprintf(l->out, " %s:%g", l->name[l->real[sequence]], pflab_real(f.v));
		else if (f.number == 30)
			fprintf(l->out, " = %llu", (unsigned long long)f.v);
		else if (f.number == 44)
			fprintf(l->out, " = %g", pflab_real(f.v));
	}
	fputc('\n', l->out);
}

static inline void pflab_defaults(struct pflab *l, uint64_t sequence, const struct pflab_field *in)
{
	struct pflab_message m;
	const uint8_t *at, *end;
	struct pflab_field f;
	unsigned values = 0;

	pflab_read(&m, in);
	at = m.field[11].at;
	end = at + m.field[11].v;
	while (pflab_next(&at, end, &f)) {
		if (f.number == 11)
			l->track[sequence] = f.v;
		else if (f.number == 31)
			l->value[sequence][values++] = f.v;
		else if (f.number == 45)
			l->real[sequence] = f.v;
		else
			fail_msg("a default of field %u", f.number);
	}
}

static inline void pflab_packet(struct pflab *l, const struct pflab_field *in)
{
	struct pflab_message m;
	uint64_t sequence;

	pflab_read(&m, in);
	sequence = m.field[10].v;
	assert_true(sequence && sequence < 64);
	assert_int_equal(m.field[13].v, m.field[87].v ? 3 : 2);
	if (m.field[59].kind)
		pflab_defaults(l, sequence, &m.field[59]);
	if (m.field[12].kind)
		pflab_texts(l, sequence, &m.field[12]);
	if (m.field[60].kind)
		pflab_track(l, &m.field[60]);
	if (m.field[11].kind)
		pflab_event(l, sequence, m.field[8].v, &m.field[11]);
}

// The lines of a trace, for free().
static inline char *pflab_lines(const char *path)
{
	static struct pflab l;
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "r");
	struct pflab_field packet;
	const uint8_t *at = data;
	size_t n, size;
	char *text;

	assert_non_null(f);
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	assert_true(n && n < sizeof(data));
	memset(&l, 0, sizeof(l));
	l.out = open_memstream(&text, &size);
	while (pflab_next(&at, data + n, &packet)) {
		assert_true(packet.number == 1 && packet.kind == 2);
		pflab_packet(&l, &packet);
	}
	fclose(l.out);
	return text;
}

// Whether the text has this line.
static inline bool pflab_has(const char *lines, const char *line)
{
	size_t n = strlen(line);

	for (const char *at = lines; (at = strstr(at, line)) != NULL; at += n)
		if ((at == lines || at[-1] == '\n') && at[n] == '\n')
			return true;
	return false;
}

static inline void pflab_wants(const char *lines, const char *line)
{
	if (!pflab_has(lines, line))
		fail_msg("the trace lacks '%s'; it has\n%s", line, lines);
}
