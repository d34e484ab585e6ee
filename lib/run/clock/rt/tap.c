// SPDX-License-Identifier: BSD-3-Clause
// Captures of a running instance. Readers never hold up the recorder: what a socket does not take
// waits in its tap. If the tap has no room, frames are lost and counted.
#include "tap.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIECE   65536 // bytes that are sent at once
#define WAIT_MS 1000  // for a reader at the end of the run

struct rt_tap {
	struct rt_tap *next;
	struct rt_taps *of;
	struct tap *tap;
	int fd;           // -1: none yet
	bool begun;       // its ports are captured
	bool broken;      // the reader is gone
	uint64_t *unseen; // of each port, before the capture began
};

void rt_taps_init(struct rt_taps *taps, struct rt_world *world)
{
	pthread_mutex_init(&taps->lock, NULL);
	taps->world = world;
}

bool rt_taps_any(const struct rt_taps *taps)
{
	return atomic_load_explicit(&taps->n, memory_order_relaxed);
}

static tstamp world_now(const struct rt_world *w)
{
	tstamp now = TSTAMP_NEVER;

	for (unsigned i = 0; i < w->n_lcores; i++)
		now = tstamp_min(now, atomic_load(&w->lcore[i]->now));
	return now;
}

// The node, and the lanes behind it.
static bool has_port(const struct scene *s, unsigned node, struct tap_port p)
{
	return scene_host_of(s, node) == p.node;
}

static int capture_port(struct rt_world *w, struct tap_port p, int by)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < w->scene->n_nodes; i++)
		if (has_port(w->scene, i, p))
			rc = rt_world_capture(w, i, p.port, by);
	return rc;
}

static uint64_t unseen_at(const struct rt_world *w, struct tap_port p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < w->scene->n_nodes; i++)
		if (has_port(w->scene, i, p))
			n += rt_world_unseen(w, i, p.port);
	return n;
}

static void end_ports(struct rt_tap *t)
{
	for (unsigned i = 0; t->begun && i < tap_ports(t->tap); i++)
		capture_port(t->of->world, tap_port(t->tap, i), -1);
	t->begun = false;
}

static void tap_drop(struct rt_tap *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	tap_free(t->tap);
	free(t->unseen);
	free(t);
}

static int tap_make(struct rt_tap *t, const char *text, struct err *err)
{
	struct rt_taps *taps = t->of;
	int rc = tap_new(
		&t->tap, taps->world->scene, taps->begin_ns, world_now(taps->world), text, err);

	if (rc)
		return rc;
	t->unseen = calloc(tap_ports(t->tap), sizeof(*t->unseen));
	rc = t->unseen ? 0 : -ENOMEM;
	for (unsigned i = 0; !rc && i < tap_ports(t->tap); i++)
		rc = capture_port(taps->world, tap_port(t->tap, i), 0);
	return rc ? err_set(err, rc, "no memory for captured frames") : 0;
}

int rt_taps_ask(void *arg, const char *text, struct err *err)
{
	struct rt_taps *taps = arg;
	struct rt_tap *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(err, -ENOMEM, "no memory for a capture");
	t->of = taps;
	t->fd = -1;
	rc = atomic_load(&taps->n) < RT_TAPS
		     ? tap_make(t, text, err)
		     : err_set(err, -EBUSY, "%u captures are open already", RT_TAPS);
	if (rc) {
		tap_drop(t);
		return rc;
	}
	tap_drop(taps->asked);
	taps->asked = t;
	return 0;
}

static void begin_ports(struct rt_tap *t)
{
	t->begun = true;
	for (unsigned i = 0; i < tap_ports(t->tap); i++) {
		t->unseen[i] = unseen_at(t->of->world, tap_port(t->tap, i));
		capture_port(t->of->world, tap_port(t->tap, i), 1);
	}
}

void rt_taps_begin(void *arg, int fd)
{
	struct rt_taps *taps = arg;
	struct rt_tap *t = taps->asked;

	taps->asked = NULL;
	t->fd = fd;
	pthread_mutex_lock(&taps->lock);
	if (taps->over) {
		tap_drop(t);
	} else {
		begin_ports(t);
		t->next = taps->first;
		taps->first = t;
		atomic_fetch_add(&taps->n, 1);
	}
	pthread_mutex_unlock(&taps->lock);
}

