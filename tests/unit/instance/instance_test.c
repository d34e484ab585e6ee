// SPDX-License-Identifier: BSD-3-Clause
// The client of telemetry against sockets of its own: who is there, who is meant, answers and
// broken ones.
#include "instance/int.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include <jansson.h>

// A process as DPDK's telemetry shows it: it greets, answers /quench/info, echoes what else it is
// sent.
struct server {
	const char *prefix, *info;
	char path[108];
	int fd;
	pthread_t thread;
};

static struct instance_dirs dirs = {.n = 1};
static uid_t listens_as; // 0: as this process

#define PAGE(at, lines, next) \
	"{\"/quench/metrics\":{\"metrics\":[" lines "],\"at_ps\":" #at next "}}"

// Figures in two pages. Once in between another client has them made anew.
static const char *metrics_page(const char *command)
{
	static unsigned asked;

	if (!strcmp(command, "/quench/metrics,0,rubbish.*"))
		return PAGE(7, "\"queue.a.length_bytes x\"", "");
	if (!strcmp(command, "/quench/metrics,0"))
		return PAGE(9, "\"total.drops 1\"", "");
	if (!strcmp(command, "/quench/metrics,0,total.*"))
		return asked ? PAGE(7, "\"total.drops 3\"", ",\"next\":2")
			     : PAGE(5, "\"total.drops 2\"", ",\"next\":2");
	asked++;
	return PAGE(7, "\"total.goodput_gbps 9.50\",\"group.g.t_conv_us_total inf\"",
		",\"timing\":\"late\"");
}

static const char *answer(const struct server *sv, const char *command, char *buf, size_t size)
{
	if (!strncmp(command, "/quench/metrics,", 16))
		return metrics_page(command);
	if (!strcmp(command, "/quench/info"))
		return sv->info;
	if (!strcmp(command, "/quench/bad"))
		return "{\"/quench/bad\":{\"error\":\"no such thing; did you mean that?\"}}";
	if (!strcmp(command, "/quench/bad_words"))
		return "{\"/quench/bad_words\":{\"error\":\"no \\u001b[2J\\u009b31m\"}}";
	if (!strcmp(command, "/quench/words"))
		return "{\"/quench/words\":{\"names\":[\"a\\nb\",\"c\\u0007\"],\"n\":3}}";
	if (!strcmp(command, "/quench/unknown"))
		return "{\"/quench/unknown\":null}";
	if (!strcmp(command, "/quench/rubbish"))
		return "{\"/quench";
	snprintf(buf, size, "{\"/quench/echo\":{\"sent\":\"%s\"}}", command);
	return buf;
}

static void *serve(void *arg)
{
	static const char hello[] =
		"{\"version\":\"DPDK 22.11\",\"pid\":1,\"max_output_len\":16384}";
	struct server *sv = arg;

	for (int fd; (fd = accept(sv->fd, NULL, NULL)) >= 0; close(fd)) {
		char command[1024], buf[1200];

		send(fd, hello, strlen(hello), MSG_NOSIGNAL);
		for (ssize_t n; (n = recv(fd, command, sizeof(command) - 1, 0)) > 0;) {
			const char *text;

			command[n] = '\0';
			if (!strcmp(command, "/quench/hang_up"))
				break;
			text = answer(sv, command, buf, sizeof(buf));
			send(fd, text, strlen(text), MSG_NOSIGNAL);
		}
	}
	return NULL;
}

