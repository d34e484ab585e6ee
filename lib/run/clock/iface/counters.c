// SPDX-License-Identifier: BSD-3-Clause
// The counters that the kernel keeps of each network interface: one question of rtnetlink(7) and
// its answer.
#include "counters.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool ask(int s, unsigned index, struct rtnl_link_stats64 *to)
{
	struct {
		struct nlmsghdr head;
		struct if_stats_msg of;
	} q = {.head = {.nlmsg_len = sizeof(q),
		       .nlmsg_type = RTM_GETSTATS,
		       .nlmsg_flags = NLM_F_REQUEST},
		.of = {.ifindex = index, .filter_mask = 1u << (IFLA_STATS_LINK_64 - 1)}};
	_Alignas(struct nlmsghdr) char answer[4096];
	const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
	const struct rtattr *attr = (const struct rtattr *)(answer + sizeof(q));
	ssize_t n;

	if (send(s, &q, sizeof(q), 0) < 0)
		return false;
	n = recv(s, answer, sizeof(answer), 0);
	if (n < (ssize_t)(sizeof(q) + RTA_LENGTH(sizeof(*to))) ||
		head->nlmsg_type != RTM_NEWSTATS || attr->rta_type != IFLA_STATS_LINK_64)
		return false;
	memcpy(to, RTA_DATA(attr), sizeof(*to));
	return true;
}

bool iface_counters(unsigned index, struct rtnl_link_stats64 *to)
{
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bool known = s >= 0 && ask(s, index, to);

	if (s >= 0)
		close(s);
	return known;
}
