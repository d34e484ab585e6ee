// SPDX-License-Identifier: BSD-3-Clause
// Unpacking: plain bytes, gzip members by zlib, Zstandard frames by libzstd.
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define BLOCK (256u << 10) // of the file, read at once

enum packing { PLAIN, GZIP, ZSTANDARD };

struct unpack {
	int fd;
	enum packing packing;
	z_stream gz;
	ZSTD_DStream *zs;
	bool within; // a gzip member or Zstandard frame that has begun and not ended
	bool eof;    // of the file
	uint8_t *in;
	size_t at, have; // of `in`
	uint64_t packed; // bytes read from the file
	char why[200];
};

static const char *const packing_name[] = {[GZIP] = "gzip", [ZSTANDARD] = "Zstandard"};

__attribute__((format(printf, 2, 3))) static ssize_t unpack_fails(
	struct unpack *u, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(u->why, sizeof(u->why), fmt, ap);
	va_end(ap);
	return -1;
}

// Another block of the file where the last one is used up. False: it cannot be read.
static bool more(struct unpack *u)
{
	ssize_t got;

	if (u->at < u->have || u->eof)
		return true;
	got = read(u->fd, u->in, BLOCK);
	if (got < 0) {
		unpack_fails(u, "cannot be read: %s", strerror(errno));
		return false;
	}
	u->eof = got == 0;
	u->at = 0;
	u->have = (size_t)got;
	u->packed += (uint64_t)got;
	return true;
}

static ssize_t cut_short(struct unpack *u)
{
	return unpack_fails(u,
		"the %s file is cut short: it ends after %llu bytes, within what is packed; give "
		"the whole file",
		packing_name[u->packing], (unsigned long long)u->packed);
}

static ssize_t spoilt(struct unpack *u, const char *what)
{
	return unpack_fails(u, "what %s packed is spoilt near byte %llu of the file: %s",
		packing_name[u->packing], (unsigned long long)(u->packed - (u->have - u->at)),
		what);
}

static ssize_t read_plain(struct unpack *u, uint8_t *to, size_t n)
{
	size_t left = u->have - u->at;
	ssize_t got;

	if (left) { // the block by which the packing was told
		n = n < left ? n : left;
		memcpy(to, u->in + u->at, n);
		u->at += n;
		return (ssize_t)n;
	}
	got = read(u->fd, to, n);
	return got < 0 ? unpack_fails(u, "cannot be read: %s", strerror(errno)) : got;
}

// One step of zlib. A file may have several members, one behind the other.
static bool step_gzip(struct unpack *u, uint8_t *to, size_t n, size_t *made)
{
	z_stream *z = &u->gz;
	int rc;

	if (!u->within && inflateReset(z) != Z_OK) {
		spoilt(u, "zlib does not start again");
		return false;
	}
	u->within = true;
	z->next_in = u->in + u->at;
	z->avail_in = (unsigned)(u->have - u->at);
	z->next_out = to;
	z->avail_out = (unsigned)n;
	rc = inflate(z, Z_NO_FLUSH);
	u->at = u->have - z->avail_in;
	*made = n - z->avail_out;
	if (rc == Z_STREAM_END)
		u->within = false;
	else if (rc != Z_OK && rc != Z_BUF_ERROR) {
		spoilt(u, z->msg ? z->msg : "not a gzip member");
		return false;
	}
	return true;
}

static bool step_zstd(struct unpack *u, uint8_t *to, size_t n, size_t *made)
{
	ZSTD_inBuffer in = {u->in, u->have, u->at};
	ZSTD_outBuffer out = {to, n, 0};
	size_t left = ZSTD_decompressStream(u->zs, &out, &in);

	u->at = in.pos;
	*made = out.pos;
	if (ZSTD_isError(left)) {
		spoilt(u, ZSTD_getErrorName(left));
		return false;
	}
	u->within = left != 0;
	return true;
}

ssize_t unpack_read(struct unpack *u, uint8_t *to, size_t n)
{
	size_t made = 0;

	if (*u->why)
		return -1;
	if (u->packing == PLAIN)
		return read_plain(u, to, n);
	n = n < 1u << 30 ? n : 1u << 30; // zlib counts in 32 bits
	while (!made) {
		bool ends;

		if (!more(u))
			return -1;
		ends = u->at == u->have;
		if (ends && !u->within)
			return 0;
		if (!(u->packing == GZIP ? step_gzip : step_zstd)(u, to, n, &made))
			return -1;
		if (ends && !made && u->within)
			return cut_short(u);
	}
	return (ssize_t)made;
}

// libzlib's 15 + 16: a window of 32 KiB, behind a gzip header.
static int tell_packing(struct unpack *u)
{
	static const uint8_t gzip[] = {0x1f, 0x8b}, zstandard[] = {0x28, 0xb5, 0x2f, 0xfd};

	if (!more(u))
		return -EINVAL;
	if (u->have >= sizeof(gzip) && !memcmp(u->in, gzip, sizeof(gzip))) {
		u->packing = GZIP;
		return inflateInit2(&u->gz, 15 + 16) == Z_OK ? 0 : -ENOMEM;
	}
	if (u->have >= sizeof(zstandard) && !memcmp(u->in, zstandard, sizeof(zstandard))) {
		u->packing = ZSTANDARD;
		u->zs = ZSTD_createDStream();
		return u->zs ? 0 : -ENOMEM;
	}
	return 0;
}

int unpack_open(struct unpack **out, const char *path, struct err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int rc = is_stdin ? 0 : infile_check(path, err);
	struct unpack *u;

	if (rc)
		return rc;
	u = calloc(1, sizeof(*u));
	if (!u || !(u->in = malloc(BLOCK))) {
		free(u);
		return err_set(err, -ENOMEM, "%s: no memory", path);
	}
	u->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (u->fd < 0) {
		rc = err_set(err, -errno, "%s: %s", path, strerror(errno));
	} else {
		rc = tell_packing(u);
		if (rc)
			err_set(err, rc, "%s: %s", path, rc == -ENOMEM ? "no memory" : u->why);
	}
	if (rc) {
		unpack_close(u);
		return rc;
	}
	*out = u;
	return 0;
}

const char *unpack_why(const struct unpack *u)
{
	return *u->why ? u->why : NULL;
}

void unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->packing == GZIP)
		inflateEnd(&u->gz);
	ZSTD_freeDStream(u->zs);
	if (u->fd >= 0)
		close(u->fd);
	free(u->in);
	free(u);
}
