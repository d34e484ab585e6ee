// SPDX-License-Identifier: BSD-3-Clause
// Messages of a control: requests that come in pieces, and answers.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "int.h"

// Receives up to `n` bytes. -EAGAIN: there are none yet; -EPIPE: the connection is at its end.
static ssize_t receive(const struct control_conn *c, void *to, size_t n)
{
	ssize_t got = recv(c->fd, to, n, MSG_DONTWAIT);

	if (got > 0)
		return got;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? -EAGAIN : -EPIPE;
}

// Receives the length, and takes memory for the text.
static int begin(struct control_conn *c)
{
	ssize_t n = receive(c, (char *)&c->length + c->n, sizeof(c->length) - c->n);

	if (n < 0)
		return (int)n;
	c->n += (size_t)n;
	if (c->n < sizeof(c->length))
		return -EAGAIN;
	if (c->length > CONTROL_MOST)
		return -EMSGSIZE;
	c->in = malloc(c->length + 1ul);
	c->n = 0;
	return c->in ? 0 : -ENOMEM;
}

int control_take(struct control_conn *c, char **text)
{
	ssize_t n = c->in ? 0 : begin(c);

	if (!n && c->n < c->length)
		n = receive(c, c->in + c->n, c->length - c->n);
	if (n < 0)
		return n == -EAGAIN ? 0 : (int)n;
	c->n += (size_t)n;
	if (c->n < c->length)
		return 0;
	c->in[c->n] = '\0';
	*text = c->in;
	c->in = NULL;
	c->n = 0;
	return 1;
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
