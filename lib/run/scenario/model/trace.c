// SPDX-License-Identifier: BSD-3-Clause
// Reads a trace line by line. A message about a wrong line has its place, its fault, and the right
// form.
#include "trace.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "out/out.h"
#include "schema/schema.h"

#define MOST_FIELDS (2 + 1 + TRACE_VALUES) // instant, event, a register, values

// A value of an event. `least` and `most` hold both ends.
struct want {
	const char *name;
	uint64_t least, most;
};

static const struct row {
	const char *name, *values;
	unsigned least, most; // how many values, a register's name apart
	bool names_register;
	struct want want[TRACE_VALUES];
} rows[TRACE_KINDS] = {
	[TRACE_START] = {.name = "start", .values = ""},
	[TRACE_CNP] = {.name = "cnp", .values = ""},
	[TRACE_CNM] = {.name = "cnm",
		.values = ",QNTZFB",
		.least = 1,
		.most = 1,
		.want = {{"qntzfb", 0, 63}}},
	[TRACE_ACK] = {.name = "ack",
		.values = ",BYTES[,RTT_PS[,CE]]",
		.least = 1,
		.most = 3,
		.want = {{"bytes", 1, UINT32_MAX}, {"rtt_ps", 1, TRACE_END}, {"ce", 0, 1}}},
	[TRACE_NAK] = {.name = "nak", .values = ""},
	[TRACE_SENT] = {.name = "sent",
		.values = ",BYTES[,PAYLOAD]",
		.least = 1,
		.most = 2,
		.want = {{"bytes", 1, UINT16_MAX}, {"payload", 0, UINT16_MAX}}},
	[TRACE_WRITE] = {.name = "write",
		.values = ",REGISTER,VALUE",
		.least = 1,
		.most = 1,
		.names_register = true},
	[TRACE_READ] = {.name = "read", .values = "[,REGISTER]", .names_register = true},
	[TRACE_TICK] = {.name = "tick", .values = ""},
};

const char *trace_name(enum trace_kind kind)
{
	return rows[kind].name;
}

const char *trace_values(enum trace_kind kind)
{
	return rows[kind].values;
}

void trace_init(struct trace *t, FILE *f, const char *name, bool registers)
{
	*t = (struct trace){.f = f, .name = name, .registers = registers};
}

// The text between two commas, without the blanks around it.
struct field {
	const char *text;
	unsigned column;
};

__attribute__((format(printf, 4, 5))) static int wrong(
	const struct trace *t, unsigned column, struct err *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(
		err, -EINVAL, "%s:%llu:%u: %s", t->name, (unsigned long long)t->line, column, text);
}

int trace_err(const struct trace *t, const struct trace_event *e, struct err *err, int code)
{
	struct err why = *err;

	return err_set(err, code, "%s:%llu:%u: %s", t->name, (unsigned long long)e->line, e->column,
		why.text);
}

#define SHOWN 61 // bytes of a word in a message

// A word as a message shows it: its beginning, fit for a terminal.
static const char *printable_word(char buf[SHOWN], const char *text)
{
	return printable(buf, SHOWN, text);
}

// One line without its end and its comment. 1; 0: there is none; -EINVAL, -EIO and a line.
static int read_line(struct trace *t, char buf[TRACE_LINE + 1], struct err *err)
{
	unsigned n = 0;
	int c;

	t->line++;
	while ((c = getc_unlocked(t->f)) != EOF && c != '\n') {
		if (!c)
			return wrong(t, n + 1, err, "a byte 0; a trace is text");
		if (n == TRACE_LINE)
			return wrong(t, 1, err, "the line is too long; %u bytes are the most",
				TRACE_LINE);
		buf[n++] = (char)c;
	}
	buf[n] = 0;
	if (ferror(t->f))
		return err_set(err, -EIO, "%s: %s", t->name, strerror(errno));
	buf[strcspn(buf, "#")] = 0;
	return n || c != EOF;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

// Splits a line at its commas, in place. Returns the number of fields, MOST_FIELDS + 1 if there are
// more than any event has; 0: the line is empty.
static unsigned part(char *line, struct field f[MOST_FIELDS + 1])
{
	char *at = line;
	unsigned n = 0;

	while (is_blank(*at))
		at++;
	if (!*at)
		return 0;
	for (;;) {
		char *comma = at + strcspn(at, ","), *end = comma;
		bool last = !*comma;

		while (is_blank(*at))
			at++;
		while (end > at && is_blank(end[-1]))
			end--;
		f[n++] = (struct field){at, (unsigned)(at - line) + 1};
		*end = 0;
		if (last || n > MOST_FIELDS)
			return n;
		at = comma + 1;
	}
}

// Reads a whole number that consists of digits only.
static bool parse_digits(const char *text, uint64_t *value)
{
	uint64_t v = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		unsigned digit = (unsigned char)*text - '0';

		if (digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, digit, &v))
			return false;
	}
	*value = v;
	return true;
}

