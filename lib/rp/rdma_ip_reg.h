// SPDX-License-Identifier: BSD-3-Clause
// Register file of the RDMA IP's congestion control: addresses, fields, and the effects of reading
// and writing.
#pragma once

#include <stddef.h>

#include "rdma_ip_qp.h"

#define RDMA_IP_REG_QP_STRIDE 0x100u // of the blocks per queue pair, which begin with number 1
#define RDMA_IP_REG_QPS       8192u  // what lies between the two groups of such blocks

enum rdma_ip_access {
	RDMA_IP_RW,
	RDMA_IP_RO,
	RDMA_IP_START, // 1 starts something; reads 0
	RDMA_IP_W1C,   // 1 clears
	RDMA_IP_POP,   // reading takes an entry
};

// The meaning of a field; RDMA_IP_PLAIN: a parameter, at `offset` of struct rdma_ip_reg_global.
enum rdma_ip_what {
	RDMA_IP_PLAIN,
	RDMA_IP_CNP_INT_STATUS,
	RDMA_IP_CNP_INT_QP,
	RDMA_IP_TIMER_BUSY,
	RDMA_IP_DFX_START,
	RDMA_IP_DFX_STOP,
	RDMA_IP_DFX_BUSY,
	RDMA_IP_DFX_COUNT,
	RDMA_IP_DFX_EVENT,
	RDMA_IP_DFX_RATE,
	RDMA_IP_DFX_TIME,
	RDMA_IP_DFX_DECREASE,
	RDMA_IP_DFX_BYTE_INCREASE,
	RDMA_IP_DFX_TIMER_INCREASE,
	// of a queue pair, from here on
	RDMA_IP_SQ_ARB_MASK,
	RDMA_IP_TIMER_START,
	RDMA_IP_MERGE_FLAG,
	RDMA_IP_MERGE_LEFT,
	RDMA_IP_RATE_CURRENT,
	RDMA_IP_RATE_TARGET,
	RDMA_IP_RATE_CURRENT_FRAC,
	RDMA_IP_RATE_TARGET_FRAC,
	RDMA_IP_ALPHA,
	RDMA_IP_ALPHA_FRAC,
	RDMA_IP_BYTE_COUNTER,
	RDMA_IP_T_STAGE,
	RDMA_IP_BC_STAGE,
	RDMA_IP_CC_RATE,
	RDMA_IP_CC_BYTES,
};

struct rdma_ip_field {
	const char *word; // register
	const char *name; // of the field
	uint32_t address; // of the word; of a queue pair: that of number 1
	uint8_t lsb, width;
	enum rdma_ip_access access;
	enum rdma_ip_what what;
	uint16_t offset;
	// the address is the guide's; else it is assigned here, in words that the guide leaves free
	bool given;
	uint32_t reset;
	const char *help;
};

static inline bool rdma_ip_field_per_qp(const struct rdma_ip_field *f)
{
	return f->what >= RDMA_IP_SQ_ARB_MASK;
}

static inline uint64_t rdma_ip_field_mask(unsigned width)
{
	return width == 64 ? UINT64_MAX : (1ull << width) - 1;
}

extern const struct rdma_ip_field rdma_ip_fields[]; // by address and bit
extern const unsigned rdma_ip_n_fields;

struct rdma_ip_reg_global {
	struct rdma_ip_qp_regs qp;
	uint32_t dfx_qp;
};

// The parameter that a field of RDMA_IP_PLAIN is.
static inline uint32_t *rdma_ip_field_plain(
	struct rdma_ip_reg_global *g, const struct rdma_ip_field *f)
{
	return (uint32_t *)((char *)g + f->offset);
}

// A word or a field of it.
struct rdma_ip_place {
	uint32_t address;
	uint8_t lsb, width; // 0, 64: the word
};

struct rdma_ip_reg_preload {
	struct rdma_ip_place place; // of a queue pair: in the block of number 1, and meant for each
	uint64_t value;
};

// The properties of a core, and the values that software writes at the start.
struct rdma_ip_reg_params {
	struct rdma_ip_qp_core core;
	struct rdma_ip_reg_global init;
	uint32_t initial_rate;                     // units; of RATE_MEM and CC_RATE_MEM
	uint32_t initial_alpha;                    // of ALPHA_MEM, 10 bits
	const struct rdma_ip_reg_preload *preload; // after all that
	unsigned n_preload;
};

#define RDMA_IP_REG_STARTS 8

