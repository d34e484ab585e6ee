// SPDX-License-Identifier: BSD-3-Clause
// Actions on bytes: the bit that is flipped, the field that is written, the checksums over it, and
// the frame as it goes on.
#include "fault_lab.h"

#include "frame/frame.h"
#include "wire/ip.h"

// The frame that goes on, taken apart.
struct came {
	struct pkt *pkt;
	struct frame frame;
	uint8_t bytes[LAB_ROOM];
};

static void came_parse(struct came *c, struct pkt *p)
{
	assert_non_null(p);
	c->pkt = p;
	assert_true(p->flags & PKT_F_FOREIGN);
	assert_true(p->hdr == pkt_own_hdr(p));
	memcpy(c->bytes, pkt_bytes(p), p->len);
	frame_parse(c->bytes, p->len, &c->frame);
}

static void hit_one(struct lab *l, struct fault_record *r, struct pkt *p, struct came *c)
{
	lab_one(l, r, 1, 0);
	fault_put(l->f, p, 5);
	came_parse(c, fault_get(l->f, 5));
	assert_int_equal(lab_matched(l, 0), 1);
	pkt_put(&l->stack, c->pkt);
	fault_free(l->f);
	l->f = NULL;
}

// The bytes with which a frame of the lab leaves.
static unsigned bytes_of(struct lab *l, struct pkt *p, uint8_t *bytes)
{
	return frame_with_payload(p, l->payload, bytes);
}

static void one_bit_differs(void **state)
{
	const struct {
		uint32_t bit, byte;
		uint8_t mask;
	} row[] = {
		{0, 0, 0x80},                            // of the destination address
		{7, 0, 1},                               //
		{FAULT_NO_BIT, 1082 - 4 - 1, 1},         // of the payload
		{(1082 - 1) * 8, 1082 - 1, 0x80},        // of the ICRC
		{(14 + 20 + 8 + 12 + 3) * 8 + 6, 57, 2}, // of the payload
	};
	uint8_t was[LAB_ROOM];
	struct came c;
	struct lab l;

	(void)state;
	lab_init(&l);
	for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct fault_record r = {.action = FAULT_CORRUPT, .bit = row[i].bit};
		struct pkt *p = lab_data(&l, 9);

		assert_int_equal(bytes_of(&l, p, was), 1082);
		hit_one(&l, &r, p, &c);
		was[row[i].byte] ^= row[i].mask;
		assert_memory_equal(c.bytes, was, 1082);
		assert_int_equal(frame_icrc_ok(&c.frame, c.bytes), row[i].byte == 0);
		assert_int_equal(frame_pkt_icrc_ok(c.pkt), row[i].byte == 0);
		assert_int_equal(c.pkt->u.rc.psn, 9);
	}
	lab_fini(&l);
}

static void a_frame_without_payload_has_its_last_bit_in_the_icrc(void **state)
{
	struct fault_record r = {.kinds = FAULT_ACK, .action = FAULT_CORRUPT, .bit = FAULT_NO_BIT};
	uint8_t was[LAB_ROOM];
	struct came c;
	struct lab l;
	struct pkt *p;

	(void)state;
	lab_init(&l);
	p = lab_frame(&l, 0, PKT_ACK, BTH_RC_ACK, 9);
	p->u.rc.syndrome = AETH_ACK;
	bytes_of(&l, p, was);
	hit_one(&l, &r, p, &c);
	was[61] ^= 1;
	assert_memory_equal(c.bytes, was, 62);
	assert_false(frame_pkt_icrc_ok(c.pkt));
	lab_fini(&l);
}

static void a_bit_beyond_the_frame_is_missed(void **state)
{
	struct fault_record r = {.action = FAULT_CORRUPT, .bit = 1082 * 8};
	struct lab l;
	struct pkt *p;

	(void)state;
	lab_init(&l);
	lab_one(&l, &r, 1, 0);
	lab_put(&l, 9, 0);
	p = fault_get(l.f, 0);
	assert_int_equal(p->flags & PKT_F_FOREIGN, 0);
	assert_true(p->hdr == &l.other[0]);
	pkt_put(&l.stack, p);
	assert_int_equal(lab_missed(&l, 0), 1);
	assert_null(ev_get(&l.ring));
	lab_fini(&l);
}

