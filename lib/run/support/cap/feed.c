// SPDX-License-Identifier: BSD-3-Clause
// Reading ahead: frames into a ring until it is full, by a thread or by whoever finds it empty.
#include "feed.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define BATCH   64     // frames that are shown together
#define WAIT_NS 100000 // while the ring is full

struct cap_feed {
	struct cap_play *play;
	struct replay_ring ring;
	struct replay_frame next; // read, but there was no room for it
	bool has_next, ended, threaded;
	uint16_t longest;
	const char *path;
	struct err err; // what ended it early
	bool failed;
	atomic_bool *tell; // that it has; NULL: nobody
	atomic_bool quit;
	pthread_t thread;
};

static void feed_fails(struct cap_feed *f)
{
	f->failed = true;
	if (f->tell)
		atomic_store(f->tell, true);
	f->ended = true;
	replay_ring_end(&f->ring);
}

// One frame more. False: the ring is full, or nothing follows.
static bool feed_one(struct cap_feed *f)
{
	int got = 1;

	if (!f->has_next)
		got = cap_play_next(f->play, &f->next, &f->err);
	if (got == 1 && f->next.len > f->longest) {
		err_set(&f->err, -EINVAL,
			"%s: has a frame of %u bytes, and had none over %u before the run", f->path,
			f->next.len, f->longest);
		got = -EINVAL;
	}
	if (got < 0) {
		feed_fails(f);
		return false;
	}
	if (!got) {
		f->ended = true;
		replay_ring_end(&f->ring);
		return false;
	}
	f->has_next = !replay_ring_put(&f->ring, &f->next);
	return !f->has_next;
}

static void feed_fill(struct cap_feed *f)
{
	for (unsigned n = 1; !f->ended && feed_one(f); n++)
		if (!(n % BATCH))
			replay_ring_show(&f->ring);
	if (!f->ended)
		replay_ring_show(&f->ring);
}

static void refill(void *arg, struct replay_ring *r)
{
	(void)r;
	feed_fill(arg);
}

int cap_feed_open(struct cap_feed **out, const struct cap_play_params *params, uint16_t longest,
	size_t ring_bytes, atomic_bool *failed, struct err *err)
{
	struct cap_feed *f = aligned_alloc(REPLAY_RING_LINE,
		(sizeof(*f) + REPLAY_RING_LINE - 1) / REPLAY_RING_LINE * REPLAY_RING_LINE);
	int rc;

	if (!f)
		return err_set(err, -ENOMEM, "%s: no memory", params->path[0]);
	*f = (struct cap_feed){.longest = longest, .path = params->path[0], .tell = failed};
	rc = cap_play_open(&f->play, params, err);
	if (!rc && replay_ring_init(&f->ring, ring_bytes))
		rc = err_set(err, -ENOMEM, "%s: no memory to read ahead", params->path[0]);
	if (rc) {
		cap_feed_close(f);
		return rc;
	}
	feed_fill(f);
	f->ring.refill = refill;
	f->ring.arg = f;
	*out = f;
	return 0;
}

struct replay_ring *cap_feed_ring(struct cap_feed *f)
{
	return &f->ring;
}

static void *feed_run(void *feed)
{
	const struct timespec wait = {.tv_nsec = WAIT_NS};
	struct cap_feed *f = feed;

	while (!f->ended && !atomic_load_explicit(&f->quit, memory_order_relaxed)) {
		feed_fill(f);
		if (!f->ended)
			nanosleep(&wait, NULL);
	}
	return NULL;
}

// Signals are for the thread that began the run.
int cap_feed_start(struct cap_feed *f, const cpu_set_t *cpus)
{
	sigset_t all, were;
	pthread_attr_t attr;
	int rc = pthread_attr_init(&attr);

	if (rc)
		return -rc;
	f->ring.refill = NULL;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &were);
	if (cpus)
		rc = pthread_attr_setaffinity_np(&attr, sizeof(*cpus), cpus);
	if (!rc)
		rc = pthread_create(&f->thread, &attr, feed_run, f);
	pthread_sigmask(SIG_SETMASK, &were, NULL);
	pthread_attr_destroy(&attr);
	f->threaded = rc == 0;
	return -rc;
}

const char *cap_feed_error(const struct cap_feed *f)
{
	return f->failed ? f->err.text : NULL;
}

void cap_feed_stop(struct cap_feed *f)
{
	if (!f->threaded)
		return;
	atomic_store(&f->quit, true);
	pthread_join(f->thread, NULL);
	f->threaded = false;
}

void cap_feed_close(struct cap_feed *f)
{
	if (!f)
		return;
	cap_feed_stop(f);
	cap_play_close(f->play);
	replay_ring_fini(&f->ring);
	free(f);
}
