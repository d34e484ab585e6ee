// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: whatever strangers send, and whatever switch and hosts are told, every frame is
// accounted for, descriptors are whole, what leaves is well formed, and no node is stuck.
//
// The first octet chooses the scene and whether its switch is cut. Then come steps, each an octet
// of enum step by its remainder, and its arguments; what the input lacks is 0.
#include "wire/eth.h"
#include "world_net.h"
#include "world_scene.h"
#include "world_stranger.h"

#define EVENTS 3000 // of an input
#define STEPS  64

enum step { TIME, FRAME, FLOOD, COMMAND, REGISTER, ANSWER, ASK, PATCHED, STEP_KINDS };

struct input {
	const uint8_t *at;
	size_t left;
};

static struct stranger stranger[STRANGERS];

static uint8_t octet(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static uint16_t two(struct input *in)
{
	uint16_t high = octet(in);

	return (uint16_t)(high << 8 | octet(in));
}

static uint32_t four(struct input *in)
{
	uint32_t high = two(in);

	return high << 16 | two(in);
}

// A number that may be small or large: 12 bits, shifted left by up to 60.
static uint64_t wide(struct input *in)
{
	uint16_t v = two(in);

	return (uint64_t)(v & 0xfff) << 4 * (v >> 12);
}

// A time of up to 17 ms; timers that nobody asks for are caught up with one by one.
static tstamp span(struct input *in)
{
	uint16_t v = two(in);

	return (tstamp)(v & 0xfff) * PS_PER_NS << 4 * (v >> 12 & 3);
}

static void hears(struct world *w, unsigned node, const struct pkt *p, const uint8_t *bytes)
{
	(void)w;
	for (unsigned k = 0; k < STRANGERS; k++)
		if (stranger[k].node == node)
			stranger_hears(&stranger[k], p, bytes);
}

static void frame_came(struct world *w, struct input *in)
{
	struct stranger *s = &stranger[octet(in) % STRANGERS];
	unsigned how = octet(in), len = two(in) % 1700;
	uint8_t bytes[1700] = {0};

	memcpy(bytes, in->at, in->left < len ? in->left : len);
	in->at += in->left < len ? in->left : len;
	in->left -= in->left < len ? in->left : len;
	stranger_mends(w, s, how, bytes, len);
	world_put(w, s->node, s->at, bytes, len);
}

static void flood_came(struct world *w, struct input *in)
{
	unsigned k = octet(in), n = octet(in) % 16 + 1;
	struct stranger *s = &stranger[k % STRANGERS];
	struct flood_target t = {.qpn = BTH_QPN_BASE + 1};
	enum flood kind = octet(in) % FLOODS;
	struct prng g;

	s->host_now = k >> 1;
	memcpy(t.mac, stranger_host(w, s)->mac, 6);
	memcpy(t.ip, stranger_host(w, s)->ip, 4);
	memcpy(t.peer_ip, s->ip, 4);
	prng_init(&g, octet(in), "flood");
	for (unsigned i = 0; i < n; i++) {
		uint8_t bytes[FLOOD_MAX];

		world_put(w, s->node, s->at, bytes, flood_frame(kind, &t, &g, bytes));
	}
}

// MAC control frames of each kind, of which one enables no class.
static const struct ctl_mac *mac_frame(uint8_t which)
{
#define FRAME(kind_, last, enable_, quanta_, len_)                                               \
	{                                                                                        \
		.hdr = {.dst = {1, 0x80, 0xc2, 0, 0, last},                                      \
			.ethertype = ETH_P_MAC_CONTROL,                                          \
			.id = HDR_ID_NODE},                                                      \
		.f = {.quanta = {quanta_, 0, quanta_, quanta_}, .enable = enable_}, .len = len_, \
		.kind = kind_                                                                    \
	}
	static const struct ctl_mac frame[] = {
		FRAME(PKT_PFC, 1, 0xff, 65535, PKT_MIN_LEN),
		FRAME(PKT_PFC, 1, 0x08, 100, 124),
		FRAME(PKT_PFC, 1, 0, 100, PKT_MIN_LEN),
		FRAME(PKT_PAUSE, 1, 0, 1000, 34),
		FRAME(PKT_MACCTL, 14, 0xff, 65535, PKT_MIN_LEN),
	};
#undef FRAME

	return &frame[which % (sizeof(frame) / sizeof(frame[0]))];
}

static void command(struct world *w, struct input *in)
{
	unsigned node = octet(in) % w->scene->n_nodes;
	struct ctl c = {.type = octet(in) % (CTL_MAC_FRAMES + 1),
		.port = octet(in),
		.cls = octet(in),
		.quanta = two(in)};

	if (c.port == 255)
		c.port = PKT_NO_PORT;
	if (c.type == CTL_MAC_FRAMES)
		c.with = mac_frame((uint8_t)two(in));
	else
		c.id = octet(in) % 16 | (octet(in) & 1 ? CTL_SOURCE : 0);
	c.a = wide(in);
	if (c.type == CTL_PFC_STORM)
		c.a += w->now;
	c.b = wide(in);
	if (c.type != CTL_REG)
		net_ctl(net_node(w->net, node), &c, w->now);
	world_settle(w, node);
}

// A field of the registers is written and read.
static void reg(struct world *w, struct input *in)
{
	unsigned node = octet(in) % w->scene->n_nodes;
	struct net_node *n = net_node(w->net, node);
	const struct rdma_ip_field *f = &rdma_ip_fields[octet(in) % rdma_ip_n_fields];
	struct rdma_ip_place place = {.address = f->address, .lsb = f->lsb, .width = f->width};
	uint64_t value = four(in), mask = f->width < 64 ? (1ull << f->width) - 1 : UINT64_MAX;
	struct ctl c = {.type = CTL_REG, .lsb = f->lsb, .width = f->width, .a = value & mask};

	if (n->kind != SCENE_NIC)
		return;
	if (rdma_ip_reg_qpn(f->address))
		place.address += octet(in) % 16 * RDMA_IP_REG_QP_STRIDE;
	c.id = place.address;
	if (!net_ctl(n, &c, w->now) && f->access == RDMA_IP_RW)
		fuzz_check(!nic_reg_read(n->u.nic, &place, &value, w->now));
	world_settle(w, node);
}

// `patched`: with an octet that is another, and the ICRC that fits it or the old one.
static void answer(struct world *w, struct input *in, bool asks, bool patched)
{
	unsigned who = octet(in), how = octet(in);
	struct stranger *s = &stranger[who % STRANGERS];
	uint8_t bytes[PKT_MAX_LEN];
	unsigned len = asks ? stranger_asks(w, s, how, bytes)
			    : stranger_answers(w, s, who / STRANGERS, how, bytes);

	if (patched) {
		unsigned at = two(in);
		uint8_t change = octet(in);

		if (len)
			bytes[at % len] ^= change;
		stranger_mends(w, s, at >> 15 ? 0 : MEND_ICRC, bytes, len);
	}
	world_put(w, s->node, s->at, bytes, len);
}

static void take_step(struct world *w, struct input *in)
{
	uint8_t what = octet(in);

	switch ((enum step)(what % STEP_KINDS)) {
	case TIME:
		world_run(w, w->now + span(in));
		break;
	case FRAME:
		frame_came(w, in);
		break;
	case FLOOD:
		flood_came(w, in);
		break;
	case COMMAND:
		command(w, in);
		break;
	case REGISTER:
		reg(w, in);
		break;
	case ANSWER:
	case PATCHED:
		answer(w, in, false, what % STEP_KINDS == PATCHED);
		break;
	default:
		answer(w, in, true, false);
	}
	if (what >= 128) // a moment passes
		world_run(w, w->now + 2 * PS_PER_US);
}

static const struct scene *scene_of(unsigned choice)
{
	static const char *const text[] = {WORLD_IQCN, WORLD_QCN};
	static const struct scene *made[4];

	if (!made[choice % 4])
		made[choice % 4] = world_compile(text[choice % 2], choice % 4 / 2 ? "2" : "1");
	return made[choice % 4];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct world w;

	world_open(&w, scene_of(octet(&in)), EVENTS);
	w.leaves = hears;
	for (unsigned k = 0; k < STRANGERS; k++)
		stranger_init(&stranger[k], &w, k);
	for (unsigned i = 0; in.left && i < STEPS; i++)
		take_step(&w, &in);
	world_run(&w, w.now + 20 * PS_PER_US);
	world_close(&w);
	return 0;
}
