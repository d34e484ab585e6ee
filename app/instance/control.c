// SPDX-License-Identifier: BSD-3-Clause
// The client of a control (lib/run/clock/control): one request and its answer.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <jansson.h>

#include "int.h"

#define SOCKET "quench_control"
#define WAIT_S 10          // longer than an instance waits for its lcores, and compiles a scenario
#define MOST   (64u << 20) // bytes of an answer

static int connect_to(struct instance *i, struct err *err)
{
	const struct timeval wait = {.tv_sec = WAIT_S};
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || (size_t)snprintf(to.sun_path, sizeof(to.sun_path), "%s/" SOCKET, i->folder) >=
			      sizeof(to.sun_path))
		return err_set(err, -ENAMETOOLONG, "%s is no place for a socket", i->folder);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) || !instance_is_of(fd, geteuid())) {
		close(fd);
		return err_set(err, -ENOENT,
			"instance %s (pid %llu) cannot be changed: it has no %s", i->name,
			(unsigned long long)i->pid, to.sun_path);
	}
	i->control = fd;
	return 0;
}

static int move(int fd, void *at, size_t n, bool out)
{
	for (size_t done = 0; done < n;) {
		ssize_t part = out ? send(fd, (char *)at + done, n - done, MSG_NOSIGNAL)
				   : recv(fd, (char *)at + done, n - done, 0);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return -EPIPE;
		done += (size_t)part;
	}
	return 0;
}

// Sends a request and returns the answer; NULL: none came. An instance may refuse a long request
// before all of it is sent.
static json_t *exchange(int fd, char *request)
{
	uint32_t n = (uint32_t)strlen(request);
	json_t *j = NULL, *shown;
	char *text;

	if (!move(fd, &n, sizeof(n), true))
		move(fd, request, n, true);
	if (move(fd, &n, sizeof(n), false) || n > MOST)
		return NULL;
	text = malloc(n + 1ul);
	if (text && !move(fd, text, n, false))
		j = json_loadb(text, n, 0, NULL);
	free(text);
	shown = instance_printable(j);
	json_decref(j);
	return shown;
}

int instance_control(
	struct instance *i, json_t **answer, struct err *err, const char *verb, const char *text)
{
	json_t *ask = json_pack("{s:s, s:s}", "verb", verb, "text", text), *j, *wrong;
	char *request = json_dumps(ask, JSON_COMPACT);
	int rc = request ? 0 : err_set(err, -EINVAL, "'%.40s' is no text in UTF-8", text);

	json_decref(ask);
	if (!rc && i->control < 0)
		rc = connect_to(i, err);
	if (rc) {
		free(request);
		return rc;
	}
	j = exchange(i->control, request);
	free(request);
	if (!j)
		return err_set(err, -EPIPE, "instance %s (pid %llu) answers no more", i->name,
			(unsigned long long)i->pid);
	wrong = json_object_get(j, "error");
	if (wrong) {
		rc = err_set(err, -EINVAL, "%s", json_string_value(wrong));
		json_decref(j);
		return rc;
	}
	*answer = j;
	return 0;
}
