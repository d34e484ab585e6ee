// SPDX-License-Identifier: BSD-3-Clause
// A frame with its IPv4 checksum made right: else no mutation of an IPv4 header would get past it.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"

// A copy of a frame that was refused for its checksum alone. The caller frees it.
static inline uint8_t *mend_checksum(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	struct frame f;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	frame_parse(copy, size, &f);
	ip_put_checksum(copy + f.l3_off, (copy[f.l3_off] & 15u) * 4);
	return copy;
}
