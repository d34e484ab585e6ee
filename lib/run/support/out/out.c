// SPDX-License-Identifier: BSD-3-Clause
// Buffered writing with one place where an error is noticed.
#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OUT_BUFFER (256 * 1024)

int out_open(struct out *o, const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return out_adopt(o, fd, path, err);
}

static int adopt(struct out *o, int fd, FILE *file, const char *name, struct err *err)
{
	int code = fd < 0 && !file ? errno : 0;
	char *copy = strdup(name), *buf = malloc(OUT_BUFFER);

	if (!code && (!copy || !buf))
		code = ENOMEM;
	if (code) {
		if (fd >= 0)
			close(fd);
		free(copy);
		free(buf);
		return err_set(err, -code, "%s: cannot be written: %s", name, strerror(code));
	}
	*o = (struct out){.buf = buf, .cap = OUT_BUFFER, .path = copy, .fd = fd, .file = file};
	return 0;
}

int out_adopt(struct out *o, int fd, const char *name, struct err *err)
{
	return adopt(o, fd, NULL, name, err);
}

int out_stream(struct out *o, FILE *file, const char *name, struct err *err)
{
	return adopt(o, -1, file, name, err);
}

static void write_bytes(struct out *o, const char *p, size_t n)
{
	if (o->file && !o->error && (fwrite(p, 1, n, o->file) != n || fflush(o->file)))
		o->error = errno;
	while (n && !o->file && !o->error) {
		ssize_t done = write(o->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			o->error = errno;
		else
			p += done, n -= (size_t)done;
	}
}

void out_flush(struct out *o)
{
	write_bytes(o, o->buf, o->n);
	o->n = 0;
}

void out_spill(struct out *o, const void *bytes, size_t n)
{
	out_flush(o);
	if (n > o->cap)
		write_bytes(o, bytes, n);
	else
		out_put(o, bytes, n);
}

void out_printf(struct out *o, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		out_put(o, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

int out_close(struct out *o, struct err *err)
{
	int code = 0;

	if (!o->buf)
		return 0;
	out_flush(o);
	if (!o->file && close(o->fd) < 0 && !o->error)
		o->error = errno;
	if (o->error)
		code = err_set(err, -o->error, OUT_INCOMPLETE, o->path, strerror(o->error));
	free(o->buf);
	free(o->path);
	*o = (struct out){.fd = -1};
	return code;
}

void out_markup(struct out *o, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			out_str(o, "&lt;");
		else if (*text == '>')
			out_str(o, "&gt;");
		else if (*text == '&')
			out_str(o, "&amp;");
		else
			out_put(o, text, 1);
	}
}

void out_field(struct out *o, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		out_str(o, text);
		return;
	}
	out_str(o, "\"");
	for (; *text; text++)
		out_printf(o, *text == '"' ? "\"\"" : "%c", *text);
	out_str(o, "\"");
}
