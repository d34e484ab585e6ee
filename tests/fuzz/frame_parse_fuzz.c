// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes are parsed without fault, and a good frame comes back as it was.
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"
#include "fuzz.h"
#include "mend.h"

static bool all_zero(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool is_known_kind(const struct frame *f)
{
	return f->kind < PKT_KINDS && (f->kind == PKT_BAD) == (f->error != FRAME_OK);
}

// What headers account for is given back but for two things that a frame may have and ours never
// has: a wrong ICRC, and BTH padding other than zeros.
static void check_bytes(const struct frame *f, const uint8_t *data, const uint8_t *back)
{
	if (!f->bth_off) {
		fuzz_check(!memcmp(data, back, f->trailer_off));
		return;
	}
	unsigned payload_end = f->payload_off + f->payload_len;
	unsigned icrc = f->trailer_off - ICRC_LEN;

	fuzz_check(!memcmp(data, back, payload_end));
	if (all_zero(data + payload_end, icrc - payload_end))
		fuzz_check(!memcmp(data + icrc, back + icrc, ICRC_LEN) == frame_icrc_ok(f, data));
}

static enum frame_error one_frame(const uint8_t *data, size_t size)
{
	static uint8_t back[PKT_MAX_LEN];
	struct frame f, again;
	int n;

	frame_parse(data, size, &f);
	fuzz_check(is_known_kind(&f));
	fuzz_check(f.payload_off + f.payload_len <= size);
	fuzz_check(f.trailer_off <= size);
	if (f.error)
		return f.error;
	n = frame_render(&f, data + f.payload_off, back, sizeof(back), (unsigned)size);
	fuzz_check(n == (int)size);
	check_bytes(&f, data, back);
	fuzz_check(all_zero(back + f.trailer_off, size - f.trailer_off));
	fuzz_check(frame_parse(back, size, &again) == FRAME_OK);
	fuzz_check(again.kind == f.kind);
	if (f.bth_off)
		fuzz_check(frame_icrc_ok(&again, back));
	return FRAME_OK;
}

// As `quench decode` reads it: what is good stays as it is, and more is.
static void captured(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct frame f, plain;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	frame_parse(data, size, &plain);
	frame_parse_captured(copy, size, &f);
	fuzz_check(is_known_kind(&f));
	fuzz_check(f.payload_off + f.payload_len <= size && f.trailer_off <= size);
	if (plain.kind != PKT_BAD && !frame_is_rocev1(&plain))
		fuzz_check(f.kind == plain.kind && f.notes == plain.notes);
	if (pkt_is_roce(f.kind) && f.bth_off)
		frame_icrc_ok(&f, copy);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	captured(data, size);
	if (one_frame(data, size) == FRAME_BAD_IP_CHECKSUM) {
		uint8_t *mended = mend_checksum(data, size);

		one_frame(mended, size);
		free(mended);
	}
	return 0;
}
