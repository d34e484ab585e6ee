// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes are read as messages of rtnetlink without fault; interfaces stay what an
// interface can be. The same bytes are read again with lengths and types made right.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "fuzz.h"
#include "iface/iface.h"

#define WATCHED 4 // interfaces, with the numbers 1 and on

struct known {
	struct iface i[WATCHED];
	unsigned taken;
};

static void take(void *arg, const struct iface_news *news)
{
	struct known *k = arg;

	fuzz_check(news->index && news->index <= INT32_MAX);
	fuzz_check(strnlen(news->name, sizeof(news->name)) < sizeof(news->name));
	k->taken++;
	for (unsigned n = 0; n < WATCHED; n++) {
		struct iface *i = &k->i[n];
		bool was = i->present;

		if (i->index != news->index)
			continue;
		iface_update(i, news);
		fuzz_check(!i->present || (was && !news->deleted));
		fuzz_check(i->present || (!i->up && !i->carrier) || !was);
		fuzz_check(!i->moved || !i->present);
		fuzz_check(strnlen(i->name, sizeof(i->name)) < sizeof(i->name));
	}
}

static void parse(const uint8_t *bytes, size_t size)
{
	struct known k = {0};

	for (unsigned n = 0; n < WATCHED; n++)
		k.i[n] = (struct iface){.index = n + 1, .name = "eth", .present = true};
	iface_parse(bytes, size, take, &k);
	fuzz_check(k.taken <= size / (sizeof(struct nlmsghdr) + sizeof(struct ifinfomsg)));
}

static void mend_attributes(uint8_t *bytes, size_t n)
{
	for (size_t at = 0; n - at >= sizeof(struct rtattr);) {
		struct rtattr a;

		memcpy(&a, bytes + at, sizeof(a));
		if (a.rta_len > n - at)
			a.rta_len %= 64;
		if (a.rta_len < sizeof(a))
			a.rta_len = sizeof(a);
		if (a.rta_len > n - at)
			a.rta_len = (unsigned short)(n - at);
		memcpy(bytes + at, &a, sizeof(a));
		if (RTA_ALIGN(a.rta_len) > n - at)
			return;
		at += RTA_ALIGN(a.rta_len);
	}
}

// No length reaches beyond the bytes, and each message becomes one about a link.
static void mend(uint8_t *bytes, size_t size)
{
	for (size_t at = 0; size - at >= sizeof(struct nlmsghdr);) {
		const size_t head = sizeof(struct nlmsghdr) + sizeof(struct ifinfomsg);
		struct nlmsghdr h;

		memcpy(&h, bytes + at, sizeof(h));
		if (h.nlmsg_len > size - at)
			h.nlmsg_len %= 256;
		if (h.nlmsg_len < head)
			h.nlmsg_len = head;
		if (h.nlmsg_len > size - at)
			h.nlmsg_len = (uint32_t)(size - at);
		if (h.nlmsg_type != RTM_DELLINK)
			h.nlmsg_type = RTM_NEWLINK;
		memcpy(bytes + at, &h, sizeof(h));
		if (h.nlmsg_len >= head) {
			bytes[at + sizeof(h)] = 0; // the family
			mend_attributes(bytes + at + head, h.nlmsg_len - head);
		}
		if (NLMSG_ALIGN(h.nlmsg_len) > size - at)
			return;
		at += NLMSG_ALIGN(h.nlmsg_len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	fuzz_check(copy);
	memcpy(copy, data, size);
	parse(copy, size);
	mend(copy, size);
	parse(copy, size);
	free(copy);
	return 0;
}
