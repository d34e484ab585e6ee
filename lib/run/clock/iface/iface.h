// SPDX-License-Identifier: BSD-3-Clause
// The kernel's network interfaces, as rtnetlink(7) tells of them: there, up, with a carrier, MTU.
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"

// One interface that is watched.
struct iface {
	unsigned index; // the kernel's number of it; 0: none
	char name[IFNAMSIZ];
	bool present; // false once it has been deleted or has left this network namespace
	bool moved;   // it has left
	bool up;      // as its owner wants it (IFF_UP)
	bool carrier; // it can send and receive
	uint32_t mtu; // of its payload; 0: not known
};

// The news of one interface from messages.
struct iface_news {
	unsigned index;
	bool deleted, up, carrier;
	bool moved;          // deleted here: it is in another network namespace now
	char name[IFNAMSIZ]; // "": not said
	uint32_t mtu;        // 0: not said
};

#pragma GCC visibility push(hidden)
// Hands out the news of n bytes of rtnetlink messages. They may be cut or garbage; incomplete
// messages are skipped. Returns true if a list ends here (NLMSG_DONE) or an error is reported.
bool iface_parse(
	const void *bytes, size_t n, void (*take)(void *arg, const struct iface_news *), void *arg);
// Updates an interface by news; news->index must be i->index. An interface that was deleted stays
// deleted.
void iface_update(struct iface *i, const struct iface_news *news);
#pragma GCC visibility pop

// Opens a socket that gets news of interfaces. Returns it, or -errno.
int iface_open(void);
// Asks for the state of all interfaces; the answer comes as changes do.
int iface_ask(int socket);
// Takes the messages that have arrived, without waiting, into those of i[0] to i[n - 1] that they
// are about. If the kernel lost messages, it asks again for the state of all interfaces.
void iface_poll(int socket, struct iface *i, unsigned n);
// Like iface_poll(), but waits some ms for the whole answer to iface_ask().
int iface_await(int socket, struct iface *i, unsigned n);

#include "counters.h"
#include "ethtool.h"
#include "mac.h"
