// SPDX-License-Identifier: BSD-3-Clause
// Running instances of quench as another process sees them: found by their telemetry sockets, asked in words.
//
// DPDK's socket is of kind SOCK_SEQPACKET: it greets with a line of JSON, then answers each command by one packet,
// {"/command": answer}, of at most 16 KiB.
#include "run/instance.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <jansson.h>

#define REPLY   32768 // more than DPDK sends at once
#define COMMAND 1000  // DPDK reads 1024 octets
#define WAIT_S  3     // longer than an instance waits for its lcore

static void add_dir(struct instance_dirs *dirs, const char *base)
{
	char *dir = dirs->dir[dirs->n];

	if (!base || !*base ||
		(size_t)snprintf(dir, sizeof(dirs->dir[0]), "%s/dpdk", base) >=
			sizeof(dirs->dir[0]))
		return;
	for (unsigned i = 0; i < dirs->n; i++)
		if (!strcmp(dirs->dir[i], dir))
			return;
	dirs->n++;
}

void instance_dirs(struct instance_dirs *dirs)
{
	dirs->n = 0;
	add_dir(dirs, getenv("XDG_RUNTIME_DIR"));
	add_dir(dirs, "/var/run");
	add_dir(dirs, "/tmp");
}

// One command, one packet back; NULL where there is none.
static json_t *exchange(int fd, const char *command)
{
	char *reply = malloc(REPLY);
	ssize_t n = -1;
	json_t *j = NULL;

	if (reply && send(fd, command, strlen(command), MSG_NOSIGNAL) >= 0)
		n = recv(fd, reply, REPLY, 0);
	if (n > 0)
		j = json_loadb(reply, (size_t)n, 0, NULL);
	free(reply);
	return j;
}

static int connected(const char *path)
{
	const struct timeval wait = {.tv_sec = WAIT_S};
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	char greeting[1024];
	int fd;

	if (strlen(path) >= sizeof(to.sun_path))
		return -1;
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
		recv(fd, greeting, sizeof(greeting), 0) > 0)
		return fd;
	close(fd); // its process is gone, or is no DPDK's
	return -1;
}

static void take_text(char *to, size_t size, const json_t *from)
{
	const char *text = json_string_value(from);

	snprintf(to, size, "%s", text ? text : "");
}

// False where the process is no quench, or has no run now.
static bool introduced(struct instance *i)
{
	json_t *j = exchange(i->fd, "/quench/info"), *d = json_object_get(j, "/quench/info");
	bool is = json_is_string(json_object_get(d, "instance"));

	take_text(i->name, sizeof(i->name), json_object_get(d, "instance"));
	take_text(i->scenario, sizeof(i->scenario), json_object_get(d, "scenario"));
	i->pid = (uint64_t)json_integer_value(json_object_get(d, "pid"));
	i->now_ps = (uint64_t)json_integer_value(json_object_get(d, "now_ps"));
	i->duration_ps = (uint64_t)json_integer_value(json_object_get(d, "duration_ps"));
	i->dilate = (unsigned)json_integer_value(json_object_get(d, "dilate"));
	json_decref(j);
	return is;
}

static unsigned look_into(struct instance *list, unsigned n, unsigned max, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && n < max && (e = readdir(d))) {
		struct instance i = {.fd = -1};
		char path[400];

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/dpdk_telemetry.v2", dir, e->d_name);
		i.fd = connected(path);
		if (i.fd < 0)
			continue;
		if (introduced(&i))
			list[n++] = i;
		else
			close(i.fd);
	}
	if (d)
		closedir(d);
	return n;
}

static int by_pid(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

unsigned instance_list(struct instance *list, unsigned max, const struct instance_dirs *dirs)
{
	unsigned n = 0;

	for (unsigned i = 0; i < dirs->n; i++)
		n = look_into(list, n, max, dirs->dir[i]);
	qsort(list, n, sizeof(*list), by_pid);
	return n;
}

static bool fits(const struct instance *i, const char *name)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "%llu", (unsigned long long)i->pid);
	return !name || !strcmp(i->name, name) || !strcmp(pid, name);
}

// "first (pid 12), second (pid 34)" of those that fit `name`, or of all.
static void names_of(
	char *buf, size_t size, const struct instance *list, unsigned n, const char *name)
{
	size_t at = 0;

	*buf = '\0';
	for (unsigned i = 0; i < n && at < size; i++)
		if (fits(&list[i], name))
			at += (size_t)snprintf(buf + at, size - at, "%s%s (pid %llu)",
				at ? ", " : "", list[i].name, (unsigned long long)list[i].pid);
}

// None answers: perhaps because they are another user's.
static int nobody(const struct instance_dirs *dirs, struct err *err)
{
	static const char start[] = "`quench run SCENARIO --clock real` starts one";

	for (unsigned i = 0; i < dirs->n; i++)
		if (access(dirs->dir[i], R_OK | X_OK) != 0 && errno == EACCES)
			return err_set(err, -ENOENT,
				"no instance of this user is running; %s (%s is another user's)",
				start, dirs->dir[i]);
	return err_set(err, -ENOENT, "no instance is running; %s", start);
}

// The number in the list of the one that fits, or -errno and a line.
static int choose(const struct instance *list, unsigned n, const char *name, struct err *err)
{
	char names[300];
	int at = -1;

	for (unsigned i = 0; i < n; i++) {
		if (!fits(&list[i], name))
			continue;
		if (at >= 0) {
			names_of(names, sizeof(names), list, n, name);
			return err_set(err, -EEXIST,
				"more than one instance %s: %s; tell which, --instance NAME or PID",
				name ? "has that name" : "is running", names);
		}
		at = (int)i;
	}
	names_of(names, sizeof(names), list, n, NULL);
	if (at < 0)
		return err_set(
			err, -ENOENT, "no instance '%.64s' is running; there is %s", name, names);
	return at;
}

int instance_open(
	struct instance *i, const char *name, const struct instance_dirs *dirs, struct err *err)
{
	struct instance list[INSTANCE_MAX];
	unsigned n = instance_list(list, INSTANCE_MAX, dirs);
	int at = n ? choose(list, n, name, err) : nobody(dirs, err);

	for (unsigned k = 0; k < n; k++)
		if ((int)k != at)
			close(list[k].fd);
	if (at < 0)
		return at;
	*i = list[at];
	return 0;
}

void instance_close(struct instance *i)
{
	close(i->fd);
	i->fd = -1;
}

int instance_ask(const struct instance *i, json_t **answer, struct err *err, const char *fmt, ...)
{
	char command[COMMAND], name[64];
	json_t *j, *d, *wrong;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(command))
		return err_set(err, -EINVAL, "'%.40s...' is too long", command);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(command, ","), command);
	j = exchange(i->fd, command);
	if (!j)
		return err_set(err, -EPIPE, "instance %s (pid %llu) answers no more", i->name,
			(unsigned long long)i->pid);
	d = json_object_get(j, name);
	wrong = json_object_get(d, "error");
	if (!json_is_object(d) || wrong) {
		n = err_set(err, -EINVAL, "%s",
			wrong ? json_string_value(wrong)
			      : "the instance does not know this command");
	} else {
		n = 0;
		*answer = json_incref(d);
	}
	json_decref(j);
	return n;
}
