// SPDX-License-Identifier: BSD-3-Clause
// Floods a host: sends frames of one kind (tests/floods.h) by a raw socket, as fast as it goes, for
// so many ms. It prints how many.
// usage: flood KIND INTERFACE MAC IP PEER-IP QPN MS
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../floods.h"

#define FRAMES 8192
#define BURST  64

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec * 1e-6;
}

static int raw_socket(const char *interface)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(interface)};
	int s = socket(AF_PACKET, SOCK_RAW, 0);

	if (s >= 0 && at.sll_ifindex && !bind(s, (struct sockaddr *)&at, sizeof(at)))
		return s;
	perror(interface);
	exit(1);
}

static enum flood kind_of(const char *name)
{
	unsigned k = 0;

	while (k < FLOODS && strcmp(flood_name[k], name) != 0)
		k++;
	return k;
}

static void make(enum flood kind, const struct flood_target *t, struct mmsghdr *msg)
{
	static uint8_t bytes[FRAMES][FLOOD_MAX];
	static struct iovec at[FRAMES];
	struct prng g;

	prng_init(&g, 1, flood_name[kind]);
	for (unsigned i = 0; i < FRAMES; i++) {
		at[i] = (struct iovec){bytes[i], flood_frame(kind, t, &g, bytes[i])};
		msg[i].msg_hdr = (struct msghdr){.msg_iov = &at[i], .msg_iovlen = 1};
	}
}

int main(int argc, char **argv)
{
	static struct mmsghdr msg[FRAMES];
	struct flood_target t = {0};
	unsigned long sent = 0;
	double end;
	int s;

	if (argc != 8 || kind_of(argv[1]) == FLOODS ||
		sscanf(argv[3], "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &t.mac[0], &t.mac[1], &t.mac[2],
			&t.mac[3], &t.mac[4], &t.mac[5]) != 6) {
		fprintf(stderr, "usage: %s KIND INTERFACE MAC IP PEER-IP QPN MS\n", argv[0]);
		return 2;
	}
	t.ipv6 = strchr(argv[4], ':');
	inet_pton(t.ipv6 ? AF_INET6 : AF_INET, argv[4], t.ip);
	inet_pton(t.ipv6 ? AF_INET6 : AF_INET, argv[5], t.peer_ip);
	t.qpn = (uint32_t)strtoul(argv[6], NULL, 0);
	make(kind_of(argv[1]), &t, msg);
	s = raw_socket(argv[2]);
	end = now_ms() + strtod(argv[7], NULL);
	for (unsigned at = 0; now_ms() < end; at = (at + BURST) % FRAMES) {
		int n = sendmmsg(s, &msg[at], BURST, 0);

		sent += n > 0 ? (unsigned)n : 0;
	}
	printf("%lu\n", sent);
	close(s);
	return 0;
}
