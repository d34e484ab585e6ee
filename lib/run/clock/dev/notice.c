// SPDX-License-Identifier: BSD-3-Clause
// Properties of a device's frames that their sender probably did not intend: checksums that were
// left to a NIC, and tags that the driver changes.
//
// The kernel takes the outer VLAN tag out of a frame, and net_af_packet puts a tag of 802.1Q in
// again, always. The driver does not say which tag it was. So a socket of our own, which keeps
// nothing, counts the frames that had an 802.1ad tag.
#include "notice.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arg.h"
#include "wire/eth.h"

#define SAMPLE_LEAST 8 // of the sample, before it says anything
#define LINUX_ALL    3 // ETH_P_ALL of <linux/if_ether.h>, whose names are those of ours

struct dev_notice {
	int tagged; // a socket that counts frames with an 802.1ad tag; -1: none
	bool said_sums, said_tags;
	char iface[IFNAMSIZ];
};

static int count_tagged(const char *iface)
{
	static struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_VLAN_TPID)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_8021AD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	static const struct sock_fprog program = {.len = sizeof(f) / sizeof(f[0]), .filter = f};
	const struct sockaddr_ll here = {.sll_family = AF_PACKET,
		.sll_protocol = htons(LINUX_ALL),
		.sll_ifindex = (int)if_nametoindex(iface)};
	int s = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1, least = 1;

	if (s < 0)
		return -1;
	setsockopt(s, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	if (setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0 ||
		setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) != 0 ||
		bind(s, (const struct sockaddr *)&here, sizeof(here)) != 0) {
		close(s);
		return -1;
	}
	return s;
}

struct dev_notice *dev_notice_new(const struct dev *d)
{
	struct dev_notice *n = calloc(1, sizeof(*n));
	const char *driver = "net_af_packet";

	if (!n)
		return NULL;
	n->tagged = -1;
	if (dev_arg(d->port->device, "iface", n->iface, sizeof(n->iface)) &&
		strncmp(d->port->device, driver, strlen(driver)) == 0)
		n->tagged = count_tagged(n->iface);
	return n;
}

void dev_notice_free(struct dev_notice *n)
{
	if (n && n->tagged >= 0)
		close(n->tagged);
	free(n);
}

static bool wrong_sums(struct dev *d, char *line, size_t size)
{
	const struct mbuf_sums *s = &d->parse.sums;
	unsigned seen = s->seen, wrong = s->wrong;

	if (seen < SAMPLE_LEAST || wrong <= seen / 2)
		return false;
	snprintf(line, size,
		"port %s: %u of a sample of %u TCP and UDP frames from %s have a wrong checksum: "
		"their sender leaves it to a NIC; ethtool -K INTERFACE tx off there makes it right",
		d->port->name, wrong, seen, *d->notice->iface ? d->notice->iface : d->port->device);
	return true;
}

static bool changed_tags(struct dev *d, char *line, size_t size)
{
	struct tpacket_stats stats = {0};
	socklen_t len = sizeof(stats);

	if (d->notice->tagged < 0 ||
		getsockopt(d->notice->tagged, SOL_PACKET, PACKET_STATISTICS, &stats, &len) != 0 ||
		!stats.tp_packets)
		return false;
	snprintf(line, size,
		"port %s: frames with an 802.1ad tag come from %s, net_af_packet gives them an "
		"802.1Q tag instead; net_af_xdp leaves tags as they are",
		d->port->name, d->notice->iface);
	return true;
}

bool dev_notice(struct dev *d, char *line, size_t size)
{
	struct dev_notice *n = d->notice;

	if (n && !n->said_sums && wrong_sums(d, line, size))
		return n->said_sums = true;
	if (n && !n->said_tags && changed_tags(d, line, size))
		return n->said_tags = true;
	return false;
}
