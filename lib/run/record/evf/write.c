// SPDX-License-Identifier: BSD-3-Clause
// Events into blocks, blocks into the file: compressed or not, by the caller or by a thread that
// takes full blocks from a ring.
#include "write.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <zstd.h>

#include "format.h"
#include "out/out.h"

#define RING  4 // blocks: one is filled, the others wait or are being written
#define LEVEL 1 // of libzstd: what a higher one saves is little beside its time
#define WORDS (EVF_RECORD / sizeof(uint64_t))

struct block {
	struct evf_block head;
	uint64_t (*record)[WORDS]; // EVF_BLOCK_RECORDS of them, with room for as many numbers
	uint64_t *number;
};

struct evf_writer {
	const struct evf_names *names;
	uint32_t marks;                       // of which the description has the text
	uint64_t mask[EVF_TYPES_MOST][WORDS]; // the bytes that a type fills
	uint64_t counting;                    // bitmap of the types that have a number
	struct block block[RING];
	// blocks that are full and not yet written: from `written` up to `filled`, which is the one
	// that the caller fills
	unsigned filled, written;
	bool threaded, ending;
	pthread_t thread;
	pthread_mutex_t lock; // of `filled`, `written` and `ending`
	pthread_cond_t moved;
	// of the thread that writes
	struct out out;
	enum evf_compress compress;
	ZSTD_CCtx *z;
	void *packed;
	size_t packed_room;
	struct evf_block *index;
	size_t n_blocks, index_room;
	uint64_t at; // bytes in the file
	uint64_t records;
	atomic_int error;
};

static void set_mask(struct evf_writer *w, unsigned type, const struct ev_row *row)
{
	uint8_t *mask = (uint8_t *)w->mask[type];

	memset(mask, 0xff, offsetof(struct ev, cls));
	for (unsigned i = 0; i < row->n_fields; i++)
		memset(mask + row->field[i].offset, 0xff, row->field[i].size);
	if (evf_counts(row))
		w->counting |= 1ull << type;
}

static void put_bytes(struct evf_writer *w, const void *bytes, size_t n)
{
	out_put(&w->out, bytes, n);
	w->at += n;
}

// Copies the numbers to the end of the records. Returns the bytes of both.
static size_t join_numbers(struct block *b)
{
	size_t records = b->head.n * EVF_RECORD, numbers = b->head.numbers * sizeof(*b->number);

	memcpy((char *)b->record + records, b->number, numbers);
	return records + numbers;
}

static bool grow_index(struct evf_writer *w)
{
	size_t room = w->index_room ? 2 * w->index_room : 256;
	struct evf_block *more;

	if (w->n_blocks < w->index_room)
		return true;
	more = realloc(w->index, room * sizeof(*more));
	if (!more)
		return false;
	w->index = more;
	w->index_room = room;
	return true;
}

// Writes a block to the file at once, so that after a crash the file is whole up to there.
static void write_block(struct evf_writer *w, struct block *b)
{
	size_t raw = join_numbers(b), stored = raw;
	const void *bytes = b->record;
	uint8_t head[EVF_BLOCK_BYTES];

	if (w->out.error)
		return;
	if (w->compress == EVF_ZSTD) {
		stored = ZSTD_compress2(w->z, w->packed, w->packed_room, b->record, raw);
		bytes = w->packed;
	}
	if (ZSTD_isError(stored) || !grow_index(w)) {
		w->out.error = ENOMEM; // libzstd has no other reason: there is room for any block
	} else {
		b->head.at = w->at;
		b->head.stored = (uint32_t)stored;
		evf_block_put(head, &b->head);
		put_bytes(w, head, sizeof(head));
		put_bytes(w, bytes, stored);
		out_flush(&w->out);
		w->index[w->n_blocks++] = b->head;
		w->records += b->head.n;
	}
	atomic_store(&w->error, w->out.error);
}

static void empty_block(struct block *b)
{
	b->head = (struct evf_block){.first = TSTAMP_NEVER};
}

static void *write_blocks(void *arg)
{
	struct evf_writer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (w->written == w->filled && !w->ending)
			pthread_cond_wait(&w->moved, &w->lock);
		if (w->written == w->filled)
			break;
		pthread_mutex_unlock(&w->lock);
		write_block(w, &w->block[w->written % RING]);
		pthread_mutex_lock(&w->lock);
		w->written++;
		pthread_cond_signal(&w->moved);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

// The block at hand is full: it is handed over, and the next one is free when this returns.
static void hand_block(struct evf_writer *w)
{
	if (!w->threaded) {
		write_block(w, &w->block[0]);
		empty_block(&w->block[0]);
		return;
	}
	pthread_mutex_lock(&w->lock);
	w->filled++;
	pthread_cond_signal(&w->moved);
	while (w->filled - w->written == RING)
		pthread_cond_wait(&w->moved, &w->lock);
	pthread_mutex_unlock(&w->lock);
	empty_block(&w->block[w->filled % RING]);
}

void evf_put(struct evf_writer *w, const struct ev *e, uint64_t number)
{
	struct block *b = &w->block[w->filled % RING];
	const uint64_t *mask = w->mask[e->type];
	uint64_t *record = b->record[b->head.n++];

	memcpy(record, e, EVF_RECORD);
	for (unsigned i = 0; i < WORDS; i++)
		record[i] &= mask[i];
	if (w->counting >> e->type & 1)
		b->number[b->head.numbers++] = number;
	b->head.types |= 1ull << e->type;
	b->head.first = e->t < b->head.first ? e->t : b->head.first;
	b->head.last = e->t > b->head.last ? e->t : b->head.last;
	if (b->head.n == EVF_BLOCK_RECORDS)
		hand_block(w);
}

static void start_thread(struct evf_writer *w)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->moved, NULL);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	w->threaded = !pthread_create(&w->thread, NULL, write_blocks, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool make_blocks(struct evf_writer *w, unsigned n)
{
	const size_t most = EVF_BLOCK_RECORDS * (EVF_RECORD + sizeof(uint64_t));

	for (unsigned i = 0; i < n; i++) {
		w->block[i].record = malloc(most);
		w->block[i].number = malloc(EVF_BLOCK_RECORDS * sizeof(uint64_t));
		if (!w->block[i].record || !w->block[i].number)
			return false;
		empty_block(&w->block[i]);
	}
	if (w->compress == EVF_NONE)
		return true;
	w->packed_room = ZSTD_compressBound(most);
	w->packed = malloc(w->packed_room);
	w->z = ZSTD_createCCtx();
	return w->packed && w->z &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(w->z, ZSTD_c_compressionLevel, LEVEL)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(w->z, ZSTD_c_checksumFlag, 1));
}