static void begin(struct server *sv)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char dir[80];

	snprintf(dir, sizeof(dir), "%.60s/%s", dirs.dir[0], sv->prefix);
	mkdir(dir, 0700);
	snprintf(sv->path, sizeof(sv->path), "%.80s/dpdk_telemetry.v2", dir);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", sv->path);
	sv->fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(bind(sv->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(syscall(SYS_setresuid, -1, listens_as ? listens_as : (uid_t)-1, -1),
		0); // this thread's alone
	assert_int_equal(listen(sv->fd, 4), 0);
	assert_int_equal(syscall(SYS_setresuid, -1, getuid(), -1), 0);
	pthread_create(&sv->thread, NULL, serve, sv);
}

static void end(struct server *sv)
{
	shutdown(sv->fd, SHUT_RDWR);
	close(sv->fd);
	pthread_join(sv->thread, NULL);
	unlink(sv->path);
	*strrchr(sv->path, '/') = '\0';
	rmdir(sv->path);
}

#define INFO(name, pid)                                                                 \
	"{\"/quench/info\":{\"instance\":\"" name "\",\"scenario\":\"s\",\"pid\":" #pid \
	",\"now_ps\":5,\"duration_ps\":9,\"dilate\":2}}"

static int made(void **state)
{
	(void)state;
	strcpy(dirs.dir[0], "/tmp/quench-instance-XXXXXX");
	dirs.user = geteuid();
	return mkdtemp(dirs.dir[0]) ? 0 : -1;
}

static int removed(void **state)
{
	(void)state;
	return rmdir(dirs.dir[0]);
}

static void refused(const char *name, int rc, const char *want)
{
	struct instance i;
	struct err err;

	assert_int_equal(instance_open(&i, name, &dirs, &err), rc);
	assert_string_equal(err.text, want);
}

static void the_only_one_need_not_be_named(void **state)
{
	struct server a = {.prefix = "quench-70", .info = INFO("first", 70)};
	struct instance i;
	struct err err;

	(void)state;
	refused(NULL, -ENOENT,
		"no instance is running; `quench run SCENARIO --clock real` starts one");
	begin(&a);
	for (unsigned k = 0; k < 3; k++) {
		static const char *const name[] = {NULL, "first", "70"};

		assert_int_equal(instance_open(&i, name[k], &dirs, &err), 0);
		assert_string_equal(i.name, "first");
		assert_string_equal(i.scenario, "s");
		assert_int_equal(i.pid, 70);
		assert_int_equal(i.now_ps, 5);
		assert_int_equal(i.duration_ps, 9);
		assert_int_equal(i.dilate, 2);
		instance_close(&i);
	}
	refused("second", -ENOENT, "no instance 'second' is running; there is first (pid 70)");
	end(&a);
}

static void of_several_one_is_named(void **state)
{
	struct server a = {.prefix = "a", .info = INFO("one", 12)};
	struct server b = {.prefix = "b", .info = INFO("two", 7)};
	struct server c = {.prefix = "c", .info = INFO("two", 30)};
	struct server other = {
		.prefix = "d", .info = "{\"/quench/info\":null}"}; // some DPDK process
	struct instance i;
	struct err err;

	(void)state;
	begin(&a);
	begin(&b);
	begin(&c);
	begin(&other);
	assert_int_equal(instance_open(&i, "one", &dirs, &err), 0);
	instance_close(&i);
	assert_int_equal(instance_open(&i, "30", &dirs, &err), 0);
	assert_int_equal(i.pid, 30);
	instance_close(&i);
	refused(NULL, -EEXIST,
		"more than one instance is running: two (pid 7), one (pid 12), two (pid 30); tell "
		"which, --instance NAME or PID");
	refused("two", -EEXIST,
		"more than one instance has that name: two (pid 7), two (pid 30); tell which, "
		"--instance NAME or PID");
	end(&a);
	end(&b);
	end(&c);
	end(&other);
}

static void a_socket_without_its_process_is_none(void **state)
{
	struct server a = {.prefix = "quench-71", .info = INFO("gone", 71)};

	(void)state;
	begin(&a);
	shutdown(a.fd, SHUT_RDWR);
	close(a.fd);
	a.fd = -1;
	refused(NULL, -ENOENT,
		"no instance is running; `quench run SCENARIO --clock real` starts one");
	end(&a);
}

static void answers_are_json_and_errors_lines(void **state)
{
	struct server a = {.prefix = "quench-72", .info = INFO("x", 72)};
	struct instance i;
	char wide[1100];
	struct err err;
	json_t *j;

	(void)state;
	begin(&a);
	assert_int_equal(instance_open(&i, NULL, &dirs, &err), 0);
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/echo,%s,%d", "h1", 3), 0);
	assert_string_equal(json_string_value(json_object_get(j, "sent")), "/quench/echo,h1,3");
	json_decref(j);
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/bad"), -EINVAL);
	assert_string_equal(err.text, "no such thing; did you mean that?");
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/unknown"), -EINVAL);
	assert_string_equal(err.text, "the instance does not know this command");
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/rubbish"), -EPIPE);
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	assert_int_equal(instance_ask(&i, &j, &err, "%s", wide), -EINVAL);
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/hang_up"), -EPIPE);
	assert_string_equal(err.text, "instance x (pid 72) answers no more");
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/echo"), -EPIPE);
	instance_close(&i);
	end(&a);
}

static void text_of_others_does_not_steer_the_terminal(void **state)
{
	struct server a = {.prefix = "quench-73", .info = INFO("x\\u001b[31m", 73)};
	struct server b = {.prefix = "quench-74", .info = INFO("y\\r", 74)};
	struct instance i;
	struct err err;
	json_t *j, *names;

	(void)state;
	begin(&a);
	begin(&b);
	refused(NULL, -EEXIST,
		"more than one instance is running: x\\x1b[31m (pid 73), y\\x0d (pid 74); tell "
		"which, --instance NAME or PID");
	assert_int_equal(instance_open(&i, "73", &dirs, &err), 0);
	assert_string_equal(i.name, "x\\x1b[31m");
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/bad_words"), -EINVAL);
	assert_string_equal(err.text, "no \\x1b[2J\\xc2\\x9b31m");
	assert_int_equal(instance_ask(&i, &j, &err, "/quench/words"), 0);
	names = json_object_get(j, "names");
	assert_string_equal(json_string_value(json_array_get(names, 0)), "a\\x0ab");
	assert_string_equal(json_string_value(json_array_get(names, 1)), "c\\x07");
	assert_int_equal(json_integer_value(json_object_get(j, "n")), 3);
	json_decref(j);
	instance_close(&i);
	end(&a);
	end(&b);
}

// A folder of this user, and one who listens there who is not.
static void one_who_listens_for_another_user_is_not_asked(void **state)
{
	struct server a = {.prefix = "quench-75", .info = INFO("x", 75)};

	(void)state;
	if (geteuid() != 0)
		skip(); // only root can be two users
	listens_as = 65534;
	begin(&a);
	listens_as = 0;
	refused("x", -ENOENT,
		"no instance is running; `quench run SCENARIO --clock real` starts one");
	end(&a);
}

static void sockets_of_other_users_are_not_asked(void **state)
{
	struct server a = {.prefix = "quench-\033[7m", .info = INFO("x", 76)};
	char want[300];

	(void)state;
	begin(&a);
	dirs.user++;
	snprintf(want, sizeof(want),
		"no instance of this user is running; `quench run SCENARIO --clock real` starts "
		"one "
		"(%s/quench-\\x1b[7m is another user's)",
		dirs.dir[0]);
	refused("x", -ENOENT, want);
	dirs.user--;
	end(&a);
}

static void folders_are_dpdks(void **state)
{
	struct instance_dirs d;

	(void)state;
	setenv("XDG_RUNTIME_DIR", "/run/user/5", 1);
	instance_dirs(&d);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.user, geteuid());
	assert_string_equal(d.dir[0], "/run/user/5/dpdk");
	assert_string_equal(d.dir[1], "/var/run/dpdk");
	assert_string_equal(d.dir[2], "/tmp/dpdk");
	setenv("XDG_RUNTIME_DIR", "/tmp", 1);
	instance_dirs(&d);
	assert_int_equal(d.n, 2);
	unsetenv("XDG_RUNTIME_DIR");
	instance_dirs(&d);
	assert_int_equal(d.n, 2);
}