// Tells the tap how many frames the recorder has lost for it.
static void count_lost(struct rt_tap *t)
{
	for (unsigned i = 0; i < tap_ports(t->tap); i++)
		tap_lost(t->tap, i, unseen_at(t->of->world, tap_port(t->tap, i)) - t->unseen[i]);
}

// Sends what the socket takes. Returns whether something is left.
static bool send_some(struct rt_tap *t)
{
	const void *bytes;
	size_t n;

	while (!t->broken && (bytes = tap_bytes(t->tap, &n), n)) {
		ssize_t sent =
			send(t->fd, bytes, n < PIECE ? n : PIECE, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (sent < 0 && errno != EINTR)
			t->broken = true;
		if (sent > 0)
			tap_took(t->tap, (size_t)sent);
	}
	return false;
}

static bool wants_end(const struct rt_tap *t)
{
	char c;

	return recv(t->fd, &c, 1, MSG_DONTWAIT) == 0;
}

// A turn of one capture. Returns false once it is over and all of it is sent.
static bool tap_goes_on(struct rt_tap *t, tstamp now)
{
	count_lost(t);
	tap_turn(t->tap, now);
	if (wants_end(t))
		tap_end(t->tap, now);
	if (tap_has_ended(t->tap))
		end_ports(t);
	return (send_some(t) || !tap_has_ended(t->tap)) && !t->broken;
}

static void sum_lost(struct rt_taps *taps)
{
	uint64_t lost = taps->lost_closed;

	for (const struct rt_tap *t = taps->first; t; t = t->next)
		lost += tap_missing(t->tap);
	atomic_store(&taps->lost, lost);
}

// Takes a capture out of the list at *at.
static void tap_close(struct rt_taps *taps, struct rt_tap **at)
{
	struct rt_tap *t = *at;

	*at = t->next;
	end_ports(t);
	taps->lost_closed += tap_missing(t->tap);
	tap_drop(t);
	atomic_fetch_sub(&taps->n, 1);
}

bool rt_taps_turn_begin(struct rt_taps *taps)
{
	if (!rt_taps_any(taps))
		return false;
	pthread_mutex_lock(&taps->lock);
	return true;
}

void rt_taps_events(struct rt_taps *taps, const struct record *record, unsigned node,
	const struct ev_ring *ring)
{
	for (struct rt_tap *t = taps->first; t; t = t->next)
		for (uint32_t at = ring->tail; at != ring->head; at++) {
			const struct ev *e = &ring->slot[at & ring->mask];

			if (e->type == EV_USER_MARK)
				tap_mark(t->tap, e->t, record_mark_text(record, e->user_mark.text));
			else
				tap_event(t->tap, node, e);
		}
}

void rt_taps_frame(struct rt_taps *taps, const struct rt_seen *s)
{
	const struct tap_frame f = {.node = s->node,
		.port = s->port,
		.dir = s->dir,
		.t = s->t,
		.pkt = &s->pkt,
		.has_queue = s->has_queue,
		.queue_bytes = s->queue_bytes,
		.red = &s->red};

	for (struct rt_tap *t = taps->first; t; t = t->next)
		tap_frame(t->tap, &f);
}

void rt_taps_turn_end(struct rt_taps *taps, tstamp now)
{
	for (struct rt_tap **at = &taps->first; *at;) {
		if (tap_goes_on(*at, now))
			at = &(*at)->next;
		else
			tap_close(taps, at);
	}
	sum_lost(taps);
	pthread_mutex_unlock(&taps->lock);
}

static void send_all(struct rt_tap *t)
{
	struct pollfd p = {.fd = t->fd, .events = POLLOUT};
	while (send_some(t) && poll(&p, 1, WAIT_MS) == 1)
		;
}

void rt_taps_end(struct rt_taps *taps, tstamp now)
{
	pthread_mutex_lock(&taps->lock);
	taps->over = true;
	while (taps->first) {
		count_lost(taps->first);
		tap_end(taps->first->tap, now);
		send_all(taps->first);
		tap_close(taps, &taps->first);
	}
	sum_lost(taps);
	pthread_mutex_unlock(&taps->lock);
}

uint64_t rt_taps_lost(const struct rt_taps *taps)
{
	return atomic_load(&taps->lost);
}

void rt_taps_fini(struct rt_taps *taps)
{
	while (taps->first)
		tap_close(taps, &taps->first);
	tap_drop(taps->asked);
	pthread_mutex_destroy(&taps->lock);
}
