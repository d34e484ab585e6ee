// SPDX-License-Identifier: BSD-3-Clause
// The argument vector for DPDK: what is ours, what the user's own replaces. And its words: kept
// aside, shown on failure and when the process dies.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "eal/args.h"

static const unsigned two[] = {0, 1};
static struct scene_port port = {.name = "s:r"};
static struct scene_node node = {.n_ports = 1, .port = &port};
static struct scene scene = {.n_nodes = 1, .node = &node};

static const char *composed(struct eal_params p)
{
	static char line[4096];
	static struct eal_args a;
	size_t n = 0;

	p.scene = &scene;
	p.pid = 7;
	p.need_bytes = 99 * 1048576u;
	assert_int_equal(eal_compose(&a, &p), 0);
	for (int i = 0; i < a.argc; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", i ? " " : "", a.argv[i]);
	return line;
}

static void in_memory_with_hugepages(void **state)
{
	(void)state;
	port.device = NULL;
	assert_string_equal(composed((struct eal_params){.cpu = two, .n_cpus = 2}),
		"quench --lcores=0@0,1@1 --main-lcore=0 --file-prefix=quench-7 --no-pci "
		"--in-memory --log-level=error");
}

static void memory_is_given_without_hugepages(void **state)
{
	(void)state;
	port.device = (char *)"net_null0";
	assert_string_equal(composed((struct eal_params){.cpu = two, .n_cpus = 2, .no_huge = true}),
		"quench --lcores=0@0,1@1 --main-lcore=0 --file-prefix=quench-7 --no-pci "
		"--no-huge --no-shconf -m 100 --log-level=error");
}

static void one_processor_serves_both(void **state)
{
	const unsigned five = 5;

	(void)state;
	port.device = NULL;
	assert_string_equal(composed((struct eal_params){.cpu = &five, .n_cpus = 1}),
		"quench --lcores=5@5,127@5 --main-lcore=127 --file-prefix=quench-7 --no-pci "
		"--in-memory --log-level=error");
}

static void as_many_work_as_are_asked_for(void **state)
{
	const unsigned four[] = {0, 1, 4, 5};

	(void)state;
	port.device = NULL;
	assert_non_null(
		strstr(composed((struct eal_params){.cpu = four, .n_cpus = 4, .n_workers = 2}),
			" --lcores=0@0,1@1,4@4 --main-lcore=0 "));
	assert_non_null(
		strstr(composed((struct eal_params){.cpu = four, .n_cpus = 4, .n_workers = 3}),
			" --lcores=0@0,1@1,4@4,5@5 --main-lcore=0 "));
	assert_non_null(
		strstr(composed((struct eal_params){.cpu = four, .n_cpus = 4, .n_workers = 4}),
			" --lcores=0@0,1@1,4@4,5@5,127@0 --main-lcore=127 "));
}

static void a_pci_device_is_allowed(void **state)
{
	(void)state;
	port.device = (char *)"3b:00.1,mprq_en=1";
	assert_non_null(strstr(composed((struct eal_params){.cpu = two, .n_cpus = 2}),
		" --allow=0000:3b:00.1,mprq_en=1 "));
	assert_null(strstr(composed((struct eal_params){.cpu = two, .n_cpus = 2}), "--no-pci"));
}

static void the_users_own_replace_ours(void **state)
{
	char *user[] = {(char *)"-l", (char *)"0,1", (char *)"--file-prefix=x", (char *)"-m64",
		(char *)"--log-level", (char *)"debug"};

	(void)state;
	port.device = NULL;
	assert_string_equal(composed((struct eal_params){.cpu = two,
				    .n_cpus = 2,
				    .no_huge = true,
				    .user = user,
				    .n_user = 6,
				    .program = "q"}),
		"q --no-pci --no-huge --no-shconf -l 0,1 --file-prefix=x -m64 "
		"--log-level debug");
}

static void files_in_hugepages_do_not_stay(void **state)
{
	char *dir[] = {(char *)"--huge-dir", (char *)"/mnt"},
	     *keeps = (char *)"--huge-unlink=never";
	struct eal_params p = {.cpu = two, .n_cpus = 2, .user = dir, .n_user = 2};

	(void)state;
	port.device = NULL;
	assert_non_null(strstr(composed(p), " --huge-unlink --log-level=error --huge-dir /mnt"));
	p.user = &keeps;
	p.n_user = 1;
	assert_non_null(strstr(composed(p), " --no-pci --log-level=error --huge-unlink=never"));
}

static void too_many_are_refused(void **state)
{
	char *user[EAL_ARGS];
	struct eal_args a;
	struct eal_params p = {
		.scene = &scene, .cpu = two, .n_cpus = 2, .user = user, .n_user = EAL_ARGS};

	(void)state;
	for (unsigned i = 0; i < EAL_ARGS; i++)
		user[i] = (char *)"--no-hpet";
	assert_int_equal(eal_compose(&a, &p), -E2BIG);
}

static void pci_addresses(void **state)
{
	char name[16];

	(void)state;
	assert_true(eal_pci("0000:3b:00.0", name, sizeof(name)));
	assert_string_equal(name, "0000:3b:00.0");
	assert_true(eal_pci("3B:01.7,x=y", name, sizeof(name)));
	assert_string_equal(name, "0000:3b:01.7");
	assert_false(eal_pci("net_null0", name, sizeof(name)));
	assert_false(eal_pci("3b:00.0x", name, sizeof(name)));
	assert_false(eal_pci("eth0", name, sizeof(name)));
}

static bool there(const char *dir, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void folder(const char *dir, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

// A run that was killed leaves its folder, with the socket in it; others' folders are theirs.
static void what_killed_runs_left_is_swept(void **state)
{
	char dir[] = "/tmp/quench-sweep-XXXXXX", own[32], gone[32], sock[160];
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_non_null(mkdtemp(dir));
	snprintf(own, sizeof(own), "quench-%d", (int)getpid());
	snprintf(gone, sizeof(gone), "quench-%d", (int)pid);
	folder(dir, own);
	folder(dir, gone);
	folder(dir, "quench-bench-1");
	folder(dir, "rte");
	snprintf(sock, sizeof(sock), "%s/%s/dpdk_telemetry.v2", dir, gone);
	fclose(fopen(sock, "w"));
	snprintf(sock, sizeof(sock), "%s/%s/fbarray_memzone", dir, gone); // with --huge-dir
	fclose(fopen(sock, "w"));
	eal_sweep(dir);
	assert_true(there(dir, own));
	assert_false(there(dir, gone));
	assert_true(there(dir, "quench-bench-1"));
	assert_true(there(dir, "rte"));
	eal_sweep("/nonexistent");
	snprintf(sock, sizeof(sock), "rm -r %s", dir);
	assert_int_equal(system(sock), 0);
}

static const char words[] = "libbpf: elf: skipping\nEAL: find(): no such bus\nand so on\n"
			    "EAL: Failed to attach device on primary process\n";

static void libraries_talk(void)
{
	assert_int_equal(write(STDERR_FILENO, words, sizeof(words) - 1), sizeof(words) - 1);
}

static void a_step_that_fails(void)
{
	eal_log_begin();
	libraries_talk();
	fprintf(stderr, "<%s>\n", eal_log_end(true));
}

static void a_step_that_does_not(void)
{
	eal_log_begin();
	libraries_talk();
	fprintf(stderr, "<%s>\n", eal_log_end(false));
}

static void a_silent_step(void)
{
	eal_log_begin();
	fprintf(stderr, "<%s>\n", eal_log_end(true));
}

static void a_crash(void)
{
	const struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_DFL);
	eal_log_begin();
	libraries_talk();
	raise(SIGSEGV);
}

static void an_exit(void)
{
	eal_log_begin();
	libraries_talk();
	exit(7);
}

// The standard error of a process that does `what`, and how it ended.
static const char *said(void (*what)(void), int *status)
{
	static char text[400];
	int fd[2];
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		what();
		_exit(0);
	}
	close(fd[1]);
	while ((got = read(fd[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(pid, status, 0), pid);
	return text;
}

static void chatter_is_shown_on_failure_only(void **state)
{
	int status;

	(void)state;
	assert_string_equal(said(a_step_that_does_not, &status), "<no such bus>\n");
	assert_string_equal(said(a_step_that_fails, &status),
		"libbpf: elf: skipping\nand so on\n<no such bus>\n");
	assert_string_equal(said(a_silent_step, &status), "<>\n");
}

static void last_words_are_not_lost(void **state)
{
	int status;

	(void)state;
	assert_string_equal(said(a_crash, &status), words);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_string_equal(said(an_exit, &status), words);
	assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_memory_with_hugepages),
		cmocka_unit_test(memory_is_given_without_hugepages),
		cmocka_unit_test(one_processor_serves_both),
		cmocka_unit_test(as_many_work_as_are_asked_for),
		cmocka_unit_test(a_pci_device_is_allowed),
		cmocka_unit_test(the_users_own_replace_ours),
		cmocka_unit_test(files_in_hugepages_do_not_stay),
		cmocka_unit_test(too_many_are_refused),
		cmocka_unit_test(pci_addresses),
		cmocka_unit_test(what_killed_runs_left_is_swept),
		cmocka_unit_test(chatter_is_shown_on_failure_only),
		cmocka_unit_test(last_words_are_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
