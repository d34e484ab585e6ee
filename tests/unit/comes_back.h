// SPDX-License-Identifier: BSD-3-Clause
// The property that frame_parse and frame_render have together. Include after cmocka.h.
#pragma once

#include "frame/frame.h"

// Parses, renders to the same length, compares.
static inline void comes_back(const uint8_t *o, unsigned len)
{
	static uint8_t back[PKT_MAX_LEN];
	struct frame f;

	assert_int_equal(frame_parse(o, len, &f), FRAME_OK);
	assert_int_equal(frame_render(&f, o + f.payload_off, back, sizeof(back), len), len);
	assert_memory_equal(back, o, len);
}