struct rdma_ip_reg {
	struct rdma_ip_qp_core core;
	struct rdma_ip_qp_cfg cfg;
	struct rdma_ip_reg_global g;
	uint32_t max_qps;
	struct rdma_ip_qp **qp; // [max_qps + 1], by number; NULL: there is none
	tstamp timer_busy_until;
	uint32_t cnp_int_qp;
	bool cnp_int_status;
	bool booted;
	// The fields that are written to bring queue pair 1 up, found once; and the field that
	// starts a window.
	struct rdma_ip_place start[RDMA_IP_REG_STARTS], window;
};

// After a reset: every field as the table says. -EINVAL, -ENOMEM.
int rdma_ip_reg_init(
	struct rdma_ip_reg **reg, const struct rdma_ip_qp_core *core, uint32_t max_qps);
void rdma_ip_reg_fini(struct rdma_ip_reg *reg);

// -EEXIST, -EINVAL, -ENOMEM
int rdma_ip_reg_add_qp(struct rdma_ip_reg *reg, uint32_t qpn);
struct rdma_ip_qp *rdma_ip_reg_qp(
	const struct rdma_ip_reg *reg, uint32_t qpn); // NULL: there is none

// Brings a queue pair that was added up as `p` says, the first one all that is global too.
void rdma_ip_reg_boot(
	struct rdma_ip_reg *reg, uint32_t qpn, const struct rdma_ip_reg_params *p, tstamp now);

// Finds a register by name (of a word or field, in any case: "RATE_MEM", "RATE_MEM.target_rate",
// "dcqcn_max_rate", "max_rate") or by address ("0x600008"). qpn from 1 moves a register that exists
// per queue pair into that queue pair's block. -ENOENT: no such register; -ENXIO: a queue pair is
// needed and not given.
int rdma_ip_reg_find(struct rdma_ip_place *place, const char *text, uint32_t qpn);

// The queue pair that an address belongs to; 0: to none.
uint32_t rdma_ip_reg_qpn(uint32_t address);

// Returns the queue pair whose timers have to be expired up to `now` before a register is read, or
// written with a value; 0: none. RDMA_IP_REG_ALL: all of them, for a write that changes parameters.
#define RDMA_IP_REG_ALL UINT32_MAX
uint32_t rdma_ip_reg_read_of(const struct rdma_ip_reg *reg, const struct rdma_ip_place *place);
uint32_t rdma_ip_reg_write_of(
	const struct rdma_ip_reg *reg, const struct rdma_ip_place *place, uint64_t value);

// -ENXIO: nothing is there. -EACCES: it cannot be written.
int rdma_ip_reg_read(
	struct rdma_ip_reg *reg, const struct rdma_ip_place *place, uint64_t *value, tstamp now);
int rdma_ip_reg_write(
	struct rdma_ip_reg *reg, const struct rdma_ip_place *place, uint64_t value, tstamp now);

// Returns the value of a field at `now`; a field of a queue pair comes from its block. Unlike a
// read, this removes no entry from the debugging window. 0 if there is no such queue pair.
uint64_t rdma_ip_reg_field(
	struct rdma_ip_reg *reg, const struct rdma_ip_field *f, uint32_t qpn, tstamp now);

// Writes the global parameters that differ between the two; registers that have been written
// otherwise stay. Timers of all queue pairs that are due by `now` must have been expired.
void rdma_ip_reg_adopt(struct rdma_ip_reg *reg, const struct rdma_ip_reg_params *was,
	const struct rdma_ip_reg_params *to, tstamp now);

// A CNP arrived for a queue pair. Returns whether its interrupt is enabled.
bool rdma_ip_reg_interrupt(struct rdma_ip_reg *reg, uint32_t qpn);

// The table as a page (docs/registers.md) into buf, NUL-terminated and cut at `size`; the length of
// the whole.
size_t rdma_ip_reg_doc(char *buf, size_t size);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Returns whether queue pairs of the first core may take over the second configuration: only global
// parameters differ, which are registers.
bool rdma_ip_reg_may_adopt(
	const struct rdma_ip_reg_params *was, const struct rdma_ip_reg_params *to);

bool rdma_ip_reg_same(const struct rdma_ip_reg_params *a, const struct rdma_ip_reg_params *b);

// All global parameters at once; values beyond a field's width are cut.
void rdma_ip_reg_load(struct rdma_ip_reg *reg, const struct rdma_ip_reg_global *g, tstamp now);

// Steps 2 and 3 of the software's initialization of a queue pair (standards.md 11, 6.12.4), through
// the registers.
void rdma_ip_reg_start_qp(
	struct rdma_ip_reg *reg, uint32_t qpn, uint32_t rate, uint32_t alpha, tstamp now);

#pragma GCC visibility pop
