// SPDX-License-Identifier: BSD-3-Clause
// The kernel's network interfaces: messages of rtnetlink(7) about them.
#include "iface.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVE   32768 // a message of an interface has some 2 KiB
#define AWAIT_MS  500
#define LOWER_UP  0x10000u // IFF_LOWER_UP, which <net/if.h> lacks
#define POLL_MOST 64       // messages taken in one turn

static void attribute(struct iface_news *news, const struct rtattr *a)
{
	const char *value = (const char *)a + sizeof(*a);
	size_t n = a->rta_len - sizeof(*a);

	if (a->rta_type == IFLA_IFNAME)
		snprintf(news->name, sizeof(news->name), "%.*s", (int)strnlen(value, n), value);
	else if (a->rta_type == IFLA_MTU && n >= sizeof(news->mtu))
		memcpy(&news->mtu, value, sizeof(news->mtu));
	else if (a->rta_type == IFLA_NEW_NETNSID)
		news->moved = true;
}

// A message about an interface: header, struct ifinfomsg, attributes. False: it is not whole.
static bool read_link(struct iface_news *news, const uint8_t *bytes, size_t n, bool deleted)
{
	const unsigned able = IFF_RUNNING | LOWER_UP;
	struct ifinfomsg link;
	size_t at = NLMSG_ALIGN(sizeof(link));

	if (n < sizeof(link))
		return false;
	memcpy(&link, bytes, sizeof(link));
	// A bridge reports its ports in messages of its own family, in which a port that leaves the
	// bridge is deleted.
	if (link.ifi_family != AF_UNSPEC || link.ifi_index <= 0)
		return false;
	*news = (struct iface_news){.index = (unsigned)link.ifi_index,
		.deleted = deleted,
		.up = link.ifi_flags & IFF_UP,
		.carrier = (link.ifi_flags & able) == able};
	while (at < n && n - at >= sizeof(struct rtattr)) {
		const struct rtattr *a = (const void *)(bytes + at);

		if (a->rta_len < sizeof(*a) || a->rta_len > n - at)
			break;
		attribute(news, a);
		at += RTA_ALIGN(a->rta_len);
	}
	return true;
}

bool iface_parse(
	const void *bytes, size_t n, void (*take)(void *arg, const struct iface_news *), void *arg)
{
	const uint8_t *b = bytes;
	size_t at = 0;

	while (at < n && n - at >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr h;
		struct iface_news news;

		memcpy(&h, b + at, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > n - at)
			return false;
		if (h.nlmsg_type == NLMSG_DONE || h.nlmsg_type == NLMSG_ERROR)
			return true;
		if ((h.nlmsg_type == RTM_NEWLINK || h.nlmsg_type == RTM_DELLINK) &&
			read_link(&news, b + at + sizeof(h), h.nlmsg_len - sizeof(h),
				h.nlmsg_type == RTM_DELLINK))
			take(arg, &news);
		at += NLMSG_ALIGN(h.nlmsg_len);
	}
	return false;
}

void iface_update(struct iface *i, const struct iface_news *news)
{
	if (!i->present)
		return;
	i->present = !news->deleted;
	i->moved = news->deleted && news->moved;
	i->up = i->present && news->up;
	i->carrier = i->present && news->carrier;
	if (*news->name)
		memcpy(i->name, news->name, sizeof(i->name));
	if (news->mtu)
		i->mtu = news->mtu;
}

int iface_open(void)
{
	const struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	int rc;

	if (s < 0)
		return -errno;
	if (bind(s, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return s;
	rc = -errno;
	close(s);
	return rc;
}

int iface_ask(int socket)
{
	const struct {
		struct nlmsghdr h;
		struct ifinfomsg link;
	} ask = {.h = {.nlmsg_len = sizeof(ask),
			 .nlmsg_type = RTM_GETLINK,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};

	return send(socket, &ask, sizeof(ask), 0) < 0 ? -errno : 0;
}

struct watched {
	struct iface *i;
	unsigned n;
};

static void take_news(void *arg, const struct iface_news *news)
{
	const struct watched *w = arg;

	for (unsigned k = 0; k < w->n; k++)
		if (w->i[k].index == news->index)
			iface_update(&w->i[k], news);
}

// Receives once: -EAGAIN: nothing is there; 1: the answer to a question is whole.
static int receive(int socket, struct watched *w)
{
	_Alignas(struct nlmsghdr) uint8_t bytes[RECEIVE];
	struct sockaddr_nl from = {0};
	socklen_t size = sizeof(from);
	ssize_t n = recvfrom(socket, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &size);

	if (n < 0)
		return -errno;
	if (from.nl_pid != 0) // not from the kernel
		return 0;
	return iface_parse(bytes, (size_t)n, take_news, w);
}

// Marks interfaces that are missing in a list of all as gone. They were deleted while nobody
// listened; the kernel does not use their numbers again so soon.
static void look_for_gone(const struct watched *w)
{
	for (unsigned k = 0; k < w->n; k++) {
		char name[IFNAMSIZ];

		if (w->i[k].index && w->i[k].present && !if_indextoname(w->i[k].index, name))
			iface_update(&w->i[k],
				&(struct iface_news){.index = w->i[k].index, .deleted = true});
	}
}

void iface_poll(int socket, struct iface *i, unsigned n)
{
	struct watched w = {i, n};

	for (unsigned k = 0; k < POLL_MOST; k++) {
		int rc = receive(socket, &w);

		if (rc == -ENOBUFS) {
			look_for_gone(&w);
			iface_ask(socket);
		} else if (rc < 0 && rc != -EINTR) {
			return;
		}
	}
}

int iface_await(int socket, struct iface *i, unsigned n)
{
	struct watched w = {i, n};

	for (;;) {
		struct pollfd p = {.fd = socket, .events = POLLIN};
		int rc = receive(socket, &w);

		if (rc == 1)
			return 0;
		if (rc == 0 || rc == -EINTR || rc == -ENOBUFS)
			continue;
		if (rc != -EAGAIN)
			return rc;
		if (poll(&p, 1, AWAIT_MS) == 0)
			return -ETIMEDOUT;
	}
}
