// SPDX-License-Identifier: BSD-3-Clause
// Firmware that crashes, or does not come back: its arguments say where and how, "CALL HOW" or
// "CALL HOW FROM_US".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/guest.h"

#define US 1000000ull // ps

struct crashes {
	const struct fw_host *host;
	char call[16], how[16];
	uint64_t from; // it crashes in no call before, ps
	uint64_t next;
};

#define HOSTS 8 // of a run and its rehearsal

static struct crashes all[HOSTS]; // a crash would leave what is allocated behind
static unsigned n_hosts;
static int *volatile nowhere;
static volatile int zero, seven = 7;

// Until there is no stack left.
static unsigned deeper(unsigned n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return zero ? n : deeper(n + 1) + (unsigned char)room[0];
}

// A signal is to end it, and not UBSan.
__attribute__((no_sanitize("undefined"))) static void crash(const struct crashes *c)
{
	struct fw_place p = {0};

	if (!strcmp(c->how, "null"))
		*nowhere = 1;
	else if (!strcmp(c->how, "divide"))
		zero = seven / zero;
	else if (!strcmp(c->how, "trap"))
		__builtin_trap();
	else if (!strcmp(c->how, "abort"))
		abort();
	else if (!strcmp(c->how, "hang"))
		while (!zero)
			;
	else if (!strcmp(c->how, "sleep"))
		sleep(1000);
	else if (!strcmp(c->how, "stack"))
		zero = (int)(deeper(0) & 0);
	else if (!c->host->find(c->host->nic, "RATE_MEM", 1, &p)) // "value": its pointer is none
		c->host->read(c->host->nic, &p, (uint64_t *)nowhere);
}

static void reached(const struct crashes *c, const char *call, uint64_t now_ps)
{
	if (!strcmp(c->call, call) && now_ps >= c->from)
		crash(c);
}

void *fw_init(const struct fw_host *host, uint64_t now_ps)
{
	struct crashes *c = &all[n_hosts++ % HOSTS];
	struct fw_place p;
	unsigned from = 0;

	if (sscanf(host->args, "%15s %15s %u", c->call, c->how, &from) < 2)
		return NULL;
	c->host = host;
	c->from = from * US;
	c->next = now_ps + US;
	if (!host->find(host->nic, "cnp_int_en", 0, &p))
		host->write(host->nic, &p, 1);
	reached(c, "fw_init", now_ps);
	return c;
}

void fw_fini(void *fw)
{
	const struct crashes *c = fw;
	struct fw_place p;
	uint64_t value;

	if (!c->host->find(c->host->nic, "RATE_MEM", 1, &p) &&
		!c->host->read(c->host->nic, &p, &value))
		abort(); // registers are out of reach
	reached(c, "fw_fini", UINT64_MAX);
}

uint64_t fw_deadline(void *fw)
{
	struct crashes *c = fw;

	reached(c, "fw_deadline", c->next);
	return c->next;
}

void fw_event(void *fw, uint32_t qp, uint64_t now_ps)
{
	(void)qp;
	reached(fw, "fw_event", now_ps);
}

void fw_expire(void *fw, uint64_t now_ps)
{
	struct crashes *c = fw;

	c->next = now_ps + US;
	reached(c, "fw_expire", now_ps);
}
