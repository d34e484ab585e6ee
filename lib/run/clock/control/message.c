// SPDX-License-Identifier: BSD-3-Clause
// Messages of a control: requests that come in pieces, and answers.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "int.h"

#define PIECE 4096

static int make_room(struct control_conn *c)
{
	char *in;

	if (c->n + PIECE <= c->room)
		return 0;
	in = realloc(c->in, c->room * 2 + PIECE);
	if (!in)
		return -ENOMEM;
	c->in = in;
	c->room = c->room * 2 + PIECE;
	return 0;
}

// The length of the request that has begun; 0: not known yet.
static uint32_t length_of(const struct control_conn *c)
{
	uint32_t n = 0;

	if (c->n >= sizeof(n))
		memcpy(&n, c->in, sizeof(n));
	return n;
}

static char *cut_off(struct control_conn *c, uint32_t n)
{
	char *text = strndup(c->in + sizeof(n), n);

	c->n -= sizeof(n) + n;
	memmove(c->in, c->in + sizeof(n) + n, c->n);
	return text;
}

int control_take(struct control_conn *c, char **text)
{
	ssize_t n = 0;

	if (make_room(c))
		return -ENOMEM;
	n = recv(c->fd, c->in + c->n, c->room - c->n, MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return -EPIPE;
	c->n += n > 0 ? (size_t)n : 0;
	if (length_of(c) > CONTROL_MOST)
		return -EMSGSIZE;
	if (c->n >= sizeof(uint32_t) && c->n - sizeof(uint32_t) >= length_of(c)) {
		*text = cut_off(c, length_of(c));
		return *text ? 1 : -ENOMEM;
	}
	return n == 0 ? -EPIPE : 0;
}

static int send_all(int fd, const void *from, size_t n)
{
	const char *at = from;

	while (n) {
		ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return -EPIPE;
		at += sent;
		n -= (size_t)sent;
	}
	return 0;
}

int control_send(int fd, const json_t *answer)
{
	char *text = json_dumps(answer, JSON_COMPACT);
	uint32_t n = text ? (uint32_t)strlen(text) : 0;
	int rc = text ? send_all(fd, &n, sizeof(n)) : -ENOMEM;

	if (!rc)
		rc = send_all(fd, text, n);
	free(text);
	return rc;
}
