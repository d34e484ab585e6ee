// SPDX-License-Identifier: BSD-3-Clause
// The simulator's files in words, each with its place.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "int.h"

#define BLANKS    " \t\r\n"
#define FILE_MOST (64u << 20) // bytes of a topology or configuration

// The whole file as a text. No byte 0 hides the rest.
static int load_file(struct hpcc *h, const char *path, char **text)
{
	struct stat st = {0};
	int rc = infile_check(path, h->err);
	FILE *f = rc ? NULL : fopen(path, "r");

	if (rc)
		return rc;
	if (!f || fstat(fileno(f), &st)) {
		rc = err_set(h->err, -EIO, "%s: %s", path, strerror(errno));
	} else if (st.st_size > FILE_MOST) {
		rc = err_set(h->err, -EFBIG, "%s: more than %u bytes", path, FILE_MOST);
	} else {
		*text = arena_get(h->a, (size_t)st.st_size + 1);
		rc = *text ? 0 : -ENOMEM;
	}
	if (!rc && fread(*text, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		rc = err_set(h->err, -EIO, "%s: cannot be read whole", path);
	for (off_t i = 0; !rc && i < st.st_size; i++)
		(*text)[i] = (*text)[i] ? (*text)[i] : '?';
	if (f)
		fclose(f);
	return rc;
}

int hpcc_words(struct hpcc *h, struct hpcc_words *to, const char *path)
{
	char *text = NULL, *line_at, *at;
	uint32_t line = 1;
	size_t room = 0;
	int rc = load_file(h, path, &text);

	if (rc)
		return rc;
	for (at = text; *at; at += strcspn(at, BLANKS)) {
		at += strspn(at, BLANKS);
		room++;
	}
	*to = (struct hpcc_words){.path = path};
	to->word = arena_get(h->a, (room + 1) * sizeof(*to->word));
	if (!to->word)
		return -ENOMEM;
	for (at = line_at = text;;) {
		for (; *at && strchr(BLANKS, *at); at++) {
			if (*at == '\n') {
				line++;
				line_at = at + 1;
			}
		}
		to->word[to->n] = (struct hpcc_word){NULL, line, (uint32_t)(at - line_at) + 1};
		if (!*at)
			return 0;

		size_t n = strcspn(at, BLANKS);

		to->word[to->n].text = arena_text(h->a, at, n);
		if (!to->word[to->n++].text)
			return -ENOMEM;
		at += n;
	}
}

// Characters that would steer a terminal or end a comment become '?'.
static void make_plain(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
			*text = '?';
}

int hpcc_wrong(struct hpcc *h, const struct hpcc_words *in, const struct hpcc_word *at,
	const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	make_plain(text);
	return err_set(h->err, -EINVAL, "%s:%u:%u: %s", in->path, at->line, at->column, text);
}

int hpcc_number(struct hpcc *h, const struct hpcc_words *in, const struct hpcc_word *at,
	uint64_t most, uint64_t *to, const char *what)
{
	if (!at->text)
		return hpcc_wrong(h, in, at, "the file ends where %s is wanted", what);
	if (units_parse(UNITS_COUNT, at->text, to) || *to > most)
		return hpcc_wrong(h, in, at, "'%.40s' is not %s, a whole number up to %llu",
			at->text, what, (unsigned long long)most);
	return 0;
}

const char *hpcc_text(struct hpcc *h, const char *fmt, ...)
{
	char text[512], *kept;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	make_plain(text);
	kept = arena_text(h->a, text, strlen(text));
	h->no_memory |= !kept;
	return kept ? kept : "";
}

const char *hpcc_base(struct hpcc *h, const char *path)
{
	const char *slash = strrchr(path, '/');

	return hpcc_text(h, "%s", slash ? slash + 1 : path);
}
