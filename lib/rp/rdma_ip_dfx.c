// SPDX-License-Identifier: BSD-3-Clause
// Recording and reading of the RDMA IP's debugging window.
#include "rdma_ip_dfx.h"

static const int8_t code_of[RP_EVENTS] = {
	[RP_NONE] = -1,
	[RP_CNP] = -1,
	[RP_START] = -1,
	[RP_DECREASE] = 0,
	[RP_BC_FAST_RECOVERY] = 1,
	[RP_BC_HYPER_INCREASE] = 2,
	[RP_BC_ADDITIVE_INCREASE] = 3,
	[RP_T_FAST_RECOVERY] = 5,
	[RP_T_HYPER_INCREASE] = 6,
	[RP_T_ADDITIVE_INCREASE] = 7,
	[RP_ALPHA] = -1,
	[RP_WRITTEN] = -1,
};

static const char *const names[8] = {
	"decrease",
	"bytecounter.fast_recovery",
	"bytecounter.hyper_increase",
	"bytecounter.additive_increase",
	"reserved",
	"nocnp_timer.fast_recovery",
	"nocnp_timer.hyper_increase",
	"nocnp_timer.additive_increase",
};

int rdma_ip_dfx_code(enum rp_event e)
{
	return code_of[e];
}

const char *rdma_ip_dfx_name(unsigned code)
{
	return names[code & 7];
}

void rdma_ip_dfx_start(struct rdma_ip_dfx *d)
{
	*d = (struct rdma_ip_dfx){.busy = true};
}

void rdma_ip_dfx_stop(struct rdma_ip_dfx *d)
{
	d->busy = false;
}

void rdma_ip_dfx_note(struct rdma_ip_dfx *d, enum rp_event e, uint32_t rate, tstamp at)
{
	int code = code_of[e];

	if (!d->busy || code < 0)
		return;
	d->decrease += code == 0;
	d->byte_increase += code > 0 && code < 4;
	d->timer_increase += code > 4;
	d->entry[d->n++] = (struct rdma_ip_dfx_entry){
		.us = (uint32_t)(at / PS_PER_US), .rate = (uint16_t)rate, .code = (uint8_t)code};
	if (d->n == RDMA_IP_DFX_ENTRIES)
		d->busy = false;
}

bool rdma_ip_dfx_peek(const struct rdma_ip_dfx *d, struct rdma_ip_dfx_entry *entry)
{
	if (d->read == d->n)
		return false;
	*entry = d->entry[d->read];
	return true;
}

void rdma_ip_dfx_pop(struct rdma_ip_dfx *d)
{
	d->read += d->read < d->n;
}
