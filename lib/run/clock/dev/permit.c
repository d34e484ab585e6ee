// SPDX-License-Identifier: BSD-3-Clause
// The capabilities that a driver needs of its process (capabilities(7)).
#include "permit.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *driver, *name;
	unsigned cap;
} needed[] = {
	{"net_af_packet", "CAP_NET_RAW", CAP_NET_RAW},
	{"net_af_xdp", "CAP_NET_RAW", CAP_NET_RAW},
	{"net_af_xdp", "CAP_NET_ADMIN", CAP_NET_ADMIN},
	{"net_af_xdp", "CAP_BPF", CAP_BPF},
	{"net_tap", "CAP_NET_ADMIN", CAP_NET_ADMIN},
};

const char *dev_not_permitted(const char *device, char *text, size_t size)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct has[2] = {0};
	size_t n = 0;

	*text = '\0';
	if (syscall(SYS_capget, &head, has) != 0)
		return text;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && n < size; i++) {
		unsigned cap = needed[i].cap;

		if (strncmp(device, needed[i].driver, strlen(needed[i].driver)) == 0 &&
			!(has[cap / 32].effective >> cap % 32 & 1))
			n += (size_t)snprintf(
				text + n, size - n, "%s%s", n ? ", " : "", needed[i].name);
	}
	return text;
}
