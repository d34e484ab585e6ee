// SPDX-License-Identifier: BSD-3-Clause
// How long a frame takes from one of the kernel's interfaces to another, through whatever forwards
// it between their far ends. Frames are of many flows in turn, with MAC addresses of their own,
// which go through both ways before anything is measured.
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
#define PASSES  4     // times that all flows go through both ways first
#define IDLE_NS 20000 // between two frames; half of it is drawn
#define LOST_NS 1000000000ll
#define FIND_NS 60000000000ll // until the first frame comes through

static struct flow_traffic traffic = {.macs = true, .octets = OCTETS};

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

// Frame number k of a way goes out of its end.
static void send_frame(int fd, unsigned way, unsigned k)
{
	uint8_t bytes[2 * OCTETS];
	unsigned len = flow_write(&traffic, way, k, bytes, sizeof(bytes));

	if (send(fd, bytes, len, 0) != (ssize_t)len)
		fail("a frame was not sent");
}

// When frame number k of a way is here, as it was sent; 0: not within this time.
static long long came(int fd, unsigned way, unsigned k, long long most)
{
	uint8_t bytes[2048], sent[2 * OCTETS];
	unsigned len = flow_write(&traffic, way, k, sent, sizeof(sent));
	long long from = now_ns(), now;

	do {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);

		now = now_ns();
		if (n == (ssize_t)len && !memcmp(bytes, sent, len))
			return now;
	} while (now - from < most);
	return 0;
}

// ns that frame number k takes from an end to the other one, after a pause.
static long long hop(const int fd[2], unsigned way, unsigned k, long long idle)
{
	long long from = now_ns(), until = from + idle, to;

	while ((from = now_ns()) < until)
		;
	send_frame(fd[way], way, k);
	to = came(fd[!way], way, k, LOST_NS);
	if (!to) {
		fprintf(stderr, "hop_bench: a frame was lost\n");
		exit(1);
	}
	return to - from;
}

// Waits for whatever forwards, and lets it learn where all addresses are.
static void learn(const int fd[2])
{
	long long begin = now_ns();

	do {
		if (now_ns() - begin > FIND_NS) {
			fprintf(stderr, "hop_bench: no frame comes through\n");
			exit(1);
		}
		send_frame(fd[1], 1, 0);
	} while (!came(fd[0], 1, 0, FIND_NS / 300));
	for (unsigned i = 0; i < PASSES * traffic.flows; i++)
		for (unsigned way = 2; way--;) // a switch learns first where those of way 1 are
			hop(fd, way, i, 0);
}

static int by_ns(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	unsigned n = argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	long long *ns = calloc(n + 1, sizeof(*ns));
	int fd[2];

	traffic.flows = argc == 5 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	if (!n || !ns || !traffic.flows) {
		fprintf(stderr, "usage: hop_bench INTERFACE INTERFACE FLOWS SAMPLES\n");
		return 2;
	}
	for (unsigned i = 0; i < 2; i++)
		fd[i] = open_end(argv[1 + i]);
	learn(fd);
	for (unsigned i = 0; i < n; i++)
		ns[i] = hop(fd, 0, i, IDLE_NS + rand() % IDLE_NS);
	qsort(ns, n, sizeof(*ns), by_ns);
	printf("p50 %lld\np99 %lld\np999 %lld\nmost %lld\n", ns[n / 2], ns[n - n / 100 - 1],
		ns[n - n / 1000 - 1], ns[n - 1]);
	free(ns);
	return 0;
}
