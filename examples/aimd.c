// SPDX-License-Identifier: BSD-3-Clause
// Firmware for the RDMA IP's NIC, small: additive increase each period, a halved rate for a CNP.
//
// args: "scheme=2" writes CC_RATE_MEM and lets hardware limit; "scheme=3" limits by itself, by the
// mask of each send queue. Further: period_us (55), step (of the line's rate, in thousandths: 2),
// tick_us (4, of scheme 3).
//
//	cc -O2 -shared -fPIC aimd.c -o aimd.so
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quench/fw.h>

#define US 1000000ull // ps

struct qp {
	struct fw_place rate, mask;
	uint64_t share;  // of the line, 2^20 is all
	uint64_t credit; // scheme 3: what it may send, in shares times ticks
	uint64_t cut_at; // ps
	int exists, masked;
};

struct aimd {
	const struct fw_host *host;
	unsigned scheme;
	uint64_t max_rate; // units of the registers
	uint64_t period, tick, step;
	uint64_t period_at, tick_at;
	struct qp qp[];
};

#define ALL (1ull << 20)

// The value of "name=value" in the arguments.
static uint64_t arg(const char *args, const char *name, uint64_t otherwise)
{
	const char *at = strstr(args, name);
	size_t n = strlen(name);

	return at && at[n] == '=' ? strtoull(at + n + 1, NULL, 10) : otherwise;
}

static void put(const struct aimd *a, const char *name, uint64_t value)
{
	struct fw_place p;

	if (!a->host->find(a->host->nic, name, 0, &p))
		a->host->write(a->host->nic, &p, value);
}

// The four bits that make a scheme, and the interrupt.
static void choose_scheme(const struct aimd *a)
{
	put(a, "dcqcn_hw_en", 0);
	put(a, "hw_rate_throttle_en", a->scheme == 2);
	put(a, "tx_wqe_ost_limit_en", a->scheme == 2);
	put(a, "speed_limiter_en", a->scheme == 2);
	put(a, "cnp_int_en", 1);
}

void *fw_init(const struct fw_host *host, uint64_t now_ps)
{
	struct aimd *a = calloc(1, sizeof(*a) + (host->qps + 1) * sizeof(struct qp));
	struct fw_place p;

	if (!a)
		return NULL;
	a->host = host;
	a->scheme = (unsigned)arg(host->args, "scheme", 2);
	a->period = arg(host->args, "period_us", 55) * US;
	a->tick = arg(host->args, "tick_us", 4) * US;
	a->step = arg(host->args, "step", 2) * ALL / 1000;
	a->period_at = now_ps + a->period;
	a->tick_at = a->scheme == 3 ? now_ps + a->tick : FW_NEVER;
	if ((a->scheme != 2 && a->scheme != 3) || !a->period || !a->tick ||
		host->find(host->nic, "dcqcn_max_rate", 0, &p) ||
		host->read(host->nic, &p, &a->max_rate)) {
		free(a);
		return NULL;
	}
	for (uint32_t n = 1; n <= host->qps; n++) {
		struct qp *q = &a->qp[n];
		uint64_t ignored;

		host->find(host->nic, "CC_RATE_MEM", n, &q->rate);
		host->find(host->nic, "sq_arb_mask", n, &q->mask);
		q->exists = !host->read(host->nic, &q->rate, &ignored);
		q->share = ALL;
	}
	choose_scheme(a);
	return a;
}

void fw_fini(void *fw)
{
	free(fw);
}

uint64_t fw_deadline(void *fw)
{
	const struct aimd *a = fw;

	return a->period_at < a->tick_at ? a->period_at : a->tick_at;
}

static void set_share(const struct aimd *a, struct qp *q, uint64_t share)
{
	if (share > ALL)
		share = ALL;
	if (share < ALL / 1000)
		share = ALL / 1000;
	if (share == q->share)
		return;
	q->share = share;
	if (a->scheme == 2)
		a->host->write(a->host->nic, &q->rate, share * a->max_rate / ALL);
}

// A CNP halves the rate, at most once a period.
void fw_event(void *fw, uint32_t qp, uint64_t now_ps)
{
	struct aimd *a = fw;
	struct qp *q = &a->qp[qp];

	if (q->cut_at && now_ps - q->cut_at < a->period)
		return;
	q->cut_at = now_ps;
	set_share(a, q, q->share / 2);
}

// Scheme 3: in each tick a send queue runs if its credit is worth one.
static void run_queues(struct aimd *a)
{
	for (uint32_t n = 1; n <= a->host->qps; n++) {
		struct qp *q = &a->qp[n];
		int mask;

		if (!q->exists)
			continue;
		q->credit += q->share;
		mask = q->credit < ALL;
		if (!mask)
			q->credit -= ALL;
		if (mask != q->masked)
			a->host->write(a->host->nic, &q->mask, (uint64_t)mask);
		q->masked = mask;
	}
}

void fw_expire(void *fw, uint64_t now_ps)
{
	struct aimd *a = fw;

	if (now_ps >= a->period_at) {
		a->period_at = now_ps + a->period;
		for (uint32_t n = 1; n <= a->host->qps; n++) {
			struct qp *q = &a->qp[n];

			if (q->exists && (!q->cut_at || now_ps - q->cut_at >= a->period))
				set_share(a, q, q->share + a->step);
		}
	}
	if (now_ps >= a->tick_at) {
		a->tick_at = now_ps + a->tick;
		run_queues(a);
	}
}
