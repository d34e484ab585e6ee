// SPDX-License-Identifier: BSD-3-Clause
// Handlers of a driver come into no burst: the peer of a net_memif comes and goes while a thread
// polls, on the very processor on which DPDK's interrupt thread runs, so that its handlers stop
// that thread anywhere. Without visits a burst reads memory that is gone.
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "../eal_lab.h"
#include "dev/dev.h"
#include "dev/notice.h"

#define ROUNDS      60
#define LOOKS       20000 // at a link, of 100 us each
#define LOOK_US     100
#define DEVICE_NAME 128

static char dir[] = "/tmp/quench-rt-visit-XXXXXX";

struct poller {
	struct dev *d;
	cpu_set_t cpu;
	atomic_bool end;
	_Atomic uint64_t frames;
};

static int start(void **state)
{
	(void)state;
	return eallab_start("net_null0", 100 * RATE_GBPS) || !mkdtemp(dir);
}

static int finish(void **state)
{
	return eallab_finish(state) || rmdir(dir);
}

// Binds DPDK's interrupt thread to the first processor that this process may use: *cpu.
static void confine_handlers(cpu_set_t *cpu)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *e;
	cpu_set_t all;
	int first = 0, found = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(cpu);
	CPU_SET(first, cpu);
	while ((e = readdir(tasks))) {
		char path[64], name[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(name, sizeof(name), f) && !strncmp(name, "eal-intr", 8))
			found += !sched_setaffinity(atoi(e->d_name), sizeof(*cpu), cpu);
		if (f)
			fclose(f);
	}
	closedir(tasks);
	assert_int_equal(found, 1);
}

static void *poll_it(void *arg)
{
	struct poller *p = arg;
	struct rte_mbuf *m[EAL_BURST];

	pthread_setaffinity_np(pthread_self(), sizeof(p->cpu), &p->cpu);
	while (!atomic_load(&p->end)) {
		unsigned n = dev_burst_rx(p->d, 0, m, EAL_BURST);

		rte_pktmbuf_free_bulk(m, n);
		p->frames += n;
		if (rte_pktmbuf_alloc_bulk(pool, m, 1) == 0 && !dev_burst_tx(p->d, 0, m, 1))
			rte_pktmbuf_free(m[0]);
	}
	return NULL;
}

// The device keeps the name `device`.
static void opened(struct dev *d, char device[DEVICE_NAME], const char *name, const char *role)
{
	struct err err = {0};

	snprintf(device, DEVICE_NAME, "%s,role=%s,socket=%s/cable,socket-abstract=no", name, role,
		dir);
	port.device = device;
	if (dev_open(d, &port, pool, &err) || dev_start(d, &err))
		fail_msg("%s", err.text);
}

// Whether its link comes up, or goes down.
static bool comes(const struct dev *d, bool up)
{
	for (unsigned i = 0; i < LOOKS; i++, usleep(LOOK_US)) {
		struct rte_eth_link link;

		if (rte_eth_link_get_nowait(d->id, &link) == 0 && link.link_status == up)
			return true;
	}
	return false;
}

static void send_one(struct dev *d)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	rte_pktmbuf_append(m, 60);
	if (!dev_burst_tx(d, 0, &m, 1))
		rte_pktmbuf_free(m);
}

// Whether frames of the client reach the poller, which may have to wait for its processor.
static bool reaches(struct dev *client, struct poller *p)
{
	for (unsigned i = 0; i < LOOKS && !atomic_load(&p->frames); i++, usleep(LOOK_US))
		send_one(client);
	return atomic_load(&p->frames) > 0;
}

static void a_peer_may_come_and_go(void **state)
{
	char device[2][DEVICE_NAME];
	struct dev server, client;
	struct poller p = {.d = &server};
	pthread_t thread;
	struct err err = {0};

	(void)state;
	opened(&server, device[0], "net_memif0", "server");
	opened(&client, device[1], "net_memif1", "client");
	confine_handlers(&p.cpu);
	assert_int_equal(pthread_create(&thread, NULL, poll_it, &p), 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		assert_true(comes(&server, true));
		assert_true(comes(&client, true));
		if (i == 0)
			assert_true(reaches(&client, &p));
		send_one(&client);
		dev_stop(&client);
		assert_true(comes(&server, false));
		dev_notice_free(client.notice);
		if (dev_start(&client, &err))
			fail_msg("%s", err.text);
	}
	atomic_store(&p.end, true);
	pthread_join(thread, NULL);
	dev_stop(&server);
	dev_stop(&client);
	dev_close(&server);
	dev_close(&client);
}

static void handlers_wait_for_visits(void **state)
{
	char device[2][DEVICE_NAME];
	struct dev server, client;

	(void)state;
	opened(&server, device[0], "net_memif2", "server");
	opened(&client, device[1], "net_memif3", "client");
	assert_true(comes(&server, true));
	eal_visit_wait();
	dev_settle(&client);
	rte_eth_dev_stop(client.id); // the end of the connection is an event of the server
	for (unsigned i = 0; i < 100; i++, usleep(LOOK_US)) {
		struct rte_eth_link link;

		rte_eth_link_get_nowait(server.id, &link);
		assert_true(link.link_status);
	}
	eal_visit_end();
	assert_true(comes(&server, false));
	dev_stop(&server);
	dev_stop(&client);
	dev_close(&server);
	dev_close(&client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_may_come_and_go),
		cmocka_unit_test(handlers_wait_for_visits),
	};

	return cmocka_run_group_tests(tests, start, finish);
}