static void free_writer(struct evf_writer *w)
{
	for (unsigned i = 0; i < RING; i++) {
		free(w->block[i].record);
		free(w->block[i].number);
	}
	ZSTD_freeCCtx(w->z);
	free(w->packed);
	free(w->index);
	free(w);
}

// The head of the file: the description is made in memory, since its length stands before it.
static int put_file_head(struct evf_writer *w, const struct evf_names *names)
{
	uint8_t head[EVF_HEAD_BYTES];
	struct err ignored;
	struct out text;
	char *bytes;
	size_t n;
	FILE *f = open_memstream(&bytes, &n);
	int code = f ? out_stream(&text, f, "description", &ignored) : -ENOMEM;

	if (!code) {
		evf_about_put(&text, names, w->compress);
		code = out_close(&text, &ignored);
	}
	if (f && fclose(f))
		code = -ENOMEM;
	if (!code) {
		memcpy(head, EVF_MAGIC, 8);
		evf_put32(evf_put32(head + 8, EVF_VERSION), (uint32_t)n);
		put_bytes(w, head, sizeof(head));
		put_bytes(w, bytes, n);
		out_flush(&w->out);
		atomic_store(&w->error, w->out.error);
	}
	if (f)
		free(bytes);
	return code;
}

int evf_create(struct evf_writer **out, const char *path, const struct evf_names *names,
	const struct evf_opts *opts, struct err *err)
{
	struct evf_writer *w = calloc(1, sizeof(*w));
	struct err ignored;
	int code;

	if (!w)
		return err_set(err, -ENOMEM, "%s: no memory", path);
	w->names = names;
	w->marks = evf_known_marks(names).n;
	w->compress = opts->compress;
	if (!make_blocks(w, opts->thread ? RING : 1)) {
		free_writer(w);
		return err_set(err, -ENOMEM, "%s: no memory", path);
	}
	for (unsigned i = 0; i < names->n_types; i++)
		set_mask(w, i, names->type[i].row);
	code = out_open(&w->out, path, err);
	if (!code && put_file_head(w, names)) {
		out_close(&w->out, &ignored);
		code = err_set(err, -ENOMEM, "%s: no memory", path);
	}
	if (code) {
		free_writer(w);
		return code;
	}
	if (opts->thread)
		start_thread(w);
	*out = w;
	return 0;
}

const char *evf_path(const struct evf_writer *w)
{
	return w->out.path;
}

int evf_error(const struct evf_writer *w)
{
	return atomic_load(&w->error);
}

static void stop_thread(struct evf_writer *w)
{
	if (!w->threaded)
		return;
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_signal(&w->moved);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->moved);
	pthread_mutex_destroy(&w->lock);
}

// The texts of marks that came while the run went on.
static void put_late_marks(struct evf_writer *w)
{
	const struct evf_texts marks = evf_known_marks(w->names);
	uint8_t head[EVF_TEXTS_BYTES];
	uint32_t bytes = 0;

	if (marks.n == w->marks)
		return;
	for (uint32_t i = w->marks; i < marks.n; i++)
		bytes += evf_text(&marks, i)->len + 1u;
	evf_put32(evf_put32(evf_put32(head, EVF_TEXTS), bytes), marks.n - w->marks);
	put_bytes(w, head, sizeof(head));
	for (uint32_t i = w->marks; i < marks.n; i++) {
		put_bytes(w, evf_text(&marks, i)->s, evf_text(&marks, i)->len);
		put_bytes(w, "", 1);
	}
}

static void put_index(struct evf_writer *w)
{
	uint8_t buf[EVF_ENTRY_BYTES], *p;
	uint64_t index = w->at;

	p = evf_put32(evf_put32(buf, EVF_INDEX), (uint32_t)w->n_blocks);
	put_bytes(w, buf, (size_t)(p - buf));
	for (size_t i = 0; i < w->n_blocks; i++) {
		evf_block_put(evf_put64(buf, w->index[i].at), &w->index[i]);
		put_bytes(w, buf, sizeof(buf));
	}
	p = evf_put64(evf_put64(evf_put64(buf, index), w->n_blocks), w->records);
	memcpy(p, EVF_MAGIC_END, 8);
	put_bytes(w, buf, EVF_END_BYTES);
}

int evf_close(struct evf_writer *w, struct err *err)
{
	struct block *left;
	int code;

	if (!w)
		return 0;
	stop_thread(w);
	left = &w->block[w->filled % RING];
	if (left->head.n)
		write_block(w, left);
	put_late_marks(w);
	put_index(w);
	code = out_close(&w->out, err);
	free_writer(w);
	return code;
}
