// SPDX-License-Identifier: BSD-3-Clause
// MAC control frames made to order: every byte of each kind in a capture, and the switch's reaction
// to each.
#include "scn.h"

#include <stdlib.h>

#include "../unit/bytes.h"
#include "../cap_all.h"
#include "frame/frame.h"

#define LEN  60
#define MOST 124

// The frames of mac-frames.yaml in order of time, up to their padding of zeros (802.1Q cl. 36,
// 802.3 annex 31B).
static const struct {
	const char *bytes;
	enum pkt_kind kind;
	unsigned notes;
	uint32_t len; // without FCS; 0: LEN
} wanted[] = {
	{"0180c2000001 020000000002 8808 0101 0018 4321 4321 4321 4321 4321 4321 4321 4321",
		PKT_PFC, 0, 0},
	{"0180c2000001 020000000002 8808 0101 0008 0000 0000 0000 0000 0000 0000 0000 0000",
		PKT_PFC, 0, 0},
	{"0180c2000001 020000000002 8808 0101 0000 ffff ffff ffff ffff ffff ffff ffff ffff",
		PKT_PFC, 0, 0},
	{"0180c2000001 000000000000 8808 0101 0008 0064 0064 0064 0064 0064 0064 0064 0064",
		PKT_PFC, 0, 0},
	{"0180c2000001 020000000002 8808 0001 abcd", PKT_PAUSE, 0, 0},
	{"0180c2000001 000000000000 8808 0001 ffff", PKT_PAUSE, 0, 0},
	{"020000000002 020000000002 8808 0101 0018 1234 1234 1234 1234 1234 1234 1234 1234",
		PKT_MACCTL, FRAME_NOTE_MACCTL_DST, 0},
	{"020000000002 000000000000 8808 0101 0009 ffff ffff ffff ffff ffff ffff ffff ffff",
		PKT_MACCTL, FRAME_NOTE_MACCTL_DST, 0},
	{"0180c2000001 020000000002 8808 0101 a518 0000 0000 0000 0007 0000 0000 0000 0000",
		PKT_PFC, FRAME_NOTE_PFC_HIGH, 0},
	{"0180c200000e 020000000002 8808 0002 0008 ffff ffff ffff ffff ffff ffff ffff ffff",
		PKT_MACCTL, 0, 0},
	{"0180c200000e 020000000002 8808 0001 0005", PKT_MACCTL, FRAME_NOTE_MACCTL_DST, 0},
	{"0180c2000001 020000000002 8808 0101 0010 01f4 01f4 01f4 01f4 01f4 01f4 01f4 01f4",
		PKT_PFC, 0, 0},
	{"0180c2000001 020000000002 8808 0101 0010 0000 0000 0000 0000 0000 0000 0000 0000",
		PKT_PFC, 0, 0},
	{"0180c2000001 020000000002 8808 0001 0001", PKT_PAUSE, 0, 0},
	{"0180c200000e 020000000002 8808 0101 0010 0002 0002 0002 0002 0002 0002 0002 0002",
		PKT_MACCTL, FRAME_NOTE_MACCTL_DST, 0},
	{"0180c2000001 020000000002 8808 0101 0010 0000 0000 0000 0000 0000 0000 0000 0000",
		PKT_PFC, 0, MOST},
	{"0180c2000001 020000000002 8808 0101 0010 0000 0000 0000 0000 0000 0000 0000 0000",
		PKT_PFC, 0, MOST},
	{"0180c2000001 020000000002 8808 0101 0010 0000 0000 0000 0000 0000 0000 0000 0000",
		PKT_PFC, 0, MOST},
	{"0180c2000001 020000000002 8808 0101 0010 0000 0000 0000 0000 0000 0000 0000 0000",
		PKT_PFC, 0, 34},
};

static void check_frame(const struct replay_frame *is, unsigned i)
{
	uint32_t len = wanted[i].len ? wanted[i].len : LEN;
	uint8_t bytes[MOST] = {0};
	struct frame f;

	hex_bytes(wanted[i].bytes, bytes);
	assert_int_equal(is->len, len);
	assert_memory_equal(is->bytes, bytes, len);
	assert_int_equal(frame_parse(is->bytes, is->len, &f), FRAME_OK);
	assert_int_equal(f.kind, wanted[i].kind);
	assert_int_equal(f.notes, wanted[i].notes);
}

// Frames of 128 bytes at line rate: 148 bytes of wire time apart, 11.84 ns.
static void check_line_rate(const struct cap *c)
{
	for (unsigned i = 1; i < c->n; i++) {
		tstamp apart = c->frame[i].at - c->frame[i - 1].at;

		if (wanted[i].len == MOST && wanted[i - 1].len == MOST)
			assert_in_range(apart, 11 * PS_PER_NS, 12 * PS_PER_NS);
	}
}

// The switch obeys the frames to the group address that enable a class. The vector 0, the five to
// another address and the unknown opcode are counted as invalid, the three of 802.3x as PAUSE.
static void check_counters(const struct scn *s)
{
	scn_in(s, "invalid", scn_value(s, "port.s1:r.pfc_invalid_frames"), 6, 6);
	scn_in(s, "PAUSE", scn_value(s, "port.s1:r.pause_rx_frames"), 3, 3);
	// One PFC frame and one PAUSE have the zero address.
	scn_in(s, "strangers", scn_value(s, "port.s1:r.pause_stranger_frames"), 2, 2);
	scn_in(s, "consumed", scn_value(s, "port.s1:r.consumed_frames"), 19, 19);
	scn_in(s, "XOFF of class 3", scn_value(s, "pfc.s1:r.3.xoff_frames"), 3, 3);
	scn_in(s, "XOFF of class 4", scn_value(s, "pfc.s1:r.4.xoff_frames"), 2, 2);
	scn_in(s, "XON of class 4", scn_value(s, "pfc.s1:r.4.xon_frames"), 6, 6);
	// 107 quanta of 5.12 ns more than the 10 us up to the XON of the second; class 4 up to its
	// XON at 80 us, and the 2 us of the pulse.
	scn_in(s, "class 3 paused, us", scn_value(s, "pfc.s1:r.3.pause_effective_us"), 10.54784,
		10.54784);
	scn_in(s, "class 4 paused, us", scn_value(s, "pfc.s1:r.4.pause_effective_us"), 82, 82);
}

static void each_kind_has_its_bytes(void **state)
{
	char dir[] = "/tmp/quench-mac-XXXXXX", text[64];
	struct err err;
	struct scn s;
	struct cap c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(text, sizeof(text), "out=%s", dir);
	s = scn_run("mac-frames.yaml", text, NULL);
	snprintf(text, sizeof(text), "%s/capture.pcapng", dir);
	if (cap_read(&c, text, &err))
		fail_msg("%s", err.text);
	snprintf(text, sizeof(text), "rm -r '%s'", dir);
	assert_int_equal(system(text), 0);
	assert_int_equal(c.n, sizeof(wanted) / sizeof(wanted[0]));
	for (unsigned i = 0; i < c.n; i++)
		check_frame(&c.frame[i], i);
	check_line_rate(&c);
	check_counters(&s);
	cap_free(&c);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_bytes),
	};

	return cmocka_run_group_tests_name("mac_frames", tests, NULL, NULL);
}
