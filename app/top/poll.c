// SPDX-License-Identifier: BSD-3-Clause
// A thread that asks the instance for looks, and gives it commands.
#include "poll.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "control.h"

#define REST 4 // the instance rests for so many times as long as a look took

struct top_poll {
	struct instance of;
	unsigned every_ms;
	pthread_t thread;
	int bell;  // rung for the screen
	bool late; // an answer did not come in time, but may come yet
	pthread_mutex_t lock;
	pthread_cond_t wake; // of the thread: a command, or the end
	// Under the lock:
	struct top_news news;
	bool stop, wanted; // wanted: a command
	bool busy;         // with a call that `stop` does not cut short
	char verb[16], text[256];
};

// Hands over what is new, and rings.
static void tell_news(struct top_poll *p, struct metrics *look, bool ended, const char *notice)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&p->lock);
	if (look) {
		if (p->news.looked)
			metrics_free(&p->news.look);
		p->news.look = *look;
		p->news.looked = true;
	}
	p->news.ended = ended;
	snprintf(p->news.notice, sizeof(p->news.notice), "%s", notice);
	pthread_mutex_unlock(&p->lock);
	if (write(p->bell, &one, sizeof(one)) < 0)
		return; // it is rung already
}

// Whether the process at the other end has gone.
static bool has_gone(const struct top_poll *p)
{
	char byte;

	return recv(p->of.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// An answer that comes too late would be taken for the next one's, so the connection begins anew.
static bool open_again(struct top_poll *p)
{
	struct instance_dirs dirs;
	struct instance again;
	char pid[24];
	struct err err;
	bool good;

	pthread_mutex_lock(&p->lock);
	p->busy = true;
	pthread_mutex_unlock(&p->lock);
	snprintf(pid, sizeof(pid), "%llu", (unsigned long long)p->of.pid);
	instance_dirs(&dirs);
	good = instance_open(&again, pid, &dirs, &err) == 0;
	pthread_mutex_lock(&p->lock);
	p->busy = false;
	if (good) {
		instance_close(&p->of);
		p->of = again;
	}
	pthread_mutex_unlock(&p->lock);
	return good;
}

// Takes a look. False: the process has gone.
static bool take_look(struct top_poll *p)
{
	struct metrics look = {0};
	struct err err;
	char line[200];
	int rc = p->late && !open_again(p) ? -EPIPE
					   : metrics_ask(&look, &p->of, top_model_patterns, &err);

	p->late = false;
	if (!rc) {
		tell_news(p, &look, false, "");
		return true;
	}
	metrics_free(&look);
	if (rc != -EPIPE) {
		snprintf(line, sizeof(line), "No figures: %.180s.", err.text);
		tell_news(p, NULL, false, line);
	} else if (has_gone(p)) {
		tell_news(
			p, NULL, true, "The instance has ended; this was its last look. q leaves.");
		return false;
	} else {
		p->late = true;
		tell_news(p, NULL, false, "The instance does not answer.");
	}
	return true;
}

static void run_command(struct top_poll *p)
{
	char verb[sizeof(p->verb)], text[sizeof(p->text)], told[256];
	const uint64_t one = 1;
	bool good;

	pthread_mutex_lock(&p->lock);
	memcpy(verb, p->verb, sizeof(verb));
	memcpy(text, p->text, sizeof(text));
	p->busy = true;
	pthread_mutex_unlock(&p->lock);
	good = top_control(&p->of, verb, text, told, sizeof(told));
	pthread_mutex_lock(&p->lock);
	p->wanted = p->busy = false;
	p->news.done = true;
	p->news.failed = !good;
	memcpy(p->news.told, told, sizeof(told));
	pthread_mutex_unlock(&p->lock);
	if (write(p->bell, &one, sizeof(one)) < 0)
		return;
}

static unsigned ms_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)((now.tv_sec - then->tv_sec) * 1000 +
			  (now.tv_nsec - then->tv_nsec) / 1000000);
}

static void add_ms(struct timespec *t, unsigned ms)
{
	t->tv_sec += ms / 1000;
	t->tv_nsec += (long)(ms % 1000) * 1000000;
	if (t->tv_nsec >= 1000000000) {
		t->tv_sec++;
		t->tv_nsec -= 1000000000;
	}
}

// Waits for the next look's time. Returns whether a command came before.
static bool wait_for_look(struct top_poll *p, const struct timespec *due, bool *stop)
{
	int rc = 0;
	bool wanted;

	pthread_mutex_lock(&p->lock);
	while (!p->stop && !p->wanted && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&p->wake, &p->lock, due);
	wanted = p->wanted;
	*stop = p->stop;
	pthread_mutex_unlock(&p->lock);
	return wanted;
}

static void *poll_thread(void *arg)
{
	struct top_poll *p = arg;
	struct timespec due;
	bool stop = false, goes_on = true;

	clock_gettime(CLOCK_MONOTONIC, &due);
	while (!stop) {
		unsigned took_ms;

		if (wait_for_look(p, &due, &stop) && !stop) {
			run_command(p);
			continue;
		}
		if (stop)
			break;
		clock_gettime(CLOCK_MONOTONIC, &due);
		goes_on = goes_on && take_look(p);
		took_ms = p->late ? 0 : ms_since(&due);
		clock_gettime(CLOCK_MONOTONIC, &due);
		add_ms(&due, p->every_ms > REST * took_ms ? p->every_ms : REST * took_ms);
	}
	return NULL;
}

int top_poll_begin(
	struct top_poll **out, const struct instance *of, unsigned every_ms, struct err *err)
{
	struct top_poll *p = calloc(1, sizeof(*p));
	pthread_condattr_t attr;
	sigset_t every, was;
	int rc;

	if (!p)
		return err_set(err, -ENOMEM, "no memory");
	p->of = *of;
	p->every_ms = every_ms;
	p->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&every); // signals are the screen's
	pthread_sigmask(SIG_SETMASK, &every, &was);
	rc = p->bell < 0 ? errno : pthread_create(&p->thread, NULL, poll_thread, p);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (rc) {
		free(p);
		return err_set(err, -rc, "no thread: %s", strerror(rc));
	}
	*out = p;
	return 0;
}

void top_poll_end(struct top_poll *p)
{
	bool busy;

	pthread_mutex_lock(&p->lock);
	p->stop = true;
	busy = p->busy;
	shutdown(p->of.fd, SHUT_RDWR); // an answer is no longer waited for
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	if (busy) { // it may take seconds, and the process ends sooner
		pthread_detach(p->thread);
		return;
	}
	pthread_join(p->thread, NULL);
	instance_close(&p->of);
	if (p->news.looked)
		metrics_free(&p->news.look);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	close(p->bell);
	free(p);
}

int top_poll_fd(const struct top_poll *p)
{
	return p->bell;
}

void top_poll_take(struct top_poll *p, struct top_news *news)
{
	uint64_t rung;

	if (read(p->bell, &rung, sizeof(rung)) < 0)
		rung = 0;
	pthread_mutex_lock(&p->lock);
	*news = p->news;
	p->news.looked = p->news.done = false;
	pthread_mutex_unlock(&p->lock);
}

bool top_poll_run(struct top_poll *p, const char *verb, const char *text)
{
	bool free_now;

	pthread_mutex_lock(&p->lock);
	free_now = !p->wanted && !p->news.ended;
	if (free_now) {
		snprintf(p->verb, sizeof(p->verb), "%s", verb);
		snprintf(p->text, sizeof(p->text), "%s", text);
		p->wanted = true;
		pthread_cond_signal(&p->wake);
	}
	pthread_mutex_unlock(&p->lock);
	return free_now;
}
