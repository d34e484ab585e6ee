// SPDX-License-Identifier: BSD-3-Clause
// The requests that a responder refuses: opcodes out of turn, lengths that do not fit, other
// memory.
#include "transport/rc_guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"
#include "transport/rc.h"
#include "wire/bth.h"

#define VA     0x7f0000001000
#define RKEY   0x1c00
#define LENGTH 65536
#define MTU    1024

static struct rc_refused why;

static struct rc_guard fresh(void)
{
	struct rc_guard g;

	rc_guard_init(&g, VA, RKEY, LENGTH, MTU);
	return g;
}

static unsigned send(struct rc_guard *g, unsigned opcode, uint32_t payload)
{
	return rc_guard_packet(g, (uint8_t)opcode, payload, NULL, &why);
}

static unsigned write(struct rc_guard *g, unsigned opcode, uint32_t payload, uint32_t bytes)
{
	const struct rc_reth reth = {VA, RKEY, bytes};

	return rc_guard_packet(g, (uint8_t)opcode, payload, &reth, &why);
}

// Whole messages of each verb, one behind the other; what rc_tx makes is never refused.
static void messages_pass(void **state)
{
	static const enum rc_verb verbs[] = {RC_WRITE, RC_SEND, RC_WRITE_IMM, RC_SEND_IMM};
	static const uint32_t sizes[] = {0, 1, 1023, 1024, 1025, 2048, 3001, LENGTH};
	struct rc_guard g = fresh();

	(void)state;
	for (unsigned i = 0; i < 4 * 8; i++) {
		struct rc_params p = {.verb = verbs[i % 4],
			.mtu = MTU,
			.window = 1024,
			.ack_every = 16,
			.rto_ps = 1,
			.recovery = RC_GO_BACK_N};
		struct rc_past past = {0};
		struct rc_message ring[1];
		struct rc_segment seg;
		struct rc_cfg cfg;
		struct rc_tx tx;

		assert_int_equal(rc_cfg_init(&cfg, &p), 0);
		rc_tx_init(&tx, &cfg, &past, 0);
		rc_tx_lend(&tx, ring, 1);
		assert_int_equal(rc_tx_post(&tx, sizes[i / 4], 0), 0);
		while (rc_tx_ready(&tx)) {
			rc_tx_next(&tx, &seg, 0);
			assert_int_equal(write(&g, seg.opcode, seg.payload, seg.dma_len), 0);
		}
	}
}

// Each opcode behind each beginning: only what goes on with it, or begins where none is under way.
static void out_of_turn_is_invalid(void **state)
{
	static const bool begins[12] = {
		true, false, false, false, true, true, true, false, false, false, true, true};

	(void)state;
	for (unsigned begun = 0; begun < 3; begun++)
		for (unsigned op = 0; op < 256; op++) {
			struct rc_guard g = fresh();
			bool ends = op != BTH_RC_SEND_FIRST && op != BTH_RC_SEND_MIDDLE &&
				    op != BTH_RC_WRITE_FIRST && op != BTH_RC_WRITE_MIDDLE;
			bool goes_on =
				begun == 1
					? op >= BTH_RC_SEND_MIDDLE && op <= BTH_RC_SEND_LAST_IMM
					: op >= BTH_RC_WRITE_MIDDLE && op <= BTH_RC_WRITE_LAST_IMM;
			bool fits = begun ? goes_on : op < 12 && begins[op];

			if (begun == 1)
				assert_int_equal(send(&g, BTH_RC_SEND_FIRST, MTU), 0);
			if (begun == 2)
				assert_int_equal(
					write(&g, BTH_RC_WRITE_FIRST, MTU, ends ? 2048 : 3072), 0);
			assert_int_equal(write(&g, op, MTU, ends ? 1024 : 2048),
				fits ? 0 : AETH_NAK_INVALID);
		}
}