static uint64_t mac(const uint8_t *a)
{
	return (uint64_t)get_be16(a) << 32 | get_be32(a + 2);
}

// The value of a field, read by another parser than the one that writes it.
static uint64_t value_of(const struct frame *f, enum fault_field field)
{
	switch (field) {
	case FAULT_DST_MAC:
		return mac(f->eth.dst);
	case FAULT_SRC_MAC:
		return mac(f->eth.src);
	case FAULT_ETHERTYPE:
		return f->eth.ethertype;
	case FAULT_VLAN:
		return f->eth.vlan_tci & 0xfff;
	case FAULT_PCP:
		return f->eth.vlan_tci >> 13;
	case FAULT_SRC_IP:
		return get_be32(f->ip.saddr);
	case FAULT_DST_IP:
		return get_be32(f->ip.daddr);
	case FAULT_DSCP:
		return f->ip.tos >> 2;
	case FAULT_IP_ECN:
		return f->ip.tos & 3;
	case FAULT_TTL:
		return f->ip.ttl;
	case FAULT_IP_ID:
		return f->ip.id;
	case FAULT_UDP_SPORT:
		return f->udp.sport;
	case FAULT_UDP_DPORT:
		return f->udp.dport;
	case FAULT_OPCODE:
		return f->bth.opcode;
	case FAULT_SE:
		return (f->bth.bits & BTH_SE) != 0;
	case FAULT_MIGREQ:
		return (f->bth.bits & BTH_MIGREQ) != 0;
	case FAULT_PKEY:
		return f->bth.pkey;
	case FAULT_QPN:
		return f->bth.qpn;
	case FAULT_ACKREQ:
		return (f->bth.bits & BTH_ACKREQ) != 0;
	case FAULT_PSN:
		return f->bth.psn;
	case FAULT_SYNDROME:
		return f->ext.aeth.syndrome;
	case FAULT_MSN:
		return f->ext.aeth.msn;
	case FAULT_FIELDS:
		break;
	}
	return 0;
}

// Fields of a frame of the lab with a tag: an ACK for the AETH, else data. `plain`: the ICRC does
// not cover it. `elsewhere`: the frame is no RoCE frame with it.
static const struct {
	enum fault_field field;
	uint64_t value;
	bool plain, elsewhere;
} fields[] = {
	{FAULT_DST_MAC, 0x0123456789ab, true, false},
	{FAULT_SRC_MAC, 0xfedcba987654, true, false},
	{FAULT_ETHERTYPE, 0x88b5, true, true},
	{FAULT_VLAN, 0xabc, true, false},
	{FAULT_PCP, 5, true, false},
	{FAULT_SRC_IP, 0x0a0b0c0d, false, false},
	{FAULT_DST_IP, 0xc0a80102, false, false},
	{FAULT_DSCP, 46, true, false},
	{FAULT_IP_ECN, ECN_ECT1, true, false},
	{FAULT_TTL, 1, true, false},
	{FAULT_IP_ID, 0xbeef, false, false},
	{FAULT_UDP_SPORT, 0xc123, false, false},
	{FAULT_UDP_DPORT, 4792, false, true},
	{FAULT_OPCODE, BTH_RC_SEND_LAST, false, false},
	{FAULT_SE, 1, false, false},
	{FAULT_MIGREQ, 1, false, false},
	{FAULT_PKEY, 0x8001, false, false},
	{FAULT_QPN, 0x123456, false, false},
	{FAULT_ACKREQ, 1, false, false},
	{FAULT_PSN, 0xabcdef, false, false},
	{FAULT_SYNDROME, AETH_NAK_PSN, false, false},
	{FAULT_MSN, 0x654321, false, false},
};

_Static_assert(sizeof(fields) / sizeof(*fields) == FAULT_FIELDS, "each field has a row");