static int read_instant(const struct trace *t, const struct field *f, tstamp *at, struct err *err)
{
	char word[SHOWN];

	if (!parse_digits(f->text, at) || *at > TRACE_END)
		return wrong(t, f->column, err,
			"'%s' is no instant; write whole picoseconds up to %llu, as in 55000000",
			printable_word(word, f->text), TRACE_END);
	if (*at < t->at)
		return wrong(t, f->column, err,
			"%s ps is before %llu ps of line %llu; time does not go back", f->text,
			(unsigned long long)t->at, (unsigned long long)t->at_line);
	return 0;
}

static int read_kind(
	const struct trace *t, const struct field *f, enum trace_kind *kind, struct err *err)
{
	char word[SHOWN], all[128] = "; the events are", hint[NEAR_NAME + 32];
	struct near near = near_to(f->text);
	size_t n = strlen(all);

	for (unsigned k = 0; k < TRACE_KINDS; k++) {
		*kind = (enum trace_kind)k;
		if (!strcmp(rows[k].name, f->text))
			return 0;
		near_see(&near, rows[k].name);
		n += (size_t)snprintf(
			all + n, sizeof(all) - n, "%s %s", k ? "," : "", rows[k].name);
	}
	return wrong(t, f->column, err, "there is no event '%s'%s", printable_word(word, f->text),
		near_hint(&near, all, hint, sizeof(hint)));
}

// The register that an event names.
static int read_register(
	const struct trace *t, const struct field *f, struct trace_event *e, struct err *err)
{
	char word[SHOWN];
	struct err why;

	if (!t->registers)
		return wrong(t, f->column, err,
			"this control has no registers; those of profile rdma_ip have");
	if (reg_name_find(&e->place, printable_word(word, f->text), 1, &why))
		return wrong(t, f->column, err, "%s", why.text);
	e->has_place = true;
	return 0;
}

static int read_value(const struct trace *t, const struct row *row, unsigned i,
	const struct field *f, struct trace_event *e, struct err *err)
{
	const struct want *w = &row->want[i];
	char word[SHOWN];
	struct err why;

	if (row->names_register)
		return reg_name_value(&e->value[i], printable_word(word, f->text), &e->place, &why)
			       ? wrong(t, f->column, err, "%s", why.text)
			       : 0;
	if (parse_digits(f->text, &e->value[i]) && e->value[i] >= w->least &&
		e->value[i] <= w->most)
		return 0;
	return wrong(t, f->column, err, "%s '%s': a whole number, %llu..%llu", w->name,
		printable_word(word, f->text), (unsigned long long)w->least,
		(unsigned long long)w->most);
}

// Reads the values behind the event.
static int read_values(const struct trace *t, const struct field *f, unsigned n,
	struct trace_event *e, const struct field *event, struct err *err)
{
	const struct row *row = &rows[e->kind];
	unsigned named = row->names_register && (row->least || n), i;
	char word[SHOWN];
	int rc = 0;

	if (n < named + row->least)
		return wrong(t, event->column, err, "%s wants a value: t_ps,%s%s", row->name,
			row->name, row->values);
	if (n > named + row->most)
		return wrong(t, f[named + row->most].column, err,
			"'%s' is one value too many; write t_ps,%s%s",
			printable_word(word, f[named + row->most].text), row->name, row->values);
	if (named)
		rc = read_register(t, f, e, err);
	e->n = n - named;
	for (i = 0; !rc && i < e->n; i++)
		rc = read_value(t, row, i, &f[named + i], e, err);
	return rc;
}

static int read_event(const struct trace *t, const struct field *f, unsigned n,
	struct trace_event *e, struct err *err)
{
	int rc = read_instant(t, f, &e->at, err);

	if (rc)
		return rc;
	if (n < 2)
		return wrong(t, f->column, err, "an event is missing behind the instant: t_ps,cnp");
	rc = read_kind(t, &f[1], &e->kind, err);
	if (rc)
		return rc;
	e->line = t->line;
	e->column = f[n > 2 ? 2 : 1].column;
	return read_values(t, f + 2, n - 2, e, &f[1], err);
}

int trace_next(struct trace *t, struct trace_event *e, struct err *err)
{
	struct field f[MOST_FIELDS + 1];
	char line[TRACE_LINE + 1];
	unsigned n;
	int rc;

	do {
		rc = read_line(t, line, err);
		if (rc <= 0)
			return rc;
		n = part(line, f);
	} while (!n || (!t->at_line && !strcmp(f->text, "t_ps")));
	*e = (struct trace_event){0};
	rc = read_event(t, f, n, e, err);
	if (rc)
		return rc;
	t->at = e->at;
	t->at_line = t->line;
	return 1;
}
