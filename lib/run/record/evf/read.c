// SPDX-License-Identifier: BSD-3-Clause
// Reads events from a file: its description, its index (or the blocks found without one), and its
// blocks.
#include "read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "format.h"
#include "line.h"

struct evf_in {
	int fd;
	uint64_t size, blocks_at; // bytes of the file; where the first block begins
	char *path;
	struct arena arena;
	struct evf_about about;
	struct evf_names names;
	uint64_t counting; // bitmap of the types that have a number
	struct evf_block *block;
	size_t n_blocks, room;
	uint64_t events;
	struct err cut; // "": it is whole
	ZSTD_DCtx *z;
	// the block at hand: block[at - 1]
	size_t at;
	uint8_t *stored, *raw;
	size_t stored_room, raw_room;
	uint32_t n, next, next_number;
};

static int broken_file(const struct evf_in *in, struct err *err, const char *what)
{
	return err_set(err, -EINVAL, "%s: %s", in->path, what);
}

// Reads exactly n bytes of the file.
static bool read_at(const struct evf_in *in, void *buf, size_t n, uint64_t at)
{
	uint8_t *p = buf;

	while (n) {
		ssize_t got = pread(in->fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
		at += (size_t)got;
	}
	return true;
}

// Bytes of a block as they were before compression.
static size_t raw_bytes(const struct evf_in *in, const struct evf_block *b)
{
	return (size_t)b->n * in->about.record_bytes + b->numbers * sizeof(uint64_t);
}

// Returns whether a block's head is plausible: its counts and lengths fit into the file.
static bool block_fits(const struct evf_in *in, const struct evf_block *b, uint64_t end)
{
	return b->n && b->n <= EVF_BLOCK_RECORDS_MOST && b->numbers <= b->n &&
	       b->at >= in->blocks_at && b->at <= end && end - b->at >= EVF_BLOCK_BYTES &&
	       end - b->at - EVF_BLOCK_BYTES >= b->stored &&
	       (in->about.compress == EVF_ZSTD || b->stored == raw_bytes(in, b));
}

static int add_block(struct evf_in *in, const struct evf_block *b)
{
	if (in->n_blocks == in->room) {
		size_t room = in->room ? 2 * in->room : 64;
		struct evf_block *more = realloc(in->block, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		in->block = more;
		in->room = room;
	}
	in->block[in->n_blocks++] = *b;
	in->events += b->n;
	return 0;
}

// Returns the offset of the index; 0: the file has no end, because it was not closed.
static uint64_t find_index(const struct evf_in *in, uint64_t *blocks)
{
	uint8_t end[EVF_END_BYTES], head[8];
	uint64_t at;

	if (in->size < in->blocks_at + sizeof(head) + sizeof(end) ||
		!read_at(in, end, sizeof(end), in->size - sizeof(end)) ||
		memcmp(end + 24, EVF_MAGIC_END, 8) != 0)
		return 0;
	at = evf_get64(end);
	*blocks = evf_get64(end + 8);
	if (at < in->blocks_at || *blocks > in->size / EVF_ENTRY_BYTES ||
		at != in->size - sizeof(end) - *blocks * EVF_ENTRY_BYTES - sizeof(head))
		return 0;
	if (!read_at(in, head, sizeof(head), at) || evf_get32(head) != EVF_INDEX ||
		evf_get32(head + 4) != *blocks)
		return 0;
	return at;
}

// Adds the texts at `s` to the names of marks. -EINVAL: they are not `n` texts.
static int add_marks(struct evf_in *in, const char *s, const char *end, uint32_t n)
{
	struct evf_texts *marks = &in->names.mark;
	struct fmt_text *text = arena_get(&in->arena, (marks->n + (size_t)n) * sizeof(*text));

	if (!text)
		return -ENOMEM;
	for (uint32_t i = 0; i < marks->n; i++)
		text[i] = *evf_text(marks, i);
	for (uint32_t i = 0; i < n; i++) {
		if (s == end)
			return -EINVAL;
		fmt_text_set(&text[marks->n + i], s);
		s += strlen(s) + 1;
	}
	if (s != end)
		return -EINVAL;
	*marks = (struct evf_texts){text, sizeof(*text), marks->n + n};
	return 0;
}

// Reads the texts of later marks, which stand from `at` to `end`. -EINVAL: there is something else.
static int read_late_marks(struct evf_in *in, uint64_t at, uint64_t end)
{
	uint8_t head[EVF_TEXTS_BYTES];
	uint64_t bytes = end - at - sizeof(head);
	char *s;
	int code = -EINVAL;

	if (end - at < sizeof(head) || !read_at(in, head, sizeof(head), at) ||
		evf_get32(head) != EVF_TEXTS || evf_get32(head + 4) != bytes ||
		evf_get32(head + 8) > bytes)
		return -EINVAL;
	s = malloc(bytes + 1);
	if (!s)
		return -ENOMEM;
	s[bytes] = '\0';
	if (read_at(in, s, bytes, at + sizeof(head)) && bytes && !s[bytes - 1])
		code = add_marks(in, s, s + bytes, evf_get32(head + 8));
	free(s);
	return code;
}

// Reads the blocks by the index. -EINVAL: the index is impossible.
static int read_index(struct evf_in *in, uint64_t index, uint64_t blocks)
{
	uint64_t from = in->blocks_at;

	for (uint64_t i = 0; i < blocks; i++) {
		uint8_t entry[EVF_ENTRY_BYTES];
		struct evf_block b;

		if (!read_at(in, entry, sizeof(entry), index + 8 + i * sizeof(entry)))
			return -EINVAL;
		if (!evf_block_get(&b, entry + 8, evf_get64(entry)) || b.at != from ||
			!block_fits(in, &b, index))
			return -EINVAL;
		if (add_block(in, &b))
			return -ENOMEM;
		from = b.at + EVF_BLOCK_BYTES + b.stored;
	}
	return from == index ? 0 : read_late_marks(in, from, index);
}

// Reads a file without index block by block, up to the first incomplete block.
static int scan_blocks(struct evf_in *in)
{
	uint64_t at = in->blocks_at;
	uint8_t head[EVF_BLOCK_BYTES];
	struct evf_block b;

	in->n_blocks = 0;
	in->events = 0;
	while (in->size - at >= sizeof(head) && read_at(in, head, sizeof(head), at) &&
		evf_block_get(&b, head, at) && block_fits(in, &b, in->size)) {
		if (add_block(in, &b))
			return -ENOMEM;
		at += EVF_BLOCK_BYTES + b.stored;
	}
	err_set(&in->cut, 0,
		"%s: it has no end, as after a crash or on a full disk: "
		"%llu event%s can be read, up to byte %llu of %llu",
		in->path, (unsigned long long)in->events, plural(in->events),
		(unsigned long long)at, (unsigned long long)in->size);
	return 0;
}

static int find_blocks(struct evf_in *in, struct err *err)
{
	uint64_t blocks, index = find_index(in, &blocks);
	int code = index ? read_index(in, index, blocks) : -EINVAL;

	if (code == -EINVAL)
		code = scan_blocks(in);
	return code ? err_set(err, code, "%s: no memory for its index", in->path) : 0;
}

static int read_about(struct evf_in *in, struct err *err)
{
	uint8_t head[EVF_HEAD_BYTES];
	char *text;
	uint32_t n;
	int code;

	if (!read_at(in, head, sizeof(head), 0) || memcmp(head, EVF_MAGIC, 8) != 0)
		return broken_file(
			in, err, "not a record of events in the binary form, as events.bin is one");
	if (evf_get32(head + 8) != EVF_VERSION)
		return err_set(err, -EINVAL,
			"%s: its form has version %lu; this program reads version %d", in->path,
			(unsigned long)evf_get32(head + 8), EVF_VERSION);
	n = evf_get32(head + 12);
	in->blocks_at = sizeof(head) + (uint64_t)n;
	if (in->blocks_at > in->size)
		return broken_file(in, err, "it ends within its description of the events");
	text = malloc(n + 1ul);
	if (!text)
		return err_set(
			err, -ENOMEM, "%s: no memory for %lu bytes", in->path, (unsigned long)n);
	code = read_at(in, text, n, sizeof(head))
		       ? evf_about_get(&in->about, &in->names, &in->arena, text, n, in->path, err)
		       : broken_file(in, err, strerror(errno));
	free(text);
	return code;
}

int evf_open(struct evf_in **out, const char *path, struct err *err)
{
	struct evf_in *in;
	struct stat st;
	int code = infile_check(path, err);

	if (code)
		return code;
	in = calloc(1, sizeof(*in));
	if (!in)
		return err_set(err, -ENOMEM, "%s: no memory", path);
	in->fd = open(path, O_RDONLY | O_CLOEXEC);
	in->path = strdup(path);
	in->z = ZSTD_createDCtx();
	if (in->fd < 0 || fstat(in->fd, &st) < 0)
		code = err_set(err, -errno, "%s: %s", path, strerror(errno));
	else if (!in->path || !in->z)
		code = err_set(err, -ENOMEM, "%s: no memory", path);
	if (!code) {
		in->size = (uint64_t)st.st_size;
		code = read_about(in, err);
	}
	for (unsigned i = 0; !code && i < in->names.n_types; i++)
		in->counting |= (uint64_t)evf_counts(in->names.type[i].row) << i;
	if (!code)
		code = find_blocks(in, err);
	if (code) {
		evf_close_in(in);
		return code;
	}
	*out = in;
	return 0;
}

const struct evf_names *evf_names(const struct evf_in *in)
{
	return &in->names;
}

uint64_t evf_events(const struct evf_in *in)
{
	return in->events;
}

const char *evf_cut(const struct evf_in *in)
{
	return *in->cut.text ? in->cut.text : NULL;
}

static bool room_for(uint8_t **buf, size_t *room, size_t n)
{
	uint8_t *more = n > *room ? realloc(*buf, n) : *buf;

	if (!more)
		return false;
	*buf = more;
	*room = n > *room ? n : *room;
	return true;
}

static const struct ev *record_at(const struct evf_in *in, uint32_t i)
{
	return (const struct ev *)(const void *)(in->raw + (size_t)i * in->about.record_bytes);
}

// Whether its records are of types and nodes that the file knows, and as many have a number as
// there are.
static bool is_sound(const struct evf_in *in, const struct evf_block *b)
{
	uint32_t numbers = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		const struct ev *e = record_at(in, i);

		if (e->type >= in->names.n_types || e->node >= in->names.n_nodes ||
			e->t < b->first || e->t > b->last || !(b->types >> e->type & 1))
			return false;
		numbers += in->counting >> e->type & 1;
	}
	return numbers == b->numbers;
}

// Reads a block into `raw`. Returns its fault; NULL: none.
static const char *load_block(struct evf_in *in, const struct evf_block *b)
{
	size_t raw = raw_bytes(in, b), got = raw;
	uint8_t head[EVF_BLOCK_BYTES], known[EVF_BLOCK_BYTES];

	if (!read_at(in, head, sizeof(head), b->at))
		return "it cannot be read";
	evf_block_put(known, b);
	if (memcmp(head, known, sizeof(head)) != 0)
		return "the index has another one";
	if (!room_for(&in->stored, &in->stored_room, b->stored + 1ul) ||
		!room_for(&in->raw, &in->raw_room, raw))
		return "no memory";
	if (!read_at(in, in->stored, b->stored, b->at + EVF_BLOCK_BYTES))
		return "it cannot be read";
	if (in->about.compress == EVF_ZSTD)
		got = ZSTD_decompressDCtx(in->z, in->raw, raw, in->stored, b->stored);
	else
		memcpy(in->raw, in->stored, raw);
	if (ZSTD_isError(got))
		return ZSTD_getErrorName(got);
	if (got != raw || !is_sound(in, b))
		return "it is not what its head says";
	return NULL;
}

// Goes to the next block that may hold what is wanted. 1, 0: there is none, or -EINVAL.
static int next_block(struct evf_in *in, const struct evf_pick *p, struct err *err)
{
	in->n = in->next = in->next_number = 0;
	while (in->at < in->n_blocks) {
		const struct evf_block *b = &in->block[in->at++];
		const char *why;

		if (b->last < p->from || b->first >= p->to || !(b->types & p->types))
			continue;
		why = load_block(in, b);
		if (why)
			return err_set(err, -EINVAL, "%s: block %zu, at byte %llu, is broken: %s",
				in->path, in->at, (unsigned long long)b->at, why);
		in->n = b->n;
		return 1;
	}
	return 0;
}

// The number of the record at hand, if it has one.
static uint64_t take_number(struct evf_in *in, const struct ev *e)
{
	const uint8_t *numbers = in->raw + (size_t)in->n * in->about.record_bytes;

	if (!(in->counting >> e->type & 1))
		return EVF_NO_NUMBER;
	return evf_get64(numbers + sizeof(uint64_t) * in->next_number++);
}

int evf_next(struct evf_in *in, const struct evf_pick *pick, const struct ev **e, uint64_t *number,
	struct err *err)
{
	for (;;) {
		while (in->next < in->n) {
			*e = record_at(in, in->next++);
			*number = take_number(in, *e);
			if (evf_pick_has(pick, &in->names, *e))
				return 1;
		}

		int code = next_block(in, pick, err);

		if (code <= 0)
			return code;
	}
}

void evf_close_in(struct evf_in *in)
{
	if (in->fd >= 0)
		close(in->fd);
	ZSTD_freeDCtx(in->z);
	arena_free(&in->arena);
	free(in->path);
	free(in->block);
	free(in->stored);
	free(in->raw);
	free(in);
}