static bool is_of_aeth(enum fault_field field)
{
	return field == FAULT_SYNDROME || field == FAULT_MSN;
}

static struct fault_record rewrite_of(unsigned i, bool keeps_icrc)
{
	struct fault_record r = {.kinds = FAULT_DATA | FAULT_ACK, .action = FAULT_REWRITE};

	r.rewrite.field = fields[i].field;
	r.rewrite.value = fields[i].value;
	r.rewrite.keeps_icrc = keeps_icrc;
	put_be32(r.rewrite.ip, (uint32_t)fields[i].value);
	return r;
}

static struct pkt *tagged(struct lab *l, enum fault_field field)
{
	struct pkt *p =
		is_of_aeth(field) ? lab_frame(l, 0, PKT_ACK, BTH_RC_ACK, 9) : lab_data(l, 9);

	l->other[0].flags |= HDR_VLAN;
	l->other[0].vlan_tci = 3 << 13 | 7;
	p->len += 4;
	return p;
}

static void each_field_is_written_and_no_other(void **state)
{
	static struct came was, is;
	struct lab l;

	(void)state;
	lab_init(&l);
	for (unsigned i = 0; i < FAULT_FIELDS; i++) {
		struct fault_record r = rewrite_of(i, false);
		struct pkt *p = tagged(&l, fields[i].field);
		unsigned len = bytes_of(&l, p, was.bytes);

		frame_parse(was.bytes, len, &was.frame);
		hit_one(&l, &r, p, &is);
		assert_int_equal(is.pkt->len, len);
		assert_int_equal(value_of(&is.frame, fields[i].field), fields[i].value);
		if (fields[i].field != FAULT_ETHERTYPE)
			assert_true(ip_checksum_ok(is.bytes + 18, IP4_LEN));
		if (fields[i].elsewhere)
			continue;
		assert_true(frame_icrc_ok(&is.frame, is.bytes));
		for (unsigned k = 0; k < FAULT_FIELDS; k++)
			if (k != i && is_of_aeth(k) == is_of_aeth(fields[i].field))
				assert_int_equal(value_of(&is.frame, k), value_of(&was.frame, k));
	}
	lab_fini(&l);
}

static void an_icrc_that_is_kept_is_wrong(void **state)
{
	static struct came was, is;
	struct lab l;

	(void)state;
	lab_init(&l);
	for (unsigned i = 0; i < FAULT_FIELDS; i++) {
		struct fault_record r = rewrite_of(i, true);
		struct pkt *p = tagged(&l, fields[i].field);
		unsigned len = bytes_of(&l, p, was.bytes);

		hit_one(&l, &r, p, &is);
		assert_memory_equal(was.bytes + len - 4, is.bytes + len - 4, 4);
		if (!fields[i].elsewhere)
			assert_int_equal(frame_icrc_ok(&is.frame, is.bytes), fields[i].plain);
	}
	lab_fini(&l);
}

static void a_field_that_the_frame_lacks_is_missed(void **state)
{
	const enum fault_field lacks[] = {FAULT_VLAN, FAULT_PCP, FAULT_SYNDROME, FAULT_MSN};
	struct lab l;

	(void)state;
	lab_init(&l);
	for (unsigned i = 0; i < sizeof(lacks) / sizeof(*lacks); i++) {
		struct fault_record r = {
			.action = FAULT_REWRITE, .rewrite = {.field = lacks[i], .value = 1}};
		struct pkt *p;

		lab_one(&l, &r, 1, 0);
		lab_put(&l, 9, 0);
		p = fault_get(l.f, 0);
		assert_int_equal(p->flags & PKT_F_FOREIGN, 0);
		pkt_put(&l.stack, p);
		assert_int_equal(lab_missed(&l, 0), 1);
		fault_free(l.f);
		l.f = NULL;
	}
	lab_fini(&l);
}

