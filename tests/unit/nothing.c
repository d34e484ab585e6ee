// SPDX-License-Identifier: BSD-3-Clause
// A shared object that is hardly firmware: for the test of what is told of it.
#include "guest/guest.h"

void *fw_init(const struct fw_host *host, uint64_t now_ps)
{
	(void)now_ps;
	return host->nic;
}