static void figures_are_of_one_moment(void **state)
{
	struct server a = {.prefix = "quench-90", .info = INFO("first", 90)};
	struct instance i;
	struct metrics m;
	struct err err;

	(void)state;
	begin(&a);
	assert_int_equal(instance_open(&i, NULL, &dirs, &err), 0);
	assert_int_equal(metrics_ask(&m, &i, "total.*", &err), 0);
	assert_int_equal(m.n, 3);
	assert_int_equal(m.at_ps, 7);
	assert_int_equal(m.pages, 2);
	assert_string_equal(m.list[0].path, "total.drops");
	assert_true(m.list[0].value == 3 && m.list[0].decimals == 0);
	assert_true(m.list[1].value == 9.5 && m.list[1].decimals == 2);
	assert_true(isinf(m.list[2].value) && m.list[2].decimals == 0);
	assert_string_equal(m.timing, "late");
	metrics_free(&m);
	assert_int_equal(metrics_ask(&m, &i, "", &err), 0);
	assert_int_equal(m.n, 1);
	assert_string_equal(m.timing, "");
	metrics_free(&m);
	assert_int_equal(metrics_ask(&m, &i, "rubbish.*", &err), -EPROTO);
	assert_string_equal(
		err.text, "the instance's answer is not understood: queue.a.length_bytes x");
	metrics_free(&m);
	instance_close(&i);
	end(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_one_need_not_be_named),
		cmocka_unit_test(of_several_one_is_named),
		cmocka_unit_test(a_socket_without_its_process_is_none),
		cmocka_unit_test(answers_are_json_and_errors_lines),
		cmocka_unit_test(text_of_others_does_not_steer_the_terminal),
		cmocka_unit_test(one_who_listens_for_another_user_is_not_asked),
		cmocka_unit_test(sockets_of_other_users_are_not_asked),
		cmocka_unit_test(folders_are_dpdks),
		cmocka_unit_test(figures_are_of_one_moment),
	};

	return cmocka_run_group_tests(tests, made, removed);
}
