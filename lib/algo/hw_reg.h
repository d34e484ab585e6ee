// SPDX-License-Identifier: BSD-3-Clause
// Register file of the RDMA IP's congestion control: addresses, fields, and what reading and writing them does.
#pragma once

#include <stddef.h>

#include "algo/hw_qp.h"

#define HW_REG_QP_STRIDE 0x100u // of the blocks per queue pair, which begin with number 1
#define HW_REG_QPS       8192u  // what lies between the two groups of such blocks

enum hw_access {
	HW_RW,
	HW_RO,
	HW_START, // 1 starts something; reads 0
	HW_W1C,   // 1 clears
	HW_POP,   // reading takes an entry
};

// What a field stands for; HW_PLAIN: a parameter, at `offset` of struct hw_reg_global.
enum hw_what {
	HW_PLAIN,
	HW_CNP_INT_STATUS,
	HW_CNP_INT_QP,
	HW_TIMER_BUSY,
	HW_DFX_START,
	HW_DFX_STOP,
	HW_DFX_BUSY,
	HW_DFX_COUNT,
	HW_DFX_EVENT,
	HW_DFX_RATE,
	HW_DFX_TIME,
	HW_DFX_DECREASE,
	HW_DFX_BYTE_INCREASE,
	HW_DFX_TIMER_INCREASE,
	// of a queue pair, from here on
	HW_SQ_ARB_MASK,
	HW_TIMER_START,
	HW_MERGE_FLAG,
	HW_MERGE_LEFT,
	HW_RATE_CURRENT,
	HW_RATE_TARGET,
	HW_RATE_CURRENT_FRAC,
	HW_RATE_TARGET_FRAC,
	HW_ALPHA,
	HW_ALPHA_FRAC,
	HW_BYTE_COUNTER,
	HW_T_STAGE,
	HW_BC_STAGE,
	HW_CC_RATE,
	HW_CC_BYTES,
};

struct hw_field {
	const char *word; // register
	const char *name; // of the field
	uint32_t address; // of the word; of a queue pair: that of number 1
	uint8_t lsb, width;
	enum hw_access access;
	enum hw_what what;
	uint16_t offset;
	bool given; // the address is the guide's; else it is assigned here, in words that the guide leaves free
	uint32_t reset;
	const char *help;
};

static inline bool hw_field_per_qp(const struct hw_field *f)
{
	return f->what >= HW_SQ_ARB_MASK;
}

static inline uint64_t hw_field_mask(unsigned width)
{
	return width == 64 ? UINT64_MAX : (1ull << width) - 1;
}

extern const struct hw_field hw_fields[]; // by address and bit
extern const unsigned hw_n_fields;

struct hw_reg_global {
	struct hw_qp_regs qp;
	uint32_t dfx_qp;
};

// The parameter that a field of HW_PLAIN is.
static inline uint32_t *hw_field_plain(struct hw_reg_global *g, const struct hw_field *f)
{
	return (uint32_t *)((char *)g + f->offset);
}

// A word or a field of it.
struct hw_place {
	uint32_t address;
	uint8_t lsb, width; // 0, 64: the word
};

struct hw_reg_preload {
	struct hw_place place; // of a queue pair: in the block of number 1, and meant for each
	uint64_t value;
};

// What a core is, and what software writes at the start.
struct hw_reg_params {
	struct hw_qp_core core;
	struct hw_reg_global init;
	uint32_t initial_rate;                // units; of RATE_MEM and CC_RATE_MEM
	uint32_t initial_alpha;               // of ALPHA_MEM, 10 bits
	const struct hw_reg_preload *preload; // after all that
	unsigned n_preload;
};

struct hw_reg {
	struct hw_qp_core core;
	struct hw_qp_cfg cfg;
	struct hw_reg_global g;
	uint32_t max_qps;
	struct hw_qp **qp; // [max_qps + 1], by number; NULL: there is none
	tstamp timer_busy_until;
	uint32_t cnp_int_qp;
	bool cnp_int_status;
	bool booted;
};

// After a reset: every field as the table says. -EINVAL, -ENOMEM.
int hw_reg_init(struct hw_reg **reg, const struct hw_qp_core *core, uint32_t max_qps);
void hw_reg_fini(struct hw_reg *reg);

// -EEXIST, -EINVAL, -ENOMEM
int hw_reg_add_qp(struct hw_reg *reg, uint32_t qpn);
struct hw_qp *hw_reg_qp(const struct hw_reg *reg, uint32_t qpn); // NULL: there is none

// All global parameters at once; values beyond a field's width are cut.
void hw_reg_load(struct hw_reg *reg, const struct hw_reg_global *g, tstamp now);

// Steps 2 and 3 of the software's initialization of a queue pair (standards.md 11, 6.12.4), through the registers.
void hw_reg_start_qp(struct hw_reg *reg, uint32_t qpn, uint32_t rate, uint32_t alpha, tstamp now);

// Brings a queue pair that was added up as `p` says, the first one all that is global too.
void hw_reg_boot(struct hw_reg *reg, uint32_t qpn, const struct hw_reg_params *p, tstamp now);

// Where a name lies (of a word or field, in any case: "RATE_MEM", "RATE_MEM.target_rate", "dcqcn_max_rate", "max_rate")
// or an address ("0x600008"); qpn from 1 moves what there is per queue pair into that one's block. -ENOENT: no such register; -ENXIO: a queue pair is wanted
// and not given.
int hw_reg_find(struct hw_place *place, const char *text, uint32_t qpn);

// The queue pair that an address belongs to; 0: to none.
uint32_t hw_reg_qpn(uint32_t address);

// Timers due by `now` must have been expired: of the queue pair that the place belongs to, for a global word of all.
// -ENXIO: nothing is there. -EACCES: it cannot be written.
int hw_reg_read(struct hw_reg *reg, const struct hw_place *place, uint64_t *value, tstamp now);
int hw_reg_write(struct hw_reg *reg, const struct hw_place *place, uint64_t value, tstamp now);

// A CNP came for a queue pair: true where the interrupt is enabled.
bool hw_reg_interrupt(struct hw_reg *reg, uint32_t qpn);

// The table as a page (docs/registers.md) into buf, NUL-terminated and cut at `size`; the length of the whole.
size_t hw_reg_doc(char *buf, size_t size);
