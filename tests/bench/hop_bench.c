// SPDX-License-Identifier: BSD-3-Clause
// How long a frame takes from one of the kernel's interfaces to another, through whatever forwards
// it between their far ends.
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "rt_flow.h"

#define OCTETS  64
#define WARM    200   // frames that do not count
#define IDLE_NS 20000 // between two frames; half of it is drawn
#define LOST_NS 1000000000ll
#define FIND_NS 20000000000ll // until the first frame comes through

static const struct flow_traffic traffic = {.flows = 1, .octets = OCTETS};

static void fail(const char *what)
{
	fprintf(stderr, "hop_bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int open_end(const char *interface)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0), one = 1;

	at.sll_ifindex = (int)if_nametoindex(interface);
	if (fd < 0 || !at.sll_ifindex ||
		setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) ||
		bind(fd, (struct sockaddr *)&at, sizeof(at)))
		fail(interface);
	return fd;
}

static void send_from(int fd, unsigned way)
{
	uint8_t bytes[2 * OCTETS];
	unsigned len = flow_write(&traffic, way, 0, bytes, sizeof(bytes));

	if (send(fd, bytes, len, 0) != (ssize_t)len)
		fail("a frame was not sent");
}

// When a frame of host a is here; 0: not within this time.
static long long came(int fd, long long most)
{
	uint8_t bytes[2048], sent[2 * OCTETS];
	long long from = now_ns(), now;

	flow_write(&traffic, 0, 0, sent, sizeof(sent));
	do {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);

		now = now_ns();
		if (n == OCTETS && !memcmp(bytes, sent, 12))
			return now;
	} while (now - from < most);
	return 0;
}

static int by_ns(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	unsigned n = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	long long *ns = calloc(n + 1, sizeof(*ns)), begin = now_ns();
	int a, b;

	if (!n || !ns) {
		fprintf(stderr, "usage: hop_bench INTERFACE INTERFACE SAMPLES\n");
		return 2;
	}
	a = open_end(argv[1]);
	b = open_end(argv[2]);
	do {
		if (now_ns() - begin > FIND_NS) {
			fprintf(stderr, "hop_bench: no frame comes through\n");
			return 1;
		}
		send_from(b, 1); // a switch learns where b is
		send_from(a, 0);
	} while (!came(b, LOST_NS));
	while (came(b, LOST_NS))
		;
	for (unsigned i = 0; i < WARM + n; i++) {
		long long from = now_ns(), until = from + IDLE_NS + rand() % IDLE_NS, to;

		while ((from = now_ns()) < until)
			;
		send_from(a, 0);
		to = came(b, LOST_NS);
		if (!to) {
			fprintf(stderr, "hop_bench: a frame was lost\n");
			return 1;
		}
		if (i >= WARM)
			ns[i - WARM] = to - from;
	}
	qsort(ns, n, sizeof(*ns), by_ns);
	printf("p50 %lld\np99 %lld\np999 %lld\nmost %lld\n", ns[n / 2], ns[n - n / 100 - 1],
		ns[n - n / 1000 - 1], ns[n - 1]);
	return 0;
}
