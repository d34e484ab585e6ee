// SPDX-License-Identifier: BSD-3-Clause
// A shared object that is probably not firmware: for the test of the message about it.
#include "guest/guest.h"

void *fw_init(const struct fw_host *host, uint64_t now_ps)
{
	(void)now_ps;
	return host->nic;
}
