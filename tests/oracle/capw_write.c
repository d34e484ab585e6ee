// SPDX-License-Identifier: BSD-3-Clause
// Writes a small capture with our writer, for tshark to judge.
#include <stdlib.h>
#include <string.h>

#include "cap/cap.h"

int main(int argc, char **argv)
{
	static const uint8_t pfc[60] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0, 0, 0, 0, 1,
		0x88, 0x08, 0x01, 0x01, 0x00, 0x08, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	uint8_t odd[1501] = {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x88, 0xb5};
	struct err err;
	struct capw *w;

	if (argc != 2 || capw_open(&w, argv[1], &err))
		return EXIT_FAILURE;
	capw_interface(w, "s1:h1", 25 * RATE_GBPS, false);
	capw_interface(w, "s1:r", 400 * RATE_GBPS, false);
	capw_frame(w, 0, 1 * PS_PER_US + 999, 1, odd, sizeof(odd));
	capw_frame(w, 1, 2 * PS_PER_US, 2, pfc, sizeof(pfc));
	capw_frame(
		w, 1, 18446744 * PS_PER_NS, 2, pfc, sizeof(pfc)); // 1e9 times as many ps are 2^64
	capw_frame(w, 0, PS_PER_S - 1, 2, odd, 65);
	capw_frame(w, 0, PS_PER_S, 2, odd, 66);
	capw_frame(w, 0, 3 * PS_PER_S + 123456789, 2, odd, 64);
	capw_frame(w, 1, 3 * PS_PER_S + 901234567 * PS_PER_NS + 89, 1, pfc, sizeof(pfc));
	capw_frame(w, 0, 20000 * PS_PER_S + 987654321 * PS_PER_NS, 1, odd, 67);
	return capw_close(w, &err) ? EXIT_FAILURE : EXIT_SUCCESS;
}
