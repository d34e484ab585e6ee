// SPDX-License-Identifier: BSD-3-Clause
// The ICRC (IBA annex A17 cl. 3.3): reflected CRC-32 over the packet with its variable fields as
// ones.
#include "wire/icrc.h"

#include <isa-l/crc.h>
#include <string.h>

#include "wire/bth.h"
#include "wire/ip.h"

// CRC-32 of eight bytes ff, which stand for the link header that RoCE does not have. ISA-L's
// crc32_gzip_refl takes and gives the inverted register, as zlib does; the register itself is
// 0xdebb20e3.
#define ICRC_SEED 0x2144df1cu

// ISA-L's AVX-512 kernels return with the upper halves of the vector registers in use, which slows
// every SSE instruction that follows to a third on some processors, until someone clears them.
#if defined(__x86_64__)
__attribute__((target("avx"))) static void clear_upper_halves(void)
{
	__builtin_ia32_vzeroupper();
}

static uint32_t crc(uint32_t seed, const uint8_t *bytes, size_t len)
{
	uint32_t r = crc32_gzip_refl(seed, bytes, len);

	if (__builtin_cpu_supports("avx"))
		clear_upper_halves();
	return r;
}
#else
static uint32_t crc(uint32_t seed, const uint8_t *bytes, size_t len)
{
	return crc32_gzip_refl(seed, bytes, len);
}
#endif

#define HEAD_MAX 128 // more than the longest headers (88 bytes): a short packet is one run

static void mask_ip6(uint8_t *head)
{
	head[0] = 0x6f; // traffic class, flow label
	memset(head + 1, 0xff, 3);
	head[7] = 0xff; // hop limit
}

uint32_t icrc_compute_rocev1(const uint8_t *grh, size_t len)
{
	uint8_t head[IP6_LEN + BTH_LEN];

	memcpy(head, grh, sizeof(head));
	mask_ip6(head);           // a GRH has the form of an IPv6 header
	head[IP6_LEN + 4] = 0xff; // FECN, BECN, reserved
	return crc(crc(ICRC_SEED, head, sizeof(head)), grh + sizeof(head), len - sizeof(head));
}

// Sets the fields that may change on the way to ones, in IP header, UDP header and BTH.
static inline void mask(uint8_t *head, unsigned ip_len)
{
	uint8_t *udp = head + ip_len;

	if (head[0] >> 4 == 6) {
		mask_ip6(head);
	} else {
		head[1] = 0xff;             // ToS
		head[8] = 0xff;             // TTL
		memset(head + 10, 0xff, 2); // checksum
	}
	memset(udp + 6, 0xff, 2); // checksum
	udp[UDP_LEN + 4] = 0xff;  // FECN, BECN, reserved
}

uint32_t icrc_compute(const uint8_t *l3, unsigned ip_len, size_t len)
{
	uint8_t head[HEAD_MAX];
	size_t head_len = len <= HEAD_MAX ? len : ip_len + UDP_LEN + BTH_LEN;
	uint32_t sum;

	memcpy(head, l3, head_len);
	mask(head, ip_len);
	sum = crc(ICRC_SEED, head, head_len);
	return len > head_len ? crc(sum, l3 + head_len, len - head_len) : sum;
}

#define POLY 0xedb88320u // of CRC-32, reflected

// The register after `len` bytes, without the inversions before and after: linear in both.
static uint32_t pass(uint32_t reg, const uint8_t *bytes, size_t len)
{
	return ~crc(~reg, bytes, len);
}

static uint32_t pass_zeros(uint32_t reg, unsigned len)
{
	static const uint8_t zeros[512];

	for (; len > sizeof(zeros); len -= sizeof(zeros))
		reg = pass(reg, zeros, sizeof(zeros));
	return pass(reg, zeros, len);
}

uint32_t icrc_before_word(const uint8_t *l3, unsigned ip_len)
{
	uint8_t head[HEAD_MAX];
	unsigned len = ip_len + UDP_LEN + BTH_LEN - 4;

	memcpy(head, l3, len);
	mask(head, ip_len);
	return __builtin_bswap32(pass(~ICRC_SEED, head, len));
}

// A reflected register holds x^31 in its lowest bit. A word of the wire is the register's bytes in
// reverse, so that bit 24 of it, the lowest one of its first byte, is x^31, and bit 7 is x^0. What
// x^0 adds is x^(8 * (tail + 4)); what x^(n + 1) adds is x times what x^n adds.
void icrc_table_init(struct icrc_table *t, unsigned tail)
{
	uint32_t sum = pass_zeros(1u << 31, tail + 4);

	for (unsigned i = 4; i-- > 0;) {
		uint32_t *add = t->add[i];

		for (unsigned bit = 128; bit; bit >>= 1) {
			add[bit] = sum;
			sum = sum >> 1 ^ (sum & 1 ? POLY : 0);
		}
		add[0] = 0;
		for (unsigned bit = 2; bit < 256; bit <<= 1)
			for (unsigned v = 1; v < bit; v++)
				add[bit | v] = add[bit] ^ add[v];
	}
}