static void a_number_is_added(void **state)
{
	struct fault_record r = {.action = FAULT_REWRITE,
		.rewrite = {.field = FAULT_PSN, .adds = true, .value = 0xffffff}};
	struct came c;
	struct lab l;

	(void)state;
	lab_init(&l);
	hit_one(&l, &r, lab_data(&l, 0), &c);
	assert_int_equal(c.pkt->u.rc.psn, 0xffffff);
	assert_true(frame_pkt_icrc_ok(c.pkt));
	assert_int_equal(c.bytes[14 + 20 + 8 + 8], 0); // beside it
	lab_fini(&l);
}

static void ipv6_fields_stand_elsewhere(void **state)
{
	const enum fault_field field[] = {FAULT_DSCP, FAULT_IP_ECN, FAULT_TTL, FAULT_DST_IP};
	struct came c;
	struct lab l;

	(void)state;
	lab_init(&l);
	l.other[0].flags = HDR_IPV6;
	l.other[0].ethertype = ETH_P_IPV6;
	for (unsigned i = 0; i < sizeof(field) / sizeof(*field); i++) {
		struct fault_record r = {.number = 1,
			.kinds = FAULT_ALL,
			.action = FAULT_REWRITE,
			.rewrite = {.field = field[i], .value = 2, .ip = {0xfd, 1}}};
		const uint32_t all[] = {0};
		struct fault_params p = lab_params(&l, &r, 1);
		struct pkt *put = lab_data(&l, 7);

		p.all = all;
		p.n_all = 1;
		put->len += 20;
		assert_int_equal(fault_new(&l.f, &p), 0);
		fault_put(l.f, put, 0);
		came_parse(&c, fault_get(l.f, 0));
		assert_true(frame_icrc_ok(&c.frame, c.bytes));
		assert_int_equal(c.frame.ip.tos, field[i] == FAULT_DSCP     ? 2 << 2 | ECN_ECT0
						 : field[i] == FAULT_IP_ECN ? 26 << 2 | 2
									    : 26 << 2 | ECN_ECT0);
		assert_int_equal(c.frame.ip.ttl, field[i] == FAULT_TTL ? 2 : 64);
		if (field[i] == FAULT_DST_IP)
			assert_memory_equal(c.frame.ip.daddr, r.rewrite.ip, 16);
		pkt_put(&l.stack, c.pkt);
		fault_free(l.f);
		l.f = NULL;
	}
	lab_fini(&l);
}

static void a_marked_frame_is_rendered_as_marked(void **state)
{
	struct fault_record r[] = {
		{.action = FAULT_ECN},
		{.action = FAULT_CORRUPT, .bit = FAULT_NO_BIT},
	};
	struct came c;
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_one(&l, r, 2, 0);
	lab_put(&l, 0, 0);
	came_parse(&c, fault_get(l.f, 0));
	assert_int_equal(pkt_ecn(c.pkt), ECN_CE);
	assert_true(ip_checksum_ok(c.bytes + 14, IP4_LEN));
	pkt_put(&l.stack, c.pkt);
	lab_fini(&l);
}

static void without_room_for_bytes_a_frame_stays_as_it_is(void **state)
{
	struct fault_record r = {.action = FAULT_CORRUPT, .bit = 0};
	struct lab l;
	struct pkt *p;

	(void)state;
	lab_init(&l);
	l.stack.data_off = 0;
	lab_one(&l, &r, 1, 0);
	lab_put(&l, 9, 0);
	p = fault_get(l.f, 0);
	assert_int_equal(p->flags, 0);
	pkt_put(&l.stack, p);
	assert_int_equal(lab_missed(&l, 0), 1);
	lab_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_bit_differs),
		cmocka_unit_test(a_frame_without_payload_has_its_last_bit_in_the_icrc),
		cmocka_unit_test(a_bit_beyond_the_frame_is_missed),
		cmocka_unit_test(each_field_is_written_and_no_other),
		cmocka_unit_test(an_icrc_that_is_kept_is_wrong),
		cmocka_unit_test(a_field_that_the_frame_lacks_is_missed),
		cmocka_unit_test(a_number_is_added),
		cmocka_unit_test(ipv6_fields_stand_elsewhere),
		cmocka_unit_test(a_marked_frame_is_rendered_as_marked),
		cmocka_unit_test(without_room_for_bytes_a_frame_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
