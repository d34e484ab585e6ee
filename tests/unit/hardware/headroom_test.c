// SPDX-License-Identifier: BSD-3-Clause
// Tests of run/headroom: the worked examples of both sums, and cells against every frame length.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "hardware/headroom.h"
#include "scene/scene.h"

static void response_is_in_quanta_of_64_bytes(void **state)
{
	static const struct {
		rate_t gbps;
		uint64_t bytes;
	} c[] = {{10, 4288}, {25, 5120}, {40, 7552}, {100, 25216}, {400, 57920}};

	(void)state;
	for (unsigned i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		assert_int_equal(headroom_response_bytes(c[i].gbps * RATE_GBPS), c[i].bytes);
	assert_int_equal(headroom_response_quanta(100 * RATE_GBPS), 394);
	assert_int_equal(headroom_response_quanta(30 * RATE_GBPS), 118);
	assert_int_equal(headroom_response_bytes(30 * RATE_GBPS), 7552);
	assert_int_equal(headroom_response_bytes(900 * RATE_GBPS), 57920);
}

// A frame of n bytes with FCS is 8 n + 160 bit times: 9216 are 73888, 2300 are 18560; a PFC frame
// is 672.
static void components_of_802_1qbb_add_up(void **state)
{
	(void)state;
	assert_int_equal(headroom_qbb(10 * RATE_GBPS, 0, 9212), (2 * 73888 + 672) / 8 + 4288);
	assert_int_equal(headroom_qbb(40 * RATE_GBPS, 0, 2296), (2 * 18560 + 672) / 8 + 7552);
	// 100G over 100 m of 198000 km/s: 12626.3 bytes both ways, rounded up with the rest.
	assert_int_equal(headroom_qbb(100 * RATE_GBPS, 505050, 2296) -
				 headroom_qbb(100 * RATE_GBPS, 0, 2296),
		12627);
}

static double cable_bytes(double metres, double gbps)
{
	return 2 * metres / 198e6 * gbps * 1e9 / 8;
}

static struct headroom_sonic example(void)
{
	return (struct headroom_sonic){
		.rate = 100 * RATE_GBPS,
		.cable_bytes = cable_bytes(5, 100),
		.port_mtu = 9100,
		.lossless_mtu = 1024,
		.cell_bytes = 144,
		.small_percent = 100,
		.mac_phy_bytes = 819.2,
	};
}

static void cable_is_as_in_the_examples(void **state)
{
	(void)state;
	assert_float_equal(cable_bytes(100, 10), 1262.6, 0.05);
	assert_float_equal(cable_bytes(100, 40), 5050.5, 0.05);
	assert_float_equal(cable_bytes(5, 100), 631.313, 0.001);
	assert_float_equal(cable_bytes(100, 100), 12626.3, 0.05);
}

// 100G, 5 m, cell 144: a 64-byte frame takes up to 3 cells' worth; prop 35766.513, xoff 108323.54.
static void sonic_gives_108544_bytes(void **state)
{
	struct headroom_sonic p = example();

	(void)state;
	assert_int_equal(headroom_sonic(&p).xoff, 108544);
	assert_int_equal(headroom_sonic(&p).xon, 0);
	assert_int_equal(headroom_sonic(&p).size, 108544);
	p.pipeline_bytes = 18432.5;
	assert_int_equal(headroom_sonic(&p).xon, 19456);
	assert_int_equal(headroom_sonic(&p).size, 128000);
	p.eight_lanes = true;
	assert_int_equal(headroom_sonic(&p).size, 137216); // 137100 in whole KiB
}

// Without small frames s = 6.25 %: occ = 1.125; a gearbox counts twice.
static void sonic_weighs_small_frames(void **state)
{
	struct headroom_sonic p = example();

	(void)state;
	p.small_percent = 0;
	assert_int_equal(headroom_sonic(&p).xoff, 41984); // 1024 + 35766.513 * 1.125 = 41261.3
	p.gearbox_bytes = 1000;
	assert_int_equal(headroom_sonic(&p).xoff, 44032); // 43511.3
	p.cell_bytes = 1;                                 // worst 1
	assert_int_equal(headroom_sonic(&p).xoff, 38912); // 1024 + 37766.513
}

// No frame of 64..9216 bytes fills cells faster than is reckoned, and some frame just so.
static void cells_hold_the_worst_frame(void **state)
{
	static const uint32_t cell[] = {1, 48, 80, 144, 208, 254, 256};

	(void)state;
	for (unsigned i = 0; i < sizeof(cell) / sizeof(cell[0]); i++) {
		double most = 1;

		for (uint32_t n = 64; n <= 9216; n++) {
			double r = (double)((n + cell[i] - 1) / cell[i] * cell[i]) / (n + 20);

			most = r > most ? r : most;
		}
		assert_float_equal((double)headroom_in_cells(1000000, cell[i]), most * 1e6, 1);
	}
}

// The frame that crosses XOFF is held without preamble and gap, in whole cells of its own.
static void the_frame_that_crosses_is_in_it(void **state)
{
	(void)state;
	assert_int_equal(headroom_auto(25380, 9230, 1), 25380 + 9234);
	assert_int_equal(headroom_auto(0, 9230, 256), 37 * 256);
	assert_int_equal(headroom_auto(0, 9212, 256), 36 * 256);
	assert_int_equal(headroom_auto(25380, 9230, 256), 37 * 256 + headroom_in_cells(25380, 256));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(response_is_in_quanta_of_64_bytes),
		cmocka_unit_test(components_of_802_1qbb_add_up),
		cmocka_unit_test(cable_is_as_in_the_examples),
		cmocka_unit_test(sonic_gives_108544_bytes),
		cmocka_unit_test(sonic_weighs_small_frames),
		cmocka_unit_test(cells_hold_the_worst_frame),
		cmocka_unit_test(the_frame_that_crosses_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