static void lengths_that_do_not_fit_are_invalid(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t payload, bytes;
		unsigned refused;
	} rows[] = {
		{BTH_RC_SEND_FIRST, 1023, 0, AETH_NAK_INVALID},
		{BTH_RC_SEND_ONLY, 1025, 0, AETH_NAK_INVALID},
		{BTH_RC_SEND_ONLY, 0, 0, 0},
		{BTH_RC_WRITE_FIRST, 1024, 1024, AETH_NAK_INVALID},
		{BTH_RC_WRITE_FIRST, 1024, 1025, 0},
		{BTH_RC_WRITE_FIRST, 512, 2048, AETH_NAK_INVALID},
		{BTH_RC_WRITE_ONLY, 100, 101, AETH_NAK_INVALID},
		{BTH_RC_WRITE_ONLY, 101, 100, AETH_NAK_INVALID},
		{BTH_RC_WRITE_ONLY, 0, 0, 0},
		{BTH_RC_WRITE_ONLY, 0, RC_BYTES_MAX + 1, AETH_NAK_INVALID},
	};
	struct rc_guard g;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		g = fresh();
		assert_int_equal(
			write(&g, rows[i].opcode, rows[i].payload, rows[i].bytes), rows[i].refused);
	}
	for (unsigned more = 0; more < 3; more++) { // of 2000 bytes 976 are left
		g = fresh();
		assert_int_equal(write(&g, BTH_RC_WRITE_FIRST, MTU, 2000), 0);
		assert_int_equal(write(&g, BTH_RC_WRITE_LAST, 975 + more, 0),
			more == 1 ? 0 : AETH_NAK_INVALID);
	}
	g = fresh(); // one packet too many
	assert_int_equal(write(&g, BTH_RC_WRITE_FIRST, MTU, 2048), 0);
	assert_int_equal(write(&g, BTH_RC_WRITE_MIDDLE, MTU, 0), AETH_NAK_INVALID);
	g = fresh(); // a last packet without payload
	assert_int_equal(send(&g, BTH_RC_SEND_FIRST, MTU), 0);
	assert_int_equal(send(&g, BTH_RC_SEND_LAST, 0), AETH_NAK_INVALID);
}

// Beyond 2 GiB, which is as many packets as it takes.
static void a_send_has_2_gib_at_most(void **state)
{
	struct rc_guard g = fresh();

	(void)state;
	assert_int_equal(send(&g, BTH_RC_SEND_FIRST, MTU), 0);
	for (uint32_t i = 1; i < RC_BYTES_MAX / MTU; i++)
		assert_int_equal(send(&g, BTH_RC_SEND_MIDDLE, MTU), 0);
	assert_int_equal(send(&g, BTH_RC_SEND_LAST, 1), AETH_NAK_INVALID);
}

static void other_memory_is_denied(void **state)
{
	static const struct {
		uint64_t va;
		uint32_t rkey, bytes;
		unsigned refused;
	} rows[] = {
		{VA, RKEY, 1, 0},
		{VA + LENGTH - 1, RKEY, 1, 0},
		{VA, RKEY, LENGTH, 0},
		{VA, RKEY + 1, 1, AETH_NAK_ACCESS},
		{VA - 1, RKEY, 1, AETH_NAK_ACCESS},
		{VA + LENGTH, RKEY, 1, AETH_NAK_ACCESS},
		{VA + 1, RKEY, LENGTH, AETH_NAK_ACCESS},
		{VA, RKEY, LENGTH + 1, AETH_NAK_ACCESS},
		{UINT64_MAX, RKEY, LENGTH, AETH_NAK_ACCESS},
		{0, 0, 0, 0}, // nothing names nothing
		{VA, RKEY, RC_BYTES_MAX + 1, AETH_NAK_INVALID},
	};
	struct rc_guard g = fresh();

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rc_reth reth = {rows[i].va, rows[i].rkey, rows[i].bytes};

		assert_int_equal(
			rc_guard_region(&g, &reth, BTH_RC_READ_REQUEST, &why), rows[i].refused);
	}
	const struct rc_reth other = {VA, RKEY ^ 1, 5};

	assert_int_equal(rc_guard_packet(&g, BTH_RC_WRITE_ONLY, 5, &other, &why), AETH_NAK_ACCESS);
	rc_guard_init(&g, UINT64_MAX - 9, RKEY, 10, MTU); // the last bytes of all
	for (uint32_t bytes = 1; bytes < 3; bytes++) {
		const struct rc_reth last = {UINT64_MAX, RKEY, bytes};

		assert_int_equal(rc_guard_region(&g, &last, BTH_RC_READ_REQUEST, &why),
			bytes > 1 ? AETH_NAK_ACCESS : 0);
	}
}

