// SPDX-License-Identifier: BSD-3-Clause
// The socket of a control and the thread that serves it. Only processes of this user are heard: the
// folder is the user's own, and the kernel says who connects.
#include "control.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_eal.h>

#include "int.h"

#define SEND_S 1 // that a client may keep an answer waiting

static void hang_up(struct control_conn *c)
{
	close(c->fd);
	free(c->in);
	*c = (struct control_conn){.fd = -1};
}

static bool is_ours(int fd, struct control_peer *peer)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) || who.uid != geteuid())
		return false;
	*peer = (struct control_peer){who.pid, who.uid};
	return true;
}

static void take_connection(struct control *c)
{
	const struct timeval wait = {.tv_sec = SEND_S};
	int fd = accept4(c->listens, NULL, NULL, SOCK_CLOEXEC);
	struct control_peer peer;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	for (unsigned i = 0; is_ours(fd, &peer) && i < CONTROL_PEERS; i++)
		if (c->conn[i].fd < 0) {
			c->conn[i] = (struct control_conn){.fd = fd, .peer = peer};
			return;
		}
	close(fd); // another user's, or one too many
}

// Carries out a request. Returns the stream that takes over the connection, or NULL.
static const struct control_stream *carry_out(
	struct control *c, const struct control_peer *by, const char *text, json_t *answer)
{
	const struct control_stream *s = c->run.stream;
	json_t *j = json_loads(text, 0, NULL);
	const char *verb = json_string_value(json_object_get(j, "verb"));
	const char *what = json_string_value(json_object_get(j, "text"));
	struct err err = {0};
	int rc = -EINVAL;

	if (!verb || !what)
		err_set(&err, -EINVAL, "a request is {\"verb\": ..., \"text\": ...}");
	else if (!strcmp(verb, "do"))
		rc = control_do(c, by, what, answer, &err);
	else if (!strcmp(verb, "set"))
		rc = control_set(c, by, what, answer, &err);
	else if (s && !strcmp(verb, s->verb))
		rc = s->ask(s->arg, what, &err);
	else
		err_set(&err, -EINVAL, "there is no verb '%.40s'", verb);
	if (rc)
		json_object_set_new(answer, "error", json_string(err.text));
	s = !rc && s && !strcmp(verb, s->verb) ? s : NULL;
	json_decref(j);
	return s;
}

static void serve(struct control *c, struct control_conn *conn)
{
	const struct control_stream *stream = NULL;
	char *text = NULL;
	int rc = control_take(conn, &text);

	if (rc == 1) {
		json_t *answer = json_object();

		stream = carry_out(c, &conn->peer, text, answer);
		rc = control_send(conn->fd, answer);
		json_decref(answer);
		free(text);
	} else if (rc == -EMSGSIZE) {
		json_t *answer = json_pack("{s:s}", "error", "a request has at most 1 MB");

		control_send(conn->fd, answer);
		json_decref(answer);
	}
	if (stream) { // the connection is its own now
		stream->begin(stream->arg, conn->fd);
		conn->fd = -1;
		free(conn->in);
		*conn = (struct control_conn){.fd = -1};
	} else if (rc < 0) {
		hang_up(conn);
	}
}

static void *run(void *arg)
{
	struct control *c = arg;
	struct pollfd p[CONTROL_PEERS + 2] = {{c->wakes, POLLIN, 0}, {c->listens, POLLIN, 0}};

	for (;;) {
		int wait = control_go_on(c);

		for (unsigned i = 0; i < CONTROL_PEERS; i++)
			p[i + 2] = (struct pollfd){c->conn[i].fd, POLLIN, 0};
		poll(p, CONTROL_PEERS + 2, wait);
		if (p[0].revents)
			return NULL;
		for (unsigned i = 0; i < CONTROL_PEERS; i++)
			if (p[i + 2].revents)
				serve(c, &c->conn[i]);
		if (p[1].revents)
			take_connection(c);
	}
}

static int listen_here(struct control *c, struct err *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int rc;

	snprintf(c->path, sizeof(c->path), "%s/" CONTROL_SOCKET, rte_eal_get_runtime_dir());
	if (strlen(c->path) >= sizeof(at.sun_path))
		return err_set(err, -ENAMETOOLONG, "the path %s is too long for a socket", c->path);
	strcpy(at.sun_path, c->path);
	c->listens = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unlink(c->path);
	if (c->listens < 0 || bind(c->listens, (struct sockaddr *)&at, sizeof(at)) ||
		chmod(c->path, S_IRUSR | S_IWUSR) || listen(c->listens, CONTROL_PEERS)) {
		rc = -errno;
		return err_set(err, rc, "%s: %s", c->path, strerror(errno));
	}
	return 0;
}

// The thread has no signals: those of the user are the main thread's.
static int start(struct control *c)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&c->thread, NULL, run, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

int control_open(struct control **out, const struct control_run *with, struct err *err)
{
	struct control *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_set(err, -ENOMEM, "no memory");
	c->run = *with;
	for (unsigned i = 0; i < CONTROL_PEERS; i++)
		c->conn[i].fd = -1;
	c->listens = -1;
	c->wakes = eventfd(0, EFD_CLOEXEC);
	rc = c->wakes < 0 ? err_set(err, -errno, "eventfd: %s", strerror(errno))
			  : listen_here(c, err);
	if (!rc) {
		rc = start(c);
		c->runs = !rc;
		if (rc)
			err_set(err, rc, "no thread for it: %s", strerror(-rc));
	}
	if (rc) {
		control_close(c);
		control_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void control_close(struct control *c)
{
	if (!c)
		return;
	if (c->runs && eventfd_write(c->wakes, 1) == 0)
		pthread_join(c->thread, NULL);
	c->runs = false;
	for (unsigned i = 0; i < CONTROL_PEERS; i++)
		if (c->conn[i].fd >= 0)
			hang_up(&c->conn[i]);
	if (c->listens >= 0) {
		close(c->listens);
		unlink(c->path);
	}
	if (c->wakes >= 0)
		close(c->wakes);
	c->listens = c->wakes = -1;
	control_steer_end(c);
}
