// SPDX-License-Identifier: BSD-3-Clause
// QCN congestion point: decides which enqueued frame is sampled, and the contents of its CNM
// (802.1Qau).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/prng.h"

#define QCN_CP_LEVELS 8  // sample bases, by the upper three bits of QntzFb
#define QCN_CP_FB     64 // values of QntzFb

// How Fb becomes six bits. DIV63: floor(63 Fb / limit). MSB6: the six most significant bits of what
// the limit needs, as in the pseudo-code. The limit is Q_sp (2 W + 1).
enum qcn_cp_quant { QCN_CP_DIV63, QCN_CP_MSB6 };

// Names of the CN-MIB (standards.md 1.4) where it has them.
struct qcn_cp_params {
	uint64_t set_point;                   // cpQSp, 100..2^32-1 bytes
	int weight;                           // cpW, -10..10: W = 2^weight
	uint64_t sample_base;                 // cpSampleBase, 10000..2^32-1 bytes
	uint64_t sample_table[QCN_CP_LEVELS]; // 1..2^32-1 bytes; 0: sample_base / (level + 1)
	unsigned randomise_percent;           // of a sample base, up and down, 0..99
	enum qcn_cp_quant quant;
};

// Compiled; const and shared. The implementation owns its content.
struct qcn_cp_cfg {
	struct qcn_cp_params p; // for reports
	int64_t one;            // a byte in the units of Fb: 2^-weight where W is below 1, else 1
	int64_t w;              // W in these units
	int64_t limit;          // Q_sp (2 W + 1) in these units
	uint8_t msb_shift;      // MSB6
	int64_t least[QCN_CP_LEVELS]; // a next sample lies in least .. least + span - 1 bytes
	uint64_t span[QCN_CP_LEVELS];
};

// The feedback of a sample, for its CNM.
struct qcn_cp_feedback {
	uint8_t qntzfb;  // 0..63
	int16_t qoffset; // Q_sp - Q, 64-byte units: negative when congested
	int16_t qdelta;  // Q - Q_old, 64-byte units
};

// The bytes between two samples, by the level of the feedback at the first.
struct qcn_cp_spacing {
	uint64_t n;      // pairs of samples
	uint64_t bytes;  // between them, up to the end of the frame that was sampled
	uint64_t beyond; // of these, bytes of that frame beyond the instant that was drawn
};

struct qcn_cp {
	const struct qcn_cp_cfg *cfg;
	struct prng *rng;
	int64_t sample;              // bytes until the next sample
	uint32_t qlen_old;           // Q at the last sample, bytes
	uint64_t samples[QCN_CP_FB]; // by QntzFb; 0: no CNM
	int64_t drawn; // bytes until the next sample, as of the last one; 0: there was none
	uint8_t level; // of the last sample
	struct qcn_cp_spacing spacing[QCN_CP_LEVELS];
};

// Compiles; -EINVAL where a value is out of the range given above.
int qcn_cp_cfg_init(struct qcn_cp_cfg *cfg, const struct qcn_cp_params *params);

// Initialises the congestion point. `rng` belongs to the owner and must outlive it.
void qcn_cp_init(struct qcn_cp *cp, const struct qcn_cp_cfg *cfg, struct prng *rng);

// The part of qcn_cp_frame() that is out of line: a sample is due.
bool qcn_cp_sample(struct qcn_cp *cp, uint32_t qlen_bytes, struct qcn_cp_feedback *fb);

// Congestion-controlled frames of `bytes` in all (len + FCS) have joined the queue, which now holds
// `qlen_bytes`; only the last one may have used up `sample`. True: a CNM about the last one is to
// be sent, with the feedback in *fb. Never called for PFC, PAUSE and CNM frames.
static inline bool qcn_cp_frame(
	struct qcn_cp *cp, uint32_t bytes, uint32_t qlen_bytes, struct qcn_cp_feedback *fb)
{
	cp->sample -= bytes;
	return cp->sample < 0 && qcn_cp_sample(cp, qlen_bytes, fb);
}