// Why, what the request says, and what would be right.
static void a_refusal_says_why(void **state)
{
	static const struct {
		uint8_t begun,
			opcode; // begun: FIRST of which is under way, of 2000 bytes; 255: none
		uint32_t payload;
		struct rc_reth reth;
		struct rc_refused want;
	} rows[] = {
		{255, BTH_RC_FETCH_ADD, 0, {VA, RKEY, 8},
			{RC_REFUSED_VERB, BTH_RC_FETCH_ADD, 0, 0, BTH_RC_FETCH_ADD,
				RC_TAKES_SEND_WRITE}},
		{255, BTH_RC_SEND_LAST, 7, {0},
			{RC_REFUSED_ORDER, BTH_RC_SEND_LAST, 0, 0, BTH_RC_SEND_LAST,
				RC_NONE_UNDER_WAY}},
		{BTH_RC_SEND_FIRST, BTH_RC_WRITE_LAST, 976, {0},
			{RC_REFUSED_ORDER, BTH_RC_WRITE_LAST, 0, 0, BTH_RC_WRITE_LAST,
				RC_SEND_UNDER_WAY}},
		{255, BTH_RC_WRITE_FIRST, 64, {VA, RKEY, 2000},
			{RC_REFUSED_LENGTH, BTH_RC_WRITE_FIRST, 0, 0, 64, MTU}},
		{BTH_RC_SEND_FIRST, BTH_RC_SEND_LAST, 0, {0},
			{RC_REFUSED_LENGTH, BTH_RC_SEND_LAST, 0, 0, 0, 1}},
		{BTH_RC_WRITE_FIRST, BTH_RC_WRITE_LAST, 975, {0},
			{RC_REFUSED_TOTAL, BTH_RC_WRITE_LAST, 0, 0, 975, 976}},
		{255, BTH_RC_WRITE_ONLY, 0, {VA, RKEY, RC_BYTES_MAX + 1},
			{RC_REFUSED_LONG, BTH_RC_WRITE_ONLY, 0, 0, RC_BYTES_MAX + 1ul,
				RC_BYTES_MAX}},
		{255, BTH_RC_WRITE_ONLY, 5, {VA - 1, RKEY + 1, 5}, // the key counts first
			{RC_REFUSED_RKEY, BTH_RC_WRITE_ONLY, 0, 0, RKEY + 1, RKEY}},
		{255, BTH_RC_WRITE_ONLY, 5, {VA - 1, RKEY, 5},
			{RC_REFUSED_MEMORY, BTH_RC_WRITE_ONLY, 5, LENGTH, VA - 1, VA}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rc_guard g = fresh();

		if (rows[i].begun != 255)
			assert_int_equal(write(&g, rows[i].begun, MTU, 2000), 0);
		assert_int_equal(
			rc_guard_packet(&g, rows[i].opcode, rows[i].payload, &rows[i].reth, &why),
			rc_refusal_syndrome((enum rc_refusal)rows[i].want.why));
		assert_int_equal(why.why, rows[i].want.why);
		assert_int_equal(why.opcode, rows[i].want.opcode);
		assert_true(why.its == rows[i].want.its && why.ours == rows[i].want.ours);
		assert_int_equal(why.its_bytes, rows[i].want.its_bytes);
		assert_int_equal(why.ours_bytes, rows[i].want.ours_bytes);
	}
	for (unsigned i = 0; i < RC_REFUSALS; i++)
		assert_non_null(rc_refusal_name((enum rc_refusal)i));
}

static void a_new_connection_begins_anew(void **state)
{
	struct rc_guard g = fresh();

	(void)state;
	assert_int_equal(send(&g, BTH_RC_SEND_FIRST, MTU), 0);
	rc_guard_begin(&g);
	assert_int_equal(write(&g, BTH_RC_WRITE_ONLY, 7, 7), 0);
}

// Of random WRITEs, only bytes that the WRITE named, within the region, are taken.
static void nothing_beyond_the_region_is_taken(void **state)
{
	struct prng r;

	(void)state;
	prng_init(&r, 16, "rc_guard");
	for (unsigned round = 0; round < 2000; round++) {
		struct rc_guard g = fresh();
		uint64_t named = 0, came = 0;

		for (unsigned i = 0; i < 20; i++) {
			uint8_t op = (uint8_t)prng_below(&r, 14);
			uint32_t payload = prng_below(&r, 3) ? MTU : (uint32_t)prng_below(&r, 1100);
			struct rc_reth reth = {VA + prng_below(&r, LENGTH),
				RKEY + !prng_below(&r, 8), (uint32_t)prng_below(&r, 4096)};

			if (rc_guard_packet(&g, op, payload, &reth, &why))
				break;
			if (op < BTH_RC_WRITE_FIRST)
				continue;
			if (op == BTH_RC_WRITE_FIRST || op >= BTH_RC_WRITE_ONLY) {
				assert_true(
					!reth.bytes ||
					(reth.rkey == RKEY && reth.va + reth.bytes <= VA + LENGTH));
				named = reth.bytes;
				came = 0;
			}
			came += payload;
			assert_true(came <= named);
			if (op != BTH_RC_WRITE_FIRST && op != BTH_RC_WRITE_MIDDLE)
				assert_true(came == named);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_pass),
		cmocka_unit_test(out_of_turn_is_invalid),
		cmocka_unit_test(lengths_that_do_not_fit_are_invalid),
		cmocka_unit_test(a_send_has_2_gib_at_most),
		cmocka_unit_test(other_memory_is_denied),
		cmocka_unit_test(a_refusal_says_why),
		cmocka_unit_test(a_new_connection_begins_anew),
		cmocka_unit_test(nothing_beyond_the_region_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
