// SPDX-License-Identifier: BSD-3-Clause
// Running instances of quench as another process sees them: found by their telemetry sockets, asked
// in words.
//
// DPDK's socket is of kind SOCK_SEQPACKET: it greets with a line of JSON, then answers each command
// by one packet, {"/command": answer}, of at most 16 KiB.
#include "int.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <jansson.h>

#include "out/out.h"

#define REPLY   32768 // more than DPDK sends at once
#define COMMAND 1000  // DPDK reads 1024 bytes
#define WAIT_S  3     // longer than an instance waits for its lcore
#define SOCKET  "dpdk_telemetry.v2"

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
	dirs->user = geteuid();
	add_dir(dirs, getenv("XDG_RUNTIME_DIR"));
	add_dir(dirs, "/var/run");
	add_dir(dirs, "/tmp");
}

json_t *instance_printable(json_t *j)
{
	const char *text = json_string_value(j), *key;
	json_t *out = text                ? NULL
		      : json_is_object(j) ? json_object()
		      : json_is_array(j)  ? json_array()
					  : json_incref(j),
	       *of;
	size_t i;

	if (text) {
		size_t size = PRINTABLE_SIZE(strlen(text));
		char *buf = malloc(size);

		out = buf ? json_string(printable(buf, size, text)) : NULL;
		free(buf);
	}
	json_object_foreach(j, key, of) json_object_set_new(out, key, instance_printable(of));
	json_array_foreach(j, i, of) json_array_append_new(out, instance_printable(of));
	return out;
}

// Sends one command and receives one packet; NULL if none comes.
static json_t *exchange(int fd, const char *command)
{
	char *reply = malloc(REPLY);
	ssize_t n = -1;
	json_t *j = NULL, *as_shown;

	if (reply && send(fd, command, strlen(command), MSG_NOSIGNAL) >= 0)
		n = recv(fd, reply, REPLY, 0);
	if (n > 0)
		j = json_loadb(reply, (size_t)n, 0, NULL);
	free(reply);
	as_shown = instance_printable(j);
	json_decref(j);
	return as_shown;
}

bool instance_is_of(int fd, uid_t user)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == user;
}

// An open socket that a process of this user has greeted, or -1.
static int connected(const char *path, uid_t user)
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
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)); // of connect, too
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && instance_is_of(fd, user) &&
		recv(fd, greeting, sizeof(greeting), 0) > 0)
		return fd;
	close(fd); // its process is gone, is another user's, or is no DPDK's
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

// Whether the folder of a process was made by this user. Other users' folders are not even
// connected to, since their processes could keep us waiting.
static bool is_of(const char *folder, uid_t user)
{
	struct stat st;

	return lstat(folder, &st) == 0 && st.st_uid == user;
}

static unsigned look_into(
	struct instance *list, unsigned n, unsigned max, const char *dir, uid_t user)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && n < max && (e = readdir(d))) {
		struct instance i = {.fd = -1, .control = -1};
		char *folder = i.folder, path[sizeof(i.folder) + sizeof(SOCKET)];

		if (e->d_name[0] == '.')
			continue;
		snprintf(folder, sizeof(i.folder), "%s/%s", dir, e->d_name);
		if (!is_of(folder, user))
			continue;
		snprintf(path, sizeof(path), "%s/" SOCKET, folder);
		i.fd = connected(path, user);
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
		n = look_into(list, n, max, dirs->dir[i], dirs->user);
	qsort(list, n, sizeof(*list), by_pid);
	return n;
}

static bool instance_fits(const struct instance *i, const char *name)
{
	char pid[24];

	snprintf(pid, sizeof(pid), "%llu", (unsigned long long)i->pid);
	return !name || !strcmp(i->name, name) || !strcmp(pid, name);
}

// "first (pid 12), second (pid 34)": the instances that fit `name`, or all.
static void names_of(
	char *buf, size_t size, const struct instance *list, unsigned n, const char *name)
{
	size_t at = 0;

	*buf = '\0';
	for (unsigned i = 0; i < n && at < size; i++)
		if (instance_fits(&list[i], name))
			at += (size_t)snprintf(buf + at, size - at, "%s%s (pid %llu)",
				at ? ", " : "", list[i].name, (unsigned long long)list[i].pid);
}

// Returns whether `dir` belongs to another user, and writes the folder to show: that of a process
// in it, or `dir` itself if we may not open it.
static bool others(const char *dir, uid_t user, char *shown, size_t size)
{
	DIR *d = opendir(dir);
	bool found = !d && errno == EACCES;
	struct dirent *e;

	if (found)
		printable(shown, size, dir);
	while (d && !found && (e = readdir(d))) {
		char folder[400], path[sizeof(folder) + sizeof(SOCKET)];

		snprintf(folder, sizeof(folder), "%s/%s", dir, e->d_name);
		snprintf(path, sizeof(path), "%s/" SOCKET, folder);
		found = e->d_name[0] != '.' && !is_of(folder, user) &&
			(access(path, F_OK) == 0 || errno == EACCES);
		if (found)
			printable(shown, size, folder);
	}
	if (d)
		closedir(d);
	return found;
}

// No instance answers: perhaps because the instances belong to another user.
static int nobody(const struct instance_dirs *dirs, struct err *err)
{
	static const char start[] = "`quench run SCENARIO --clock real` starts one";
	char folder[PRINTABLE_SIZE(400)];

	for (unsigned i = 0; i < dirs->n; i++)
		if (others(dirs->dir[i], dirs->user, folder, sizeof(folder)))
			return err_set(err, -ENOENT,
				"no instance of this user is running; %s (%s is another user's)",
				start, folder);
	return err_set(err, -ENOENT, "no instance is running; %s", start);
}

// The number of the fitting instance in the list, or -errno and a line.
static int choose_instance(
	const struct instance *list, unsigned n, const char *name, struct err *err)
{
	char names[300];
	int at = -1;

	for (unsigned i = 0; i < n; i++) {
		if (!instance_fits(&list[i], name))
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
	int at = n ? choose_instance(list, n, name, err) : nobody(dirs, err);

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
	if (i->control >= 0)
		close(i->control);
	i->fd = i->control = -1;
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

uint64_t instance_number(const json_t *answer, const char *key)
{
	const json_t *v = json_object_get(answer, key);

	return json_is_string(v) ? strtoull(json_string_value(v), NULL, 0)
				 : (uint64_t)json_integer_value(v);
}

uint64_t instance_next(const json_t *answer, uint64_t from)
{
	uint64_t next = instance_number(answer, "next");

	return next > from ? next : 0; // or a false answer would keep us for ever
}
